/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"

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
    GT_REQUIRE(text == NULL || *text != '\0', GT_ERROR_ARGUMENT, "a list such as 0,2-3 is needed");
    for (const char *p = text; p != NULL && *p != '\0';) {
        long first = 0;
        long last = 0;
        GT_REQUIRE(parse_range(&p, &first, &last), GT_ERROR_ARGUMENT, "\"%s\": a list such as 0,2-3 is needed", text);
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
