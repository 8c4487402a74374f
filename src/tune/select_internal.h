/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of selection share. */
#ifndef GT_TUNE_SELECT_INTERNAL_H
#define GT_TUNE_SELECT_INTERNAL_H

#include "src/solve/cfn.h"
#include "src/tune/select.h"

#define GT_MASKS (1 << GT_LAYOUT_COUNT)
_Static_assert(GT_LAYOUT_COUNT <= 8, "sets of layouts are kept in uint8_t");

/* Times are rounded to whole nanoseconds where they enter the selection: their sums are then exact, and what is
 * optimal for the solver is optimal in the plan's own figures. */

/* The cheapest candidate of an op for one (in, out). */
typedef struct gt_choice {
    gt_layout in, out;
    const gt_template *tmpl; /* NULL for another compiler's code and for modelled costs */
    const gt_record *record; /* NULL for views and for modelled costs */
    gt_source source;
    double ns;
} gt_choice;

typedef struct gt_domain {
    int n;
    gt_choice choice[GT_LAYOUT_COUNT * GT_LAYOUT_COUNT]; /* ascending by (in, out) */
} gt_domain;

/* What copies of one shape cost: direct transforms, and the cheapest way from one layout to a set of them. */
typedef struct gt_copies {
    gt_shape shape;
    gt_source source; /* the weakest source of any of them */
    double ns[GT_LAYOUT_COUNT][GT_LAYOUT_COUNT];      /* HUGE_VAL where unknown; 0 on the diagonal */
    int64_t cost[GT_LAYOUT_COUNT][GT_LAYOUT_COUNT];   /* in solver units */
    int64_t make[GT_LAYOUT_COUNT][GT_MASKS];          /* exactly this set, from that layout */
    int64_t cover[GT_LAYOUT_COUNT][GT_MASKS];         /* at least this set */
    uint8_t cover_with[GT_LAYOUT_COUNT][GT_MASKS];    /* the set that achieves it, stop-overs included */
} gt_copies;

/* A tensor's place in the network. */
typedef struct gt_site {
    int copies;      /* index into selection->copies; -1: the tensor has only one layout */
    bool is_input;   /* of the graph: exists in NCHW at the start */
    bool is_output;  /* of the graph: needed in NCHW at the end */
    int first, last; /* its consumers: [first, last) in selection->consumer */
} gt_site;

typedef struct gt_selection {
    const gt_graph *graph;
    const gt_records *records;
    const gt_select_options *options;
    gt_domain *domains; /* per op */
    gt_site *sites;     /* per tensor */
    int *first, *consumer;
    int n_copies;
    size_t copies_capacity;
    gt_copies *copies;
    int scale_bits; /* solver units per ns: 2^scale_bits */
    int tie_shift;  /* how far tie-breaking digits are shifted to stay below a nanosecond in sum */
} gt_selection;

/* Fills domains, sites and copies. Errors as gt_select. */
gt_status gt_i_selection_create(gt_selection **selection, const gt_graph *graph, const gt_records *records,
                                const gt_select_options *options) GT_NODISCARD;
void gt_i_selection_destroy(gt_selection *selection);

/* Whether the options let this record decide. */
bool gt_i_usable(const gt_selection *s, const gt_record *record);

/* Inserts a choice in (in, out) order, or replaces what is worse. */
void gt_i_offer(gt_domain *domain, const gt_choice *fresh);

/* Adds the candidates of imported records, which are of the op without its epilogue, and modelled ones to a domain
 * that has none. */
gt_status gt_i_offer_foreign(const gt_selection *s, const gt_workload *workload, gt_domain *domain) GT_NODISCARD;

/* Adds options->transforms, and models what is then still unknown if the options allow it. */
void gt_i_complete_copies(const gt_selection *s, gt_copies *copies);

/* The key of an op with a constant kernel without bias, activation and residual: what other compilers measure. */
bool gt_i_has_bare_form(const gt_workload *workload);
gt_status gt_i_bare_key(char **key, const gt_workload *workload) GT_NODISCARD;

/* The same of the conv2d that pads both sides alike where this one does not (TensorFlow's SAME with a stride) and makes an
 * output of the same size: as much work, on the same data but for the border. NULL where there is none. */
gt_status gt_i_even_key(char **key, const gt_workload *workload) GT_NODISCARD;

/* Layouts in which op `op` with choice `value` reads `tensor`: a mask. */
unsigned gt_i_needs(const gt_selection *s, int op, int value, int tensor);

/* Whether a choice belongs into the single-layout plan of `layout`. */
bool gt_i_single_layout_allows(const gt_selection *s, int op, int value, gt_layout layout);

/* The network's optimum: values[op] is the index of its choice. allowed[op] is a mask of its choices. */
gt_status gt_i_solve_network(const gt_selection *s, const uint32_t *allowed, int32_t *values,
                             gt_cfn_result *result) GT_NODISCARD;

/* The schedule of given choices, with the cheapest transforms for them. GT_ERROR_UNSUPPORTED when a transform that
 * they need is unknown. */
gt_status gt_i_schedule(const gt_selection *s, const int32_t *values, gt_schedule *schedule) GT_NODISCARD;

#endif
