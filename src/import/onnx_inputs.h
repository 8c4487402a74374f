/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_IMPORT_ONNX_INPUTS_H
#define GT_IMPORT_ONNX_INPUTS_H

#include "src/import/onnx_context.h"

/* Makes the graph's inputs, with c->options->shapes for what the model leaves open.
 * Errors: GT_ERROR_SHAPE listing the inputs and the flags that would settle their shapes, GT_ERROR_NOT_FOUND
 * for a given shape without an input, GT_ERROR_UNSUPPORTED for element types. */
gt_status gt_i_onnx_add_inputs(gt_i_onnx *c) GT_NODISCARD;

/* The static shape that the model states for a value; false if it leaves a dimension open. */
bool gt_i_onnx_stated_shape(gt_shape *shape, const gt_i_onnx *c, const gt_onnx_value *info);

#endif
