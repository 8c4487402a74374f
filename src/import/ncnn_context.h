/* SPDX-License-Identifier: Apache-2.0 */
/* What the handlers of ncnn layers work with.
 *
 * ncnn's blobs have no batch axis and 1 to 4 dimensions: w; h w; c h w; c d h w from the outermost. Here
 * each gets a leading batch axis of 1, so that ncnn's axis a is axis a + 1 and its number of dimensions is
 * the rank minus 1. That distinction matters: what ncnn does along "axis 0" differs between w, h w and c h
 * w. */
#ifndef GT_IMPORT_NCNN_CONTEXT_H
#define GT_IMPORT_NCNN_CONTEXT_H

#include "src/import/fold_budget.h"
#include "src/import/import.h"
#include "src/import/ncnn_param.h"
#include "src/import/ncnn_weights.h"

/* What became of a blob. */
typedef struct gt_i_ncnn_value {
    int tensor; /* in the graph, constants too; GT_NO_TENSOR until it is made */
    bool unknown; /* an unsupported layer should have made it */
} gt_i_ncnn_value;

typedef struct gt_i_ncnn {
    const char *path;
    gt_ncnn_model *model;
    gt_graph *graph;
    const gt_import_options *options;
    gt_i_ncnn_weights weights;
    gt_i_ncnn_value *values; /* of each blob */
    bool *shape_used;        /* of each of the options' shapes */

    const gt_ncnn_layer *layer; /* in hand */
    bool name_used;             /* an op carries its name already */
    bool wants_lost;            /* it needs weights that nobody can find (weights.lost) */

    gt_i_fold_budget folded;
    int n_unsupported, n_int8;
    gt_text unsupported, int8; /* a line for each; the first few names */
} gt_i_ncnn;

/* One layer type: how many bottoms and tops it may have, and the ids of the parameters that it reads. A
 * parameter that nobody reads is an error, since it would change what the layer computes. */
typedef gt_status gt_i_ncnn_handler(gt_i_ncnn *c, const gt_ncnn_layer *layer);

#define GT_NCNN_LAYER(name, min_bottoms, max_bottoms, min_tops, max_tops, handler, params) \
    gt_i_ncnn_handler gt_i_ncnn_##handler;
#include "src/import/ncnn_layers.inc"
#undef GT_NCNN_LAYER

/* ---- parameters (ncnn_read.c) ---- */

/* A parameter, or the fallback where the layer has none. `name` stands in messages: "parameter 3 (stride_w)".
 * Errors: GT_ERROR_FORMAT for a value out of lo..hi (which a fallback may be, too: then the
 * parameter is required), no number, or an array. */
gt_status gt_i_ncnn_int(int64_t *out, const gt_ncnn_layer *layer, int id, const char *name,
                        int64_t fallback, int64_t lo, int64_t hi) GT_NODISCARD;
gt_status gt_i_ncnn_flag(bool *out, const gt_ncnn_layer *layer, int id, const char *name) GT_NODISCARD;
/* Finite, or GT_ERROR_FORMAT. */
gt_status gt_i_ncnn_float(float *out, const gt_ncnn_layer *layer, int id, const char *name,
                          float fallback) GT_NODISCARD;
/* The array under this id, or NULL. A single number counts as an array of one. */
const gt_ncnn_param *gt_i_ncnn_array(const gt_ncnn_layer *layer, int id);
int64_t gt_i_ncnn_array_count(const gt_ncnn_param *array);
gt_status gt_i_ncnn_array_int(int64_t *out, const gt_ncnn_param *array, int64_t index, const char *name)
    GT_NODISCARD;
gt_status gt_i_ncnn_array_float(float *out, const gt_ncnn_param *array, int64_t index, const char *name)
    GT_NODISCARD;

/* ---- blobs ---- */

int gt_i_ncnn_bottom(const gt_i_ncnn *c, int k);
gt_shape gt_i_ncnn_shape(const gt_i_ncnn *c, int tensor);
int gt_i_ncnn_dims(const gt_i_ncnn *c, int tensor);
/* Fails with GT_ERROR_UNSUPPORTED unless the tensor has lo to hi of ncnn's dimensions. */
gt_status gt_i_ncnn_need_dims(const gt_i_ncnn *c, int tensor, int lo, int hi) GT_NODISCARD;
/* ncnn's axis, negative ones counted from the end, as the tensor's axis. Errors: GT_ERROR_FORMAT. */
gt_status gt_i_ncnn_axis(int64_t *axis, const gt_i_ncnn *c, int tensor, int64_t value,
                         const char *name) GT_NODISCARD;
/* The tensor's shape with its batch axis from ncnn's dimensions, outermost first. */
gt_shape gt_i_ncnn_make_shape(int dims, const int64_t *size);
/* [1, n, 1, …] of the rank that the tensor has: what holds one number per channel. */
gt_shape gt_i_ncnn_channel_shape(const gt_i_ncnn *c, int tensor);

/* ---- ops (ncnn_build.c) ---- */

/* Instead of a top's number: an op in between, or one that carries the layer's name. */
#define GT_I_HELPER (-1)
#define GT_I_CORE (-2)

/* An op; where all inputs are constants it is evaluated. `top`: the top that the result becomes, or one of
 * the two above. *out (may be NULL): the result's tensor. attrs stays the caller's. Errors: those of
 * gt_graph_add_op; GT_ERROR_LIMIT when evaluating would take too much. */
gt_status gt_i_ncnn_emit(int *out, gt_i_ncnn *c, int top, gt_op_kind kind, const gt_attrs *attrs,
                         int n_inputs, const int *inputs, const gt_operand *hint) GT_NODISCARD;
gt_status gt_i_ncnn_emit_act(int *out, gt_i_ncnn *c, int top, gt_op_kind kind, const gt_attrs *attrs,
                             const gt_epilogue *epilogue, int n_inputs, const int *inputs,
                             const gt_operand *hint) GT_NODISCARD;
/* The top is this tensor. */
void gt_i_ncnn_alias(gt_i_ncnn *c, int top, int tensor);

/* A constant "layer/field"; `data` is freed on failure, too. */
gt_status gt_i_ncnn_const(int *out, gt_i_ncnn *c, const char *field, const gt_shape *shape,
                          float *data) GT_NODISCARD;
/* A constant with one element and this rank. */
gt_status gt_i_ncnn_scalar(int *out, gt_i_ncnn *c, int rank, float value) GT_NODISCARD;

gt_status gt_i_ncnn_reshape(int *out, gt_i_ncnn *c, int top, int tensor, const gt_shape *shape) GT_NODISCARD;
gt_status gt_i_ncnn_transpose(int *out, gt_i_ncnn *c, int top, int tensor, const int64_t *perm) GT_NODISCARD;
/* Both of one rank. */
gt_status gt_i_ncnn_binary(int *out, gt_i_ncnn *c, int top, gt_binary_function function, int a,
                           int b) GT_NODISCARD;
gt_status gt_i_ncnn_binary_scalar(int *out, gt_i_ncnn *c, int top, gt_binary_function function, int a,
                                  float b) GT_NODISCARD;
gt_status gt_i_ncnn_unary(int *out, gt_i_ncnn *c, int top, gt_function function, float alpha, float beta,
                          int tensor) GT_NODISCARD;
/* Over the axes marked in `gone` (of the tensor, batch axis included), which stay as 1. */
gt_status gt_i_ncnn_reduce(int *out, gt_i_ncnn *c, int top, gt_reduce_mode mode, int tensor,
                           const bool *gone) GT_NODISCARD;
/* `size` elements along one axis from `start`. */
gt_status gt_i_ncnn_slice_axis(int *out, gt_i_ncnn *c, int top, int tensor, int64_t axis, int64_t start,
                               int64_t size) GT_NODISCARD;

/* ---- weights of the layer in hand ---- */

/* How random weights of a field are made: normal numbers. */
typedef struct gt_i_ncnn_random {
    float mean, deviation;
} gt_i_ncnn_random;

/* `count` floats from the .bin file, or random ones; free with gt_free. `flagged`: four bytes before them
 * say how they are stored. Errors: GT_ERROR_FORMAT (truncated), GT_ERROR_LIMIT, GT_ERROR_MEMORY. */
gt_status gt_i_ncnn_load(float **out, gt_i_ncnn *c, const char *field, int64_t count, bool flagged,
                         gt_i_ncnn_random random) GT_NODISCARD;
/* The same as a constant tensor. */
gt_status gt_i_ncnn_load_const(int *out, gt_i_ncnn *c, const char *field, const gt_shape *shape, bool flagged,
                               gt_i_ncnn_random random) GT_NODISCARD;

/* Notes that the layer in hand has int8 weights. */
gt_status gt_i_ncnn_note_int8(gt_i_ncnn *c) GT_NODISCARD;

/* Prints "graphtune: note: FILE: …" on standard error. */
void gt_i_ncnn_note(const gt_i_ncnn *c, const char *format, ...) GT_PRINTF(2, 3);

/* ---- shared by handlers ---- */

/* Parameters 9 and 10: the activation that converters fuse into convolutions and inner products. */
gt_status gt_i_ncnn_activation(gt_epilogue *epilogue, const gt_ncnn_layer *layer) GT_NODISCARD;

#endif
