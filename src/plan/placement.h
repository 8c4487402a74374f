/* SPDX-License-Identifier: Apache-2.0 */
/* Where concats can be written in place (template concat.in_place): their inputs are then made inside the output's memory,
 * so that nothing is left to do.
 *
 * A form, that is a tensor in one layout, can lie in one place only. Who may have it follows from the graph alone, before
 * anything is chosen, so that a concat in place never stands in the way of another op's choice:
 *
 * - Concats ask for their inputs one after another, those with the larger output first, of equal ones the earlier. One that
 *   does not get all of them is never in place in this layout.
 * - A concat whose inputs are the first ones of one that has got its own ("a prefix", as in DenseNet) lies with it at the
 *   beginning of its output, if no other concat has got its output already.
 * - The output of a concat can be an input of another one: what is in it then lies there as well.
 * - An input that may be a view (of a reshape or transpose) stands for what it is a view of, in all layouts.
 * - What the caller fills, the graph's inputs in NCHW, lies nowhere else; constants do not either. */
#ifndef GT_PLAN_PLACEMENT_H
#define GT_PLAN_PLACEMENT_H

#include "ops/template.h"
#include "src/graph/graph.h"

typedef struct gt_placement gt_placement;

/* Finds it out; the graph is borrowed. O(layouts · concats · inputs²). Errors: GT_ERROR_MEMORY. */
gt_status gt_placement_create(gt_placement **placement, const gt_graph *graph) GT_NODISCARD;
/* NULL is allowed. */
void gt_placement_destroy(gt_placement *placement);

/* The layouts, a bit per gt_layout, in which this op can be written in place; 0 of all that are no concats. */
unsigned gt_placement_layouts(const gt_placement *placement, int op);

/* Appends what stands in the way of it in a layout that gt_placement_layouts does not have, as in "input 2 (tensor "x") is an
 * input of the network". */
gt_status gt_placement_reason(gt_text *text, const gt_placement *placement, int op, gt_layout layout) GT_NODISCARD;

#endif
