/* SPDX-License-Identifier: Apache-2.0 */
#include "src/solve/branch.h"

/* The variable with the most edges for its number of values: trying all of them takes the fewest
 * nodes, and each makes the network simplest. Values by unary cost, where message passing has left
 * what tells them apart. */
void gt_i_choose_branch(const gt_i_wcsp *net, int32_t *variable, int32_t *value)
{
    int32_t best = -1;
    for (int32_t i = 0; i < net->variable_count; i++) {
        const gt_i_variable *v = &net->variables[i];
        if (v->domain > 0 && (best < 0 || (int64_t)v->degree * net->variables[best].domain >
                                              (int64_t)net->variables[best].degree * v->domain)) {
            best = i;
        }
    }
    const gt_i_variable *v = &net->variables[best];
    *variable = best;
    *value = 0;
    for (int32_t x = 1; x < v->domain; x++) {
        *value = v->unary[x] < v->unary[*value] ? x : *value;
    }
}
