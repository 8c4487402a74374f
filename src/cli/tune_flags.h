/* SPDX-License-Identifier: Apache-2.0 */
/* The tuning flags that `tune` and `auto` share. */
#ifndef GT_CLI_TUNE_FLAGS_H
#define GT_CLI_TUNE_FLAGS_H

#include "src/cli/common.h"
#include "src/cli/device_flags.h"

typedef struct gt_tune_flags {
    double budget_s, candidate_s, max_celsius;
    int64_t trials, threads, seed;
    const char *cpus, *templates, *layouts, *strategy, *learn_from;
    bool quiet;
} gt_tune_flags;

gt_tune_flags gt_tune_flags_defaults(void);

#define GT_TUNE_FLAG_OPTIONS(f)                                                                                          \
    {"budget", 'b', GT_CLI_REAL, "SECONDS", "measure for so long in all, most on the layers with most work", &(f).budget_s, 0, 1e7},     \
    {"trials", 'n', GT_CLI_INT, "N", "configs tried per layer, template and layout pair, at most (default 8)", &(f).trials, 1, 100000},      \
    {"strategy", 0, GT_CLI_STRING, "NAME", "how configs are chosen: model (default: those of which a model of the\nmeasurements expects most), grid or random", &(f).strategy, 0, 0}, \
    {"learn-from", 0, GT_CLI_STRING, "RECORDS", "records of other networks or devices that the model learns from", &(f).learn_from, 0, 0}, \
    {"threads", 't', GT_CLI_INT, "N", "threads of the deployment (default 1)", &(f).threads, 1, 256},                    \
    {"candidate-time", 0, GT_CLI_REAL, "SECONDS", "measure each candidate at least so long, 4 times that at most", &(f).candidate_s, 1e-5, 60}, \
    GT_CLI_CPUS_OPTION((f).cpus),                                                                                       \
    {"max-temp", 0, GT_CLI_REAL, "CELSIUS", "measure only while the processor is at most so hot, and wait until\nit is 5 °C cooler where it is not", &(f).max_celsius, 20, 150}, \
    {"templates", 0, GT_CLI_STRING, "GLOBS", "only these templates, such as 'conv2d.*,pool2d.*'", &(f).templates, 0, 0}, \
    {"layouts", 0, GT_CLI_LAYOUTS, "LIST", "only these layouts, such as NCHW,NCHW8c", &(f).layouts, 0, 0},                \
    {"tune-seed", 0, GT_CLI_INT, "N", "seed of the sampled configs and of the data (default 1)", &(f).seed, 0, 1e15},    \
    {"quiet", 'q', GT_CLI_FLAG, NULL, "print nothing but errors", &(f).quiet, 0, 0}

/* Turns flags into options; *cpus must outlive them and is gt_free'd by the caller. */
gt_status gt_tune_flags_apply(gt_tune_options *options, int **cpus, const gt_tune_flags *flags) GT_NODISCARD;

#endif
