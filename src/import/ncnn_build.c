/* SPDX-License-Identifier: Apache-2.0 */
/* Adding ops and constants to the graph for the layer in hand. */
#include "src/import/ncnn_context.h"

#include "ops/reference.h"

#include <stdio.h>
#include <string.h>

void gt_i_ncnn_note(const gt_i_ncnn *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "graphtune: note: %s: ", c->path);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void gt_i_ncnn_alias(gt_i_ncnn *c, int top, int tensor)
{
    c->values[c->layer->tops[top]].tensor = tensor;
}

/* ---- constants ---- */

gt_status gt_i_ncnn_const(int *out, gt_i_ncnn *c, const char *field, const gt_shape *shape, float *data)
{
    gt_status status = GT_OK;
    gt_text name = {0};
    GT_TRY(gt_text_append(&name, "%s/%s", c->layer->name, field));
    GT_TRY(gt_graph_add_tensor(c->graph, out, name.data, GT_F32, shape, data));
    data = NULL;
done:
    gt_text_destroy(&name);
    gt_free(data);
    return status;
}

gt_status gt_i_ncnn_scalar(int *out, gt_i_ncnn *c, int rank, float value)
{
    gt_status status = GT_OK;
    gt_shape shape = {.rank = rank};
    float *data = NULL;
    for (int i = 0; i < rank; i++) {
        shape.dim[i] = 1;
    }
    GT_TRY(gt_calloc(&data, 1, sizeof *data));
    *data = value;
    status = gt_i_ncnn_const(out, c, "const", &shape, data);
done:
    return status;
}

static gt_status load(float **out, gt_i_ncnn *c, const char *field, int64_t count, bool flagged, gt_i_ncnn_random random)
{
    gt_status status = GT_OK;
    gt_text name = {0};
    float *data = NULL;
    if (c->weights.random) {
        GT_TRY(gt_text_append(&name, "%s/%s", c->layer->name, field));
        GT_TRY(gt_i_ncnn_weights_random(out, &c->weights, name.data, count, random.mean, random.deviation));
        goto done;
    }
    c->wants_lost = c->weights.lost;
    GT_REQUIRE(!c->weights.lost, GT_ERROR_UNSUPPORTED, "its weights stand behind those of an unsupported layer");
    GT_REQUIRE(c->weights.file != NULL, GT_ERROR_NOT_FOUND,
               "it has weights, and there is no file %s; --weights FILE names another, --random-weights SEED "
               "makes them up", c->weights.path);
    GT_TRY(gt_i_ncnn_weights_read(&data, &c->weights, count, flagged));
    if (c->weights.int8) {
        GT_TRY(gt_i_ncnn_note_int8(c));
    }
    *out = data;
    data = NULL;
done:
    gt_free(data);
    gt_text_destroy(&name);
    return status;
}

gt_status gt_i_ncnn_load(float **out, gt_i_ncnn *c, const char *field, int64_t count, bool flagged,
                         gt_i_ncnn_random random)
{
    gt_status status = load(out, c, field, count, flagged, random);
    if (status != GT_OK) {
        return gt_fail_in(status, "%s", field);
    }
    c->folded.given_bytes += count * (int64_t)sizeof **out;
    return GT_OK;
}

gt_status gt_i_ncnn_load_const(int *out, gt_i_ncnn *c, const char *field, const gt_shape *shape, bool flagged,
                               gt_i_ncnn_random random)
{
    gt_status status = GT_OK;
    float *data = NULL;
    GT_TRY(gt_shape_check(shape));
    GT_TRY(gt_i_ncnn_load(&data, c, field, gt_shape_elems(shape), flagged, random));
    status = gt_i_ncnn_const(out, c, field, shape, data);
done:
    return status;
}

gt_status gt_i_ncnn_note_int8(gt_i_ncnn *c)
{
    c->weights.int8 = false;
    c->n_int8++;
    return c->n_int8 <= 8 ? gt_text_append(&c->int8, "%s%s", c->n_int8 > 1 ? ", " : "", c->layer->name)
        : GT_OK;
}

/* ---- ops ---- */

static bool all_constant(const gt_i_ncnn *c, int n_inputs, const int *inputs)
{
    for (int i = 0; i < n_inputs; i++) {
        if (inputs[i] != GT_NO_TENSOR && c->graph->tensors[inputs[i]].data == NULL) {
            return false;
        }
    }
    return true;
}

static gt_status run_folded(int *out, gt_i_ncnn *c, const gt_workload *workload, const int *inputs)
{
    gt_status status = GT_OK;
    const void **in = NULL;
    float *data = NULL;
    int64_t elems = gt_shape_elems(&workload->output.shape);
    GT_TRY(gt_i_fold_take_work(&c->folded, gt_workload_macs(workload)));
    GT_TRY(gt_i_fold_take_work(&c->folded, gt_workload_elems_moved(workload)));
    GT_TRY(gt_i_fold_take_memory(&c->folded, workload->output.dtype, &workload->output.shape));
    GT_TRY(gt_calloc(&in, (size_t)workload->n_inputs, sizeof *in));
    for (int i = 0; i < workload->n_inputs; i++) {
        in[i] = workload->inputs[i].present ? c->graph->tensors[inputs[i]].data : NULL;
    }
    GT_TRY(gt_alloc_aligned(&data, (size_t)elems * sizeof *data));
    GT_TRY(gt_reference_run(workload, data, in));
    status = gt_i_ncnn_const(out, c, gt_op_kind_name(workload->kind), &workload->output.shape, data);
    data = NULL;
done:
    gt_free(data);
    gt_free(in);
    return status;
}

static gt_status fold(int *out, gt_i_ncnn *c, gt_op_kind kind, const gt_attrs *attrs,
                      const gt_epilogue *epilogue, int n_inputs, const int *inputs, const gt_operand *hint)
{
    gt_status status = GT_OK;
    gt_operand *operands = NULL;
    gt_workload *workload = NULL;
    GT_TRY(gt_calloc(&operands, (size_t)n_inputs, sizeof *operands));
    for (int i = 0; i < n_inputs; i++) {
        operands[i] = gt_graph_operand(c->graph, inputs[i]);
    }
    GT_TRY(gt_workload_create(&workload, kind, attrs, epilogue, n_inputs, operands, hint));
    status = run_folded(out, c, workload, inputs);
done:
    gt_workload_destroy(workload);
    gt_free(operands);
    return status;
}

/* The layer's name for the first op that asks for it, else the layer's and the op kind's. */
static gt_status name_op(gt_text *name, gt_i_ncnn *c, int top, gt_op_kind kind)
{
    if (top != GT_I_HELPER && !c->name_used) {
        c->name_used = true;
        return gt_text_append(name, "%s", c->layer->name);
    }
    return gt_text_append(name, "%s/%s", c->layer->name, gt_op_kind_name(kind));
}

gt_status gt_i_ncnn_emit_act(int *out, gt_i_ncnn *c, int top, gt_op_kind kind, const gt_attrs *attrs,
                             const gt_epilogue *epilogue, int n_inputs, const int *inputs,
                             const gt_operand *hint)
{
    gt_status status = GT_OK;
    gt_text name = {0};
    int result = GT_NO_TENSOR;
    if (all_constant(c, n_inputs, inputs)) {
        GT_TRY(fold(&result, c, kind, attrs, epilogue, n_inputs, inputs, hint));
    } else {
        const char *blob = top >= 0 ? c->model->blobs[c->layer->tops[top]].name : NULL;
        GT_TRY(name_op(&name, c, top, kind));
        GT_TRY(gt_graph_add_op(c->graph, NULL, &result, kind, name.data, blob, attrs, epilogue, n_inputs,
                               inputs, hint));
    }
    if (top >= 0) {
        gt_i_ncnn_alias(c, top, result);
    }
    if (out != NULL) {
        *out = result;
    }
done:
    gt_text_destroy(&name);
    return status;
}

gt_status gt_i_ncnn_emit(int *out, gt_i_ncnn *c, int top, gt_op_kind kind, const gt_attrs *attrs,
                         int n_inputs, const int *inputs, const gt_operand *hint)
{
    return gt_i_ncnn_emit_act(out, c, top, kind, attrs, NULL, n_inputs, inputs, hint);
}

/* Where nothing has to be done the tensor stays what it is. */
static void keep(int *out, gt_i_ncnn *c, int top, int tensor)
{
    if (top >= 0) {
        gt_i_ncnn_alias(c, top, tensor);
    }
    if (out != NULL) {
        *out = tensor;
    }
}

gt_status gt_i_ncnn_reshape(int *out, gt_i_ncnn *c, int top, int tensor, const gt_shape *shape)
{
    gt_shape now = gt_i_ncnn_shape(c, tensor);
    if (gt_shape_equal(&now, shape)) {
        keep(out, c, top, tensor);
        return GT_OK;
    }
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = *shape};
    return gt_i_ncnn_emit(out, c, top, GT_OP_RESHAPE, &(gt_attrs){0}, 1, &tensor, &hint);
}

gt_status gt_i_ncnn_transpose(int *out, gt_i_ncnn *c, int top, int tensor, const int64_t *perm)
{
    int64_t copy[GT_MAX_RANK];
    int rank = gt_i_ncnn_shape(c, tensor).rank;
    memcpy(copy, perm, (size_t)rank * sizeof *perm);
    gt_attrs attrs = {.transpose.perm = {rank, copy}};
    return gt_i_ncnn_emit(out, c, top, GT_OP_TRANSPOSE, &attrs, 1, &tensor, NULL);
}

gt_status gt_i_ncnn_binary(int *out, gt_i_ncnn *c, int top, gt_binary_function function, int a, int b)
{
    gt_attrs attrs = {.binary.function = function};
    int inputs[2] = {a, b};
    return gt_i_ncnn_emit(out, c, top, GT_OP_BINARY, &attrs, 2, inputs, NULL);
}

gt_status gt_i_ncnn_binary_scalar(int *out, gt_i_ncnn *c, int top, gt_binary_function function, int a,
                                  float b)
{
    gt_status status = GT_OK;
    int scalar = GT_NO_TENSOR;
    GT_TRY(gt_i_ncnn_scalar(&scalar, c, gt_i_ncnn_shape(c, a).rank, b));
    GT_TRY(gt_i_ncnn_binary(out, c, top, function, a, scalar));
done:
    return status;
}

gt_status gt_i_ncnn_unary(int *out, gt_i_ncnn *c, int top, gt_function function, float alpha, float beta,
                          int tensor)
{
    gt_attrs attrs = {.unary = {.function = function, .alpha = alpha, .beta = beta}};
    return gt_i_ncnn_emit(out, c, top, GT_OP_UNARY, &attrs, 1, &tensor, NULL);
}

gt_status gt_i_ncnn_reduce(int *out, gt_i_ncnn *c, int top, gt_reduce_mode mode, int tensor, const bool *gone)
{
    int64_t axes[GT_MAX_RANK];
    int count = 0;
    for (int i = 0; i < gt_i_ncnn_shape(c, tensor).rank; i++) {
        if (gone[i]) {
            axes[count++] = i;
        }
    }
    gt_attrs attrs = {.reduce = {.mode = mode, .axes = {count, axes}, .keepdims = true}};
    return gt_i_ncnn_emit(out, c, top, GT_OP_REDUCE, &attrs, 1, &tensor, NULL);
}

gt_status gt_i_ncnn_slice_axis(int *out, gt_i_ncnn *c, int top, int tensor, int64_t axis, int64_t start,
                               int64_t size)
{
    int64_t from[GT_MAX_RANK] = {0};
    int64_t step[GT_MAX_RANK];
    gt_operand hint = {.present = true, .dtype = GT_F32, .shape = gt_i_ncnn_shape(c, tensor)};
    if (size == hint.shape.dim[axis]) {
        keep(out, c, top, tensor);
        return GT_OK;
    }
    for (int i = 0; i < GT_MAX_RANK; i++) {
        step[i] = 1;
    }
    from[axis] = start;
    gt_attrs attrs = {.slice = {{hint.shape.rank, from}, {hint.shape.rank, step}}};
    hint.shape.dim[axis] = size;
    return gt_i_ncnn_emit(out, c, top, GT_OP_SLICE, &attrs, 1, &tensor, &hint);
}
