/* SPDX-License-Identifier: Apache-2.0 */
/* Two ops done as one, strip by strip: cases, knobs, preparing and running. The method is described in ops/pair.h. */
#include "ops/conv_common.h"
#include "ops/pair.h"

#include <string.h>

/* What a strip's buffer may take by default: it stays in the second-level cache beside the weights. */
#define BUFFER_BYTES (64 * 1024)

extern const gt_template gt_i_template_depthwise_direct, gt_i_template_conv2d_direct, gt_i_template_pool_direct;

typedef gt_status (*prepare_fn)(gt_kernel *kernel, const void *const *consts, gt_isa isa, const gt_i_strip *strip);

/* A knob of the pair that is one of its ops'. */
struct part_knob {
    const char *name;
    bool second;
    const char *of; /* its name there */
};

#define MAX_PART_KNOBS (GT_MAX_KNOBS - 1)
static const struct recipe {
    const gt_template *first, *second;
    prepare_fn prepare_first, prepare_second;
    struct part_knob knob[MAX_PART_KNOBS];
} pointwise = {&gt_i_template_depthwise_direct, &gt_i_template_conv2d_direct, gt_i_depthwise_prepare_strip, gt_i_direct_prepare_strip,
               {{"dw_ow_tile", false, "ow_tile"}, {"dw_rows", false, "rows"}, {"oc_vectors", true, "oc_vectors"},
                {"ow_tile", true, "ow_tile"}, {"ic_chunk", true, "ic_chunk"}, {"oc_block", true, "oc_block"}}},
  pool = {&gt_i_template_conv2d_direct, &gt_i_template_pool_direct, gt_i_direct_prepare_strip, gt_i_pool_prepare_strip,
          {{"oc_vectors", false, "oc_vectors"}, {"ow_tile", false, "ow_tile"}, {"ic_chunk", false, "ic_chunk"},
           {"oc_block", false, "oc_block"}}};

static const struct recipe *recipe_of(const gt_workload *w)
{
    return w->kind == GT_OP_CONV2D_POINTWISE ? &pointwise : &pool;
}

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    const struct recipe *r = recipe_of(w);
    gt_pair_parts parts;
    gt_pair_split(&parts, w);
    return in == out && w->output.shape.dim[0] <= INT32_MAX && gt_template_supports(r->first, &parts.first, in, in) &&
           gt_template_supports(r->second, &parts.second, in, out);
}

/* ---- strips ---- */

/* The rows of the first op's output that one row of the second one's reads: row * stride - pad, and how many. */
struct window {
    int64_t stride, pad, rows;
};

static struct window window_of(const gt_workload *w)
{
    if (w->kind == GT_OP_CONV2D_POINTWISE) {
        return (struct window){.stride = 1, .rows = 1};
    }
    return (struct window){w->attrs.pair.pool_stride[0], w->attrs.pair.pool_pad[0],
                           (w->attrs.pair.kernel[0] - 1) * w->attrs.pair.pool_dilation[0] + 1};
}

/* Rows of the first op's output under `rows` rows of the second one's. */
static int64_t buffer_rows(const struct window *window, int64_t rows, int64_t height)
{
    return gt_i_min((rows - 1) * window->stride + window->rows, height);
}

static int64_t default_rows(const gt_workload *w, const gt_shape *middle)
{
    const struct window window = window_of(w);
    const int64_t row_bytes = middle->dim[1] * middle->dim[3] * (int64_t)sizeof(float);
    int64_t rows = 1;
    while (2 * rows < w->output.shape.dim[2] && buffer_rows(&window, 2 * rows, middle->dim[2]) * row_bytes <= BUFFER_BYTES) {
        rows *= 2;
    }
    return rows;
}

/* ---- the config space ---- */

static int find_knob(const gt_space *space, const char *name)
{
    int i = 0;
    while (i < space->n && strcmp(space->knob[i].name, name) != 0) {
        i++;
    }
    return i < space->n ? i : -1;
}

static void part_spaces(gt_space *first, gt_space *second, const gt_workload *w, gt_layout layout)
{
    gt_pair_parts parts;
    gt_pair_split(&parts, w);
    gt_template_space(recipe_of(w)->first, &parts.first, layout, layout, first);
    gt_template_space(recipe_of(w)->second, &parts.second, layout, layout, second);
}

static void space(const gt_workload *w, gt_layout in, gt_layout out, gt_space *to)
{
    const struct recipe *r = recipe_of(w);
    const gt_shape middle = gt_pair_middle(w);
    gt_space part[2];
    (void)out;
    part_spaces(&part[0], &part[1], w, in);
    to->n = 1;
    to->knob[0] = (gt_knob){.name = "rows", .n = 1, .value = {(int32_t)default_rows(w, &middle)}};
    for (int64_t rows = 1; rows <= 32 && rows < w->output.shape.dim[2]; rows *= 2) {
        if (rows != to->knob[0].value[0]) {
            to->knob[0].value[to->knob[0].n++] = (int32_t)rows;
        }
    }
    for (int i = 0; i < MAX_PART_KNOBS && r->knob[i].name != NULL; i++) {
        const gt_space *from = &part[r->knob[i].second];
        const int k = find_knob(from, r->knob[i].of);
        if (k >= 0) {
            to->knob[to->n] = from->knob[k];
            to->knob[to->n++].name = r->knob[i].name;
        }
    }
}

/* The configs of the two: the pair's values where it has them, otherwise the defaults. */
static void part_configs(gt_config config[2], const gt_workload *w, gt_layout layout, const gt_config *pair)
{
    const struct recipe *r = recipe_of(w);
    gt_space part[2];
    int at = 1;
    part_spaces(&part[0], &part[1], w, layout);
    gt_space_point(&part[0], 0, &config[0]);
    gt_space_point(&part[1], 0, &config[1]);
    for (int i = 0; i < MAX_PART_KNOBS && r->knob[i].name != NULL; i++) {
        const int k = find_knob(&part[r->knob[i].second], r->knob[i].of);
        if (k >= 0) {
            config[r->knob[i].second].value[k] = pair->value[at++];
        }
    }
}

static bool valid(const gt_workload *w, gt_layout in, gt_layout out, const gt_config *config)
{
    const struct recipe *r = recipe_of(w);
    gt_config part[2];
    gt_pair_parts parts;
    gt_pair_split(&parts, w);
    part_configs(part, w, in, config);
    return (r->first->valid == NULL || r->first->valid(&parts.first, in, in, &part[0])) &&
           (r->second->valid == NULL || r->second->valid(&parts.second, in, out, &part[1]));
}

void gt_i_pair_look(gt_i_pair_candidates *c, const gt_workload *w, gt_layout layout, const gt_config *config)
{
    const int64_t height = w->output.shape.dim[2], rows = gt_i_min(config->value[0], height);
    gt_pair_split(&c->parts, w);
    c->tmpl[0] = recipe_of(w)->first;
    c->tmpl[1] = recipe_of(w)->second;
    part_spaces(&c->space[0], &c->space[1], w, layout);
    part_configs(c->config, w, layout, config);
    c->strips = w->output.shape.dim[0] * gt_i_div_up(height, rows);
}

/* ---- preparing ---- */

struct pair {
    gt_pair_parts parts;
    gt_kernel first, second; /* of rows; what they pack lies in the pair's kernel, the second one's from second_at on */
    size_t second_at;
    struct window window;
    int64_t height;         /* rows of the first op's output */
    int64_t rows, strips;   /* rows of the output in a strip; strips of an image */
    gt_strides buffer;
    int64_t planes;         /* of the buffer, buffer.block_stride apart */
    size_t scratch_at;      /* bytes of a thread's scratch before what the two use */
    bool moves;             /* the second one's output and residual are given from the strip's first row on */
    int64_t y_h;            /* from output row to output row */
};

static size_t align_up(size_t bytes)
{
    return (size_t)gt_i_round_up((int64_t)bytes, GT_ALIGN_BYTES);
}

static void set_strips(struct pair *p, gt_kernel *kernel)
{
    const gt_workload *w = kernel->workload;
    gt_shape strip = p->parts.first.output.shape;
    p->window = window_of(w);
    p->height = strip.dim[2];
    p->rows = gt_i_min(kernel->config.value[0], w->output.shape.dim[2]);
    p->strips = gt_i_div_up(w->output.shape.dim[2], p->rows);
    strip.dim[0] = 1;
    strip.dim[2] = buffer_rows(&p->window, p->rows, p->height);
    p->buffer = gt_layout_strides(kernel->in, &strip);
    p->buffer.n = 0;
    p->planes = kernel->in == GT_NHWC ? 1 : p->buffer.blocks;
    p->scratch_at = align_up((size_t)gt_layout_elems(kernel->in, &strip) * sizeof(float));
    p->moves = w->kind == GT_OP_CONV2D_POINTWISE;
    p->y_h = gt_layout_strides(kernel->out, &w->output.shape).h;
    kernel->tasks[0] = w->output.shape.dim[0] * p->strips;
}

/* One of the two, which packs its constants for itself, or finds them behind `adopted`. */
static gt_status prepare_part(gt_kernel *part, const gt_template *t, const gt_workload *w, const gt_kernel *kernel,
                              const gt_config *config, prepare_fn prepare, const void *const *consts, gt_isa isa,
                              const gt_i_strip *strip)
{
    part->tmpl = t;
    part->workload = w;
    part->in = kernel->in;
    part->out = kernel->out;
    part->config = *config;
    part->n_phases = 1;
    return prepare(part, consts, isa, strip);
}

static gt_status prepare_parts(struct pair *p, const gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    const struct recipe *r = recipe_of(kernel->workload);
    const gt_i_strip write = {.rows = buffer_rows(&p->window, p->rows, p->height), .y = &p->buffer};
    const gt_i_strip read = {.rows = p->rows, .x = &p->buffer};
    const void *first[4] = {NULL, consts[1], consts[2], NULL};
    const void *second[4] = {NULL};
    gt_config config[2];
    part_configs(config, kernel->workload, kernel->in, &kernel->config);
    for (int i = 3; i < kernel->workload->n_inputs && i < 5; i++) {
        second[i - 2] = consts[i];
    }
    if (kernel->adopted != NULL) {
        p->first.adopted = kernel->adopted;
        p->first.adopted_bytes = p->second.adopted_bytes = GT_I_ADOPT_ANY;
    }
    GT_TRY(prepare_part(&p->first, r->first, &p->parts.first, kernel, &config[0], r->prepare_first, first, isa, &write));
    p->second_at = align_up(p->first.packed_bytes);
    if (kernel->adopted != NULL) {
        p->second.adopted = (const void *)((uintptr_t)kernel->adopted + p->second_at);
    }
    GT_TRY(prepare_part(&p->second, r->second, &p->parts.second, kernel, &config[1], r->prepare_second, second, isa, &read));
    GT_VERIFY(p->first.shared_bytes == 0 && p->second.shared_bytes == 0);
done:
    return status;
}

/* Puts what the two have packed side by side. */
static gt_status gather_packed(gt_kernel *kernel, struct pair *p)
{
    gt_status status = GT_OK;
    gt_kernel *part[2] = {&p->first, &p->second};
    GT_TRY(gt_i_kernel_room(kernel, p->second_at + p->second.packed_bytes));
    for (int i = 0; i < 2 && kernel->adopted == NULL; i++) {
        char *to = (char *)kernel->packed + (i == 0 ? 0 : p->second_at);
        if (part[i]->packed_bytes > 0) {
            memcpy(to, part[i]->packed, part[i]->packed_bytes);
        }
        if (i == 0) {
            memset(to + p->first.packed_bytes, 0, p->second_at - p->first.packed_bytes);
        }
        gt_free(part[i]->packed);
        part[i]->packed = NULL;
    }
done:
    return status;
}

static void clear(gt_kernel *kernel)
{
    struct pair *p = kernel->params;
    gt_kernel *part[2] = {&p->first, &p->second};
    for (int i = 0; i < 2; i++) {
        gt_free(part[i]->adopted == NULL ? part[i]->packed : NULL);
        gt_free(part[i]->params);
    }
}

/* ---- running ---- */

/* Rows [begin, end) of the first op's output in the buffer. */
struct filled {
    int64_t image, begin, end;
};

/* Moves the buffer's rows from `begin` on to its beginning. */
static void keep_rows(const struct pair *p, float *buffer, struct filled *have, int64_t begin)
{
    const size_t bytes = (size_t)((have->end - begin) * p->buffer.h) * sizeof *buffer;
    for (int64_t i = 0; i < p->planes && have->begin != begin; i++) {
        float *plane = buffer + i * p->buffer.block_stride;
        memmove(plane, plane + (begin - have->begin) * p->buffer.h, bytes);
    }
    have->begin = begin;
}

static void fill_buffer(const struct pair *p, const gt_args *args, float *buffer, struct filled *have, int64_t row, int64_t end)
{
    int64_t begin = row * p->window.stride - p->window.pad;
    int64_t behind = (end - 1) * p->window.stride - p->window.pad + p->window.rows;
    begin = gt_i_min(gt_i_max(begin, 0), p->height);
    behind = gt_i_min(gt_i_max(begin, behind), p->height);
    if (begin >= have->begin && begin < have->end) {
        keep_rows(p, buffer, have, begin);
    } else {
        have->begin = have->end = begin;
    }
    if (behind > have->end) {
        const void *in[4] = {args->in[0]};
        const gt_args part = {.in = in, .out = buffer + (have->end - begin) * p->buffer.h, .packed = args->packed,
                              .scratch = (char *)args->scratch + p->scratch_at};
        p->first.run(&p->first, &part, (int)have->image, have->end, behind);
        have->end = behind;
    }
}

static void run_second(const struct pair *p, const gt_kernel *kernel, const gt_args *args, const float *buffer,
                       const struct filled *have, int64_t row, int64_t end)
{
    const int64_t moved = p->moves ? row * p->y_h : 0;
    const void *in[4] = {p->moves ? buffer : gt_i_strip_row(buffer, -have->begin * p->buffer.h)};
    if (kernel->workload->epilogue.residual != GT_RESIDUAL_NONE) {
        in[3] = gt_i_strip_row(args->in[5], moved);
    }
    const gt_args part = {.in = in, .out = gt_i_strip_row(args->out, moved), .packed = (const char *)args->packed + p->second_at,
                          .scratch = (char *)args->scratch + p->scratch_at};
    p->second.run(&p->second, &part, (int)have->image, row, end);
}

static void run(const gt_kernel *kernel, const gt_args *args, int phase, int64_t begin, int64_t end)
{
    const struct pair *p = kernel->params;
    float *buffer = args->scratch;
    struct filled have = {.image = -1};
    (void)phase;
    for (int64_t task = begin; task < end; task++) {
        const int64_t image = task / p->strips, row = task % p->strips * p->rows;
        const int64_t behind = gt_i_min(row + p->rows, kernel->workload->output.shape.dim[2]);
        if (image != have.image) {
            have = (struct filled){.image = image};
        }
        fill_buffer(p, args, buffer, &have, row, behind);
        run_second(p, kernel, args, buffer, &have, row, behind);
    }
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    gt_status status = GT_OK;
    struct pair *p = NULL;
    GT_TRY(gt_calloc(&p, 1, sizeof *p));
    kernel->params = p;
    gt_pair_split(&p->parts, kernel->workload);
    set_strips(p, kernel);
    GT_TRY(prepare_parts(p, kernel, consts, isa));
    GT_TRY(gather_packed(kernel, p));
    kernel->thread_bytes = p->scratch_at + (size_t)gt_i_max((int64_t)p->first.thread_bytes, (int64_t)p->second.thread_bytes);
    kernel->run = run;
done:
    return status;
}

#define STRIP_TEMPLATE(variable, of, op_kind)                                                                                     \
    const gt_template gt_i_template_##variable = {                                                                                \
        .name = of ".strip",                                                                                                      \
        .kind = op_kind,                                                                                                          \
        .rev = 1,                                                                                                                 \
        .supports = supports,                                                                                                     \
        .space = space,                                                                                                           \
        .valid = valid,                                                                                                           \
        .prepare = prepare,                                                                                                       \
        .clear = clear,                                                                                                           \
    }
STRIP_TEMPLATE(pointwise_strip, "conv2d_pointwise", GT_OP_CONV2D_POINTWISE);
STRIP_TEMPLATE(pool_strip, "conv2d_pool2d", GT_OP_CONV2D_POOL2D);

/* ---- the first op of a pair ---- */

static bool inside_supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return in == out && !w->inputs[0].constant && w->epilogue.residual == GT_RESIDUAL_NONE;
}

const gt_template gt_i_template_conv2d_inside = {
    .name = "conv2d.inside",
    .kind = GT_OP_CONV2D,
    .rev = 1,
    .view = true,
    .inside = true,
    .supports = inside_supports,
};
