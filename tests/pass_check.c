/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/pass_check.h"

#include "tests/graph_build.h"
#include "tests/graph_eval.h"

#include <check.h>
#include <stdlib.h>

gt_status run_all(gt_graph *graph, bool *changed)
{
    *changed = true;
    return gt_passes_run(graph);
}

static void check_idempotent(gt_graph *g, pass p)
{
    const int ops = g->n_ops;
    const int tensors = g->n_tensors;
    bool changed = false;
    gb_must(p(g, &changed));
    ck_assert_msg(!changed || p == run_all, "the pass is not idempotent");
    gb_must(gt_graph_finish(g));
    ck_assert_int_eq(g->n_ops, ops);
    ck_assert_int_eq(g->n_tensors, tensors);
}

void check_pass(gt_graph *g, pass p, bool expect_change)
{
    graph_values before;
    graph_values after;
    bool changed = false;
    gb_must(gt_graph_finish(g));
    gb_must(graph_eval(&before, g, 5, -4, 4));
    ck_assert_msg(p(g, &changed) == GT_OK, "%s", gt_error_message());
    ck_assert_msg(gt_graph_verify(g) == GT_OK, "%s", gt_error_message());
    ck_assert_int_eq(changed, expect_change);
    ck_assert_msg(gt_graph_finish(g) == GT_OK, "%s", gt_error_message());
    gb_must(graph_eval(&after, g, 5, -4, 4));
    double apart = graph_values_difference(&before, &after);
    ck_assert_msg(apart <= 1e-4, "outputs differ by %g", apart);
    graph_values_clear(&before);
    graph_values_clear(&after);
    check_idempotent(g, p);
}

void done(gt_graph *g)
{
    gt_graph_destroy(g);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
