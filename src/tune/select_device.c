/* SPDX-License-Identifier: Apache-2.0 */
/* What the records tell about the device that a plan is for. */
#include "src/records/json.h"
#include "src/tune/select_internal.h"

#include <string.h>

/* The instruction set in a fingerprint; unchanged where it tells none. */
static gt_status copy_isa(char **isa, const char *json)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    const char *name = NULL;
    GT_TRY(gt_json_parse(&root, json, strlen(json), "device", 0));
    if (gt_json_find(root, "isa") != NULL) {
        GT_TRY(gt_json_get_string(root, "isa", &name));
        GT_TRY(gt_strdup(isa, name));
    }
done:
    gt_json_destroy(root);
    return status;
}

gt_status gt_i_name_isa(char **isa, const gt_selection *s)
{
    gt_status status = GT_OK;
    const gt_select_options *o = s->options;
    for (int64_t i = 0; *isa == NULL && o->device != NULL && i < gt_records_device_count(s->records); i++) {
        if (strcmp(gt_records_device_hash(s->records, i), o->device) == 0) {
            GT_TRY(copy_isa(isa, gt_records_device_json(s->records, i)));
        }
    }
    if (*isa == NULL) {
        GT_TRY(gt_strdup(isa, gt_isa_name(o->isa)));
    }
done:
    return status;
}
