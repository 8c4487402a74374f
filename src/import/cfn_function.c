/* SPDX-License-Identifier: Apache-2.0 */
/* A CFN file's functions: scopes, and costs as a table, as a list of tuples or as another function's. */
#include "src/import/cfn_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCOPE, DEFAULTCOST, COSTS, TYPE, PARAMS, PARAMETERS, N_KEYS };
static const char *const keys[N_KEYS] = {"scope", "defaultcost", "costs", "type", "params", "parameters"};

const char *gt_i_cfn_label(char *buffer, size_t bytes, const gt_i_cfn_function *f)
{
    if (f->label.length > 0) {
        snprintf(buffer, bytes, "function \"%.*s\"", gt_i_cfn_shown(&f->label), f->label.word);
    } else {
        snprintf(buffer, bytes, "function %lld", (long long)f->number);
    }
    return buffer;
}

void gt_i_cfn_function_clear(gt_i_cfn_function *f)
{
    gt_free(f->scope);
    gt_free(f->costs);
    gt_free(f->entries);
    *f = (gt_i_cfn_function){0};
}

/* Where a field's value is wrong: "<place>: function "f": <text>", with what stands there. */
static gt_status refuse(const gt_i_cfn_reader *r, const gt_i_cfn_function *f, const gt_i_cfn_token *token, const char *what)
{
    char label[GT_I_CFN_LABEL_BYTES];
    bool word = token->kind == GT_I_CFN_WORD;
    return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token->at, "%s: %s%s%.*s%s", gt_i_cfn_label(label, sizeof label, f), what,
                         word ? ", not \"" : "", gt_i_cfn_shown(token), token->word, word ? "\"" : "");
}

/* ---- scope ---- */

static gt_status add_to_scope(gt_i_cfn_reader *r, gt_i_cfn_function *f, size_t *capacity, const gt_i_cfn_token *token)
{
    gt_status status = GT_OK;
    int32_t variable = 0;
    GT_TRY(gt_i_cfn_find_variable(r, &variable, f, token));
    for (int32_t k = 0; k < f->arity; k++) {
        if (f->scope[k] == variable) {
            return refuse(r, f, token, "\"scope\" must name each variable once");
        }
    }
    GT_PUSH(f->scope, f->arity, *capacity, variable);
    if (__builtin_mul_overflow(f->cells, (int64_t)gt_cfn_domain(r->file->cfn, variable), &f->cells)) {
        f->cells = INT64_MAX;
    }
done:
    return status;
}

static gt_status read_scope(gt_i_cfn_reader *r, gt_i_cfn_function *f)
{
    gt_status status = GT_OK;
    gt_i_cfn_token token;
    size_t capacity = 0;
    f->cells = 1;
    GT_TRY(gt_i_cfn_next(&r->scan, &token));
    if (token.kind != GT_I_CFN_OPEN) {
        return refuse(r, f, &token, "\"scope\" must be a list of variables");
    }
    for (;;) {
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
        if (token.kind == GT_I_CFN_CLOSE) {
            return GT_OK;
        }
        if (token.kind != GT_I_CFN_WORD) {
            return refuse(r, f, &token, "\"scope\" must be a list of variables");
        }
        GT_TRY(add_to_scope(r, f, &capacity, &token));
    }
done:
    return status;
}

/* ---- costs ---- */

static gt_status read_cost(gt_i_cfn_reader *r, const gt_i_cfn_function *f, const gt_i_cfn_token *token, int64_t *cost)
{
    int64_t units = 0;
    bool cut = false;
    if (token->kind != GT_I_CFN_WORD || !gt_i_cfn_parse_cost(&units, &cut, token->word, token->length, r->file->decimals)) {
        return refuse(r, f, token, "a cost is needed here, such as -1.25");
    }
    r->file->n_cut += cut;
    if (units == (r->file->maximise ? INT64_MAX : INT64_MIN)) {
        return refuse(r, f, token, r->file->maximise ? "costs may be at most 2^60 in units of the last decimal of \"mustbe\""
                                                     : "costs must be at least -2^60 in units of the last decimal of \"mustbe\"");
    }
    *cost = !r->file->maximise ? units : units == INT64_MIN ? INT64_MAX : -units;
    return GT_OK;
}

/* As many costs as the scope has tuples, the last variable's value changing fastest. */
static gt_status read_table(gt_i_cfn_reader *r, gt_i_cfn_function *f)
{
    gt_status status = GT_OK;
    gt_i_cfn_token token;
    int64_t cost = 0;
    for (;;) {
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
        if (token.kind == GT_I_CFN_CLOSE) {
            break;
        }
        GT_TRY(read_cost(r, f, &token, &cost));
        GT_PUSH(f->costs, f->n, f->capacity, cost);
    }
    if (f->n != f->cells) {
        char label[GT_I_CFN_LABEL_BYTES];
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token.at, "%s: \"costs\" has %lld costs, its scope has %lld tuples of values",
                             gt_i_cfn_label(label, sizeof label, f), (long long)f->n, (long long)f->cells);
    }
done:
    return status;
}

static int compare_entries(const void *a, const void *b)
{
    int64_t x = ((const gt_i_cfn_entry *)a)->tuple, y = ((const gt_i_cfn_entry *)b)->tuple;
    return (x > y) - (x < y);
}

static gt_status sort_entries(gt_i_cfn_reader *r, gt_i_cfn_function *f)
{
    bool ascending = true;
    for (int64_t k = 1; k < f->n && ascending; k++) {
        ascending = f->entries[k - 1].tuple < f->entries[k].tuple;
    }
    if (ascending) {
        return GT_OK;
    }
    qsort(f->entries, (size_t)f->n, sizeof *f->entries, compare_entries);
    for (int64_t k = 1; k < f->n; k++) {
        if (f->entries[k - 1].tuple == f->entries[k].tuple) {
            char label[GT_I_CFN_LABEL_BYTES];
            return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, f->at, "%s: \"costs\" lists a tuple twice, number %lld of its scope's %lld",
                                 gt_i_cfn_label(label, sizeof label, f), (long long)f->entries[k].tuple, (long long)f->cells);
        }
    }
    return GT_OK;
}

/* Tuples of values, each with its cost; all others have the default. */
static gt_status read_list(gt_i_cfn_reader *r, gt_i_cfn_function *f)
{
    gt_status status = GT_OK;
    gt_i_cfn_token token;
    gt_i_cfn_entry entry = {0};
    int32_t *hint = NULL;
    GT_TRY(gt_calloc(&hint, (size_t)f->arity, sizeof *hint));
    for (;;) {
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
        if (token.kind == GT_I_CFN_CLOSE) {
            break;
        }
        GT_TRY(gt_i_cfn_read_tuple(r, f, &entry.tuple, hint, &token));
        GT_TRY(read_cost(r, f, &token, &entry.cost));
        GT_PUSH(f->entries, f->n, f->capacity, entry);
    }
    GT_TRY(sort_entries(r, f));
done:
    gt_free(hint);
    return status;
}

static void find_least(gt_i_cfn_function *f)
{
    f->least = f->sparse && f->n < f->cells ? f->fallback : INT64_MAX;
    for (int64_t k = 0; k < f->n; k++) {
        int64_t cost = f->sparse ? f->entries[k].cost : f->costs[k];
        f->least = cost < f->least ? cost : f->least;
    }
}

static gt_status read_costs(gt_i_cfn_reader *r, gt_i_cfn_function *f)
{
    gt_status status = GT_OK;
    gt_i_cfn_token token;
    GT_TRY(gt_i_cfn_next(&r->scan, &token));
    if (token.kind == GT_I_CFN_WORD && !gt_i_cfn_is_number(&token)) {
        if (f->sparse) {
            return refuse(r, f, &token, "\"costs\" must be a list where there is a \"defaultcost\"");
        }
        f->other = token;
        return GT_OK;
    }
    if (token.kind != GT_I_CFN_OPEN) {
        return refuse(r, f, &token, "\"costs\" must be a list or the name of a function further down");
    }
    if (f->sparse && f->cells == INT64_MAX) {
        return refuse(r, f, &token, "\"scope\" has more than 2^63 tuples of values");
    }
    GT_TRY(f->sparse ? read_list(r, f) : read_table(r, f));
    find_least(f);
done:
    return status;
}

/* ---- functions ---- */

static gt_status refuse_type(gt_i_cfn_reader *r, const gt_i_cfn_function *f, gt_i_cfn_place place)
{
    gt_status status = GT_OK;
    char label[GT_I_CFN_LABEL_BYTES];
    gt_i_cfn_token token;
    gt_i_cfn_go(&r->scan, place);
    GT_TRY(gt_i_cfn_next(&r->scan, &token));
    status = gt_i_cfn_fail(&r->scan, GT_ERROR_UNSUPPORTED, token.at,
                           "%s is of type \"%.*s\": only functions given by their \"costs\" are read, a table or a list of tuples",
                           gt_i_cfn_label(label, sizeof label, f), gt_i_cfn_shown(&token), token.word);
done:
    return status;
}

/* Reads the fields of a function whose opening bracket has been read. */
static gt_status read_fields(gt_i_cfn_reader *r, gt_i_cfn_function *f)
{
    gt_status status = GT_OK;
    char label[GT_I_CFN_LABEL_BYTES];
    gt_i_cfn_place places[N_KEYS];
    gt_i_cfn_token token;
    gt_i_cfn_label(label, sizeof label, f);
    GT_TRY(gt_i_cfn_members(&r->scan, places, keys, N_KEYS, label, false));
    gt_i_cfn_place behind = {r->scan.at, r->scan.depth};
    if (places[TYPE].at != 0) {
        return refuse_type(r, f, places[TYPE]);
    }
    if (places[SCOPE].at == 0 || places[COSTS].at == 0) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, f->at, "%s: the field \"%s\" is missing", label,
                             keys[places[SCOPE].at == 0 ? SCOPE : COSTS]);
    }
    gt_i_cfn_go(&r->scan, places[SCOPE]);
    GT_TRY(read_scope(r, f));
    f->sparse = places[DEFAULTCOST].at != 0;
    if (f->sparse) {
        gt_i_cfn_go(&r->scan, places[DEFAULTCOST]);
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
        GT_TRY(read_cost(r, f, &token, &f->fallback));
    }
    gt_i_cfn_go(&r->scan, places[COSTS]);
    GT_TRY(read_costs(r, f));
    gt_i_cfn_go(&r->scan, behind);
done:
    return status;
}

/* The functions' tables are those of the functions they name, which come later: from the last to the first, every name
 * stands for the next function that has it. */
static gt_status resolve_shared(gt_i_cfn_reader *r)
{
    gt_status status = GT_OK;
    gt_i_name_map later = {0};
    const char *name = NULL;
    bool any = false;
    for (size_t i = 0; i < r->n_functions; i++) {
        any |= r->functions[i].other.length > 0;
    }
    for (size_t i = any ? r->n_functions : 0; i-- > 0;) {
        gt_i_cfn_function *f = &r->functions[i];
        if (f->other.length > 0) {
            GT_TRY(gt_i_cfn_text(&r->scan, &name, &f->other));
            f->same_as = gt_i_name_map_find(&later, name);
            if (f->same_as < 0) {
                status = refuse(r, f, &f->other, "\"costs\" must be a list or the name of a function further down");
                goto done;
            }
            const gt_i_cfn_function *other = &r->functions[f->same_as];
            f->same_as = other->same_as >= 0 ? other->same_as : f->same_as;
        }
        GT_TRY(gt_i_cfn_text(&r->scan, &name, &f->label));
        GT_TRY(gt_i_name_map_set(&later, name, (int)i));
    }
done:
    gt_i_name_map_destroy(&later);
    return status;
}

/* One function: a name and then its fields, or its fields alone. */
static gt_status read_function(gt_i_cfn_reader *r, gt_i_cfn_token token)
{
    gt_status status = GT_OK;
    gt_i_cfn_function f = {.number = (int64_t)r->n_functions, .at = token.at, .same_as = -1};
    if (token.kind == GT_I_CFN_WORD) {
        f.label = token;
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
    }
    if (token.kind != GT_I_CFN_OPEN) {
        return refuse(r, &f, &token, "its \"scope\" and \"costs\" are needed here, in brackets");
    }
    GT_TRY(read_fields(r, &f));
    GT_PUSH(r->functions, r->n_functions, r->functions_capacity, f);
    f = (gt_i_cfn_function){0};
done:
    gt_i_cfn_function_clear(&f);
    return status;
}

gt_status gt_i_cfn_read_functions(gt_i_cfn_reader *r)
{
    gt_status status = GT_OK;
    gt_i_cfn_token token;
    GT_TRY(gt_i_cfn_next(&r->scan, &token));
    if (token.kind != GT_I_CFN_OPEN) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token.at, "\"functions\" must be an object or a list");
    }
    for (;;) {
        GT_TRY(gt_i_cfn_next(&r->scan, &token));
        if (token.kind == GT_I_CFN_CLOSE) {
            break;
        }
        GT_TRY(read_function(r, token));
    }
    r->file->n_functions = (int64_t)r->n_functions;
    GT_TRY(resolve_shared(r));
done:
    return status;
}
