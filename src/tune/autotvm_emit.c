/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/autotvm_emit.h"

#include "src/base/file.h"
#include "src/tune/select_internal.h"

#include <string.h>

static bool is_autotvm(const gt_plan_op *entry)
{
    return strncmp(entry->template_name, GT_FOREIGN_PREFIX, strlen(GT_FOREIGN_PREFIX)) == 0;
}

static const gt_record *find_record(const gt_records *records, const gt_plan *plan, const gt_plan_op *entry,
                                    const char *key)
{
    return gt_records_find(records, GT_RECORD_OP, plan->device, plan->threads, key, entry->in, entry->out,
                           entry->template_name, entry->config);
}

static gt_status append_line(gt_text *log, gt_autotvm_taken *taken, const gt_plan *plan, int index, const gt_op *op,
                             const gt_records *records)
{
    gt_status status = GT_OK;
    char *key = NULL;
    char *even = NULL;
    const gt_plan_op *entry = &plan->schedule.ops[index];
    GT_TRY(gt_i_bare_key(&key, op->workload));
    GT_TRY(gt_i_even_key(&even, op->workload));
    const gt_record *r = find_record(records, plan, entry, key);
    if (r == NULL && even != NULL) {
        r = find_record(records, plan, entry, even);
        taken->other_sides += r != NULL;
    }
    GT_REQUIRE(r != NULL && r->note != NULL, GT_ERROR_NOT_FOUND,
               "op \"%s\": its record does not have the log line it was made from (key \"note\"); import the log again",
               op->name);
    GT_TRY(gt_text_append(log, "%s\n", r->note));
    taken->lines++;
done:
    gt_free(even);
    gt_free(key);
    return status;
}

gt_status gt_autotvm_emit(gt_autotvm_taken *taken, const char *path, const gt_plan *plan, const gt_graph *graph,
                          const gt_records *records)
{
    gt_status status = GT_OK;
    gt_text log = {0};
    gt_autotvm_taken t = {0};
    for (int i = 0; i < plan->schedule.n_ops; i++) {
        if (is_autotvm(&plan->schedule.ops[i])) {
            GT_TRY(append_line(&log, &t, plan, i, &graph->ops[i], records));
        }
    }
    GT_REQUIRE(t.lines > 0 || path == NULL, GT_ERROR_NOT_FOUND,
               "%s: not written: the plan has no candidate of AutoTVM's", path);
    if (path != NULL) {
        GT_TRY(gt_file_replace(path, log.data, log.length));
    }
    *taken = t;
done:
    gt_text_destroy(&log);
    return status;
}
