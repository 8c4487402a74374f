/* SPDX-License-Identifier: Apache-2.0 */
/* What the handlers of ONNX operators work with: the model, the graph that grows, and the values between
 * nodes. A handler reads its node's attributes first and its inputs then, so that an attribute that is not
 * handled is reported even where an input's shape is unknown. */
#ifndef GT_IMPORT_ONNX_CONTEXT_H
#define GT_IMPORT_ONNX_CONTEXT_H

#include "src/import/fold_budget.h"
#include "src/import/import.h"
#include "src/import/name_map.h"
#include "src/import/onnx_file.h"

/* What a name of the model stands for while nodes are imported. Several names can share one value. */
typedef struct gt_i_value {
    char *name;
    gt_dtype dtype;
    gt_shape shape;
    void *data;   /* a constant's elements in C order; NULL for activations and once nobody reads them */
    int tensor;   /* in the graph; GT_NO_TENSOR for a constant that is not there. The graph owns data then */
    int64_t uses; /* reads by nodes and graph outputs that are still to come */
    bool unknown; /* an unsupported node should have made it: no dtype, no shape */
} gt_i_value;

/* A name of the model. */
typedef struct gt_i_name {
    const char *text;
    int producer; /* node, or one of the two below */
    int64_t uses; /* how often nodes and graph outputs read it */
    gt_i_value *value;         /* NULL until it is made */
    const gt_onnx_value *info; /* the model's own statement about its shape; NULL if there is none */
} gt_i_name;
#define GT_I_FROM_FILE (-1)    /* a graph input or an initializer */
#define GT_I_NO_PRODUCER (-2)

typedef struct gt_i_onnx {
    gt_onnx_model *model;
    gt_graph *graph;
    const gt_import_options *options;
    gt_i_name_map name_index; /* into names */
    size_t n_names, names_capacity;
    gt_i_name *names;
    size_t n_values, values_capacity;
    gt_i_value **values;
    gt_i_name_map symbols; /* symbolic dimensions that the graph inputs have bound */
    gt_i_name_map taken_ops, taken_tensors;
    char **node_names; /* unique; of every node */
    int *order;        /* node indices in dependency order */

    /* The node in hand. */
    int node_index;
    bool name_used; /* an op carries the node's own name already */
    bool starved;   /* it reads a value that is unknown */

    gt_i_fold_budget folded;
    int n_unsupported;
    gt_text unsupported; /* one line for each */
} gt_i_onnx;

/* What a node may have: the generated registry (onnx_ops.inc). */
typedef gt_status gt_i_onnx_handler(gt_i_onnx *c, const gt_onnx_node *node);
typedef struct gt_i_onnx_op {
    gt_onnx_op_info info;
    size_t min_inputs, max_inputs;
    gt_i_onnx_handler *handle;
} gt_i_onnx_op;

#define GT_ONNX_OP(name, since, last, min_inputs, max_inputs, handler, where, attributes, notes) \
    gt_i_onnx_handler gt_i_onnx_##handler;
#include "src/import/onnx_ops.inc"
#undef GT_ONNX_OP

/* The row of an operator, or NULL. */
const gt_i_onnx_op *gt_i_onnx_find_op(const char *name);

/* ---- attributes (onnx_node.c): the fallback when absent; GT_ERROR_FORMAT when of another type ---- */

gt_status gt_i_onnx_attr_int(int64_t *out, const gt_onnx_node *node, const char *name, int64_t fallback)
    GT_NODISCARD;
gt_status gt_i_onnx_attr_float(float *out, const gt_onnx_node *node, const char *name,
                               float fallback) GT_NODISCARD;
/* Borrowed from the node. */
gt_status gt_i_onnx_attr_string(const char **out, const gt_onnx_node *node, const char *name,
                                const char *fallback) GT_NODISCARD;

/* A list of integers, borrowed from an attribute or a constant input. */
typedef struct gt_i_ints {
    bool present;
    int64_t count;
    const int64_t *values;
} gt_i_ints;

gt_status gt_i_onnx_attr_ints(gt_i_ints *out, const gt_onnx_node *node, const char *name) GT_NODISCARD;

/* Entries `count` or fewer of a list attribute copied to out; `fallback` everywhere when it is absent.
 * Errors: GT_ERROR_FORMAT when it has another count. */
gt_status gt_i_onnx_attr_ints_n(int64_t *out, const gt_onnx_node *node, const char *name, int count,
                                int64_t fallback) GT_NODISCARD;

/* ---- inputs (onnx_node.c) ---- */

bool gt_i_onnx_has_input(const gt_onnx_node *node, size_t k);

/* Whether a node or a graph output reads output k of the node. */
bool gt_i_onnx_output_is_read(const gt_i_onnx *c, const gt_onnx_node *node, size_t k);

/* The value of input k. Errors: GT_ERROR_FORMAT (absent; `role` names it), GT_ERROR_NOT_FOUND (unknown). */
gt_status gt_i_onnx_input(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, size_t k,
                          const char *role)
    GT_NODISCARD;
/* As above, and GT_ERROR_UNSUPPORTED if it is not a constant. */
gt_status gt_i_onnx_const_input(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, size_t k,
                                const char *role) GT_NODISCARD;
/* Input k as a float32 constant with `count` elements (any number when negative). */
gt_status gt_i_onnx_const_floats(const float **out, gt_i_onnx *c, const gt_onnx_node *node, size_t k,
                                 const char *role, int64_t count) GT_NODISCARD;
/* Input k as a constant list of integers; not present if the input is absent. */
gt_status gt_i_onnx_const_ints(gt_i_ints *out, gt_i_onnx *c, const gt_onnx_node *node, size_t k,
                               const char *role)
    GT_NODISCARD;
/* What older opsets state as an attribute and newer ones as input k. */
gt_status gt_i_onnx_ints(gt_i_ints *out, gt_i_onnx *c, const gt_onnx_node *node, const char *attr, size_t k)
    GT_NODISCARD;

/* An axis counted from the end if negative, as 0 <= axis < rank. Errors: GT_ERROR_FORMAT naming `what`. */
gt_status gt_i_onnx_axis(int64_t *axis, int rank, const char *what) GT_NODISCARD;

/* A list of axes as a set of flags, one for each of the `rank` axes; an axis may not stand there twice. */
gt_status gt_i_onnx_axes(bool *flags, const gt_i_ints *axes, int rank) GT_NODISCARD;

/* ---- results (onnx_value.c) ---- */

bool gt_i_onnx_is_const(const gt_i_value *value);

/* Binds output k of the node to a value. An absent or unread output is no error. */
gt_status gt_i_onnx_bind(gt_i_onnx *c, const gt_onnx_node *node, size_t k, gt_i_value *value) GT_NODISCARD;

/* A value for an activation of the graph. */
gt_status gt_i_onnx_add_value(gt_i_value **out, gt_i_onnx *c, int tensor) GT_NODISCARD;

/* Puts a constant into the graph, which owns its data from then on. */
gt_status gt_i_onnx_place_const(gt_i_onnx *c, gt_i_value *value) GT_NODISCARD;

/* An op on values, or its result where all inputs are constants. `inputs` may hold NULL for absent ones;
 * attrs stays the caller's. The first op of a node (emit_core, or else emit_output) carries the node's name,
 * helpers are named after it; emit_output binds output k as well.
 * Errors: those of gt_graph_add_op; GT_ERROR_LIMIT when folding would take too much. */
gt_status gt_i_onnx_emit(gt_i_value **out, gt_i_onnx *c, gt_op_kind kind, const gt_attrs *attrs, int n_inputs,
                         gt_i_value *const *inputs, const gt_operand *hint) GT_NODISCARD;
gt_status gt_i_onnx_emit_core(gt_i_value **out, gt_i_onnx *c, gt_op_kind kind, const gt_attrs *attrs,
                              int n_inputs, gt_i_value *const *inputs, const gt_operand *hint) GT_NODISCARD;
gt_status gt_i_onnx_emit_output(gt_i_onnx *c, const gt_onnx_node *node, size_t k, gt_op_kind kind,
                                const gt_attrs *attrs, int n_inputs, gt_i_value *const *inputs,
                                const gt_operand *hint) GT_NODISCARD;

/* reshape, as a helper or as output k; nothing is emitted when the shape is that already. */
gt_status gt_i_onnx_reshape(gt_i_value **out, gt_i_onnx *c, gt_i_value *x,
                            const gt_shape *shape) GT_NODISCARD;
gt_status gt_i_onnx_reshape_output(gt_i_onnx *c, const gt_onnx_node *node, size_t k, gt_i_value *x,
                                   const gt_shape *shape) GT_NODISCARD;
/* transpose as a helper. */
gt_status gt_i_onnx_transpose(gt_i_value **out, gt_i_onnx *c, gt_i_value *x,
                              const int64_t *perm) GT_NODISCARD;
/* The value as a f32 one: itself, or a cast. */
gt_status gt_i_onnx_to_f32(gt_i_value **out, gt_i_onnx *c, gt_i_value *x) GT_NODISCARD;
/* Missing leading dimensions of 1 are added up to this rank. */
gt_status gt_i_onnx_align_rank(gt_i_value **out, gt_i_onnx *c, gt_i_value *x, int rank) GT_NODISCARD;

/* A binary function of two values with numpy broadcasting, as a helper (k < 0) or as output k. */
gt_status gt_i_onnx_binary(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, int k,
                           gt_binary_function function, gt_i_value *a, gt_i_value *b) GT_NODISCARD;
gt_status gt_i_onnx_unary(gt_i_value **out, gt_i_onnx *c, const gt_onnx_node *node, int k,
                          gt_function function, float alpha, float beta, gt_i_value *x) GT_NODISCARD;

/* Images: x with rank 3, [N,C,W], is seen as [N,C,1,W]; rank 4 stays. `what` is "convolution", …
 * Errors: GT_ERROR_UNSUPPORTED for other ranks. */
gt_status gt_i_onnx_to_image(gt_i_value **out, gt_i_onnx *c, gt_i_value *x, const char *what) GT_NODISCARD;
/* An op on images whose result is output 0 of the node, taken back to the rank (3 or 4) that the input
 * had. */
gt_status gt_i_onnx_emit_image(gt_i_onnx *c, const gt_onnx_node *node, int rank, gt_op_kind kind,
                               const gt_attrs *attrs, int n_inputs, gt_i_value *const *inputs,
                               const gt_operand *hint) GT_NODISCARD;

/* ---- constants (onnx_const.c) ---- */

/* Zeroed memory for a constant, within the limits on one constant and on all of them.
 * Errors: GT_ERROR_LIMIT, GT_ERROR_SHAPE, GT_ERROR_MEMORY. */
gt_status gt_i_onnx_alloc(void *out, gt_i_onnx *c, gt_dtype dtype, const gt_shape *shape) GT_NODISCARD;

/* Counts work done for folding. Errors: GT_ERROR_LIMIT. */
gt_status gt_i_onnx_count_work(gt_i_onnx *c, int64_t elements) GT_NODISCARD;

/* A value of its own that is a constant; `data` is taken over on success. A NULL name makes one up. */
gt_status gt_i_onnx_add_const(gt_i_value **out, gt_i_onnx *c, const char *name, gt_dtype dtype,
                              const gt_shape *shape, void *data) GT_NODISCARD;

/* A tensor literal of the model as a constant: float types become f32, integers i64. Its memory is moved
 * where the type allows. Errors: GT_ERROR_UNSUPPORTED for other types, GT_ERROR_SHAPE, GT_ERROR_MEMORY. */
gt_status gt_i_onnx_add_literal(gt_i_value **out, gt_i_onnx *c, const char *name, gt_onnx_tensor *tensor)
    GT_NODISCARD;
/* The element type that stands for an ONNX type. Errors: GT_ERROR_UNSUPPORTED. */
gt_status gt_i_onnx_dtype(gt_dtype *out, gt_onnx_type type) GT_NODISCARD;

/* Whether an op only moves elements, of whatever type; the others compute floats. */
bool gt_i_onnx_takes_any_type(gt_op_kind kind);

/* Evaluates an op on constants; integer arithmetic too where the op has it. */
gt_status gt_i_onnx_fold(gt_i_value **out, gt_i_onnx *c, gt_op_kind kind, const gt_attrs *attrs, int n_inputs,
                         gt_i_value *const *inputs, const gt_operand *hint) GT_NODISCARD;

/* Element k of a constant, of whatever type. */
double gt_i_onnx_get_f64(const gt_i_value *value, int64_t k);
int64_t gt_i_onnx_get_i64(const gt_i_value *value, int64_t k);

/* Where element `flat` of a result lies in an operand that broadcasts to it. */
int64_t gt_i_onnx_broadcast_index(int64_t flat, const gt_shape *out, const gt_shape *operand);

/* i64 arithmetic as int64 tensors have it: wraps around; division truncates. b != 0 for GT_BINARY_DIV. */
int64_t gt_i_onnx_binary_i64(gt_binary_function function, int64_t a, int64_t b);

#endif
