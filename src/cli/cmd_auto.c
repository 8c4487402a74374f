/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/auto.h"
#include "src/cli/ssh.h"
#include "src/tune/refine.h"

static const gt_cli_command command = {
    .name = "auto",
    .usage = "MODEL [-o PLAN] [--board USER@HOST]",
    .summary = "Tunes a model on this machine, selects the schedule, compares the plan's output with the reference,\n"
               "and benches it beside greedy and every single-layout schedule.",
    .details = "With --board all measuring and running is done on a board, over the system's ssh: graphtune-board is copied\n"
               "there, tunes, and the records come back; the plan is chosen and packed here, and the bundle is checked and\n"
               "timed there. After a lost connection, or Ctrl-C, the same command continues: records stay on the board.\n\n"
               "Examples:\n"
               "  graphtune auto net.onnx -o net.plan.json\n"
               "  graphtune auto net.onnx --board root@192.168.7.2 --budget 600",
    .min_operands = 1,
    .max_operands = 1,
};

/* What the steps of `auto` hand on. */
struct job {
    gt_graph *graph;
    gt_tasks *tasks;
    gt_records *records;
    gt_plan *plan;
    gt_text records_path, plan_path;
    bool interrupted;
};

void gt_i_auto_heading(const gt_auto_arguments *a, const char *text)
{
    if (a->flags.quiet) {
        return;
    }
    printf("\n%s%s%s\n", gt_cli_bold(stdout), text, gt_cli_plain(stdout));
    fflush(stdout);
}

static gt_status select_plan(struct job *job, const gt_auto_arguments *a)
{
    gt_status status = GT_OK;
    gt_device device;
    const char *records_path = job->records_path.data;
    const gt_cli_list records = {.n = 1, .items = &records_path};
    gt_select_options o = gt_select_defaults();
    GT_TRY(gt_device_detect(&device));
    o.device = device.hash;
    o.threads = (int)a->flags.threads;
    GT_TRY(gt_cli_parse_layouts(&o.layouts, a->flags.layouts));
    GT_TRY(gt_records_create(&job->records));
    GT_TRY(gt_records_read(job->records, job->records_path.data, NULL));
    gt_solver_flags_apply(&o, &a->solver);
    gt_cli_watch_begin(&o, a->flags.quiet);
    status = a->no_refine ? gt_select(&job->plan, job->graph, job->records, &o)
                          : gt_cli_refine(&job->plan, job->graph, job->records, &o, a->flags.quiet);
    gt_cli_watch_end();
    GT_TRY(status);
    GT_TRY(gt_cli_set_device_name(job->plan, job->records));
    GT_TRY(gt_cli_set_records(job->plan, &records, NULL, job->plan_path.data));
    GT_TRY(gt_cli_set_model_file(job->plan, a->operands.items[0], &a->import, job->plan_path.data));
    GT_TRY(gt_plan_write(job->plan, job->plan_path.data));
    if (!a->flags.quiet) {
        gt_cli_say_doubts(job->plan);
        GT_TRY(gt_cli_print_plan(job->plan, job->graph));
    }
done:
    return status;
}

static gt_status check_plan(struct job *job, bool print)
{
    gt_status status = GT_OK;
    gt_program *program = NULL;
    gt_session *session = NULL;
    bool good = false;
    gt_session_options o = {.threads = job->plan->threads, .isa = gt_isa_best()};
    GT_TRY(gt_program_build(&program, job->graph, &job->plan->schedule));
    GT_TRY(gt_session_create(&session, job->graph, program, &o));
    gt_fill_inputs(session, job->graph, 1);
    gt_session_run(session, NULL);
    GT_TRY(gt_cli_check(&good, job->graph, session, print, NULL));
    GT_REQUIRE(good, GT_ERROR_INTERNAL, "%s: the plan's output differs from the reference", job->plan_path.data);
done:
    gt_session_destroy(session);
    gt_program_destroy(program);
    return status;
}

static gt_status name_files(struct job *job, const gt_auto_arguments *a)
{
    gt_status status = GT_OK;
    const char *model = a->operands.items[0];
    GT_TRY(a->output != NULL ? gt_text_append(&job->plan_path, "%s", a->output)
                             : gt_cli_default_path(&job->plan_path, model, ".plan.json"));
    GT_TRY(a->records != NULL ? gt_text_append(&job->records_path, "%s", a->records)
                              : gt_cli_default_path(&job->records_path, model, ".records.jsonl"));
    GT_TRY(gt_cli_check_output(job->plan_path.data));
done:
    return status;
}

static gt_status run(struct job *job, const gt_auto_arguments *a)
{
    gt_status status = GT_OK;
    int *cpus = NULL;
    gt_tune_options options;
    GT_TRY(name_files(job, a));
    GT_TRY(gt_tune_flags_apply(&options, &cpus, &a->flags));
    GT_TRY(gt_cli_load_model(&job->graph, a->operands.items[0], &a->import));
    GT_TRY(gt_tasks_of_graph(&job->tasks, job->graph));
    gt_i_auto_heading(a, "tune");
    GT_TRY(gt_cli_tune(&job->interrupted, job->tasks, job->records_path.data, &options));
    if (job->interrupted) {
        goto done;
    }
    GT_TRY(gt_pin_to_cpus(options.measure.cpus, options.measure.n_cpus));
    gt_i_auto_heading(a, "select");
    GT_TRY(select_plan(job, a));
    gt_i_auto_heading(a, "check");
    GT_TRY(check_plan(job, !a->flags.quiet));
    if (!a->no_bench && !a->flags.quiet) {
        gt_i_auto_heading(a, "bench");
        GT_TRY(gt_cli_bench(job->graph, job->plan, 15, 0.05, false));
    }
    if (!a->flags.quiet) {
        printf("\nplan written to %s\n", job->plan_path.data);
    }
done:
    gt_free(cpus);
    return status;
}

static int check_where(const gt_auto_arguments *a)
{
    gt_ssh ssh;
    gt_status status = gt_ssh_open(&ssh, a->board, &a->ssh_options);
    gt_ssh_clear(&ssh);
    return status == GT_OK ? GT_EXIT_OK : gt_cli_usage(&command, "%s", gt_error_message());
}

static int check_arguments(const gt_auto_arguments *a)
{
    if (a->board == NULL && (a->board_agent != NULL || a->board_cpus != NULL || a->ssh_options.n > 0)) {
        return gt_cli_usage(&command, "--board-agent, --board-cpus and --ssh-option need --board");
    }
    if (a->board != NULL && a->records != NULL) {
        return gt_cli_usage(&command, "--records does not go with --board: a board's records are kept in MODEL.DEVICE.records.jsonl");
    }
    if (a->board != NULL && a->flags.cpus != NULL) {
        return gt_cli_usage(&command, "--cpus is about this machine; --board-cpus is about the board");
    }
    return a->board != NULL ? check_where(a) : GT_EXIT_OK;
}

int gt_cmd_auto(int argc, char **argv)
{
    gt_auto_arguments a = {.import = GT_CLI_IMPORT_DEFAULTS, .flags = gt_tune_flags_defaults(), .board_folder = "graphtune"};
    struct job job = {0};
    const gt_cli_option options[] = {
        {"output", 'o', GT_CLI_STRING, "PLAN", "the plan file (default: MODEL's name with .plan.json)", &a.output, 0, 0},
        {"records", 'r', GT_CLI_STRING, "FILE", "the records file (default: MODEL's name with .records.jsonl)", &a.records, 0, 0},
        GT_CLI_IMPORT_OPTIONS(a.import),
        {"no-refine", 0, GT_CLI_FLAG, NULL, "choose by the isolated measurements alone, without measuring\nthe chosen ops again inside the running network", &a.no_refine, 0, 0},
        {"board", 0, GT_CLI_STRING, "USER@HOST[:PORT]", "tune and run there", &a.board, 0, 0},
        {"board-dir", 0, GT_CLI_STRING, "DIR", "the folder there (default: graphtune, in the home folder)", &a.board_folder, 0, 0},
        {"board-agent", 0, GT_CLI_STRING, "FILE", "the graphtune-board to copy there (default: what `make board` built)", &a.board_agent, 0, 0},
        {"board-cpus", 0, GT_CLI_STRING, "LIST|big|little", "--cpus on the board", &a.board_cpus, 0, 0},
        {"ssh-option", 0, GT_CLI_LIST, "OPTION", "an option of ssh, such as IdentityFile=key; may be repeated", &a.ssh_options, 0, 0},
        {"no-bench", 0, GT_CLI_FLAG, NULL, "stop after the check", &a.no_bench, 0, 0},
        GT_TUNE_FLAG_OPTIONS(a.flags),
        GT_SOLVER_FLAG_OPTIONS(a.solver),
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    code = code == GT_EXIT_OK ? check_arguments(&a) : code;
    code = code == GT_EXIT_OK ? gt_cli_finish(a.board != NULL ? gt_cli_auto_board(&a) : run(&job, &a)) : code;
    code = code == GT_EXIT_OK && job.interrupted ? GT_EXIT_FAILED : code;
    gt_plan_destroy(job.plan);
    gt_records_destroy(job.records);
    gt_tasks_destroy(job.tasks);
    gt_graph_destroy(job.graph);
    gt_text_destroy(&job.plan_path);
    gt_text_destroy(&job.records_path);
    gt_cli_list_clear(&a.operands);
    gt_cli_list_clear(&a.import.shapes);
    gt_cli_list_clear(&a.ssh_options);
    return code;
}
