/* SPDX-License-Identifier: Apache-2.0 */
/* PriorBox: boxes that depend on shapes alone, so they are a constant. */
#include "src/import/ncnn_context.h"

#include <math.h>
#include <string.h>

/* Far more than any detector has: 2^20 boxes. */
#define MAX_PRIOR_ELEMS ((int64_t)1 << 22)
#define MAX_SIZES 64

typedef struct sizes {
    int64_t count;
    float value[MAX_SIZES];
} sizes;

typedef struct priors {
    sizes min, max, ratio;
    float variance[4], step[2], offset; /* {H, W} */
    bool flip, clip, mxnet;
    int64_t map[2];   /* of the first bottom */
    double image[2];
} priors;

static gt_status read_sizes(sizes *out, const gt_ncnn_layer *layer, int id, const char *name)
{
    gt_status status = GT_OK;
    const gt_ncnn_param *array = gt_i_ncnn_array(layer, id);
    out->count = gt_i_ncnn_array_count(array);
    GT_REQUIRE(out->count <= MAX_SIZES, GT_ERROR_LIMIT, "parameter %d (%s) has %lld elements; up to %d are "
               "handled", id, name, (long long)out->count, MAX_SIZES);
    for (int64_t i = 0; i < out->count; i++) {
        GT_TRY(gt_i_ncnn_array_float(&out->value[i], array, i, name));
        GT_REQUIRE(out->value[i] > 0, GT_ERROR_FORMAT, "element %lld of parameter %d (%s) is %g; more than 0 "
                   "is needed", (long long)i, id, name, (double)out->value[i]);
    }
done:
    return status;
}

/* The image's size: stated, or that of the second bottom. */
static gt_status read_image(priors *p, gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t size[2] = {0};
    GT_TRY(gt_i_ncnn_int(&size[1], layer, 9, "image_width", 0, GT_NCNN_REST, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&size[0], layer, 10, "image_height", 0, GT_NCNN_REST, INT32_MAX));
    p->mxnet = layer->n_bottoms == 1 && size[0] == GT_NCNN_REST && size[1] == GT_NCNN_REST &&
        p->max.count == 0;
    for (int i = 0; i < 2 && !p->mxnet; i++) {
        if (size[i] <= 0) {
            GT_REQUIRE(layer->n_bottoms == 2, GT_ERROR_FORMAT, "parameter %d (image_%s) is %lld, and there "
                       "is no second bottom, the image", 10 - i, i == 0 ? "height" : "width",
                       (long long)size[i]);
            GT_TRY(gt_i_ncnn_need_dims(c, gt_i_ncnn_bottom(c, 1), 3, 3));
            size[i] = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, 1)).dim[2 + i];
        }
        p->image[i] = (double)size[i];
    }
done:
    return status;
}

static gt_status read_priors(priors *p, gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    static const float defaults[4] = {0.1f, 0.1f, 0.2f, 0.2f};
    gt_status status = GT_OK;
    int64_t flip = 1;
    gt_shape x = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, 0));
    GT_TRY(gt_i_ncnn_need_dims(c, gt_i_ncnn_bottom(c, 0), 3, 3));
    GT_TRY(read_sizes(&p->min, layer, 0, "min_sizes"));
    GT_TRY(read_sizes(&p->max, layer, 1, "max_sizes"));
    GT_TRY(read_sizes(&p->ratio, layer, 2, "aspect_ratios"));
    GT_REQUIRE(p->min.count > 0 && (p->max.count == 0 || p->max.count == p->min.count), GT_ERROR_FORMAT,
               "parameters 0 and 1 (min_sizes, max_sizes) have %lld and %lld elements; as many of the second "
               "as of the first, or none, are needed", (long long)p->min.count, (long long)p->max.count);
    for (int i = 0; i < 4; i++) {
        GT_TRY(gt_i_ncnn_float(&p->variance[i], layer, 3 + i, "variance", defaults[i]));
    }
    GT_TRY(gt_i_ncnn_int(&flip, layer, 7, "flip", 1, 0, 1));
    p->flip = flip != 0;
    GT_TRY(gt_i_ncnn_flag(&p->clip, layer, 8, "clip"));
    GT_TRY(read_image(p, c, layer));
    GT_TRY(gt_i_ncnn_float(&p->step[1], layer, 11, "step_width", GT_NCNN_REST));
    GT_TRY(gt_i_ncnn_float(&p->step[0], layer, 12, "step_height", GT_NCNN_REST));
    GT_TRY(gt_i_ncnn_float(&p->offset, layer, 13, "offset", 0));
    memcpy(p->map, &x.dim[2], sizeof p->map);
    for (int i = 0; i < 2; i++) {
        if (p->step[i] == GT_NCNN_REST) {
            p->step[i] = (float)((p->mxnet ? 1.0 : p->image[i]) / (double)p->map[i]);
        }
    }
done:
    return status;
}

/* ---- boxes ---- */

static float *put(float *out, double cx, double cy, double w, double h)
{
    out[0] = (float)(cx - w / 2);
    out[1] = (float)(cy - h / 2);
    out[2] = (float)(cx + w / 2);
    out[3] = (float)(cy + h / 2);
    return out + 4;
}

/* One cell as Caffe's SSD has it; sizes and places are pixels. */
static float *caffe_cell(float *out, const priors *p, double cx, double cy)
{
    cx /= p->image[1];
    cy /= p->image[0];
    for (int64_t k = 0; k < p->min.count; k++) {
        double size = (double)p->min.value[k];
        out = put(out, cx, cy, size / p->image[1], size / p->image[0]);
        if (p->max.count > 0) {
            double middle = sqrt(size * (double)p->max.value[k]);
            out = put(out, cx, cy, middle / p->image[1], middle / p->image[0]);
        }
        for (int64_t i = 0; i < p->ratio.count; i++) {
            double root = sqrt((double)p->ratio.value[i]);
            out = put(out, cx, cy, size * root / p->image[1], size / root / p->image[0]);
            if (p->flip) {
                out = put(out, cx, cy, size / root / p->image[1], size * root / p->image[0]);
            }
        }
    }
    return out;
}

/* One cell as MXNet has it: all sizes square, then the first size in all but the first ratio; shares of
 * the image. */
static float *mxnet_cell(float *out, const priors *p, double cx, double cy)
{
    double aspect = (double)p->map[0] / (double)p->map[1];
    for (int64_t k = 0; k < p->min.count; k++) {
        double size = (double)p->min.value[k];
        out = put(out, cx, cy, size * aspect, size);
    }
    for (int64_t i = 1; i < p->ratio.count; i++) {
        double size = (double)p->min.value[0];
        double root = sqrt((double)p->ratio.value[i]);
        out = put(out, cx, cy, size * aspect * root, size / root);
    }
    return out;
}

static int64_t boxes_per_cell(const priors *p)
{
    if (p->mxnet) {
        return p->min.count + (p->ratio.count > 0 ? p->ratio.count - 1 : 0);
    }
    return p->min.count * (1 + p->ratio.count * (p->flip ? 2 : 1)) + p->max.count;
}

static void fill(float *data, const priors *p, int64_t elems)
{
    float *out = data;
    for (int64_t i = 0; i < p->map[0] * p->map[1]; i++) {
        double cx = ((double)p->offset + (double)(i % p->map[1])) * (double)p->step[1];
        double cy = ((double)p->offset + (double)(i / p->map[1])) * (double)p->step[0];
        out = p->mxnet ? mxnet_cell(out, p, cx, cy) : caffe_cell(out, p, cx, cy);
    }
    for (int64_t i = 0; p->clip && i < elems; i++) {
        data[i] = data[i] < 0 ? 0 : data[i] > 1 ? 1 : data[i];
    }
    for (int64_t i = 0; !p->mxnet && i < elems; i++) {
        data[elems + i] = p->variance[i % 4];
    }
}

gt_status gt_i_ncnn_prior_box(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    priors p = {.mxnet = false};
    float *data = NULL;
    int tensor = GT_NO_TENSOR;
    int64_t elems = 0;
    GT_TRY(read_priors(&p, c, layer));
    GT_TRY(gt_i_mul(&elems, p.map[0], p.map[1], "the number of cells"));
    GT_TRY(gt_i_mul(&elems, elems, 4 * boxes_per_cell(&p), "the number of prior boxes"));
    GT_REQUIRE(elems <= MAX_PRIOR_ELEMS, GT_ERROR_LIMIT, "it makes %lld prior boxes; up to %lld are handled",
               (long long)(elems / 4), (long long)(MAX_PRIOR_ELEMS / 4));
    gt_shape shape = p.mxnet ? (gt_shape){.rank = 2, .dim = {1, elems}} : (gt_shape){.rank = 3, .dim = {1, 2,
        elems}};
    GT_TRY(gt_alloc_aligned(&data, (size_t)elems * 2 * sizeof *data));
    fill(data, &p, elems);
    status = gt_i_ncnn_const(&tensor, c, "boxes", &shape, data);
    data = NULL;
    GT_TRY(status);
    gt_i_ncnn_alias(c, 0, tensor);
done:
    gt_free(data);
    return status;
}
