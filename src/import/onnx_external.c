/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/onnx_external.h"

#include "src/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens the folder that holds the model. */
static gt_status open_folder(int *fd, const char *model_path)
{
    gt_status status = GT_OK;
    char *folder = NULL;
    GT_TRY(gt_strdup(&folder, model_path));
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        slash[slash == folder ? 1 : 0] = '\0';
    }
    int opened = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    GT_REQUIRE(opened >= 0, GT_ERROR_IO, "cannot open the model's folder: %s", strerror(errno));
    *fd = opened;
done:
    gt_free(folder);
    return status;
}

/* Opens one component of the location inside the folder *fd, which is closed and replaced.
 * Walking with O_NOFOLLOW leaves no way out of the folder, not even by a link that is swapped in
 * meanwhile. O_NONBLOCK keeps a named pipe from hanging the open. */
static gt_status step_into(int *fd, const char *component, bool is_last, const char *location)
{
    if (strcmp(component, "..") == 0) {
        return gt_fail(GT_ERROR_FORMAT, "external data '%s' is outside the model's folder: '..' is "
                       "not allowed", location);
    }
    int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (is_last ? 0 : O_DIRECTORY);
    int next = openat(*fd, component, flags);
    if (next < 0 && (errno == ELOOP || errno == ENOTDIR)) {
        return gt_fail(GT_ERROR_IO, "external data '%s': '%s' is a symbolic link or no folder; put "
                       "the file itself beside the model", location, component);
    }
    if (next < 0) {
        return gt_fail(GT_ERROR_IO, "cannot open external data '%s': %s", location,
                       strerror(errno));
    }
    close(*fd);
    *fd = next;
    return GT_OK;
}

static gt_status open_inside(int *fd, const char *location, const char *model_path)
{
    gt_status status = GT_OK;
    int current = -1;
    char *copy = NULL;
    char *rest = NULL;
    GT_REQUIRE(location != NULL && location[0] != '\0', GT_ERROR_FORMAT,
               "external data without a location");
    GT_REQUIRE(location[0] != '/', GT_ERROR_FORMAT,
               "external data '%s' is outside the model's folder: "
               "the location must be relative",
               location);
    GT_TRY(gt_strdup(&copy, location));
    GT_TRY(open_folder(&current, model_path));
    char *component = strtok_r(copy, "/", &rest);
    while (component != NULL) {
        char *next = strtok_r(NULL, "/", &rest);
        GT_TRY(step_into(&current, component, next == NULL, location));
        component = next;
    }
    *fd = current;
    current = -1;
done:
    if (current >= 0) {
        close(current);
    }
    gt_free(copy);
    return status;
}

/* A count of bytes as the model writes it, or `otherwise` when it does not state one. */
static gt_status parse_bytes(int64_t *out, const char *text, int64_t otherwise, const char *what)
{
    int64_t value = otherwise;
    if (text != NULL && (!gt_parse_i64(&value, text) || value < 0)) {
        return gt_fail(GT_ERROR_FORMAT, "external data: %s is '%s', not a number of bytes", what,
                       text);
    }
    *out = value;
    return GT_OK;
}

static gt_status read_range(char *out, size_t bytes, int fd, int64_t offset, const char *location)
{
    for (size_t done_bytes = 0; done_bytes < bytes;) {
        ssize_t got =
            pread(fd, out + done_bytes, bytes - done_bytes, (off_t)(offset + (int64_t)done_bytes));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return gt_fail(GT_ERROR_IO, "cannot read external data '%s': %s", location,
                           got < 0 ? strerror(errno) : "it became shorter while it was read");
        }
        done_bytes += (size_t)got;
    }
    return GT_OK;
}

gt_status gt_i_onnx_read_external(void **data, size_t bytes, const gt_i_onnx_location *location,
                                  const char *model_path)
{
    gt_status status = GT_OK;
    int fd = -1;
    char *buffer = NULL;
    int64_t offset = 0;
    int64_t length = 0;
    struct stat info;
    GT_TRY(parse_bytes(&offset, location->offset, 0, "offset"));
    GT_TRY(parse_bytes(&length, location->length, (int64_t)bytes, "length"));
    GT_REQUIRE((uint64_t)length == bytes, GT_ERROR_FORMAT,
               "external data: length is %lld bytes, but the "
               "tensor has %zu",
               (long long)length, bytes);
    GT_TRY(open_inside(&fd, location->file, model_path));
    GT_REQUIRE(fstat(fd, &info) == 0 && S_ISREG(info.st_mode), GT_ERROR_IO,
               "external data '%s' is not a regular file", location->file);
    GT_REQUIRE(offset <= info.st_size && length <= info.st_size - offset, GT_ERROR_FORMAT,
               "external data '%s': %lld bytes at offset %lld are beyond its end at %lld",
               location->file, (long long)length, (long long)offset, (long long)info.st_size);
    GT_TRY(gt_calloc(&buffer, bytes, 1));
    GT_TRY(read_range(buffer, bytes, fd, offset, location->file));
    *data = buffer;
    buffer = NULL;
done:
    if (fd >= 0) {
        close(fd);
    }
    gt_free(buffer);
    return status;
}
