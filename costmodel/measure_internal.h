/* SPDX-License-Identifier: Apache-2.0 */
/* What the measuring files share; nobody else includes it. */
#ifndef GT_COSTMODEL_MEASURE_INTERNAL_H
#define GT_COSTMODEL_MEASURE_INTERNAL_H

#include "costmodel/measure.h"

struct gt_bench_case {
    gt_workload *workload;
    void **inputs;       /* per input: elements in C order, NULL where absent */
    const void **consts; /* the constant ones among them, NULL for others */
    void *want;          /* the oracle's output, C order */
    int64_t bytes;
};

/* A case without the oracle's output. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_bench_inputs_create(gt_bench_case **bench, const gt_workload *w, const gt_measure_options *o) GT_NODISCARD;

/* What a measuring child tells its parent: one write() of less than PIPE_BUF bytes. */
typedef struct gt_i_outcome {
    gt_status error; /* trouble of the measuring itself (no such CPU, no threads), not of the candidate */
    gt_record_status status;
    gt_timing timing;
    gt_watch_sample before, after; /* of an outcome that is ok, where the options have a watch */
    char note[256]; /* what went wrong, "" if nothing */
} gt_i_outcome;

/* What a child does; fills *outcome, which is zero (GT_OK, GT_RECORD_OK) before. */
typedef void (*gt_i_child_fn)(gt_i_outcome *outcome, const void *context);

/* Runs `body` in a forked child under the options' limits. A child that dies, hangs or runs out of memory
 * becomes the outcome's status, as does one that sends nonsense. Errors: GT_ERROR_LIMIT (no fork, no pipe), and the
 * outcome's error. */
gt_status gt_i_run_child(gt_i_outcome *outcome, gt_i_child_fn body, const void *context,
                         const gt_measure_options *o) GT_NODISCARD;

/* ---- inside the child ---- */

/* Pins this process to the options' CPUs. Errors: GT_ERROR_ARGUMENT naming the CPU. */
gt_status gt_i_pin_process(const gt_measure_options *o) GT_NODISCARD;
/* A pool whose thread k is pinned to its CPU; NULL for one thread. */
gt_status gt_i_pinned_pool(gt_pool **pool, const gt_measure_options *o) GT_NODISCARD;

/* Memory that a run reads as its inputs. */
typedef struct gt_i_range {
    void *data;
    size_t bytes;
} gt_i_range;

/* Something to time. */
typedef struct gt_i_subject {
    void (*run)(void *context, int64_t number); /* run number 0, 1, … */
    void *context;
    int n_warm;
    const gt_i_range *warm; /* written before each run, the last one first */
    gt_pool *pool;
} gt_i_subject;

/* Warms up, takes samples and summarises them. */
gt_status gt_i_time(gt_timing *timing, const gt_i_subject *subject, double best_ns,
                    const gt_measure_options *o) GT_NODISCARD;

/* ---- candidates made ready ---- */

typedef struct gt_i_candidate {
    const gt_bench_case *bench;
    const gt_template *tmpl;
    gt_layout in, out;
    const gt_config *config;
    double best_ns;
    int64_t private_cache_bytes; /* 0: one copy of the packed constants is enough */
    const gt_measure_options *options;
} gt_i_candidate;

typedef struct gt_i_setup {
    gt_kernel *kernel;
    const void **in;
    gt_i_range *warm;
    int n_warm;
    unsigned char *out; /* guarded */
    size_t out_bytes;
    void *workspace;
    unsigned char *packed; /* copies * packed_stride bytes */
    size_t packed_stride;
    int64_t copies;
    gt_pool *pool;
} gt_i_setup;

/* Allocates and fills all that a run takes. Nothing of it is ever freed: the process ends soon. */
gt_status gt_i_make_setup(gt_i_setup *setup, const gt_i_candidate *candidate) GT_NODISCARD;
/* gt_i_subject's run, of a gt_i_setup. */
void gt_i_run_setup(void *setup, int64_t number);

/* An output buffer: NaNs, between zones that must stay as they are. *data is aligned. */
gt_status gt_i_alloc_guarded(unsigned char **data, size_t bytes) GT_NODISCARD;
bool gt_i_guards_intact(const unsigned char *data, size_t bytes);

/* Bytes of an operand in memory: of float32 ones with the layout's padding. */
size_t gt_i_stored_bytes(const gt_operand *operand, gt_layout layout);

/* ---- checking ---- */

/* The outcome is a wrong candidate, and why. */
void gt_i_reject(gt_i_outcome *outcome, const char *format, ...) GT_PRINTF(2, 3);
/* A failed step of a candidate, as a status of its record. */
void gt_i_note_failure(gt_i_outcome *outcome, gt_status status);

/* Compares a stored output with the oracle's, its padding included. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_check_stored(gt_i_outcome *outcome, const void *data, gt_layout layout,
                            const gt_bench_case *bench) GT_NODISCARD;

/* Fills a transform's source with its elements' C-order numbers (exact up to 2^24, and distinct enough beyond),
 * through the strides alone, so that nothing depends on the transforms that are measured. */
void gt_i_fill_source(float *data, gt_layout layout, const gt_shape *shape);
/* The whole destination, padding included, must be what gt_i_fill_source makes of its layout. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_check_transformed(gt_i_outcome *outcome, const void *data, gt_layout layout,
                                 const gt_shape *shape) GT_NODISCARD;

/* ---- records ---- */

/* A record's identity; the outcome comes later. Clear it whatever happens. Errors: GT_ERROR_ARGUMENT, GT_ERROR_MEMORY. */
gt_status gt_i_begin_op_record(gt_record *r, const gt_i_candidate *candidate, const gt_device *device) GT_NODISCARD;
gt_status gt_i_begin_transform_record(gt_record *r, const gt_shape *shape, gt_layout from, gt_layout to,
                                      const gt_device *device, int threads) GT_NODISCARD;
/* The outcome's status, timing and note. */
gt_status gt_i_finish_record(gt_record *r, gt_i_outcome *outcome) GT_NODISCARD;

#endif
