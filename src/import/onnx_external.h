/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor elements that are left where they are until they are read straight into their final memory: in the
 * model file itself, or in a file beside it. What is parsed is the model without them. */
#ifndef GT_IMPORT_ONNX_EXTERNAL_H
#define GT_IMPORT_ONNX_EXTERNAL_H

#include "src/base/file.h"
#include "src/base/text.h"

/* ---- elements in the model file ---- */

/* An encoded message, in memory or in an open file. */
typedef struct gt_i_onnx_source {
    const char *data; /* NULL: in `file` */
    const gt_file_reader *file;
    size_t bytes;
} gt_i_onnx_source;

/* The messages on the way to tensors. */
typedef enum gt_i_onnx_message {
    GT_I_ONNX_MODEL,
    GT_I_ONNX_GRAPH,
    GT_I_ONNX_NODE,
    GT_I_ONNX_ATTR,
    GT_I_ONNX_TENSOR,
    GT_I_ONNX_LEAF /* any other */
} gt_i_onnx_message;

/* Where the elements of a tensor lie in the source. */
typedef struct gt_i_onnx_span {
    uint64_t offset, bytes;
    uint64_t type; /* 0: raw_data; else the tensor's own type, which was float_data or double_data */
} gt_i_onnx_span;

/* Copies a message without tensor elements: *out is the encoding of the same message, but raw_data of every tensor
 * in it holds a gt_i_onnx_span in the host's own representation; an empty raw_data stays empty. Large float_data or
 * double_data that hold all elements of a tensor become such a raw_data as well. Everything else is copied byte by
 * byte and not looked at. Reads the file from front to back in small pieces, skipping what it leaves out.
 * Errors: GT_ERROR_FORMAT (fields that run beyond the end of their message), GT_ERROR_IO, GT_ERROR_MEMORY. */
gt_status gt_i_onnx_skeleton(gt_text *out, const gt_i_onnx_source *source, gt_i_onnx_message message) GT_NODISCARD;

/* Reads the elements: span->bytes bytes into `out`. Errors: GT_ERROR_FORMAT (not inside the source), GT_ERROR_IO. */
gt_status gt_i_onnx_read_span(void *out, const gt_i_onnx_source *source, const gt_i_onnx_span *span) GT_NODISCARD;

/* ---- elements in a file of their own ---- */

/* Where the bytes are, as the model states it. A field is NULL when the model does not state it. */
typedef struct gt_i_onnx_location {
    const char *file;   /* relative to the model's folder, '/' between components */
    const char *offset; /* bytes, decimal; NULL is 0 */
    const char *length; /* bytes, decimal; NULL is "as many as the tensor has" */
} gt_i_onnx_location;

/* Reads exactly `bytes` bytes (the tensor's size) into *data; free with gt_free. Only regular
 * files inside the folder of `model_path` are opened; absolute paths, ".." and symbolic links
 * are refused.
 * Errors: GT_ERROR_FORMAT (location outside the folder, bad or out-of-range offset or length),
 * GT_ERROR_IO (missing, unreadable), GT_ERROR_MEMORY. */
gt_status gt_i_onnx_read_external(void **data, size_t bytes, const gt_i_onnx_location *location,
                                  const char *model_path) GT_NODISCARD;

#endif
