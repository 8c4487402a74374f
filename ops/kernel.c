/* SPDX-License-Identifier: Apache-2.0 */
/* Making candidates ready and running them. */
#include "ops/template.h"

static size_t align_up(size_t bytes)
{
    return (bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
}

gt_status gt_kernel_create(gt_kernel **out, const gt_template *t, const gt_workload *w, gt_layout in,
                           gt_layout layout_out, const gt_config *config, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_kernel *kernel = NULL;
    gt_workload *copy = NULL;
    GT_REQUIRE(gt_template_supports(t, w, in, layout_out), GT_ERROR_UNSUPPORTED,
               "template %s does not handle %s with %s in and %s out", t->name, w->key, gt_layout_name(in),
               gt_layout_name(layout_out));
    GT_REQUIRE(gt_template_valid(t, w, in, layout_out, config), GT_ERROR_ARGUMENT,
               "template %s: the config is not in the space of %s", t->name, w->key);
    GT_REQUIRE(gt_isa_available(isa), GT_ERROR_UNSUPPORTED, "this CPU has no %s", gt_isa_name(isa));
    GT_TRY(gt_calloc(&kernel, 1, sizeof *kernel));
    GT_TRY(gt_workload_copy(&copy, w));
    kernel->tmpl = t;
    kernel->workload = copy;
    kernel->in = in;
    kernel->out = layout_out;
    kernel->config = *config;
    kernel->n_phases = 1;
    if (!t->view) {
        GT_TRY(t->prepare(kernel, consts, isa));
        GT_VERIFY(kernel->run != NULL && kernel->n_phases >= 1 && kernel->n_phases <= GT_MAX_PHASES);
    }
    *out = kernel;
    kernel = NULL;
done:
    gt_kernel_destroy(kernel);
    return status;
}

void gt_kernel_destroy(gt_kernel *kernel)
{
    if (kernel != NULL) {
        gt_workload_destroy((gt_workload *)kernel->workload);
        gt_free(kernel->packed);
        gt_free(kernel->params);
        gt_free(kernel);
    }
}

size_t gt_kernel_workspace_bytes(const gt_kernel *kernel, int threads)
{
    return align_up(kernel->shared_bytes) + align_up(kernel->thread_bytes) * (size_t)threads;
}

struct phase {
    const gt_kernel *kernel;
    gt_args args;
    char *scratch;
    size_t scratch_bytes;
    int number;
};

static void run_tasks(void *context, int thread, int64_t begin, int64_t end)
{
    const struct phase *phase = context;
    gt_args args = phase->args;
    args.scratch = phase->scratch + phase->scratch_bytes * (size_t)thread;
    phase->kernel->run(phase->kernel, &args, phase->number, begin, end);
}

void gt_kernel_run(const gt_kernel *kernel, const void *const *in, void *out, const void *packed, void *workspace,
                   gt_pool *pool)
{
    struct phase phase = {
        .kernel = kernel,
        .args = {.in = in, .out = out, .packed = packed != NULL ? packed : kernel->packed, .shared = workspace},
        .scratch = workspace != NULL ? (char *)workspace + align_up(kernel->shared_bytes) : (char *)out,
        .scratch_bytes = workspace != NULL ? align_up(kernel->thread_bytes) : 0,
    };
    if (kernel->tmpl->view) {
        return;
    }
    for (int i = 0; i < kernel->n_phases; i++) {
        phase.number = i;
        gt_pool_run(pool, run_tasks, &phase, kernel->tasks[i]);
    }
}
