/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for other programs' eyes: as an annotated ONNX model (Netron) and as a drawing (graphviz); docs/export.md. */
#ifndef GT_EXPORT_EXPORT_H
#define GT_EXPORT_EXPORT_H

#include "src/import/onnx_file.h"
#include "src/plan/plan.h"

/* The domain of operators that ONNX does not have. */
#define GT_EXPORT_DOMAIN "ai.graphtune"

typedef struct gt_export_options {
    bool no_weights;         /* constants of more than one element become graph inputs: their shapes without their data */
    const char *plan_sha256; /* of the plan file, for the model's metadata; NULL: left out */
} gt_export_options;

/* The network after folding and fusion as the plan runs it: an op is its ONNX operator, named as the op, and one node
 * each for what is fused into it; a transform is an Identity. Tensors have the logical shapes and an input or output
 * keeps its name. What the plan chose for a node stands in its metadata and doc_string. Every operator that ONNX (opset 13) can
 * express is one of ONNX's; the others are in GT_EXPORT_DOMAIN. `options` may be NULL.
 *
 * The model borrows the graph's constants: destroy it (gt_onnx_model_destroy) before the graph.
 * Errors: GT_ERROR_MISMATCH (plan and graph do not belong together), GT_ERROR_MEMORY. */
gt_status gt_export_onnx(gt_onnx_model **model, const gt_graph *graph, const gt_plan *plan,
                         const gt_export_options *options) GT_NODISCARD;

/* The same as a graphviz file: a box per op, coloured by layout, and an ellipse per transform. Appended to *text.
 * Errors: as above. */
gt_status gt_export_dot(gt_text *text, const gt_graph *graph, const gt_plan *plan) GT_NODISCARD;

/* Where the costs come from, if they were not measured on the device: "imported", …; NULL: they were. */
const char *gt_i_export_unmeasured(const gt_plan *plan);

#endif
