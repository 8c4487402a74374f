/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/session.h"

#include "src/base/clock.h"

#include <string.h>

/* A step with its pointers resolved. */
struct action {
    gt_kernel *kernel; /* NULL: a transform or a view */
    bool transform;
    const gt_shape *shape; /* transforms */
    gt_layout from, to;
    const void **in;
    void *out;
};

struct gt_session {
    gt_graph *graph;
    const gt_program *program;
    gt_pool *pool;
    char *arena, *workspace;
    size_t workspace_bytes;
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
        size_t bytes = gt_kernel_workspace_bytes(action->kernel, options->threads);
        s->workspace_bytes = bytes > s->workspace_bytes ? bytes : s->workspace_bytes;
        s->packed_bytes += (int64_t)action->kernel->packed_bytes;
    }
done:
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

gt_status gt_session_create(gt_session **session, gt_graph *graph, const gt_program *program,
                            const gt_session_options *options)
{
    gt_status status = GT_OK;
    gt_session *s = NULL;
    int *uses = NULL;
    GT_TRY(gt_calloc(&s, 1, sizeof *s));
    s->graph = graph;
    s->program = program;
    GT_TRY(gt_calloc(&s->actions, (size_t)program->n_steps, sizeof *s->actions));
    GT_TRY(count_constant_uses(&uses, graph));
    for (int i = 0; i < program->n_steps; i++) {
        GT_TRY(prepare_step(s, i, options));
        if (options->release_constants && program->steps[i].op >= 0) {
            release_constants(graph, &graph->ops[program->steps[i].op], uses);
        }
    }
    GT_TRY(gt_alloc_aligned(&s->arena, (size_t)program->arena_bytes));
    GT_TRY(gt_alloc_aligned(&s->workspace, s->workspace_bytes));
    /* Touch every page now: no page fault belongs into the first inference. */
    memset(s->arena, 0, (size_t)program->arena_bytes);
    memset(s->workspace, 0, s->workspace_bytes);
    resolve_pointers(s);
    if (options->threads > 1) {
        GT_TRY(gt_pool_create(&s->pool, options->threads));
    }
    *session = s;
    s = NULL;
done:
    gt_free(uses);
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
        gt_kernel_run(a->kernel, (const void *const *)a->in, a->out, NULL, s->workspace, s->pool);
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
