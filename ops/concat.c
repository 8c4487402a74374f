/* SPDX-License-Identifier: Apache-2.0 */
/* concat.direct: runs of the inputs copied one after another. In blocked layouts channels that do not start
 * at a block boundary move between lanes (ops/general_common_move.h). concat.in_place: where there is one run of each input,
 * whoever makes the inputs may write them there to begin with. */
#include "ops/concat.h"
#include "ops/general_common_move.h"
#include "ops/kernels.h"

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return in == out && (in == GT_NCHW || (w->output.shape.rank == 4 && w->output.dtype == GT_F32));
}

static void space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *s)
{
    (void)w;
    (void)in;
    (void)out;
    s->n = 1;
    s->knob[0] = (gt_knob){"chunk", 3, {65536, 16384, 262144}};
}

/* Whether blocks of channels stay blocks: all but the last input end on a block boundary. */
static bool is_aligned(const gt_workload *w, int64_t block)
{
    for (int i = 0; i + 1 < w->n_inputs; i++) {
        if (w->inputs[i].shape.dim[1] % block != 0) {
            return false;
        }
    }
    return true;
}

/* Bytes of an input's run: what of it lies in one of the `outer` stretches. */
static int64_t run_bytes(const gt_workload *w, gt_layout layout, int i, int64_t outer)
{
    const gt_operand *input = &w->inputs[i];
    gt_layout own = input->shape.rank == 4 ? layout : GT_NCHW;
    return gt_layout_elems(own, &input->shape) / outer * (int64_t)gt_dtype_bytes(input->dtype);
}

static int64_t outer_of(const gt_workload *w, gt_layout layout)
{
    int64_t axis = w->attrs.axis.axis;
    bool blocks = gt_layout_is_blocked(layout) && axis == 1;
    return blocks ? w->output.shape.dim[0] : gt_i_axis_view_of(layout, &w->output.shape, axis).outer;
}

static gt_status prepare_runs(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    size_t n = (size_t)w->n_inputs;
    gt_status status = gt_calloc(&kernel->params, 1, sizeof(gt_i_concat) + 3 * n * sizeof(int64_t));
    if (status != GT_OK) {
        return status;
    }
    gt_i_concat *p = kernel->params;
    int64_t *run = (int64_t *)(p + 1);
    int64_t *position = run + n;
    int64_t *at = position + n;
    *p = (gt_i_concat){.outer = outer_of(w, kernel->in), .n_inputs = w->n_inputs, .run = run,
                       .position = position,
                       .at = at};
    for (int i = 0; i < w->n_inputs; i++) {
        run[i] = run_bytes(w, kernel->in, i, p->outer);
        position[i] = p->stretch;
        p->stretch += run[i];
    }
    p->piece = kernel->config.value[0];
    p->pieces = gt_i_ceil_div(p->stretch, p->piece);
    p->per_task = p->pieces > 1 ? 1 : p->piece / p->stretch;
    kernel->tasks[0] = p->pieces > 1 ? p->outer * p->pieces : gt_i_ceil_div(p->outer, p->per_task);
    kernel->run = gt_i_kernel(GT_K_concat_direct, isa);
    return gt_i_pack_inputs(kernel, consts, at);
}

static gt_status prepare_lanes(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    const gt_workload *w = kernel->workload;
    gt_i_move_spec spec = {0};
    int32_t *input = NULL;
    int64_t *channels = NULL;
    GT_TRY(gt_i_move_spec_create(&spec, kernel, &w->output.shape));
    GT_TRY(gt_calloc(&input, (size_t)spec.out.c, sizeof *input));
    GT_TRY(gt_calloc(&channels, (size_t)w->n_inputs, sizeof *channels));
    spec.input = input;
    spec.channels = channels;
    spec.n_inputs = w->n_inputs;
    int64_t count[4] = {spec.out.n, 0, spec.out.h, spec.out.w};
    for (int d = 0; d < 4; d++) {
        for (int64_t i = 0; i < count[d]; i++) {
            spec.map[d][i] = i;
        }
    }
    int64_t c = 0;
    for (int i = 0; i < w->n_inputs; i++) {
        channels[i] = w->inputs[i].shape.dim[1];
        for (int64_t j = 0; j < channels[i]; j++, c++) {
            spec.map[1][c] = j;
            input[c] = i;
        }
    }
    GT_TRY(gt_i_move_prepare(kernel, &spec, consts, isa));
done:
    gt_i_move_spec_clear(&spec);
    gt_free(input);
    gt_free(channels);
    return status;
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    const gt_workload *w = kernel->workload;
    bool runs = w->attrs.axis.axis != 1 || is_aligned(w, gt_layout_block(kernel->in));
    return runs ? prepare_runs(kernel, consts, isa) : prepare_lanes(kernel, consts, isa);
}

const gt_template gt_i_template_concat_direct = {
    .name = "concat.direct",
    .kind = GT_OP_CONCAT,
    .rev = 1,
    .supports = supports,
    .space = space,
    .prepare = prepare,
};

/* ---- in place ---- */

/* Kernels are measured on tensors that start at a multiple of GT_ALIGN_BYTES, so every input has to. */
static bool starts_are_aligned(const gt_workload *w, gt_layout layout)
{
    int64_t position = 0;
    for (int i = 0; i < w->n_inputs; i++) {
        if (position % GT_ALIGN_BYTES != 0) {
            return false;
        }
        position += run_bytes(w, layout, i, 1);
    }
    return true;
}

static bool has_constants(const gt_workload *w)
{
    for (int i = 0; i < w->n_inputs; i++) {
        if (w->inputs[i].constant) {
            return true;
        }
    }
    return false;
}

static bool in_place_supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    bool blocks_stay = w->attrs.axis.axis != 1 || is_aligned(w, gt_layout_block(in));
    return supports(w, in, out) && !has_constants(w) && blocks_stay && outer_of(w, in) == 1 && starts_are_aligned(w, in);
}

const gt_template gt_i_template_concat_in_place = {
    .name = "concat.in_place",
    .kind = GT_OP_CONCAT,
    .rev = 1,
    .view = true,
    .in_place = true,
    .supports = in_place_supports,
};
