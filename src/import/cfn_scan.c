/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/cfn_scan.h"

#include "src/records/json.h"

#include <stdio.h>
#include <string.h>

gt_status gt_i_cfn_fail(const gt_i_cfn_scanner *s, gt_status code, size_t at, const char *format, ...)
{
    char what[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return gt_i_json_fail_at(code, s->text, at, s->path, 0, what);
}

int gt_i_cfn_shown(const gt_i_cfn_token *token)
{
    size_t shown = 0;
    while (shown < token->length && shown < 80) {
        shown += gt_i_utf8_bytes(token->word + shown, token->length - shown);
    }
    return (int)shown;
}

bool gt_i_cfn_is_number(const gt_i_cfn_token *token)
{
    return token->kind == GT_I_CFN_WORD && token->length > 0 && strchr("0123456789-+.", token->word[0]) != NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool ends_word(char c)
{
    return is_blank(c) || c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}' || c == '"';
}

static void skip_separators(gt_i_cfn_scanner *s)
{
    while (s->at < s->bytes) {
        char c = s->text[s->at];
        if (c == '#' && (s->at == 0 || s->text[s->at - 1] == '\n')) {
            const char *end = memchr(s->text + s->at, '\n', s->bytes - s->at);
            s->at = end != NULL ? (size_t)(end - s->text) : s->bytes;
        } else if (is_blank(c) || c == ',' || c == ':') {
            s->at++;
        } else {
            return;
        }
    }
}

/* Moves over one character of a word; NULL, or what is wrong with it. */
static const char *step(gt_i_cfn_scanner *s)
{
    unsigned char c = (unsigned char)s->text[s->at];
    if (c < 0x20 || c == 0x7f) {
        return "a control character";
    }
    size_t n = c < 0x80 ? 1 : gt_i_utf8_bytes(s->text + s->at, s->bytes - s->at);
    s->at += n;
    return n > 0 ? NULL : "invalid UTF-8";
}

static gt_status read_quoted(gt_i_cfn_scanner *s, gt_i_cfn_token *token)
{
    const char *problem = NULL;
    token->word = s->text + ++s->at;
    while (problem == NULL && s->at < s->bytes && s->text[s->at] != '"') {
        if (s->text[s->at] == '\\' && s->at + 1 < s->bytes) {
            token->escaped = true;
            s->at++;
        }
        problem = step(s);
    }
    if (problem == NULL && s->at >= s->bytes) {
        return gt_i_cfn_fail(s, GT_ERROR_FORMAT, token->at, "the text ends inside the string that begins here");
    }
    token->length = (size_t)(s->text + s->at - token->word);
    s->at++;
    return problem == NULL ? GT_OK : gt_i_cfn_fail(s, GT_ERROR_FORMAT, s->at - 1, "%s in a string", problem);
}

static gt_status read_bare(gt_i_cfn_scanner *s, gt_i_cfn_token *token)
{
    const char *problem = NULL;
    token->word = s->text + s->at;
    while (problem == NULL && s->at < s->bytes && !ends_word(s->text[s->at])) {
        problem = step(s);
    }
    token->length = (size_t)(s->text + s->at - token->word);
    return problem == NULL ? GT_OK : gt_i_cfn_fail(s, GT_ERROR_FORMAT, s->at, "%s outside a string", problem);
}

static gt_status open_bracket(gt_i_cfn_scanner *s, char bracket)
{
    if (s->depth == GT_I_CFN_MAX_DEPTH) {
        return gt_i_cfn_fail(s, GT_ERROR_LIMIT, s->at, "nested deeper than %d levels", GT_I_CFN_MAX_DEPTH);
    }
    s->closing[s->depth++] = bracket == '[' ? ']' : '}';
    s->at++;
    return GT_OK;
}

static gt_status close_bracket(gt_i_cfn_scanner *s, char bracket)
{
    if (s->depth == 0) {
        return gt_i_cfn_fail(s, GT_ERROR_FORMAT, s->at, "'%c' closes nothing", bracket);
    }
    if (s->closing[s->depth - 1] != bracket) {
        return gt_i_cfn_fail(s, GT_ERROR_FORMAT, s->at, "'%c' stands where '%c' is needed", bracket,
                             s->closing[s->depth - 1]);
    }
    s->depth--;
    s->at++;
    return GT_OK;
}

gt_status gt_i_cfn_next(gt_i_cfn_scanner *s, gt_i_cfn_token *token)
{
    gt_status status = GT_OK;
    skip_separators(s);
    *token = (gt_i_cfn_token){.kind = GT_I_CFN_END, .at = s->at, .word = ""};
    if (s->at >= s->bytes) {
        return GT_OK;
    }
    char c = s->text[s->at];
    if (c == '[' || c == '{') {
        token->kind = GT_I_CFN_OPEN;
        return open_bracket(s, c);
    }
    if (c == ']' || c == '}') {
        token->kind = GT_I_CFN_CLOSE;
        return close_bracket(s, c);
    }
    token->kind = GT_I_CFN_WORD;
    GT_TRY(c == '"' ? read_quoted(s, token) : read_bare(s, token));
    while (s->at < s->bytes && is_blank(s->text[s->at])) {
        s->at++;
    }
    token->key = s->at < s->bytes && s->text[s->at] == ':';
done:
    return status;
}

gt_status gt_i_cfn_skip(gt_i_cfn_scanner *s)
{
    gt_status status = GT_OK;
    gt_i_cfn_token token;
    int depth = s->depth;
    do {
        GT_TRY(gt_i_cfn_next(s, &token));
        if (token.kind == GT_I_CFN_END) {
            return gt_i_cfn_fail(s, GT_ERROR_FORMAT, token.at, "the text ends where '%c' or more is needed",
                                 s->depth > 0 ? s->closing[s->depth - 1] : '{');
        }
        if (s->depth < depth) {
            return gt_i_cfn_fail(s, GT_ERROR_FORMAT, token.at, "a value is missing here");
        }
    } while (s->depth > depth);
done:
    return status;
}

/* The position of a word among the keys, or -1. A colon inside the quotes ("type:") is a slip that is in circulation. */
static int find_key(const gt_i_cfn_token *token, const char *const *keys, int n)
{
    size_t length = token->length > 1 && token->word[token->length - 1] == ':' ? token->length - 1 : token->length;
    for (int k = 0; k < n; k++) {
        if (strlen(keys[k]) == length && memcmp(keys[k], token->word, length) == 0) {
            return k;
        }
    }
    return -1;
}

static gt_status unknown_key(const gt_i_cfn_scanner *s, const gt_i_cfn_token *token, const char *const *keys, int n,
                             const char *what)
{
    char allowed[256] = "";
    for (int k = 0; k < n; k++) {
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof allowed - used, "%s\"%s\"", k > 0 ? ", " : "", keys[k]);
    }
    return gt_i_cfn_fail(s, GT_ERROR_FORMAT, token->at, "%s: the field \"%.*s\" is not one of %s", what,
                         gt_i_cfn_shown(token), token->word, allowed);
}

gt_status gt_i_cfn_members(gt_i_cfn_scanner *s, gt_i_cfn_place *places, const char *const *keys, int n, const char *what,
                           bool may_end)
{
    gt_status status = GT_OK;
    gt_i_cfn_token token;
    memset(places, 0, (size_t)n * sizeof *places);
    for (;;) {
        GT_TRY(gt_i_cfn_next(s, &token));
        if (token.kind == GT_I_CFN_CLOSE || (token.kind == GT_I_CFN_END && may_end)) {
            return GT_OK;
        }
        if (token.kind != GT_I_CFN_WORD) {
            return gt_i_cfn_fail(s, GT_ERROR_FORMAT, token.at, "%s: the name of a field is needed here", what);
        }
        int k = find_key(&token, keys, n);
        if (k < 0) {
            return unknown_key(s, &token, keys, n, what);
        }
        if (places[k].at != 0) {
            return gt_i_cfn_fail(s, GT_ERROR_FORMAT, token.at, "%s: the field \"%s\" stands there twice", what, keys[k]);
        }
        places[k] = (gt_i_cfn_place){s->at, s->depth};
        GT_TRY(gt_i_cfn_skip(s));
    }
done:
    return status;
}

void gt_i_cfn_go(gt_i_cfn_scanner *s, gt_i_cfn_place place)
{
    s->at = place.at;
    s->depth = place.depth;
}

static gt_status copy_decoded(gt_i_cfn_scanner *s, const gt_i_cfn_token *token)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    const char *decoded = NULL;
    status = gt_json_parse(&root, token->word - 1, token->length + 2, "string", 1);
    if (status == GT_ERROR_FORMAT) {
        return gt_i_cfn_fail(s, GT_ERROR_FORMAT, token->at, "a malformed escape in this string");
    }
    GT_TRY(status);
    GT_TRY(gt_json_as_string(root, &decoded));
    for (const char *c = decoded; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            status = gt_i_cfn_fail(s, GT_ERROR_FORMAT, token->at, "a control character in this string");
            goto done;
        }
    }
    GT_TRY(gt_text_append(&s->copy, "%s", decoded));
done:
    gt_json_destroy(root);
    return status;
}

gt_status gt_i_cfn_text(gt_i_cfn_scanner *s, const char **text, const gt_i_cfn_token *token)
{
    gt_status status = GT_OK;
    s->copy.length = 0;
    GT_TRY(token->escaped ? copy_decoded(s, token) : gt_text_append_bytes(&s->copy, token->word, token->length));
    *text = s->copy.data;
done:
    return status;
}

void gt_i_cfn_scan_destroy(gt_i_cfn_scanner *s)
{
    gt_text_destroy(&s->copy);
}
