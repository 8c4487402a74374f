/* SPDX-License-Identifier: Apache-2.0 */
/* Appends the nodes of ops to an ONNX model.
 *
 * Errors are sticky, so that an op reads like its description: after a failure every function does nothing, and
 * gt_export_onnx looks at `status` at the end. Texts that are returned are never NULL and live as long as the emitter. */
#ifndef GT_EXPORT_ONNX_EMIT_H
#define GT_EXPORT_ONNX_EMIT_H

#include "src/export/export.h"
#include "src/export/outline.h"

/* Names that are all different. */
typedef struct gt_i_names {
    int n;
    size_t capacity;
    char **name;
    gt_name_index index;
} gt_i_names;

/* The name itself, or with "#2", "#3", … behind it where it is taken. */
gt_status gt_i_names_new(const char **out, gt_i_names *names, const char *wanted) GT_NODISCARD;
void gt_i_names_destroy(gt_i_names *names);

typedef struct gt_i_emit {
    const gt_graph *graph;
    const gt_schedule *schedule;
    const gt_export_options *options;
    gt_onnx_model *model;
    gt_status status;
    gt_i_names tensors, nodes;
    const char **forms;   /* name per form, as gt_outline_form; NULL: not in the model */
    const char **outputs; /* name per graph output */
    const gt_outline_step *step;
    const gt_op *op;    /* the step's */
    gt_onnx_node *node; /* the last one; NULL after a failure */
    const char *result; /* its output, which has no value_info yet: it may become the op's own */
    gt_shape result_shape;
    gt_dtype result_type;
} gt_i_emit;

/* The form that the op reads as its input i; "" where that is absent. */
const char *gt_i_emit_input(gt_i_emit *e, int i);
/* A constant tensor of the graph, seen in another shape of as many elements. */
const char *gt_i_emit_weight(gt_i_emit *e, int tensor, const gt_shape *shape);
/* A matrix of the graph transposed, [K, F] to [F, K]. */
const char *gt_i_emit_transposed(gt_i_emit *e, int tensor);
/* A new constant of this node: "<op>.<what>". */
const char *gt_i_emit_ints(gt_i_emit *e, const char *what, int64_t n, const int64_t *values);
const char *gt_i_emit_floats(gt_i_emit *e, const char *what, int64_t n, const float *values);
const char *gt_i_emit_scalar(gt_i_emit *e, const char *what, float value);

/* Appends a node with one output of the given shape, whose name is returned. `part` NULL: the op's main node, which
 * bears its name; otherwise one named "<op>.<part>". */
const char *gt_i_emit_node(gt_i_emit *e, const char *type, const char *part, const gt_shape *shape, size_t n,
                           const char *const *inputs);
#define GT_I_EMIT(e, type, part, shape, ...)                                                        \
    gt_i_emit_node(e, type, part, shape, sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *), \
                   (const char *[]){__VA_ARGS__})

/* Attributes of the last node. */
void gt_i_emit_int(gt_i_emit *e, const char *name, int64_t value);
void gt_i_emit_float(gt_i_emit *e, const char *name, float value);
void gt_i_emit_list(gt_i_emit *e, const char *name, int64_t n, const int64_t *values);
void gt_i_emit_string(gt_i_emit *e, const char *name, const char *value);

/* What the plan says about a step, on its nodes: those from `first` on. */
void gt_i_emit_notes(gt_i_emit *e, const gt_outline_step *step, size_t first);
/* … and about the whole. */
void gt_i_emit_model_notes(gt_i_emit *e, const gt_plan *plan);

/* ---- the ops: each appends its nodes, the last of which computes the op's result ---- */

/* As an operator of GT_EXPORT_DOMAIN with the op's own attributes: what ONNX has no operator for. */
void gt_i_emit_own(gt_i_emit *e);

/* An elementwise function of `x`; the main node is named by `part`, as in gt_i_emit_node. */
void gt_i_emit_function(gt_i_emit *e, const char *part, gt_function function, float alpha, float beta, const char *x);

void gt_i_emit_conv(gt_i_emit *e);
void gt_i_emit_conv_transpose(gt_i_emit *e);
void gt_i_emit_dense(gt_i_emit *e);
void gt_i_emit_pool(gt_i_emit *e);
void gt_i_emit_resize(gt_i_emit *e);
void gt_i_emit_matmul(gt_i_emit *e);
void gt_i_emit_reduce(gt_i_emit *e);
void gt_i_emit_unary(gt_i_emit *e);
void gt_i_emit_binary(gt_i_emit *e);
void gt_i_emit_scale(gt_i_emit *e);
void gt_i_emit_softmax(gt_i_emit *e);
void gt_i_emit_lrn(gt_i_emit *e);
void gt_i_emit_argmax(gt_i_emit *e);
void gt_i_emit_cast(gt_i_emit *e);
void gt_i_emit_copy(gt_i_emit *e);
void gt_i_emit_concat(gt_i_emit *e);
void gt_i_emit_slice(gt_i_emit *e);
void gt_i_emit_pad(gt_i_emit *e);
void gt_i_emit_shuffle(gt_i_emit *e);
void gt_i_emit_block(gt_i_emit *e);
void gt_i_emit_reshape(gt_i_emit *e);
void gt_i_emit_transpose(gt_i_emit *e);
void gt_i_emit_gather(gt_i_emit *e);
void gt_i_emit_tile(gt_i_emit *e);

#endif
