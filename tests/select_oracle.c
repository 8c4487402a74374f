/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/select_oracle.h"

#include "src/graph/pair.h"
#include "src/plan/placement.h"
#include "src/plan/program.h"
#include "tests/graph_build.h"
#include "tests/select_cases.h"

#include <check.h>
#include <math.h>
#include <string.h>

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

gt_select_options so_options(void)
{
    gt_select_options o = gt_select_defaults();
    o.device = SC_DEVICE;
    o.threads = SC_THREADS;
    return o;
}

static gt_role part_of(const gt_template *t)
{
    return t->in_place ? GT_ROLE_OWN : gt_template_role(t);
}

static int find(const struct oracle *o, int op, gt_layout in, gt_layout out, gt_role role)
{
    int i = 0;
    while (i < o->n[op] && (o->c[op][i].in != in || o->c[op][i].out != out || o->c[op][i].role != role)) {
        i++;
    }
    return i;
}

static void offer(struct oracle *o, int op, gt_layout in, gt_layout out, gt_role role, double ns)
{
    const int i = find(o, op, in, out, role);
    if (i == o->n[op]) {
        o->c[op][o->n[op]++] = (struct candidate){in, out, role, ns};
    }
    o->c[op][i].ns = fmin(o->c[op][i].ns, ns);
}

/* Two ops as one: what the second one does, and that the first one leaves its work to it. */
static void collect_pairs(struct oracle *o, const gt_records *records, const gt_pairs *pairs, int op)
{
    o->first[op] = pairs->first[op];
    for (int64_t i = 0; pairs->first[op] >= 0 && i < gt_records_count(records); i++) {
        const gt_record *r = gt_records_at(records, i);
        if (r->kind == GT_RECORD_OP && strcmp(r->workload, pairs->workload[op]->key) == 0) {
            offer(o, op, r->in, r->out, GT_ROLE_PAIR, r->timing.median_ns);
            offer(o, pairs->first[op], r->in, r->in, GT_ROLE_INSIDE, 0);
        }
    }
}

static void collect_candidates(struct oracle *o, const gt_records *records, const gt_placement *placement, int op)
{
    const gt_workload *w = o->graph->ops[op].workload;
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        const gt_record *r = gt_records_at(records, i);
        if (r->kind == GT_RECORD_OP && strcmp(r->workload, w->key) == 0) {
            offer(o, op, r->in, r->out, GT_ROLE_OWN, r->timing.median_ns);
        }
    }
    for (size_t k = 0; k < gt_template_count(); k++) {
        const gt_template *t = gt_template_at(k);
        for (int pair = 0; t->view && !t->inside && pair < L * L; pair++) {
            const bool possible = !t->in_place || (gt_placement_layouts(placement, op) >> (pair % L) & 1) != 0;
            if (possible && gt_template_supports(t, w, (gt_layout)(pair / L), (gt_layout)(pair % L))) {
                offer(o, op, (gt_layout)(pair / L), (gt_layout)(pair % L), GT_ROLE_OWN, 0);
            }
        }
    }
}

/* One way to make a set: every layout of it but `root` is copied from its parent. HUGE_VAL where some do not come from
 * the root in the end. */
static double tree_cost(const double ns[L][L], unsigned set, int root, const int *parent)
{
    double sum = 0;
    for (int b = 0; b < L; b++) {
        int at = b;
        for (int hop = 0; hop < L && (set >> b & 1) != 0 && at != root; hop++) {
            at = parent[at];
        }
        if ((set >> b & 1) != 0 && b != root) {
            sum += at == root ? ns[parent[b]][b] : HUGE_VAL;
        }
    }
    return sum;
}

struct trees {
    struct oracle *o;
    int tensor, root;
    unsigned set;
    int parent[L];
    double ns[L][L];
    double size[L]; /* bytes of the tensor in a layout */
};

/* Time first, then the number of transforms, then bytes. */
static bool is_better(double ns, int hops, double bytes, double best_ns, int best_hops, double best_bytes)
{
    if (ns != best_ns) {
        return ns < best_ns;
    }
    return hops != best_hops ? hops < best_hops : bytes < best_bytes;
}

static double tree_bytes(const struct trees *x)
{
    double sum = 0;
    for (int b = 0; b < L; b++) {
        sum += b != x->root && (x->set >> b & 1) != 0 ? x->size[b] : 0;
    }
    return sum;
}

static void try_parents(struct trees *x, int b)
{
    if (b < L && (b == x->root || (x->set >> b & 1) == 0)) {
        try_parents(x, b + 1);
        return;
    }
    for (int p = 0; b < L && p < L; p++) {
        if (p != b && (x->set >> p & 1) != 0) {
            x->parent[b] = p;
            try_parents(x, b + 1);
        }
    }
    const double cost = b == L ? tree_cost(x->ns, x->set, x->root, x->parent) : HUGE_VAL;
    const int hops = __builtin_popcount(x->set) - 1;
    const double bytes = tree_bytes(x);
    for (unsigned need = 0; cost != HUGE_VAL && need < SETS; need++) {
        double *best = &x->o->cover[x->tensor][x->root][need];
        int *best_hops = &x->o->hops[x->tensor][x->root][need];
        double *best_bytes = &x->o->bytes[x->tensor][x->root][need];
        if ((need & ~x->set) == 0 && is_better(cost, hops, bytes, *best, *best_hops, *best_bytes)) {
            *best = cost;
            *best_hops = hops;
            *best_bytes = bytes;
        }
    }
}

static void try_sets(struct trees *x)
{
    for (x->root = 0; x->root < L; x->root++) {
        for (unsigned need = 0; need < SETS; need++) {
            x->o->cover[x->tensor][x->root][need] = HUGE_VAL;
        }
        for (x->set = 1; x->set < SETS; x->set++) {
            if ((x->set >> x->root & 1) != 0) {
                try_parents(x, 0);
            }
        }
    }
}

static void collect_transforms(struct oracle *o, const gt_records *records, int tensor)
{
    struct trees x = {.o = o, .tensor = tensor};
    char text[GT_SHAPE_TEXT_BYTES];
    gt_shape_format(text, sizeof text, &o->graph->tensors[tensor].shape);
    for (int k = 0; k < L * L; k++) {
        x.ns[k / L][k % L] = HUGE_VAL;
    }
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        const gt_record *r = gt_records_at(records, i);
        if (r->kind == GT_RECORD_TRANSFORM && strcmp(r->workload, text) == 0) {
            x.ns[r->in][r->out] = r->timing.median_ns;
        }
    }
    for (int b = 0; b < L; b++) {
        x.size[b] = (double)(gt_layout_elems((gt_layout)b, &o->graph->tensors[tensor].shape) * (int64_t)sizeof(float));
    }
    try_sets(&x);
}

void so_prepare(struct oracle *o, const gt_graph *g, const gt_records *records)
{
    gt_placement *placement = NULL;
    gt_pairs *pairs = NULL;
    memset(o, 0, sizeof *o);
    o->graph = g;
    OK(gt_placement_create(&placement, g));
    OK(gt_pairs_create(&pairs, g));
    ck_assert_int_le(g->n_ops, MAX_OPS);
    ck_assert_int_le(g->n_tensors, MAX_TENSORS);
    for (int i = 0; i < g->n_ops; i++) {
        collect_candidates(o, records, placement, i);
    }
    for (int i = 0; i < g->n_ops; i++) {
        collect_pairs(o, records, pairs, i);
    }
    gt_pairs_destroy(pairs);
    gt_placement_destroy(placement);
    for (int t = 0; t < g->n_tensors; t++) {
        int like = t;
        o->many[t] = g->tensors[t].data == NULL && g->tensors[t].shape.rank == 4;
        for (int j = 0; j < t; j++) {
            like = o->many[j] && gt_shape_equal(&g->tensors[j].shape, &g->tensors[t].shape) ? j : like;
        }
        if (o->many[t] && like != t) {
            memcpy(o->cover[t], o->cover[like], sizeof o->cover[t]);
            memcpy(o->hops[t], o->hops[like], sizeof o->hops[t]);
            memcpy(o->bytes[t], o->bytes[like], sizeof o->bytes[t]);
        } else if (o->many[t]) {
            collect_transforms(o, records, t);
        }
    }
}

static unsigned reads(const gt_op *op, const struct candidate *c, int tensor)
{
    unsigned mask = 0;
    for (int j = 0; j < op->n_inputs; j++) {
        const bool residual = op->kind == GT_OP_CONV2D && j == 3;
        mask |= op->inputs[j] == tensor ? 1u << (residual ? c->out : c->in) : 0;
    }
    return mask;
}

static double output_bytes(const struct oracle *o, int op, gt_layout out)
{
    const int t = o->graph->ops[op].output;
    return o->many[t] ? (double)(gt_layout_elems(out, &o->graph->tensors[t].shape) * (int64_t)sizeof(float)) : 0;
}

/* Whether an op is to be done with another one that does not know of it. */
static bool halves(const struct oracle *o, const int *pick, int op)
{
    const struct candidate *c = &o->c[op][pick[op]];
    if (c->role == GT_ROLE_PAIR) {
        const struct candidate *first = &o->c[o->first[op]][pick[o->first[op]]];
        return first->role != GT_ROLE_INSIDE || first->in != c->in;
    }
    for (int i = 0; c->role == GT_ROLE_INSIDE && i < o->graph->n_ops; i++) {
        if (o->first[i] == op) {
            return o->c[i][pick[i]].role != GT_ROLE_PAIR || o->c[i][pick[i]].in != c->in;
        }
    }
    return c->role == GT_ROLE_INSIDE;
}

/* The total of one combination: HUGE_VAL where transforms are missing. */
static double evaluate(const struct oracle *o, const int *pick, int *hops, double *bytes)
{
    const gt_graph *g = o->graph;
    unsigned needs[MAX_TENSORS] = {0};
    double total = 0;
    *hops = 0;
    *bytes = 0;
    for (int i = 0; i < g->n_ops; i++) {
        const struct candidate *c = &o->c[i][pick[i]];
        total += halves(o, pick, i) ? HUGE_VAL : c->ns;
        *bytes += c->role == GT_ROLE_INSIDE ? 0 : output_bytes(o, i, c->out);
        for (int j = 0; j < g->ops[i].n_inputs; j++) {
            const int t = g->ops[i].inputs[j];
            if (t != GT_NO_TENSOR && o->many[t]) {
                needs[t] |= reads(&g->ops[i], c, t);
            }
        }
    }
    for (int i = 0; i < g->n_outputs; i++) {
        needs[g->outputs[i]] |= 1u << GT_NCHW;
    }
    for (int t = 0; t < g->n_tensors; t++) {
        if (o->many[t]) {
            const int p = g->tensors[t].producer;
            const int from = p >= 0 ? (int)o->c[p][pick[p]].out : GT_NCHW;
            total += o->cover[t][from][needs[t]];
            *hops += o->hops[t][from][needs[t]];
            *bytes += o->bytes[t][from][needs[t]];
        }
    }
    return total;
}

void so_exhaust(struct oracle *o, const unsigned *allowed)
{
    int pick[MAX_OPS] = {0};
    const int n = o->graph->n_ops;
    o->best = HUGE_VAL;
    for (int at = 0; at < n;) {
        bool usable = true;
        int hops = 0;
        double bytes = 0;
        for (int i = 0; allowed != NULL && i < n; i++) {
            usable &= (allowed[i] >> pick[i] & 1) != 0;
        }
        const double total = usable ? evaluate(o, pick, &hops, &bytes) : HUGE_VAL;
        if (total != HUGE_VAL && is_better(total, hops, bytes, o->best, o->best_hops, o->best_bytes)) {
            o->best = total;
            o->best_hops = hops;
            o->best_bytes = bytes;
        }
        for (at = 0; at < n && ++pick[at] == o->n[at]; at++) {
            pick[at] = 0;
        }
    }
}

void so_exhaust_with(struct oracle *o, int op, int value)
{
    unsigned allowed[MAX_OPS];
    for (int i = 0; i < o->graph->n_ops; i++) {
        allowed[i] = i == op ? 1u << value : ~0u;
    }
    so_exhaust(o, allowed);
}

/* ---- checks of a schedule ---- */

double so_bytes(const struct oracle *o, const gt_schedule *s)
{
    double sum = 0;
    for (int i = 0; i < s->n_ops; i++) {
        sum += gt_template_find(s->ops[i].template_name)->inside ? 0 : output_bytes(o, i, s->ops[i].out);
    }
    for (int i = 0; i < s->n_transforms; i++) {
        for (int t = 0; t < o->graph->n_tensors; t++) {
            const gt_tensor *tensor = &o->graph->tensors[t];
            const bool is_it = tensor->name != NULL && strcmp(tensor->name, s->transforms[i].tensor) == 0;
            sum += is_it ? (double)(gt_layout_elems(s->transforms[i].to, &tensor->shape) * (int64_t)sizeof(float)) : 0;
        }
    }
    return sum;
}

static double schedule_sum(const gt_schedule *s)
{
    double sum = 0;
    for (int i = 0; i < s->n_ops; i++) {
        sum += s->ops[i].ns;
    }
    for (int i = 0; i < s->n_transforms; i++) {
        sum += s->transforms[i].ns;
    }
    return sum;
}

void so_check_schedule(const struct oracle *o, const gt_schedule *s, double tolerance, const char *what)
{
    int pick[MAX_OPS] = {0};
    int hops = 0;
    gt_program *program = NULL;
    ck_assert_msg(fabs(schedule_sum(s) - s->predicted_ns) < 1e-6, "%s: predicted %g, sum %g", what, s->predicted_ns,
                  schedule_sum(s));
    ck_assert_msg(gt_program_build(&program, o->graph, s) == GT_OK, "%s: %s", what, gt_error_message());
    gt_program_destroy(program);
    for (int i = 0; i < s->n_ops; i++) {
        pick[i] = find(o, i, s->ops[i].in, s->ops[i].out, part_of(gt_template_find(s->ops[i].template_name)));
        ck_assert_msg(pick[i] < o->n[i], "%s: op %s has no such candidate", what, s->ops[i].node);
    }
    double bytes = 0;
    const double own = evaluate(o, pick, &hops, &bytes);
    ck_assert_msg(fabs(own - s->predicted_ns) <= tolerance, "%s: predicted %g, evaluated %g", what,
                  s->predicted_ns, own);
    ck_assert_msg(tolerance > 0.1 || hops == s->n_transforms, "%s: %d transforms, %d suffice", what,
                  s->n_transforms, hops);
}

void so_single_layout(const struct oracle *o, gt_layout layout, unsigned *allowed)
{
    const gt_graph *g = o->graph;
    for (int i = 0; i < g->n_ops; i++) {
        bool reads_input = false;
        bool any_image = false;
        bool is_output = false;
        for (int j = 0; j < g->ops[i].n_inputs; j++) {
            const int t = g->ops[i].inputs[j];
            any_image |= t != GT_NO_TENSOR && o->many[t];
            for (int k = 0; k < g->n_inputs; k++) {
                reads_input |= g->inputs[k] == t;
            }
        }
        for (int k = 0; k < g->n_outputs; k++) {
            is_output |= g->outputs[k] == g->ops[i].output;
        }
        allowed[i] = 0;
        for (int v = 0; v < o->n[i]; v++) {
            const struct candidate *c = &o->c[i][v];
            const bool in = c->in == layout || !any_image || (c->in == GT_NCHW && reads_input);
            const bool out = c->out == layout || !o->many[g->ops[i].output] || (c->out == GT_NCHW && is_output);
            allowed[i] |= in && out ? 1u << v : 0;
        }
        allowed[i] = allowed[i] != 0 ? allowed[i] : ~0u;
    }
}

/* Candidates that are fastest, or as good as: selection counts whole nanoseconds. */
static void greedy_masks(const struct oracle *o, double slack, unsigned *allowed)
{
    for (int i = 0; i < o->graph->n_ops; i++) {
        double best = HUGE_VAL;
        for (int v = 0; v < o->n[i]; v++) {
            best = o->c[i][v].role == GT_ROLE_OWN ? fmin(best, o->c[i][v].ns) : best;
        }
        allowed[i] = 0;
        for (int v = 0; v < o->n[i]; v++) {
            allowed[i] |= o->c[i][v].role == GT_ROLE_OWN && o->c[i][v].ns <= best + slack ? 1u << v : 0;
        }
    }
}

void so_check_alternatives(struct oracle *o, const gt_plan *plan, double tolerance, const char *what)
{
    unsigned allowed[MAX_OPS];
    const double optimum = o->best;
    for (int i = 0; i < plan->n_alternatives; i++) {
        const gt_plan_alternative *a = &plan->alternatives[i];
        const gt_layout layout = gt_layout_find(a->name);
        so_check_schedule(o, &a->schedule, tolerance, what);
        ck_assert_msg(plan->schedule.predicted_ns <= a->schedule.predicted_ns, "%s: %s is faster: %.6f < %.6f", what,
                      a->name, a->schedule.predicted_ns, plan->schedule.predicted_ns);
        if (layout == GT_LAYOUT_COUNT) {
            greedy_masks(o, tolerance > 0.1 ? 1 : 0, allowed);
            so_exhaust(o, allowed); /* among equally fast candidates greedy takes any */
            ck_assert_msg(a->schedule.predicted_ns >= o->best - tolerance, "%s: greedy %g < %g", what,
                          a->schedule.predicted_ns, o->best);
        } else {
            so_single_layout(o, layout, allowed);
            so_exhaust(o, allowed);
            ck_assert_msg(fabs(a->schedule.predicted_ns - o->best) <= tolerance, "%s: %s %g, exhaustive %g", what,
                          a->name, a->schedule.predicted_ns, o->best);
        }
    }
    o->best = optimum;
}

/* ---- hand-made cases ---- */

void so_give(gt_records *records, const gt_graph *g, int op, gt_layout in, gt_layout out, double ns)
{
    const gt_workload *w = g->ops[op].workload;
    const gt_template *t = sc_template(w, in, out);
    ck_assert_msg(t != NULL, "no template for %s", w->key);
    sc_add_op(records, w, t, in, out, ns, NULL);
}

gt_plan *so_select(const gt_graph *g, const gt_records *records)
{
    gt_select_options options = so_options();
    gt_plan *plan = NULL;
    OK(gt_select(&plan, g, records, &options));
    return plan;
}

gt_graph *so_two_ops(gt_records **records, gt_layout a, gt_layout b)
{
    gt_graph *g = gb_graph();
    const int x = gb_pool(g, gb_input(g, gt_shape_4d(1, 16, 4, 4)), GT_POOL_MAX, 3, 1, 1);
    (void)gb_conv(g, x, 16, 1, 1, 0, 1, true);
    sc_finish(g);
    OK(gt_records_create(records));
    so_give(*records, g, 0, a, a, 5);
    so_give(*records, g, 1, b, b, 5);
    sc_add_all_transforms(*records, g, 1000);
    return g;
}
