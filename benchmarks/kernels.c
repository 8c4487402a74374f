/* SPDX-License-Identifier: Apache-2.0 */
/* The best candidate of single workloads on this machine, beside the multiply-add peak and OpenBLAS: `make bench-kernels`.
 *
 * usage: benchmarks/kernels [--trials N] [--turns N] [WORD]      (only cases with WORD in their name)
 *
 * For each workload every template and layout pair is measured with N configs (12); the fastest then takes turns with
 * OpenBLAS's GEMM of the same product (output channels x pixels x reduction), without the im2col that OpenBLAS would need, so
 * that a ratio below 1 means faster than GEMM alone could be. One thread; medians. */
#include "benchmarks/fma_peak.h"
#include "costmodel/measure.h"
#include "ops/blas.h"
#include "src/base/clock.h"
#include "src/base/rng.h"
#include "src/tune/tune_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_NS 15000000
#define MAX_TRIALS 1000

static const struct bench_case {
    const char *name, *workload;
} cases[] = {
#define CONV(name, c, h, k, kernel, stride, pad, groups, oh)                                                              \
    {name, "conv2d(1x" #c "x" #h "x" #h "," #k "x" groups "x" #kernel "x" #kernel "!," #k "!,_)->1x" #k "x" #oh "x" #oh     \
           "{stride=" #stride "x" #stride ",pad=" #pad "x" #pad "x" #pad "x" #pad ",dilation=1x1,groups="
#define DENSE_CONV(name, c, h, k, kernel, stride, pad, oh) CONV(name, c, h, k, kernel, stride, pad, #c, oh) "1,act=relu}"},
#define DEPTHWISE(name, c, h, kernel, stride, pad, oh) CONV(name, c, h, c, kernel, stride, pad, "1", oh) #c ",act=relu}"},
    DENSE_CONV("first 7x7/2", 3, 224, 64, 7, 2, 3, 112)
    DENSE_CONV("first 3x3/2", 3, 224, 32, 3, 2, 1, 112)
    DENSE_CONV("3x3 64@56", 64, 56, 64, 3, 1, 1, 56)
    DENSE_CONV("3x3 128@28", 128, 28, 128, 3, 1, 1, 28)
    DENSE_CONV("3x3 256@14", 256, 14, 256, 3, 1, 1, 14)
    DENSE_CONV("3x3 512@7", 512, 7, 512, 3, 1, 1, 7)
    DENSE_CONV("3x3/2 128@56", 128, 56, 128, 3, 2, 1, 28)
    DENSE_CONV("1x1 64-256@56", 64, 56, 256, 1, 1, 0, 56)
    DENSE_CONV("1x1 256-64@56", 256, 56, 64, 1, 1, 0, 56)
    DENSE_CONV("1x1 512-512@14", 512, 14, 512, 1, 1, 0, 14)
    DENSE_CONV("1x1 1024-1024@7", 1024, 7, 1024, 1, 1, 0, 7)
    DENSE_CONV("1x1 24-144@56", 24, 56, 144, 1, 1, 0, 56)
    DEPTHWISE("dw 3x3 144@56", 144, 56, 3, 1, 1, 56)
    DEPTHWISE("dw 3x3/2 96@112", 96, 112, 3, 2, 1, 56)
    DEPTHWISE("dw 3x3 384@14", 384, 14, 3, 1, 1, 14)
    DEPTHWISE("dw 5x5 120@28", 120, 28, 5, 1, 2, 28)
    {"dense 1024-1000", "dense(1x1024,1000x1024!,1000!)->1x1000{rows=0}"},
};

struct options {
    int trials, turns;
    const char *word;
};

/* The fastest candidate found, and how to run it. */
struct best {
    const gt_template *tmpl;
    gt_layout in, out;
    gt_config config;
    double ns;
};

/* ---- finding it ---- */

static gt_status try_pair(struct best *best, const gt_bench_case *bench, const gt_workload *w, const gt_template *t, gt_layout in,
                          gt_layout out, int trials, const gt_device *device, const gt_measure_options *o)
{
    gt_status status = GT_OK;
    gt_config *configs = NULL;
    int n = 0;
    GT_TRY(gt_calloc(&configs, (size_t)trials, sizeof *configs));
    GT_TRY(gt_tune_sample(configs, &n, GT_STRATEGY_GRID, t, w, in, out, trials, 1));
    for (int i = 0; i < n; i++) {
        gt_record record = {0};
        GT_TRY(gt_measure_candidate(&record, bench, t, in, out, &configs[i], best->ns, device, o));
        double ns = record.timing.median_ns;
        if (record.status == GT_RECORD_OK && (best->ns == 0 || ns < best->ns)) {
            *best = (struct best){t, in, out, configs[i], ns};
        }
        gt_record_clear(&record);
    }
done:
    gt_free(configs);
    return status;
}

static gt_status find_best(struct best *best, const gt_workload *w, const gt_device *device, const struct options *options)
{
    gt_status status = GT_OK;
    gt_bench_case *bench = NULL;
    gt_measure_options o = gt_measure_defaults();
    o.min_time_ns /= 3;
    GT_TRY(gt_bench_case_create(&bench, w, &o));
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        for (gt_layout in = 0; in < GT_LAYOUT_COUNT; in++) {
            for (gt_layout out = 0; out < GT_LAYOUT_COUNT; out++) {
                if (!t->view && gt_template_supports(t, w, in, out)) {
                    GT_TRY(try_pair(best, bench, w, t, in, out, options->trials, device, &o));
                }
            }
        }
    }
done:
    gt_bench_case_destroy(bench);
    return status;
}

/* ---- against GEMM ---- */

/* A candidate and a matrix product, ready to run. */
struct race {
    gt_kernel *kernel;
    void *values[3];
    const void *consts[8], *in[8];
    void *out, *workspace;
    int64_t m, n, k;
    float *a, *b, *c;
};

static gt_status fill_new(float **data, int64_t count)
{
    gt_rng rng;
    gt_rng_seed(&rng, (uint64_t)count);
    gt_status status = gt_alloc_aligned(data, (size_t)count * sizeof **data);
    if (status == GT_OK) {
        gt_rng_fill(&rng, *data, (size_t)count, -1, 1);
    }
    return status;
}

static gt_status make_race(struct race *r, const gt_workload *w, const struct best *best)
{
    gt_status status = GT_OK;
    for (int i = 0; i < w->n_inputs && i < 3; i++) {
        const gt_operand *operand = &w->inputs[i];
        float *data = NULL;
        if (operand->present) {
            gt_layout layout = operand->constant ? GT_NCHW : gt_template_input_layout(w, best->in, best->out, i);
            GT_TRY(fill_new(&data, gt_layout_elems(layout, &operand->shape)));
            r->values[i] = data;
            *(operand->constant ? &r->consts[i] : &r->in[i]) = data;
        }
    }
    GT_TRY(gt_kernel_create(&r->kernel, best->tmpl, w, best->in, best->out, &best->config, r->consts, gt_isa_best()));
    GT_TRY(gt_alloc_aligned(&r->out, (size_t)gt_layout_elems(best->out, &w->output.shape) * sizeof(float)));
    GT_TRY(gt_alloc_aligned(&r->workspace, gt_kernel_workspace_bytes(r->kernel, 1)));
    r->m = w->inputs[1].shape.dim[0];
    r->k = gt_shape_elems(&w->inputs[1].shape) / r->m;
    r->n = gt_shape_elems(&w->output.shape) / r->m;
    GT_TRY(fill_new(&r->a, r->m * r->k));
    GT_TRY(fill_new(&r->b, r->k * r->n));
    GT_TRY(fill_new(&r->c, r->m * r->n));
done:
    return status;
}

static void end_race(struct race *r)
{
    gt_kernel_destroy(r->kernel);
    for (int i = 0; i < 3; i++) {
        gt_free(r->values[i]);
    }
    gt_free(r->out);
    gt_free(r->workspace);
    gt_free(r->a);
    gt_free(r->b);
    gt_free(r->c);
}

static void run_kernel(struct race *r)
{
    gt_kernel_run(r->kernel, r->in, r->out, NULL, r->workspace, NULL);
}

static void run_gemm(struct race *r)
{
    gt_blas_sgemm(r->c, r->n, r->a, r->k, false, r->b, r->n, false, r->m, r->n, r->k, false);
}

/* The mean of a turn's runs, in ns. */
static double take_turn(struct race *r, void (*run)(struct race *))
{
    int64_t runs = 0;
    run(r);
    int64_t start = gt_now_ns(), now = start;
    while (now - start < TURN_NS) {
        run(r);
        runs++;
        now = gt_now_ns();
    }
    return (double)(now - start) / (double)runs;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

/* *gemm_ns is 0 where there is no matrix product to compare with. */
static gt_status compare(double *kernel_ns, double *gemm_ns, double *ratio, const gt_workload *w, const struct best *best, int turns)
{
    gt_status status = GT_OK;
    struct race r = {0};
    double *samples = NULL;
    bool has_gemm = gt_blas_available() && !gt_workload_is_depthwise(w);
    GT_TRY(make_race(&r, w, best));
    GT_TRY(gt_calloc(&samples, 3 * (size_t)turns, sizeof *samples));
    for (int i = 0; i < turns; i++) {
        samples[i] = take_turn(&r, run_kernel);
        samples[turns + i] = has_gemm ? take_turn(&r, run_gemm) : 0;
        samples[2 * turns + i] = has_gemm ? samples[i] / samples[turns + i] : 0;
    }
    *kernel_ns = median(samples, turns);
    *gemm_ns = median(samples + turns, turns);
    *ratio = median(samples + 2 * turns, turns);
done:
    gt_free(samples);
    end_race(&r);
    return status;
}

/* ---- the table ---- */

static gt_status print_case(const struct bench_case *b, double peak, const gt_device *device, const struct options *options)
{
    gt_status status = GT_OK;
    gt_workload *w = NULL;
    gt_text config = {0};
    gt_space space;
    struct best best = {0};
    double kernel_ns = 0, gemm_ns = 0, ratio = 0;
    char time[32], gemm[32] = "-", times[16] = "-";
    GT_TRY(gt_workload_parse(&w, b->workload));
    GT_TRY(find_best(&best, w, device, options));
    GT_REQUIRE(best.tmpl != NULL, GT_ERROR_UNSUPPORTED, "%s: no candidate can be measured", b->name);
    GT_TRY(compare(&kernel_ns, &gemm_ns, &ratio, w, &best, options->turns));
    gt_template_space(best.tmpl, w, best.in, best.out, &space);
    GT_TRY(gt_config_format(&config, &space, &best.config));
    if (gemm_ns > 0) {
        gt_format_ns(gemm, sizeof gemm, gemm_ns);
        snprintf(times, sizeof times, "%.2f", ratio);
    }
    /* Winograd does with fewer multiplications, so that its share may be above 100 %. */
    printf("%-16s %10s %8.1f %6.1f %10s %8s  %-20s %s->%s {%s}\n", b->name, gt_format_ns(time, sizeof time, kernel_ns),
           2.0 * (double)gt_workload_macs(w) / kernel_ns, 100.0 * (double)gt_workload_macs(w) * 1e9 / kernel_ns / peak, gemm, times,
           best.tmpl->name, gt_layout_name(best.in), gt_layout_name(best.out), config.data != NULL ? config.data : "");
    fflush(stdout);
done:
    gt_text_destroy(&config);
    gt_workload_destroy(w);
    return status;
}

static gt_status run(const struct options *options)
{
    gt_status status = GT_OK;
    gt_device device;
    gt_isa isa = gt_isa_best();
    double peak = gt_fma_peak(isa);
    GT_TRY(gt_device_detect(&device));
    printf("One thread, %s; the multiply-add peak is %.1f GFLOP/s; gemm: OpenBLAS's product of the same size alone\n", gt_isa_name(isa),
           2e-9 * peak);
    printf("%-16s %10s %8s %6s %10s %8s  %-20s %s\n", "case", "time", "GFLOP/s", "peak %", "gemm", "x gemm", "template", "candidate");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (options->word == NULL || strstr(cases[i].name, options->word) != NULL) {
            GT_TRY(print_case(&cases[i], peak, &device, options));
        }
    }
done:
    return status;
}

static bool parse(struct options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int *number = strcmp(argv[i], "--trials") == 0 ? &options->trials : strcmp(argv[i], "--turns") == 0 ? &options->turns : NULL;
        if (number != NULL && i + 1 < argc) {
            *number = atoi(argv[++i]);
        } else if (number == NULL && argv[i][0] != '-') {
            options->word = argv[i];
        } else {
            return false;
        }
    }
    return options->trials >= 1 && options->trials <= MAX_TRIALS && options->turns >= 1 && options->turns <= MAX_TRIALS;
}

int main(int argc, char **argv)
{
    struct options options = {.trials = 12, .turns = 11};
    if (!parse(&options, argc, argv)) {
        fputs("usage: kernels [--trials N] [--turns N] [WORD]\n", stderr);
        return 2;
    }
    if (run(&options) != GT_OK) {
        fprintf(stderr, "kernels: %s\n", gt_error_message());
        return 1;
    }
    return 0;
}
