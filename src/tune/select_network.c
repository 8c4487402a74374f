/* SPDX-License-Identifier: Apache-2.0 */
/* The cost function network of a selection: one variable per op, one per tensor with several readers. */
#include "src/tune/select_internal.h"

#include <math.h>
#include <string.h>

#define INFINITE GT_CFN_INFINITE

unsigned gt_i_needs(const gt_selection *s, int op, int value, int tensor)
{
    const gt_op *o = &s->graph->ops[op];
    const gt_choice *choice = &s->domains[op].choice[value];
    unsigned mask = 0;
    for (int i = 0; i < o->n_inputs; i++) {
        if (o->inputs[i] == tensor) {
            mask |= 1u << gt_template_input_layout(o->workload, choice->in, choice->out, i);
        }
    }
    return mask;
}

static gt_status add_op_variable(gt_network *n, int op, uint32_t allowed)
{
    const gt_selection *s = n->s;
    const gt_domain *domain = &s->domains[op];
    int32_t variable = 0;
    int64_t unary[GT_MAX_CHOICES];
    for (int v = 0; v < domain->n; v++) {
        unary[v] = (allowed >> v & 1) != 0 ? gt_i_choice_units(s, &domain->choice[v]) : INFINITE;
    }
    return gt_cfn_add_variable(n->cfn, &variable, s->graph->ops[op].name, domain->n, unary);
}

/* The layout in which a tensor is first made: by its producer's choice, or NCHW for graph inputs. */
static int producer_values(const gt_selection *s, int tensor)
{
    int op = s->graph->tensors[tensor].producer;
    return op >= 0 ? s->domains[op].n : 1;
}

static gt_layout produced(const gt_selection *s, int tensor, int value)
{
    int op = s->graph->tensors[tensor].producer;
    return op >= 0 ? s->domains[op].choice[value].out : GT_NCHW;
}

/* The one op that reads the tensor, or -1 if there are none or several. */
static int only_reader(const gt_selection *s, const gt_site *site)
{
    for (int i = site->first + 1; i < site->last; i++) {
        if (s->consumer[i] != s->consumer[site->first]) {
            return -1;
        }
    }
    return site->last > site->first ? s->consumer[site->first] : -1;
}

/* A tensor with one reader needs no variable: the cheapest chain lies between the two choices. */
static gt_status connect_directly(gt_network *n, int tensor, int reader)
{
    gt_status status = GT_OK;
    const gt_selection *s = n->s;
    const gt_copies *copies = &s->copies[s->sites[tensor].copies];
    int producer = s->graph->tensors[tensor].producer;
    int rows = producer_values(s, tensor);
    int columns = s->domains[reader].n;
    int64_t *table = NULL;
    GT_TRY(gt_calloc(&table, (size_t)rows * (size_t)columns, sizeof *table));
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < columns; b++) {
            const int64_t units = copies->cover[produced(s, tensor, a)][gt_i_needs(s, reader, b, tensor)];
            table[a * columns + b] = gt_i_pair_units(s, tensor, a, b) == 0 ? units : INFINITE;
        }
    }
    if (producer >= 0) {
        GT_TRY(gt_cfn_add_binary(n->cfn, producer, reader, table));
    } else {
        GT_TRY(gt_cfn_add_unary(n->cfn, reader, table));
    }
done:
    gt_free(table);
    return status;
}

/* A graph output that no op reads: its producer pays for the way to NCHW. */
static gt_status connect_output(gt_network *n, int tensor)
{
    const gt_selection *s = n->s;
    const gt_copies *copies = &s->copies[s->sites[tensor].copies];
    int producer = s->graph->tensors[tensor].producer;
    int64_t unary[GT_MAX_CHOICES];
    if (producer < 0) {
        return GT_OK;
    }
    for (int a = 0; a < s->domains[producer].n; a++) {
        unary[a] = copies->cover[produced(s, tensor, a)][1u << GT_NCHW];
    }
    return gt_cfn_add_unary(n->cfn, producer, unary);
}

/* What a set costs includes every stop-over that makes it cheaper, so stop-overs need no sets of their own. */
int gt_i_possible_sets(const gt_selection *s, int tensor, uint8_t sets[GT_MASKS])
{
    const gt_site *site = &s->sites[tensor];
    unsigned ends = site->is_output ? 1u << GT_NCHW : 0;
    unsigned needed = ends;
    int n = 0;
    for (int i = site->first; i < site->last; i++) {
        for (int v = 0; v < s->domains[s->consumer[i]].n; v++) {
            needed |= gt_i_needs(s, s->consumer[i], v, tensor);
        }
    }
    for (unsigned set = 1; set < GT_MASKS; set++) {
        if ((set & ~needed) == 0 && (set & ends) == ends) {
            sets[n++] = (uint8_t)set;
        }
    }
    return n;
}

static gt_status connect_producer(gt_network *n, int tensor, int32_t set_variable, const uint8_t *sets, int n_sets)
{
    gt_status status = GT_OK;
    const gt_selection *s = n->s;
    const gt_copies *copies = &s->copies[s->sites[tensor].copies];
    int producer = s->graph->tensors[tensor].producer;
    int rows = producer_values(s, tensor);
    int64_t *table = NULL;
    GT_TRY(gt_calloc(&table, (size_t)rows * (size_t)n_sets, sizeof *table));
    for (int a = 0; a < rows; a++) {
        for (int j = 0; j < n_sets; j++) {
            table[a * n_sets + j] = copies->cover[produced(s, tensor, a)][sets[j]];
        }
    }
    if (producer >= 0) {
        GT_TRY(gt_cfn_add_binary(n->cfn, producer, set_variable, table));
    } else {
        GT_TRY(gt_cfn_add_unary(n->cfn, set_variable, table));
    }
done:
    gt_free(table);
    return status;
}

static gt_status connect_reader(gt_network *n, int tensor, int reader, int32_t set_variable, const uint8_t *sets,
                                int n_sets)
{
    gt_status status = GT_OK;
    const gt_selection *s = n->s;
    int columns = s->domains[reader].n;
    int64_t *table = NULL;
    GT_TRY(gt_calloc(&table, (size_t)n_sets * (size_t)columns, sizeof *table));
    for (int j = 0; j < n_sets; j++) {
        for (int b = 0; b < columns; b++) {
            unsigned needs = gt_i_needs(s, reader, b, tensor);
            table[j * columns + b] = (needs & sets[j]) == needs ? 0 : INFINITE;
        }
    }
    GT_TRY(gt_cfn_add_binary(n->cfn, set_variable, reader, table));
done:
    gt_free(table);
    return status;
}

static gt_status connect_through_set(gt_network *n, int tensor)
{
    gt_status status = GT_OK;
    const gt_site *site = &n->s->sites[tensor];
    uint8_t sets[GT_MASKS];
    int n_sets = gt_i_possible_sets(n->s, tensor, sets);
    int32_t variable = 0;
    gt_text name = {0};
    GT_TRY(gt_text_append(&name, "%s layouts", n->s->graph->tensors[tensor].name));
    GT_TRY(gt_cfn_add_variable(n->cfn, &variable, name.data, n_sets, NULL));
    GT_PUSH(n->sets, n->n_sets, n->sets_capacity, tensor);
    GT_TRY(connect_producer(n, tensor, variable, sets, n_sets));
    for (int i = site->first; i < site->last; i++) {
        /* An op that reads the tensor twice stands here twice, side by side. */
        if (i == site->first || n->s->consumer[i] != n->s->consumer[i - 1]) {
            GT_TRY(connect_reader(n, tensor, n->s->consumer[i], variable, sets, n_sets));
        }
    }
done:
    gt_text_destroy(&name);
    return status;
}

static gt_status connect_tensor(gt_network *n, int tensor)
{
    const gt_site *site = &n->s->sites[tensor];
    if (site->copies < 0 || (site->first == site->last && !site->is_output)) {
        return GT_OK;
    }
    if (site->first == site->last) {
        return connect_output(n, tensor);
    }
    int reader = only_reader(n->s, site);
    return reader >= 0 && !site->is_output ? connect_directly(n, tensor, reader) : connect_through_set(n, tensor);
}

static gt_status explain_infeasible(const gt_selection *s, gt_status failed)
{
    gt_status status = failed;
    gt_text shapes = {0};
    char text[GT_SHAPE_TEXT_BYTES];
    for (int i = 0; i < s->n_copies && status == failed; i++) {
        for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            if (s->copies[i].ns[pair / GT_LAYOUT_COUNT][pair % GT_LAYOUT_COUNT] == HUGE_VAL) {
                gt_shape_format(text, sizeof text, &s->copies[i].shape);
                status = gt_text_append(&shapes, "%s%s", shapes.length > 0 ? ", " : "", text) == GT_OK ? failed : GT_ERROR_MEMORY;
                break;
            }
        }
    }
    if (status == failed && shapes.length > 0) {
        status = gt_fail(failed,
                         "no schedule can be put together from these records: transforms are missing for shapes %s; "
                         "measure them with `graphtune tune`",
                         shapes.data);
    } else if (status == failed) {
        status = gt_fail(failed, "no schedule can be put together: of two ops one could only be done together with the other, and the "
                                 "other only by itself; pins and forbids ask for that, or their candidates are not measured");
    }
    gt_text_destroy(&shapes);
    return status;
}

gt_status gt_i_network_create(gt_network **network, const gt_selection *s, const uint32_t *allowed)
{
    gt_status status = GT_OK;
    gt_network *n = NULL;
    GT_TRY(gt_calloc(&n, 1, sizeof *n));
    n->s = s;
    GT_TRY(gt_cfn_create(&n->cfn));
    for (int i = 0; i < s->graph->n_ops; i++) {
        GT_TRY(add_op_variable(n, i, allowed[i]));
    }
    for (int t = 0; t < s->graph->n_tensors; t++) {
        if (s->graph->tensors[t].data == NULL) {
            GT_TRY(connect_tensor(n, t));
        }
    }
    *network = n;
    n = NULL;
done:
    gt_i_network_destroy(n);
    return status;
}

void gt_i_network_destroy(gt_network *network)
{
    if (network != NULL) {
        gt_cfn_destroy(network->cfn);
        gt_free(network->sets);
        gt_free(network);
    }
}

void gt_i_network_assign(const gt_network *n, int32_t *assignment, const int32_t *values)
{
    const gt_selection *s = n->s;
    memcpy(assignment, values, (size_t)s->graph->n_ops * sizeof *values);
    for (int k = 0; k < n->n_sets; k++) {
        const gt_site *site = &s->sites[n->sets[k]];
        unsigned needs = site->is_output ? 1u << GT_NCHW : 0;
        uint8_t sets[GT_MASKS];
        int n_sets = gt_i_possible_sets(s, n->sets[k], sets);
        for (int i = site->first; i < site->last; i++) {
            needs |= gt_i_needs(s, s->consumer[i], values[s->consumer[i]], n->sets[k]);
        }
        int at = 0;
        while (at + 1 < n_sets && sets[at] != needs) {
            at++;
        }
        assignment[s->graph->n_ops + k] = at;
    }
}

gt_status gt_i_network_solve(const gt_network *n, gt_cfn_result *result, const gt_cfn_options *options)
{
    gt_status status = gt_cfn_solve(n->cfn, result, options);
    return status == GT_ERROR_UNSUPPORTED ? explain_infeasible(n->s, status) : status;
}
