/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation: every byte that graphtune allocates goes through here, so that tests can make
 * allocation k fail and see that nothing leaks. */
#ifndef GT_BASE_MEMORY_H
#define GT_BASE_MEMORY_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tensors and packed weights are aligned for the widest vectors and a cache line. */
#define GT_ALIGN_BYTES 64

/* Returns zeroed memory of count * size bytes in *out (never NULL on success, even for 0 bytes).
 * Errors: GT_ERROR_MEMORY, also when the product overflows. Free with gt_free. */
gt_status gt_calloc(void *out, size_t count, size_t size) GT_NODISCARD;

/* As gt_calloc, aligned to GT_ALIGN_BYTES and NOT zeroed. Free with gt_free. */
gt_status gt_alloc_aligned(void *out, size_t bytes) GT_NODISCARD;

/* Copies a NUL-terminated string. Free with gt_free. */
gt_status gt_strdup(char **out, const char *text) GT_NODISCARD;

/* Frees what the functions above returned; NULL is allowed. */
void gt_free(void *pointer);

/* Makes room for one more element in a growing array: *items (element size `size`) holds `count`
 * elements and has room for *capacity. New room is zeroed. */
gt_status gt_i_grow(void *items, size_t *capacity, size_t count, size_t size) GT_NODISCARD;

/* GT_PUSH(items, count, capacity, value): appends to a growing array; jumps to `done` on failure. */
#define GT_PUSH(items, count, capacity, value)                                              \
    do {                                                                                    \
        GT_TRY(gt_i_grow(&(items), &(capacity), (size_t)(count), sizeof *(items)));         \
        (items)[(count)++] = (value);                                                       \
    } while (0)

/* a * b in *out, or GT_ERROR_LIMIT naming `what`. Operands must be >= 0. */
gt_status gt_i_mul(int64_t *out, int64_t a, int64_t b, const char *what) GT_NODISCARD;

/* Test hook: the allocation with this number (0 = the next one) fails; negative: none does. */
void gt_i_fail_allocation(int64_t number);

/* Test hook: how many blocks are allocated and not freed. */
int64_t gt_i_live_allocations(void);

#endif
