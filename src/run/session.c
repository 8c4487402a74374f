/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/session.h"

#include "src/base/clock.h"
#include "src/run/kernels.h"

#include <string.h>

/* A step with its pointers resolved. */
struct action {
    const gt_kernel *kernel; /* NULL: a transform or a view */
    bool transform;
    const gt_shape *shape; /* transforms */
    gt_layout from, to;
    const void **in;
    void *out;
    size_t workspace_bytes;
    void *workspace;
};

struct gt_session {
    const gt_graph *graph;
    const gt_program *program;
    gt_kernel **own_kernels; /* NULL: they were lent */
    gt_pool *pool;
    char *arena, *workspace;
    size_t workspace_bytes; /* of `workspace`, where steps are that find no room in the arena */
    int64_t packed_bytes;
    struct action *actions; /* program->n_steps */
};

static void *form_memory(const gt_session *s, int form)
{
    const gt_form *forms = s->program->forms;
    return s->arena + forms[forms[form].storage].offset_bytes + forms[form].within_bytes;
}

static gt_status prepare_step(gt_session *s, int index, gt_kernel *const *kernels, int threads)
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
    }
    action->kernel = kernels[index];
    action->workspace_bytes = action->kernel != NULL ? gt_kernel_workspace_bytes(action->kernel, threads) : 0;
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
        s->actions[i].out = step->output >= 0 ? form_memory(s, step->output) : NULL;
    }
}

gt_status gt_session_create(gt_session **session, gt_graph *graph, const gt_program *program,
                            const gt_session_options *options)
{
    gt_status status = GT_OK;
    gt_session *s = NULL;
    gt_kernel *const *kernels = options->kernels;
    GT_TRY(gt_calloc(&s, 1, sizeof *s));
    s->graph = graph;
    s->program = program;
    GT_TRY(gt_calloc(&s->actions, (size_t)program->n_steps, sizeof *s->actions));
    if (kernels == NULL) {
        GT_TRY(gt_kernels_create(&s->own_kernels, graph, program, options->isa, options->release_constants));
        kernels = s->own_kernels;
    }
    for (int i = 0; i < program->n_steps; i++) {
        GT_TRY(prepare_step(s, i, kernels, options->threads));
    }
    s->packed_bytes = gt_kernels_packed_bytes(kernels, program->n_steps);
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
        gt_free(session->actions[i].in);
    }
    gt_kernels_destroy(session->own_kernels, session->program->n_steps);
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
