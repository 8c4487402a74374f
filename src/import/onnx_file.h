/* SPDX-License-Identifier: Apache-2.0 */
/* An ONNX file as plain C structures: reading and writing, without any meaning attached.
 * protobuf-c is used in onnx_file.c alone. Field numbers: onnx/onnx.proto, IR versions 3 to 10. */
#ifndef GT_IMPORT_ONNX_FILE_H
#define GT_IMPORT_ONNX_FILE_H

#include "src/base/file.h"

#define GT_ONNX_MAX_RANK 8

/* TensorProto.DataType */
typedef enum gt_onnx_type {
    GT_ONNX_UNDEFINED = 0,
    GT_ONNX_FLOAT = 1,
    GT_ONNX_UINT8 = 2,
    GT_ONNX_INT8 = 3,
    GT_ONNX_UINT16 = 4,
    GT_ONNX_INT16 = 5,
    GT_ONNX_INT32 = 6,
    GT_ONNX_INT64 = 7,
    GT_ONNX_STRING = 8,
    GT_ONNX_BOOL = 9,
    GT_ONNX_FLOAT16 = 10,
    GT_ONNX_DOUBLE = 11,
    GT_ONNX_UINT32 = 12,
    GT_ONNX_UINT64 = 13,
    GT_ONNX_BFLOAT16 = 16
} gt_onnx_type;

/* Bytes per element; 0 for strings and unknown types. */
size_t gt_onnx_type_bytes(gt_onnx_type type);
/* "float32", "int64", …, "type 77". */
const char *gt_onnx_type_name(gt_onnx_type type);

/* A tensor literal. `data` holds the elements contiguously in C order, in the type's own width and
 * little endian, whichever of raw_data, *_data or external data the file used. */
typedef struct gt_onnx_tensor {
    char *name; /* "" when unnamed */
    gt_onnx_type type;
    int rank;
    int64_t dims[GT_ONNX_MAX_RANK];
    void *data;
    size_t bytes;
    bool borrowed; /* data is another's, who keeps it until the model is destroyed */
} gt_onnx_tensor;

/* AttributeProto.AttributeType, the ones a CNN needs; others are kept as GT_ONNX_ATTR_OTHER. */
typedef enum gt_onnx_attr_type {
    GT_ONNX_ATTR_FLOAT = 1,
    GT_ONNX_ATTR_INT = 2,
    GT_ONNX_ATTR_STRING = 3,
    GT_ONNX_ATTR_TENSOR = 4,
    GT_ONNX_ATTR_FLOATS = 6,
    GT_ONNX_ATTR_INTS = 7,
    GT_ONNX_ATTR_STRINGS = 8,
    GT_ONNX_ATTR_OTHER = 99
} gt_onnx_attr_type;

typedef struct gt_onnx_attr {
    char *name;
    gt_onnx_attr_type type;
    float f;
    int64_t i;
    char *s; /* NUL-terminated copy */
    gt_onnx_tensor *t;
    size_t count; /* of floats, ints or strings, by type */
    float *floats;
    int64_t *ints;
    char **strings;
} gt_onnx_attr;

/* A note for people and tools, without any meaning to the model: StringStringEntryProto. */
typedef struct gt_onnx_entry {
    char *key, *value;
} gt_onnx_entry;

/* Notes as metadata_props, and the same for viewers that show only doc_string (NULL: none). */
typedef struct gt_onnx_notes {
    size_t n, capacity;
    gt_onnx_entry *entries;
    char *doc;
} gt_onnx_notes;

typedef struct gt_onnx_node {
    char *name; /* as in the file; may be "" */
    char *op_type;
    char *domain; /* "" is ai.onnx */
    size_t n_inputs;
    char **inputs; /* "" is an absent optional input */
    size_t n_outputs;
    char **outputs;
    size_t n_attrs;
    gt_onnx_attr *attrs;
    gt_onnx_notes notes; /* written, not read */
} gt_onnx_node;

/* A graph input, output or value_info. dims[k] is -1 where the dimension is symbolic or unknown,
 * and then dim_names[k] is its symbol, or NULL when it has none. */
typedef struct gt_onnx_value {
    char *name;
    gt_onnx_type type;
    bool has_shape;
    int rank;
    int64_t dims[GT_ONNX_MAX_RANK];
    char *dim_names[GT_ONNX_MAX_RANK];
} gt_onnx_value;

typedef struct gt_onnx_model {
    int64_t ir_version;
    int64_t opset; /* of domain "" / "ai.onnx"; 1 when the file states none (IR < 3) */
    char *producer;
    char *graph_name;
    size_t n_nodes, nodes_capacity;
    gt_onnx_node *nodes;
    size_t n_initializers, initializers_capacity;
    gt_onnx_tensor *initializers;
    size_t n_inputs, inputs_capacity;
    gt_onnx_value *inputs;
    size_t n_outputs, outputs_capacity;
    gt_onnx_value *outputs;
    size_t n_values, values_capacity; /* value_info */
    gt_onnx_value *values;
    /* Written, not read: */
    size_t n_domains, domains_capacity;
    char **domains; /* other than ai.onnx, each in its version 1 */
    gt_onnx_notes notes;
} gt_onnx_model;

/* Reads an ONNX file, its tensors straight into their own memory: the model is in memory once, and nothing else of the
 * size of the file. A file that changes meanwhile is read as a mixture, or GT_ERROR_IO where it became shorter.
 * External data is looked up beside it and must stay inside the model's folder.
 * Errors, each naming the file and the tensor or node: GT_ERROR_IO, GT_ERROR_FORMAT (not protobuf,
 * truncated, element count and byte count disagree, negative dims, rank > 8), GT_ERROR_UNSUPPORTED
 * (strings, sparse initializers, segments, opset > 21 or < 1, quantised file features). */
gt_status gt_onnx_read(gt_onnx_model **model, const char *path) GT_NODISCARD;

/* As gt_onnx_read of an open file; `path` is for messages and for finding external data. */
gt_status gt_onnx_read_open(gt_onnx_model **model, const gt_file_reader *file, const char *path) GT_NODISCARD;

/* As gt_onnx_read from memory; `path` is for messages and for finding external data. */
gt_status gt_onnx_parse(gt_onnx_model **model, const void *data, size_t bytes,
                        const char *path) GT_NODISCARD;

/* Reads one TensorProto file (test data of the ONNX conformance suite). Free *tensor with
 * gt_onnx_tensor_destroy. */
gt_status gt_onnx_read_tensor(gt_onnx_tensor **tensor, const char *path) GT_NODISCARD;

/* Writes a model atomically (raw_data for every tensor). Same model, same bytes. */
gt_status gt_onnx_write(const gt_onnx_model *model, const char *path) GT_NODISCARD;

void gt_onnx_model_destroy(gt_onnx_model *model);
void gt_onnx_tensor_destroy(gt_onnx_tensor *tensor);

/* ---- building models in memory (the zoo, tests, export) ---- */

gt_status gt_onnx_model_create(gt_onnx_model **model, const char *graph_name,
                               int64_t opset) GT_NODISCARD;

/* Adds a graph input or output of float32 with the given shape. */
gt_status gt_onnx_add_input(gt_onnx_model *model, const char *name, int rank,
                            const int64_t *dims) GT_NODISCARD;
gt_status gt_onnx_add_output(gt_onnx_model *model, const char *name, int rank,
                             const int64_t *dims) GT_NODISCARD;

/* Adds a value_info: the shape of a tensor inside the graph. */
gt_status gt_onnx_add_value(gt_onnx_model *model, const char *name, int rank,
                            const int64_t *dims) GT_NODISCARD;

/* Adds an initializer; `data` is copied. */
gt_status gt_onnx_add_initializer(gt_onnx_model *model, const char *name, gt_onnx_type type,
                                  int rank, const int64_t *dims, const void *data) GT_NODISCARD;

/* The same without a copy: `data` stays the caller's, who keeps it until the model is destroyed. */
gt_status gt_onnx_lend_initializer(gt_onnx_model *model, const char *name, gt_onnx_type type,
                                   int rank, const int64_t *dims, const void *data) GT_NODISCARD;

/* Appends a node with copies of the names; *node stays valid until the next node is added. */
gt_status gt_onnx_add_node(gt_onnx_model *model, gt_onnx_node **node, const char *op_type,
                           const char *name, size_t n_inputs, const char *const *inputs,
                           size_t n_outputs, const char *const *outputs) GT_NODISCARD;
gt_status gt_onnx_set_int(gt_onnx_node *node, const char *name, int64_t value) GT_NODISCARD;
gt_status gt_onnx_set_float(gt_onnx_node *node, const char *name, float value) GT_NODISCARD;
gt_status gt_onnx_set_ints(gt_onnx_node *node, const char *name, size_t count,
                           const int64_t *values) GT_NODISCARD;
gt_status gt_onnx_set_string(gt_onnx_node *node, const char *name, const char *value) GT_NODISCARD;

/* Puts a node into a domain other than ai.onnx, of which the model then imports version 1. */
gt_status gt_onnx_set_domain(gt_onnx_model *model, gt_onnx_node *node,
                             const char *domain) GT_NODISCARD;

/* Appends an entry (metadata_props); a text takes the place of doc_string. Both are copied. */
gt_status gt_onnx_add_note(gt_onnx_notes *notes, const char *key, const char *value) GT_NODISCARD;
gt_status gt_onnx_set_doc(gt_onnx_notes *notes, const char *text) GT_NODISCARD;
void gt_onnx_notes_clear(gt_onnx_notes *notes);

/* The attribute with this name, or NULL. */
const gt_onnx_attr *gt_onnx_find_attr(const gt_onnx_node *node, const char *name);

#endif
