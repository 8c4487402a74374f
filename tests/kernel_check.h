/* SPDX-License-Identifier: Apache-2.0 */
/* Checks every registered template that handles a workload against the reference oracle. For tests that use
 * libcheck: a difference fails the running test with a message naming workload, template, layouts, config,
 * ISA, threads, and the first wrong element. */
#ifndef GT_TESTS_KERNEL_CHECK_H
#define GT_TESTS_KERNEL_CHECK_H

#include "ops/reference.h"
#include "ops/template.h"
#include "src/base/rng.h"

/* Runs all templates x layout pairs x (the default and configs_per_pair - 1 random valid configs) x
 * available ISAs x {1, 2} threads on random input. Output and workspace start as NaN, are followed by guard
 * bytes, inputs are surrounded by NaN, packed constants are read from a copy in one of the runs. Returns
 * how many candidates (template, in, out, config, ISA) were checked. */
int kernel_check_workload(const char *workload_key, int configs_per_pair, gt_rng *rng);

/* The same for a workload that is already built. */
int kernel_check(const gt_workload *workload, int configs_per_pair, gt_rng *rng);

/* Restricts the checks to templates whose name starts with `prefix`; NULL: all again. */
void kernel_check_only(const char *prefix);

/* Another tolerance than GT_TOLERANCE_F32 for templates whose name starts with `prefix`, such as Winograd. */
void kernel_check_tolerance(const char *prefix, gt_tolerance tolerance);

typedef enum kernel_check_groups {
    KERNEL_CHECK_UNGROUPED,
    KERNEL_CHECK_GROUPED,
    KERNEL_CHECK_DEPTHWISE
} kernel_check_groups;

/* A random small conv2d: odd shapes, strides, dilations, asymmetric pads (also larger than the kernel),
 * with or without bias, activation and residual. Destroy with gt_workload_destroy. */
gt_workload *kernel_check_random_conv(gt_rng *rng, kernel_check_groups groups);

/* A random epilogue; residual only if asked for. */
gt_epilogue kernel_check_random_epilogue(gt_rng *rng, bool residual);

#endif
