/* SPDX-License-Identifier: Apache-2.0 */
/* `graphtune select --pareto`: the front of latency against arena as a table, a chart, or JSON. */
#include "src/base/clock.h"
#include "src/cli/pareto.h"
#include "src/records/json.h"

#include <string.h>
#include <unistd.h>

#define MIB 1048576.0

/* What is quick needs no progress. */
struct watch {
    int64_t begin_ns;
    bool quiet;
};

static void show_progress(void *context, int done, int total)
{
    const struct watch *watch = context;
    if (!watch->quiet && gt_now_ns() - watch->begin_ns > INT64_C(1000000000)) {
        gt_cli_progress("memory limits", done, total);
    }
}

static void layout_names(char *buffer, size_t bytes, unsigned layouts)
{
    buffer[0] = '\0';
    for (int i = 0; i < GT_LAYOUT_COUNT; i++) {
        if ((layouts >> i & 1) != 0) {
            size_t n = strlen(buffer);
            snprintf(buffer + n, bytes - n, "%s%s", n > 0 ? " " : "", gt_layout_name((gt_layout)i));
        }
    }
}

static gt_status print_table(const gt_front *front, int64_t limit)
{
    gt_table table;
    char layouts[96];
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, front->points[0].predicted_ns);
    gt_table_begin(&table, limit > 0 ? "rrrrlll" : "rrrrll");
    gt_table_cell(&table, "arena MiB");
    gt_table_cell(&table, "predicted %s", unit);
    gt_table_cell(&table, "× fastest");
    gt_table_cell(&table, "transforms");
    gt_table_cell(&table, "proved");
    gt_table_cell(&table, "layouts");
    if (limit > 0) {
        gt_table_cell(&table, "limit");
    }
    for (int i = 0; i < front->n; i++) {
        const gt_front_point *p = &front->points[i];
        double fastest = front->points[0].predicted_ns;
        layout_names(layouts, sizeof layouts, p->layouts);
        gt_table_cell(&table, "%.3f", (double)p->arena_bytes / MIB);
        gt_table_cell(&table, "%.3f", p->predicted_ns / scale);
        gt_table_cell(&table, "%.3f", fastest > 0 ? p->predicted_ns / fastest : 1);
        gt_table_cell(&table, "%d", p->transforms);
        gt_table_cell(&table, "%s", p->optimal ? "optimal" : "no");
        gt_table_cell(&table, "%s", layouts);
        if (limit > 0) {
            gt_table_cell(&table, "%s", p->arena_bytes <= limit ? "fits" : "no");
        }
    }
    return gt_table_print(&table, stdout, 2);
}

/* One dot per point: right is more memory, up is slower. */
static void print_chart(const gt_front *front)
{
    enum { COLUMNS = 60, ROWS = 12, LABEL = 14 };
    char cell[ROWS][COLUMNS];
    const gt_front_point *fast = &front->points[0];
    const gt_front_point *small = &front->points[front->n - 1];
    double scale = 1;
    const char *unit = gt_cli_time_unit(&scale, fast->predicted_ns);
    memset(cell, ' ', sizeof cell);
    for (int i = 0; i < front->n; i++) {
        const gt_front_point *p = &front->points[i];
        double x = (double)(p->arena_bytes - small->arena_bytes) / (double)(fast->arena_bytes - small->arena_bytes);
        double y = (p->predicted_ns - fast->predicted_ns) / (small->predicted_ns - fast->predicted_ns);
        cell[ROWS - 1 - (int)(y * (ROWS - 1) + 0.5)][(int)(x * (COLUMNS - 1) + 0.5)] = p->optimal ? '*' : 'o';
    }
    putchar('\n');
    for (int row = 0; row < ROWS; row++) {
        char label[32] = "";
        if (row == 0 || row == ROWS - 1) {
            snprintf(label, sizeof label, "%.3f %s", (row == 0 ? small : fast)->predicted_ns / scale, unit);
        }
        printf("  %*s%s │%.*s\n", LABEL - gt_text_columns(label), "", label, COLUMNS, cell[row]);
    }
    printf("  %*s └", LABEL, "");
    for (int i = 0; i < COLUMNS; i++) {
        fputs("─", stdout);
    }
    printf("\n  %*s  %-*.3f%.3f MiB   * proved optimal, o found\n", LABEL, "", COLUMNS - 6,
           (double)small->arena_bytes / MIB, (double)fast->arena_bytes / MIB);
}

static gt_status print_json(const gt_front *front)
{
    gt_json_writer w;
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_i64(&w, "least_arena_bytes", front->least_bytes);
    gt_json_begin_array(&w, "front");
    for (int i = 0; i < front->n; i++) {
        const gt_front_point *p = &front->points[i];
        gt_json_begin_inline_object(&w, NULL);
        gt_json_put_i64(&w, "arena_bytes", p->arena_bytes);
        gt_json_put_f64(&w, "predicted_ns", p->predicted_ns);
        gt_json_put_bool(&w, "optimal", p->optimal);
        gt_json_put_i64(&w, "transforms", p->transforms);
        gt_json_begin_array(&w, "layouts");
        for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
            if ((p->layouts >> layout & 1) != 0) {
                gt_json_put_string(&w, NULL, gt_layout_name((gt_layout)layout));
            }
        }
        gt_json_end(&w);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    gt_json_end(&w);
    return gt_json_writer_print(&w);
}

static gt_status print_front(const gt_front *front, int64_t limit)
{
    gt_status status = GT_OK;
    char least[32];
    GT_TRY(print_table(front, limit));
    if (front->n > 1 && isatty(STDOUT_FILENO)) {
        print_chart(front);
    }
    printf("\nNo schedule found beats one of these in both latency and arena; none can need less than %s.\n"
           "The arena holds activations and their copies; packed weights, and workspaces that find no room in it, come on top.\n",
           gt_format_bytes(least, sizeof least, (double)front->least_bytes));
done:
    return status;
}

gt_status gt_cli_pareto(const gt_graph *graph, const gt_records *records, const gt_select_options *options, bool json, bool quiet)
{
    gt_status status = GT_OK;
    gt_front *front = NULL;
    struct watch watch = {gt_now_ns(), quiet};
    status = gt_select_front(&front, graph, records, options, show_progress, &watch);
    gt_cli_progress_end();
    GT_TRY(status);
    if (json) {
        GT_TRY(print_json(front));
    } else if (!quiet) {
        GT_TRY(print_front(front, options->max_memory_bytes));
    }
done:
    gt_front_destroy(front);
    return status;
}
