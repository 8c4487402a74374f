/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/agent.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGENT "graphtune-board"

/* The folder of this program, with a slash. */
static gt_status own_folder(gt_text *folder)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/');
    /* What libtool runs in a build folder lies one deeper. */
    static const char libs[] = "/.libs/";
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    if (length > strlen(libs) && strncmp(path + length - strlen(libs), libs, strlen(libs)) == 0) {
        length -= strlen(libs) - 1;
    }
    return gt_text_append(folder, "%.*s", length > 0 ? (int)length : 2, length > 0 ? path : "./");
}

gt_status gt_cli_find_agent(gt_text *path, const char *arch)
{
    gt_status status = GT_OK;
    gt_text folder = {0};
    GT_TRY(own_folder(&folder));
    GT_TRY(gt_text_append(path, "%sboard-%s/" AGENT, folder.data, arch));
    if (access(path->data, R_OK) == 0) {
        goto done;
    }
    path->length = 0;
    GT_TRY(gt_text_append(path, "%s" AGENT "-%s", folder.data, arch));
    if (access(path->data, R_OK) == 0) {
        goto done;
    }
    status = gt_fail(GT_ERROR_NOT_FOUND,
                     "there is no " AGENT " for %s: neither %sboard-%s/" AGENT " nor %s. `make board` builds it for aarch64 in "
                     "the build folder; --board-agent FILE names it elsewhere",
                     arch, folder.data, arch, path->data);
done:
    gt_text_destroy(&folder);
    return status;
}

gt_status gt_cli_find_armsim(gt_text *path)
{
    gt_status status = GT_OK;
    gt_text built = {0};
    GT_TRY(own_folder(&built));
    GT_TRY(gt_text_append(&built, "costmodel/armsim/armsim"));
    const char *const places[] = {getenv("GT_ARMSIM"), built.data, GT_PKGDATADIR "/armsim/armsim"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i] != NULL && access(places[i], X_OK) == 0) {
            GT_TRY(gt_text_append(path, "%s", places[i]));
            goto done;
        }
    }
    status = gt_fail(GT_ERROR_NOT_FOUND, "the counter is missing: neither %s nor %s; GT_ARMSIM in the environment names it elsewhere",
                     places[1], places[2]);
done:
    gt_text_destroy(&built);
    return status;
}
