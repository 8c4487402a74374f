/* SPDX-License-Identifier: Apache-2.0 */
/* Standard convolutional networks with seeded random weights, as an exporter would write them:
 * batch 1, NCHW, float32, opset 13, batch normalisation not yet folded. The structure and every
 * shape are the published ones, so that tuning needs no download; the weights are random, but
 * keep activations in range through the whole depth, and different inputs give different
 * outputs. */
#ifndef GT_ZOO_ZOO_H
#define GT_ZOO_ZOO_H

#include "src/import/onnx_file.h"

typedef struct gt_zoo_options {
    double width;       /* multiplier of the channel counts, 0.1 to 4; 0 is 1.0 */
    int64_t resolution; /* input height and width in pixels; 0 is the architecture's default */
    uint64_t seed;      /* same seed, same bytes, on every machine */
} gt_zoo_options;

/* How many architectures there are, and what each (0 <= index < count) is called, is, and takes. */
int gt_zoo_count(void);
const char *gt_zoo_name(int index);
const char *gt_zoo_description(int index);
int64_t gt_zoo_resolution(int index);

/* Builds an architecture in memory; free with gt_onnx_model_destroy. `options` may be NULL (all
 * defaults). The input is "input" [1,3,resolution,resolution].
 * Errors: GT_ERROR_NOT_FOUND (the message lists all names), GT_ERROR_ARGUMENT (width or
 * resolution outside what the architecture takes), GT_ERROR_MEMORY. */
gt_status gt_zoo_build(gt_onnx_model **model, const char *name,
                       const gt_zoo_options *options) GT_NODISCARD;

/* gt_zoo_build, then gt_onnx_write. Errors: as both. */
gt_status gt_zoo_write(const char *name, const gt_zoo_options *options,
                       const char *path) GT_NODISCARD;

#endif
