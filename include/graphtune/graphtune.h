/* SPDX-License-Identifier: Apache-2.0 */
/* libgraphtune's public interface: everything of the runtime, and opening a plan together with its model. Programs that
 * ship open a bundle instead (runtime.h), which takes libgraphtune-rt alone. */
#ifndef GRAPHTUNE_H
#define GRAPHTUNE_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a plan, imports the model it was made for and packs the weights. `model_path` NULL: where the plan says.
 * `threads` 0: as many as the plan was tuned for. Close with gt_deployment_close.
 * Errors: GT_ERROR_IO, GT_ERROR_FORMAT, GT_ERROR_MISMATCH (another model, another template revision, an instruction
 * set that this machine lacks), GT_ERROR_MEMORY. */
GT_API gt_status gt_deployment_open(gt_deployment **deployment, const char *plan_path, const char *model_path,
                                    int threads) GT_NODISCARD;

#ifdef __cplusplus
}
#endif

#endif
