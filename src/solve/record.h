/* SPDX-License-Identifier: Apache-2.0 */
/* How to give values to variables that left the network. */
#ifndef GT_SOLVE_RECORD_H
#define GT_SOLVE_RECORD_H

#include "src/solve/wcsp.h"

typedef struct gt_i_neighbour {
    int32_t origin, domain;
    int32_t *values;
    int32_t own_classes, classes;      /* of the recorded variable's values, and of this one's */
    const uint16_t *own_class, *class_of; /* of each value */
    const int64_t *table;              /* [own_classes][classes] */
} gt_i_neighbour;

/* One of two kinds. A variable with up to two neighbours takes its cheapest value given theirs. A block
 * hanging on `origin` takes the assignment found for that variable's value. */
struct gt_i_record {
    gt_i_record *older;
    int32_t origin, domain;
    int32_t *values;
    int64_t *unary;
    int32_t neighbour_count;
    gt_i_neighbour neighbours[2];
    int32_t inner_count; /* > 0: a block */
    int32_t *inner_origins;
    int32_t *inner_values; /* [domain][inner_count] */
};

/* Adds a record of `variable` with its present values and unary costs. */
gt_status gt_i_record_add(gt_i_wcsp *net, gt_i_record **record, int32_t variable) GT_NODISCARD;

/* Adds the edge's other end to a record of `variable`. The edge, in normal form, is about to be removed: the record
 * takes over its arrays. */
gt_status gt_i_record_add_neighbour(gt_i_wcsp *net, gt_i_record *record, int32_t variable,
                                    const gt_i_edge *edge) GT_NODISCARD;

/* Values all recorded variables, newest record first. */
void gt_i_records_apply(const gt_i_record *newest, int32_t *assignment);

#endif
