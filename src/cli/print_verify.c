/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of `graphtune select --verify` on the screen. */
#include "src/cli/select_verify.h"
#include "src/records/json.h"

#include <math.h>
#include <string.h>

#define ELIMINATION "bucket elimination along the plan's order"
#define SEARCH "branch and bound from the plan's schedule"

static const char *const verdict_names[] = {"optimum", "bound", "open", "failed"};
static const char *const proof_names[] = {"none", "bound", "optimum"};

/* Milliseconds with as many digits as the schedule's unit has elsewhere. */
static const char *format_time(char *buffer, size_t bytes, double ns)
{
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, ns);
    snprintf(buffer, bytes, "%.3f %s", ns / scale, unit);
    return buffer;
}

static void print_checked(const gt_verification *v, const gt_plan *plan)
{
    printf("%d op%s and %d transform%s compared with the records", v->n_ops, v->n_ops == 1 ? "" : "s", v->n_transforms,
           v->n_transforms == 1 ? "" : "s");
    if (plan->n_alternatives > 0) {
        printf(", and those of %d alternatives", plan->n_alternatives);
    }
    printf("\n");
    if (v->n_refined > 0) {
        printf("%d figures are the plan's own, measured in the running network: candidates in the records, times only here\n",
               v->n_refined);
    }
}

static gt_status print_differences(const gt_verification *v)
{
    gt_table table;
    if (v->n_differences == 0) {
        return GT_OK;
    }
    gt_table_begin(&table, "llll");
    gt_table_cell(&table, "where");
    gt_table_cell(&table, "field");
    gt_table_cell(&table, "plan");
    gt_table_cell(&table, "found");
    for (int i = 0; i < v->n_differences; i++) {
        gt_table_cell(&table, "%s", v->differences[i].where);
        gt_table_cell(&table, "%s", v->differences[i].field);
        gt_table_cell(&table, "%s", v->differences[i].planned);
        gt_table_cell(&table, "%s", v->differences[i].found);
    }
    return gt_table_print(&table, stdout, 2);
}

static void print_proof(const char *name, const gt_proof *proof)
{
    char text[40];
    if (proof->status == GT_PROOF_NONE) {
        printf("%s: not done%s%s\n", name, proof->note != NULL ? ": " : "", proof->note != NULL ? proof->note : "");
    } else if (proof->status == GT_PROOF_OPTIMUM) {
        printf("%s: the least cost is %s\n", name, format_time(text, sizeof text, proof->cost_ns));
    } else {
        printf("%s: nothing costs less than %s", name, format_time(text, sizeof text, proof->bound_ns));
        printf(" (ended early: %s)\n", proof->note != NULL ? proof->note : "limits");
    }
}

static double gap_percent(double bound_ns, double cost_ns)
{
    return cost_ns > 0 ? 100 * (1 - bound_ns / cost_ns) : 0;
}

static void print_better(const gt_verification *v)
{
    char text[40];
    if (v->better_node != NULL || v->least_ns < v->cost_ns) {
        printf("a better schedule exists: %s", format_time(text, sizeof text, v->least_ns));
        printf(v->better_node != NULL ? ", first different at \"%s\"\n" : "\n", v->better_node);
    }
}

static void print_failure(const gt_verification *v)
{
    const gt_difference *first = &v->differences[0];
    printf("%sFAILED%s: %s: %s is %s, but found: %s", gt_cli_yellow(stdout), gt_cli_plain(stdout), first->where, first->field,
           first->planned, first->found);
    if (v->n_differences > 1) {
        printf("; %d more", v->n_differences - 1);
    }
    printf("\n");
}

static void print_optimum(const gt_verification *v, const char *of)
{
    char text[40];
    bool by_elimination = v->elimination.bound_ns >= v->cost_ns;
    bool by_search = v->search.bound_ns >= v->cost_ns;
    printf("%sverified%s: %s is the optimum of %s (%s)\n", gt_cli_green(stdout), gt_cli_plain(stdout),
           format_time(text, sizeof text, v->cost_ns), of,
           by_elimination && by_search ? "two proofs" : by_elimination ? ELIMINATION : SEARCH);
}

gt_status gt_cli_print_verification(const gt_verification *v, const gt_plan *plan)
{
    gt_status status = GT_OK;
    gt_verdict verdict = gt_verification_verdict(v, plan);
    const char *of = v->n_refined > 0 ? "these records and the plan's own figures" : "these records";
    print_checked(v, plan);
    if (v->bound_ns > 0 || v->search.status != GT_PROOF_NONE) {
        print_proof(ELIMINATION, &v->elimination);
        print_proof(SEARCH, &v->search);
        print_better(v);
    }
    GT_TRY(print_differences(v));
    switch (verdict) {
    case GT_VERDICT_OPTIMUM:
        print_optimum(v, of);
        break;
    case GT_VERDICT_BOUND:
        printf("%scost verified%s, bound proved to within %.3g %% of it\n", gt_cli_green(stdout), gt_cli_plain(stdout),
               gap_percent(v->bound_ns, v->cost_ns));
        break;
    case GT_VERDICT_OPEN:
        printf("%scost verified, bound not%s: proved to within %.3g %% where the plan says %.3g %%; raise the limits\n",
               gt_cli_yellow(stdout), gt_cli_plain(stdout), gap_percent(v->bound_ns, v->cost_ns), 100 * plan->result.gap);
        break;
    case GT_VERDICT_FAILED:
        print_failure(v);
        break;
    }
done:
    return status;
}

static void put_time(gt_json_writer *w, const char *key, double ns)
{
    if (isfinite(ns)) {
        gt_json_put_f64(w, key, ns);
    } else {
        gt_json_put_null(w, key);
    }
}

static void put_proof(gt_json_writer *w, const char *key, const gt_proof *proof)
{
    gt_json_begin_inline_object(w, key);
    gt_json_put_string(w, "status", proof_names[proof->status]);
    if (proof->status != GT_PROOF_NONE) {
        put_time(w, "lower_bound_ns", proof->bound_ns);
        put_time(w, "cost_ns", proof->cost_ns);
    }
    gt_json_put_string(w, "note", proof->note);
    gt_json_end(w);
}

gt_status gt_cli_print_verification_json(const gt_verification *v, const gt_plan *plan, const char *plan_path)
{
    gt_json_writer w;
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_string(&w, "plan", plan_path);
    gt_json_put_string(&w, "verdict", verdict_names[gt_verification_verdict(v, plan)]);
    gt_json_put_i64(&w, "ops", v->n_ops);
    gt_json_put_i64(&w, "transforms", v->n_transforms);
    gt_json_put_i64(&w, "refined_figures", v->n_refined);
    gt_json_put_f64(&w, "cost_ns", v->cost_ns);
    gt_json_put_f64(&w, "lower_bound_ns", v->bound_ns);
    gt_json_put_f64(&w, "least_known_ns", v->least_ns);
    put_proof(&w, "elimination", &v->elimination);
    put_proof(&w, "search", &v->search);
    gt_json_put_string(&w, "better_node", v->better_node);
    gt_json_begin_array(&w, "differences");
    for (int i = 0; i < v->n_differences; i++) {
        gt_json_begin_inline_object(&w, NULL);
        gt_json_put_string(&w, "where", v->differences[i].where);
        gt_json_put_string(&w, "field", v->differences[i].field);
        gt_json_put_string(&w, "plan", v->differences[i].planned);
        gt_json_put_string(&w, "found", v->differences[i].found);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    gt_json_end(&w);
    return gt_json_writer_print(&w);
}
