/* SPDX-License-Identifier: Apache-2.0 */
/* Tables whose equal rows and equal columns are kept once. What an op's choice of (input layout, output layout)
 * costs with a neighbour depends on one of the two only, so that a table of 25 by 25 pairs has 5 by 5 different
 * entries; every step of the solver takes so much less time and memory. */
#ifndef GT_SOLVE_CLASSES_H
#define GT_SOLVE_CLASSES_H

#include "src/solve/cfn.h"

/* Which of `count` rows are equal: class_of[x] counts from 0 in the order of first appearance, and first[k] is the
 * first row of class k. An entry is at table[row * row_step + column * column_step]. Returns the number of classes.
 * O(count * length) plus a comparison of hashes per row and class. */
int32_t gt_i_group_rows(uint16_t *class_of, uint16_t *first, const int64_t *table, int32_t count, int32_t length,
                        int64_t row_step, int64_t column_step);

/* The common refinement of two groupings of the same `count` values: class_of[x] is the class of the pair
 * (left[x], right[x]), and of_left[k], of_right[k] are class k's members of the pair. Returns the number of classes.
 * The arrays have room for `count` elements; class_of may be left or right. */
int32_t gt_i_refine(uint16_t *class_of, uint16_t *of_left, uint16_t *of_right, const uint16_t *left,
                    const uint16_t *right, int32_t count);

#endif
