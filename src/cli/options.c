/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"

#include "src/import/import.h"

#include <math.h>
#include <string.h>

void gt_cli_list_clear(gt_cli_list *list)
{
    gt_free(list->items);
    *list = (gt_cli_list){0};
}

static gt_status list_push(gt_cli_list *list, const char *item)
{
    gt_status status = GT_OK;
    GT_PUSH(list->items, list->n, list->capacity, item);
done:
    return status;
}

int gt_cli_usage(const gt_cli_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s %s: ", gt_cli_program_name(), command->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\nTry `%s %s --help`.\n", gt_cli_program_name(), command->name);
    va_end(args);
    return GT_EXIT_USAGE;
}

int gt_cli_finish(gt_status status)
{
    if (status == GT_OK) {
        return GT_EXIT_OK;
    }
    fprintf(stderr, "%s: %s\n", gt_cli_program_name(), gt_error_message());
    return GT_EXIT_FAILED;
}

static void print_option(const gt_cli_option *o)
{
    char head[80];
    int n = o->letter != 0 ? snprintf(head, sizeof head, "-%c, --%s", o->letter, o->name)
                           : snprintf(head, sizeof head, "    --%s", o->name);
    if (o->metavar != NULL) {
        snprintf(head + n, sizeof head - (size_t)n, " %s", o->metavar);
    }
    printf("  %-28s", head);
    if (strlen(head) > 27) {
        printf("\n%30s", "");
    }
    for (const char *line = o->help; line != NULL;) {
        const char *end = strchr(line, '\n');
        if (line != o->help) {
            printf("%30s", "");
        }
        printf("%.*s\n", end != NULL ? (int)(end - line) : (int)strlen(line), line);
        line = end != NULL ? end + 1 : NULL;
    }
}

static void print_help(const gt_cli_command *command, const gt_cli_option *options, int n)
{
    printf("usage: %s %s %s\n\n%s\n\noptions:\n", gt_cli_program_name(), command->name, command->usage, command->summary);
    for (int i = 0; i < n; i++) {
        print_option(&options[i]);
    }
    const gt_cli_option help = {.name = "help", .letter = 'h', .help = "this text"};
    print_option(&help);
    if (command->details != NULL) {
        printf("\n%s\n", command->details);
    }
}

static const gt_cli_option *find_long(const gt_cli_option *options, int n, const char *name, size_t length)
{
    for (int i = 0; i < n; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

static const gt_cli_option *find_short(const gt_cli_option *options, int n, char letter)
{
    for (int i = 0; i < n; i++) {
        if (options[i].letter == letter) {
            return &options[i];
        }
    }
    return NULL;
}

const char *gt_cli_suggest(char *buffer, size_t bytes, const char *prefix, const char *word, const char *const *names,
                           size_t stride, int n)
{
    const char *best = NULL;
    int least = 3;
    for (int i = 0; i < n; i++) {
        const char *name = *(const char *const *)(const void *)((const char *)names + (size_t)i * stride);
        size_t length = strlen(word);
        int d = length >= 3 && strncmp(name, word, length) == 0 ? 1 : gt_text_distance(word, name);
        if (d < least && d < (int)strlen(name)) {
            least = d;
            best = name;
        }
    }
    buffer[0] = '\0';
    if (best != NULL && *word != '\0') {
        snprintf(buffer, bytes, "; did you mean %s%s?", prefix, best);
    }
    return buffer;
}

static int store_number(const gt_cli_command *command, const gt_cli_option *o, const char *value)
{
    double real = 0;
    int64_t whole = 0;
    bool ok = o->type == GT_CLI_INT ? gt_parse_i64(&whole, value) : gt_parse_f64(&real, value);
    double number = o->type == GT_CLI_INT ? (double)whole : real;
    if (!ok || number < o->min || number > o->max) {
        return gt_cli_usage(command, "--%s %s: %s from %g to %g is needed", o->name, value,
                            o->type == GT_CLI_INT ? "a whole number" : "a number", o->min, o->max);
    }
    if (o->type == GT_CLI_INT) {
        *(int64_t *)o->target = whole;
    } else {
        *(double *)o->target = real;
    }
    return GT_EXIT_OK;
}

/* "64M" is 64 MiB. */
static int store_size(const gt_cli_command *command, const gt_cli_option *o, const char *value)
{
    static const char suffixes[] = "KMG";
    char least[32], most[32], digits[24];
    int64_t size = 0;
    size_t length = strlen(value);
    const char *suffix = length > 0 ? strchr(suffixes, value[length - 1]) : NULL;
    int shift = suffix != NULL && *suffix != '\0' ? 10 * (int)(suffix - suffixes + 1) : 0;
    length -= shift > 0;
    snprintf(digits, sizeof digits, "%.*s", length < sizeof digits ? (int)length : 0, value);
    bool ok = gt_parse_i64(&size, digits) && size >= 0 && size <= INT64_MAX >> shift;
    size = ok ? size << shift : 0;
    if (!ok || (double)size < o->min || (double)size > o->max) {
        return gt_cli_usage(command, "--%s %s: a size from %s to %s is needed, in bytes or with K, M or G behind it as in 512M",
                            o->name, value, gt_format_bytes(least, sizeof least, o->min),
                            gt_format_bytes(most, sizeof most, o->max));
    }
    *(int64_t *)o->target = size;
    return GT_EXIT_OK;
}

/* Parses a text that run() will parse again: here for its errors alone. */
static gt_status check_text(const gt_cli_option *o, const char *value)
{
    gt_status status = GT_OK;
    gt_import_shape shape = {0};
    unsigned mask = 0;
    int layout = 0;
    int *cpus = NULL;
    switch (o->type) {
    case GT_CLI_LAYOUT:
        return gt_cli_parse_layout(&layout, value);
    case GT_CLI_LAYOUTS:
        return gt_cli_parse_layouts(&mask, value);
    case GT_CLI_CPUS:
        status = gt_cli_parse_cpus(&cpus, &layout, value);
        gt_free(cpus);
        return status;
    case GT_CLI_SHAPES:
        status = gt_import_parse_shape(&shape, value);
        gt_free(shape.name);
        return status;
    default:
        return GT_OK;
    }
}

static int store(const gt_cli_command *command, const gt_cli_option *o, const char *value)
{
    if (check_text(o, value) != GT_OK) {
        return gt_cli_usage(command, "--%s: %s", o->name, gt_error_message());
    }
    switch (o->type) {
    case GT_CLI_FLAG:
        *(bool *)o->target = true;
        return GT_EXIT_OK;
    case GT_CLI_STRING:
    case GT_CLI_LAYOUT:
    case GT_CLI_LAYOUTS:
    case GT_CLI_CPUS:
        *(const char **)o->target = value;
        return GT_EXIT_OK;
    case GT_CLI_LIST:
    case GT_CLI_SHAPES:
        return gt_cli_finish(list_push(o->target, value));
    case GT_CLI_SIZE:
        return store_size(command, o, value);
    default:
        return store_number(command, o, value);
    }
}

/* Handles argv[*i], which begins with '-' and has more; moves *i over a separate value. */
static int parse_option(const gt_cli_command *command, const gt_cli_option *options, int n, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word + 2, "=") : 1;
    const gt_cli_option *o = is_long ? find_long(options, n, word + 2, length) : find_short(options, n, word[1]);
    if (o == NULL) {
        char hint[80] = "";
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)length, is_long ? word + 2 : "");
        return gt_cli_usage(command, "unknown option %s%s", word,
                            gt_cli_suggest(hint, sizeof hint, "--", name, &options->name, sizeof *options, n));
    }
    const char *rest = is_long ? word + 2 + length : word + 2;
    if (o->type == GT_CLI_FLAG) {
        return *rest == '\0' ? store(command, o, NULL) : gt_cli_usage(command, "--%s takes no value", o->name);
    }
    if (is_long && *rest == '=') {
        return store(command, o, rest + 1);
    }
    if (!is_long && *rest != '\0') {
        return store(command, o, rest);
    }
    if (*i + 1 >= argc) {
        return gt_cli_usage(command, "--%s needs a value: %s", o->name, o->metavar);
    }
    return store(command, o, argv[++*i]);
}

int gt_cli_parse(const gt_cli_command *command, const gt_cli_option *options, int n_options, int argc, char **argv,
                 gt_cli_list *operands)
{
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            if (list_push(operands, word) != GT_OK) {
                return gt_cli_finish(GT_ERROR_MEMORY);
            }
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_help(command, options, n_options);
            return -1;
        } else {
            int code = parse_option(command, options, n_options, argc, argv, &i);
            if (code != GT_EXIT_OK) {
                return code;
            }
        }
    }
    if (operands->n < command->min_operands || operands->n > command->max_operands) {
        return gt_cli_usage(command, "%s; usage: %s %s %s",
                            operands->n < command->min_operands ? "an argument is missing" : "too many arguments",
                            gt_cli_program_name(), command->name, command->usage);
    }
    return GT_EXIT_OK;
}
