/* SPDX-License-Identifier: Apache-2.0 */
/* detection_output.direct and yolo_detection_output.direct: one task on one thread, in C order. The time
 * is nothing beside a network's, and it must not depend on the instruction set what is found
 * (detection.h). */
#include "ops/detection.h"
#include "ops/general_common.h"

#define MAX_INPUTS 17

typedef struct detection_params {
    void (*run)(const gt_workload *w, float *out, const void *const *in, gt_i_detection *work);
    int64_t at[MAX_INPUTS]; /* of packed constants */
} detection_params;

static void run(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    const detection_params *p = k->params;
    const void *in[MAX_INPUTS];
    (void)phase;
    if (begin < end) {
        for (int i = 0; i < k->workload->n_inputs; i++) {
            in[i] = gt_i_input(a, p->at, i);
        }
        p->run(k->workload, a->out, in, a->shared);
    }
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    detection_params p = {
        .run = kernel->workload->kind == GT_OP_DETECTION_OUTPUT ? gt_i_detection_output
        : gt_i_yolo_detection_output,
    };
    gt_status status = gt_i_pack_inputs(kernel, consts, p.at);
    (void)isa;
    kernel->tasks[0] = 1;
    kernel->shared_bytes = (size_t)gt_i_detection_room(kernel->workload) * sizeof(gt_i_detection);
    return status == GT_OK ? gt_i_set_params(kernel, &p, sizeof p, run) : status;
}

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return in == GT_NCHW && out == GT_NCHW && w->n_inputs <= MAX_INPUTS && !w->inputs[0].constant;
}

const gt_template gt_i_template_detection_output_direct = {
    .name = "detection_output.direct",
    .kind = GT_OP_DETECTION_OUTPUT,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};

const gt_template gt_i_template_yolo_detection_output_direct = {
    .name = "yolo_detection_output.direct",
    .kind = GT_OP_YOLO_DETECTION_OUTPUT,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};
