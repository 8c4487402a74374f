/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs, constants and the expected output of a workload. */
#include "costmodel/measure_internal.h"

#include "ops/reference.h"
#include "src/base/rng.h"

#include <string.h>

/* Where the op is defined: a NaN in the expected output would compare equal to a kernel that computes
 * nothing. */
static void value_range(const gt_workload *w, int input, float *lo, float *hi)
{
    int64_t f = w->kind == GT_OP_UNARY    ? w->attrs.unary.function
                : w->kind == GT_OP_BINARY ? w->attrs.binary.function
                                          : 0;
    bool positive = (w->kind == GT_OP_UNARY &&
                     (f == GT_FN_SQRT || f == GT_FN_LOG || f == GT_FN_RECIPROCAL)) ||
                    (w->kind == GT_OP_BINARY && f == GT_BINARY_DIV && input == 1) ||
                    (w->kind == GT_OP_BINARY && f == GT_BINARY_POW && input == 0);
    *lo = positive ? 0.5f : -1.0f;
    *hi = positive ? 1.5f : 1.0f;
}

static void fill_integers(void *data, gt_dtype dtype, int64_t count, gt_rng *rng)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t value = gt_rng_below(rng, dtype == GT_BOOL ? 2 : 7);
        if (gt_dtype_bytes(dtype) == 8) {
            ((int64_t *)data)[i] = value;
        } else {
            ((unsigned char *)data)[i] = (unsigned char)value;
        }
    }
}

static int64_t operand_bytes(const gt_operand *operand)
{
    return gt_shape_elems(&operand->shape) * (int64_t)gt_dtype_bytes(operand->dtype);
}

static gt_status make_input(gt_bench_case *bench, int i, gt_rng *rng)
{
    gt_status status = GT_OK;
    const gt_operand *operand = &bench->workload->inputs[i];
    float lo = 0, hi = 0;
    if (!operand->present) {
        return GT_OK;
    }
    GT_TRY(gt_alloc_aligned(&bench->inputs[i], (size_t)operand_bytes(operand)));
    bench->bytes += operand_bytes(operand);
    value_range(bench->workload, i, &lo, &hi);
    if (operand->dtype == GT_F32) {
        gt_rng_fill(rng, bench->inputs[i], (size_t)gt_shape_elems(&operand->shape), lo, hi);
    } else {
        fill_integers(bench->inputs[i], operand->dtype, gt_shape_elems(&operand->shape), rng);
    }
    bench->consts[i] = operand->constant ? bench->inputs[i] : NULL;
done:
    return status;
}

gt_status gt_i_bench_inputs_create(gt_bench_case **out, const gt_workload *w, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_bench_case *bench = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, o->seed ^ gt_hash_bytes(w->key, strlen(w->key)));
    GT_TRY(gt_calloc(&bench, 1, sizeof *bench));
    GT_TRY(gt_workload_copy(&bench->workload, w));
    GT_TRY(gt_calloc(&bench->inputs, (size_t)w->n_inputs, sizeof *bench->inputs));
    GT_TRY(gt_calloc(&bench->consts, (size_t)w->n_inputs, sizeof *bench->consts));
    for (int i = 0; i < w->n_inputs; i++) {
        GT_TRY(make_input(bench, i, &rng));
    }
    *out = bench;
    bench = NULL;
done:
    gt_bench_case_destroy(bench);
    return status;
}

gt_status gt_bench_case_create(gt_bench_case **out, const gt_workload *w, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_bench_case *bench = NULL;
    GT_TRY(gt_i_bench_inputs_create(&bench, w, o));
    GT_TRY(gt_alloc_aligned(&bench->want, (size_t)operand_bytes(&w->output)));
    bench->bytes += operand_bytes(&w->output);
    GT_TRY(gt_reference_run(w, bench->want, (const void *const *)bench->inputs));
    *out = bench;
    bench = NULL;
done:
    gt_bench_case_destroy(bench);
    return status;
}

void gt_bench_case_destroy(gt_bench_case *bench)
{
    if (bench == NULL) {
        return;
    }
    for (int i = 0; bench->inputs != NULL && i < bench->workload->n_inputs; i++) {
        gt_free(bench->inputs[i]);
    }
    gt_free(bench->inputs);
    gt_free(bench->consts);
    gt_free(bench->want);
    gt_workload_destroy(bench->workload);
    gt_free(bench);
}

int64_t gt_bench_case_bytes(const gt_bench_case *bench)
{
    return bench->bytes;
}
