/* SPDX-License-Identifier: Apache-2.0 */
/* Layers with weights. Initialisation: He et al., "Delving Deep into Rectifiers" (ICCV 2015),
 * uniform; layers with a bias of their own are scaled and centred by the predicted moments of
 * their input instead. */
#include "src/zoo/builder.h"

#include "src/base/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum weight_order { OUT_FIRST, IN_FIRST } weight_order;

/* A convolution-like layer, resolved. */
typedef struct layer {
    char name[GT_ZOO_NAME_BYTES]; /* with the scope */
    int rank;                     /* of the weights */
    int64_t out, in, groups, kernel_h, kernel_w;
    double coverage;
    bool has_bias;
    double gain;          /* standard deviation of the outputs, for layers with a bias */
    gt_i_zoo_act act;     /* what follows */
    weight_order order;   /* of the stored weights; IN_FIRST is transposed convolution's */
} layer;

/* Uniform in [lo, hi), rounded as everything that is stored. */
static double draw(gt_rng *rng, double lo, double hi)
{
    return gt_i_moments_round(lo + (hi - lo) * ((double)(gt_rng_u64(rng) >> 40) * 0x1p-24));
}

/* Uniform in [-bound, bound). A single product, so that machines that fuse a multiplication and
 * an addition get the same bits as those that do not. */
static void fill_symmetric(gt_rng *rng, float *values, size_t count, float bound)
{
    float unit = bound * 0x1p-23f;
    for (size_t i = 0; i < count; i++) {
        values[i] = unit * (float)((int32_t)(gt_rng_u64(rng) >> 40) - (1 << 23));
    }
}

/* The mean of an activation's input, from a uniform distribution.
 *
 * Around 0, a ReLU amplifies every difference by E[f'^2] / Var[f] = 1.47 (in variance, once
 * normalised), real ones and errors of the predicted moments alike: deep networks would become
 * chaotic. One standard deviation above, it still clips every sixth value, but the factor is
 * 1.12. */
static double draw_centre(gt_rng *rng, gt_i_zoo_act act)
{
    bool saturates = act == GT_ZOO_SIGMOID || act == GT_ZOO_HARDSIGMOID;
    bool is_linear = act == GT_ZOO_LINEAR || saturates;
    return is_linear ? draw(rng, -0.2, 0.2) : draw(rng, 0.6, 1.6);
}

static void scoped_name(const gt_i_zoo_builder *b, char out[GT_ZOO_NAME_BYTES], const char *name)
{
    if (b->scope[0] != '\0') {
        snprintf(out, GT_ZOO_NAME_BYTES, "%.60s.%.34s", b->scope, name);
    } else {
        snprintf(out, GT_ZOO_NAME_BYTES, "%.94s", name);
    }
}

/* "<layer>.<parameter>" */
static void parameter_name(char out[2 * GT_ZOO_NAME_BYTES], const char *owner,
                           const char *parameter)
{
    snprintf(out, 2 * GT_ZOO_NAME_BYTES, "%s.%s", owner, parameter);
}

/* Every parameter has a sequence of its own, so that a changed layer leaves the others as they
 * were. */
static gt_rng rng_of(const gt_i_zoo_builder *b, const char *name)
{
    gt_rng rng;
    gt_rng_seed(&rng, gt_hash_bytes(name, strlen(name)) ^ (b->seed * 0x9e3779b97f4a7c15u));
    return rng;
}

static gt_status add_floats(gt_i_zoo_builder *b, const char *owner, const char *parameter, int rank,
                            const int64_t *dims, const float *values)
{
    char name[2 * GT_ZOO_NAME_BYTES];
    parameter_name(name, owner, parameter);
    return gt_onnx_add_initializer(b->model, name, GT_ONNX_FLOAT, rank, dims, values);
}

/* Half the width of the uniform distribution that the weights come from (its variance is width^2
 * / 3). */
static double weight_bound(const layer *l, gt_i_moments in)
{
    double taps = (double)(l->kernel_h * l->kernel_w) * l->coverage;
    double fan_in = (double)(l->in / l->groups) * taps;
    if (!l->has_bias) {
        return gt_i_moments_round(sqrt(6.0 / fan_in));
    }
    double var = 0;
    for (int64_t i = 0; i < l->in; i++) {
        var += in.var[i];
    }
    var = fmax(var / (double)l->groups * taps, 1e-9);
    return gt_i_moments_round(l->gain * sqrt(3.0 / var));
}

static gt_status add_weights(gt_i_zoo_builder *b, const layer *l, const float *values)
{
    gt_status status = GT_OK;
    float *swapped = NULL;
    int64_t taps = l->kernel_h * l->kernel_w;
    const int64_t dims[4] = {l->out, l->in / l->groups, l->kernel_h, l->kernel_w};
    const int64_t swapped_dims[4] = {l->in, l->out, l->kernel_h, l->kernel_w};
    if (l->order == OUT_FIRST) {
        return add_floats(b, l->name, "weight", l->rank, dims, values);
    }
    GT_TRY(gt_calloc(&swapped, (size_t)(l->in * l->out * taps), sizeof *swapped));
    for (int64_t o = 0; o < l->out; o++) {
        for (int64_t i = 0; i < l->in; i++) {
            memcpy(swapped + (i * l->out + o) * taps, values + (o * l->in + i) * taps,
                   (size_t)taps * sizeof *values);
        }
    }
    GT_TRY(add_floats(b, l->name, "weight", l->rank, swapped_dims, swapped));
done:
    gt_free(swapped);
    return status;
}

/* A bias that moves the predicted mean to where the activation wants it. */
static gt_status add_bias(gt_i_zoo_builder *b, const layer *l, gt_i_moments out)
{
    gt_status status = GT_OK;
    float *bias = NULL;
    gt_rng rng = rng_of(b, l->name);
    GT_TRY(gt_calloc(&bias, (size_t)l->out, sizeof *bias));
    for (int64_t o = 0; o < l->out; o++) {
        bias[o] = (float)gt_i_moments_round(draw_centre(&rng, l->act) - out.mean[o]);
        out.mean[o] += bias[o];
    }
    GT_TRY(add_floats(b, l->name, "bias", 1, &l->out, bias));
done:
    gt_free(bias);
    return status;
}

/* Adds the layer's initializers and sets the moments of its output. */
static gt_status add_parameters(gt_i_zoo_builder *b, const layer *l, gt_i_moments out,
                                gt_i_moments in)
{
    gt_status status = GT_OK;
    float *values = NULL;
    char name[2 * GT_ZOO_NAME_BYTES];
    int64_t taps = l->kernel_h * l->kernel_w;
    size_t count = (size_t)(l->out * (l->in / l->groups) * taps);
    float bound = (float)weight_bound(l, in);
    parameter_name(name, l->name, "weight");
    gt_rng rng = rng_of(b, name);
    GT_TRY(gt_calloc(&values, count, sizeof *values));
    fill_symmetric(&rng, values, count, bound);
    gt_i_moments_linear(out, in,
                        &(gt_i_moments_weights){.values = values,
                                                .out = l->out,
                                                .in = l->in,
                                                .groups = l->groups,
                                                .taps = taps,
                                                .coverage = l->coverage});
    GT_TRY(add_weights(b, l, values));
    if (l->has_bias) {
        GT_TRY(add_bias(b, l, out));
    }
done:
    gt_free(values);
    return status;
}

/* Node, parameters and output of a layer; *node is for further attributes. */
static gt_i_zoo_tensor add_layer(gt_i_zoo_builder *b, gt_onnx_node **node, const char *op,
                                 gt_i_zoo_tensor x, const layer *l, int64_t out_h, int64_t out_w)
{
    char weight[2 * GT_ZOO_NAME_BYTES];
    char bias[2 * GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    parameter_name(weight, l->name, "weight");
    parameter_name(bias, l->name, "bias");
    gt_i_zoo_output_name(output, l->name);
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, x.rank, l->out, out_h, out_w);
    if (b->status == GT_OK) {
        b->status = add_parameters(b, l, y.moments, x.moments);
    }
    *node = gt_i_zoo_emit(b, op, l->name, l->has_bias ? 3 : 2,
                          (const char *const[]){x.name, weight, bias}, output);
    return y;
}

static gt_i_zoo_tensor convolve(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                bool has_bias, int64_t out, int64_t groups, gt_i_zoo_window window,
                                gt_i_zoo_act act)
{
    if (b->status != GT_OK) {
        return x;
    }
    gt_i_zoo_extent extent = gt_i_zoo_place(b, x, window);
    if (b->status != GT_OK) {
        return x;
    }
    layer l = {.rank = 4, .out = out, .in = x.c, .groups = groups, .kernel_h = window.kernel_h,
               .kernel_w = window.kernel_w, .has_bias = has_bias, .gain = 1, .act = act};
    l.coverage =
        gt_i_moments_coverage(x.h, extent.out_h, window.kernel_h, window.stride, extent.pads[0]) *
        gt_i_moments_coverage(x.w, extent.out_w, window.kernel_w, window.stride, extent.pads[1]);
    scoped_name(b, l.name, name);
    gt_onnx_node *node = NULL;
    gt_i_zoo_tensor y = add_layer(b, &node, "Conv", x, &l, extent.out_h, extent.out_w);
    gt_i_zoo_set_ints(b, node, "dilations", 2, (const int64_t[]){1, 1});
    gt_i_zoo_set_int(b, node, "group", groups);
    gt_i_zoo_set_window(b, node, window, &extent);
    return y;
}

gt_i_zoo_tensor gt_i_zoo_conv(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name, int64_t out,
                              gt_i_zoo_window window, gt_i_zoo_act act)
{
    return gt_i_zoo_activate(b, convolve(b, x, name, true, out, 1, window, act), act);
}

gt_i_zoo_tensor gt_i_zoo_conv_plain(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                    int64_t out, int64_t groups, gt_i_zoo_window window)
{
    return convolve(b, x, name, false, out, groups, window, GT_ZOO_LINEAR);
}

gt_i_zoo_tensor gt_i_zoo_conv_transpose(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                        int64_t out)
{
    if (b->status != GT_OK) {
        return x;
    }
    /* Kernel and stride are equal, so each output position sees one of the four taps. */
    layer l = {.rank = 4,
               .out = out,
               .in = x.c,
               .groups = 1,
               .kernel_h = 2,
               .kernel_w = 2,
               .coverage = 0.25,
               .has_bias = true,
               .gain = 1,
               .order = IN_FIRST};
    scoped_name(b, l.name, name);
    gt_onnx_node *node = NULL;
    gt_i_zoo_tensor y = add_layer(b, &node, "ConvTranspose", x, &l, 2 * x.h, 2 * x.w);
    gt_i_zoo_set_ints(b, node, "dilations", 2, (const int64_t[]){1, 1});
    gt_i_zoo_set_int(b, node, "group", 1);
    gt_i_zoo_set_window(b, node, gt_i_zoo_square(2, 2, GT_ZOO_PAD_NONE), &(gt_i_zoo_extent){0});
    return y;
}

gt_i_zoo_tensor gt_i_zoo_fc(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name, int64_t out)
{
    if (b->status != GT_OK) {
        return x;
    }
    layer l = {.rank = 2,
               .out = out,
               .in = x.c,
               .groups = 1,
               .kernel_h = 1,
               .kernel_w = 1,
               .coverage = 1,
               .has_bias = true,
               .gain = 2};
    scoped_name(b, l.name, name);
    gt_onnx_node *node = NULL;
    gt_i_zoo_tensor y = add_layer(b, &node, "Gemm", x, &l, 1, 1);
    gt_i_zoo_set_float(b, node, "alpha", 1);
    gt_i_zoo_set_float(b, node, "beta", 1);
    gt_i_zoo_set_int(b, node, "transB", 1);
    return y;
}

/* ---- batch normalisation ---- */

enum { SCALE, SHIFT, MEAN, VAR, BN_PARAMETERS };
static const char *const bn_names[BN_PARAMETERS] = {"weight", "bias", "running_mean",
                                                    "running_var"};

/* Running statistics near the predicted ones, scale and shift near 1 and 0, all as after some
 * training. */
static void fill_bn(float *values[BN_PARAMETERS], gt_i_moments out, gt_i_moments in,
                    int64_t channels, double epsilon, gt_i_zoo_act act, gt_rng *rng)
{
    for (int64_t c = 0; c < channels; c++) {
        double deviation = sqrt(in.var[c]);
        values[SCALE][c] = (float)draw(rng, 0.8, 1.2);
        values[SHIFT][c] = (float)draw_centre(rng, act);
        values[MEAN][c] =
            (float)gt_i_moments_round(in.mean[c] + deviation * draw(rng, -0.1, 0.1));
        values[VAR][c] = (float)gt_i_moments_round(fmax(in.var[c], 1e-3) * draw(rng, 0.8, 1.25));
        double factor = values[SCALE][c] / sqrt(values[VAR][c] + epsilon);
        out.mean[c] = values[SHIFT][c] + factor * (in.mean[c] - values[MEAN][c]);
        out.var[c] = factor * factor * in.var[c];
    }
}

static gt_status add_bn_parameters(gt_i_zoo_builder *b, const char *name, gt_i_moments out,
                                   gt_i_moments in, int64_t channels, double epsilon,
                                   gt_i_zoo_act act)
{
    gt_status status = GT_OK;
    float *values[BN_PARAMETERS] = {NULL};
    float *all = NULL;
    gt_rng rng = rng_of(b, name);
    GT_TRY(gt_calloc(&all, (size_t)channels * BN_PARAMETERS, sizeof *all));
    for (int k = 0; k < BN_PARAMETERS; k++) {
        values[k] = all + k * channels;
    }
    fill_bn(values, out, in, channels, epsilon, act, &rng);
    for (int k = 0; k < BN_PARAMETERS; k++) {
        GT_TRY(add_floats(b, name, bn_names[k], 1, &channels, values[k]));
    }
done:
    gt_free(all);
    return status;
}

gt_i_zoo_tensor gt_i_zoo_bn(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                            double epsilon, gt_i_zoo_act act)
{
    if (b->status != GT_OK) {
        return x;
    }
    char owner[GT_ZOO_NAME_BYTES];
    char output[GT_ZOO_NAME_BYTES];
    char parameters[BN_PARAMETERS][2 * GT_ZOO_NAME_BYTES];
    const char *inputs[1 + BN_PARAMETERS] = {x.name};
    scoped_name(b, owner, name);
    gt_i_zoo_output_name(output, owner);
    for (int k = 0; k < BN_PARAMETERS; k++) {
        parameter_name(parameters[k], owner, bn_names[k]);
        inputs[1 + k] = parameters[k];
    }
    gt_i_zoo_tensor y = gt_i_zoo_new_tensor(b, output, x.rank, x.c, x.h, x.w);
    if (b->status == GT_OK) {
        b->status = add_bn_parameters(b, owner, y.moments, x.moments, x.c, epsilon, act);
    }
    gt_onnx_node *node =
        gt_i_zoo_emit(b, "BatchNormalization", owner, 1 + BN_PARAMETERS, inputs, output);
    gt_i_zoo_set_float(b, node, "epsilon", (float)epsilon);
    gt_i_zoo_set_float(b, node, "momentum", 0.9f);
    return gt_i_zoo_activate(b, y, act);
}

/* ---- the usual combinations ---- */

/* Batch normalisation "<name>.bn" and activation of the layer `name`. */
static gt_i_zoo_tensor normalised(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                  gt_i_zoo_act act)
{
    char bn[GT_ZOO_NAME_BYTES];
    snprintf(bn, sizeof bn, "%.92s.bn", name);
    return gt_i_zoo_bn(b, x, bn, 1e-5, act);
}

gt_i_zoo_tensor gt_i_zoo_conv_bn(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                 int64_t out, gt_i_zoo_window window, gt_i_zoo_act act)
{
    return normalised(b, gt_i_zoo_conv_plain(b, x, name, out, 1, window), name, act);
}

gt_i_zoo_tensor gt_i_zoo_depthwise_bn(gt_i_zoo_builder *b, gt_i_zoo_tensor x, const char *name,
                                      gt_i_zoo_window window, gt_i_zoo_act act)
{
    return normalised(b, gt_i_zoo_conv_plain(b, x, name, x.c, x.c, window), name, act);
}

gt_i_zoo_tensor gt_i_zoo_squeeze_excite(gt_i_zoo_builder *b, gt_i_zoo_tensor x, int64_t squeezed,
                                        gt_i_zoo_act inner, gt_i_zoo_act gate)
{
    gt_i_zoo_window point = gt_i_zoo_square(1, 1, GT_ZOO_PAD_NONE);
    gt_i_zoo_tensor s = gt_i_zoo_global_pool(b, x);
    s = gt_i_zoo_conv(b, s, "se.reduce", squeezed, point, inner);
    s = gt_i_zoo_conv(b, s, "se.expand", x.c, point, gate);
    return gt_i_zoo_mul(b, x, s);
}
