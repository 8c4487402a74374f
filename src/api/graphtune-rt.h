/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's public interface: a deployed network is filled, run and read. Nothing here allocates after opening.
 *
 * One deployment runs one inference at a time; several deployments may run in different threads. */
#ifndef GRAPHTUNE_RT_H
#define GRAPHTUNE_RT_H

#include "graphtune-status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan with its weights packed and its memory laid out. */
typedef struct gt_deployment gt_deployment;

#define GT_PORT_MAX_RANK 8

typedef enum gt_port_type { GT_PORT_F32, GT_PORT_I64, GT_PORT_BOOL } gt_port_type;

/* An input or output: elements lie in C order (images: N, C, H, W). `name` and `data` belong to the deployment.
 * Bool elements take one byte. */
typedef struct gt_port {
    const char *name;
    gt_port_type type;
    int rank;
    int64_t dim[GT_PORT_MAX_RANK];
    size_t bytes;
    void *data; /* inputs are written by the caller and kept by runs; outputs are valid until the next run */
} gt_port;

GT_API int gt_deployment_input_count(const gt_deployment *deployment);
GT_API int gt_deployment_output_count(const gt_deployment *deployment);

/* Describes input or output `index`, in the model's order. Errors: GT_ERROR_ARGUMENT for an index out of range. */
GT_API gt_status gt_deployment_input(const gt_deployment *deployment, int index, gt_port *port) GT_NODISCARD;
GT_API gt_status gt_deployment_output(const gt_deployment *deployment, int index, gt_port *port) GT_NODISCARD;

/* Runs one inference on the calling thread and the deployment's own. Cannot fail. */
GT_API void gt_deployment_run(gt_deployment *deployment);

/* Frees everything; NULL is allowed. */
GT_API void gt_deployment_close(gt_deployment *deployment);

/* "0.1.0" */
GT_API const char *gt_version(void);

#ifdef __cplusplus
}
#endif

#endif
