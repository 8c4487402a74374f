/* SPDX-License-Identifier: Apache-2.0 */
/* Which forms lie inside which others' memory. A form's `storage` may lead to another form that lies inside a third one;
 * looking up the last of them shortens the way, so that it does not matter in which order forms join. */
#include "src/plan/program.h"

int gt_i_form_root(gt_form *forms, int form, int64_t *within_bytes)
{
    int64_t within = 0;
    int root = form;
    while (forms[root].storage != root) {
        within += forms[root].within_bytes;
        root = forms[root].storage;
    }
    *within_bytes = within;
    while (forms[form].storage != root && form != root) {
        const int next = forms[form].storage;
        const int64_t rest = within - forms[form].within_bytes;
        forms[form].storage = root;
        forms[form].within_bytes = within;
        form = next;
        within = rest;
    }
    return root;
}

static void put_inside(gt_form *forms, int inner, int outer, int64_t within_bytes)
{
    forms[inner].storage = outer;
    forms[inner].within_bytes = within_bytes;
    forms[outer].first_step = forms[inner].first_step < forms[outer].first_step ? forms[inner].first_step : forms[outer].first_step;
    forms[outer].last_step = forms[inner].last_step > forms[outer].last_step ? forms[inner].last_step : forms[outer].last_step;
}

/* A shorter concat whose inputs are also the first ones of a longer one: it is there already where all of them lie in the same
 * memory as they have to. */
static bool is_there(gt_form *forms, int root, int64_t base_bytes, const int *inputs, int n)
{
    for (int i = 0; i < n; i++) {
        int64_t within = 0;
        if (gt_i_form_root(forms, inputs[i], &within) != root || within != base_bytes) {
            return false;
        }
        base_bytes += forms[inputs[i]].size_bytes;
    }
    return true;
}

bool gt_i_forms_join(gt_form *forms, int output, const int *inputs, int n)
{
    int64_t within = 0;
    int64_t position = 0;
    int64_t filled = 0; /* up to here the output's memory belongs to inputs */
    const int first = gt_i_form_root(forms, inputs[0], &within);
    if (forms[first].size_bytes >= within + forms[output].size_bytes && is_there(forms, first, within, inputs, n)) {
        put_inside(forms, output, first, within);
        return true;
    }
    for (int i = 0; i < n; i++) {
        const int root = gt_i_form_root(forms, inputs[i], &within);
        const int64_t begin = position - within;
        if (root == output ? within != position : begin < filled || begin + forms[root].size_bytes > forms[output].size_bytes) {
            return false;
        }
        if (root != output) {
            filled = begin + forms[root].size_bytes;
            put_inside(forms, root, output, begin);
        }
        position += forms[inputs[i]].size_bytes;
    }
    return true;
}
