/* SPDX-License-Identifier: Apache-2.0 */
/* DetectionOutput (SSD), YoloDetectionOutput (v2) and Yolov3DetectionOutput. ncnn puts out as many rows as
 * there are objects; here rows of zeros follow up to the largest possible number. */
#include "src/import/ncnn_context.h"

#include <math.h>

/* ---- SSD ---- */

/* MXNet has boxes as Px4 without variances, which are the layer's own: both as two rows. */
static gt_status add_variances(int *prior, gt_i_ncnn *c, const gt_ncnn_layer *layer, int64_t priors)
{
    static const float defaults[4] = {0.1f, 0.1f, 0.2f, 0.2f};
    gt_status status = GT_OK;
    float *data = NULL;
    int parts[2] = {GT_NO_TENSOR, GT_NO_TENSOR};
    gt_shape row = {.rank = 3, .dim = {1, 1, 4 * priors}};
    float variance[4];
    gt_attrs attrs = {.axis.axis = 1};
    for (int i = 0; i < 4; i++) {
        GT_TRY(gt_i_ncnn_float(&variance[i], layer, 5 + i, "variance", defaults[i]));
    }
    GT_TRY(gt_calloc(&data, (size_t)(4 * priors), sizeof *data));
    for (int64_t i = 0; i < 4 * priors; i++) {
        data[i] = variance[i % 4];
    }
    status = gt_i_ncnn_const(&parts[1], c, "variances", &row, data);
    data = NULL;
    GT_TRY(status);
    GT_TRY(gt_i_ncnn_reshape(&parts[0], c, GT_I_HELPER, *prior, &row));
    GT_TRY(gt_i_ncnn_emit(prior, c, GT_I_HELPER, GT_OP_CONCAT, &attrs, 2, parts, NULL));
done:
    gt_free(data);
    return status;
}

/* Location [1,4P], confidence [1,P,classes] and priors [1,2,4P] from what ncnn has in their places. */
static gt_status arrange(int *in, gt_i_ncnn *c, const gt_ncnn_layer *layer, int64_t classes)
{
    static const int64_t turn[3] = {0, 2, 1};
    gt_status status = GT_OK;
    bool mxnet = classes == GT_NCNN_REST;
    char text[GT_SHAPE_TEXT_BYTES];
    for (int k = 0; k < 3; k++) {
        in[k] = gt_i_ncnn_bottom(c, k);
    }
    gt_shape prior = gt_i_ncnn_shape(c, in[2]);
    int64_t priors = gt_shape_elems(&prior) / (mxnet ? 4 : 8);
    GT_REQUIRE(prior.rank == 3 && (mxnet ? prior.dim[2] == 4 : prior.dim[1] == 2 && prior.dim[2] % 4 == 0),
               GT_ERROR_SHAPE, "bottom 2, the prior boxes, has shape %s; %s is needed",
               gt_shape_format(text, sizeof text, &prior), mxnet ? "1xPx4" : "1x2x4P");
    gt_shape confidence = gt_i_ncnn_shape(c, in[1]);
    int64_t scores_each = gt_shape_elems(&confidence) / priors;
    classes = mxnet ? scores_each : classes;
    GT_REQUIRE(classes >= 2 && scores_each == classes && gt_shape_elems(&confidence) % priors == 0,
               GT_ERROR_SHAPE, "bottom 1, the scores, has shape %s; %lld prior boxes with %lld classes (2 or "
               "more, one is the background) are needed", gt_shape_format(text, sizeof text, &confidence),
               (long long)priors, (long long)classes);
    gt_shape location = gt_i_ncnn_shape(c, in[0]);
    GT_REQUIRE(gt_shape_elems(&location) == 4 * priors, GT_ERROR_SHAPE,
               "bottom 0, the locations, has shape %s; four numbers for each of %lld prior boxes are needed",
               gt_shape_format(text, sizeof text, &location), (long long)priors);
    gt_shape flat = {.rank = 2, .dim = {1, 4 * priors}};
    gt_shape scores = {.rank = 3, .dim = {1, mxnet ? classes : priors, mxnet ? priors : classes}};
    GT_TRY(gt_i_ncnn_reshape(&in[0], c, GT_I_HELPER, in[0], &flat));
    GT_TRY(gt_i_ncnn_reshape(&in[1], c, GT_I_HELPER, in[1], &scores));
    if (mxnet) {
        GT_TRY(gt_i_ncnn_transpose(&in[1], c, GT_I_HELPER, in[1], turn));
        GT_TRY(add_variances(&in[2], c, layer, priors));
    }
done:
    return status;
}

gt_status gt_i_ncnn_detection_output(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t classes = 0;
    int in[3];
    gt_attrs attrs = {0};
    GT_TRY(gt_i_ncnn_int(&classes, layer, 0, "num_class", 0, GT_NCNN_REST, INT32_MAX));
    GT_TRY(gt_i_ncnn_float(&attrs.detection.nms, layer, 1, "nms_threshold", 0.05f));
    GT_TRY(gt_i_ncnn_int(&attrs.detection.top_k, layer, 2, "nms_top_k", 300, 1, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_int(&attrs.detection.rows, layer, 3, "keep_top_k", 100, 1, GT_MAX_ATTR));
    GT_TRY(gt_i_ncnn_float(&attrs.detection.confidence, layer, 4, "confidence_threshold", 0.5f));
    GT_TRY(arrange(in, c, layer, classes));
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_DETECTION_OUTPUT, &attrs, 3, in, NULL));
done:
    return status;
}

/* ---- YOLO ---- */

#define MAX_MAPS 16

typedef struct yolo {
    int64_t classes, boxes;
    bool v3; /* each map has its own anchors, which are pixels of a stated image */
} yolo;

/* The anchor of one box of one map, and what it is a share of. */
static gt_status read_anchor(float *out, gt_i_ncnn *c, const gt_ncnn_layer *layer, const yolo *y, int map,
                             int64_t box)
{
    gt_status status = GT_OK;
    const gt_ncnn_param *biases = gt_i_ncnn_array(layer, 4);
    gt_shape shape = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, map));
    float scale = 1;
    float value = 0;
    float index = (float)box;
    int64_t flat = map * y->boxes + box;
    if (y->v3) {
        GT_REQUIRE(flat < gt_i_ncnn_array_count(gt_i_ncnn_array(layer, 5)) &&
                       map < gt_i_ncnn_array_count(gt_i_ncnn_array(layer, 6)), GT_ERROR_FORMAT,
                   "parameters 5 and 6 (mask, anchors_scale) have %lld and %lld elements; %d bottoms with "
                   "%lld boxes each need %lld and %d", (long long)gt_i_ncnn_array_count(gt_i_ncnn_array(layer,
                       5)),
                   (long long)gt_i_ncnn_array_count(gt_i_ncnn_array(layer, 6)), layer->n_bottoms,
                   (long long)y->boxes, (long long)(layer->n_bottoms * y->boxes), layer->n_bottoms);
        GT_TRY(gt_i_ncnn_array_float(&index, gt_i_ncnn_array(layer, 5), flat, "mask"));
        GT_TRY(gt_i_ncnn_array_float(&scale, gt_i_ncnn_array(layer, 6), map, "anchors_scale"));
    }
    GT_REQUIRE(index >= 0 && index < 0x1p20f && 2 * (int64_t)index + 1 < gt_i_ncnn_array_count(biases),
               GT_ERROR_FORMAT, "parameter 4 (biases) has %lld elements; box %lld of map %d needs pair %g",
               (long long)gt_i_ncnn_array_count(biases), (long long)box, map, (double)index);
    for (int i = 0; i < 2; i++) {
        double image = floor((double)scale * (double)shape.dim[3 - i]);
        GT_REQUIRE(image >= 1, GT_ERROR_FORMAT, "element %d of parameter 6 (anchors_scale) is %g; more than "
                   "0 is needed", map, (double)scale);
        GT_TRY(gt_i_ncnn_array_float(&value, biases, 2 * (int64_t)index + i, "biases"));
        out[i] = (float)((double)value / image);
    }
done:
    return status;
}

static gt_status make_anchors(int *out, gt_i_ncnn *c, const gt_ncnn_layer *layer, const yolo *y)
{
    gt_status status = GT_OK;
    float *data = NULL;
    gt_shape shape = {.rank = 3, .dim = {layer->n_bottoms, y->boxes, 2}};
    GT_TRY(gt_calloc(&data, (size_t)(layer->n_bottoms * y->boxes * 2), sizeof *data));
    for (int map = 0; map < layer->n_bottoms; map++) {
        for (int64_t box = 0; box < y->boxes; box++) {
            GT_TRY(read_anchor(data + 2 * (map * y->boxes + box), c, layer, y, map, box));
        }
    }
    status = gt_i_ncnn_const(out, c, "anchors", &shape, data);
    data = NULL;
done:
    gt_free(data);
    return status;
}

static gt_status check_maps(int64_t *rows, gt_i_ncnn *c, const gt_ncnn_layer *layer, const yolo *y)
{
    gt_status status = GT_OK;
    int64_t channels = y->boxes * (5 + y->classes);
    for (int map = 0; map < layer->n_bottoms; map++) {
        gt_shape shape = gt_i_ncnn_shape(c, gt_i_ncnn_bottom(c, map));
        int64_t cells = 0;
        GT_TRY(gt_i_ncnn_need_dims(c, gt_i_ncnn_bottom(c, map), 3, 3));
        GT_REQUIRE(shape.dim[1] == channels, GT_ERROR_SHAPE,
                   "bottom %d has %lld channels; num_box %lld with 5 numbers and num_class %lld each needs "
                   "%lld", map, (long long)shape.dim[1], (long long)y->boxes, (long long)y->classes,
                   (long long)channels);
        GT_TRY(gt_i_mul(&cells, shape.dim[2], shape.dim[3], "the number of cells"));
        *rows += cells < GT_MAX_ATTR ? cells * y->boxes : GT_MAX_ATTR;
    }
    *rows = *rows < GT_MAX_ATTR ? *rows : GT_MAX_ATTR;
done:
    return status;
}

static gt_status yolo_output(gt_i_ncnn *c, const gt_ncnn_layer *layer, bool v3)
{
    gt_status status = GT_OK;
    yolo y = {.v3 = v3};
    int in[MAX_MAPS + 1];
    gt_attrs attrs = {.detection.softmax = !v3};
    GT_TRY(gt_i_ncnn_int(&y.classes, layer, 0, "num_class", 20, 1, INT16_MAX));
    GT_TRY(gt_i_ncnn_int(&y.boxes, layer, 1, "num_box", 5, 1, INT16_MAX));
    GT_TRY(gt_i_ncnn_float(&attrs.detection.confidence, layer, 2, "confidence_threshold", 0.01f));
    GT_TRY(gt_i_ncnn_float(&attrs.detection.nms, layer, 3, "nms_threshold", 0.45f));
    GT_TRY(check_maps(&attrs.detection.rows, c, layer, &y));
    for (int map = 0; map < layer->n_bottoms; map++) {
        in[map] = gt_i_ncnn_bottom(c, map);
    }
    GT_TRY(make_anchors(&in[layer->n_bottoms], c, layer, &y));
    GT_TRY(gt_i_ncnn_emit(NULL, c, 0, GT_OP_YOLO_DETECTION_OUTPUT, &attrs, layer->n_bottoms + 1, in, NULL));
done:
    return status;
}

gt_status gt_i_ncnn_yolo_detection_output(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    return yolo_output(c, layer, false);
}

gt_status gt_i_ncnn_yolov3_detection_output(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    return yolo_output(c, layer, true);
}
