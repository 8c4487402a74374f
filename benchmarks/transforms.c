/* SPDX-License-Identifier: Apache-2.0 */
/* Layout transforms of tensors of 1 MB and more on this machine, beside memcpy: `make bench-transforms`.
 *
 * usage: benchmarks/transforms [--turns N] [SHAPE]      (SHAPE: only that one, as 64x56x56)
 *
 * A figure is a transform's bandwidth as a percentage of memcpy's: bytes read and written, channel padding included, by
 * time; memcpy's of the larger of the two tensors. Both take turns; medians. One thread. */
#include "layouts/layout.h"
#include "src/base/clock.h"
#include "src/base/memory.h"
#include "src/base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_NS 3000000
#define MAX_TURNS 1000
#define MAX_RUNS 1000
#define TARGET 0.8

/* Channels, height, width: as networks have them, whole blocks and not, powers of two and not. */
static const int64_t shapes[][3] = {{3, 300, 300},  {24, 112, 112}, {50, 75, 75},   {64, 112, 112}, {64, 128, 128},
                                    {144, 56, 56},  {256, 32, 32},  {256, 56, 56},  {512, 28, 28},  {1001, 17, 17},
                                    {1024, 19, 19}};

struct race {
    gt_shape shape;
    gt_layout from, to;
    float *src, *dst;
    size_t copy_bytes;
};

static void run_transform(struct race *r)
{
    gt_transform(r->dst, r->to, r->src, r->from, &r->shape);
}

static void run_memcpy(struct race *r)
{
    memcpy(r->dst, r->src, r->copy_bytes);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a turn's runs after one that is not timed, in ns. */
static double take_turn(struct race *r, void (*run)(struct race *))
{
    double ns[MAX_RUNS];
    int runs = 0;
    run(r);
    for (int64_t begin = gt_now_ns(), now = begin; runs == 0 || (runs < MAX_RUNS && now - begin < TURN_NS); runs++) {
        const int64_t start = now;
        run(r);
        now = gt_now_ns();
        ns[runs] = (double)(now - start);
    }
    qsort(ns, (size_t)runs, sizeof *ns, by_value);
    return ns[runs / 2];
}

/* *part: the transform's bandwidth over memcpy's; *gb_s: memcpy's, read and written. */
static gt_status compare(double *part, double *gb_s, const gt_shape *shape, gt_layout to, gt_layout from, int turns)
{
    gt_status status = GT_OK;
    struct race r = {.shape = *shape, .from = from, .to = to};
    double parts[MAX_TURNS], speeds[MAX_TURNS];
    gt_rng rng;
    const size_t read = (size_t)gt_layout_elems(from, shape) * sizeof(float), written = (size_t)gt_layout_elems(to, shape) * sizeof(float);
    r.copy_bytes = read > written ? read : written;
    gt_rng_seed(&rng, 1);
    GT_TRY(gt_alloc_aligned(&r.src, r.copy_bytes));
    GT_TRY(gt_alloc_aligned(&r.dst, r.copy_bytes));
    gt_rng_fill(&rng, r.src, r.copy_bytes / sizeof(float), -1, 1);
    for (int i = 0; i < turns; i++) {
        const double ours = (double)(read + written) / take_turn(&r, run_transform);
        speeds[i] = 2.0 * (double)r.copy_bytes / take_turn(&r, run_memcpy);
        parts[i] = ours / speeds[i];
    }
    qsort(parts, (size_t)turns, sizeof *parts, by_value);
    qsort(speeds, (size_t)turns, sizeof *speeds, by_value);
    *part = parts[turns / 2];
    *gb_s = speeds[turns / 2];
done:
    gt_free(r.src);
    gt_free(r.dst);
    return status;
}

/* A shape's table; counts the pairs and those below the target. */
static gt_status print_shape(int *pairs, int *slow, const gt_shape *shape, int turns)
{
    gt_status status = GT_OK;
    double part = 0, gb_s = 0;
    const int64_t *d = shape->dim;
    printf("%lldx%lldx%lld, %.1f MB\n%12s", (long long)d[1], (long long)d[2], (long long)d[3], 4e-6 * (double)gt_shape_elems(shape), "");
    for (gt_layout to = 0; to < GT_LAYOUT_COUNT; to++) {
        printf(" %8s", gt_layout_name(to));
    }
    printf("   memcpy GB/s\n");
    for (gt_layout from = 0; from < GT_LAYOUT_COUNT; from++) {
        printf("  %-10s", gt_layout_name(from));
        for (gt_layout to = 0; to < GT_LAYOUT_COUNT; to++) {
            if (from == to) {
                printf(" %8s", "");
                continue;
            }
            GT_TRY(compare(&part, &gb_s, shape, to, from, turns));
            printf(" %8.0f", 100 * part);
            fflush(stdout);
            ++*pairs;
            *slow += part < TARGET;
        }
        printf(" %10.1f\n", gb_s);
    }
done:
    return status;
}

static gt_status run(int turns, const gt_shape *only)
{
    gt_status status = GT_OK;
    int pairs = 0, slow = 0;
    if (only->rank > 0) {
        GT_TRY(print_shape(&pairs, &slow, only, turns));
    }
    for (size_t i = 0; only->rank == 0 && i < sizeof shapes / sizeof *shapes; i++) {
        const gt_shape shape = gt_shape_4d(1, shapes[i][0], shapes[i][1], shapes[i][2]);
        GT_TRY(print_shape(&pairs, &slow, &shape, turns));
    }
    printf("%d of %d transforms reach %.0f %% of memcpy's bandwidth\n", pairs - slow, pairs, 100 * TARGET);
done:
    return status;
}

static bool parse(int *turns, gt_shape *only, int argc, char **argv)
{
    long long c, h, w;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--turns") == 0 && i + 1 < argc) {
            *turns = atoi(argv[++i]);
        } else if (sscanf(argv[i], "%lldx%lldx%lld", &c, &h, &w) == 3 && c >= 1 && h >= 1 && w >= 1) {
            *only = gt_shape_4d(1, c, h, w);
        } else {
            return false;
        }
    }
    return *turns >= 1 && *turns <= MAX_TURNS;
}

int main(int argc, char **argv)
{
    int turns = 11;
    gt_shape only = {0};
    if (!parse(&turns, &only, argc, argv)) {
        fputs("usage: transforms [--turns N] [CxHxW]\n", stderr);
        return 2;
    }
    if (run(turns, &only) != GT_OK) {
        fprintf(stderr, "transforms: %s\n", gt_error_message());
        return 1;
    }
    return 0;
}
