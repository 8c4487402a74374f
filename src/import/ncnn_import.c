/* SPDX-License-Identifier: Apache-2.0 */
/* ncnn network to graph: the registry of layer types and the walk over the layers. */
#include "src/import/format.h"
#include "src/import/ncnn_context.h"

#include <stdlib.h>
#include <string.h>

/* ---- registry ---- */

typedef struct layer_type {
    const char *name;
    int min_bottoms, max_bottoms, min_tops, max_tops;
    gt_i_ncnn_handler *handle;
    const char *params;
} layer_type;

static const layer_type types[] = {
#define GT_NCNN_LAYER(name, min_bottoms, max_bottoms, min_tops, max_tops, handler, params) \
    {#name, min_bottoms, max_bottoms, min_tops, max_tops, gt_i_ncnn_##handler, params},
#include "src/import/ncnn_layers.inc"
#undef GT_NCNN_LAYER
};
#define N_LAYER_TYPES (sizeof types / sizeof *types)

bool gt_ncnn_supported_layer(size_t index, gt_ncnn_layer_info *info)
{
    if (index >= N_LAYER_TYPES) {
        return false;
    }
    const layer_type *t = &types[index];
    *info = (gt_ncnn_layer_info){t->name, t->min_bottoms, t->max_bottoms, t->min_tops, t->max_tops, t->params};
    return true;
}

static const layer_type *find_type(const char *name)
{
    for (size_t i = 0; i < N_LAYER_TYPES; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

/* ---- one layer ---- */

static bool reads_param(const layer_type *type, int id)
{
    const char *at = type->params;
    while (*at != '\0') {
        char *end = NULL;
        if (strtol(at, &end, 10) == id) {
            return true;
        }
        at = end;
    }
    return id == 30 || id == 31;
}

static bool is_int8_only(const char *type)
{
    return strcmp(type, "Quantize") == 0 || strcmp(type, "Dequantize") == 0 || strcmp(type,
        "Requantize") == 0;
}

static gt_status check_layer(const layer_type **type, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    const layer_type *found = find_type(layer->type);
    GT_REQUIRE(!is_int8_only(layer->type), GT_ERROR_UNSUPPORTED, "int8 inference is not supported yet; "
               "convert the float model");
    GT_REQUIRE(found != NULL, GT_ERROR_UNSUPPORTED, "this layer type is not handled");
    GT_TRY(gt_i_import_check_count("bottom", layer->n_bottoms, found->min_bottoms, found->max_bottoms));
    GT_TRY(gt_i_import_check_count("top", layer->n_tops, found->min_tops, found->max_tops));
    for (int i = 0; i < layer->n_params; i++) {
        GT_REQUIRE(reads_param(found, layer->params[i].id), GT_ERROR_UNSUPPORTED,
                   "parameter %d is not handled", layer->params[i].id);
    }
    *type = found;
done:
    return status;
}

static bool is_starved(const gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    for (int k = 0; k < layer->n_bottoms; k++) {
        if (c->values[layer->bottoms[k]].unknown) {
            return true;
        }
    }
    return false;
}

static gt_status note_unsupported(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    c->n_unsupported++;
    return gt_text_append(&c->unsupported, "\n  %s %lld: %s: %s: %s", c->model->binary ? "byte" : "line",
                          (long long)layer->place, layer->name, layer->type, gt_error_message());
}

/* An unsupported layer is noted and does not fail yet. Layers that read what it makes are only looked at for their type and
 * parameters, and since it may have weights nobody knows where the next ones begin: layers with weights are treated
 * likewise. */
static gt_status import_layer(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    const layer_type *type = NULL;
    bool starved = is_starved(c, layer);
    c->layer = layer;
    c->name_used = false;
    c->wants_lost = false;
    gt_status status = check_layer(&type, layer);
    if (status == GT_OK && !starved) {
        status = type->handle(c, layer);
    }
    if (status != GT_OK && status != GT_ERROR_UNSUPPORTED) {
        return gt_ncnn_fail_at(status, c->model, layer);
    }
    bool lost = starved || status != GT_OK;
    if (status != GT_OK) {
        status = c->wants_lost ? GT_OK : note_unsupported(c, layer);
    }
    c->weights.lost = c->weights.lost || lost;
    for (int k = 0; k < layer->n_tops; k++) {
        c->values[layer->tops[k]].unknown = lost;
    }
    return status;
}

/* ---- all layers ---- */

static gt_status report_unsupported(const gt_i_ncnn *c)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    if (c->n_unsupported > 0) {
        GT_TRY(gt_text_append(&text, "%d of %d layers are not supported:%s", c->n_unsupported,
                              c->model->n_layers, c->unsupported.data));
    }
    if (c->n_int8 > 0) {
        GT_TRY(gt_text_append(&text, "%s%d layers have int8 weights for int8 inference, which is not "
                              "supported yet: %s%s; convert the float model", c->n_unsupported > 0 ? "\n"
                              : "", c->n_int8, c->int8.data, c->n_int8 > 8 ? ", ..." : ""));
    }
    GT_REQUIRE(text.data == NULL, GT_ERROR_UNSUPPORTED, "%s", text.data);
done:
    gt_text_destroy(&text);
    return status;
}

static void note_counts(const gt_i_ncnn *c)
{
    const gt_ncnn_model *m = c->model;
    if (m->stated_layers != m->n_layers) {
        gt_i_ncnn_note(c, "the header states %lld layers; there are %d", (long long)m->stated_layers,
                       m->n_layers);
    }
    if (m->stated_blobs != m->n_blobs) {
        gt_i_ncnn_note(c, "the header states %lld blobs; there are %d", (long long)m->stated_blobs,
                       m->n_blobs);
    }
}

static void note_rest(const gt_i_ncnn *c)
{
    const gt_i_ncnn_weights *w = &c->weights;
    if (w->file != NULL && !w->random && w->at < w->bytes) {
        gt_i_ncnn_note(c, "%zu of the %zu bytes of %s are not used; is it the file of another network?",
                       w->bytes - w->at, w->bytes, w->path);
    }
}

static gt_status import_layers(gt_i_ncnn *c)
{
    gt_status status = GT_OK;
    for (int i = 0; i < c->model->n_layers; i++) {
        GT_TRY(import_layer(c, &c->model->layers[i]));
    }
    GT_TRY(report_unsupported(c));
    note_rest(c);
done:
    return status;
}

static gt_status check_shapes_used(const gt_i_ncnn *c)
{
    gt_status status = GT_OK;
    gt_text names = {0};
    for (int i = 0; i < c->graph->n_inputs; i++) {
        GT_TRY(gt_text_append(&names, "%s'%s'", i > 0 ? ", " : "",
                              c->graph->tensors[c->graph->inputs[i]].name));
    }
    for (size_t i = 0; i < c->options->n_shapes; i++) {
        GT_REQUIRE(c->shape_used[i], GT_ERROR_NOT_FOUND, "a shape is given for '%s', which is no input (%s)",
                   c->options->shapes[i].name, names.data != NULL ? names.data : "there are none");
    }
done:
    gt_text_destroy(&names);
    return status;
}

/* ---- outputs ---- */

/* A graph output that is a graph input or a constant needs an op that writes it. */
static gt_status add_copy(int *tensor, gt_i_ncnn *c, const char *name)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    int source = *tensor;
    GT_TRY(gt_text_append(&text, "%s/copy", name));
    GT_TRY(gt_graph_add_op(c->graph, NULL, tensor, GT_OP_COPY, text.data, text.data, &(gt_attrs){0}, NULL, 1,
                           &source, NULL));
done:
    gt_text_destroy(&text);
    return status;
}

/* The blobs that no layer reads, as in ncnn. Inputs and constants among them count only if there are no
 * others. */
static gt_status add_outputs(gt_i_ncnn *c, bool sources)
{
    gt_status status = GT_OK;
    for (int i = 0; i < c->model->n_blobs; i++) {
        const gt_ncnn_blob *blob = &c->model->blobs[i];
        int tensor = c->values[i].tensor;
        if (blob->uses > 0 || tensor == GT_NO_TENSOR) {
            continue;
        }
        if (c->graph->tensors[tensor].producer < 0) {
            const gt_ncnn_layer *layer = &c->model->layers[blob->producer];
            if (layer->n_bottoms == 0 && !sources) {
                continue;
            }
            GT_TRY(add_copy(&tensor, c, blob->name));
        }
        GT_TRY(gt_graph_add_output(c->graph, tensor, blob->name));
    }
    if (c->graph->n_outputs == 0 && !sources) {
        return add_outputs(c, true);
    }
    GT_REQUIRE(c->graph->n_outputs > 0, GT_ERROR_FORMAT, "the network has no outputs: every blob is read by "
               "a layer");
done:
    return status;
}

/* ---- the whole ---- */

static gt_status create_graph(gt_i_ncnn *c)
{
    gt_status status = GT_OK;
    char *name = NULL;
    const char *slash = strrchr(c->path, '/');
    GT_TRY(gt_strdup(&name, slash != NULL ? slash + 1 : c->path));
    char *dot = strstr(name, ".param");
    if (dot != NULL && dot != name) {
        *dot = '\0';
    }
    GT_TRY(gt_graph_create(&c->graph, name));
    c->graph->n_source_ops = c->model->n_layers;
done:
    gt_free(name);
    return status;
}

static gt_status import_model(gt_i_ncnn *c)
{
    gt_status status = GT_OK;
    GT_TRY(create_graph(c));
    GT_TRY(gt_calloc(&c->values, (size_t)c->model->n_blobs, sizeof *c->values));
    GT_TRY(gt_calloc(&c->shape_used, c->options->n_shapes, sizeof *c->shape_used));
    for (int i = 0; i < c->model->n_blobs; i++) {
        c->values[i].tensor = GT_NO_TENSOR;
    }
    note_counts(c);
    GT_TRY(import_layers(c));
    GT_TRY(check_shapes_used(c));
    GT_TRY(add_outputs(c, false));
done:
    return status;
}

static void destroy_context(gt_i_ncnn *c)
{
    gt_graph_destroy(c->graph);
    gt_ncnn_model_destroy(c->model);
    gt_i_ncnn_weights_close(&c->weights);
    gt_text_destroy(&c->unsupported);
    gt_text_destroy(&c->int8);
    gt_free(c->values);
    gt_free(c->shape_used);
}

gt_status gt_i_import_ncnn(gt_graph **graph, gt_i_import_source *source, const gt_import_options *options)
{
    gt_status status = GT_OK;
    gt_i_ncnn c = {.path = source->path, .options = options};
    c.weights.random = options->random_weights;
    c.weights.seed = options->random_seed;
    status = gt_ncnn_parse(&c.model, source->data, source->bytes);
    if (status == GT_OK && !c.weights.random) {
        GT_TRY(gt_i_ncnn_weights_open(&c.weights, source->path, options->weights_path));
    }
    status = status == GT_OK ? import_model(&c) : status;
    if (status != GT_OK) {
        status = gt_fail_in(status, "%s", source->path);
        goto done;
    }
    *graph = c.graph;
    c.graph = NULL;
done:
    destroy_context(&c);
    return status;
}
