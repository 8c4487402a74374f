/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind op.h, all generated from the .inc lists. */
#include "src/graph/op.h"

#include <string.h>

static const struct {
    const char *name;
    int min_inputs, max_inputs;
} kinds[] = {
#define GT_OP_KIND(id, name, member, min_inputs, max_inputs) [GT_OP_##id] = {name, min_inputs, max_inputs},
#include "src/graph/op_kinds.inc"
#undef GT_OP_KIND
};

static const gt_attr_field fields[] = {
#define GT_OP_ATTR(kind, name, type, member) {GT_OP_##kind, name, GT_ATTR_##type, offsetof(gt_attrs, member)},
#include "src/graph/op_attrs.inc"
#undef GT_OP_ATTR
};

#define FIELD_COUNT (sizeof fields / sizeof *fields)
#define FIRST_ENUM GT_ATTR_POOL_MODE
#define ENUM_COUNT (GT_ATTR_FUNCTION - FIRST_ENUM + 1)

static const char *const enum_names[ENUM_COUNT][GT_FN_ERF + 1] = {
#define GT_OP_ENUM(type, id, text) [GT_ATTR_##type - FIRST_ENUM][id] = text,
#include "src/graph/op_enums.inc"
#undef GT_OP_ENUM
};

/* op.h's enumerations and op_enums.inc must list the same values: every line lands on its own enumerator above
 * (a repeated one is a compiler warning), so equal counts leave no gap. */
enum {
#define GT_OP_ENUM(type, id, text) LINE_OF_##id,
#include "src/graph/op_enums.inc"
#undef GT_OP_ENUM
    ENUM_LINES
};
_Static_assert(ENUM_LINES == (GT_POOL_AVERAGE + 1) + (GT_REDUCE_MAX + 1) + (GT_BINARY_PRELU + 1) +
                                 (GT_PAD_EDGE + 1) + (GT_RESIZE_LINEAR + 1) + (GT_COORD_ASYMMETRIC + 1) +
                                 (GT_NEAREST_CEIL + 1) + (GT_FN_ERF + 1),
               "op.h and op_enums.inc differ");

const char *gt_op_kind_name(gt_op_kind kind)
{
    return (size_t)kind < GT_OP_KIND_COUNT ? kinds[kind].name : "unknown";
}

gt_op_kind gt_op_kind_find(const char *name)
{
    for (int kind = 0; kind < GT_OP_KIND_COUNT; kind++) {
        if (strcmp(kinds[kind].name, name) == 0) {
            return (gt_op_kind)kind;
        }
    }
    return GT_OP_KIND_COUNT;
}

int gt_op_kind_min_inputs(gt_op_kind kind)
{
    return (size_t)kind < GT_OP_KIND_COUNT ? kinds[kind].min_inputs : 0;
}

int gt_op_kind_max_inputs(gt_op_kind kind)
{
    return (size_t)kind < GT_OP_KIND_COUNT ? kinds[kind].max_inputs : 0;
}

int gt_op_canonical_inputs(gt_op_kind kind, int n_inputs)
{
    /* Roles by position: an op whose trailing optional inputs are left out equals one where they are absent. */
    bool any_number = kind == GT_OP_CONCAT || kind == GT_OP_YOLO_DETECTION_OUTPUT;
    return any_number ? n_inputs : gt_op_kind_max_inputs(kind);
}

const gt_attr_field *gt_op_attr_fields(gt_op_kind kind, size_t *count)
{
    size_t first = 0;
    while (first < FIELD_COUNT && fields[first].kind != kind) {
        first++;
    }
    size_t end = first;
    while (end < FIELD_COUNT && fields[end].kind == kind) {
        end++;
    }
    *count = end - first;
    return end > first ? &fields[first] : NULL;
}

const char *gt_attr_enum_name(gt_attr_type type, int64_t value)
{
    if (type < FIRST_ENUM || type > GT_ATTR_FUNCTION || value < 0 || value > GT_FN_ERF) {
        return NULL;
    }
    return enum_names[type - FIRST_ENUM][value];
}

int64_t gt_attr_enum_find(gt_attr_type type, const char *name)
{
    for (int64_t value = 0; gt_attr_enum_name(type, value) != NULL; value++) {
        if (strcmp(gt_attr_enum_name(type, value), name) == 0) {
            return value;
        }
    }
    return -1;
}

const char *gt_function_name(gt_function function)
{
    const char *name = gt_attr_enum_name(GT_ATTR_FUNCTION, (int64_t)function);
    return name != NULL ? name : "unknown";
}

int gt_function_params(gt_function function)
{
    switch (function) {
    case GT_FN_CLIP:
    case GT_FN_HARD_SIGMOID:
    case GT_FN_HARD_SWISH:
        return 2;
    case GT_FN_LEAKY_RELU:
    case GT_FN_ELU:
        return 1;
    default:
        return 0;
    }
}

gt_status gt_int_list_set(gt_int_list *list, int64_t count, const int64_t *values)
{
    gt_status status = GT_OK;
    int64_t *copy = NULL;
    GT_REQUIRE(count >= 0 && count <= GT_MAX_LIST, GT_ERROR_LIMIT, "a list has %lld entries; 0 to %d are allowed",
               (long long)count, GT_MAX_LIST);
    if (count > 0) {
        GT_TRY(gt_calloc(&copy, (size_t)count, sizeof *copy));
        memcpy(copy, values, (size_t)count * sizeof *copy);
    }
    gt_free(list->values);
    list->values = copy;
    list->count = count;
done:
    return status;
}

gt_int_list *gt_i_attr_list(const gt_attr_field *field, gt_attrs *attrs)
{
    return (gt_int_list *)(void *)((char *)attrs + field->offset);
}

/* Detaches the lists without freeing them: they belong to the original of a bitwise copy. */
static void detach_lists(gt_op_kind kind, gt_attrs *attrs)
{
    size_t count = 0;
    const gt_attr_field *field = gt_op_attr_fields(kind, &count);
    for (size_t i = 0; i < count; i++) {
        if (field[i].type == GT_ATTR_LIST) {
            *gt_i_attr_list(&field[i], attrs) = (gt_int_list){0};
        }
    }
}

gt_status gt_attrs_copy(gt_attrs *out, gt_op_kind kind, const gt_attrs *in)
{
    gt_status status = GT_OK;
    gt_attrs source;
    gt_attrs copy;
    memcpy(&source, in, sizeof source);
    memcpy(&copy, in, sizeof copy);
    detach_lists(kind, &copy);
    size_t count = 0;
    const gt_attr_field *field = gt_op_attr_fields(kind, &count);
    for (size_t i = 0; i < count; i++) {
        if (field[i].type == GT_ATTR_LIST) {
            const gt_int_list *list = gt_i_attr_list(&field[i], &source);
            GT_TRY(gt_int_list_set(gt_i_attr_list(&field[i], &copy), list->count, list->values));
        }
    }
    memcpy(out, &copy, sizeof copy);
done:
    if (status != GT_OK) {
        gt_attrs_clear(kind, &copy);
    }
    return status;
}

void gt_attrs_clear(gt_op_kind kind, gt_attrs *attrs)
{
    size_t count = 0;
    const gt_attr_field *field = gt_op_attr_fields(kind, &count);
    for (size_t i = 0; i < count; i++) {
        if (field[i].type == GT_ATTR_LIST) {
            gt_free(gt_i_attr_list(&field[i], attrs)->values);
        }
    }
    memset(attrs, 0, sizeof *attrs);
}
