/* SPDX-License-Identifier: Apache-2.0 */
/* The network of a few ops whose surroundings keep their choices. A tensor between them is as in select_network.c, but for
 * what fixed ops make and ask for. */
#include "src/tune/select_regret.h"

#include <string.h>

#define MAX_VALUES GT_MAX_CHOICES
#define INFINITE GT_CFN_INFINITE

/* A free op: its variable, and its choices by the variable's values. */
struct part {
    int op;
    int32_t variable;
    int n;
    int choice[MAX_VALUES];
};

struct region {
    const gt_selection *s;
    const int32_t *values; /* of the ops that are not free */
    gt_cfn *cfn;
    int n;
    struct part *parts;
    int *part_of; /* [op]: index into parts; -1: its choice is fixed */
};

/* A tensor's free producer and readers, and what is fixed about it. */
struct joint {
    int tensor;
    const gt_copies *copies;
    const struct part *producer; /* NULL: `made` is fixed */
    gt_layout made;
    unsigned base; /* layouts that are needed in any case */
    int n_readers;
    const struct part **readers;
};

unsigned gt_i_site_needs(const gt_selection *s, int tensor, const int32_t *values)
{
    const gt_site *site = &s->sites[tensor];
    unsigned needs = site->is_output ? 1u << GT_NCHW : 0;
    for (int i = site->first; i < site->last; i++) {
        needs |= gt_i_needs(s, s->consumer[i], values[s->consumer[i]], tensor);
    }
    return needs;
}

static gt_status add_part(struct region *r, int op, uint32_t allowed)
{
    const gt_domain *domain = &r->s->domains[op];
    struct part *part = &r->parts[r->n];
    int64_t unary[MAX_VALUES];
    part->op = op;
    r->part_of[op] = r->n++;
    for (int v = 0; v < domain->n; v++) {
        if ((allowed >> v & 1) != 0) {
            unary[part->n] = gt_i_choice_units(r->s, &domain->choice[v]);
            part->choice[part->n++] = v;
        }
    }
    return gt_cfn_add_variable(r->cfn, &part->variable, r->s->graph->ops[op].name, part->n, unary);
}

static unsigned needs_of(const struct region *r, const struct part *part, int value, int tensor)
{
    return gt_i_needs(r->s, part->op, part->choice[value], tensor);
}

static int made_values(const struct joint *j)
{
    return j->producer != NULL ? j->producer->n : 1;
}

static gt_layout made_in(const struct region *r, const struct joint *j, int value)
{
    return j->producer != NULL ? r->s->domains[j->producer->op].choice[j->producer->choice[value]].out : j->made;
}

/* Adds the table [made_values][columns] between the producer, where it is free, and another variable. */
static gt_status join(struct region *r, const struct joint *j, int32_t variable, const int64_t *table)
{
    return j->producer != NULL ? gt_cfn_add_binary(r->cfn, j->producer->variable, variable, table)
                               : gt_cfn_add_unary(r->cfn, variable, table);
}

/* As gt_i_pair_units, for the producer's value number `a`, and the reader's choice. */
static int64_t pair_units(const struct region *r, const struct joint *j, int a, int reader_choice)
{
    const int producer = r->s->graph->tensors[j->tensor].producer;
    if (producer < 0) {
        return 0;
    }
    return gt_i_pair_units(r->s, j->tensor, j->producer != NULL ? j->producer->choice[a] : r->values[producer], reader_choice);
}

static gt_status join_one_reader(struct region *r, const struct joint *j)
{
    int64_t table[MAX_VALUES * MAX_VALUES];
    const struct part *reader = j->readers[0];
    for (int a = 0; a < made_values(j); a++) {
        for (int b = 0; b < reader->n; b++) {
            const int64_t units = j->copies->cover[made_in(r, j, a)][j->base | needs_of(r, reader, b, j->tensor)];
            table[a * reader->n + b] = pair_units(r, j, a, reader->choice[b]) == 0 ? units : INFINITE;
        }
    }
    return join(r, j, reader->variable, table);
}

static gt_status join_no_reader(struct region *r, const struct joint *j)
{
    int64_t unary[MAX_VALUES];
    for (int a = 0; a < made_values(j); a++) {
        const int second = r->s->pairs->second[j->producer->op];
        const bool agree = second < 0 || pair_units(r, j, a, r->values[second]) == 0;
        unary[a] = agree ? j->copies->cover[made_in(r, j, a)][j->base] : INFINITE;
    }
    return gt_cfn_add_unary(r->cfn, j->producer->variable, unary);
}

static gt_status join_readers(struct region *r, const struct joint *j)
{
    gt_status status = GT_OK;
    int64_t table[MAX_VALUES * GT_MASKS];
    uint8_t sets[GT_MASKS];
    int n_sets = 0;
    int32_t variable = 0;
    unsigned most = j->base;
    for (int k = 0; k < j->n_readers; k++) {
        for (int b = 0; b < j->readers[k]->n; b++) {
            most |= needs_of(r, j->readers[k], b, j->tensor);
        }
    }
    for (unsigned set = 1; set < GT_MASKS; set++) {
        if ((set & ~most) == 0 && (set & j->base) == j->base) {
            sets[n_sets++] = (uint8_t)set;
        }
    }
    for (int k = 0; k < made_values(j) * n_sets; k++) {
        table[k] = j->copies->cover[made_in(r, j, k / n_sets)][sets[k % n_sets]];
    }
    GT_TRY(gt_cfn_add_variable(r->cfn, &variable, r->s->graph->tensors[j->tensor].name, n_sets, NULL));
    GT_TRY(join(r, j, variable, table));
    for (int k = 0; k < j->n_readers; k++) {
        const struct part *reader = j->readers[k];
        for (int i = 0; i < n_sets * reader->n; i++) {
            unsigned needs = needs_of(r, reader, i % reader->n, j->tensor);
            table[i] = (needs & ~(unsigned)sets[i / reader->n]) == 0 ? 0 : INFINITE;
        }
        GT_TRY(gt_cfn_add_binary(r->cfn, variable, reader->variable, table));
    }
done:
    return status;
}

static gt_status join_tensor(struct region *r, int tensor)
{
    gt_status status = GT_OK;
    const gt_selection *s = r->s;
    const gt_site *site = &s->sites[tensor];
    int producer = s->graph->tensors[tensor].producer;
    struct joint j = {.tensor = tensor, .copies = &s->copies[site->copies], .base = site->is_output ? 1u << GT_NCHW : 0};
    j.producer = producer >= 0 && r->part_of[producer] >= 0 ? &r->parts[r->part_of[producer]] : NULL;
    j.made = producer >= 0 ? s->domains[producer].choice[r->values[producer]].out : GT_NCHW;
    GT_TRY(gt_calloc(&j.readers, (size_t)(site->last - site->first), sizeof *j.readers));
    for (int i = site->first; i < site->last; i++) {
        int reader = s->consumer[i];
        if (r->part_of[reader] < 0) {
            j.base |= gt_i_needs(s, reader, r->values[reader], tensor);
        } else if (i == site->first || reader != s->consumer[i - 1]) {
            j.readers[j.n_readers++] = &r->parts[r->part_of[reader]];
        }
    }
    if (j.n_readers > 1) {
        GT_TRY(join_readers(r, &j));
    } else if (j.n_readers == 1) {
        GT_TRY(join_one_reader(r, &j));
    } else if (j.producer != NULL) {
        GT_TRY(join_no_reader(r, &j));
    }
done:
    gt_free(j.readers);
    return status;
}

/* Every tensor beside the region once: where its first free neighbour stands. */
static gt_status join_tensors(struct region *r, bool *seen)
{
    gt_status status = GT_OK;
    for (int k = 0; k < r->n; k++) {
        const gt_op *op = &r->s->graph->ops[r->parts[k].op];
        for (int i = 0; i <= op->n_inputs; i++) {
            int t = i < op->n_inputs ? op->inputs[i] : op->output;
            if (t != GT_NO_TENSOR && r->s->sites[t].copies >= 0 && !seen[t]) {
                seen[t] = true;
                GT_TRY(join_tensor(r, t));
            }
        }
    }
done:
    return status;
}

gt_status gt_i_solve_region(const gt_selection *s, int32_t *values, const int *ops, int n_ops, const uint32_t *allowed)
{
    gt_status status = GT_OK;
    struct region r = {.s = s, .values = values};
    gt_cfn_result result = {0};
    bool *seen = NULL;
    GT_TRY(gt_cfn_create(&r.cfn));
    GT_TRY(gt_calloc(&r.parts, (size_t)n_ops, sizeof *r.parts));
    GT_TRY(gt_calloc(&r.part_of, (size_t)s->graph->n_ops, sizeof *r.part_of));
    GT_TRY(gt_calloc(&seen, (size_t)s->graph->n_tensors, sizeof *seen));
    memset(r.part_of, -1, (size_t)s->graph->n_ops * sizeof *r.part_of);
    for (int k = 0; k < n_ops; k++) {
        GT_TRY(add_part(&r, ops[k], allowed[ops[k]]));
    }
    GT_TRY(join_tensors(&r, seen));
    GT_TRY(gt_cfn_solve(r.cfn, &result, &(gt_cfn_options){.work_budget = 20000000}));
    for (int k = 0; k < r.n; k++) {
        values[r.parts[k].op] = r.parts[k].choice[result.assignment[r.parts[k].variable]];
    }
done:
    gt_cfn_result_destroy(&result);
    gt_free(seen);
    gt_free(r.part_of);
    gt_free(r.parts);
    gt_cfn_destroy(r.cfn);
    return status;
}
