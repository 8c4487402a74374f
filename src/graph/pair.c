/* SPDX-License-Identifier: Apache-2.0 */
#include "src/graph/pair.h"

#include <string.h>

#define FIRST_INPUTS 3 /* x, weight, bias */
#define CONV_INPUTS 4

bool gt_op_kind_is_pair(gt_op_kind kind)
{
    return kind == GT_OP_CONV2D_POINTWISE || kind == GT_OP_CONV2D_POOL2D;
}

/* ---- one pair ---- */

static bool is_constant_or_absent(const gt_workload *w, int i)
{
    return i >= w->n_inputs || !w->inputs[i].present || w->inputs[i].constant;
}

static bool can_be_first(const gt_workload *w)
{
    return w->kind == GT_OP_CONV2D && w->epilogue.residual == GT_RESIDUAL_NONE && !w->inputs[0].constant &&
           w->inputs[1].constant && is_constant_or_absent(w, 2);
}

static bool is_pointwise(const gt_workload *w)
{
    static const int64_t no_pad[4];
    const int64_t *kernel = &w->inputs[1].shape.dim[2];
    return w->kind == GT_OP_CONV2D && kernel[0] == 1 && kernel[1] == 1 && w->attrs.conv.groups == 1 &&
           w->attrs.conv.stride[0] == 1 && w->attrs.conv.stride[1] == 1 &&
           memcmp(w->attrs.conv.pad, no_pad, sizeof no_pad) == 0 && is_constant_or_absent(w, 2);
}

static void set_first(gt_attrs *pair, const gt_workload *first)
{
    memcpy(pair->pair.stride, first->attrs.conv.stride, sizeof pair->pair.stride);
    memcpy(pair->pair.pad, first->attrs.conv.pad, sizeof pair->pair.pad);
    memcpy(pair->pair.dilation, first->attrs.conv.dilation, sizeof pair->pair.dilation);
    pair->pair.groups = first->attrs.conv.groups;
    pair->pair.act = first->epilogue.act;
    pair->pair.alpha = first->epilogue.alpha;
    pair->pair.beta = first->epilogue.beta;
}

static gt_status join_pointwise(gt_workload **pair, const gt_workload *first, const gt_workload *second)
{
    gt_attrs attrs = {0};
    gt_operand inputs[GT_PAIR_INPUTS];
    set_first(&attrs, first);
    memcpy(inputs, first->inputs, FIRST_INPUTS * sizeof *inputs);
    memcpy(inputs + FIRST_INPUTS, second->inputs + 1, (GT_PAIR_INPUTS - FIRST_INPUTS) * sizeof *inputs);
    return gt_workload_create(pair, GT_OP_CONV2D_POINTWISE, &attrs, &second->epilogue, GT_PAIR_INPUTS, inputs, NULL);
}

static gt_status join_pool(gt_workload **pair, const gt_workload *first, const gt_workload *second)
{
    gt_attrs attrs = {0};
    set_first(&attrs, first);
    attrs.pair.mode = second->attrs.pool.mode;
    memcpy(attrs.pair.kernel, second->attrs.pool.kernel, sizeof attrs.pair.kernel);
    memcpy(attrs.pair.pool_stride, second->attrs.pool.stride, sizeof attrs.pair.pool_stride);
    memcpy(attrs.pair.pool_pad, second->attrs.pool.pad, sizeof attrs.pair.pool_pad);
    memcpy(attrs.pair.pool_dilation, second->attrs.pool.dilation, sizeof attrs.pair.pool_dilation);
    attrs.pair.count_pad = second->attrs.pool.count_pad;
    return gt_workload_create(pair, GT_OP_CONV2D_POOL2D, &attrs, NULL, FIRST_INPUTS, first->inputs, &second->output);
}

gt_status gt_pair_join(gt_workload **pair, const gt_workload *first, const gt_workload *second)
{
    *pair = NULL;
    if (!can_be_first(first)) {
        return GT_OK;
    }
    if (is_pointwise(second) && gt_workload_is_depthwise(first)) {
        return join_pointwise(pair, first, second);
    }
    return second->kind == GT_OP_POOL2D && !gt_workload_is_depthwise(first) ? join_pool(pair, first, second) : GT_OK;
}

void gt_pair_conv_attrs(gt_attrs *conv, gt_epilogue *epilogue, const gt_attrs *pair)
{
    memcpy(conv->conv.stride, pair->pair.stride, sizeof pair->pair.stride);
    memcpy(conv->conv.pad, pair->pair.pad, sizeof pair->pair.pad);
    memcpy(conv->conv.dilation, pair->pair.dilation, sizeof pair->pair.dilation);
    conv->conv.groups = pair->pair.groups;
    *epilogue = (gt_epilogue){(gt_function)pair->pair.act, pair->pair.alpha, pair->pair.beta, GT_RESIDUAL_NONE};
}

void gt_pair_pool_attrs(gt_attrs *pool, const gt_attrs *pair)
{
    pool->pool.mode = pair->pair.mode;
    memcpy(pool->pool.kernel, pair->pair.kernel, sizeof pair->pair.kernel);
    memcpy(pool->pool.stride, pair->pair.pool_stride, sizeof pair->pair.pool_stride);
    memcpy(pool->pool.pad, pair->pair.pool_pad, sizeof pair->pair.pool_pad);
    memcpy(pool->pool.dilation, pair->pair.pool_dilation, sizeof pair->pair.pool_dilation);
    pool->pool.count_pad = pair->pair.count_pad;
}

void gt_pair_pointwise_attrs(gt_attrs *conv)
{
    *conv = (gt_attrs){.conv = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1}};
}

static void split_first(gt_pair_parts *parts, const gt_workload *pair)
{
    gt_workload *first = &parts->first;
    *first = (gt_workload){.kind = GT_OP_CONV2D, .n_inputs = CONV_INPUTS, .inputs = parts->first_inputs};
    gt_pair_conv_attrs(&first->attrs, &first->epilogue, &pair->attrs);
    first->output = (gt_operand){.present = true, .dtype = GT_F32, .shape = gt_pair_middle(pair)};
    memcpy(parts->first_inputs, pair->inputs, FIRST_INPUTS * sizeof *pair->inputs);
}

static void split_second(gt_pair_parts *parts, const gt_workload *pair)
{
    gt_workload *second = &parts->second;
    *second = (gt_workload){.n_inputs = 1, .inputs = parts->second_inputs, .output = pair->output};
    parts->second_inputs[0] = parts->first.output;
    if (pair->kind == GT_OP_CONV2D_POINTWISE) {
        second->kind = GT_OP_CONV2D;
        second->n_inputs = CONV_INPUTS;
        second->epilogue = pair->epilogue;
        memcpy(parts->second_inputs + 1, pair->inputs + FIRST_INPUTS, FIRST_INPUTS * sizeof *pair->inputs);
        gt_pair_pointwise_attrs(&second->attrs);
    } else {
        second->kind = GT_OP_POOL2D;
        gt_pair_pool_attrs(&second->attrs, &pair->attrs);
    }
}

void gt_pair_split(gt_pair_parts *parts, const gt_workload *pair)
{
    *parts = (gt_pair_parts){0};
    split_first(parts, pair);
    split_second(parts, pair);
}

gt_shape gt_pair_middle(const gt_workload *pair)
{
    const gt_shape *x = &pair->inputs[0].shape;
    const gt_shape *w = &pair->inputs[1].shape;
    gt_shape middle = gt_shape_4d(x->dim[0], w->dim[0], 0, 0);
    for (int i = 0; i < 2; i++) {
        const int64_t extent = pair->attrs.pair.dilation[i] * (w->dim[2 + i] - 1) + 1;
        const int64_t padded = x->dim[2 + i] + pair->attrs.pair.pad[i] + pair->attrs.pair.pad[2 + i];
        middle.dim[2 + i] = (padded - extent) / pair->attrs.pair.stride[i] + 1;
    }
    return middle;
}

/* ---- those of a graph ---- */

/* The op whose output this one alone reads, once, as its input 0; -1: there is none. */
static int find_first(const gt_graph *graph, int second, const int *first_reader, const bool *is_output)
{
    const gt_op *op = &graph->ops[second];
    const int tensor = op->n_inputs > 0 ? op->inputs[0] : GT_NO_TENSOR;
    const int producer = tensor != GT_NO_TENSOR ? graph->tensors[tensor].producer : -1;
    const bool alone = producer >= 0 && !is_output[tensor] && first_reader[tensor + 1] - first_reader[tensor] == 1;
    return alone ? producer : -1;
}

gt_status gt_pairs_create(gt_pairs **pairs, const gt_graph *graph)
{
    gt_status status = GT_OK;
    const size_t n = (size_t)graph->n_ops;
    gt_pairs *p = NULL;
    int *first_reader = NULL;
    int *reader = NULL;
    bool *is_output = NULL;
    GT_TRY(gt_calloc(&p, 1, sizeof *p));
    GT_TRY(gt_calloc(&p->first, n, sizeof *p->first));
    GT_TRY(gt_calloc(&p->second, n, sizeof *p->second));
    GT_TRY(gt_calloc(&p->workload, n, sizeof *p->workload));
    p->n_ops = graph->n_ops;
    memset(p->first, -1, n * sizeof *p->first);
    memset(p->second, -1, n * sizeof *p->second);
    GT_TRY(gt_graph_consumers(graph, &first_reader, &reader));
    GT_TRY(gt_calloc(&is_output, (size_t)graph->n_tensors, sizeof *is_output));
    for (int i = 0; i < graph->n_outputs; i++) {
        is_output[graph->outputs[i]] = true;
    }
    for (int i = 0; i < graph->n_ops; i++) {
        const int first = find_first(graph, i, first_reader, is_output);
        if (first >= 0) {
            GT_TRY(gt_pair_join(&p->workload[i], graph->ops[first].workload, graph->ops[i].workload));
        }
        if (p->workload[i] != NULL) {
            p->first[i] = first;
            p->second[first] = i;
        }
    }
    *pairs = p;
    p = NULL;
done:
    gt_free(is_output);
    gt_free(reader);
    gt_free(first_reader);
    gt_pairs_destroy(p);
    return status;
}

void gt_pairs_destroy(gt_pairs *pairs)
{
    if (pairs == NULL) {
        return;
    }
    for (int i = 0; pairs->workload != NULL && i < pairs->n_ops; i++) {
        gt_workload_destroy(pairs->workload[i]);
    }
    gt_free(pairs->workload);
    gt_free(pairs->second);
    gt_free(pairs->first);
    gt_free(pairs);
}

int gt_pair_tensors(int tensors[GT_PAIR_INPUTS], const gt_pairs *pairs, const gt_graph *graph, int second)
{
    const gt_op *a = &graph->ops[pairs->first[second]];
    const gt_op *b = &graph->ops[second];
    int n = FIRST_INPUTS;
    memcpy(tensors, a->inputs, FIRST_INPUTS * sizeof *tensors);
    for (int i = 1; i < b->n_inputs; i++) {
        tensors[n++] = b->inputs[i];
    }
    return n;
}
