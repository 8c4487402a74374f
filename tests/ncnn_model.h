/* SPDX-License-Identifier: Apache-2.0 */
/* ncnn files written down in a line each, for the importer's tests. All of it aborts the running Check test where
 * something fails. */
#ifndef GT_TESTS_NCNN_MODEL_H
#define GT_TESTS_NCNN_MODEL_H

#include "src/base/text.h"
#include "src/import/import.h"
#include "src/import/ncnn_param.h"

#include <check.h>

/* The suite's folder for files, and the network's two files there; set by nm_run_suite. */
extern char nm_folder[1024];
extern char nm_param_path[1100];
extern char nm_bin_path[1100];

/* How a .param of two layers begins, without and with its input. */
#define NM_HEAD "7767517\n2 2\n"
#define NM_INPUT NM_HEAD "Input in 0 1 x 0=4 1=4 2=2\n"

void nm_ok(gt_status status);

/* A tensor from text: "2x3 1,2,3,4,5,6", "4 *0.5" (all the same), "1x3x3 1~9" (counting up). The text's shape is
 * ncnn's, without a batch. */
typedef struct nm_literal {
    gt_shape shape; /* with the batch */
    int64_t n;
    float value[1024];
} nm_literal;

/* Returns what follows the next ';' or NULL. */
const char *nm_read_literal(nm_literal *l, const char *text);

/* The .bin from "f:1,2; h:1,2": f floats, F flagged floats, s floats with the third flag, h halves, q int8, t a table
 * whose entry k is k/4 and bytes. */
void nm_write_weights(const char *text);
void nm_write_param(const char *text);

/* `layers`: lines of .param after those of the inputs, x0, x1, …; `inputs` and `outputs`: literals by ';'. */
typedef struct nm_case {
    const char *layers, *inputs, *weights, *outputs;
} nm_case;

/* Every layer type, with values worked out by hand (ncnn_cases.c). */
extern const nm_case nm_cases[];
extern const int nm_n_cases;

/* Writes the case's files and reads its inputs, 8 at most. */
void nm_write_case(const nm_case *c, nm_literal *in);

/* Runs a graph on one array per graph input. Returns the memory of all tensors, for nm_free_run. */
void **nm_run(const gt_graph *g, const float *const *inputs);
void nm_free_run(const gt_graph *g, void **data);

/* The last error message has every part; parts are separated by '|'. */
void nm_check_message(const char *what, const char *parts);

/* A small network with weights of all kinds: its .param, its files, and its 3 outputs for one fixed input. */
extern const char nm_small_text[];
void nm_write_small(void);
void nm_small_outputs(float *out, const char *path, const gt_import_options *options);

/* Writes what ncnn's ncnn2mem makes of a .param, and where the suite keeps such a file. */
void nm_write_binary(const char *path, const char *text);
void nm_binary_path(char *path, size_t bytes);

/* Runs a suite with the folder in place; returns main's exit status. */
int nm_run_suite(Suite *suite);

#endif
