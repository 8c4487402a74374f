/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int_least64_t allocations_until_failure = -1;
static atomic_int_least64_t live_allocations;

static bool must_fail(void)
{
    int_least64_t left = atomic_load_explicit(&allocations_until_failure, memory_order_relaxed);
    if (left < 0) {
        return false;
    }
    return atomic_fetch_sub(&allocations_until_failure, 1) == 0;
}

static gt_status hand_out(void *out, void *block, size_t bytes)
{
    if (block == NULL) {
        return gt_fail(GT_ERROR_MEMORY, "out of memory: could not allocate %zu bytes", bytes);
    }
    atomic_fetch_add_explicit(&live_allocations, 1, memory_order_relaxed);
    memcpy(out, &block, sizeof block);
    return GT_OK;
}

gt_status gt_calloc(void *out, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) {
        return gt_fail(GT_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes", count, size);
    }
    return hand_out(out, must_fail() ? NULL : calloc(1, bytes > 0 ? bytes : 1), bytes);
}

gt_status gt_alloc_aligned(void *out, size_t bytes)
{
    if (bytes > PTRDIFF_MAX - GT_ALIGN_BYTES) {
        return gt_fail(GT_ERROR_MEMORY, "out of memory: %zu bytes", bytes);
    }
    size_t rounded = (bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
    rounded = rounded > 0 ? rounded : GT_ALIGN_BYTES;
    return hand_out(out, must_fail() ? NULL : aligned_alloc(GT_ALIGN_BYTES, rounded), bytes);
}

gt_status gt_strdup(char **out, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = NULL;
    gt_status status = gt_calloc(&copy, bytes, 1);
    if (status == GT_OK) {
        memcpy(copy, text, bytes);
        *out = copy;
    }
    return status;
}

void gt_free(void *pointer)
{
    if (pointer != NULL) {
        atomic_fetch_sub_explicit(&live_allocations, 1, memory_order_relaxed);
        free(pointer);
    }
}

gt_status gt_i_grow(void *items, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return GT_OK;
    }
    size_t larger = *capacity < 8 ? 8 : *capacity * 2;
    void *old = NULL;
    void *fresh = NULL;
    memcpy(&old, items, sizeof old);
    gt_status status = gt_calloc(&fresh, larger, size);
    if (status != GT_OK) {
        return status;
    }
    if (old != NULL) {
        memcpy(fresh, old, count * size);
        gt_free(old);
    }
    memcpy(items, &fresh, sizeof fresh);
    *capacity = larger;
    return GT_OK;
}

gt_status gt_i_mul(int64_t *out, int64_t a, int64_t b, const char *what)
{
    int64_t product = 0;
    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) {
        return gt_fail(GT_ERROR_LIMIT, "%s is too large: %lld times %lld", what, (long long)a,
                       (long long)b);
    }
    *out = product;
    return GT_OK;
}

void gt_i_fail_allocation(int64_t number)
{
    atomic_store(&allocations_until_failure, number);
}

int64_t gt_i_live_allocations(void)
{
    return atomic_load(&live_allocations);
}
