/* SPDX-License-Identifier: Apache-2.0 */
/* A reader that needs no library, for static programs: recursive descent (bounded by the scan's depth limit) that keeps
 * unfinished containers' children on a stack and moves them together when the container closes. */
#include "src/records/json_internal.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    gt_i_json_document *doc;
    const char *text;
    size_t bytes, at;
    gt_json *stack; /* values that no container holds yet */
    int n;
    size_t capacity;
};

static gt_status fail(const struct reader *r, const char *what)
{
    return gt_i_json_fail_at(GT_ERROR_FORMAT, r->text, r->at, r->doc->path, r->doc->line, what);
}

/* The next character that is no blank, or 0 at the end; it is not taken. */
static char peek(struct reader *r)
{
    while (r->at < r->bytes && memchr(" \t\r\n", r->text[r->at], 4) != NULL) {
        r->at++;
    }
    return r->at < r->bytes ? r->text[r->at] : '\0';
}

static gt_status unexpected(const struct reader *r)
{
    return fail(r, r->at < r->bytes ? "not a JSON value" : "the text ends before the JSON value does");
}

/* ---- strings ---- */

/* Four hexadecimal digits, or -1. */
static long hex4(const char *text, const char *end)
{
    long value = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = text + i < end && text[i] != '\0' ? strchr(digits, text[i]) : NULL;
        if (digit == NULL) {
            return -1;
        }
        value = value * 16 + (digit - digits) % 16;
    }
    return value;
}

static char *put_utf8(char *to, long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (code & 0x3f));
    return to;
}

/* \uXXXX, or a pair of them for what is beyond 16 bits; *from is behind the 'u'. NULL: half a pair, or no digits. */
static char *put_unicode(char *to, const char **from, const char *end)
{
    long code = hex4(*from, end);
    *from += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        long low = end - *from >= 6 && (*from)[0] == '\\' && (*from)[1] == 'u' ? hex4(*from + 2, end) : -1;
        if (low < 0xdc00 || low > 0xdfff) {
            return NULL;
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        *from += 6;
    }
    return code < 0 || (code >= 0xdc00 && code < 0xe000) ? NULL : put_utf8(to, code);
}

/* Writes [from, end), a string without its quotes, with escapes replaced; never more bytes than there are. False: a wrong
 * escape. */
static bool unescape(char *to, const char *from, const char *end)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    while (to != NULL && from < end) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] == 'u') {
            from += 2;
            to = put_unicode(to, &from, end);
        } else {
            const char *pair = escapes;
            while (*pair != '\0' && *pair != from[1]) {
                pair += 2;
            }
            if (*pair == '\0') {
                return false;
            }
            *to++ = pair[1];
            from += 2;
        }
    }
    if (to != NULL) {
        *to = '\0';
    }
    return to != NULL;
}

/* Reads the string that begins here. The scan has found its end. */
static gt_status read_string(const char **out, struct reader *r)
{
    gt_status status = GT_OK;
    size_t end = r->at + 1;
    while (end < r->bytes && r->text[end] != '"') {
        end += r->text[end] == '\\' ? 2 : 1;
    }
    if (end >= r->bytes) {
        return fail(r, "the text ends inside a string");
    }
    char *copy = gt_i_json_room(r->doc, end - r->at);
    GT_TRY(copy != NULL ? GT_OK : GT_ERROR_MEMORY);
    GT_TRY(unescape(copy, r->text + r->at + 1, r->text + end) ? GT_OK : fail(r, "the string holds a malformed escape"));
    r->at = end + 1;
    *out = copy;
done:
    return status;
}

/* ---- values ---- */

static gt_status push(struct reader *r, const gt_json *node)
{
    gt_status status = GT_OK;
    GT_PUSH(r->stack, r->n, r->capacity, *node);
    r->doc->n_nodes++;
done:
    return status;
}

/* The scan has checked the number, so strtod ends where it does. Its point is the C locale's. */
static void read_number(gt_json *node, struct reader *r)
{
    static const char allowed[] = "+-.0123456789eE";
    char digits[64] = "";
    char *end = NULL;
    for (size_t i = 0; i < sizeof digits - 1 && r->at + i < r->bytes; i++) {
        if (memchr(allowed, r->text[r->at + i], sizeof allowed - 1) == NULL) {
            break;
        }
        digits[i] = r->text[r->at + i];
    }
    node->type = GT_JSON_NUMBER;
    node->number = strtod(digits, &end);
    r->at += (size_t)(end - digits);
}

static gt_status read_word(gt_json *node, struct reader *r)
{
    static const struct {
        const char *word;
        gt_json_type type;
        bool truth;
    } words[] = {{"null", GT_JSON_NULL, false}, {"true", GT_JSON_BOOL, true}, {"false", GT_JSON_BOOL, false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i].word);
        if (r->bytes - r->at >= length && memcmp(r->text + r->at, words[i].word, length) == 0) {
            node->type = words[i].type;
            node->truth = words[i].truth;
            r->at += length;
            return GT_OK;
        }
    }
    return unexpected(r);
}

/* Moves the values above `first` into the container; they may be moved no more, as their children point at them. */
static gt_status gather(gt_json *node, struct reader *r, int first)
{
    const size_t bytes = (size_t)(r->n - first) * sizeof *r->stack;
    gt_json *children = gt_i_json_room(r->doc, bytes);
    if (children == NULL) {
        return GT_ERROR_MEMORY;
    }
    if (bytes > 0) { /* the stack may not exist yet */
        memcpy(children, r->stack + first, bytes);
    }
    node->children = children;
    node->count = r->n - first;
    r->n = first;
    for (int64_t i = 0; i < node->count; i++) {
        for (int64_t k = 0; k < children[i].count; k++) {
            children[i].children[k].parent = &children[i];
        }
    }
    return GT_OK;
}

static gt_status read_value(struct reader *r, const char *key);

static gt_status read_member(struct reader *r)
{
    gt_status status = GT_OK;
    const char *key = NULL;
    GT_TRY(peek(r) == '"' ? read_string(&key, r) : unexpected(r));
    GT_TRY(peek(r) == ':' ? GT_OK : unexpected(r));
    r->at++;
    GT_TRY(read_value(r, key));
done:
    return status;
}

static gt_status read_container(gt_json *node, struct reader *r)
{
    gt_status status = GT_OK;
    const int first = r->n;
    const bool object = r->text[r->at++] == '{';
    const char close = object ? '}' : ']';
    bool more = peek(r) != close;
    node->type = object ? GT_JSON_OBJECT : GT_JSON_ARRAY;
    while (more) {
        GT_TRY(object ? read_member(r) : read_value(r, NULL));
        more = peek(r) == ',';
        r->at += more;
    }
    GT_TRY(peek(r) == close ? GT_OK : unexpected(r));
    r->at++;
    GT_TRY(gather(node, r, first));
done:
    return status;
}

static gt_status read_value(struct reader *r, const char *key)
{
    gt_status status = GT_OK;
    gt_json node = {.doc = r->doc, .key = key};
    const char c = peek(r);
    if (c == '{' || c == '[') {
        GT_TRY(read_container(&node, r));
    } else if (c == '"') {
        node.type = GT_JSON_STRING;
        GT_TRY(read_string(&node.text, r));
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        read_number(&node, r);
    } else {
        GT_TRY(read_word(&node, r));
    }
    GT_TRY(push(r, &node));
done:
    return status;
}

gt_status gt_i_json_read_tree(gt_i_json_document *doc, const char *text, size_t bytes)
{
    gt_status status = GT_OK;
    gt_json root = {.doc = doc};
    struct reader r = {.doc = doc, .text = text, .bytes = bytes};
    r.at = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
    GT_TRY(read_value(&r, NULL));
    peek(&r);
    GT_TRY(r.at == bytes ? GT_OK : fail(&r, "unexpected text behind the JSON value"));
    GT_TRY(gather(&root, &r, 0));
    doc->root = root.children;
done:
    gt_free(r.stack);
    return status;
}
