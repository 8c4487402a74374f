/* SPDX-License-Identifier: Apache-2.0 */
/* What share of a space's best a strategy reaches within a twentieth of the space's points. */
#ifndef GT_BENCHMARKS_SEARCH_SHARE_H
#define GT_BENCHMARKS_SEARCH_SHARE_H

#include "benchmarks/search_replay.h"

#define GT_SHARE_OF_POINTS 0.05

/* The time of the best over that of the best found. */
typedef struct gt_search_share {
    int measurements; /* that the model made, at most GT_SHARE_OF_POINTS of the space's points; it may end before */
    double model;
    double random;    /* with as many measurements, the mean over seeds */
} gt_search_share;

/* Errors: those of playing. */
gt_status gt_search_share_find(gt_search_share *share, const gt_search_replay *replay, int seeds) GT_NODISCARD;

/* The table of n >= 1 spaces with its median and its worst row, and what misses the targets: a median of 97 %, a worst of
 * 90 %, and both above random's. */
gt_status gt_search_share_print(const gt_search_share *shares, gt_search_replay *const *replays, int n) GT_NODISCARD;

#endif
