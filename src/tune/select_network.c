/* SPDX-License-Identifier: Apache-2.0 */
/* The cost function network of a selection: one variable per op, one per tensor with several readers. */
#include "src/tune/select_internal.h"

#include <math.h>
#include <string.h>

#define INFINITE GT_CFN_INFINITE

struct network {
    const gt_selection *s;
    const uint32_t *allowed;
    gt_cfn *cfn;
    int32_t *op_variable; /* CFN variable of each op */
};

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

static gt_status add_op_variable(struct network *n, int op)
{
    const gt_selection *s = n->s;
    const gt_domain *domain = &s->domains[op];
    int64_t unary[GT_LAYOUT_COUNT * GT_LAYOUT_COUNT];
    for (int v = 0; v < domain->n; v++) {
        unary[v] = (n->allowed[op] >> v & 1) != 0 ? (int64_t)domain->choice[v].ns << s->scale_bits : INFINITE;
    }
    return gt_cfn_add_variable(n->cfn, &n->op_variable[op], s->graph->ops[op].name, domain->n, unary);
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
static gt_status connect_directly(struct network *n, int tensor, int reader)
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
            table[a * columns + b] = copies->cover[produced(s, tensor, a)][gt_i_needs(s, reader, b, tensor)];
        }
    }
    if (producer >= 0) {
        GT_TRY(gt_cfn_add_binary(n->cfn, n->op_variable[producer], n->op_variable[reader], table));
    } else {
        GT_TRY(gt_cfn_add_unary(n->cfn, n->op_variable[reader], table));
    }
done:
    gt_free(table);
    return status;
}

/* A graph output that no op reads: its producer pays for the way to NCHW. */
static gt_status connect_output(struct network *n, int tensor)
{
    const gt_selection *s = n->s;
    const gt_copies *copies = &s->copies[s->sites[tensor].copies];
    int producer = s->graph->tensors[tensor].producer;
    int64_t unary[GT_LAYOUT_COUNT * GT_LAYOUT_COUNT];
    if (producer < 0) {
        return GT_OK;
    }
    for (int a = 0; a < s->domains[producer].n; a++) {
        unary[a] = copies->cover[produced(s, tensor, a)][1u << GT_NCHW];
    }
    return gt_cfn_add_unary(n->cfn, n->op_variable[producer], unary);
}

/* The sets of layouts that a tensor's readers can ask for together, with NCHW where the graph's caller asks too. What a
 * set costs includes every stop-over that makes it cheaper, so stop-overs need no sets of their own. */
static int possible_sets(const gt_selection *s, int tensor, uint8_t sets[GT_MASKS])
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

static gt_status connect_producer(struct network *n, int tensor, int32_t set_variable, const uint8_t *sets, int n_sets)
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
        GT_TRY(gt_cfn_add_binary(n->cfn, n->op_variable[producer], set_variable, table));
    } else {
        GT_TRY(gt_cfn_add_unary(n->cfn, set_variable, table));
    }
done:
    gt_free(table);
    return status;
}

static gt_status connect_reader(struct network *n, int tensor, int reader, int32_t set_variable, const uint8_t *sets,
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
    GT_TRY(gt_cfn_add_binary(n->cfn, set_variable, n->op_variable[reader], table));
done:
    gt_free(table);
    return status;
}

static gt_status connect_through_set(struct network *n, int tensor)
{
    gt_status status = GT_OK;
    const gt_site *site = &n->s->sites[tensor];
    uint8_t sets[GT_MASKS];
    int n_sets = possible_sets(n->s, tensor, sets);
    int32_t variable = 0;
    GT_TRY(gt_cfn_add_variable(n->cfn, &variable, n->s->graph->tensors[tensor].name, n_sets, NULL));
    GT_TRY(connect_producer(n, tensor, variable, sets, n_sets));
    for (int i = site->first; i < site->last; i++) {
        /* An op that reads the tensor twice stands here twice, side by side. */
        if (i == site->first || n->s->consumer[i] != n->s->consumer[i - 1]) {
            GT_TRY(connect_reader(n, tensor, n->s->consumer[i], variable, sets, n_sets));
        }
    }
done:
    return status;
}

static gt_status connect_tensor(struct network *n, int tensor)
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
    }
    gt_text_destroy(&shapes);
    return status;
}

gt_status gt_i_solve_network(const gt_selection *s, const uint32_t *allowed, int32_t *values,
                             gt_cfn_result *result)
{
    gt_status status = GT_OK;
    struct network n = {.s = s, .allowed = allowed};
    GT_TRY(gt_cfn_create(&n.cfn));
    GT_TRY(gt_calloc(&n.op_variable, (size_t)s->graph->n_ops, sizeof *n.op_variable));
    for (int i = 0; i < s->graph->n_ops; i++) {
        GT_TRY(add_op_variable(&n, i));
    }
    for (int t = 0; t < s->graph->n_tensors; t++) {
        if (s->graph->tensors[t].data == NULL) {
            GT_TRY(connect_tensor(&n, t));
        }
    }
    gt_cfn_options options = {.time_budget_ns = (int64_t)(s->options->time_budget_s * 1e9)};
    status = gt_cfn_solve(n.cfn, result, &options);
    if (status == GT_ERROR_UNSUPPORTED) {
        status = explain_infeasible(s, status);
    }
    GT_TRY(status);
    for (int i = 0; i < s->graph->n_ops; i++) {
        values[i] = result->assignment[n.op_variable[i]];
    }
done:
    gt_free(n.op_variable);
    gt_cfn_destroy(n.cfn);
    return status;
}
