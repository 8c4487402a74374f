/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that give the same elements another shape or order: Reshape, Flatten, Squeeze, ExpandDims,
 * Permute. */
#include "src/import/ncnn_context.h"

#include <string.h>

/* ---- Reshape ---- */

/* The wanted sizes, outermost first: 0 copies the bottom's, one -1 is what remains. */
static gt_status resolve_sizes(int64_t *size, int dims, const gt_shape *x)
{
    static const char *const names[4][4] = {{"w"}, {"h", "w"}, {"c", "h", "w"}, {"c", "d", "h", "w"}};
    gt_status status = GT_OK;
    int64_t known = 1;
    int open = -1;
    for (int i = 0; i < dims; i++) {
        /* ncnn counts from the name of the dimension: w is the last, c the first of three or four, and a size
         * that the bottom does not have is 1. */
        if (size[i] == 0) {
            int from = dims >= 3 && i == 0 ? (x->rank >= 4 ? 1 : 0) : x->rank - dims + i;
            from = dims == 4 && i == 1 && x->rank < 5 ? 0 : from;
            size[i] = from >= 1 ? x->dim[from] : 1;
        }
        GT_REQUIRE(size[i] != -1 || open < 0, GT_ERROR_FORMAT, "%s and %s are both -1; one may be",
                   names[dims - 1][open], names[dims - 1][i]);
        open = size[i] == -1 ? i : open;
        if (size[i] != -1) {
            GT_TRY(gt_i_mul(&known, known, size[i], "the new shape"));
        }
    }
    if (open >= 0) {
        GT_REQUIRE(gt_shape_elems(x) % known == 0, GT_ERROR_SHAPE,
                   "%s is -1, and the bottom's %lld elements are no multiple of %lld", names[dims - 1][open],
                   (long long)gt_shape_elems(x), (long long)known);
        size[open] = gt_shape_elems(x) / known;
    }
done:
    return status;
}

static gt_status read_sizes(int64_t *size, int *dims, const gt_ncnn_layer *layer)
{
    static const struct {
        int id;
        const char *name;
    } fields[4] = {{0, "w"}, {1, "h"}, {11, "d"}, {2, "c"}};
    gt_status status = GT_OK;
    int64_t value[4]; /* innermost first */
    int n = 0;
    for (int i = 0; i < 4; i++) {
        int64_t read = GT_NCNN_REST;
        GT_TRY(gt_i_ncnn_int(&read, layer, fields[i].id, fields[i].name, GT_NCNN_REST, GT_NCNN_REST,
                             INT32_MAX));
        GT_REQUIRE(read >= -1 || read == GT_NCNN_REST, GT_ERROR_FORMAT,
                   "parameter %d (%s) is %lld; a size, 0 (copied), -1 (what remains) or -233 (no such "
                   "dimension) is needed", fields[i].id, fields[i].name, (long long)read);
        /* d may be left out with c there; the others may not be. */
        GT_REQUIRE(read == GT_NCNN_REST || n == i || (i == 3 && n == 2), GT_ERROR_FORMAT,
                   "parameter %d (%s) is given without the dimensions inside it", fields[i].id,
                   fields[i].name);
        if (read != GT_NCNN_REST) {
            value[n++] = read;
        }
    }
    GT_REQUIRE(n > 0, GT_ERROR_FORMAT, "no dimension is given (parameters 0, 1, 2, 11)");
    for (int i = 0; i < n; i++) {
        size[i] = value[n - 1 - i];
    }
    *dims = n;
done:
    return status;
}

/* Old files from frameworks whose channels lie innermost: the reshape happens in h w c order. */
static gt_status reshape_innermost(gt_i_ncnn *c, int dims, const int64_t *size)
{
    static const int64_t to_hwc[4] = {0, 2, 3, 1};
    static const int64_t to_chw[4] = {0, 3, 1, 2};
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape shape = gt_i_ncnn_make_shape(dims, size);
    if (gt_i_ncnn_dims(c, x) == 3) {
        GT_TRY(gt_i_ncnn_transpose(&x, c, GT_I_HELPER, x, to_hwc));
    }
    if (dims == 3) {
        gt_shape hwc = gt_shape_4d(1, size[1], size[2], size[0]);
        GT_TRY(gt_i_ncnn_reshape(&x, c, GT_I_HELPER, x, &hwc));
        GT_TRY(gt_i_ncnn_transpose(NULL, c, 0, x, to_chw));
    } else {
        GT_TRY(gt_i_ncnn_reshape(NULL, c, 0, x, &shape));
    }
done:
    return status;
}

gt_status gt_i_ncnn_reshape_layer(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int64_t size[4];
    int dims = 0;
    bool permute = false;
    char a[GT_SHAPE_TEXT_BYTES];
    char b[GT_SHAPE_TEXT_BYTES];
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape now = gt_i_ncnn_shape(c, x);
    GT_TRY(gt_i_ncnn_flag(&permute, layer, 3, "permute"));
    GT_TRY(read_sizes(size, &dims, layer));
    GT_TRY(resolve_sizes(size, dims, &now));
    gt_shape shape = gt_i_ncnn_make_shape(dims, size);
    GT_TRY(gt_shape_check(&shape));
    GT_REQUIRE(gt_shape_elems(&shape) == gt_shape_elems(&now), GT_ERROR_SHAPE,
               "the bottom has shape %s; its %lld elements cannot be seen as %s", gt_shape_format(a, sizeof a,
                   &now),
               (long long)gt_shape_elems(&now), gt_shape_format(b, sizeof b, &shape));
    GT_TRY(permute ? reshape_innermost(c, dims, size) : gt_i_ncnn_reshape(NULL, c, 0, x, &shape));
done:
    return status;
}

gt_status gt_i_ncnn_flatten(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape now = gt_i_ncnn_shape(c, x);
    gt_shape shape = {.rank = 2, .dim = {1, gt_shape_elems(&now)}};
    (void)layer;
    return gt_i_ncnn_reshape(NULL, c, 0, x, &shape);
}

/* ---- Squeeze and ExpandDims ---- */

/* The axes that parameters name: one by one (0 w, 1 h, 11 d, 2 c) or in the array 3. `rank` is that of the
 * tensor that has these axes. */
static gt_status read_axes(bool *axes, const gt_ncnn_layer *layer, int rank)
{
    static const struct {
        int id, from_end;
        const char *name;
    } fields[4] = {{0, 1, "w"}, {1, 2, "h"}, {11, 3, "d"}, {2, 0, "c"}};
    gt_status status = GT_OK;
    const gt_ncnn_param *array = gt_i_ncnn_array(layer, 3);
    for (int i = 0; i < 4 && array == NULL; i++) {
        bool set = false;
        int axis = fields[i].from_end > 0 ? rank - fields[i].from_end : 1;
        bool there = fields[i].from_end > 0 ? rank - 1 >= fields[i].from_end + (i == 2) : rank - 1 >= 3;
        GT_TRY(gt_i_ncnn_flag(&set, layer, fields[i].id, fields[i].name));
        if (set && there) {
            axes[axis] = true;
        }
    }
    for (int64_t i = 0; i < gt_i_ncnn_array_count(array); i++) {
        int64_t axis = 0;
        GT_TRY(gt_i_ncnn_array_int(&axis, array, i, "axes"));
        GT_REQUIRE(axis >= -(rank - 1) && axis < rank - 1, GT_ERROR_FORMAT,
                   "element %lld of parameter 3 (axes) is %lld; %d to %d are allowed", (long long)i,
                   (long long)axis, -(rank - 1), rank - 2);
        axes[(axis < 0 ? axis + rank - 1 : axis) + 1] = true;
    }
done:
    return status;
}

gt_status gt_i_ncnn_squeeze(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape now = gt_i_ncnn_shape(c, x);
    gt_shape shape = {.rank = 1, .dim = {1}};
    bool gone[GT_MAX_RANK] = {false};
    GT_TRY(read_axes(gone, layer, now.rank));
    /* An axis of another size than 1 stays, as in ncnn. */
    for (int i = 1; i < now.rank; i++) {
        if (!gone[i] || now.dim[i] != 1) {
            shape.dim[shape.rank++] = now.dim[i];
        }
    }
    if (shape.rank == 1) {
        shape.dim[shape.rank++] = 1;
    }
    GT_TRY(gt_i_ncnn_reshape(NULL, c, 0, x, &shape));
done:
    return status;
}

/* How many axes the parameters add. */
static int count_new_axes(const gt_ncnn_layer *layer)
{
    static const int ids[4] = {0, 1, 11, 2};
    const gt_ncnn_param *array = gt_i_ncnn_array(layer, 3);
    int count = 0;
    for (int i = 0; i < 4; i++) {
        int64_t set = 0;
        count += gt_i_ncnn_int(&set, layer, ids[i], "", 0, 0, 1) == GT_OK && set != 0;
    }
    return array != NULL ? (int)(array->count < GT_MAX_RANK ? array->count : GT_MAX_RANK) : count;
}

gt_status gt_i_ncnn_expand_dims(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    gt_status status = GT_OK;
    int x = gt_i_ncnn_bottom(c, 0);
    gt_shape now = gt_i_ncnn_shape(c, x);
    gt_shape shape = {.rank = now.rank + count_new_axes(layer), .dim = {1}};
    bool fresh[2 * GT_MAX_RANK] = {false};
    int from = 1;
    GT_REQUIRE(shape.rank <= 5, GT_ERROR_FORMAT, "the bottom has %d dimensions, and %d more are added; up to "
               "4 in all are allowed", now.rank - 1, shape.rank - now.rank);
    GT_TRY(read_axes(fresh, layer, shape.rank));
    for (int i = 1; i < shape.rank; i++) {
        GT_REQUIRE(fresh[i] || from < now.rank, GT_ERROR_FORMAT, "its axes do not name %d different "
                   "dimensions", shape.rank - now.rank);
        shape.dim[i] = fresh[i] ? 1 : now.dim[from++];
    }
    GT_TRY(gt_i_ncnn_reshape(NULL, c, 0, x, &shape));
done:
    return status;
}

/* ---- Permute ---- */

/* Where the dimensions of the result come from, innermost first, by order_type. */
static const char *const orders3[] = {"WHC", "HWC", "WCH", "CWH", "HCW", "CHW"};
static const char *const orders4[] = {
    "WHDC", "HWDC", "WDHC", "DWHC", "HDWC", "DHWC", "WHCD", "HWCD", "WCHD", "CWHD", "HCWD", "CHWD",
    "WDCH", "DWCH", "WCDH", "CWDH", "DCWH", "CDWH", "HDCW", "DHCW", "HCDW", "CHDW", "DCHW", "CDHW",
};

gt_status gt_i_ncnn_permute(gt_i_ncnn *c, const gt_ncnn_layer *layer)
{
    static const char *const named[] = {"", "W", "WH", "WHC", "WHDC"};
    static const int64_t counts[] = {0, 1, 2, 6, 24};
    gt_status status = GT_OK;
    int64_t type = 0;
    int64_t perm[GT_MAX_RANK] = {0};
    int x = gt_i_ncnn_bottom(c, 0);
    int dims = gt_i_ncnn_dims(c, x);
    GT_TRY(gt_i_ncnn_need_dims(c, x, 1, 4));
    GT_TRY(gt_i_ncnn_int(&type, layer, 0, "order_type", 0, 0, counts[dims] - 1));
    if (type == 0) {
        gt_i_ncnn_alias(c, 0, x);
        goto done;
    }
    const char *order = dims == 2 ? "HW" : dims == 3 ? orders3[type] : orders4[type];
    for (int i = 0; i < dims; i++) {
        const char *from = strchr(named[dims], order[i]);
        perm[dims - i] = dims - (from - named[dims]);
    }
    GT_TRY(gt_i_ncnn_transpose(NULL, c, 0, x, perm));
done:
    return status;
}
