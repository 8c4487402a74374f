/* SPDX-License-Identifier: Apache-2.0 */
/* A selection from AutoTVM's records, handed back to TVM. */
#ifndef GT_TUNE_AUTOTVM_EMIT_H
#define GT_TUNE_AUTOTVM_EMIT_H

#include "src/plan/plan.h"

/* What a plan took from AutoTVM's records. */
typedef struct gt_autotvm_taken {
    int lines;       /* candidates */
    int other_sides; /* those of a convolution that pads both sides alike, where the network's does not (gt_select): TVM
                      * takes such a line for its own network alone */
} gt_autotvm_taken;

/* Writes the log line of every candidate that the plan took from AutoTVM, in the order of the graph's ops and byte
 * for byte as it was imported: what autotvm.apply_graph_best (TVM up to 0.19) reads, which hands out the lines in that
 * order. A layer that occurs twice has its line twice. `records` are those of the selection. `path` NULL: only counts.
 * Errors: GT_ERROR_NOT_FOUND naming the op whose line is not there, or where the plan has none of AutoTVM's;
 * GT_ERROR_IO. */
gt_status gt_autotvm_emit(gt_autotvm_taken *taken, const char *path, const gt_plan *plan, const gt_graph *graph,
                          const gt_records *records) GT_NODISCARD;

#endif
