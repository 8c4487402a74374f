/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.gemm_1x1 and conv2d.im2col_gemm: convolutions through the GEMM library. */
#include "ops/conv_gemm.h"

#include "ops/blas.h"
#include "src/base/memory.h"

#include <string.h>

/* gemm_1x1 without a gather has no depth knob: the library blocks the reduction itself. */
enum { KNOB_PIXELS, KNOB_OC_CHUNK, KNOB_TRANSPOSED, KNOB_DEPTH };

/* A thread's patches: by default half of a small second-level cache, never more than 16 MiB. */
#define DEFAULT_PATCH_FLOATS ((int64_t)128 << 10)
#define MAX_PATCH_FLOATS ((int64_t)4 << 20)

static bool is_pointwise(const gt_workload *w)
{
    const int64_t *dim = w->inputs[1].shape.dim, *pad = w->attrs.conv.pad;
    return dim[2] == 1 && dim[3] == 1 && pad[0] == 0 && pad[1] == 0 && pad[2] == 0 && pad[3] == 0;
}

static bool is_in_place(const gt_workload *w)
{
    return is_pointwise(w) && w->attrs.conv.stride[0] == 1 && w->attrs.conv.stride[1] == 1;
}

static bool fits(const gt_workload *w, gt_layout in, gt_layout out)
{
    bool residual = w->epilogue.residual != GT_RESIDUAL_NONE;
    bool constant = w->inputs[0].constant || (residual && w->inputs[3].constant);
    return gt_blas_available() && !constant && in == out && !gt_layout_is_blocked(in);
}

static bool supports_1x1(const gt_workload *w, gt_layout in, gt_layout out)
{
    return fits(w, in, out) && is_pointwise(w) && w->attrs.conv.groups == 1;
}

/* What gemm_1x1 does is left to it. */
static bool supports_im2col(const gt_workload *w, gt_layout in, gt_layout out)
{
    return fits(w, in, out) && !(is_pointwise(w) && w->attrs.conv.groups == 1);
}

static int64_t pixel_count(const gt_workload *w, gt_layout in)
{
    const int64_t *dim = w->output.shape.dim;
    return dim[2] * dim[3] * (in == GT_NHWC ? dim[0] : 1);
}

static int64_t full_depth(const gt_workload *w)
{
    const int64_t *dim = w->inputs[1].shape.dim;
    return dim[1] * dim[2] * dim[3];
}

static void space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *space)
{
    int64_t pixels = pixel_count(w, in), depth = full_depth(w);
    int64_t kg = w->output.shape.dim[1] / w->attrs.conv.groups;
    (void)out;
    int64_t best = is_in_place(w) ? 1024 : 256;
    gt_knob *knob = gt_i_knob_begin(space, "pixels", gt_i_min(best, pixels));
    for (int64_t size = 64; size < pixels && size <= 4096; size *= 2) {
        gt_i_knob_add(knob, size);
    }
    if (pixels <= 4 * 4096) {
        gt_i_knob_add(knob, pixels);
    }
    knob = gt_i_knob_begin(space, "oc_chunk", kg);
    for (int64_t size = 32; size < kg && size <= 512; size *= 2) {
        gt_i_knob_add(knob, size);
    }
    space->knob[space->n++] = (gt_knob){.name = "transposed", .n = 2, .value = {0, 1}};
    if (!is_in_place(w)) {
        knob = gt_i_knob_begin(space, "depth", gt_i_min(depth, DEFAULT_PATCH_FLOATS / best));
        for (int64_t size = 128; size < depth && size <= 4096; size *= 2) {
            gt_i_knob_add(knob, size);
        }
        gt_i_knob_add(knob, depth);
    }
}

static bool valid(const gt_workload *w, gt_layout in, gt_layout out, const gt_config *config)
{
    (void)in;
    (void)out;
    return is_in_place(w) ||
           (int64_t)config->value[KNOB_PIXELS] * config->value[KNOB_DEPTH] <= MAX_PATCH_FLOATS;
}

/* Group by group either [kg][depth] or [depth][kg]. */
static void pack_weights(const gt_i_conv_gemm *p, float *packed, const float *weights)
{
    const gt_i_conv *v = &p->conv;
    bool depth_fast = p->channels_last == p->transposed;
    for (int64_t k = 0; k < v->k; k++) {
        float *group = packed + k / v->kg * v->kg * p->depth;
        int64_t j = k % v->kg;
        for (int64_t d = 0; d < p->depth; d++) {
            int64_t s = d % v->kw, r = d / v->kw % v->kh, c = d / v->kw / v->kh;
            if (p->channels_last) {
                c = d % v->cg, s = d / v->cg % v->kw, r = d / v->cg / v->kw;
            }
            group[depth_fast ? j * p->depth + d : d * v->kg + j] = gt_i_conv_weight(v, weights, k, c, r, s);
        }
    }
}

static void pack(const gt_i_conv_gemm *p, gt_kernel *k, const void *const *consts)
{
    memset(k->packed, 0, k->packed_bytes);
    pack_weights(p, k->packed, consts[1]);
    if (p->conv.bias) {
        memcpy((float *)k->packed + p->bias_offset, consts[2], (size_t)p->conv.k * sizeof(float));
    }
}

static void init(gt_i_conv_gemm *p, const gt_kernel *k)
{
    gt_i_conv_init(&p->conv, k->workload, k->in, k->out);
    p->channels_last = k->in == GT_NHWC;
    p->in_place = is_in_place(k->workload);
    p->transposed = k->config.value[KNOB_TRANSPOSED] != 0;
    p->depth = full_depth(k->workload);
    p->pixels = pixel_count(k->workload, k->in);
    p->pixel_chunk = gt_i_min(k->config.value[KNOB_PIXELS], p->pixels);
    p->oc_chunk = gt_i_min(k->config.value[KNOB_OC_CHUNK], p->conv.kg);
    p->depth_chunk = p->in_place ? p->depth : gt_i_min(k->config.value[KNOB_DEPTH], p->depth);
    p->pixel_chunks = gt_i_div_up(p->pixels, p->pixel_chunk);
    p->oc_chunks = gt_i_div_up(p->conv.kg, p->oc_chunk);
    p->bias_offset = gt_i_round_up(p->conv.k * p->depth, 16);
}

static gt_status prepare(gt_kernel *k, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    gt_i_conv_gemm *p = NULL;
    GT_TRY(gt_calloc(&k->params, 1, sizeof *p));
    p = k->params;
    init(p, k);
    GT_TRY(gt_i_kernel_room(k, (size_t)(p->bias_offset + p->conv.k) * sizeof(float)));
    if (k->adopted == NULL) {
        pack(p, k, consts);
    }
    k->tasks[0] = p->pixel_chunks * p->oc_chunks * p->conv.groups * (p->channels_last ? 1 : p->conv.n);
    k->thread_bytes = p->in_place ? 0 : (size_t)(p->pixel_chunk * p->depth_chunk) * sizeof(float);
    k->run = gt_i_kernel(GT_K_conv2d_gemm_f32, isa);
done:
    return status;
}

const gt_template gt_i_template_conv2d_gemm_1x1 = {
    .name = "conv2d.gemm_1x1",
    .kind = GT_OP_CONV2D,
    .rev = 1,
    .supports = supports_1x1,
    .space = space,
    .valid = valid,
    .prepare = prepare,
};

const gt_template gt_i_template_conv2d_im2col_gemm = {
    .name = "conv2d.im2col_gemm",
    .kind = GT_OP_CONV2D,
    .rev = 1,
    .supports = supports_im2col,
    .space = space,
    .valid = valid,
    .prepare = prepare,
};
