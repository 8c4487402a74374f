/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/explain.h"

#include "src/tune/refine_figures.h"
#include "src/tune/select_regret.h"
#include "src/tune/verify_internal.h"

#include <math.h>
#include <string.h>

struct gt_explain_state {
    gt_select_options options;
    gt_selection *selection;
    gt_cfn_marginals marginals;
    gt_regret *regrets;
    int32_t *values; /* [op]: the plan's choice */
    uint32_t *allowed; /* [op]: choices that --only-layout leaves */
};

const char *gt_alternative_state_name(gt_alternative_state state)
{
    static const char *const names[] = {"chosen",       "slower",   "dominated",  "excluded",
                                        "no way", "not measured", "no place", "unsupported"};
    return names[state];
}

void gt_explanation_destroy(gt_explanation *e)
{
    if (e == NULL) {
        return;
    }
    if (e->state != NULL) {
        gt_cfn_marginals_destroy(&e->state->marginals);
        gt_i_selection_destroy(e->state->selection);
        gt_free(e->state->regrets);
        gt_free(e->state->values);
        gt_free(e->state->allowed);
        gt_free(e->state);
    }
    gt_free(e->ops);
    gt_free(e);
}

/* ---- the plan ---- */

/* A plan that does not say how it was selected: with any layout, by the kind of figures that it names. */
static void assume_options(gt_select_options *o, const gt_plan *plan, const gt_select_options *limits)
{
    *o = *limits;
    o->device = strcmp(plan->device, "0000000000000000") == 0 ? NULL : plan->device;
    o->threads = plan->threads;
    o->layouts = GT_ALL_LAYOUTS;
    o->only_layout = -1;
    o->sources = 1u << plan->source | (plan->source == GT_SOURCE_MODEL ? 1u << GT_SOURCE_FOREIGN : 0);
    o->bandwidth_gb_s = plan->bandwidth_gb_s;
}

static const gt_plan_op *find_entry(const gt_plan *plan, const char *node)
{
    for (int i = 0; i < plan->schedule.n_ops; i++) {
        if (strcmp(plan->schedule.ops[i].node, node) == 0) {
            return &plan->schedule.ops[i];
        }
    }
    return NULL;
}

static bool is_as_planned(const gt_choice *choice, const gt_plan_op *planned)
{
    const char *config = choice->record != NULL ? choice->record->config : "";
    return strcmp(planned->template_name, gt_i_choice_template(choice)) == 0 && strcmp(planned->config, config) == 0 &&
           planned->ns == choice->ns;
}

static gt_status find_values(gt_explanation *e, const gt_plan *plan)
{
    gt_status status = GT_OK;
    const gt_selection *s = e->state->selection;
    for (int i = 0; i < s->graph->n_ops; i++) {
        const gt_domain *domain = &s->domains[i];
        const gt_plan_op *planned = find_entry(plan, s->graph->ops[i].name);
        GT_REQUIRE(planned != NULL, GT_ERROR_MISMATCH, "plan: node \"%s\" is missing", s->graph->ops[i].name);
        const gt_template *t = gt_template_find(planned->template_name);
        int v = gt_i_find_choice(domain, planned->in, planned->out, gt_template_role(t));
        GT_REQUIRE(v >= 0, GT_ERROR_MISMATCH,
                   "plan: node \"%s\" has %s->%s, of which these records have no usable measurement; give those that the plan "
                   "was selected from with --records", planned->node, gt_layout_name(planned->in), gt_layout_name(planned->out));
        e->state->values[i] = v;
        e->n_differences += is_as_planned(&domain->choice[v], planned) ? 0 : 1;
    }
done:
    return status;
}

static void fill_op(gt_explanation *e, int op)
{
    const gt_domain *domain = &e->state->selection->domains[op];
    const gt_choice *choice = &domain->choice[e->state->values[op]];
    const gt_regret *regret = &e->state->regrets[op];
    gt_explained_op *out = &e->ops[op];
    *out = (gt_explained_op){.in = choice->in, .out = choice->out, .ns = choice->ns};
    out->template_name = gt_i_choice_template(choice);
    out->has_other = regret->other >= 0;
    if (out->has_other) {
        const gt_choice *other = &domain->choice[regret->other];
        out->other_in = other->in;
        out->other_out = other->out;
        out->other_template = gt_i_choice_template(other);
        out->exact = regret->exact;
        out->regret_ns = regret->exact ? regret->ns : regret->bound_ns;
        out->noise_ns = regret->noise_ns;
        out->certainty = regret->certainty;
    }
}

static gt_status fill(gt_explanation *e, const gt_plan *plan)
{
    gt_status status = GT_OK;
    struct gt_explain_state *state = e->state;
    const gt_selection *s = state->selection;
    size_t n = (size_t)s->graph->n_ops;
    GT_TRY(gt_calloc(&state->values, n, sizeof *state->values));
    GT_TRY(gt_calloc(&state->regrets, n, sizeof *state->regrets));
    GT_TRY(gt_calloc(&e->ops, n, sizeof *e->ops));
    e->n_ops = s->graph->n_ops;
    GT_TRY(find_values(e, plan));
    int64_t units = gt_i_sum_units(s, state->values);
    GT_REQUIRE(units != GT_CFN_INFINITE, GT_ERROR_MISMATCH,
               "plan: these records lack a transform that it needs; give those that the plan was selected from with --records");
    GT_TRY(gt_i_restrict(s, s->options->only_layout, &state->allowed));
    GT_TRY(gt_i_selection_marginals(s, &state->marginals, s->options->work_budget));
    GT_TRY(gt_i_regrets(state->regrets, s, &state->marginals, state->values));
    e->cost_ns = gt_i_units_to_ns(s, units);
    e->least_ns = fmin(e->cost_ns, gt_i_units_to_ns(s, state->marginals.least));
    e->exact = state->marginals.exact;
    e->method = state->marginals.method;
    e->solver_ns = (double)state->marginals.solver_ns;
    for (int i = 0; i < e->n_ops; i++) {
        fill_op(e, i);
    }
done:
    return status;
}

gt_status gt_explain(gt_explanation **explanation, const gt_plan *plan, const gt_graph *graph, gt_records *records,
                     const gt_select_options *limits)
{
    gt_status status = GT_OK;
    gt_explanation *e = NULL;
    GT_TRY(gt_calloc(&e, 1, sizeof *e));
    GT_TRY(gt_calloc(&e->state, 1, sizeof *e->state));
    if (plan->selection == NULL) {
        assume_options(&e->state->options, plan, limits);
    } else {
        GT_TRY(gt_i_options_of_plan(&e->state->options, plan, limits));
        GT_TRY(gt_figures_restore(records, plan));
    }
    GT_TRY(gt_i_selection_create(&e->state->selection, graph, records, &e->state->options));
    GT_TRY(fill(e, plan));
    *explanation = e;
    e = NULL;
done:
    gt_explanation_destroy(e);
    return status;
}

/* ---- one op ---- */

/* A measured candidate. Those of one pair of layouts stand in for each other without any other change, so that a slower
 * template costs the network exactly what it takes longer. */
static void judge(gt_explained_alternative *a, const gt_explanation *e, int op, const gt_choice *candidate)
{
    const gt_selection *s = e->state->selection;
    const gt_cfn_marginals *m = &e->state->marginals;
    const gt_domain *domain = &s->domains[op];
    int v = gt_i_find_choice(domain, candidate->in, candidate->out, gt_i_role(candidate));
    a->ns = candidate->ns;
    a->value = -1;
    bool excluded = v < 0 || (e->state->allowed[op] >> v & 1) == 0 ||
                    !gt_i_rules_allow(s->rules, s->graph->ops[op].name, candidate);
    if (excluded || m->bound[m->offset[op] + v] == GT_CFN_INFINITE) {
        a->state = excluded ? GT_ALTERNATIVE_EXCLUDED : GT_ALTERNATIVE_NO_WAY;
        return;
    }
    double longer = candidate->ns - domain->choice[v].ns;
    a->total_ns = gt_i_units_to_ns(s, m->cost[m->offset[op] + v]) + longer;
    a->bound_ns = gt_i_units_to_ns(s, m->bound[m->offset[op] + v]) + longer;
    bool best = strcmp(gt_i_choice_template(candidate), gt_i_choice_template(&domain->choice[v])) == 0;
    a->value = best ? v : -1;
    a->state = !best ? GT_ALTERNATIVE_DOMINATED : v == e->state->values[op] ? GT_ALTERNATIVE_CHOSEN : GT_ALTERNATIVE_SLOWER;
}

struct list {
    gt_explained_alternative *items;
    int n;
    size_t capacity;
};

static gt_status push(struct list *list, const gt_explained_alternative *fresh)
{
    gt_status status = GT_OK;
    GT_PUSH(list->items, list->n, list->capacity, *fresh);
done:
    return status;
}

static bool is_measured(const gt_choice *candidates, int n, const gt_explained_alternative *a)
{
    for (int i = 0; i < n; i++) {
        if (candidates[i].in == a->in && candidates[i].out == a->out &&
            (a->template_name == NULL || strcmp(gt_i_choice_template(&candidates[i]), a->template_name) == 0)) {
            return true;
        }
    }
    return false;
}

/* A pair of layouts: its measured candidates, then what could have been measured. */
static gt_status list_pair(struct list *list, const gt_explanation *e, int op, gt_explained_alternative *a,
                           const gt_choice *candidates, int n)
{
    gt_status status = GT_OK;
    const gt_workload *w = e->state->selection->graph->ops[op].workload;
    int before = list->n;
    for (int i = 0; i < n; i++) {
        if (candidates[i].in == a->in && candidates[i].out == a->out) {
            gt_explained_alternative measured = *a;
            measured.template_name = gt_i_choice_template(&candidates[i]);
            judge(&measured, e, op, &candidates[i]);
            GT_TRY(push(list, &measured));
        }
    }
    for (size_t k = 0; k < gt_template_count(); k++) {
        const gt_template *t = gt_template_at(k);
        a->template_name = t->name;
        a->state = t->in_place ? GT_ALTERNATIVE_NO_PLACE : GT_ALTERNATIVE_NOT_MEASURED;
        const gt_workload *done = gt_template_role(t) == GT_ROLE_PAIR ? e->state->selection->pairs->workload[op] : w;
        if (done != NULL && !t->inside && gt_template_supports(t, done, a->in, a->out) && !is_measured(candidates, n, a)) {
            GT_TRY(push(list, a));
        }
    }
    a->template_name = NULL;
    a->state = GT_ALTERNATIVE_UNSUPPORTED;
    if (list->n == before) {
        GT_TRY(push(list, a));
    }
done:
    return status;
}

gt_status gt_explain_op(gt_explained_alternative **alternatives, int *n, const gt_explanation *e, int op)
{
    gt_status status = GT_OK;
    const gt_selection *s = e->state->selection;
    struct list list = {0};
    gt_choice *candidates = NULL;
    int n_candidates = 0;
    GT_TRY(gt_i_census(s, op, &candidates, &n_candidates));
    for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
        gt_explained_alternative a = {.in = (gt_layout)(pair / GT_LAYOUT_COUNT), .value = -1};
        a.out = (gt_layout)(pair % GT_LAYOUT_COUNT);
        if ((s->options->layouts >> a.in & s->options->layouts >> a.out & 1) != 0) {
            GT_TRY(list_pair(&list, e, op, &a, candidates, n_candidates));
        }
    }
    *alternatives = list.items;
    *n = list.n;
    list.items = NULL;
done:
    gt_free(list.items);
    gt_free(candidates);
    return status;
}

gt_status gt_explain_place(gt_text *reason, const gt_explanation *e, int op, gt_layout layout)
{
    return gt_placement_reason(reason, e->state->selection->placement, op, layout);
}

gt_status gt_explain_chosen(gt_schedule *schedule, const gt_explanation *e)
{
    return gt_i_schedule(e->state->selection, e->state->values, schedule);
}

/* Where the plan is not of least cost, or the marginals are not exact, the whole network is solved. */
static gt_status solve_forced(int32_t *changed, bool *found, const gt_explanation *e, int op, int value)
{
    gt_status status = GT_OK;
    const gt_selection *s = e->state->selection;
    gt_network *network = NULL;
    uint32_t *allowed = NULL;
    gt_cfn_result result = {0};
    const gt_select_options *o = s->options;
    gt_cfn_options options = {.memory_budget_bytes = gt_i_solver_memory(o), .stop = o->stop, .work_budget = o->work_budget,
                              .time_budget_ns = (int64_t)(o->time_budget_s * 1e9)};
    GT_TRY(gt_i_restrict(s, o->only_layout, &allowed));
    allowed[op] = 1u << value;
    GT_TRY(gt_i_network_create(&network, s, allowed));
    status = gt_i_network_solve(network, &result, &options);
    *found = status == GT_OK;
    if (status == GT_ERROR_LIMIT) {
        status = GT_OK;
        goto done;
    }
    GT_TRY(status);
    memcpy(changed, result.assignment, (size_t)s->graph->n_ops * sizeof *changed);
done:
    gt_cfn_result_destroy(&result);
    gt_i_network_destroy(network);
    gt_free(allowed);
    return status;
}

gt_status gt_explain_forced(gt_schedule *schedule, bool *found, const gt_explanation *e, int op, int value)
{
    gt_status status = GT_OK;
    const struct gt_explain_state *state = e->state;
    const gt_selection *s = state->selection;
    int32_t *changed = NULL;
    *found = false;
    GT_TRY(gt_calloc(&changed, (size_t)e->n_ops, sizeof *changed));
    if (gt_i_sum_units(s, state->values) == state->marginals.least) {
        GT_TRY(gt_i_best_with(changed, found, s, &state->marginals, state->values, op, value));
    }
    if (!*found) {
        GT_TRY(solve_forced(changed, found, e, op, value));
    }
    if (*found) {
        GT_TRY(gt_i_schedule(s, changed, schedule));
    }
done:
    gt_free(changed);
    return status;
}
