/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: one algorithm for one op kind, with the layouts it takes and a space of tunable knobs. A template
 * is registered by one line of ops/templates.inc. */
#ifndef GT_OPS_TEMPLATE_H
#define GT_OPS_TEMPLATE_H

#include "layouts/layout.h"
#include "src/base/cpu.h"
#include "src/base/threads.h"
#include "src/graph/workload.h"

#define GT_MAX_KNOBS 8
#define GT_MAX_KNOB_VALUES 24
#define GT_MAX_PHASES 4

/* A point of a config space: one value per knob of the template's space for that workload. */
typedef struct gt_config {
    int n;
    int32_t value[GT_MAX_KNOBS];
} gt_config;

typedef struct gt_knob {
    const char *name; /* static text, [a-z0-9_]+ */
    int n;
    int32_t value[GT_MAX_KNOB_VALUES]; /* value[0] is the default */
} gt_knob;

typedef struct gt_space {
    int n;
    gt_knob knob[GT_MAX_KNOBS];
} gt_space;

typedef struct gt_template gt_template;
typedef struct gt_kernel gt_kernel;

/* What a kernel reads and writes. in[i] is NULL for absent inputs and for constants that were packed. */
typedef struct gt_args {
    const void *const *in;
    void *out;
    const void *packed; /* the kernel's packed constants (a rotated copy while measuring) */
    void *shared;       /* workspace shared by all threads, kernel->shared_bytes */
    void *scratch;      /* this thread's workspace, kernel->thread_bytes */
} gt_args;

/* Runs tasks [begin, end) of one phase. Neither allocates, locks nor prints. */
typedef void (*gt_kernel_fn)(const gt_kernel *kernel, const gt_args *args, int phase, int64_t begin, int64_t end);

/* A candidate made ready to run. Filled by gt_kernel_create and by the template's `prepare`. */
struct gt_kernel {
    const gt_template *tmpl;
    const gt_workload *workload; /* owned copy */
    gt_layout in, out;           /* of the primary input and of the output */
    gt_config config;
    gt_kernel_fn run;
    int n_phases;                 /* phases run one after another with a barrier between; >= 1 */
    int64_t tasks[GT_MAX_PHASES]; /* independent tasks per phase */
    size_t shared_bytes, thread_bytes;
    void *packed; /* constants in the kernel's own order, GT_ALIGN_BYTES aligned, or NULL (gt_i_kernel_room) */
    size_t packed_bytes;
    const void *adopted; /* constants that were packed before (borrowed); NULL: `packed` is owned */
    size_t adopted_bytes;
    void *params; /* what `prepare` computed for `run` (owned, one gt_calloc block), or NULL */
};

struct gt_template {
    const char *name; /* "conv2d.direct": the key in records and plans, never renamed */
    gt_op_kind kind;
    int rev;   /* bumped when the code changes; records of other revs are ignored */
    bool view; /* the output is the input's memory: nothing runs, the cost is exactly 0 */
    bool inside; /* a view that leaves its work to the op that reads it, which has the pair's candidate (src/graph/pair.h); there is
                  * no output */
    bool in_place; /* a view whose memory is that of all inputs one after another, each in the layout that
                    * gt_template_input_layout names: only where they can be put there (src/plan/placement.h) */

    /* Whether the template handles this workload with the primary input in layout `in` and the output in
     * `out`. Both already satisfy gt_layout_allows for their shapes. */
    bool (*supports)(const gt_workload *w, gt_layout in, gt_layout out);

    /* Fills the knobs for this case; NULL means no knobs. */
    void (*space)(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space);

    /* Whether a combination of knob values makes sense; NULL means all do. The default always does. */
    bool (*valid)(const gt_workload *w, gt_layout in, gt_layout out, const gt_config *config);

    /* Packs constants and fills the rest of *kernel (tmpl, workload, layouts, config are set; `run` is set when
     * the template names one kernel function). consts[i] holds constant input i's elements in C order, NULL for
     * others. What is packed, and how, follows from the candidate and the number of lanes of `isa` alone, never from
     * the machine that packs. Kernels that adopt constants are given none: nothing is packed where kernel->adopted is
     * set, and all else is the same. May allocate; on failure gt_kernel_create cleans up. NULL for views. */
    gt_status (*prepare)(gt_kernel *kernel, const void *const *consts, gt_isa isa);

    /* Frees what kernel->params own, for what `prepare` got as far as filling in; NULL: nothing. */
    void (*clear)(gt_kernel *kernel);
};

/* kernel->adopted_bytes of kernels inside others: as many as it packs, which the outer one checks. */
#define GT_I_ADOPT_ANY SIZE_MAX

/* For `prepare`: sets kernel->packed, `bytes` of room to pack constants into (not zeroed), or, where they were packed
 * before, those. Errors: GT_ERROR_MEMORY, GT_ERROR_MISMATCH (they have another size). */
gt_status gt_i_kernel_room(gt_kernel *kernel, size_t bytes) GT_NODISCARD;

/* The layout that input i must have for a candidate (in, out): the output's for a residual, NCHW where
 * the input is not rank 4, otherwise `in`. Constants come in C order. */
gt_layout gt_template_input_layout(const gt_workload *w, gt_layout in, gt_layout out, int i);

/* What a candidate is to the ops around it. */
typedef enum gt_role {
    GT_ROLE_OWN,      /* it does its op's work */
    GT_ROLE_IN_PLACE, /* a concat whose inputs are made in its output */
    GT_ROLE_INSIDE,   /* the op that reads it does the work */
    GT_ROLE_PAIR      /* it does the work of the op that it reads as well */
} gt_role;

/* Of another compiler's candidates, which have no template (NULL): GT_ROLE_OWN. */
gt_role gt_template_role(const gt_template *t);

/* ---- registry ---- */

/* The templates in the order of ops/templates.inc; NULL beyond the last. */
size_t gt_template_count(void);
const gt_template *gt_template_at(size_t index);
/* A template's place in that order; the count for NULL, so that imported candidates come behind all. O(count). */
size_t gt_template_index(const gt_template *t);
/* NULL if there is none of that name. */
const gt_template *gt_template_find(const char *name);

/* supports() with all common checks (kind, ranks, dtypes, layouts allowed). */
bool gt_template_supports(const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out);

/* ---- config spaces ---- */

/* The knobs of a supported case, and the number of their combinations (valid or not; 1 without knobs). */
void gt_template_space(const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out, gt_space *space);
int64_t gt_space_size(const gt_space *space);
/* Point number `index` in [0, size); 0 is the default. */
void gt_space_point(const gt_space *space, int64_t index, gt_config *config);
/* Whether the config is a point of the space that the template takes. */
bool gt_template_valid(const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out,
                       const gt_config *config);

/* "oc_tile=8,ow_tile=4"; "" without knobs. */
gt_status gt_config_format(gt_text *text, const gt_space *space, const gt_config *config) GT_NODISCARD;
/* Errors: GT_ERROR_FORMAT naming the knob, the value and those allowed. */
gt_status gt_config_parse(gt_config *config, const gt_space *space, const char *text) GT_NODISCARD;

/* ---- kernels ---- */

/* Makes a candidate ready: validates, packs constants. consts[i]: elements of constant input i, C order.
 * `isa` must be available on this CPU. Destroy with gt_kernel_destroy.
 * Errors: GT_ERROR_UNSUPPORTED, GT_ERROR_ARGUMENT (config not in the space), GT_ERROR_MEMORY. */
gt_status gt_kernel_create(gt_kernel **kernel, const gt_template *t, const gt_workload *w, gt_layout in,
                           gt_layout out, const gt_config *config, const void *const *consts,
                           gt_isa isa) GT_NODISCARD;
void gt_kernel_destroy(gt_kernel *kernel);

/* The same with constants that the same candidate packed before for an instruction set of as many lanes: `packed_bytes` bytes
 * at `packed` (GT_ALIGN_BYTES aligned, borrowed for the kernel's life, never written to). Nothing is packed or copied.
 * Errors: those of gt_kernel_create, and GT_ERROR_MISMATCH where the candidate packs another number of bytes. */
gt_status gt_kernel_adopt(gt_kernel **kernel, const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out,
                          const gt_config *config, const void *packed, size_t packed_bytes, gt_isa isa) GT_NODISCARD;

/* Workspace for a run on `threads` threads: shared_bytes, then thread_bytes per thread, each aligned. */
size_t gt_kernel_workspace_bytes(const gt_kernel *kernel, int threads);

/* Runs all phases. `in` and `out` must be GT_ALIGN_BYTES aligned, `workspace` of gt_kernel_workspace_bytes
 * for the pool's thread count. `packed` NULL means the kernel's own. pool NULL means the calling thread. */
void gt_kernel_run(const gt_kernel *kernel, const void *const *in, void *out, const void *packed, void *workspace,
                   gt_pool *pool);

#endif
