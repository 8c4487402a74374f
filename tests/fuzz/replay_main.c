/* SPDX-License-Identifier: Apache-2.0 */
/* Plays back files, and the files in folders, that the command line names; the last line of output is their number. The
 * target ends the process at one that fails, whose name is then the last on standard error. */
#include "src/base/file.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int n_files;

static void replay_file(const char *path)
{
    char *data = NULL;
    size_t bytes = 0;
    fprintf(stderr, "%s\n", path);
    FZ_REQUIRE(gt_file_read(&data, &bytes, path) == GT_OK, "%s", gt_error_message());
    LLVMFuzzerTestOneInput((const uint8_t *)data, bytes);
    gt_free(data);
    n_files++;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay_folder(const char *path)
{
    struct dirent **entries = NULL;
    char name[4096];
    int n = scandir(path, &entries, is_visible, alphasort);
    FZ_REQUIRE(n >= 0, "%s: cannot read the folder", path);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        replay_file(name);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stat info;
        FZ_REQUIRE(stat(argv[i], &info) == 0, "%s: is not there", argv[i]);
        if (S_ISDIR(info.st_mode)) {
            replay_folder(argv[i]);
        } else {
            replay_file(argv[i]);
        }
    }
    printf("%d\n", n_files);
    return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
