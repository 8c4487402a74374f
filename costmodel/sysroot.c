/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/sysroot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 1024
#define LINE_BYTES 1024

const char *gt_sysroot_default(void)
{
    const char *root = getenv("GT_SYSROOT");
    return root != NULL ? root : "";
}

bool gt_sysroot_is_recorded(const gt_sysroot *root)
{
    return root->path[0] != '\0';
}

void gt_sysroot_note(const gt_sysroot *root, const char *format, ...)
{
    char text[GT_NOTE_BYTES];
    gt_notes *notes = root->notes;
    va_list args;
    if (notes == NULL) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gt_sysroot_clean(text);
    for (int i = 0; i < notes->n; i++) {
        if (strcmp(notes->text[i], text) == 0) {
            return;
        }
    }
    if (notes->n == GT_NOTE_COUNT) {
        notes->more++;
        return;
    }
    memcpy(notes->text[notes->n++], text, sizeof text);
}

void gt_sysroot_clean(char *text)
{
    char *end = text;
    while ((unsigned char)*end >= 0x20) {
        if ((unsigned char)*end >= 0x7f) {
            *end = '?';
        }
        end++;
    }
    while (end > text && end[-1] == ' ') {
        end--;
    }
    *end = '\0';
    memmove(text, text + strspn(text, " "), strlen(text + strspn(text, " ")) + 1);
}

/* ---- opening ---- */

/* A link in a recorded tree may lead to the files of the machine that reads it. */
static bool lies_in_tree(const gt_sysroot *root, const char *full)
{
    char tree[PATH_MAX], file[PATH_MAX];
    if (!gt_sysroot_is_recorded(root)) {
        return true;
    }
    if (realpath(root->path, tree) == NULL || realpath(full, file) == NULL) {
        return false;
    }
    size_t length = strlen(tree);
    length -= length > 0 && tree[length - 1] == '/';
    return strncmp(file, tree, length) == 0 && file[length] == '/';
}

/* O_NONBLOCK: a recorded tree may hold a pipe that nobody writes to. */
static int open_file(const gt_sysroot *root, const char *path)
{
    char full[PATH_BYTES];
    struct stat info;
    int length = snprintf(full, sizeof full, "%s%s", root->path, path);
    if (length < 0 || length >= (int)sizeof full) {
        gt_sysroot_note(root, "%s: the path is too long", path);
        return -1;
    }
    int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR) {
            gt_sysroot_note(root, "%s: %s", path, strerror(errno));
        }
        return -1;
    }
    bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (!regular || !lies_in_tree(root, full)) {
        gt_sysroot_note(root, "%s: %s", path, regular ? "leads out of the recorded tree" : "is not a regular file");
        close(fd);
        return -1;
    }
    return fd;
}

/* Reads until the end or until the buffer is full. */
static int64_t read_file(const gt_sysroot *root, const char *path, char *out, size_t capacity)
{
    size_t have = 0;
    int fd = open_file(root, path);
    out[0] = '\0';
    if (fd < 0) {
        return -1;
    }
    while (have + 1 < capacity) {
        ssize_t got = read(fd, out + have, capacity - 1 - have);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            gt_sysroot_note(root, "%s: %s", path, strerror(errno));
        }
        if (got <= 0) {
            break;
        }
        have += (size_t)got;
    }
    close(fd);
    out[have] = '\0';
    return (int64_t)have;
}

/* ---- what it says ---- */

static bool format_path(const gt_sysroot *root, char path[PATH_BYTES], const char *format, va_list args)
{
    int length = vsnprintf(path, PATH_BYTES, format, args);
    if (length < 0 || length >= PATH_BYTES) {
        gt_sysroot_note(root, "a path is too long");
        return false;
    }
    return true;
}

int64_t gt_sysroot_bytes(const gt_sysroot *root, char *out, size_t capacity, const char *format, ...)
{
    char path[PATH_BYTES];
    va_list args;
    out[0] = '\0';
    va_start(args, format);
    bool good = format_path(root, path, format, args);
    va_end(args);
    return good ? read_file(root, path, out, capacity) : -1;
}

static bool read_line(const gt_sysroot *root, char *out, size_t capacity, const char *path)
{
    char text[LINE_BYTES];
    out[0] = '\0';
    if (read_file(root, path, text, sizeof text) <= 0) {
        return false;
    }
    gt_sysroot_clean(text);
    size_t length = strnlen(text, capacity - 1);
    memcpy(out, text, length);
    out[length] = '\0';
    gt_sysroot_clean(out); /* a cut may leave a blank at the end */
    return out[0] != '\0';
}

bool gt_sysroot_line(const gt_sysroot *root, char *out, size_t capacity, const char *format, ...)
{
    char path[PATH_BYTES];
    va_list args;
    out[0] = '\0';
    va_start(args, format);
    bool good = format_path(root, path, format, args);
    va_end(args);
    return good && read_line(root, out, capacity, path);
}

int64_t gt_sysroot_number(const gt_sysroot *root, int64_t otherwise, const char *format, ...)
{
    char path[PATH_BYTES];
    char text[64];
    int64_t value = otherwise;
    va_list args;
    va_start(args, format);
    bool good = format_path(root, path, format, args);
    va_end(args);
    if (good && read_line(root, text, sizeof text, path) && !gt_parse_i64(&value, text)) {
        gt_sysroot_note(root, "%s: \"%.40s\" is not a number", path, text);
        value = otherwise;
    }
    return value;
}
