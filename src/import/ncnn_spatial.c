/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that move or mix pixels and channels: Interp, ShuffleChannel, Reorg, PixelShuffle, LRN. */
#include "src/import/ncnn_context.h"

#include <math.h>

/* ---- Interp ---- */

typedef struct interp {
    int64_t type, size[2]; /* size 0: as the scale has it */
    float scale[2];
    bool align;
} interp;

enum { INTERP_NEAREST = 1, INTERP_LINEAR = 2 };

static gt_status read_interp(interp *p, gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_ncnn_int(&p->type, layer, 0, "resize_type", 0, 1, 3));
    GT_REQUIRE(p->type == INTERP_NEAREST || p->type == INTERP_LINEAR, GT_ERROR_UNSUPPORTED,
               "parameter 0 (resize_type) is %lld; 1 (nearest) and 2 (bilinear) are handled",
               (long long)p->type);
    GT_TRY(gt_i_ncnn_float(&p->scale[0], layer, 1, "height_scale", 1));
    GT_TRY(gt_i_ncnn_float(&p->scale[1], layer, 2, "width_scale", 1));
    GT_TRY(gt_i_ncnn_int(&p->size[0], layer, 3, "output_height", 0, 0, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&p->size[1], layer, 4, "output_width", 0, 0, INT32_MAX));
    GT_TRY(gt_i_ncnn_flag(&p->align, layer, 6, "align_corner"));
    if (layer->n_bottoms == 2) {
        gt_shape like = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, 1));
        p->size[0] = like.rank >= 3 ? like.dim[like.rank - 2] : 1;
        p->size[1] = like.dim[like.rank - 1];
    }
done:
    return status;
}

/* The result's H and W, and the scale that maps its coordinates: for nearest the one that the layer
 * states, since the size was rounded down; bilinear goes by the sizes. */
static gt_status resolve_interp(interp *p, const gt_shape *x)
{
    gt_status status = GT_OK;
    bool sized = p->size[0] > 0 && p->size[1] > 0;
    for (int i = 0; i < 2; i++) {
        double in = (double)x->dim[2 + i];
        if (!sized) {
            double size = floor(in * (double)p->scale[i]);
            GT_REQUIRE(size >= 1 && size <= INT32_MAX, GT_ERROR_FORMAT,
                       "parameter %d (%s_scale) is %g; the %g elements would become %g, 1 to 2147483647 are "
                       "allowed", 1 + i, i == 0 ? "height" : "width", (double)p->scale[i], in, size);
            p->size[i] = (int64_t)size;
        }
        if (sized || p->type == INTERP_LINEAR) {
            p->scale[i] = (float)((double)p->size[i] / in);
        }
    }
done:
    return status;
}

gt_status gt_i_ncnn_interp(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    interp p = {0};
    int x = gt_i_ncnn_bottom(c, 0);
    int dims = gt_i_ncnn_dims(c, x);
    GT_TRY(read_interp(&p, c, layer));
    GT_TRY(gt_i_ncnn_need_dims(c, x, 1, 3));
    GT_REQUIRE(dims != 2, GT_ERROR_UNSUPPORTED, "its bottom is a matrix; vectors and images are handled");
    /* A vector is an image of one pixel. */
    gt_shape now = gt_i_ncnn_shape(c, x);
    gt_shape image = dims == 1 ? gt_shape_4d(1, now.dim[1], 1, 1) : now;
    GT_TRY(resolve_interp(&p, &image));
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = image};
    hint.shape.dim[2] = p.size[0];
    hint.shape.dim[3] = p.size[1];
    if (gt_shape_equal(&hint.shape, &image)) {
        gt_i_ncnn_alias(c, 0, x);
        goto done;
    }
    GT_TRY(gt_i_ncnn_reshape(&x, c, GT_I_HELPER, x, &image));
    bool nearest = p.type == INTERP_NEAREST || dims == 1;
    gt_attrs attrs = {.resize = {
        .mode = nearest ? GT_RESIZE_NEAREST : GT_RESIZE_LINEAR,
        .coord = nearest ? GT_COORD_ASYMMETRIC : p.align ? GT_COORD_ALIGN_CORNERS : GT_COORD_HALF_PIXEL,
        .nearest = GT_NEAREST_FLOOR,
        .scale = {p.scale[0], p.scale[1]},
    }};
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_RESIZE, &attrs, 1, &x, &hint));
done:
    return status;
}

/* ---- channels and pixels ---- */

static gt_status shuffle(gt_i_ncnn *c, int top, int x, int64_t groups)
{
    gt_attrs attrs = {.groups.groups = groups};
    return gt_i_ncnn_emit(NULL, c, top, GT_OP_CHANNEL_SHUFFLE, &attrs, 1, &x, NULL);
}

gt_status gt_i_ncnn_shuffle_channel(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t group = 1;
    bool reverse = false;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_need_dims(c, x, 3, 3));
    int64_t channels = gt_i_ncnn_shape(c, x).dim[1];
    GT_TRY(gt_i_ncnn_int(&group, layer, 0, "group", 1, 1, INT32_MAX));
    GT_TRY(gt_i_ncnn_flag(&reverse, layer, 1, "reverse"));
    GT_REQUIRE(channels % group == 0, GT_ERROR_FORMAT,
               "parameter 0 (group) is %lld; a divisor of the %lld channels is needed", (long long)group,
               (long long)channels);
    GT_TRY(shuffle(c, 0, x, reverse ? channels / group : group));
done:
    return status;
}

/* space_to_depth puts the place within the block in front of the channel, as mode 1; mode 0 has it behind. */
gt_status gt_i_ncnn_reorg(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t stride = 1;
    bool depth_inside = false;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_need_dims(c, x, 3, 3));
    GT_TRY(gt_i_ncnn_int(&stride, layer, 0, "stride", 1, 1, INT16_MAX));
    GT_TRY(gt_i_ncnn_flag(&depth_inside, layer, 1, "mode"));
    /* What is left over at the right and the bottom is dropped. */
    for (int i = 2; i < 4; i++) {
        gt_shape shape = gt_i_ncnn_shape(c, x);
        int64_t size = shape.dim[i] / stride * stride;
        GT_REQUIRE(size >= 1, GT_ERROR_FORMAT, "parameter 0 (stride) is %lld; the bottom has %lld elements "
                   "along %c", (long long)stride, (long long)shape.dim[i], "HW"[i - 2]);
        GT_TRY(gt_i_ncnn_slice_axis(&x, c, GT_I_HELPER, x, i, 0, size));
    }
    gt_attrs attrs = {.block.block = stride};
    GT_TRY(gt_i_ncnn_emit(&x, c, depth_inside ? 0 : GT_I_CORE, GT_OP_SPACE_TO_DEPTH, &attrs, 1, &x, NULL));
    if (!depth_inside) {
        GT_TRY(shuffle(c, 0, x, stride * stride));
    }
done:
    return status;
}

gt_status gt_i_ncnn_pixel_shuffle(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t factor = 1;
    bool depth_inside = false;
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_need_dims(c, x, 3, 3));
    GT_TRY(gt_i_ncnn_int(&factor, layer, 0, "upscale_factor", 1, 1, INT16_MAX));
    GT_TRY(gt_i_ncnn_flag(&depth_inside, layer, 1, "mode"));
    gt_attrs attrs = {.block = {.block = factor, .crd = !depth_inside}};
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_DEPTH_TO_SPACE, &attrs, 1, &x, NULL));
done:
    return status;
}

/* ---- LRN ---- */

gt_status gt_i_ncnn_lrn(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t region = 0;
    gt_attrs attrs = {0};
    int x = gt_i_ncnn_bottom(c, 0);
    GT_TRY(gt_i_ncnn_need_dims(c, x, 3, 3));
    GT_TRY(gt_i_ncnn_int(&region, layer, 0, "region_type", 0, 0, 1));
    GT_REQUIRE(region == 0, GT_ERROR_UNSUPPORTED, "parameter 0 (region_type) is 1 (within a channel); only "
               "0, across channels, is handled");
    GT_TRY(gt_i_ncnn_int(&attrs.lrn.size, layer, 1, "local_size", 5, 1, GT_MAX_ATTR));
    /* ncnn's window reaches size / 2 to both sides, also where that is one more than its size. */
    GT_REQUIRE(attrs.lrn.size % 2 == 1, GT_ERROR_UNSUPPORTED, "parameter 1 (local_size) is %lld; odd ones "
               "are handled", (long long)attrs.lrn.size);
    GT_TRY(gt_i_ncnn_float(&attrs.lrn.alpha, layer, 2, "alpha", 1));
    GT_TRY(gt_i_ncnn_float(&attrs.lrn.beta, layer, 3, "beta", 0.75f));
    GT_TRY(gt_i_ncnn_float(&attrs.lrn.bias, layer, 4, "bias", 1));
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_LRN, &attrs, 1, &x, NULL));
done:
    return status;
}
