/* SPDX-License-Identifier: Apache-2.0 */
/* XXH64 (Collet, "xxHash fast digest algorithm", seed 0): finds damage at the speed of memory; no defence against
 * somebody who means harm. In pieces: begin, add any number of times, end. */
#ifndef GT_BASE_XXH64_H
#define GT_BASE_XXH64_H

#include <stddef.h>
#include <stdint.h>

typedef struct gt_xxh64 {
    uint64_t lanes[4];
    uint64_t bytes;
    unsigned char block[32]; /* the last bytes % 32 bytes */
} gt_xxh64;

void gt_xxh64_begin(gt_xxh64 *hash);
void gt_xxh64_add(gt_xxh64 *hash, const void *data, size_t bytes);
uint64_t gt_xxh64_end(const gt_xxh64 *hash);

/* The three in one. */
uint64_t gt_xxh64_of(const void *data, size_t bytes);

#endif
