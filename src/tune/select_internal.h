/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of selection share. */
#ifndef GT_TUNE_SELECT_INTERNAL_H
#define GT_TUNE_SELECT_INTERNAL_H

#include "src/graph/pair.h"
#include "src/plan/placement.h"
#include "src/solve/cfn.h"
#include "src/tune/select.h"

#define GT_MASKS (1 << GT_LAYOUT_COUNT)

/* Most choices of an op: masks of them are 32 bits wide. A pair of layouts has one candidate that does the op's work, of which
 * at most 22 pairs have any (tests/test_pair.c); one layout has one that leaves it to its reader, and one that does the
 * work of the op before as well. */
#define GT_MAX_CHOICES 32
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
    int64_t tie; /* what it costs beside its time, in solver units: of the digits below a nanosecond */
} gt_choice;

typedef struct gt_domain {
    bool restricted; /* by pins or forbids: not what other ops of the same workload have */
    int n;
    /* Ascending by (in, out), one of each; behind it, where there are, the one that leaves the work to its reader and the one that
     * does the work of the op before as well. A limit on memory adds, where a concat is in place, the fastest that copies, before
     * it. */
    gt_choice choice[GT_MAX_CHOICES];
} gt_domain;

/* What copies of one shape cost: direct transforms, and the cheapest way from one layout to a set of them. */
typedef struct gt_copies {
    gt_shape shape;
    gt_source source; /* the weakest source of any of them */
    double ns[GT_LAYOUT_COUNT][GT_LAYOUT_COUNT];      /* HUGE_VAL where unknown; 0 on the diagonal */
    const gt_record *record[GT_LAYOUT_COUNT][GT_LAYOUT_COUNT]; /* NULL for modelled costs */
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

/* options->pins and options->forbids, parsed (select_pins.c). */
typedef struct gt_rules gt_rules;

typedef struct gt_selection {
    const gt_graph *graph;
    const gt_records *records;
    const gt_select_options *options;
    gt_placement *placement;
    gt_pairs *pairs;
    gt_domain *domains; /* per op */
    gt_site *sites;     /* per tensor */
    int *first, *consumer;
    int n_copies;
    size_t copies_capacity;
    gt_copies *copies;
    gt_rules *rules;   /* pins and forbids; NULL: none */
    int scale_bits;    /* solver units per ns: 2^scale_bits */
    int64_t hop_cost;  /* solver units per transform, beside its time: fewer of them where time is the same */
    int64_t byte_unit; /* bytes that cost one solver unit: less memory where both are the same; 0: bytes cost nothing */
    int64_t begin_ns; /* of gt_now_ns: the time budget counts from then */
} gt_selection;

/* Fills domains, sites and copies. Errors as gt_select. */
gt_status gt_i_selection_create(gt_selection **selection, const gt_graph *graph, const gt_records *records,
                                const gt_select_options *options) GT_NODISCARD;
void gt_i_selection_destroy(gt_selection *selection);

/* Whether the options let this record decide. */
bool gt_i_usable(const gt_selection *s, const gt_record *record);

/* The instruction set of the device whose records count, as its fingerprint among them names it; otherwise the options'. */
gt_status gt_i_name_isa(char **isa, const gt_selection *s) GT_NODISCARD;

/* Who takes the candidates of a workload, every one that the records and options have. */
typedef struct gt_offers {
    void (*take)(void *context, const gt_choice *candidate);
    void *context;
    const gt_domain *known; /* slower measured ones than these need not be offered; or NULL */
    int n;                  /* how many were offered */
} gt_offers;

/* Offers one. */
void gt_i_offer(gt_offers *offers, const gt_choice *candidate);

/* Offers what there is for an op: records, views, imported and modelled figures. */
gt_status gt_i_offer_all(const gt_selection *s, int op, gt_offers *offers) GT_NODISCARD;

/* Offers views: concats in place, and the work left to a reader, among them. */
void gt_i_offer_views(const gt_selection *s, int op, gt_offers *offers);

/* Whether the selection may choose two ops done as one: not of another compiler's code, or of what is modelled for it. */
bool gt_i_may_pair(const gt_selection *s);

/* The layouts in which there are candidates of the pair whose second op this is, a bit each. */
unsigned gt_i_pair_layouts(const gt_selection *s, int second);

/* 0 where the choices of a tensor's producer and its reader agree on whether they are done as one, GT_CFN_INFINITE where not; 0 for
 * tensors between any others. */
int64_t gt_i_pair_units(const gt_selection *s, int tensor, int producer_value, int reader_value);

/* The same of all choices. */
int64_t gt_i_all_pair_units(const gt_selection *s, const int32_t *values);

/* The layouts in which a concat can be in place here, a bit each. */
unsigned gt_i_in_place_layouts(const gt_selection *s, int op);
bool gt_i_is_in_place(const gt_choice *choice);
gt_role gt_i_role(const gt_choice *choice);

/* The choice with these layouts and this role; one that is in place also stands for one that is not, and the other way round.
 * -1: there is none. */
int gt_i_find_choice(const gt_domain *domain, gt_layout in, gt_layout out, gt_role role);

/* The choices that differ from this one neither in layouts nor in what is done as one, itself included: a mask. */
uint32_t gt_i_same_layouts(const gt_domain *domain, int value);

/* Offers imported records, which are of the op without its epilogue, and modelled candidates where nothing else was
 * offered. */
gt_status gt_i_offer_foreign(const gt_selection *s, const gt_workload *workload, gt_offers *offers) GT_NODISCARD;

/* The fastest candidate of every (in, out, template), ascending; pins and forbids do not count. Free with gt_free. */
gt_status gt_i_census(const gt_selection *s, int op, gt_choice **candidates, int *n) GT_NODISCARD;

/* The name of a candidate's template. */
const char *gt_i_choice_template(const gt_choice *choice);

/* Parses and checks options->pins and options->forbids; NULL where there are none. Errors: GT_ERROR_ARGUMENT for a rule
 * that is malformed, that names no op, layout or template, or that contradicts another one. */
gt_status gt_i_rules_create(gt_rules **rules, const gt_graph *graph, const gt_select_options *options) GT_NODISCARD;
void gt_i_rules_destroy(gt_rules *rules);

/* Whether any rule is about this op, and whether all of them allow the candidate. NULL rules: no; yes. */
bool gt_i_rules_concern(const gt_rules *rules, const char *node);
bool gt_i_rules_allow(const gt_rules *rules, const char *node, const gt_choice *candidate);

/* Fails naming the rules that leave an op without candidate, and the candidates that it has. */
gt_status gt_i_rules_fail(const gt_selection *s, int op) GT_NODISCARD;

/* Fills sites and finds what copies take. */
gt_status gt_i_fill_sites(gt_selection *s) GT_NODISCARD;

/* Keeps a record of a transform where it is the fastest. */
void gt_i_offer_copy(gt_copies *copies, const gt_record *record);

/* Adds options->transforms, and models what is then still unknown if the options allow it. */
void gt_i_complete_copies(const gt_selection *s, gt_copies *copies);

/* Chooses the solver's unit and puts what copies and ties cost in it. */
void gt_i_price(gt_selection *s);

/* What a choice costs in solver units. */
int64_t gt_i_choice_units(const gt_selection *s, const gt_choice *choice);

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

/* The cost function network of a selection. Variable i is op i, its values are the op's choices; behind the ops follow
 * the variables of the tensors with several readers, whose values are sets of layouts. */
typedef struct gt_network {
    const gt_selection *s; /* borrowed */
    gt_cfn *cfn;
    int n_sets;
    size_t sets_capacity;
    int *sets; /* the tensor of each variable behind the ops */
} gt_network;

/* allowed[op] is a mask of its choices; the others are forbidden. */
gt_status gt_i_network_create(gt_network **network, const gt_selection *s, const uint32_t *allowed) GT_NODISCARD;
void gt_i_network_destroy(gt_network *network);

/* The sets of layouts that a tensor's readers can ask for together, with NCHW where the graph's caller asks too: the values
 * of its variable. Returns how many. */
int gt_i_possible_sets(const gt_selection *s, int tensor, uint8_t sets[GT_MASKS]);

/* Writes the network to options->cfn_path, costs in whole nanoseconds. Errors: GT_ERROR_IO, GT_ERROR_MEMORY. */
gt_status gt_i_dump_network(const gt_selection *s) GT_NODISCARD;

/* The cheapest assignment in which op i has choice values[i]. */
void gt_i_network_assign(const gt_network *network, int32_t *assignment, const int32_t *values);

/* gt_cfn_solve, whose message names the shapes whose transforms are missing where no schedule can be put together. */
gt_status gt_i_network_solve(const gt_network *network, gt_cfn_result *result, const gt_cfn_options *options) GT_NODISCARD;

/* The solver's memory budget in bytes, the default one where the options leave it open. */
int64_t gt_i_solver_memory(const gt_select_options *options);

/* Whole nanoseconds of a cost in solver units; HUGE_VAL for GT_CFN_INFINITE. */
double gt_i_units_to_ns(const gt_selection *s, int64_t units);

/* Masks of the choices that a schedule in `layout` may use, all of them where the layout leaves an op none; layout < 0:
 * of every schedule. Free with gt_free. */
gt_status gt_i_restrict(const gt_selection *s, int layout, uint32_t **allowed) GT_NODISCARD;

/* Choices that are known before the solver begins, one array per schedule. */
typedef struct gt_starts {
    int n;
    int32_t *values[GT_LAYOUT_COUNT + 1];
} gt_starts;

/* The cheapest choices: values[op]. The solver starts from the best of `starts` (NULL: none) that is feasible, which is
 * what comes back where a budget ends the search before anything better. layout: as in gt_i_restrict. proof NULL: this is
 * a comparison, for which a small part of the budgets is spent. Errors: as gt_select. */
gt_status gt_i_solve(gt_selection *s, int32_t *values, gt_plan_result *proof, int layout, const gt_starts *starts) GT_NODISCARD;

/* Every op's own fastest candidate. */
void gt_i_solve_greedy(const gt_selection *s, int32_t *values);

/* The schedule of given choices, with the cheapest transforms for them. GT_ERROR_UNSUPPORTED when a transform that
 * they need is unknown. */
gt_status gt_i_schedule(const gt_selection *s, const int32_t *values, gt_schedule *schedule) GT_NODISCARD;

#endif
