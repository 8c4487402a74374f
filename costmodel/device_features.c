/* SPDX-License-Identifier: Apache-2.0 */
/* The vector instructions that a processor has, by the kernel's names for them. */
#include "costmodel/device_internal.h"

#include <string.h>

/* arm64 first, then x86-64; in the order in which they are told. */
static const char *const names[] = {
    "neon",   "asimd",    "asimdrdm", "fphp",     "asimdhp",  "asimddp",     "asimdfhm",    "i8mm",        "bf16",     "sve",
    "sve2",   "svei8mm",  "svebf16",  "sme",      "sme2",     "sse2",        "sse4_2",      "avx",         "f16c",     "fma",
    "avx2",   "avx_vnni", "avx512f",  "avx512dq", "avx512bw", "avx512vl",    "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_int8",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Whether `word` is one of the words of `text`. */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        bool begins = at == text || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

bool gt_i_device_has_feature(const gt_device *device, const char *name)
{
    return has_word(device->features, name);
}

static void add_feature(gt_device *device, const char *name)
{
    size_t have = strlen(device->features), length = strlen(name);
    if (have + length + 2 <= sizeof device->features) {
        device->features[have] = ' ';
        memcpy(device->features + have + (have > 0), name, length + 1);
    }
}

#if defined(__linux__) && (defined(__aarch64__) || defined(__arm__))

#include <sys/auxv.h>

/* Bits of the auxiliary vector: Linux, arch/arm64/include/uapi/asm/hwcap.h and arch/arm/include/uapi/asm/hwcap.h. */
static const struct {
    const char *name;
    unsigned long type;
    int bit;
} bits[] = {
#if defined(__arm__)
    {"neon", AT_HWCAP, 12},
#else
    {"asimd", AT_HWCAP, 1},     {"asimdrdm", AT_HWCAP, 12}, {"fphp", AT_HWCAP, 9},      {"asimdhp", AT_HWCAP, 10},
    {"asimddp", AT_HWCAP, 20},  {"asimdfhm", AT_HWCAP, 23}, {"i8mm", AT_HWCAP2, 13},    {"bf16", AT_HWCAP2, 14},
    {"sve", AT_HWCAP, 22},      {"sve2", AT_HWCAP2, 1},     {"svei8mm", AT_HWCAP2, 9}, {"svebf16", AT_HWCAP2, 12},
    {"sme", AT_HWCAP2, 23},
#endif
};

/* What this process was told, which is right under emulation too. */
static bool read_own(gt_device *device)
{
    for (size_t i = 0; i < COUNT(bits); i++) {
        if ((getauxval(bits[i].type) >> bits[i].bit & 1) != 0) {
            add_feature(device, bits[i].name);
        }
    }
    return true;
}

#else

static bool read_own(gt_device *device)
{
    (void)device;
    return false;
}

#endif

void gt_i_read_features(gt_device *device, const char *text, const gt_sysroot *root)
{
    if (!gt_sysroot_is_recorded(root) && read_own(device)) {
        return;
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        if (has_word(text, names[i])) {
            add_feature(device, names[i]);
        }
    }
}
