/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that take blobs apart and put them together: Concat, Slice, Split, Crop, Padding. */
#include "src/import/ncnn_context.h"

#include <string.h>

/* ---- Concat ---- */

gt_status gt_i_ncnn_concat(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int *in = NULL;
    int64_t axis = 0;
    gt_attrs attrs = {0};
    GT_TRY(gt_i_ncnn_int(&axis, layer, 0, "axis", 0, -4, 3));
    GT_TRY(gt_i_ncnn_axis(&attrs.axis.axis, c, gt_i_ncnn_bottom(c, 0), axis, "parameter 0 (axis)"));
    GT_TRY(gt_calloc(&in, (size_t)layer->n_bottoms, sizeof *in));
    for (int k = 0; k < layer->n_bottoms; k++) {
        in[k] = gt_i_ncnn_bottom(c, k);
    }
    if (layer->n_bottoms == 1) {
        gt_i_ncnn_alias(c, 0, in[0]);
        goto done;
    }
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_CONCAT, &attrs, layer->n_bottoms, in, NULL));
done:
    gt_free(in);
    return status;
}

/* ---- Slice and Split ---- */

/* The size of part k: as stated, or with -233 an equal share of what is left; or up to a stated index. */
static gt_status part_size(int64_t *size, const gt_ncnn_layer *layer, int k, int64_t start, int64_t total)
{
    gt_status status = GT_OK;
    const gt_ncnn_param *slices = gt_i_ncnn_array(layer, 0);
    const gt_ncnn_param *indices = gt_i_ncnn_array(layer, 2);
    bool last = k == layer->n_tops - 1;
    int64_t value = GT_NCNN_REST;
    if (gt_i_ncnn_array_count(indices) > 0) {
        GT_REQUIRE(last || k < indices->count, GT_ERROR_FORMAT, "parameter 2 (indices) has %lld elements for "
                   "%d tops", (long long)indices->count, layer->n_tops);
        if (!last) {
            GT_TRY(gt_i_ncnn_array_int(&value, indices, k, "indices"));
            value = (value < 0 ? value + total : value) - start;
        }
    } else {
        GT_REQUIRE(k < gt_i_ncnn_array_count(slices), GT_ERROR_FORMAT,
                   "parameter 0 (slices) has %lld elements for %d tops",
                   (long long)gt_i_ncnn_array_count(slices), layer->n_tops);
        GT_TRY(gt_i_ncnn_array_int(&value, slices, k, "slices"));
    }
    *size = value == GT_NCNN_REST ? (total - start) / (layer->n_tops - k) : value;
    GT_REQUIRE(*size >= 1 && *size <= total - start, GT_ERROR_FORMAT,
               "part %d would have %lld of the %lld elements that are left (of %lld); 1 or more of them are "
               "needed", k, (long long)*size, (long long)(total - start), (long long)total);
done:
    return status;
}

gt_status gt_i_ncnn_slice(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    int64_t stated = 0;
    int64_t axis = 0;
    int64_t start = 0;
    GT_TRY(gt_i_ncnn_int(&stated, layer, 1, "axis", 0, -4, 3));
    GT_TRY(gt_i_ncnn_axis(&axis, c, x, stated, "parameter 1 (axis)"));
    int64_t total = gt_i_ncnn_shape(c, x).dim[axis];
    for (int k = 0; k < layer->n_tops; k++) {
        int64_t size = 0;
        GT_TRY(part_size(&size, layer, k, start, total));
        GT_TRY(gt_i_ncnn_slice_axis(NULL, c, k, x, axis, start, size));
        start += size;
    }
done:
    return status;
}

gt_status gt_i_ncnn_split(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    for (int k = 0; k < layer->n_tops; k++) {
        gt_i_ncnn_alias(c, k, gt_i_ncnn_bottom(c, 0));
    }
    return GT_OK;
}

/* Each top is the bottom of the same number. */
gt_status gt_i_ncnn_noop(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    if (layer->n_tops > layer->n_bottoms) {
        return gt_fail(GT_ERROR_FORMAT, "it has %d bottoms and %d tops; each top needs a bottom",
                       layer->n_bottoms, layer->n_tops);
    }
    for (int k = 0; k < layer->n_tops; k++) {
        gt_i_ncnn_alias(c, k, gt_i_ncnn_bottom(c, k));
    }
    return GT_OK;
}

/* ---- Crop ---- */

/* The wanted part: per axis of the tensor. */
typedef struct region {
    int64_t start[GT_MAX_RANK], size[GT_MAX_RANK];
} region;

/* The ids of the parameters of one dimension, w h d c. */
static const struct {
    int offset, size, offset2;
    const char *name;
} crop_ids[4] = {{0, 3, 6, "w"}, {1, 4, 7, "h"}, {13, 14, 15, "d"}, {2, 5, 8, "c"}};

/* Which of the four a tensor's axis is. */
static int crop_id_of(int rank, int axis)
{
    return rank >= 4 && axis == 1 ? 3 : rank - 1 - axis;
}

/* Starts, ends and axes as numpy has them. */
static gt_status crop_by_ends(region *r, gt_i_ncnn *c, const gt_ncnn_layer *layer, const gt_shape *x)
{
    gt_status status = GT_OK;
    const gt_ncnn_param *starts = gt_i_ncnn_array(layer, 9);
    const gt_ncnn_param *ends = gt_i_ncnn_array(layer, 10);
    const gt_ncnn_param *axes = gt_i_ncnn_array(layer, 11);
    int64_t count = gt_i_ncnn_array_count(axes) > 0 ? axes->count : gt_i_ncnn_array_count(starts);
    GT_REQUIRE(gt_i_ncnn_array_count(starts) == count && gt_i_ncnn_array_count(ends) == count &&
               count < x->rank, GT_ERROR_FORMAT, "parameters 9, 10 and 11 (starts, ends, axes) have %lld, "
               "%lld and %lld elements; one for each axis of up to %d is needed",
               (long long)gt_i_ncnn_array_count(starts), (long long)gt_i_ncnn_array_count(ends),
               (long long)gt_i_ncnn_array_count(axes), x->rank - 1);
    for (int64_t i = 0; i < count; i++) {
        int64_t axis = i;
        int64_t start = 0;
        int64_t end = 0;
        GT_TRY(gt_i_ncnn_array_int(&start, starts, i, "starts"));
        GT_TRY(gt_i_ncnn_array_int(&end, ends, i, "ends"));
        if (gt_i_ncnn_array_count(axes) > 0) {
            GT_TRY(gt_i_ncnn_array_int(&axis, axes, i, "axes"));
        }
        GT_TRY(gt_i_ncnn_axis(&axis, c, gt_i_ncnn_bottom(c, 0), axis, "an element of parameter 11 (axes)"));
        int64_t dim = x->dim[axis];
        start = start == GT_NCNN_REST ? 0 : start < 0 ? start + dim : start;
        end = end == GT_NCNN_REST ? dim : end <= 0 ? end + dim : end;
        r->start[axis] = start;
        r->size[axis] = (end < dim ? end : dim) - start;
    }
done:
    return status;
}

/* Offsets at both ends and sizes. A bottom of fewer dimensions has its first ones in the parameters of w,
 * h: then the offsets of the others are -233. */
static gt_status crop_by_offsets(region *r, const gt_ncnn_layer *layer, const gt_shape *x)
{
    gt_status status = GT_OK;
    int shift = 0;
    for (int axis = 1; axis < x->rank; axis++) {
        int64_t offset = 0;
        GT_TRY(gt_i_ncnn_int(&offset, layer, crop_ids[crop_id_of(x->rank, axis)].offset, "offset", 0,
                             GT_NCNN_REST, INT32_MAX));
        shift += offset == GT_NCNN_REST;
    }
    for (int axis = 1; axis + shift < x->rank; axis++) {
        int k = crop_id_of(x->rank, axis + shift);
        int64_t offset = 0;
        int64_t offset2 = 0;
        int64_t size = 0;
        GT_TRY(gt_i_ncnn_int(&offset, layer, crop_ids[k].offset, "offset", 0, 0, INT32_MAX));
        GT_TRY(gt_i_ncnn_int(&offset2, layer, crop_ids[k].offset2, "offset2", 0, 0, INT32_MAX));
        GT_TRY(gt_i_ncnn_int(&size, layer, crop_ids[k].size, "size", 0, GT_NCNN_REST, INT32_MAX));
        int64_t room = x->dim[axis] - offset - offset2;
        r->start[axis] = offset;
        r->size[axis] = size > 0 && size < room ? size : room;
    }
done:
    return status;
}

/* As large as the second bottom, from the offsets on; channels stay where that is no image. */
static gt_status crop_by_reference(region *r, gt_i_ncnn *c, const gt_ncnn_layer *layer, const gt_shape *x)
{
    gt_status status = GT_OK;
    gt_shape like = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, 1));
    for (int axis = 1; axis < x->rank; axis++) {
        int k = crop_id_of(x->rank, axis);
        int64_t from = k == 3 ? (like.rank >= 4 ? 1 : 0) : like.rank - (x->rank - axis);
        GT_TRY(gt_i_ncnn_int(&r->start[axis], layer, crop_ids[k].offset, "offset", 0, 0, INT32_MAX));
        r->size[axis] = from >= 1 ? like.dim[from] : k == 3 ? x->dim[axis] - r->start[axis] : 1;
    }
done:
    return status;
}

gt_status gt_i_ncnn_crop(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    region r = {0};
    int64_t step[GT_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape shape = gt_i_ncnn_shape(c, x);
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = shape};
    memcpy(r.size, shape.dim, sizeof shape.dim);
    if (layer->n_bottoms == 2) {
        GT_TRY(crop_by_reference(&r, c, layer, &shape));
    } else if (gt_i_ncnn_array_count(gt_i_ncnn_array(layer, 9)) > 0) {
        GT_TRY(crop_by_ends(&r, c, layer, &shape));
    } else {
        GT_TRY(crop_by_offsets(&r, layer, &shape));
    }
    for (int i = 1; i < shape.rank; i++) {
        GT_REQUIRE(r.start[i] >= 0 && r.size[i] >= 1 && r.start[i] <= shape.dim[i] - r.size[i],
                   GT_ERROR_FORMAT, "it takes %lld elements from %lld on along axis %d, which has %lld",
                   (long long)r.size[i], (long long)r.start[i], i - 1, (long long)shape.dim[i]);
        hint.shape.dim[i] = r.size[i];
    }
    if (gt_shape_equal(&hint.shape, &shape)) {
        gt_i_ncnn_alias(c, 0, x);
        goto done;
    }
    gt_attrs attrs = {.slice = {{shape.rank, r.start}, {shape.rank, step}}};
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_SLICE, &attrs, 1, &x, &hint));
done:
    return status;
}

/* ---- Padding ---- */

static gt_status read_amounts(int64_t *before, int64_t *after, const gt_ncnn_layer *layer, int rank)
{
    static const struct {
        int before, after;
        const char *before_name, *after_name;
    } ids[3] = {{2, 3, "left", "right"}, {0, 1, "top", "bottom"}, {7, 8, "front", "behind"}};
    gt_status status = GT_OK;
    for (int i = 0; i < 3; i++) {
        int64_t amount[2] = {0};
        GT_TRY(gt_i_ncnn_int(&amount[0], layer, ids[i].before, ids[i].before_name, 0, 0, GT_MAX_ATTR));
        GT_TRY(gt_i_ncnn_int(&amount[1], layer, ids[i].after, ids[i].after_name, 0, 0, GT_MAX_ATTR));
        int axis = rank - 1 - i;
        GT_REQUIRE(axis >= 1 || amount[0] + amount[1] == 0, GT_ERROR_FORMAT,
                   "parameters %d and %d (%s, %s) are %lld and %lld; the bottom has only %d dimensions",
                   ids[i].before, ids[i].after, ids[i].before_name, ids[i].after_name, (long long)amount[0],
                   (long long)amount[1], rank - 1);
        if (axis >= 1) {
            before[axis] = amount[0];
            after[axis] = amount[1];
        }
    }
done:
    return status;
}

gt_status gt_i_ncnn_padding(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    static const gt_pad_mode modes[] = {GT_PAD_CONSTANT, GT_PAD_EDGE, GT_PAD_REFLECT};
    gt_status status = GT_OK;
    int64_t before[GT_MAX_RANK] = {0};
    int64_t after[GT_MAX_RANK] = {0};
    int64_t type = 0;
    int64_t per_channel = 0;
    float value = 0;
    int64_t total = 0;
    int x = gt_i_ncnn_bottom(c, 0);
    int rank = gt_i_ncnn_shape(c, x).rank;
    GT_TRY(read_amounts(before, after, layer, rank));
    GT_TRY(gt_i_ncnn_int(&type, layer, 4, "type", 0, 0, 2));
    GT_TRY(gt_i_ncnn_float(&value, layer, 5, "value", 0));
    GT_TRY(gt_i_ncnn_int(&per_channel, layer, 6, "per_channel_pad_data_size", 0, 0, INT32_MAX));
    GT_REQUIRE(per_channel == 0, GT_ERROR_UNSUPPORTED, "parameter 6 (per_channel_pad_data_size) is %lld; "
               "only one value for all channels is handled", (long long)per_channel);
    for (int i = 0; i < rank; i++) {
        total += before[i] + after[i];
    }
    if (total == 0) {
        gt_i_ncnn_alias(c, 0, x);
        goto done;
    }
    gt_attrs attrs = {.pad = {.mode = modes[type], .before = {rank, before}, .after = {rank, after},
                              .value = value}};
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_PAD, &attrs, 1, &x, NULL));
done:
    return status;
}
