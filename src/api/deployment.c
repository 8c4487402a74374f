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

void gt_deployment_close(gt_deployment *deployment)
{
    if (deployment != NULL) {
        gt_session_destroy(deployment->session);
        gt_program_destroy(deployment->program);
        gt_graph_destroy(deployment->graph);
        gt_plan_destroy(deployment->plan);
        gt_free(deployment);
    }
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
