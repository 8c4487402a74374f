/* SPDX-License-Identifier: Apache-2.0 */
/* Cost function networks as files: every feature of the format, what is refused and how, random files against an oracle
 * that enumerates assignments of the file itself, and writing. */
#include "src/import/cfn_cost.h"
#include "src/import/cfn_file.h"
#include "tests/runner.h"
#include "tests/solve_networks.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char folder[128];
static char path[160];
static gt_rng rng;
static unsigned long long seed = 1;

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* Thousands of files are written: a new one each time, as some file systems wait for the disk where one is cut short. */
static void write_text(const char *text, size_t bytes)
{
    unlink(path);
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fwrite(text, 1, bytes, stream), bytes);
    ck_assert_int_eq(fclose(stream), 0);
}

static gt_status read_text(gt_cfn_file **file, const char *text, size_t bytes)
{
    write_text(text, bytes);
    return gt_cfn_file_read(file, path);
}

/* The optimum as "cost: value value …", or "infeasible". */
static void describe_optimum(char *out, size_t bytes, const gt_cfn_file *file)
{
    gt_cfn_result result = {0};
    char cost[32];
    gt_status status = gt_cfn_solve(file->cfn, &result, NULL);
    if (status == GT_ERROR_UNSUPPORTED || result.cost + file->constant >= file->upper_bound) {
        snprintf(out, bytes, "infeasible");
        gt_cfn_result_destroy(&result);
        return;
    }
    must(status);
    ck_assert(result.optimal);
    size_t used = (size_t)snprintf(out, bytes, "%s:", gt_cfn_format_cost(cost, sizeof cost, gt_cfn_file_cost(file, result.cost), file->decimals));
    for (int32_t v = 0; v < file->n_variables; v++) {
        const char *name = gt_cfn_file_value_name(file, v, result.assignment[v]);
        used += name != NULL ? (size_t)snprintf(out + used, bytes - used, " %s", name)
                             : (size_t)snprintf(out + used, bytes - used, " %d", (int)result.assignment[v]);
    }
    gt_cfn_result_destroy(&result);
}

/* ---- features ---- */

#define HEAD(bound, variables) "{\"problem\": {\"name\": \"t\", \"mustbe\": \"" bound "\"}, \"variables\": " variables ", \"functions\": "

static const struct {
    const char *what, *text, *optimum;
} features[] = {
    {"named and numbered values", HEAD("<10.00", "{\"x\": [\"a\", \"b\"], \"y\": 3}")
     "{\"f\": {\"scope\": [\"x\", \"y\"], \"costs\": [4, 3.67, 2.1, 7.1, 1.25, 9]}}}", "1.25: b 1"},
    {"the last variable changes fastest", HEAD("<100", "{\"x\": 2, \"y\": 3}")
     "{\"f\": {\"scope\": [\"y\", \"x\"], \"costs\": [9, 9, 9, 9, 9, 2]}}}", "2: 1 2"},
    {"scopes of indices", HEAD("<100", "{\"x\": 2, \"y\": 2}") "{\"f\": {\"scope\": [1, 0], \"costs\": [5, 5, 1, 5]}}}", "1: 0 1"},
    {"several functions on one pair, either way round", HEAD("<100", "{\"x\": 2, \"y\": 2}")
     "{\"f\": {\"scope\": [\"x\", \"y\"], \"costs\": [0, 3, 9, 9]}, \"g\": {\"scope\": [\"y\", \"x\"], \"costs\": [9, 9, 2, 9]}}}", "5: 0 1"},
    {"tuples by name and index", HEAD("<10.000", "{\"x\": [\"a\", \"b\", \"c\"], \"y\": 2}")
     "{\"f\": {\"scope\": [\"x\", \"y\"], \"defaultcost\": 0.234, \"costs\": [\"a\", 0, 5, 0, 1, 6.2, \"c\", 0, -7.21]}}}", "-7.210: c 0"},
    {"tuples in any order", HEAD("<10", "{\"x\": 2, \"y\": 2}")
     "{\"f\": {\"scope\": [\"x\", \"y\"], \"defaultcost\": 9, \"costs\": [1, 1, 4, 0, 1, 3, 1, 0, 5]}}}", "3: 0 1"},
    {"a default cost and no tuple", HEAD("<10", "{\"x\": 2}") "{\"f\": {\"scope\": [\"x\"], \"defaultcost\": 3, \"costs\": []}}}", "3: 0"},
    {"a default cost that no tuple has", HEAD("<10", "{\"x\": 2}")
     "{\"f\": {\"scope\": [\"x\"], \"defaultcost\": -3, \"costs\": [0, 1, 1, 2]}}}", "1: 0"},
    {"fields in another order", "{\"functions\": {\"f\": {\"costs\": [1, 5], \"defaultcost\": 7, \"scope\": [\"x\"]}}, \"variables\": {\"x\": 2}, "
     "\"problem\": {\"mustbe\": \"<10\", \"name\": \"t\"}}", "5: 1"},
    {"shared costs", HEAD("<10", "{\"x\": 2, \"y\": [\"a\", \"b\"], \"z\": 2}")
     "{\"f\": {\"scope\": [\"x\", \"y\"], \"costs\": \"h\"}, \"g\": {\"scope\": [\"x\"], \"costs\": [1, 0]},"
     "\"h\": {\"scope\": [\"y\", \"z\"], \"defaultcost\": 3, \"costs\": [\"b\", 0, 1, \"a\", 0, 4]}}}", "4: 1 b 0"},
    {"costs shared with a function that shares them", HEAD("<10", "{\"x\": 2, \"y\": 2, \"z\": 2}")
     "{\"f\": {\"scope\": [\"x\"], \"costs\": \"g\"}, \"g\": {\"scope\": [\"y\"], \"costs\": \"h\"}, \"h\": {\"scope\": [\"z\"], \"costs\": [2, -1]}}}", "-3: 1 1 1"},
    {"costs shared with the next function of a name", HEAD("<10", "{\"x\": 2, \"y\": 2}")
     "{\"h\": {\"scope\": [\"y\"], \"costs\": [5, 7]}, \"f\": {\"scope\": [\"x\"], \"costs\": \"h\"}, \"h\": {\"scope\": [\"y\"], \"costs\": [2, 1]},"
     "\"h\": {\"scope\": [\"y\"], \"costs\": [0, 0]}}}", "8: 1 0"},
    {"functions of no variables", HEAD("<10.0", "{\"x\": 2}")
     "{\"f\": {\"scope\": [], \"costs\": [-2.5]}, \"g\": {\"scope\": [\"x\"], \"costs\": [3, 1]}, \"h\": {\"scope\": [], \"defaultcost\": 1, \"costs\": []}}}", "-0.5: 1"},
    {"three variables", HEAD("<10", "{\"x\": 2, \"y\": 2, \"z\": 2}")
     "{\"f\": {\"scope\": [\"x\", \"y\", \"z\"], \"costs\": [10, 10, 10, 4, 10, 3, 10, 10]}, \"g\": {\"scope\": [\"y\"], \"costs\": [2, 0]}}}", "4: 0 1 1"},
    {"three variables, a list with forbidden rest", HEAD("<10", "{\"x\": 200, \"y\": 200, \"z\": 200}")
     "{\"f\": {\"scope\": [\"x\", \"y\", \"z\"], \"defaultcost\": 10, \"costs\": [7, 8, 9, 3, 199, 0, 1, -2]}}}", "-2: 199 0 1"},
    {"three variables, a list with allowed rest", HEAD("<10", "{\"x\": 2, \"y\": 2, \"z\": 2}")
     "{\"f\": {\"scope\": [\"x\", \"y\", \"z\"], \"defaultcost\": 4, \"costs\": [1, 1, 0, 10, 0, 0, 0, 10, 1, 1, 1, 3]}, \"g\": {\"scope\": [\"x\"], \"costs\": [0, 2]}}}", "4: 0 0 1"},
    {"three variables, all forbidden", HEAD("<10", "{\"x\": 2, \"y\": 2, \"z\": 2}")
     "{\"f\": {\"scope\": [\"x\", \"y\", \"z\"], \"defaultcost\": 10, \"costs\": []}}}", "infeasible"},
    {"four variables", HEAD("<9", "{\"x\": 2, \"y\": 3, \"z\": 2, \"u\": 2}")
     "{\"f\": {\"scope\": [\"u\", \"y\", \"x\", \"z\"], \"defaultcost\": 9, \"costs\": [1, 2, 0, 1, 5, 0, 1, 1, 0, 6]}}}", "5: 0 2 1 1"},
    {"the bound is on the sum", HEAD("<10", "{\"x\": 2, \"y\": 2}")
     "{\"f\": {\"scope\": [\"x\"], \"costs\": [12, 13]}, \"g\": {\"scope\": [\"y\"], \"costs\": [-5, 2]}}}", "7: 0 0"},
    {"a sum at the bound is none", HEAD("<10", "{\"x\": 2, \"y\": 2}")
     "{\"f\": {\"scope\": [\"x\"], \"costs\": [9, 9]}, \"g\": {\"scope\": [\"y\"], \"costs\": [1, 2]}}}", "infeasible"},
    {"a cost at the bound is forbidden", HEAD("<10", "{\"x\": 2}") "{\"f\": {\"scope\": [\"x\"], \"costs\": [10, 9]}}}", "9: 1"},
    {"costs beyond any number are forbidden", HEAD("<10", "{\"x\": 2}") "{\"f\": {\"scope\": [\"x\"], \"costs\": [1e300, 9]}}}", "9: 1"},
    {"a bound beyond any sum", HEAD("<1000000000000000000000000.0", "{\"x\": 2}") "{\"f\": {\"scope\": [\"x\"], \"costs\": [10, 9]}}}", "9.0: 1"},
    {"maximisation", HEAD(">-5.0", "{\"v1\": [\"a\", \"b\"], \"v2\": [\"c\", \"d\"]}")
     "{\"c0\": {\"scope\": [], \"costs\": [-6.0]}, \"c1\": {\"scope\": [\"v1\"], \"costs\": [1.0, 0.5]}, \"c2\": {\"scope\": [\"v2\"], \"costs\": [1.0, 0.5]},"
     "\"c12\": {\"scope\": [\"v1\", \"v2\"], \"costs\": [-1.0, 0.5, -2.0, 5.5]}}}", "0.5: b d"},
    {"maximisation with a bound that forbids", HEAD(">0", "{\"x\": 2, \"y\": 2}")
     "{\"f\": {\"scope\": [\"x\", \"y\"], \"costs\": [3, -1, 5, 0]}, \"g\": {\"scope\": [\"x\"], \"costs\": [0, -5]}}}", "3: 0 0"},
    {"maximisation without a solution", HEAD(">3", "{\"x\": 2}") "{\"f\": {\"scope\": [\"x\"], \"costs\": [3, -1]}}}", "infeasible"},
    {"more decimals than the bound has are cut off", HEAD("<100", "{\"x\": 2, \"y\": 2}")
     "{\"f\": {\"scope\": [\"x\"], \"costs\": [9.9, 9.99]}, \"g\": {\"scope\": [\"y\"], \"costs\": [-1.9, -0.9]}}}", "8: 0 0"},
    {"large whole costs are exact", HEAD("<500000000000000000", "{\"x\": 2}")
     "{\"f\": {\"scope\": [\"x\"], \"costs\": [90071992547409935, 90071992547409933]}}}", "90071992547409933: 1"},
    {"many decimals are exact", HEAD("<10.0000000000000000", "{\"x\": 2}")
     "{\"f\": {\"scope\": [\"x\"], \"costs\": [0.1000000000000002, 0.1000000000000001]}}}", "0.1000000000000001: 1"},
    {"exponents", HEAD("<100.0", "{\"x\": 3}") "{\"f\": {\"scope\": [\"x\"], \"costs\": [2e1, 35E-1, 0.9e+1]}}}", "3.5: 1"},
    {"numbers in quotes", HEAD("<100.0", "{\"x\": \"2\"}") "{\"f\": {\"scope\": [\"x\"], \"costs\": [\"2\", \"-.5\"]}}}", "-0.5: 1"},
    {"interval variables", HEAD("<100", "{\"x\": -3}") "{\"f\": {\"scope\": [\"x\"], \"costs\": [2, 1, 0]}}}", "0: 2"},
    {"variables without names", HEAD("<100", "[2, [\"a\", \"b\"]]") "[{\"scope\": [0, 1], \"costs\": [2, 1, 3, 4]}]}", "1: 0 b"},
    {"names of digits that are keys", HEAD("<100", "{\"0\": 2, \"1\": 2}") "{\"f\": {\"scope\": [\"0\", \"1\"], \"costs\": [2, 1, 3, 4]}}}", "1: 0 1"},
    {"no functions", HEAD("<100", "{\"x\": [\"only\"]}") "{}}", "0: only"},
    {"names in Unicode and with escapes", HEAD("<100", "{\"größe\": [\"klein\", \"\\u00fcber\"]}")
     "{\"f\": {\"scope\": [\"gr\\u00f6\\u00dfe\"], \"defaultcost\": 2, \"costs\": [\"\\u00fcber\", 1]}}}", "1: über"},
    /* toulbar2's freedoms, as its own examples use them */
    {"bare words, no commas, a comment", "# a comment\n{problem: {name: clique mustbe: <10 }\n#another\n variables: {v0: 2 v1: 2}\n functions: {\n"
     "f01: {scope: [v0 v1] defaultcost: 0 costs: [1 1 10]}\n f01: {scope: [v0] costs: [2 1]}}}", "1: 1 0"},
    {"brackets of either kind", "[problem: [name: t mustbe: <5] variables: {x {a b} y 2} functions: {{scope: {x y} costs: {0 4 4 -1}}}]", "-1: b 1"},
    {"no bracket at the end", "{problem: {name: t, mustbe: \"<5\"}, variables: {x: 2}, functions: {{scope: [x], costs: [3, 2]}}\n", "2: 1"},
    {"no colons", "{problem {name t mustbe <5} variables {x 2} functions {f {scope [x] costs [3 2]}}}", "2: 1"},
};

START_TEST(test_features)
{
    char optimum[256];
    for (size_t i = 0; i < COUNT(features); i++) {
        gt_cfn_file *file = NULL;
        if (read_text(&file, features[i].text, strlen(features[i].text)) != GT_OK) {
            ck_abort_msg("%s: %s", features[i].what, gt_error_message());
        }
        describe_optimum(optimum, sizeof optimum, file);
        if (strcmp(optimum, features[i].optimum) != 0) {
            ck_abort_msg("%s: %s instead of %s", features[i].what, optimum, features[i].optimum);
        }
        gt_cfn_file_destroy(file);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_counts)
{
    gt_cfn_file *file = NULL;
    const char *text = HEAD("<100.0", "{\"x\": 2, \"y\": 2, \"z\": 2}")
        "{\"f\": {\"scope\": [\"x\", \"y\", \"z\"], \"defaultcost\": 1.25, \"costs\": []}, \"g\": {\"scope\": [\"y\"], \"costs\": [1.0000, -0.51]}}}";
    must(read_text(&file, text, strlen(text)));
    ck_assert_str_eq(file->name, "t");
    ck_assert_int_eq(file->n_variables, 3);
    ck_assert_int_eq(gt_cfn_variable_count(file->cfn), 4);
    ck_assert_int_eq(file->n_functions, 2);
    ck_assert_int_eq(file->decimals, 1);
    ck_assert_int_eq(file->n_cut, 2);
    ck_assert_int_eq(file->constant, -5);
    ck_assert_int_eq(file->upper_bound, 1000);
    ck_assert_ptr_null(gt_cfn_file_value_name(file, 0, 1));
    gt_cfn_file_destroy(file);
}
END_TEST

/* ---- numbers ---- */

START_TEST(test_numbers)
{
    static const struct {
        const char *text;
        int decimals;
        int64_t units;
        bool cut;
    } good[] = {
        {"0", 0, 0, false}, {"-0", 2, 0, false}, {"+7", 1, 70, false}, {"1.25", 2, 125, false}, {"-1.25", 1, -12, true},
        {"1.20", 1, 12, false}, {".5", 1, 5, false}, {"5.", 1, 50, false}, {"1e3", 0, 1000, false}, {"1.5E+2", 0, 150, false},
        {"125e-2", 2, 125, false}, {"125e-2", 1, 12, true}, {"1e-400", 3, 0, true}, {"0e999999999999", 0, 0, false},
        {"1e999999999999", 0, INT64_MAX, false}, {"-1e40", 0, INT64_MIN, false}, {"000000000000000000000000000012", 1, 120, false},
        {"1152921504606846976", 0, (int64_t)1 << 60, false}, {"1152921504606846977", 0, INT64_MAX, false},
        {"0.123456789012345678901234567890", 17, 12345678901234567, true},
    };
    static const char *const bad[] = {"", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "12x", "--1", "0x10", "nan", "inf", "1 ", " 1"};
    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t units = 0;
        bool cut = false;
        ck_assert(gt_i_cfn_parse_cost(&units, &cut, good[i].text, strlen(good[i].text), good[i].decimals));
        if (units != good[i].units || cut != good[i].cut) {
            ck_abort_msg("%s with %d decimals: %lld, cut %d", good[i].text, good[i].decimals, (long long)units, cut);
        }
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t units = 0;
        bool cut = false;
        if (gt_i_cfn_parse_cost(&units, &cut, bad[i], strlen(bad[i]), 2)) {
            ck_abort_msg("\"%s\" is taken as %lld", bad[i], (long long)units);
        }
    }
    char text[32];
    ck_assert_str_eq(gt_cfn_format_cost(text, sizeof text, -1250, 2), "-12.50");
    ck_assert_str_eq(gt_cfn_format_cost(text, sizeof text, 7, 3), "0.007");
    ck_assert_str_eq(gt_cfn_format_cost(text, sizeof text, -7, 0), "-7");
    ck_assert_str_eq(gt_cfn_format_cost(text, sizeof text, INT64_MIN, 17), "-92.23372036854775808");
}
END_TEST

/* ---- what is refused ---- */

#define XY HEAD("<10.0", "{\"x\": [\"a\", \"b\"], \"y\": 3}")
#define BOUND(bound) HEAD(bound, "{\"x\": 2}") "{}}"
#define VARIABLES(variables) HEAD("<10.0", variables) "{}}"

static const struct {
    const char *text;
    gt_status status;
    const char *message; /* a part of it */
} refused[] = {
    {"", GT_ERROR_FORMAT, ":1:1: not a cost function network: it must begin with {"},
    {"cfn", GT_ERROR_FORMAT, "not a cost function network"},
    {"{}", GT_ERROR_FORMAT, "field \"problem\" is missing"},
    {"{\"problem\": {\"mustbe\": \"<1\"}, \"functions\": {}}", GT_ERROR_FORMAT, "field \"variables\" is missing"},
    {"{\"problem\": {\"mustbe\": \"<1\"}, \"variables\": {}}", GT_ERROR_FORMAT, "field \"functions\" is missing"},
    {"{\"nodes\": {}}", GT_ERROR_FORMAT, ":1:2: the network: the field \"nodes\" is not one of \"problem\", \"variables\", \"functions\""},
    {"{\"problem\": {}, \"problem\": {}}", GT_ERROR_FORMAT, "the field \"problem\" stands there twice"},
    {"{[1]}", GT_ERROR_FORMAT, "the name of a field is needed here"},
    {VARIABLES("{\"x\": 2}") " 7", GT_ERROR_FORMAT, "something stands behind the network"},
    {VARIABLES("{\"x\": 2}") "}", GT_ERROR_FORMAT, "'}' closes nothing"},
    {"{\"problem\": {\"mustbe\": \"<1\"]", GT_ERROR_FORMAT, "']' stands where '}' is needed"},
    {"{\"problem\": {\"mustbe\": \"<1", GT_ERROR_FORMAT, "the text ends inside the string that begins here"},
    {"{\"problem\": {\"mustbe\":", GT_ERROR_FORMAT, "the text ends where"},
    {"{\"problem\": {\"mustbe\": }, \"variables\": {}, \"functions\": {}}", GT_ERROR_FORMAT, "a value is missing here"},
    {"{\"problem\": \"\x01\"}", GT_ERROR_FORMAT, "a control character in a string"},
    {"{pro\x01}", GT_ERROR_FORMAT, "a control character outside a string"},
    {"{\"problem\": \"\xff\"}", GT_ERROR_FORMAT, "invalid UTF-8 in a string"},
    {"{\n\n  \"problem\": {\"mustbe\": \"<1\", \"size\": 3}, \"variables\": {}, \"functions\": {}}", GT_ERROR_FORMAT, ":3:31: \"problem\": the field \"size\" is not one of \"name\", \"mustbe\""},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", GT_ERROR_FORMAT, "the name of a field"},
    {"{\"problem\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", GT_ERROR_LIMIT, "nested deeper than 32 levels"},
    /* the problem */
    {"{\"problem\": 3, \"variables\": {}, \"functions\": {}}", GT_ERROR_FORMAT, "\"problem\" must be an object"},
    {"{\"problem\": {\"name\": \"t\"}, \"variables\": {}, \"functions\": {}}", GT_ERROR_FORMAT, "\"problem\": the field \"mustbe\" is missing"},
    {BOUND("10"), GT_ERROR_FORMAT, "\"mustbe\" is \"10\"; \"<\" (minimise) or \">\" (maximise) and a decimal number"},
    {BOUND("<ten"), GT_ERROR_FORMAT, "\"mustbe\" is \"<ten\""},
    {BOUND("<"), GT_ERROR_FORMAT, "\"mustbe\" is \"<\""},
    {BOUND(""), GT_ERROR_FORMAT, "\"mustbe\" is \"\""},
    {BOUND("<1e5"), GT_ERROR_FORMAT, "\"mustbe\" is \"<1e5\""},
    {BOUND("<1.000000000000000000"), GT_ERROR_LIMIT, "has 18 decimals, at most 17"},
    {BOUND("<-99999999999999999999999"), GT_ERROR_LIMIT, "no sum of costs can meet"},
    {BOUND(">99999999999999999999999"), GT_ERROR_LIMIT, "no sum of costs can meet"},
    {"{\"problem\": {\"mustbe\": [1]}, \"variables\": {}, \"functions\": {}}", GT_ERROR_FORMAT, "the bound on the cost"},
    {"{\"problem\": {\"name\": [], \"mustbe\": \"<1\"}, \"variables\": {}, \"functions\": {}}", GT_ERROR_FORMAT, "the problem's name"},
    {"{\"problem\": {\"name\": \"a\\nb\", \"mustbe\": \"<1\"}, \"variables\": {}, \"functions\": {}}", GT_ERROR_FORMAT, "a control character in this string"},
    {"{\"problem\": {\"name\": \"a\\qb\", \"mustbe\": \"<1\"}, \"variables\": {}, \"functions\": {}}", GT_ERROR_FORMAT, "a malformed escape in this string"},
    /* variables */
    {HEAD("<1", "7") "{}}", GT_ERROR_FORMAT, "\"variables\" must be an object or a list"},
    {VARIABLES("{\"x\": 0}"), GT_ERROR_FORMAT, "variable \"x\" has 0 values, allowed are 1 to 4096"},
    {VARIABLES("{\"x\": []}"), GT_ERROR_FORMAT, "variable \"x\" has 0 values"},
    {VARIABLES("{\"x\": 4097}"), GT_ERROR_LIMIT, "variable \"x\" has 4097 values, allowed are 1 to 4096"},
    {VARIABLES("{\"x\": 99999999999999999999}"), GT_ERROR_LIMIT, "allowed are 1 to 4096"},
    {VARIABLES("{\"x\": -99999999999999999999}"), GT_ERROR_FORMAT, "allowed are 1 to 4096"},
    {VARIABLES("{\"x\": 2.5}"), GT_ERROR_FORMAT, "variable \"x\" is \"2.5\": the number of its values or the list of their names"},
    {VARIABLES("{\"x\": \"two\"}"), GT_ERROR_FORMAT, "variable \"x\" is \"two\""},
    {VARIABLES("{\"x\"}"), GT_ERROR_FORMAT, "variable \"x\" is \"\""},
    {VARIABLES("{\"x\": 2, \"x\": 3}"), GT_ERROR_FORMAT, "there are two variables \"x\""},
    {VARIABLES("{\"x\": [\"a\", \"b\", \"a\"]}"), GT_ERROR_FORMAT, "variable \"x\" has the value \"a\" twice"},
    {VARIABLES("{\"x\": [\"a\", [\"b\"]]}"), GT_ERROR_FORMAT, "variable \"x\": the name of a value is needed here"},
    /* functions */
    {HEAD("<1", "{\"x\": 2}") "3}", GT_ERROR_FORMAT, "\"functions\" must be an object or a list"},
    {XY "{\"f\": 3}}", GT_ERROR_FORMAT, "function \"f\": its \"scope\" and \"costs\" are needed here, in brackets, not \"3\""},
    {XY "{\"f\": {\"costs\": [1]}}}", GT_ERROR_FORMAT, "function \"f\": the field \"scope\" is missing"},
    {XY "{\"f\": {\"scope\": [\"x\"]}}}", GT_ERROR_FORMAT, "function \"f\": the field \"costs\" is missing"},
    {XY "{\"f\": {\"scope\": [\"x\"], \"cost\": [1]}}}", GT_ERROR_FORMAT, "function \"f\": the field \"cost\" is not one of \"scope\", \"defaultcost\", \"costs\""},
    {XY "[{\"scope\": [], \"costs\": [1]}, {\"scope\": [\"x\"]}]}", GT_ERROR_FORMAT, "function 1: the field \"costs\" is missing"},
    {XY "{\"all\": {\"scope\": [\"x\", \"y\"], \"type\": \"salldiff\", \"params\": {\"metric\": \"var\", \"cost\": 1}}}}", GT_ERROR_UNSUPPORTED,
     "function \"all\" is of type \"salldiff\": only functions given by their \"costs\" are read"},
    {XY "{\"all\": {\"scope\": [\"x\", \"y\"], \"type:\" salldiff}}}", GT_ERROR_UNSUPPORTED, "is of type \"salldiff\""},
    {XY "{\"f\": {\"scope\": \"x\", \"costs\": [1, 2]}}}", GT_ERROR_FORMAT, "function \"f\": \"scope\" must be a list of variables, not \"x\""},
    {XY "{\"f\": {\"scope\": [[\"x\"]], \"costs\": [1, 2]}}}", GT_ERROR_FORMAT, "\"scope\" must be a list of variables"},
    {XY "{\"f\": {\"scope\": [\"z\"], \"costs\": [1, 2]}}}", GT_ERROR_FORMAT, "function \"f\": \"scope\" has \"z\", which is neither the name of a variable nor an index below 2"},
    {XY "{\"f\": {\"scope\": [2], \"costs\": [1, 2]}}}", GT_ERROR_FORMAT, "\"scope\" has \"2\", which is neither"},
    {XY "{\"f\": {\"scope\": [-1], \"costs\": [1, 2]}}}", GT_ERROR_FORMAT, "\"scope\" has \"-1\", which is neither"},
    {XY "{\"f\": {\"scope\": [99999999999999999999], \"costs\": [1, 2]}}}", GT_ERROR_FORMAT, "which is neither"},
    {XY "{\"f\": {\"scope\": [\"x\", 0], \"costs\": [1, 2, 3, 4]}}}", GT_ERROR_FORMAT, "\"scope\" must name each variable once, not \"0\""},
    {HEAD("<1", "{\"1\": 2, \"0\": 2}") "{\"f\": {\"scope\": [\"1\"], \"costs\": [0, 0]}}}", GT_ERROR_FORMAT,
     "\"scope\" has \"1\", which is the name of variable 0 and the index of another one"},
    {XY "{\"f\": {\"scope\": [\"y\", \"x\"], \"costs\": [1, 2, 3, 4, 5]}}}", GT_ERROR_FORMAT, "function \"f\": \"costs\" has 5 costs, its scope has 6 tuples of values"},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": [1, 2, 3]}}}", GT_ERROR_FORMAT, "\"costs\" has 3 costs, its scope has 2 tuples"},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": [1, \"b\"]}}}", GT_ERROR_FORMAT, "function \"f\": a cost is needed here, such as -1.25, not \"b\""},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": [1, [2]]}}}", GT_ERROR_FORMAT, "a cost is needed here"},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": [1, 2..5]}}}", GT_ERROR_FORMAT, "not \"2..5\""},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": [1, -1e30]}}}", GT_ERROR_FORMAT, "costs must be at least -2^60"},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": {\"a\": 1}}}}", GT_ERROR_FORMAT, "a cost is needed here, such as -1.25, not \"a\""},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": 3}}}", GT_ERROR_FORMAT, "\"costs\" must be a list or the name of a function further down, not \"3\""},
    {XY "{\"f\": {\"scope\": [\"x\"], \"defaultcost\": \"a\", \"costs\": []}}}", GT_ERROR_FORMAT, "a cost is needed here, such as -1.25, not \"a\""},
    {XY "{\"f\": {\"scope\": [\"x\"], \"defaultcost\": 0, \"costs\": [\"a\", 1, \"c\", 2]}}}", GT_ERROR_FORMAT,
     "function \"f\": \"costs\" has \"c\" for variable \"x\", which is neither the name of a value nor an index below 2"},
    {XY "{\"f\": {\"scope\": [\"y\"], \"defaultcost\": 0, \"costs\": [3, 1]}}}", GT_ERROR_FORMAT, "\"costs\" has \"3\" for variable \"y\", which is neither"},
    {HEAD("<1", "{\"x\": [\"1\", \"0\"]}") "{\"f\": {\"scope\": [\"x\"], \"defaultcost\": 0, \"costs\": [1, 1]}}}", GT_ERROR_FORMAT,
     "\"costs\" has \"1\" for variable \"x\", which is the name of one value and the index of another"},
    {XY "{\"f\": {\"scope\": [\"x\", \"y\"], \"defaultcost\": 0, \"costs\": [\"a\", 1]}}}", GT_ERROR_FORMAT,
     "function \"f\": \"costs\" is a list of tuples, each of 2 values and a cost; one is cut short here"},
    {XY "{\"f\": {\"scope\": [\"x\"], \"defaultcost\": 0, \"costs\": [[\"a\", 1]]}}}", GT_ERROR_FORMAT, "each of 1 value and a cost"},
    {XY "{\"f\": {\"scope\": [\"x\"], \"defaultcost\": 0, \"costs\": [\"a\", 1, 0, 2]}}}", GT_ERROR_FORMAT, "lists a tuple twice, number 0 of its scope's 2"},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": \"g\"}}}", GT_ERROR_FORMAT, "or the name of a function further down, not \"g\""},
    {XY "{\"f\": {\"scope\": [\"x\"], \"costs\": \"f\"}}}", GT_ERROR_FORMAT, "or the name of a function further down, not \"f\""},
    {XY "{\"g\": {\"scope\": [\"x\"], \"costs\": [1, 2]}, \"f\": {\"scope\": [\"x\"], \"costs\": \"g\"}}}", GT_ERROR_FORMAT, "further down, not \"g\""},
    {XY "{\"f\": {\"scope\": [\"x\"], \"defaultcost\": 1, \"costs\": \"g\"}, \"g\": {\"scope\": [\"x\"], \"costs\": [1, 2]}}}", GT_ERROR_FORMAT,
     "must be a list where there is a \"defaultcost\""},
    {XY "{\"f\": {\"scope\": [\"y\"], \"costs\": \"g\"}, \"g\": {\"scope\": [\"x\"], \"costs\": [1, 2]}}}", GT_ERROR_FORMAT,
     "function \"f\": the function whose \"costs\" it shares must be on variables with as many values"},
    {XY "{\"f\": {\"scope\": [\"x\", \"y\"], \"costs\": \"g\"}, \"g\": {\"scope\": [\"y\", \"x\"], \"costs\": [1, 2, 3, 4, 5, 6]}}}", GT_ERROR_FORMAT,
     "with as many values, one by one"},
    /* limits */
    {HEAD("<10", "{\"x\": 20, \"y\": 20, \"z\": 20}") "{\"f\": {\"scope\": [\"x\", \"y\", \"z\"], \"defaultcost\": 1, \"costs\": []}}}", GT_ERROR_LIMIT,
     "function \"f\" on 3 variables allows more than 4096 of its 8000 tuples"},
    {HEAD("<10", "{\"a\": 4096, \"b\": 4096, \"c\": 4096, \"d\": 4096, \"e\": 4096, \"g\": 4096}")
     "{\"f\": {\"scope\": [0, 1, 2, 3, 4, 5], \"defaultcost\": 10, \"costs\": []}}}", GT_ERROR_FORMAT, "more than 2^63 tuples"},
    {HEAD("<10", "{\"x\": 2}") "{\"f\": {\"scope\": [], \"costs\": [1e30]}}}", GT_ERROR_LIMIT, "its cost is beyond what is read"},
    {HEAD("<10", "{\"x\": 2}") "[{\"scope\": [], \"costs\": [1000000000000000000]}, {\"scope\": [], \"costs\": [1000000000000000000]}]}", GT_ERROR_LIMIT,
     "function 1: the least costs of the functions up to here sum to more than 2^60"},
    {HEAD("<1000000000000000000", "{\"x\": 2}") "{\"f\": {\"scope\": [\"x\"], \"costs\": [900000000000000000, 0]}}}", GT_ERROR_LIMIT, "function \"f\": cost network: 'x' entry 0"},
    /* compressed */
    {"\x1f\x8b\x08", GT_ERROR_UNSUPPORTED, "compressed with gzip, which is not read: unpack it first with `gunzip -k`"},
    {"\xfd" "7zXZ", GT_ERROR_UNSUPPORTED, "`unxz -k`"},
    {"BZh9", GT_ERROR_UNSUPPORTED, "`bunzip2 -k`"},
};

START_TEST(test_refused)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        gt_cfn_file *file = NULL;
        gt_status status = read_text(&file, refused[i].text, strlen(refused[i].text));
        ck_assert_msg(status == refused[i].status, "%s\ngives %s: %s", refused[i].text, gt_status_name(status), gt_error_message());
        ck_assert_msg(strstr(gt_error_message(), refused[i].message) != NULL, "%s\ngives \"%s\" without \"%s\"", refused[i].text,
                      gt_error_message(), refused[i].message);
        ck_assert_msg(strncmp(gt_error_message(), path, strlen(path)) == 0, "without the file's name: %s", gt_error_message());
        ck_assert_ptr_null(file);
    }
    gt_cfn_file *file = NULL;
    ck_assert_int_eq(gt_cfn_file_read(&file, "/no/such.cfn"), GT_ERROR_IO);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* ---- anything at all does not crash ---- */

static void read_any(const char *text, size_t bytes)
{
    gt_cfn_file *file = NULL;
    if (read_text(&file, text, bytes) == GT_OK) {
        gt_cfn_file_destroy(file);
    }
}

START_TEST(test_damaged)
{
    for (size_t i = 0; i < COUNT(features); i++) {
        char *text = NULL;
        size_t bytes = strlen(features[i].text);
        must(gt_strdup(&text, features[i].text));
        for (size_t end = 0; end < bytes; end += 3) {
            read_any(text, end);
        }
        for (int k = 0; k < 60; k++) {
            size_t at = (size_t)gt_rng_below(&rng, (int64_t)bytes);
            char old = text[at];
            text[at] = (char)gt_rng_below(&rng, 256);
            read_any(text, bytes);
            text[at] = "{}[]:,\"\\ \n0-."[gt_rng_below(&rng, 13)];
            read_any(text, bytes);
            text[at] = old;
        }
        gt_free(text);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_allocation_failures)
{
    for (size_t i = 0; i < COUNT(features); i++) {
        write_text(features[i].text, strlen(features[i].text));
        gt_status status = GT_ERROR_MEMORY;
        for (int64_t k = 0; status != GT_OK; k++) {
            gt_cfn_file *file = NULL;
            gt_i_fail_allocation(k);
            status = gt_cfn_file_read(&file, path);
            gt_i_fail_allocation(-1);
            ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "%s: %s", features[i].what, gt_error_message());
            gt_cfn_file_destroy(file);
            ck_assert_int_eq(gt_i_live_allocations(), 0);
        }
    }
}
END_TEST

/* ---- random files against the enumeration of all assignments ---- */

enum { MOST_VARIABLES = 5, MOST_FUNCTIONS = 7, MOST_CELLS = 256 };

struct model {
    bool maximise;
    int decimals, n_variables, n_functions;
    int64_t bound;
    int domain[MOST_VARIABLES];
    bool named[MOST_VARIABLES];
    struct {
        int arity, scope[4], cells;
        bool sparse;
        int64_t fallback, cost[MOST_CELLS]; /* in the file's units */
    } f[MOST_FUNCTIONS];
};

static int below(int n)
{
    return (int)gt_rng_below(&rng, n);
}

static void random_model(struct model *m)
{
    *m = (struct model){.maximise = below(3) == 0, .decimals = below(4), .n_variables = 2 + below(MOST_VARIABLES - 1),
                        .n_functions = 1 + below(MOST_FUNCTIONS)};
    m->bound = (m->maximise ? -1 : 1) * (below(60) - 15);
    for (int v = 0; v < m->n_variables; v++) {
        m->domain[v] = 1 + below(4);
        m->named[v] = below(2) == 0;
    }
    for (int i = 0; i < m->n_functions; i++) {
        int most = m->n_variables < 4 ? m->n_variables : 4;
        m->f[i].arity = below(most + 1);
        m->f[i].cells = 1;
        for (int k = 0, from = below(m->n_variables); k < m->f[i].arity; k++) {
            m->f[i].scope[k] = (from + k) % m->n_variables;
            m->f[i].cells *= m->domain[m->f[i].scope[k]];
        }
        m->f[i].sparse = below(2) == 0;
        m->f[i].fallback = below(2) == 0 ? m->bound + (m->maximise ? -1 : 1) * 20 : below(30) - 8;
        for (int c = 0; c < m->f[i].cells; c++) {
            m->f[i].cost[c] = m->f[i].sparse && below(2) == 0 ? m->f[i].fallback : below(30) - 8;
        }
    }
}

static int64_t model_cost(const struct model *m, const int *value)
{
    int64_t sum = 0;
    for (int i = 0; i < m->n_functions; i++) {
        int cell = 0;
        for (int k = 0; k < m->f[i].arity; k++) {
            cell = cell * m->domain[m->f[i].scope[k]] + value[m->f[i].scope[k]];
        }
        sum += m->f[i].cost[cell];
    }
    return sum;
}

/* Whether an assignment is within the bound, and the best cost then. */
static bool enumerate(const struct model *m, int64_t *best)
{
    int value[MOST_VARIABLES] = {0};
    bool found = false;
    for (int v = 0; v < m->n_variables;) {
        int64_t cost = model_cost(m, value);
        bool allowed = m->maximise ? cost > m->bound : cost < m->bound;
        if (allowed && (!found || (m->maximise ? cost > *best : cost < *best))) {
            *best = cost;
            found = true;
        }
        for (v = 0; v < m->n_variables && ++value[v] == m->domain[v]; v++) {
            value[v] = 0;
        }
    }
    return found;
}

static void put_word(gt_text *text, const char *word, int number)
{
    must(gt_text_append(text, below(2) == 0 ? "\"%s%d\"" : "%s%d", word, number));
}

static void put_cost(gt_text *text, const struct model *m, int64_t cost)
{
    char number[32];
    must(gt_text_append(text, "%s", gt_cfn_format_cost(number, sizeof number, cost, m->decimals)));
}

static void put_function(gt_text *text, const struct model *m, int i)
{
    must(gt_text_append(text, below(2) == 0 ? "{\"scope\": [" : "f%d: {scope: [", i));
    for (int k = 0; k < m->f[i].arity; k++) {
        put_word(text, below(2) == 0 ? "v" : "", m->f[i].scope[k]);
        must(gt_text_append(text, ", "));
    }
    must(gt_text_append(text, "], "));
    if (m->f[i].sparse) {
        must(gt_text_append(text, "\"defaultcost\": "));
        put_cost(text, m, m->f[i].fallback);
    }
    must(gt_text_append(text, ", \"costs\": ["));
    for (int c = 0; c < m->f[i].cells; c++) {
        if (m->f[i].sparse && m->f[i].cost[c] == m->f[i].fallback && below(4) > 0) {
            continue;
        }
        for (int k = 0, stride = m->f[i].cells; m->f[i].sparse && k < m->f[i].arity; k++) {
            int v = m->f[i].scope[k];
            stride /= m->domain[v];
            put_word(text, m->named[v] && below(2) == 0 ? "w" : "", c / stride % m->domain[v]);
            must(gt_text_append(text, " "));
        }
        put_cost(text, m, m->f[i].cost[c]);
        must(gt_text_append(text, below(2) == 0 ? ", " : " "));
    }
    must(gt_text_append(text, "]}\n"));
}

static void put_model(gt_text *text, const struct model *m)
{
    must(gt_text_append(text, "{problem: {name: random, mustbe: \"%s", m->maximise ? ">" : "<"));
    put_cost(text, m, m->bound);
    must(gt_text_append(text, "\"},\n\"variables\": {"));
    for (int v = 0; v < m->n_variables; v++) {
        put_word(text, "v", v);
        must(gt_text_append(text, m->named[v] ? ": [" : ": %d, ", m->domain[v]));
        for (int x = 0; m->named[v] && x < m->domain[v]; x++) {
            put_word(text, "w", x);
            must(gt_text_append(text, " "));
        }
        must(gt_text_append(text, m->named[v] ? "]\n" : "\n"));
    }
    must(gt_text_append(text, "}, functions: {\n"));
    for (int i = 0; i < m->n_functions; i++) {
        put_function(text, m, i);
    }
    must(gt_text_append(text, "}}\n"));
}

START_TEST(test_random_files)
{
    int feasible = 0, infeasible = 0;
    for (int round = 0; round < 3000; round++) {
        struct model m;
        gt_text text = {0};
        gt_cfn_file *file = NULL;
        char optimum[128], expected[64], cost[32];
        int64_t best = 0;
        random_model(&m);
        put_model(&text, &m);
        must(read_text(&file, text.data, text.length));
        ck_assert_int_eq(file->n_cut, 0);
        describe_optimum(optimum, sizeof optimum, file);
        bool found = enumerate(&m, &best);
        snprintf(expected, sizeof expected, "%s:", found ? gt_cfn_format_cost(cost, sizeof cost, best, m.decimals) : "infeasible");
        expected[strlen(expected) - (found ? 0 : 1)] = '\0';
        if (strncmp(optimum, expected, strlen(expected)) != 0) {
            ck_abort_msg("seed %llu, round %d: %s instead of %s for\n%s", seed, round, optimum, expected, text.data);
        }
        feasible += found;
        infeasible += !found;
        gt_cfn_file_destroy(file);
        gt_text_destroy(&text);
    }
    ck_assert_int_gt(feasible, 500);
    ck_assert_int_gt(infeasible, 200);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* ---- writing ---- */

static void assert_same_costs(const gt_cfn *a, const gt_cfn *b)
{
    int32_t n = gt_cfn_variable_count(a), *assignment = NULL;
    must(gt_calloc(&assignment, (size_t)n, sizeof *assignment));
    for (int k = 0; k < 200; k++) {
        for (int32_t v = 0; v < n; v++) {
            assignment[v] = (int32_t)gt_rng_below(&rng, gt_cfn_domain(a, v));
        }
        ck_assert_int_eq(gt_cfn_evaluate(a, assignment), gt_cfn_evaluate(b, assignment));
    }
    gt_free(assignment);
}

static void assert_same_optimum(const gt_cfn *a, const gt_cfn *b)
{
    gt_cfn_result x = {0}, y = {0};
    gt_status status = gt_cfn_solve(a, &x, NULL);
    ck_assert_int_eq(gt_cfn_solve(b, &y, NULL), status);
    if (status == GT_OK) {
        ck_assert(x.optimal && y.optimal);
        ck_assert_int_eq(x.cost, y.cost);
    }
    gt_cfn_result_destroy(&x);
    gt_cfn_result_destroy(&y);
}

START_TEST(test_write_and_read)
{
    for (int round = 0; round < 80; round++) {
        gt_test_costs costs = {.range = round % 3 == 0 ? 5 : 100000, .forbidden = round % 4 * 15, .structured = round % 5 * 20};
        gt_cfn *cfn = NULL;
        gt_cfn_file *file = NULL;
        must(gt_test_small_network(&cfn, &rng, (gt_test_shape)(round % GT_TEST_SHAPE_COUNT), costs, 1 << 12));
        must(gt_cfn_file_write(cfn, path, NULL));
        must(gt_cfn_file_read(&file, path));
        ck_assert_int_eq(file->constant, 0);
        ck_assert_int_eq(gt_cfn_variable_count(file->cfn), gt_cfn_variable_count(cfn));
        assert_same_costs(cfn, file->cfn);
        assert_same_optimum(cfn, file->cfn);
        gt_cfn_file_destroy(file);
        gt_cfn_destroy(cfn);
    }
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

static gt_status name_value(gt_text *text, const void *context, int32_t variable, int32_t value)
{
    static const char *const names[] = {"NCHW->NCHW8c a", "NCHW->NCHW8c/a", "8 wide"};
    ck_assert_str_eq(context, "context");
    return gt_text_append(text, "%s", variable == 0 ? names[value] : value == 0 ? "" : "b");
}

/* Names of other alphabets are adapted, and stay apart. */
START_TEST(test_written_names)
{
    static const char *const wanted[] = {"/a/conv:0", "_a_conv_0", "_a_conv_0_2", "/a/conv 0", "3x3", "", "größe"};
    static const char *const written[] = {"_a_conv_0", "_a_conv_0_2", "_a_conv_0_2_2", "_a_conv_0_3", "_3x3", "_", "gr____e"};
    static const int64_t costs[] = {17, GT_CFN_INFINITE, 35};
    gt_cfn *cfn = NULL;
    gt_cfn_file *file = NULL;
    int32_t index = 0;
    const gt_cfn_writing how = {.name = "net/1", .shift_bits = 3, .value_name = name_value, .context = "context"};
    must(gt_cfn_create(&cfn));
    for (size_t i = 0; i < COUNT(wanted); i++) {
        must(gt_cfn_add_variable(cfn, &index, wanted[i], i == 0 ? 3 : 2, i == 0 ? costs : NULL));
    }
    must(gt_cfn_file_write(cfn, path, &how));
    must(gt_cfn_file_read(&file, path));
    ck_assert_str_eq(file->name, "net_1");
    for (size_t i = 0; i < COUNT(wanted); i++) {
        ck_assert_str_eq(gt_cfn_variable_name(file->cfn, (int32_t)i), written[i]);
    }
    ck_assert_str_eq(gt_cfn_file_value_name(file, 0, 0), "NCHW->NCHW8c_a");
    ck_assert_str_eq(gt_cfn_file_value_name(file, 0, 1), "NCHW->NCHW8c_a_2");
    ck_assert_str_eq(gt_cfn_file_value_name(file, 0, 2), "_8_wide");
    ck_assert_str_eq(gt_cfn_file_value_name(file, 1, 0), "_");
    ck_assert_int_eq(gt_cfn_unary_cost(file->cfn, 0, 0), 17 >> 3);
    ck_assert(gt_cfn_unary_cost(file->cfn, 0, 1) == GT_CFN_INFINITE);
    ck_assert_int_eq(gt_cfn_unary_cost(file->cfn, 0, 2), 35 >> 3);
    gt_cfn_file_destroy(file);
    gt_cfn_destroy(cfn);
}
END_TEST

static gt_status number_value(gt_text *text, const void *context, int32_t variable, int32_t value)
{
    (void)context;
    return gt_text_append(text, "%d.%d", (int)variable, (int)value);
}

START_TEST(test_write_failures)
{
    gt_cfn *cfn = NULL;
    const gt_cfn_writing named = {.value_name = number_value};
    must(gt_test_small_network(&cfn, &rng, GT_TEST_CHAIN, (gt_test_costs){.range = 9}, 1 << 10));
    int64_t live = gt_i_live_allocations();
    gt_status status = GT_ERROR_MEMORY;
    for (int64_t k = 0; status != GT_OK; k++) {
        gt_i_fail_allocation(k);
        status = gt_cfn_file_write(cfn, path, &named);
        gt_i_fail_allocation(-1);
        ck_assert(status == GT_OK || status == GT_ERROR_MEMORY);
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
    ck_assert_int_eq(gt_cfn_file_write(cfn, "/no/such/folder.cfn", NULL), GT_ERROR_IO);
    gt_cfn_destroy(cfn);
}
END_TEST

int main(void)
{
    seed = gt_test_seed(1);
    gt_rng_seed(&rng, seed);
    gt_test_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/net.cfn", folder);
    Suite *suite = suite_create("cfn_file");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, test_features);
    tcase_add_test(tests, test_counts);
    tcase_add_test(tests, test_numbers);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_damaged);
    tcase_add_test(tests, test_allocation_failures);
    tcase_add_test(tests, test_random_files);
    tcase_add_test(tests, test_write_and_read);
    tcase_add_test(tests, test_written_names);
    tcase_add_test(tests, test_write_failures);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
