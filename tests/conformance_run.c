/* SPDX-License-Identifier: Apache-2.0 */
/* Running a case in both ways, and comparing. */
#include "tests/conformance.h"

#include "src/run/session.h"
#include "src/tune/select.h"
#include "tests/select_cases.h"

#include <math.h>
#include <string.h>

/* What the suite's own runner allows: |got - want| <= ABSOLUTE + RELATIVE |want| (onnx/backend/test/loader/__init__.py,
 * rtol and atol). */
#define RELATIVE 1e-3
#define ABSOLUTE 1e-7

/* ---- comparing ---- */

static gt_dtype stands_for(gt_onnx_type type)
{
    return type == GT_ONNX_FLOAT ? GT_F32 : type == GT_ONNX_BOOL ? GT_BOOL : GT_I64;
}

/* Integers and bool of the file, in the type's own width, as int64. */
static int64_t whole_number(const gt_onnx_tensor *t, int64_t i)
{
    switch (t->type) {
    case GT_ONNX_INT8:
        return ((const int8_t *)t->data)[i];
    case GT_ONNX_INT16:
        return ((const int16_t *)t->data)[i];
    case GT_ONNX_UINT16:
        return ((const uint16_t *)t->data)[i];
    case GT_ONNX_INT32:
        return ((const int32_t *)t->data)[i];
    case GT_ONNX_UINT32:
        return ((const uint32_t *)t->data)[i];
    case GT_ONNX_INT64:
    case GT_ONNX_UINT64:
        return ((const int64_t *)t->data)[i];
    default: /* uint8 and bool */
        return ((const uint8_t *)t->data)[i];
    }
}

static bool is_close(float got, float want)
{
    if (isnan(want) || isinf(want)) {
        return isnan(want) ? isnan(got) : got == want;
    }
    return fabs((double)got - (double)want) <= ABSOLUTE + RELATIVE * fabs((double)want);
}

/* The first element that is wrong, or -1. */
static int64_t first_wrong(double *got_value, double *want_value, gt_dtype dtype, const void *got,
                           const gt_onnx_tensor *want, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        bool good = false;
        if (dtype == GT_F32) {
            *got_value = (double)((const float *)got)[i];
            *want_value = (double)((const float *)want->data)[i];
            good = is_close(((const float *)got)[i], ((const float *)want->data)[i]);
        } else {
            int64_t value = dtype == GT_I64 ? ((const int64_t *)got)[i] : ((const uint8_t *)got)[i];
            *got_value = (double)value;
            *want_value = (double)whole_number(want, i);
            good = value == whole_number(want, i);
        }
        if (!good) {
            return i;
        }
    }
    return -1;
}

static gt_status compare(const cf_case *c, const gt_graph *graph, int k, const void *got, const char *run)
{
    gt_status status = GT_OK;
    const gt_tensor *t = &graph->tensors[graph->outputs[k]];
    const gt_onnx_tensor *want = c->outputs[k];
    const gt_shape shape = gt_shape_of(want->rank, want->dims);
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    double got_value = 0;
    double want_value = 0;
    GT_REQUIRE(t->dtype == stands_for(want->type) && gt_shape_equal(&t->shape, &shape), GT_ERROR_MISMATCH,
               "output %d is %s %s; %s %s is right", k, gt_dtype_name(t->dtype),
               gt_shape_format(a, sizeof a, &t->shape), gt_onnx_type_name(want->type),
               gt_shape_format(b, sizeof b, &shape));
    int64_t at = first_wrong(&got_value, &want_value, t->dtype, got, want, gt_shape_elems(&shape));
    GT_REQUIRE(at < 0, GT_ERROR_MISMATCH, "%s: output %d, element %lld is %.9g; %.9g is right", run, k, (long long)at,
               got_value, want_value);
done:
    return status;
}

/* ---- running ---- */

/* The graph's inputs are those of the model that were left open, under their names. */
static gt_status find_data(const void **data, const cf_case *c, const gt_graph *graph, int k)
{
    const char *name = graph->tensors[graph->inputs[k]].name;
    for (size_t i = 0; i < c->n_inputs; i++) {
        if (c->inputs[i] != NULL && !c->fixed[i] && strcmp(c->model->inputs[i].name, name) == 0) {
            *data = c->inputs[i]->data;
            return GT_OK;
        }
    }
    return gt_fail(GT_ERROR_MISMATCH, "the graph has an input '%s' that the case does not feed", name);
}

static gt_status run_reference(const cf_case *c, const gt_graph *graph, const void *const *inputs)
{
    gt_status status = GT_OK;
    void *outputs[CF_MAX_PORTS] = {NULL};
    GT_TRY(gt_graph_run_reference(graph, inputs, outputs));
    for (int k = 0; k < graph->n_outputs; k++) {
        GT_TRY(compare(c, graph, k, outputs[k], "reference"));
    }
done:
    for (int k = 0; k < graph->n_outputs; k++) {
        gt_free(outputs[k]);
    }
    return status;
}

static gt_status make_plan(gt_plan **plan, const gt_graph *graph, gt_rng *rng)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_select_options options = gt_select_defaults();
    options.device = SC_DEVICE;
    options.threads = SC_THREADS;
    options.alternatives = false;
    GT_TRY(gt_records_create(&records));
    sc_add_records(records, graph, rng, &(sc_costs){.op_range = 100, .transform_range = 15, .any_config = true});
    GT_TRY(gt_select(plan, graph, records, &options));
done:
    gt_records_destroy(records);
    return status;
}

static gt_status run_plan(const cf_case *c, gt_graph *graph, const void *const *inputs, gt_rng *rng)
{
    gt_status status = GT_OK;
    gt_plan *plan = NULL;
    gt_program *program = NULL;
    gt_session *session = NULL;
    gt_session_options options = {.threads = 1, .isa = gt_isa_best()};
    GT_TRY(make_plan(&plan, graph, rng));
    GT_TRY(gt_program_build(&program, graph, &plan->schedule));
    GT_TRY(gt_session_create(&session, graph, program, &options));
    for (int k = 0; k < graph->n_inputs; k++) {
        const gt_tensor *t = &graph->tensors[graph->inputs[k]];
        memcpy(gt_session_input(session, k), inputs[k], (size_t)gt_shape_elems(&t->shape) * gt_dtype_bytes(t->dtype));
    }
    gt_session_run(session, NULL);
    for (int k = 0; k < graph->n_outputs; k++) {
        GT_TRY(compare(c, graph, k, gt_session_output(session, k), "session"));
    }
done:
    gt_session_destroy(session);
    gt_program_destroy(program);
    gt_plan_destroy(plan);
    return status;
}

gt_status cf_run(cf_case *c, gt_graph *graph, int plans, gt_rng *rng)
{
    gt_status status = GT_OK;
    const void *inputs[CF_MAX_PORTS] = {NULL};
    GT_REQUIRE(graph->n_outputs == (int)c->n_outputs, GT_ERROR_MISMATCH, "the graph has %d outputs; %zu are right",
               graph->n_outputs, c->n_outputs);
    for (int k = 0; k < graph->n_inputs; k++) {
        GT_TRY(find_data(&inputs[k], c, graph, k));
    }
    GT_TRY(run_reference(c, graph, inputs));
    for (int i = 0; i < plans; i++) {
        GT_TRY(run_plan(c, graph, inputs, rng));
    }
done:
    return status;
}
