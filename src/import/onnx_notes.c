/* SPDX-License-Identifier: Apache-2.0 */
/* What a written model says beside its meaning: notes, and domains of operators that are not ONNX's own. */
#include "src/import/onnx_file.h"

#include <string.h>

gt_status gt_onnx_add_note(gt_onnx_notes *notes, const char *key, const char *value)
{
    gt_status status = GT_OK;
    gt_onnx_entry entry = {0};
    GT_TRY(gt_strdup(&entry.key, key));
    GT_TRY(gt_strdup(&entry.value, value));
    GT_PUSH(notes->entries, notes->n, notes->capacity, entry);
    entry = (gt_onnx_entry){0};
done:
    gt_free(entry.key);
    gt_free(entry.value);
    return status;
}

gt_status gt_onnx_set_doc(gt_onnx_notes *notes, const char *text)
{
    char *copy = NULL;
    gt_status status = gt_strdup(&copy, text);
    if (status == GT_OK) {
        gt_free(notes->doc);
        notes->doc = copy;
    }
    return status;
}

void gt_onnx_notes_clear(gt_onnx_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) {
        gt_free(notes->entries[i].key);
        gt_free(notes->entries[i].value);
    }
    gt_free(notes->entries);
    gt_free(notes->doc);
    *notes = (gt_onnx_notes){0};
}

static bool imports_domain(const gt_onnx_model *model, const char *domain)
{
    for (size_t i = 0; i < model->n_domains; i++) {
        if (strcmp(model->domains[i], domain) == 0) {
            return true;
        }
    }
    return false;
}

gt_status gt_onnx_set_domain(gt_onnx_model *model, gt_onnx_node *node, const char *domain)
{
    gt_status status = GT_OK;
    char *imported = NULL;
    char *own = NULL;
    GT_TRY(gt_strdup(&own, domain));
    if (!imports_domain(model, domain)) {
        GT_TRY(gt_strdup(&imported, domain));
        GT_PUSH(model->domains, model->n_domains, model->domains_capacity, imported);
        imported = NULL;
    }
    gt_free(node->domain);
    node->domain = own;
    own = NULL;
done:
    gt_free(own);
    gt_free(imported);
    return status;
}
