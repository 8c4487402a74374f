/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that the plan's writer and reader share. */
#ifndef GT_PLAN_PLAN_NAMES_H
#define GT_PLAN_PLAN_NAMES_H

#define gt_i_plan_format "graphtune-plan"

extern const char *const gt_i_source_names[4];
extern const char *const gt_i_layout_names[];
extern const char *const gt_i_dtype_names[];

#endif
