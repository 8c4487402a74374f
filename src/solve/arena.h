/* SPDX-License-Identifier: Apache-2.0 */
/* A bump allocator: everything taken from an arena is freed together. */
#ifndef GT_SOLVE_ARENA_H
#define GT_SOLVE_ARENA_H

#include "src/base/memory.h"

/* What several arenas hold together, and may. */
typedef struct gt_i_account {
    int64_t held_bytes, limit_bytes;
} gt_i_account;

typedef struct gt_i_arena {
    struct gt_i_arena_block *blocks;
    size_t used_bytes;     /* in the newest block */
    gt_i_account *account; /* borrowed; NULL: no limit */
} gt_i_arena;

/* Uninitialised memory for count elements in *out, never NULL. Errors: GT_ERROR_MEMORY, GT_ERROR_LIMIT (beyond what the
 * account allows). */
gt_status gt_i_arena_take(gt_i_arena *arena, void *out, int64_t count, size_t size) GT_NODISCARD;

void gt_i_arena_destroy(gt_i_arena *arena);

#endif
