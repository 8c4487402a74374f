/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and values as a CFN file's functions mention them: by name or by index. */
#include "src/import/cfn_read.h"

#include <stdio.h>
#include <string.h>

/* A word of digits alone as a number below `end`, or -1. */
static int64_t index_of(const gt_i_cfn_token *token, int64_t end)
{
    int64_t index = 0;
    for (size_t i = 0; i < token->length; i++) {
        char c = token->word[i];
        if (c < '0' || c > '9' || index >= end) {
            return -1;
        }
        index = 10 * index + (c - '0');
    }
    return token->length > 0 && index < end ? index : -1;
}

gt_status gt_i_cfn_find_variable(gt_i_cfn_reader *r, int32_t *variable, const gt_i_cfn_function *f,
                                 const gt_i_cfn_token *token)
{
    gt_status status = GT_OK;
    char label[GT_I_CFN_LABEL_BYTES];
    const char *name = NULL;
    int32_t n = gt_cfn_variable_count(r->file->cfn);
    GT_TRY(gt_i_cfn_text(&r->scan, &name, token));
    int named = gt_i_name_map_find(&r->variables, name);
    int64_t index = index_of(token, n);
    if (named < 0 && index < 0) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token->at,
                             "%s: \"scope\" has \"%.*s\", which is neither the name of a variable nor an index below %d",
                             gt_i_cfn_label(label, sizeof label, f), gt_i_cfn_shown(token), token->word, (int)n);
    }
    if (named >= 0 && index >= 0 && named != index) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token->at,
                             "%s: \"scope\" has \"%.*s\", which is the name of variable %d and the index of another one",
                             gt_i_cfn_label(label, sizeof label, f), gt_i_cfn_shown(token), token->word, named);
    }
    *variable = named >= 0 ? named : (int32_t)index;
done:
    return status;
}

/* The value of this name, or -1. Lists of tuples go through a domain in its order, so the search begins where the last
 * one ended. */
static int32_t search_name(const gt_cfn_file *file, int32_t variable, int32_t hint, const char *word, size_t length)
{
    int64_t first = file->first_name[variable];
    int32_t n = (int32_t)(file->first_name[variable + 1] - first);
    for (int32_t k = 0; k < n; k++) {
        int32_t value = hint + k < n ? hint + k : hint + k - n;
        const char *name = file->value_names[first + value];
        if (strncmp(name, word, length) == 0 && name[length] == '\0') {
            return value;
        }
    }
    return -1;
}

static gt_status find_value(gt_i_cfn_reader *r, int32_t *value, const gt_i_cfn_function *f, int32_t variable, int32_t hint,
                            const gt_i_cfn_token *token)
{
    gt_status status = GT_OK;
    char label[GT_I_CFN_LABEL_BYTES];
    const char *word = token->word;
    size_t length = token->length;
    if (token->escaped) {
        GT_TRY(gt_i_cfn_text(&r->scan, &word, token));
        length = strlen(word);
    }
    int32_t domain = gt_cfn_domain(r->file->cfn, variable);
    int32_t named = search_name(r->file, variable, hint, word, length);
    int64_t index = index_of(token, domain);
    const char *problem = named < 0 && index < 0                       ? "neither the name of a value nor an index below"
                          : named >= 0 && index >= 0 && named != index ? "the name of one value and the index of another, of"
                                                                       : NULL;
    if (problem != NULL) {
        return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token->at, "%s: \"costs\" has \"%.*s\" for variable \"%.80s\", which is %s %d",
                             gt_i_cfn_label(label, sizeof label, f), gt_i_cfn_shown(token), token->word,
                             gt_cfn_variable_name(r->file->cfn, variable), problem, (int)domain);
    }
    *value = named >= 0 ? named : (int32_t)index;
done:
    return status;
}

gt_status gt_i_cfn_read_tuple(gt_i_cfn_reader *r, const gt_i_cfn_function *f, int64_t *tuple, int32_t *hint,
                              gt_i_cfn_token *token)
{
    gt_status status = GT_OK;
    char label[GT_I_CFN_LABEL_BYTES];
    *tuple = 0;
    for (int32_t k = 0; k <= f->arity; k++) {
        if (token->kind != GT_I_CFN_WORD) {
            return gt_i_cfn_fail(&r->scan, GT_ERROR_FORMAT, token->at,
                                 "%s: \"costs\" is a list of tuples, each of %d value%s and a cost; one is cut short here",
                                 gt_i_cfn_label(label, sizeof label, f), (int)f->arity, f->arity == 1 ? "" : "s");
        }
        if (k < f->arity) {
            GT_TRY(find_value(r, &hint[k], f, f->scope[k], hint[k], token));
            *tuple = *tuple * gt_cfn_domain(r->file->cfn, f->scope[k]) + hint[k];
            GT_TRY(gt_i_cfn_next(&r->scan, token));
        }
    }
done:
    return status;
}
