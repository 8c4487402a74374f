/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GT_IMPORT_ONNX_NAMES_H
#define GT_IMPORT_ONNX_NAMES_H

#include "src/import/onnx_context.h"

/* Enters every name of the model, with its producer and its number of readers, and names the nodes.
 * Errors: GT_ERROR_FORMAT for names that are undefined or defined twice, with the nodes concerned. */
gt_status gt_i_onnx_enter_names(gt_i_onnx *c) GT_NODISCARD;

/* Fills c->order. Errors: GT_ERROR_FORMAT naming the nodes of a cycle. */
gt_status gt_i_onnx_order_nodes(gt_i_onnx *c) GT_NODISCARD;

#endif
