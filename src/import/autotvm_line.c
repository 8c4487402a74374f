/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/autotvm_line.h"

#include <string.h>

#define MAX_SECONDS 1e8
#define MIN_SECONDS 1e-12

/* ---- bytes of a value ---- */

/* The text has been parsed when these walk it, so every bracket and quote has its partner. */
static const char *skip_string(const char *p)
{
    for (p++; *p != '"'; p++) {
        p += *p == '\\';
    }
    return p + 1;
}

static bool ends_value(char c)
{
    return c == ',' || c == ']' || c == '}' || c == '\0';
}

static const char *skip_value(const char *p)
{
    int depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += *p == '[' || *p == '{';
        depth -= *p == ']' || *p == '}';
        p++;
    } while (depth > 0 || !ends_value(*p));
    return p;
}

static size_t value_bytes(const char *value)
{
    size_t bytes = (size_t)(skip_value(value) - value);
    while (strchr(" \t\r\n", value[bytes - 1]) != NULL) {
        bytes--;
    }
    return bytes;
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Where the value of a member of the object at `p` begins, or NULL. */
static const char *find_member(const char *p, const char *key)
{
    size_t length = strlen(key);
    for (p = skip_blanks(p + 1); *p == '"'; p = skip_blanks(p + 1)) {
        const char *name = p + 1;
        const char *end = skip_string(p);
        const char *value = skip_blanks(skip_blanks(end) + 1);
        if ((size_t)(end - name) == length + 1 && strncmp(name, key, length) == 0) {
            return value;
        }
        p = skip_blanks(skip_value(value));
        if (*p != ',') {
            break;
        }
    }
    return NULL;
}

static const char *find_element(const char *p, int index)
{
    p = skip_blanks(p + 1);
    for (int i = 0; i < index; i++) {
        p = skip_blanks(skip_blanks(skip_value(p)) + 1);
    }
    return p;
}

/* ---- fields ---- */

/* Element `index` of an array that has to have as many. */
static gt_status element(const gt_json **out, const gt_json *array, int index)
{
    if (gt_json_type_of(array) != GT_JSON_ARRAY || gt_json_count(array) <= index) {
        return gt_json_fail(array, GT_ERROR_FORMAT, "an array with %d entries or more is needed", index + 1);
    }
    *out = gt_json_at(array, index);
    return GT_OK;
}

/* "input": [target, task, arguments, keywords] of version 0.2, with "config" beside it, or
 * "i": [target, task, arguments, keywords, workload, config] of version 0.1. */
static gt_status read_input(gt_autotvm_line *l, const char *text, bool old)
{
    gt_status status = GT_OK;
    const gt_json *input = NULL;
    const gt_json *node = NULL;
    GT_TRY(gt_json_get_array(l->root, old ? "i" : "input", &input));
    GT_TRY(element(&node, input, old ? 5 : 2));
    GT_TRY(gt_json_as_string(gt_json_at(input, 0), &l->target));
    GT_TRY(gt_json_as_string(gt_json_at(input, 1), &l->task));
    l->arguments = gt_json_at(input, 2);
    if (old) {
        l->config = node;
        if (gt_json_find(node, "t") != NULL) {
            GT_TRY(gt_json_get_string(node, "t", &l->template_key));
        }
    } else {
        GT_TRY(gt_json_get_object(l->root, "config", &l->config));
    }
    if (gt_json_type_of(l->config) != GT_JSON_OBJECT) {
        GT_TRY(gt_json_fail(l->config, GT_ERROR_FORMAT, "the config, an object, is needed"));
    }
    l->entity_key = old ? "e" : "entity";
    const char *input_text = find_member(skip_blanks(text), old ? "i" : "input");
    const char *config_text = old ? input_text : find_member(skip_blanks(text), "config");
    if (input_text == NULL || config_text == NULL) {
        GT_TRY(gt_json_fail(l->root, GT_ERROR_FORMAT, "keys must be written without escapes"));
    }
    l->arguments_text = find_element(input_text, 2);
    l->arguments_bytes = value_bytes(l->arguments_text);
    l->config_text = old ? find_element(config_text, 5) : config_text;
    l->config_bytes = value_bytes(l->config_text);
done:
    return status;
}

/* AutoTVM's MeasureErrorNo. */
static gt_record_status error_status(int64_t number)
{
    static const gt_record_status statuses[] = {
        GT_RECORD_OK,
        GT_RECORD_FAILED,  /* instantiation */
        GT_RECORD_FAILED,  /* compiling for the host */
        GT_RECORD_FAILED,  /* compiling for the device */
        GT_RECORD_CRASH,   /* at run time */
        GT_RECORD_WRONG,   /* wrong answer */
        GT_RECORD_TIMEOUT, /* building */
        GT_RECORD_TIMEOUT, /* running */
    };
    return number < (int64_t)(sizeof statuses / sizeof *statuses) ? statuses[number] : GT_RECORD_FAILED;
}

/* The costs' median, extremes and number. The repeats of AutoTVM are too few for an interval: it is all of them. */
static gt_status read_costs(gt_timing *timing, const gt_json *costs)
{
    gt_status status = GT_OK;
    enum { MOST = 64 };
    double ns[MOST];
    int n = 0;
    if (gt_json_type_of(costs) != GT_JSON_ARRAY || gt_json_count(costs) == 0) {
        return gt_json_fail(costs, GT_ERROR_FORMAT, "an array of seconds is needed");
    }
    for (; n < MOST && n < gt_json_count(costs); n++) {
        double seconds = 0;
        GT_TRY(gt_json_as_f64(gt_json_at(costs, n), &seconds, MIN_SECONDS, MAX_SECONDS));
        int at = n;
        for (; at > 0 && ns[at - 1] > seconds * 1e9; at--) {
            ns[at] = ns[at - 1];
        }
        ns[at] = seconds * 1e9;
    }
    timing->median_ns = n % 2 == 1 ? ns[n / 2] : (ns[n / 2 - 1] + ns[n / 2]) / 2;
    timing->min_ns = timing->lo_ns = ns[0];
    timing->hi_ns = ns[n - 1];
    timing->runs = n;
done:
    return status;
}

static gt_status read_result(gt_autotvm_line *l, bool old)
{
    gt_status status = GT_OK;
    const gt_json *result = NULL;
    const gt_json *node = NULL;
    int64_t error = 0;
    GT_TRY(gt_json_get_array(l->root, old ? "r" : "result", &result));
    GT_TRY(element(&node, result, 1));
    GT_TRY(gt_json_as_i64(node, &error, 0, INT32_MAX));
    l->status = error_status(error);
    if (l->status == GT_RECORD_OK) {
        GT_TRY(read_costs(&l->timing, gt_json_at(result, 0)));
    }
done:
    return status;
}

/* Python writes NaN and Infinity, which JSON does not have: they become null, which is no number either but has a place
 * in the line that a message can name. *out stays NULL where there are none. */
static gt_status replace_nan(char **out, const char *text, size_t bytes)
{
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    gt_status status = GT_OK;
    gt_text copy = {0};
    bool quoted = false;
    size_t kept = 0;
    if (strstr(text, "NaN") == NULL && strstr(text, "Infinity") == NULL) {
        return GT_OK;
    }
    for (size_t i = 0; i < bytes; i++) {
        quoted = text[i] == '"' ? !quoted : quoted;
        i += quoted && text[i] == '\\';
        for (size_t k = 0; !quoted && k < sizeof words / sizeof *words; k++) {
            size_t length = strlen(words[k]);
            if (i >= kept && strncmp(text + i, words[k], length) == 0) {
                GT_TRY(gt_text_append_bytes(&copy, text + kept, i - kept));
                GT_TRY(gt_text_append_bytes(&copy, "null", 4));
                kept = i + length;
            }
        }
    }
    GT_TRY(gt_text_append_bytes(&copy, text + kept, bytes - kept));
    *out = copy.data;
    copy = (gt_text){0};
done:
    gt_text_destroy(&copy);
    return status;
}

gt_status gt_i_autotvm_line_parse(gt_autotvm_line *out, const char *text, size_t bytes, const char *path, int64_t line)
{
    gt_status status = GT_OK;
    gt_autotvm_line l = {0};
    double version = 0;
    GT_TRY(replace_nan(&l.text, text, bytes));
    if (l.text != NULL) {
        text = l.text;
        bytes = strlen(text);
    }
    GT_TRY(gt_json_parse(&l.root, text, bytes, path, line));
    bool old = gt_json_find(l.root, "v") != NULL;
    GT_TRY(gt_json_get_f64(l.root, old ? "v" : "version", &version, 0, 1e6));
    if (version != (old ? 0.1 : 0.2)) {
        GT_TRY(gt_json_fail(gt_json_find(l.root, old ? "v" : "version"), GT_ERROR_FORMAT,
                            "this graphtune reads AutoTVM logs of versions 0.1 (\"v\") and 0.2 (\"version\")"));
    }
    GT_TRY(read_input(&l, text, old));
    GT_TRY(read_result(&l, old));
    *out = l;
    l = (gt_autotvm_line){0};
done:
    gt_i_autotvm_line_clear(&l);
    return status;
}

void gt_i_autotvm_line_clear(gt_autotvm_line *line)
{
    gt_json_destroy(line->root);
    gt_free(line->text);
    *line = (gt_autotvm_line){0};
}
