/* SPDX-License-Identifier: Apache-2.0 */
/* The graph IR: tensors and single-output operators, in topological order after gt_graph_finish. */
#ifndef GT_GRAPH_GRAPH_H
#define GT_GRAPH_GRAPH_H

#include "src/graph/name_index.h"
#include "src/graph/workload.h"

typedef struct gt_tensor {
    char *name; /* unique in the graph, non-empty */
    gt_dtype dtype;
    gt_shape shape;
    void *data;   /* a constant's elements in C order (owned); NULL for activations */
    int producer; /* op index, or -1 for graph inputs and constants */
} gt_tensor;

typedef struct gt_op {
    char *name; /* unique in the graph, non-empty: the model's node name where it has one */
    gt_op_kind kind;
    gt_attrs attrs;
    gt_epilogue epilogue;
    int n_inputs; /* as gt_op_canonical_inputs: the same as the workload's */
    int *inputs;  /* tensor indices or GT_NO_TENSOR; roles as in op_kinds.inc */
    int output;
    char *fused;           /* names of the model's nodes folded in here, comma-separated; NULL if none */
    gt_workload *workload; /* set by gt_graph_finish */
    bool dead;             /* set by passes; removed by gt_graph_compact */
} gt_op;

typedef struct gt_graph {
    char *name;
    char *source;         /* the model file's path, as given */
    char source_sha256[65];
    int n_tensors;
    gt_tensor *tensors;
    size_t tensors_capacity;
    int n_ops;
    gt_op *ops;
    size_t ops_capacity;
    int n_inputs; /* activations fed by the caller, in the model's order */
    int *inputs;
    size_t inputs_capacity;
    int n_outputs; /* in the model's order; a tensor may stand here twice */
    int *outputs;
    char **output_names; /* the model's names of the outputs (a tensor can carry two names) */
    size_t outputs_capacity, output_names_capacity;
    int n_source_ops; /* nodes in the model's own graph, before folding and fusion */
    gt_name_index tensor_names, op_names; /* maintained by graph.c */
} gt_graph;

/* An empty graph; `name` is copied. Errors: GT_ERROR_MEMORY. */
gt_status gt_graph_create(gt_graph **graph, const char *name) GT_NODISCARD;
/* With its constants; NULL is allowed. */
void gt_graph_destroy(gt_graph *graph);

/* Adds a tensor; *index is its number. `data` (gt_calloc or gt_alloc_aligned memory) is taken over on success;
 * NULL makes an activation. A name already taken gets a suffix "#2", "#3", …
 * Errors: GT_ERROR_SHAPE, GT_ERROR_MEMORY. */
gt_status gt_graph_add_tensor(gt_graph *graph, int *index, const char *name, gt_dtype dtype,
                              const gt_shape *shape, void *data) GT_NODISCARD;

/* Adds an op whose output tensor is created with the inferred shape (named `output_name`; NULL: as the op); *index
 * is the op's number, *output its tensor (either may be NULL). `attrs` and `inputs` are copied, left-out trailing
 * roles are absent. `out_hint` as in gt_workload_create.
 * Errors: those of gt_workload_create, with the op's name in front. */
gt_status gt_graph_add_op(gt_graph *graph, int *index, int *output, gt_op_kind kind, const char *name,
                          const char *output_name, const gt_attrs *attrs, const gt_epilogue *epilogue,
                          int n_inputs, const int *inputs, const gt_operand *out_hint) GT_NODISCARD;

/* As gt_graph_add_op, but the op produces the existing tensor `output` (an activation of the inferred shape that
 * no live op produces): for passes, which put a new op in an old one's place. */
gt_status gt_graph_add_op_into(gt_graph *graph, int *index, int output, gt_op_kind kind, const char *name,
                               const gt_attrs *attrs, const gt_epilogue *epilogue, int n_inputs,
                               const int *inputs) GT_NODISCARD;

/* Appends to the graph's inputs or outputs, which stand in the model's order; `name` is copied. Errors:
 * GT_ERROR_ARGUMENT (no such tensor; an input that is a constant, computed, or listed twice), GT_ERROR_MEMORY. */
gt_status gt_graph_add_input(gt_graph *graph, int tensor) GT_NODISCARD;
gt_status gt_graph_add_output(gt_graph *graph, int tensor, const char *name) GT_NODISCARD;

/* Removes dead ops, ops that no graph output needs, and unreferenced tensors (graph inputs stay); sorts ops
 * topologically (stable: model order where free) and renumbers. The graph is unchanged on failure.
 * Errors: GT_ERROR_FORMAT naming the nodes of a cycle. */
gt_status gt_graph_compact(gt_graph *graph) GT_NODISCARD;

/* gt_graph_compact, then every op's workload; checks all invariants (gt_graph_verify). */
gt_status gt_graph_finish(gt_graph *graph) GT_NODISCARD;

/* Checks names, indices, producers, order, shapes against inference. Errors: GT_ERROR_INTERNAL. */
gt_status gt_graph_verify(const gt_graph *graph) GT_NODISCARD;

/* Consumers per tensor, as a compressed list: those of tensor t are consumer[first[t]] … consumer[first[t+1]-1]
 * (op indices, ascending; an op that reads t twice stands twice; dead ops are left out). Free both with gt_free. */
gt_status gt_graph_consumers(const gt_graph *graph, int **first, int **consumer) GT_NODISCARD;

/* The operand description of a tensor (absent for GT_NO_TENSOR). */
gt_operand gt_graph_operand(const gt_graph *graph, int tensor);

/* Index of the tensor or op with this name, or -1. */
int gt_graph_find_tensor(const gt_graph *graph, const char *name);
int gt_graph_find_op(const gt_graph *graph, const char *name);

#endif
