/* SPDX-License-Identifier: Apache-2.0 */
/* `run --check`: the plan's outputs against the reference executor's. */
#include "ops/reference.h"
#include "src/cli/common.h"

#include <inttypes.h>
#include <string.h>

static bool check_f32(const char *name, const float *got, const float *want, int64_t n, bool print)
{
    double worst = 0;
    int64_t bad = gt_compare_f32(got, want, n, GT_TOLERANCE_F32, &worst);
    if (print) {
        printf("check %-24s %s%s%s  worst %.2f of the tolerance", name, bad < 0 ? gt_cli_green(stdout) : gt_cli_yellow(stdout),
               bad < 0 ? "ok" : "WRONG", gt_cli_plain(stdout), worst);
        if (bad >= 0) {
            printf(": element %" PRId64 " is %.8g, the reference has %.8g", bad, (double)got[bad], (double)want[bad]);
        }
        putchar('\n');
    }
    return bad < 0;
}

static bool check_exact(const char *name, const void *got, const void *want, size_t bytes, bool print)
{
    bool same = memcmp(got, want, bytes) == 0;
    if (print) {
        printf("check %-24s %s\n", name, same ? "ok" : "WRONG");
    }
    return same;
}

gt_status gt_cli_check(const gt_graph *graph, gt_session *session, bool *good, bool print)
{
    gt_status status = GT_OK;
    const void **inputs = NULL;
    void **want = NULL;
    *good = true;
    GT_TRY(gt_calloc(&inputs, (size_t)graph->n_inputs, sizeof *inputs));
    GT_TRY(gt_calloc(&want, (size_t)graph->n_outputs, sizeof *want));
    for (int i = 0; i < graph->n_inputs; i++) {
        inputs[i] = gt_session_input(session, i);
    }
    GT_TRY(gt_graph_run_reference(graph, inputs, want));
    for (int i = 0; i < graph->n_outputs; i++) {
        const gt_tensor *t = &graph->tensors[graph->outputs[i]];
        int64_t n = gt_shape_elems(&t->shape);
        const void *got = gt_session_output(session, i);
        bool same = t->dtype == GT_F32
                        ? check_f32(graph->output_names[i], got, want[i], n, print)
                        : check_exact(graph->output_names[i], got, want[i], (size_t)n * gt_dtype_bytes(t->dtype), print);
        *good = *good && same;
    }
done:
    for (int i = 0; want != NULL && i < graph->n_outputs; i++) {
        gt_free(want[i]);
    }
    gt_free(want);
    gt_free(inputs);
    return status;
}
