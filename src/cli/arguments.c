/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that say the same in every command: layouts, CPUs, names of files. */
#include "src/cli/common.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gt_status unknown_layout(const char *text, size_t length)
{
    gt_text names = {0};
    gt_status status = GT_OK;
    for (int i = 0; i < GT_LAYOUT_COUNT && status == GT_OK; i++) {
        status = gt_text_append(&names, "%s%s", i > 0 ? ", " : "", gt_layout_name((gt_layout)i));
    }
    if (status == GT_OK) {
        status = gt_fail(GT_ERROR_ARGUMENT, "layout \"%.*s\" is unknown; there are %s", (int)length, text, names.data);
    }
    gt_text_destroy(&names);
    return status;
}

gt_status gt_cli_parse_layouts(unsigned *mask, const char *text)
{
    *mask = text == NULL ? (1u << GT_LAYOUT_COUNT) - 1 : 0;
    while (text != NULL) {
        size_t length = strcspn(text, ",");
        char name[16] = "";
        if (length < sizeof name) {
            memcpy(name, text, length);
        }
        gt_layout layout = gt_layout_find(name);
        if (layout == GT_LAYOUT_COUNT) {
            return unknown_layout(text, length);
        }
        *mask |= 1u << layout;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return GT_OK;
}

gt_status gt_cli_parse_layout(int *layout, const char *text)
{
    *layout = text == NULL ? -1 : (int)gt_layout_find(text);
    return *layout == GT_LAYOUT_COUNT ? unknown_layout(text, strlen(text)) : GT_OK;
}

/* One "a" or "a-b" at the start of *text, which is moved behind it and its comma. */
static bool parse_range(const char **text, long *first, long *last)
{
    char *end = NULL;
    if (**text < '0' || **text > '9') {
        return false;
    }
    *first = *last = strtol(*text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
        *last = strtol(end + 1, &end, 10);
    }
    bool good = (*end == '\0' || (*end == ',' && end[1] != '\0')) && *first <= *last;
    *text = *end == ',' ? end + 1 : end;
    return good;
}

gt_status gt_cli_parse_cpus(int **cpus, int *n, const char *text)
{
    gt_status status = GT_OK;
    int *list = NULL;
    int count = 0;
    size_t capacity = 0;
    long present = sysconf(_SC_NPROCESSORS_CONF);
    if (text != NULL && (strcmp(text, "big") == 0 || strcmp(text, "little") == 0)) {
        text = NULL;
    }
    GT_REQUIRE(text == NULL || *text != '\0', GT_ERROR_ARGUMENT, "a list such as 0,2-3, or big or little, is needed");
    for (const char *p = text; p != NULL && *p != '\0';) {
        long first = 0;
        long last = 0;
        GT_REQUIRE(parse_range(&p, &first, &last), GT_ERROR_ARGUMENT, "\"%s\": a list such as 0,2-3, or big or little, is needed", text);
        GT_REQUIRE(last < present, GT_ERROR_ARGUMENT, "\"%s\": there is no CPU %ld; this machine has 0 to %ld", text, last,
                   present - 1);
        for (long cpu = first; cpu <= last; cpu++) {
            GT_PUSH(list, count, capacity, (int)cpu);
        }
    }
    *cpus = list;
    *n = count;
    list = NULL;
done:
    gt_free(list);
    return status;
}

gt_status gt_cli_default_path(gt_text *out, const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    return gt_text_append(out, "%.*s%s", (int)length, name, suffix);
}
