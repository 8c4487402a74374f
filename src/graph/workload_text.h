/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of workloads, described in workload.h. Internal to src/graph. */
#ifndef GT_GRAPH_WORKLOAD_TEXT_H
#define GT_GRAPH_WORKLOAD_TEXT_H

#include "src/graph/workload.h"

/* The text of a workload whose other fields are set; free with gt_free. */
gt_status gt_i_workload_format(char **key, const gt_workload *w) GT_NODISCARD;

/* A float with the fewest significant digits that read back equal, "inf" and "-inf" included. */
gt_status gt_i_float_format(gt_text *text, float value) GT_NODISCARD;

#endif
