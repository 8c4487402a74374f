/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/cast.h"
#include "ops/kernels.h"

/* Toward zero; out of range gives the nearest end, NaN gives 0. */
static inline int64_t whole(float x)
{
    float limited = x >= 0x1p63f || x < -0x1p63f || x != x ? 0 : x;
    int64_t inside = (int64_t)limited;
    return x >= 0x1p63f ? INT64_MAX : x < -0x1p63f ? INT64_MIN : inside;
}

#define SAME(x) (x)
#define TRUTH(x) ((x) != 0)

/* A loop per pair of types. */
#define CAST(name, from_type, to_type, convert)                                  \
    static void name(void *out, const void *in, int64_t count)                   \
    {                                                                            \
        const from_type *x = in;                                                 \
        to_type *y = out;                                                        \
        for (int64_t i = 0; i < count; i++) {                                    \
            y[i] = (to_type)convert(x[i]);                                       \
        }                                                                        \
    }
CAST(f32_f32, float, float, SAME)
CAST(f32_i64, float, int64_t, whole)
CAST(f32_bool, float, uint8_t, TRUTH)
CAST(i64_f32, int64_t, float, SAME)
CAST(i64_i64, int64_t, int64_t, SAME)
CAST(i64_bool, int64_t, uint8_t, TRUTH)
CAST(bool_f32, uint8_t, float, TRUTH)
CAST(bool_i64, uint8_t, int64_t, TRUTH)
CAST(bool_bool, uint8_t, uint8_t, TRUTH)

void GT_KERNEL_FN(cast_direct)(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end)
{
    static void (*const casts[GT_DTYPE_COUNT][GT_DTYPE_COUNT])(void *, const void *, int64_t) = {
        [GT_F32] = {[GT_F32] = f32_f32, [GT_I64] = f32_i64, [GT_BOOL] = f32_bool},
        [GT_I64] = {[GT_F32] = i64_f32, [GT_I64] = i64_i64, [GT_BOOL] = i64_bool},
        [GT_BOOL] = {[GT_F32] = bool_f32, [GT_I64] = bool_i64, [GT_BOOL] = bool_bool},
    };
    static const int64_t bytes[GT_DTYPE_COUNT] = {[GT_F32] = 4, [GT_I64] = 8, [GT_BOOL] = 1};
    const gt_i_cast *p = k->params;
    int64_t first = begin * GT_I_CAST_CHUNK;
    int64_t last = gt_i_min(end * GT_I_CAST_CHUNK, p->elems);
    const char *from = (const char *)gt_i_input(a, &p->at, 0) + first * bytes[p->from];
    (void)phase;
    casts[p->from][p->to]((char *)a->out + first * bytes[p->to], from, last - first);
}
