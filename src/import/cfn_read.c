/* SPDX-License-Identifier: Apache-2.0 */
/* A CFN file's problem and variables. */
#include "src/import/cfn_read.h"

#include "src/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the problem ---- */

static gt_status read_word(gt_i_cfn_reader *r, gt_i_cfn_token *token, const char *what)
{
    gt_status status = gt_i_cfn_next(&r->scan, token);
    if (status == GT_OK && token->kind != GT_I_CFN_WORD) {
        status = gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token->at, "%s is needed here", what);
    }
    return status;
}

static int count_decimals(const gt_i_cfn_token *token)
{
    const char *point = memchr(token->word, '.', token->length);
    return point == NULL ? 0 : (int)(token->word + token->length - point - 1);
}

/* "<10.00": the direction, the bound, and by its decimals the precision of all costs. A bound that no sum of costs can
 * reach is none. */
static gt_status read_bound(gt_i_cfn_reader *r)
{
    gt_status status = GT_OK;
    gt_cfn_file *file = r->file;
    gt_i_cfn_token token;
    int64_t bound = 0;
    bool cut = false;
    GT_TRY(read_word(r, &token, "\"mustbe\": the bound on the cost, such as \"<100.00\","));
    char sense = token.length > 0 ? token.word[0] : '\0';
    bool plain = memchr(token.word, 'e', token.length) == NULL && memchr(token.word, 'E', token.length) == NULL;
    file->decimals = count_decimals(&token);
    if (file->decimals > GT_CFN_MAX_DECIMALS) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_LIMIT, token.at, "\"mustbe\": \"%.*s\" has %d decimals, at most %d are read",
                             gt_i_cfn_shown(&token), token.word, file->decimals, GT_CFN_MAX_DECIMALS);
    }
    if ((sense != '<' && sense != '>') || !plain ||
        !gt_i_cfn_parse_cost(&bound, &cut, token.word + 1, token.length - 1, file->decimals)) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token.at,
                             "\"mustbe\" is \"%.*s\"; \"<\" (minimise) or \">\" (maximise) and a decimal number such as "
                             "\"<100.00\" is needed",
                             gt_i_cfn_shown(&token), token.word);
    }
    file->maximise = sense == '>';
    int64_t none = (int64_t)1 << 62;
    int64_t below = bound == INT64_MIN ? INT64_MAX : -bound;
    file->upper_bound = file->maximise ? below : bound;
    if (bound == (file->maximise ? INT64_MAX : INT64_MIN)) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_LIMIT, token.at, "\"mustbe\": no sum of costs can meet \"%.*s\"",
                             gt_i_cfn_shown(&token), token.word);
    }
    file->upper_bound = file->upper_bound > GT_I_CFN_MAX_COST ? none : file->upper_bound;
done:
    return status;
}

static gt_status open_section(gt_i_cfn_reader *r, const char *name)
{
    gt_i_cfn_token token;
    gt_status status = gt_i_cfn_next(&r->scan, &token);
    if (status == GT_OK && token.kind != GT_I_CFN_OPEN) {
        status = gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token.at, "\"%s\" must be an object or a list", name);
    }
    return status;
}

static gt_status read_problem(gt_i_cfn_reader *r)
{
    gt_status status = GT_OK;
    static const char *const keys[] = {"name", "mustbe"};
    gt_i_cfn_place places[2];
    gt_i_cfn_token token;
    const char *name = "";
    size_t begin = r->scan.at;
    GT_TRY(open_section(r, "problem"));
    GT_TRY(gt_i_cfn_members(&r->scan, places, keys, 2, "\"problem\"", false));
    if (places[1].at == 0) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, begin,
                             "\"problem\": the field \"mustbe\" is missing, the bound on the cost such as \"<100.00\"");
    }
    if (places[0].at != 0) {
        gt_i_cfn_go(&r->scan, places[0]);
        GT_TRY(read_word(r, &token, "\"name\": the problem's name"));
        GT_TRY(gt_i_cfn_text(&r->scan, &name, &token));
    }
    GT_TRY(gt_strdup(&r->file->name, name));
    gt_i_cfn_go(&r->scan, places[1]);
    GT_TRY(read_bound(r));
done:
    return status;
}

/* ---- the variables ---- */

static gt_status push_value_name(gt_i_cfn_reader *r, const gt_i_cfn_token *token)
{
    gt_status status = GT_OK;
    gt_cfn_file *file = r->file;
    const char *name = NULL;
    char *copy = NULL;
    GT_TRY(gt_i_cfn_text(&r->scan, &name, token));
    GT_TRY(gt_strdup(&copy, name));
    GT_PUSH(file->value_names, file->n_value_names, file->value_names_capacity, copy);
    copy = NULL;
done:
    gt_free(copy);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of a domain must differ. */
static gt_status check_value_names(gt_i_cfn_reader *r, char *const *names, size_t n, size_t at, const char *variable)
{
    gt_status status = GT_OK;
    char **sorted = NULL;
    if (n < 2) {
        return GT_OK;
    }
    GT_TRY(gt_calloc(&sorted, n, sizeof *sorted));
    memcpy(sorted, names, n * sizeof *names);
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (size_t i = 1; i < n && status == GT_OK; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            status = gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, at, "variable \"%.80s\" has the value \"%.80s\" twice", variable,
                                   sorted[i]);
        }
    }
done:
    gt_free(sorted);
    return status;
}

/* Reads the value names of a variable up to the bracket that closes them. */
static gt_status read_value_names(gt_i_cfn_reader *r, int64_t *domain, const char *variable)
{
    gt_status status = GT_OK;
    size_t first = r->file->n_value_names;
    gt_i_cfn_token token;
    for (;;) {
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
        if (token.kind == GT_I_CFN_CLOSE) {
            break;
        }
        if (token.kind != GT_I_CFN_WORD) {
            return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token.at, "variable \"%.80s\": the name of a value is needed here",
                                 variable);
        }
        GT_TRY(push_value_name(r, &token));
    }
    *domain = (int64_t)(r->file->n_value_names - first);
    GT_TRY(check_value_names(r, r->file->value_names + first, (size_t)*domain, token.at, variable));
done:
    return status;
}

/* A number of values; negative for what toulbar2 calls an interval variable, whose values are the same. */
static gt_status read_size(gt_i_cfn_reader *r, int64_t *domain, const gt_i_cfn_token *token, const char *variable)
{
    bool cut = false;
    if (token->kind == GT_I_CFN_WORD && gt_i_cfn_parse_cost(domain, &cut, token->word, token->length, 0) && !cut) {
        *domain = *domain < 0 && *domain > INT64_MIN ? -*domain : *domain;
        return GT_OK;
    }
    return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token->at,
                         "variable \"%.80s\" is \"%.*s\": the number of its values or the list of their names is needed", variable,
                         gt_i_cfn_shown(token), token->word);
}

static gt_status add_variable(gt_i_cfn_reader *r, const char *name, int64_t domain, size_t at)
{
    gt_status status = GT_OK;
    int32_t index = 0;
    if (gt_i_name_map_find(&r->variables, name) >= 0) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, at, "there are two variables \"%.80s\"", name);
    }
    if (domain < 1 || domain > GT_CFN_MAX_DOMAIN) {
        return gt_i_cfn_fail(&r->scan, domain < 1 ? GT_ERROR_FORMAT : GT_ERROR_LIMIT, at,
                             "variable \"%.80s\" has %lld values, allowed are 1 to %d", name, (long long)domain,
                             GT_CFN_MAX_DOMAIN);
    }
    GT_TRY(gt_cfn_add_variable(r->file->cfn, &index, name, (int32_t)domain, NULL));
    GT_TRY(gt_i_name_map_set(&r->variables, name, index));
done:
    return status;
}

/* One variable: a name and then its domain, or its domain alone. */
static gt_status read_variable(gt_i_cfn_reader *r, gt_i_cfn_token token)
{
    gt_status status = GT_OK;
    gt_text name = {0};
    const char *text = NULL;
    int64_t domain = 0;
    size_t at = token.at;
    if (token.kind == GT_I_CFN_WORD && (token.key || !gt_i_cfn_is_number(&token))) {
        GT_TRY(gt_i_cfn_text(&r->scan, &text, &token));
        GT_TRY(gt_text_append(&name, "%s", text));
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
    } else {
        GT_TRY(gt_text_append(&name, "%d", (int)gt_cfn_variable_count(r->file->cfn)));
    }
    GT_TRY(token.kind == GT_I_CFN_OPEN ? read_value_names(r, &domain, name.data) : read_size(r, &domain, &token, name.data));
    GT_TRY(add_variable(r, name.data, domain, at));
done:
    gt_text_destroy(&name);
    return status;
}

static gt_status read_variables(gt_i_cfn_reader *r)
{
    gt_status status = GT_OK;
    gt_cfn_file *file = r->file;
    gt_i_cfn_token token;
    int64_t *first = NULL;
    size_t n = 0, capacity = 0;
    GT_TRY(open_section(r, "variables"));
    for (;;) {
        GT_PUSH(first, n, capacity, (int64_t)file->n_value_names);
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
        if (token.kind == GT_I_CFN_CLOSE) {
            break;
        }
        GT_TRY(read_variable(r, token));
    }
    file->n_variables = gt_cfn_variable_count(file->cfn);
    file->first_name = first;
    first = NULL;
done:
    gt_free(first);
    return status;
}

/* ---- the file ---- */

/* toulbar2 unpacks these itself. */
static gt_status refuse_compressed(const char *path, const char *text, size_t bytes)
{
    static const struct {
        const char *magic, *name, *command;
    } kinds[] = {{"\x1f\x8b", "gzip", "gunzip"}, {"\xfd" "7zXZ", "xz", "unxz"}, {"BZh", "bzip2", "bunzip2"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].magic);
        if (bytes >= length && memcmp(text, kinds[i].magic, length) == 0) {
            return gt_fail(GT_ERROR_UNSUPPORTED, "%s: compressed with %s, which is not read: unpack it first with `%s -k`", path,
                           kinds[i].name, kinds[i].command);
        }
    }
    return GT_OK;
}

static gt_status read_sections(gt_i_cfn_reader *r)
{
    gt_status status = GT_OK;
    static const char *const keys[] = {"problem", "variables", "functions"};
    gt_i_cfn_place places[3];
    gt_i_cfn_token token;
    GT_TRY(gt_i_cfn_next(&r->scan, &token));
    if (token.kind != GT_I_CFN_OPEN) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token.at,
                             "not a cost function network: it must begin with { and have \"problem\", \"variables\" and \"functions\"");
    }
    GT_TRY(gt_i_cfn_members(&r->scan, places, keys, 3, "the network", true));
    GT_TRY(gt_i_cfn_next(&r->scan, &token));
    if (token.kind != GT_I_CFN_END) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token.at, "something stands behind the network");
    }
    for (int k = 0; k < 3; k++) {
        GT_REQUIRE(places[k].at != 0, GT_ERROR_FORMAT, "%s: the network's field \"%s\" is missing", r->scan.path, keys[k]);
    }
    gt_i_cfn_go(&r->scan, places[0]);
    GT_TRY(read_problem(r));
    gt_i_cfn_go(&r->scan, places[1]);
    GT_TRY(read_variables(r));
    gt_i_cfn_go(&r->scan, places[2]);
    GT_TRY(gt_i_cfn_read_functions(r));
done:
    return status;
}

gt_status gt_cfn_file_read(gt_cfn_file **file, const char *path)
{
    gt_status status = GT_OK;
    gt_i_cfn_reader r = {.scan.path = path};
    char *text = NULL;
    GT_TRY(gt_file_read(&text, &r.scan.bytes, path));
    r.scan.text = text;
    GT_TRY(refuse_compressed(path, text, r.scan.bytes));
    GT_TRY(gt_calloc(&r.file, 1, sizeof *r.file));
    GT_TRY(gt_cfn_create(&r.file->cfn));
    GT_TRY(read_sections(&r));
    GT_TRY(gt_i_cfn_build(&r));
    *file = r.file;
    r.file = NULL;
done:
    for (size_t i = 0; i < r.n_functions; i++) {
        gt_i_cfn_function_clear(&r.functions[i]);
    }
    gt_free(r.functions);
    gt_i_name_map_destroy(&r.variables);
    gt_i_cfn_scan_destroy(&r.scan);
    gt_cfn_file_destroy(r.file);
    gt_free(text);
    return status;
}

void gt_cfn_file_destroy(gt_cfn_file *file)
{
    if (file == NULL) {
        return;
    }
    for (size_t i = 0; i < file->n_value_names; i++) {
        gt_free(file->value_names[i]);
    }
    gt_free(file->value_names);
    gt_free(file->first_name);
    gt_free(file->name);
    gt_cfn_destroy(file->cfn);
    gt_free(file);
}

const char *gt_cfn_file_value_name(const gt_cfn_file *file, int32_t variable, int32_t value)
{
    int64_t first = file->first_name[variable];
    return file->first_name[variable + 1] > first ? file->value_names[first + value] : NULL;
}

int64_t gt_cfn_file_cost(const gt_cfn_file *file, int64_t solver_cost)
{
    int64_t cost = solver_cost + file->constant;
    return file->maximise ? -cost : cost;
}
