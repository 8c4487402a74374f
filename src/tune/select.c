/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/select.h"

#include "src/plan/program.h"
#include "src/tune/select_memory_internal.h"
#include "src/tune/select_regret.h"

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

static bool is_throttled(const gt_record *record)
{
    return record != NULL && record->throttled;
}

static gt_status push_transform(gt_schedule *schedule, const gt_tensor *tensor, const gt_copies *copies, int from, int to)
{
    gt_status status = GT_OK;
    gt_plan_transform fresh = {.from = (gt_layout)from, .to = (gt_layout)to, .ns = copies->ns[from][to]};
    GT_TRY(gt_strdup(&fresh.tensor, tensor->name));
    GT_PUSH(schedule->transforms, schedule->n_transforms, schedule->transforms_capacity, fresh);
    schedule->predicted_ns += fresh.ns;
    schedule->n_throttled += is_throttled(copies->record[from][to]);
    fresh.tensor = NULL;
done:
    gt_free(fresh.tensor);
    return status;
}

static gt_status schedule_tensor(const gt_selection *s, const int32_t *values, gt_schedule *schedule, int tensor)
{
    gt_status status = GT_OK;
    gt_hop hops[GT_LAYOUT_COUNT];
    int n_hops = 0;
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
        GT_TRY(gt_fail(GT_ERROR_UNSUPPORTED, "tensor \"%s\": no measured way from %s to the layouts its readers need",
                       t->name, gt_layout_name((gt_layout)from)));
    }
    GT_TRY(gt_i_way(hops, &n_hops, copies, from, copies->cover_with[from][needs]));
    for (int i = 0; i < n_hops; i++) {
        GT_TRY(push_transform(schedule, t, copies, hops[i].from, hops[i].to));
    }
done:
    return status;
}

gt_status gt_i_schedule(const gt_selection *s, const int32_t *values, gt_schedule *schedule)
{
    gt_status status = GT_OK;
    gt_schedule fresh = {0};
    const gt_graph *g = s->graph;
    GT_REQUIRE(gt_i_all_pair_units(s, values) == 0, GT_ERROR_UNSUPPORTED,
               "two ops are to be done as one by the one and not by the other");
    GT_TRY(gt_calloc(&fresh.ops, (size_t)g->n_ops, sizeof *fresh.ops));
    fresh.n_ops = g->n_ops;
    for (int i = 0; i < g->n_inputs; i++) {
        GT_TRY(schedule_tensor(s, values, &fresh, g->inputs[i]));
    }
    for (int i = 0; i < g->n_ops; i++) {
        const gt_choice *choice = &s->domains[i].choice[values[i]];
        GT_TRY(copy_choice(&fresh.ops[i], &g->ops[i], choice));
        fresh.predicted_ns += choice->ns;
        fresh.n_throttled += is_throttled(choice->record);
        GT_TRY(schedule_tensor(s, values, &fresh, g->ops[i].output));
    }
    *schedule = fresh;
    fresh = (gt_schedule){0};
done:
    gt_schedule_clear(&fresh);
    return status;
}

/* ---- the plan ---- */

static gt_status push_start(gt_starts *starts, int32_t **values, const gt_selection *s)
{
    gt_status status = gt_calloc(values, (size_t)s->graph->n_ops, sizeof **values);
    if (status == GT_OK) {
        starts->values[starts->n++] = *values;
    }
    return status;
}

/* A schedule to compare with, which the solver starts from as well: greedy, or the best with all ops in one layout. One that
 * these records cannot put together, or not within the budgets, is left out; that is no failure of the selection. */
static gt_status add_alternative(gt_selection *s, gt_plan *plan, gt_starts *starts, int layout)
{
    gt_status status = GT_OK;
    gt_plan_alternative *a = &plan->alternatives[plan->n_alternatives];
    int32_t *values = NULL;
    GT_TRY(push_start(starts, &values, s));
    if (layout < 0) {
        gt_i_solve_greedy(s, values);
    } else {
        status = gt_i_solve(s, values, NULL, layout, NULL);
    }
    status = status == GT_OK ? gt_i_schedule(s, values, &a->schedule) : status;
    if (status == GT_ERROR_UNSUPPORTED || status == GT_ERROR_LIMIT) {
        gt_free(values);
        starts->n--;
        return GT_OK;
    }
    GT_TRY(status);
    plan->n_alternatives++;
    GT_TRY(gt_strdup(&a->name, layout < 0 ? "greedy" : gt_layout_name((gt_layout)layout)));
done:
    return status;
}

static gt_status add_alternatives(gt_selection *s, gt_plan *plan, gt_starts *starts)
{
    gt_status status = GT_OK;
    int32_t *values = NULL;
    if (!s->options->alternatives) {
        GT_TRY(push_start(starts, &values, s));
        gt_i_solve_greedy(s, values);
        return GT_OK;
    }
    GT_TRY(gt_calloc(&plan->alternatives, GT_LAYOUT_COUNT + 1, sizeof *plan->alternatives));
    GT_TRY(add_alternative(s, plan, starts, -1));
    for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        if ((s->options->layouts >> layout & 1) != 0) {
            GT_TRY(add_alternative(s, plan, starts, layout));
        }
    }
done:
    return status;
}

static gt_status choose(gt_selection *s, gt_plan *plan)
{
    gt_status status = GT_OK;
    gt_starts starts = {0};
    int32_t *values = NULL;
    GT_TRY(gt_calloc(&values, (size_t)s->graph->n_ops, sizeof *values));
    GT_TRY(s->options->cfn_path != NULL ? gt_i_dump_network(s) : GT_OK);
    GT_TRY(add_alternatives(s, plan, &starts));
    GT_TRY(gt_i_solve(s, values, &plan->result, s->options->only_layout, &starts));
    if (s->options->max_memory_bytes > 0) {
        GT_TRY(gt_i_fit_memory(s, values, &plan->result));
    }
    GT_TRY(gt_i_schedule(s, values, &plan->schedule));
    if (plan->result.optimal) {
        GT_TRY(gt_i_note_regrets(&plan->schedule, s, values, plan->result.table_entries));
    }
done:
    for (int i = 0; i < starts.n; i++) {
        gt_free(starts.values[i]);
    }
    gt_free(values);
    return status;
}

static gt_status copy_strings(char ***copies, int *n, const char *const *strings, int count)
{
    gt_status status = GT_OK;
    GT_TRY(gt_calloc(copies, (size_t)count, sizeof **copies));
    *n = count;
    for (int i = 0; i < count; i++) {
        GT_TRY(gt_strdup(&(*copies)[i], strings[i]));
    }
done:
    return status;
}

static gt_status describe_selection(gt_plan *plan, const gt_select_options *o)
{
    gt_status status = GT_OK;
    GT_TRY(gt_calloc(&plan->selection, 1, sizeof *plan->selection));
    plan->selection->layouts = o->layouts;
    plan->selection->only_layout = o->only_layout;
    plan->selection->sources = o->sources;
    GT_TRY(copy_strings(&plan->selection->pins, &plan->selection->n_pins, o->pins, o->n_pins));
    GT_TRY(copy_strings(&plan->selection->forbids, &plan->selection->n_forbids, o->forbids, o->n_forbids));
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

static gt_status fill_plan(gt_plan *plan, gt_selection *s)
{
    gt_status status = GT_OK;
    gt_program *program = NULL;
    const gt_select_options *o = s->options;
    GT_TRY(describe_model(plan, s->graph));
    memcpy(plan->device, o->device != NULL ? o->device : "0000000000000000", 17);
    GT_TRY(gt_i_name_isa(&plan->isa, s));
    plan->threads = o->threads;
    plan->source = weakest_source(s);
    plan->bandwidth_gb_s = plan->source == GT_SOURCE_MODEL ? o->bandwidth_gb_s : 0;
    GT_TRY(describe_selection(plan, o));
    GT_TRY(choose(s, plan));
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
