/* SPDX-License-Identifier: Apache-2.0 */
/* Search strategies played on a space that was measured before. */
#ifndef GT_BENCHMARKS_SEARCH_REPLAY_H
#define GT_BENCHMARKS_SEARCH_REPLAY_H

#include "benchmarks/search_spaces.h"
#include "src/tune/strategy.h"

#define GT_SEARCH_MOST 4096

typedef struct gt_search_replay gt_search_replay;

/* The measurements that a strategy made, in its order; failed ones as infinite. */
typedef struct gt_search_run {
    int n;
    double ns[GT_SEARCH_MOST];
    gt_records *keep; /* where they are added, or NULL */
} gt_search_run;

/* Records, space and device are borrowed. Errors: GT_ERROR_MISMATCH when the records do not hold the space's defaults. */
gt_status gt_search_replay_create(gt_search_replay **replay, const gt_search_space *space, const gt_records *records,
                                  const gt_device *device) GT_NODISCARD;
void gt_search_replay_destroy(gt_search_replay *replay);

const gt_search_space *gt_search_space_of(const gt_search_replay *replay);
const char *gt_search_key(const gt_search_replay *replay);
/* The best of the whole space, and how many points it has. */
double gt_search_best_ns(const gt_search_replay *replay);
int64_t gt_search_points(const gt_search_replay *replay);

/* GT_STRATEGY_GRID or _RANDOM: the templates in turn, until `most` points. */
gt_status gt_search_draw(gt_search_run *run, const gt_search_replay *replay, gt_strategy_kind kind, int most,
                         uint64_t seed) GT_NODISCARD;

/* GT_STRATEGY_MODEL, from the defaults on; it may end before `most`. others: records of other spaces to learn from, or NULL. */
gt_status gt_search_model(gt_search_run *run, const gt_search_replay *replay, int most, const gt_records *others) GT_NODISCARD;

#endif
