/* SPDX-License-Identifier: Apache-2.0 */
/* Packing Winograd's weights: transformed, or as they are for kernels that transform them. */
#include "ops/conv_winograd.h"
#include "ops/conv_winograd_points.h"

#include <string.h>

#define MAX_ALPHA 8

/* G times a column of three. */
static void filter_1d(double *to, int n, double a, double b, double c)
{
    to[0] = a;
    for (int i = 0; i < n; i++) {
        double p = gt_i_winograd_pair(i), scale = gt_i_winograd_filter_scale(n, i);
        double even = scale * (a + p * p * c), odd = scale * p * b;
        to[1 + 2 * i] = even + odd;
        to[2 + 2 * i] = even - odd;
    }
    to[2 * n + 1] = c;
}

/* u[points] = G g G^T of one 3x3 filter. */
static void filter_2d(double *u, int64_t m, const float *g)
{
    int n = (int)(m / 2);
    int64_t alpha = m + 2;
    double columns[3][MAX_ALPHA];
    for (int j = 0; j < 3; j++) {
        filter_1d(columns[j], n, g[j], g[3 + j], g[6 + j]);
    }
    for (int64_t i = 0; i < alpha; i++) {
        filter_1d(u + i * alpha, n, columns[0][i], columns[1][i], columns[2][i]);
    }
}

/* Of output channel k: its block's begin and width, its panel's begin within the block and width. */
typedef struct place {
    int64_t block, block_width, panel, panel_width;
} place;

static place place_of(const gt_i_winograd *p, int64_t k)
{
    place at = {.block = k / p->oc_block * p->oc_block};
    at.block_width = gt_i_min(p->oc_block, p->columns - at.block);
    for (;;) {
        at.panel_width = p->lanes * gt_i_winograd_panel(p->vectors, (at.block_width - at.panel) / p->lanes);
        if (k - at.block < at.panel + at.panel_width) {
            return at;
        }
        at.panel += at.panel_width;
    }
}

static void pack_transformed(const gt_i_winograd *p, float *to, const float *weights, int64_t k)
{
    place at = place_of(p, k);
    float *first = to + at.block * p->points * p->depth + at.panel * p->depth + k - at.block - at.panel;
    for (int64_t c = 0; c < p->conv.c; c++) {
        double u[MAX_ALPHA * MAX_ALPHA];
        filter_2d(u, p->m, weights + (k * p->conv.c + c) * 9);
        for (int64_t i = 0; i < p->points; i++) {
            first[i * p->depth * at.block_width + c * at.panel_width] = (float)u[i];
        }
    }
}

static void pack_filters(const gt_i_winograd *p, float *to, const float *weights, int64_t k)
{
    place at = place_of(p, k);
    float *first = to + (at.block + at.panel) * 9 * p->depth + k - at.block - at.panel;
    for (int64_t c = 0; c < p->conv.c; c++) {
        for (int64_t i = 0; i < 9; i++) {
            first[(c * 9 + i) * at.panel_width] = weights[(k * p->conv.c + c) * 9 + i];
        }
    }
}

void gt_i_winograd_pack(const gt_i_winograd *p, float *to, const float *weights)
{
    for (int64_t k = 0; k < p->conv.k; k++) {
        if (p->on_the_fly) {
            pack_filters(p, to, weights, k);
        } else {
            pack_transformed(p, to, weights, k);
        }
    }
}
