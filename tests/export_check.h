/* SPDX-License-Identifier: Apache-2.0 */
/* Exports of plans with made-up times, and what must hold of them. All of it aborts the running Check test where
 * something fails. */
#ifndef GT_TESTS_EXPORT_CHECK_H
#define GT_TESTS_EXPORT_CHECK_H

#include "src/export/export.h"
#include "src/import/import.h"

#include <check.h>

/* The suite's folder for files; made and removed by xc_run. */
extern char xc_folder[1024];

void xc_ok(gt_status status);

/* A plan with random times for every candidate and transform; it depends on `seed` alone. */
gt_plan *xc_plan(gt_graph *graph, uint64_t seed);

gt_onnx_model *xc_export(const gt_graph *graph, const gt_plan *plan, const gt_export_options *options);

/* The value of a note, or NULL. */
const char *xc_note(const gt_onnx_notes *notes, const char *key);

/* Every op has one node of its name with all it should say, every transform has one, every other node says what it is part
 * of, and the times add up to the plan's. */
void xc_check_notes(const gt_onnx_model *model, const gt_graph *graph, const gt_plan *plan);

/* How many nodes are of GT_EXPORT_DOMAIN. */
int xc_count_own(const gt_onnx_model *model);

/* Writes the model to <xc_folder>/<name>.onnx and reads it again: the same inputs and outputs by name and shape, and outputs
 * within 1e-6 of the graph's. Returns what was read. `source_form`: without the optimising passes. */
gt_graph *xc_read_back(const gt_graph *graph, const gt_onnx_model *model, const char *name, bool source_form);

/* Runs a suite with the folder in place, then onnx.checker on every file that is left there, where Python has it; returns
 * main's exit status. */
int xc_run(Suite *suite);

#endif
