/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/fma_peak.h"

#include "src/base/clock.h"

#define ROUNDS 10000
#define CHAINS 12 /* more than a multiply-add takes cycles, times the units */
#define SPAN_NS 20000000

#if defined(__x86_64__)
#include <immintrin.h>

/* F: the function's name; V: vectors; the rest are the instruction set's intrinsics. */
#define BURST(F, TARGET, V, SET1, FMA, STORE)                         \
    __attribute__((target(TARGET))) static void F(float *sink)        \
    {                                                                 \
        V x = SET1(0.999f), sum[CHAINS];                              \
        for (int i = 0; i < CHAINS; i++) {                            \
            sum[i] = SET1((float)i);                                  \
        }                                                             \
        for (int round = 0; round < ROUNDS; round++) {                \
            _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) \
            {                                                         \
                sum[i] = FMA(sum[i], x, x);                           \
            }                                                         \
        }                                                             \
        for (int i = 0; i < CHAINS; i++) {                            \
            STORE(sink + i * (int)(sizeof(V) / sizeof(float)), sum[i]); \
        }                                                             \
    }
BURST(burst_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_storeu_ps)
BURST(burst_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_storeu_ps)
/* SSE2 multiplies and adds in two instructions. */
#define MULTIPLY_ADD(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
BURST(burst_base, "sse2", __m128, _mm_set1_ps, MULTIPLY_ADD, _mm_storeu_ps)

static void (*const bursts[GT_ISA_COUNT])(float *) = {burst_base, burst_avx2, burst_avx512};
static const int lanes[GT_ISA_COUNT] = {4, 8, 16};

#elif defined(__aarch64__)
#include <arm_neon.h>

static void burst_base(float *sink)
{
    float32x4_t x = vdupq_n_f32(0.999f), sum[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        sum[i] = vdupq_n_f32((float)i);
    }
    for (int round = 0; round < ROUNDS; round++) {
        _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++)
        {
            sum[i] = vfmaq_f32(x, sum[i], x);
        }
    }
    for (int i = 0; i < CHAINS; i++) {
        vst1q_f32(sink + 4 * i, sum[i]);
    }
}

static void (*const bursts[GT_ISA_COUNT])(float *) = {burst_base};
static const int lanes[GT_ISA_COUNT] = {4};

#else
static void (*const bursts[GT_ISA_COUNT])(float *) = {0};
static const int lanes[GT_ISA_COUNT] = {0};
#endif

/* The shortest burst counts: whatever else runs only makes others longer. */
double gt_fma_peak(gt_isa isa)
{
    float sink[CHAINS * 16];
    int64_t best = INT64_MAX;
    if (bursts[isa] == 0) {
        return 0;
    }
    for (int64_t start = gt_now_ns(), now = start; now - start < SPAN_NS;) {
        int64_t before = gt_now_ns();
        bursts[isa](sink);
        now = gt_now_ns();
        best = now - before < best ? now - before : best;
    }
    return (double)ROUNDS * CHAINS * lanes[isa] * 1e9 / (double)best;
}
