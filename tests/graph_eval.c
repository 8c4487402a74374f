/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/graph_eval.h"

#include "ops/reference.h"
#include "src/base/rng.h"

#include <math.h>
#include <string.h>

static gt_status run_op(const gt_graph *g, const gt_op *op, void **data)
{
    gt_status status = GT_OK;
    const gt_tensor *out = &g->tensors[op->output];
    const void **in = NULL;
    GT_TRY(gt_calloc(&in, (size_t)op->n_inputs, sizeof *in));
    for (int j = 0; j < op->n_inputs; j++) {
        int t = op->inputs[j];
        in[j] = t < 0 ? NULL : g->tensors[t].data != NULL ? g->tensors[t].data : data[t];
    }
    GT_TRY(gt_alloc_aligned(&data[op->output], (size_t)gt_shape_elems(&out->shape) * gt_dtype_bytes(out->dtype)));
    status = gt_reference_run(op->workload, data[op->output], in);
    if (status != GT_OK) {
        status = gt_fail_in(status, "%s", op->name);
    }
done:
    gt_free(in);
    return status;
}

static gt_status feed(const gt_graph *g, void **data, uint64_t seed, float lo, float hi)
{
    gt_status status = GT_OK;
    for (int i = 0; i < g->n_inputs; i++) {
        const gt_tensor *t = &g->tensors[g->inputs[i]];
        size_t count = (size_t)gt_shape_elems(&t->shape);
        gt_rng rng;
        GT_REQUIRE(t->dtype == GT_F32, GT_ERROR_UNSUPPORTED, "graph_eval: input \"%s\" is not f32", t->name);
        GT_TRY(gt_alloc_aligned(&data[g->inputs[i]], count * sizeof(float)));
        gt_rng_seed(&rng, seed + (uint64_t)i);
        gt_rng_fill(&rng, data[g->inputs[i]], count, lo, hi);
    }
done:
    return status;
}

static gt_status collect(graph_values *out, const gt_graph *g, void *const *data)
{
    gt_status status = GT_OK;
    GT_TRY(gt_calloc(&out->names, (size_t)g->n_outputs, sizeof *out->names));
    GT_TRY(gt_calloc(&out->elems, (size_t)g->n_outputs, sizeof *out->elems));
    GT_TRY(gt_calloc(&out->values, (size_t)g->n_outputs, sizeof *out->values));
    out->n = g->n_outputs;
    for (int i = 0; i < g->n_outputs; i++) {
        const gt_tensor *t = &g->tensors[g->outputs[i]];
        const void *from = t->data != NULL ? t->data : data[g->outputs[i]];
        out->elems[i] = gt_shape_elems(&t->shape);
        GT_TRY(gt_strdup(&out->names[i], g->output_names[i]));
        GT_TRY(gt_calloc(&out->values[i], (size_t)out->elems[i], sizeof(float)));
        for (int64_t e = 0; e < out->elems[i]; e++) {
            out->values[i][e] = t->dtype == GT_F32   ? ((const float *)from)[e]
                                : t->dtype == GT_I64 ? (float)((const int64_t *)from)[e]
                                                     : (float)((const unsigned char *)from)[e];
        }
    }
done:
    return status;
}

gt_status graph_eval(graph_values *out, const gt_graph *graph, uint64_t seed, float lo, float hi)
{
    gt_status status = GT_OK;
    void **data = NULL;
    *out = (graph_values){0};
    GT_TRY(gt_calloc(&data, (size_t)graph->n_tensors, sizeof *data));
    GT_TRY(feed(graph, data, seed, lo, hi));
    for (int i = 0; i < graph->n_ops; i++) {
        GT_TRY(run_op(graph, &graph->ops[i], data));
    }
    GT_TRY(collect(out, graph, data));
done:
    for (int t = 0; data != NULL && t < graph->n_tensors; t++) {
        gt_free(data[t]);
    }
    gt_free(data);
    return status;
}

void graph_values_clear(graph_values *values)
{
    for (int i = 0; i < values->n; i++) {
        gt_free(values->names[i]);
        gt_free(values->values[i]);
    }
    gt_free(values->names);
    gt_free(values->elems);
    gt_free(values->values);
    *values = (graph_values){0};
}

static double difference(const float *a, const float *b, int64_t count)
{
    double worst = 0;
    double largest = 1;
    for (int64_t i = 0; i < count; i++) {
        bool same = a[i] == b[i] || (isnan(a[i]) && isnan(b[i]));
        double apart = same ? 0 : fabs((double)a[i] - (double)b[i]);
        worst = apart <= worst ? worst : isnan(apart) ? INFINITY : apart;
        largest = isfinite(a[i]) && fabs((double)a[i]) > largest ? fabs((double)a[i]) : largest;
    }
    return worst / largest;
}

double graph_values_difference(const graph_values *a, const graph_values *b)
{
    double worst = a->n == b->n ? 0 : INFINITY;
    for (int i = 0; i < a->n && i < b->n; i++) {
        if (a->elems[i] != b->elems[i] || strcmp(a->names[i], b->names[i]) != 0) {
            return INFINITY;
        }
        double apart = difference(a->values[i], b->values[i], a->elems[i]);
        worst = apart > worst ? apart : worst;
    }
    return worst;
}
