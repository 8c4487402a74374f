/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/rng.h"

#include <math.h>

void gt_rng_seed(gt_rng *rng, uint64_t seed)
{
    rng->state = seed;
}

uint64_t gt_rng_u64(gt_rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t gt_rng_below(gt_rng *rng, int64_t bound)
{
    return (int64_t)(gt_rng_u64(rng) % (uint64_t)bound);
}

float gt_rng_uniform(gt_rng *rng, float lo, float hi)
{
    /* 24 bits times 24 bits is exact in a double, so that a fused multiply-add rounds no differently. */
    double fraction = (double)(gt_rng_u64(rng) >> 40) * 0x1p-24;
    return (float)((double)lo + (double)(hi - lo) * fraction);
}

float gt_rng_normal(gt_rng *rng)
{
    double u = ((double)(gt_rng_u64(rng) >> 11) + 1) * 0x1p-53;
    double v = (double)(gt_rng_u64(rng) >> 11) * 0x1p-53;
    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

void gt_rng_fill(gt_rng *rng, float *values, size_t count, float lo, float hi)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = gt_rng_uniform(rng, lo, hi);
    }
}

uint64_t gt_hash_bytes(const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ p[i]) * 0x100000001b3u;
    }
    return hash;
}
