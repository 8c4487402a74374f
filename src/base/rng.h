/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded pseudo-random numbers: the same seed gives the same sequence on every machine. */
#ifndef GT_BASE_RNG_H
#define GT_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014). */
typedef struct gt_rng {
    uint64_t state;
} gt_rng;

/* Any seed will do. */
void gt_rng_seed(gt_rng *rng, uint64_t seed);
/* All 64 bits are uniform. */
uint64_t gt_rng_u64(gt_rng *rng);

/* Uniform in [0, bound); bound >= 1. */
int64_t gt_rng_below(gt_rng *rng, int64_t bound);

/* Uniform in [lo, hi). */
float gt_rng_uniform(gt_rng *rng, float lo, float hi);

/* Standard normal (Box and Muller 1958). */
float gt_rng_normal(gt_rng *rng);

/* Fills `count` floats uniformly from [lo, hi). */
void gt_rng_fill(gt_rng *rng, float *values, size_t count, float lo, float hi);

/* 64-bit FNV-1a of a byte range: stable seeds from names. */
uint64_t gt_hash_bytes(const void *bytes, size_t count);

#endif
