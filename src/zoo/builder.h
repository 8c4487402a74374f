/* SPDX-License-Identifier: Apache-2.0 */
/* Appends layers to an ONNX model, keeping track of shapes and of predicted activation
 * statistics.
 *
 * Errors are sticky, so that an architecture reads like its description: after a failure every
 * function returns its input unchanged, and gt_zoo_build looks at `status` once at the end. */
#ifndef GT_ZOO_BUILDER_H
#define GT_ZOO_BUILDER_H

#include "src/import/onnx_file.h"
#include "src/zoo/moments.h"

#define GT_ZOO_NAME_BYTES 96

typedef struct gt_i_zoo_builder {
    gt_onnx_model *model;
    gt_status status;
    double width;
    uint64_t seed;
    bool has_clip_bounds; /* the two scalars that all Clip nodes share exist */
    char scope[GT_ZOO_NAME_BYTES];
    void **blocks; /* the moments of all tensors */
    size_t n_blocks, blocks_capacity;
} gt_i_zoo_builder;

/* An activation [1, c, h, w], or its first `rank` dimensions. */
typedef struct gt_i_zoo_tensor {
    char name[GT_ZOO_NAME_BYTES];
    int rank;
    int64_t c, h, w;
    gt_i_moments moments; /* c entries each, owned by the builder */
} gt_i_zoo_tensor;

typedef enum gt_i_zoo_act {
    GT_ZOO_LINEAR,
    GT_ZOO_RELU_LATER, /* nothing here, but a ReLU reads the result elsewhere */
    GT_ZOO_RELU,
    GT_ZOO_RELU6,      /* Clip */
    GT_ZOO_LEAKY,      /* LeakyRelu 0.1 */
    GT_ZOO_SIGMOID,
    GT_ZOO_SWISH,      /* x * Sigmoid(x) */
    GT_ZOO_HARDSIGMOID,
    GT_ZOO_HARDSWISH   /* x * HardSigmoid(x) */
} gt_i_zoo_act;

typedef enum gt_i_zoo_padding {
    GT_ZOO_PAD_HALF, /* kernel / 2 on every side */
    GT_ZOO_PAD_NONE,
    GT_ZOO_PAD_SAME  /* TensorFlow: output = ceil(input / stride), the odd row goes to the end */
} gt_i_zoo_padding;

/* The window of a convolution or pooling. */
typedef struct gt_i_zoo_window {
    int64_t kernel_h, kernel_w;
    int64_t stride;
    gt_i_zoo_padding padding;
    bool ceil;        /* pooling: round the output size up */
    bool exclude_pad; /* average pooling: divide by the number of elements that are not padding */
} gt_i_zoo_window;

/* ---- life ---- */

gt_status gt_i_zoo_builder_create(gt_i_zoo_builder **builder, const char *name, double width,
                                  uint64_t seed) GT_NODISCARD;
void gt_i_zoo_builder_destroy(gt_i_zoo_builder *builder);

/* Graph input "input" [1, channels, resolution, resolution]. */
gt_i_zoo_tensor gt_i_zoo_input(gt_i_zoo_builder *b, int64_t channels, int64_t resolution);

/* Makes x a graph output of this name. Nothing may read x. */
void gt_i_zoo_output(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name);

/* Prefix of the following layers' names (printf format). */
void gt_i_zoo_scope(gt_i_zoo_builder *b, const char *format, ...) GT_PRINTF(2, 3);

/* Rounds to a multiple of `divisor`: at least one, and no more than 10 % down (as the MobileNets).
 */
int64_t gt_i_zoo_round(double wanted, int64_t divisor);

/* c times the width multiplier, rounded as above; exactly c when the multiplier is 1. */
int64_t gt_i_zoo_channels(const gt_i_zoo_builder *b, int64_t c, int64_t divisor);

/* ---- layers with weights; `name` must be new within the scope ---- */

gt_i_zoo_window gt_i_zoo_square(int64_t kernel, int64_t stride, gt_i_zoo_padding padding);

/* Convolution with a bias, activation. */
gt_i_zoo_tensor gt_i_zoo_conv(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name, int64_t out,
                              gt_i_zoo_window window, gt_i_zoo_act act);

/* Convolution without a bias: it is meant to be followed by batch normalisation. */
gt_i_zoo_tensor gt_i_zoo_conv_plain(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                    int64_t out, int64_t groups, gt_i_zoo_window window);

/* Batch normalisation, activation. */
gt_i_zoo_tensor gt_i_zoo_bn(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                            double epsilon, gt_i_zoo_act act);

/* conv_plain, bn "<name>.bn" with epsilon 1e-5, activation. */
gt_i_zoo_tensor gt_i_zoo_conv_bn(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                 int64_t out, gt_i_zoo_window window, gt_i_zoo_act act);

/* The same with groups = channels. */
gt_i_zoo_tensor gt_i_zoo_depthwise_bn(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                      gt_i_zoo_window window, gt_i_zoo_act act);

/* Transposed convolution with a bias, kernel and stride 2: doubles h and w. */
gt_i_zoo_tensor gt_i_zoo_conv_transpose(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                        int64_t out);

/* Gemm with a bias on a rank-2 tensor. */
gt_i_zoo_tensor gt_i_zoo_fc(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name, int64_t out);

/* Global average pooling, two 1x1 convolutions, a gate, and x times the gate. */
gt_i_zoo_tensor gt_i_zoo_squeeze_excite(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t squeezed,
                                        gt_i_zoo_act inner, gt_i_zoo_act gate);

/* ---- layers without weights ---- */

gt_i_zoo_tensor gt_i_zoo_activate(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_act act);
gt_i_zoo_tensor gt_i_zoo_max_pool(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_window window);
gt_i_zoo_tensor gt_i_zoo_avg_pool(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_window window);
gt_i_zoo_tensor gt_i_zoo_global_pool(gt_i_zoo_builder *b, gt_i_zoo_tensor x);
gt_i_zoo_tensor gt_i_zoo_flatten(gt_i_zoo_builder *b, gt_i_zoo_tensor x);
gt_i_zoo_tensor gt_i_zoo_add(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_tensor y);

/* y is [1, c, h, w] or [1, c, 1, 1]. */
gt_i_zoo_tensor gt_i_zoo_mul(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_tensor y);

/* Along axis 1. */
gt_i_zoo_tensor gt_i_zoo_concat(gt_i_zoo_builder *b, size_t count, const gt_i_zoo_tensor *xs);

/* Two halves of the channels (Split). */
void gt_i_zoo_split(gt_i_zoo_builder *b, gt_i_zoo_tensor halves[2], gt_i_zoo_tensor x);

/* Channels [from, to) (Slice). */
gt_i_zoo_tensor gt_i_zoo_slice(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t from, int64_t to);

/* Moves everything one pixel up and left, filling with zeros (Pad, Slice). */
gt_i_zoo_tensor gt_i_zoo_shift(gt_i_zoo_builder *b, gt_i_zoo_tensor x);

/* Channel shuffle with two groups (Reshape, Transpose, Reshape). */
gt_i_zoo_tensor gt_i_zoo_shuffle(gt_i_zoo_builder *b, gt_i_zoo_tensor x);

/* Nearest-neighbour upsampling (Resize). */
gt_i_zoo_tensor gt_i_zoo_upsample(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t factor);

/* [1, anchors * values, h, w] to [1, h * w * anchors, values] (Transpose, Reshape); rank 3,
 * moments unknown. */
gt_i_zoo_tensor gt_i_zoo_rows(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t values);

/* ---- for the builder's own files ---- */

/* A tensor with all moments zero. */
gt_i_zoo_tensor gt_i_zoo_new_tensor(gt_i_zoo_builder *b, const char *name, int rank, int64_t c,
                                    int64_t h, int64_t w);

/* Appends a node; NULL after a failure, which the setters take. */
gt_onnx_node *gt_i_zoo_emit(gt_i_zoo_builder *b, const char *op, const char *name, size_t n_inputs,
                            const char *const *inputs, const char *output);

/* "<op>_<index of the next node>", a name for a node without weights; and the name of a node's
 * output. */
void gt_i_zoo_node_name(const gt_i_zoo_builder *b, char name[GT_ZOO_NAME_BYTES], const char *op);
void gt_i_zoo_output_name(char name[GT_ZOO_NAME_BYTES], const char *node);

void gt_i_zoo_set_int(gt_i_zoo_builder *b, gt_onnx_node *node, const char *name, int64_t value);
void gt_i_zoo_set_float(gt_i_zoo_builder *b, gt_onnx_node *node, const char *name, float value);
void gt_i_zoo_set_ints(gt_i_zoo_builder *b, gt_onnx_node *node, const char *name, size_t count,
                       const int64_t *values);
void gt_i_zoo_set_string(gt_i_zoo_builder *b, gt_onnx_node *node, const char *name,
                         const char *value);

/* Resolves a window on x: pads are [top, left, bottom, right]. */
typedef struct gt_i_zoo_extent {
    int64_t pads[4];
    int64_t out_h, out_w;
} gt_i_zoo_extent;
gt_i_zoo_extent gt_i_zoo_place(gt_i_zoo_builder *b, gt_i_zoo_tensor x, gt_i_zoo_window window);
void gt_i_zoo_set_window(gt_i_zoo_builder *b, gt_onnx_node *node, gt_i_zoo_window window,
                         const gt_i_zoo_extent *extent);

#endif
