/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/detection.h"

#include <math.h>
#include <string.h>

/* ---- sorting: heapsort, which needs neither memory nor luck ---- */

static bool before(const gt_i_detection *a, const gt_i_detection *b)
{
    return a->score != b->score ? a->score > b->score : a->order < b->order;
}

/* Moves entry `at` down until none below it comes later. */
static void sift(gt_i_detection *d, int64_t at, int64_t count)
{
    gt_i_detection moved = d[at];
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && before(&d[child], &d[child + 1]);
        if (!before(&moved, &d[child])) {
            break;
        }
        d[at] = d[child];
        at = child;
    }
    d[at] = moved;
}

static void sort(gt_i_detection *d, int64_t count)
{
    for (int64_t i = count / 2 - 1; i >= 0; i--) {
        sift(d, i, count);
    }
    for (int64_t end = count - 1; end > 0; end--) {
        gt_i_detection last = d[0];
        d[0] = d[end];
        d[end] = last;
        sift(d, 0, end);
    }
}

/* ---- suppression ---- */

static double area(const float *b)
{
    return ((double)b[2] - (double)b[0]) * ((double)b[3] - (double)b[1]);
}

static double overlap(const float *a, const float *b)
{
    double w = fmin((double)a[2], (double)b[2]) - fmax((double)a[0], (double)b[0]);
    double h = fmin((double)a[3], (double)b[3]) - fmax((double)a[1], (double)b[1]);
    return w < 0 || h < 0 ? 0 : w * h;
}

/* Drops from a sorted list what overlaps one that comes first by more than the threshold; returns how many
 * stay. */
static int64_t suppress(gt_i_detection *d, int64_t count, double threshold)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        bool keep = true;
        for (int64_t k = 0; k < kept && keep; k++) {
            double both = overlap(d[i].box, d[k].box);
            keep = !(both / (area(d[i].box) + area(d[k].box) - both) > threshold);
        }
        if (keep) {
            d[kept++] = d[i];
        }
    }
    return kept;
}

static void write_rows(float *out, const gt_i_detection *d, int64_t count, int64_t rows)
{
    memset(out, 0, (size_t)(rows * 6) * sizeof *out);
    for (int64_t i = 0; i < count && i < rows; i++) {
        out[6 * i] = (float)d[i].label;
        out[6 * i + 1] = d[i].score;
        memcpy(out + 6 * i + 2, d[i].box, sizeof d[i].box);
    }
}

/* Corners from centre and size. */
static void set_box(float *box, double cx, double cy, double w, double h)
{
    box[0] = (float)(cx - w / 2);
    box[1] = (float)(cy - h / 2);
    box[2] = (float)(cx + w / 2);
    box[3] = (float)(cy + h / 2);
}

/* ---- SSD ---- */

static void ssd_box(float *box, const float *location, const float *prior, const float *variance)
{
    double w = (double)prior[2] - (double)prior[0];
    double h = (double)prior[3] - (double)prior[1];
    double cx = ((double)prior[0] + (double)prior[2]) / 2;
    double cy = ((double)prior[1] + (double)prior[3]) / 2;
    set_box(box, (double)variance[0] * (double)location[0] * w + cx,
            (double)variance[1] * (double)location[1] * h + cy,
            exp((double)variance[2] * (double)location[2]) * w,
            exp((double)variance[3] * (double)location[3]) * h);
}

/* What one class finds, sorted and without overlaps: at most top_k entries at d, which has room for all
 * priors. */
static int64_t ssd_class(gt_i_detection *d, const gt_workload *w, const void *const *in, int64_t label)
{
    int64_t priors = w->inputs[1].shape.dim[1];
    int64_t classes = w->inputs[1].shape.dim[2];
    const float *confidence = in[1];
    const float *prior = in[2];
    float threshold = w->attrs.detection.confidence;
    int64_t count = 0;
    for (int64_t i = 0; i < priors; i++) {
        float score = confidence[i * classes + label];
        /* A box that is nearly surely background has no place. */
        if (score > threshold && (double)confidence[i * classes] < 1.0 - (double)threshold) {
            d[count] = (gt_i_detection){.score = score, .label = (int32_t)label, .order = (int32_t)i};
            ssd_box(d[count++].box, (const float *)in[0] + 4 * i, prior + 4 * i, prior + 4 * (priors + i));
        }
    }
    sort(d, count);
    count = count < w->attrs.detection.top_k ? count : w->attrs.detection.top_k;
    return suppress(d, count, (double)w->attrs.detection.nms);
}

void gt_i_detection_output(const gt_workload *w, float *out, const void *const *in, gt_i_detection *work)
{
    int64_t count = 0;
    for (int64_t label = 1; label < w->inputs[1].shape.dim[2]; label++) {
        count += ssd_class(work + count, w, in, label);
    }
    for (int64_t i = 0; i < count; i++) {
        work[i].order = (int32_t)i;
    }
    sort(work, count);
    write_rows(out, work, count, w->attrs.detection.rows);
}

/* ---- YOLO ---- */

/* One box's numbers in one cell: channel k is at x[k * plane]. */
typedef struct cell {
    const float *x;
    int64_t plane, classes;
} cell;

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double channel(const cell *c, int64_t k)
{
    return (double)c->x[k * c->plane];
}

/* The best class and its probability: its share in a softmax, or each for itself. */
static double best_class(int32_t *label, const cell *c, bool softmax)
{
    int64_t best = 0;
    for (int64_t k = 1; k < c->classes; k++) {
        best = channel(c, 5 + k) > channel(c, 5 + best) ? k : best;
    }
    *label = (int32_t)best + 1;
    if (!softmax) {
        return sigmoid(channel(c, 5 + best));
    }
    double sum = 0;
    for (int64_t k = 0; k < c->classes; k++) {
        sum += exp(channel(c, 5 + k) - channel(c, 5 + best));
    }
    return 1 / sum;
}

/* All boxes of one map that are sure enough, appended to d. */
static int64_t yolo_map(gt_i_detection *d, int64_t count, const gt_workload *w, const float *x, int map,
                        const float *anchors)
{
    const gt_shape *shape = &w->inputs[map].shape;
    int64_t boxes = w->inputs[w->n_inputs - 1].shape.dim[1];
    int64_t width = shape->dim[3];
    int64_t plane = shape->dim[2] * width;
    int64_t per_box = shape->dim[1] / boxes;
    for (int64_t i = 0; i < boxes * plane; i++) {
        int64_t box = i / plane;
        int64_t at = i % plane;
        cell c = {x + box * per_box * plane + at, plane, per_box - 5};
        gt_i_detection found = {.order = (int32_t)count};
        found.score = (float)(sigmoid(channel(&c, 4)) * best_class(&found.label, &c,
                                                                   w->attrs.detection.softmax));
        if (found.score >= w->attrs.detection.confidence) {
            set_box(found.box, ((double)(at % width) + sigmoid(channel(&c, 0))) / (double)width,
                    ((double)(at / width) + sigmoid(channel(&c, 1))) / (double)shape->dim[2],
                    exp(channel(&c, 2)) * (double)anchors[2 * box],
                    exp(channel(&c, 3)) * (double)anchors[2 * box + 1]);
            d[count++] = found;
        }
    }
    return count;
}

void gt_i_yolo_detection_output(const gt_workload *w, float *out, const void *const *in, gt_i_detection *work)
{
    int maps = w->n_inputs - 1;
    int64_t boxes = w->inputs[maps].shape.dim[1];
    int64_t count = 0;
    for (int map = 0; map < maps; map++) {
        count = yolo_map(work, count, w, in[map], map, (const float *)in[maps] + 2 * boxes * map);
    }
    sort(work, count);
    count = suppress(work, count, (double)w->attrs.detection.nms);
    write_rows(out, work, count, w->attrs.detection.rows);
}

/* ---- memory ---- */

int64_t gt_i_detection_room(const gt_workload *w)
{
    int64_t room = 0;
    if (w->kind == GT_OP_DETECTION_OUTPUT) {
        int64_t priors = w->inputs[1].shape.dim[1];
        int64_t top = w->attrs.detection.top_k < priors ? w->attrs.detection.top_k : priors;
        return priors + (w->inputs[1].shape.dim[2] - 1) * top;
    }
    for (int map = 0; map < w->n_inputs - 1; map++) {
        const gt_shape *shape = &w->inputs[map].shape;
        room += w->inputs[w->n_inputs - 1].shape.dim[1] * shape->dim[2] * shape->dim[3];
    }
    return room;
}
