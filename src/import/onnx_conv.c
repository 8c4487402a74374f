/* SPDX-License-Identifier: Apache-2.0 */
/* Conv, ConvTranspose and BatchNormalization. */
#include "src/import/onnx_window.h"

#include <math.h>
#include <string.h>

/* What both convolutions read: x and weight as images, bias (NULL if absent), and the window. */
typedef struct conv_parts {
    gt_i_value *in[3];
    int n_inputs;
    int rank; /* of x, 3 or 4 */
    gt_i_window window;
    int64_t groups;
} conv_parts;

static gt_status read_conv(conv_parts *p, gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *x = NULL;
    gt_i_value *weight = NULL;
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_i_onnx_attr_int(&p->groups, node, "group", 1));
    GT_TRY(gt_i_onnx_const_input(&weight, c, node, 1, "weight"));
    GT_TRY(gt_i_onnx_input(&x, c, node, 0, "x"));
    GT_REQUIRE(x->shape.rank == weight->shape.rank, GT_ERROR_SHAPE,
               "x, '%s', has shape %s and the weight, '%s', %s; the ranks must be equal", x->name,
               gt_shape_format(a, sizeof a, &x->shape), weight->name,
               gt_shape_format(b, sizeof b, &weight->shape));
    p->rank = x->shape.rank;
    GT_TRY(gt_i_onnx_to_image(&p->in[0], c, x, "convolution"));
    GT_TRY(gt_i_onnx_to_image(&p->in[1], c, weight, "convolution"));
    p->n_inputs = 2;
    if (gt_i_onnx_has_input(node, 2)) {
        GT_TRY(gt_i_onnx_const_input(&p->in[2], c, node, 2, "bias"));
        p->n_inputs = 3;
    }
    GT_TRY(gt_i_onnx_window(&p->window, node, p->rank, &p->in[1]->shape.dim[2]));
done:
    return status;
}

static void set_conv_attrs(gt_attrs *attrs, const conv_parts *p)
{
    memset(attrs, 0, sizeof *attrs);
    memcpy(attrs->conv.stride, p->window.stride, sizeof attrs->conv.stride);
    memcpy(attrs->conv.dilation, p->window.dilation, sizeof attrs->conv.dilation);
    memcpy(attrs->conv.pad, p->window.pad, sizeof attrs->conv.pad);
    attrs->conv.groups = p->groups;
}

gt_status gt_i_onnx_conv(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    conv_parts p = {0};
    gt_attrs attrs;
    GT_TRY(read_conv(&p, c, node));
    gt_i_onnx_resolve_auto_pad(&p.window, &p.in[0]->shape.dim[2]);
    set_conv_attrs(&attrs, &p);
    GT_TRY(gt_i_onnx_emit_image(c, node, p.rank, GT_OP_CONV2D, &attrs, p.n_inputs, p.in, NULL));
done:
    return status;
}

/* ---- ConvTranspose ---- */

/* The size along one axis without any pads. */
static int64_t full_size(const conv_parts *p, const int64_t *extra, int axis)
{
    int64_t in = p->in[0]->shape.dim[2 + axis];
    return (in - 1) * p->window.stride[axis] + (p->window.kernel[axis] - 1) * p->window.dilation[axis] + 1 +
           extra[axis];
}

/* Where the output's size is given, or follows from auto_pad, the pads follow from it (ONNX,
 * ConvTranspose). */
static void pads_from_size(conv_parts *p, const int64_t *extra, const int64_t *size)
{
    for (int axis = 0; axis < 2; axis++) {
        int64_t total = full_size(p, extra, axis) - size[axis];
        gt_i_onnx_split_pad(&p->window, axis, total > 0 ? total : 0,
                            p->window.auto_pad == GT_I_PAD_SAME_UPPER);
    }
}

/* The attribute as {H, W}; it may also state all dimensions of the output. */
static gt_status read_output_shape(int64_t *size, bool *present, const gt_onnx_node *node, int rank)
{
    gt_status status = GT_OK;
    gt_i_ints list = {0};
    GT_TRY(gt_i_onnx_attr_ints(&list, node, "output_shape"));
    *present = list.present && list.count > 0;
    GT_REQUIRE(!*present || list.count == rank - 2 || list.count == rank, GT_ERROR_FORMAT,
               "attribute 'output_shape' has %lld entries; %d are needed", (long long)list.count, rank - 2);
    if (*present) {
        size[0] = rank == 4 ? list.values[list.count - 2] : 1;
        size[1] = list.values[list.count - 1];
        GT_REQUIRE(size[0] >= 1 && size[1] >= 1 && size[0] <= INT32_MAX && size[1] <= INT32_MAX,
                   GT_ERROR_FORMAT,
                   "attribute 'output_shape' holds %lld and %lld; 1 to 2147483647 are allowed",
                   (long long)size[0], (long long)size[1]);
    }
done:
    return status;
}

static gt_status read_output_padding(int64_t *extra, const gt_onnx_node *node, int rank)
{
    gt_status status = GT_OK;
    int64_t values[2] = {0};
    GT_TRY(gt_i_onnx_attr_ints_n(values, node, "output_padding", rank - 2, 0));
    extra[0] = rank == 4 ? values[0] : 0;
    extra[1] = values[rank - 3];
    GT_REQUIRE(extra[0] >= 0 && extra[1] >= 0 && extra[0] <= GT_MAX_ATTR && extra[1] <= GT_MAX_ATTR,
               GT_ERROR_FORMAT, "attribute 'output_padding' holds %lld and %lld; 0 to %lld are allowed",
               (long long)extra[0], (long long)extra[1], (long long)GT_MAX_ATTR);
done:
    return status;
}

gt_status gt_i_onnx_conv_transpose(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    conv_parts p = {0};
    gt_attrs attrs;
    int64_t extra[2] = {0};
    int64_t size[2] = {0};
    bool sized = false;
    GT_TRY(read_conv(&p, c, node));
    GT_TRY(read_output_padding(extra, node, p.rank));
    GT_TRY(read_output_shape(size, &sized, node, p.rank));
    const gt_shape *x = &p.in[0]->shape;
    bool same = p.window.auto_pad == GT_I_PAD_SAME_UPPER || p.window.auto_pad == GT_I_PAD_SAME_LOWER;
    for (int axis = 0; !sized && axis < 2; axis++) {
        size[axis] = same ? x->dim[2 + axis] * p.window.stride[axis]
                          : full_size(&p, extra, axis) - p.window.pad[axis] - p.window.pad[2 + axis];
    }
    if (sized || same) {
        pads_from_size(&p, extra, size);
    }
    set_conv_attrs(&attrs, &p);
    GT_REQUIRE(p.groups >= 1 && p.groups <= GT_MAX_ATTR, GT_ERROR_FORMAT,
               "attribute 'group' is %lld; 1 or more is needed", (long long)p.groups);
    gt_operand hint = {.present = true, .dtype = GT_F32};
    int64_t k = 0;
    GT_TRY(gt_i_mul(&k, p.in[1]->shape.dim[1], p.groups, "the number of output channels"));
    hint.shape = gt_shape_4d(x->dim[0], k, size[0], size[1]);
    GT_TRY(gt_i_onnx_emit_image(c, node, p.rank, GT_OP_CONV_TRANSPOSE2D, &attrs, p.n_inputs, p.in, &hint));
done:
    return status;
}

/* ---- BatchNormalization ---- */

/* In inference y = x * scale + shift with scale = gamma / sqrt(var + epsilon), shift = beta - mean *
 * scale. */
static gt_status fold_statistics(gt_i_value **scale, gt_i_value **shift, gt_i_onnx *c,
                                 const gt_onnx_node *node, const gt_shape *shape, float epsilon)
{
    static const char *const roles[] = {"x", "scale", "bias", "mean", "variance"};
    gt_status status = GT_OK;
    const float *in[5] = {0};
    float *factor = NULL;
    float *offset = NULL;
    int64_t elems = gt_shape_elems(shape);
    for (size_t k = 1; k < 5; k++) {
        GT_TRY(gt_i_onnx_const_floats(&in[k], c, node, k, roles[k], elems));
    }
    GT_TRY(gt_i_onnx_alloc(&factor, c, GT_F32, shape));
    GT_TRY(gt_i_onnx_alloc(&offset, c, GT_F32, shape));
    for (int64_t i = 0; i < elems; i++) {
        double s = (double)in[1][i] / sqrt((double)in[4][i] + (double)epsilon);
        factor[i] = (float)s;
        offset[i] = (float)((double)in[2][i] - (double)in[3][i] * s);
    }
    GT_TRY(gt_i_onnx_add_const(scale, c, NULL, GT_F32, shape, factor));
    factor = NULL;
    GT_TRY(gt_i_onnx_add_const(shift, c, NULL, GT_F32, shape, offset));
    offset = NULL;
done:
    gt_free(factor);
    gt_free(offset);
    return status;
}

gt_status gt_i_onnx_batch_normalization(gt_i_onnx *c, const gt_onnx_node *node)
{
    gt_status status = GT_OK;
    gt_i_value *in[3] = {NULL};
    float epsilon = 0;
    int64_t training = 0;
    int64_t spatial = 1;
    GT_TRY(gt_i_onnx_attr_float(&epsilon, node, "epsilon", 1e-5f));
    GT_TRY(gt_i_onnx_attr_int(&training, node, "training_mode", 0));
    GT_TRY(gt_i_onnx_attr_int(&spatial, node, "spatial", 1));
    GT_REQUIRE(training == 0, GT_ERROR_UNSUPPORTED, "training_mode is 1; export the model for inference");
    GT_TRY(gt_i_onnx_input(&in[0], c, node, 0, "x"));
    const gt_shape *x = &in[0]->shape;
    GT_REQUIRE(x->rank >= 2, GT_ERROR_SHAPE, "x, '%s', has rank %d; 2 or more is needed", in[0]->name,
               x->rank);
    if (spatial != 0) {
        gt_shape channels = gt_shape_of(1, &x->dim[1]);
        GT_TRY(fold_statistics(&in[1], &in[2], c, node, &channels, epsilon));
        GT_TRY(gt_i_onnx_emit_output(c, node, 0, GT_OP_SCALE, &(gt_attrs){0}, 3, in, NULL));
    } else {
        gt_shape features = gt_shape_of(x->rank - 1, &x->dim[1]);
        gt_i_value *scaled = NULL;
        GT_TRY(fold_statistics(&in[1], &in[2], c, node, &features, epsilon));
        GT_TRY(gt_i_onnx_binary(&scaled, c, node, -1, GT_BINARY_MUL, in[0], in[1]));
        GT_TRY(gt_i_onnx_binary(&scaled, c, node, 0, GT_BINARY_ADD, scaled, in[2]));
    }
done:
    return status;
}
