/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/select.h"

#include "src/plan/program.h"
#include "src/tune/select_internal.h"

#include <math.h>
#include <string.h>

gt_select_options gt_select_defaults(void)
{
    return (gt_select_options){.threads = 1,
                               .isa = gt_isa_best(),
                               .layouts = GT_ALL_LAYOUTS,
                               .only_layout = -1,
                               .sources = 1u << GT_SOURCE_MEASURED,
                               .alternatives = true};
}

/* ---- choices to schedule ---- */

static gt_status copy_choice(gt_plan_op *out, const gt_op *op, const gt_choice *choice)
{
    gt_status status = GT_OK;
    out->in = choice->in;
    out->out = choice->out;
    out->rev = choice->tmpl != NULL ? choice->tmpl->rev : 0;
    out->ns = choice->ns;
    GT_TRY(gt_strdup(&out->node, op->name));
    GT_TRY(gt_strdup(&out->workload, op->workload->key));
    const char *foreign = choice->record != NULL ? choice->record->template_name : GT_MODEL_TEMPLATE;
    GT_TRY(gt_strdup(&out->template_name, choice->tmpl != NULL ? choice->tmpl->name : foreign));
    GT_TRY(gt_strdup(&out->config, choice->record != NULL ? choice->record->config : ""));
done:
    return status;
}

static gt_status push_transform(gt_schedule *schedule, const gt_tensor *tensor, const gt_copies *copies, int from, int to)
{
    gt_status status = GT_OK;
    gt_plan_transform fresh = {.from = (gt_layout)from, .to = (gt_layout)to, .ns = copies->ns[from][to]};
    GT_TRY(gt_strdup(&fresh.tensor, tensor->name));
    GT_PUSH(schedule->transforms, schedule->n_transforms, schedule->transforms_capacity, fresh);
    schedule->predicted_ns += fresh.ns;
    fresh.tensor = NULL;
done:
    gt_free(fresh.tensor);
    return status;
}

/* Writes the arborescence that makes `set` from layout `from`, parents before children: the layout added last is
 * the one whose removal and cheapest attachment give the set's cost. */
static gt_status push_set(gt_schedule *schedule, const gt_tensor *tensor, const gt_copies *copies, int from, unsigned set)
{
    gt_status status = GT_OK;
    if (set == 1u << from) {
        return GT_OK;
    }
    for (int b = 0; b < GT_LAYOUT_COUNT; b++) {
        unsigned rest = set & ~(1u << b);
        for (int m = 0; b != from && rest != set && m < GT_LAYOUT_COUNT; m++) {
            bool possible = (rest >> m & 1) != 0 && copies->make[from][rest] != GT_CFN_INFINITE &&
                            copies->cost[m][b] != GT_CFN_INFINITE;
            if (possible && copies->make[from][rest] + copies->cost[m][b] == copies->make[from][set]) {
                GT_TRY(push_set(schedule, tensor, copies, from, rest));
                return push_transform(schedule, tensor, copies, m, b);
            }
        }
    }
    status = gt_fail(GT_ERROR_INTERNAL, "tensor \"%s\": no way to make a set of layouts", tensor->name);
done:
    return status;
}

static gt_status schedule_tensor(const gt_selection *s, const int32_t *values, gt_schedule *schedule, int tensor)
{
    const gt_site *site = &s->sites[tensor];
    const gt_tensor *t = &s->graph->tensors[tensor];
    unsigned needs = site->is_output ? 1u << GT_NCHW : 0;
    if (site->copies < 0) {
        return GT_OK;
    }
    for (int i = site->first; i < site->last; i++) {
        needs |= gt_i_needs(s, s->consumer[i], values[s->consumer[i]], tensor);
    }
    const gt_copies *copies = &s->copies[site->copies];
    int from = t->producer >= 0 ? (int)s->domains[t->producer].choice[values[t->producer]].out : GT_NCHW;
    if (copies->cover[from][needs] == GT_CFN_INFINITE) {
        return gt_fail(GT_ERROR_UNSUPPORTED, "tensor \"%s\": no measured way from %s to the layouts its readers need",
                       t->name, gt_layout_name((gt_layout)from));
    }
    return push_set(schedule, t, copies, from, copies->cover_with[from][needs]);
}

gt_status gt_i_schedule(const gt_selection *s, const int32_t *values, gt_schedule *schedule)
{
    gt_status status = GT_OK;
    gt_schedule fresh = {0};
    const gt_graph *g = s->graph;
    GT_TRY(gt_calloc(&fresh.ops, (size_t)g->n_ops, sizeof *fresh.ops));
    fresh.n_ops = g->n_ops;
    for (int i = 0; i < g->n_inputs; i++) {
        GT_TRY(schedule_tensor(s, values, &fresh, g->inputs[i]));
    }
    for (int i = 0; i < g->n_ops; i++) {
        const gt_choice *choice = &s->domains[i].choice[values[i]];
        GT_TRY(copy_choice(&fresh.ops[i], &g->ops[i], choice));
        fresh.predicted_ns += choice->ns;
        GT_TRY(schedule_tensor(s, values, &fresh, g->ops[i].output));
    }
    *schedule = fresh;
    fresh = (gt_schedule){0};
done:
    gt_schedule_clear(&fresh);
    return status;
}

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

/* allowed[op]: mask of its choices; all of them where the layout leaves none. layout < 0: all. */
static gt_status restrict_choices(const gt_selection *s, int layout, uint32_t **allowed)
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

/* ---- the plan ---- */

static gt_status solve_restricted(const gt_selection *s, int layout, gt_schedule *schedule, gt_plan_result *proof)
{
    gt_status status = GT_OK;
    uint32_t *allowed = NULL;
    int32_t *values = NULL;
    gt_cfn_result result = {0};
    GT_TRY(restrict_choices(s, layout, &allowed));
    GT_TRY(gt_calloc(&values, (size_t)s->graph->n_ops, sizeof *values));
    GT_TRY(gt_i_solve_network(s, allowed, values, &result));
    GT_TRY(gt_i_schedule(s, values, schedule));
    if (proof != NULL) {
        GT_TRY(gt_strdup(&proof->method, result.method));
        proof->predicted_ns = schedule->predicted_ns;
        /* The digits below a nanosecond are not time, and all totals are whole. */
        double bound = floor(ldexp((double)result.lower_bound, -s->scale_bits));
        proof->optimal = result.optimal || bound >= schedule->predicted_ns;
        proof->lower_bound_ns = proof->optimal ? schedule->predicted_ns : bound;
        proof->gap = schedule->predicted_ns > 0 ? 1 - proof->lower_bound_ns / schedule->predicted_ns : 0;
        proof->width = result.width;
        proof->solver_ns = (double)result.solver_ns;
        proof->nodes = result.nodes;
    }
done:
    gt_cfn_result_destroy(&result);
    gt_free(values);
    gt_free(allowed);
    return status;
}

/* Every op's own fastest candidate, with the transforms that this makes necessary. */
static gt_status solve_greedy(const gt_selection *s, gt_schedule *schedule)
{
    gt_status status = GT_OK;
    int32_t *values = NULL;
    GT_TRY(gt_calloc(&values, (size_t)s->graph->n_ops, sizeof *values));
    for (int i = 0; i < s->graph->n_ops; i++) {
        for (int v = 1; v < s->domains[i].n; v++) {
            if (s->domains[i].choice[v].ns < s->domains[i].choice[values[i]].ns) {
                values[i] = v;
            }
        }
    }
    GT_TRY(gt_i_schedule(s, values, schedule));
done:
    gt_free(values);
    return status;
}

/* An alternative that these records cannot put together is left out; that is no failure of the selection. */
static gt_status add_alternative(const gt_selection *s, gt_plan *plan, const char *name, int layout)
{
    gt_status status = GT_OK;
    gt_plan_alternative *a = &plan->alternatives[plan->n_alternatives];
    status = layout < 0 ? solve_greedy(s, &a->schedule) : solve_restricted(s, layout, &a->schedule, NULL);
    if (status == GT_ERROR_UNSUPPORTED) {
        return GT_OK;
    }
    GT_TRY(status);
    plan->n_alternatives++;
    GT_TRY(gt_strdup(&a->name, name));
done:
    return status;
}

static gt_status add_alternatives(const gt_selection *s, gt_plan *plan)
{
    gt_status status = GT_OK;
    GT_TRY(gt_calloc(&plan->alternatives, GT_LAYOUT_COUNT + 1, sizeof *plan->alternatives));
    GT_TRY(add_alternative(s, plan, "greedy", -1));
    for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        if ((s->options->layouts >> layout & 1) != 0) {
            GT_TRY(add_alternative(s, plan, gt_layout_name((gt_layout)layout), layout));
        }
    }
done:
    return status;
}

static gt_status describe_port(gt_plan_port *port, const gt_tensor *tensor, const char *name)
{
    port->dtype = tensor->dtype;
    port->shape = tensor->shape;
    return gt_strdup(&port->name, name);
}

static gt_status describe_model(gt_plan *plan, const gt_graph *graph)
{
    gt_status status = GT_OK;
    memcpy(plan->model_sha256, graph->source_sha256, sizeof plan->model_sha256);
    GT_TRY(gt_calloc(&plan->inputs, (size_t)graph->n_inputs, sizeof *plan->inputs));
    GT_TRY(gt_calloc(&plan->outputs, (size_t)graph->n_outputs, sizeof *plan->outputs));
    plan->n_inputs = graph->n_inputs;
    plan->n_outputs = graph->n_outputs;
    for (int i = 0; i < graph->n_inputs; i++) {
        const gt_tensor *t = &graph->tensors[graph->inputs[i]];
        GT_TRY(describe_port(&plan->inputs[i], t, t->name));
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        GT_TRY(describe_port(&plan->outputs[i], &graph->tensors[graph->outputs[i]], graph->output_names[i]));
    }
done:
    return status;
}

/* The source of the least trustworthy figure that the choice rests on. */
static gt_source weakest_source(const gt_selection *s)
{
    gt_source weakest = GT_SOURCE_MEASURED;
    for (int i = 0; i < s->graph->n_ops; i++) {
        for (int v = 0; v < s->domains[i].n; v++) {
            gt_source source = s->domains[i].choice[v].source;
            weakest = source > weakest ? source : weakest;
        }
    }
    for (int i = 0; i < s->n_copies; i++) {
        weakest = s->copies[i].source > weakest ? s->copies[i].source : weakest;
    }
    return weakest;
}

static bool has_foreign(const gt_schedule *schedule)
{
    for (int i = 0; i < schedule->n_ops; i++) {
        if (gt_record_is_foreign_template(schedule->ops[i].template_name)) {
            return true;
        }
    }
    return false;
}

static gt_status fill_plan(gt_plan *plan, const gt_selection *s)
{
    gt_status status = GT_OK;
    gt_program *program = NULL;
    const gt_select_options *o = s->options;
    GT_TRY(describe_model(plan, s->graph));
    memcpy(plan->device, o->device != NULL ? o->device : "0000000000000000", 17);
    GT_TRY(gt_strdup(&plan->isa, gt_isa_name(o->isa)));
    plan->threads = o->threads;
    plan->source = weakest_source(s);
    plan->bandwidth_gb_s = plan->source == GT_SOURCE_MODEL ? o->bandwidth_gb_s : 0;
    GT_TRY(solve_restricted(s, o->only_layout, &plan->schedule, &plan->result));
    if (o->alternatives) {
        GT_TRY(add_alternatives(s, plan));
    }
    /* Nothing here runs another compiler's code, so there is no memory to plan for it. */
    if (!has_foreign(&plan->schedule)) {
        GT_TRY(gt_program_build(&program, s->graph, &plan->schedule));
        GT_TRY(gt_program_save_memory(program, s->graph, plan));
    }
done:
    gt_program_destroy(program);
    return status;
}

gt_status gt_select(gt_plan **plan, const gt_graph *graph, const gt_records *records, const gt_select_options *options)
{
    gt_status status = GT_OK;
    gt_select_options o = *options;
    gt_selection *s = NULL;
    gt_plan *p = NULL;
    o.layouts |= 1u << GT_NCHW;
    GT_REQUIRE(o.device == NULL || strlen(o.device) == 16, GT_ERROR_ARGUMENT, "device \"%s\": 16 digits are needed", o.device);
    GT_TRY(gt_i_selection_create(&s, graph, records, &o));
    GT_TRY(gt_plan_create(&p));
    GT_TRY(fill_plan(p, s));
    *plan = p;
    p = NULL;
done:
    gt_plan_destroy(p);
    gt_i_selection_destroy(s);
    return status;
}
