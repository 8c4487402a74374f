/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that several commands take. */
#ifndef GT_CLI_COMMON_H
#define GT_CLI_COMMON_H

#include "costmodel/device.h"
#include "src/api/deployment.h"
#include "src/cli/cli.h"
#include "src/records/json.h"
#include "src/tune/select.h"
#include "src/tune/tune.h"

/* The flags that say how a model is imported. */
typedef struct gt_cli_import {
    gt_cli_list shapes;
    const char *weights;
    int64_t random_seed; /* -1: the weights are read */
} gt_cli_import;

#define GT_CLI_IMPORT_DEFAULTS {.random_seed = -1}

#define GT_CLI_WEIGHT_OPTIONS(weights, seed)                                                                             \
    {"weights", 0, GT_CLI_STRING, "FILE", "an ncnn model's .bin file, where it does not lie beside the .param", &(weights), 0, 0}, \
    {"random-weights", 0, GT_CLI_INT, "SEED", "make an ncnn model's weights up: its .bin file is not needed", &(seed), 0, 1e15}

#define GT_CLI_IMPORT_OPTIONS(i)                                                                                         \
    {"shape", 0, GT_CLI_SHAPES, "NAME=N,C,H,W", "the shape of an input that the model leaves open", &(i).shapes, 0, 0}, \
    GT_CLI_WEIGHT_OPTIONS((i).weights, (i).random_seed)

/* Imports a model as the flags say. */
gt_status gt_cli_load_model(gt_graph **graph, const char *path, const gt_cli_import *flags) GT_NODISCARD;

/* "NCHW,NCHW8c" as a mask of layouts; NULL: all. Errors: GT_ERROR_ARGUMENT listing the layouts. */
gt_status gt_cli_parse_layouts(unsigned *mask, const char *text) GT_NODISCARD;

/* One layout's name, or NULL: -1. */
gt_status gt_cli_parse_layout(int *layout, const char *text) GT_NODISCARD;

/* "0,2-3" as numbers of CPUs of this machine; the array is gt_free'd by the caller. NULL text: none; so
 * are "big" and "little", which gt_cli_choose_cpus knows. */
gt_status gt_cli_parse_cpus(int **cpus, int *n, const char *text) GT_NODISCARD;

/* `path` without its folder and its last suffix, and `suffix` behind it. */
gt_status gt_cli_default_path(gt_text *out, const char *path, const char *suffix) GT_NODISCARD;

/* Whether a file can be written there, before hours go into what it is to hold. "-" is standard output. */
gt_status gt_cli_check_output(const char *path) GT_NODISCARD;

/* Sets plan->model_file, and what the flags say of the weights, so that the plan finds them again: relative to the plan's
 * folder where a file lies in or below it, absolute otherwise. */
gt_status gt_cli_set_model_file(gt_plan *plan, const char *model_path, const gt_cli_import *flags,
                                const char *plan_path) GT_NODISCARD;

/* SHA-256 of a file's bytes, as hexadecimal digits. */
gt_status gt_cli_file_sha256(char out[65], const char *path) GT_NODISCARD;

/* Names the records that a plan was selected from in the plan, as gt_cli_set_model_file names the model. transforms may be
 * NULL. To be called once. */
gt_status gt_cli_set_records(gt_plan *plan, const gt_cli_list *records, const gt_cli_list *transforms,
                             const char *plan_path) GT_NODISCARD;

/* Reads records files into one set and says on stderr what was dropped or is ignored. */
gt_status gt_cli_read_records(gt_records **records, const gt_cli_list *paths) GT_NODISCARD;

/* `graphtune records import …`: argv[0] is "import". */
int gt_cli_records_import(int argc, char **argv);

/* Of how many ops the layouts are a choice with a known regret, and what the measurements say of it. */
typedef struct gt_cli_decisions {
    int total, certain, within_noise, no_interval;
    double noise_ns; /* the largest regret within the noise */
} gt_cli_decisions;
gt_cli_decisions gt_cli_count_decisions(const gt_plan *plan);

/* Prints the layer table, the transforms, and the predictions. */
gt_status gt_cli_print_plan(const gt_plan *plan, const gt_graph *graph) GT_NODISCARD;

/* The same as JSON. */
gt_status gt_cli_print_plan_json(const gt_plan *plan, const char *plan_path) GT_NODISCARD;

/* Compares the outputs that a session has computed with the reference's for the same inputs: *good, whether every one is
 * within tolerance, and how near each came, as lines on stdout (print) or as the member "check" of an object (json, or
 * NULL). */
gt_status gt_cli_check(bool *good, const gt_graph *graph, gt_session *session, bool print,
                       gt_json_writer *json) GT_NODISCARD;
/* The same of outputs that were computed elsewhere, from these inputs; all in C order. */
gt_status gt_cli_check_outputs(bool *good, const gt_graph *graph, const void *const *inputs, const void *const *outputs,
                               bool print, gt_json_writer *json) GT_NODISCARD;

/* Benches a plan beside its alternatives and prints the table, or JSON. */
gt_status gt_cli_bench(gt_graph *graph, const gt_plan *plan, int turns, double turn_seconds, bool json) GT_NODISCARD;

/* The same of a session alone. */
gt_status gt_cli_bench_session(gt_session *session, const gt_plan *plan, int turns, double turn_seconds, bool json) GT_NODISCARD;

/* Opens a bundle, pins this process as gt_cli_pin does, and makes a deployment (threads 0: as the bundle says). */
gt_status gt_cli_open_bundle(gt_deployment **deployment, const char *path, const gt_i_model_files *files, int threads,
                             const char *cpus, bool quiet) GT_NODISCARD;

/* Packs a plan (isa NULL: for the plan's instruction set) into the bundle `output`, and says so unless quiet. */
gt_status gt_cli_pack(const char *plan_path, const gt_i_model_files *files, const char *output, const char *isa, bool quiet,
                      bool json) GT_NODISCARD;

/* Selects with figures from the running network; says on stderr how that went unless quiet. */
gt_status gt_cli_refine(gt_plan **plan, gt_graph *graph, gt_records *records, const gt_select_options *options,
                        bool quiet) GT_NODISCARD;

/* Tunes into records_path, with a progress bar and a closing summary on the terminal. *interrupted: by SIGINT or SIGTERM,
 * and said so. */
gt_status gt_cli_tune(bool *interrupted, const gt_tasks *tasks, const char *records_path,
                      const gt_tune_options *options) GT_NODISCARD;

#endif
