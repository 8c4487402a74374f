/* SPDX-License-Identifier: Apache-2.0 */
/* What the `run` of every program does, and the flags that they share. */
#ifndef GT_CLI_RUN_PLAN_H
#define GT_CLI_RUN_PLAN_H

#include "src/cli/common.h"
#include "src/cli/device_flags.h"

typedef struct gt_run_arguments {
    const char *path; /* a plan or a bundle */
    gt_cli_list inputs;
    const char *output, *cpus;
    gt_i_model_files files;
    int64_t threads, seed, repeat;
    bool check, profile, json;
} gt_run_arguments;

#define GT_RUN_DEFAULTS {.files.random_seed = -1, .seed = 1, .repeat = 1}

#define GT_RUN_OPTIONS(a)                                                                                               \
    {"input", 'i', GT_CLI_LIST, "[NAME=]FILE", "an input; in the model's order where no name is given", &(a).inputs, 0, 0}, \
    {"output", 'o', GT_CLI_STRING, "DIR", "write output_0.npy, output_1.npy, … in the model's order", &(a).output, 0, 0}, \
    {"profile", 0, GT_CLI_FLAG, NULL, "the time of every step beside its prediction", &(a).profile, 0, 0},              \
    {"threads", 't', GT_CLI_INT, "N", "threads (default: those it was tuned for)", &(a).threads, 1, 256},               \
    GT_CLI_CPUS_OPTION((a).cpus),                                                                                       \
    {"repeat", 'n', GT_CLI_INT, "N", "run N times and state the shortest (default 1)", &(a).repeat, 1, 1e6},            \
    {"seed", 0, GT_CLI_INT, "N", "seed of the noise for inputs that are not given (default 1)", &(a).seed, 0, 1e15},    \
    {"json", 0, GT_CLI_FLAG, NULL, "print the figures as JSON", &(a).json, 0, 0}

gt_status gt_cli_run(const gt_run_arguments *arguments) GT_NODISCARD;

/* Noise, and over it the files that were given. Errors: GT_ERROR_ARGUMENT, GT_ERROR_SHAPE, those of gt_npy_read. */
gt_status gt_i_run_load_inputs(gt_session *session, const gt_graph *graph, const gt_run_arguments *arguments) GT_NODISCARD;

/* Creates the folder where it is missing. Errors: GT_ERROR_IO. */
gt_status gt_i_run_write_outputs(const gt_session *session, const gt_graph *graph, const char *folder) GT_NODISCARD;

#endif
