/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a network as toulbar2 reads it: fields in their fixed order, names of its alphabet. */
#include "src/import/cfn_file.h"

#include "src/base/file.h"
#include "src/import/name_map.h"

#include <string.h>

struct writer {
    const gt_cfn *cfn;
    const gt_cfn_writing *how;
    int64_t upper_bound;
    char **names; /* of the variables, as written */
    gt_text text;
};

static int64_t cost_of(const struct writer *w, int64_t cost)
{
    return cost == GT_CFN_INFINITE ? w->upper_bound : cost >> w->how->shift_bits;
}

/* ---- names ---- */

/* A name may not hold separators, brackets, '/' or '#'; letters are kept to ASCII. */
static void make_legal(char *name)
{
    for (char *c = name; *c != '\0'; c++) {
        if (*c <= ' ' || *c > '~' || strchr("/#[]{}:,\"\\", *c) != NULL) {
            *c = '_';
        }
    }
}

/* A legal form of `wanted` that is not among the taken names yet, to be freed with gt_free. */
static gt_status legal_name(char **name, gt_i_name_map *taken, const char *wanted)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    char *legal = NULL;
    GT_TRY(gt_text_append(&text, "_%s", wanted));
    /* A name may not begin as a number does. */
    bool keep = wanted[0] != '\0' && strchr("0123456789-+.", wanted[0]) == NULL;
    GT_TRY(gt_strdup(&legal, text.data + (keep ? 1 : 0)));
    make_legal(legal);
    int suffix = gt_i_name_map_find(taken, legal);
    text.length = 0;
    GT_TRY(gt_text_append(&text, "%s", legal));
    while (gt_i_name_map_find(taken, text.data) >= 0) {
        text.length = 0;
        GT_TRY(gt_text_append(&text, "%s_%d", legal, suffix++));
    }
    /* Under a taken name stands the next suffix to try. */
    GT_TRY(gt_i_name_map_set(taken, legal, suffix < 0 ? 2 : suffix));
    GT_TRY(gt_i_name_map_set(taken, text.data, 2));
    GT_TRY(gt_strdup(name, text.data));
done:
    gt_free(legal);
    gt_text_destroy(&text);
    return status;
}

/* ---- sections ---- */

/* One more than the largest finite costs sum to. */
static int64_t find_upper_bound(const struct writer *w)
{
    int64_t sum = 1;
    for (int32_t v = 0; v < gt_cfn_variable_count(w->cfn); v++) {
        int64_t most = 0;
        for (int32_t x = 0; x < gt_cfn_domain(w->cfn, v); x++) {
            int64_t cost = gt_cfn_unary_cost(w->cfn, v, x);
            most = cost != GT_CFN_INFINITE && cost > most ? cost : most;
        }
        sum += most >> w->how->shift_bits;
    }
    for (int32_t k = 0; k < gt_cfn_binary_count(w->cfn); k++) {
        int32_t a = 0, b = 0;
        int64_t most = 0;
        gt_cfn_binary_scope(w->cfn, k, &a, &b);
        for (int32_t x = 0; x < gt_cfn_domain(w->cfn, a); x++) {
            for (int32_t y = 0; y < gt_cfn_domain(w->cfn, b); y++) {
                int64_t cost = gt_cfn_binary_cost(w->cfn, k, x, y);
                most = cost != GT_CFN_INFINITE && cost > most ? cost : most;
            }
        }
        sum += most >> w->how->shift_bits;
    }
    return sum;
}

static gt_status write_value_names(struct writer *w, int32_t variable)
{
    gt_status status = GT_OK;
    gt_i_name_map taken = {0};
    gt_text wanted = {0};
    char *name = NULL;
    GT_TRY(gt_text_append(&w->text, "["));
    for (int32_t x = 0; x < gt_cfn_domain(w->cfn, variable); x++) {
        wanted.length = 0;
        GT_TRY(gt_text_append(&wanted, "%s", ""));
        GT_TRY(w->how->value_name(&wanted, w->how->context, variable, x));
        GT_TRY(legal_name(&name, &taken, wanted.data));
        GT_TRY(gt_text_append(&w->text, "%s\"%s\"", x > 0 ? ", " : "", name));
        gt_free(name);
        name = NULL;
    }
    GT_TRY(gt_text_append(&w->text, "]"));
done:
    gt_free(name);
    gt_text_destroy(&wanted);
    gt_i_name_map_destroy(&taken);
    return status;
}

static gt_status write_variables(struct writer *w)
{
    gt_status status = GT_OK;
    gt_i_name_map taken = {0};
    int32_t n = gt_cfn_variable_count(w->cfn);
    GT_TRY(gt_text_append(&w->text, "  \"variables\": {"));
    for (int32_t v = 0; v < n; v++) {
        GT_TRY(legal_name(&w->names[v], &taken, gt_cfn_variable_name(w->cfn, v)));
        GT_TRY(gt_text_append(&w->text, "%s\n    \"%s\": ", v > 0 ? "," : "", w->names[v]));
        GT_TRY(w->how->value_name != NULL ? write_value_names(w, v) : gt_text_append(&w->text, "%d", (int)gt_cfn_domain(w->cfn, v)));
    }
    GT_TRY(gt_text_append(&w->text, "\n  },\n"));
done:
    gt_i_name_map_destroy(&taken);
    return status;
}

static gt_status write_unary(struct writer *w, int32_t v)
{
    gt_status status = GT_OK;
    GT_TRY(gt_text_append(&w->text, "%s\n    \"u%d\": {\"scope\": [\"%s\"], \"costs\": [", v > 0 ? "," : "", (int)v, w->names[v]));
    for (int32_t x = 0; x < gt_cfn_domain(w->cfn, v); x++) {
        GT_TRY(gt_text_append(&w->text, "%s%lld", x > 0 ? ", " : "", (long long)cost_of(w, gt_cfn_unary_cost(w->cfn, v, x))));
    }
    GT_TRY(gt_text_append(&w->text, "]}"));
done:
    return status;
}

static gt_status write_binary(struct writer *w, int32_t k)
{
    gt_status status = GT_OK;
    int32_t a = 0, b = 0;
    gt_cfn_binary_scope(w->cfn, k, &a, &b);
    GT_TRY(gt_text_append(&w->text, ",\n    \"b%d\": {\"scope\": [\"%s\", \"%s\"], \"costs\": [", (int)k, w->names[a], w->names[b]));
    for (int32_t x = 0; x < gt_cfn_domain(w->cfn, a); x++) {
        for (int32_t y = 0; y < gt_cfn_domain(w->cfn, b); y++) {
            GT_TRY(gt_text_append(&w->text, "%s%lld", x + y > 0 ? ", " : "",
                                  (long long)cost_of(w, gt_cfn_binary_cost(w->cfn, k, x, y))));
        }
    }
    GT_TRY(gt_text_append(&w->text, "]}"));
done:
    return status;
}

static gt_status write_network(struct writer *w)
{
    gt_status status = GT_OK;
    gt_i_name_map none = {0};
    char *name = NULL;
    GT_TRY(legal_name(&name, &none, w->how->name != NULL ? w->how->name : "network"));
    GT_TRY(gt_text_append(&w->text, "{\n  \"problem\": {\"name\": \"%s\", \"mustbe\": \"<%lld\"},\n", name, (long long)w->upper_bound));
    GT_TRY(write_variables(w));
    GT_TRY(gt_text_append(&w->text, "  \"functions\": {"));
    for (int32_t v = 0; v < gt_cfn_variable_count(w->cfn); v++) {
        GT_TRY(write_unary(w, v));
    }
    for (int32_t k = 0; k < gt_cfn_binary_count(w->cfn); k++) {
        GT_TRY(write_binary(w, k));
    }
    GT_TRY(gt_text_append(&w->text, "\n  }\n}\n"));
done:
    gt_free(name);
    gt_i_name_map_destroy(&none);
    return status;
}

gt_status gt_cfn_file_write(const gt_cfn *cfn, const char *path, const gt_cfn_writing *how)
{
    gt_status status = GT_OK;
    static const gt_cfn_writing plain = {0};
    struct writer w = {.cfn = cfn, .how = how != NULL ? how : &plain};
    GT_TRY(gt_calloc(&w.names, (size_t)gt_cfn_variable_count(cfn), sizeof *w.names));
    w.upper_bound = find_upper_bound(&w);
    GT_TRY(write_network(&w));
    GT_TRY(gt_file_replace(path, w.text.data, w.text.length));
done:
    for (int32_t v = 0; w.names != NULL && v < gt_cfn_variable_count(cfn); v++) {
        gt_free(w.names[v]);
    }
    gt_free(w.names);
    gt_text_destroy(&w.text);
    return status;
}
