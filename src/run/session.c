/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/session.h"

#include "src/base/clock.h"

#include <stdlib.h>
#include <string.h>

/* Packing frees as much as it allocates, in blocks of other sizes; what stays behind in the heap is given back. */
#ifdef __GLIBC__
#include <malloc.h>
static void return_free_memory(void)
{
    malloc_trim(0);
}
#else
static void return_free_memory(void)
{
}
#endif

/* A step with its pointers resolved. */
struct action {
    gt_kernel *kernel; /* NULL: a transform or a view */
    bool transform;
    const gt_shape *shape; /* transforms */
    gt_layout from, to;
    const void **in;
    void *out;
    size_t workspace_bytes;
    void *workspace;
};

struct gt_session {
    gt_graph *graph;
    const gt_program *program;
    gt_pool *pool;
    char *arena, *workspace;
    size_t workspace_bytes; /* of `workspace`, where steps are that find no room in the arena */
    int64_t packed_bytes;
    struct action *actions; /* program->n_steps */
};

static void *form_memory(const gt_session *s, int form)
{
    const gt_form *forms = s->program->forms;
    return s->arena + forms[forms[form].storage].offset_bytes;
}

/* How many ops still need each constant. */
static gt_status count_constant_uses(int **uses, const gt_graph *graph)
{
    gt_status status = gt_calloc(uses, (size_t)graph->n_tensors, sizeof **uses);
    for (int i = 0; status == GT_OK && i < graph->n_ops; i++) {
        for (int j = 0; j < graph->ops[i].n_inputs; j++) {
            int tensor = graph->ops[i].inputs[j];
            if (tensor != GT_NO_TENSOR) {
                (*uses)[tensor]++;
            }
        }
    }
    for (int i = 0; status == GT_OK && i < graph->n_outputs; i++) {
        (*uses)[graph->outputs[i]]++;
    }
    return status;
}

static void release_constants(gt_graph *graph, const gt_op *op, int *uses)
{
    for (int j = 0; j < op->n_inputs; j++) {
        int tensor = op->inputs[j];
        if (tensor != GT_NO_TENSOR && --uses[tensor] == 0) {
            gt_free(graph->tensors[tensor].data);
            graph->tensors[tensor].data = NULL;
        }
    }
}

static gt_status prepare_op(gt_session *s, struct action *action, const gt_step *step, gt_isa isa)
{
    gt_status status = GT_OK;
    const gt_op *op = &s->graph->ops[step->op];
    const void **consts = NULL;
    if (step->tmpl->view) {
        goto done;
    }
    GT_TRY(gt_calloc(&consts, (size_t)op->n_inputs, sizeof *consts));
    for (int i = 0; i < op->n_inputs; i++) {
        consts[i] = op->inputs[i] != GT_NO_TENSOR ? s->graph->tensors[op->inputs[i]].data : NULL;
    }
    status = gt_kernel_create(&action->kernel, step->tmpl, op->workload, step->from, step->to, &step->config,
                              (const void *const *)consts, isa);
    if (status != GT_OK) {
        status = gt_fail_in(status, "op \"%s\"", op->name);
    }
done:
    gt_free(consts);
    return status;
}

static gt_status prepare_step(gt_session *s, int index, const gt_session_options *options)
{
    gt_status status = GT_OK;
    const gt_step *step = &s->program->steps[index];
    struct action *action = &s->actions[index];
    GT_TRY(gt_calloc(&action->in, (size_t)step->n_inputs, sizeof *action->in));
    if (step->op < 0) {
        action->transform = true;
        action->from = step->from;
        action->to = step->to;
        action->shape = &s->graph->tensors[s->program->forms[step->output].tensor].shape;
        goto done;
    }
    GT_TRY(prepare_op(s, action, step, options->isa));
    if (action->kernel != NULL) {
        action->workspace_bytes = gt_kernel_workspace_bytes(action->kernel, options->threads);
        s->packed_bytes += (int64_t)action->kernel->packed_bytes;
    }
done:
    return status;
}

/* ---- workspaces ----
 *
 * The arena is as large as the step that keeps most alive needs it; in others there is room for the workspace, which
 * therefore costs memory of its own only where it does not fit. */

static int64_t end_of(const gt_form *form)
{
    return (form->offset_bytes + form->size_bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
}

static bool is_free(int64_t begin, int64_t bytes, const gt_form *const *alive, int n_alive)
{
    for (int i = 0; i < n_alive; i++) {
        if (begin < end_of(alive[i]) && alive[i]->offset_bytes < begin + bytes) {
            return false;
        }
    }
    return true;
}

/* Where in the arena a step has this much room (the lowest offset), or -1. `alive` has room for all forms. */
static int64_t find_room(const gt_program *p, int step, int64_t bytes, const gt_form **alive)
{
    int n_alive = 0;
    int64_t lowest = -1;
    for (int i = 0; i < p->n_forms; i++) {
        const gt_form *form = &p->forms[i];
        if (form->storage == i && form->first_step <= step && step <= form->last_step) {
            alive[n_alive++] = form;
        }
    }
    for (int i = -1; i < n_alive; i++) {
        int64_t begin = i < 0 ? 0 : end_of(alive[i]);
        bool lower = lowest < 0 || begin < lowest;
        if (lower && begin <= p->arena_bytes - bytes && is_free(begin, bytes, alive, n_alive)) {
            lowest = begin;
        }
    }
    return lowest;
}

/* Room in the arena for the steps' workspaces: offsets[i], or -1 where step i needs s->workspace. */
static gt_status place_workspaces(int64_t *offsets, gt_session *s)
{
    const gt_form **alive = NULL;
    gt_status status = gt_calloc(&alive, (size_t)s->program->n_forms, sizeof *alive);
    for (int i = 0; status == GT_OK && i < s->program->n_steps; i++) {
        size_t bytes = s->actions[i].workspace_bytes;
        offsets[i] = bytes > 0 ? find_room(s->program, i, (int64_t)bytes, alive) : -1;
        if (offsets[i] < 0 && bytes > s->workspace_bytes) {
            s->workspace_bytes = bytes;
        }
    }
    gt_free(alive);
    return status;
}

static gt_status allocate(gt_session *s)
{
    gt_status status = GT_OK;
    int64_t *offsets = NULL;
    size_t arena_bytes = (size_t)s->program->arena_bytes;
    GT_TRY(gt_calloc(&offsets, (size_t)s->program->n_steps, sizeof *offsets));
    GT_TRY(place_workspaces(offsets, s));
    GT_TRY(gt_alloc_aligned(&s->arena, arena_bytes));
    GT_TRY(gt_alloc_aligned(&s->workspace, s->workspace_bytes));
    /* Touch every page now: no page fault belongs into the first inference. */
    memset(s->arena, 0, arena_bytes);
    memset(s->workspace, 0, s->workspace_bytes);
    for (int i = 0; i < s->program->n_steps; i++) {
        s->actions[i].workspace = offsets[i] >= 0 ? s->arena + offsets[i] : s->workspace;
    }
done:
    gt_free(offsets);
    return status;
}

static void resolve_pointers(gt_session *s)
{
    for (int i = 0; i < s->program->n_steps; i++) {
        const gt_step *step = &s->program->steps[i];
        for (int j = 0; j < step->n_inputs; j++) {
            s->actions[i].in[j] = step->inputs[j] >= 0 ? form_memory(s, step->inputs[j]) : NULL;
        }
        s->actions[i].out = form_memory(s, step->output);
    }
}

/* A step and how much its op's constants take before they are packed. */
struct load {
    int step;
    int64_t bytes;
};

static int heavier_first(const void *a, const void *b)
{
    const struct load *x = a;
    const struct load *y = b;
    if (x->bytes != y->bytes) {
        return x->bytes > y->bytes ? -1 : 1;
    }
    return x->step - y->step;
}

static int64_t constant_bytes(const gt_graph *graph, const gt_step *step)
{
    int64_t bytes = 0;
    for (int j = 0; step->op >= 0 && j < graph->ops[step->op].n_inputs; j++) {
        int tensor = graph->ops[step->op].inputs[j];
        if (tensor != GT_NO_TENSOR && graph->tensors[tensor].data != NULL) {
            const gt_tensor *t = &graph->tensors[tensor];
            bytes += gt_shape_elems(&t->shape) * (int64_t)gt_dtype_bytes(t->dtype);
        }
    }
    return bytes;
}

/* Makes all steps ready. While an op is packed its constants are in memory twice: those with most come first, while the
 * others are not packed yet, as packed constants take as much room or more. */
static gt_status prepare_steps(gt_session *s, const gt_session_options *options)
{
    gt_status status = GT_OK;
    struct load *loads = NULL;
    int *uses = NULL;
    const int n = s->program->n_steps;
    GT_TRY(gt_calloc(&loads, (size_t)n, sizeof *loads));
    GT_TRY(count_constant_uses(&uses, s->graph));
    for (int i = 0; i < n; i++) {
        loads[i] = (struct load){i, constant_bytes(s->graph, &s->program->steps[i])};
    }
    qsort(loads, (size_t)n, sizeof *loads, heavier_first);
    for (int i = 0; i < n; i++) {
        const gt_step *step = &s->program->steps[loads[i].step];
        GT_TRY(prepare_step(s, loads[i].step, options));
        if (options->release_constants && step->op >= 0) {
            release_constants(s->graph, &s->graph->ops[step->op], uses);
        }
    }
    if (options->release_constants) {
        return_free_memory();
    }
done:
    gt_free(uses);
    gt_free(loads);
    return status;
}

gt_status gt_session_create(gt_session **session, gt_graph *graph, const gt_program *program,
                            const gt_session_options *options)
{
    gt_status status = GT_OK;
    gt_session *s = NULL;
    GT_TRY(gt_calloc(&s, 1, sizeof *s));
    s->graph = graph;
    s->program = program;
    GT_TRY(gt_calloc(&s->actions, (size_t)program->n_steps, sizeof *s->actions));
    GT_TRY(prepare_steps(s, options));
    GT_TRY(allocate(s));
    resolve_pointers(s);
    if (options->threads > 1) {
        GT_TRY(gt_pool_create(&s->pool, options->threads));
    }
    *session = s;
    s = NULL;
done:
    gt_session_destroy(s);
    return status;
}

void gt_session_destroy(gt_session *session)
{
    if (session == NULL) {
        return;
    }
    gt_pool_destroy(session->pool);
    for (int i = 0; session->actions != NULL && i < session->program->n_steps; i++) {
        gt_kernel_destroy(session->actions[i].kernel);
        gt_free(session->actions[i].in);
    }
    gt_free(session->actions);
    gt_free(session->workspace);
    gt_free(session->arena);
    gt_free(session);
}

void *gt_session_input(gt_session *session, int i)
{
    return form_memory(session, session->program->inputs[i]);
}

const void *gt_session_output(const gt_session *session, int i)
{
    int form = session->program->outputs[i];
    return form >= 0 ? form_memory(session, form) : session->graph->tensors[session->graph->outputs[i]].data;
}

static void transform_tasks(void *context, int thread, int64_t begin, int64_t end)
{
    const struct action *a = context;
    (void)thread;
    gt_transform_run(a->out, a->to, a->in[0], a->from, a->shape, begin, end);
}

static void act(gt_session *s, struct action *a)
{
    if (a->transform) {
        gt_pool_run(s->pool, transform_tasks, a, gt_transform_tasks(a->shape, a->to, a->from));
    } else if (a->kernel != NULL) {
        gt_kernel_run(a->kernel, (const void *const *)a->in, a->out, NULL, a->workspace, s->pool);
    }
}

void gt_session_run(gt_session *session, double *step_ns)
{
    int64_t before = step_ns != NULL ? gt_now_ns() : 0;
    for (int i = 0; i < session->program->n_steps; i++) {
        act(session, &session->actions[i]);
        if (step_ns != NULL) {
            int64_t now = gt_now_ns();
            step_ns[i] = (double)(now - before);
            before = now;
        }
    }
}

gt_session_memory gt_session_memory_use(const gt_session *session)
{
    return (gt_session_memory){.packed_bytes = session->packed_bytes,
                               .arena_bytes = session->program->arena_bytes,
                               .workspace_bytes = (int64_t)session->workspace_bytes};
}
