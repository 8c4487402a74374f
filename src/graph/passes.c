/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the passes. */
#include "src/graph/pass_activation.h"
#include "src/graph/passes.h"

/* Three or four rounds are usual; the bound only guards against passes that undo each other. */
#define MAX_ROUNDS 32

gt_status gt_passes_run(gt_graph *graph)
{
    /* Layouts and activation chains first: folding a chain's constants away would hide it. */
    static gt_status (*const passes[])(gt_graph *, bool *) = {
        gt_pass_clean,      gt_pass_recognise_shuffle, gt_pass_move_transposes, gt_i_pass_recognise_activation,
        gt_pass_fold_scale, gt_pass_fuse_activation,   gt_pass_fuse_residual,
    };
    gt_status status = GT_OK;
    bool again = true;
    for (int round = 0; again && round < MAX_ROUNDS; round++) {
        again = false;
        for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
            bool changed = false;
            GT_TRY(passes[i](graph, &changed));
            again = again || changed;
        }
    }
    GT_TRY(gt_graph_finish(graph));
done:
    return status;
}
