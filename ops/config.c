/* SPDX-License-Identifier: Apache-2.0 */
/* Config spaces: points, text form, validity. */
#include "ops/template.h"

#include <stdio.h>
#include <string.h>

void gt_template_space(const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    *space = (gt_space){0};
    if (t->space != NULL) {
        t->space(w, in, out, space);
    }
    GT_VERIFY(space->n >= 0 && space->n <= GT_MAX_KNOBS);
    for (int i = 0; i < space->n; i++) {
        GT_VERIFY(space->knob[i].n >= 1 && space->knob[i].n <= GT_MAX_KNOB_VALUES);
    }
}

int64_t gt_space_size(const gt_space *space)
{
    int64_t size = 1;
    for (int i = 0; i < space->n; i++) {
        size *= space->knob[i].n;
    }
    return size;
}

void gt_space_point(const gt_space *space, int64_t index, gt_config *config)
{
    *config = (gt_config){.n = space->n};
    for (int i = 0; i < space->n; i++) {
        config->value[i] = space->knob[i].value[index % space->knob[i].n];
        index /= space->knob[i].n;
    }
}

static bool in_space(const gt_space *space, const gt_config *config)
{
    if (config->n != space->n) {
        return false;
    }
    for (int i = 0; i < space->n; i++) {
        bool found = false;
        for (int j = 0; j < space->knob[i].n; j++) {
            found |= space->knob[i].value[j] == config->value[i];
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

bool gt_template_valid(const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out,
                       const gt_config *config)
{
    gt_space space;
    gt_template_space(t, w, in, out, &space);
    return in_space(&space, config) && (t->valid == NULL || t->valid(w, in, out, config));
}

gt_status gt_config_format(gt_text *text, const gt_space *space, const gt_config *config)
{
    gt_status status = GT_OK;
    GT_TRY(gt_text_append(text, "%s", ""));
    for (int i = 0; i < space->n; i++) {
        GT_TRY(gt_text_append(text, "%s%s=%d", i > 0 ? "," : "", space->knob[i].name, config->value[i]));
    }
done:
    return status;
}

static gt_status unknown_value(const gt_knob *knob, const char *given, int length)
{
    gt_status status = GT_OK;
    gt_text allowed = {0};
    for (int i = 0; i < knob->n; i++) {
        GT_TRY(gt_text_append(&allowed, "%s%d", i > 0 ? ", " : "", knob->value[i]));
    }
    status = gt_fail(GT_ERROR_FORMAT, "config knob %s = \"%.*s\": allowed are %s", knob->name, length, given,
                     allowed.data);
done:
    gt_text_destroy(&allowed);
    return status;
}

/* Reads "name=value" of one knob at *text and moves past it. */
static gt_status parse_knob(int32_t *value, const gt_knob *knob, const char **text)
{
    const char *p = *text;
    size_t name_bytes = strlen(knob->name);
    if (strncmp(p, knob->name, name_bytes) != 0 || p[name_bytes] != '=') {
        return gt_fail(GT_ERROR_FORMAT, "config: expected knob \"%s=\" at \"%.40s\"", knob->name, p);
    }
    p += name_bytes + 1;
    size_t length = strcspn(p, ",");
    for (int i = 0; i < knob->n; i++) {
        char candidate[16];
        int bytes = 0;
        int32_t v = knob->value[i];
        bytes = snprintf(candidate, sizeof candidate, "%d", v);
        if (length == (size_t)bytes && strncmp(p, candidate, length) == 0) {
            *value = v;
            *text = p + length;
            return GT_OK;
        }
    }
    return unknown_value(knob, p, (int)(length < 40 ? length : 40));
}

gt_status gt_config_parse(gt_config *config, const gt_space *space, const char *text)
{
    gt_status status = GT_OK;
    gt_config parsed = {.n = space->n};
    for (int i = 0; i < space->n; i++) {
        if (i > 0) {
            GT_REQUIRE(*text == ',', GT_ERROR_FORMAT, "config: knob \"%s\" is missing", space->knob[i].name);
            text++;
        }
        GT_TRY(parse_knob(&parsed.value[i], &space->knob[i], &text));
    }
    GT_REQUIRE(*text == '\0', GT_ERROR_FORMAT, "config: \"%.40s\" follows the last knob", text);
    *config = parsed;
done:
    return status;
}
