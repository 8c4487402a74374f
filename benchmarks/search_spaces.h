/* SPDX-License-Identifier: Apache-2.0 */
/* Whole config spaces of some workloads, measured once, for comparing search strategies. */
#ifndef GT_BENCHMARKS_SEARCH_SPACES_H
#define GT_BENCHMARKS_SEARCH_SPACES_H

#include "costmodel/measure.h"

/* A workload with one layout pair; its space is that of all templates that take both. */
typedef struct gt_search_space {
    const char *name, *workload;
    gt_layout in, out;
} gt_search_space;

int gt_search_space_count(void);
const gt_search_space *gt_search_space_at(int index);

/* Measures every valid point of every space that the file does not hold yet and appends it there, and of each space the
 * fastest ones a second time, longer (the last record of a point counts); tells on stderr how far it is. Errors: those of gt_records_open and of measuring. */
gt_status gt_search_record(const char *path, const gt_device *device, const gt_measure_options *o) GT_NODISCARD;

#endif
