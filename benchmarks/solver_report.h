/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the solver's benchmark, printed row by row as text or, at the same calls, as JSON. */
#ifndef GT_BENCHMARKS_SOLVER_REPORT_H
#define GT_BENCHMARKS_SOLVER_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#define RP_COLUMNS 24

typedef struct rp_report {
    bool json;
    int tables, rows, column;
    int width[RP_COLUMNS];
    char names[RP_COLUMNS][32];
    int wrong;     /* rows that are not correct */
    int unchecked; /* comparisons that could not be made */
    int missed;    /* targets of speed, memory or gap not met */
} rp_report;

/* Starts a table. `columns`: names separated by spaces, each as wide as its column, padded with '_'. The
 * title says what is measured. */
void rp_table(rp_report *r, const char *key, const char *title, const char *columns);

/* The cells of a row, from left to right. */
void rp_text(rp_report *r, const char *text);
void rp_int(rp_report *r, int64_t value);
void rp_number(rp_report *r, double value, int decimals);
void rp_none(rp_report *r); /* not measured */

/* Whether the row is correct: "ok" or "WRONG", which makes the program fail. */
void rp_check(rp_report *r, bool correct);
/* The same of a row that nothing could be compared with: "unchecked". */
void rp_unchecked(rp_report *r, int comparisons);
/* Whether a target is met: "yes" or "NO". */
void rp_target(rp_report *r, bool met);

/* Ends the row. */
void rp_end(rp_report *r);

/* Ends the report with the three sums. */
void rp_finish(rp_report *r);

#endif
