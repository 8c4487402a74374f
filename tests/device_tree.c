/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/device_tree.h"

#include "src/base/file.h"
#include "src/base/text.h"

#include <check.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_file(const char *folder, const char *path, const char *mode, const void *bytes, size_t n)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", folder, path);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, mode);
    ck_assert_msg(file != NULL, "cannot write %s", full);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

void tree_put(const char *folder, const char *path, const void *bytes, size_t n)
{
    write_file(folder, path, "wb", bytes, n);
}

void tree_put_text(const char *folder, const char *path, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tree_put(folder, path, text, (size_t)n);
}

/* Expands {first-last} to `number` and the escapes; the length. */
static size_t expand(char *out, size_t capacity, const char *text, int number, int *first, int *last)
{
    size_t n = 0;
    for (const char *p = text; *p != '\0'; p++) {
        int used = 0;
        ck_assert_uint_lt(n + 16, capacity);
        if (*p == '{' && sscanf(p, "{%d-%d}%n", first, last, &used) == 2 && used > 0) {
            n += (size_t)sprintf(out + n, "%d", number >= 0 ? number : *first);
            p += used - 1;
        } else if (*p == '\\' && p[1] != '\0') {
            p++;
            out[n++] = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p == '0' ? '\0' : *p;
        } else {
            out[n++] = *p;
        }
    }
    out[n] = '\0';
    return n;
}

static void unpack_line(const char *folder, char *line)
{
    char path[512], text[1024];
    char *tab = strchr(line, '\t');
    int first = -1, last = -1;
    ck_assert_msg(tab != NULL, "no tab in \"%s\"", line);
    *tab = '\0';
    expand(path, sizeof path, line, -1, &first, &last);
    expand(text, sizeof text, tab + 1, -1, &first, &last);
    for (int i = first; i <= last; i++) {
        expand(path, sizeof path, line, i, &first, &last);
        size_t n = expand(text, sizeof text, tab + 1, i, &first, &last);
        if (n == 0 || text[n - 1] != '\0') {
            text[n++] = '\n';
        }
        write_file(folder, path, "ab", text, n);
    }
}

void tree_unpack(const char *folder, const char *name)
{
    char path[512];
    char line[2048];
    const char *top = getenv("GT_TOP_SRCDIR");
    top = top != NULL ? top : getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/fixtures/devices/%s.tree", top != NULL ? top : ".", name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "no fixture %s", path);
    mkdir(folder, 0700);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#') {
            unpack_line(folder, line);
        }
    }
    fclose(file);
}

/* nftw has no context. */
static struct {
    const char *folder;
    void (*visit)(void *context, const char *path);
    void *context;
} walk;

static int visit_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)where;
    if (type == FTW_F || type == FTW_SL || type == FTW_SLN) {
        walk.visit(walk.context, path + strlen(walk.folder));
    }
    return 0;
}

void tree_each(const char *folder, void (*visit)(void *context, const char *path), void *context)
{
    walk.folder = folder;
    walk.visit = visit;
    walk.context = context;
    nftw(folder, visit_one, 16, FTW_PHYS);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

void tree_remove(const char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
