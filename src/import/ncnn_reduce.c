/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax, Reduction, Normalize. */
#include "src/import/ncnn_context.h"

gt_status gt_i_ncnn_softmax(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t axis = 0;
    bool fixed = false;
    gt_attrs attrs = {0};
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_int(&axis, layer, 0, "axis", 0, -4, 3));
    GT_TRY(gt_i_ncnn_flag(&fixed, layer, 1, "fixbug0"));
    GT_REQUIRE(fixed || axis == 0, GT_ERROR_UNSUPPORTED, "parameter 0 (axis) is %lld without parameter 1 "
               "(fixbug0): old files count it differently; convert the model again", (long long)axis);
    GT_TRY(gt_i_ncnn_axis(&attrs.softmax.axis, c, x, axis, "parameter 0 (axis)"));
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_SOFTMAX, &attrs, 1, &x, NULL));
done:
    return status;
}

/* ---- Reduction ---- */

enum { SUM, ABS_SUM, SQUARE_SUM, MEAN, MAX, MIN, PROD, L1, L2, LOG_SUM, LOG_SUM_EXP };

/* What is done to the elements, how they are joined, what is done to the result. */
typedef struct recipe {
    gt_function before;
    bool square;
    gt_reduce_mode mode;
    gt_function after;
} recipe;

static const recipe recipes[] = {
    [SUM] = {GT_FN_NONE, false, GT_REDUCE_SUM, GT_FN_NONE},
    [ABS_SUM] = {GT_FN_ABS, false, GT_REDUCE_SUM, GT_FN_NONE},
    [SQUARE_SUM] = {GT_FN_NONE, true, GT_REDUCE_SUM, GT_FN_NONE},
    [MEAN] = {GT_FN_NONE, false, GT_REDUCE_MEAN, GT_FN_NONE},
    [MAX] = {GT_FN_NONE, false, GT_REDUCE_MAX, GT_FN_NONE},
    [MIN] = {GT_FN_NEG, false, GT_REDUCE_MAX, GT_FN_NEG},
    [L1] = {GT_FN_ABS, false, GT_REDUCE_SUM, GT_FN_NONE},
    [L2] = {GT_FN_NONE, true, GT_REDUCE_SUM, GT_FN_SQRT},
    [LOG_SUM] = {GT_FN_NONE, false, GT_REDUCE_SUM, GT_FN_LOG},
    [LOG_SUM_EXP] = {GT_FN_EXP, false, GT_REDUCE_SUM, GT_FN_LOG},
};

static gt_status read_reduced(bool *gone, gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t all = 1;
    bool fixed = false;
    const gt_ncnn_param *axes = gt_i_ncnn_array(layer, 3);
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_int(&all, layer, 1, "reduce_all", 1, 0, 1));
    GT_TRY(gt_i_ncnn_flag(&fixed, layer, 5, "fixbug0"));
    int64_t count = all != 0 ? 0 : gt_i_ncnn_array_count(axes);
    GT_REQUIRE(count == 0 || fixed, GT_ERROR_UNSUPPORTED, "it has axes (parameter 3) without parameter 5 "
               "(fixbug0): old files count them differently; convert the model again");
    for (int i = 1; i < gt_i_ncnn_shape(c, x).rank; i++) {
        gone[i] = count == 0;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t axis = 0;
        GT_TRY(gt_i_ncnn_array_int(&axis, axes, i, "axes"));
        GT_TRY(gt_i_ncnn_axis(&axis, c, x, axis, "an element of parameter 3 (axes)"));
        gone[axis] = true;
    }
done:
    return status;
}

/* Everything but the shape: *x becomes the result with all axes. */
static gt_status run_recipe(int *x, gt_i_ncnn *c, const recipe *r, const bool *gone, float coeff)
{
    gt_status status = GT_OK;
    if (r->before != GT_FN_NONE) {
        GT_TRY(gt_i_ncnn_unary(x, c, GT_I_HELPER, r->before, 0, 0, *x));
    }
    if (r->square) {
        GT_TRY(gt_i_ncnn_binary(x, c, GT_I_HELPER, GT_BINARY_MUL, *x, *x));
    }
    GT_TRY(gt_i_ncnn_reduce(x, c, GT_I_CORE, r->mode, *x, gone));
    if (r->after != GT_FN_NONE) {
        GT_TRY(gt_i_ncnn_unary(x, c, GT_I_HELPER, r->after, 0, 0, *x));
    }
    if (coeff != 1) {
        GT_TRY(gt_i_ncnn_binary_scalar(x, c, GT_I_HELPER, GT_BINARY_MUL, *x, coeff));
    }
done:
    return status;
}

gt_status gt_i_ncnn_reduction(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t operation = 0;
    float coeff = 1;
    bool keep = false;
    bool gone[GT_MAX_RANK] = {false};
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_int(&operation, layer, 0, "operation", 0, SUM, LOG_SUM_EXP));
    GT_REQUIRE(operation != PROD, GT_ERROR_UNSUPPORTED, "parameter 0 (operation) is 6 (product); the others "
               "up to 10 are handled");
    GT_TRY(gt_i_ncnn_float(&coeff, layer, 2, "coeff", 1));
    GT_TRY(gt_i_ncnn_flag(&keep, layer, 4, "keepdims"));
    GT_TRY(read_reduced(gone, c, layer));
    gt_shape now = gt_i_ncnn_shape(c, x);
    gt_shape shape = {.rank = 1, .dim = {1}};
    for (int i = 1; i < now.rank; i++) {
        if (!gone[i] || keep) {
            shape.dim[shape.rank++] = gone[i] ? 1 : now.dim[i];
        }
    }
    if (shape.rank == 1) {
        shape.dim[shape.rank++] = 1;
    }
    GT_TRY(run_recipe(&x, c, &recipes[operation], gone, coeff));
    GT_TRY(gt_i_ncnn_reshape(NULL, c, 0, x, &shape));
done:
    return status;
}

/* ---- Normalize ---- */

enum { EPS_ADDED, EPS_BELOW_ROOT, EPS_BELOW_SQUARE };

/* The root of the sum of squares, kept away from 0 in the framework's way. */
static gt_status norm(int *out, gt_i_ncnn *c, int x, const bool *gone, float eps, int64_t mode)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_ncnn_binary(out, c, GT_I_HELPER, GT_BINARY_MUL, x, x));
    GT_TRY(gt_i_ncnn_reduce(out, c, GT_I_HELPER, GT_REDUCE_SUM, *out, gone));
    if (mode != EPS_BELOW_ROOT) {
        gt_binary_function function = mode == EPS_ADDED ? GT_BINARY_ADD : GT_BINARY_MAX;
        GT_TRY(gt_i_ncnn_binary_scalar(out, c, GT_I_HELPER, function, *out, eps));
    }
    GT_TRY(gt_i_ncnn_unary(out, c, GT_I_HELPER, GT_FN_SQRT, 0, 0, *out));
    if (mode == EPS_BELOW_ROOT) {
        GT_TRY(gt_i_ncnn_binary_scalar(out, c, GT_I_HELPER, GT_BINARY_MAX, *out, eps));
    }
done:
    return status;
}

static gt_status load_factors(int *out, gt_i_ncnn *c, const gt_ncnn_layer *layer, int x)
{
    gt_status status = GT_OK;
    bool shared = false;
    int64_t size = 0;
    gt_shape shape = gt_i_ncnn_channel_shape(c, x);
    GT_TRY(gt_i_ncnn_flag(&shared, layer, 1, "channel_shared"));
    shape.dim[1] = shared ? 1 : shape.dim[1];
    GT_TRY(gt_i_ncnn_int(&size, layer, 3, "scale_data_size", 0, 1, INT32_MAX));
    GT_REQUIRE(size == shape.dim[1], GT_ERROR_FORMAT, "parameter 3 (scale_data_size) is %lld; %lld is needed",
               (long long)size, (long long)shape.dim[1]);
    GT_TRY(gt_i_ncnn_load_const(out, c, "scale", &shape, false, (gt_i_ncnn_random){1, 0.1f}));
done:
    return status;
}

gt_status gt_i_ncnn_normalize(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    bool spatial = false;
    int64_t channel = 1;
    int64_t mode = 0;
    float eps = 0;
    bool gone[GT_MAX_RANK] = {false};
    int length = GT_NO_TENSOR;
    int factors = GT_NO_TENSOR;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_flag(&spatial, layer, 0, "across_spatial"));
    GT_TRY(gt_i_ncnn_int(&channel, layer, 4, "across_channel", 1, 0, 1));
    GT_TRY(gt_i_ncnn_float(&eps, layer, 2, "eps", 0.0001f));
    GT_TRY(gt_i_ncnn_int(&mode, layer, 9, "eps_mode", 0, EPS_ADDED, EPS_BELOW_SQUARE));
    GT_REQUIRE(spatial || channel != 0, GT_ERROR_FORMAT, "parameters 0 (across_spatial) and 4 "
               "(across_channel) are both 0");
    GT_TRY(gt_i_ncnn_need_dims(c, x, 3, 3));
    gone[1] = channel != 0;
    gone[2] = gone[3] = spatial;
    GT_TRY(load_factors(&factors, c, layer, x));
    GT_TRY(norm(&length, c, x, gone, eps, mode));
    GT_TRY(gt_i_ncnn_binary(&x, c, GT_I_CORE, GT_BINARY_DIV, x, length));
    GT_TRY(gt_i_ncnn_binary(NULL, c, 0, GT_BINARY_MUL, x, factors));
done:
    return status;
}
