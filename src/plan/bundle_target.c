/* SPDX-License-Identifier: Apache-2.0 */
/* What bundles are packed for, and where that runs. */
#include "src/plan/bundle.h"

#include <string.h>

static const gt_bundle_target targets[] = {
    {"neon", "aarch64", GT_ISA_BASE}, {"armv7-neon", "arm", GT_ISA_BASE},   {"sse2", "x86_64", GT_ISA_BASE},
    {"avx2", "x86_64", GT_ISA_AVX2},  {"avx512", "x86_64", GT_ISA_AVX512}, {"generic", "generic", GT_ISA_BASE},
};
#define N_TARGETS (sizeof targets / sizeof *targets)

static const gt_bundle_target *find(const char *isa)
{
    for (size_t i = 0; i < N_TARGETS; i++) {
        if (strcmp(targets[i].isa, isa) == 0) {
            return &targets[i];
        }
    }
    return NULL;
}

/* This machine's architecture; every base level is in the table. */
static const char *own_arch(void)
{
    const gt_bundle_target *own = find(gt_isa_name(GT_ISA_BASE));
    GT_VERIFY(own != NULL);
    return own->arch;
}

gt_status gt_i_bundle_target_find(const gt_bundle_target **target, const char *isa)
{
    const gt_bundle_target *found = find(isa);
    if (found == NULL) {
        return gt_fail(GT_ERROR_ARGUMENT, "instruction set \"%s\" is unknown; there are neon, armv7-neon, sse2, avx2, avx512, generic",
                       isa);
    }
    *target = found;
    return GT_OK;
}

gt_status gt_i_bundle_target_packable(const gt_bundle_target *target)
{
    const bool here = strcmp(target->arch, own_arch()) == 0 && gt_isa_available(target->level);
    if (target->level == GT_ISA_BASE || here) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_UNSUPPORTED,
                   "packing for %s takes a %s CPU that has it; this machine's best is %s. Pack there, or for neon, armv7-neon or "
                   "sse2, which every machine can",
                   target->isa, target->arch, gt_isa_name(gt_isa_best()));
}

/* Numbers in the weights are stored as this machine has them. */
static bool is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first = 0;
    memcpy(&first, &one, 1);
    return first == 1;
}

gt_status gt_i_bundle_target_runnable(const gt_bundle_target *target)
{
    gt_status status = GT_OK;
    const char *best = gt_isa_name(gt_isa_best());
    GT_REQUIRE(strcmp(target->arch, own_arch()) == 0, GT_ERROR_MISMATCH,
               "packed for %s (%s), but this machine is %s (%s); pack its plan with --isa %s, or better one that was tuned here",
               target->arch, target->isa, own_arch(), best, best);
    GT_REQUIRE(gt_isa_available(target->level), GT_ERROR_MISMATCH,
               "packed for %s, which this CPU lacks (its best is %s); pack its plan with --isa %s, or better one that was tuned "
               "here",
               target->isa, best, best);
    GT_REQUIRE(is_little_endian(), GT_ERROR_MISMATCH, "bundles are little-endian; this machine is not");
done:
    return status;
}
