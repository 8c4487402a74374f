/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/arena.h"

#include <string.h>

#define GT_I_BLOCK_BYTES ((size_t)64 << 10)

typedef struct gt_i_arena_block {
    struct gt_i_arena_block *older;
    size_t capacity_bytes;
} gt_i_arena_block;

/* The header takes one alignment unit, so that what follows it is aligned too. */
static char *block_data(gt_i_arena_block *block)
{
    return (char *)block + GT_ALIGN_BYTES;
}

static gt_status add_block(gt_i_arena *arena, size_t bytes)
{
    gt_status status = GT_OK;
    gt_i_arena_block *block = NULL;
    size_t capacity = bytes > GT_I_BLOCK_BYTES ? bytes : GT_I_BLOCK_BYTES;
    gt_i_account *account = arena->account;
    GT_REQUIRE(account == NULL || (int64_t)capacity <= account->limit_bytes - account->held_bytes, GT_ERROR_LIMIT,
               "the solver's memory budget of %lld bytes is used up", (long long)account->limit_bytes);
    GT_TRY(gt_alloc_aligned(&block, capacity + GT_ALIGN_BYTES));
    block->older = arena->blocks;
    block->capacity_bytes = capacity;
    arena->blocks = block;
    arena->used_bytes = 0;
    if (account != NULL) {
        account->held_bytes += (int64_t)capacity;
    }
done:
    return status;
}

gt_status gt_i_arena_take(gt_i_arena *arena, void *out, int64_t count, size_t size)
{
    gt_status status = GT_OK;
    int64_t bytes = 0;
    GT_TRY(gt_i_mul(&bytes, count, (int64_t)size, "solver memory"));
    GT_REQUIRE(bytes < INT64_MAX / 2, GT_ERROR_MEMORY, "out of memory (solver table)");
    size_t need = ((size_t)bytes + 15) & ~(size_t)15;
    if (arena->blocks == NULL || need > arena->blocks->capacity_bytes - arena->used_bytes) {
        GT_TRY(add_block(arena, need));
    }
    void *place = block_data(arena->blocks) + arena->used_bytes;
    arena->used_bytes += need;
    memcpy(out, &place, sizeof place);
done:
    return status;
}

void gt_i_arena_destroy(gt_i_arena *arena)
{
    while (arena->blocks != NULL) {
        gt_i_arena_block *older = arena->blocks->older;
        if (arena->account != NULL) {
            arena->account->held_bytes -= (int64_t)arena->blocks->capacity_bytes;
        }
        gt_free(arena->blocks);
        arena->blocks = older;
    }
    arena->used_bytes = 0;
}
