/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of any size with the costs that tuning finds, roughly. */
#include "benchmarks/solver_parts.h"

#define CONV_NS 150000.0
#define ELEMENTWISE_NS 20000.0
#define COPY_NS 60000.0

#define UNIFORM_NS 1000
#define UNIFORM_COPY_NS 400

struct weaver {
    lp_problem *p;
    gt_rng *rng;
    bool uniform; /* costs are drawn without any pattern */
};

static int32_t tensor(struct weaver *w, int32_t producer)
{
    lp_transforms t;
    if (w->uniform) {
        lp_draw_transforms(&t, w->rng, UNIFORM_COPY_NS);
    } else {
        lp_draw_copies(&t, w->rng, COPY_NS);
    }
    return lp_add_tensor(w->p, producer, lp_add_transforms(w->p, &t));
}

static int32_t add_uniform(struct weaver *w, int32_t n, const int32_t *inputs)
{
    lp_candidate c[LP_PAIRS];
    int32_t out = tensor(w, (int32_t)w->p->n_ops);
    int32_t values = lp_draw_pairs(c, w->rng, 4 + (int32_t)gt_rng_below(w->rng, 17), UNIFORM_NS);
    (void)lp_add_op(w->p, n, inputs, values, c);
    return out;
}

static int32_t conv(struct weaver *w, int32_t x)
{
    lp_candidate c[LP_PAIRS];
    if (w->uniform) {
        return add_uniform(w, 1, &x);
    }
    int32_t out = tensor(w, (int32_t)w->p->n_ops);
    const lp_transforms *all = w->p->transforms;
    int32_t n = lp_draw_conv(c, w->rng, CONV_NS, &all[w->p->tensors[x].transforms], &all[w->p->tensors[out].transforms]);
    (void)lp_add_op(w->p, 1, &x, n, c);
    return out;
}

static int32_t merge(struct weaver *w, int32_t n, const int32_t *inputs)
{
    lp_candidate c[LP_PAIRS];
    if (w->uniform) {
        return add_uniform(w, n, inputs);
    }
    int32_t out = tensor(w, (int32_t)w->p->n_ops);
    int32_t values = lp_draw_elementwise(c, w->rng, ELEMENTWISE_NS);
    (void)lp_add_op(w->p, n, inputs, values, c);
    return out;
}

static int32_t residual(struct weaver *w, int32_t x)
{
    int32_t y = conv(w, conv(w, conv(w, x)));
    return merge(w, 2, (const int32_t[]){x, y});
}

static int32_t inception(struct weaver *w, int32_t x)
{
    int32_t a = conv(w, x);
    int32_t b = conv(w, conv(w, x));
    int32_t c = conv(w, conv(w, conv(w, x)));
    int32_t d = conv(w, merge(w, 1, &x));
    return merge(w, 4, (const int32_t[]){a, b, c, d});
}

lp_problem *bn_deep(int n_ops, gt_rng *rng)
{
    struct weaver w = {.p = lp_create(), .rng = rng};
    int32_t x = tensor(&w, -1);
    x = conv(&w, x);
    for (int i = 0; (int)w.p->n_ops + (i % 2 == 0 ? 4 : 9) <= n_ops; i++) {
        x = i % 2 == 0 ? residual(&w, x) : inception(&w, x);
    }
    while ((int)w.p->n_ops < n_ops) {
        x = conv(&w, x);
    }
    lp_finish(w.p, true);
    return w.p;
}

/* ---- random wiring ---- */

struct wires {
    int n;
    uint8_t *edge; /* [n][n], undirected */
};

static bool joined(const struct wires *g, int a, int b)
{
    return g->edge[a * g->n + b] != 0;
}

static void set_edge(struct wires *g, int a, int b, bool on)
{
    g->edge[a * g->n + b] = g->edge[b * g->n + a] = on ? 1 : 0;
}

/* WS(4, 0.75): a ring in which every node's two edges to the right are rewired with this probability. */
static void watts_strogatz(struct wires *g, gt_rng *rng)
{
    for (int v = 0; v < 2 * g->n; v++) {
        set_edge(g, v % g->n, (v % g->n + 1 + v / g->n) % g->n, true);
    }
    for (int v = 0; v < 2 * g->n; v++) {
        int a = v % g->n;
        int b = (a + 1 + v / g->n) % g->n;
        int to = (int)gt_rng_below(rng, g->n);
        bool rewire = (double)gt_rng_uniform(rng, 0, 1) < 0.75;
        if (rewire && to != a && !joined(g, a, to)) {
            set_edge(g, a, b, false);
            set_edge(g, a, to, true);
        }
    }
}

/* ER(0.2) of 32 nodes; with more nodes the probability falls so that a node keeps 6.2 neighbours. */
static void erdos_renyi(struct wires *g, gt_rng *rng)
{
    double probability = g->n > 32 ? 0.2 * 31 / (g->n - 1) : 0.2;
    for (int a = 0; a < g->n; a++) {
        for (int b = a + 1; b < g->n; b++) {
            set_edge(g, a, b, (double)gt_rng_uniform(rng, 0, 1) < probability);
        }
    }
}

/* BA(5): every node after the first five is joined to five earlier ones, those of high degree more often. */
static void barabasi_albert(struct wires *g, gt_rng *rng)
{
    int32_t *ends = NULL, n_ends = 0;
    lp_must(gt_calloc(&ends, (size_t)g->n * 10, sizeof *ends));
    for (int v = 5; v < g->n; v++) {
        for (int made = 0; made < 5;) {
            int to = n_ends == 0 ? made : ends[gt_rng_below(rng, n_ends)];
            if (!joined(g, v, to)) {
                set_edge(g, v, to, true);
                made++;
            }
        }
        for (int to = 0; to < v; to++) {
            if (joined(g, v, to)) {
                ends[n_ends++] = to;
                ends[n_ends++] = v;
            }
        }
    }
    gt_free(ends);
}

const char *bn_wiring_name(bn_wiring wiring)
{
    static const char *const names[BN_WIRING_COUNT] = {"WS(4,0.75)", "ER(0.2)", "BA(5)"};
    return names[wiring];
}

/* Every node after the first input: the sum of its inputs, if it has several, and a convolution. */
static void weave(struct weaver *w, const struct wires *g, int32_t stem)
{
    int32_t *out = NULL, *inputs = NULL, n_outputs = 0;
    lp_must(gt_calloc(&out, (size_t)g->n, sizeof *out));
    lp_must(gt_calloc(&inputs, (size_t)g->n, sizeof *inputs));
    for (int v = 0; v < g->n; v++) {
        int32_t n = 0;
        for (int u = 0; u < v; u++) {
            if (joined(g, u, v)) {
                inputs[n++] = out[u];
            }
        }
        int32_t x = n == 0 ? stem : n == 1 ? inputs[0] : merge(w, n, inputs);
        out[v] = conv(w, x);
    }
    for (int v = 0; v < g->n; v++) {
        bool last = true;
        for (int u = v + 1; u < g->n; u++) {
            last &= !joined(g, u, v);
        }
        inputs[n_outputs] = out[v];
        n_outputs += last ? 1 : 0;
    }
    (void)merge(w, n_outputs, inputs);
    gt_free(out);
    gt_free(inputs);
}

lp_problem *bn_wired(bn_wiring wiring, int nodes, bool uniform, gt_rng *rng)
{
    static void (*const draw[BN_WIRING_COUNT])(struct wires *, gt_rng *) = {watts_strogatz, erdos_renyi, barabasi_albert};
    struct weaver w = {.p = lp_create(), .rng = rng, .uniform = uniform};
    struct wires g = {.n = nodes};
    lp_must(gt_calloc(&g.edge, (size_t)nodes * (size_t)nodes, 1));
    draw[wiring](&g, rng);
    weave(&w, &g, conv(&w, tensor(&w, -1)));
    lp_finish(w.p, true);
    gt_free(g.edge);
    return w.p;
}
