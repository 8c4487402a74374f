/* SPDX-License-Identifier: Apache-2.0 */
/* Resize and Upsample through all their opsets. */
#include "src/import/onnx_context.h"

#include <math.h>
#include <string.h>

/* What is asked for along every axis of x. */
typedef struct resize {
    gt_i_value *x;
    float scale[GT_MAX_RANK];
    int64_t size[GT_MAX_RANK];
    bool from_sizes; /* the scale is then exactly size / input */
    gt_attrs attrs;
} resize;

/* ---- how ---- */

static gt_status read_mode(resize *r, const gt_onnx_node *node)
{
    const char *mode = NULL;
    gt_status status = gt_i_onnx_attr_string(&mode, node, "mode", "nearest");
    if (status != GT_OK) {
        return status;
    }
    bool linear = strcmp(mode, "linear") == 0 || strcmp(mode, "bilinear") == 0;
    r->attrs.resize.mode = linear ? GT_RESIZE_LINEAR : GT_RESIZE_NEAREST;
    if (!linear && strcmp(mode, "nearest") != 0) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "mode is '%s'; nearest and linear are handled", mode);
    }
    return GT_OK;
}

/* tf_half_pixel_for_nn is half_pixel moved by half a pixel: what it rounds down is rounded there, and what it rounds
 * (halves down) is rounded up there. Its other ways of rounding have no such counterpart. */
static bool move_by_half(gt_attrs *attrs)
{
    if (attrs->resize.nearest == GT_NEAREST_FLOOR) {
        attrs->resize.nearest = GT_NEAREST_ROUND_PREFER_CEIL;
        return true;
    }
    if (attrs->resize.nearest == GT_NEAREST_ROUND_PREFER_FLOOR) {
        attrs->resize.nearest = GT_NEAREST_CEIL;
        return true;
    }
    return false;
}

/* half_pixel_symmetric differs from half_pixel only where the output size was rounded, which is looked at later. */
static gt_status read_coordinates(resize *r, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    const char *coord = NULL;
    const char *nearest = NULL;
    GT_TRY(gt_i_onnx_attr_string(&coord, node, "coordinate_transformation_mode", "half_pixel"));
    GT_TRY(gt_i_onnx_attr_string(&nearest, node, "nearest_mode", "round_prefer_floor"));
    r->attrs.resize.nearest = gt_attr_enum_find(GT_ATTR_RESIZE_NEAREST, nearest);
    GT_REQUIRE(r->attrs.resize.nearest >= 0, GT_ERROR_UNSUPPORTED, "nearest_mode is '%s'", nearest);
    bool half_pixel = strcmp(coord, "half_pixel_symmetric") == 0;
    if (strcmp(coord, "tf_half_pixel_for_nn") == 0 && r->attrs.resize.mode == GT_RESIZE_NEAREST) {
        half_pixel = move_by_half(&r->attrs);
    }
    r->attrs.resize.coord = half_pixel ? GT_COORD_HALF_PIXEL : gt_attr_enum_find(GT_ATTR_RESIZE_COORD, coord);
    GT_REQUIRE(r->attrs.resize.coord >= 0, GT_ERROR_UNSUPPORTED,
               "coordinate_transformation_mode is '%s'; half_pixel, pytorch_half_pixel, align_corners, "
               "asymmetric, half_pixel_symmetric and (with nearest, floor or round_prefer_floor) tf_half_pixel_for_nn "
               "are handled",
               coord);
done:
    return status;
}

static gt_status check_after_sizes(const resize *r, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    const char *coord = NULL;
    int64_t antialias = 0;
    GT_TRY(gt_i_onnx_attr_string(&coord, node, "coordinate_transformation_mode", "half_pixel"));
    GT_TRY(gt_i_onnx_attr_int(&antialias, node, "antialias", 0));
    for (int i = 0; i < r->x->shape.rank; i++) {
        GT_REQUIRE(antialias == 0 || r->attrs.resize.mode == GT_RESIZE_NEAREST || r->scale[i] >= 1,
                   GT_ERROR_UNSUPPORTED, "antialias is 1 and axis %d shrinks", i);
        double exact = (double)r->scale[i] * (double)r->x->shape.dim[i];
        bool rounded = !r->from_sizes && exact != (double)r->size[i];
        GT_REQUIRE(!rounded || strcmp(coord, "half_pixel_symmetric") != 0, GT_ERROR_UNSUPPORTED,
                   "coordinate_transformation_mode is half_pixel_symmetric and the size of axis %d is "
                   "rounded", i);
    }
done:
    return status;
}

/* ---- how much ---- */

static gt_status set_scale(resize *r, int axis, float scale)
{
    int64_t dim = r->x->shape.dim[axis];
    /* In single precision, as ONNX Runtime computes it: 0.7f * 10 is to be 7. */
    float size = floorf(scale * (float)dim);
    if (!(scale > 0) || !(size >= 1) || !(size < 0x1p31f)) {
        return gt_fail(GT_ERROR_SHAPE, "the scale of axis %d, %lld long, is %g", axis, (long long)dim,
                       (double)scale);
    }
    r->scale[axis] = scale;
    r->size[axis] = (int64_t)size;
    return GT_OK;
}

static gt_status set_size(resize *r, int axis, int64_t size)
{
    if (size < 1 || size > INT32_MAX) {
        return gt_fail(GT_ERROR_SHAPE, "the new size of axis %d is %lld", axis, (long long)size);
    }
    r->size[axis] = size;
    r->scale[axis] = (float)size / (float)r->x->shape.dim[axis];
    return GT_OK;
}

/* The axes that scales or sizes speak of, one after the other: all, or those of the attribute (opset 18). */
static gt_status read_axes(int64_t *axes, int *count, const resize *r, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_ints list = {0};
    bool used[GT_MAX_RANK] = {false};
    GT_TRY(gt_i_onnx_attr_ints(&list, node, "axes"));
    GT_TRY(gt_i_onnx_axes(used, &list, r->x->shape.rank));
    *count = list.present ? (int)list.count : r->x->shape.rank;
    for (int i = 0; i < *count; i++) {
        axes[i] = list.present ? list.values[i] : i;
        axes[i] += axes[i] < 0 ? r->x->shape.rank : 0;
    }
done:
    return status;
}

static gt_status apply_scales(resize *r, const gt_onnx_node *node, const float *scales, int64_t n)
{
    gt_status status = GT_OK;
    int64_t axes[GT_MAX_RANK] = {0};
    int count = 0;
    GT_TRY(read_axes(axes, &count, r, node));
    GT_REQUIRE(n == count, GT_ERROR_SHAPE, "there are %lld scales; %d are needed", (long long)n, count);
    for (int i = 0; i < count; i++) {
        GT_TRY(set_scale(r, (int)axes[i], scales[i]));
    }
done:
    return status;
}

/* keep_aspect_ratio_policy (opset 18): one scale for all axes, the smallest or largest that the sizes
 * give. */
static gt_status keep_aspect_ratio(resize *r, const int64_t *axes, int count, bool larger)
{
    gt_status status = GT_OK;
    float scale = larger ? 0 : INFINITY;
    for (int i = 0; i < count; i++) {
        float own = r->scale[axes[i]];
        scale = larger ? fmaxf(scale, own) : fminf(scale, own);
    }
    for (int i = 0; i < count; i++) {
        GT_TRY(set_size(r, (int)axes[i],
                        (int64_t)floor((double)scale * (double)r->x->shape.dim[axes[i]] + 0.5)));
        r->scale[axes[i]] = scale;
    }
    r->from_sizes = false;
done:
    return status;
}

static gt_status apply_sizes(resize *r, const gt_onnx_node *node, const gt_i_ints *sizes)
{
    gt_status status = GT_OK;
    int64_t axes[GT_MAX_RANK] = {0};
    int count = 0;
    const char *policy = NULL;
    GT_TRY(gt_i_onnx_attr_string(&policy, node, "keep_aspect_ratio_policy", "stretch"));
    GT_TRY(read_axes(axes, &count, r, node));
    GT_REQUIRE(sizes->count == count, GT_ERROR_SHAPE, "there are %lld sizes; %d are needed",
               (long long)sizes->count, count);
    for (int i = 0; i < count; i++) {
        GT_TRY(set_size(r, (int)axes[i], sizes->values[i]));
    }
    r->from_sizes = true;
    if (strcmp(policy, "stretch") != 0) {
        bool larger = strcmp(policy, "not_smaller") == 0;
        GT_REQUIRE(larger || strcmp(policy, "not_larger") == 0, GT_ERROR_UNSUPPORTED,
                   "keep_aspect_ratio_policy is '%s'", policy);
        GT_TRY(keep_aspect_ratio(r, axes, count, larger));
    }
done:
    return status;
}

static gt_status read_scale_input(resize *r, gt_i_onnx *c, const gt_onnx_node *node, size_t k)
{
    gt_status status = GT_OK;
    const float *scales = NULL;
    gt_i_value *value = NULL;
    GT_TRY(gt_i_onnx_const_floats(&scales, c, node, k, "scales", -1));
    GT_TRY(gt_i_onnx_const_input(&value, c, node, k, "scales"));
    GT_TRY(apply_scales(r, node, scales, gt_shape_elems(&value->shape)));
done:
    return status;
}

/* ---- the op ---- */

/* x, seen as an image whose H and W are all that changes; *channels_last: only after a transpose. */
static gt_status find_image(gt_shape *image, bool *channels_last, const resize *r)
{
    gt_status status = GT_OK;
    const gt_shape *x = &r->x->shape;
    bool changes[GT_MAX_RANK] = {false};
    char text[GT_SHAPE_TEXT_BYTES];
    int offset = x->rank < 4 ? 4 - x->rank : 0;
    GT_REQUIRE(x->rank <= 4, GT_ERROR_UNSUPPORTED, "'%s' has shape %s; ranks up to 4 are handled", r->x->name,
               gt_shape_format(text, sizeof text, x));
    for (int i = 0; i < x->rank; i++) {
        changes[offset + i] = r->scale[i] != 1 || r->size[i] != x->dim[i];
    }
    *channels_last = x->rank == 4 && changes[1] && !changes[3] && !changes[0];
    GT_REQUIRE(*channels_last || (!changes[0] && !changes[1]), GT_ERROR_UNSUPPORTED,
               "it changes the batch or channels of '%s', %s", r->x->name,
               gt_shape_format(text, sizeof text, x));
    *image = gt_shape_4d(1, 1, 1, 1);
    for (int i = 0; i < x->rank; i++) {
        image->dim[offset + i] = x->dim[i];
    }
done:
    return status;
}

static gt_status emit_channels_last(gt_i_onnx *c, const gt_onnx_node *node, resize *r)
{
    static const int64_t to_nchw[] = {0, 3, 1, 2};
    gt_status status = GT_OK;
    gt_i_value *y = NULL;
    int64_t to_nhwc[] = {0, 2, 3, 1};
    gt_attrs back = {.transpose.perm = {4, to_nhwc}};
    gt_operand hint = {.present = true, .dtype = GT_F32,
                       .shape = gt_shape_4d(r->size[0], r->size[3], r->size[1], r->size[2])};
    GT_TRY(gt_i_onnx_transpose(&y, c, r->x, to_nchw));
    r->attrs.resize.scale[0] = r->scale[1];
    r->attrs.resize.scale[1] = r->scale[2];
    GT_TRY(gt_i_onnx_emit_core(&y, c, GT_OP_RESIZE, &r->attrs, 1, &y, &hint));
    GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_TRANSPOSE, &back, 1, &y, NULL));
done:
    return status;
}

static gt_status emit_resize(gt_i_onnx *c, const gt_onnx_node *node, resize *r)
{
    gt_status status = GT_OK;
    gt_shape image;
    gt_i_value *y = NULL;
    bool channels_last = false;
    int rank = r->x->shape.rank;
    gt_shape out = gt_shape_of(rank, r->size);
    GT_TRY(find_image(&image, &channels_last, r));
    if (channels_last) {
        return emit_channels_last(c, node, r);
    }
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = image};
    for (int i = 0; i < 2; i++) {
        int axis = rank - 2 + i;
        r->attrs.resize.scale[i] = axis >= 0 ? r->scale[axis] : 1;
        hint.shape.dim[2 + i] = axis >= 0 ? r->size[axis] : 1;
    }
    if (gt_shape_equal(&hint.shape, &image) && r->attrs.resize.scale[0] == 1
        && r->attrs.resize.scale[1] == 1) {
        return gt_i_onnx_bind(c, node, 0, r->x);
    }
    GT_TRY(gt_i_onnx_reshape(&y, c, r->x, &image));
    if (rank == 4) {
        return gt_i_onnx_emit_output(c, node, 0, GT_OP_RESIZE, &r->attrs, 1, &y, &hint);
    }
    GT_TRY(gt_i_onnx_emit_core(&y, c, GT_OP_RESIZE, &r->attrs, 1, &y, &hint));
    GT_TRY(gt_i_onnx_reshape_output(c, node, 0, y, &out));
done:
    return status;
}

static gt_status take_input(resize *r, gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = gt_i_onnx_input(&r->x, c, node, 0, "x");
    for (int i = 0; status == GT_OK && i < r->x->shape.rank; i++) {
        r->scale[i] = 1;
        r->size[i] = r->x->shape.dim[i];
    }
    return status;
}

/* Upsample and Resize of opset 10 sample at out / scale; the nearest pixel is the one before when enlarging
 * and, as in ONNX Runtime, the one after when shrinking. */
static gt_status finish_old(resize *r)
{
    bool shrinks = false;
    bool grows = false;
    for (int i = 0; i < r->x->shape.rank; i++) {
        shrinks = shrinks || r->scale[i] < 1;
        grows = grows || r->scale[i] > 1;
    }
    r->attrs.resize.coord = GT_COORD_ASYMMETRIC;
    r->attrs.resize.nearest = shrinks ? GT_NEAREST_CEIL : GT_NEAREST_FLOOR;
    if (shrinks && grows && r->attrs.resize.mode == GT_RESIZE_NEAREST) {
        return gt_fail(GT_ERROR_UNSUPPORTED,
                       "one axis grows and another shrinks, which opset 10 leaves open");
    }
    return GT_OK;
}

gt_status gt_i_onnx_resize(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    resize r = {0};
    gt_i_ints sizes = {0};
    GT_TRY(read_mode(&r, node));
    if (c->model->opset == 10) {
        GT_TRY(take_input(&r, c, node));
        GT_TRY(read_scale_input(&r, c, node, 1));
        GT_TRY(finish_old(&r));
        return emit_resize(c, node, &r);
    }
    GT_TRY(read_coordinates(&r, node));
    GT_TRY(gt_i_onnx_const_ints(&sizes, c, node, 3, "sizes"));
    GT_TRY(take_input(&r, c, node));
    if (sizes.present && sizes.count > 0) {
        GT_TRY(apply_sizes(&r, node, &sizes));
    } else {
        GT_TRY(read_scale_input(&r, c, node, 2));
    }
    GT_TRY(check_after_sizes(&r, node));
    GT_TRY(emit_resize(c, node, &r));
done:
    return status;
}

/* Opset 1 has two attributes, 7 a list, 9 an input. */
static gt_status read_upsample_scales(resize *r, gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    const gt_onnx_attr *list = gt_onnx_find_attr(node, "scales");
    float height = 1;
    float width = 1;
    if (gt_i_onnx_has_input(node, 1)) {
        return read_scale_input(r, c, node, 1);
    }
    if (list != NULL) {
        GT_REQUIRE(list->type == GT_ONNX_ATTR_FLOATS, GT_ERROR_FORMAT,
                   "attribute 'scales' is no list of floats");
        return apply_scales(r, node, list->floats, (int64_t)list->count);
    }
    GT_TRY(gt_i_onnx_attr_float(&height, node, "height_scale", 0));
    GT_TRY(gt_i_onnx_attr_float(&width, node, "width_scale", 0));
    GT_REQUIRE(r->x->shape.rank == 4, GT_ERROR_SHAPE, "x, '%s', has rank %d; 4 is needed", r->x->name,
               r->x->shape.rank);
    GT_TRY(set_scale(r, 2, height));
    GT_TRY(set_scale(r, 3, width));
done:
    return status;
}

gt_status gt_i_onnx_upsample(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    resize r = {0};
    GT_TRY(read_mode(&r, node));
    GT_TRY(take_input(&r, c, node));
    GT_TRY(read_upsample_scales(&r, c, node));
    GT_TRY(finish_old(&r));
    GT_TRY(emit_resize(c, node, &r));
done:
    return status;
}
