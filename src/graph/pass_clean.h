/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of gt_pass_clean. Internal to src/graph. */
#ifndef GT_GRAPH_PASS_CLEAN_H
#define GT_GRAPH_PASS_CLEAN_H

#include "src/graph/pass_util.h"

/* Rules of pass_identity.c: ops that change nothing, pairs of slices or pads that are one. */
gt_status gt_i_remove_identity(gt_rewriter *rw, int op) GT_NODISCARD;
gt_status gt_i_merge_slices(gt_rewriter *rw, int op) GT_NODISCARD;
gt_status gt_i_merge_pads(gt_rewriter *rw, int op) GT_NODISCARD;

/* Rules of pass_pad.c. */
gt_status gt_i_concat_to_pad(gt_rewriter *rw, int op) GT_NODISCARD;
gt_status gt_i_fold_pad(gt_rewriter *rw, int op) GT_NODISCARD;
gt_status gt_i_merge_concats(gt_rewriter *rw, int op) GT_NODISCARD;

/* pass_common.c: equal constants become one tensor, and ops that do the same to the same operands one op. */
gt_status gt_i_merge_common(gt_graph *graph, bool *changed) GT_NODISCARD;

#endif
