/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "src/cli/cli.h"

#include <string.h>

static const gt_cli_program *program;

const char *gt_cli_program_name(void)
{
    return program->name;
}

static void print_usage(FILE *stream)
{
    fprintf(stream, "usage: %s COMMAND [ARGUMENTS]\n\n%s\n\ncommands:\n", program->name, program->summary);
    for (int i = 0; i < program->n_entries; i++) {
        fprintf(stream, "  %-10s %s\n", program->entries[i].name, program->entries[i].summary);
    }
    fprintf(stream, "\n`%s COMMAND --help` tells more. %s\n", program->name, program->start);
}

static int run_entry(const gt_cli_entry *entry, int argc, char **argv)
{
    int code = entry->run(argc - 1, argv + 1);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: cannot write to standard output\n", program->name);
        return GT_EXIT_FAILED;
    }
    return code < 0 ? GT_EXIT_OK : code;
}

int gt_cli_dispatch(const gt_cli_program *p, int argc, char **argv)
{
    program = p;
    if (argc < 2) {
        print_usage(stderr);
        return GT_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return GT_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("%s %s\n", program->name, PACKAGE_VERSION);
        return GT_EXIT_OK;
    }
    for (int i = 0; i < p->n_entries; i++) {
        if (strcmp(argv[1], p->entries[i].name) == 0) {
            return run_entry(&p->entries[i], argc, argv);
        }
    }
    char hint[80];
    gt_cli_suggest(hint, sizeof hint, "", argv[1], &p->entries->name, sizeof *p->entries, p->n_entries);
    fprintf(stderr, "%s: unknown command \"%s\"%s\nTry `%s --help`.\n", p->name, argv[1], hint, p->name);
    return GT_EXIT_USAGE;
}
