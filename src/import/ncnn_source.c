/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that begin a network (Input, MemoryData) and those that change a blob's storage alone (Cast,
 * Packing). */
#include "src/import/ncnn_context.h"

#include <string.h>

/* w, h, d and c as parameters 0, 1, 11 and 2; 0 where there is no such dimension. */
static gt_status read_shape(gt_shape *shape, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t w = 0;
    int64_t h = 0;
    int64_t d = 0;
    int64_t k = 0;
    GT_TRY(gt_i_ncnn_int(&w, layer, 0, "w", 0, 0, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&h, layer, 1, "h", 0, 0, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&k, layer, 2, "c", 0, 0, INT32_MAX));
    GT_TRY(gt_i_ncnn_int(&d, layer, 11, "d", 0, 0, INT32_MAX));
    GT_REQUIRE((w > 0 || h == 0) && (h > 0 || k == 0) && (k > 0 || d == 0), GT_ERROR_FORMAT,
               "its shape is w %lld, h %lld, d %lld, c %lld; a dimension needs those inside it", (long long)w,
               (long long)h, (long long)d, (long long)k);
    int64_t size[4] = {k, d, h, w};
    *shape = (gt_shape){.rank = 1, .dim = {1}};
    for (int i = 0; i < 4; i++) {
        if (size[i] > 0) {
            shape->dim[shape->rank++] = size[i];
        }
    }
    GT_TRY(gt_shape_check(shape));
done:
    return status;
}

/* ---- Input ---- */

/* Shape hints that ncnn's tools add for every top: dimensions and w h (d) c each. */
static gt_status read_hint(gt_shape *shape, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    const gt_ncnn_param *hint = gt_i_ncnn_array(layer, 30);
    int64_t dims = 0;
    if (hint == NULL || hint->count != 4) {
        goto done;
    }
    GT_TRY(gt_i_ncnn_array_int(&dims, hint, 0, "top_shapes"));
    if (dims < 1 || dims > 3) {
        goto done;
    }
    gt_shape read = {.rank = (int)dims + 1, .dim = {1}};
    for (int64_t i = 1; i <= dims; i++) {
        GT_TRY(gt_i_ncnn_array_int(&read.dim[dims + 1 - i], hint, i, "top_shapes"));
    }
    GT_TRY(gt_shape_check(&read));
    *shape = gt_shape_elems(&read) > 0 ? read : *shape;
done:
    return status;
}

/* What the user says about this input; an empty name means the only one. */
static gt_status given_shape(gt_shape *shape, gt_i_ncnn *c, const char *name)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    for (size_t i = 0; i < c->options->n_shapes; i++) {
        const gt_import_shape *given = &c->options->shapes[i];
        if (strcmp(given->name, name) != 0 && given->name[0] != '\0') {
            continue;
        }
        GT_REQUIRE(!c->shape_used[i], GT_ERROR_SHAPE,
                   "the network has several inputs; --shape %s=1,... names one", name);
        c->shape_used[i] = true;
        GT_REQUIRE(given->shape.rank >= 2 && given->shape.rank <= 5 && given->shape.dim[0] == 1,
                   GT_ERROR_SHAPE, "the shape given for '%s' is %s; a 1 (the batch, which ncnn does not "
                   "have) and 1 to 4 dimensions are needed, as in --shape %s=1,3,224,224", name,
                   gt_shape_format(text, sizeof text, &given->shape), name);
        *shape = given->shape;
    }
done:
    return status;
}

gt_status gt_i_ncnn_input(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    gt_shape shape;
    int tensor = GT_NO_TENSOR;
    const char *name = c->model->blobs[layer->tops[0]].name;
    GT_TRY(read_shape(&shape, layer));
    if (shape.rank == 1) {
        GT_TRY(read_hint(&shape, layer));
    }
    GT_TRY(given_shape(&shape, c, name));
    GT_REQUIRE(shape.rank > 1, GT_ERROR_SHAPE, "the file does not state the input's shape; give it with "
               "--shape %s=1,C,H,W", name);
    GT_TRY(gt_graph_add_tensor(c->graph, &tensor, name, GT_F32, &shape, NULL));
    GT_TRY(gt_graph_add_input(c->graph, tensor));
    gt_i_ncnn_alias(c, 0, tensor);
done:
    return status;
}

/* ---- MemoryData ---- */

gt_status gt_i_ncnn_memory_data(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    gt_shape shape;
    int64_t type = 1;
    int tensor = GT_NO_TENSOR;
    GT_TRY(read_shape(&shape, layer));
    GT_TRY(gt_i_ncnn_int(&type, layer, 21, "load_type", 1, 0, 1));
    if (shape.rank == 1) {
        shape.dim[shape.rank++] = 1; /* no dimension at all is one number */
    }
    GT_TRY(gt_i_ncnn_load_const(&tensor, c, "data", &shape, type == 0, (gt_i_ncnn_random){0, 1}));
    gt_i_ncnn_alias(c, 0, tensor);
done:
    return status;
}

/* ---- storage ---- */

gt_status gt_i_ncnn_cast(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    enum { CAST_INT8 = 3 };
    gt_status status = GT_OK;
    int64_t from = 0;
    int64_t to = 0;
    GT_TRY(gt_i_ncnn_int(&from, layer, 0, "type_from", 0, 0, 4));
    GT_TRY(gt_i_ncnn_int(&to, layer, 1, "type_to", 0, 0, 4));
    GT_REQUIRE(from != CAST_INT8 && to != CAST_INT8, GT_ERROR_UNSUPPORTED,
               "it casts from or to int8 (parameters 0 and 1 are %lld and %lld), which is not supported yet; "
               "float types (0, 1, 2, 4) are handled", (long long)from, (long long)to);
    gt_i_ncnn_alias(c, 0, gt_i_ncnn_bottom(c, 0));
done:
    return status;
}

gt_status gt_i_ncnn_identity(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    (void)layer;
    gt_i_ncnn_alias(c, 0, gt_i_ncnn_bottom(c, 0));
    return GT_OK;
}
