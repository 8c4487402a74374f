/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/plan_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE " \n\t\r"

/* A value in the text, and the key before it (NULL in arrays). */
struct span {
    const char *key, *begin, *end;
};

static const char *skip_string(const char *p)
{
    for (p++; *p != '"'; p++) {
        p += *p == '\\' ? 1 : 0;
    }
    return p + 1;
}

static const char *skip_value(const char *p)
{
    int depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += *p == '[' || *p == '{' ? 1 : 0;
        depth -= *p == ']' || *p == '}' ? 1 : 0;
        p += depth > 0 || *p == ']' || *p == '}' ? 1 : strcspn(p, ",]} \n");
    } while (depth > 0);
    return p;
}

static void missing(const char *path)
{
    fprintf(stderr, "the document has no %s\n", path);
    exit(1);
}

/* The member or element of the container at `p` that *path begins with; moves *path behind it. */
static struct span enter(const char *p, const char **path, const char *whole)
{
    struct span at = {0};
    const bool element = **path == '[';
    const size_t length = strcspn(*path, ".[");
    long left = element ? strtol(*path + 1, NULL, 10) : -1;
    for (p++;; p++) {
        p += strspn(p, SPACE);
        if (*p == ']' || *p == '}') {
            missing(whole);
        }
        at.key = element ? NULL : p;
        const char *key_end = element ? p : skip_string(p);
        at.begin = element ? p : key_end + strspn(key_end, SPACE ":");
        at.end = skip_value(at.begin);
        if (element ? left-- == 0 : (size_t)(key_end - p) == length + 2 && strncmp(p + 1, *path, length) == 0) {
            break;
        }
        p = at.end + strspn(at.end, SPACE);
        if (*p != ',') {
            missing(whole);
        }
    }
    *path += element ? strcspn(*path, "]") + 1 : length;
    *path += **path == '.' ? 1 : 0;
    return at;
}

static struct span find(const char *json, const char *path)
{
    const char *rest = path;
    struct span at = {.begin = json + strspn(json, SPACE)};
    while (*rest != '\0') {
        at = enter(at.begin, &rest, path);
    }
    return at;
}

static gt_status put(gt_text *out, const char *begin, const char *end)
{
    return gt_text_append_bytes(out, begin, (size_t)(end - begin));
}

static gt_status swap(gt_text *out, const char *json, const struct span *a, const struct span *b)
{
    gt_status status = GT_OK;
    GT_TRY(put(out, json, a->begin));
    GT_TRY(put(out, b->begin, b->end));
    GT_TRY(put(out, a->end, b->begin));
    GT_TRY(put(out, a->begin, a->end));
    GT_TRY(gt_text_append(out, "%s", b->end));
done:
    return status;
}

gt_status pe_apply(gt_text *out, const char *json, pe_action action, const char *path, const char *value)
{
    const struct span at = find(json, path);
    const char *begin = json;
    int before = (int)(at.begin - begin);
    int length = (int)(at.end - at.begin);
    if (action == PE_SWAP) {
        const struct span other = find(json, value);
        return swap(out, json, &at, &other);
    }
    if (action == PE_RENAME) {
        return gt_text_append(out, "%.*s\"%s\": %s", (int)(at.key - begin), json, value, at.begin);
    }
    if (action == PE_DUPLICATE) {
        return gt_text_append(out, "%.*s%.*s,%s", before, json, length, at.begin, at.begin);
    }
    if (action == PE_REMOVE) {
        /* Together with the comma on either side. */
        const char *tail = at.end + strspn(at.end, SPACE);
        while (*tail != ',' && begin[before - 1] != ',') {
            before--;
        }
        return gt_text_append(out, "%.*s%s", *tail == ',' ? before : before - 1, json, *tail == ',' ? tail + 1 : tail);
    }
    return gt_text_append(out, "%.*s%s%s", before, json, value, at.end);
}
