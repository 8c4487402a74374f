/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"

#include "src/base/file.h"
#include "src/import/import.h"
#include "src/tune/refine.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

gt_status gt_cli_load_model(gt_graph **graph, const char *path, const gt_cli_import *flags)
{
    gt_status status = GT_OK;
    const gt_cli_list *shapes = &flags->shapes;
    gt_import_shape *parsed = NULL;
    int n = 0;
    GT_REQUIRE(flags->weights == NULL || flags->random_seed < 0, GT_ERROR_ARGUMENT,
               "--weights and --random-weights exclude each other");
    GT_TRY(gt_calloc(&parsed, (size_t)shapes->n, sizeof *parsed));
    for (; n < shapes->n; n++) {
        GT_TRY(gt_import_parse_shape(&parsed[n], shapes->items[n]));
        for (int i = 0; i < n; i++) {
            if (strcmp(parsed[i].name, parsed[n].name) == 0) {
                n++;
                GT_TRY(gt_fail(GT_ERROR_ARGUMENT, "--shape %s: the shape of that input is given twice", shapes->items[n - 1]));
            }
        }
    }
    gt_import_options options = {.n_shapes = (size_t)shapes->n,
                                 .shapes = parsed,
                                 .weights_path = flags->weights,
                                 .random_weights = flags->random_seed >= 0,
                                 .random_seed = flags->random_seed >= 0 ? (uint64_t)flags->random_seed : 0};
    GT_TRY(gt_import_file(graph, path, &options));
done:
    for (int i = 0; i < n; i++) {
        gt_free(parsed[i].name);
    }
    gt_free(parsed);
    return status;
}

/* The real path of the folder that holds `path`, with a slash at the end. */
static gt_status real_folder(gt_text *out, const char *path)
{
    gt_status status = GT_OK;
    gt_text folder = {0};
    char resolved[PATH_MAX];
    const char *slash = strrchr(path, '/');
    GT_TRY(gt_text_append(&folder, "%.*s", slash != NULL ? (int)(slash - path + 1) : 1, slash != NULL ? path : "."));
    GT_REQUIRE(realpath(folder.data, resolved) != NULL, GT_ERROR_IO, "%s: cannot write: the folder %s: %s", path, folder.data,
               strerror(errno));
    GT_TRY(gt_text_append(out, "%s%s", resolved, strcmp(resolved, "/") == 0 ? "" : "/"));
done:
    gt_text_destroy(&folder);
    return status;
}

gt_status gt_cli_check_output(const char *path)
{
    gt_status status = GT_OK;
    gt_text folder = {0};
    struct stat info;
    bool exists = stat(path, &info) == 0;
    GT_REQUIRE(!exists || !S_ISDIR(info.st_mode), GT_ERROR_IO, "%s: cannot write: is a directory", path);
    if (!exists || S_ISREG(info.st_mode)) {
        GT_TRY(real_folder(&folder, path));
        GT_REQUIRE(access(folder.data, W_OK | X_OK) == 0, GT_ERROR_IO, "%s: cannot write: the folder %s: %s", path,
                   folder.data, strerror(errno));
    }
done:
    gt_text_destroy(&folder);
    return status;
}

/* How a plan in `folder` names a file. */
static gt_status name_from(char **out, const gt_text *folder, const char *path)
{
    gt_status status = GT_OK;
    char resolved[PATH_MAX];
    GT_REQUIRE(realpath(path, resolved) != NULL, GT_ERROR_IO, "%s: %s", path, strerror(errno));
    bool below = strncmp(resolved, folder->data, folder->length) == 0;
    gt_free(*out);
    *out = NULL;
    GT_TRY(gt_strdup(out, below ? resolved + folder->length : resolved));
done:
    return status;
}

gt_status gt_cli_set_model_file(gt_plan *plan, const char *model_path, const gt_cli_import *flags, const char *plan_path)
{
    gt_status status = GT_OK;
    gt_text folder = {0};
    GT_TRY(real_folder(&folder, plan_path));
    GT_TRY(name_from(&plan->model_file, &folder, model_path));
    if (flags->weights != NULL) {
        GT_TRY(name_from(&plan->weights_file, &folder, flags->weights));
    }
    plan->random_weights = flags->random_seed >= 0;
    plan->random_seed = plan->random_weights ? flags->random_seed : 0;
done:
    gt_text_destroy(&folder);
    return status;
}

gt_status gt_cli_read_records(gt_records **records, const gt_cli_list *paths)
{
    gt_status status = GT_OK;
    gt_records *r = NULL;
    GT_TRY(gt_records_create(&r));
    for (int i = 0; i < paths->n; i++) {
        gt_records_report report = {0};
        GT_TRY(gt_records_read(r, paths->items[i], &report));
        if (report.torn > 0) {
            fprintf(stderr, "graphtune: note: %s: an unfinished last line was dropped\n", paths->items[i]);
        }
        if (report.old_rev > 0) {
            fprintf(stderr, "graphtune: note: %s: %lld records of other template revisions are ignored\n", paths->items[i],
                    (long long)report.old_rev);
        }
    }
    *records = r;
    r = NULL;
done:
    gt_records_destroy(r);
    return status;
}

gt_status gt_cli_file_sha256(char out[65], const char *path)
{
    gt_status status = GT_OK;
    gt_file_reader *reader = NULL;
    GT_TRY(gt_file_open(&reader, path));
    GT_TRY(gt_file_sha256_hex(out, reader));
done:
    gt_file_close(reader);
    return status;
}

static gt_status name_files(gt_plan_file **files, int *n, const gt_cli_list *paths, const gt_text *folder)
{
    gt_status status = GT_OK;
    if (paths == NULL || paths->n == 0) {
        return GT_OK;
    }
    GT_TRY(gt_calloc(files, (size_t)paths->n, sizeof **files));
    for (*n = 0; *n < paths->n;) {
        gt_plan_file *file = &(*files)[(*n)++];
        GT_TRY(name_from(&file->file, folder, paths->items[*n - 1]));
        GT_TRY(gt_cli_file_sha256(file->sha256, paths->items[*n - 1]));
    }
done:
    return status;
}

gt_status gt_cli_set_records(gt_plan *plan, const gt_cli_list *records, const gt_cli_list *transforms, const char *plan_path)
{
    gt_status status = GT_OK;
    gt_text folder = {0};
    gt_plan_selection *s = plan->selection;
    GT_TRY(real_folder(&folder, plan_path));
    GT_TRY(name_files(&s->records, &s->n_records, records, &folder));
    GT_TRY(name_files(&s->transform_records, &s->n_transform_records, transforms, &folder));
done:
    gt_text_destroy(&folder);
    return status;
}

gt_status gt_cli_refine(gt_plan **plan, gt_graph *graph, gt_records *records, const gt_select_options *options, bool quiet)
{
    gt_refine_report report = {0};
    gt_status status = gt_refine(plan, graph, records, options, GT_REFINE_ROUNDS, quiet ? NULL : gt_cli_refine_progress, &report);
    gt_cli_progress_end();
    if (status == GT_OK && !quiet) {
        fprintf(stderr, "refined in the running network: %d round%s, %s\n", report.rounds, report.rounds == 1 ? "" : "s",
                report.stable ? "stable" : "not stable yet");
    }
    return status;
}
