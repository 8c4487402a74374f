/* SPDX-License-Identifier: Apache-2.0 */
/* The solver's benchmark: is it right, how fast, how large, against toulbar2 where that is installed.
 *
 * usage: benchmarks/solver [--quick] [--json] [--only TABLE] [--instances N] [--seeds N] [--repeats N] [--limit SECONDS]
 * Exit status: 1 if a row is wrong, 2 if something could not be run, 77 if comparisons could not be made (toulbar2 is
 * missing or ran out of its --limit). Missed targets of speed are printed and counted, no more. A network on which
 * something is wrong is kept as solver-*.cfn in the current folder. */
#include "benchmarks/solver_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*run)(rp_report *, const bn_options *);
} parts[] = {
    {"patterns", bn_patterns}, {"zoo", bn_zoo},           {"generated", bn_generated}, {"scaling", bn_scaling},
    {"wiring", bn_random_wiring}, {"marginals", bn_marginals}, {"memory", bn_budgets},      {"repeats", bn_repeated},
};
#define PARTS (sizeof parts / sizeof parts[0])

static int usage(const char *wrong)
{
    fprintf(stderr,
            "%s: not understood\nusage: benchmarks/solver [--quick] [--json] [--only TABLE] [--instances N] [--seeds N] "
            "[--repeats N] [--limit SECONDS]\ntables:",
            wrong);
    for (size_t i = 0; i < PARTS; i++) {
        fprintf(stderr, " %s", parts[i].name);
    }
    fputc('\n', stderr);
    return 2;
}

static bool is_part(const char *name)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (strcmp(parts[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* A number of at least 1 behind an option. */
static bool take_number(int *out, const char *option, const char *given, const char *value)
{
    if (strcmp(option, given) != 0 || value == NULL || atoi(value) < 1) {
        return false;
    }
    *out = atoi(value);
    return true;
}

static int run(rp_report *r, const bn_options *o, const char *only)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (only == NULL || strcmp(only, parts[i].name) == 0) {
            parts[i].run(r, o);
        }
    }
    rp_finish(r);
    return r->wrong > 0 ? 1 : r->unchecked > 0 ? 77 : 0;
}

int main(int argc, char **argv)
{
    bn_options o = {.instances = 200, .seeds = 10, .repeats = 7, .limit_s = 60, .program = argv[0]};
    rp_report report = {0};
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--quick") == 0) {
            o = (bn_options){.quick = true, .instances = 3, .seeds = 1, .repeats = 1, .limit_s = 10, .program = argv[0]};
        } else if (strcmp(argv[i], "--json") == 0) {
            report.json = true;
        } else if (strcmp(argv[i], "--digest") == 0) {
            bn_print_digest(&o);
            return 0;
        } else if (strcmp(argv[i], "--only") == 0 && value != NULL && is_part(value)) {
            only = value;
            i++;
        } else if (take_number(&o.instances, "--instances", argv[i], value) || take_number(&o.seeds, "--seeds", argv[i], value) ||
                   take_number(&o.repeats, "--repeats", argv[i], value) || take_number(&o.limit_s, "--limit", argv[i], value)) {
            i++;
        } else {
            return usage(argv[i]);
        }
    }
    return run(&report, &o, only);
}
