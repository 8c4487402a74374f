/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the text form of a workload. The text is untrusted: it comes from records, plans and task files. */
#include "src/graph/workload_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 32

typedef struct cursor {
    const char *text;
    size_t at;
} cursor;

/* What is being built; everything in it is owned. */
typedef struct parts {
    gt_op_kind kind;
    gt_attrs attrs;
    gt_epilogue epilogue;
    int n_inputs;
    gt_operand *inputs;
    size_t capacity;
    gt_operand output;
} parts;

static gt_status expected(const cursor *c, const char *what)
{
    return gt_fail(GT_ERROR_FORMAT, "workload text \"%.200s\": at position %zu (\"%.20s\"): expected %s", c->text,
                   c->at, c->text + c->at, what);
}

static bool take(cursor *c, const char *literal)
{
    size_t length = strlen(literal);
    if (strncmp(c->text + c->at, literal, length) != 0) {
        return false;
    }
    c->at += length;
    return true;
}

static gt_status need(cursor *c, const char *literal)
{
    if (take(c, literal)) {
        return GT_OK;
    }
    char what[WORD_BYTES + 2] = "\"";
    strncat(what, literal, WORD_BYTES - 1);
    strcat(what, "\"");
    return expected(c, what);
}

static bool is_word_char(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* Copies the name under the cursor into `word` and steps over it; "" if it is none or too long. */
static void take_word(cursor *c, char word[WORD_BYTES])
{
    size_t length = 0;
    while (length < WORD_BYTES && is_word_char(c->text[c->at + length])) {
        length++;
    }
    length = length < WORD_BYTES ? length : 0;
    memcpy(word, c->text + c->at, length);
    word[length] = '\0';
    c->at += length;
}

static gt_status take_i64(cursor *c, int64_t *out)
{
    bool negative = c->text[c->at] == '-';
    size_t at = c->at + (negative ? 1 : 0);
    size_t first = at;
    int64_t value = 0;
    for (; c->text[at] >= '0' && c->text[at] <= '9'; at++) {
        int64_t digit = c->text[at] - '0';
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value)) {
            return expected(c, "an integer of at most 63 bits");
        }
    }
    if (at == first) {
        return expected(c, "an integer");
    }
    c->at = at;
    *out = negative ? -value : value;
    return GT_OK;
}

static gt_status take_f32(cursor *c, float *out)
{
    char digits[WORD_BYTES];
    size_t length = strspn(c->text + c->at, "0123456789+-.einf");
    if (length == 0 || length >= sizeof digits) {
        return expected(c, "a number");
    }
    memcpy(digits, c->text + c->at, length);
    digits[length] = '\0';
    char *end = NULL;
    float value = strtof(digits, &end);
    if (*end != '\0' || isnan(value)) {
        return expected(c, "a number");
    }
    c->at += length;
    *out = value;
    return GT_OK;
}

static gt_status take_fixed(cursor *c, int64_t *values, int count)
{
    gt_status status = GT_OK;
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            GT_TRY(need(c, "x"));
        }
        GT_TRY(take_i64(c, &values[i]));
    }
done:
    return status;
}

static gt_status take_list(cursor *c, gt_int_list *list)
{
    gt_status status = GT_OK;
    int64_t *values = NULL;
    size_t capacity = 0;
    int64_t count = 0;
    GT_TRY(need(c, "["));
    while (!take(c, "]")) {
        int64_t value = 0;
        GT_REQUIRE(count < GT_MAX_LIST, GT_ERROR_LIMIT,
                   "workload text: at position %zu: a list is over %d entries long", c->at, GT_MAX_LIST);
        if (count > 0) {
            GT_TRY(need(c, " "));
        }
        GT_TRY(take_i64(c, &value));
        GT_PUSH(values, count, capacity, value);
    }
    GT_TRY(gt_int_list_set(list, count, values));
done:
    gt_free(values);
    return status;
}

static gt_status take_shape(cursor *c, gt_shape *shape)
{
    gt_status status = GT_OK;
    *shape = (gt_shape){0};
    if (take(c, "scalar")) {
        return GT_OK;
    }
    do {
        if (shape->rank == GT_MAX_RANK) {
            return expected(c, "a shape of at most 8 dimensions");
        }
        GT_TRY(take_i64(c, &shape->dim[shape->rank]));
        shape->rank++;
    } while (take(c, "x"));
    GT_TRY(gt_shape_check(shape));
done:
    return status;
}

static gt_status take_operand(cursor *c, gt_operand *operand)
{
    gt_status status = GT_OK;
    *operand = (gt_operand){0};
    if (take(c, "_")) {
        return GT_OK;
    }
    operand->present = true;
    operand->dtype = take(c, "i64:") ? GT_I64 : take(c, "bool:") ? GT_BOOL : GT_F32;
    GT_TRY(take_shape(c, &operand->shape));
    operand->constant = take(c, "!");
done:
    return status;
}

static gt_status take_enum(cursor *c, const gt_attr_field *field, int64_t *out)
{
    char word[WORD_BYTES];
    cursor ahead = *c;
    take_word(&ahead, word);
    int64_t value = gt_attr_enum_find(field->type, word);
    if (value < 0) {
        gt_status status = expected(c, "one of the names of this attribute");
        return gt_fail_in(status, "\"%s\"", field->name);
    }
    *c = ahead;
    *out = value;
    return GT_OK;
}

static gt_status take_attr(cursor *c, const gt_attr_field *field, gt_attrs *attrs)
{
    void *value = (char *)attrs + field->offset;
    int64_t number = 0;
    gt_status status = GT_OK;
    GT_TRY(need(c, field->name));
    GT_TRY(need(c, "="));
    switch (field->type) {
    case GT_ATTR_I64:
        return take_fixed(c, value, 1);
    case GT_ATTR_I64S2:
        return take_fixed(c, value, 2);
    case GT_ATTR_I64S4:
        return take_fixed(c, value, 4);
    case GT_ATTR_F32:
        return take_f32(c, value);
    case GT_ATTR_LIST:
        return take_list(c, value);
    case GT_ATTR_BOOL:
        if (!take(c, "0") && !take(c, "1")) {
            return expected(c, "0 or 1");
        }
        *(bool *)value = c->text[c->at - 1] == '1';
        return GT_OK;
    default:
        GT_TRY(take_enum(c, field, &number));
        memcpy(value, &number, sizeof number);
    }
done:
    return status;
}

/* One epilogue key; the order and repetition are settled by the comparison with the canonical text. */
static gt_status take_epilogue_key(cursor *c, gt_epilogue *e)
{
    static const gt_attr_field act = {.name = "act", .type = GT_ATTR_FUNCTION};
    gt_status status = GT_OK;
    int64_t function = 0;
    if (take(c, "act=")) {
        GT_TRY(take_enum(c, &act, &function));
        e->act = (gt_function)function;
    } else if (take(c, "alpha=")) {
        GT_TRY(take_f32(c, &e->alpha));
    } else if (take(c, "beta=")) {
        GT_TRY(take_f32(c, &e->beta));
    } else if (take(c, "residual=before")) {
        e->residual = GT_RESIDUAL_BEFORE;
    } else if (take(c, "residual=after")) {
        e->residual = GT_RESIDUAL_AFTER;
    } else {
        status = expected(c, "act=, alpha=, beta=, residual=before, residual=after or \"}\"");
    }
done:
    return status;
}

static gt_status take_attrs(cursor *c, parts *p)
{
    gt_status status = GT_OK;
    size_t count = 0;
    const gt_attr_field *field = gt_op_attr_fields(p->kind, &count);
    if (count == 0 && c->text[c->at] == '\0') {
        return GT_OK;
    }
    GT_TRY(need(c, "{"));
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            GT_TRY(need(c, ","));
        }
        GT_TRY(take_attr(c, &field[i], &p->attrs));
    }
    for (bool first = count == 0; !take(c, "}"); first = false) {
        if (!first) {
            GT_TRY(need(c, ","));
        }
        GT_TRY(take_epilogue_key(c, &p->epilogue));
    }
done:
    return status;
}

static gt_status take_inputs(cursor *c, parts *p)
{
    gt_status status = GT_OK;
    GT_TRY(need(c, "("));
    do {
        gt_operand operand = {0};
        if (p->n_inputs == gt_op_kind_max_inputs(p->kind)) {
            status = expected(c, "no further input");
            goto done;
        }
        GT_TRY(take_operand(c, &operand));
        GT_PUSH(p->inputs, p->n_inputs, p->capacity, operand);
    } while (take(c, ","));
    GT_TRY(need(c, ")"));
done:
    return status;
}

static gt_status take_all(cursor *c, parts *p)
{
    gt_status status = GT_OK;
    char word[WORD_BYTES];
    cursor start = *c;
    take_word(c, word);
    p->kind = gt_op_kind_find(word);
    if (p->kind == GT_OP_KIND_COUNT) {
        status = expected(&start, "the name of an operator");
        goto done;
    }
    GT_TRY(take_inputs(c, p));
    GT_TRY(need(c, "->"));
    GT_TRY(take_operand(c, &p->output));
    if (!p->output.present || p->output.constant) {
        status = expected(c, "an output shape without \"!\"");
        goto done;
    }
    GT_TRY(take_attrs(c, p));
    if (c->text[c->at] != '\0') {
        status = expected(c, "the end");
    }
done:
    return status;
}

gt_status gt_workload_parse(gt_workload **workload, const char *text)
{
    gt_status status = GT_OK;
    gt_workload *w = NULL;
    cursor c = {.text = text};
    parts p = {.kind = GT_OP_KIND_COUNT};
    GT_TRY(take_all(&c, &p));
    status = gt_workload_create(&w, p.kind, &p.attrs, &p.epilogue, p.n_inputs, p.inputs, &p.output);
    if (status != GT_OK) {
        status = gt_fail_in(status, "workload text \"%.200s\"", text);
        goto done;
    }
    /* The text is an identity, so a second spelling of the same workload must not pass. */
    GT_REQUIRE(strcmp(w->key, text) == 0, GT_ERROR_FORMAT,
               "workload text \"%.200s\": not in its normal form; write \"%s\"", text, w->key);
    *workload = w;
    w = NULL;
done:
    gt_workload_destroy(w);
    gt_attrs_clear(p.kind, &p.attrs);
    gt_free(p.inputs);
    return status;
}
