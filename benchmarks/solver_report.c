/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/solver_report.h"

#include <stdio.h>
#include <string.h>

static void close_table(const rp_report *r)
{
    if (r->json && r->tables > 0) {
        printf("%s]}", r->rows > 0 ? "\n" : "");
    }
}

static void split_columns(rp_report *r, const char *columns)
{
    memset(r->width, 0, sizeof r->width);
    for (int i = 0; *columns != '\0' && i < RP_COLUMNS; i++) {
        int width = (int)strcspn(columns, " ");
        int padding = (int)strspn(columns, "_");
        r->width[i] = width;
        int length = width - padding;
        while (length > 0 && columns[padding + length - 1] == '_') {
            length--;
        }
        snprintf(r->names[i], sizeof r->names[i], "%.*s", length, columns + padding);
        columns += width;
        columns += strspn(columns, " ");
    }
}

void rp_table(rp_report *r, const char *key, const char *title, const char *columns)
{
    close_table(r);
    split_columns(r, columns);
    if (r->json) {
        printf("%s\n{\"table\":\"%s\",\"title\":\"%s\",\"rows\":[", r->tables > 0 ? "," : "[", key, title);
    } else {
        printf("%s%s: %s\n", r->tables > 0 ? "\n" : "", key, title);
        for (int i = 0; i < RP_COLUMNS && r->width[i] > 0; i++) {
            printf("%s%*s", i > 0 ? " " : "", i > 0 ? r->width[i] : -r->width[i], r->names[i]);
        }
        putchar('\n');
    }
    r->tables++;
    r->rows = 0;
    r->column = 0;
    fflush(stdout);
}

static void cell(rp_report *r, const char *text, bool quoted)
{
    const char *quote = quoted ? "\"" : "";
    int i = r->column++;
    if (r->json) {
        printf("%s\"%s\":%s%s%s", i > 0 ? "," : r->rows > 0 ? ",\n{" : "\n{", r->names[i], quote, text, quote);
    } else {
        printf("%s%*s", i > 0 ? " " : "", i > 0 ? r->width[i] : -r->width[i], text);
    }
}

void rp_text(rp_report *r, const char *text)
{
    cell(r, text, true);
}

void rp_int(rp_report *r, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    cell(r, text, false);
}

void rp_number(rp_report *r, double value, int decimals)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    cell(r, text, false);
}

void rp_none(rp_report *r)
{
    cell(r, r->json ? "null" : "-", false);
}

void rp_check(rp_report *r, bool correct)
{
    r->wrong += !correct;
    cell(r, correct ? "ok" : "WRONG", true);
}

void rp_unchecked(rp_report *r, int comparisons)
{
    r->unchecked += comparisons;
    cell(r, "unchecked", true);
}

void rp_target(rp_report *r, bool met)
{
    r->missed += !met;
    cell(r, met ? "yes" : "NO", true);
}

void rp_end(rp_report *r)
{
    fputs(r->json ? "}" : "\n", stdout);
    r->rows++;
    r->column = 0;
    fflush(stdout);
}

void rp_finish(rp_report *r)
{
    rp_table(r, "summary", "rows that are wrong, comparisons not made, targets missed", "______wrong __unchecked _____missed");
    rp_int(r, r->wrong);
    rp_int(r, r->unchecked);
    rp_int(r, r->missed);
    rp_end(r);
    close_table(r);
    fputs(r->json ? "]\n" : "", stdout);
}
