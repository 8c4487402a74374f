/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a candidate computed what the oracle did, within its own memory. */
#include "costmodel/measure_internal.h"

#include "ops/reference.h"

#include <stdio.h>
#include <string.h>

void gt_i_reject(gt_i_outcome *outcome, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    outcome->status = GT_RECORD_WRONG;
    vsnprintf(outcome->note, sizeof outcome->note, format, args);
    va_end(args);
}

/* The padded channels of a blocked layout must be zero. */
static bool padding_is_zero(const float *data, gt_layout layout, const gt_shape *shape)
{
    if (!gt_layout_is_blocked(layout)) {
        return true;
    }
    gt_strides s = gt_layout_strides(layout, shape);
    for (int64_t n = 0; n < shape->dim[0]; n++) {
        for (int64_t c = shape->dim[1]; c < s.blocks * s.block; c++) {
            for (int64_t i = 0; i < shape->dim[2] * shape->dim[3]; i++) {
                if (data[gt_strides_offset(&s, n, c, i / shape->dim[3], i % shape->dim[3])] != 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Compares a stored float32 tensor with its elements in C order. */
static gt_status check_floats(gt_i_outcome *outcome, const void *data, gt_layout layout, const gt_shape *shape,
                              const float *want, gt_tolerance tolerance)
{
    gt_status status = GT_OK;
    float *plain = NULL;
    int64_t count = gt_shape_elems(shape);
    if (!padding_is_zero(data, layout, shape)) {
        gt_i_reject(outcome, "the channel padding of the output is not zero");
        return GT_OK;
    }
    GT_TRY(gt_alloc_aligned(&plain, (size_t)count * sizeof *plain));
    gt_transform(plain, GT_NCHW, data, layout, shape);
    int64_t wrong = gt_compare_f32(plain, want, count, tolerance, NULL);
    if (wrong >= 0) {
        gt_i_reject(outcome, "output element %lld is %.9g instead of %.9g", (long long)wrong, (double)plain[wrong],
                    (double)want[wrong]);
    }
done:
    gt_free(plain);
    return status;
}

gt_status gt_i_check_stored(gt_i_outcome *outcome, const void *data, gt_layout layout, const gt_bench_case *bench)
{
    const gt_operand *output = &bench->workload->output;
    if (output->dtype == GT_F32) {
        return check_floats(outcome, data, layout, &output->shape, bench->want, GT_TOLERANCE_F32);
    }
    if (memcmp(data, bench->want, gt_i_stored_bytes(output, layout)) != 0) {
        gt_i_reject(outcome, "the %s output differs", gt_dtype_name(output->dtype));
    }
    return GT_OK;
}

void gt_i_note_failure(gt_i_outcome *outcome, gt_status status)
{
    outcome->status = status == GT_ERROR_MEMORY ? GT_RECORD_OOM : GT_RECORD_FAILED;
    snprintf(outcome->note, sizeof outcome->note, "%s", gt_error_message());
}

/* ---- transforms ---- */

void gt_i_fill_source(float *data, gt_layout layout, const gt_shape *shape)
{
    gt_strides s = gt_layout_strides(layout, shape);
    memset(data, 0, (size_t)s.total * sizeof *data);
    int64_t number = 0;
    for (int64_t n = 0; n < shape->dim[0]; n++) {
        for (int64_t c = 0; c < shape->dim[1]; c++) {
            for (int64_t h = 0; h < shape->dim[2]; h++) {
                for (int64_t w = 0; w < shape->dim[3]; w++) {
                    data[gt_strides_offset(&s, n, c, h, w)] = (float)(++number % 16777213);
                }
            }
        }
    }
}

gt_status gt_i_check_transformed(gt_i_outcome *outcome, const void *data, gt_layout layout, const gt_shape *shape)
{
    gt_status status = GT_OK;
    float *want = NULL;
    size_t count = (size_t)gt_layout_elems(layout, shape);
    GT_TRY(gt_alloc_aligned(&want, count * sizeof *want));
    gt_i_fill_source(want, layout, shape);
    for (size_t i = 0; i < count; i++) {
        float got = ((const float *)data)[i];
        if (got != want[i]) {
            gt_i_reject(outcome, "stored element %zu is %.9g instead of %.9g", i, (double)got, (double)want[i]);
            break;
        }
    }
done:
    gt_free(want);
    return status;
}
