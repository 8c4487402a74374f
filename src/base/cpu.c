/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "src/base/cpu.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

#define BASE_NAME "sse2"

static bool cpu_has(gt_isa isa)
{
    __builtin_cpu_init();
    switch (isa) {
    case GT_ISA_BASE:
        return true;
    case GT_ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case GT_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    default:
        return false;
    }
}

#elif defined(GT_ARM_NEON)

#include <sys/auxv.h>

#define BASE_NAME "armv7-neon"
#define HWCAP_BIT_NEON 12 /* Linux, arch/arm/include/uapi/asm/hwcap.h */

/* There are ARMv7 processors without NEON, and systems that run on them. */
static bool cpu_has(gt_isa isa)
{
    return isa == GT_ISA_BASE && (getauxval(AT_HWCAP) >> HWCAP_BIT_NEON & 1) != 0;
}

#else

#if defined(__aarch64__)
#define BASE_NAME "neon"
#else
#define BASE_NAME "generic"
#endif

static bool cpu_has(gt_isa isa)
{
    return isa == GT_ISA_BASE;
}

#endif

static const char *const names[GT_ISA_COUNT] = {BASE_NAME, "avx2", "avx512"};

const char *gt_isa_name(gt_isa isa)
{
    return isa >= 0 && isa < GT_ISA_COUNT ? names[isa] : "unknown";
}

bool gt_isa_available(gt_isa isa)
{
    return cpu_has(isa);
}

gt_isa gt_isa_best(void)
{
    const char *wish = getenv("GT_ISA");
    gt_isa best = GT_ISA_BASE;
    for (gt_isa isa = GT_ISA_BASE; isa < GT_ISA_COUNT; isa++) {
        if (!cpu_has(isa)) {
            continue;
        }
        best = isa;
        if (wish != NULL && strcmp(wish, names[isa]) == 0) {
            break;
        }
    }
    return best;
}
