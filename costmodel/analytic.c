/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/analytic_internal.h"

#include <math.h>
#include <string.h>

#define CALL_CYCLES 20
#define L1_BYTES_PER_CYCLE 64
#define L2_BYTES_PER_CYCLE 16
#define MEMORY_BYTES_PER_CYCLE 8

static const struct {
    const char *name;
    gt_i_describe_fn describe;
} descriptions[] = {
    {"conv2d.direct", gt_i_describe_conv_direct},
    {"conv2d.gemm_1x1", gt_i_describe_conv_gemm},
    {"conv2d.im2col_gemm", gt_i_describe_conv_gemm},
    {"conv2d.winograd_f2", gt_i_describe_winograd},
    {"conv2d.winograd_f4", gt_i_describe_winograd},
    {"conv2d.winograd_f6", gt_i_describe_winograd},
    {"conv2d_pointwise.strip", gt_i_describe_pair},
    {"conv2d_pool2d.strip", gt_i_describe_pair},
    {"conv_transpose2d.direct", gt_i_describe_conv_transpose},
    {"dense.direct", gt_i_describe_product_direct},
    {"dense.gemm", gt_i_describe_product_gemm},
    {"depthwise.direct", gt_i_describe_depthwise},
    {"matmul.direct", gt_i_describe_product_direct},
    {"matmul.gemm", gt_i_describe_product_gemm},
};

gt_machine gt_machine_of(const gt_device *device, gt_isa isa, int threads)
{
    bool many = isa == GT_ISA_AVX512 || strcmp(device->arch, "aarch64") == 0;
    const gt_core_class *best = NULL;
    for (int i = 0; i < device->n_classes; i++) {
        if (best == NULL || device->classes[i].max_khz > best->max_khz) {
            best = &device->classes[i];
        }
    }
    return (gt_machine){
        .lanes = (int)gt_i_isa_lanes(isa),
        .registers = many ? 32 : 16,
        .threads = threads,
        .l1_bytes = best != NULL && best->l1d_bytes > 0 ? (double)best->l1d_bytes : 32 << 10,
        .l2_bytes = best != NULL && best->l2_bytes > 0 ? (double)best->l2_bytes : 1 << 20,
        .l3_bytes = best != NULL ? (double)best->l3_bytes : 0,
    };
}

int64_t gt_i_knob_value(const gt_i_loops *c, const char *name, int64_t otherwise)
{
    for (int i = 0; i < c->space->n; i++) {
        if (strcmp(c->space->knob[i].name, name) == 0) {
            return c->config->value[i];
        }
    }
    return otherwise;
}

double gt_i_refill(double bytes, double passes, double between_bytes, double cache_bytes)
{
    return bytes * (between_bytes <= cache_bytes / 2 ? 1 : fmax(passes, 1));
}

void gt_i_add_stream(gt_nest *nest, const gt_machine *m, double bytes, double passes, double between_bytes)
{
    double last = m->l3_bytes > 0 ? m->l3_bytes : m->l2_bytes;
    nest->l1_bytes += gt_i_refill(bytes, passes, between_bytes, m->l1_bytes);
    nest->l2_bytes += gt_i_refill(bytes, passes, between_bytes, m->l2_bytes);
    if (between_bytes > last / 2) {
        nest->memory_bytes += bytes * fmax(passes, 1);
    }
}

double gt_i_step_cycles(double vectors, double positions)
{
    return fmax(fmax(vectors * positions, vectors + positions), GT_I_ACCUMULATORS);
}

gt_i_family gt_i_family_of(const gt_machine *m)
{
    return m->lanes == 16 ? GT_I_AVX512 : m->lanes == 8 ? GT_I_AVX2 : m->registers >= 32 ? GT_I_NEON : GT_I_SSE;
}

const double *gt_i_product_rows(const gt_machine *m)
{
    static const double rows[GT_I_FAMILIES][5] = {
        [GT_I_SSE] = {0, 8, 4, 0, 2},
        [GT_I_NEON] = {0, 12, 8, 0, 4},
        [GT_I_AVX2] = {0, 12, 6, 0, 3},
        [GT_I_AVX512] = {0, 12, 12, 0, 6},
    };
    return rows[gt_i_family_of(m)];
}

void gt_i_add_product(gt_nest *nest, const gt_machine *m, const double most_rows[5], double rows, double columns, double depth,
                      int vectors, double times)
{
    double left = ceil(columns / m->lanes);
    while (left > 0) {
        int width = vectors <= left ? vectors : left >= 2 ? 2 : 1;
        double panels = floor(left / width), groups = ceil(rows / most_rows[width]), height = rows / groups;
        nest->fma += times * panels * rows * width * depth;
        nest->loads += times * panels * groups * (width + height) * depth;
        nest->inner += times * panels * groups * gt_i_step_cycles(width, height) * depth;
        nest->calls += times * panels * groups;
        left -= panels * width;
    }
}

void gt_nest_describe(gt_nest *nest, const gt_machine *machine, const gt_template *t, const gt_workload *w, gt_layout in,
                      gt_layout out, const gt_space *space, const gt_config *config)
{
    const gt_i_loops c = {machine, t, w, in, out, config, space};
    *nest = (gt_nest){.macs = (double)gt_workload_macs(w), .tasks = 1};
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++) {
        if (strcmp(descriptions[i].name, t->name) == 0) {
            descriptions[i].describe(nest, &c);
            return;
        }
    }
    gt_i_describe_moves(nest, &c);
}

double gt_nest_cycles(const gt_nest *nest, const gt_machine *machine)
{
    double work = nest->inner + nest->around + nest->calls * CALL_CYCLES;
    double moves = nest->l1_bytes / L1_BYTES_PER_CYCLE + nest->l2_bytes / L2_BYTES_PER_CYCLE +
                   nest->memory_bytes / MEMORY_BYTES_PER_CYCLE;
    double rounds = ceil(nest->tasks / machine->threads);
    return (work + moves) * rounds / fmax(nest->tasks, 1);
}
