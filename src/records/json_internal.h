/* SPDX-License-Identifier: Apache-2.0 */
/* What json.c and its parsers share; nobody else includes it. */
#ifndef GT_RECORDS_JSON_INTERNAL_H
#define GT_RECORDS_JSON_INTERNAL_H

#include "src/records/json.h"

typedef struct gt_i_json_document {
    struct gt_i_json_block *blocks; /* gt_i_json_room's */
    char *path;
    int64_t line;
    gt_json *root;
    size_t n_nodes;
    gt_json *nodes; /* owned, where the parser keeps its nodes outside of the blocks; or NULL */
} gt_i_json_document;

/* The children of a node are consecutive and know their parent: a message can name a value's path, and an array is
 * indexed in O(1). */
struct gt_json {
    const gt_i_json_document *doc;
    gt_json_type type;
    bool truth;        /* a boolean's value */
    double number;     /* a number's */
    const char *text;  /* a string's */
    const char *key;   /* of a member; otherwise NULL */
    const void *item;  /* the parser's own, while it builds the tree */
    const gt_json *parent;
    gt_json *children;
    int64_t count;
};

/* Memory that lives as long as the document, aligned for anything; NULL, with the error's message set, when there is none. */
void *gt_i_json_room(gt_i_json_document *doc, size_t bytes);

/* Sets root, n_nodes and all nodes of a document from a text that gt_i_json_scan has let pass. Errors as gt_json_parse's. */
typedef gt_status gt_i_json_builder(gt_i_json_document *doc, const char *text, size_t bytes);

/* The one that gt_json_parse uses: cJSON's tree (json_cjson.c), or, in builds without cJSON, gt_i_json_read_tree. */
gt_i_json_builder gt_i_json_build;

/* Without any library; both accept the same texts and give the same trees. */
gt_i_json_builder gt_i_json_read_tree;

/* gt_json_parse by this builder. */
gt_status gt_i_json_parse_by(gt_i_json_builder *build, gt_json **root, const char *text, size_t bytes, const char *path,
                             int64_t line) GT_NODISCARD;

#endif
