/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_CLI_PARETO_H
#define GT_CLI_PARETO_H

#include "src/cli/common.h"
#include "src/tune/select_memory.h"

/* Searches the front of latency against arena and prints it: a table with a chart on a terminal, or JSON. Shows progress on
 * stderr once a second has passed. Points within options->max_memory_bytes are marked. */
gt_status gt_cli_pareto(const gt_graph *graph, const gt_records *records, const gt_select_options *options, bool json,
                        bool quiet) GT_NODISCARD;

#endif
