/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing with cJSON into an array of nodes that know their parents: a message can then name a value's
 * path, and an array is indexed in O(1) (cJSON's are linked lists). */
#include "src/records/json.h"

#include "src/base/file.h"

#include <cJSON.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct document {
    cJSON *tree; /* owns the strings */
    char *path;
    int64_t line;
    size_t n_nodes;
    gt_json *nodes; /* children of one node are consecutive; nodes[0] is the root */
} document;

struct gt_json {
    const document *doc;
    const cJSON *item;
    const gt_json *parent;
    gt_json *children;
    int64_t count;
};

/* ---- memory: cJSON's allocations count like everybody's ---- */

static _Thread_local bool out_of_memory;

static void *allocate(size_t bytes)
{
    void *block = NULL;
    if (gt_calloc(&block, bytes, 1) != GT_OK) {
        out_of_memory = true;
        return NULL;
    }
    return block;
}

static void install_hooks(void)
{
    cJSON_Hooks hooks = {allocate, gt_free};
    cJSON_InitHooks(&hooks);
}

/* ---- building the nodes ---- */

static bool is_container(const cJSON *item)
{
    return cJSON_IsArray(item) || cJSON_IsObject(item);
}

/* Nodes below and including `item`. Recursion is bounded by the scan's depth limit. */
static size_t count_nodes(const cJSON *item)
{
    size_t n = 1;
    if (is_container(item)) {
        for (const cJSON *child = item->child; child != NULL; child = child->next) {
            n += count_nodes(child);
        }
    }
    return n;
}

/* Breadth first, with the array itself as the queue. */
static void fill_nodes(document *doc)
{
    size_t used = 1;
    doc->nodes[0] = (gt_json){.doc = doc, .item = doc->tree};
    for (size_t i = 0; i < used; i++) {
        gt_json *node = &doc->nodes[i];
        if (!is_container(node->item)) {
            continue;
        }
        node->children = &doc->nodes[used];
        for (const cJSON *child = node->item->child; child != NULL; child = child->next) {
            doc->nodes[used++] = (gt_json){.doc = doc, .item = child, .parent = node};
            node->count++;
        }
    }
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static gt_status check_duplicates(const gt_json *object, const char **keys)
{
    for (int64_t i = 0; i < object->count; i++) {
        keys[i] = object->children[i].item->string;
    }
    qsort(keys, (size_t)object->count, sizeof *keys, compare_keys);
    for (int64_t i = 1; i < object->count; i++) {
        if (strcmp(keys[i - 1], keys[i]) == 0) {
            return gt_json_fail(object, GT_ERROR_FORMAT, "the key \"%s\" stands there twice", keys[i]);
        }
    }
    return GT_OK;
}

static gt_status check_nodes(const document *doc)
{
    gt_status status = GT_OK;
    const char **keys = NULL;
    GT_TRY(gt_calloc(&keys, doc->n_nodes, sizeof *keys));
    for (size_t i = 0; i < doc->n_nodes; i++) {
        const gt_json *node = &doc->nodes[i];
        if (cJSON_IsObject(node->item)) {
            GT_TRY(check_duplicates(node, keys));
        } else if (cJSON_IsNumber(node->item) && !isfinite(node->item->valuedouble)) {
            GT_TRY(gt_json_fail(node, GT_ERROR_FORMAT, "beyond what a double holds"));
        }
    }
done:
    gt_free(keys);
    return status;
}

static void destroy_document(document *doc)
{
    if (doc != NULL) {
        cJSON_Delete(doc->tree);
        gt_free(doc->nodes);
        gt_free(doc->path);
        gt_free(doc);
    }
}

static gt_status parse_tree(document *doc, const char *text, size_t bytes)
{
    const char *end = text;
    out_of_memory = false;
    doc->tree = cJSON_ParseWithLengthOpts(text, bytes, &end, false);
    if (doc->tree == NULL && out_of_memory) {
        return GT_ERROR_MEMORY; /* gt_calloc has left its message */
    }
    size_t offset = end != NULL && end >= text ? (size_t)(end - text) : 0;
    offset = offset < bytes ? offset : bytes;
    if (doc->tree == NULL) {
        const char *what = offset + 1 >= bytes
                               ? "the text ends before the JSON value does, or the value is malformed"
                               : "not a JSON value";
        return gt_i_json_fail_at(GT_ERROR_FORMAT, text, offset, doc->path, doc->line, what);
    }
    offset += strspn(text + offset, " \t\r\n");
    if (offset < bytes) {
        return gt_i_json_fail_at(GT_ERROR_FORMAT, text, offset, doc->path, doc->line,
                                 "unexpected text behind the JSON value");
    }
    return GT_OK;
}

gt_status gt_json_parse(gt_json **root, const char *text, size_t bytes, const char *path, int64_t line)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_hooks);
    gt_status status = GT_OK;
    document *doc = NULL;
    char *copy = NULL;
    const char *name = path != NULL ? path : "JSON";
    GT_REQUIRE(bytes <= GT_JSON_MAX_BYTES, GT_ERROR_LIMIT, "%s: %zu bytes of JSON, at most %zu are read",
               name, bytes, GT_JSON_MAX_BYTES);
    GT_TRY(gt_i_json_scan(text, bytes, name, line));
    GT_TRY(gt_calloc(&doc, 1, sizeof *doc));
    GT_TRY(gt_strdup(&doc->path, name));
    doc->line = line;
    GT_TRY(gt_calloc(&copy, bytes + 1, 1)); /* NUL-terminated, as cJSON looks for its end */
    memcpy(copy, text, bytes);
    GT_TRY(parse_tree(doc, copy, bytes));
    doc->n_nodes = count_nodes(doc->tree);
    GT_TRY(gt_calloc(&doc->nodes, doc->n_nodes, sizeof *doc->nodes));
    fill_nodes(doc);
    GT_TRY(check_nodes(doc));
    *root = doc->nodes;
    doc = NULL;
done:
    gt_free(copy);
    destroy_document(doc);
    return status;
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
        destroy_document((document *)root->doc);
    }
}

/* ---- walking ---- */

gt_json_type gt_json_type_of(const gt_json *node)
{
    const cJSON *item = node->item;
    return cJSON_IsBool(item) ? GT_JSON_BOOL : cJSON_IsNumber(item) ? GT_JSON_NUMBER
           : cJSON_IsString(item) ? GT_JSON_STRING : cJSON_IsArray(item) ? GT_JSON_ARRAY
           : cJSON_IsObject(item) ? GT_JSON_OBJECT : GT_JSON_NULL;
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
    return node->item->string;
}

const gt_json *gt_json_find(const gt_json *node, const char *key)
{
    if (!cJSON_IsObject(node->item)) {
        return NULL;
    }
    for (int64_t i = 0; i < node->count; i++) {
        if (strcmp(node->children[i].item->string, key) == 0) {
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
    if (node->item->string == NULL) {
        return gt_text_append(text, "[%lld]", (long long)(node - node->parent->children));
    }
    return gt_text_append(text, "%s%s", text->length > 0 ? "." : "", node->item->string);
}

/* The value as a message shows it: short, and cut between characters. */
static gt_status append_value(gt_text *text, const gt_json *node)
{
    switch (gt_json_type_of(node)) {
    case GT_JSON_BOOL:
        return gt_text_append(text, "%s", cJSON_IsTrue(node->item) ? "true" : "false");
    case GT_JSON_NUMBER:
        return isfinite(node->item->valuedouble) ? gt_json_number(text, node->item->valuedouble)
                                                 : gt_text_append(text, "%g", node->item->valuedouble);
    case GT_JSON_STRING: {
        const char *value = node->item->valuestring;
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
    if (!cJSON_IsString(node->item)) {
        return gt_json_fail(node, GT_ERROR_FORMAT, "must be a string");
    }
    *out = node->item->valuestring;
    return GT_OK;
}

gt_status gt_json_as_i64(const gt_json *node, int64_t *out, int64_t min, int64_t max)
{
    const double limit = (double)GT_JSON_MAX_INTEGER;
    double value = node->item->valuedouble;
    if (!cJSON_IsNumber(node->item) || value != floor(value) || value < -limit || value > limit ||
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
    double value = node->item->valuedouble;
    if (!cJSON_IsNumber(node->item) || !(value >= min && value <= max)) {
        return gt_json_fail(node, GT_ERROR_FORMAT, "must be a number from %g to %g", min, max);
    }
    *out = value;
    return GT_OK;
}

gt_status gt_json_as_bool(const gt_json *node, bool *out)
{
    if (!cJSON_IsBool(node->item)) {
        return gt_json_fail(node, GT_ERROR_FORMAT, "must be true or false");
    }
    *out = cJSON_IsTrue(node->item);
    return GT_OK;
}

gt_status gt_json_as_enum(const gt_json *node, int *out, const char *const *names, int count)
{
    gt_text allowed = {0};
    for (int i = 0; cJSON_IsString(node->item) && i < count; i++) {
        if (strcmp(node->item->valuestring, names[i]) == 0) {
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
    if (!cJSON_IsObject(node->item)) {
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
    if (status == GT_OK && !cJSON_IsArray(member->item)) {
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
    if (status == GT_OK && !cJSON_IsObject(member->item)) {
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
            known = strcmp(node->children[i].item->string, keys[k]) == 0;
        }
        if (!known) {
            return gt_json_fail(&node->children[i], GT_ERROR_FORMAT, "no such key is known here");
        }
    }
    return GT_OK;
}
