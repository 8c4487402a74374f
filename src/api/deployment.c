/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime half of the public interface. */
#include "config.h"

#include "src/api/deployment.h"

#include <string.h>

int gt_deployment_input_count(const gt_deployment *deployment)
{
    return deployment != NULL ? deployment->graph->n_inputs : 0;
}

int gt_deployment_output_count(const gt_deployment *deployment)
{
    return deployment != NULL ? deployment->graph->n_outputs : 0;
}

static void describe(gt_port *port, const gt_tensor *tensor, const char *name, void *data)
{
    *port = (gt_port){.name = name, .rank = tensor->shape.rank, .data = data};
    port->layout = tensor->shape.rank == 4 ? "NCHW" : "C";
    port->type = tensor->dtype == GT_F32 ? GT_PORT_F32 : tensor->dtype == GT_I64 ? GT_PORT_I64 : GT_PORT_BOOL;
    port->bytes = (size_t)gt_shape_elems(&tensor->shape) * gt_dtype_bytes(tensor->dtype);
    memcpy(port->dim, tensor->shape.dim, sizeof port->dim);
}

gt_status gt_deployment_input(const gt_deployment *deployment, int index, gt_port *port)
{
    if (deployment == NULL || port == NULL) {
        return gt_fail(GT_ERROR_ARGUMENT, "gt_deployment_input: deployment or port is NULL");
    }
    const gt_graph *g = deployment->graph;
    if (index < 0 || index >= g->n_inputs) {
        return gt_fail(GT_ERROR_ARGUMENT, "input %d: the model has %d", index, g->n_inputs);
    }
    const gt_tensor *t = &g->tensors[g->inputs[index]];
    describe(port, t, t->name, gt_session_input(deployment->session, index));
    return GT_OK;
}

gt_status gt_deployment_output(const gt_deployment *deployment, int index, gt_port *port)
{
    if (deployment == NULL || port == NULL) {
        return gt_fail(GT_ERROR_ARGUMENT, "gt_deployment_output: deployment or port is NULL");
    }
    const gt_graph *g = deployment->graph;
    if (index < 0 || index >= g->n_outputs) {
        return gt_fail(GT_ERROR_ARGUMENT, "output %d: the model has %d", index, g->n_outputs);
    }
    void *data = (void *)(uintptr_t)gt_session_output(deployment->session, index);
    describe(port, &g->tensors[g->outputs[index]], g->output_names[index], data);
    return GT_OK;
}

void gt_deployment_run(gt_deployment *deployment)
{
    gt_session_run(deployment->session, NULL);
}

void gt_deployment_run_timed(gt_deployment *deployment, double *step_ns)
{
    gt_session_run(deployment->session, step_ns);
}

int gt_deployment_step_count(const gt_deployment *deployment)
{
    return deployment != NULL ? deployment->program->n_steps : 0;
}

gt_status gt_deployment_step(const gt_deployment *deployment, int index, gt_step_info *info)
{
    if (deployment == NULL || info == NULL) {
        return gt_fail(GT_ERROR_ARGUMENT, "gt_deployment_step: deployment or step is NULL");
    }
    if (index < 0 || index >= deployment->program->n_steps) {
        return gt_fail(GT_ERROR_ARGUMENT, "step %d: the program has %d", index, deployment->program->n_steps);
    }
    const gt_schedule *schedule = &deployment->plan->schedule;
    const gt_step *step = &deployment->program->steps[index];
    const bool copy = step->op < 0;
    *info = (gt_step_info){.name = copy ? schedule->transforms[step->schedule].tensor : schedule->ops[step->schedule].node,
                           .kernel = copy ? "transform" : step->tmpl->name,
                           .from = gt_layout_name(step->from),
                           .to = gt_layout_name(step->to),
                           .predicted_ns = copy ? schedule->transforms[step->schedule].ns : schedule->ops[step->schedule].ns};
    return GT_OK;
}

gt_status gt_deployment_memory(const gt_deployment *deployment, gt_memory_use *use)
{
    if (deployment == NULL || use == NULL) {
        return gt_fail(GT_ERROR_ARGUMENT, "gt_deployment_memory: deployment or use is NULL");
    }
    const gt_session_memory m = gt_session_memory_use(deployment->session);
    *use = (gt_memory_use){(size_t)m.packed_bytes, (size_t)m.arena_bytes, (size_t)m.workspace_bytes};
    return GT_OK;
}

gt_status gt_deployment_create(gt_deployment **deployment, gt_bundle *bundle, int threads)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    GT_REQUIRE(deployment != NULL && bundle != NULL, GT_ERROR_ARGUMENT, "gt_deployment_create: %s is NULL",
               deployment == NULL ? "deployment" : "bundle");
    GT_REQUIRE(threads >= 0 && threads <= 256, GT_ERROR_ARGUMENT, "threads = %d: 0 to 256 are allowed", threads);
    GT_TRY(gt_calloc(&d, 1, sizeof *d));
    gt_i_bundle_retain(bundle);
    *d = (gt_deployment){
        .bundle = bundle, .plan = bundle->content.plan, .graph = bundle->content.graph, .program = bundle->program};
    const gt_session_options o = {.threads = threads > 0 ? threads : d->plan->threads, .kernels = bundle->kernels};
    GT_TRY(gt_session_create(&d->session, d->graph, d->program, &o));
    *deployment = d;
    d = NULL;
done:
    gt_deployment_close(d);
    return status;
}

void gt_deployment_close(gt_deployment *deployment)
{
    if (deployment == NULL) {
        return;
    }
    gt_session_destroy(deployment->session);
    if (deployment->bundle == NULL) {
        gt_program_destroy(deployment->program);
        gt_graph_destroy(deployment->graph);
        gt_plan_destroy(deployment->plan);
    }
    gt_bundle_close(deployment->bundle);
    gt_free(deployment);
}

const char *gt_version(void)
{
    return PACKAGE_VERSION;
}

gt_status gt_i_plan_isa(gt_isa *isa, const gt_plan *plan)
{
    for (gt_isa i = GT_ISA_BASE; i < GT_ISA_COUNT; i++) {
        if (strcmp(plan->isa, gt_isa_name(i)) == 0 && gt_isa_available(i)) {
            *isa = i;
            return GT_OK;
        }
    }
    return gt_fail(GT_ERROR_MISMATCH,
                   "plan: isa is \"%s\", which this machine does not offer (its best is %s); tune and select here",
                   plan->isa, gt_isa_name(gt_isa_best()));
}

gt_status gt_i_deployment_start(gt_deployment *deployment, int threads, bool keep_constants)
{
    gt_status status = GT_OK;
    gt_session_options o = {.release_constants = !keep_constants};
    o.threads = threads > 0 ? threads : deployment->plan->threads;
    GT_TRY(gt_i_plan_isa(&o.isa, deployment->plan));
    GT_TRY(gt_session_create(&deployment->session, deployment->graph, deployment->program, &o));
done:
    return status;
}
