/* SPDX-License-Identifier: Apache-2.0 */
/* Selection on random instances of every pattern: all must be optimal. */
#include "benchmarks/solver_measure.h"
#include "benchmarks/solver_parts.h"
#include "benchmarks/solver_selection.h"
#include "benchmarks/solver_toulbar2.h"
#include "tests/select_cases.h"

#include <stdio.h>
#include <string.h>

#define SIZES 3
#define OP_RANGE 1000

/* Blocks of each pattern: the first size is for exhaustive search. */
static const int sizes[BN_PATTERN_COUNT][SIZES] = {
    [BN_CHAIN] = {6, 20, 60},     [BN_RESNET] = {2, 5, 16},        [BN_MOBILENET_V2] = {2, 5, 16},
    [BN_FIRE] = {2, 5, 16},       [BN_INCEPTION] = {1, 3, 9},      [BN_UNET] = {1, 3, 5},
    [BN_DENSENET] = {2, 5, 12},   [BN_ADD_OWN_INPUT] = {4, 12, 40}, [BN_ADD_GRAPH_INPUT] = {4, 12, 40},
};

/* Transforms that cost nearly nothing, less than ops, as much, and that rule out nearly everything. */
static const int64_t transform_ranges[] = {5, 100, 400, 2000};
#define RANGES ((int)(sizeof transform_ranges / sizeof transform_ranges[0]))

struct tally {
    int wrong, unchecked;
    double *ms;
    char kept[64];
};

static bool seen_workload(const gt_graph *g, int op)
{
    for (int i = 0; i < op; i++) {
        if (strcmp(g->ops[i].workload->key, g->ops[op].workload->key) == 0) {
            return true;
        }
    }
    return false;
}

/* One candidate per workload, which lp_replace_domains will override. */
static void add_any_candidate(gt_records *records, const gt_workload *w)
{
    for (int pair = 0; pair < LP_PAIRS; pair++) {
        gt_layout in = (gt_layout)(pair / LP_LAYOUTS);
        gt_layout out = (gt_layout)(pair % LP_LAYOUTS);
        const gt_template *t = sc_template(w, in, out);
        if (t != NULL) {
            sc_add_op(records, w, t, in, out, OP_RANGE, NULL);
            return;
        }
    }
}

static bool is_new_shape(const gt_graph *g, int tensor)
{
    for (int t = 0; t < tensor; t++) {
        if (g->tensors[t].data == NULL && gt_shape_equal(&g->tensors[t].shape, &g->tensors[tensor].shape)) {
            return false;
        }
    }
    return g->tensors[tensor].data == NULL;
}

static gt_records *invent(const gt_graph *g, gt_rng *rng, int64_t range)
{
    gt_records *records = NULL;
    lp_must(gt_records_create(&records));
    for (int i = 0; i < g->n_ops; i++) {
        if (!seen_workload(g, i)) {
            add_any_candidate(records, g->ops[i].workload);
        }
    }
    for (int t = 0; t < g->n_tensors; t++) {
        lp_transforms drawn;
        lp_draw_transforms(&drawn, rng, range);
        for (int k = 0; k < LP_PAIRS && is_new_shape(g, t); k++) {
            int a = k / LP_LAYOUTS;
            int b = k % LP_LAYOUTS;
            if (a != b) {
                sc_add_transform(records, &g->tensors[t].shape, (gt_layout)a, (gt_layout)b, (double)drawn.ns[a][b]);
            }
        }
    }
    return records;
}

/* The total that selection's own network and schedule come to; -1 where it is not proved. */
static double select_total(const gt_selection *s, double *ms)
{
    gt_cfn_result result = {0};
    gt_schedule schedule = {0};
    gt_network *network = NULL;
    uint32_t *allowed = NULL;
    lp_must(gt_i_restrict(s, -1, &allowed));
    int64_t start = ms_cpu_ns();
    lp_must(gt_i_network_create(&network, s, allowed));
    lp_must(gt_i_network_solve(network, &result, NULL));
    *ms = (double)(ms_cpu_ns() - start) * 1e-6;
    lp_must(gt_i_schedule(s, result.assignment, &schedule)); /* ops are the first variables */
    double total = result.optimal ? schedule.predicted_ns : -1;
    gt_schedule_clear(&schedule);
    gt_cfn_result_destroy(&result);
    gt_i_network_destroy(network);
    gt_free(allowed);
    return total;
}

/* What the total should be: by exhaustive search for the first size, else by toulbar2; -1 where there is no answer. */
static double expected_total(const lp_problem *p, const gt_cfn *cfn, int size, int limit_s)
{
    if (size == 0) {
        return (double)lp_exhaust(p);
    }
    tb_answer answer = tb_available() ? tb_solve(cfn, limit_s) : (tb_answer){0};
    return answer.proved ? (double)answer.cost : -1;
}

static void run_instance(struct tally *tally, const gt_graph *g, int size, int instance, const bn_options *o)
{
    gt_rng rng;
    gt_selection *s = NULL;
    gt_select_options options = gt_select_defaults();
    int64_t range = transform_ranges[instance % RANGES];
    options.device = SC_DEVICE;
    options.threads = SC_THREADS;
    gt_rng_seed(&rng, (uint64_t)instance + 1);
    gt_records *records = invent(g, &rng, range);
    lp_must(gt_i_selection_create(&s, g, records, &options));
    lp_replace_domains(s, &rng, instance % 10 == 9 ? 3 : OP_RANGE); /* every tenth has ties */
    lp_problem *p = lp_of_selection(s);
    gt_cfn *cfn = lp_network(p);
    double total = select_total(s, &tally->ms[instance]);
    double expected = expected_total(p, cfn, size, o->limit_s);
    tally->unchecked += expected < 0;
    if (expected >= 0 && total != expected) {
        char name[96];
        fprintf(stderr, "%s: instance %d: selected %.0f, expected %.0f\n", tally->kept, instance, total, expected);
        snprintf(name, sizeof name, "%s-%d", tally->kept, instance);
        tb_keep(cfn, name);
        tally->wrong++;
    }
    gt_cfn_destroy(cfn);
    lp_destroy(p);
    gt_i_selection_destroy(s);
    gt_records_destroy(records);
}

static void run_pattern(rp_report *r, bn_pattern pattern, int size, const bn_options *o)
{
    gt_graph *g = bn_pattern_graph(pattern, sizes[pattern][size]);
    struct tally tally = {0};
    snprintf(tally.kept, sizeof tally.kept, "pattern%d-size%d", (int)pattern, size);
    lp_must(gt_calloc(&tally.ms, (size_t)o->instances, sizeof *tally.ms));
    for (int i = 0; i < o->instances; i++) {
        run_instance(&tally, g, size, i, o);
    }
    rp_text(r, bn_pattern_name(pattern));
    rp_int(r, g->n_ops);
    rp_text(r, size == 0 ? "exhaustive" : "toulbar2");
    rp_int(r, o->instances - tally.unchecked);
    rp_int(r, tally.wrong);
    rp_number(r, ms_median(tally.ms, o->instances), 3);
    if (tally.unchecked > 0) {
        rp_unchecked(r, tally.unchecked);
        r->wrong += tally.wrong > 0;
    } else {
        rp_check(r, tally.wrong == 0);
    }
    rp_end(r);
    gt_free(tally.ms);
    gt_graph_destroy(g);
}

void bn_patterns(rp_report *r, const bn_options *o)
{
    rp_table(r, "patterns",
             "selection (src/tune, on graphs of real ops, 4-20 random candidates each, 5 layouts) against the optimum; "
             "CPU ms, median, model included",
             "pattern____________ __ops ____against compared _wrong _______ms __correct");
    for (int pattern = 0; pattern < BN_PATTERN_COUNT; pattern++) {
        for (int size = 0; size < (o->quick ? 2 : SIZES); size++) {
            run_pattern(r, (bn_pattern)pattern, size, o);
        }
    }
}
