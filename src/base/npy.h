/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy .npy files of little-endian float32 or int64, C order (NumPy's format specification, versions 1.0 to 3.0). */
#ifndef GT_BASE_NPY_H
#define GT_BASE_NPY_H

#include "src/base/memory.h"

#define GT_NPY_MAX_RANK 8

typedef enum gt_npy_type { GT_NPY_F32, GT_NPY_I64 } gt_npy_type;

typedef struct gt_npy {
    gt_npy_type type;
    int rank;
    int64_t dim[GT_NPY_MAX_RANK];
    int64_t elems;
    void *data; /* aligned to GT_ALIGN_BYTES, owned */
} gt_npy;

/* Reads a file; destroy with gt_npy_destroy. Errors, naming the file and the header field: GT_ERROR_IO,
 * GT_ERROR_FORMAT (not npy, truncated, data longer than the shape says), GT_ERROR_UNSUPPORTED (other dtypes, Fortran
 * order, rank > 8). */
gt_status gt_npy_read(gt_npy *out, const char *path) GT_NODISCARD;

/* Writes a file atomically. `data` holds the elements in C order. */
gt_status gt_npy_write(const char *path, gt_npy_type type, int rank, const int64_t *dim, const void *data) GT_NODISCARD;

void gt_npy_destroy(gt_npy *npy);

#endif
