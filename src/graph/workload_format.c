/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the text form of a workload. */
#include "src/graph/workload_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gt_status gt_i_float_format(gt_text *text, float value)
{
    char digits[64];
    for (int precision = 1; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
        if (strtof(digits, NULL) == value) {
            break;
        }
    }
    return gt_text_append(text, "%s", digits);
}

static gt_status format_numbers(gt_text *text, const int64_t *values, int64_t count, const char *separator)
{
    gt_status status = GT_OK;
    for (int64_t i = 0; i < count; i++) {
        GT_TRY(gt_text_append_string(text, i > 0 ? separator : ""));
        GT_TRY(gt_text_append_i64(text, values[i]));
    }
done:
    return status;
}

static gt_status format_operand(gt_text *text, const gt_operand *operand)
{
    gt_status status = GT_OK;
    if (!operand->present) {
        return gt_text_append_string(text, "_");
    }
    if (operand->dtype != GT_F32) {
        GT_TRY(gt_text_append_string(text, gt_dtype_name(operand->dtype)));
        GT_TRY(gt_text_append_string(text, ":"));
    }
    if (operand->shape.rank == 0) {
        GT_TRY(gt_text_append_string(text, "scalar"));
    }
    GT_TRY(format_numbers(text, operand->shape.dim, operand->shape.rank, "x"));
    GT_TRY(gt_text_append_string(text, operand->constant ? "!" : ""));
done:
    return status;
}

static gt_status format_attr(gt_text *text, const gt_attr_field *field, const gt_attrs *attrs)
{
    gt_status status = GT_OK;
    const void *value = (const char *)attrs + field->offset;
    GT_TRY(gt_text_append_string(text, field->name));
    GT_TRY(gt_text_append_string(text, "="));
    switch (field->type) {
    case GT_ATTR_I64:
        return format_numbers(text, value, 1, "");
    case GT_ATTR_I64S2:
        return format_numbers(text, value, 2, "x");
    case GT_ATTR_I64S4:
        return format_numbers(text, value, 4, "x");
    case GT_ATTR_F32: {
        float number = 0;
        memcpy(&number, value, sizeof number);
        return gt_i_float_format(text, number);
    }
    case GT_ATTR_BOOL:
        return gt_text_append_string(text, *(const bool *)value ? "1" : "0");
    case GT_ATTR_LIST: {
        const gt_int_list *list = value;
        GT_TRY(gt_text_append_string(text, "["));
        GT_TRY(format_numbers(text, list->values, list->count, " "));
        return gt_text_append_string(text, "]");
    }
    default: {
        int64_t number = 0;
        memcpy(&number, value, sizeof number);
        return gt_text_append_string(text, gt_attr_enum_name(field->type, number));
    }
    }
done:
    return status;
}

static gt_status format_epilogue(gt_text *text, const gt_epilogue *e, bool *first)
{
    gt_status status = GT_OK;
    int params = e->act != GT_FN_NONE ? gt_function_params(e->act) : 0;
    if (e->act != GT_FN_NONE) {
        GT_TRY(gt_text_append(text, "%sact=%s", *first ? "{" : ",", gt_function_name(e->act)));
        *first = false;
    }
    if (params > 0) {
        GT_TRY(gt_text_append_string(text, ",alpha="));
        GT_TRY(gt_i_float_format(text, e->alpha));
    }
    if (params > 1) {
        GT_TRY(gt_text_append_string(text, ",beta="));
        GT_TRY(gt_i_float_format(text, e->beta));
    }
    if (e->residual != GT_RESIDUAL_NONE) {
        GT_TRY(gt_text_append(text, "%sresidual=%s", *first ? "{" : ",",
                              e->residual == GT_RESIDUAL_BEFORE ? "before" : "after"));
        *first = false;
    }
done:
    return status;
}

gt_status gt_i_workload_format(char **key, const gt_workload *w)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    size_t count = 0;
    bool first = true;
    const gt_attr_field *field = gt_op_attr_fields(w->kind, &count);
    GT_TRY(gt_text_append_string(&text, gt_op_kind_name(w->kind)));
    GT_TRY(gt_text_append_string(&text, "("));
    for (int i = 0; i < w->n_inputs; i++) {
        GT_TRY(gt_text_append_string(&text, i > 0 ? "," : ""));
        GT_TRY(format_operand(&text, &w->inputs[i]));
    }
    GT_TRY(gt_text_append_string(&text, ")->"));
    GT_TRY(format_operand(&text, &w->output));
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_text_append_string(&text, first ? "{" : ","));
        GT_TRY(format_attr(&text, &field[i], &w->attrs));
        first = false;
    }
    GT_TRY(format_epilogue(&text, &w->epilogue, &first));
    if (!first) {
        GT_TRY(gt_text_append_string(&text, "}"));
    }
    *key = text.data;
    text = (gt_text){0};
done:
    gt_text_destroy(&text);
    return status;
}
