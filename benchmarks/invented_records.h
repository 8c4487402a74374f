/* SPDX-License-Identifier: Apache-2.0 */
/* Records without measuring: for each candidate default config a time that grows with its multiply-adds and data, and
 * differs by layout at random. Costs are made up, structure and domain sizes are real. */
#ifndef GT_BENCHMARKS_INVENTED_RECORDS_H
#define GT_BENCHMARKS_INVENTED_RECORDS_H

#include "src/records/records.h"
#include "src/tune/tune.h"

/* Records of one thread for all templates of single ops in all layouts, and transforms of all shapes. Two ops done as one are
 * left out: what selections are compared with here chooses op by op (tests/test_select.c compares those that have them). */
gt_status gt_invent_records(gt_records **records, const gt_tasks *tasks, uint64_t seed) GT_NODISCARD;

#endif
