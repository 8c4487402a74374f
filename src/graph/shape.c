/* SPDX-License-Identifier: Apache-2.0 */
#include "src/graph/shape.h"

#include <stdio.h>

static const struct {
    const char *name;
    size_t bytes;
} dtypes[] = {[GT_F32] = {"f32", 4}, [GT_I64] = {"i64", 8}, [GT_BOOL] = {"bool", 1}};

_Static_assert(sizeof dtypes / sizeof *dtypes == GT_DTYPE_COUNT, "a row per gt_dtype");

size_t gt_dtype_bytes(gt_dtype dtype)
{
    return (size_t)dtype < GT_DTYPE_COUNT ? dtypes[dtype].bytes : 0;
}

const char *gt_dtype_name(gt_dtype dtype)
{
    return (size_t)dtype < GT_DTYPE_COUNT ? dtypes[dtype].name : "unknown";
}

int64_t gt_shape_elems(const gt_shape *shape)
{
    int64_t elems = 1;
    for (int i = 0; i < shape->rank; i++) {
        elems *= shape->dim[i];
    }
    return elems;
}

bool gt_shape_equal(const gt_shape *a, const gt_shape *b)
{
    if (a->rank != b->rank) {
        return false;
    }
    for (int i = 0; i < a->rank; i++) {
        if (a->dim[i] != b->dim[i]) {
            return false;
        }
    }
    return true;
}

gt_status gt_shape_check(const gt_shape *shape)
{
    if (shape->rank < 0 || shape->rank > GT_MAX_RANK) {
        return gt_fail(GT_ERROR_SHAPE, "a tensor has rank %d; 0 to %d are allowed", shape->rank, GT_MAX_RANK);
    }
    /* A zero dimension must not hide an absurd one, so the product is taken over the positive ones. */
    int64_t elems = 1;
    for (int i = 0; i < shape->rank; i++) {
        int64_t dim = shape->dim[i];
        if (dim < 0) {
            return gt_fail(GT_ERROR_SHAPE, "dimension %d is %lld; it must be 0 or more", i, (long long)dim);
        }
        if (dim > 0 && elems > GT_MAX_ELEMS / dim) {
            char text[GT_SHAPE_TEXT_BYTES];
            return gt_fail(GT_ERROR_SHAPE, "shape %s has more than 2^40 elements",
                           gt_shape_format(text, sizeof text, shape));
        }
        elems *= dim > 0 ? dim : 1;
    }
    return GT_OK;
}

gt_shape gt_shape_of(int rank, const int64_t *dim)
{
    gt_shape shape = {.rank = rank};
    for (int i = 0; i < rank && i < GT_MAX_RANK; i++) {
        shape.dim[i] = dim[i];
    }
    return shape;
}

gt_shape gt_shape_4d(int64_t n, int64_t c, int64_t h, int64_t w)
{
    return (gt_shape){.rank = 4, .dim = {n, c, h, w}};
}

const char *gt_shape_format(char *buffer, size_t bytes, const gt_shape *shape)
{
    if (bytes == 0) {
        return buffer;
    }
    snprintf(buffer, bytes, "%s", shape->rank == 0 ? "scalar" : "");
    size_t used = 0;
    for (int i = 0; i < shape->rank && i < GT_MAX_RANK && used < bytes; i++) {
        int wrote = snprintf(buffer + used, bytes - used, "%s%lld", i > 0 ? "x" : "", (long long)shape->dim[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return buffer;
}

bool gt_shape_broadcast(gt_shape *out, const gt_shape *a, const gt_shape *b)
{
    gt_shape result = {.rank = a->rank > b->rank ? a->rank : b->rank};
    for (int i = 1; i <= result.rank; i++) {
        int64_t da = i <= a->rank ? a->dim[a->rank - i] : 1;
        int64_t db = i <= b->rank ? b->dim[b->rank - i] : 1;
        if (da != db && da != 1 && db != 1) {
            return false;
        }
        result.dim[result.rank - i] = da == 1 ? db : da;
    }
    *out = result;
    return true;
}
