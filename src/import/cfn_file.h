/* SPDX-License-Identifier: Apache-2.0 */
/* Cost function networks as files, in toulbar2's CFN format (https://toulbar2.github.io/toulbar2/formats/cfnformat.html):
 * cost tables over any number of variables, with decimal, negative and shared costs, to be minimised or maximised.
 * Functions that are given by a formula ("type") are refused.
 *
 * The solver's costs are whole, not negative, and on at most two variables. So a file's costs are multiplied by
 * 10^decimals; maximisation minimises the negated costs; a function with negative costs is raised by its least one,
 * which goes into `constant`; and a function on three or more variables becomes a variable with one value per tuple
 * that is not forbidden, tied to the variables of its scope by binary functions that forbid whatever differs. */
#ifndef GT_IMPORT_CFN_FILE_H
#define GT_IMPORT_CFN_FILE_H

#include "src/base/text.h"
#include "src/solve/cfn.h"

#define GT_CFN_MAX_DECIMALS 17

typedef struct gt_cfn_file {
    gt_cfn *cfn;
    char *name;          /* of the problem */
    int32_t n_variables; /* of the file: the first ones of `cfn`. Those behind stand for functions on three and more */
    int64_t n_functions; /* of the file */
    int decimals;        /* of the bound in "mustbe": the precision of all costs */
    bool maximise;
    int64_t constant;    /* to add to the solver's cost */
    int64_t upper_bound; /* the solver's cost plus the constant must be below it */
    int64_t n_cut;       /* costs with more decimals, which were cut off as toulbar2 does */
    int64_t *first_name; /* [n_variables + 1]: where the value names of a variable begin; none for numbered values */
    char **value_names;
    size_t n_value_names, value_names_capacity;
} gt_cfn_file;

/* Reads a file; destroy with gt_cfn_file_destroy. A cost is forbidden where it makes the sum reach the upper bound
 * whatever the other functions say. Errors: GT_ERROR_IO, GT_ERROR_FORMAT with line and column, GT_ERROR_UNSUPPORTED
 * (compressed; a function without table), GT_ERROR_LIMIT (a domain or a function's allowed tuples above
 * GT_CFN_MAX_DOMAIN, costs too large), GT_ERROR_MEMORY. O(bytes), and 8 bytes a cost beside text and network. */
gt_status gt_cfn_file_read(gt_cfn_file **file, const char *path) GT_NODISCARD;
void gt_cfn_file_destroy(gt_cfn_file *file); /* NULL is allowed */

/* The name of a value, borrowed, or NULL where the file numbers the values. O(1). */
const char *gt_cfn_file_value_name(const gt_cfn_file *file, int32_t variable, int32_t value);

/* A cost of the solver (not GT_CFN_INFINITE) as the file counts, in units of 10^-decimals. */
int64_t gt_cfn_file_cost(const gt_cfn_file *file, int64_t solver_cost);

/* Such units as a decimal number, "-12.50", into `buffer` (32 bytes are enough), which is returned. */
const char *gt_cfn_format_cost(char *buffer, size_t bytes, int64_t units, int decimals);

/* How a network is written. */
typedef struct gt_cfn_writing {
    const char *name; /* of the problem */
    int shift_bits;   /* costs are divided by 2^shift_bits and rounded down */
    /* Appends the name of a value; NULL: values are numbered. */
    gt_status (*value_name)(gt_text *text, const void *context, int32_t variable, int32_t value);
    const void *context;
} gt_cfn_writing;

/* Writes a network, atomically; forbidden costs are the upper bound, which is above what all finite ones sum to. Names
 * are adapted to what the format allows ('/', ':', blanks and the like become '_') and kept apart by "_2", "_3", ….
 * `how` may be NULL. Errors: GT_ERROR_IO, GT_ERROR_MEMORY. */
gt_status gt_cfn_file_write(const gt_cfn *cfn, const char *path, const gt_cfn_writing *how) GT_NODISCARD;

#endif
