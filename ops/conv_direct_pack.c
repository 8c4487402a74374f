/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.direct: the list of reduction steps, and the weights in its order. See ops/conv_direct.h. */
#include "ops/conv_direct.h"

#include <string.h>

/* ---- the reduction list ---- */

struct list {
    const gt_i_direct *d;
    gt_i_direct_step *steps;
    int64_t count;
    bool quads; /* 4 channels of a group always lie side by side where a quad takes them */
};

/* In the last quad of a blocked layout some channels may be padding, which is zero. */
static bool has_quads(const gt_i_direct *d)
{
    const gt_i_conv *v = &d->conv;
    return d->channels_last || (v->x.block > 1 && (v->groups == 1 || v->cg % GT_I_DIRECT_QUAD == 0));
}

/* Whether the columns of a kernel row follow each other without a gap, so that they are one stretch of values. */
static bool is_joined(const gt_i_direct *d)
{
    return d->channels_last && d->conv.dw == 1 && d->view_w == d->conv.cg;
}

/* The steps of one kind for values [begin, end), which lie side by side; value i is channel i % cg of a column that
 * many columns further. */
static void list_stretch(struct list *l, int64_t row, int64_t column, int64_t begin, int64_t end, bool quad)
{
    const int64_t cg = l->d->conv.cg, size = GT_I_DIRECT_QUAD, values = quad ? size : 1;
    const int64_t quads = !l->quads ? 0 : l->d->channels_last ? (end - begin) / size : gt_i_div_up(end - begin, size);
    const int64_t covered = begin + quads * size;
    for (int64_t i = quad ? begin : covered; i < (quad ? covered : end); i += values) {
        l->steps[l->count++] = (gt_i_direct_step){i % cg, row, column + i / cg, values};
    }
}

/* One kernel row of channels [begin, end), as the input lies in memory. */
static void list_row(struct list *l, int64_t row, int64_t begin, int64_t end, bool quad)
{
    const gt_i_conv *v = &l->d->conv;
    const int64_t block = l->d->channels_last ? end - begin : v->x.block;
    if (is_joined(l->d) && end - begin == v->cg) {
        list_stretch(l, row, 0, 0, v->kw * v->cg, quad);
        return;
    }
    for (int64_t outer = begin; outer < end; outer += block) {
        for (int64_t column = 0; column < v->kw; column++) {
            list_stretch(l, row, column, outer, gt_i_min(outer + block, end), quad);
        }
    }
}

/* Returns the rows of weights up to the part's end. */
static int64_t list_part(struct list *l, gt_i_direct_part *part, int64_t begin, int64_t end, bool quad, int64_t weights)
{
    const int64_t kh = l->d->conv.kh, first = l->count;
    for (int64_t row = 0; row < kh; row++) {
        list_row(l, row, begin, end, quad);
    }
    *part = (gt_i_direct_part){.row_steps = (l->count - first) / kh, .first = first, .weights = weights};
    return weights + (l->count - first) * (quad ? GT_I_DIRECT_QUAD : 1);
}

void gt_i_direct_list(gt_i_direct *d, gt_i_direct_chunk *chunks, gt_i_direct_step *steps, int64_t chunk_channels)
{
    struct list l = {.d = d, .steps = steps, .quads = has_quads(d)};
    int64_t weights = 0;
    d->n_chunks = 0;
    for (int64_t c = 0; c < d->conv.cg; c += chunk_channels) {
        gt_i_direct_chunk *chunk = &chunks[d->n_chunks++];
        const int64_t end = gt_i_min(c + chunk_channels, d->conv.cg);
        weights = list_part(&l, &chunk->quad, c, end, true, weights);
        weights = list_part(&l, &chunk->one, c, end, false, weights);
    }
    d->table_steps = l.count;
    d->tile_floats = (d->packed_tile + weights) * d->vectors * d->lanes;
    d->group_floats = (d->packed_tile + weights) * d->group_vectors * d->lanes;
}

void gt_i_direct_fill_offsets(const gt_i_direct *d, int32_t *offsets, const gt_i_direct_step *steps)
{
    const gt_i_conv *v = &d->conv;
    for (int64_t group = 0; group < d->tables; group++) {
        /* Channels count from the first block that the group touches. */
        const int64_t skipped = group * v->cg - gt_i_direct_first_block(d, group) * v->x.block;
        for (int64_t i = 0; i < d->table_steps; i++) {
            const int64_t c = skipped + steps[i].channel;
            offsets[group * d->table_steps + i] =
                (int32_t)(c / v->x.block * d->view_block + c % v->x.block + steps[i].row * v->dh * d->view_h +
                          steps[i].column * v->dw * d->view_w);
        }
    }
}

/* ---- packing ---- */

/* Value i of a step for output channel k; zero in the channel padding. */
static float step_weight(const gt_i_direct *d, const float *weights, const gt_i_direct_step *step, int64_t i, int64_t k)
{
    const gt_i_conv *v = &d->conv;
    int64_t c = step->channel + i, column = step->column;
    if (d->channels_last) {
        column += c / v->cg;
        c %= v->cg;
    }
    return c < v->cg ? gt_i_conv_weight(v, weights, k, c, step->row, column) : 0;
}

/* One register tile: output channels [first, first + count) of a group. */
static float *pack_tile(const gt_i_direct *d, float *to, const gt_i_direct_step *steps, const float *weights,
                        const float *bias, int64_t group, int64_t first, int64_t count)
{
    const int64_t k0 = group * d->conv.kg + first, valid = gt_i_min(count, d->conv.kg - first);
    for (int64_t t = 0; t < d->packed_tile; t++, to += count) {
        for (int64_t k = 0; k < count; k++) {
            to[k] = bias != NULL && k < valid ? bias[k0 + k] : 0;
        }
    }
    for (int64_t s = 0; s < d->table_steps; s++) {
        for (int64_t i = 0; i < steps[s].values; i++, to += count) {
            for (int64_t k = 0; k < count; k++) {
                to[k] = k < valid ? step_weight(d, weights, &steps[s], i, k0 + k) : 0;
            }
        }
    }
    return to;
}

void gt_i_direct_pack(const gt_i_direct *d, float *to, const gt_i_direct_step *steps, const float *weights,
                      const float *bias)
{
    for (int64_t group = 0; group < d->conv.groups; group++) {
        for (int64_t vector = 0; vector < d->group_vectors; vector += d->vectors) {
            const int64_t vectors = gt_i_min(d->vectors, d->group_vectors - vector);
            to = pack_tile(d, to, steps, weights, bias, group, vector * d->lanes, vectors * d->lanes);
        }
    }
    memset(to, 0, (size_t)gt_i_direct_room(d) * sizeof *to);
}
