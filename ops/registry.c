/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ops/kernels.h"
#include "ops/template.h"
#include "src/graph/pair.h"

#include <string.h>

#define GT_TEMPLATE(variable) extern const gt_template gt_i_template_##variable;
#include "ops/templates.inc"
#undef GT_TEMPLATE

static const gt_template *const templates[] = {
#define GT_TEMPLATE(variable) &gt_i_template_##variable,
#include "ops/templates.inc"
#undef GT_TEMPLATE
};

static const gt_kernel_fn kernels[][GT_ISA_COUNT] = {
#if defined(__x86_64__)
#define GT_KERNEL(name) {gt_##name##_base, gt_##name##_avx2, gt_##name##_avx512},
#else
#define GT_KERNEL(name) {gt_##name##_base, gt_##name##_base, gt_##name##_base},
#endif
#include "ops/kernels.inc"
#undef GT_KERNEL
};

gt_kernel_fn gt_i_kernel(gt_i_kernel_id id, gt_isa isa)
{
    return kernels[id][isa];
}

size_t gt_template_count(void)
{
    return sizeof templates / sizeof *templates;
}

const gt_template *gt_template_at(size_t index)
{
    return index < gt_template_count() ? templates[index] : NULL;
}

size_t gt_template_index(const gt_template *t)
{
    size_t i = 0;
    while (i < gt_template_count() && gt_template_at(i) != t) {
        i++;
    }
    return i;
}

const gt_template *gt_template_find(const char *name)
{
    for (size_t i = 0; i < gt_template_count(); i++) {
        if (strcmp(templates[i]->name, name) == 0) {
            return templates[i];
        }
    }
    return NULL;
}

gt_role gt_template_role(const gt_template *t)
{
    if (t == NULL) {
        return GT_ROLE_OWN;
    }
    return t->inside                      ? GT_ROLE_INSIDE
           : t->in_place                  ? GT_ROLE_IN_PLACE
           : gt_op_kind_is_pair(t->kind) ? GT_ROLE_PAIR
                                          : GT_ROLE_OWN;
}

gt_layout gt_template_input_layout(const gt_workload *w, gt_layout in, gt_layout out, int i)
{
    if (!w->inputs[i].present || w->inputs[i].shape.rank != 4 || w->inputs[i].constant) {
        return GT_NCHW;
    }
    const bool residual = (w->kind == GT_OP_CONV2D && i == 3) || (w->kind == GT_OP_CONV2D_POINTWISE && i == 5);
    return residual ? out : in;
}

bool gt_template_supports(const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out)
{
    if (t->kind != w->kind || !gt_layout_allows(out, &w->output.shape)) {
        return false;
    }
    /* `in` speaks of the activations; an op of constants alone has only C order. */
    bool any_image = false;
    for (int i = 0; i < w->n_inputs; i++) {
        const gt_operand *input = &w->inputs[i];
        any_image |= input->present && !input->constant && input->shape.rank == 4 && input->dtype == GT_F32;
    }
    if ((in != GT_NCHW && !any_image) || (out != GT_NCHW && w->output.dtype != GT_F32)) {
        return false;
    }
    return t->supports(w, in, out);
}
