/* SPDX-License-Identifier: Apache-2.0 */
#include "src/plan/plan.h"

#include "src/plan/plan_parts.h"

#include <string.h>

void gt_schedule_clear(gt_schedule *schedule)
{
    for (int i = 0; i < schedule->n_ops; i++) {
        gt_plan_op *op = &schedule->ops[i];
        gt_free(op->node);
        gt_free(op->workload);
        gt_free(op->template_name);
        gt_free(op->config);
    }
    for (int i = 0; i < schedule->n_transforms; i++) {
        gt_free(schedule->transforms[i].tensor);
    }
    gt_free(schedule->ops);
    gt_free(schedule->transforms);
    *schedule = (gt_schedule){0};
}

gt_status gt_plan_create(gt_plan **plan)
{
    return gt_calloc(plan, 1, sizeof **plan);
}

static void destroy_ports(gt_plan_port *ports, int n)
{
    for (int i = 0; i < n; i++) {
        gt_free(ports[i].name);
    }
    gt_free(ports);
}

void gt_plan_destroy(gt_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gt_schedule_clear(&plan->schedule);
    for (int i = 0; i < plan->n_alternatives; i++) {
        gt_free(plan->alternatives[i].name);
        gt_schedule_clear(&plan->alternatives[i].schedule);
    }
    for (int i = 0; i < plan->n_buffers; i++) {
        gt_free(plan->buffers[i].tensor);
    }
    destroy_ports(plan->inputs, plan->n_inputs);
    destroy_ports(plan->outputs, plan->n_outputs);
    gt_free(plan->alternatives);
    gt_free(plan->buffers);
    gt_free(plan->model_file);
    gt_free(plan->weights_file);
    gt_free(plan->device_name);
    gt_free(plan->isa);
    gt_plan_result_clear(&plan->result);
    gt_i_plan_selection_destroy(plan->selection);
    gt_free(plan);
}

gt_status gt_plan_path(gt_text *path, const char *file, const char *plan_path)
{
    const char *slash = strrchr(plan_path, '/');
    if (file[0] == '/' || slash == NULL) {
        return gt_text_append(path, "%s", file);
    }
    return gt_text_append(path, "%.*s%s", (int)(slash + 1 - plan_path), plan_path, file);
}

gt_status gt_plan_model_path(gt_text *path, const gt_plan *plan, const char *plan_path)
{
    return gt_plan_path(path, plan->model_file, plan_path);
}

gt_status gt_plan_weights_path(gt_text *path, const gt_plan *plan, const char *plan_path)
{
    return plan->weights_file != NULL ? gt_plan_path(path, plan->weights_file, plan_path) : GT_OK;
}
