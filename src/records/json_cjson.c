/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing with cJSON, whose linked lists are turned into arrays of nodes. */
#include "src/records/json_internal.h"

#include <cJSON.h>
#include <pthread.h>
#include <string.h>

/* ---- memory: cJSON asks for every value and string, and gets its part of the document's blocks ---- */

static _Thread_local gt_i_json_document *being_parsed;
static _Thread_local bool out_of_memory;

static void *allocate(size_t bytes)
{
    void *part = gt_i_json_room(being_parsed, bytes);
    out_of_memory = out_of_memory || part == NULL;
    return part;
}

static void keep(void *part)
{
    (void)part;
}

static void install_hooks(void)
{
    cJSON_Hooks hooks = {allocate, keep};
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

static gt_json_type type_of(const cJSON *item)
{
    return cJSON_IsBool(item) ? GT_JSON_BOOL : cJSON_IsNumber(item) ? GT_JSON_NUMBER
           : cJSON_IsString(item) ? GT_JSON_STRING : cJSON_IsArray(item) ? GT_JSON_ARRAY
           : cJSON_IsObject(item) ? GT_JSON_OBJECT : GT_JSON_NULL;
}

static gt_json node_of(const gt_i_json_document *doc, const cJSON *item, const gt_json *parent)
{
    return (gt_json){.doc = doc,
                     .type = type_of(item),
                     .truth = cJSON_IsTrue(item),
                     .number = item->valuedouble,
                     .text = item->valuestring,
                     .key = item->string,
                     .item = item,
                     .parent = parent};
}

/* Breadth first, with the array itself as the queue. */
static void fill_nodes(gt_i_json_document *doc, const cJSON *tree)
{
    size_t used = 1;
    doc->nodes[0] = node_of(doc, tree, NULL);
    for (size_t i = 0; i < used; i++) {
        gt_json *node = &doc->nodes[i];
        const cJSON *item = node->item;
        if (!is_container(item)) {
            continue;
        }
        node->children = &doc->nodes[used];
        for (const cJSON *child = item->child; child != NULL; child = child->next) {
            doc->nodes[used++] = node_of(doc, child, node);
            node->count++;
        }
    }
    doc->root = doc->nodes;
}

static gt_status parse_tree(cJSON **tree, gt_i_json_document *doc, const char *text, size_t bytes)
{
    const char *end = text;
    out_of_memory = false;
    being_parsed = doc;
    *tree = cJSON_ParseWithLengthOpts(text, bytes, &end, false);
    if (*tree == NULL && out_of_memory) {
        return GT_ERROR_MEMORY; /* gt_i_json_room has left its message */
    }
    size_t offset = end != NULL && end >= text ? (size_t)(end - text) : 0;
    offset = offset < bytes ? offset : bytes;
    if (*tree == NULL) {
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

gt_status gt_i_json_build(gt_i_json_document *doc, const char *text, size_t bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    gt_status status = GT_OK;
    char *copy = NULL;
    cJSON *tree = NULL;
    pthread_once(&once, install_hooks);
    GT_TRY(gt_calloc(&copy, bytes + 1, 1)); /* NUL-terminated, as cJSON looks for its end */
    memcpy(copy, text, bytes);
    GT_TRY(parse_tree(&tree, doc, copy, bytes));
    doc->n_nodes = count_nodes(tree);
    GT_TRY(gt_calloc(&doc->nodes, doc->n_nodes, sizeof *doc->nodes));
    fill_nodes(doc, tree);
done:
    gt_free(copy);
    return status;
}
