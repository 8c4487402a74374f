/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor data that an ONNX model keeps in a file of its own. */
#ifndef GT_IMPORT_ONNX_EXTERNAL_H
#define GT_IMPORT_ONNX_EXTERNAL_H

#include "src/base/memory.h"

/* Where the bytes are, as the model states it. A field is NULL when the model does not state it. */
typedef struct gt_i_onnx_location {
    const char *file;   /* relative to the model's folder, '/' between components */
    const char *offset; /* bytes, decimal; NULL is 0 */
    const char *length; /* bytes, decimal; NULL is "as many as the tensor has" */
} gt_i_onnx_location;

/* Reads exactly `bytes` bytes (the tensor's size) into *data; free with gt_free. Only regular
 * files inside the folder of `model_path` are opened; absolute paths, ".." and symbolic links
 * are refused.
 * Errors: GT_ERROR_FORMAT (location outside the folder, bad or out-of-range offset or length),
 * GT_ERROR_IO (missing, unreadable), GT_ERROR_MEMORY. */
gt_status gt_i_onnx_read_external(void **data, size_t bytes, const gt_i_onnx_location *location,
                                  const char *model_path) GT_NODISCARD;

#endif
