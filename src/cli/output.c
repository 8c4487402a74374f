/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/clock.h"
#include "src/cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool gt_cli_colours(FILE *stream)
{
    const char *off = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && (off == NULL || *off == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
}

static const char *escape(FILE *stream, const char *sequence)
{
    return gt_cli_colours(stream) ? sequence : "";
}

const char *gt_cli_bold(FILE *stream)
{
    return escape(stream, "\033[1m");
}

const char *gt_cli_green(FILE *stream)
{
    return escape(stream, "\033[32m");
}

const char *gt_cli_yellow(FILE *stream)
{
    return escape(stream, "\033[33m");
}

const char *gt_cli_plain(FILE *stream)
{
    return escape(stream, "\033[0m");
}

int gt_text_columns(const char *text)
{
    int columns = 0;
    for (; *text != '\0'; text++) {
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return columns;
}

void gt_table_begin(gt_table *table, const char *align)
{
    *table = (gt_table){.columns = (int)strlen(align), .align = align};
}

static gt_status push_cell(gt_table *table, const char *format, va_list args)
{
    gt_status status = GT_OK;
    char *cell = NULL;
    va_list again;
    va_copy(again, args);
    int bytes = vsnprintf(NULL, 0, format, again);
    va_end(again);
    GT_TRY(gt_calloc(&cell, (size_t)bytes + 1, 1));
    vsnprintf(cell, (size_t)bytes + 1, format, args);
    GT_PUSH(table->cells, table->n_cells, table->capacity, cell);
    cell = NULL;
done:
    gt_free(cell);
    return status;
}

void gt_table_cell(gt_table *table, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (table->status == GT_OK) {
        table->status = push_cell(table, format, args);
    }
    va_end(args);
}

/* The stream's width where it is a terminal; otherwise no limit. */
static int terminal_columns(FILE *stream)
{
    struct winsize size;
    if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return 10000;
}

static void print_padded(FILE *stream, const char *cell, int width, char align, bool last)
{
    int pad = width - gt_text_columns(cell);
    if (align == 'r') {
        fprintf(stream, "%*s%s", pad > 0 ? pad : 0, "", cell);
    } else {
        fprintf(stream, "%s%*s", cell, pad > 0 && !last ? pad : 0, "");
    }
}

/* "layer1.0.conv1/very/long/name" -> "layer1.0…g/name": both ends tell names apart. ASCII names only. */
static void shorten(char *cell, int width)
{
    int length = (int)strlen(cell);
    if (gt_text_columns(cell) != length || length <= width || width < 12) {
        return;
    }
    int tail = (width - 1) / 2;
    int head = width - 2 - tail;
    memmove(cell + head + 2, cell + length - tail, (size_t)tail + 1);
    cell[head] = '.';
    cell[head + 1] = '.';
}

static void print_row(const gt_table *table, int row, const int *widths, FILE *stream, int indent)
{
    int cells = table->columns;
    while (cells > 1 && *table->cells[row * table->columns + cells - 1] == '\0') {
        cells--; /* no blanks at the end of a line */
    }
    fprintf(stream, "%*s", indent, "");
    for (int c = 0; c < cells; c++) {
        if (c > 0) {
            fputs("  ", stream);
        }
        bool last = c + 1 == cells;
        print_padded(stream, table->cells[row * table->columns + c], widths[c], table->align[c], last);
    }
    fputc('\n', stream);
}

static void fit_columns(gt_table *table, int rows, int *widths, int room)
{
    int total = 2 * (table->columns - 1);
    for (int i = 0; i < rows * table->columns; i++) {
        int columns = gt_text_columns(table->cells[i]);
        int *width = &widths[i % table->columns];
        *width = columns > *width ? columns : *width;
    }
    for (int c = 0; c < table->columns; c++) {
        total += widths[c];
    }
    if (total > room) {
        int narrower = widths[0] - (total - room);
        widths[0] = narrower > 12 ? narrower : 12;
        for (int r = 0; r < rows; r++) {
            shorten(table->cells[r * table->columns], widths[0]);
        }
    }
}

gt_status gt_table_print(gt_table *table, FILE *stream, int indent)
{
    gt_status status = table->status;
    int *widths = NULL;
    int rows = table->n_cells / table->columns;
    GT_TRY(status);
    GT_TRY(gt_calloc(&widths, (size_t)table->columns, sizeof *widths));
    fit_columns(table, rows, widths, terminal_columns(stream) - indent);
    for (int r = 0; r < rows; r++) {
        fputs(r == 0 ? gt_cli_bold(stream) : "", stream);
        print_row(table, r, widths, stream, indent);
        fputs(r == 0 ? gt_cli_plain(stream) : "", stream);
    }
done:
    for (int i = 0; i < table->n_cells; i++) {
        gt_free(table->cells[i]);
    }
    gt_free(table->cells);
    gt_free(widths);
    *table = (gt_table){0};
    return status;
}

const char *gt_cli_time_unit(double *scale, double total_ns)
{
    bool small = total_ns < 1e6;
    *scale = small ? 1e3 : 1e6;
    return small ? "µs" : "ms";
}

static bool progress_shown;

void gt_cli_progress(const char *what, int64_t done, int64_t total)
{
    static int64_t last_ns;
    int64_t now = gt_now_ns();
    if (!isatty(STDERR_FILENO) || (now - last_ns < 100000000 && done != total)) {
        return;
    }
    last_ns = now;
    progress_shown = true;
    int filled = total > 0 ? (int)(30 * done / total) : 0;
    fprintf(stderr, "\r\033[K%s [%.*s%.*s] %lld/%lld", what, filled, "##############################", 30 - filled,
            "..............................", (long long)done, (long long)total);
}

void gt_cli_refine_progress(int round)
{
    if (isatty(STDERR_FILENO)) {
        progress_shown = true;
        fprintf(stderr, "\r\033[Kmeasuring the chosen layers inside the running network, round %d", round);
    }
}

void gt_cli_progress_line(const char *format, ...)
{
    va_list args;
    if (isatty(STDERR_FILENO)) {
        progress_shown = true;
        fputs("\r\033[K", stderr);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
    }
}

void gt_cli_progress_end(void)
{
    if (progress_shown) {
        fputs("\r\033[K", stderr);
        progress_shown = false;
    }
}
