/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/cfn_cost.h"

#include "src/import/cfn_file.h"

#include <stdio.h>

/* A number taken apart: digits of the whole part and of the fraction, where each begins, and the exponent. */
struct number {
    const char *text;
    size_t length;
    bool negative;
    size_t whole, n_whole, fraction, n_fraction;
    int64_t exponent;
};

static size_t count_digits(const char *text, size_t length, size_t from)
{
    size_t i = from;
    while (i < length && text[i] >= '0' && text[i] <= '9') {
        i++;
    }
    return i - from;
}

/* Reads e12, E-3; beyond some hundreds an exponent makes every number zero or too large, whatever it is. */
static bool parse_exponent(struct number *n, size_t i)
{
    bool negative = i < n->length && n->text[i] == '-';
    i += i < n->length && (n->text[i] == '-' || n->text[i] == '+');
    size_t digits = count_digits(n->text, n->length, i);
    for (size_t k = i; k < i + digits && n->exponent < 1000; k++) {
        n->exponent = 10 * n->exponent + (n->text[k] - '0');
    }
    n->exponent = negative ? -n->exponent : n->exponent;
    return digits > 0 && i + digits == n->length;
}

static bool take_apart(struct number *n)
{
    size_t i = 0;
    n->negative = n->length > 0 && n->text[0] == '-';
    i += n->length > 0 && (n->text[0] == '-' || n->text[0] == '+');
    n->whole = i;
    n->n_whole = count_digits(n->text, n->length, i);
    i += n->n_whole;
    if (i < n->length && n->text[i] == '.') {
        n->fraction = ++i;
        n->n_fraction = count_digits(n->text, n->length, i);
        i += n->n_fraction;
    }
    if (n->n_whole + n->n_fraction == 0) {
        return false;
    }
    if (i < n->length && (n->text[i] == 'e' || n->text[i] == 'E')) {
        return parse_exponent(n, i + 1);
    }
    return i == n->length;
}

static unsigned digit(const struct number *n, size_t k)
{
    return (k < n->n_whole ? n->text[n->whole + k] : n->text[n->fraction + k - n->n_whole]) - (unsigned)'0';
}

bool gt_i_cfn_parse_cost(int64_t *units, bool *cut, const char *text, size_t length, int decimals)
{
    struct number n = {.text = text, .length = length};
    if (!take_apart(&n)) {
        return false;
    }
    int64_t there = (int64_t)(n.n_whole + n.n_fraction);
    int64_t kept = (int64_t)n.n_whole + n.exponent + decimals; /* digits before the point of the scaled number */
    uint64_t most = GT_I_CFN_MAX_COST, value = 0; /* ten times `most` and a digit still fit */
    for (int64_t k = 0; k < kept && value <= most && (k < there || value > 0); k++) {
        value = 10 * value + (k < there ? digit(&n, (size_t)k) : 0);
    }
    *cut = false;
    for (int64_t k = kept > 0 ? kept : 0; k < there && !*cut; k++) {
        *cut = digit(&n, (size_t)k) != 0;
    }
    *units = value > most ? (n.negative ? INT64_MIN : INT64_MAX) : n.negative ? -(int64_t)value : (int64_t)value;
    return true;
}

const char *gt_cfn_format_cost(char *buffer, size_t bytes, int64_t units, int decimals)
{
    uint64_t size = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;
    uint64_t one = 1;
    int n = decimals < GT_CFN_MAX_DECIMALS ? decimals : GT_CFN_MAX_DECIMALS;
    for (int k = 0; k < n; k++) {
        one *= 10;
    }
    const char *sign = units < 0 ? "-" : "";
    if (n > 0) {
        snprintf(buffer, bytes, "%s%llu.%0*llu", sign, (unsigned long long)(size / one), n,
                 (unsigned long long)(size % one));
    } else {
        snprintf(buffer, bytes, "%s%llu", sign, (unsigned long long)size);
    }
    return buffer;
}
