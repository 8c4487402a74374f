/* SPDX-License-Identifier: Apache-2.0 */
/* Layout transforms of one tile. A tensor is a matrix of channels x pixels per image, and every pair of layouts is one of
 * three jobs: rows of pixels are copied, blocks are transposed in one or the other direction, or neighbouring channels of a
 * pixel are copied. All of them read and write whole cache lines at once where the layout has them: where rows or pixels lie
 * a power of two apart, a line that is needed again soon is not there any more. */
#include "layouts/transform.h"

#include <stdbool.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
#define LINE 16 /* floats of a cache line */
#define PASS_FLOATS 16384 /* whose pixels are passed over once per line of channels, about: they stay in a first-level cache */

typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));
typedef float v4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef float v8u __attribute__((vector_size(32), aligned(4), may_alias));
typedef float v16u __attribute__((vector_size(64), aligned(4), may_alias));

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t at(const gt_i_plane *plane, int64_t c, int64_t p)
{
    return c / plane->block * plane->block_stride + c % plane->block + p * plane->pixel;
}

static bool is_rows(const gt_i_plane *plane)
{
    return plane->pixel == 1 && plane->block == 1;
}

/* Channels last: a pixel has no padding, and its channels lie side by side. */
static bool is_last(const gt_i_plane *plane)
{
    return plane->block_stride == 0;
}

/* Pixels to pass over before the next line of channels: as few as pay for the pass, so that lines that are neighbours in a
 * pixel follow each other soon. */
static int64_t pass_pixels(int64_t step)
{
    const int64_t pixels = PASS_FLOATS / step / LINE * LINE;
    return pixels < LINE ? LINE : min64(pixels, 4 * LINE);
}

/* ---- turning blocks ---- */

#define FIRST_4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define SECOND_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define FIRST_8(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define SECOND_8(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)

/* The native vectors; of two of them the first or the second halves interleaved, and the other way the lanes with even or with
 * odd numbers. */
#if defined(__AVX512F__)
#define WIDEST 16
typedef v16 vn;
typedef v16u vnu;
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define SECOND(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#elif defined(__AVX2__)
#define WIDEST 8
typedef v8 vn;
typedef v8u vnu;
#define FIRST FIRST_8
#define SECOND SECOND_8
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#else
#define WIDEST 4
typedef v4 vn;
typedef v4u vnu;
#define FIRST FIRST_4
#define SECOND SECOND_4
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7)
#endif

#if WIDEST == 16
/* The same with pairs of lanes that lie in the same quarter, and with whole quarters: shuffles that take less than those
 * across quarters do. */
#define LOW_16(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH_16(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define EVEN_4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD_4(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#endif

/* n vectors as the rows of a matrix, which is turned: afterwards its columns lie one after another (perfect shuffles). */
INLINE void weave(vn a[WIDEST], const int n)
{
    vn b[WIDEST];
    UNROLL for (int stage = 1; stage < n; stage *= 2) {
        UNROLL for (int i = 0; i < n / 2; i++) {
            b[2 * i] = FIRST(a[i], a[i + n / 2]);
            b[2 * i + 1] = SECOND(a[i], a[i + n / 2]);
        }
        UNROLL for (int i = 0; i < n; i++) {
            a[i] = b[i];
        }
    }
}

/* And back. */
INLINE void unweave(vn a[WIDEST], const int n)
{
    vn b[WIDEST];
    UNROLL for (int stage = 1; stage < n; stage *= 2) {
        UNROLL for (int i = 0; i < n / 2; i++) {
            b[i] = EVEN(a[2 * i], a[2 * i + 1]);
            b[i + n / 2] = ODD(a[2 * i], a[2 * i + 1]);
        }
        UNROLL for (int i = 0; i < n; i++) {
            a[i] = b[i];
        }
    }
}

/* WIDEST pixels of n channels which lie one after another; rows from `rows` on do not exist, and are zero. */
INLINE void weave_rows(float *pixels, const float *row, int64_t stride, int64_t rows, const int n)
{
    vn a[WIDEST];
    UNROLL for (int i = 0; i < n; i++) {
        a[i] = i < rows ? *(const vnu *)(row + i * stride) : (vnu){0};
    }
    weave(a, n);
    UNROLL for (int i = 0; i < n; i++) {
        *(vnu *)(pixels + i * WIDEST) = a[i];
    }
}

INLINE void unweave_rows(float *row, int64_t stride, int64_t rows, const float *pixels, const int n)
{
    vn a[WIDEST];
    UNROLL for (int i = 0; i < n; i++) {
        a[i] = *(const vnu *)(pixels + i * WIDEST);
    }
    unweave(a, n);
    UNROLL for (int i = 0; i < n; i++) {
        if (i < rows) {
            *(vnu *)(row + i * stride) = a[i];
        }
    }
}

/* The lines of a block of n x n, n being WIDEST, or half or a quarter of it: to[j * to_step + i] = from[i * from_step + j].
 * Lines of `from` from `read` on are zero, lines of `to` from `written` on are left out. */
#define TURN(name, v, vu, LOW, HIGH, n)                                                                                   \
    INLINE void name(float *to, int64_t to_step, int64_t written, const float *from, int64_t from_step, int64_t read)     \
    {                                                                                                                     \
        v a[n], b[n];                                                                                                     \
        UNROLL for (int i = 0; i < n; i++) {                                                                              \
            a[i] = i < read ? *(const vu *)(from + i * from_step) : (vu){0};                                              \
        }                                                                                                                 \
        UNROLL for (int stage = 1; stage < n; stage *= 2) {                                                               \
            UNROLL for (int i = 0; i < n / 2; i++) {                                                                      \
                b[2 * i] = LOW(a[i], a[i + n / 2]);                                                                       \
                b[2 * i + 1] = HIGH(a[i], a[i + n / 2]);                                                                  \
            }                                                                                                             \
            UNROLL for (int i = 0; i < n; i++) {                                                                          \
                a[i] = b[i];                                                                                              \
            }                                                                                                             \
        }                                                                                                                 \
        UNROLL for (int i = 0; i < n; i++) {                                                                              \
            if (i < written) {                                                                                            \
                *(vu *)(to + i * to_step) = a[i];                                                                         \
            }                                                                                                             \
        }                                                                                                                 \
    }
TURN(turn_4, v4, v4u, FIRST_4, SECOND_4, 4)
#if WIDEST == 4
#define turn_8(to, to_step, written, from, from_step, read) ((void)0)
#define turn_16(to, to_step, written, from, from_step, read) ((void)0)
#else
TURN(turn_8, v8, v8u, FIRST_8, SECOND_8, 8)
#endif
#if WIDEST == 8
#define turn_16(to, to_step, written, from, from_step, read) ((void)0)
#elif WIDEST == 16
INLINE void turn_16(float *to, int64_t to_step, int64_t written, const float *from, int64_t from_step, int64_t read)
{
    v16 a[16], b[16];
    UNROLL for (int i = 0; i < 16; i++) {
        a[i] = i < read ? *(const v16u *)(from + i * from_step) : (v16u){0};
    }
    UNROLL for (int g = 0; g < 16; g += 4) { /* blocks of 4 x 4 */
        b[g] = LOW_16(a[g], a[g + 2]);
        b[g + 1] = HIGH_16(a[g], a[g + 2]);
        b[g + 2] = LOW_16(a[g + 1], a[g + 3]);
        b[g + 3] = HIGH_16(a[g + 1], a[g + 3]);
        a[g] = LOW_16(b[g], b[g + 2]);
        a[g + 1] = HIGH_16(b[g], b[g + 2]);
        a[g + 2] = LOW_16(b[g + 1], b[g + 3]);
        a[g + 3] = HIGH_16(b[g + 1], b[g + 3]);
    }
    UNROLL for (int j = 0; j < 4; j++) { /* then the 4 x 4 blocks */
        b[j] = EVEN_4(a[j], a[j + 4]);
        b[j + 4] = ODD_4(a[j], a[j + 4]);
        b[j + 8] = EVEN_4(a[j + 8], a[j + 12]);
        b[j + 12] = ODD_4(a[j + 8], a[j + 12]);
        a[j] = EVEN_4(b[j], b[j + 8]);
        a[j + 8] = ODD_4(b[j], b[j + 8]);
        a[j + 4] = EVEN_4(b[j + 4], b[j + 12]);
        a[j + 12] = ODD_4(b[j + 4], b[j + 12]);
    }
    UNROLL for (int i = 0; i < 16; i++) {
        if (i < written) {
            *(v16u *)(to + i * to_step) = a[i];
        }
    }
}
#endif

/* n: 4, 8 or 16, a constant. */
INLINE void turn(float *to, int64_t to_step, int64_t written, const float *from, int64_t from_step, int64_t read, const int n)
{
    switch (n) {
    case 4:
        turn_4(to, to_step, written, from, from_step, read);
        break;
    case 8:
        turn_8(to, to_step, written, from, from_step, read);
        break;
    default:
        turn_16(to, to_step, written, from, from_step, read);
    }
}

/* ---- between rows and pixels ---- */

/* Channels that lie side by side in pixels, `step` apart, and in rows `stride` apart. The pixels have room for `width`
 * channels, `count` of which exist; behind them zeros are written. */
typedef struct sheet {
    float *dst;
    const float *src;
    int64_t step, stride, count, width, pixels;
    bool to_pixels;
} sheet;

/* n x n from channel c and pixel p on, where `rows` of the channels exist. */
INLINE void turn_at(const sheet *s, int64_t c, int64_t p, int64_t rows, const int n)
{
    const int64_t pixel = c + p * s->step, row = c * s->stride + p;
    if (s->to_pixels) {
        turn(s->dst + pixel, s->step, n, s->src + row, s->stride, rows, n);
    } else {
        turn(s->dst + row, s->stride, rows, s->src + pixel, s->step, n, n);
    }
}

/* What is not a multiple of n is done twice in part: the last block ends where the pixels and channels do. Pixels are passed
 * over in long passes or, where they lie far apart, in the shortest. */
INLINE void turn_blocks(const sheet *s, const int n)
{
    const int64_t most = 4 * LINE, pass = pass_pixels(s->step) < most ? LINE : most;
    for (int64_t p = 0; p < s->pixels; p += pass) {
        const int64_t end = min64(p + pass, s->pixels);
        for (int64_t c = 0; c < s->width; c += n) {
            const int64_t channel = min64(c, s->width - n);
            for (int64_t i = p; i < end && channel + n <= s->count; i += n) {
                turn_at(s, channel, min64(i, s->pixels - n), n, n);
            }
            for (int64_t i = p; i < end && channel + n > s->count; i += n) {
                turn_at(s, channel, min64(i, s->pixels - n), s->count - channel, n);
            }
        }
    }
}

/* The same where all channels of a pixel lie one after another, and the pixels too. */
INLINE void weave_blocks(const sheet *s, const int n)
{
    for (int64_t i = 0; i < s->pixels; i += WIDEST) {
        const int64_t p = min64(i, s->pixels - WIDEST);
        if (s->to_pixels) {
            weave_rows(s->dst + p * n, s->src + p, s->stride, s->count, n);
        } else {
            unweave_rows(s->dst + p, s->stride, s->count, s->src + p * n, n);
        }
    }
}

static void move_pixels(const sheet *s, int64_t begin, int64_t end)
{
    for (int64_t p = begin; p < end; p++) {
        for (int64_t c = 0; c < s->width; c++) {
            if (s->to_pixels) {
                s->dst[c + p * s->step] = c < s->count ? s->src[c * s->stride + p] : 0;
            } else if (c < s->count) {
                s->dst[c * s->stride + p] = s->src[c + p * s->step];
            }
        }
    }
}

/* Pixels of less than 4 channels are moved with what is behind them, which is put right by the next; the last one alone. */
static void turn_sheet(const sheet *s)
{
    sheet most = *s;
    if (s->width < 4) {
        most.width = 4;
        most.pixels--;
    }
    if (most.pixels < WIDEST) {
        most.pixels = 0;
    } else if (s->step == 4 && s->width == 4) {
        weave_blocks(s, 4);
    } else if (WIDEST >= 8 && s->step == 8 && s->width == 8) {
        weave_blocks(s, 8);
    } else if (WIDEST >= 16 && most.width >= 16) {
        turn_blocks(&most, 16);
    } else if (WIDEST >= 8 && most.width >= 8) {
        turn_blocks(&most, 8);
    } else {
        turn_blocks(&most, 4);
    }
    move_pixels(s, most.pixels, s->pixels);
}

/* ---- from pixels to pixels ---- */

/* Up to 4 pieces of neighbouring channels, which go from and to places of their own. */
typedef struct pieces {
    float *dst[4];
    const float *src[4];
    int64_t dst_step, src_step[4]; /* from a pixel to the next */
} pieces;

/* count, width: constants. */
INLINE void move_pieces(const pieces *m, int64_t pixels, const int count, const int width)
{
    const pieces local = *m;
    for (int64_t p = 0; p < pixels; p++) {
        UNROLL for (int i = 0; i < count; i++) {
            float *dst = local.dst[i] + p * local.dst_step;
            const float *src = local.src[i] + p * local.src_step[i];
            switch (width) {
            case 4:
                *(v4u *)dst = *(const v4u *)src;
                break;
            case 8:
                *(v8u *)dst = *(const v8u *)src;
                break;
            default:
                *(v16u *)dst = *(const v16u *)src;
            }
        }
    }
}

static const float zeros[4];

/* Piece i: `width` channels from c on, or zeros where the source has none. */
static void set_piece(pieces *m, int i, float *dst, const gt_i_plane *to, const float *src, const gt_i_plane *from, int64_t c, int64_t p)
{
    const bool exists = c < from->channels;
    m->dst[i] = dst + at(to, c, p);
    m->dst_step = to->pixel;
    m->src[i] = exists ? src + at(from, c, p) : zeros;
    m->src_step[i] = exists ? from->pixel : 0;
}

/* Fewer than 4 channels, the last ones. 4 are moved where both sides are blocked, or where there are no others: then those of
 * the next pixel are left out, or put right by the next, and the last pixel is moved alone. */
static void move_few(float *dst, const gt_i_plane *to, const float *src, const gt_i_plane *from, int64_t c, int64_t p0, int64_t p1)
{
    const int64_t few = to->channels - c, written = is_last(to) ? few : 4;
    float *d = dst + at(to, c, p0);
    const float *s = src + at(from, c, p0);
    const bool blocked = !is_last(to) && !is_last(from);
    int64_t left = p1 - p0;
    for (; blocked ? left > 0 : c == 0 && left > 1; left--, d += to->pixel, s += from->pixel) {
        const v4 x = *(const v4u *)s, none = {0};
        *(v4u *)d = written < 4 ? x : few == 1 ? __builtin_shufflevector(x, none, 0, 4, 4, 4) : few == 2
                                ? __builtin_shufflevector(x, none, 0, 1, 4, 4)
                                : __builtin_shufflevector(x, none, 0, 1, 2, 4);
    }
    for (; left > 0; left--, d += to->pixel, s += from->pixel) {
        for (int64_t i = 0; i < written; i++) {
            d[i] = i < few ? s[i] : 0;
        }
    }
}

/* Pieces of `width` channels between c and end. */
INLINE void move_line(float *dst, const gt_i_plane *to, const float *src, const gt_i_plane *from, int64_t c, int64_t end, int64_t p0,
                      int64_t p1, const int width)
{
    pieces m;
    int count = 0;
    for (; c + width <= end; c += width) {
        set_piece(&m, count++, dst, to, src, from, c, p0);
    }
    switch (count) {
    case 1:
        move_pieces(&m, p1 - p0, 1, width);
        break;
    case 2:
        move_pieces(&m, p1 - p0, 2, width);
        break;
    case 3:
        move_pieces(&m, p1 - p0, 3, width);
        break;
    case 4:
        move_pieces(&m, p1 - p0, 4, width);
        break;
    default:
        break;
    }
}

/* A line of up to 16 channels, in pieces that lie side by side on either side. */
static void move_channels(float *dst, const gt_i_plane *to, const float *src, const gt_i_plane *from, int64_t c, int64_t end, int64_t p0,
                          int64_t p1)
{
    const int64_t side_by_side = min64(is_last(to) ? LINE : to->block, is_last(from) ? LINE : from->block);
    if (end - c == LINE && end <= to->channels && side_by_side == 16) {
        move_line(dst, to, src, from, c, end, p0, p1, 16);
    } else if (end - c == LINE && end <= to->channels && side_by_side == 8) {
        move_line(dst, to, src, from, c, end, p0, p1, 8);
    } else {
        const int64_t whole = to->channels / 4 * 4, behind = (to->channels + 3) / 4 * 4;
        move_line(dst, to, src, from, c, min64(end, whole), p0, p1, 4);
        if (whole < end && whole < to->channels && whole >= c) {
            move_few(dst, to, src, from, whole, p0, p1);
        }
        if (whole < end && behind < end) {
            move_line(dst, to, src, from, behind > c ? behind : c, end, p0, p1, 4);
        }
    }
}

/* ---- the tile ---- */

void GT_I_TRANSFORM_TILE(float *dst, const gt_i_plane *to, const float *src, const gt_i_plane *from, int64_t c0, int64_t c1, int64_t p0,
                         int64_t p1)
{
    const int64_t end = c1 == to->channels ? to->padded : c1;
    const bool from_rows = is_rows(from), to_rows = is_rows(to);
    if (from_rows && to_rows) {
        for (int64_t c = c0; c < c1; c++) {
            memcpy(dst + at(to, c, p0), src + at(from, c, p0), (size_t)(p1 - p0) * sizeof *dst);
        }
    } else if (from_rows || to_rows) {
        const gt_i_plane *pixels = from_rows ? to : from, *rows = from_rows ? from : to;
        for (int64_t c = c0, width; c < c1; c += width) {
            width = is_last(pixels) ? c1 - c : pixels->block;
            const sheet s = {.dst = dst + at(to, c, p0),
                             .src = src + at(from, c, p0),
                             .step = pixels->pixel,
                             .stride = rows->block_stride,
                             .count = min64(width, c1 - c),
                             .width = width,
                             .pixels = p1 - p0,
                             .to_pixels = from_rows};
            turn_sheet(&s);
        }
    } else {
        const int64_t pass = pass_pixels(to->pixel > from->pixel ? to->pixel : from->pixel);
        for (int64_t p = p0; p < p1; p += pass) {
            for (int64_t c = c0; c < end; c += LINE) {
                move_channels(dst, to, src, from, c, min64(c + LINE, end), p, min64(p + pass, p1));
            }
        }
    }
}
