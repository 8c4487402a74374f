/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: what the parsers' trees have in common, walking them, messages, typed access. */
#include "src/records/json_internal.h"

#include "src/base/file.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory: a few blocks that live as long as the document ---- */

#define FIRST_BLOCK_BYTES 16384

struct gt_i_json_block {
    struct gt_i_json_block *next; /* the one that was full before this */
    size_t bytes, used;
    _Alignas(max_align_t) char data[];
};

static gt_status add_block(gt_i_json_document *doc, size_t least)
{
    struct gt_i_json_block *full = doc->blocks;
    struct gt_i_json_block *fresh = NULL;
    size_t bytes = full != NULL ? 2 * full->bytes : FIRST_BLOCK_BYTES;
    bytes = bytes < least ? least : bytes;
    gt_status status = gt_alloc_aligned(&fresh, sizeof *fresh + bytes);
    if (status == GT_OK) {
        *fresh = (struct gt_i_json_block){.next = full, .bytes = bytes};
        doc->blocks = fresh;
    }
    return status;
}

void *gt_i_json_room(gt_i_json_document *doc, size_t bytes)
{
    bytes = (bytes + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
    if ((doc->blocks == NULL || doc->blocks->bytes - doc->blocks->used < bytes) && add_block(doc, bytes) != GT_OK) {
        return NULL;
    }
    struct gt_i_json_block *b = doc->blocks;
    b->used += bytes;
    return b->data + b->used - bytes;
}

/* ---- checks that the parsers leave out ---- */

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static gt_status check_duplicates(const gt_json *object, const char **keys)
{
    for (int64_t i = 0; i < object->count; i++) {
        keys[i] = object->children[i].key;
    }
    qsort(keys, (size_t)object->count, sizeof *keys, compare_keys);
    for (int64_t i = 1; i < object->count; i++) {
        if (strcmp(keys[i - 1], keys[i]) == 0) {
            return gt_json_fail(object, GT_ERROR_FORMAT, "the key \"%s\" stands there twice", keys[i]);
        }
    }
    return GT_OK;
}

/* `keys` has room for as many keys as there are nodes. Recursion is bounded by the scan's depth limit. */
static gt_status check_node(const gt_json *node, const char **keys)
{
    gt_status status = GT_OK;
    if (node->type == GT_JSON_OBJECT) {
        GT_TRY(check_duplicates(node, keys));
    } else if (node->type == GT_JSON_NUMBER && !isfinite(node->number)) {
        GT_TRY(gt_json_fail(node, GT_ERROR_FORMAT, "beyond what a double holds"));
    }
    for (int64_t i = 0; i < node->count; i++) {
        GT_TRY(check_node(&node->children[i], keys));
    }
done:
    return status;
}

static gt_status check_nodes(const gt_i_json_document *doc)
{
    gt_status status = GT_OK;
    const char **keys = NULL;
    GT_TRY(gt_calloc(&keys, doc->n_nodes, sizeof *keys));
    GT_TRY(check_node(doc->root, keys));
done:
    gt_free(keys);
    return status;
}

static void destroy_document(gt_i_json_document *doc)
{
    if (doc != NULL) {
        for (struct gt_i_json_block *b = doc->blocks, *next; b != NULL; b = next) {
            next = b->next;
            gt_free(b);
        }
        gt_free(doc->nodes);
        gt_free(doc->path);
        gt_free(doc);
    }
}

gt_status gt_i_json_parse_by(gt_i_json_builder *build, gt_json **root, const char *text, size_t bytes, const char *path,
                             int64_t line)
{
    gt_status status = GT_OK;
    gt_i_json_document *doc = NULL;
    const char *name = path != NULL ? path : "JSON";
    GT_REQUIRE(bytes <= GT_JSON_MAX_BYTES, GT_ERROR_LIMIT, "%s: %zu bytes of JSON, at most %zu are read",
               name, bytes, GT_JSON_MAX_BYTES);
    GT_TRY(gt_i_json_scan(text, bytes, name, line));
    GT_TRY(gt_calloc(&doc, 1, sizeof *doc));
    GT_TRY(gt_strdup(&doc->path, name));
    doc->line = line;
    GT_TRY(build(doc, text, bytes));
    GT_TRY(check_nodes(doc));
    *root = doc->root;
    doc = NULL;
done:
    destroy_document(doc);
    return status;
}

gt_status gt_json_parse(gt_json **root, const char *text, size_t bytes, const char *path, int64_t line)
{
    return gt_i_json_parse_by(gt_i_json_build, root, text, bytes, path, line);
}

gt_status gt_json_read(gt_json **root, const char *path)
{
    char *data = NULL;
    size_t bytes = 0;
    gt_status status = gt_file_read(&data, &bytes, path);
    if (status == GT_OK) {
        status = gt_json_parse(root, data, bytes, path, 0);
    }
    gt_free(data);
    return status;
}

void gt_json_destroy(gt_json *root)
{
    if (root != NULL) {
        destroy_document((gt_i_json_document *)root->doc);
    }
}

/* ---- walking ---- */

gt_json_type gt_json_type_of(const gt_json *node)
{
    return node->type;
}

int64_t gt_json_count(const gt_json *node)
{
    return node->count;
}

const gt_json *gt_json_at(const gt_json *node, int64_t index)
{
    return index >= 0 && index < node->count ? &node->children[index] : NULL;
}

const char *gt_json_key(const gt_json *node)
{
    return node->key;
}

const gt_json *gt_json_find(const gt_json *node, const char *key)
{
    if (node->type != GT_JSON_OBJECT) {
        return NULL;
    }
    for (int64_t i = 0; i < node->count; i++) {
        if (strcmp(node->children[i].key, key) == 0) {
            return &node->children[i];
        }
    }
    return NULL;
}

/* ---- messages ---- */

/* Appends "ops[3].ns"; nothing for the root. A message that cannot be built for lack of memory just gets
 * shorter. */
static gt_status append_path(gt_text *text, const gt_json *node)
{
    if (node->parent == NULL) {
        return GT_OK;
    }
    gt_status status = append_path(text, node->parent);
    if (status != GT_OK) {
        return status;
    }
    if (node->key == NULL) {
        return gt_text_append(text, "[%lld]", (long long)(node - node->parent->children));
    }
    return gt_text_append(text, "%s%s", text->length > 0 ? "." : "", node->key);
}

/* The value as a message shows it: short, and cut between characters. */
static gt_status append_value(gt_text *text, const gt_json *node)
{
    switch (gt_json_type_of(node)) {
    case GT_JSON_BOOL:
        return gt_text_append(text, "%s", node->truth ? "true" : "false");
    case GT_JSON_NUMBER:
        return isfinite(node->number) ? gt_json_number(text, node->number)
                                                 : gt_text_append(text, "%g", node->number);
    case GT_JSON_STRING: {
        const char *value = node->text;
        size_t shown = 0;
        size_t bytes = strlen(value);
        while (shown < bytes && shown < 80) {
            shown += gt_i_utf8_bytes(value + shown, bytes - shown);
        }
        return gt_text_append(text, "\"%.*s%s\"", (int)shown, value, shown < bytes ? "…" : "");
    }
    case GT_JSON_ARRAY:
        return gt_text_append(text, "an array");
    case GT_JSON_OBJECT:
        return gt_text_append(text, "an object");
    default:
        return gt_text_append(text, "null");
    }
}

gt_status gt_json_fail(const gt_json *node, gt_status code, const char *format, ...)
{
    gt_text path = {0};
    gt_text value = {0};
    char detail[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    if (append_path(&path, node) != GT_OK || append_value(&value, node) != GT_OK) {
        code = GT_ERROR_MEMORY;
    } else if (node->doc->line > 0) {
        code = gt_fail(code, "%s:%lld: %s is %s: %s", node->doc->path, (long long)node->doc->line,
                       path.length > 0 ? path.data : "the line", value.data, detail);
    } else {
        code = gt_fail(code, "%s: %s is %s: %s", node->doc->path,
                       path.length > 0 ? path.data : "the document", value.data, detail);
    }
    gt_text_destroy(&path);
    gt_text_destroy(&value);
    return code;
}

/* ---- typed access ---- */

gt_status gt_json_as_string(const gt_json *node, const char **out)
{
    if (node->type != GT_JSON_STRING) {
        return gt_json_fail(node, GT_ERROR_FORMAT, "must be a string");
    }
    *out = node->text;
    return GT_OK;
}

gt_status gt_json_as_i64(const gt_json *node, int64_t *out, int64_t min, int64_t max)
{
    const double limit = (double)GT_JSON_MAX_INTEGER;
    double value = node->number;
    if (node->type != GT_JSON_NUMBER || value != floor(value) || value < -limit || value > limit ||
        (int64_t)value < min || (int64_t)value > max) {
        int64_t top = max < GT_JSON_MAX_INTEGER ? max : GT_JSON_MAX_INTEGER;
        int64_t bottom = min > -GT_JSON_MAX_INTEGER ? min : -GT_JSON_MAX_INTEGER;
        return gt_json_fail(node, GT_ERROR_FORMAT, "must be a whole number from %lld to %lld",
                            (long long)bottom, (long long)top);
    }
    *out = (int64_t)value;
    return GT_OK;
}

gt_status gt_json_as_f64(const gt_json *node, double *out, double min, double max)
{
    double value = node->number;
    if (node->type != GT_JSON_NUMBER || !(value >= min && value <= max)) {
        return gt_json_fail(node, GT_ERROR_FORMAT, "must be a number from %g to %g", min, max);
    }
    *out = value;
    return GT_OK;
}

gt_status gt_json_as_bool(const gt_json *node, bool *out)
{
    if (node->type != GT_JSON_BOOL) {
        return gt_json_fail(node, GT_ERROR_FORMAT, "must be true or false");
    }
    *out = node->truth;
    return GT_OK;
}

gt_status gt_json_as_enum(const gt_json *node, int *out, const char *const *names, int count)
{
    gt_text allowed = {0};
    for (int i = 0; node->type == GT_JSON_STRING && i < count; i++) {
        if (strcmp(node->text, names[i]) == 0) {
            *out = i;
            return GT_OK;
        }
    }
    gt_status status = GT_OK;
    for (int i = 0; i < count; i++) {
        GT_TRY(gt_text_append(&allowed, "%s\"%s\"", i > 0 ? ", " : "", names[i]));
    }
    status = gt_json_fail(node, GT_ERROR_FORMAT, "must be one of %s", allowed.data);
done:
    gt_text_destroy(&allowed);
    return status;
}

static gt_status find_member(const gt_json **member, const gt_json *node, const char *key)
{
    if (node->type != GT_JSON_OBJECT) {
        return gt_json_fail(node, GT_ERROR_FORMAT, "must be an object with the key \"%s\"", key);
    }
    *member = gt_json_find(node, key);
    return *member != NULL ? GT_OK : gt_json_fail(node, GT_ERROR_FORMAT, "the key \"%s\" is missing", key);
}

gt_status gt_json_get_string(const gt_json *node, const char *key, const char **out)
{
    const gt_json *member = NULL;
    gt_status status = find_member(&member, node, key);
    return status == GT_OK ? gt_json_as_string(member, out) : status;
}

gt_status gt_json_get_i64(const gt_json *node, const char *key, int64_t *out, int64_t min, int64_t max)
{
    const gt_json *member = NULL;
    gt_status status = find_member(&member, node, key);
    return status == GT_OK ? gt_json_as_i64(member, out, min, max) : status;
}

gt_status gt_json_get_int(const gt_json *node, const char *key, int *out, int min, int max)
{
    int64_t wide = 0;
    gt_status status = gt_json_get_i64(node, key, &wide, min, max);
    if (status == GT_OK) {
        *out = (int)wide;
    }
    return status;
}

gt_status gt_json_get_f64(const gt_json *node, const char *key, double *out, double min, double max)
{
    const gt_json *member = NULL;
    gt_status status = find_member(&member, node, key);
    return status == GT_OK ? gt_json_as_f64(member, out, min, max) : status;
}

gt_status gt_json_get_bool(const gt_json *node, const char *key, bool *out)
{
    const gt_json *member = NULL;
    gt_status status = find_member(&member, node, key);
    return status == GT_OK ? gt_json_as_bool(member, out) : status;
}

gt_status gt_json_get_enum(const gt_json *node, const char *key, int *out, const char *const *names,
                           int count)
{
    const gt_json *member = NULL;
    gt_status status = find_member(&member, node, key);
    return status == GT_OK ? gt_json_as_enum(member, out, names, count) : status;
}

gt_status gt_json_get_array(const gt_json *node, const char *key, const gt_json **out)
{
    const gt_json *member = NULL;
    gt_status status = find_member(&member, node, key);
    if (status == GT_OK && member->type != GT_JSON_ARRAY) {
        return gt_json_fail(member, GT_ERROR_FORMAT, "must be an array");
    }
    if (status == GT_OK) {
        *out = member;
    }
    return status;
}

gt_status gt_json_get_object(const gt_json *node, const char *key, const gt_json **out)
{
    const gt_json *member = NULL;
    gt_status status = find_member(&member, node, key);
    if (status == GT_OK && member->type != GT_JSON_OBJECT) {
        return gt_json_fail(member, GT_ERROR_FORMAT, "must be an object");
    }
    if (status == GT_OK) {
        *out = member;
    }
    return status;
}

gt_status gt_json_only_keys(const gt_json *node, const char *const *keys, int count)
{
    for (int64_t i = 0; i < node->count; i++) {
        bool known = false;
        for (int k = 0; k < count && !known; k++) {
            known = strcmp(node->children[i].key, keys[k]) == 0;
        }
        if (!known) {
            return gt_json_fail(&node->children[i], GT_ERROR_FORMAT, "no such key is known here");
        }
    }
    return GT_OK;
}
