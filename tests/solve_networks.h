/* SPDX-License-Identifier: Apache-2.0 */
/* Random cost function networks: small ones of many shapes for comparison with exhaustive search, and layout
 * selection problems with the structure of real networks (as shared/solver/gen_cfn.py makes them). */
#ifndef GT_TESTS_SOLVE_NETWORKS_H
#define GT_TESTS_SOLVE_NETWORKS_H

#include "src/base/rng.h"
#include "src/solve/cfn.h"

typedef enum gt_test_shape {
    GT_TEST_CHAIN,
    GT_TEST_TREE,
    GT_TEST_RESIDUAL,   /* a chain with skip edges */
    GT_TEST_CONCAT,     /* each variable meets all earlier ones of its group through shared producers */
    GT_TEST_CLIQUE,
    GT_TEST_RANDOM,     /* each pair with probability 1/2, some twice, either way round */
    GT_TEST_BLOCKS,     /* cliques of four joined at articulation points */
    GT_TEST_COMPONENTS, /* two cliques side by side */
    GT_TEST_SHAPE_COUNT
} gt_test_shape;

typedef struct gt_test_costs {
    int64_t range;      /* finite costs are uniform in [0, range] */
    int32_t forbidden;  /* percentage of infinite entries */
    int32_t structured; /* percentage of tables that only forbid (0 or infinite, as subset constraints do) */
} gt_test_costs;

/* A network of at most `assignments` assignments. */
gt_status gt_test_small_network(gt_cfn **cfn, gt_rng *rng, gt_test_shape shape, gt_test_costs costs,
                                int64_t assignments) GT_NODISCARD;

typedef enum gt_test_model {
    GT_TEST_RESNET,   /* residual blocks */
    GT_TEST_DENSENET, /* flat concats: every layer of a block reads all earlier ones */
    GT_TEST_HRNET,    /* parallel branches, exchanged */
    GT_TEST_NASNET,   /* random cells */
    GT_TEST_MODEL_COUNT
} gt_test_model;

/* `size`: residual blocks, layers of each dense block, stages, or cells. `ratio` scales the transforms. */
gt_status gt_test_model_network(gt_cfn **cfn, gt_rng *rng, gt_test_model model, int32_t layouts, int32_t size,
                                float ratio) GT_NODISCARD;

#endif
