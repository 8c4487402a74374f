/* SPDX-License-Identifier: Apache-2.0 */
/* How the parts of a plan file are read and written; for the files of this folder. */
#ifndef GT_PLAN_PLAN_PARTS_H
#define GT_PLAN_PLAN_PARTS_H

#include "src/plan/plan.h"
#include "src/records/json.h"

#define GT_PLAN_MAX_ENTRIES 1000000
#define GT_PLAN_MAX_NS 1e15       /* of one entry */
#define GT_PLAN_MAX_TOTAL_NS 1e22 /* of all that are allowed */

/* ---- members of any object ---- */

/* A copy of a string. */
gt_status gt_i_plan_string(char **out, const gt_json *node, const char *key) GT_NODISCARD;

gt_status gt_i_plan_layout(gt_layout *out, const gt_json *node, const char *key) GT_NODISCARD;

/* A string of exactly `digits` hexadecimal digits, NUL included. */
gt_status gt_i_plan_hex(char *out, const gt_json *node, const char *key, size_t digits) GT_NODISCARD;

/* An array's node and the number of its elements. */
gt_status gt_i_plan_array(const gt_json **array, int *count, const gt_json *node, const char *key) GT_NODISCARD;

/* ---- "transforms" ---- */

/* Into a schedule that has none; its predicted_ns grows by what they take. */
gt_status gt_i_read_transforms(gt_schedule *schedule, const gt_json *node) GT_NODISCARD;
void gt_i_write_transforms(gt_json_writer *writer, const gt_schedule *schedule);

/* ---- "result" ---- */

/* `sum` is what the plan's own entries add up to. */
gt_status gt_i_read_result(gt_plan_result *result, const gt_json *root, double sum) GT_NODISCARD;
void gt_i_write_result(gt_json_writer *writer, const gt_plan *plan);

/* ---- "selection" ---- */

/* *selection stays NULL where the plan has none. The plan's device and threads are those of the refined figures. */
gt_status gt_i_read_selection(gt_plan_selection **selection, const gt_json *root, const gt_plan *plan) GT_NODISCARD;
/* Writes nothing for NULL. */
void gt_i_write_selection(gt_json_writer *writer, const gt_plan_selection *selection);
void gt_i_plan_selection_destroy(gt_plan_selection *selection);

#endif
