/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the ONNX backend test suite: a folder with model.onnx and test_data_set_N, which holds the inputs and the
 * outputs that are right as TensorProto files. */
#ifndef GT_TESTS_CONFORMANCE_H
#define GT_TESTS_CONFORMANCE_H

#include "src/base/rng.h"
#include "src/graph/graph.h"
#include "src/import/import.h"
#include "src/import/onnx_file.h"

#define CF_MAX_PORTS 64
#define CF_PATH_BYTES 600

/* inputs[i] is the value of the model's input i: NULL where an initializer gives it, or where the file holds no tensor
 * (then `not_tensors` is true). outputs[i] is what output i must be. */
typedef struct cf_case {
    char model_path[CF_PATH_BYTES];
    gt_onnx_model *model; /* NULL if it cannot be read; `unread` says why */
    char unread[300];
    size_t n_inputs, n_outputs;
    gt_onnx_tensor *inputs[CF_MAX_PORTS];
    gt_onnx_tensor *outputs[CF_MAX_PORTS];
    bool fixed[CF_MAX_PORTS]; /* given to the importer as a constant */
    bool not_tensors;
} cf_case;

/* Reads the case of one data set and decides which inputs are constants: what is not float32 (shapes, indices, axes),
 * what the table in conformance_case.c lists (weights, scales), and everything where an operator is there that the
 * importer's own table calls folded. Errors: GT_ERROR_IO, GT_ERROR_FORMAT when the data does not fit the model. */
gt_status cf_read(cf_case *c, const char *folder, int data_set) GT_NODISCARD;
void cf_clear(cf_case *c);

/* The operator's row in the importer's table, or NULL. */
const gt_onnx_op_info *cf_find_op(const char *op_type);

/* Imports the model with its constants. `scratch` is a file that may be overwritten. */
gt_status cf_import(gt_graph **graph, cf_case *c, const char *scratch) GT_NODISCARD;

/* Why a case is not expected to run, from what its files say, without asking the importer. `op` is the operator that it
 * lies in. reason is NULL where the case must pass. */
typedef struct cf_skip {
    const char *op;
    const char *reason;
} cf_skip;
cf_skip cf_expected_skip(const cf_case *c);

/* Runs the graph op by op with the oracle, and in `plans` sessions of random layouts, and compares every output with
 * the case's. Errors: GT_ERROR_MISMATCH saying which run, output and element; those of selection and sessions. */
gt_status cf_run(cf_case *c, gt_graph *graph, int plans, gt_rng *rng) GT_NODISCARD;

#endif
