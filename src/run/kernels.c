/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/kernels.h"

#include <stdlib.h>

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

/* Those of a step that needs them no more; where it does the work of two ops, those of both. */
static void release_constants(gt_graph *graph, const gt_program *program, const gt_step *step, int *uses)
{
    int pair[GT_PAIR_INPUTS];
    const int *tensors = step->op >= 0 ? gt_step_tensors(program, graph, step, pair) : NULL;
    for (int j = 0; tensors != NULL && j < step->n_inputs; j++) {
        int tensor = tensors[j];
        if (tensor != GT_NO_TENSOR && --uses[tensor] == 0) {
            gt_free(graph->tensors[tensor].data);
            graph->tensors[tensor].data = NULL;
        }
    }
}

static gt_status make_kernel(gt_kernel **kernel, const gt_graph *graph, const gt_program *program, const gt_step *step,
                             gt_isa isa)
{
    gt_status status = GT_OK;
    const void **consts = NULL;
    int pair[GT_PAIR_INPUTS];
    if (step->op < 0 || step->tmpl->view) {
        goto done;
    }
    const int *tensors = gt_step_tensors(program, graph, step, pair);
    GT_TRY(gt_calloc(&consts, (size_t)step->n_inputs, sizeof *consts));
    for (int i = 0; i < step->n_inputs; i++) {
        consts[i] = tensors[i] != GT_NO_TENSOR ? graph->tensors[tensors[i]].data : NULL;
    }
    status = gt_kernel_create(kernel, step->tmpl, step->workload, step->from, step->to, &step->config,
                              (const void *const *)consts, isa);
    if (status != GT_OK) {
        status = gt_fail_in(status, "op \"%s\"", graph->ops[step->op].name);
    }
done:
    gt_free(consts);
    return status;
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

static int64_t constant_bytes(const gt_graph *graph, const gt_program *program, const gt_step *step)
{
    int64_t bytes = 0;
    int pair[GT_PAIR_INPUTS];
    const int *tensors = step->op >= 0 ? gt_step_tensors(program, graph, step, pair) : NULL;
    for (int j = 0; tensors != NULL && j < step->n_inputs; j++) {
        int tensor = tensors[j];
        if (tensor != GT_NO_TENSOR && graph->tensors[tensor].data != NULL) {
            const gt_tensor *t = &graph->tensors[tensor];
            bytes += gt_shape_elems(&t->shape) * (int64_t)gt_dtype_bytes(t->dtype);
        }
    }
    return bytes;
}

/* While an op is packed its constants are in memory twice: those with most come first, while the
 * others are not packed yet, as packed constants take as much room or more. */
gt_status gt_kernels_create(gt_kernel ***kernels, gt_graph *graph, const gt_program *program, gt_isa isa,
                            bool release)
{
    gt_status status = GT_OK;
    struct load *loads = NULL;
    gt_kernel **list = NULL;
    int *uses = NULL;
    const int n = program->n_steps;
    GT_TRY(gt_calloc(&list, (size_t)n, sizeof *list));
    GT_TRY(gt_calloc(&loads, (size_t)n, sizeof *loads));
    GT_TRY(count_constant_uses(&uses, graph));
    for (int i = 0; i < n; i++) {
        loads[i] = (struct load){i, constant_bytes(graph, program, &program->steps[i])};
    }
    qsort(loads, (size_t)n, sizeof *loads, heavier_first);
    for (int i = 0; i < n; i++) {
        const gt_step *step = &program->steps[loads[i].step];
        GT_TRY(make_kernel(&list[loads[i].step], graph, program, step, isa));
        if (release) {
            release_constants(graph, program, step, uses);
        }
    }
    if (release) {
        return_free_memory();
    }
    *kernels = list;
    list = NULL;
done:
    gt_kernels_destroy(list, n);
    gt_free(uses);
    gt_free(loads);
    return status;
}

void gt_kernels_destroy(gt_kernel **kernels, int n)
{
    for (int i = 0; kernels != NULL && i < n; i++) {
        gt_kernel_destroy(kernels[i]);
    }
    gt_free(kernels);
}

int64_t gt_kernels_packed_bytes(gt_kernel *const *kernels, int n)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) {
        bytes += kernels[i] != NULL ? (int64_t)kernels[i]->packed_bytes : 0;
    }
    return bytes;
}
