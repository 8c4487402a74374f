/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling: windows with ncnn's four ways of padding, over everything, and adaptive. */
#include "src/import/ncnn_conv.h"

#include <string.h>

/* Adaptive pooling to more than this many rows or columns that do not divide evenly is not unrolled. */
#define MAX_UNEVEN 64

typedef enum pad_mode { PAD_FULL, PAD_VALID, PAD_SAME_UPPER, PAD_SAME_LOWER } pad_mode;

typedef struct pooling {
    bool average, global, count_pad, adaptive;
    int64_t kernel[2], stride[2], pad[4], mode;
    int64_t out[2]; /* adaptive: -233 keeps the size */
} pooling;

static gt_status read_pooling(pooling *p, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t lo = 0;
    GT_TRY(gt_i_ncnn_flag(&p->average, layer, 0, "pooling_type"));
    GT_TRY(gt_i_ncnn_flag(&p->global, layer, 4, "global_pooling"));
    GT_TRY(gt_i_ncnn_flag(&p->adaptive, layer, 7, "adaptive_pooling"));
    lo = p->global || p->adaptive ? 0 : 1; /* what is not used is often 0 */
    GT_TRY(gt_i_ncnn_int(&p->kernel[1], layer, 1, "kernel_w", 0, lo, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&p->kernel[0], layer, 11, "kernel_h", p->kernel[1], lo, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&p->stride[1], layer, 2, "stride_w", 1, lo, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&p->stride[0], layer, 12, "stride_h", p->stride[1], lo, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&p->pad[1], layer, 3, "pad_left", 0, 0, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&p->pad[0], layer, 13, "pad_top", p->pad[1], 0, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&p->pad[3], layer, 14, "pad_right", p->pad[1], 0, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&p->pad[2], layer, 15, "pad_bottom", p->pad[0], 0, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&p->mode, layer, 5, "pad_mode", PAD_FULL, PAD_FULL, PAD_SAME_LOWER));
    GT_TRY(gt_i_ncnn_flag(&p->count_pad, layer, 6, "avgpool_count_include_pad"));
    GT_TRY(gt_i_ncnn_int(&p->out[1], layer, 8, "out_w", 0, GT_NCNN_REST, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&p->out[0], layer, 18, "out_h", p->out[1], GT_NCNN_REST, INT32_MAX));
done:
    return status;
}

/* ---- windows ---- */

/* Padding as the mode has it, so that windows fit exactly. "Full" rounds the output's size up: what the last
 * window lacks is padding at the end, which an average that counts padding counts as well; hence explicit. An
 * average with SAME padding counts it whatever avgpool_count_include_pad says. */
static gt_status resolve_pads(pooling *p, const gt_shape *x)
{
    gt_status status = GT_OK;
    for (int i = 0; i < 2; i++) {
        int64_t size = x->dim[2 + i];
        if (p->mode == PAD_FULL || p->mode == PAD_VALID) {
            int64_t room = size + p->pad[i] + p->pad[2 + i] - p->kernel[i];
            GT_REQUIRE(room >= 0, GT_ERROR_SHAPE, "a window of %lld does not fit into the %lld elements "
                       "along %c with pads %lld and %lld", (long long)p->kernel[i], (long long)size, "HW"[i],
                       (long long)p->pad[i], (long long)p->pad[2 + i]);
            int64_t tail = room % p->stride[i];
            p->pad[2 + i] += p->mode == PAD_FULL && tail != 0 ? p->stride[i] - tail : 0;
        } else {
            int64_t total = p->kernel[i] + (size - 1) / p->stride[i] * p->stride[i] - size;
            gt_i_ncnn_split_pad(p->pad, i, total > 0 ? total : 0, p->mode == PAD_SAME_UPPER);
        }
        GT_REQUIRE(p->pad[i] < p->kernel[i] && p->pad[2 + i] < p->kernel[i], GT_ERROR_UNSUPPORTED,
                   "with pads %lld and %lld a window of %lld along %c would hold nothing but padding",
                   (long long)p->pad[i], (long long)p->pad[2 + i], (long long)p->kernel[i], "HW"[i]);
    }
    p->count_pad = p->count_pad || p->mode >= PAD_SAME_UPPER;
done:
    return status;
}

static gt_status pool_windows(gt_i_ncnn *c, pooling *p)
{
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape shape = gt_i_ncnn_shape(c, x);
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = shape};
    gt_attrs attrs = {.pool = {.mode = p->average ? GT_POOL_AVERAGE : GT_POOL_MAX, .dilation = {1, 1}}};
    GT_TRY(resolve_pads(p, &shape));
    memcpy(attrs.pool.kernel, p->kernel, sizeof p->kernel);
    memcpy(attrs.pool.stride, p->stride, sizeof p->stride);
    memcpy(attrs.pool.pad, p->pad, sizeof p->pad);
    attrs.pool.count_pad = p->average && p->count_pad;
    for (int i = 0; i < 2; i++) {
        int64_t room = shape.dim[2 + i] + p->pad[i] + p->pad[2 + i] - p->kernel[i];
        hint.shape.dim[2 + i] = room / p->stride[i] + 1;
    }
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_POOL2D, &attrs, 1, &x, &hint));
done:
    return status;
}

/* ---- over everything ---- */

static gt_reduce_mode reduce_mode(const pooling *p)
{
    return p->average ? GT_REDUCE_MEAN : GT_REDUCE_MAX;
}

static gt_status pool_global(gt_i_ncnn *c, const pooling *p)
{
    static const bool spatial[4] = {false, false, true, true};
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape vector = {.rank = 2, .dim = {1, gt_i_ncnn_shape(c, x).dim[1]}};
    GT_TRY(gt_i_ncnn_reduce(&x, c, GT_I_CORE, reduce_mode(p), x, spatial));
    GT_TRY(gt_i_ncnn_reshape(NULL, c, 0, x, &vector));
done:
    return status;
}

/* ---- adaptive ---- */

/* One axis in `out` windows from floor(i in / out) to ceil((i + 1) in / out): cut, reduced, joined. */
static gt_status pool_uneven_axis(int *x, gt_i_ncnn *c, const pooling *p, int64_t axis, int64_t out)
{
    gt_status status = GT_OK;
    int parts[MAX_UNEVEN];
    bool gone[4] = {false};
    int64_t in = gt_i_ncnn_shape(c, *x).dim[axis];
    gone[axis] = true;
    if (in == out) {
        goto done;
    }
    for (int64_t i = 0; i < out; i++) {
        int64_t first = i * in / out;
        int64_t end = ((i + 1) * in + out - 1) / out;
        GT_TRY(gt_i_ncnn_slice_axis(&parts[i], c, GT_I_HELPER, *x, axis, first, end - first));
        GT_TRY(gt_i_ncnn_reduce(&parts[i], c, GT_I_HELPER, reduce_mode(p), parts[i], gone));
    }
    gt_attrs attrs = {.axis.axis = axis};
    GT_TRY(gt_i_ncnn_emit(x, c, GT_I_HELPER, GT_OP_CONCAT, &attrs, (int)out, parts, NULL));
done:
    return status;
}

/* A mean over a rectangle is the mean over columns of the means over rows, so the axes go one by one. */
static gt_status pool_uneven(gt_i_ncnn *c, const pooling *p, const int64_t *out)
{
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape shape = gt_i_ncnn_shape(c, x);
    for (int i = 0; i < 2; i++) {
        GT_REQUIRE(out[i] == shape.dim[2 + i] || out[i] <= MAX_UNEVEN, GT_ERROR_UNSUPPORTED,
                   "adaptive pooling of %lld elements along %c to %lld; an even division, or up to %d, is "
                   "handled", (long long)shape.dim[2 + i], "HW"[i], (long long)out[i], MAX_UNEVEN);
        GT_TRY(pool_uneven_axis(&x, c, p, 2 + i, out[i]));
    }
    gt_i_ncnn_alias(c, 0, x);
done:
    return status;
}

static gt_status pool_adaptive(gt_i_ncnn *c, pooling *p)
{
    gt_status status = GT_OK;
    gt_shape x = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, 0));
    int64_t out[2];
    bool even = true;
    for (int i = 0; i < 2; i++) {
        out[i] = p->out[i] == GT_NCNN_REST ? x.dim[2 + i] : p->out[i];
        GT_REQUIRE(out[i] >= 1 && out[i] <= x.dim[2 + i], GT_ERROR_FORMAT,
                   "parameter %d (out_%c) is %lld; 1 to %lld, the bottom's size, or -233 is needed", i == 0
                   ? 18 : 8, "hw"[i], (long long)p->out[i], (long long)x.dim[2 + i]);
        even = even && x.dim[2 + i] % out[i] == 0;
        p->kernel[i] = p->stride[i] = x.dim[2 + i] / out[i];
    }
    memset(p->pad, 0, sizeof p->pad);
    p->mode = PAD_VALID;
    GT_TRY(even && p->kernel[0] <= GT_MAX_ATTR && p->kernel[1] <= GT_MAX_ATTR ? pool_windows(c, p)
                                                                            : pool_uneven(c, p, out));
done:
    return status;
}

gt_status gt_i_ncnn_pooling(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    pooling p = {0};
    GT_TRY(read_pooling(&p, layer));
    GT_TRY(gt_i_ncnn_need_dims(c, gt_i_ncnn_bottom(c, 0), 3, 3));
    GT_TRY(p.global ? pool_global(c, &p) : p.adaptive ? pool_adaptive(c, &p) : pool_windows(c, &p));
done:
    return status;
}
