/* SPDX-License-Identifier: Apache-2.0 */
/* The binary form, .param.bin: little-endian 32-bit words. Magic number, numbers of layers and blobs; for
 * each layer its type number, numbers of bottoms and tops, their blob numbers, and pairs of id and value
 * up to id -233; an array is -(23300 + id), count, values. */
#include "src/import/ncnn_param.h"

#include "src/base/text.h"

#include <stdio.h>

static const char *const type_names[] = {
#define GT_NCNN_TYPE(name) #name,
#include "src/import/ncnn_types.inc"
#undef GT_NCNN_TYPE
};
#define N_TYPES (sizeof type_names / sizeof *type_names)

const char *gt_ncnn_type_name(int32_t number)
{
    return number >= 0 && (size_t)number < N_TYPES ? type_names[number] : NULL;
}

typedef struct reader {
    const unsigned char *data;
    size_t bytes, at;
} reader;

static gt_status read_word(uint32_t *out, reader *r, const char *what)
{
    if (r->bytes - r->at < 4) {
        return gt_fail(GT_ERROR_FORMAT, "byte %zu: the file ends where %s is needed", r->at, what);
    }
    const unsigned char *p = r->data + r->at;
    *out = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    r->at += 4;
    return GT_OK;
}

static gt_status read_int(int64_t *out, reader *r, const char *what)
{
    uint32_t word = 0;
    gt_status status = read_word(&word, r, what);
    *out = (int32_t)word;
    return status;
}

/* A count of things of which each takes `words` words of the file at least. */
static gt_status read_count(int64_t *out, reader *r, const char *what, int64_t words)
{
    gt_status status = read_int(out, r, what);
    if (status != GT_OK) {
        return status;
    }
    int64_t room = (int64_t)((r->bytes - r->at) / 4) / words;
    if (*out < 0 || *out > room) {
        return gt_fail(GT_ERROR_FORMAT, "byte %zu: %s is %lld; the file has room for 0 to %lld", r->at - 4,
                       what, (long long)*out, (long long)room);
    }
    return GT_OK;
}

static gt_status read_blobs(gt_ncnn_model *model, gt_ncnn_layer *layer, reader *r, int64_t count, bool tops)
{
    gt_status status = GT_OK;
    char name[32];
    for (int64_t i = 0; i < count; i++) {
        int64_t number = 0;
        GT_TRY(read_int(&number, r, "a blob's number"));
        GT_REQUIRE(number >= 0 && number < model->stated_blobs, GT_ERROR_FORMAT,
                   "byte %zu: %s %lld is blob %lld; 0 to %lld are allowed", r->at - 4,
                   tops ? "top" : "bottom", (long long)i, (long long)number,
                   (long long)model->stated_blobs - 1);
        snprintf(name, sizeof name, "blob_%lld", (long long)number);
        GT_TRY(tops ? gt_i_ncnn_add_top(model, layer, name) : gt_i_ncnn_add_bottom(model, layer, name));
    }
done:
    return status;
}

static gt_status read_params(gt_ncnn_layer *layer, reader *r)
{
    gt_status status = GT_OK;
    int64_t id = 0;
    GT_TRY(read_int(&id, r, "a parameter's id"));
    while (id != GT_NCNN_REST) {
        bool array = id <= -23300;
        int64_t count = 1;
        gt_ncnn_number *numbers = NULL;
        size_t place = r->at - 4;
        if (array) {
            GT_TRY(read_count(&count, r, "an array's number of elements", 1));
        }
        status = gt_i_ncnn_add_param(&numbers, layer, array ? -id - 23300 : id, array, count);
        if (status != GT_OK) {
            return gt_fail_in(status, "byte %zu", place);
        }
        for (int64_t i = 0; i < count; i++) {
            numbers[i].form = GT_NCNN_BITS;
            GT_TRY(read_word(&numbers[i].bits, r, "a parameter's value"));
        }
        GT_TRY(read_int(&id, r, "a parameter's id"));
    }
done:
    return status;
}

static gt_status name_layer(gt_ncnn_layer *layer, int64_t type, int index)
{
    gt_status status = GT_OK;
    char text[32];
    const char *known = gt_ncnn_type_name((int32_t)type);
    snprintf(text, sizeof text, "#%lld", (long long)type);
    GT_TRY(gt_strdup(&layer->type, known != NULL ? known : text));
    snprintf(text, sizeof text, "layer_%d", index);
    GT_TRY(gt_strdup(&layer->name, text));
done:
    return status;
}

static gt_status read_layer(gt_ncnn_model *model, reader *r)
{
    gt_status status = GT_OK;
    int64_t type = 0;
    int64_t n_bottoms = 0;
    int64_t n_tops = 0;
    GT_TRY(gt_i_grow(&model->layers, &model->layers_capacity, (size_t)model->n_layers,
                     sizeof *model->layers));
    gt_ncnn_layer *layer = &model->layers[model->n_layers];
    layer->place = (int64_t)r->at;
    GT_TRY(read_int(&type, r, "a layer's type"));
    GT_TRY(name_layer(layer, type, model->n_layers));
    status = read_count(&n_bottoms, r, "the number of bottoms", 1);
    status = status == GT_OK ? read_count(&n_tops, r, "the number of tops", 1) : status;
    status = status == GT_OK ? read_blobs(model, layer, r, n_bottoms, false) : status;
    status = status == GT_OK ? read_blobs(model, layer, r, n_tops, true) : status;
    status = status == GT_OK ? read_params(layer, r) : status;
    if (status != GT_OK) {
        return gt_ncnn_fail_at(status, model, layer);
    }
    model->n_layers++;
done:
    return status;
}

gt_status gt_i_ncnn_parse_binary(gt_ncnn_model *model, const char *data, size_t bytes)
{
    gt_status status = GT_OK;
    reader r = {.data = (const unsigned char *)data, .bytes = bytes, .at = 4};
    GT_TRY(read_count(&model->stated_layers, &r, "the number of layers", 4));
    GT_TRY(read_count(&model->stated_blobs, &r, "the number of blobs", 1));
    while (model->n_layers < model->stated_layers) {
        GT_TRY(read_layer(model, &r));
    }
    GT_REQUIRE(r.at == bytes, GT_ERROR_FORMAT, "byte %zu: %zu bytes follow the last of %lld layers", r.at,
               bytes - r.at, (long long)model->stated_layers);
done:
    return status;
}
