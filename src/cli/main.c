/* SPDX-License-Identifier: Apache-2.0 */
/* graphtune: the command. */
#include "config.h"

#include "src/cli/cli.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
#define X(name, summary) {#name, gt_cmd_##name, summary},
    GT_CLI_COMMANDS(X)
#undef X
};

static void print_usage(FILE *stream)
{
    fprintf(stream, "usage: graphtune COMMAND [ARGUMENTS]\n\n"
                    "Finds the layout, algorithm and tiling of every layer that make a convolutional network fastest\n"
                    "on this machine, proves that nothing better exists for the measurements, and runs the plan.\n\n"
                    "commands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    fprintf(stream, "\n`graphtune COMMAND --help` tells more. Start with:\n\n"
                    "  graphtune zoo squeezenet1.1 -o squeezenet.onnx\n"
                    "  graphtune auto squeezenet.onnx -o squeezenet.plan.json\n");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return GT_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return GT_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("graphtune %s\n", PACKAGE_VERSION);
        return GT_EXIT_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            int code = commands[i].run(argc - 1, argv + 1);
            if (fflush(stdout) != 0 || ferror(stdout)) {
                fprintf(stderr, "graphtune: cannot write to standard output\n");
                return GT_EXIT_FAILED;
            }
            return code < 0 ? GT_EXIT_OK : code;
        }
    }
    char hint[80];
    gt_cli_suggest(hint, sizeof hint, "", argv[1], &commands->name, sizeof *commands, sizeof commands / sizeof *commands);
    fprintf(stderr, "graphtune: unknown command \"%s\"%s\nTry `graphtune --help`.\n", argv[1], hint);
    return GT_EXIT_USAGE;
}
