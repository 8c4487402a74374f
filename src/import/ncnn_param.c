/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/ncnn_param.h"

#include "src/import/format.h"

#include <stdio.h>
#include <string.h>

static bool has_binary_magic(const char *data, size_t bytes)
{
    static const unsigned char magic[4] = {GT_NCNN_MAGIC & 0xff, GT_NCNN_MAGIC >> 8 & 0xff,
                                           GT_NCNN_MAGIC >> 16 & 0xff, 0};
    return bytes >= 4 && memcmp(data, magic, sizeof magic) == 0;
}

bool gt_i_begins_like_ncnn(const gt_i_import_source *source)
{
    static const char text[] = "7767517";
    return has_binary_magic(source->data, source->bytes) ||
           (source->bytes > sizeof text && memcmp(source->data, text, sizeof text - 1) == 0);
}

gt_status gt_ncnn_fail_at(gt_status status, const gt_ncnn_model *model, const gt_ncnn_layer *layer)
{
    return gt_fail_in(status, "%s %lld: layer '%s' (%s)", model->binary ? "byte" : "line",
                      (long long)layer->place, layer->name, layer->type);
}

/* ---- building ---- */

gt_status gt_i_ncnn_add_top(gt_ncnn_model *model, gt_ncnn_layer *layer, const char *name)
{
    gt_status status = GT_OK;
    gt_ncnn_blob blob = {.producer = model->n_layers};
    int other = gt_i_name_map_find(&model->blob_names, name);
    GT_REQUIRE(other < 0, GT_ERROR_FORMAT, "it makes blob '%s', which %s makes already", name,
               model->blobs[other].producer < model->n_layers
                   ? model->layers[model->blobs[other].producer].name : "it");
    GT_TRY(gt_strdup(&blob.name, name));
    GT_TRY(gt_i_name_map_set(&model->blob_names, name, model->n_blobs));
    GT_PUSH(layer->tops, layer->n_tops, layer->tops_capacity, model->n_blobs);
    GT_PUSH(model->blobs, model->n_blobs, model->blobs_capacity, blob);
    blob.name = NULL;
done:
    gt_free(blob.name);
    return status;
}

gt_status gt_i_ncnn_add_bottom(gt_ncnn_model *model, gt_ncnn_layer *layer, const char *name)
{
    gt_status status = GT_OK;
    int blob = gt_i_name_map_find(&model->blob_names, name);
    GT_REQUIRE(blob >= 0, GT_ERROR_FORMAT, "it reads blob '%s', which no layer before it makes", name);
    GT_PUSH(layer->bottoms, layer->n_bottoms, layer->bottoms_capacity, blob);
    model->blobs[blob].uses++;
done:
    return status;
}

gt_status gt_i_ncnn_add_param(gt_ncnn_number **numbers, gt_ncnn_layer *layer, int64_t id, bool array,
                              int64_t count)
{
    gt_status status = GT_OK;
    gt_ncnn_param param = {.id = (int)id, .array = array, .count = count};
    GT_REQUIRE(id >= 0 && id < GT_NCNN_MAX_PARAMS, GT_ERROR_FORMAT,
               "parameter id %lld; 0 to %d are allowed (%d to %d for arrays)", (long long)id,
               GT_NCNN_MAX_PARAMS - 1, -23300 - GT_NCNN_MAX_PARAMS + 1, -23300);
    for (int i = 0; i < layer->n_params; i++) {
        GT_REQUIRE(layer->params[i].id != id, GT_ERROR_FORMAT, "parameter %lld stands there twice",
                   (long long)id);
    }
    GT_TRY(gt_calloc(&param.numbers, (size_t)count, sizeof *param.numbers));
    *numbers = param.numbers;
    GT_PUSH(layer->params, layer->n_params, layer->params_capacity, param);
    param.numbers = NULL;
done:
    gt_free(param.numbers);
    return status;
}

static void clear_layer(gt_ncnn_layer *layer)
{
    for (int i = 0; i < layer->n_params; i++) {
        gt_free(layer->params[i].numbers);
    }
    gt_free(layer->params);
    gt_free(layer->bottoms);
    gt_free(layer->tops);
    gt_free(layer->type);
    gt_free(layer->name);
}

void gt_ncnn_model_destroy(gt_ncnn_model *model)
{
    if (model == NULL) {
        return;
    }
    /* A layer in the making lies behind the last one. */
    for (size_t i = 0; i < model->layers_capacity; i++) {
        clear_layer(&model->layers[i]);
    }
    for (int i = 0; i < model->n_blobs; i++) {
        gt_free(model->blobs[i].name);
    }
    gt_i_name_map_destroy(&model->blob_names);
    gt_free(model->layers);
    gt_free(model->blobs);
    gt_free(model);
}

gt_status gt_ncnn_parse(gt_ncnn_model **model, const char *data, size_t bytes)
{
    gt_status status = GT_OK;
    gt_ncnn_model *m = NULL;
    GT_TRY(gt_calloc(&m, 1, sizeof *m));
    m->binary = has_binary_magic(data, bytes);
    GT_TRY(m->binary ? gt_i_ncnn_parse_binary(m, data, bytes) : gt_i_ncnn_parse_text(m, data, bytes));
    GT_REQUIRE(m->n_layers > 0, GT_ERROR_FORMAT, "the network has no layers");
    *model = m;
    m = NULL;
done:
    gt_ncnn_model_destroy(m);
    return status;
}
