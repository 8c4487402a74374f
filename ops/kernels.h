/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel functions: each is written once in a *_kernel.c file, compiled once per instruction set, and found here
 * by its number. ops/kernels.inc lists them. */
#ifndef GT_OPS_KERNELS_H
#define GT_OPS_KERNELS_H

#include "ops/template.h"

typedef enum gt_i_kernel_id {
#define GT_KERNEL(name) GT_K_##name,
#include "ops/kernels.inc"
#undef GT_KERNEL
    GT_K_COUNT
} gt_i_kernel_id;

/* The compiled function for an instruction set; falls back to the next lower one that is compiled in. */
gt_kernel_fn gt_i_kernel(gt_i_kernel_id id, gt_isa isa);

/* Inside a *_kernel.c file: GT_KERNEL_FN(conv2d_direct_f32) is gt_conv2d_direct_f32_avx2 and so on. The build
 * sets GT_ISA_SUFFIX to base, avx2 or avx512. */
#define GT_I_PASTE3(a, b, c) a##b##c
#define GT_I_KERNEL_FN(name, suffix) GT_I_PASTE3(gt_##name, _, suffix)
#define GT_KERNEL_FN(name) GT_I_KERNEL_FN(name, GT_ISA_SUFFIX)

#define GT_KERNEL(name)                                                                            \
    void gt_##name##_base(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end);   \
    void gt_##name##_avx2(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end);   \
    void gt_##name##_avx512(const gt_kernel *k, const gt_args *a, int phase, int64_t begin, int64_t end);
#include "ops/kernels.inc"
#undef GT_KERNEL

#endif
