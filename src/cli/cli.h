/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: options and --help from one table, aligned output, colours only on a terminal. */
#ifndef GT_CLI_CLI_H
#define GT_CLI_CLI_H

#include "src/base/text.h"

#include <stdio.h>

enum { GT_EXIT_OK = 0, GT_EXIT_FAILED = 1, GT_EXIT_USAGE = 2 };

/* ---- options ---- */

typedef enum gt_cli_type {
    GT_CLI_FLAG,   /* bool */
    GT_CLI_STRING, /* const char *, borrowed from argv */
    GT_CLI_INT,    /* int64_t within [min, max] */
    GT_CLI_REAL,   /* double within [min, max] */
    GT_CLI_SIZE,   /* int64_t, bytes within [min, max]; given as a whole number with or without K, M or G behind it */
    GT_CLI_LIST,   /* gt_cli_list: may be given several times */
    /* Texts that are checked at once, so that a bad one is a usage error; the target is as above. */
    GT_CLI_LAYOUT, GT_CLI_LAYOUTS, GT_CLI_CPUS, /* const char * */
    GT_CLI_SHAPES  /* gt_cli_list */
} gt_cli_type;

typedef struct gt_cli_list {
    int n;
    const char **items; /* into argv; freed by gt_cli_list_clear */
    size_t capacity;
} gt_cli_list;

typedef struct gt_cli_option {
    const char *name;    /* "output" for --output */
    char letter;         /* 'o' for -o, or 0 */
    gt_cli_type type;
    const char *metavar; /* "FILE" */
    const char *help;    /* one or more lines, '\n' between them */
    void *target;
    double min, max;     /* numbers only */
} gt_cli_option;

typedef struct gt_cli_command {
    const char *name;    /* "select" */
    const char *usage;   /* "MODEL --records RECORDS [-o PLAN]" */
    const char *summary; /* one line */
    const char *details; /* paragraphs below the options, or NULL */
    int min_operands, max_operands;
} gt_cli_command;

/* Parses argv[1..] against the table. Returns GT_EXIT_OK with the operands in *operands (clear it), or -1 when --help
 * was asked for and printed, or GT_EXIT_USAGE after printing what is wrong. */
int gt_cli_parse(const gt_cli_command *command, const gt_cli_option *options, int n_options, int argc, char **argv,
                 gt_cli_list *operands);
void gt_cli_list_clear(gt_cli_list *list);

/* Prints "graphtune COMMAND: message" (or another program's name) on stderr and returns GT_EXIT_USAGE. */
int gt_cli_usage(const gt_cli_command *command, const char *format, ...) GT_PRINTF(2, 3);

/* Prints "graphtune: <error message>" on stderr; the exit status for `status`. */
int gt_cli_finish(gt_status status);

/* "; did you mean --layouts?": the name among `names` that is nearest to a misspelt word, between the given prefix and a
 * question mark, or "" where none is near. `stride` bytes lie between the names' pointers. Into `buffer`, which is returned. */
const char *gt_cli_suggest(char *buffer, size_t bytes, const char *prefix, const char *word, const char *const *names,
                           size_t stride, int n);

/* ---- output ---- */

/* Whether a stream takes colours: a terminal, and NO_COLOR is not set. */
bool gt_cli_colours(FILE *stream);

/* Escape sequences, or "" where the stream takes none. */
const char *gt_cli_bold(FILE *stream);
const char *gt_cli_green(FILE *stream);
const char *gt_cli_yellow(FILE *stream);
const char *gt_cli_plain(FILE *stream);

/* A table whose columns are as wide as their widest cell. */
typedef struct gt_table {
    int columns, rows;
    const char *align; /* one 'l' or 'r' per column */
    char **cells;      /* rows * columns, row 0 is the heading */
    int n_cells;
    size_t capacity;
    gt_status status;  /* the first failure; printing reports it */
} gt_table;

void gt_table_begin(gt_table *table, const char *align);
/* Adds the next cell (printf format). */
void gt_table_cell(gt_table *table, const char *format, ...) GT_PRINTF(2, 3);
/* Prints and destroys the table. `indent` blanks stand before each line. Long cells of column 0 are shortened in the
 * middle where the terminal is too narrow. */
gt_status gt_table_print(gt_table *table, FILE *stream, int indent) GT_NODISCARD;

/* Tables of times: "ms", or "µs" where a whole network of `total_ns` takes less than one ms; *scale is its length in ns. */
const char *gt_cli_time_unit(double *scale, double total_ns);

/* The number of terminal columns that a UTF-8 text takes (combining and wide characters aside). */
int gt_text_columns(const char *text);

/* A progress line on stderr where that is a terminal: rewritten in place, removed by gt_cli_progress_end. */
void gt_cli_progress(const char *what, int64_t done, int64_t total);
/* The same for the rounds of refining, whose number is not known before. */
void gt_cli_refine_progress(int round);
/* Any other text. */
void gt_cli_progress_line(const char *format, ...) GT_PRINTF(1, 2);
void gt_cli_progress_end(void);

/* ---- programs and their commands ---- */

typedef struct gt_cli_entry {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
    const char *summary;
} gt_cli_entry;

typedef struct gt_cli_program {
    const char *name;    /* "graphtune" */
    const char *summary; /* lines of --help */
    const char *start;   /* what --help ends with */
    const gt_cli_entry *entries;
    int n_entries;
} gt_cli_program;

/* The whole of main(): --help, --version, or a command. Returns the exit status. */
int gt_cli_dispatch(const gt_cli_program *program, int argc, char **argv);

/* Of the program that runs. */
const char *gt_cli_program_name(void);

#define GT_CLI_COMMANDS(X)                                                              \
    X(auto, "tune, select, check and bench in one go")                                  \
    X(inspect, "operators, shapes, multiply-adds, parameters, what was fused")          \
    X(tasks, "write the tuning tasks of a model, so that a board needs no model")       \
    X(tune, "measure candidates on this machine; resumable")                            \
    X(select, "choose layout, algorithm and config of every layer; write the plan")     \
    X(run, "execute a plan or a bundle; --check compares with the reference")           \
    X(pack, "plan and packed weights in one file that the runtime opens alone")          \
    X(bench, "latency of a plan beside greedy and single-layout plans")                 \
    X(solve, "the optimum of any cost function network in toulbar2's CFN format")       \
    X(explain, "why a plan is as it is: what every other choice would cost")            \
    X(export, "a plan for Netron (annotated ONNX) or graphviz")                         \
    X(records, "list, merge or prune record files; import AutoTVM logs")                \
    X(zoo, "write a standard architecture with seeded random weights")                  \
    X(device, "the fingerprint of this machine")

#define X(name, summary) int gt_cmd_##name(int argc, char **argv);
GT_CLI_COMMANDS(X)
#undef X

#endif
