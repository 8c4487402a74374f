/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates graphs with the reference oracle, to see that rewriting does not change what they compute. */
#ifndef GT_TESTS_GRAPH_EVAL_H
#define GT_TESTS_GRAPH_EVAL_H

#include "src/graph/graph.h"

/* Outputs of one run: values[i] has elems[i] elements in C order, i64 and bool results converted. */
typedef struct graph_values {
    int n;
    char **names;
    int64_t *elems;
    float **values;
} graph_values;

/* Runs a finished graph op by op with inputs that are random in [lo, hi) and depend only on `seed` and the input's
 * position. */
gt_status graph_eval(graph_values *out, const gt_graph *graph, uint64_t seed, float lo, float hi) GT_NODISCARD;
void graph_values_clear(graph_values *values);

/* The largest difference of two runs' outputs, relative to max(1, largest magnitude); infinite if names or sizes
 * differ. */
double graph_values_difference(const graph_values *a, const graph_values *b);

#endif
