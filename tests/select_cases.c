/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/select_cases.h"

#include "src/graph/pair.h"
#include "tests/graph_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS (GT_LAYOUT_COUNT * GT_LAYOUT_COUNT)

const char *sc_family_name(sc_family family)
{
    static const char *const names[SC_FAMILY_COUNT] = {"chain", "residual", "concat", "shared", "ports",
                                                       "twice", "tail",     "views",  "mixed",  "in place", "pairs"};
    return names[family];
}

static int below(gt_rng *rng, int bound)
{
    return (int)gt_rng_below(rng, bound);
}

static const gt_shape *shape_of(const gt_graph *g, int x)
{
    return &g->tensors[x].shape;
}

/* ---- small networks ---- */

int sc_conv_residual(gt_graph *g, int x, int z, int64_t kernel)
{
    const int64_t k = shape_of(g, z)->dim[1];
    const int64_t pad = kernel / 2;
    const gt_attrs attrs = {
        .conv = {.stride = {1, 1}, .pad = {pad, pad, pad, pad}, .dilation = {1, 1}, .groups = 1}};
    const gt_epilogue epilogue = {.act = GT_FN_RELU, .residual = GT_RESIDUAL_BEFORE};
    const int in[4] = {x, gb_const(g, SHAPE(k, shape_of(g, x)->dim[1], kernel, kernel), -0.5f, 0.5f),
                       gb_const(g, SHAPE(k), -1, 1), z};
    int out = 0;
    gb_must(gt_graph_add_op(g, NULL, &out, GT_OP_CONV2D, NULL, NULL, &attrs, &epilogue, 4, in, NULL));
    return out;
}

static gt_shape image(gt_rng *rng)
{
    static const int64_t channels[] = {3, 4, 8, 12, 16};
    const int64_t size = 3 + below(rng, 3);
    return gt_shape_4d(1, channels[below(rng, 5)], size, size);
}

/* An op that keeps the shape. */
static int step(gt_graph *g, gt_rng *rng, int x)
{
    const int64_t c = shape_of(g, x)->dim[1];
    switch (below(rng, 6)) {
    case 0:
        return gb_relu(g, x);
    case 1:
        return gb_pool(g, x, GT_POOL_MAX, 3, 1, 1);
    case 2:
        return gb_conv(g, x, c, 3, 1, 1, c, true);
    case 3:
        return gb_conv(g, x, c, 3, 1, 1, 1, true);
    default:
        return gb_conv(g, x, c, 1, 1, 0, 1, false);
    }
}

static int steps(gt_graph *g, gt_rng *rng, int x, int n)
{
    for (int i = 0; i < n; i++) {
        x = step(g, rng, x);
    }
    return x;
}

void sc_finish(gt_graph *g)
{
    int *first = NULL;
    int *consumer = NULL;
    gb_must(gt_graph_consumers(g, &first, &consumer));
    for (int t = 0; t < g->n_tensors; t++) {
        if (g->tensors[t].producer >= 0 && first[t] == first[t + 1]) {
            gb_output(g, t);
        }
    }
    gt_free(first);
    gt_free(consumer);
    gb_must(gt_graph_finish(g));
}

static void build_residual(gt_graph *g, gt_rng *rng, int x)
{
    int z = step(g, rng, x);
    for (int block = 0; block < 2; block++) {
        const int y = step(g, rng, z);
        if (below(rng, 2) == 0) {
            z = sc_conv_residual(g, y, z, below(rng, 2) == 0 ? 1 : 3);
        } else {
            z = gb_binary(g, GT_BINARY_ADD, y, z);
        }
    }
    (void)steps(g, rng, z, below(rng, 2));
}

static void build_concat(gt_graph *g, gt_rng *rng, int x)
{
    const int a = step(g, rng, x);
    const int b = step(g, rng, below(rng, 2) == 0 ? a : x);
    const int left = gb_concat(g, 1, 2, (const int[]){a, b});
    const int right = gb_concat(g, 1, 2, below(rng, 2) == 0 ? (const int[]){b, a} : (const int[]){x, b});
    if (below(rng, 2) == 0) {
        (void)gb_binary(g, GT_BINARY_ADD, left, right);
    } else {
        (void)gb_concat(g, 1, 3, (const int[]){left, right, a});
    }
}

static void build_shared(gt_graph *g, gt_rng *rng, int x)
{
    int y = step(g, rng, x);
    const int readers = 2 + below(rng, 3);
    int z = step(g, rng, y);
    for (int i = 1; i < readers; i++) {
        const int other = step(g, rng, y);
        if (below(rng, 3) == 0) {
            z = gb_binary(g, GT_BINARY_ADD, z, other);
        }
    }
}

static void build_ports(gt_graph *g, gt_rng *rng, int x)
{
    const gt_shape shape = *shape_of(g, x);
    const int second = gb_input(g, shape);
    const int a = step(g, rng, x);
    const int b = below(rng, 2) == 0 ? step(g, rng, x) : gb_binary(g, GT_BINARY_ADD, x, second);
    gb_output(g, a);
    (void)steps(g, rng, a, 1 + below(rng, 2));
    (void)sc_conv_residual(g, b, below(rng, 2) == 0 ? second : a, 1);
    if (below(rng, 3) == 0) {
        gb_output(g, a);
    }
    if (below(rng, 3) == 0) {
        gb_output(g, second);
    }
}

static void build_twice(gt_graph *g, gt_rng *rng, int x)
{
    const int y = below(rng, 3) == 0 ? x : step(g, rng, x);
    int z = y;
    switch (below(rng, 3)) {
    case 0:
        z = gb_binary(g, GT_BINARY_MUL, y, y);
        break;
    case 1:
        z = gb_concat(g, 1, 3, (const int[]){y, y, y});
        break;
    default:
        z = sc_conv_residual(g, y, y, 3);
        break;
    }
    z = step(g, rng, z);
    if (below(rng, 2) == 0) {
        (void)step(g, rng, y);
    }
    (void)sc_conv_residual(g, z, z, 1);
}

static void build_tail(gt_graph *g, gt_rng *rng, int x)
{
    int y = steps(g, rng, x, 1 + below(rng, 2));
    switch (below(rng, 3)) {
    case 0:
        y = gb_dense(g, y, 10, true);
        break;
    case 1:
        y = gb_dense(g, gb_reduce(g, y, LIST(2, 3), true), 10, true);
        break;
    default:
        y = gb_dense(g, gb_reduce(g, y, LIST(2, 3), false), 7, false);
        break;
    }
    (void)gb_softmax(g, gb_relu(g, y), 1);
}

static void build_views(gt_graph *g, gt_rng *rng, int x)
{
    int y = step(g, rng, x);
    const gt_shape s = *shape_of(g, y);
    switch (below(rng, 4)) {
    case 0:
        y = gb_transpose(g, y, LIST(0, 2, 3, 1));
        y = gb_relu(g, y);
        y = gb_transpose(g, y, LIST(0, 3, 1, 2));
        y = step(g, rng, y);
        break;
    case 1:
        y = gb_reshape(g, y, gt_shape_4d(1, s.dim[1] * s.dim[2], s.dim[3], 1));
        y = step(g, rng, y);
        break;
    case 2:
        y = gb_reshape(g, y, SHAPE(1, s.dim[1] * s.dim[2] * s.dim[3]));
        y = gb_relu(g, y);
        y = gb_reshape(g, y, s);
        y = step(g, rng, y);
        break;
    default:
        y = gb_transpose(g, y, LIST(0, 2, 3, 1));
        (void)gb_reshape(g, y, SHAPE(s.dim[2] * s.dim[3], s.dim[1]));
        y = gb_dense(g, y, 5, true);
        break;
    }
    if (below(rng, 2) == 0) {
        (void)gb_relu(g, x);
    }
}

static void build_mixed(gt_graph *g, gt_rng *rng, int x)
{
    int same[16] = {x};
    int n = 1;
    const int ops = 3 + below(rng, 4);
    for (int i = 0; i < ops; i++) {
        const int a = same[below(rng, n)];
        const int b = same[below(rng, n)];
        switch (below(rng, 4)) {
        case 0:
            same[n++] = gb_binary(g, GT_BINARY_ADD, a, b);
            break;
        case 1:
            same[n++] = sc_conv_residual(g, a, b, 1);
            break;
        case 2:
            (void)gb_concat(g, 1, 2, (const int[]){a, b});
            break;
        default:
            same[n++] = step(g, rng, a);
            break;
        }
    }
}

static int branch(gt_graph *g, gt_rng *rng, int x, int64_t channels)
{
    return gb_conv(g, x, channels, 1, 1, 0, 1, below(rng, 2) == 0);
}

/* DenseNet in small: every concat begins with all that the one before it has. */
static void build_flat(gt_graph *g, gt_rng *rng, int x)
{
    int maps[4] = {x};
    const int layers = 2 + below(rng, 2);
    for (int i = 1; i <= layers; i++) {
        const int y = i == 1 ? x : gb_concat(g, 1, i, maps);
        maps[i] = branch(g, rng, y, below(rng, 4) == 0 ? 8 : 16);
    }
    (void)step(g, rng, gb_concat(g, 1, layers + 1, maps));
}

/* A concat of a concat, with a reshape in between now and then. */
static void build_nested(gt_graph *g, gt_rng *rng, int x)
{
    const gt_shape s = *shape_of(g, x);
    const int64_t c = below(rng, 4) == 0 ? 12 : 16;
    const int a = branch(g, rng, x, 16);
    int y = gb_concat(g, 1, 2, (const int[]){a, branch(g, rng, x, c)});
    if (below(rng, 3) == 0) {
        y = gb_reshape(g, y, gt_shape_4d(1, 16 + c, s.dim[3], s.dim[2]));
    }
    const int b = branch(g, rng, below(rng, 2) == 0 ? a : x, 16);
    (void)step(g, rng, gb_concat(g, 1, 2, below(rng, 2) == 0 ? (const int[]){y, b} : (const int[]){b, y}));
}

/* Two concats, of which one has to copy, or one of them and a reader of the input beside it. */
static void build_contested(gt_graph *g, gt_rng *rng, int x)
{
    const int a = branch(g, rng, x, 16);
    const int b = branch(g, rng, a, 16);
    const int left = gb_concat(g, 1, 2, (const int[]){a, b});
    switch (below(rng, 4)) {
    case 0:
        (void)gb_concat(g, 1, 3, (const int[]){b, a, left});
        break;
    case 1:
        (void)gb_concat(g, 1, 3, (const int[]){a, b, step(g, rng, x)});
        (void)step(g, rng, left);
        break;
    case 2:
        (void)gb_concat(g, 1, 2, (const int[]){x, b});
        gb_output(g, b);
        break;
    default:
        (void)gb_concat(g, 1, 2, (const int[]){left, gb_concat(g, 1, 2, (const int[]){a, b})});
        break;
    }
}

/* Depthwise, pointwise, pool: what stands in the middle can be done with the one before or with the one behind. */
static void build_pairs(gt_graph *g, gt_rng *rng, int x)
{
    const int blocks = 1 + below(rng, 2);
    for (int i = 0; i < blocks; i++) {
        const int64_t c = shape_of(g, x)->dim[1];
        int y = gb_conv(g, x, c, 3, 1, 1, c, below(rng, 2) == 0);
        if (below(rng, 6) == 0) {
            gb_output(g, y);
        }
        y = below(rng, 3) == 0 ? sc_conv_residual(g, y, x, 1) : gb_conv(g, y, c, 1, 1, 0, 1, true);
        x = below(rng, 2) == 0 ? gb_pool(g, y, below(rng, 2) == 0 ? GT_POOL_MAX : GT_POOL_AVERAGE, 3, 1, 1) : y;
    }
    (void)steps(g, rng, x, below(rng, 2));
}

static void build_in_place(gt_graph *g, gt_rng *rng, int x)
{
    const int y = branch(g, rng, x, 16);
    switch (below(rng, 3)) {
    case 0:
        build_flat(g, rng, y);
        break;
    case 1:
        build_nested(g, rng, y);
        break;
    default:
        build_contested(g, rng, y);
        break;
    }
}

gt_graph *sc_graph(gt_rng *rng, sc_family family)
{
    gt_graph *g = gb_graph();
    const int x = gb_input(g, image(rng));
    switch (family) {
    case SC_RESIDUAL:
        build_residual(g, rng, x);
        break;
    case SC_CONCAT:
        build_concat(g, rng, x);
        break;
    case SC_SHARED:
        build_shared(g, rng, x);
        break;
    case SC_PORTS:
        build_ports(g, rng, x);
        break;
    case SC_TWICE:
        build_twice(g, rng, x);
        break;
    case SC_TAIL:
        build_tail(g, rng, x);
        break;
    case SC_VIEWS:
        build_views(g, rng, x);
        break;
    case SC_MIXED:
        build_mixed(g, rng, x);
        break;
    case SC_IN_PLACE:
        build_in_place(g, rng, x);
        break;
    case SC_PAIRS:
        build_pairs(g, rng, x);
        break;
    default:
        (void)steps(g, rng, x, 3 + below(rng, 4));
        break;
    }
    sc_finish(g);
    return g;
}

/* ---- larger networks ---- */

struct pool {
    gt_graph *g;
    gt_rng *rng;
    int n, tensor[64];
};

static int pick(struct pool *p)
{
    return p->tensor[below(p->rng, p->n)];
}

/* Another tensor that agrees with x in all dimensions but, if `channels` is set, the channels; x if none is found. */
static int partner(struct pool *p, int x, bool channels)
{
    for (int attempt = 0; attempt < 8; attempt++) {
        const int y = pick(p);
        const gt_shape *a = shape_of(p->g, x);
        const gt_shape *b = shape_of(p->g, y);
        bool same = a->dim[0] == b->dim[0] && a->dim[2] == b->dim[2] && a->dim[3] == b->dim[3];
        if (same && (channels || a->dim[1] == b->dim[1])) {
            return y;
        }
    }
    return x;
}

static int windowed(struct pool *p, int x)
{
    gt_graph *g = p->g;
    gt_rng *rng = p->rng;
    const int64_t c = shape_of(g, x)->dim[1];
    const int64_t stride = shape_of(g, x)->dim[2] >= 6 && below(rng, 3) == 0 ? 2 : 1;
    switch (below(rng, 5)) {
    case 0:
        return gb_conv(g, x, c, 3, stride, 1, c, below(rng, 2) == 0);
    case 1:
        return gb_pool(g, x, below(rng, 2) == 0 ? GT_POOL_MAX : GT_POOL_AVERAGE, 3, stride, 1);
    case 2:
        return c % 2 == 0 ? gb_conv(g, x, c, 3, 1, 1, 2, true) : gb_conv(g, x, 6, 3, stride, 1, 1, true);
    case 3:
        return gb_conv(g, x, 4 + below(rng, 13), 1, 1, 0, 1, true);
    default:
        return gb_conv(g, x, 4 + below(rng, 13), 3, stride, 1, 1, below(rng, 2) == 0);
    }
}

static int pointwise(struct pool *p, int x)
{
    gt_graph *g = p->g;
    gt_rng *rng = p->rng;
    static const gt_function functions[] = {GT_FN_RELU, GT_FN_SIGMOID, GT_FN_TANH, GT_FN_SWISH};
    const int64_t c = shape_of(g, x)->dim[1];
    switch (below(rng, 7)) {
    case 0:
        return gb_unary(g, x, functions[below(rng, 4)], 0, 0);
    case 1:
        return gb_scale(g, x);
    case 2:
        return gb_binary(g, GT_BINARY_MUL, x, gb_const(g, SHAPE(1, c, 1, 1), 0.5f, 1.5f));
    case 3: /* squeeze and excite */
        return gb_binary(g, GT_BINARY_MUL, x, gb_unary(g, gb_reduce(g, x, LIST(2, 3), true), GT_FN_SIGMOID, 0, 0));
    case 4:
        return gb_binary(g, GT_BINARY_ADD, x, partner(p, x, false));
    case 5:
        return gb_softmax(g, x, 1);
    default:
        return sc_conv_residual(g, partner(p, x, true), x, 1);
    }
}

static int moving(struct pool *p, int x)
{
    gt_graph *g = p->g;
    gt_rng *rng = p->rng;
    const gt_shape s = *shape_of(g, x);
    const gt_attrs shuffle = {.groups = {.groups = 2}};
    switch (below(rng, 5)) {
    case 0:
        return gb_slice(g, x, LIST(0, s.dim[1] / 2, 0, 0), LIST(1, 1, 1, 1),
                        gt_shape_4d(s.dim[0], s.dim[1] - s.dim[1] / 2, s.dim[2], s.dim[3]));
    case 1:
        return gb_pad(g, x, LIST(0, 0, 1, 0), LIST(0, 1, 0, 1), 0.5f);
    case 2:
        return s.dim[1] % 2 == 0 ? gb_op(g, GT_OP_CHANNEL_SHUFFLE, &shuffle, 1, &x, NULL) : gb_relu(g, x);
    case 3:
        x = gb_transpose(g, x, LIST(0, 2, 3, 1));
        return gb_transpose(g, below(rng, 2) == 0 ? gb_relu(g, x) : x, LIST(0, 3, 1, 2));
    default:
        return gb_concat(g, 1, 2, (const int[]){x, partner(p, x, true)});
    }
}

static void tail(struct pool *p, int x)
{
    gt_graph *g = p->g;
    const gt_shape s = *shape_of(g, x);
    switch (below(p->rng, 3)) {
    case 0:
        (void)gb_softmax(g, gb_dense(g, x, 10, true), 1);
        break;
    case 1:
        (void)gb_dense(g, gb_reduce(g, x, LIST(2, 3), false), 9, true);
        break;
    default:
        x = gb_reshape(g, x, SHAPE(s.dim[0], s.dim[1] * s.dim[2] * s.dim[3]));
        (void)gb_dense(g, gb_relu(g, x), 8, false);
        break;
    }
}

gt_graph *sc_large_graph(gt_rng *rng, int n_ops)
{
    struct pool p = {.g = gb_graph(), .rng = rng, .n = 1};
    p.tensor[0] = gb_input(p.g, gt_shape_4d(1 + below(rng, 2), 3 + below(rng, 10), 7 + below(rng, 4), 7));
    while (p.g->n_ops < n_ops && p.n < 60) {
        /* The newest tensor most of the time, so that networks are deep rather than wide. */
        const int x = below(rng, 3) == 0 ? pick(&p) : p.tensor[p.n - 1];
        const int kind = below(rng, 5);
        const bool wide = shape_of(p.g, x)->dim[1] > 40;
        p.tensor[p.n] = kind < 2 || wide ? windowed(&p, x) : kind < 4 ? pointwise(&p, x) : moving(&p, x);
        p.n++;
    }
    tail(&p, p.tensor[p.n - 1]);
    if (below(rng, 2) == 0) {
        tail(&p, pick(&p));
    }
    sc_finish(p.g);
    return p.g;
}

/* ---- records ---- */

static gt_record blank(double ns)
{
    static char none[] = "";
    gt_record r = {.threads = SC_THREADS, .status = GT_RECORD_OK, .template_name = none, .config = none};
    memcpy(r.device, SC_DEVICE, sizeof r.device);
    r.timing = (gt_timing){.median_ns = ns, .min_ns = ns, .lo_ns = ns, .hi_ns = ns, .runs = 10};
    return r;
}

static void choose_config(gt_text *text, const gt_workload *w, const gt_template *t, gt_layout in, gt_layout out,
                          gt_rng *rng)
{
    gt_space space;
    gt_config config;
    gt_template_space(t, w, in, out, &space);
    gt_space_point(&space, 0, &config);
    for (int attempt = 0; rng != NULL && attempt < 8; attempt++) {
        gt_config other;
        gt_space_point(&space, gt_rng_below(rng, gt_space_size(&space)), &other);
        if (gt_template_valid(t, w, in, out, &other)) {
            config = other;
            break;
        }
    }
    gb_must(gt_config_format(text, &space, &config));
}

void sc_add_op(gt_records *records, const gt_workload *w, const gt_template *t, gt_layout in, gt_layout out, double ns,
               gt_rng *rng)
{
    gt_text config = {0};
    gt_record r = blank(ns);
    choose_config(&config, w, t, in, out, rng);
    r.kind = GT_RECORD_OP;
    r.workload = w->key;
    r.template_name = (char *)(uintptr_t)t->name;
    r.config = config.data;
    r.rev = t->rev;
    r.in = in;
    r.out = out;
    gb_must(gt_records_add(records, &r));
    gt_text_destroy(&config);
}

void sc_add_transform(gt_records *records, const gt_shape *shape, gt_layout from, gt_layout to, double ns)
{
    char text[GT_SHAPE_TEXT_BYTES];
    gt_record r = blank(ns);
    gt_shape_format(text, sizeof text, shape);
    r.kind = GT_RECORD_TRANSFORM;
    r.workload = text;
    r.rev = GT_TRANSFORM_REV;
    r.in = from;
    r.out = to;
    gb_must(gt_records_add(records, &r));
}

const gt_template *sc_template(const gt_workload *w, gt_layout in, gt_layout out)
{
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        if (!t->view && gt_template_supports(t, w, in, out)) {
            return t;
        }
    }
    return NULL;
}

static double draw(gt_rng *rng, int64_t range, bool fractions)
{
    const double ns = 1 + (double)gt_rng_below(rng, range);
    return fractions ? ns - (double)gt_rng_uniform(rng, 0, 1) : ns;
}

/* Candidates for up to `limit` pairs of layouts of one workload. */
static int add_candidates(gt_records *records, const gt_workload *w, gt_rng *rng, const sc_costs *costs, int limit)
{
    int order[PAIRS];
    int added = 0;
    for (int i = 0; i < PAIRS; i++) {
        const int j = below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < PAIRS && added < limit; i++) {
        const gt_layout in = (gt_layout)(order[i] / GT_LAYOUT_COUNT);
        const gt_layout out = (gt_layout)(order[i] % GT_LAYOUT_COUNT);
        bool any = false;
        for (size_t k = 0; k < gt_template_count(); k++) {
            const gt_template *t = gt_template_at(k);
            if (!t->view && gt_template_supports(t, w, in, out) && (!any || below(rng, 2) == 0)) {
                sc_add_op(records, w, t, in, out, draw(rng, costs->op_range, costs->fractions),
                          costs->any_config ? rng : NULL);
                any = true;
            }
        }
        added += any ? 1 : 0;
    }
    return added;
}

static bool has_view(const gt_workload *w)
{
    for (int k = 0; k < PAIRS * (int)gt_template_count(); k++) {
        const gt_template *t = gt_template_at((size_t)(k / PAIRS));
        const gt_layout in = (gt_layout)(k % PAIRS / GT_LAYOUT_COUNT);
        const gt_layout out = (gt_layout)(k % GT_LAYOUT_COUNT);
        if (t->view && gt_template_supports(t, w, in, out)) {
            return true;
        }
    }
    return false;
}

void sc_add_all_transforms(gt_records *records, const gt_graph *graph, double ns)
{
    for (int t = 0; t < graph->n_tensors; t++) {
        const gt_tensor *tensor = &graph->tensors[t];
        for (int k = 0; tensor->data == NULL && tensor->shape.rank == 4 && k < PAIRS; k++) {
            if (k / GT_LAYOUT_COUNT != k % GT_LAYOUT_COUNT) {
                sc_add_transform(records, &tensor->shape, (gt_layout)(k / GT_LAYOUT_COUNT),
                                 (gt_layout)(k % GT_LAYOUT_COUNT), ns);
            }
        }
    }
}

static void add_transforms(gt_records *records, const gt_shape *shape, gt_rng *rng, const sc_costs *costs)
{
    for (int k = 0; k < PAIRS; k++) {
        const gt_layout from = (gt_layout)(k / GT_LAYOUT_COUNT);
        const gt_layout to = (gt_layout)(k % GT_LAYOUT_COUNT);
        if (from != to && below(rng, 100) >= costs->missing_percent) {
            sc_add_transform(records, shape, from, to, draw(rng, costs->transform_range, costs->fractions));
        }
    }
}

/* Times for some of the layouts in which two ops can be done as one. */
static void add_pairs(gt_records *records, const gt_graph *graph, gt_rng *rng, const sc_costs *costs)
{
    gt_pairs *pairs = NULL;
    gb_must(gt_pairs_create(&pairs, graph));
    for (int i = 0; i < graph->n_ops; i++) {
        const gt_workload *w = pairs->workload[i];
        for (int layout = 0; w != NULL && layout < GT_LAYOUT_COUNT; layout++) {
            const gt_template *t = sc_template(w, (gt_layout)layout, (gt_layout)layout);
            if (t != NULL && below(rng, costs->combinations > 0 ? 4 : 2) == 0) {
                sc_add_op(records, w, t, (gt_layout)layout, (gt_layout)layout, draw(rng, costs->op_range, costs->fractions),
                          costs->any_config ? rng : NULL);
            }
        }
    }
    gt_pairs_destroy(pairs);
}

void sc_add_records(gt_records *records, const gt_graph *graph, gt_rng *rng, const sc_costs *costs)
{
    const double limit = pow((double)costs->combinations, 1.0 / (graph->n_ops > 0 ? graph->n_ops : 1));
    for (int i = 0; i < graph->n_ops; i++) {
        const gt_workload *w = graph->ops[i].workload;
        bool repeated = false;
        for (int j = 0; j < i; j++) {
            repeated |= strcmp(graph->ops[j].workload->key, w->key) == 0;
        }
        const int pairs = costs->combinations > 0 ? 1 + below(rng, (int)fmax(1, floor(limit))) : PAIRS;
        if (!repeated && add_candidates(records, w, rng, costs, pairs) == 0 && !has_view(w)) {
            fprintf(stderr, "no template handles %s\n", w->key);
            exit(1);
        }
    }
    add_pairs(records, graph, rng, costs);
    for (int t = 0; t < graph->n_tensors; t++) {
        const gt_tensor *tensor = &graph->tensors[t];
        bool repeated = false;
        for (int j = 0; j < t; j++) {
            repeated |= graph->tensors[j].data == NULL && gt_shape_equal(&graph->tensors[j].shape, &tensor->shape);
        }
        if (tensor->data == NULL && tensor->shape.rank == 4 && !repeated) {
            add_transforms(records, &tensor->shape, rng, costs);
        }
    }
}
