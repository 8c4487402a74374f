/* SPDX-License-Identifier: Apache-2.0 */
/* The executor: a program with its kernels made ready, one arena, and no allocation while running. */
#ifndef GT_RUN_SESSION_H
#define GT_RUN_SESSION_H

#include "src/plan/program.h"

typedef struct gt_session gt_session;

typedef struct gt_session_options {
    int threads; /* >= 1 */
    gt_kernel *const *kernels; /* one per step, lent for the session's life; several sessions may use them at once. NULL: the
                                * session makes its own (gt_kernels_create) and needs the two below */
    gt_isa isa;
    bool release_constants;
} gt_session_options;

/* Makes every kernel ready (packing constants) unless they are lent, and allocates arena and workspace. The program and the
 * graph are borrowed and must outlive the session. Errors: GT_ERROR_MEMORY, those of gt_kernels_create. */
gt_status gt_session_create(gt_session **session, gt_graph *graph, const gt_program *program,
                            const gt_session_options *options) GT_NODISCARD;
void gt_session_destroy(gt_session *session);

/* Memory of input i (graph order), C order in the model's shape; filled by the caller, kept by runs. */
void *gt_session_input(gt_session *session, int i);
/* Memory of output i, C order; valid until the next run. */
const void *gt_session_output(const gt_session *session, int i);

/* Fills the inputs with noise: uniform in [-1, 1) for f32, zeros for other types; the same on every machine. */
void gt_fill_inputs(gt_session *session, const gt_graph *graph, uint64_t seed);
/* The same noise where there is no session: inputs[i] has room for input i in C order. */
void gt_fill_noise(void *const *inputs, const gt_graph *graph, uint64_t seed);

/* Runs all steps. With `step_ns` (program->n_steps entries) also measures each step. */
void gt_session_run(gt_session *session, double *step_ns);

/* Bytes of packed constants, of the arena, and of workspace beside it (most steps have theirs in the arena). */
typedef struct gt_session_memory {
    int64_t packed_bytes, arena_bytes, workspace_bytes;
} gt_session_memory;
gt_session_memory gt_session_memory_use(const gt_session *session);

/* ---- the reference ---- */

/* Evaluates a graph op by op with the oracle. inputs[i]: input i in C order; outputs[i] receives a new buffer
 * (gt_free) with output i in C order. */
gt_status gt_graph_run_reference(const gt_graph *graph, const void *const *inputs, void **outputs) GT_NODISCARD;

#endif
