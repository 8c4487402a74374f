/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map between a plan file and a program. */
#include "src/plan/program.h"

#include <string.h>

static const gt_plan_buffer *find_buffer(const gt_plan *plan, const char *tensor, gt_layout layout)
{
    for (int i = 0; i < plan->n_buffers; i++) {
        if (plan->buffers[i].layout == layout && strcmp(plan->buffers[i].tensor, tensor) == 0) {
            return &plan->buffers[i];
        }
    }
    return NULL;
}

static gt_status check_buffer(const gt_plan_buffer *buffer, const gt_form *form, const char *tensor, int64_t arena_bytes)
{
    gt_status status = GT_OK;
    GT_REQUIRE(buffer != NULL, GT_ERROR_MISMATCH, "plan: memory.offsets has no entry for tensor \"%s\" in %s", tensor,
               gt_layout_name(form->layout));
    GT_REQUIRE(buffer->offset_bytes >= 0 && buffer->offset_bytes % GT_ALIGN_BYTES == 0, GT_ERROR_MISMATCH,
               "plan: memory.offsets: tensor \"%s\": offset %lld is not a multiple of %d", tensor,
               (long long)buffer->offset_bytes, GT_ALIGN_BYTES);
    GT_REQUIRE(buffer->size_bytes == form->size_bytes, GT_ERROR_MISMATCH,
               "plan: memory.offsets: tensor \"%s\" in %s has %lld bytes, not %lld", tensor,
               gt_layout_name(form->layout), (long long)form->size_bytes, (long long)buffer->size_bytes);
    GT_REQUIRE(buffer->offset_bytes <= arena_bytes - form->size_bytes, GT_ERROR_MISMATCH,
               "plan: memory.offsets: tensor \"%s\" ends beyond the arena of %lld bytes", tensor, (long long)arena_bytes);
done:
    return status;
}

static gt_status check_overlaps(const gt_program *p, const gt_graph *graph)
{
    for (int i = 0; i < p->n_forms; i++) {
        const gt_form *a = &p->forms[i];
        for (int j = 0; j < i && a->storage == i; j++) {
            const gt_form *b = &p->forms[j];
            bool together = a->first_step <= b->last_step && b->first_step <= a->last_step;
            bool overlap = a->offset_bytes < b->offset_bytes + b->size_bytes &&
                           b->offset_bytes < a->offset_bytes + a->size_bytes;
            if (b->storage == j && together && overlap) {
                return gt_fail(GT_ERROR_MISMATCH,
                               "plan: memory.offsets: tensors \"%s\" and \"%s\" overlap while both are in use",
                               graph->tensors[a->tensor].name, graph->tensors[b->tensor].name);
            }
        }
    }
    return GT_OK;
}

/* An arena that holds everything side by side is as large as one can be needed: a plan cannot ask for more. */
static gt_status check_totals(const gt_program *program, const gt_plan *plan)
{
    gt_status status = GT_OK;
    int n_roots = 0;
    int64_t bytes = 0;
    for (int i = 0; i < program->n_forms; i++) {
        if (program->forms[i].storage == i) {
            n_roots++;
            bytes += (program->forms[i].size_bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
        }
    }
    GT_REQUIRE(plan->n_buffers == n_roots, GT_ERROR_MISMATCH,
               "plan: memory.offsets has %d entries; the %d stored tensors need one each", plan->n_buffers, n_roots);
    GT_REQUIRE(plan->arena_bytes <= bytes, GT_ERROR_MISMATCH,
               "plan: memory.arena_bytes is %lld; all tensors together take %lld", (long long)plan->arena_bytes,
               (long long)bytes);
done:
    return status;
}

gt_status gt_program_use_memory(gt_program *program, const gt_graph *graph, const gt_plan *plan)
{
    gt_status status = GT_OK;
    for (int i = 0; i < program->n_forms; i++) {
        gt_form *form = &program->forms[i];
        if (form->storage != i) {
            continue;
        }
        const char *tensor = graph->tensors[form->tensor].name;
        const gt_plan_buffer *buffer = find_buffer(plan, tensor, form->layout);
        GT_TRY(check_buffer(buffer, form, tensor, plan->arena_bytes));
        form->offset_bytes = buffer->offset_bytes;
    }
    GT_TRY(check_totals(program, plan));
    GT_TRY(check_overlaps(program, graph));
    program->arena_bytes = plan->arena_bytes;
done:
    return status;
}

gt_status gt_program_save_memory(const gt_program *program, const gt_graph *graph, gt_plan *plan)
{
    gt_status status = GT_OK;
    GT_TRY(gt_calloc(&plan->buffers, (size_t)program->n_forms, sizeof *plan->buffers));
    for (int i = 0; i < program->n_forms; i++) {
        const gt_form *form = &program->forms[i];
        if (form->storage != i) {
            continue;
        }
        gt_plan_buffer *buffer = &plan->buffers[plan->n_buffers++];
        buffer->layout = form->layout;
        buffer->offset_bytes = form->offset_bytes;
        buffer->size_bytes = form->size_bytes;
        GT_TRY(gt_strdup(&buffer->tensor, graph->tensors[form->tensor].name));
    }
    plan->arena_bytes = program->arena_bytes;
done:
    return status;
}
