/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models written down in a line each, and what the importer makes of them: for the importer's tests. All of it
 * aborts the running Check test where something fails. */
#ifndef GT_TESTS_ONNX_MODEL_H
#define GT_TESTS_ONNX_MODEL_H

#include "src/import/import.h"
#include "src/import/onnx_file.h"

#include <check.h>

/* The suite's folder for files, and the file that om_import writes there; set by om_run. */
extern char om_folder[1024];
extern char om_model_path[1100];

void om_ok(gt_status status);

/* A tensor from text: "2x3 1,2,3,4,5,6", "4 *0.5" (all the same), "1x1x3x3 1~9" (counting up), "s 2" (a scalar). In
 * front, "!" makes it an initializer, "i:" int64 and "b:" bool; "_" alone is an absent input. */
typedef struct om_literal {
    bool present, constant;
    gt_onnx_type type;
    gt_shape shape;
    int64_t n;
    double value[4096];
} om_literal;

/* Literals separated by ';'; returns how many. */
size_t om_read_literals(om_literal *out, const char *text);

/* In the element type's own width; free with gt_free. */
void *om_literal_data(const om_literal *l);

gt_onnx_model *om_new_model(int64_t opset);
void om_add_input(gt_onnx_model *model, const char *name, const char *shape);
/* An output of unknown shape. */
void om_add_output(gt_onnx_model *model, const char *name);
void om_add_initializer(gt_onnx_model *model, const char *name, const char *text);
/* Names are separated by blanks; "_" is an absent one. */
gt_onnx_node *om_add_node(gt_onnx_model *model, const char *op, const char *name, const char *inputs,
                          const char *outputs);
/* "pads=1,1,1,1 auto_pad=VALID alpha=0.5 axis=1": the name decides between a list and a number, a point between
 * float and int; "value=tensor:1x2|3,4" is a tensor. */
void om_set_attrs(gt_onnx_node *node, const char *text);

/* A model of one node. */
typedef struct om_case {
    const char *op;
    int opset;
    const char *attrs;
    const char *inputs; /* literals separated by ';' */
    const char *want;   /* of the outputs */
} om_case;

gt_onnx_model *om_build_case(const om_case *c, const om_literal *in, size_t n_in);

/* Through a file. */
gt_status om_import(gt_graph **graph, const gt_onnx_model *model, const gt_import_options *options);

/* Runs a graph on the literals that are not constants and compares its outputs with the literals in `want`. */
void om_check_graph(const char *label, const gt_graph *graph, const om_literal *in, size_t n_in, const char *want);

/* The import fails with this status and a message that names the file once and has every part; destroys the model. */
void om_check_fails(gt_onnx_model *model, const gt_import_options *options, gt_status want, const char *const *parts,
                    int n_parts);
#define OM_FAILS(model, options, status, ...)                                          \
    om_check_fails(model, options, status, (const char *const[]){__VA_ARGS__},         \
                   (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

/* Runs a suite with the folder in place; returns main's exit status. */
int om_run(Suite *suite);

#endif
