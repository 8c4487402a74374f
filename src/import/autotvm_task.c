/* SPDX-License-Identifier: Apache-2.0 */
/* AutoTVM's tasks as workloads and layouts. */
#include "src/graph/workload.h"
#include "src/import/autotvm_line.h"

#include <stdio.h>
#include <string.h>

typedef enum form {
    CONV,          /* data, kernel, strides, padding, dilation, [layout, …] */
    DEPTHWISE,     /* the same; the kernel holds the multiplier where CONV has input channels */
    TRANSPOSE,     /* data, kernel, strides, padding, dtype, output padding */
    DENSE          /* data, weight */
} form;

/* nhwc: data NHWC and kernel HWIO (depthwise: HWCM). blocked: data NCHW in the task, NCHW[x]c in memory. */
typedef struct task_row {
    const char *name;
    form form;
    bool nhwc, blocked;
} task_row;

static const task_row tasks[] = {
    {"conv2d_nchw_spatial_pack.arm_cpu", CONV, false, false},
    {"conv2d_nchw_winograd.arm_cpu", CONV, false, false},
    {"conv2d_nchw_winograd_nnpack.arm_cpu", CONV, false, false},
    {"group_conv2d_nchw.arm_cpu", CONV, false, false},
    {"conv2d_nhwc_spatial_pack.arm_cpu", CONV, true, false},
    {"depthwise_conv2d_nchw.arm_cpu", DEPTHWISE, false, false},
    {"depthwise_conv2d_nchw_spatial_pack.arm_cpu", DEPTHWISE, false, false},
    {"depthwise_conv2d_nhwc.arm_cpu", DEPTHWISE, true, false},
    {"conv2d_transpose_nchw.arm_cpu", TRANSPOSE, false, false},
    {"conv2d_NCHWc.x86", CONV, false, true},
    {"depthwise_conv2d_NCHWc.x86", DEPTHWISE, false, true},
    {"group_conv2d_nchw.x86", CONV, false, false},
    {"conv2d_transpose_nchw.x86", TRANSPOSE, false, false},
    {"dense_nopack.x86", DENSE, false, false},
    {"dense_pack.x86", DENSE, false, false},
    /* version 0.1 */
    {"topi_nn_conv2d", CONV, false, false},
    {"topi_nn_group_conv2d_nchw", CONV, false, false},
    {"topi_nn_depthwise_conv2d_nchw", DEPTHWISE, false, false},
    {"topi_nn_conv2d_transpose_nchw", TRANSPOSE, false, false},
    {"topi_nn_dense", DENSE, false, false},
    {"topi_x86_conv2d_NCHWc", CONV, false, true},
    {"topi_x86_depthwise_conv2d_NCHWc_from_nchw", DEPTHWISE, false, true},
};

#define SKIP(out, ...) snprintf((out)->skipped, sizeof (out)->skipped, __VA_ARGS__)

/* ["TENSOR", [1, 64, 56, 56], "float32"], argument number `index`. Another dtype is a reason to skip. */
static gt_status read_tensor(gt_shape *shape, gt_autotvm_case *out, const gt_json *arguments, int index)
{
    gt_status status = GT_OK;
    const gt_json *node = gt_json_at(arguments, index);
    const char *text = NULL;
    if (gt_json_type_of(arguments) != GT_JSON_ARRAY || node == NULL) {
        return gt_json_fail(arguments, GT_ERROR_FORMAT, "the task's arguments, an array of %d or more, are needed",
                            index + 1);
    }
    const gt_json *dims = gt_json_at(node, 1);
    if (gt_json_type_of(node) != GT_JSON_ARRAY || gt_json_count(node) != 3 || gt_json_type_of(dims) != GT_JSON_ARRAY) {
        return gt_json_fail(node, GT_ERROR_FORMAT,
                            "a tensor is needed, as in [\"TENSOR\", [1, 3, 224, 224], \"float32\"]");
    }
    if (gt_json_count(dims) > GT_MAX_RANK) {
        return gt_json_fail(dims, GT_ERROR_FORMAT, "at most %d dimensions are allowed", GT_MAX_RANK);
    }
    *shape = (gt_shape){.rank = (int)gt_json_count(dims)};
    for (int i = 0; i < shape->rank; i++) {
        GT_TRY(gt_json_as_i64(gt_json_at(dims, i), &shape->dim[i], 1, INT32_MAX));
    }
    if (gt_shape_check(shape) != GT_OK) {
        return gt_json_fail(dims, GT_ERROR_FORMAT, "at most 2^40 elements are allowed");
    }
    GT_TRY(gt_json_as_string(gt_json_at(node, 2), &text));
    if (strcmp(text, "float32") != 0) {
        SKIP(out, "dtype %.40s", text);
    }
done:
    return status;
}

/* Argument number `index`: one number for all, or `n` of them; two pads stand for top and bottom, left and right. */
static gt_status read_numbers(int64_t *values, int n, const gt_json *arguments, int index, int64_t min)
{
    gt_status status = GT_OK;
    const gt_json *node = gt_json_at(arguments, index);
    int count = node != NULL ? (int)gt_json_count(node) : 0;
    if (node == NULL) {
        return gt_json_fail(arguments, GT_ERROR_FORMAT, "%d arguments or more are needed", index + 1);
    }
    if (gt_json_type_of(node) == GT_JSON_NUMBER) {
        for (int i = 0; i < n; i++) {
            GT_TRY(gt_json_as_i64(node, &values[i], min, 1 << 20));
        }
        return GT_OK;
    }
    if (gt_json_type_of(node) != GT_JSON_ARRAY || (count != 2 && count != n)) {
        return gt_json_fail(node, GT_ERROR_FORMAT, "a number or an array of %s is needed", n == 4 ? "2 or 4" : "2");
    }
    for (int i = 0; i < n; i++) {
        GT_TRY(gt_json_as_i64(gt_json_at(node, i % count), &values[i], min, 1 << 20));
    }
done:
    return status;
}

/* The last number of tile `name`: the channels in a block. */
static gt_status read_block(int64_t *block, const gt_autotvm_line *line, const char *name)
{
    gt_status status = GT_OK;
    const gt_json *entities = NULL;
    GT_TRY(gt_json_get_array(line->config, line->entity_key, &entities));
    for (int64_t i = 0; i < gt_json_count(entities); i++) {
        const gt_json *entity = gt_json_at(entities, i);
        const char *key = NULL;
        if (gt_json_count(entity) != 3 || gt_json_as_string(gt_json_at(entity, 0), &key) != GT_OK) {
            return gt_json_fail(entity, GT_ERROR_FORMAT, "a knob is needed, as in [\"tile_ic\", \"sp\", [-1, 8]]");
        }
        if (strcmp(key, name) == 0) {
            const gt_json *sizes = gt_json_at(entity, 2);
            const gt_json *last = gt_json_at(sizes, gt_json_count(sizes) - 1);
            if (last == NULL) {
                return gt_json_fail(sizes, GT_ERROR_FORMAT, "the sizes of the tiles are needed");
            }
            return gt_json_as_i64(last, block, 1, 1 << 20);
        }
    }
    status = gt_json_fail(entities, GT_ERROR_FORMAT, "there is no knob %s, which tells the layout", name);
done:
    return status;
}

/* The layout of blocks of so many channels. One block of all of them is NHWC in memory, blocks of one are NCHW. */
static gt_layout block_layout(int64_t block, int64_t channels)
{
    for (int i = 0; i < GT_LAYOUT_COUNT; i++) {
        if (gt_layout_is_blocked((gt_layout)i) && gt_layout_block((gt_layout)i) == block) {
            return (gt_layout)i;
        }
    }
    return block == 1 ? GT_NCHW : block == channels ? GT_NHWC : GT_LAYOUT_COUNT;
}

gt_status gt_i_autotvm_find_layouts(gt_autotvm_case *out, const gt_autotvm_line *line)
{
    gt_status status = GT_OK;
    int64_t in = 0;
    int64_t produced = 0;
    GT_TRY(read_block(&in, line, "tile_ic"));
    GT_TRY(read_block(&produced, line, "tile_oc"));
    gt_layout layouts[2] = {block_layout(in, out->in_channels), block_layout(produced, out->out_channels)};
    if (layouts[0] == GT_LAYOUT_COUNT || layouts[1] == GT_LAYOUT_COUNT) {
        SKIP(out, "layout NCHW%lldc", (long long)(layouts[0] == GT_LAYOUT_COUNT ? in : produced));
    }
    out->in = layouts[0];
    out->out = layouts[1];
done:
    return status;
}

/* From {a, b, c, d} to {from[0], from[1], …}. */
static void permute(gt_shape *shape, const int from[4])
{
    gt_shape old = *shape;
    for (int i = 0; i < 4; i++) {
        shape->dim[i] = old.dim[from[i]];
    }
}

static gt_status make_key(gt_autotvm_case *out, const gt_json *arguments, gt_op_kind kind, const gt_attrs *attrs,
                          const gt_shape *data, const gt_shape *kernel, const gt_operand *hint)
{
    gt_status status = GT_OK;
    gt_workload *workload = NULL;
    const gt_operand inputs[2] = {{.present = true, .dtype = GT_F32, .shape = *data},
                                  {.present = true, .constant = true, .dtype = GT_F32, .shape = *kernel}};
    status = gt_workload_create(&workload, kind, attrs, NULL, 2, inputs, hint);
    if (status != GT_OK && status != GT_ERROR_MEMORY) {
        gt_text reason = {0};
        status = gt_text_append(&reason, "%s", gt_error_message());
        status = status == GT_OK ? gt_json_fail(arguments, GT_ERROR_FORMAT, "%s", reason.data) : status;
        gt_text_destroy(&reason);
    }
    GT_TRY(status);
    out->workload = workload->key;
    workload->key = NULL;
done:
    gt_workload_destroy(workload);
    return status;
}

static gt_status map_conv(gt_autotvm_case *out, const gt_autotvm_line *line, const task_row *row, gt_shape data,
                          gt_shape kernel)
{
    static const int from_nhwc[] = {0, 3, 1, 2};
    static const int from_hwio[] = {3, 2, 0, 1};
    static const int from_hwcm[] = {2, 3, 0, 1};
    gt_status status = GT_OK;
    const gt_json *a = line->arguments;
    gt_attrs attrs = {0};
    const char *layout = NULL;
    /* topi_nn_conv2d of version 0.1 names its layout. */
    const gt_json *sixth = gt_json_at(a, 5);
    bool named = line->template_key != NULL && sixth != NULL && gt_json_type_of(sixth) == GT_JSON_STRING &&
                 gt_json_as_string(sixth, &layout) == GT_OK;
    bool nhwc = row->nhwc || (named && strcmp(layout, "NHWC") == 0);
    if (nhwc) {
        permute(&data, from_nhwc);
        permute(&kernel, row->form == DEPTHWISE ? from_hwcm : from_hwio);
    }
    GT_TRY(read_numbers(attrs.conv.stride, 2, a, 2, 1));
    GT_TRY(read_numbers(attrs.conv.pad, 4, a, 3, 0));
    GT_TRY(read_numbers(attrs.conv.dilation, 2, a, 4, 1));
    if (row->form == DEPTHWISE) {
        attrs.conv.groups = data.dim[1];
        GT_TRY(gt_i_mul(&kernel.dim[0], kernel.dim[0], kernel.dim[1], "output channels"));
        kernel.dim[1] = 1;
    } else {
        attrs.conv.groups = data.dim[1] / kernel.dim[1] > 0 ? data.dim[1] / kernel.dim[1] : 1;
    }
    out->in = out->out = nhwc ? GT_NHWC : GT_NCHW;
    out->blocked = row->blocked;
    out->in_channels = data.dim[1];
    out->out_channels = kernel.dim[0];
    GT_TRY(make_key(out, a, GT_OP_CONV2D, &attrs, &data, &kernel, NULL));
done:
    return status;
}

static gt_status map_transpose(gt_autotvm_case *out, const gt_json *a, gt_shape data, gt_shape kernel)
{
    gt_status status = GT_OK;
    gt_attrs attrs = {.conv = {.dilation = {1, 1}, .groups = 1}};
    int64_t extra[2] = {0};
    int64_t *pad = attrs.conv.pad;
    gt_operand produced = {.present = true, .dtype = GT_F32, .shape = {.rank = 4}};
    GT_TRY(read_numbers(attrs.conv.stride, 2, a, 2, 1));
    GT_TRY(read_numbers(pad, 4, a, 3, 0));
    if (gt_json_at(a, 5) != NULL) {
        GT_TRY(read_numbers(extra, 2, a, 5, 0));
    }
    produced.shape.dim[0] = data.dim[0];
    produced.shape.dim[1] = kernel.dim[1];
    for (int i = 0; i < 2; i++) {
        produced.shape.dim[2 + i] =
            (data.dim[2 + i] - 1) * attrs.conv.stride[i] + kernel.dim[2 + i] - pad[i] - pad[2 + i] + extra[i];
    }
    out->in = out->out = GT_NCHW;
    GT_TRY(make_key(out, a, GT_OP_CONV_TRANSPOSE2D, &attrs, &data, &kernel, &produced));
done:
    return status;
}

static const task_row *find_task(const char *name)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        if (strcmp(tasks[i].name, name) == 0) {
            return &tasks[i];
        }
    }
    return NULL;
}

gt_status gt_i_autotvm_map(gt_autotvm_case *out, const gt_autotvm_line *line)
{
    gt_status status = GT_OK;
    gt_autotvm_case c = {.in = GT_NCHW, .out = GT_NCHW};
    gt_shape data;
    gt_shape kernel;
    const task_row *row = find_task(line->task);
    if (row == NULL) {
        SKIP(&c, "task %.80s", line->task);
        goto done;
    }
    GT_TRY(read_tensor(&data, &c, line->arguments, 0));
    GT_TRY(read_tensor(&kernel, &c, line->arguments, 1));
    int rank = row->form == DENSE ? 2 : 4;
    if (c.skipped[0] == '\0' && (data.rank != rank || kernel.rank != rank)) {
        SKIP(&c, "tensors of %d and %d dimensions", data.rank, kernel.rank);
    }
    if (c.skipped[0] != '\0') {
        goto done;
    }
    if (row->form == DENSE) {
        GT_TRY(make_key(&c, line->arguments, GT_OP_DENSE, NULL, &data, &kernel, NULL));
    } else if (row->form == TRANSPOSE) {
        GT_TRY(map_transpose(&c, line->arguments, data, kernel));
    } else {
        GT_TRY(map_conv(&c, line, row, data, kernel));
    }
done:
    if (status == GT_OK) {
        *out = c;
    } else {
        gt_free(c.workload);
    }
    return status;
}
