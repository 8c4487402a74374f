/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/predict.h"

#include "src/base/memory.h"

#include <math.h>

/* s, l (in octaves of a tile size), r, the noise of a measurement, and the part that families share. Chosen by replaying
 * measured spaces, others than those of `make bench-search`. */
#define SPREAD 0.20
#define LENGTH 5.0
#define ROUGHNESS 0.05
#define NOISE 0.02
#define SHARED 0.5

/* What an observation tells of nothing but its own point. */
#define ALONE (ROUGHNESS * ROUGHNESS + NOISE * NOISE)

#define BLOCK 8 /* points that are asked for together */

struct gt_predictor {
    int n;
    double x[GT_PREDICTOR_POINTS][GT_FEATURES];
    int family[GT_PREDICTOR_POINTS];
    double z[GT_PREDICTOR_POINTS]; /* L^-1 y */
    double factor[GT_PREDICTOR_POINTS * (GT_PREDICTOR_POINTS + 1) / 2]; /* L, row by row: K + (r^2 + noise^2) I = L L^T */
};

gt_status gt_predictor_create(gt_predictor **predictor)
{
    return gt_calloc(predictor, 1, sizeof **predictor);
}

void gt_predictor_destroy(gt_predictor *predictor)
{
    gt_free(predictor);
}

void gt_predictor_clear(gt_predictor *predictor)
{
    predictor->n = 0;
}

static double kernel(const double *a, const double *b, bool same_family)
{
    double sum = 0;
    for (int i = 0; i < GT_FEATURES; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return SPREAD * SPREAD * (same_family ? 1 : SHARED) * exp(-sum / (2 * LENGTH * LENGTH));
}

static const double *row_of(const gt_predictor *p, int i)
{
    return p->factor + (size_t)i * (size_t)(i + 1) / 2;
}

/* The factor grows by a row: L row^T = the new observation's kernels. */
bool gt_predictor_add(gt_predictor *p, const double *x, double y, int family)
{
    if (p->n == GT_PREDICTOR_POINTS) {
        return false;
    }
    int n = p->n;
    double *row = p->factor + (size_t)n * (size_t)(n + 1) / 2;
    double rest = SPREAD * SPREAD + ALONE;
    for (int i = 0; i < n; i++) {
        const double *above = row_of(p, i);
        row[i] = kernel(x, p->x[i], family == p->family[i]);
        for (int j = 0; j < i; j++) {
            row[i] -= above[j] * row[j];
        }
        row[i] /= above[i];
        rest -= row[i] * row[i];
        y -= row[i] * p->z[i];
    }
    /* `rest` is at least ALONE but for rounding. */
    row[n] = sqrt(fmax(rest, ALONE / 2));
    p->z[n] = y / row[n];
    for (int i = 0; i < GT_FEATURES; i++) {
        p->x[n][i] = x[i];
    }
    p->family[n] = family;
    p->n = n + 1;
    return true;
}

/* BLOCK points at once: v = L^-1 k, mean = v z, variance = s^2 - v v + r^2. The innermost loops go over the points. */
static void ask_block(const gt_predictor *p, int64_t count, const double (*x)[GT_FEATURES], double *mean, double *deviation)
{
    double v[GT_PREDICTOR_POINTS][BLOCK];
    double sum[BLOCK] = {0}, square[BLOCK] = {0};
    for (int i = 0; i < p->n; i++) {
        const double *row = row_of(p, i);
        for (int b = 0; b < BLOCK; b++) {
            v[i][b] = b < count ? kernel(x[b], p->x[i], p->family[i] == 0) : 0;
        }
        for (int j = 0; j < i; j++) {
            for (int b = 0; b < BLOCK; b++) {
                v[i][b] -= row[j] * v[j][b];
            }
        }
        for (int b = 0; b < BLOCK; b++) {
            v[i][b] /= row[i];
            sum[b] += v[i][b] * p->z[i];
            square[b] += v[i][b] * v[i][b];
        }
    }
    for (int b = 0; b < count; b++) {
        mean[b] = sum[b];
        deviation[b] = sqrt(fmax(SPREAD * SPREAD - square[b], 0) + ROUGHNESS * ROUGHNESS);
    }
}

void gt_predictor_ask(const gt_predictor *p, int64_t n, const double (*x)[GT_FEATURES], double *mean, double *deviation)
{
    for (int64_t i = 0; i < n; i += BLOCK) {
        ask_block(p, n - i < BLOCK ? n - i : BLOCK, x + i, mean + i, deviation + i);
    }
}

double gt_expected_improvement(double mean, double deviation, double best)
{
    double z = (best - mean) / deviation;
    double below = 0.5 * erfc(-z * M_SQRT1_2), density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
    return fmax((best - mean) * below + deviation * density, 0);
}
