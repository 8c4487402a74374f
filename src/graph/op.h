/* SPDX-License-Identifier: Apache-2.0 */
/* Operator kinds, their attributes, and the fused epilogue. */
#ifndef GT_GRAPH_OP_H
#define GT_GRAPH_OP_H

#include "src/graph/shape.h"

#define GT_NO_TENSOR (-1)

/* The longest attribute list (gather's indices), and the largest stride, pad, dilation, kernel, repeat …:
 * small enough that sums and products of two attributes and dimensions fit into 64 bits. */
#define GT_MAX_LIST 65536
#define GT_MAX_ATTR ((int64_t)1 << 20)

typedef enum gt_op_kind {
#define GT_OP_KIND(id, name, member, min_inputs, max_inputs) GT_OP_##id,
#include "src/graph/op_kinds.inc"
#undef GT_OP_KIND
    GT_OP_KIND_COUNT
} gt_op_kind;

/* One enumeration type per attribute enumeration: their values count from 0 within each. */
typedef enum { GT_POOL_MAX, GT_POOL_AVERAGE } gt_pool_mode;
typedef enum { GT_REDUCE_MEAN, GT_REDUCE_SUM, GT_REDUCE_MAX } gt_reduce_mode;
typedef enum { GT_BINARY_ADD, GT_BINARY_SUB, GT_BINARY_MUL, GT_BINARY_DIV, GT_BINARY_MIN, GT_BINARY_MAX,
               GT_BINARY_POW, GT_BINARY_PRELU } gt_binary_function;
typedef enum { GT_PAD_CONSTANT, GT_PAD_REFLECT, GT_PAD_EDGE } gt_pad_mode;
typedef enum { GT_RESIZE_NEAREST, GT_RESIZE_LINEAR } gt_resize_mode;
typedef enum { GT_COORD_HALF_PIXEL, GT_COORD_PYTORCH_HALF_PIXEL, GT_COORD_ALIGN_CORNERS,
               GT_COORD_ASYMMETRIC } gt_resize_coord;
typedef enum { GT_NEAREST_ROUND_PREFER_FLOOR, GT_NEAREST_ROUND_PREFER_CEIL, GT_NEAREST_FLOOR,
               GT_NEAREST_CEIL } gt_resize_nearest;
typedef enum {
    GT_FN_NONE, GT_FN_RELU, GT_FN_CLIP, GT_FN_LEAKY_RELU, GT_FN_ELU, GT_FN_SIGMOID, GT_FN_HARD_SIGMOID,
    GT_FN_HARD_SWISH, GT_FN_TANH, GT_FN_SWISH, GT_FN_MISH, GT_FN_SOFTPLUS, GT_FN_EXP, GT_FN_LOG, GT_FN_SQRT,
    GT_FN_RECIPROCAL, GT_FN_ABS, GT_FN_NEG, GT_FN_FLOOR, GT_FN_CEIL, GT_FN_ERF
} gt_function;
#define GT_FN_LAST_ACTIVATION GT_FN_MISH

/* A list of integers owned by the op; NULL when empty. */
typedef struct gt_int_list {
    int64_t count;
    int64_t *values;
} gt_int_list;

/* Spatial pairs are {H, W}; pads are {top, left, bottom, right}. */
typedef union gt_attrs {
    struct { char unused; } none;
    struct { int64_t stride[2], pad[4], dilation[2], groups; } conv;
    struct { bool rows; } dense; /* rows: x is [..., F] and each row is multiplied */
    struct {
        int64_t mode, kernel[2], stride[2], pad[4], dilation[2];
        bool count_pad; /* average: padding counts in the divisor (but never what ceil mode adds) */
    } pool;
    struct { int64_t mode; gt_int_list axes; bool keepdims; } reduce; /* axes ascending, >= 0 */
    struct { int64_t function; float alpha, beta; } unary;
    struct { int64_t function; } binary;
    struct { int64_t axis; } axis;
    struct { gt_int_list start, step; } slice; /* one entry per axis; sizes are the output shape */
    struct { int64_t mode; gt_int_list before, after; float value; } pad; /* >= 0, one entry per axis */
    struct { int64_t mode, coord, nearest; float scale[2]; } resize; /* scale = output/input as the model gives it */
    struct { int64_t axis; bool log; } softmax;
    struct { int64_t size; float alpha, beta, bias; } lrn;
    struct { int64_t groups; } groups;
    struct {
        int64_t stride[2], pad[4], dilation[2], groups; /* of the convolution */
        int64_t act;                                    /* behind it: GT_FN_NONE .. GT_FN_LAST_ACTIVATION */
        float alpha, beta;
        int64_t mode, kernel[2], pool_stride[2], pool_pad[4], pool_dilation[2]; /* of the pool, as above */
        bool count_pad;
    } pair; /* two ops done as one (src/graph/pair.h) */
    struct { int64_t block; bool crd; } block; /* crd: depth_to_space in column-row-depth order */
    struct { gt_int_list perm; } transpose;
    struct { int64_t axis; gt_int_list indices; bool scalar; } gather; /* scalar: the axis disappears */
    struct { gt_int_list repeats; } tile;
    struct { int64_t axis; bool keepdims, last; } argmax;
    struct {
        int64_t rows, top_k;   /* of the output; the best of each class that are looked at (not YOLO) */
        float confidence, nms; /* the least score; the largest overlap of two boxes, as a share of their union */
        bool softmax;          /* YOLO: class scores are a softmax (v2), not each for itself (v3) */
    } detection;
} gt_attrs;

/* What is fused behind an op's own result r: with residual z,
 *   GT_RESIDUAL_NONE  y = act(r);  GT_RESIDUAL_BEFORE  y = act(r + z);  GT_RESIDUAL_AFTER  y = act(r) + z.
 * conv2d and conv2d_pointwise take residuals; these and conv_transpose2d, dense, scale and binary take activations. */
typedef enum gt_residual { GT_RESIDUAL_NONE, GT_RESIDUAL_BEFORE, GT_RESIDUAL_AFTER } gt_residual;

typedef struct gt_epilogue {
    gt_function act; /* GT_FN_NONE .. GT_FN_LAST_ACTIVATION */
    float alpha, beta;
    gt_residual residual;
} gt_epilogue;

typedef enum gt_attr_type {
    GT_ATTR_I64, GT_ATTR_I64S2, GT_ATTR_I64S4, GT_ATTR_F32, GT_ATTR_BOOL, GT_ATTR_LIST,
    GT_ATTR_POOL_MODE, GT_ATTR_REDUCE_MODE, GT_ATTR_BINARY_FUNCTION, GT_ATTR_PAD_MODE, GT_ATTR_RESIZE_MODE,
    GT_ATTR_RESIZE_COORD, GT_ATTR_RESIZE_NEAREST, GT_ATTR_FUNCTION
} gt_attr_type;

/* One attribute of one op kind: where it lies in gt_attrs. */
typedef struct gt_attr_field {
    gt_op_kind kind;
    const char *name;
    gt_attr_type type;
    size_t offset;
} gt_attr_field;

/* "conv2d"; "unknown" outside the list. */
const char *gt_op_kind_name(gt_op_kind kind);
/* GT_OP_KIND_COUNT if there is no such kind. */
gt_op_kind gt_op_kind_find(const char *name);
int gt_op_kind_min_inputs(gt_op_kind kind);
int gt_op_kind_max_inputs(gt_op_kind kind);
/* How many inputs an op of this kind has in graphs and workloads when built with `n_inputs`: all roles, left-out
 * trailing ones as absent (conv2d 4, conv_transpose2d and dense 3); concat has as many as given. */
int gt_op_canonical_inputs(gt_op_kind kind, int n_inputs);

/* The attribute fields of a kind: *count consecutive entries. */
const gt_attr_field *gt_op_attr_fields(gt_op_kind kind, size_t *count);

/* The text of an enumeration's value, or NULL if it is out of range. */
const char *gt_attr_enum_name(gt_attr_type type, int64_t value);
/* The value with this text, or -1. */
int64_t gt_attr_enum_find(gt_attr_type type, const char *name);
const char *gt_function_name(gt_function function);
/* How many of alpha, beta the function uses: 0, 1 (alpha) or 2. Unused ones are 0 in every workload. */
int gt_function_params(gt_function function);

/* Deep copy (what *out held before is overwritten, not freed) and release of the lists inside. */
gt_status gt_attrs_copy(gt_attrs *out, gt_op_kind kind, const gt_attrs *in) GT_NODISCARD;
void gt_attrs_clear(gt_op_kind kind, gt_attrs *attrs);

/* The list that a field of type GT_ATTR_LIST describes. */
gt_int_list *gt_i_attr_list(const gt_attr_field *field, gt_attrs *attrs);

/* Replaces a list's contents by a copy of `values`; the list must be zeroed or own its values.
 * Errors: GT_ERROR_LIMIT (over GT_MAX_LIST entries), GT_ERROR_MEMORY. */
gt_status gt_int_list_set(gt_int_list *list, int64_t count, const int64_t *values) GT_NODISCARD;

#endif
