/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/counter_flags.h"

#include "src/cli/agent.h"

#include <string.h>

#define TIMEOUT_S 600

static gt_status read_cost(gt_count_cost *cost, const char *text)
{
    static const char *const names[GT_COUNT_COSTS] = {"cycles", "issue"};
    gt_status status = GT_OK;
    for (int i = 0; i < GT_COUNT_COSTS; i++) {
        if (text == NULL || strcmp(text, names[i]) == 0) {
            *cost = text == NULL ? GT_COUNT_CYCLES : (gt_count_cost)i;
            return GT_OK;
        }
    }
    GT_TRY(gt_fail(GT_ERROR_ARGUMENT, "--cost %s: cycles or issue is needed", text));
done:
    return status;
}

gt_status gt_counter_flags_open(gt_counter **counter, const gt_counter_flags *f, uint64_t seed)
{
    gt_status status = GT_OK;
    gt_text armsim = {0}, agent = {0};
    bool counted = f->source != NULL && strcmp(f->source, "counted") == 0;
    gt_counter_options o = {.core = f->core != NULL ? f->core : "a72", .seed = seed, .timeout_s = TIMEOUT_S};
    GT_REQUIRE(counted || f->source == NULL || strcmp(f->source, "measured") == 0, GT_ERROR_ARGUMENT,
               "--source %s: measured or counted is needed", f->source);
    GT_REQUIRE(counted || (f->core == NULL && f->cost == NULL && f->agent == NULL), GT_ERROR_ARGUMENT,
               "--core, --cost and --board-agent go with --source counted");
    if (!counted) {
        goto done;
    }
    GT_TRY(read_cost(&o.cost, f->cost));
    GT_TRY(gt_cli_find_armsim(&armsim));
    GT_TRY(f->agent != NULL ? gt_text_append(&agent, "%s", f->agent) : gt_cli_find_agent(&agent, "aarch64"));
    o.armsim = armsim.data;
    o.agent = agent.data;
    GT_TRY(gt_counter_open(counter, &o));
done:
    gt_text_destroy(&armsim);
    gt_text_destroy(&agent);
    return status;
}

gt_status gt_cli_counted_device(const char **hash, const gt_records *records, const char *wanted)
{
    gt_status status = GT_OK;
    const char *found = wanted;
    for (int64_t i = 0; wanted == NULL && i < gt_records_count(records); i++) {
        const gt_record *r = gt_records_at(records, i);
        if (r->source == GT_SOURCE_COUNTED) {
            GT_REQUIRE(found == NULL || strcmp(found, r->device) == 0, GT_ERROR_ARGUMENT,
                       "the counted records are of several cores (%s, %s); choose one with --device", found, r->device);
            found = r->device;
        }
    }
    GT_REQUIRE(found != NULL, GT_ERROR_NOT_FOUND, "none of the records are counted; `graphtune tune --source counted` makes them");
    *hash = found;
done:
    return status;
}
