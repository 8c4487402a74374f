/* SPDX-License-Identifier: Apache-2.0 */
/* Random candidates and transforms. */
#include "benchmarks/solver_problem.h"

int32_t lp_draw_pairs(lp_candidate *c, gt_rng *rng, int32_t n, int64_t range)
{
    int32_t made = 0;
    for (int32_t pair = 0; pair < LP_PAIRS; pair++) {
        if (gt_rng_below(rng, LP_PAIRS - pair) < n - made) {
            c[made++] = (lp_candidate){pair / LP_LAYOUTS, pair % LP_LAYOUTS, 1 + gt_rng_below(rng, range)};
        }
    }
    return made;
}

void lp_draw_transforms(lp_transforms *t, gt_rng *rng, int64_t range)
{
    for (int a = 0; a < LP_LAYOUTS; a++) {
        for (int b = 0; b < LP_LAYOUTS; b++) {
            t->ns[a][b] = a == b ? 0 : 1 + gt_rng_below(rng, range);
        }
    }
}

void lp_draw_copies(lp_transforms *t, gt_rng *rng, double size)
{
    for (int a = 0; a < LP_LAYOUTS; a++) {
        for (int b = 0; b < LP_LAYOUTS; b++) {
            t->ns[a][b] = a == b ? 0 : (int64_t)(size * (double)gt_rng_uniform(rng, 0.5F, 1.5F));
        }
    }
}

/* Whether candidate k is no better than another with transforms. Of two that replace each other the first stays. */
static bool replaceable(const lp_candidate *c, int32_t n, int32_t k, const lp_transforms *in, const lp_transforms *out)
{
    for (int32_t j = 0; j < n; j++) {
        int64_t with = c[j].ns + in->ns[c[k].in][c[j].in] + out->ns[c[j].out][c[k].out];
        if (j != k && (with < c[k].ns || (with == c[k].ns && j < k))) {
            return true;
        }
    }
    return false;
}

int32_t lp_draw_conv(lp_candidate *c, gt_rng *rng, double work, const lp_transforms *in, const lp_transforms *out)
{
    lp_candidate all[LP_PAIRS];
    int32_t kept = 0;
    for (int32_t a = 0; a < LP_LAYOUTS; a++) {
        double speed = work * (double)gt_rng_uniform(rng, 0.8F, 1.6F);
        for (int32_t b = 0; b < LP_LAYOUTS; b++) {
            double extra = a == b ? 1 : (double)gt_rng_uniform(rng, 0.95F, 1.3F);
            all[a * LP_LAYOUTS + b] = (lp_candidate){a, b, (int64_t)(speed * extra)};
        }
    }
    for (int32_t k = 0; k < LP_PAIRS; k++) {
        if (!replaceable(all, LP_PAIRS, k, in, out)) {
            c[kept++] = all[k];
        }
    }
    return kept;
}

int32_t lp_draw_elementwise(lp_candidate *c, gt_rng *rng, double work)
{
    for (int32_t a = 0; a < LP_LAYOUTS; a++) {
        c[a] = (lp_candidate){a, a, (int64_t)(work * (double)gt_rng_uniform(rng, 0.8F, 1.6F))};
    }
    return LP_LAYOUTS;
}
