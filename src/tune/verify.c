/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/verify.h"

#include "src/tune/refine_figures.h"
#include "src/tune/select_memory_internal.h"
#include "src/tune/verify_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void gt_verification_clear(gt_verification *v)
{
    for (int i = 0; i < v->n_differences; i++) {
        gt_free(v->differences[i].where);
        gt_free(v->differences[i].field);
        gt_free(v->differences[i].planned);
        gt_free(v->differences[i].found);
    }
    gt_free(v->differences);
    gt_free(v->elimination.note);
    gt_free(v->search.note);
    gt_free(v->better_node);
    *v = (gt_verification){0};
}

gt_status gt_verification_add(gt_verification *v, const char *where, const char *field, const char *planned,
                              const char *found)
{
    gt_status status = GT_OK;
    gt_difference fresh = {0};
    GT_PUSH(v->differences, v->n_differences, v->capacity, fresh);
    gt_difference *d = &v->differences[v->n_differences - 1];
    GT_TRY(gt_strdup(&d->where, where));
    GT_TRY(gt_strdup(&d->field, field));
    GT_TRY(gt_strdup(&d->planned, planned));
    GT_TRY(gt_strdup(&d->found, found));
done:
    return status;
}

static gt_status add_numbers(gt_verification *v, const char *field, double planned, const char *format, double found)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    char number[40];
    snprintf(number, sizeof number, "%.17g", planned);
    GT_TRY(gt_text_append(&text, format, found));
    GT_TRY(gt_verification_add(v, "result", field, number, text.data));
done:
    gt_text_destroy(&text);
    return status;
}

/* ---- proofs ---- */

static int32_t find_variable(const gt_network *n, const gt_plan_variable *variable)
{
    const gt_graph *g = n->s->graph;
    for (int i = 0; i < g->n_ops && !variable->is_tensor; i++) {
        if (strcmp(g->ops[i].name, variable->name) == 0) {
            return i;
        }
    }
    for (int k = 0; k < n->n_sets && variable->is_tensor; k++) {
        if (strcmp(g->tensors[n->sets[k]].name, variable->name) == 0) {
            return g->n_ops + k;
        }
    }
    return -1;
}

/* The plan's order as numbers of variables; *order stays NULL, and a difference is noted, where it is none of this network. */
static gt_status read_order(gt_verification *v, int32_t **order, const gt_network *n, const gt_plan_result *r)
{
    gt_status status = GT_OK;
    int32_t count = gt_cfn_variable_count(n->cfn);
    int32_t *numbers = NULL;
    bool *seen = NULL;
    GT_TRY(gt_calloc(&numbers, (size_t)count, sizeof *numbers));
    GT_TRY(gt_calloc(&seen, (size_t)count, sizeof *seen));
    if (r->n_order != count) {
        GT_TRY(add_numbers(v, "order", r->n_order, "%g variables", count));
        goto done;
    }
    for (int i = 0; i < count; i++) {
        numbers[i] = find_variable(n, &r->order[i]);
        if (numbers[i] < 0 || seen[numbers[i]]) {
            GT_TRY(gt_verification_add(v, "result", "order", r->order[i].name,
                                       numbers[i] < 0 ? "no such variable" : "named before"));
            goto done;
        }
        seen[numbers[i]] = true;
    }
    *order = numbers;
    numbers = NULL;
done:
    gt_free(seen);
    gt_free(numbers);
    return status;
}

static gt_status prove_by_elimination(gt_verification *v, const gt_network *n, const gt_plan *plan)
{
    gt_status status = GT_OK;
    int32_t *order = NULL;
    int64_t least = 0;
    gt_proof *proof = &v->elimination;
    proof->cost_ns = HUGE_VAL;
    if (plan->result.order == NULL) {
        return gt_strdup(&proof->note, "the plan has no elimination order: its tables are beyond the memory limit of select");
    }
    GT_TRY(read_order(v, &order, n, &plan->result));
    if (order == NULL) {
        return gt_strdup(&proof->note, "the plan's elimination order is not one of this network");
    }
    status = gt_cfn_verify(n->cfn, &least, order, gt_i_solver_memory(n->s->options));
    if (status == GT_ERROR_LIMIT) {
        status = gt_strdup(&proof->note, gt_error_message());
        goto done;
    }
    GT_TRY(status);
    proof->bound_ns = gt_i_units_to_ns(n->s, least);
    if (plan->result.memory_limit_bytes > 0) {
        proof->status = GT_PROOF_BOUND;
        GT_TRY(gt_strdup(&proof->note, "it does not know the memory limit"));
    } else {
        proof->status = GT_PROOF_OPTIMUM;
        proof->cost_ns = proof->bound_ns;
    }
done:
    gt_free(order);
    return status;
}

/* The first node or tensor at which two schedules part. */
static const char *first_difference(const gt_schedule *a, const gt_schedule *b)
{
    for (int i = 0; i < a->n_ops; i++) {
        const gt_plan_op *x = &a->ops[i];
        const gt_plan_op *y = &b->ops[i];
        if (x->in != y->in || x->out != y->out || strcmp(x->template_name, y->template_name) != 0 ||
            strcmp(x->config, y->config) != 0) {
            return x->node;
        }
    }
    for (int i = 0; i < a->n_transforms; i++) {
        const gt_plan_transform *x = &a->transforms[i];
        const gt_plan_transform *y = i < b->n_transforms ? &b->transforms[i] : NULL;
        if (y == NULL || x->from != y->from || x->to != y->to || strcmp(x->tensor, y->tensor) != 0) {
            return x->tensor;
        }
    }
    return b->n_transforms > a->n_transforms ? b->transforms[a->n_transforms].tensor : "";
}

/* The plan's claims about its memory limit; `fresh` is the result of the same search. */
static gt_status check_memory(gt_verification *v, const gt_plan *plan, const gt_plan_result *fresh)
{
    gt_status status = GT_OK;
    const gt_plan_result *r = &plan->result;
    if (plan->arena_bytes > r->memory_limit_bytes) {
        GT_TRY(add_numbers(v, "memory_limit_bytes", (double)r->memory_limit_bytes, "an arena of %.17g", (double)plan->arena_bytes));
    }
    if (fresh->stopped == NULL && r->unlimited_ns > fresh->unlimited_ns) {
        GT_TRY(add_numbers(v, "unlimited_ns", r->unlimited_ns, "%.17g", fresh->unlimited_ns));
    }
done:
    return status;
}

static gt_status prove_by_search(gt_verification *v, gt_selection *s, const gt_plan *plan, int32_t *values)
{
    gt_status status = GT_OK;
    gt_plan_result result = {0};
    gt_schedule schedule = {0};
    int32_t *best = NULL;
    gt_starts starts = {.n = 1, .values = {values}};
    gt_proof *proof = &v->search;
    proof->cost_ns = HUGE_VAL;
    GT_TRY(gt_calloc(&best, (size_t)s->graph->n_ops, sizeof *best));
    GT_TRY(gt_i_solve(s, best, &result, s->options->only_layout, &starts));
    if (s->options->max_memory_bytes > 0) {
        GT_TRY(gt_i_fit_memory(s, best, &result));
        GT_TRY(check_memory(v, plan, &result));
    }
    GT_TRY(gt_i_schedule(s, best, &schedule));
    proof->status = result.optimal ? GT_PROOF_OPTIMUM : GT_PROOF_BOUND;
    proof->bound_ns = result.lower_bound_ns;
    proof->cost_ns = schedule.predicted_ns;
    if (result.stopped != NULL) {
        GT_TRY(gt_strdup(&proof->note, result.stopped));
    }
    if (schedule.predicted_ns < v->cost_ns) {
        GT_TRY(gt_strdup(&v->better_node, first_difference(&plan->schedule, &schedule)));
    }
done:
    gt_free(best);
    gt_schedule_clear(&schedule);
    gt_plan_result_clear(&result);
    return status;
}

/* ---- claims ---- */

/* Two exact methods that disagree are a fault of one of them. */
static gt_status combine_proofs(gt_verification *v)
{
    gt_status status = GT_OK;
    const gt_proof *e = &v->elimination;
    const gt_proof *r = &v->search;
    v->bound_ns = fmax(e->bound_ns, r->bound_ns);
    v->least_ns = fmin(v->cost_ns, fmin(e->cost_ns, r->cost_ns));
    GT_REQUIRE(v->bound_ns <= v->least_ns, GT_ERROR_INTERNAL,
               "elimination and search disagree: lower bound %.17g ns, schedule of %.17g ns", v->bound_ns, v->least_ns);
done:
    return status;
}

static gt_status check_claims(gt_verification *v, const gt_plan_result *r)
{
    gt_status status = GT_OK;
    if (r->predicted_ns != v->cost_ns) {
        GT_TRY(add_numbers(v, "predicted_ns", r->predicted_ns, "%.17g", v->cost_ns));
    }
    if (r->lower_bound_ns > v->least_ns) {
        GT_TRY(add_numbers(v, "lower_bound_ns", r->lower_bound_ns, "a schedule takes %.17g", v->least_ns));
    }
done:
    return status;
}

gt_verdict gt_verification_verdict(const gt_verification *v, const gt_plan *plan)
{
    if (v->n_differences > 0) {
        return GT_VERDICT_FAILED;
    }
    if (v->bound_ns >= v->cost_ns) {
        return GT_VERDICT_OPTIMUM;
    }
    return plan->result.lower_bound_ns <= v->bound_ns ? GT_VERDICT_BOUND : GT_VERDICT_OPEN;
}

/* ---- the whole ---- */

gt_status gt_i_options_of_plan(gt_select_options *o, const gt_plan *plan, const gt_select_options *limits)
{
    gt_status status = GT_OK;
    const gt_plan_selection *selection = plan->selection;
    GT_REQUIRE(selection != NULL, GT_ERROR_UNSUPPORTED,
               "plan: \"selection\" is missing: an older graphtune wrote it, which did not store what it was selected with; "
               "select again");
    *o = *limits;
    o->device = strcmp(plan->device, "0000000000000000") == 0 ? NULL : plan->device;
    o->threads = plan->threads;
    o->layouts = selection->layouts | 1u << GT_NCHW;
    o->only_layout = selection->only_layout;
    o->sources = selection->sources;
    o->bandwidth_gb_s = plan->bandwidth_gb_s;
    o->n_pins = selection->n_pins;
    o->pins = (const char *const *)selection->pins;
    o->n_forbids = selection->n_forbids;
    o->forbids = (const char *const *)selection->forbids;
    o->max_memory_bytes = plan->result.memory_limit_bytes;
done:
    return status;
}

static gt_status verify_alternatives(gt_verification *v, const gt_selection *s, const gt_plan *plan, int32_t *scratch)
{
    gt_status status = GT_OK;
    gt_text prefix = {0};
    double ns = 0;
    for (int i = 0; i < plan->n_alternatives; i++) {
        const gt_plan_alternative *a = &plan->alternatives[i];
        prefix.length = 0;
        int before = v->n_differences;
        GT_TRY(gt_text_append(&prefix, "alternative %s: ", a->name));
        GT_TRY(gt_i_verify_complete(v, s, &a->schedule, prefix.data));
        if (v->n_differences == before) {
            GT_TRY(gt_i_verify_schedule(v, scratch, &ns, s, &a->schedule, prefix.data));
        }
    }
done:
    gt_text_destroy(&prefix);
    return status;
}

static gt_status verify_costs(gt_verification *v, const gt_selection *s, const gt_plan *plan, int32_t *values)
{
    gt_status status = GT_OK;
    int32_t *scratch = NULL;
    GT_TRY(gt_calloc(&scratch, (size_t)s->graph->n_ops, sizeof *scratch));
    GT_TRY(gt_i_verify_complete(v, s, &plan->schedule, ""));
    if (v->n_differences > 0) {
        goto done; /* the entries below could not be told apart */
    }
    GT_TRY(gt_i_verify_schedule(v, values, &v->cost_ns, s, &plan->schedule, ""));
    GT_TRY(verify_alternatives(v, s, plan, scratch));
    v->n_ops = plan->schedule.n_ops;
    v->n_transforms = plan->schedule.n_transforms;
done:
    gt_free(scratch);
    return status;
}

static gt_status verify_bound(gt_verification *v, gt_selection *s, const gt_plan *plan, int32_t *values)
{
    gt_status status = GT_OK;
    uint32_t *allowed = NULL;
    gt_network *network = NULL;
    GT_TRY(gt_i_restrict(s, s->options->only_layout, &allowed));
    for (int i = 0; i < s->graph->n_ops; i++) {
        if ((allowed[i] >> values[i] & 1) == 0) {
            GT_TRY(gt_verification_add(v, plan->schedule.ops[i].node, "layouts", gt_layout_name(plan->schedule.ops[i].in),
                                       "forbidden by the plan's selection"));
        }
    }
    GT_TRY(gt_i_network_create(&network, s, allowed));
    GT_TRY(prove_by_elimination(v, network, plan));
    GT_TRY(prove_by_search(v, s, plan, values));
    GT_TRY(combine_proofs(v));
    GT_TRY(check_claims(v, &plan->result));
done:
    gt_i_network_destroy(network);
    gt_free(allowed);
    return status;
}

gt_status gt_verify(gt_verification *verification, const gt_plan *plan, const gt_graph *graph, gt_records *records,
                    const gt_select_options *options)
{
    gt_status status = GT_OK;
    gt_verification v = {0};
    gt_select_options o;
    gt_selection *s = NULL;
    int32_t *values = NULL;
    GT_TRY(gt_i_options_of_plan(&o, plan, options));
    GT_TRY(gt_figures_restore(records, plan));
    v.n_refined = plan->selection->n_refined;
    GT_TRY(gt_i_selection_create(&s, graph, records, &o));
    GT_TRY(gt_calloc(&values, (size_t)graph->n_ops, sizeof *values));
    GT_TRY(verify_costs(&v, s, plan, values));
    if (v.n_differences == 0) {
        GT_TRY(verify_bound(&v, s, plan, values));
    }
    *verification = v;
    v = (gt_verification){0};
done:
    gt_free(values);
    gt_i_selection_destroy(s);
    gt_verification_clear(&v);
    return status;
}
