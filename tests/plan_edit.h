/* SPDX-License-Identifier: Apache-2.0 */
/* Edits in the text of a JSON document, to make malformed ones out of a right one. */
#ifndef GT_TESTS_PLAN_EDIT_H
#define GT_TESTS_PLAN_EDIT_H

#include "src/base/text.h"

typedef enum pe_action {
    PE_SET,       /* the value at `path` becomes the text `value` */
    PE_RENAME,    /* the member at `path` gets the key `value` */
    PE_REMOVE,    /* the array element at `path`, with its comma */
    PE_DUPLICATE, /* the array element at `path` stands twice */
    PE_SWAP       /* the array elements at `path` and `value`, which comes later, change places */
} pe_action;

/* Appends the edited document to *out. `path` is written as in messages: "ops[1].config"; it must exist, otherwise the
 * process ends with a message. */
gt_status pe_apply(gt_text *out, const char *json, pe_action action, const char *path, const char *value) GT_NODISCARD;

#endif
