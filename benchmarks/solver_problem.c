/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/solver_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lp_must(gt_status status)
{
    if (status != GT_OK) {
        fprintf(stderr, "solver benchmark: %s\n", gt_error_message());
        exit(2);
    }
}

lp_problem *lp_create(void)
{
    lp_problem *p = NULL;
    lp_must(gt_calloc(&p, 1, sizeof *p));
    return p;
}

void lp_destroy(lp_problem *p)
{
    if (p != NULL) {
        gt_free(p->ops);
        gt_free(p->inputs);
        gt_free(p->tensors);
        gt_free(p->transforms);
        gt_free(p->first);
        gt_free(p->reader);
        gt_free(p);
    }
}

int32_t lp_add_transforms(lp_problem *p, const lp_transforms *t)
{
    lp_must(gt_i_grow(&p->transforms, &p->transforms_capacity, p->n_transforms, sizeof *p->transforms));
    p->transforms[p->n_transforms] = *t;
    return (int32_t)p->n_transforms++;
}

int32_t lp_add_tensor(lp_problem *p, int32_t producer, int32_t transforms)
{
    lp_must(gt_i_grow(&p->tensors, &p->tensor_capacity, p->n_tensors, sizeof *p->tensors));
    p->tensors[p->n_tensors] = (lp_tensor){.producer = producer, .transforms = transforms};
    return (int32_t)p->n_tensors++;
}

int32_t lp_add_op(lp_problem *p, int32_t n_inputs, const int32_t *inputs, int32_t n, const lp_candidate *c)
{
    lp_op op = {.first_input = (int32_t)p->n_inputs, .n_inputs = n_inputs, .n = n};
    memcpy(op.c, c, (size_t)n * sizeof *c);
    for (int32_t i = 0; i < n_inputs; i++) {
        lp_must(gt_i_grow(&p->inputs, &p->input_capacity, p->n_inputs, sizeof *p->inputs));
        p->inputs[p->n_inputs++] = (lp_input){.tensor = inputs[i]};
    }
    lp_must(gt_i_grow(&p->ops, &p->op_capacity, p->n_ops, sizeof *p->ops));
    p->ops[p->n_ops] = op;
    return (int32_t)p->n_ops++;
}

/* Whether input i of an op is the first of its inputs that is this tensor. */
static bool first_use(const lp_problem *p, const lp_op *op, int32_t i)
{
    const lp_input *inputs = &p->inputs[op->first_input];
    for (int32_t k = 0; k < i; k++) {
        if (inputs[k].tensor == inputs[i].tensor) {
            return false;
        }
    }
    return true;
}

void lp_finish(lp_problem *p, bool outputs)
{
    lp_must(gt_calloc(&p->first, p->n_tensors + 2, sizeof *p->first));
    lp_must(gt_calloc(&p->reader, p->n_inputs, sizeof *p->reader));
    int32_t *next = &p->first[1]; /* becomes the end of each tensor's readers */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t o = 0; o < p->n_ops; o++) {
            for (int32_t i = 0; i < p->ops[o].n_inputs; i++) {
                int32_t t = p->inputs[p->ops[o].first_input + i].tensor;
                if (first_use(p, &p->ops[o], i) && pass == 0) {
                    p->first[t + 2]++;
                } else if (first_use(p, &p->ops[o], i)) {
                    p->reader[next[t]++] = (int32_t)o;
                }
            }
        }
        for (size_t t = 0; pass == 0 && t < p->n_tensors; t++) {
            next[t + 1] += next[t];
        }
    }
    for (size_t t = 0; outputs && t < p->n_tensors; t++) {
        p->tensors[t].is_output |= p->first[t] == p->first[t + 1];
    }
}

unsigned lp_needs(const lp_problem *p, int32_t op, const lp_candidate *c, int32_t tensor)
{
    unsigned mask = 0;
    for (int32_t i = 0; i < p->ops[op].n_inputs; i++) {
        const lp_input *input = &p->inputs[p->ops[op].first_input + i];
        if (input->tensor == tensor) {
            mask |= 1u << (input->fused ? c->out : c->in);
        }
    }
    return mask;
}
