/* SPDX-License-Identifier: Apache-2.0 */
/* libgraphtune-rt's public interface: a bundle (the file that `graphtune pack` writes) is opened, deployed, filled, run
 * and read.
 *
 *   gt_bundle        the weights and the schedule of one network, read-only and shared
 *   gt_deployment    one session of it: its own activations, its own threads
 *
 * Errors. What can fail returns a gt_status (status.h) and leaves its outputs untouched; gt_error_message() is the reason
 * in words, of the calling thread's last failure.
 *
 * Ownership. What _open and _create return belongs to the caller until its _close. Deployments keep their bundle alive:
 * it may be closed first. Names and data that a call describes belong to the object and live as long as it.
 *
 * Threads. A bundle may be used by any number of threads at once. A deployment is used by one thread at a time; different
 * deployments, of one bundle or of several, may run at once. Nothing is allocated, locked or printed while one runs.
 *
 * Units. Times are nanoseconds, sizes bytes, as the names say. */
#ifndef GRAPHTUNE_RUNTIME_H
#define GRAPHTUNE_RUNTIME_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
GT_API const char *gt_version(void);

/* ---- bundles ---- */

typedef struct gt_bundle gt_bundle;

/* Maps a bundle into memory and checks all of it: nothing is copied or packed. O(file size), at memory speed. While the
 * bundle is open its file may be replaced by renaming another over it, but not be written to.
 * Errors: GT_ERROR_IO; GT_ERROR_FORMAT (no bundle, cut short, or damaged), GT_ERROR_MISMATCH (another version of the
 * format, another architecture, an instruction set that this CPU lacks, another revision of a kernel), GT_ERROR_MEMORY. */
GT_API gt_status gt_bundle_open(gt_bundle **bundle, const char *path) GT_NODISCARD;

/* The same of a bundle in memory, as one that is linked into a program. The bytes start at a multiple of 64, are not
 * copied, and must stay as they are until the bundle and its deployments are closed. */
GT_API gt_status gt_bundle_open_memory(gt_bundle **bundle, const void *data, size_t bytes) GT_NODISCARD;

/* Gives the caller's reference up; the memory goes with the last deployment. NULL is allowed. */
GT_API void gt_bundle_close(gt_bundle *bundle);

/* What a bundle holds. */
typedef struct gt_bundle_info {
    const char *model;   /* the model's name, as in its file */
    const char *isa;     /* the instruction set that it was packed for: "neon", "avx2", … */
    int threads;         /* that it was tuned for */
    double predicted_ns; /* of one run, on the machine where it was tuned */
    size_t weight_bytes; /* of packed weights, in memory once for all deployments */
} gt_bundle_info;

GT_API gt_status gt_bundle_describe(const gt_bundle *bundle, gt_bundle_info *info) GT_NODISCARD;

/* ---- deployments ---- */

typedef struct gt_deployment gt_deployment;

/* Makes a session: allocates its activations and starts its threads. `threads` 0: as many as the bundle was tuned for;
 * otherwise 1 to 256, the calling thread included.
 * Errors: GT_ERROR_ARGUMENT, GT_ERROR_MEMORY, GT_ERROR_LIMIT (the system refuses threads). */
GT_API gt_status gt_deployment_create(gt_deployment **deployment, gt_bundle *bundle, int threads) GT_NODISCARD;

/* Frees everything but the bundle; NULL is allowed. */
GT_API void gt_deployment_close(gt_deployment *deployment);

#define GT_PORT_MAX_RANK 8

typedef enum gt_port_type { GT_PORT_F32, GT_PORT_I64, GT_PORT_BOOL } gt_port_type;

/* An input or output. Elements lie in C order, the last axis fastest. Bool elements take one byte. */
typedef struct gt_port {
    const char *name;
    gt_port_type type;
    int rank;
    int64_t dim[GT_PORT_MAX_RANK];
    const char *layout; /* "NCHW" of rank 4, otherwise "C" */
    size_t bytes;
    void *data; /* inputs are written by the caller and kept by runs; outputs are valid until the next run. 64-byte aligned,
                 * outputs that a reshape shares with another tensor aside */
} gt_port;

/* 0 for NULL. */
GT_API int gt_deployment_input_count(const gt_deployment *deployment);
GT_API int gt_deployment_output_count(const gt_deployment *deployment);

/* Describes input or output `index`, in the model's order. Errors: GT_ERROR_ARGUMENT for an index out of range. */
GT_API gt_status gt_deployment_input(const gt_deployment *deployment, int index, gt_port *port) GT_NODISCARD;
GT_API gt_status gt_deployment_output(const gt_deployment *deployment, int index, gt_port *port) GT_NODISCARD;

/* Runs one inference on the calling thread and the deployment's own. Cannot fail. */
GT_API void gt_deployment_run(gt_deployment *deployment);

/* The memory of a deployment. */
typedef struct gt_memory_use {
    size_t weight_bytes;    /* packed weights, shared by all deployments of a bundle */
    size_t arena_bytes;     /* activations, its own */
    size_t workspace_bytes; /* what kernels need beside them, its own */
} gt_memory_use;

GT_API gt_status gt_deployment_memory(const gt_deployment *deployment, gt_memory_use *use) GT_NODISCARD;

/* ---- times of the single steps ---- */

/* A step of a run: an operator, or a copy of a tensor into another layout. */
typedef struct gt_step_info {
    const char *name;     /* the operator's, or the tensor's */
    const char *kernel;   /* "conv2d.direct", …; "transform" of a copy */
    const char *from, *to; /* layouts of the (first) input and of the output: "NCHW", "NHWC", "NCHW4c", … */
    double predicted_ns;  /* on the machine where it was tuned */
} gt_step_info;

/* 0 for NULL. */
GT_API int gt_deployment_step_count(const gt_deployment *deployment);

/* Describes step `index`, in the order of execution. Errors: GT_ERROR_ARGUMENT for an index out of range. */
GT_API gt_status gt_deployment_step(const gt_deployment *deployment, int index, gt_step_info *step) GT_NODISCARD;

/* gt_deployment_run that writes how long each step took into step_ns[0..gt_deployment_step_count), in ns. */
GT_API void gt_deployment_run_timed(gt_deployment *deployment, double *step_ns);

#ifdef __cplusplus
}
#endif

#endif
