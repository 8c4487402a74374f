/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the CFN reader share: the file's functions as they stand there, before the network is built. */
#ifndef GT_IMPORT_CFN_READ_H
#define GT_IMPORT_CFN_READ_H

#include "src/import/cfn_cost.h"
#include "src/import/cfn_file.h"
#include "src/import/cfn_scan.h"
#include "src/import/name_map.h"

/* The cost of a tuple, which is numbered row-major over the function's scope. */
typedef struct gt_i_cfn_entry {
    int64_t tuple, cost;
} gt_i_cfn_entry;

/* Costs are in units, negated where the file maximises; INT64_MAX is above all that can be. */
typedef struct gt_i_cfn_function {
    gt_i_cfn_token label; /* its name; of length 0 where it has none */
    int64_t number;       /* its position in the file */
    size_t at;            /* where it begins */
    int32_t arity, *scope;
    int64_t cells;        /* tuples of the scope's domains; INT64_MAX: more than that */
    bool sparse;          /* `entries`, ascending, and `fallback` for all other tuples; else `costs`, one per tuple */
    int64_t fallback, n;
    size_t capacity;
    int64_t *costs;
    gt_i_cfn_entry *entries;
    int64_t least;
    int64_t same_as;      /* the number of the function whose costs this one has, or -1 */
    gt_i_cfn_token other; /* that function's name, until it is known */
} gt_i_cfn_function;

typedef struct gt_i_cfn_reader {
    gt_i_cfn_scanner scan;
    gt_cfn_file *file; /* being filled */
    gt_i_name_map variables;
    gt_i_cfn_function *functions;
    size_t n_functions, functions_capacity;
} gt_i_cfn_reader;

/* 'function "f3"' or 'function 7' for messages, into `buffer`. */
const char *gt_i_cfn_label(char *buffer, size_t bytes, const gt_i_cfn_function *function);
#define GT_I_CFN_LABEL_BYTES 112

/* Reads the functions; the next token is the bracket that opens their list. */
gt_status gt_i_cfn_read_functions(gt_i_cfn_reader *reader) GT_NODISCARD;

/* Reads one tuple of a function's list, without its cost: *tuple is its number. hint[k] is the last value of the scope's
 * k-th variable, near which the search for a name begins. `token` is the first word, and the cost's in the end. */
gt_status gt_i_cfn_read_tuple(gt_i_cfn_reader *reader, const gt_i_cfn_function *function, int64_t *tuple, int32_t *hint,
                              gt_i_cfn_token *token) GT_NODISCARD;

/* The variable that a word of a scope means: its name or its index. */
gt_status gt_i_cfn_find_variable(gt_i_cfn_reader *reader, int32_t *variable, const gt_i_cfn_function *function,
                                 const gt_i_cfn_token *token) GT_NODISCARD;

/* Adds the functions to the network, which has all variables. Frees each function's costs. */
gt_status gt_i_cfn_build(gt_i_cfn_reader *reader) GT_NODISCARD;

void gt_i_cfn_function_clear(gt_i_cfn_function *function);

#endif
