/* SPDX-License-Identifier: Apache-2.0 */
/* How well the measurements tell two schedules apart.
 *
 * The difference of two schedules' times is the sum over records of (uses in b - uses in a) times the record's median:
 * what both use alike cancels, whatever its error. Records are measured apart from each other, so that the variances of
 * independent terms add up, each with the square of its factor (JCGM 100:2008, Guide to the expression of uncertainty in
 * measurement, 5.1.2, equation 10). A record that is used twice is one measurement with factor two, not two.
 *
 * An interval of no width whose minimum is less than its median is narrower than the clock's steps: it counts for as wide
 * as the narrowest that any record here states, to both sides. Where the minimum is the median, nothing is known. */
#include "src/tune/select_memory_internal.h"
#include "src/tune/select_regret.h"

#include <math.h>
#include <stdlib.h>

struct use {
    const gt_record *record;
    int times;
};

struct uses {
    int n;
    size_t capacity;
    struct use *items;
    bool modelled; /* something else than records is used as well */
};

static gt_status add_use(struct uses *uses, const gt_record *record, int times)
{
    gt_status status = GT_OK;
    struct use fresh = {record, times};
    GT_PUSH(uses->items, uses->n, uses->capacity, fresh);
done:
    return status;
}

static gt_status add_choice(struct uses *uses, const gt_choice *choice, int times)
{
    bool is_view = choice->tmpl != NULL && choice->tmpl->view; /* takes exactly nothing */
    uses->modelled |= choice->record == NULL && !is_view;
    return choice->record != NULL ? add_use(uses, choice->record, times) : GT_OK;
}

static gt_status add_copies(struct uses *uses, const gt_selection *s, int tensor, const int32_t *values, int times)
{
    gt_status status = GT_OK;
    gt_hop hops[GT_LAYOUT_COUNT];
    int n_hops = 0;
    const gt_copies *copies = &s->copies[s->sites[tensor].copies];
    int from = (int)gt_i_made_in(s, values, tensor);
    unsigned needs = gt_i_site_needs(s, tensor, values);
    GT_REQUIRE(copies->cover[from][needs] != GT_CFN_INFINITE, GT_ERROR_INTERNAL, "tensor \"%s\": a schedule without its copies",
               s->graph->tensors[tensor].name);
    GT_TRY(gt_i_way(hops, &n_hops, copies, from, copies->cover_with[from][needs]));
    for (int i = 0; i < n_hops; i++) {
        const gt_record *record = copies->record[hops[i].from][hops[i].to];
        uses->modelled |= record == NULL;
        if (record != NULL) {
            GT_TRY(add_use(uses, record, times));
        }
    }
done:
    return status;
}

static bool same_copies(const gt_selection *s, int tensor, const int32_t *a, const int32_t *b)
{
    return gt_i_made_in(s, a, tensor) == gt_i_made_in(s, b, tensor) &&
           gt_i_site_needs(s, tensor, a) == gt_i_site_needs(s, tensor, b);
}

static gt_status collect(struct uses *uses, const gt_selection *s, const int32_t *a, const int32_t *b)
{
    gt_status status = GT_OK;
    for (int i = 0; i < s->graph->n_ops; i++) {
        if (a[i] != b[i]) {
            GT_TRY(add_choice(uses, &s->domains[i].choice[a[i]], -1));
            GT_TRY(add_choice(uses, &s->domains[i].choice[b[i]], 1));
        }
    }
    for (int t = 0; t < s->graph->n_tensors; t++) {
        if (s->sites[t].copies >= 0 && !same_copies(s, t, a, b)) {
            GT_TRY(add_copies(uses, s, t, a, -1));
            GT_TRY(add_copies(uses, s, t, b, 1));
        }
    }
done:
    return status;
}

static int by_record(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct use *)a)->record;
    uintptr_t y = (uintptr_t)((const struct use *)b)->record;
    return (x > y) - (x < y);
}

static double width(const gt_record *record)
{
    return record != NULL ? record->timing.hi_ns - record->timing.lo_ns : 0;
}

/* The narrowest interval that any record states; HUGE_VAL: there is none. */
static double narrowest(const gt_selection *s)
{
    double least = HUGE_VAL;
    for (int i = 0; i < s->graph->n_ops; i++) {
        for (int v = 0; v < s->domains[i].n; v++) {
            double w = width(s->domains[i].choice[v].record);
            least = w > 0 && w < least ? w : least;
        }
    }
    for (int k = 0; k < s->n_copies * GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; k++) {
        int pair = k % (GT_LAYOUT_COUNT * GT_LAYOUT_COUNT);
        const gt_copies *copies = &s->copies[k / (GT_LAYOUT_COUNT * GT_LAYOUT_COUNT)];
        double w = width(copies->record[pair / GT_LAYOUT_COUNT][pair % GT_LAYOUT_COUNT]);
        least = w > 0 && w < least ? w : least;
    }
    return least;
}

/* Half of a record's interval; 0: it states none. */
static double half_width(const gt_record *record, double clock_step)
{
    bool below_step = width(record) == 0 && record->timing.min_ns < record->timing.median_ns && clock_step != HUGE_VAL;
    return below_step ? clock_step : width(record) / 2;
}

gt_status gt_i_noise(double *noise_ns, bool *known, const gt_selection *s, const int32_t *a, const int32_t *b)
{
    gt_status status = GT_OK;
    struct uses uses = {0};
    double sum = 0;
    double clock_step = narrowest(s);
    GT_TRY(collect(&uses, s, a, b));
    *known = !uses.modelled;
    if (uses.n > 0) {
        qsort(uses.items, (size_t)uses.n, sizeof *uses.items, by_record);
    }
    for (int i = 0; i < uses.n;) {
        double half = half_width(uses.items[i].record, clock_step);
        int times = 0;
        for (const gt_record *r = uses.items[i].record; i < uses.n && uses.items[i].record == r; i++) {
            times += uses.items[i].times;
        }
        sum += times * times * half * half;
        *known = *known && (times == 0 || half > 0);
    }
    *noise_ns = sqrt(sum);
done:
    gt_free(uses.items);
    return status;
}
