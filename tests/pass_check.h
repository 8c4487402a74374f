/* SPDX-License-Identifier: Apache-2.0 */
/* Running a pass and comparing what the graph computes before and after it. */
#ifndef GT_TESTS_PASS_CHECK_H
#define GT_TESTS_PASS_CHECK_H

#include "src/graph/passes.h"

typedef gt_status (*pass)(gt_graph *graph, bool *changed);

/* gt_passes_run as a pass; it always reports a change. */
gt_status run_all(gt_graph *graph, bool *changed) GT_NODISCARD;

/* Runs the pass, checks the invariants, that outputs are the same within 1e-4, that it reports a change as
 * expected, and that it has nothing left to do afterwards. */
void check_pass(gt_graph *g, pass p, bool expect_change);

/* Destroys the graph and checks for leaks. */
void done(gt_graph *g);

#endif
