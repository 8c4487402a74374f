/* SPDX-License-Identifier: Apache-2.0 */
/* Making candidates ready and running them. */
#include "ops/template.h"

static size_t align_up(size_t bytes)
{
    return (bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
}

gt_status gt_i_kernel_room(gt_kernel *kernel, size_t bytes)
{
    gt_status status = GT_OK;
    if (kernel->adopted == NULL) {
        GT_TRY(gt_alloc_aligned(&kernel->packed, bytes));
    } else {
        GT_REQUIRE(bytes == kernel->adopted_bytes || kernel->adopted_bytes == GT_I_ADOPT_ANY, GT_ERROR_MISMATCH,
                   "template %s packs %zu bytes of constants for %s; there are %zu", kernel->tmpl->name, bytes,
                   kernel->workload->key, kernel->adopted_bytes);
        kernel->packed = (void *)(uintptr_t)kernel->adopted;
    }
    kernel->packed_bytes = bytes;
done:
    return status;
}

/* A kernel that is not prepared yet. */
static gt_status begin(gt_kernel **out, const gt_template *t, const gt_workload *w, gt_layout in, gt_layout layout_out,
                       const gt_config *config, gt_isa isa)
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
    *out = kernel;
    kernel = NULL;
done:
    gt_kernel_destroy(kernel);
    return status;
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    if (!kernel->tmpl->view) {
        GT_TRY(kernel->tmpl->prepare(kernel, consts, isa));
        GT_VERIFY(kernel->run != NULL && kernel->n_phases >= 1 && kernel->n_phases <= GT_MAX_PHASES);
    }
done:
    return status;
}

gt_status gt_kernel_create(gt_kernel **out, const gt_template *t, const gt_workload *w, gt_layout in,
                           gt_layout layout_out, const gt_config *config, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_kernel *kernel = NULL;
    GT_TRY(begin(&kernel, t, w, in, layout_out, config, isa));
    GT_TRY(prepare(kernel, consts, isa));
    *out = kernel;
    kernel = NULL;
done:
    gt_kernel_destroy(kernel);
    return status;
}

/* Packed constants take no less room than before, whatever the candidate. So the size of what is there bounds what
 * `prepare` allocates for a workload that came from a file. */
static gt_status check_size(const gt_template *t, const gt_workload *w, size_t packed_bytes)
{
    int64_t bytes = 0;
    for (int i = 0; i < w->n_inputs; i++) {
        const gt_operand *input = &w->inputs[i];
        bytes += input->present && input->constant ? gt_shape_elems(&input->shape) * (int64_t)gt_dtype_bytes(input->dtype) : 0;
    }
    if ((uint64_t)bytes > packed_bytes) {
        return gt_fail(GT_ERROR_MISMATCH, "template %s: %zu bytes of packed constants cannot hold the %lld of %s", t->name,
                       packed_bytes, (long long)bytes, w->key);
    }
    return GT_OK;
}

gt_status gt_kernel_adopt(gt_kernel **out, const gt_template *t, const gt_workload *w, gt_layout in, gt_layout layout_out,
                          const gt_config *config, const void *packed, size_t packed_bytes, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_kernel *kernel = NULL;
    const void **consts = NULL;
    GT_TRY(check_size(t, w, packed_bytes));
    GT_TRY(begin(&kernel, t, w, in, layout_out, config, isa));
    GT_TRY(gt_calloc(&consts, (size_t)w->n_inputs, sizeof *consts));
    kernel->adopted = packed;
    kernel->adopted_bytes = packed_bytes;
    GT_TRY(prepare(kernel, (const void *const *)consts, isa));
    GT_REQUIRE(kernel->packed_bytes == packed_bytes, GT_ERROR_MISMATCH,
               "template %s packs no constants for %s; there are %zu bytes", t->name, w->key, packed_bytes);
    *out = kernel;
    kernel = NULL;
done:
    gt_kernel_destroy(kernel);
    gt_free(consts);
    return status;
}

void gt_kernel_destroy(gt_kernel *kernel)
{
    if (kernel != NULL) {
        if (kernel->tmpl != NULL && kernel->tmpl->clear != NULL && kernel->params != NULL) {
            kernel->tmpl->clear(kernel);
        }
        gt_workload_destroy((gt_workload *)kernel->workload);
        gt_free(kernel->adopted == NULL ? kernel->packed : NULL);
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
