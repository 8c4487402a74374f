/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: strict reading, messages, exact numbers, deterministic writing. */
#include "src/base/rng.h"
#include "src/records/json_internal.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static gt_rng rng;

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- JSON ---- */

static gt_json *parse(const char *text)
{
    gt_json *root = NULL;
    must(gt_json_parse(&root, text, strlen(text), "test.json", 0));
    return root;
}

START_TEST(test_json_values)
{
    gt_json *root = parse(
        " {\"s\":\"a\\u00e9\\n\\uD83D\\uDE00\",\"i\":-12,\"e\":1e3,\"f\":0.1,\"t\":true,\"n\":null,"
        "\"a\":[1,[],{}],\"o\":{\"S\":1,\"s\":2}}\n");
    const char *text = NULL;
    int64_t i = 0;
    double f = 0;
    bool t = false;
    const gt_json *a = NULL, *o = NULL;
    must(gt_json_get_string(root, "s", &text));
    ck_assert_str_eq(text, "aé\n😀");
    must(gt_json_get_i64(root, "i", &i, -20, 20));
    ck_assert_int_eq(i, -12);
    must(gt_json_get_i64(root, "e", &i, 0, INT64_MAX));
    ck_assert_int_eq(i, 1000);
    must(gt_json_get_f64(root, "f", &f, 0, 1));
    ck_assert_double_eq(f, 0.1);
    must(gt_json_get_bool(root, "t", &t));
    ck_assert(t);
    ck_assert_int_eq(gt_json_type_of(gt_json_find(root, "n")), GT_JSON_NULL);
    must(gt_json_get_array(root, "a", &a));
    ck_assert_int_eq(gt_json_count(a), 3);
    ck_assert_int_eq(gt_json_count(gt_json_at(a, 1)), 0);
    ck_assert_ptr_null(gt_json_at(a, 3));
    ck_assert_ptr_null(gt_json_at(a, -1));
    must(gt_json_get_object(root, "o", &o));
    must(gt_json_get_i64(o, "s", &i, 0, 9)); /* keys are case-sensitive */
    ck_assert_int_eq(i, 2);
    ck_assert_str_eq(gt_json_key(gt_json_at(o, 0)), "S");
    ck_assert_ptr_null(gt_json_find(a, "x"));
    gt_json_destroy(root);
}
END_TEST

static const char *const malformed[] = {
    "",
    " ",
    "{",
    "}",
    "[",
    "]",
    "{]",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{a:1}",
    "{'a':1}",
    "{\"a\":1 \"b\":2}",
    "{1:2}",
    "\"abc",
    "\"a\\",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\ud800\"",
    "\"\\udc00x\"",
    "\"a\nb\"",
    "\"a\tb\"",
    "\"\\u0000\"",
    "\"\xff\"",
    "\"\xc0\x80\"",
    "\"\xed\xa0\x80\"",
    "\"\xf4\x90\x80\x80\"",
    "01",
    "-",
    "+1",
    "1.",
    ".5",
    "1e",
    "1e+",
    "--1",
    "0x10",
    "1_000",
    "NaN",
    "Infinity",
    "-inf",
    "nul",
    "True",
    "truefalse",
    "1 2",
    "{} x",
    "[] []",
    "1e999",
    "-1e999",
    "{\"a\":1,\"a\":2}",
    "{\"b\":{\"c\":1,\"d\":2,\"c\":3}}",
    "// comment\n1",
    "/* */ 1",
    "\"\\u00e,\"",
    "\"\\u12\"",
    "\x01",
    "[1]\x02",
    "1111111111111111111111111111111111111111111111111111111111111111111111111111",
};

START_TEST(test_json_malformed)
{
    gt_json *root = NULL;
    const char *text = malformed[_i];
    gt_status status = gt_json_parse(&root, text, strlen(text), "test.json", 0);
    ck_assert_msg(status == GT_ERROR_FORMAT, "accepted %s", text);
    ck_assert_ptr_null(root);
    ck_assert_msg(strncmp(gt_error_message(), "test.json:", 10) == 0, "message: %s", gt_error_message());
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_json_places)
{
    gt_json *root = NULL;
    const char *text = "{\n  \"a\": 1,\n  \"b\": 01\n}";
    ck_assert_int_eq(gt_json_parse(&root, text, strlen(text), "f.json", 0), GT_ERROR_FORMAT);
    ck_assert_str_eq(gt_error_message(), "f.json:3:8: malformed number");
    ck_assert_int_eq(gt_json_parse(&root, "{} x", 4, "f.jsonl", 17), GT_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "f.jsonl:17:4: "));
    /* A NUL inside the given length is no end. */
    ck_assert_int_eq(gt_json_parse(&root, "1\0002", 3, "f.json", 0), GT_ERROR_FORMAT);
}
END_TEST

START_TEST(test_json_depth)
{
    char text[300];
    gt_json *root = NULL;
    memset(text, '[', GT_JSON_MAX_DEPTH);
    memset(text + GT_JSON_MAX_DEPTH, ']', GT_JSON_MAX_DEPTH);
    must(gt_json_parse(&root, text, 2 * GT_JSON_MAX_DEPTH, NULL, 0));
    gt_json_destroy(root);
    memset(text, '[', GT_JSON_MAX_DEPTH + 1);
    ck_assert_int_eq(gt_json_parse(&root, text, GT_JSON_MAX_DEPTH + 1, NULL, 0), GT_ERROR_LIMIT);
    char *deep = malloc(1000000);
    memset(deep, '[', 1000000);
    ck_assert_int_eq(gt_json_parse(&root, deep, 1000000, NULL, 0), GT_ERROR_LIMIT);
    free(deep);
}
END_TEST

/* A large object with equal-length keys must not take quadratic time to check for duplicates. */
START_TEST(test_json_large)
{
    gt_text text = {0};
    gt_json *root = NULL;
    must(gt_text_append(&text, "{"));
    for (int i = 0; i < 100000; i++) {
        must(gt_text_append(&text, "%s\"key%06d\":%d", i > 0 ? "," : "", i, i));
    }
    must(gt_text_append(&text, "}"));
    must(gt_json_parse(&root, text.data, text.length, NULL, 0));
    ck_assert_int_eq(gt_json_count(root), 100000);
    gt_json_destroy(root);
    gt_text_destroy(&text);
}
END_TEST

static void expect(gt_status status, const char *message)
{
    ck_assert_int_eq(status, GT_ERROR_FORMAT);
    ck_assert_str_eq(gt_error_message(), message);
}

START_TEST(test_json_messages)
{
    static const char *const names[] = {"on", "off"};
    gt_json *root = parse(
        "{\"ops\":[{\"ns\":1.5},{\"ns\":\"x\"}],\"big\":9007199254740994,\"huge\":1e300,\"m\":\"ON\"}");
    const gt_json *ops = gt_json_find(root, "ops");
    int64_t i = 7;
    int choice = 7;
    double f = 7;
    const char *text = NULL;
    expect(gt_json_get_i64(gt_json_at(ops, 0), "ns", &i, 0, 10),
           "test.json: ops[0].ns is 1.5: must be a whole number from 0 to 10");
    expect(gt_json_get_f64(gt_json_at(ops, 1), "ns", &f, 0, 10),
           "test.json: ops[1].ns is \"x\": must be a number from 0 to 10");
    expect(gt_json_get_f64(gt_json_at(ops, 1), "us", &f, 0, 10),
           "test.json: ops[1] is an object: the key \"us\" is missing");
    expect(gt_json_get_i64(root, "big", &i, 0, INT64_MAX),
           "test.json: big is 9007199254740994: must be a whole number from 0 to 9007199254740992");
    ck_assert_int_eq(gt_json_get_i64(root, "huge", &i, INT64_MIN, INT64_MAX), GT_ERROR_FORMAT);
    expect(gt_json_get_enum(root, "m", &choice, names, 2),
           "test.json: m is \"ON\": must be one of \"on\", \"off\"");
    expect(gt_json_get_string(root, "ops", &text), "test.json: ops is an array: must be a string");
    expect(gt_json_get_string(ops, "x", &text),
           "test.json: ops is an array: must be an object with the key \"x\"");
    expect(gt_json_only_keys(gt_json_at(ops, 0), names, 2),
           "test.json: ops[0].ns is 1.5: no such key is known here");
    ck_assert_int_eq(i, 7);
    ck_assert_int_eq(choice, 7);
    ck_assert_double_eq(f, 7);
    gt_json_destroy(root);
}
END_TEST

START_TEST(test_json_numbers)
{
    static const double fixed[] = {0,
                                   -0.0,
                                   1,
                                   -1,
                                   0.1,
                                   1e-320,
                                   5e-324,
                                   1.7976931348623157e308,
                                   9007199254740992.0,
                                   9007199254740993e3,
                                   1.0 / 3,
                                   2.5e-7,
                                   123456.789};
    for (int i = 0; i < 20000; i++) {
        gt_text text = {0};
        gt_json *root = NULL;
        uint64_t bits = gt_rng_u64(&rng);
        double value, back = 0;
        memcpy(&value, &bits, sizeof value);
        value = i < (int)COUNT(fixed) ? fixed[i] : value;
        if (!isfinite(value)) {
            continue;
        }
        must(gt_json_number(&text, value));
        must(gt_json_parse(&root, text.data, text.length, NULL, 0));
        must(gt_json_as_f64(root, &back, -INFINITY, INFINITY));
        ck_assert_msg(back == value, "%.17g became %s", value, text.data);
        gt_json_destroy(root);
        gt_text_destroy(&text);
    }
    gt_text text = {0};
    ck_assert_int_eq(gt_json_number(&text, NAN), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_json_number(&text, INFINITY), GT_ERROR_ARGUMENT);
}
END_TEST

static void write_sample(gt_json_writer *w)
{
    gt_json_begin_object(w, NULL);
    gt_json_put_string(w, "s", "a\"b\\\n\x01é");
    gt_json_put_f64(w, "f", 0.1);
    gt_json_begin_array(w, "empty");
    gt_json_end(w);
    gt_json_begin_array(w, "rows");
    gt_json_begin_inline_object(w, NULL);
    gt_json_put_i64(w, "i", -5);
    gt_json_begin_array(w, "l");
    gt_json_put_bool(w, NULL, true);
    gt_json_put_null(w, NULL);
    gt_json_end(w);
    gt_json_end(w);
    gt_json_put_string(w, NULL, NULL);
    gt_json_end(w);
    gt_json_end(w);
}

START_TEST(test_json_writer)
{
    gt_json_writer w;
    gt_text text = {0};
    gt_json *root = NULL;
    gt_json_writer_init(&w, false);
    write_sample(&w);
    must(gt_json_writer_finish(&w, &text));
    ck_assert_str_eq(
        text.data,
        "{\"s\":\"a\\\"b\\\\\\n\\u0001é\",\"f\":0.1,\"empty\":[],\"rows\":[{\"i\":-5,\"l\":[true,null]},"
        "null]}");
    must(gt_json_parse(&root, text.data, text.length, NULL, 0));
    gt_json_destroy(root);
    gt_text_destroy(&text);
    gt_json_writer_init(&w, true);
    write_sample(&w);
    must(gt_json_writer_finish(&w, &text));
    ck_assert_str_eq(
        text.data, "{\n  \"s\": \"a\\\"b\\\\\\n\\u0001é\",\n  \"f\": 0.1,\n  \"empty\": [],\n  \"rows\": [\n"
                   "    {\"i\": -5, \"l\": [true, null]},\n    null\n  ]\n}\n");
    gt_text_destroy(&text);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_json_writer_errors)
{
    gt_text text = {0};
    gt_json_writer w = {0};
    gt_json_begin_object(&w, NULL);
    ck_assert_int_eq(gt_json_writer_finish(&w, &text), GT_ERROR_INTERNAL);
    gt_json_begin_object(&w, NULL);
    gt_json_put_i64(&w, NULL, 1);
    gt_json_end(&w);
    ck_assert_int_eq(gt_json_writer_finish(&w, &text), GT_ERROR_INTERNAL);
    gt_json_begin_array(&w, NULL);
    gt_json_put_f64(&w, NULL, NAN);
    gt_json_end(&w);
    ck_assert_int_eq(gt_json_writer_finish(&w, &text), GT_ERROR_ARGUMENT);
    gt_json_put_i64(&w, NULL, INT64_MAX);
    ck_assert_int_eq(gt_json_writer_finish(&w, &text), GT_ERROR_LIMIT);
    gt_json_put_string(&w, NULL, "\xff");
    ck_assert_int_eq(gt_json_writer_finish(&w, &text), GT_ERROR_FORMAT);
    gt_json_end(&w);
    ck_assert_int_eq(gt_json_writer_finish(&w, &text), GT_ERROR_INTERNAL);
    for (int i = 0; i <= GT_JSON_MAX_DEPTH; i++) {
        gt_json_begin_array(&w, NULL);
    }
    ck_assert_int_eq(gt_json_writer_finish(&w, &text), GT_ERROR_LIMIT);
    ck_assert_ptr_null(text.data);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Bytes flipped in a valid document: accepted or refused, but never a crash or a leak. */
START_TEST(test_json_mutations)
{
    const char good[] = "{\"v\":1,\"a\":[1.5e3,\"x\\u00e9\",{\"k\":null}],\"b\":{\"c\":true,\"d\":-0.25}}";
    for (int i = 0; i < 20000; i++) {
        char text[sizeof good];
        gt_json *root = NULL;
        memcpy(text, good, sizeof good);
        for (int64_t n = 1 + gt_rng_below(&rng, 3); n > 0; n--) {
            text[gt_rng_below(&rng, sizeof good - 1)] = (char)gt_rng_below(&rng, 256);
        }
        gt_status status = gt_json_parse(&root, text, (size_t)gt_rng_below(&rng, sizeof good), NULL, 0);
        ck_assert(status == GT_OK || status == GT_ERROR_FORMAT);
        gt_json_destroy(status == GT_OK ? root : NULL);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* ---- the reader without cJSON ---- */

static void same_nodes(const gt_json *a, const gt_json *b)
{
    ck_assert_int_eq(gt_json_type_of(a), gt_json_type_of(b));
    ck_assert(a->truth == b->truth);
    ck_assert(a->type != GT_JSON_NUMBER || memcmp(&a->number, &b->number, sizeof a->number) == 0);
    ck_assert(a->type != GT_JSON_STRING || strcmp(a->text, b->text) == 0);
    ck_assert((a->key == NULL) == (b->key == NULL) && (a->key == NULL || strcmp(a->key, b->key) == 0));
    ck_assert_int_eq(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++) {
        ck_assert_ptr_eq(a->children[i].parent, a);
        ck_assert_ptr_eq(b->children[i].parent, b);
        same_nodes(gt_json_at(a, i), gt_json_at(b, i));
    }
}

/* Whether both take a text; they must agree, and give the same tree. */
static bool both_take(const char *text, size_t bytes)
{
    gt_json *a = NULL;
    gt_json *b = NULL;
    gt_status with = gt_i_json_parse_by(gt_i_json_build, &a, text, bytes, NULL, 0);
    gt_status without = gt_i_json_parse_by(gt_i_json_read_tree, &b, text, bytes, NULL, 0);
    ck_assert_msg(with == without, "%d with cJSON, %d without: %.*s", with, without, (int)bytes, text);
    if (with == GT_OK) {
        same_nodes(a, b);
        gt_json_destroy(a);
        gt_json_destroy(b);
    }
    return with == GT_OK;
}

START_TEST(test_json_without_cjson)
{
    static const char *const good[] = {
        " [] ", "{}", "null", "true", "false", "0", "-0", "1e5", "-12.5E-3", "\xef\xbb\xbf[1]", "\"\"",
        "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00\"]", "{\"\\u0061\":{\"b\":[[],{},[1,[2,[3]]]]}, \"c\" : [ true , null ]}",
        "123456789012345678901234567890", "4.9e-324", "0.1", "1.7976931348623157e308",
    };
    static const char *const bad[] = {
        "[1-2]", "[1,]", "{,}", "{\"a\":1,}", "{\"a\" 1}", "{1:2}", "nul", "nullx", "\"\\q\"", "\"\\ud800\"", "\"\\udc00\"",
        "\"\\ud800\\u0041\"", "\"\\u12\"", "\"\\", "1 2", "1e999", "{\"a\":1,\"a\":2}", "[\xef\xbb\xbf]", "'a'", "+1", ".5",
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        ck_assert_msg(both_take(good[i], strlen(good[i])), "refused %s: %s", good[i], gt_error_message());
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_msg(!both_take(bad[i], strlen(bad[i])), "accepted %s", bad[i]);
    }
    for (size_t i = 0; i < COUNT(malformed); i++) {
        ck_assert_msg(!both_take(malformed[i], strlen(malformed[i])), "accepted %s", malformed[i]);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Characters that mean something are put where they do not belong. */
START_TEST(test_json_without_cjson_mutated)
{
    const char good[] = "{\"v\":1,\"a\":[1.5e3,\"x\\u00e9\\ud83d\\ude00\",{\"k\":null}],\"b\":{\"c\":true,\"d\":-0.25},\"e\":[[],{}]}";
    static const char marks[] = "{}[]:,\"\\/ \n0123456789-+.eEuabcdftnrls";
    int taken = 0;
    for (int i = 0; i < 50000; i++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (int64_t n = gt_rng_below(&rng, 3); n >= 0; n--) {
            text[gt_rng_below(&rng, sizeof good - 1)] = marks[gt_rng_below(&rng, sizeof marks - 1)];
        }
        taken += both_take(text, i % 4 == 0 ? (size_t)gt_rng_below(&rng, sizeof good) : sizeof good - 1);
    }
    ck_assert_int_gt(taken, 1000);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* Document, path, a block, the stack, keys; with cJSON document, path, copy of the text, a block for cJSON, nodes, keys. */
#define ALLOCATIONS_WITHOUT_CJSON 5
#if defined(GT_WITHOUT_CJSON)
#define ALLOCATIONS ALLOCATIONS_WITHOUT_CJSON
#else
#define ALLOCATIONS 6
#endif

START_TEST(test_json_without_cjson_allocation_failures)
{
    const char text[] = "{\"a\":[1,\"two\",{\"b\":null}],\"c\":\"d\"}";
    gt_status status = GT_ERROR_MEMORY;
    for (int64_t k = 0; status != GT_OK; k++) {
        gt_json *root = NULL;
        gt_i_fail_allocation(k);
        status = gt_i_json_parse_by(gt_i_json_read_tree, &root, text, sizeof text - 1, NULL, 0);
        gt_i_fail_allocation(-1);
        gt_json_destroy(status == GT_OK ? root : NULL);
        ck_assert_int_eq(gt_i_live_allocations(), 0);
        ck_assert(status == GT_ERROR_MEMORY || (status == GT_OK && k == ALLOCATIONS_WITHOUT_CJSON));
    }
}
END_TEST

START_TEST(test_json_allocation_failures)
{
    const char text[] = "{\"a\":[1,\"two\",{\"b\":null}],\"c\":\"d\"}";
    for (int64_t k = 0;; k++) {
        gt_json *root = NULL;
        gt_i_fail_allocation(k);
        gt_status status = gt_json_parse(&root, text, sizeof text - 1, NULL, 0);
        gt_i_fail_allocation(-1);
        gt_json_destroy(status == GT_OK ? root : NULL);
        ck_assert_int_eq(gt_i_live_allocations(), 0);
        if (status == GT_OK) {
            ck_assert_int_eq(k, ALLOCATIONS);
            return;
        }
        ck_assert_int_eq(status, GT_ERROR_MEMORY);
    }
}
END_TEST

int main(void)
{
    gt_rng_seed(&rng, gt_test_seed(1));
    Suite *suite = suite_create("json");
    TCase *tests = tcase_create("json");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, test_json_values);
    tcase_add_loop_test(tests, test_json_malformed, 0, (int)COUNT(malformed));
    tcase_add_test(tests, test_json_places);
    tcase_add_test(tests, test_json_depth);
    tcase_add_test(tests, test_json_large);
    tcase_add_test(tests, test_json_messages);
    tcase_add_test(tests, test_json_numbers);
    tcase_add_test(tests, test_json_writer);
    tcase_add_test(tests, test_json_writer_errors);
    tcase_add_test(tests, test_json_mutations);
    tcase_add_test(tests, test_json_allocation_failures);
    tcase_add_test(tests, test_json_without_cjson);
    tcase_add_test(tests, test_json_without_cjson_mutated);
    tcase_add_test(tests, test_json_without_cjson_allocation_failures);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
