/* SPDX-License-Identifier: Apache-2.0 */
/* One line of an AutoTVM log and what it measures; for the importer alone. */
#ifndef GT_IMPORT_AUTOTVM_LINE_H
#define GT_IMPORT_AUTOTVM_LINE_H

#include "src/records/json.h"
#include "src/records/records.h"

typedef struct gt_autotvm_line {
    gt_json *root; /* owned; the rest is borrowed from it or from the text */
    char *text;    /* owned: the text that was read, where it is not the log's (it had NaN) */
    const char *target, *task;
    const char *template_key; /* version 0.1: "direct", "winograd", …; NULL in 0.2 */
    const gt_json *arguments; /* of the task */
    const gt_json *config;
    const char *entity_key;   /* where the config has its tiles: "e" or "entity" */
    const char *config_text, *arguments_text; /* their bytes in the line */
    size_t config_bytes, arguments_bytes;
    gt_record_status status;
    gt_timing timing; /* zero unless status is ok */
} gt_autotvm_line;

/* Destroy with gt_i_autotvm_line_clear. Errors: GT_ERROR_FORMAT naming path, line, field and what is allowed. */
gt_status gt_i_autotvm_line_parse(gt_autotvm_line *out, const char *text, size_t bytes, const char *path,
                                  int64_t line) GT_NODISCARD;
void gt_i_autotvm_line_clear(gt_autotvm_line *line);

/* What a task computes. `skipped` is not empty where it has no counterpart here: the reason in a few words. */
typedef struct gt_autotvm_case {
    char *workload; /* the key; NULL if skipped */
    gt_layout in, out;
    bool blocked; /* in and out depend on the config: gt_i_autotvm_find_layouts */
    int64_t in_channels, out_channels;
    char skipped[96];
} gt_autotvm_case;

/* Free out->workload with gt_free. Depends on the task and its arguments alone. Errors: GT_ERROR_FORMAT as above. */
gt_status gt_i_autotvm_map(gt_autotvm_case *out, const gt_autotvm_line *line) GT_NODISCARD;

/* Replaces in and out of a blocked case by those of the line's config, or sets `skipped`. Errors: GT_ERROR_FORMAT. */
gt_status gt_i_autotvm_find_layouts(gt_autotvm_case *c, const gt_autotvm_line *line) GT_NODISCARD;

#endif
