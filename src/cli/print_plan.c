/* SPDX-License-Identifier: Apache-2.0 */
/* The plan on the screen. */
#include "ops/template.h"
#include "src/cli/common.h"
#include "src/records/json.h"

#include <string.h>

/* "conv2d 64x3x7x7 /2 relu": what matters about an op at a glance. */
static void describe_op(char *buffer, size_t bytes, const gt_op *op)
{
    const gt_workload *w = op->workload;
    char weight[72] = "";
    const char *kind = gt_workload_is_depthwise(w) ? "depthwise" : gt_op_kind_name(op->kind);
    const char *act = op->epilogue.act != GT_FN_NONE ? gt_function_name(op->epilogue.act) : "";
    bool conv = op->kind == GT_OP_CONV2D || op->kind == GT_OP_CONV_TRANSPOSE2D;
    if (conv) {
        const int64_t *kernel = w->inputs[1].shape.dim;
        snprintf(weight, sizeof weight, " %lldx%lld%s", (long long)kernel[2], (long long)kernel[3],
                 op->attrs.conv.stride[0] > 1 || op->attrs.conv.stride[1] > 1 ? "/2" : "");
        if (op->attrs.conv.stride[0] > 2) {
            snprintf(weight + strlen(weight) - 1, 24, "%lld", (long long)op->attrs.conv.stride[0]);
        }
    } else if (op->kind == GT_OP_UNARY) {
        act = gt_function_name((gt_function)op->attrs.unary.function);
        kind = "";
    }
    snprintf(buffer, bytes, "%s%s%s%s%s", kind, weight, *act != '\0' && *kind != '\0' ? " +" : "", act,
             op->epilogue.residual != GT_RESIDUAL_NONE ? " +add" : "");
}

static void layer_rows(gt_table *table, const gt_schedule *schedule, const gt_graph *graph)
{
    char what[96];
    char shape[GT_SHAPE_TEXT_BYTES];
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, schedule->predicted_ns);
    gt_table_cell(table, "layer");
    gt_table_cell(table, "operator");
    gt_table_cell(table, "output");
    gt_table_cell(table, "layout");
    gt_table_cell(table, "template");
    gt_table_cell(table, "%s", unit);
    gt_table_cell(table, "share");
    for (int i = 0; i < schedule->n_ops; i++) {
        const gt_plan_op *op = &schedule->ops[i];
        describe_op(what, sizeof what, &graph->ops[i]);
        gt_table_cell(table, "%s", op->node);
        gt_table_cell(table, "%s", what);
        gt_table_cell(table, "%s", gt_shape_format(shape, sizeof shape, &graph->ops[i].workload->output.shape));
        if (op->in == op->out) {
            gt_table_cell(table, "%s", gt_layout_name(op->in));
        } else {
            gt_table_cell(table, "%s→%s", gt_layout_name(op->in), gt_layout_name(op->out));
        }
        gt_table_cell(table, "%s", op->template_name);
        gt_table_cell(table, "%.3f", op->ns / scale);
        gt_table_cell(table, "%.1f %%", schedule->predicted_ns > 0 ? 100 * op->ns / schedule->predicted_ns : 0);
    }
}

static gt_status print_transforms(const gt_schedule *schedule)
{
    gt_table table;
    double total_ns = 0;
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, schedule->predicted_ns);
    for (int i = 0; i < schedule->n_transforms; i++) {
        total_ns += schedule->transforms[i].ns;
    }
    printf("\n%d layout transform%s%s", schedule->n_transforms, schedule->n_transforms == 1 ? "" : "s",
           schedule->n_transforms > 0 ? "" : "\n");
    if (schedule->n_transforms == 0) {
        return GT_OK;
    }
    printf(", %.3f %s in all\n", total_ns / scale, unit);
    gt_table_begin(&table, "lllr");
    gt_table_cell(&table, "tensor");
    gt_table_cell(&table, "from");
    gt_table_cell(&table, "to");
    gt_table_cell(&table, "%s", unit);
    for (int i = 0; i < schedule->n_transforms; i++) {
        const gt_plan_transform *t = &schedule->transforms[i];
        gt_table_cell(&table, "%s", t->tensor);
        gt_table_cell(&table, "%s", gt_layout_name(t->from));
        gt_table_cell(&table, "%s", gt_layout_name(t->to));
        gt_table_cell(&table, "%.3f", t->ns / scale);
    }
    return gt_table_print(&table, stdout, 2);
}

static gt_status print_alternatives(const gt_plan *plan)
{
    gt_table table;
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, plan->schedule.predicted_ns);
    gt_table_begin(&table, "lrr");
    gt_table_cell(&table, "schedule");
    gt_table_cell(&table, "predicted %s", unit);
    gt_table_cell(&table, "× plan");
    gt_table_cell(&table, "plan");
    gt_table_cell(&table, "%.3f", plan->schedule.predicted_ns / scale);
    gt_table_cell(&table, "1.00");
    for (int i = 0; i < plan->n_alternatives; i++) {
        double ns = plan->alternatives[i].schedule.predicted_ns;
        gt_table_cell(&table, "%s%s", strcmp(plan->alternatives[i].name, "greedy") == 0 ? "" : "all ", plan->alternatives[i].name);
        gt_table_cell(&table, "%.3f", ns / scale);
        gt_table_cell(&table, "%.2f", plan->schedule.predicted_ns > 0 ? ns / plan->schedule.predicted_ns : 1);
    }
    putchar('\n');
    return gt_table_print(&table, stdout, 2);
}

static bool has_imported(const gt_schedule *schedule)
{
    for (int i = 0; i < schedule->n_ops; i++) {
        if (strncmp(schedule->ops[i].template_name, GT_FOREIGN_PREFIX, strlen(GT_FOREIGN_PREFIX)) == 0) {
            return true;
        }
    }
    return false;
}

/* Anything but measurements is said in the first line. */
static void print_source(const gt_plan *plan)
{
    const char *what = plan->source == GT_SOURCE_FOREIGN ? "imported" : plan->source == GT_SOURCE_MODEL ? "modelled" : "counted";
    if (plan->source == GT_SOURCE_MODEL && has_imported(&plan->schedule)) {
        what = "imported, and modelled where nothing was imported";
    }
    if (plan->source != GT_SOURCE_MEASURED) {
        printf("These costs were not measured on this device: they are %s", what);
        if (plan->bandwidth_gb_s > 0) {
            printf(" (bytes moved at %g GB/s)", plan->bandwidth_gb_s);
        }
        printf(".\n");
    }
}

/* What a limit on memory has cost. */
static void print_limit(const gt_plan_result *r)
{
    char limit[32];
    if (r->memory_limit_bytes > 0) {
        printf("arena limit %s: ", gt_format_bytes(limit, sizeof limit, (double)r->memory_limit_bytes));
        if (r->optimal) {
            printf("no schedule within it is faster; ");
        } else {
            printf("heuristic, the fastest of %lld schedules compared; ", (long long)r->schedules_compared);
        }
        printf("%.3f x of what is proved possible without it\n", r->unlimited_ns > 0 ? r->predicted_ns / r->unlimited_ns : 1);
    }
}

gt_cli_decisions gt_cli_count_decisions(const gt_plan *plan)
{
    gt_cli_decisions d = {0};
    for (int i = 0; i < plan->schedule.n_ops; i++) {
        const gt_plan_op *op = &plan->schedule.ops[i];
        bool noise = op->has_regret && op->certainty == GT_CERTAINTY_NOISE;
        d.total += op->has_regret;
        d.certain += op->has_regret && op->certainty == GT_CERTAINTY_CERTAIN;
        d.within_noise += noise;
        d.no_interval += op->has_regret && op->certainty == GT_CERTAINTY_NO_INTERVAL;
        d.noise_ns = noise && op->regret_ns > d.noise_ns ? op->regret_ns : d.noise_ns;
    }
    return d;
}

/* How much of the choice the measurements can tell apart. */
static void print_decisions(const gt_plan *plan, double scale, const char *unit)
{
    gt_cli_decisions d = gt_cli_count_decisions(plan);
    int open = d.total - d.certain - d.within_noise - d.no_interval;
    if (d.total == 0) {
        if (plan->result.optimal && plan->schedule.n_ops > 0) {
            printf("how certain the decisions are: see `graphtune explain`\n");
        }
        return;
    }
    if (d.no_interval == d.total) { /* as after --refine, which measures in the running network */
        printf("near ties are not told apart: the figures of the chosen ops state no intervals\n");
        return;
    }
    printf("%d of %d decision%s certain", d.certain, d.total, d.total == 1 ? " is" : "s are");
    if (d.within_noise > 0) {
        printf("; %d %s within the measurement noise (at most %.3f %s)", d.within_noise, d.within_noise == 1 ? "is" : "are",
               d.noise_ns / scale, unit);
    }
    if (d.no_interval > 0) {
        printf("; for %d the records state no intervals", d.no_interval);
    }
    if (open > 0) {
        printf("; %d %s not looked at", open, open == 1 ? "was" : "were");
    }
    putchar('\n');
}

static void print_in_place(const gt_schedule *schedule, const gt_graph *graph)
{
    int n_concats = 0;
    int n = 0;
    for (int i = 0; i < schedule->n_ops; i++) {
        const gt_template *t = gt_template_find(schedule->ops[i].template_name);
        n_concats += graph->ops[i].kind == GT_OP_CONCAT ? 1 : 0;
        n += t != NULL && t->in_place ? 1 : 0;
    }
    if (n > 0) {
        printf("%d of %d concats in place: their inputs are made in their outputs\n", n, n_concats);
    }
}

static void print_pairs(const gt_schedule *schedule)
{
    int n = 0;
    for (int i = 0; i < schedule->n_ops; i++) {
        n += gt_template_role(gt_template_find(schedule->ops[i].template_name)) == GT_ROLE_PAIR ? 1 : 0;
    }
    if (n > 0) {
        printf("%d pair%s of ops done as one: what is between them stays in the cache (conv2d.inside)\n", n, n == 1 ? "" : "s");
    }
}

gt_status gt_cli_print_plan(const gt_plan *plan, const gt_graph *graph)
{
    gt_status status = GT_OK;
    gt_table table;
    char text[32];
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, plan->result.predicted_ns);
    const gt_plan_result *r = &plan->result;
    print_source(plan);
    gt_table_begin(&table, "lllllrr");
    layer_rows(&table, &plan->schedule, graph);
    GT_TRY(gt_table_print(&table, stdout, 2));
    GT_TRY(print_transforms(&plan->schedule));
    if (plan->n_alternatives > 0) {
        GT_TRY(print_alternatives(plan));
    }
    printf("\npredicted latency %s%.3f %s%s; ", gt_cli_bold(stdout), r->predicted_ns / scale, unit, gt_cli_plain(stdout));
    if (r->optimal) {
        printf("%sproved optimal%s for these %s", gt_cli_green(stdout), gt_cli_plain(stdout),
               plan->source == GT_SOURCE_MEASURED ? "measurements" : "costs");
    } else {
        printf("%snot proved optimal%s: lower bound %.3f %s, gap %.2f %%", gt_cli_yellow(stdout), gt_cli_plain(stdout),
               r->lower_bound_ns / scale, unit, 100 * r->gap);
    }
    printf(" (%s, width %d%s%s)\n", r->method, r->width, r->solver_ns > 0 ? ", " : "",
           r->solver_ns > 0 ? gt_format_ns(text, sizeof text, r->solver_ns) : "");
    print_limit(r);
    print_decisions(plan, scale, unit);
    print_in_place(&plan->schedule, graph);
    print_pairs(&plan->schedule);
    if (plan->n_buffers > 0) {
        printf("activation arena %s\n", gt_format_bytes(text, sizeof text, (double)plan->arena_bytes));
    }
done:
    return status;
}

gt_status gt_cli_print_plan_json(const gt_plan *plan, const char *plan_path)
{
    gt_json_writer w;
    const gt_plan_result *r = &plan->result;
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_string(&w, "plan", plan_path);
    gt_json_put_f64(&w, "predicted_ns", r->predicted_ns);
    gt_json_put_f64(&w, "lower_bound_ns", r->lower_bound_ns);
    gt_json_put_bool(&w, "optimal", r->optimal);
    gt_json_put_string(&w, "method", r->method);
    gt_json_put_i64(&w, "width", r->width);
    gt_json_put_f64(&w, "solver_ns", r->solver_ns);
    gt_json_put_i64(&w, "ops", plan->schedule.n_ops);
    gt_json_put_i64(&w, "transforms", plan->schedule.n_transforms);
    gt_json_put_i64(&w, "arena_bytes", plan->arena_bytes);
    if (r->memory_limit_bytes > 0) {
        gt_json_put_i64(&w, "memory_limit_bytes", r->memory_limit_bytes);
        gt_json_put_f64(&w, "unlimited_ns", r->unlimited_ns);
        gt_json_put_i64(&w, "schedules_compared", r->schedules_compared);
    }
    gt_cli_decisions d = gt_cli_count_decisions(plan);
    gt_json_begin_inline_object(&w, "decisions");
    gt_json_put_i64(&w, "total", d.total);
    gt_json_put_i64(&w, "certain", d.certain);
    gt_json_put_i64(&w, "within_noise", d.within_noise);
    gt_json_put_i64(&w, "no_interval", d.no_interval);
    gt_json_put_f64(&w, "within_noise_at_most_ns", d.noise_ns);
    gt_json_end(&w);
    gt_json_begin_object(&w, "alternatives_ns");
    for (int i = 0; i < plan->n_alternatives; i++) {
        gt_json_put_f64(&w, plan->alternatives[i].name, plan->alternatives[i].schedule.predicted_ns);
    }
    gt_json_end(&w);
    gt_json_end(&w);
    return gt_json_writer_print(&w);
}
