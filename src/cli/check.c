/* SPDX-License-Identifier: Apache-2.0 */
/* `run --check`: the plan's outputs against the reference executor's. */
#include "ops/reference.h"
#include "src/cli/common.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How one output compares. */
struct comparison {
    const char *name;
    bool good, exact; /* exact: an integer output, which must be equal */
    double worst;     /* largest difference as a part of the tolerance */
    int64_t bad;      /* the first element out of tolerance, or -1 */
    double got, want; /* its values */
};

static struct comparison compare(const char *name, const gt_tensor *t, const void *got, const void *want)
{
    struct comparison c = {.name = name, .exact = t->dtype != GT_F32, .bad = -1};
    int64_t n = gt_shape_elems(&t->shape);
    if (c.exact) {
        c.good = memcmp(got, want, (size_t)n * gt_dtype_bytes(t->dtype)) == 0;
        return c;
    }
    c.bad = gt_compare_f32(got, want, n, GT_TOLERANCE_F32, &c.worst);
    c.good = c.bad < 0;
    c.got = c.good ? 0 : (double)((const float *)got)[c.bad];
    c.want = c.good ? 0 : (double)((const float *)want)[c.bad];
    return c;
}

static void print_comparison(const struct comparison *c)
{
    printf("check %-24s %s%s%s", c->name, c->good ? gt_cli_green(stdout) : gt_cli_yellow(stdout), c->good ? "ok" : "WRONG",
           gt_cli_plain(stdout));
    if (!c->exact) {
        printf("  worst %.2f of the tolerance", c->worst);
    }
    if (c->bad >= 0) {
        printf(": element %" PRId64 " is %.8g, the reference has %.8g", c->bad, c->got, c->want);
    }
    putchar('\n');
}

static void put_comparison(gt_json_writer *w, const struct comparison *c)
{
    gt_json_begin_inline_object(w, NULL);
    gt_json_put_string(w, "output", c->name);
    gt_json_put_bool(w, "ok", c->good);
    if (!c->exact && isfinite(c->worst)) {
        gt_json_put_f64(w, "worst", c->worst);
    }
    gt_json_end(w);
}

gt_status gt_cli_check_outputs(bool *good, const gt_graph *graph, const void *const *inputs, const void *const *outputs,
                               bool print, gt_json_writer *json)
{
    gt_status status = GT_OK;
    void **want = NULL;
    *good = true;
    GT_TRY(gt_calloc(&want, (size_t)graph->n_outputs, sizeof *want));
    GT_TRY(gt_graph_run_reference(graph, inputs, want));
    if (json != NULL) {
        gt_json_begin_array(json, "check");
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        struct comparison c = compare(graph->output_names[i], &graph->tensors[graph->outputs[i]], outputs[i], want[i]);
        *good = *good && c.good;
        if (print) {
            print_comparison(&c);
        }
        if (json != NULL) {
            put_comparison(json, &c);
        }
    }
    if (json != NULL) {
        gt_json_end(json);
    }
done:
    for (int i = 0; want != NULL && i < graph->n_outputs; i++) {
        gt_free(want[i]);
    }
    gt_free(want);
    return status;
}

gt_status gt_cli_check(bool *good, const gt_graph *graph, gt_session *session, bool print, gt_json_writer *json)
{
    gt_status status = GT_OK;
    const void **inputs = NULL;
    const void **outputs = NULL;
    GT_TRY(gt_calloc(&inputs, (size_t)graph->n_inputs, sizeof *inputs));
    GT_TRY(gt_calloc(&outputs, (size_t)graph->n_outputs, sizeof *outputs));
    for (int i = 0; i < graph->n_inputs; i++) {
        inputs[i] = gt_session_input(session, i);
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        outputs[i] = gt_session_output(session, i);
    }
    GT_TRY(gt_cli_check_outputs(good, graph, inputs, outputs, print, json));
done:
    gt_free(outputs);
    gt_free(inputs);
    return status;
}
