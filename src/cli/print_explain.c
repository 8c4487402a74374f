/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/print_explain.h"

#include <math.h>
#include <string.h>

/* ---- what changes ---- */

static bool has_transform(const gt_schedule *s, const gt_plan_transform *t)
{
    for (int i = 0; i < s->n_transforms; i++) {
        const gt_plan_transform *u = &s->transforms[i];
        if (u->from == t->from && u->to == t->to && strcmp(u->tensor, t->tensor) == 0) {
            return true;
        }
    }
    return false;
}

/* The transforms of `from` that `other` lacks. */
static int missing_transforms(const gt_plan_transform **list, const gt_schedule *from, const gt_schedule *other)
{
    int n = 0;
    for (int i = 0; i < from->n_transforms; i++) {
        if (!has_transform(other, &from->transforms[i])) {
            list[n++] = &from->transforms[i];
        }
    }
    return n;
}

gt_status gt_cli_find_changes(gt_cli_changes *changes, const gt_schedule *a, const gt_schedule *b, int op)
{
    gt_status status = GT_OK;
    gt_cli_changes c = {0};
    GT_TRY(gt_calloc(&c.ops, (size_t)a->n_ops, sizeof *c.ops));
    GT_TRY(gt_calloc(&c.made, (size_t)b->n_transforms, sizeof *c.made));
    GT_TRY(gt_calloc(&c.gone, (size_t)a->n_transforms, sizeof *c.gone));
    for (int i = 0; i < a->n_ops; i++) {
        if (i != op && (a->ops[i].in != b->ops[i].in || a->ops[i].out != b->ops[i].out)) {
            c.ops[c.n_ops++] = i;
        }
    }
    c.n_made = missing_transforms(c.made, b, a);
    c.n_gone = missing_transforms(c.gone, a, b);
    *changes = c;
    c = (gt_cli_changes){0};
done:
    gt_cli_changes_clear(&c);
    return status;
}

void gt_cli_changes_clear(gt_cli_changes *c)
{
    gt_free(c->ops);
    gt_free(c->made);
    gt_free(c->gone);
    *c = (gt_cli_changes){0};
}

/* ---- texts ---- */

static void layouts_cell(gt_table *table, gt_layout in, gt_layout out)
{
    if (in == out) {
        gt_table_cell(table, "%s", gt_layout_name(in));
    } else {
        gt_table_cell(table, "%s→%s", gt_layout_name(in), gt_layout_name(out));
    }
}

static const char *certainty_text(const gt_explained_op *op)
{
    static const char *const texts[] = {"not looked at", "certain", "within noise", "no interval"};
    return op->has_other ? texts[op->certainty] : "no other choice";
}

/* The plan in short, and all that makes the figures less than they seem. */
static void print_head(const gt_explanation *e, double scale, const char *unit)
{
    char text[32];
    printf("the plan takes %s%.3f %s%s by the records", gt_cli_bold(stdout), e->cost_ns / scale, unit, gt_cli_plain(stdout));
    if (e->least_ns < e->cost_ns) {
        printf("; %sa schedule of %.3f %s exists%s: select again", gt_cli_yellow(stdout), e->least_ns / scale, unit,
               gt_cli_plain(stdout));
    }
    printf("; all other choices: %s (%s, %s)\n", e->exact ? "exact" : "exact where no ≥ stands", e->method,
           gt_format_ns(text, sizeof text, e->solver_ns));
    if (e->n_differences > 0) {
        printf("%snote%s: of %d layers, template, config or time are not those of the plan in these records\n",
               gt_cli_yellow(stdout), gt_cli_plain(stdout), e->n_differences);
    }
}

/* ---- all ops ---- */

static void op_row(gt_table *table, const gt_explained_op *op, const char *node, double scale, double total_ns)
{
    gt_table_cell(table, "%s", node);
    layouts_cell(table, op->in, op->out);
    gt_table_cell(table, "%s", op->template_name);
    gt_table_cell(table, "%.3f", op->ns / scale);
    if (!op->has_other) {
        gt_table_cell(table, "-");
        gt_table_cell(table, "-");
        gt_table_cell(table, "-");
    } else {
        layouts_cell(table, op->other_in, op->other_out);
        gt_table_cell(table, "%s%+.3f", op->exact ? "" : "≥ ", op->regret_ns / scale);
        gt_table_cell(table, "%+.2f %%", total_ns > 0 ? 100 * op->regret_ns / total_ns : 0);
    }
    gt_table_cell(table, "%s", certainty_text(op));
}

static gt_status print_ops(const gt_explanation *e, const gt_graph *graph, double scale, const char *unit)
{
    gt_table table;
    gt_table_begin(&table, "lllrlrrl");
    gt_table_cell(&table, "layer");
    gt_table_cell(&table, "layout");
    gt_table_cell(&table, "template");
    gt_table_cell(&table, "%s", unit);
    gt_table_cell(&table, "next best");
    gt_table_cell(&table, "network %s", unit);
    gt_table_cell(&table, "network");
    gt_table_cell(&table, "decision");
    for (int i = 0; i < e->n_ops; i++) {
        op_row(&table, &e->ops[i], graph->ops[i].name, scale, e->cost_ns);
    }
    return gt_table_print(&table, stdout, 2);
}

static gt_status print_transforms(const gt_explanation *e, double scale, const char *unit)
{
    gt_status status = GT_OK;
    gt_table table;
    gt_schedule chosen = {0};
    double total_ns = 0;
    GT_TRY(gt_explain_chosen(&chosen, e));
    gt_table_begin(&table, "lllr");
    gt_table_cell(&table, "tensor");
    gt_table_cell(&table, "from");
    gt_table_cell(&table, "to");
    gt_table_cell(&table, "%s", unit);
    for (int i = 0; i < chosen.n_transforms; i++) {
        const gt_plan_transform *t = &chosen.transforms[i];
        gt_table_cell(&table, "%s", t->tensor);
        gt_table_cell(&table, "%s", gt_layout_name(t->from));
        gt_table_cell(&table, "%s", gt_layout_name(t->to));
        gt_table_cell(&table, "%.3f", t->ns / scale);
        total_ns += t->ns;
    }
    printf("\n%d layout transform%s, %.3f %s in all\n", chosen.n_transforms, chosen.n_transforms == 1 ? "" : "s",
           total_ns / scale, unit);
    if (chosen.n_transforms > 0) {
        status = gt_table_print(&table, stdout, 2);
    }
done:
    gt_schedule_clear(&chosen);
    return status;
}

static void print_counts(const gt_explanation *e, double scale, const char *unit)
{
    int n[4] = {0};
    int total = 0;
    double noise_ns = 0;
    for (int i = 0; i < e->n_ops; i++) {
        const gt_explained_op *op = &e->ops[i];
        total += op->has_other;
        n[op->certainty] += op->has_other;
        noise_ns = op->certainty == GT_CERTAINTY_NOISE ? fmax(noise_ns, op->regret_ns) : noise_ns;
    }
    printf("\n%d of %d decision%s certain", n[GT_CERTAINTY_CERTAIN], total, total == 1 ? " is" : "s are");
    printf("; %d within the measurement noise (at most %.3f %s)", n[GT_CERTAINTY_NOISE], noise_ns / scale, unit);
    if (n[GT_CERTAINTY_NO_INTERVAL] > 0) {
        printf("; for %d the records state no intervals", n[GT_CERTAINTY_NO_INTERVAL]);
    }
    putchar('\n');
}

gt_status gt_cli_print_explanation(const gt_explanation *e, const gt_graph *graph)
{
    gt_status status = GT_OK;
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, e->cost_ns);
    print_head(e, scale, unit);
    GT_TRY(print_ops(e, graph, scale, unit));
    GT_TRY(print_transforms(e, scale, unit));
    print_counts(e, scale, unit);
done:
    return status;
}

/* ---- one op ---- */

#define MOST_CHANGES 6

static gt_status append_change(gt_text *text, int *n, const char *what, gt_layout in, gt_layout out, const char *name)
{
    gt_status status = GT_OK;
    if ((*n)++ < MOST_CHANGES) {
        const char *between = *n > 1 ? ", " : "";
        if (in == out) {
            status = gt_text_append(text, "%s%s%s %s", between, what, name, gt_layout_name(in));
        } else {
            status = gt_text_append(text, "%s%s%s %s→%s", between, what, name, gt_layout_name(in), gt_layout_name(out));
        }
    }
    return status;
}

/* "conv2 NHWC, + pool1_out NHWC→NCHW, - x NCHW→NHWC" */
static gt_status describe_changes(gt_text *text, const gt_cli_changes *c, const gt_schedule *forced)
{
    gt_status status = GT_OK;
    int n = 0;
    for (int i = 0; i < c->n_ops; i++) {
        const gt_plan_op *op = &forced->ops[c->ops[i]];
        GT_TRY(append_change(text, &n, "", op->in, op->out, op->node));
    }
    for (int i = 0; i < c->n_made; i++) {
        GT_TRY(append_change(text, &n, "+ ", c->made[i]->from, c->made[i]->to, c->made[i]->tensor));
    }
    for (int i = 0; i < c->n_gone; i++) {
        GT_TRY(append_change(text, &n, "- ", c->gone[i]->from, c->gone[i]->to, c->gone[i]->tensor));
    }
    GT_TRY(gt_text_append(text, "%s", n == 0 ? "nothing" : ""));
    if (n > MOST_CHANGES) {
        GT_TRY(gt_text_append(text, " and %d more", n - MOST_CHANGES));
    }
done:
    return status;
}

static gt_status print_changes(const gt_explanation *e, const gt_explained_alternative *list, int n, int op)
{
    gt_status status = GT_OK;
    gt_schedule chosen = {0};
    gt_schedule forced = {0};
    gt_cli_changes changes = {0};
    gt_text text = {0};
    bool found = false;
    GT_TRY(gt_explain_chosen(&chosen, e));
    printf("\nwhat else would change (+ and -: transforms)\n");
    for (int i = 0; i < n; i++) {
        if (list[i].state != GT_ALTERNATIVE_SLOWER) {
            continue;
        }
        GT_TRY(gt_explain_forced(&forced, &found, e, op, list[i].value));
        text.length = 0;
        if (found) {
            GT_TRY(gt_cli_find_changes(&changes, &chosen, &forced, op));
            GT_TRY(describe_changes(&text, &changes, &forced));
        }
        printf("  %s→%s: %s\n", gt_layout_name(list[i].in), gt_layout_name(list[i].out),
               found ? text.data : "not found in time");
        gt_cli_changes_clear(&changes);
        gt_schedule_clear(&forced);
    }
done:
    gt_cli_changes_clear(&changes);
    gt_schedule_clear(&forced);
    gt_schedule_clear(&chosen);
    gt_text_destroy(&text);
    return status;
}

static void alternative_row(gt_table *table, const gt_explanation *e, const gt_explained_alternative *a, double scale)
{
    const char *bound = a->bound_ns < a->total_ns ? "≥ " : "";
    layouts_cell(table, a->in, a->out);
    gt_table_cell(table, "%s", a->template_name);
    if (a->state <= GT_ALTERNATIVE_DOMINATED) {
        double more_ns = a->bound_ns - e->cost_ns;
        gt_table_cell(table, "%.3f", a->ns / scale);
        gt_table_cell(table, "%s%.3f", bound, a->bound_ns / scale);
        gt_table_cell(table, "%s%+.3f", bound, more_ns / scale);
        gt_table_cell(table, "%+.2f %%", e->cost_ns > 0 ? 100 * more_ns / e->cost_ns : 0);
    } else {
        for (int i = 0; i < 4; i++) {
            gt_table_cell(table, "-");
        }
    }
    gt_table_cell(table, "%s", gt_alternative_state_name(a->state));
}

static void print_unsupported(const gt_explained_alternative *list, int n)
{
    int shown = 0;
    for (int i = 0; i < n; i++) {
        if (list[i].state == GT_ALTERNATIVE_UNSUPPORTED) {
            printf("%s%s→%s", shown++ == 0 ? "\nno template takes " : ", ", gt_layout_name(list[i].in),
                   gt_layout_name(list[i].out));
        }
    }
    printf("%s", shown > 0 ? "\n" : "");
}

/* Why a concat is not in place. */
static gt_status print_places(const gt_explanation *e, const gt_explained_alternative *list, int n, int op)
{
    gt_status status = GT_OK;
    gt_text reason = {0};
    for (int i = 0; i < n; i++) {
        if (list[i].state == GT_ALTERNATIVE_NO_PLACE) {
            reason.length = 0;
            GT_TRY(gt_explain_place(&reason, e, op, list[i].out));
            printf("%s is not possible in %s: %s\n", list[i].template_name, gt_layout_name(list[i].out), reason.data);
        }
    }
done:
    gt_text_destroy(&reason);
    return status;
}

gt_status gt_cli_print_explained_op(const gt_explanation *e, const gt_graph *graph, int op)
{
    gt_status status = GT_OK;
    gt_table table;
    gt_explained_alternative *list = NULL;
    int n = 0;
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, e->cost_ns);
    GT_TRY(gt_explain_op(&list, &n, e, op));
    print_head(e, scale, unit);
    printf("\n%s%s%s: %s\n%s: %s", gt_cli_bold(stdout), graph->ops[op].name, gt_cli_plain(stdout), graph->ops[op].workload->key,
           "the choice of layouts", certainty_text(&e->ops[op]));
    if (e->ops[op].certainty == GT_CERTAINTY_CERTAIN || e->ops[op].certainty == GT_CERTAINTY_NOISE) {
        printf(" (the next best costs %+.3f ± %.3f %s)", e->ops[op].regret_ns / scale, e->ops[op].noise_ns / scale, unit);
    }
    putchar('\n');
    gt_table_begin(&table, "llrrrrl");
    gt_table_cell(&table, "layout");
    gt_table_cell(&table, "template");
    gt_table_cell(&table, "own %s", unit);
    gt_table_cell(&table, "network %s", unit);
    gt_table_cell(&table, "more %s", unit);
    gt_table_cell(&table, "more");
    gt_table_cell(&table, "why not");
    for (int i = 0; i < n; i++) {
        if (list[i].state != GT_ALTERNATIVE_UNSUPPORTED) {
            alternative_row(&table, e, &list[i], scale);
        }
    }
    GT_TRY(gt_table_print(&table, stdout, 2));
    print_unsupported(list, n);
    GT_TRY(print_places(e, list, n, op));
    GT_TRY(print_changes(e, list, n, op));
done:
    gt_free(list);
    return status;
}
