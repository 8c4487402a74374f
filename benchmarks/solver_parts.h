/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the solver's benchmark. Each prints its tables. */
#ifndef GT_BENCHMARKS_SOLVER_PARTS_H
#define GT_BENCHMARKS_SOLVER_PARTS_H

#include "benchmarks/solver_problem.h"
#include "benchmarks/solver_report.h"
#include "src/graph/graph.h"

typedef struct bn_options {
    bool quick;
    int instances; /* of every pattern and size */
    int seeds;     /* of generated networks */
    int repeats;   /* of a time */
    int limit_s;   /* of toulbar2, for one network */
    const char *program; /* to start again with other settings */
} bn_options;

/* Patterns of networks as graphs of operators on small images. */
typedef enum bn_pattern {
    BN_CHAIN,
    BN_RESNET,
    BN_MOBILENET_V2,
    BN_FIRE,
    BN_INCEPTION,
    BN_UNET,
    BN_DENSENET,
    BN_ADD_OWN_INPUT,   /* add(conv(x), x), as an op and fused into the convolution */
    BN_ADD_GRAPH_INPUT, /* add(conv(x), graph input), likewise */
    BN_PATTERN_COUNT
} bn_pattern;
const char *bn_pattern_name(bn_pattern pattern);
/* `blocks`: of the pattern; layers of the one dense block, levels of the U-Net. */
gt_graph *bn_pattern_graph(bn_pattern pattern, int blocks);

/* A random DAG as in S. Xie, A. Kirillov, R. Girshick, K. He, "Exploring Randomly Wired Neural Networks for Image
 * Recognition", ICCV 2019: nodes aggregate their inputs and convolve, edges lead to the node of higher index. */
typedef enum bn_wiring { BN_WATTS_STROGATZ, BN_ERDOS_RENYI, BN_BARABASI_ALBERT, BN_WIRING_COUNT } bn_wiring;
const char *bn_wiring_name(bn_wiring wiring);
/* The costs are those of bn_deep, or, if `uniform`, any 4 … 20 pairs of layouts at random for each op, which leaves bounds
 * less to hold on to. */
lp_problem *bn_wired(bn_wiring wiring, int nodes, bool uniform, gt_rng *rng);

/* Residual and Inception blocks in turn, until there are so many ops. */
lp_problem *bn_deep(int n_ops, gt_rng *rng);

/* A zoo network with invented records for all templates in all layouts: the problem of selection, and what gt_select
 * found by itself. */
typedef struct bn_zoo_case {
    lp_problem *problem;
    double selected_ns;
    bool proved;
    double select_solver_ms; /* of gt_select's own network */
} bn_zoo_case;
void bn_zoo_open(bn_zoo_case *c, const char *name, uint64_t seed, int repeats);
void bn_zoo_close(bn_zoo_case *c);

void bn_patterns(rp_report *r, const bn_options *o);
void bn_zoo(rp_report *r, const bn_options *o);
void bn_generated(rp_report *r, const bn_options *o);
void bn_scaling(rp_report *r, const bn_options *o);
void bn_random_wiring(rp_report *r, const bn_options *o);
void bn_marginals(rp_report *r, const bn_options *o);
void bn_budgets(rp_report *r, const bn_options *o);
void bn_repeated(rp_report *r, const bn_options *o);

/* Prints a digest of the assignments found for some networks: bn_repeated compares it between processes. */
void bn_print_digest(const bn_options *o);

#endif
