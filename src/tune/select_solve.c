/* SPDX-License-Identifier: Apache-2.0 */
/* Solving a selection: which choices may be used, what the solver starts from, and what it proved. */
#include "src/base/clock.h"
#include "src/tune/select_internal.h"

#include <math.h>
#include <string.h>

/* ---- restrictions ---- */

static bool has_image_input(const gt_op *op)
{
    for (int i = 0; i < op->n_inputs; i++) {
        const gt_operand *input = &op->workload->inputs[i];
        if (input->present && !input->constant && input->shape.rank == 4 && input->dtype == GT_F32) {
            return true;
        }
    }
    return false;
}

static bool reads_graph_input(const gt_selection *s, const gt_op *op)
{
    for (int i = 0; i < op->n_inputs; i++) {
        if (op->inputs[i] != GT_NO_TENSOR && s->sites[op->inputs[i]].is_input) {
            return true;
        }
    }
    return false;
}

/* The caller's tensors are NCHW, so ops at the edge may turn them into the single layout themselves. */
bool gt_i_single_layout_allows(const gt_selection *s, int op, int value, gt_layout layout)
{
    const gt_op *o = &s->graph->ops[op];
    const gt_choice *c = &s->domains[op].choice[value];
    bool in = c->in == layout || !has_image_input(o) || (c->in == GT_NCHW && reads_graph_input(s, o));
    bool out = c->out == layout || s->sites[o->output].copies < 0 || (c->out == GT_NCHW && s->sites[o->output].is_output);
    return in && out;
}

gt_status gt_i_restrict(const gt_selection *s, int layout, uint32_t **allowed)
{
    gt_status status = gt_calloc(allowed, (size_t)s->graph->n_ops, sizeof **allowed);
    for (int i = 0; status == GT_OK && i < s->graph->n_ops; i++) {
        uint32_t all = (uint32_t)((UINT64_C(1) << s->domains[i].n) - 1);
        uint32_t mask = layout < 0 ? all : 0;
        for (int v = 0; layout >= 0 && v < s->domains[i].n; v++) {
            mask |= gt_i_single_layout_allows(s, i, v, (gt_layout)layout) ? 1u << v : 0;
        }
        (*allowed)[i] = mask != 0 ? mask : all;
    }
    return status;
}

/* ---- the solver's options ---- */

double gt_i_units_to_ns(const gt_selection *s, int64_t units)
{
    return units == GT_CFN_INFINITE ? HUGE_VAL : (double)(units >> s->scale_bits);
}

static void tell(void *context, const gt_cfn_progress *p)
{
    const gt_selection *s = context;
    gt_select_progress progress = {.predicted_ns = gt_i_units_to_ns(s, p->cost),
                                   .lower_bound_ns = gt_i_units_to_ns(s, p->lower_bound),
                                   .nodes = p->nodes,
                                   .elapsed_s = (double)p->elapsed_ns * 1e-9};
    s->options->progress(s->options->progress_context, &progress);
}

/* A comparison gets a small part of each budget; the schedule itself, the time that is left. */
static gt_cfn_options solver_options(gt_selection *s, bool is_comparison)
{
    const gt_select_options *o = s->options;
    int share = is_comparison ? 16 : 1;
    int64_t budget_ns = (int64_t)(o->time_budget_s * 1e9) / share;
    int64_t left_ns = budget_ns - (is_comparison ? 0 : gt_now_ns() - s->begin_ns);
    gt_cfn_options options = {.memory_budget_bytes = gt_i_solver_memory(o), .stop = o->stop};
    options.time_budget_ns = o->time_budget_s <= 0 ? 0 : left_ns > 0 ? left_ns : 1;
    options.work_budget = o->work_budget > share ? o->work_budget / share : o->work_budget;
    if (o->progress != NULL && !is_comparison) {
        options.progress = tell;
        options.progress_context = s;
    }
    return options;
}

int64_t gt_i_solver_memory(const gt_select_options *options)
{
    return options->solver_memory_bytes > 0 ? options->solver_memory_bytes : GT_SELECT_SOLVER_MEMORY;
}

/* ---- the certificate ---- */

/* Names, not numbers: they mean the same to whoever builds the network again. */
static gt_status name_order(gt_plan_result *proof, const gt_network *n, const gt_cfn_result *result)
{
    gt_status status = GT_OK;
    const gt_graph *g = n->s->graph;
    int32_t variables = gt_cfn_variable_count(n->cfn);
    proof->table_entries = result->order_entries;
    GT_TRY(gt_strdup(&proof->order_name, result->order_name != NULL ? result->order_name : "none"));
    bool fits = result->order_entries * (double)sizeof(int64_t) <= (double)gt_i_solver_memory(n->s->options);
    if (result->order == NULL || !fits) {
        return GT_OK;
    }
    GT_TRY(gt_calloc(&proof->order, (size_t)variables, sizeof *proof->order));
    proof->n_order = variables;
    for (int32_t i = 0; i < variables; i++) {
        int32_t v = result->order[i];
        proof->order[i].is_tensor = v >= g->n_ops;
        GT_TRY(gt_strdup(&proof->order[i].name, v < g->n_ops ? g->ops[v].name : g->tensors[n->sets[v - g->n_ops]].name));
    }
done:
    return status;
}

static gt_status certify(gt_plan_result *proof, const gt_network *n, const gt_cfn_result *result, double predicted_ns)
{
    gt_status status = GT_OK;
    /* The digits below a nanosecond are not time, and all totals are whole. */
    double bound = gt_i_units_to_ns(n->s, result->lower_bound);
    proof->predicted_ns = predicted_ns;
    proof->optimal = result->optimal || bound >= predicted_ns;
    proof->lower_bound_ns = proof->optimal ? predicted_ns : bound;
    proof->gap = predicted_ns > 0 ? 1 - proof->lower_bound_ns / predicted_ns : 0;
    proof->width = result->width;
    proof->solver_ns = (double)result->solver_ns;
    proof->nodes = result->nodes;
    GT_TRY(gt_strdup(&proof->method, result->method));
    if (!proof->optimal && result->stopped != NULL) {
        GT_TRY(gt_strdup(&proof->stopped, result->stopped));
    }
    GT_TRY(name_order(proof, n, result));
done:
    return status;
}

/* ---- solving ---- */

/* The cheapest of the known choices as an assignment; NULL where none of them is feasible here. */
static gt_status best_start(int32_t **best, const gt_network *n, const gt_starts *starts)
{
    gt_status status = GT_OK;
    int32_t *fresh = NULL;
    int64_t least = GT_CFN_INFINITE;
    for (int i = 0; starts != NULL && i < starts->n; i++) {
        GT_TRY(gt_calloc(&fresh, (size_t)gt_cfn_variable_count(n->cfn), sizeof *fresh));
        gt_i_network_assign(n, fresh, starts->values[i]);
        int64_t cost = gt_cfn_evaluate(n->cfn, fresh);
        if (cost < least) {
            int32_t *worse = *best;
            least = cost;
            *best = fresh;
            fresh = worse;
        }
        gt_free(fresh);
        fresh = NULL;
    }
done:
    gt_free(fresh);
    return status;
}

gt_status gt_i_solve(gt_selection *s, int32_t *values, gt_plan_result *proof, int layout, const gt_starts *starts)
{
    gt_status status = GT_OK;
    uint32_t *allowed = NULL;
    gt_network *network = NULL;
    int32_t *initial = NULL;
    gt_schedule schedule = {0};
    gt_cfn_result result = {0};
    GT_TRY(gt_i_restrict(s, layout, &allowed));
    GT_TRY(gt_i_network_create(&network, s, allowed));
    GT_TRY(best_start(&initial, network, starts));
    gt_cfn_options options = solver_options(s, proof == NULL);
    options.initial = initial;
    GT_TRY(gt_i_network_solve(network, &result, &options));
    memcpy(values, result.assignment, (size_t)s->graph->n_ops * sizeof *values);
    if (proof != NULL) {
        GT_TRY(gt_i_schedule(s, values, &schedule));
        GT_TRY(certify(proof, network, &result, schedule.predicted_ns));
    }
done:
    gt_schedule_clear(&schedule);
    gt_cfn_result_destroy(&result);
    gt_free(initial);
    gt_i_network_destroy(network);
    gt_free(allowed);
    return status;
}

/* The fastest choice that can be made without a look at other ops; where there is none, the fastest. */
static int32_t fastest(const gt_domain *domain)
{
    int32_t best = 0;
    bool alone = false;
    for (int v = 0; v < domain->n; v++) {
        const gt_role role = gt_i_role(&domain->choice[v]);
        const bool fresh_alone = role != GT_ROLE_INSIDE && role != GT_ROLE_PAIR;
        if (fresh_alone != alone ? fresh_alone : domain->choice[v].ns < domain->choice[best].ns) {
            best = v;
            alone = fresh_alone;
        }
    }
    return best;
}

/* Where one op of two has no choice alone, the cheapest of both as one; pins can ask for that. */
static void join_pair(const gt_selection *s, int32_t *values, int first)
{
    const int second = s->pairs->second[first];
    const int tensor = s->graph->ops[first].output;
    if (gt_i_pair_units(s, tensor, values[first], values[second]) == 0) {
        return;
    }
    double best = HUGE_VAL;
    for (int v = 0; v < s->domains[first].n; v++) {
        for (int w = 0; w < s->domains[second].n; w++) {
            const double ns = s->domains[first].choice[v].ns + s->domains[second].choice[w].ns;
            if (ns < best && gt_i_pair_units(s, tensor, v, w) == 0) {
                best = ns;
                values[first] = v;
                values[second] = w;
            }
        }
    }
}

void gt_i_solve_greedy(const gt_selection *s, int32_t *values)
{
    for (int i = 0; i < s->graph->n_ops; i++) {
        values[i] = fastest(&s->domains[i]);
    }
    for (int i = 0; i < s->graph->n_ops; i++) {
        if (s->pairs->second[i] >= 0) {
            join_pair(s, values, i);
        }
    }
}
