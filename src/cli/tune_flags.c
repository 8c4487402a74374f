/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/tune_flags.h"

gt_tune_flags gt_tune_flags_defaults(void)
{
    gt_tune_options o = gt_tune_defaults();
    return (gt_tune_flags){.budget_s = o.budget_s, .candidate_s = (double)o.measure.min_time_ns * 1e-9, .trials = o.trials, .threads = 1, .seed = (int64_t)o.seed};
}

gt_status gt_tune_flags_apply(gt_tune_options *options, int **cpus, const gt_tune_flags *flags)
{
    gt_status status = GT_OK;
    int n = 0;
    *options = gt_tune_defaults();
    options->strategy = flags->strategy != NULL ? gt_strategy_find(flags->strategy) : options->strategy;
    GT_REQUIRE(options->strategy < GT_STRATEGY_COUNT, GT_ERROR_ARGUMENT, "--strategy %s: model, grid or random is needed",
               flags->strategy);
    GT_REQUIRE(flags->learn_from == NULL || options->strategy == GT_STRATEGY_MODEL, GT_ERROR_ARGUMENT,
               "--learn-from goes with --strategy model, not %s", gt_strategy_name(options->strategy));
    options->learn_from = flags->learn_from;
    GT_TRY(gt_cli_choose_cpus(cpus, &n, flags->cpus, (int)flags->threads, flags->quiet));
    GT_TRY(gt_cli_parse_layouts(&options->layouts, flags->layouts));
    options->layouts |= 1u << GT_NCHW;
    options->measure.cpus = *cpus;
    options->measure.n_cpus = n;
    options->measure.threads = (int)flags->threads;
    options->measure.seed = (uint64_t)flags->seed;
    options->measure.min_time_ns = (int64_t)(flags->candidate_s * 1e9);
    options->measure.max_time_ns = 4 * options->measure.min_time_ns;
    options->budget_s = flags->budget_s;
    options->max_celsius = flags->max_celsius;
    options->trials = (int)flags->trials;
    options->templates = flags->templates;
    options->seed = (uint64_t)flags->seed;
    options->quiet = flags->quiet;
    options->progress = !flags->quiet;
done:
    return status;
}

gt_status gt_cli_tune(bool *interrupted, const gt_tasks *tasks, const char *records_path, const gt_tune_options *options)
{
    gt_status status = GT_OK;
    gt_tune_report r = {0};
    GT_TRY(gt_tune(tasks, records_path, options, &r));
    *interrupted = r.interrupted;
    if (!options->quiet && !r.interrupted) {
        if (r.repeated > 0 || r.cooling_seconds >= 1) {
            printf("the processor was throttled: %lld measurements were repeated, %.0f s were spent on cooling down\n",
                   (long long)r.repeated, r.cooling_seconds);
        }
        printf("%lld candidates measured in %.1f s, %lld already there%s; records in %s\n", (long long)r.measured, r.seconds,
               (long long)r.skipped, r.budget_spent ? " (budget spent)" : "", records_path);
    }
done:
    return status;
}
