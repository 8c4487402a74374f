/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/counter_flags.h"

#include "src/cli/agent.h"

#include <string.h>

#define TIMEOUT_S 600

gt_status gt_counter_flags_open(gt_counter **counter, const gt_counter_flags *f, uint64_t seed)
{
    gt_status status = GT_OK;
    gt_text armsim = {0}, agent = {0};
    bool counted = f->source != NULL && strcmp(f->source, "counted") == 0;
    gt_counter_options o = {.core = f->core != NULL ? f->core : "a72", .miss_weight = f->miss_weight >= 0 ? f->miss_weight : 1, .seed = seed,
                            .timeout_s = TIMEOUT_S};
    GT_REQUIRE(counted || f->source == NULL || strcmp(f->source, "measured") == 0, GT_ERROR_ARGUMENT,
               "--source %s: measured or counted is needed", f->source);
    GT_REQUIRE(counted || (f->core == NULL && f->miss_weight < 0 && f->agent == NULL), GT_ERROR_ARGUMENT,
               "--core, --miss-weight and --board-agent go with --source counted");
    if (!counted) {
        goto done;
    }
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
