/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of eliminating a variable with two neighbours: matrix products over (min, +), by classes. */
#ifndef GT_SOLVE_FOLD_H
#define GT_SOLVE_FOLD_H

#include "src/solve/record.h"

/* joint[i][j]: the least unary cost of the recorded variable's values of class i for its first neighbour and class j for
 * its second; GT_I_FORBIDDEN where there is none. [first own classes][second own classes]. O(domain + entries). */
void gt_i_fold_values(int64_t *joint, const gt_i_record *record);

/* table[a][b] = the least over (i, j) of first[i][a] + joint[i][j] + second[j][b], in two products; `half` has room for
 * [first classes][second own classes]. */
void gt_i_fold_classes(int64_t *table, int64_t *half, const int64_t *joint, const gt_i_record *record);

#endif
