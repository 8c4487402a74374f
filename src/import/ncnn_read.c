/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a layer's parameters and the shapes of its blobs. */
#include "src/import/ncnn_context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ---- */

static const gt_ncnn_param *find(const gt_ncnn_layer *layer, int id)
{
    for (int i = 0; i < layer->n_params; i++) {
        if (layer->params[i].id == id) {
            return &layer->params[i];
        }
    }
    return NULL;
}

static float as_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool to_int(int64_t *out, const gt_ncnn_number *number)
{
    float value = as_bits(number->bits);
    switch (number->form) {
    case GT_NCNN_INT:
    case GT_NCNN_BITS:
        *out = (int32_t)number->bits;
        return true;
    case GT_NCNN_FLOAT:
        *out = fabsf(value) < 0x1p31f ? (int64_t)value : 0;
        return fabsf(value) < 0x1p31f && (float)*out == value;
    default:
        return false;
    }
}

/* ncnn takes an integer's bits as a float where it wants one, and its converters write arrays of floats
 * that way ("1077936128" is 3.0f). People write "1" for 1.0. The bits of integers that people write are
 * denormal floats or NaN, which nobody means, so the two can be told apart. */
static bool to_float(float *out, const gt_ncnn_number *number)
{
    float value = as_bits(number->bits);
    bool bits_mean_it = value == 0 || isnormal(value);
    *out = number->form == GT_NCNN_FLOAT || bits_mean_it ? value : (float)(int32_t)number->bits;
    return number->form != GT_NCNN_STRING && isfinite(*out);
}

static gt_status bad_number(const gt_ncnn_number *number, const char *what, const char *name,
                            const char *needed)
{
    if (number->form == GT_NCNN_STRING) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "%s (%s) is an expression; only numbers are handled", what,
                       name);
    }
    return gt_fail(GT_ERROR_FORMAT, "%s (%s) is %g; %s is needed", what, name, (double)as_bits(number->bits),
                   needed);
}

/* The only number of a parameter that is no array. */
static gt_status single(const gt_ncnn_number **out, const gt_ncnn_param *param, const char *name)
{
    if (param->count != 1 || param->array) {
        return gt_fail(GT_ERROR_FORMAT, "parameter %d (%s) is an array of %lld; a number is needed",
                       param->id, name, (long long)param->count);
    }
    *out = &param->numbers[0];
    return GT_OK;
}

gt_status gt_i_ncnn_int(int64_t *out, const gt_ncnn_layer *layer, int id, const char *name, int64_t fallback,
                        int64_t lo, int64_t hi)
{
    gt_status status = GT_OK;
    const gt_ncnn_param *param = find(layer, id);
    const gt_ncnn_number *number = NULL;
    int64_t value = fallback;
    if (param != NULL) {
        char what[32];
        snprintf(what, sizeof what, "parameter %d", id);
        GT_TRY(single(&number, param, name));
        if (!to_int(&value, number)) {
            return bad_number(number, what, name, "an integer");
        }
    }
    GT_REQUIRE(value >= lo && value <= hi, GT_ERROR_FORMAT, "parameter %d (%s) is %lld%s; %lld to %lld is "
               "allowed", id, name, (long long)value, param == NULL ? ", as it is missing" : "",
               (long long)lo, (long long)hi);
    *out = value;
done:
    return status;
}

gt_status gt_i_ncnn_flag(bool *out, const gt_ncnn_layer *layer, int id, const char *name)
{
    int64_t value = 0;
    gt_status status = gt_i_ncnn_int(&value, layer, id, name, 0, 0, 1);
    *out = value != 0;
    return status;
}

gt_status gt_i_ncnn_float(float *out, const gt_ncnn_layer *layer, int id, const char *name, float fallback)
{
    gt_status status = GT_OK;
    const gt_ncnn_param *param = find(layer, id);
    const gt_ncnn_number *number = NULL;
    *out = fallback;
    if (param != NULL) {
        char what[32];
        snprintf(what, sizeof what, "parameter %d", id);
        GT_TRY(single(&number, param, name));
        if (!to_float(out, number)) {
            return bad_number(number, what, name, "a finite number");
        }
    }
done:
    return status;
}

const gt_ncnn_param *gt_i_ncnn_array(const gt_ncnn_layer *layer, int id)
{
    return find(layer, id);
}

int64_t gt_i_ncnn_array_count(const gt_ncnn_param *array)
{
    return array != NULL ? array->count : 0;
}

gt_status gt_i_ncnn_array_int(int64_t *out, const gt_ncnn_param *array, int64_t index, const char *name)
{
    if (to_int(out, &array->numbers[index])) {
        return GT_OK;
    }
    char what[64];
    snprintf(what, sizeof what, "element %lld of parameter %d", (long long)index, array->id);
    return bad_number(&array->numbers[index], what, name, "an integer");
}

gt_status gt_i_ncnn_array_float(float *out, const gt_ncnn_param *array, int64_t index, const char *name)
{
    if (to_float(out, &array->numbers[index])) {
        return GT_OK;
    }
    char what[64];
    snprintf(what, sizeof what, "element %lld of parameter %d", (long long)index, array->id);
    return bad_number(&array->numbers[index], what, name, "a finite number");
}

gt_status gt_i_ncnn_activation(gt_epilogue *epilogue, const gt_ncnn_layer *layer)
{
    static const struct {
        gt_function function;
        int params;
    } kinds[] = {{GT_FN_NONE, 0}, {GT_FN_RELU, 0}, {GT_FN_LEAKY_RELU, 1}, {GT_FN_CLIP, 2},
                 {GT_FN_SIGMOID, 0}, {GT_FN_MISH, 0}, {GT_FN_HARD_SWISH, 2}};
    gt_status status = GT_OK;
    int64_t type = 0;
    float value[2] = {0};
    const gt_ncnn_param *params = gt_i_ncnn_array(layer, 10);
    GT_TRY(gt_i_ncnn_int(&type, layer, 9, "activation_type", 0, 0, 6));
    GT_REQUIRE(gt_i_ncnn_array_count(params) >= kinds[type].params, GT_ERROR_FORMAT,
               "parameter 10 (activation_params) has %lld elements; activation_type %lld needs %d",
               (long long)gt_i_ncnn_array_count(params), (long long)type, kinds[type].params);
    for (int i = 0; i < kinds[type].params; i++) {
        GT_TRY(gt_i_ncnn_array_float(&value[i], params, i, "activation_params"));
    }
    *epilogue = (gt_epilogue){.act = kinds[type].function, .alpha = value[0], .beta = value[1]};
done:
    return status;
}

/* ---- blobs ---- */

int gt_i_ncnn_bottom(const gt_i_ncnn *c, int k)
{
    return c->values[c->layer->bottoms[k]].tensor;
}

gt_shape gt_i_ncnn_shape(const gt_i_ncnn *c, int tensor)
{
    return c->graph->tensors[tensor].shape;
}

int gt_i_ncnn_dims(const gt_i_ncnn *c, int tensor)
{
    return c->graph->tensors[tensor].shape.rank - 1;
}

gt_status gt_i_ncnn_need_dims(const gt_i_ncnn *c, int tensor, int lo, int hi)
{
    int dims = gt_i_ncnn_dims(c, tensor);
    char text[GT_SHAPE_TEXT_BYTES];
    if (dims >= lo && dims <= hi) {
        return GT_OK;
    }
    gt_shape_format(text, sizeof text, &c->graph->tensors[tensor].shape);
    if (lo == hi) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "its bottom has shape %s (%d dimensions and batch); %d "
                       "dimensions are handled", text, dims, lo);
    }
    return gt_fail(GT_ERROR_UNSUPPORTED, "its bottom has shape %s (%d dimensions and batch); %d to %d "
                   "dimensions are handled", text, dims, lo, hi);
}

gt_status gt_i_ncnn_axis(int64_t *axis, const gt_i_ncnn *c, int tensor, int64_t value, const char *name)
{
    int dims = gt_i_ncnn_dims(c, tensor);
    if (value < -dims || value >= dims) {
        return gt_fail(GT_ERROR_FORMAT, "%s is %lld; the bottom has %d dimensions, %d to %d are allowed",
                       name, (long long)value, dims, -dims, dims - 1);
    }
    *axis = (value < 0 ? value + dims : value) + 1;
    return GT_OK;
}

gt_shape gt_i_ncnn_make_shape(int dims, const int64_t *size)
{
    gt_shape shape = {.rank = dims + 1, .dim = {1}};
    for (int i = 0; i < dims; i++) {
        shape.dim[i + 1] = size[i];
    }
    return shape;
}

gt_shape gt_i_ncnn_channel_shape(const gt_i_ncnn *c, int tensor)
{
    gt_shape shape = gt_i_ncnn_shape(c, tensor);
    for (int i = 2; i < shape.rank; i++) {
        shape.dim[i] = 1;
    }
    return shape;
}
