/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of the detectors' post-processing; detection.h says why it is the templates' own code. */
#include "ops/detection.h"
#include "ops/reference_internal.h"

typedef void run_fn(const gt_workload *w, float *out, const void *const *in, gt_i_detection *work);

static gt_status run(run_fn *fn, const gt_workload *w, void *out, const void *const *in)
{
    gt_status status = GT_OK;
    gt_i_detection *work = NULL;
    GT_TRY(gt_calloc(&work, (size_t)gt_i_detection_room(w), sizeof *work));
    fn(w, out, in, work);
done:
    gt_free(work);
    return status;
}

gt_status gt_i_reference_detection_output(const gt_workload *w, void *out, const void *const *in)
{
    return run(gt_i_detection_output, w, out, in);
}

gt_status gt_i_reference_yolo_detection_output(const gt_workload *w, void *out, const void *const *in)
{
    return run(gt_i_yolo_detection_output, w, out, in);
}
