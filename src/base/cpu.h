/* SPDX-License-Identifier: Apache-2.0 */
/* Which vector instructions this CPU and operating system offer. */
#ifndef GT_BASE_CPU_H
#define GT_BASE_CPU_H

#include <stdbool.h>

/* The instruction sets that kernels are compiled for, ascending. GT_ISA_BASE is what every machine of the
 * architecture has: SSE2 on x86-64, NEON on arm64; on 32-bit ARM what kernels were compiled for, which some CPUs lack. */
typedef enum gt_isa { GT_ISA_BASE, GT_ISA_AVX2, GT_ISA_AVX512, GT_ISA_COUNT } gt_isa;

const char *gt_isa_name(gt_isa isa); /* "sse2", "neon", "armv7-neon" or "generic"; "avx2", "avx512" */

/* Compiled in and usable on this CPU. */
bool gt_isa_available(gt_isa isa);

/* The best available one; the environment variable GT_ISA=NAME (see gt_isa_name) can lower it. */
gt_isa gt_isa_best(void);

#endif
