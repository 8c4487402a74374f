/* SPDX-License-Identifier: Apache-2.0 */
/* Random networks with made-up records, for the tests of selection, plans and sessions. The templates are the real
 * ones, only the times are invented. Any failure ends the process with its message. */
#ifndef GT_TESTS_SELECT_CASES_H
#define GT_TESTS_SELECT_CASES_H

#include "src/base/rng.h"
#include "src/graph/graph.h"
#include "src/records/records.h"

#define SC_DEVICE "00112233aabbccdd"
#define SC_THREADS 1

/* Kinds of networks that are small enough to try every combination of candidates. */
typedef enum sc_family {
    SC_CHAIN,
    SC_RESIDUAL, /* fused residual adds and binary adds with shared producers */
    SC_CONCAT,   /* concats that share their producers */
    SC_SHARED,   /* one tensor, many readers */
    SC_PORTS,    /* graph inputs and outputs with several readers, several outputs */
    SC_TWICE,    /* ops that read one tensor twice */
    SC_TAIL,     /* rank 2 behind rank 4 */
    SC_VIEWS,    /* reshapes and transposes */
    SC_MIXED,
    SC_IN_PLACE, /* concats that lie in each other, and some that want the same inputs */
    SC_PAIRS,    /* ops that can be done as one, some of them in two ways */
    SC_FAMILY_COUNT
} sc_family;

const char *sc_family_name(sc_family family);
gt_graph *sc_graph(gt_rng *rng, sc_family family);

/* A larger network of up to `n_ops` operators of every common kind and a few outputs. */
gt_graph *sc_large_graph(gt_rng *rng, int n_ops);

/* conv2d with a fused residual `z`. */
int sc_conv_residual(gt_graph *g, int x, int z, int64_t kernel);

/* A network without operators yet; finished by sc_finish, which makes unread tensors outputs. */
void sc_finish(gt_graph *g);

typedef struct sc_costs {
    int64_t op_range, transform_range; /* times are whole ns from 1 to this */
    bool fractions;                    /* … minus a fraction of 1 ns */
    int missing_percent;               /* of the transforms */
    int64_t combinations;              /* about how many the network has at most; 0: all that exist */
    bool any_config;                   /* random configs instead of the default ones */
} sc_costs;

/* Random times for a random choice of what the templates support, at least one candidate per op. */
void sc_add_records(gt_records *records, const gt_graph *graph, gt_rng *rng, const sc_costs *costs);

/* One record; the config is the default one, or random where `rng` is given. */
void sc_add_op(gt_records *records, const gt_workload *w, const gt_template *t, gt_layout in, gt_layout out, double ns,
               gt_rng *rng);
void sc_add_transform(gt_records *records, const gt_shape *shape, gt_layout from, gt_layout to, double ns);

/* Transforms between all layouts of every rank-4 tensor, each `ns`. */
void sc_add_all_transforms(gt_records *records, const gt_graph *graph, double ns);

/* The first template that handles this, views left out; NULL if there is none. */
const gt_template *sc_template(const gt_workload *w, gt_layout in, gt_layout out);

#endif
