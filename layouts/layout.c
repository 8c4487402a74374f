/* SPDX-License-Identifier: Apache-2.0 */
#include "layouts/layout.h"

#include <string.h>

static const struct {
    const char *name;
    int64_t block;
} layouts[GT_LAYOUT_COUNT] = {
#define X(id, name, block) {name, block},
    GT_LAYOUT_LIST(X)
#undef X
};

const char *gt_layout_name(gt_layout layout)
{
    return (unsigned)layout < GT_LAYOUT_COUNT ? layouts[layout].name : "unknown";
}

gt_layout gt_layout_find(const char *name)
{
    gt_layout layout = 0;
    while (layout < GT_LAYOUT_COUNT && strcmp(layouts[layout].name, name) != 0) {
        layout++;
    }
    return layout;
}

int64_t gt_layout_block(gt_layout layout)
{
    return gt_layout_is_blocked(layout) ? layouts[layout].block : 1;
}

bool gt_layout_is_blocked(gt_layout layout)
{
    return layouts[layout].block > 1;
}

bool gt_layout_allows(gt_layout layout, const gt_shape *shape)
{
    return layout == GT_NCHW || (shape->rank == 4 && layout < GT_LAYOUT_COUNT);
}

gt_shape gt_shape_as_4d(const gt_shape *shape)
{
    gt_shape four = {.rank = 4, .dim = {1, 1, 1, 1}};
    for (int i = 0; i < shape->rank; i++) {
        int axis = i + 4 - shape->rank;
        four.dim[axis > 0 ? axis : 0] *= shape->dim[i];
    }
    return four;
}

gt_strides gt_layout_strides(gt_layout layout, const gt_shape *shape)
{
    gt_shape four = gt_shape_as_4d(shape);
    int64_t c = four.dim[1];
    int64_t pixels = four.dim[2] * four.dim[3];
    gt_strides s = {.block = gt_layout_block(layout)};
    bool channels_last = layout == GT_NHWC;
    s.blocks = (c + s.block - 1) / s.block;
    s.c = 1;
    s.w = channels_last ? c : s.block;
    s.h = s.w * four.dim[3];
    s.block_stride = channels_last ? 1 : pixels * s.block;
    s.n = s.blocks * s.block * pixels;
    s.total = s.n * four.dim[0];
    return s;
}

int64_t gt_layout_elems(gt_layout layout, const gt_shape *shape)
{
    return gt_layout_strides(layout, shape).total;
}
