/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that only move elements, and those that ONNX does not have. */
#include "src/export/onnx_emit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *emit_like_output(gt_i_emit *e, const char *type, size_t n, const char *const *inputs)
{
    return gt_i_emit_node(e, type, NULL, &e->op->workload->output.shape, n, inputs);
}

/* A node of all inputs. */
static void emit_all_inputs(gt_i_emit *e, const char *type)
{
    const char **inputs = NULL;
    if (e->status == GT_OK) {
        e->status = gt_calloc(&inputs, (size_t)e->op->n_inputs, sizeof *inputs);
    }
    for (int i = 0; e->status == GT_OK && i < e->op->n_inputs; i++) {
        inputs[i] = gt_i_emit_input(e, i);
    }
    if (e->status == GT_OK) {
        emit_like_output(e, type, (size_t)e->op->n_inputs, inputs);
    }
    gt_free(inputs);
}

void gt_i_emit_concat(gt_i_emit *e)
{
    emit_all_inputs(e, "Concat");
    gt_i_emit_int(e, "axis", e->op->attrs.axis.axis);
}

/* Only the axes that are cut. The end behind a last element 0 of a step backwards is whatever lies before the beginning. */
void gt_i_emit_slice(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    const gt_shape *in = &e->op->workload->inputs[0].shape;
    const gt_shape *out = &e->op->workload->output.shape;
    int64_t starts[GT_MAX_RANK];
    int64_t ends[GT_MAX_RANK];
    int64_t axes[GT_MAX_RANK];
    int64_t steps[GT_MAX_RANK];
    int64_t n = 0;
    for (int i = 0; i < in->rank; i++) {
        int64_t step = a->slice.step.values[i];
        int64_t last = a->slice.start.values[i] + (out->dim[i] - 1) * step;
        if (in->dim[i] == out->dim[i] && step > 0) {
            continue;
        }
        axes[n] = i;
        starts[n] = a->slice.start.values[i];
        ends[n] = step > 0 ? last + 1 : last > 0 ? last - 1 : INT64_MIN;
        steps[n++] = step;
    }
    const char *inputs[] = {gt_i_emit_input(e, 0), gt_i_emit_ints(e, "starts", n, starts), gt_i_emit_ints(e, "ends", n, ends),
                            gt_i_emit_ints(e, "axes", n, axes), gt_i_emit_ints(e, "steps", n, steps)};
    emit_like_output(e, "Slice", 5, inputs);
}

void gt_i_emit_pad(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    int rank = e->op->workload->inputs[0].shape.rank;
    bool value = a->pad.mode == GT_PAD_CONSTANT && a->pad.value != 0;
    int64_t pads[2 * GT_MAX_RANK];
    if (value && e->op->workload->output.dtype != GT_F32) {
        gt_i_emit_own(e);
        return;
    }
    for (int i = 0; i < rank; i++) {
        pads[i] = a->pad.before.values[i];
        pads[rank + i] = a->pad.after.values[i];
    }
    const char *inputs[] = {gt_i_emit_input(e, 0), gt_i_emit_ints(e, "pads", 2 * rank, pads),
                            value ? gt_i_emit_scalar(e, "value", a->pad.value) : ""};
    emit_like_output(e, "Pad", value ? 3 : 2, inputs);
    gt_i_emit_string(e, "mode", gt_attr_enum_name(GT_ATTR_PAD_MODE, a->pad.mode));
}

void gt_i_emit_shuffle(gt_i_emit *e)
{
    static const int64_t perm[] = {0, 2, 1, 3, 4};
    const gt_shape *out = &e->op->workload->output.shape;
    int64_t groups = e->op->attrs.groups.groups;
    int64_t each = out->dim[1] / groups;
    const gt_shape split = gt_shape_of(5, (int64_t[]){out->dim[0], groups, each, out->dim[2], out->dim[3]});
    const gt_shape swapped = gt_shape_of(5, (int64_t[]){out->dim[0], each, groups, out->dim[2], out->dim[3]});
    const char *y = GT_I_EMIT(e, "Reshape", "split", &split, gt_i_emit_input(e, 0), gt_i_emit_ints(e, "groups", 5, split.dim));
    y = GT_I_EMIT(e, "Transpose", NULL, &swapped, y);
    gt_i_emit_list(e, "perm", 5, perm);
    GT_I_EMIT(e, "Reshape", "merge", out, y, gt_i_emit_ints(e, "channels", 4, out->dim));
}

void gt_i_emit_block(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    bool to_space = e->op->kind == GT_OP_DEPTH_TO_SPACE;
    const char *x = gt_i_emit_input(e, 0);
    emit_like_output(e, to_space ? "DepthToSpace" : "SpaceToDepth", 1, &x);
    gt_i_emit_int(e, "blocksize", a->block.block);
    if (to_space) {
        gt_i_emit_string(e, "mode", a->block.crd ? "CRD" : "DCR");
    }
}

void gt_i_emit_reshape(gt_i_emit *e)
{
    const gt_shape *out = &e->op->workload->output.shape;
    const char *inputs[] = {gt_i_emit_input(e, 0), gt_i_emit_ints(e, "shape", out->rank, out->dim)};
    emit_like_output(e, "Reshape", 2, inputs);
}

void gt_i_emit_transpose(gt_i_emit *e)
{
    const gt_int_list *perm = &e->op->attrs.transpose.perm;
    const char *x = gt_i_emit_input(e, 0);
    emit_like_output(e, "Transpose", 1, &x);
    gt_i_emit_list(e, "perm", perm->count, perm->values);
}

/* A scalar index takes the axis away. */
void gt_i_emit_gather(gt_i_emit *e)
{
    const gt_attrs *a = &e->op->attrs;
    const gt_int_list *indices = &a->gather.indices;
    const char *x = gt_i_emit_input(e, 0);
    const char *index = gt_i_emit_ints(e, "indices", indices->count, indices->values);
    if (a->gather.scalar && e->status == GT_OK) {
        e->model->initializers[e->model->n_initializers - 1].rank = 0;
    }
    const char *inputs[] = {x, index};
    emit_like_output(e, "Gather", 2, inputs);
    gt_i_emit_int(e, "axis", a->gather.axis);
}

void gt_i_emit_tile(gt_i_emit *e)
{
    const gt_int_list *repeats = &e->op->attrs.tile.repeats;
    const char *inputs[] = {gt_i_emit_input(e, 0), gt_i_emit_ints(e, "repeats", repeats->count, repeats->values)};
    emit_like_output(e, "Tile", 2, inputs);
}

/* ---- operators of graphtune ---- */

/* "detection_output" becomes "DetectionOutput". */
static void camel_case(char *out, size_t bytes, const char *name)
{
    size_t n = 0;
    bool upper = true;
    for (; *name != '\0' && n + 1 < bytes; name++) {
        if (*name == '_') {
            upper = true;
            continue;
        }
        out[n++] = (char)(upper ? toupper((unsigned char)*name) : *name);
        upper = false;
    }
    out[n] = '\0';
}

static void emit_attribute(gt_i_emit *e, const gt_attr_field *field)
{
    const void *at = (const char *)&e->op->attrs + field->offset;
    int64_t number = 0;
    switch (field->type) {
    case GT_ATTR_F32:
        gt_i_emit_float(e, field->name, *(const float *)at);
        return;
    case GT_ATTR_BOOL:
        gt_i_emit_int(e, field->name, *(const bool *)at);
        return;
    case GT_ATTR_I64S2:
        gt_i_emit_list(e, field->name, 2, at);
        return;
    case GT_ATTR_I64S4:
        gt_i_emit_list(e, field->name, 4, at);
        return;
    case GT_ATTR_LIST:
        gt_i_emit_list(e, field->name, ((const gt_int_list *)at)->count, ((const gt_int_list *)at)->values);
        return;
    default:
        memcpy(&number, at, sizeof number);
        break;
    }
    if (field->type == GT_ATTR_I64) {
        gt_i_emit_int(e, field->name, number);
    } else {
        gt_i_emit_string(e, field->name, gt_attr_enum_name(field->type, number));
    }
}

void gt_i_emit_own(gt_i_emit *e)
{
    char type[64];
    size_t n = 0;
    const gt_attr_field *fields = gt_op_attr_fields(e->op->kind, &n);
    camel_case(type, sizeof type, gt_op_kind_name(e->op->kind));
    emit_all_inputs(e, type);
    if (e->status == GT_OK) {
        e->status = gt_onnx_set_domain(e->model, e->node, GT_EXPORT_DOMAIN);
    }
    for (size_t i = 0; i < n; i++) {
        emit_attribute(e, &fields[i]);
    }
}
