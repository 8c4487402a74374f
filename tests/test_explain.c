/* SPDX-License-Identifier: Apache-2.0 */
/* Pins and forbids, what other choices cost, and which decisions the measurements carry: against exhaustive search.
 * GT_TEST_SEED changes the networks. */
#include "src/base/file.h"
#include "src/tune/explain.h"
#include "src/tune/select_internal.h"
#include "tests/graph_build.h"
#include "tests/runner.h"
#include "tests/select_cases.h"
#include "tests/select_oracle.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 20240717;

#define NETWORKS 24 /* per family */

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

static const gt_layout NCHW = GT_NCHW, NHWC = GT_NHWC, C8 = GT_NCHW8C;

static const sc_costs cost_kinds[] = {
    {.op_range = 100, .transform_range = 30, .combinations = 1000},
    {.op_range = 3, .transform_range = 3, .combinations = 1000}, /* ties */
    {.op_range = 50, .transform_range = 20, .missing_percent = 40, .combinations = 1000},
    {.op_range = 2000000, .transform_range = 500000, .combinations = 1000},
};

/* The next random network with records that some schedule can be put together from, in an oracle. */
static gt_graph *next_network(gt_records **records, struct oracle *o, gt_rng *rng, sc_family family, int k)
{
    for (;;) {
        gt_graph *g = sc_graph(rng, family);
        OK(gt_records_create(records));
        sc_add_records(*records, g, rng, &cost_kinds[k % 4]);
        so_prepare(o, g, *records);
        so_exhaust(o, NULL);
        if (o->best != HUGE_VAL) {
            return g;
        }
        gt_records_destroy(*records);
        gt_graph_destroy(g);
    }
}

static int find_candidate(const struct oracle *o, int op, const gt_explained_alternative *a)
{
    gt_role role = gt_template_role(a->template_name != NULL ? gt_template_find(a->template_name) : NULL);
    role = role == GT_ROLE_IN_PLACE ? GT_ROLE_OWN : role;
    for (int v = 0; v < o->n[op]; v++) {
        if (o->c[op][v].in == a->in && o->c[op][v].out == a->out && o->c[op][v].role == role) {
            return v;
        }
    }
    return -1;
}

/* ---- what other choices cost ---- */

static void check_forced(struct oracle *o, const gt_explanation *e, int op, const gt_explained_alternative *a)
{
    gt_schedule forced = {0};
    bool found = false;
    OK(gt_explain_forced(&forced, &found, e, op, a->value));
    ck_assert(found);
    ck_assert(forced.ops[op].in == a->in && forced.ops[op].out == a->out);
    ck_assert_double_eq(forced.predicted_ns, a->total_ns);
    so_check_schedule(o, &forced, 1e-6, "forced");
    gt_schedule_clear(&forced);
}

/* Every candidate of one op; returns the least total of those with other layouts than the plan's. */
static double check_op(struct oracle *o, const gt_explanation *e, int op)
{
    gt_explained_alternative *list = NULL;
    int n = 0;
    int seen = 0;
    int chosen = 0;
    double least = HUGE_VAL;
    OK(gt_explain_op(&list, &n, e, op));
    for (int i = 0; i < n; i++) {
        const gt_explained_alternative *a = &list[i];
        const int v = find_candidate(o, op, a);
        const bool no_candidate = a->state == GT_ALTERNATIVE_NOT_MEASURED || a->state == GT_ALTERNATIVE_NO_PLACE;
        ck_assert((v >= 0) == (a->state <= GT_ALTERNATIVE_NO_WAY) || no_candidate);
        if (v < 0 || no_candidate) {
            continue;
        }
        so_exhaust_with(o, op, v);
        ck_assert((a->state == GT_ALTERNATIVE_NO_WAY) == (o->best == HUGE_VAL));
        if (a->state != GT_ALTERNATIVE_NO_WAY) {
            const double total = o->best + a->ns - o->c[op][v].ns;
            ck_assert_msg(a->total_ns == total && a->bound_ns == total, "%s %s %s->%s: %.0f, exhaustive %.0f", o->graph->ops[op].name,
                          a->template_name, gt_layout_name(a->in), gt_layout_name(a->out), a->total_ns, total);
        }
        seen += a->state == GT_ALTERNATIVE_CHOSEN || a->state == GT_ALTERNATIVE_SLOWER;
        chosen += a->state == GT_ALTERNATIVE_CHOSEN;
        if (a->state == GT_ALTERNATIVE_SLOWER) {
            least = fmin(least, a->total_ns);
            check_forced(o, e, op, a);
        }
    }
    ck_assert_int_eq(chosen, 1);
    ck_assert_int_le(seen, o->n[op]);
    gt_free(list);
    return least;
}

START_TEST(alternatives_equal_exhaustive_search)
{
    static struct oracle o;
    gt_rng rng;
    gt_rng_seed(&rng, seed + (uint64_t)_i);
    for (int k = 0; k < NETWORKS; k++) {
        gt_records *records = NULL;
        gt_explanation *e = NULL;
        gt_graph *g = next_network(&records, &o, &rng, (sc_family)_i, k);
        gt_plan *plan = so_select(g, records);
        const gt_select_options limits = gt_select_defaults();
        OK(gt_explain(&e, plan, g, records, &limits));
        ck_assert(e->exact && e->n_differences == 0);
        ck_assert_double_eq(e->cost_ns, plan->schedule.predicted_ns);
        ck_assert_double_eq(e->least_ns, plan->schedule.predicted_ns);
        for (int i = 0; i < g->n_ops; i++) {
            const double least = check_op(&o, e, i);
            const gt_plan_op *planned = &plan->schedule.ops[i];
            ck_assert(e->ops[i].has_other == (least != HUGE_VAL) && planned->has_regret == (least != HUGE_VAL));
            if (least != HUGE_VAL) {
                ck_assert_double_eq(e->ops[i].regret_ns, least - e->cost_ns);
                ck_assert_double_eq(planned->regret_ns, least - e->cost_ns);
                ck_assert_int_eq(planned->certainty, e->ops[i].certainty);
                ck_assert_int_ne(planned->certainty, GT_CERTAINTY_NONE);
            }
        }
        gt_explanation_destroy(e);
        gt_plan_destroy(plan);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
}
END_TEST

/* ---- pins and forbids ---- */

/* The oracle with one op's candidates as a rule leaves them: those whose record passes, with the fastest that does. */
static bool restrict_oracle(struct oracle *o, const gt_records *records, int op, const gt_record *rule, bool by_template, bool pin)
{
    const char *key = o->graph->ops[op].workload->key;
    struct candidate kept[L * L + 2 * L] = {0};
    int n = 0;
    for (int v = 0; v < o->n[op]; v++) {
        struct candidate c = o->c[op][v];
        const double all = c.ns;
        if (c.role != GT_ROLE_OWN) {
            /* Rules here name templates of ops alone. */
            const bool meant = !by_template && c.in == rule->in && c.out == rule->out;
            if (meant == pin) {
                kept[n++] = c;
            }
            continue;
        }
        c.ns = HUGE_VAL;
        for (int64_t i = 0; i < gt_records_count(records); i++) {
            const gt_record *r = gt_records_at(records, i);
            const bool here = r->kind == GT_RECORD_OP && strcmp(r->workload, key) == 0 && r->in == c.in && r->out == c.out;
            const bool meant = r->in == rule->in && r->out == rule->out &&
                               (!by_template || strcmp(r->template_name, rule->template_name) == 0);
            c.ns = here && meant == pin ? fmin(c.ns, r->timing.median_ns) : c.ns;
        }
        /* A view has no record; a rule is about it where it names no template. */
        const bool view_meant = !by_template && c.in == rule->in && c.out == rule->out;
        c.ns = all == 0 && view_meant == pin ? 0 : c.ns;
        if (c.ns != HUGE_VAL) {
            kept[n++] = c;
        }
    }
    memcpy(o->c[op], kept, sizeof kept);
    o->n[op] = n;
    return n > 0;
}

/* A random record of a random op as a rule about that op alone. */
static const gt_record *draw_rule(const gt_records *records, const gt_graph *g, gt_rng *rng, int *op)
{
    for (;;) {
        const gt_record *r = gt_records_at(records, gt_rng_below(rng, gt_records_count(records)));
        *op = (int)gt_rng_below(rng, g->n_ops);
        if (r->kind == GT_RECORD_OP && strcmp(r->workload, g->ops[*op].workload->key) == 0) {
            return r;
        }
    }
}

START_TEST(rules_equal_exhaustive_search)
{
    static struct oracle o;
    gt_rng rng;
    int refused = 0;
    gt_rng_seed(&rng, seed + 50 + (uint64_t)_i);
    for (int k = 0; k < 3 * NETWORKS; k++) {
        gt_records *records = NULL;
        gt_plan *plan = NULL;
        int op = 0;
        char text[256];
        const char *rule = text;
        gt_graph *g = next_network(&records, &o, &rng, (sc_family)_i, k);
        const gt_record *r = draw_rule(records, g, &rng, &op);
        const bool by_template = gt_rng_below(&rng, 2) == 0;
        const bool pin = gt_rng_below(&rng, 2) == 0;
        gt_select_options options = so_options();
        snprintf(text, sizeof text, "%s=%s->%s%s%s", g->ops[op].name, gt_layout_name(r->in), gt_layout_name(r->out),
                 by_template ? "/" : "", by_template ? r->template_name : "");
        options.n_pins = pin ? 1 : 0;
        options.n_forbids = pin ? 0 : 1;
        options.pins = options.forbids = &rule;
        const bool any = restrict_oracle(&o, records, op, r, by_template, pin);
        if (any) {
            so_exhaust(&o, NULL);
        }
        const gt_status status = gt_select(&plan, g, records, &options);
        if (!any) {
            ck_assert_int_eq(status, GT_ERROR_ARGUMENT);
            refused++;
        } else if (o.best == HUGE_VAL) {
            ck_assert_int_eq(status, GT_ERROR_UNSUPPORTED);
        } else {
            ck_assert_msg(status == GT_OK, "%s: %s", text, gt_error_message());
            ck_assert_msg(plan->schedule.predicted_ns == o.best, "%s: %.0f, exhaustive %.0f", text, plan->schedule.predicted_ns, o.best);
            so_check_schedule(&o, &plan->schedule, 1e-6, text);
            ck_assert_str_eq(pin ? plan->selection->pins[0] : plan->selection->forbids[0], text);
        }
        gt_plan_destroy(plan);
        gt_records_destroy(records);
        gt_graph_destroy(g);
    }
    ck_assert_int_lt(refused, 3 * NETWORKS);
}
END_TEST

/* input -> pool -> conv 1x1, both measured in NCHW and NCHW8c. */
static gt_graph *two_ops(gt_records **records)
{
    gt_graph *g = so_two_ops(records, NCHW, C8);
    so_give(*records, g, 0, C8, C8, 6);
    so_give(*records, g, 1, NCHW, NCHW, 7);
    return g;
}

static const struct bad_rule {
    const char *pins[2], *forbids[2];
    const char *says[3]; /* parts of the message */
} bad_rules[] = {
    {{"pool"}, {NULL}, {"--pin pool: NODE=LAYOUT"}},
    {{"=NCHW"}, {NULL}, {"--pin =NCHW: NODE=LAYOUT"}},
    {{"$0="}, {NULL}, {"NODE=LAYOUT"}},
    {{"$0=NCHW9c"}, {NULL}, {"layout \"NCHW9c\" is unknown", "NCHW, NHWC, NCHW4c"}},
    {{"$0=NCHW->"}, {NULL}, {"layout \"\" is unknown"}},
    {{"$0=->NCHW"}, {NULL}, {"layout \"\" is unknown"}},
    {{"$0=nchw"}, {NULL}, {"layout \"nchw\" is unknown"}},
    {{"$0=NCHW->NHWC->NCHW"}, {NULL}, {"layout \"NHWC->NCHW\" is unknown"}},
    {{"$0=NCHW_and_much_more_than_any_layout"}, {NULL}, {"is unknown"}},
    {{"$1=NCHW/conv2d.dirct"}, {NULL}, {"template \"conv2d.dirct\" is unknown", "did you mean conv2d.direct?"}},
    {{"$1=NCHW/"}, {NULL}, {"template \"\" is unknown"}},
    {{"$0x=NCHW"}, {NULL}, {"no op \"", "the nearest are \"$0\""}},
    {{NULL}, {"nothing*like?this=NCHW"}, {"--forbid nothing*like?this=NCHW", "no op"}},
    {{"$0=NHWC"}, {NULL}, {"op \"$0\": no candidate is left by --pin", "\n  NCHW->NCHW/", "\n  NCHW8c->NCHW8c/"}},
    {{"$1=NCHW/conv2d.winograd_f2"}, {NULL}, {"no candidate is left by --pin", "\n  NCHW8c->NCHW8c/"}},
    {{"$0=NCHW", "$0=NCHW8c"}, {NULL}, {"--pin $0=NCHW and --pin $0=NCHW8c contradict each other for op \"$0\""}},
    {{"*=NCHW", "$1=NCHW8c"}, {NULL}, {"--pin *=NCHW and --pin $1=NCHW8c contradict each other for op \"$1\""}},
    {{"$0=NCHW"}, {"*=NCHW"}, {"--pin $0=NCHW and --forbid *=NCHW contradict each other"}},
    {{NULL}, {"$0=NCHW", "$0=NCHW8c"}, {"no candidate is left by --forbid $0=NCHW, --forbid $0=NCHW8c; it has"}},
};

/* $0 and $1 stand for the ops' names. */
static const char *expand(char *buffer, size_t bytes, const char *text, const gt_graph *g)
{
    size_t n = 0;
    buffer[0] = '\0';
    for (const char *p = text; *p != '\0'; p++) {
        const bool is_name = p[0] == '$' && (p[1] == '0' || p[1] == '1');
        n += (size_t)snprintf(buffer + n, bytes - n, is_name ? "%s" : "%.1s", is_name ? g->ops[p[1] - '0'].name : p);
        p += is_name ? 1 : 0;
    }
    return buffer;
}

static int expand_all(const char **out, char buffers[2][128], const char *const *texts, const gt_graph *g)
{
    int n = 0;
    for (int i = 0; i < 2 && texts[i] != NULL; i++) {
        out[n++] = expand(buffers[i], sizeof buffers[i], texts[i], g);
    }
    return n;
}

START_TEST(bad_rules_are_refused)
{
    gt_records *records = NULL;
    gt_graph *g = two_ops(&records);
    for (size_t k = 0; k < sizeof bad_rules / sizeof *bad_rules; k++) {
        const struct bad_rule *bad = &bad_rules[k];
        const char *pins[2], *forbids[2];
        char pin_texts[2][128], forbid_texts[2][128], says[160];
        gt_plan *plan = NULL;
        gt_select_options options = so_options();
        options.n_pins = expand_all(pins, pin_texts, bad->pins, g);
        options.n_forbids = expand_all(forbids, forbid_texts, bad->forbids, g);
        options.pins = pins;
        options.forbids = forbids;
        const int64_t live = gt_i_live_allocations();
        const gt_status status = gt_select(&plan, g, records, &options);
        ck_assert_msg(status == GT_ERROR_ARGUMENT && plan == NULL, "rule %zu: %s", k, gt_status_name(status));
        ck_assert_int_eq(gt_i_live_allocations(), live);
        for (int i = 0; i < 3 && bad->says[i] != NULL; i++) {
            ck_assert_msg(strstr(gt_error_message(), expand(says, sizeof says, bad->says[i], g)) != NULL, "rule %zu: \"%s\" lacks \"%s\"",
                          k, gt_error_message(), says);
        }
    }
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* A name that holds everything that rules are made of is still a name. */
START_TEST(names_may_hold_anything)
{
    gt_records *records = NULL;
    gt_graph *g = two_ops(&records);
    static const char *const names[] = {"a=b/c->d", "x*?[", "*"};
    for (int k = 0; k < 3; k++) {
        gt_plan *plan = NULL;
        char rule[64];
        const char *pin = rule;
        gt_select_options options = so_options();
        gt_free(g->ops[1].name);
        OK(gt_strdup(&g->ops[1].name, names[k]));
        snprintf(rule, sizeof rule, "%s=NCHW", names[k]);
        options.n_pins = 1;
        options.pins = &pin;
        OK(gt_select(&plan, g, records, &options));
        ck_assert_int_eq(plan->schedule.ops[1].in, NCHW);
        gt_plan_destroy(plan);
    }
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* ---- certain or not ---- */

/* Gives the record of a sigmoid, or of a transform, a time and the half-width of its interval; `half` < 0: an interval of
 * no width whose minimum lies below. */
static void set_interval(gt_records *records, gt_record_kind kind, gt_layout in, gt_layout out, double ns, double half)
{
    const double least = half < 0 ? ns - 1 : ns;
    half = half < 0 ? 0 : half;
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        gt_record r = *gt_records_at(records, i);
        if (r.kind == kind && r.in == in && r.out == out) {
            r.timing.median_ns = ns;
            r.timing.min_ns = half > 0 ? ns - half : least;
            r.timing.lo_ns = ns - half;
            r.timing.hi_ns = ns + half;
            OK(gt_records_add(records, &r));
        }
    }
}

/* `n` equal sigmoids in a row: in NCHW 100 ns each; in NHWC 90, and 10 and 5 + 10 n for the ways there and back. */
static gt_graph *row_of(gt_records **records, int n, double nchw_half, double nhwc_half)
{
    gt_graph *g = gb_graph();
    int x = gb_input(g, gt_shape_4d(1, 16, 4, 4));
    for (int i = 0; i < n; i++) {
        x = gb_unary(g, x, GT_FN_SIGMOID, 0, 0);
    }
    sc_finish(g);
    OK(gt_records_create(records));
    so_give(*records, g, 0, NCHW, NCHW, 100);
    so_give(*records, g, 0, NHWC, NHWC, 90);
    const gt_shape *shape = &g->tensors[g->inputs[0]].shape;
    sc_add_transform(*records, shape, NCHW, NHWC, 10);
    sc_add_transform(*records, shape, NHWC, NCHW, 10);
    set_interval(*records, GT_RECORD_OP, NCHW, NCHW, 100, nchw_half);
    set_interval(*records, GT_RECORD_OP, NHWC, NHWC, 90, nhwc_half);
    set_interval(*records, GT_RECORD_TRANSFORM, NCHW, NHWC, 10, 0.6);
    set_interval(*records, GT_RECORD_TRANSFORM, NHWC, NCHW, 10 * n - 5, 0.8);
    return g;
}

/* All of the row in NHWC takes 5 ns more: what else is the same counts in no way. */
static void check_row(int n, double nchw_half, double nhwc_half, gt_certainty certainty, double noise_ns)
{
    gt_records *records = NULL;
    gt_explanation *e = NULL;
    gt_graph *g = row_of(&records, n, nchw_half, nhwc_half);
    gt_plan *plan = so_select(g, records);
    const gt_select_options limits = gt_select_defaults();
    OK(gt_explain(&e, plan, g, records, &limits));
    for (int i = 0; i < n; i++) {
        ck_assert_double_eq(plan->schedule.ops[i].regret_ns, 5);
        ck_assert_int_eq(plan->schedule.ops[i].certainty, certainty);
        if (certainty != GT_CERTAINTY_NO_INTERVAL) {
            ck_assert_double_eq_tol(e->ops[i].noise_ns, noise_ns, 1e-9);
        }
    }
    gt_explanation_destroy(e);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}

START_TEST(noise_is_that_of_what_differs)
{
    check_row(1, 4, 3, GT_CERTAINTY_NOISE, sqrt(16 + 9 + 0.36 + 0.64));
    check_row(1, 3, 3, GT_CERTAINTY_CERTAIN, sqrt(9 + 9 + 0.36 + 0.64));
    /* One record used three times is one measurement with factor three. */
    check_row(3, 1, 0.5, GT_CERTAINTY_CERTAIN, sqrt(9 + 2.25 + 0.36 + 0.64));
    check_row(3, 1.5, 1, GT_CERTAINTY_NOISE, sqrt(20.25 + 9 + 0.36 + 0.64));
    check_row(2, 0, 3, GT_CERTAINTY_NO_INTERVAL, 0);
    /* Below the clock's steps, of which the narrowest interval is one: 1.2 ns. */
    check_row(2, -1, 0.7, GT_CERTAINTY_CERTAIN, sqrt(4 * 1.44 + 4 * 0.49 + 0.36 + 0.64));
}
END_TEST

START_TEST(plans_keep_regrets)
{
    char path[64];
    gt_records *records = NULL;
    gt_plan *read = NULL;
    gt_graph *g = row_of(&records, 2, 1.5, 1);
    gt_plan *plan = so_select(g, records);
    OK(gt_strdup(&plan->model_file, "model.onnx"));
    memset(plan->model_sha256, '0', 64);
    snprintf(path, sizeof path, "/tmp/graphtune-explain-%ld.json", (long)getpid());
    plan->schedule.ops[1].certainty = GT_CERTAINTY_CERTAIN;
    OK(gt_plan_write(plan, path));
    OK(gt_plan_read(&read, path));
    ck_assert(read->schedule.ops[0].has_regret && read->schedule.ops[1].has_regret);
    ck_assert_double_eq(read->schedule.ops[0].regret_ns, 5);
    ck_assert_int_eq(read->schedule.ops[0].certainty, plan->schedule.ops[0].certainty);
    ck_assert_int_eq(read->schedule.ops[1].certainty, GT_CERTAINTY_CERTAIN);
    gt_plan_destroy(read);
    plan->schedule.ops[0].has_regret = plan->schedule.ops[1].has_regret = false; /* as older plans are */
    OK(gt_plan_write(plan, path));
    OK(gt_plan_read(&read, path));
    ck_assert(!read->schedule.ops[0].has_regret && read->schedule.ops[0].certainty == GT_CERTAINTY_NONE);
    unlink(path);
    gt_plan_destroy(read);
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* A plan that these records cannot have come from, and one that they no longer choose. */
START_TEST(other_records_are_noticed)
{
    gt_records *records = NULL;
    gt_explanation *e = NULL;
    gt_graph *g = row_of(&records, 2, 1, 1);
    gt_plan *plan = so_select(g, records);
    const gt_select_options limits = gt_select_defaults();
    set_interval(records, GT_RECORD_OP, NHWC, NHWC, 50, 1);
    OK(gt_explain(&e, plan, g, records, &limits));
    ck_assert_double_eq(e->cost_ns, 200);
    ck_assert_double_eq(e->least_ns, 2 * 50 + 10 + 15);
    ck_assert_double_eq(e->ops[0].regret_ns, 125 - 200);
    ck_assert_int_eq(e->ops[0].certainty, GT_CERTAINTY_NONE);
    gt_explanation_destroy(e);
    plan->schedule.ops[1].in = plan->schedule.ops[1].out = C8;
    ck_assert_int_eq(gt_explain(&e, plan, g, records, &limits), GT_ERROR_MISMATCH);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "NCHW8c->NCHW8c"));
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "--records"));
    gt_plan_destroy(plan);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

/* Convolutions of another compiler's, all else modelled: figures without intervals. */
START_TEST(foreign_plans_are_explained)
{
    gt_records *records = NULL;
    gt_explanation *e = NULL;
    gt_plan *plan = NULL;
    char *key = NULL;
    char template_name[] = "autotvm.conv2d_nchw_spatial_pack.arm_cpu", config[] = "";
    gt_select_options options = so_options();
    const gt_select_options limits = gt_select_defaults();
    gt_graph *g = so_two_ops(&records, NCHW, NCHW);
    gt_records_destroy(records);
    OK(gt_records_create(&records));
    OK(gt_i_bare_key(&key, g->ops[1].workload));
    for (int k = 0; k < 2; k++) {
        gt_record r = {.kind = GT_RECORD_OP, .device = SC_DEVICE, .threads = SC_THREADS, .workload = key, .config = config};
        r.in = r.out = k == 0 ? NCHW : C8;
        r.template_name = template_name;
        r.source = GT_SOURCE_FOREIGN;
        r.timing = (gt_timing){.median_ns = 90000 - 80000 * k, .min_ns = 9000, .lo_ns = 9000, .hi_ns = 100000, .runs = 3};
        OK(gt_records_add(records, &r));
    }
    options.sources = 1u << GT_SOURCE_FOREIGN | 1u << GT_SOURCE_MODEL;
    options.bandwidth_gb_s = 4;
    OK(gt_select(&plan, g, records, &options));
    OK(gt_explain(&e, plan, g, records, &limits));
    ck_assert(e->exact && e->cost_ns == plan->schedule.predicted_ns);
    ck_assert_str_eq(e->ops[1].template_name, template_name);
    ck_assert(e->ops[1].in == C8 && e->ops[1].has_other && e->ops[1].other_in == NCHW);
    ck_assert_double_le(e->ops[1].regret_ns, 80000);
    ck_assert_double_gt(e->ops[1].regret_ns, 70000);
    ck_assert_int_eq(e->ops[1].certainty, GT_CERTAINTY_NO_INTERVAL);
    gt_explanation_destroy(e);
    gt_plan_destroy(plan);
    gt_free(key);
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

static gt_status explain_everything(const gt_graph *g, gt_records *records, const gt_select_options *options)
{
    gt_status status = GT_OK;
    gt_plan *plan = NULL;
    gt_explanation *e = NULL;
    gt_explained_alternative *list = NULL;
    gt_schedule forced = {0};
    bool found = false;
    int n = 0;
    const gt_select_options limits = gt_select_defaults();
    GT_TRY(gt_select(&plan, g, records, options));
    GT_TRY(gt_explain(&e, plan, g, records, &limits));
    GT_TRY(gt_explain_op(&list, &n, e, 1));
    for (int i = 0; i < n; i++) {
        if (list[i].state == GT_ALTERNATIVE_SLOWER) {
            GT_TRY(gt_explain_forced(&forced, &found, e, 1, list[i].value));
            gt_schedule_clear(&forced);
        }
    }
done:
    gt_schedule_clear(&forced);
    gt_free(list);
    gt_explanation_destroy(e);
    gt_plan_destroy(plan);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    gt_records *records = NULL;
    gt_graph *g = two_ops(&records);
    const char *forbids[] = {"*=NHWC"};
    gt_select_options options = so_options();
    options.alternatives = false;
    options.n_forbids = 1;
    options.forbids = forbids;
    gt_status status = GT_ERROR_MEMORY;
    const int64_t live = gt_i_live_allocations();
    for (int64_t k = 0; status != GT_OK; k++) {
        gt_i_fail_allocation(k);
        status = explain_everything(g, records, &options);
        gt_i_fail_allocation(-1);
        ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "allocation %lld: %s", (long long)k, gt_error_message());
        ck_assert_msg(gt_i_live_allocations() == live, "allocation %lld leaks", (long long)k);
        ck_assert_int_lt(k, 100000);
    }
    gt_records_destroy(records);
    gt_graph_destroy(g);
}
END_TEST

static Suite *explain_suite(void)
{
    Suite *suite = suite_create("explain");
    TCase *exact = tcase_create("exact");
    tcase_set_timeout(exact, 120);
    tcase_add_loop_test(exact, alternatives_equal_exhaustive_search, 0, SC_FAMILY_COUNT);
    tcase_add_loop_test(exact, rules_equal_exhaustive_search, 0, SC_FAMILY_COUNT);
    tcase_add_test(exact, bad_rules_are_refused);
    tcase_add_test(exact, names_may_hold_anything);
    tcase_add_test(exact, noise_is_that_of_what_differs);
    tcase_add_test(exact, plans_keep_regrets);
    tcase_add_test(exact, other_records_are_noticed);
    tcase_add_test(exact, foreign_plans_are_explained);
    tcase_add_test(exact, every_failed_allocation_is_survived);
    suite_add_tcase(suite, exact);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(explain_suite());
}
