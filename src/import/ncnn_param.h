/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of an ncnn network, as its .param (text) or .param.bin file states it. */
#ifndef GT_IMPORT_NCNN_PARAM_H
#define GT_IMPORT_NCNN_PARAM_H

#include "src/base/memory.h"
#include "src/import/name_map.h"

#define GT_NCNN_MAGIC 7767517
/* ncnn keeps 32 parameters per layer. */
#define GT_NCNN_MAX_PARAMS 32
/* Where ncnn means "to the end", "equal shares", "left out", "as SAME padding has it". */
#define GT_NCNN_REST (-233)

/* A number as the file has it. The binary form does not say whether 32 bits are an integer or a float. */
typedef enum gt_ncnn_form { GT_NCNN_INT, GT_NCNN_FLOAT, GT_NCNN_BITS, GT_NCNN_STRING } gt_ncnn_form;

typedef struct gt_ncnn_number {
    gt_ncnn_form form;
    uint32_t bits;
} gt_ncnn_number;

typedef struct gt_ncnn_param {
    int id;
    bool array;
    int64_t count; /* 1 where it is no array */
    gt_ncnn_number *numbers;
} gt_ncnn_param;

typedef struct gt_ncnn_layer {
    char *type; /* "Convolution"; "#123" for a type number that is not known */
    char *name; /* "layer_7" in binary files, which have no names */
    int64_t place; /* line in a text file, byte in a binary one */
    int n_bottoms, n_tops;
    size_t bottoms_capacity, tops_capacity;
    int *bottoms, *tops; /* blob indices */
    int n_params;
    size_t params_capacity;
    gt_ncnn_param *params;
} gt_ncnn_layer;

typedef struct gt_ncnn_blob {
    char *name; /* "blob_7" in binary files */
    int producer; /* layer */
    int uses;     /* how often layers read it */
} gt_ncnn_blob;

typedef struct gt_ncnn_model {
    bool binary;
    int64_t stated_layers, stated_blobs; /* what the header says */
    int n_layers, n_blobs;
    size_t layers_capacity, blobs_capacity;
    gt_ncnn_layer *layers; /* each reads only blobs of earlier ones */
    gt_ncnn_blob *blobs;
    gt_i_name_map blob_names;
} gt_ncnn_model;

/* Reads a .param or .param.bin file from memory (NUL-terminated beyond `bytes`). Errors: GT_ERROR_FORMAT with
 * line or byte, layer and field; GT_ERROR_MEMORY. Wrong counts in a text file's header are no error. */
gt_status gt_ncnn_parse(gt_ncnn_model **model, const char *data, size_t bytes) GT_NODISCARD;
void gt_ncnn_model_destroy(gt_ncnn_model *model);

/* The text before a message about a layer: "line 3: layer 'conv1' (Convolution)". Returns `status`. */
gt_status gt_ncnn_fail_at(gt_status status, const gt_ncnn_model *model, const gt_ncnn_layer *layer);

/* The type with this number in binary files, or NULL. */
const char *gt_ncnn_type_name(int32_t number);

/* ---- building, for the two readers ---- */

/* A blob that a layer makes. Errors: GT_ERROR_FORMAT if another layer makes it already. */
gt_status gt_i_ncnn_add_top(gt_ncnn_model *model, gt_ncnn_layer *layer, const char *name) GT_NODISCARD;
/* A blob that a layer reads. Errors: GT_ERROR_FORMAT if no earlier layer makes it. */
gt_status gt_i_ncnn_add_bottom(gt_ncnn_model *model, gt_ncnn_layer *layer, const char *name) GT_NODISCARD;
/* Room for a parameter's numbers. Errors: GT_ERROR_FORMAT for an id out of range or given twice. */
gt_status gt_i_ncnn_add_param(gt_ncnn_number **numbers, gt_ncnn_layer *layer, int64_t id, bool array,
                              int64_t count) GT_NODISCARD;
gt_status gt_i_ncnn_parse_text(gt_ncnn_model *model, const char *data, size_t bytes) GT_NODISCARD;
gt_status gt_i_ncnn_parse_binary(gt_ncnn_model *model, const char *data, size_t bytes) GT_NODISCARD;

#endif
