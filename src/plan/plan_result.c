/* SPDX-License-Identifier: Apache-2.0 */
/* The plan's "result": its cost, and what lets anyone prove again that no schedule costs less. */
#include "src/plan/plan_parts.h"

#include <math.h>
#include <string.h>

#define MAX_TABLE_ENTRIES 1e300 /* what is larger is written as this: JSON has no infinity */

const char *const gt_plan_stops[] = {"time", "work", "nodes", "memory", "interrupted", NULL};
#define N_STOPS ((int)(sizeof gt_plan_stops / sizeof *gt_plan_stops) - 1)

void gt_plan_result_clear(gt_plan_result *result)
{
    for (int i = 0; i < result->n_order; i++) {
        gt_free(result->order[i].name);
    }
    gt_free(result->order);
    gt_free(result->order_name);
    gt_free(result->stopped);
    gt_free(result->method);
    *result = (gt_plan_result){0};
}

/* ---- reading ---- */

/* The bound, the gap and the claim must say the same. */
static gt_status check_claim(const gt_plan_result *r, const gt_json *node)
{
    gt_status status = GT_OK;
    double gap = r->predicted_ns > 0 ? 1 - r->lower_bound_ns / r->predicted_ns : 0;
    if (fabs(r->gap - gap) > 1e-9) {
        GT_TRY(gt_json_fail(gt_json_find(node, "gap"), GT_ERROR_FORMAT,
                            "predicted_ns and lower_bound_ns leave a gap of %.17g", gap));
    }
    if (r->optimal != (r->lower_bound_ns == r->predicted_ns)) {
        GT_TRY(gt_json_fail(gt_json_find(node, "optimal"), GT_ERROR_FORMAT, "lower_bound_ns is %.17g of predicted_ns %.17g",
                            r->lower_bound_ns, r->predicted_ns));
    }
done:
    return status;
}

/* "node" for an op, {"tensor": "name"} for a tensor's set of layouts. */
static gt_status read_variable(gt_plan_variable *variable, const gt_json *node)
{
    const char *name = NULL;
    variable->is_tensor = gt_json_type_of(node) == GT_JSON_OBJECT;
    gt_status status = variable->is_tensor ? gt_json_get_string(node, "tensor", &name) : gt_json_as_string(node, &name);
    return status == GT_OK ? gt_strdup(&variable->name, name) : status;
}

static gt_status read_order(gt_plan_result *r, const gt_json *node)
{
    gt_status status = GT_OK;
    const gt_json *array = gt_json_find(node, "order");
    int n = 0;
    GT_TRY(gt_i_plan_string(&r->order_name, node, "order_name"));
    GT_TRY(gt_json_get_f64(node, "table_entries", &r->table_entries, 0, MAX_TABLE_ENTRIES));
    if (array != NULL && gt_json_type_of(array) == GT_JSON_NULL) {
        return GT_OK;
    }
    GT_TRY(gt_i_plan_array(&array, &n, node, "order"));
    GT_TRY(gt_calloc(&r->order, (size_t)n, sizeof *r->order));
    r->n_order = n;
    for (int i = 0; i < n; i++) {
        GT_TRY(read_variable(&r->order[i], gt_json_at(array, i)));
    }
done:
    return status;
}

static gt_status read_stopped(gt_plan_result *r, const gt_json *node)
{
    gt_status status = GT_OK;
    const gt_json *stopped = gt_json_find(node, "stopped");
    int which = 0;
    if (stopped == NULL || gt_json_type_of(stopped) == GT_JSON_NULL) {
        return GT_OK;
    }
    GT_TRY(gt_json_as_enum(stopped, &which, gt_plan_stops, N_STOPS));
    if (r->optimal) {
        GT_TRY(gt_json_fail(stopped, GT_ERROR_FORMAT, "null is needed where optimal is true"));
    }
    GT_TRY(gt_strdup(&r->stopped, gt_plan_stops[which]));
done:
    return status;
}

/* Plans without a limit have none of the three members. */
static gt_status read_limit(gt_plan_result *r, const gt_json *node)
{
    gt_status status = GT_OK;
    if (gt_json_find(node, "memory_limit_bytes") != NULL) {
        GT_TRY(gt_json_get_i64(node, "memory_limit_bytes", &r->memory_limit_bytes, 1, GT_JSON_MAX_INTEGER));
        GT_TRY(gt_json_get_f64(node, "unlimited_ns", &r->unlimited_ns, 0, r->lower_bound_ns));
        GT_TRY(gt_json_get_i64(node, "schedules_compared", &r->schedules_compared, 1, GT_JSON_MAX_INTEGER));
    }
done:
    return status;
}

gt_status gt_i_read_result(gt_plan_result *r, const gt_json *root, double sum)
{
    gt_status status = GT_OK;
    const gt_json *node = NULL;
    GT_TRY(gt_json_get_object(root, "result", &node));
    GT_TRY(gt_json_get_f64(node, "predicted_ns", &r->predicted_ns, 0, GT_PLAN_MAX_TOTAL_NS));
    if (fabs(r->predicted_ns - sum) > 1e-9 * sum) {
        GT_TRY(gt_json_fail(gt_json_find(node, "predicted_ns"), GT_ERROR_FORMAT,
                            "the ns of ops and transforms add up to %.17g", sum));
    }
    GT_TRY(gt_json_get_f64(node, "lower_bound_ns", &r->lower_bound_ns, 0, r->predicted_ns));
    GT_TRY(gt_json_get_f64(node, "gap", &r->gap, 0, 1));
    GT_TRY(gt_json_get_bool(node, "optimal", &r->optimal));
    GT_TRY(check_claim(r, node));
    GT_TRY(gt_json_get_int(node, "width", &r->width, 0, GT_PLAN_MAX_ENTRIES));
    GT_TRY(gt_i_plan_string(&r->method, node, "method"));
    GT_TRY(read_stopped(r, node));
    GT_TRY(gt_json_get_i64(node, "nodes", &r->nodes, 0, GT_JSON_MAX_INTEGER));
    GT_TRY(read_limit(r, node));
    /* Plans written before orders were stored have none of the three members. */
    if (gt_json_find(node, "order_name") != NULL || gt_json_find(node, "order") != NULL) {
        GT_TRY(read_order(r, node));
    }
done:
    return status;
}

/* ---- writing ---- */

static void write_order(gt_json_writer *w, const gt_plan_result *r)
{
    gt_json_put_string(w, "order_name", r->order_name);
    gt_json_put_f64(w, "table_entries", fmin(r->table_entries, MAX_TABLE_ENTRIES));
    if (r->order == NULL) {
        gt_json_put_null(w, "order");
        return;
    }
    gt_json_begin_inline_array(w, "order");
    for (int i = 0; i < r->n_order; i++) {
        if (r->order[i].is_tensor) {
            gt_json_begin_inline_object(w, NULL);
            gt_json_put_string(w, "tensor", r->order[i].name);
            gt_json_end(w);
        } else {
            gt_json_put_string(w, NULL, r->order[i].name);
        }
    }
    gt_json_end(w);
}

/* The alternatives' predictions stand here as well, where people look for them. */
static void write_alternatives(gt_json_writer *w, const gt_plan *plan)
{
    for (int i = 0; i < plan->n_alternatives; i++) {
        if (gt_layout_find(plan->alternatives[i].name) == GT_LAYOUT_COUNT) {
            gt_json_put_f64(w, "greedy_ns", plan->alternatives[i].schedule.predicted_ns);
        }
    }
    gt_json_begin_inline_object(w, "single_layout_ns");
    for (int i = 0; i < plan->n_alternatives; i++) {
        if (gt_layout_find(plan->alternatives[i].name) != GT_LAYOUT_COUNT) {
            gt_json_put_f64(w, plan->alternatives[i].name, plan->alternatives[i].schedule.predicted_ns);
        }
    }
    gt_json_end(w);
}

void gt_i_write_result(gt_json_writer *w, const gt_plan *plan)
{
    const gt_plan_result *r = &plan->result;
    gt_json_begin_object(w, "result");
    gt_json_put_f64(w, "predicted_ns", r->predicted_ns);
    gt_json_put_f64(w, "lower_bound_ns", r->lower_bound_ns);
    gt_json_put_f64(w, "gap", r->gap);
    gt_json_put_bool(w, "optimal", r->optimal);
    gt_json_put_string(w, "method", r->method);
    gt_json_put_string(w, "stopped", r->stopped);
    gt_json_put_i64(w, "nodes", r->nodes);
    gt_json_put_i64(w, "width", r->width);
    if (r->memory_limit_bytes > 0) {
        gt_json_put_i64(w, "memory_limit_bytes", r->memory_limit_bytes);
        gt_json_put_f64(w, "unlimited_ns", r->unlimited_ns);
        gt_json_put_i64(w, "schedules_compared", r->schedules_compared);
    }
    if (r->order_name != NULL) {
        write_order(w, r);
    }
    write_alternatives(w, plan);
    gt_json_end(w);
}
