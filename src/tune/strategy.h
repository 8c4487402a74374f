/* SPDX-License-Identifier: Apache-2.0 */
/* The model-guided search: which config to measure next, once the defaults and the transforms have been.
 *
 * An *arm* is a template for a task and a layout pair. Its times are estimated from its loops (costmodel/analytic.h); what
 * the estimates leave is learned, by Gaussian process regression, from the arm's own measurements and from those of the
 * arms of the same template whose workloads are most alike (costmodel/predict.h). The next config is the one with the largest
 * expected improvement of the network: uses of the workload times the ns by which the layout pair's best should fall.
 *
 * Everything follows from the sequence of the records that were noted, and from nothing else: neither from a clock nor from
 * what was asked in between. So a tune that is resumed from its records continues as if it had not been interrupted. */
#ifndef GT_TUNE_STRATEGY_H
#define GT_TUNE_STRATEGY_H

#include "costmodel/analytic.h"
#include "src/tune/tune_plan.h"

/* With GT_TUNE_TRIALS trials, an arm is done when its best config is expected to be better by less than this share of the
 * layout pair's best time, or of the network's; with more trials, at a share that is smaller in proportion. */
#define GT_STRATEGY_LAYER_SHARE 1e-3
#define GT_STRATEGY_NETWORK_SHARE 1e-5

typedef struct gt_strategy gt_strategy;

/* For the defaults in `plan`, made with options->strategy GT_STRATEGY_MODEL. A layout pair of a task may have options->trials
 * measurements per template, which its templates share. Everything is borrowed. */
gt_status gt_strategy_create(gt_strategy **strategy, const gt_tasks *tasks, const gt_tune_plan *plan,
                             const gt_tune_options *options, const gt_machine *machine) GT_NODISCARD;
void gt_strategy_destroy(gt_strategy *strategy);

/* Takes note of a record of a planned item or of one that gt_strategy_next gave, whatever its status; of a throttled one only
 * that it was made. O(arms). */
gt_status gt_strategy_note(gt_strategy *strategy, const gt_plan_item *item, const gt_record *record) GT_NODISCARD;

/* Notes, in their order, the records of an earlier run that are not throttled, of this device and number of threads. *known:
 * how many are of arms and neither a default nor of other workloads, from which is learned only. */
gt_status gt_strategy_recall(gt_strategy *strategy, const gt_records *records, const char *device, int threads,
                             int64_t *known) GT_NODISCARD;

/* Learns from records of other runs, of any device: never as measured here. Before gt_strategy_recall. */
gt_status gt_strategy_learn(gt_strategy *strategy, const gt_records *records) GT_NODISCARD;

/* The next item; *found: false when nothing is worth measuring. Time: some tenths of a millisecond, and per arm that is
 * looked at for the first time one or two ms. */
gt_status gt_strategy_next(gt_strategy *strategy, gt_plan_item *item, bool *found) GT_NODISCARD;

/* At most so many items will follow, as of the last gt_strategy_next; before the first, all trials count. */
int64_t gt_strategy_remaining(const gt_strategy *strategy);

#endif
