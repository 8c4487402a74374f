/* SPDX-License-Identifier: Apache-2.0 */
/* Cleaning up: what needs no knowledge of networks. */
#include "src/graph/pass_clean.h"

gt_status gt_pass_clean(gt_graph *graph, bool *changed)
{
    static const gt_rule rules[] = {gt_i_remove_identity, gt_i_merge_slices, gt_i_merge_pads,
                                    gt_i_merge_concats,   gt_i_concat_to_pad, gt_i_fold_pad};
    gt_status status = GT_OK;
    const int ops = graph->n_ops;
    const int tensors = graph->n_tensors;
    bool swept = false;
    bool merged = false;
    GT_TRY(gt_i_sweep(graph, &swept, rules, sizeof rules / sizeof *rules));
    GT_TRY(gt_i_merge_common(graph, &merged));
    *changed = swept || merged || graph->n_ops != ops || graph->n_tensors != tensors;
done:
    return status;
}
