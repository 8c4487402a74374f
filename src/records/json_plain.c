/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of json_cjson.c in builds without cJSON. */
#include "src/records/json_internal.h"

gt_status gt_i_json_build(gt_i_json_document *doc, const char *text, size_t bytes)
{
    return gt_i_json_read_tree(doc, text, bytes);
}
