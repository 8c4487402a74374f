/* SPDX-License-Identifier: Apache-2.0 */
/* `auto --board`: tasks go to the board, records come back, the plan is chosen and packed here, and the bundle runs there. */
#include "src/cli/auto_board.h"

#include <string.h>
#include <unistd.h>

static size_t without(const char *text, size_t length, const char *suffix)
{
    const size_t tail = strlen(suffix);
    return length > tail && memcmp(text + length - tail, suffix, tail) == 0 ? length - tail : length;
}

/* Beside the plan: "x/net.gtb" for "x/net.plan.json". */
static gt_status name_bundle(gt_text *bundle, const char *plan)
{
    const size_t length = without(plan, without(plan, strlen(plan), ".json"), ".plan");
    return gt_text_append(bundle, "%.*s.gtb", (int)length, plan);
}

static gt_status name_files(gt_auto_board *job)
{
    gt_status status = GT_OK;
    const gt_auto_arguments *a = job->a;
    const char *model = a->operands.items[0];
    GT_TRY(gt_cli_default_path(&job->stem, model, ""));
    GT_TRY(a->output != NULL ? gt_text_append(&job->plan_path, "%s", a->output)
                             : gt_cli_default_path(&job->plan_path, model, ".plan.json"));
    GT_TRY(gt_text_append(&job->tasks_path, "%s.tasks.json", job->stem.data));
    GT_TRY(name_bundle(&job->bundle_path, job->plan_path.data));
    GT_TRY(gt_text_append(&job->tasks, "%s.tasks.json", job->stem.data));
    GT_TRY(gt_text_append(&job->records, "%s.records.jsonl", job->stem.data));
    GT_TRY(gt_text_append(&job->bundle, "%s.gtb", job->stem.data));
    GT_TRY(gt_text_append(&job->outputs, "%s.outputs", job->stem.data));
    GT_TRY(gt_cli_check_output(job->plan_path.data));
    GT_TRY(gt_cli_check_output(job->bundle_path.data));
    GT_TRY(gt_cli_check_output(job->tasks_path.data));
done:
    return status;
}

/* ---- the board ---- */

static gt_status meet_board(gt_auto_board *job)
{
    gt_status status = GT_OK;
    const gt_auto_arguments *a = job->a;
    gt_board *b = &job->board;
    bool sent = false;
    GT_TRY(gt_board_open(b, a->board, a->board_folder, &a->ssh_options));
    GT_TRY(gt_board_install(b, &sent, a->board_agent));
    GT_TRY(gt_text_append(&job->records_path, "%s.%s.records.jsonl", job->stem.data, b->device));
    GT_TRY(gt_cli_check_output(job->records_path.data));
    gt_i_auto_heading(a, "board");
    if (!a->flags.quiet) {
        printf("%s: \"%s\" (device %s), %s, %s; graphtune-board %s\n", b->ssh.target, b->model, b->device, b->arch, b->isa,
               sent ? "was copied there" : "is there");
        fflush(stdout);
    }
done:
    return status;
}

/* ---- tuning ---- */

/* "tune ./X.tasks.json -o ./X.records.jsonl --tethered --trials 8 …" */
static gt_status tune_command(gt_text *text, const gt_auto_board *job)
{
    gt_status status = GT_OK;
    const gt_tune_flags *f = &job->a->flags;
    const bool live = !f->quiet && isatty(STDERR_FILENO);
    gt_text path = {0};
    GT_TRY(gt_text_append(&path, "./%s", job->tasks.data));
    GT_TRY(gt_text_append(text, "tune "));
    GT_TRY(gt_ssh_quote(text, path.data));
    path.length = 0;
    GT_TRY(gt_text_append(&path, "./%s", job->records.data));
    GT_TRY(gt_i_append_flag(text, "output", path.data));
    GT_TRY(gt_text_append(text, " --tethered%s%s --trials %lld --threads %lld --tune-seed %lld --candidate-time %.9g",
                          live ? " --live" : "", f->quiet ? " --quiet" : "", (long long)f->trials, (long long)f->threads,
                          (long long)f->seed, f->candidate_s));
    GT_REQUIRE(f->learn_from == NULL, GT_ERROR_ARGUMENT, "--learn-from reads a file of this machine: it does not go with --board");
    GT_TRY(f->budget_s > 0 ? gt_text_append(text, " --budget %.9g", f->budget_s) : GT_OK);
    GT_TRY(f->max_celsius > 0 ? gt_text_append(text, " --max-temp %.9g", f->max_celsius) : GT_OK);
    GT_TRY(gt_i_append_flag(text, "cpus", job->a->board_cpus));
    GT_TRY(gt_i_append_flag(text, "strategy", f->strategy));
    GT_TRY(gt_i_append_flag(text, "templates", f->templates));
    GT_TRY(gt_i_append_flag(text, "layouts", f->layouts));
done:
    gt_text_destroy(&path);
    return status;
}

static gt_status write_tasks(const gt_auto_board *job)
{
    gt_status status = GT_OK;
    gt_tasks *tasks = NULL;
    GT_TRY(gt_tasks_of_graph(&tasks, job->graph));
    GT_TRY(gt_tasks_write(tasks, job->tasks_path.data));
done:
    gt_tasks_destroy(tasks);
    return status;
}

/* Whichever side has lost the records gets them back. */
static gt_status return_records(const gt_auto_board *job)
{
    gt_status status = GT_OK;
    bool there = false;
    if (access(job->records_path.data, R_OK) == 0) {
        GT_TRY(gt_board_has(&job->board, &there, job->records.data));
        GT_TRY(there ? GT_OK : gt_board_send(&job->board, NULL, job->records_path.data, job->records.data));
    }
done:
    return status;
}

static gt_status tune(const gt_auto_board *job)
{
    gt_status status = GT_OK;
    gt_text command = {0};
    GT_TRY(write_tasks(job));
    GT_TRY(gt_board_send(&job->board, NULL, job->tasks_path.data, job->tasks.data));
    GT_TRY(return_records(job));
    GT_TRY(tune_command(&command, job));
    status = gt_board_run(&job->board, command.data, true, false);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(status, "tuning on the board has stopped; what was measured is kept there, and the same command continues"));
    }
    GT_TRY(gt_board_fetch(&job->board, job->records_path.data, job->records.data));
done:
    gt_text_destroy(&command);
    return status;
}

/* ---- the plan ---- */

static gt_status select_plan(gt_auto_board *job)
{
    gt_status status = GT_OK;
    const gt_auto_arguments *a = job->a;
    const char *path = job->records_path.data;
    const gt_cli_list list = {.n = 1, .items = &path};
    gt_records *records = NULL;
    gt_select_options o = gt_select_defaults();
    o.device = job->board.device;
    o.threads = (int)a->flags.threads;
    GT_TRY(gt_cli_parse_layouts(&o.layouts, a->flags.layouts));
    GT_TRY(gt_cli_read_records(&records, &list));
    gt_solver_flags_apply(&o, &a->solver);
    gt_cli_watch_begin(&o, a->flags.quiet);
    status = gt_select(&job->plan, job->graph, records, &o);
    gt_cli_watch_end();
    GT_TRY(status);
    GT_TRY(gt_cli_set_device_name(job->plan, records));
    GT_TRY(gt_cli_set_records(job->plan, &list, NULL, job->plan_path.data));
    GT_TRY(gt_cli_set_model_file(job->plan, a->operands.items[0], &a->import, job->plan_path.data));
    GT_TRY(gt_plan_write(job->plan, job->plan_path.data));
    if (!a->flags.quiet) {
        gt_cli_say_doubts(job->plan);
        GT_TRY(gt_cli_print_plan(job->plan, job->graph));
    }
done:
    gt_records_destroy(records);
    return status;
}

static gt_status pack(const gt_auto_board *job)
{
    gt_status status = GT_OK;
    const gt_i_model_files files = {.random_seed = -1};
    GT_TRY(gt_cli_pack(job->plan_path.data, &files, job->bundle_path.data, job->board.isa, job->a->flags.quiet, false));
    GT_TRY(gt_board_send(&job->board, NULL, job->bundle_path.data, job->bundle.data));
done:
    return status;
}

/* ---- all of it ---- */

static gt_status work(gt_auto_board *job)
{
    gt_status status = GT_OK;
    const gt_auto_arguments *a = job->a;
    GT_TRY(name_files(job));
    GT_TRY(gt_cli_load_model(&job->graph, a->operands.items[0], &a->import));
    GT_TRY(meet_board(job));
    gt_i_auto_heading(a, "tune");
    GT_TRY(tune(job));
    gt_i_auto_heading(a, "select");
    GT_TRY(select_plan(job));
    gt_i_auto_heading(a, "run on the board");
    GT_TRY(pack(job));
    GT_TRY(gt_i_auto_board_check(job));
    if (!a->no_bench) {
        GT_TRY(gt_i_auto_board_run(job, "bench", ""));
    }
    if (!a->flags.quiet) {
        printf("\nplan written to %s, bundle to %s; the board's records are in %s\n", job->plan_path.data, job->bundle_path.data,
               job->records_path.data);
    }
done:
    return status;
}

gt_status gt_cli_auto_board(const gt_auto_arguments *arguments)
{
    gt_auto_board job = {.a = arguments};
    gt_text *const texts[] = {&job.stem,        &job.tasks_path, &job.records_path, &job.plan_path, &job.bundle_path,
                              &job.tasks,       &job.records,    &job.bundle,       &job.outputs};
    gt_status status = work(&job);
    gt_board_close(&job.board);
    gt_plan_destroy(job.plan);
    gt_graph_destroy(job.graph);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gt_text_destroy(texts[i]);
    }
    return status;
}
