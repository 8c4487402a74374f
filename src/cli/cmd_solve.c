/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/clock.h"
#include "src/cli/common.h"
#include "src/import/cfn_file.h"

#include <math.h>
#include <signal.h>
#include <string.h>

static const gt_cli_command command = {
    .name = "solve",
    .usage = "FILE.cfn [--json] [-o RESULT.json]",
    .summary = "Finds the optimum of a cost function network with the solver that `graphtune select` uses, and says\n"
               "what is proved. Reads toulbar2's CFN format: cost tables over any number of variables, with decimal,\n"
               "negative and shared costs, to be minimised or maximised.",
    .details = "The exit status is 0 when an assignment within the bound was found, whether proved optimal or not, and 1\n"
               "when there is none or none was found. Ctrl-C ends the search with the best so far.\n\n"
               "Examples:\n"
               "  graphtune solve net.cfn --assignment\n"
               "  graphtune select net.onnx --records net.records.jsonl --dump-cfn net.cfn && graphtune solve net.cfn",
    .min_operands = 1,
    .max_operands = 1,
};

struct arguments {
    gt_cli_list operands;
    const char *output;
    double time_limit_s;
    int64_t memory_bytes, work_limit;
    bool json, assignment;
};

/* What both forms of the result show, in the file's own units and direction. */
struct outcome {
    const gt_cfn_file *file;
    const gt_cfn_result *result;
    const char *path;
    char cost[32], bound[32];
    double gap, read_s;
};

/* ---- while it runs ---- */

static volatile int stop_wanted;

static void ask_to_stop(int signal)
{
    (void)signal;
    stop_wanted = 1;
}

/* The second Ctrl-C ends the command at once. */
static void catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static void show_progress(void *context, const gt_cfn_progress *p)
{
    const gt_cfn_file *file = context;
    char cost[32] = "none yet", bound[32];
    if (p->elapsed_ns < 1000000000) {
        return;
    }
    if (p->cost != GT_CFN_INFINITE) {
        gt_cfn_format_cost(cost, sizeof cost, gt_cfn_file_cost(file, p->cost), file->decimals);
    }
    gt_cfn_format_cost(bound, sizeof bound, gt_cfn_file_cost(file, p->lower_bound), file->decimals);
    gt_cli_progress_line("cost %s, bound %s, %lld nodes, %.0f s", cost, bound, (long long)p->nodes,
                         (double)p->elapsed_ns * 1e-9);
}

/* ---- the result ---- */

/* How far the bound is from the cost, relative to the cost. */
static double find_gap(int64_t cost, int64_t bound)
{
    double difference = fabs((double)cost - (double)bound);
    return cost == bound ? 0 : cost == 0 ? 1 : difference / fabs((double)cost);
}

static gt_status put_assignment(gt_json_writer *w, const struct outcome *o)
{
    gt_json_begin_object(w, "assignment");
    for (int32_t v = 0; v < o->file->n_variables; v++) {
        int32_t value = o->result->assignment[v];
        const char *name = gt_cfn_file_value_name(o->file, v, value);
        const char *variable = gt_cfn_variable_name(o->file->cfn, v);
        if (name != NULL) {
            gt_json_put_string(w, variable, name);
        } else {
            gt_json_put_i64(w, variable, value);
        }
    }
    gt_json_end(w);
    return w->status;
}

static gt_status put_result(gt_json_writer *w, const struct outcome *o)
{
    gt_status status = GT_OK;
    const gt_cfn_result *r = o->result;
    gt_json_writer_init(w, true);
    gt_json_begin_object(w, NULL);
    gt_json_put_string(w, "file", o->path);
    gt_json_put_string(w, "problem", o->file->name);
    gt_json_put_string(w, "sense", o->file->maximise ? "maximise" : "minimise");
    gt_json_put_i64(w, "variables", o->file->n_variables);
    gt_json_put_i64(w, "functions", o->file->n_functions);
    gt_json_put_digits(w, "cost", o->cost);
    gt_json_put_digits(w, "bound", o->bound);
    gt_json_put_f64(w, "gap", o->gap);
    gt_json_put_bool(w, "optimal", r->optimal);
    gt_json_put_string(w, "stopped", r->stopped);
    gt_json_put_i64(w, "width", r->width);
    gt_json_put_string(w, "order", r->order_name);
    gt_json_put_string(w, "method", r->method);
    gt_json_put_i64(w, "nodes", r->nodes);
    gt_json_put_f64(w, "seconds", (double)r->solver_ns * 1e-9);
    gt_json_put_f64(w, "read_seconds", o->read_s);
    GT_TRY(put_assignment(w, o));
    gt_json_end(w);
    status = w->status;
done:
    return status;
}

static gt_status print_json(const struct outcome *o)
{
    gt_status status = GT_OK;
    gt_json_writer w;
    GT_TRY(put_result(&w, o));
    status = gt_json_writer_print(&w);
done:
    gt_json_writer_destroy(&w);
    return status;
}

static gt_status save_json(const struct outcome *o, const char *path)
{
    gt_status status = GT_OK;
    gt_json_writer w;
    GT_TRY(put_result(&w, o));
    return gt_json_writer_save(&w, path);
done:
    gt_json_writer_destroy(&w);
    return status;
}

static void print_summary(const struct outcome *o)
{
    const gt_cfn_result *r = o->result;
    char time[32];
    printf("problem      %s: %lld variable%s, %lld function%s, to %s\n", *o->file->name != '\0' ? o->file->name : o->path,
           (long long)o->file->n_variables, o->file->n_variables == 1 ? "" : "s", (long long)o->file->n_functions,
           o->file->n_functions == 1 ? "" : "s", o->file->maximise ? "maximise" : "minimise");
    printf("cost         %s%s%s\n", gt_cli_bold(stdout), o->cost, gt_cli_plain(stdout));
    printf("%s  %s\n", o->file->maximise ? "upper bound" : "lower bound", o->bound);
    printf("gap          %.4g %%\n", 100 * o->gap);
    if (r->optimal) {
        printf("optimal      %sproved%s\n", gt_cli_green(stdout), gt_cli_plain(stdout));
    } else {
        bool interrupted = r->stopped != NULL && strcmp(r->stopped, "interrupted") == 0;
        printf("optimal      %snot proved%s: %s%s\n", gt_cli_yellow(stdout), gt_cli_plain(stdout),
               r->stopped != NULL ? r->stopped : "stopped", interrupted ? "" : " limit reached");
    }
    printf("width        %d (%s)\n", (int)r->width, r->order_name != NULL ? r->order_name : "min-fill");
    printf("method       %s\n", r->method);
    printf("nodes        %lld\n", (long long)r->nodes);
    printf("time         %s", gt_format_ns(time, sizeof time, (double)r->solver_ns));
    printf(", reading %s\n", gt_format_ns(time, sizeof time, o->read_s * 1e9));
}

static gt_status print_assignment(const struct outcome *o)
{
    gt_table table;
    gt_table_begin(&table, "ll");
    gt_table_cell(&table, "variable");
    gt_table_cell(&table, "value");
    for (int32_t v = 0; v < o->file->n_variables; v++) {
        int32_t value = o->result->assignment[v];
        const char *name = gt_cfn_file_value_name(o->file, v, value);
        gt_table_cell(&table, "%s", gt_cfn_variable_name(o->file->cfn, v));
        if (name != NULL) {
            gt_table_cell(&table, "%s", name);
        } else {
            gt_table_cell(&table, "%d", (int)value);
        }
    }
    putchar('\n');
    return gt_table_print(&table, stdout, 2);
}

/* ---- the command ---- */

/* The bound in "mustbe" is on the sum, which only the finished assignment has. */
static gt_status check_bound(const struct outcome *o)
{
    char limit[32];
    const gt_cfn_file *file = o->file;
    if (o->result->cost + file->constant < file->upper_bound) {
        return GT_OK;
    }
    gt_cfn_format_cost(limit, sizeof limit, file->maximise ? -file->upper_bound : file->upper_bound, file->decimals);
    return gt_fail(o->result->optimal ? GT_ERROR_UNSUPPORTED : GT_ERROR_LIMIT, "%s: %s costs %s than the bound of %s; %s %s", o->path,
                   o->result->optimal ? "no assignment" : "no assignment was found that", file->maximise ? "more" : "less", limit,
                   o->result->optimal ? "the best costs" : "the best found costs", o->cost);
}

static gt_status solve(const struct arguments *a, const gt_cfn_file *file, gt_cfn_result *result)
{
    const gt_cfn_options options = {
        .time_budget_ns = (int64_t)(a->time_limit_s * 1e9),
        .memory_budget_bytes = a->memory_bytes,
        .work_budget = a->work_limit,
        .stop = &stop_wanted,
        .progress = show_progress,
        .progress_context = (void *)file,
    };
    catch_interrupt();
    gt_status status = gt_cfn_solve(file->cfn, result, &options);
    gt_cli_progress_end();
    return status == GT_OK ? status : gt_fail_in(status, "%s", a->operands.items[0]);
}

static gt_status show(const struct arguments *a, const struct outcome *o)
{
    gt_status status = GT_OK;
    if (a->output != NULL) {
        GT_TRY(save_json(o, a->output));
    }
    if (a->json) {
        GT_TRY(print_json(o));
    } else if (a->output == NULL || strcmp(a->output, "-") != 0) {
        print_summary(o);
        GT_TRY(a->assignment ? print_assignment(o) : GT_OK);
    }
done:
    return status;
}

static gt_status run(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_cfn_file *file = NULL;
    gt_cfn_result result = {0};
    struct outcome o = {.path = a->operands.items[0]};
    int64_t begin_ns = gt_now_ns();
    GT_TRY(a->output != NULL ? gt_cli_check_output(a->output) : GT_OK);
    GT_TRY(gt_cfn_file_read(&file, o.path));
    o.read_s = (double)(gt_now_ns() - begin_ns) * 1e-9;
    if (file->n_cut > 0) {
        fprintf(stderr, "graphtune: note: %s: %lld cost%s more than the %d decimals of \"mustbe\"; those behind are cut off\n",
                o.path, (long long)file->n_cut, file->n_cut == 1 ? " has" : "s have", file->decimals);
    }
    GT_TRY(solve(a, file, &result));
    int64_t cost = gt_cfn_file_cost(file, result.cost), bound = gt_cfn_file_cost(file, result.lower_bound);
    o.file = file;
    o.result = &result;
    o.gap = result.optimal ? 0 : find_gap(cost, bound);
    gt_cfn_format_cost(o.cost, sizeof o.cost, cost, file->decimals);
    gt_cfn_format_cost(o.bound, sizeof o.bound, bound, file->decimals);
    GT_TRY(check_bound(&o));
    GT_TRY(show(a, &o));
done:
    gt_cfn_result_destroy(&result);
    gt_cfn_file_destroy(file);
    return status;
}

int gt_cmd_solve(int argc, char **argv)
{
    struct arguments a = {0};
    const gt_cli_option options[] = {
        {"assignment", 'a', GT_CLI_FLAG, NULL, "print every variable's value as well", &a.assignment, 0, 0},
        {"output", 'o', GT_CLI_STRING, "FILE", "write the result as JSON, assignment included", &a.output, 0, 0},
        {"time-limit", 0, GT_CLI_REAL, "SECONDS", "stop then; the result states the gap that is left", &a.time_limit_s, 0, 1e6},
        {"work-limit", 0, GT_CLI_INT, "N", "stop after N table entries, about 10^9 a second: the same file then\ngives the same result", &a.work_limit, 1, 9e15},
        {"solver-memory", 0, GT_CLI_SIZE, "SIZE", "memory for the solver's tables, such as 64M or 2G (default 256M)", &a.memory_bytes, 1 << 20, 1e15},
        {"json", 0, GT_CLI_FLAG, NULL, "print the result as JSON, assignment included", &a.json, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(run(&a)) : code;
    gt_cli_list_clear(&a.operands);
    return code;
}
