/* SPDX-License-Identifier: Apache-2.0 */
/* The .bin file beside a .param: one array of numbers after another, in the order of the layers, and nothing
 * that says where a layer begins. */
#ifndef GT_IMPORT_NCNN_WEIGHTS_H
#define GT_IMPORT_NCNN_WEIGHTS_H

#include "src/base/file.h"

typedef struct gt_i_ncnn_weights {
    char *path;
    gt_file_reader *file; /* NULL where there is none */
    size_t bytes, at;
    bool random; /* make them up instead */
    uint64_t seed;
    int64_t made;  /* random numbers so far */
    bool lost;     /* an unsupported layer may have weights, so that nobody knows where the next ones begin */
    bool int8;     /* the last array held bytes that stand for int8 inference */
} gt_i_ncnn_weights;

/* Finds and opens the weights of `param_path`: `given` if not NULL, else the file of the same stem; a missing
 * file of that name is no error. Errors: GT_ERROR_IO, GT_ERROR_MEMORY. */
gt_status gt_i_ncnn_weights_open(gt_i_ncnn_weights *weights, const char *param_path, const char *given)
    GT_NODISCARD;
void gt_i_ncnn_weights_close(gt_i_ncnn_weights *weights);

/* Reads `count` numbers as floats into new memory, and holds no more of the file than a few KiB beside them. Errors as
 * for gt_i_ncnn_load. */
gt_status gt_i_ncnn_weights_read(float **out, gt_i_ncnn_weights *weights, int64_t count, bool flagged)
    GT_NODISCARD;

/* Makes `count` normal numbers that depend on the seed and the name alone. Errors: GT_ERROR_LIMIT. */
gt_status gt_i_ncnn_weights_random(float **out, gt_i_ncnn_weights *weights, const char *name, int64_t count,
                                   float mean, float deviation) GT_NODISCARD;

#endif
