/* SPDX-License-Identifier: Apache-2.0 */
/* Templates without a description of their own: every float is read or written once, a vector at a time. */
#include "costmodel/analytic_internal.h"

void gt_i_describe_moves(gt_nest *nest, const gt_i_loops *c)
{
    double floats = (double)gt_workload_elems_moved(c->workload);
    double steps = nest->macs > floats ? nest->macs : floats;
    nest->fma = nest->loads = nest->inner = steps / c->machine->lanes;
    gt_i_add_stream(nest, c->machine, floats * sizeof(float), 1, floats * sizeof(float));
}
