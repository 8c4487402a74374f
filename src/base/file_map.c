/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* One request for all pages instead of a fault for each of them. */
#ifdef MAP_POPULATE
#define FLAGS (MAP_PRIVATE | MAP_POPULATE)
#else
#define FLAGS MAP_PRIVATE
#endif

gt_status gt_file_map_open(gt_file_map *map, const char *path)
{
    gt_status status = GT_OK;
    struct stat info;
    void *data = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    GT_REQUIRE(fd >= 0, GT_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    GT_REQUIRE(fstat(fd, &info) == 0, GT_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
    GT_REQUIRE(S_ISREG(info.st_mode), GT_ERROR_IO, "%s: is not a regular file", path);
    GT_REQUIRE(info.st_size > 0, GT_ERROR_IO, "%s: is empty", path);
    GT_REQUIRE((uintmax_t)info.st_size <= PTRDIFF_MAX, GT_ERROR_IO, "%s: is larger than the address space", path);
    data = mmap(NULL, (size_t)info.st_size, PROT_READ, FLAGS, fd, 0);
    GT_REQUIRE(data != MAP_FAILED, GT_ERROR_IO, "%s: cannot map into memory: %s", path, strerror(errno));
    *map = (gt_file_map){.data = data, .bytes = (size_t)info.st_size};
done:
    if (fd >= 0) {
        close(fd);
    }
    return status;
}

void gt_file_map_close(gt_file_map *map)
{
    if (map->data != NULL) {
        munmap((void *)(uintptr_t)map->data, map->bytes);
        *map = (gt_file_map){0};
    }
}
