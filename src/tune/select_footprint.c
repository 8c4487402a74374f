/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of given choices: what gt_program_build computes, without names, templates and a schedule in between. Forms are
 * numbered as it numbers them, since the arena's planner tells equally large buffers apart by their numbers. */
#include "src/plan/program.h"
#include "src/tune/select_memory_internal.h"

#include <string.h>

struct gt_footprint {
    const gt_lifetimes *l;
    int n_forms, n_steps;
    int *form_of;       /* [tensor * GT_LAYOUT_COUNT + layout], or -1 */
    gt_form *forms;     /* sizes are rounded up as the arena does */
    int *inputs;        /* scratch: the forms that an op reads */
    int *period;        /* [step] */
    int64_t *change;    /* [step + 1]: bytes that begin to live, less those that end */
    int64_t *sizes, *offsets; /* of the forms with memory of their own, side by side for the planner */
    int *firsts, *lasts;
};

gt_status gt_i_footprint_create(gt_footprint **footprint, const gt_lifetimes *l)
{
    gt_status status = GT_OK;
    gt_footprint *f = NULL;
    size_t forms = (size_t)l->s->graph->n_tensors * GT_LAYOUT_COUNT;
    size_t steps = forms + (size_t)l->s->graph->n_ops + 3;
    GT_TRY(gt_calloc(&f, 1, sizeof *f));
    f->l = l;
    GT_TRY(gt_calloc(&f->form_of, forms, sizeof *f->form_of));
    GT_TRY(gt_calloc(&f->forms, forms, sizeof *f->forms));
    GT_TRY(gt_calloc(&f->inputs, gt_i_most_inputs(l->s->graph) + GT_PAIR_INPUTS, sizeof *f->inputs));
    GT_TRY(gt_calloc(&f->period, steps, sizeof *f->period));
    GT_TRY(gt_calloc(&f->change, steps, sizeof *f->change));
    GT_TRY(gt_calloc(&f->sizes, forms, sizeof *f->sizes));
    GT_TRY(gt_calloc(&f->offsets, forms, sizeof *f->offsets));
    GT_TRY(gt_calloc(&f->firsts, forms, sizeof *f->firsts));
    GT_TRY(gt_calloc(&f->lasts, forms, sizeof *f->lasts));
    *footprint = f;
    f = NULL;
done:
    gt_i_footprint_destroy(f);
    return status;
}

void gt_i_footprint_destroy(gt_footprint *f)
{
    if (f != NULL) {
        gt_free(f->lasts);
        gt_free(f->firsts);
        gt_free(f->offsets);
        gt_free(f->sizes);
        gt_free(f->change);
        gt_free(f->period);
        gt_free(f->inputs);
        gt_free(f->forms);
        gt_free(f->form_of);
        gt_free(f);
    }
}

static int add_form(gt_footprint *f, int tensor, gt_layout layout, int view_of)
{
    int slot = tensor * GT_LAYOUT_COUNT + (int)layout;
    int form = f->n_forms++;
    f->form_of[slot] = form;
    f->forms[form] = (gt_form){.tensor = tensor,
                               .layout = layout,
                               .storage = view_of >= 0 ? view_of : form,
                               .size_bytes = f->l->bytes[slot],
                               .first_step = f->n_steps,
                               .last_step = f->n_steps};
    return form;
}

/* The form, now read by the next step; -1: nothing made it. */
static int read_form(gt_footprint *f, int tensor, gt_layout layout)
{
    int64_t within = 0;
    int form = f->form_of[tensor * GT_LAYOUT_COUNT + (int)layout];
    if (form >= 0) {
        f->forms[gt_i_form_root(f->forms, form, &within)].last_step = f->n_steps;
    }
    return form;
}

static gt_status add_copies(gt_footprint *f, const int32_t *values, int tensor, int period)
{
    gt_status status = GT_OK;
    const gt_selection *s = f->l->s;
    gt_hop hops[GT_LAYOUT_COUNT];
    int n_hops = 0;
    if (s->sites[tensor].copies < 0) {
        return GT_OK;
    }
    const gt_copies *copies = &s->copies[s->sites[tensor].copies];
    unsigned needs = gt_i_tensor_needs(f->l, values, tensor);
    gt_layout from = gt_i_made_in(s, values, tensor);
    GT_REQUIRE(copies->cover[from][needs] != GT_CFN_INFINITE, GT_ERROR_UNSUPPORTED, "tensor \"%s\": a transform is unknown",
               s->graph->tensors[tensor].name);
    GT_TRY(gt_i_way(hops, &n_hops, copies, (int)from, copies->cover_with[from][needs]));
    for (int i = 0; i < n_hops; i++) {
        (void)read_form(f, tensor, hops[i].from);
        (void)add_form(f, tensor, hops[i].to, -1);
        f->period[f->n_steps++] = period;
    }
done:
    return status;
}

/* The form of an op's output, in the memory of its inputs where nothing runs. */
static gt_status add_output(gt_footprint *f, const gt_op *op, const gt_choice *choice)
{
    gt_status status = GT_OK;
    bool in_place = gt_i_is_in_place(choice);
    bool view = choice->tmpl != NULL && choice->tmpl->view && !in_place;
    int output = add_form(f, op->output, choice->out, view ? f->inputs[0] : -1);
    GT_REQUIRE(!in_place || gt_i_forms_join(f->forms, output, f->inputs, op->n_inputs), GT_ERROR_INTERNAL,
               "op \"%s\": its inputs do not fit into its output", op->name);
done:
    return status;
}

/* The forms that an op reads, in f->inputs: of both where it does the work of the op before as well. */
static void read_inputs(gt_footprint *f, int index, const gt_choice *choice)
{
    const gt_selection *s = f->l->s;
    const bool pair = gt_i_role(choice) == GT_ROLE_PAIR;
    const gt_workload *w = pair ? s->pairs->workload[index] : s->graph->ops[index].workload;
    int both[GT_PAIR_INPUTS];
    const int *tensors = s->graph->ops[index].inputs;
    if (pair) {
        (void)gt_pair_tensors(both, s->pairs, s->graph, index);
        tensors = both;
    }
    for (int i = 0; i < w->n_inputs; i++) {
        f->inputs[i] = -1;
        if (tensors[i] != GT_NO_TENSOR && s->graph->tensors[tensors[i]].data == NULL) {
            f->inputs[i] = read_form(f, tensors[i], gt_template_input_layout(w, choice->in, choice->out, i));
        }
    }
}

static gt_status add_op(gt_footprint *f, const int32_t *values, int index)
{
    gt_status status = GT_OK;
    const gt_op *op = &f->l->s->graph->ops[index];
    const gt_choice *choice = &f->l->s->domains[index].choice[values[index]];
    const gt_role role = gt_i_role(choice);
    if (role != GT_ROLE_INSIDE) {
        read_inputs(f, index, choice);
        GT_TRY(add_output(f, op, choice));
    }
    f->period[f->n_steps++] = 2 * index;
    GT_TRY(add_copies(f, values, op->output, 2 * index + 1));
done:
    return status;
}

static gt_status add_all(gt_footprint *f, const int32_t *values)
{
    gt_status status = GT_OK;
    const gt_graph *g = f->l->s->graph;
    GT_REQUIRE(gt_i_all_pair_units(f->l->s, values) == 0, GT_ERROR_UNSUPPORTED, "two ops of which one is to be done with the other");
    memset(f->form_of, -1, (size_t)g->n_tensors * GT_LAYOUT_COUNT * sizeof *f->form_of);
    f->n_forms = 0;
    f->n_steps = 0;
    for (int i = 0; i < g->n_inputs; i++) {
        f->forms[add_form(f, g->inputs[i], GT_NCHW, -1)].first_step = -1;
    }
    for (int i = 0; i < g->n_inputs; i++) {
        GT_TRY(add_copies(f, values, g->inputs[i], 0));
    }
    for (int i = 0; i < g->n_ops; i++) {
        GT_TRY(add_op(f, values, i));
    }
    for (int i = 0; i < g->n_outputs; i++) {
        (void)read_form(f, g->outputs[i], GT_NCHW);
    }
    for (int i = 0; i < g->n_inputs; i++) {
        f->forms[f->form_of[g->inputs[i] * GT_LAYOUT_COUNT + GT_NCHW]].last_step = f->n_steps;
    }
done:
    return status;
}

/* Most bytes alive at any step; `live` of every period. */
static int64_t sweep(gt_footprint *f, int64_t *live)
{
    int64_t now = 0;
    int64_t peak = 0;
    memset(f->change, 0, (size_t)(f->n_steps + 3) * sizeof *f->change);
    for (int i = 0; i < f->n_forms; i++) {
        const gt_form *form = &f->forms[i];
        if (form->storage == i) {
            f->change[form->first_step + 1] += form->size_bytes;
            f->change[form->last_step + 2] -= form->size_bytes;
        }
    }
    for (int step = -1; step <= f->n_steps; step++) {
        now += f->change[step + 1];
        peak = now > peak ? now : peak;
        if (live != NULL && step >= 0 && step < f->n_steps && now > live[f->period[step]]) {
            live[f->period[step]] = now;
        }
    }
    return peak;
}

gt_status gt_i_footprint(gt_footprint *f, int64_t *arena_bytes, int64_t *live, const int32_t *values, int64_t limit)
{
    gt_status status = GT_OK;
    int n = 0;
    if (live != NULL) {
        memset(live, 0, 2 * (size_t)f->l->s->graph->n_ops * sizeof *live);
    }
    GT_TRY(add_all(f, values));
    int64_t peak = sweep(f, live);
    if (peak > limit) {
        *arena_bytes = peak;
        return GT_OK;
    }
    for (int i = 0; i < f->n_forms; i++) {
        const gt_form *form = &f->forms[i];
        if (form->storage == i) {
            f->sizes[n] = form->size_bytes;
            f->firsts[n] = form->first_step;
            f->lasts[n++] = form->last_step;
        }
    }
    GT_TRY(gt_arena_plan(arena_bytes, f->offsets, n, f->sizes, f->firsts, f->lasts));
done:
    return status;
}
