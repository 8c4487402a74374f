/* SPDX-License-Identifier: Apache-2.0 */
/* The templates of all kinds but the convolutions and products, on random odd shapes, in every layout they
 * take. */
#include "src/graph/pair.h"
#include "tests/kernel_check.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 24
#define CONFIGS 2

static uint64_t seed = 20240611;

/* ---- random operands ---- */

static int64_t below(gt_rng *rng, int64_t bound)
{
    return gt_rng_below(rng, bound);
}

static int64_t random_channels(gt_rng *rng)
{
    static const int64_t some[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 40, 48, 70};
    return some[below(rng, sizeof some / sizeof *some)];
}

static gt_operand operand_of(gt_shape shape)
{
    return (gt_operand){.present = true, .dtype = GT_F32, .shape = shape};
}

static gt_operand image(gt_rng *rng)
{
    return operand_of(gt_shape_4d(1 + below(rng, 2), random_channels(rng), 1 + below(rng, 11),
                                  1 + below(rng, 21)));
}

/* Any rank; every other one an image. */
static gt_operand tensor(gt_rng *rng)
{
    if (below(rng, 2) == 0) {
        return image(rng);
    }
    gt_shape shape = {.rank = 1 + (int)below(rng, 6)};
    for (int d = 0; d < shape.rank; d++) {
        shape.dim[d] = 1 + below(rng, shape.rank > 4 ? 4 : 9);
    }
    return operand_of(shape);
}

static gt_workload *make(gt_op_kind kind, const gt_attrs *attrs, const gt_epilogue *epilogue, int n,
                         const gt_operand *inputs, const gt_operand *hint)
{
    gt_workload *w = NULL;
    gt_epilogue none = {0};
    gt_status status = gt_workload_create(&w, kind, attrs, epilogue != NULL ? epilogue : &none, n, inputs,
                                          hint);
    ck_assert_msg(status == GT_OK, "%s", gt_error_message());
    return w;
}

/* ---- one random workload per kind ---- */

static gt_workload *random_pool(gt_rng *rng)
{
    gt_operand in = image(rng);
    gt_attrs a = {.pool = {.mode = below(rng, 2), .count_pad = below(rng, 2) == 0}};
    gt_operand out = in;
    a.pool.count_pad = a.pool.count_pad && a.pool.mode == GT_POOL_AVERAGE;
    for (int i = 0; i < 2; i++) {
        int64_t kernel = 1 + below(rng, 5);
        int64_t dilation = below(rng, 4) == 0 ? 2 : 1;
        int64_t extent = (kernel - 1) * dilation + 1;
        a.pool.kernel[i] = kernel;
        a.pool.dilation[i] = dilation;
        a.pool.stride[i] = 1 + below(rng, 3);
        a.pool.pad[i] = below(rng, extent);
        a.pool.pad[2 + i] = below(rng, extent);
        int64_t room = in.shape.dim[2 + i] + a.pool.pad[i] + a.pool.pad[2 + i] - extent;
        if (room < 0) {
            in.shape.dim[2 + i] -= room;
            room = 0;
        }
        bool up = below(rng, 2) == 0;
        out.shape.dim[2 + i] = (room + (up ? a.pool.stride[i] - 1 : 0)) / a.pool.stride[i] + 1;
    }
    return make(GT_OP_POOL2D, &a, NULL, 1, &in, &out);
}

static gt_workload *random_reduce(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    int64_t axes[GT_MAX_RANK];
    int64_t count = 0;
    bool global = in.shape.rank == 4 && below(rng, 3) == 0;
    for (int d = 0; d < in.shape.rank; d++) {
        if (global ? d >= 2 : below(rng, 2) == 0 || (d == in.shape.rank - 1 && count == 0)) {
            axes[count++] = d;
        }
    }
    gt_attrs a = {.reduce = {.mode = below(rng, 3), .axes = {count, axes}, .keepdims = below(rng, 3) > 0}};
    return make(GT_OP_REDUCE, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_unary(gt_rng *rng)
{
    /* Every function comes up in turn. */
    static int64_t next = 0;
    gt_operand in = tensor(rng);
    gt_attrs a = {.unary = {.function = GT_FN_RELU + next++ % GT_FN_ERF}};
    if (a.unary.function == GT_FN_CLIP) {
        a.unary.alpha = below(rng, 2) == 0 ? 0.25f : -0.5f;
        a.unary.beta = 0.75f;
    } else if (a.unary.function == GT_FN_LEAKY_RELU || a.unary.function == GT_FN_ELU) {
        a.unary.alpha = 0.3f;
    } else if (a.unary.function == GT_FN_HARD_SIGMOID || a.unary.function == GT_FN_HARD_SWISH) {
        a.unary.alpha = 0.4f;
        a.unary.beta = 0.3f;
    }
    return make(GT_OP_UNARY, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_binary(gt_rng *rng)
{
    gt_operand in[2] = {tensor(rng), {0}};
    in[1] = in[0];
    gt_attrs a = {.binary = {.function = below(rng, GT_BINARY_PRELU + 1)}};
    int64_t form = below(rng, 4);
    for (int d = 0; d < in[0].shape.rank; d++) {
        bool channel = form == 0 && d != 1;
        bool pixels = form == 1 && d == 1;
        in[1].shape.dim[d] = channel || pixels || (form == 2 && below(rng, 2) == 0) ? 1 : in[1].shape.dim[d];
        if (form == 2 && a.binary.function != GT_BINARY_PRELU && below(rng, 3) == 0) {
            in[0].shape.dim[d] = 1;
        }
    }
    in[1].constant = below(rng, 2) == 0;
    if (a.binary.function != GT_BINARY_PRELU && below(rng, 2) == 0) {
        gt_operand swap = in[0];
        in[0] = in[1];
        in[1] = swap;
    }
    gt_epilogue e = kernel_check_random_epilogue(rng, false);
    return make(GT_OP_BINARY, &a, &e, 2, in, NULL);
}

static gt_workload *random_scale(gt_rng *rng)
{
    gt_operand x = tensor(rng);
    if (x.shape.rank < 2) {
        x.shape = gt_shape_of(2, (int64_t[]){3, 1 + below(rng, 40)});
    }
    gt_operand c = {.present = true, .constant = true, .dtype = GT_F32,
                    .shape = gt_shape_of(1, &x.shape.dim[1])};
    gt_epilogue e = kernel_check_random_epilogue(rng, false);
    gt_attrs a = {0};
    return make(GT_OP_SCALE, &a, &e, 3, (gt_operand[]){x, c, c}, NULL);
}

static gt_workload *random_concat(gt_rng *rng)
{
    gt_operand in[4] = {tensor(rng)};
    int n = 1 + (int)below(rng, 4);
    gt_attrs a = {.axis = {.axis = below(rng, in[0].shape.rank)}};
    bool aligned = below(rng, 3) == 0;
    for (int i = 0; i < n; i++) {
        in[i] = in[0];
        in[i].shape.dim[a.axis.axis] = aligned ? 16 * (1 + below(rng, 2)) : 1 + below(rng, 20);
        in[i].constant = i > 0 && below(rng, 4) == 0;
    }
    return make(GT_OP_CONCAT, &a, NULL, n, in, NULL);
}

static gt_workload *random_slice(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    gt_operand out = in;
    int64_t start[GT_MAX_RANK], step[GT_MAX_RANK];
    for (int d = 0; d < in.shape.rank; d++) {
        int64_t dim = in.shape.dim[d];
        bool all = below(rng, 3) == 0;
        step[d] = all ? 1 : below(rng, 3) == 0 ? 2 : below(rng, 5) == 0 ? -1 - below(rng, 2) : 1;
        start[d] = all ? 0 : below(rng, dim);
        int64_t room = step[d] > 0 ? (dim - 1 - start[d]) / step[d] + 1 : start[d] / -step[d] + 1;
        out.shape.dim[d] = all ? dim : 1 + below(rng, room);
    }
    gt_attrs a = {.slice = {.start = {in.shape.rank, start}, .step = {in.shape.rank, step}}};
    return make(GT_OP_SLICE, &a, NULL, 1, &in, &out);
}

static gt_workload *random_pad(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    int64_t before[GT_MAX_RANK], after[GT_MAX_RANK];
    gt_attrs a = {.pad = {.mode = below(rng, 3), .before = {in.shape.rank, before},
                          .after = {in.shape.rank, after}}};
    for (int d = 0; d < in.shape.rank; d++) {
        int64_t most = a.pad.mode == GT_PAD_REFLECT ? in.shape.dim[d] : 5;
        before[d] = below(rng, 2) == 0 ? 0 : below(rng, most < 9 ? most : 9);
        after[d] = below(rng, 2) == 0 ? 0 : below(rng, most < 9 ? most : 9);
    }
    a.pad.value = a.pad.mode == GT_PAD_CONSTANT && below(rng, 2) == 0 ? 0.5f : 0;
    return make(GT_OP_PAD, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_resize(gt_rng *rng)
{
    gt_operand in = image(rng);
    gt_operand out = in;
    gt_attrs a = {.resize = {.mode = below(rng, 2), .coord = below(rng, 4), .nearest = below(rng, 4)}};
    bool whole = below(rng, 2) == 0;
    for (int i = 0; i < 2; i++) {
        int64_t from = in.shape.dim[2 + i];
        out.shape.dim[2 + i] = whole ? from * (1 + below(rng, 3)) : 1 + below(rng, 2 * from);
        a.resize.scale[i] = (float)((double)out.shape.dim[2 + i] / (double)from);
    }
    return make(GT_OP_RESIZE, &a, NULL, 1, &in, &out);
}

static gt_workload *random_softmax(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    gt_attrs a = {.softmax = {.axis = below(rng, in.shape.rank), .log = below(rng, 3) == 0}};
    if (in.shape.rank == 4 && below(rng, 2) == 0) {
        a.softmax.axis = 1;
    }
    return make(GT_OP_SOFTMAX, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_lrn(gt_rng *rng)
{
    gt_operand in = image(rng);
    gt_attrs a = {.lrn = {.size = 1 + below(rng, 9), .alpha = 0.5f, .beta = below(rng, 2) == 0 ? 0.75f : 0.6f,
                          .bias = 1.5f}};
    return make(GT_OP_LRN, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_shuffle(gt_rng *rng)
{
    gt_operand in = image(rng);
    gt_attrs a = {.groups = {.groups = 1 + below(rng, 5)}};
    in.shape.dim[1] = a.groups.groups * (1 + below(rng, 12));
    return make(GT_OP_CHANNEL_SHUFFLE, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_depth_to_space(gt_rng *rng)
{
    gt_operand in = image(rng);
    gt_attrs a = {.block = {.block = 1 + below(rng, 3), .crd = below(rng, 2) == 0}};
    in.shape.dim[1] = a.block.block * a.block.block * (1 + below(rng, 20));
    return make(GT_OP_DEPTH_TO_SPACE, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_space_to_depth(gt_rng *rng)
{
    gt_operand in = image(rng);
    gt_attrs a = {.block = {.block = 1 + below(rng, 3)}};
    in.shape.dim[2] = a.block.block * (1 + below(rng, 6));
    in.shape.dim[3] = a.block.block * (1 + below(rng, 9));
    return make(GT_OP_SPACE_TO_DEPTH, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_reshape(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    int64_t elems = gt_shape_elems(&in.shape);
    gt_operand out = in;
    out.shape = gt_shape_of(2, (int64_t[]){1, elems});
    gt_attrs a = {0};
    return make(GT_OP_RESHAPE, &a, NULL, 1, &in, &out);
}

static gt_workload *random_transpose(gt_rng *rng)
{
    static const int64_t usual[4][4] = {{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 2, 1, 3}, {1, 0, 2, 3}};
    gt_operand in = tensor(rng);
    int64_t perm[GT_MAX_RANK];
    int rank = in.shape.rank;
    for (int d = 0; d < rank; d++) {
        int64_t other = below(rng, d + 1);
        perm[d] = perm[other];
        perm[other] = d;
    }
    if (rank == 4 && below(rng, 2) == 0) {
        memcpy(perm, usual[below(rng, 4)], sizeof usual[0]);
    } else if (rank == 2) {
        in.shape.dim[0] = 1 + below(rng, 150);
        in.shape.dim[1] = 1 + below(rng, 150);
    }
    gt_attrs a = {.transpose = {.perm = {rank, perm}}};
    return make(GT_OP_TRANSPOSE, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_gather(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    int64_t indices[12];
    gt_attrs a = {.gather = {.axis = below(rng, in.shape.rank), .scalar = below(rng, 3) == 0}};
    a.gather.indices = (gt_int_list){a.gather.scalar ? 1 : 1 + below(rng, 12), indices};
    for (int64_t i = 0; i < a.gather.indices.count; i++) {
        indices[i] = below(rng, in.shape.dim[a.gather.axis]);
    }
    return make(GT_OP_GATHER, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_tile(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    int64_t repeats[GT_MAX_RANK];
    for (int d = 0; d < in.shape.rank; d++) {
        in.shape.dim[d] = below(rng, 3) == 0 ? 1 : in.shape.dim[d];
        repeats[d] = below(rng, 2) == 0 ? 1 : 1 + below(rng, 3);
    }
    gt_attrs a = {.tile = {.repeats = {in.shape.rank, repeats}}};
    return make(GT_OP_TILE, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_argmax(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    gt_attrs a = {.argmax = {.axis = below(rng, in.shape.rank), .keepdims = below(rng, 2) == 0,
                             .last = below(rng, 2) == 0}};
    if (in.shape.rank == 4 && below(rng, 2) == 0) {
        a.argmax.axis = 1;
    }
    return make(GT_OP_ARGMAX, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_cast(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    gt_operand out = in;
    in.dtype = (gt_dtype)below(rng, GT_DTYPE_COUNT);
    out.dtype = (gt_dtype)below(rng, GT_DTYPE_COUNT);
    gt_attrs a = {0};
    return make(GT_OP_CAST, &a, NULL, 1, &in, &out);
}

static gt_workload *random_copy(gt_rng *rng)
{
    gt_operand in = tensor(rng);
    in.constant = below(rng, 2) == 0;
    gt_attrs a = {0};
    return make(GT_OP_COPY, &a, NULL, 1, &in, NULL);
}

static gt_workload *random_detection(gt_rng *rng)
{
    int64_t priors = 1 + below(rng, 40);
    gt_operand in[3] = {
        {.present = true, .shape = {2, {1, 4 * priors}}},
        {.present = true, .shape = {3, {1, priors, 2 + below(rng, 4)}}},
        {.present = true, .constant = below(rng, 2) == 0, .shape = {3, {1, 2, 4 * priors}}},
    };
    gt_attrs a = {.detection = {.rows = 1 + below(rng, 30), .top_k = 1 + below(rng, 30), .confidence = 0.1f,
                                .nms = 0.3f}};
    return make(GT_OP_DETECTION_OUTPUT, &a, NULL, 3, in, NULL);
}

static gt_workload *random_yolo_detection(gt_rng *rng)
{
    gt_operand in[4] = {{0}};
    int maps = 1 + (int)below(rng, 3);
    int64_t boxes = 1 + below(rng, 3);
    int64_t channels = boxes * (6 + below(rng, 3));
    for (int i = 0; i < maps; i++) {
        in[i] = (gt_operand){.present = true, .shape = gt_shape_4d(1, channels, 1 + below(rng, 5), 1 + below(rng, 5))};
    }
    in[maps] = (gt_operand){.present = true, .constant = true, .shape = {3, {maps, boxes, 2}}};
    gt_attrs a = {.detection = {.rows = 1 + below(rng, 60), .confidence = 0.2f, .nms = 0.45f,
                                .softmax = below(rng, 2) == 0}};
    return make(GT_OP_YOLO_DETECTION_OUTPUT, &a, NULL, maps + 1, in, NULL);
}

static const struct {
    gt_op_kind kind;
    gt_workload *(*make)(gt_rng *rng);
} makers[] = {
    {GT_OP_POOL2D, random_pool},
    {GT_OP_REDUCE, random_reduce},
    {GT_OP_UNARY, random_unary},
    {GT_OP_BINARY, random_binary},
    {GT_OP_SCALE, random_scale},
    {GT_OP_CONCAT, random_concat},
    {GT_OP_SLICE, random_slice},
    {GT_OP_PAD, random_pad},
    {GT_OP_RESIZE, random_resize},
    {GT_OP_SOFTMAX, random_softmax},
    {GT_OP_LRN, random_lrn},
    {GT_OP_CHANNEL_SHUFFLE, random_shuffle},
    {GT_OP_DEPTH_TO_SPACE, random_depth_to_space},
    {GT_OP_SPACE_TO_DEPTH, random_space_to_depth},
    {GT_OP_RESHAPE, random_reshape},
    {GT_OP_TRANSPOSE, random_transpose},
    {GT_OP_GATHER, random_gather},
    {GT_OP_TILE, random_tile},
    {GT_OP_ARGMAX, random_argmax},
    {GT_OP_CAST, random_cast},
    {GT_OP_COPY, random_copy},
    {GT_OP_DETECTION_OUTPUT, random_detection},
    {GT_OP_YOLO_DETECTION_OUTPUT, random_yolo_detection},
};
#define MAKERS ((int)(sizeof makers / sizeof *makers))

/* ---- views ---- */

/* A view's output is its input's memory: the result in the output's layout must be the very same floats. */
static int check_views(const gt_workload *w, gt_rng *rng)
{
    int checked = 0;
    if (w->kind != GT_OP_RESHAPE && w->kind != GT_OP_TRANSPOSE) {
        return 0;
    }
    size_t bytes = (size_t)gt_shape_elems(&w->output.shape) * sizeof(float);
    float *x = NULL, *y = NULL, *in = NULL, *out = NULL;
    ck_assert(gt_alloc_aligned(&x, bytes) == GT_OK && gt_alloc_aligned(&y, bytes) == GT_OK);
    ck_assert(gt_alloc_aligned(&in, bytes) == GT_OK && gt_alloc_aligned(&out, bytes) == GT_OK);
    gt_rng_fill(rng, x, bytes / sizeof(float), -1, 1);
    ck_assert_int_eq(gt_reference_run(w, y, (const void *[]){x}), GT_OK);
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        for (int pair = 0; t->view && pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            gt_layout a = (gt_layout)(pair / GT_LAYOUT_COUNT);
            gt_layout b = (gt_layout)(pair % GT_LAYOUT_COUNT);
            if (!gt_template_supports(t, w, a, b)) {
                continue;
            }
            gt_transform(in, a, x, GT_NCHW, &w->inputs[0].shape);
            gt_transform(out, b, y, GT_NCHW, &w->output.shape);
            ck_assert_msg(memcmp(in, out, bytes) == 0, "%s %s->%s is no view of %s", t->name,
                          gt_layout_name(a),
                          gt_layout_name(b), w->key);
            checked++;
        }
    }
    gt_free(x);
    gt_free(y);
    gt_free(in);
    gt_free(out);
    return checked;
}

/* The inputs in a layout, one after another, must be the output in this layout, channel padding included. */
static int check_in_place(const gt_workload *w, gt_layout layout, const float *const *x, const float *y)
{
    float *parts = NULL, *whole = NULL;
    const gt_template *t = gt_template_find("concat.in_place");
    if (!gt_template_supports(t, w, layout, layout)) {
        return 0;
    }
    const size_t bytes = (size_t)gt_layout_elems(layout, &w->output.shape) * sizeof(float);
    ck_assert(gt_alloc_aligned(&parts, bytes) == GT_OK && gt_alloc_aligned(&whole, bytes) == GT_OK);
    memset(parts, 0xFF, bytes);
    int64_t at = 0;
    for (int i = 0; i < w->n_inputs; i++) {
        ck_assert_int_eq(at * (int64_t)sizeof(float) % GT_ALIGN_BYTES, 0);
        gt_transform(parts + at, gt_template_input_layout(w, layout, layout, i), x[i], GT_NCHW, &w->inputs[i].shape);
        at += gt_layout_elems(gt_template_input_layout(w, layout, layout, i), &w->inputs[i].shape);
    }
    gt_transform(whole, layout, y, GT_NCHW, &w->output.shape);
    ck_assert_msg(at * (int64_t)sizeof(float) == (int64_t)bytes && memcmp(parts, whole, bytes) == 0, "%s: %s is not in place", w->key,
                  gt_layout_name(layout));
    gt_free(parts);
    gt_free(whole);
    return 1;
}

/* ---- tests ---- */

START_TEST(concats_in_place)
{
    static const struct {
        const char *key;
        int layouts; /* how many it can be in place in */
    } cases[] = {
        {"concat(1x16x5x3,1x32x5x3,1x7x5x3)->1x55x5x3{axis=1}", 4},
        {"concat(1x16x1x1,1x48x1x1)->1x64x1x1{axis=1}", 5},
        {"concat(1x12x4x4,1x20x4x4)->1x32x4x4{axis=1}", 2},
        {"concat(1x3x4x4,1x3x2x4)->1x3x6x4{axis=2}", 4},
        {"concat(2x3x4x4,1x3x4x4)->3x3x4x4{axis=0}", 5},
        {"concat(1x1x4x16,1x1x4x3)->1x1x4x19{axis=3}", 0},
        {"concat(1x1x1x16,1x1x1x3)->1x1x1x19{axis=3}", 5},
        {"concat(1x32,1x9)->1x41{axis=1}", 1},
        {"concat(2x16x4x4,2x16x4x4)->2x32x4x4{axis=1}", 0},
        {"concat(1x16x3x3,1x3x3x3,1x16x3x3)->1x35x3x3{axis=1}", 0},
    };
    gt_rng rng;
    gt_rng_seed(&rng, seed + 100);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gt_workload *w = NULL;
        float *x[3] = {NULL}, *y = NULL;
        int n = 0;
        ck_assert_msg(gt_workload_parse(&w, cases[k].key) == GT_OK, "%s", gt_error_message());
        ck_assert_int_eq(gt_alloc_aligned(&y, (size_t)gt_shape_elems(&w->output.shape) * sizeof(float)), GT_OK);
        for (int i = 0; i < w->n_inputs; i++) {
            const size_t elems = (size_t)gt_shape_elems(&w->inputs[i].shape);
            ck_assert_int_eq(gt_alloc_aligned(&x[i], elems * sizeof(float)), GT_OK);
            gt_rng_fill(&rng, x[i], elems, -1, 1);
        }
        ck_assert_int_eq(gt_reference_run(w, y, (const void *const *)x), GT_OK);
        for (gt_layout layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
            n += check_in_place(w, layout, (const float *const *)x, y);
        }
        ck_assert_msg(n == cases[k].layouts, "%s: in place in %d layouts, not %d", w->key, n, cases[k].layouts);
        for (int i = 0; i < 3; i++) {
            gt_free(x[i]);
        }
        gt_free(y);
        gt_workload_destroy(w);
    }
}
END_TEST

START_TEST(random_workloads)
{
    gt_rng rng;
    int checked = 0;
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    for (int i = 0; i < gt_test_rounds(ROUNDS); i++) {
        gt_workload *w = makers[_i].make(&rng);
        int here = kernel_check(w, CONFIGS, &rng) + check_views(w, &rng);
        /* A case that nothing handles is a hole: the network could not run. */
        ck_assert_msg(here > 0, "no template handles %s", w->key);
        checked += here;
        gt_workload_destroy(w);
    }
    printf("  %-16s %d candidates\n", gt_op_kind_name(makers[_i].kind), checked);
}
END_TEST

/* Cases that random ones meet too rarely: sizes beyond one tile or chunk, and the shapes of real networks. */
START_TEST(chosen_workloads)
{
    static const char *const keys[] = {
        "pool2d(1x20x40x45)->1x20x20x23{"
        "mode=max,kernel=3x3,stride=2x2,pad=1x1x1x1,dilation=1x1,count_pad=0}",
        "pool2d(1x3x30x70)->1x3x28x68{"
        "mode=average,kernel=3x3,stride=1x1,pad=0x0x0x0,dilation=1x1,count_pad=0}",
        "pool2d(1x18x7x7)->1x18x1x1{"
        "mode=average,kernel=7x7,stride=1x1,pad=0x0x0x0,dilation=1x1,count_pad=0}",
        "pool2d(1x3x2x5)->1x3x3x5{mode=max,kernel=2x1,stride=1x1,pad=3x0x2x0,dilation=4x1,count_pad=0}",
        "reduce(2x35x33x31)->2x35x1x1{mode=mean,axes=[2 3],keepdims=1}",
        "reduce(2x35x33x31)->2x35{mode=sum,axes=[2 3],keepdims=0}",
        "reduce(2x35x1x1)->2x35x1x1{mode=mean,axes=[2 3],keepdims=1}",
        "reduce(1x19x9x10)->1x1x9x10{mode=max,axes=[1],keepdims=1}",
        "reduce(3x5000)->5000{mode=max,axes=[0],keepdims=0}",
        "reduce(2x3x4x5x6x7)->3x5x7{mode=sum,axes=[0 2 4],keepdims=0}",
        "unary(1x17x40x60)->1x17x40x60{f=exp,alpha=0,beta=0}",
        "unary(70001)->70001{f=sigmoid,alpha=0,beta=0}",
        "binary(1x67x20x21,1x67x20x21)->1x67x20x21{f=add,act=relu}",
        "binary(1x67x20x21,1x67x1x1!)->1x67x20x21{f=mul}",
        "binary(1x67x20x21,1x1x20x21)->1x67x20x21{f=div}",
        "binary(1x67x20x21,1x1x1x1!)->1x67x20x21{f=pow}",
        "binary(1x1x20x21,1x67x1x1)->1x67x20x21{f=sub,act=sigmoid}",
        "binary(scalar,scalar!)->scalar{f=add}",
        "scale(2x67x40x21,67!,67!)->2x67x40x21{act=sigmoid}",
        "scale(5x600,600!,600!)->5x600",
        "concat(1x24x30x31,1x12x30x31,1x5x30x31)->1x41x30x31{axis=1}",
        "concat(1x64x30x31,1x64x30x31)->1x128x30x31{axis=1}",
        "resize(1x9x13x11)->1x9x26x22{mode=nearest,coord=asymmetric,nearest=floor,scale_h=2,scale_w=2}",
        "softmax(1x1000)->1x1000{axis=1,log=0}",
        "softmax(1x21x17x33)->1x21x17x33{axis=1,log=0}",
        "lrn(1x35x13x27)->1x35x13x27{size=5,alpha=0.0001,beta=0.75,bias=1}",
        "lrn(1x3x5x5)->1x3x5x5{size=51,alpha=1,beta=0.5,bias=2}",
        "channel_shuffle(1x116x14x14)->1x116x14x14{groups=2}",
        "transpose(1x67x33x35)->1x33x35x67{perm=[0 2 3 1]}",
        "transpose(130x131)->131x130{perm=[1 0]}",
        "transpose(2x3x4x5x6x7)->7x6x5x4x3x2{perm=[5 4 3 2 1 0]}",
        "copy(1x17x99x101)->1x17x99x101",
        "cast(70001)->i64:70001",
    };
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        ck_assert_msg(kernel_check_workload(keys[i], 4, &rng) > 0, "no template handles %s", keys[i]);
    }
}
END_TEST

/* Moves of other element types, against the oracle, on values that differ. */
START_TEST(other_types)
{
    static const char *const keys[] = {
        "slice(i64:5x7)->i64:2x3{start=[4 1],step=[-2 2]}",
        "concat(i64:3x2,i64:3x5)->i64:3x7{axis=1}",
        "gather(i64:6x3)->i64:4x3{axis=0,indices=[5 0 0 2],scalar=0}",
        "gather(i64:6x3)->i64:6{axis=1,indices=[2],scalar=1}",
        "tile(i64:2x3)->i64:4x9{repeats=[2 3]}",
        "transpose(i64:3x4x5)->i64:5x3x4{perm=[2 0 1]}",
        "pad(i64:3)->i64:6{mode=constant,before=[1],after=[2],value=7}",
        "copy(i64:4x4)->i64:4x4",
        "cast(i64:9)->9",
        "cast(i64:9)->bool:9",
        "slice(bool:5x7)->bool:2x3{start=[4 1],step=[-2 2]}",
        "tile(bool:3)->bool:9{repeats=[3]}",
        "transpose(bool:3x4)->bool:4x3{perm=[1 0]}",
        "cast(bool:9)->i64:9",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        gt_workload *w = NULL;
        gt_kernel *kernel = NULL;
        int64_t x[2][64], want[64], got[64];
        int checked = 0;
        ck_assert_msg(gt_workload_parse(&w, keys[i]) == GT_OK, "%s", gt_error_message());
        memset(x, 0, sizeof x);
        for (int j = 0; j < 128; j++) {
            bool bytes = w->inputs[0].dtype == GT_BOOL;
            ((unsigned char *)x)[bytes ? j : 0] |= (unsigned char)(bytes && j % 3 == 0);
            x[j / 64][j % 64] = bytes ? x[j / 64][j % 64] : j * 1000003 - 5;
        }
        size_t size = (size_t)gt_shape_elems(&w->output.shape) * gt_dtype_bytes(w->output.dtype);
        ck_assert_int_eq(gt_reference_run(w, want, (const void *[]){x[0], x[1]}), GT_OK);
        for (size_t t = 0; t < gt_template_count(); t++) {
            const gt_template *tmpl = gt_template_at(t);
            gt_space space;
            gt_config config;
            if (!gt_template_supports(tmpl, w, GT_NCHW, GT_NCHW) || tmpl->view) {
                continue;
            }
            gt_template_space(tmpl, w, GT_NCHW, GT_NCHW, &space);
            gt_space_point(&space, 0, &config);
            memset(got, 0xff, sizeof got);
            gt_status status = gt_kernel_create(&kernel, tmpl, w, GT_NCHW, GT_NCHW, &config,
                                                (const void *[]){NULL, NULL}, gt_isa_best());
            ck_assert_msg(status == GT_OK, "%s", gt_error_message());
            gt_kernel_run(kernel, (const void *[]){x[0], x[1]}, got, NULL, NULL, NULL);
            ck_assert_msg(memcmp(got, want, size) == 0, "%s differs on %s", tmpl->name, keys[i]);
            gt_kernel_destroy(kernel);
            checked++;
        }
        ck_assert_msg(checked > 0, "no template handles %s", keys[i]);
        gt_workload_destroy(w);
    }
}
END_TEST

START_TEST(every_kind_has_a_template)
{
    for (int kind = 0; kind < GT_OP_KIND_COUNT; kind++) {
        bool found = false;
        for (size_t i = 0; i < gt_template_count(); i++) {
            found = found || gt_template_at(i)->kind == (gt_op_kind)kind;
        }
        ck_assert_msg(found, "no template for %s", gt_op_kind_name((gt_op_kind)kind));
        bool windowed = kind == GT_OP_CONV2D || kind == GT_OP_CONV_TRANSPOSE2D || kind == GT_OP_DENSE ||
                        kind == GT_OP_MATMUL || gt_op_kind_is_pair((gt_op_kind)kind);
        for (int i = 0; i < MAKERS; i++) {
            windowed = windowed || makers[i].kind == (gt_op_kind)kind;
        }
        ck_assert_msg(windowed, "no random workloads for %s", gt_op_kind_name((gt_op_kind)kind));
    }
}
END_TEST

static const char *const leak_keys[] = {
    "slice(1x20x4x4)->1x5x2x4{start=[0 3 0 0],step=[1 1 2 1]}",
    "binary(1x5x2x2,1x5x1x1!)->1x5x2x2{f=add}",
    "concat(1x3x2x2,1x3x2x2!)->1x6x2x2{axis=1}",
    "scale(1x3x2x2,3!,3!)->1x3x2x2",
    "transpose(2x3x4)->4x3x2{perm=[2 1 0]}",
    "resize(1x1x2x2)->1x1x4x4{"
    "mode=linear,coord=half_pixel,nearest=round_prefer_floor,scale_h=2,scale_w=2}",
    "pool2d(1x1x2x2)->1x1x1x1{mode=max,kernel=2x2,stride=1x1,pad=0x0x0x0,dilation=1x1,count_pad=0}",
    "conv2d_pointwise(1x8x4x4,8x1x3x3!,8!,4x8x1x1!,4!,_)->1x4x4x4{stride=1x1,pad=1x1x1x1,dilation=1x1,groups=8,conv_act=relu,"
    "conv_alpha=0,conv_beta=0}",
    "conv2d_pool2d(1x3x8x8,4x3x3x3!,4!)->1x4x3x3{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,conv_act=relu,conv_alpha=0,"
    "conv_beta=0,mode=max,kernel=2x2,pool_stride=2x2,pool_pad=0x0x0x0,pool_dilation=1x1,count_pad=0}",
};

/* Fails every allocation of `prepare` in turn. */
START_TEST(no_leak_on_failure)
{
    static const float constant[128];
    const void *consts[6] = {constant, constant, constant, constant, constant, constant};
    gt_layout layouts[2] = {GT_NCHW, GT_NCHW4C};
    gt_workload *w = NULL;
    ck_assert_msg(gt_workload_parse(&w, leak_keys[_i]) == GT_OK, "%s", gt_error_message());
    int64_t before = gt_i_live_allocations();
    for (size_t t = 0; t < 2 * gt_template_count(); t++) {
        const gt_template *tmpl = gt_template_at(t / 2);
        gt_layout layout = layouts[t % 2];
        gt_space space;
        gt_config config;
        gt_kernel *kernel = NULL;
        gt_status status = GT_ERROR_MEMORY;
        if (tmpl->view || !gt_template_supports(tmpl, w, layout, layout)) {
            continue;
        }
        gt_template_space(tmpl, w, layout, layout, &space);
        gt_space_point(&space, 0, &config);
        for (int64_t i = 0; status != GT_OK; i++) {
            ck_assert_int_lt(i, 100);
            gt_i_fail_allocation(i);
            status = gt_kernel_create(&kernel, tmpl, w, layout, layout, &config, consts, GT_ISA_BASE);
            gt_i_fail_allocation(-1);
            ck_assert(status == GT_OK || (status == GT_ERROR_MEMORY && gt_i_live_allocations() == before));
        }
        gt_kernel_destroy(kernel);
        ck_assert(gt_i_live_allocations() == before);
    }
    gt_workload_destroy(w);
}
END_TEST

int main(void)
{
    seed = gt_test_seed(seed);
    Suite *suite = suite_create("general_ops");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, every_kind_has_a_template);
    tcase_add_loop_test(tc, random_workloads, 0, MAKERS);
    tcase_add_test(tc, chosen_workloads);
    tcase_add_test(tc, concats_in_place);
    tcase_add_test(tc, other_types);
    tcase_add_loop_test(tc, no_leak_on_failure, 0, (int)(sizeof leak_keys / sizeof *leak_keys));
    suite_add_tcase(suite, tc);
    return gt_test_run(suite);
}
