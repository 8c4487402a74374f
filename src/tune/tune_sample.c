/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of a config space: at random, or Mitchell's best-candidate sampling ("Spectrally optimal sampling for
 * distribution ray tracing", SIGGRAPH 1991, section 4.2). There each next point is, of a few random ones, the
 * one farthest from those chosen so far: knobs with many values are covered evenly and no two points are
 * nearly the same. */
#include "src/tune/tune_plan.h"

#include "src/base/rng.h"

#include <stdlib.h>
#include <string.h>

/* Spaces up to this size are listed, so that a sample never misses points by bad luck. */
#define LISTED_POINTS 16384
#define DRAWS 8 /* of which the farthest is taken */
#define ATTEMPTS 256

struct source {
    const gt_template *tmpl;
    const gt_workload *workload;
    gt_layout in, out;
    const gt_space *space;
    int64_t size;
    int64_t *points; /* the valid points not chosen yet, or NULL where the space is too large to list */
    int64_t n_points;
    int draws;
    gt_rng rng;
};

static bool is_valid(const struct source *s, int64_t index, gt_config *config)
{
    gt_space_point(s->space, index, config);
    return gt_template_valid(s->tmpl, s->workload, s->in, s->out, config);
}

static gt_status list_points(struct source *s)
{
    gt_status status = GT_OK;
    gt_config config;
    if (s->size > LISTED_POINTS) {
        return GT_OK;
    }
    GT_TRY(gt_calloc(&s->points, (size_t)s->size, sizeof *s->points));
    for (int64_t i = 1; i < s->size; i++) {
        if (is_valid(s, i, &config)) {
            s->points[s->n_points++] = i;
        }
    }
done:
    return status;
}

static bool is_chosen(const int64_t *chosen, int count, int64_t index)
{
    for (int i = 0; i < count; i++) {
        if (chosen[i] == index) {
            return true;
        }
    }
    return false;
}

/* A random valid point that is not chosen yet; -1 when there is none, or none was found. *slot is its
 * place in the list. */
static int64_t draw(struct source *s, const int64_t *chosen, int count, int64_t *slot)
{
    gt_config config;
    if (s->points != NULL) {
        *slot = s->n_points > 0 ? gt_rng_below(&s->rng, s->n_points) : 0;
        return s->n_points > 0 ? s->points[*slot] : -1;
    }
    for (int i = 0; i < ATTEMPTS; i++) {
        int64_t index = gt_rng_below(&s->rng, s->size);
        if (!is_chosen(chosen, count, index) && is_valid(s, index, &config)) {
            return index;
        }
    }
    return -1;
}

/* How far two points are apart: per knob, the difference of the values' positions over the number of
 * values, and one more for being different at all. */
static double distance(const gt_space *space, int64_t a, int64_t b)
{
    double sum = 0;
    for (int i = 0; i < space->n; i++) {
        int64_t n = space->knob[i].n;
        int64_t apart = llabs(a % n - b % n);
        sum += apart > 0 ? 1 + (double)apart / (double)n : 0;
        a /= n;
        b /= n;
    }
    return sum;
}

static double nearest(const struct source *s, const int64_t *chosen, int count, int64_t index)
{
    double least = distance(s->space, chosen[0], index);
    for (int i = 1; i < count; i++) {
        double d = distance(s->space, chosen[i], index);
        least = d < least ? d : least;
    }
    return least;
}

static int64_t choose(struct source *s, const int64_t *chosen, int count)
{
    int64_t best = -1, best_slot = 0;
    double best_distance = -1;
    for (int i = 0; i < s->draws; i++) {
        int64_t slot = 0;
        int64_t index = draw(s, chosen, count, &slot);
        double d = index >= 0 ? nearest(s, chosen, count, index) : -1;
        if (d > best_distance) {
            best = index;
            best_slot = slot;
            best_distance = d;
        }
    }
    if (best >= 0 && s->points != NULL) {
        s->points[best_slot] = s->points[--s->n_points];
    }
    return best;
}

static uint64_t seed_of(const gt_template *t, const gt_workload *w, gt_layout in, gt_layout out,
                        uint64_t seed)
{
    uint64_t names = gt_hash_bytes(w->key, strlen(w->key)) * 31 + gt_hash_bytes(t->name, strlen(t->name));
    return seed ^ (names * 31 + (uint64_t)in * GT_LAYOUT_COUNT + (uint64_t)out);
}

gt_status gt_tune_sample(gt_config *configs, int *count, gt_strategy_kind kind, const gt_template *t, const gt_workload *w,
                         gt_layout in, gt_layout out, int trials, uint64_t seed)
{
    gt_status status = GT_OK;
    gt_space space;
    int64_t *chosen = NULL;
    int n = 1;
    gt_template_space(t, w, in, out, &space);
    struct source s = {t, w, in, out, &space, gt_space_size(&space), NULL, 0, kind == GT_STRATEGY_RANDOM ? 1 : DRAWS, {0}};
    gt_rng_seed(&s.rng, seed_of(t, w, in, out, seed));
    GT_TRY(gt_calloc(&chosen, (size_t)trials, sizeof *chosen)); /* chosen[0] = 0: the default */
    if (trials > 1 && s.size > 1) {
        GT_TRY(list_points(&s));
        for (int64_t index = 0; n < trials && (index = choose(&s, chosen, n)) >= 0; n++) {
            chosen[n] = index;
        }
    }
    for (int i = 0; i < n; i++) {
        gt_space_point(&space, chosen[i], &configs[i]);
    }
    *count = n;
done:
    gt_free(s.points);
    gt_free(chosen);
    return status;
}
