/* SPDX-License-Identifier: Apache-2.0 */
/* Inference of the post-processing of detectors. How many objects there are depends on the picture; the
 * output has a fixed number of rows, [label, score, xmin, ymin, xmax, ymax] by descending score, and rows
 * of zeros below. */
#include "src/graph/infer.h"

static gt_status check_common(const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_need_f32(op));
    GT_TRY(gt_i_attr_range(op, "rows", op->attrs->detection.rows, 1, GT_MAX_ATTR));
    GT_TRY(gt_i_attr_finite(op, "confidence", op->attrs->detection.confidence));
    GT_TRY(gt_i_attr_finite(op, "nms", op->attrs->detection.nms));
done:
    return status;
}

gt_status gt_i_infer_detection_output(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    GT_TRY(check_common(op));
    GT_TRY(gt_i_attr_range(op, "top_k", op->attrs->detection.top_k, 1, GT_MAX_ATTR));
    GT_TRY(gt_i_need_rank(op, 1, "confidence", 3, 3));
    const gt_shape *confidence = &op->in[1].shape;
    int64_t priors = confidence->dim[1];
    const gt_shape location = {.rank = 2, .dim = {1, 4 * priors}};
    const gt_shape prior = {.rank = 3, .dim = {1, 2, 4 * priors}};
    if (confidence->dim[0] != 1 || confidence->dim[2] < 2) {
        status = gt_i_bad_input(op, 1, "confidence", "1xPx(classes), background among them");
    } else if (!gt_shape_equal(&op->in[0].shape, &location)) {
        status = gt_i_bad_input(op, 0, "location", "1x%lld, four for each prior box",
                                (long long)(4 * priors));
    } else if (!gt_shape_equal(&op->in[2].shape, &prior)) {
        status = gt_i_bad_input(op, 2, "priors", "1x2x%lld, boxes and variances", (long long)(4 * priors));
    }
    out->shape = (gt_shape){.rank = 3, .dim = {1, op->attrs->detection.rows, 6}};
done:
    return status;
}

gt_status gt_i_infer_yolo_detection_output(gt_operand *out, const gt_inference *op)
{
    gt_status status = GT_OK;
    int maps = op->n_inputs - 1;
    const gt_operand *anchors = &op->in[maps];
    GT_TRY(check_common(op));
    GT_TRY(gt_i_need_rank(op, maps, "anchors", 3, 3));
    int64_t boxes = anchors->shape.dim[1];
    if (anchors->shape.dim[0] != maps || anchors->shape.dim[2] != 2 || !anchors->constant) {
        status = gt_i_bad_input(op, maps, "anchors", "a constant %dx(boxes)x2", maps);
        goto done;
    }
    for (int i = 0; i < maps; i++) {
        const gt_shape *map = &op->in[i].shape;
        GT_TRY(gt_i_need_rank(op, i, "a map", 4, 4));
        if (map->dim[0] != 1 || map->dim[1] != op->in[0].shape.dim[1] || map->dim[1] % boxes != 0 ||
            map->dim[1] / boxes < 6) {
            status = gt_i_bad_input(op, i, "a map", "1x(%lld boxes of 5 + classes)xHxW, alike for all maps",
                                    (long long)boxes);
            goto done;
        }
    }
    out->shape = (gt_shape){.rank = 3, .dim = {1, op->attrs->detection.rows, 6}};
done:
    return status;
}
