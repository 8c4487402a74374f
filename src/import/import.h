/* SPDX-License-Identifier: Apache-2.0 */
/* Models from files: whatever the format, a gt_graph comes out. */
#ifndef GT_IMPORT_IMPORT_H
#define GT_IMPORT_IMPORT_H

#include "src/graph/graph.h"

/* The shape that the user gives to one graph input: `--shape name=1,3,224,224`. */
typedef struct gt_import_shape {
    char *name; /* "" means the model's only input */
    gt_shape shape;
} gt_import_shape;

/* Zero-initialise for the defaults. */
typedef struct gt_import_options {
    size_t n_shapes;
    const gt_import_shape *shapes;
    bool keep_source_form; /* leave out the optimising passes: the model's own operators, constants folded */
    const char *weights_path; /* ncnn: the .bin file; NULL: beside the .param, of the same stem */
    bool random_weights;      /* ncnn: made up from random_seed and the layers' names instead */
    uint64_t random_seed;
} gt_import_options;

/* Reads a model file into a finished graph (gt_graph_finish), optimised by gt_passes_run unless
 * options->keep_source_form. `options` may be NULL. Constant subgraphs are evaluated, so shape arithmetic
 * disappears. The caller destroys *graph.
 *
 * Dimensions that the model leaves open are taken from options->shapes; an open first dimension is 1 when
 * nothing is said; any other open dimension is GT_ERROR_SHAPE with the flag that would set it.
 *
 * Errors, each starting with the path: GT_ERROR_IO; GT_ERROR_FORMAT (not a known format; undefined, doubly
 * defined or cyclic names; missing weights; wrong input counts); GT_ERROR_UNSUPPORTED with one line for every
 * node that is not handled: name, operator, reason; GT_ERROR_SHAPE (operands that do not fit together,
 * options->shapes that contradict the model); GT_ERROR_LIMIT (constants too large); GT_ERROR_MEMORY. */
gt_status gt_import_file(gt_graph **graph, const char *path, const gt_import_options *options) GT_NODISCARD;

/* Parses "name=1,3,224,224", or "1,3,224,224" for the only input of a model, or "name=" for a scalar. The
 * name may itself contain '='. Dimensions are 1 to 2^31 - 1. Free shape->name with gt_free.
 * Errors: GT_ERROR_ARGUMENT naming the text and what is wrong in it. */
gt_status gt_import_parse_shape(gt_import_shape *shape, const char *text) GT_NODISCARD;

/* One ONNX operator that the importer handles: models of opset `since` to `last`. `notes` says what is left
 * out ("" if nothing is); folded_only: only where its inputs are constants. */
typedef struct gt_onnx_op_info {
    const char *name;
    int since, last;
    bool folded_only;
    const char *attributes; /* space-separated names of the attributes that are understood */
    const char *notes;
} gt_onnx_op_info;

/* All of them, in the order of strcmp: number `index`, or NULL past the end. */
const gt_onnx_op_info *gt_onnx_supported_ops(size_t index);

/* One ncnn layer type that the importer handles, with the numbers of its inputs and outputs. */
typedef struct gt_ncnn_layer_info {
    const char *name;
    int min_inputs, max_inputs, min_outputs, max_outputs;
    const char *params; /* space-separated ids of the parameters that are read; 30 and 31 are allowed everywhere */
} gt_ncnn_layer_info;

/* Describes number `index`, in the order of strcmp; false past the end. */
bool gt_ncnn_supported_layer(size_t index, gt_ncnn_layer_info *info);

#endif
