/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles of made-up networks. Any failure ends the process with its message. */
#ifndef GT_TESTS_BUNDLE_MAKE_H
#define GT_TESTS_BUNDLE_MAKE_H

#include "src/base/rng.h"
#include "src/plan/bundle.h"

/* A network, the right outputs for some inputs, and its bundle in memory. */
typedef struct bm_case {
    gt_graph *graph;
    void **inputs, **want; /* in the graph's order */
    char *bytes;           /* GT_ALIGN_BYTES aligned */
    size_t n_bytes;
} bm_case;

/* Takes the graph over. `isa`: what it is packed for; NULL: the best that this machine has. */
bm_case bm_make(gt_graph *graph, gt_rng *rng, const char *isa);
void bm_clear(bm_case *c);

/* The bundle of a small convolutional network. */
bm_case bm_small(uint64_t seed, const char *isa);

/* Writes new checksums over a bundle whose manifest or weights were changed. */
void bm_seal(char *bytes, size_t n_bytes);

/* A bundle with another manifest; an aligned buffer, sealed, for gt_free. */
char *bm_with_manifest(size_t *n_bytes, const bm_case *c, const char *manifest, size_t manifest_bytes);

/* Runs a deployment on the inputs; NULL, or what is wrong with its outputs (the calling thread's, until its next call). */
const char *bm_check(gt_deployment *d, const bm_case *c);

#endif
