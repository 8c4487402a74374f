/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX files byte by byte, as others may write them, well-formed or not: for the tests of reading and writing. All of
 * it aborts the running Check test where something fails. */
#ifndef GT_TESTS_ONNX_BYTES_H
#define GT_TESTS_ONNX_BYTES_H

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/import/onnx_file.h"

#include <check.h>

/* A folder for the running test, gone after it, and the path of a file in it. */
extern char ob_folder[64];
extern char ob_model_path[96];

void ob_ok(gt_status status);
/* It failed so, with a message of one line that has this part. */
void ob_fails(gt_status status, gt_status expected, const char *part);

/* ---- a protobuf encoder ---- */

void ob_put_varint(gt_text *out, uint64_t value);
void ob_put_int(gt_text *out, int field, int64_t value);
void ob_put_bytes(gt_text *out, int field, const void *bytes, size_t count);
void ob_put_string(gt_text *out, int field, const char *text);
/* Destroys the message. */
void ob_put_message(gt_text *out, int field, gt_text *message);

/* Fields of TensorProto. */
enum {
    OB_DIM = 1,
    OB_TYPE = 2,
    OB_SEGMENT = 3,
    OB_FLOATS = 4,
    OB_INT32S = 5,
    OB_INT64S = 7,
    OB_NAME = 8,
    OB_RAW = 9,
    OB_DOUBLES = 10,
    OB_UINT64S = 11,
    OB_LOCATION = 14
};

/* A tensor "w" of this type and shape, without data. */
gt_text ob_tensor_head(int64_t type, size_t rank, const int64_t *dims);

/* ---- reading ---- */

/* Wraps the encoded graph in a model of opset 13 and parses it; destroys the graph. */
gt_status ob_parse_graph(gt_onnx_model **model, gt_text *graph) GT_NODISCARD;
/* Parses a model whose only initializer is the encoded tensor; destroys the tensor. */
gt_status ob_parse_tensor(gt_onnx_model **model, gt_text *tensor) GT_NODISCARD;
/* As above, and it fails with a message that names file and tensor. */
void ob_tensor_fails(gt_text *tensor, gt_status expected, const char *part);

/* ---- a model with one of everything ---- */

gt_status ob_build_small(gt_onnx_model **model) GT_NODISCARD;

/* ---- running ---- */

/* Runs it with allocation 0, 1, 2, … failing until it succeeds; nothing may be left over. */
typedef gt_status ob_attempt(void);
void ob_fail_every_allocation(ob_attempt *run);

/* A case whose tests have the folder each, and a suite of it alone; ob_run returns main's exit status. */
TCase *ob_tcase(void);
int ob_run(const char *name, TCase *tests);

#endif
