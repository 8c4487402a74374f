/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/fold_budget.h"

#define FREE_BYTES ((int64_t)1 << 27)
#define BYTES_PER_GIVEN 4
#define FREE_WORK ((int64_t)1 << 24)
#define WORK_PER_GIVEN 16

gt_status gt_i_fold_take_memory(gt_i_fold_budget *budget, gt_dtype dtype, const gt_shape *shape)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_shape_check(shape));
    int64_t limit = FREE_BYTES + BYTES_PER_GIVEN * budget->given_bytes;
    int64_t bytes = gt_shape_elems(shape) * (int64_t)gt_dtype_bytes(dtype);
    GT_REQUIRE(bytes <= limit - budget->made_bytes, GT_ERROR_LIMIT,
               "the constants computed from the model would take more than %lld MiB (the next one has shape %s)",
               (long long)(limit >> 20), gt_shape_format(text, sizeof text, shape));
    budget->made_bytes += bytes;
done:
    return status;
}

gt_status gt_i_fold_take_work(gt_i_fold_budget *budget, int64_t operations)
{
    int64_t limit = FREE_WORK + WORK_PER_GIVEN * budget->given_bytes;
    if (operations > limit - budget->work) {
        return gt_fail(GT_ERROR_LIMIT, "evaluating the model's constants takes more than %lld million operations",
                       (long long)(limit / 1000000));
    }
    budget->work += operations;
    return GT_OK;
}
