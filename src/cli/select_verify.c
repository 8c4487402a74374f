/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/select_verify.h"

#include <string.h>

/* Records files as they are now beside what the plan says of them. */
struct sources {
    gt_cli_list paths;
    char **owned; /* paths.items, where they are made from the plan's names */
    int n_owned;
    int changed; /* index of the first file that is not the plan's, or -1 */
};

static void clear_sources(struct sources *s)
{
    for (int i = 0; i < s->n_owned; i++) {
        gt_free(s->owned[i]);
    }
    gt_free(s->owned);
    gt_cli_list_clear(&s->paths);
}

static gt_status push_path(struct sources *s, const char *path)
{
    gt_status status = GT_OK;
    GT_PUSH(s->paths.items, s->paths.n, s->paths.capacity, path);
done:
    return status;
}

/* The files given, or else those that the plan names. */
static gt_status find_files(struct sources *s, const gt_cli_list *given, const gt_plan_file *files, int n, const char *plan_path)
{
    gt_status status = GT_OK;
    gt_text path = {0};
    for (int i = 0; i < given->n; i++) {
        GT_TRY(push_path(s, given->items[i]));
    }
    GT_TRY(gt_calloc(&s->owned, (size_t)n, sizeof *s->owned));
    for (int i = 0; i < n && given->n == 0; i++) {
        path.length = 0;
        GT_TRY(gt_plan_path(&path, files[i].file, plan_path));
        GT_TRY(gt_strdup(&s->owned[s->n_owned], path.data));
        s->n_owned++;
        GT_TRY(push_path(s, s->owned[s->n_owned - 1]));
    }
done:
    gt_text_destroy(&path);
    return status;
}

/* Files that are not the plan's are a difference where the plan names them, and a note where the user does. */
static gt_status compare_files(gt_verification *changes, struct sources *s, const gt_plan_file *files, int n, bool quiet)
{
    gt_status status = GT_OK;
    char sha256[65];
    s->changed = -1;
    for (int i = 0; i < s->paths.n; i++) {
        const char *path = s->paths.items[i];
        GT_TRY(gt_cli_file_sha256(sha256, path));
        bool same = i < n && strcmp(sha256, files[i].sha256) == 0;
        s->changed = same || s->changed >= 0 ? s->changed : i;
        if (!same && s->n_owned > 0) {
            GT_TRY(gt_verification_add(changes, path, "sha256", files[i].sha256, sha256));
        } else if (!same && !quiet) {
            fprintf(stderr, "graphtune: note: %s is not the file that the plan was selected from\n", path);
        }
    }
done:
    return status;
}

static gt_status read_sources(gt_records **records, gt_verification *changes, struct sources *s, const gt_cli_list *given,
                              const gt_plan_file *files, int n, const gt_cli_verify *a)
{
    gt_status status = GT_OK;
    GT_TRY(find_files(s, given, files, n, a->plan_path));
    GT_TRY(compare_files(changes, s, files, n, a->quiet));
    GT_TRY(gt_cli_read_records(records, &s->paths));
done:
    return status;
}

static gt_status move_differences(gt_verification *to, const gt_verification *from)
{
    gt_status status = GT_OK;
    for (int i = 0; i < from->n_differences; i++) {
        const gt_difference *d = &from->differences[i];
        GT_TRY(gt_verification_add(to, d->where, d->field, d->planned, d->found));
    }
done:
    return status;
}

/* The runs of the alternatives, which loading a plan leaves alone. */
static gt_status check_alternatives(const gt_deployment *d, const char *plan_path)
{
    gt_status status = GT_OK;
    for (int i = 0; d->program != NULL && i < d->plan->n_alternatives && status == GT_OK; i++) {
        gt_program *program = NULL;
        status = gt_program_build(&program, d->graph, &d->plan->alternatives[i].schedule);
        gt_program_destroy(program);
        if (status != GT_OK) {
            status = gt_fail_in(status, "%s: alternatives[%d]", plan_path, i);
        }
    }
    return status;
}

static gt_status verify(gt_verification *v, const gt_deployment *d, const gt_cli_verify *a)
{
    gt_status status = GT_OK;
    gt_records *records = NULL;
    gt_records *transforms = NULL;
    struct sources of_records = {0};
    struct sources of_transforms = {0};
    gt_verification changes = {0};
    gt_select_options o = gt_select_defaults();
    const gt_plan_selection *s = d->plan->selection;
    GT_REQUIRE(s != NULL, GT_ERROR_UNSUPPORTED,
               "%s: \"selection\" is missing: an older graphtune wrote this plan and did not store what it was selected with; "
               "select again", a->plan_path);
    GT_REQUIRE(s->n_records > 0 || a->records->n > 0, GT_ERROR_ARGUMENT, "%s names no records; give them with --records",
               a->plan_path);
    GT_TRY(read_sources(&records, &changes, &of_records, a->records, s->records, s->n_records, a));
    GT_TRY(read_sources(&transforms, &changes, &of_transforms, a->transform_records, s->transform_records,
                        s->n_transform_records, a));
    o.transforms = of_transforms.paths.n > 0 ? transforms : NULL;
    gt_solver_flags_apply(&o, a->solver);
    gt_cli_watch_begin(&o, a->quiet);
    status = gt_verify(v, d->plan, d->graph, records, &o);
    gt_cli_watch_end();
    if (status != GT_OK && of_records.changed >= 0) {
        status = gt_fail_in(status, "%s is not the file that the plan was selected from",
                            of_records.paths.items[of_records.changed]);
    }
    GT_TRY(status);
    GT_TRY(move_differences(v, &changes));
done:
    gt_verification_clear(&changes);
    clear_sources(&of_transforms);
    clear_sources(&of_records);
    gt_records_destroy(transforms);
    gt_records_destroy(records);
    return status;
}

gt_status gt_cli_verify_plan(bool *good, const gt_cli_verify *a)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    gt_verification v = {0};
    GT_TRY(gt_i_deployment_view(&d, a->plan_path, &a->files));
    GT_TRY(check_alternatives(d, a->plan_path));
    GT_TRY(verify(&v, d, a));
    gt_verdict verdict = gt_verification_verdict(&v, d->plan);
    *good = verdict == GT_VERDICT_OPTIMUM || verdict == GT_VERDICT_BOUND;
    if (a->json) {
        GT_TRY(gt_cli_print_verification_json(&v, d->plan, a->plan_path));
    } else if (!a->quiet) {
        GT_TRY(gt_cli_print_verification(&v, d->plan));
    }
done:
    gt_verification_clear(&v);
    gt_deployment_close(d);
    return status;
}
