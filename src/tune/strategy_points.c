/* SPDX-License-Identifier: Apache-2.0 */
/* Which configs of a space are looked at: a few hundred, whatever the space's size. */
#include "src/tune/strategy_internal.h"

#include "src/base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LISTED 4096 /* larger spaces are drawn from */
#define KEPT 256
#define KEPT_BEST 128
#define HOPELESS 4.0 /* times the estimate of the best */

double gt_i_arm_estimate(const gt_strategy *s, const gt_i_arm *arm, const gt_space *space, const gt_config *config)
{
    gt_nest nest;
    gt_nest_describe(&nest, &s->machine, arm->tmpl, arm->workload, arm->in, arm->out, space, config);
    return log(fmax(gt_nest_cycles(&nest, &s->machine), 1));
}

static int by_index(const void *left, const void *right)
{
    const gt_i_point *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

static int by_estimate(const void *left, const void *right)
{
    const gt_i_point *a = left, *b = right;
    if (a->estimate != b->estimate) {
        return a->estimate < b->estimate ? -1 : 1;
    }
    return by_index(left, right);
}

/* The valid ones among all points, or among LISTED random ones; the default is point 0. */
static int64_t list_valid(gt_i_point *points, const gt_strategy *s, const gt_i_arm *arm, const gt_space *space)
{
    int64_t size = gt_space_size(space), n = 0;
    gt_rng rng;
    gt_rng_seed(&rng, s->options->seed ^ gt_hash_bytes(arm->workload->key, strlen(arm->workload->key)));
    for (int64_t i = 0; i < size && i < LISTED; i++) {
        gt_config config;
        int64_t index = size <= LISTED || i == 0 ? i : gt_rng_below(&rng, size);
        gt_space_point(space, index, &config);
        if (arm->tmpl->valid == NULL || arm->tmpl->valid(arm->workload, arm->in, arm->out, &config)) {
            points[n++] = (gt_i_point){.index = index, .estimate = (float)gt_i_arm_estimate(s, arm, space, &config)};
        }
    }
    qsort(points, (size_t)n, sizeof *points, by_index);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (kept == 0 || points[kept - 1].index != points[i].index) {
            points[kept++] = points[i];
        }
    }
    return kept;
}

/* The KEPT_BEST first of the points in order of their estimates, and every so many-th of those that are not hopeless. */
static int64_t thin_out(gt_i_point *points, int64_t n)
{
    qsort(points, (size_t)n, sizeof *points, by_estimate);
    int64_t hopeful = 0, kept = n < KEPT_BEST ? n : KEPT_BEST;
    while (hopeful < n && points[hopeful].estimate <= points[0].estimate + log(HOPELESS)) {
        hopeful++;
    }
    if (hopeful <= KEPT) {
        return hopeful;
    }
    for (int64_t i = 0; i < KEPT - KEPT_BEST; i++) {
        points[kept++] = points[KEPT_BEST + i * (hopeful - KEPT_BEST) / (KEPT - KEPT_BEST)];
    }
    return kept;
}

gt_status gt_i_arm_make_points(gt_strategy *s, gt_i_arm *arm)
{
    gt_status status = GT_OK;
    gt_i_point *all = NULL;
    gt_space space;
    gt_template_space(arm->tmpl, arm->workload, arm->in, arm->out, &space);
    GT_TRY(gt_calloc(&all, LISTED, sizeof *all));
    int64_t n = thin_out(all, list_valid(all, s, arm, &space));
    GT_TRY(gt_calloc(&arm->points, (size_t)n, sizeof *arm->points));
    memcpy(arm->points, all, (size_t)n * sizeof *all);
    arm->n_points = n;
    arm->has_points = true;
done:
    gt_free(all);
    return status;
}
