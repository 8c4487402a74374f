/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that belong to this one: beside it in a build folder, or installed. */
#ifndef GT_CLI_AGENT_H
#define GT_CLI_AGENT_H

#include "src/base/text.h"

/* The graphtune-board for an architecture ("aarch64"): where `make board` puts it, or beside this program. Appends its path.
 * Errors: GT_ERROR_NOT_FOUND naming both places. */
gt_status gt_cli_find_agent(gt_text *path, const char *arch) GT_NODISCARD;

/* costmodel/armsim's script: GT_ARMSIM in the environment, the one in this program's build folder, or the installed one.
 * Appends its path. Errors: GT_ERROR_NOT_FOUND naming the places. */
gt_status gt_cli_find_armsim(gt_text *path) GT_NODISCARD;

#endif
