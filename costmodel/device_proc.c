/* SPDX-License-Identifier: Apache-2.0 */
/* Names, MIDR, clocks and capacities of CPUs: /proc/cpuinfo and the CPUs' folders below /sys. */
#include "costmodel/device_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu"
#define CPUINFO_BYTES ((size_t)4 << 20) /* a few hundred processors */
#define MAX_KHZ 100000000

/* ---- /proc/cpuinfo ---- */

/* What has been seen of it so far. */
struct cpuinfo {
    gt_i_cpu *cpus;
    int n;
    gt_i_cpu *cpu; /* whose lines follow */
    long implementer, variant;
    bool is_arm, is_x86;
    char features[4096];
};

/* The value of "key : value", cleaned, or NULL when the line has another key. */
static char *value_of(char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) {
        return NULL;
    }
    char *rest = line + length + strspn(line + length, " \t");
    if (*rest != ':') {
        return NULL;
    }
    rest++;
    rest += strspn(rest, " \t");
    gt_sysroot_clean(rest);
    return rest;
}

static gt_i_cpu *cpu_with_number(gt_i_cpu *cpus, int n, long number)
{
    for (int i = 0; i < n; i++) {
        if (cpus[i].number == number) {
            return &cpus[i];
        }
    }
    return NULL;
}

static void set_part(struct cpuinfo *info, const char *part_text)
{
    gt_i_cpu *cpu = info->cpu;
    long part = strtol(part_text, NULL, 0);
    const char *known = gt_i_fingerprint_name((int)info->implementer, (int)part);
    if (known != NULL) {
        snprintf(cpu->name, sizeof cpu->name, "%s", known);
    } else {
        snprintf(cpu->name, sizeof cpu->name, "core 0x%02lx/0x%03lx", info->implementer & 0xff, part & 0xfff);
    }
    cpu->midr = (int64_t)(info->implementer & 0xff) << 24 | (int64_t)(info->variant & 0xf) << 20 | 0xf << 16 |
                (int64_t)(part & 0xfff) << 4;
}

static void read_line(struct cpuinfo *info, char *line)
{
    char *value = NULL;
    if ((value = value_of(line, "processor")) != NULL && isdigit((unsigned char)value[0])) {
        info->cpu = cpu_with_number(info->cpus, info->n, strtol(value, NULL, 10));
    } else if ((value = value_of(line, "CPU implementer")) != NULL) {
        info->implementer = strtol(value, NULL, 0);
        info->is_arm = true;
    } else if ((value = value_of(line, "CPU variant")) != NULL) {
        info->variant = strtol(value, NULL, 0);
    } else if (info->cpu != NULL && (value = value_of(line, "CPU part")) != NULL) {
        set_part(info, value);
    } else if (info->cpu != NULL && info->cpu->midr > 0 && (value = value_of(line, "CPU revision")) != NULL) {
        info->cpu->midr = (info->cpu->midr & ~(int64_t)0xf) | (strtol(value, NULL, 0) & 0xf);
    } else if (info->cpu != NULL && info->cpu->name[0] == '\0' && (value = value_of(line, "model name")) != NULL) {
        snprintf(info->cpu->name, sizeof info->cpu->name, "%.63s", value);
    } else if (info->features[0] == '\0' &&
               ((value = value_of(line, "Features")) != NULL || (value = value_of(line, "flags")) != NULL)) {
        snprintf(info->features, sizeof info->features, "%s", value);
    }
    info->is_x86 |= strncmp(line, "vendor_id", 9) == 0;
}

static gt_status read_cpuinfo(struct cpuinfo *info, const gt_sysroot *root)
{
    char *text = NULL;
    char *rest = NULL;
    gt_status status = gt_calloc(&text, CPUINFO_BYTES, 1);
    if (status != GT_OK) {
        return status;
    }
    int64_t length = gt_sysroot_bytes(root, text, CPUINFO_BYTES, "/proc/cpuinfo");
    if (length < 0) {
        gt_sysroot_note(root, "/proc/cpuinfo: cannot be read");
    } else if (length == (int64_t)CPUINFO_BYTES - 1) {
        gt_sysroot_note(root, "/proc/cpuinfo: only its first %zu MiB were read", CPUINFO_BYTES >> 20);
    }
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        read_line(info, line);
    }
    gt_free(text);
    return GT_OK;
}

/* An emulated process sees the host's. */
static void check_origin(const struct cpuinfo *info, const gt_device *device, const gt_sysroot *root)
{
    bool arm = strncmp(device->arch, "aarch64", 7) == 0 || strncmp(device->arch, "arm", 3) == 0;
    if (arm && info->is_x86 && !info->is_arm) {
        gt_sysroot_note(root, "/proc/cpuinfo describes an x86 processor, but the system is %s: is it emulated?", device->arch);
    } else if (!info->is_arm && !info->is_x86 && info->cpu == NULL) {
        gt_sysroot_note(root, "/proc/cpuinfo describes no processor");
    }
}

/* ---- /sys ---- */

static int64_t read_midr(int cpu, const gt_sysroot *root)
{
    char text[32];
    char *end = NULL;
    if (!gt_sysroot_line(root, text, sizeof text, CPU_FOLDER "/cpu%d/regs/identification/midr_el1", cpu)) {
        return -1;
    }
    unsigned long long value = strtoull(text, &end, 16);
    if (*end != '\0' || value == 0 || value > 0xffffffff) {
        gt_sysroot_note(root, CPU_FOLDER "/cpu%d/regs/identification/midr_el1: \"%.20s\" is not a register's value", cpu, text);
        return -1;
    }
    return (int64_t)value;
}

/* 0 where it makes no sense as a clock. */
static int64_t read_khz(int cpu, const char *name, const gt_sysroot *root)
{
    int64_t khz = gt_sysroot_number(root, 0, CPU_FOLDER "/cpu%d/cpufreq/%s", cpu, name);
    if (khz < 0 || khz > MAX_KHZ) {
        gt_sysroot_note(root, CPU_FOLDER "/cpu%d/cpufreq/%s: %lld kHz is not plausible", cpu, name, (long long)khz);
        return 0;
    }
    return khz;
}

static void read_from_sys(gt_i_cpu *cpu, const gt_sysroot *root)
{
    int64_t midr = read_midr(cpu->number, root);
    cpu->midr = midr >= 0 ? midr : cpu->midr;
    cpu->max_khz = read_khz(cpu->number, "cpuinfo_max_freq", root);
    cpu->min_khz = read_khz(cpu->number, "cpuinfo_min_freq", root);
    int64_t capacity = gt_sysroot_number(root, 0, CPU_FOLDER "/cpu%d/cpu_capacity", cpu->number);
    cpu->capacity = capacity > 0 && capacity <= 1 << 20 ? (int)capacity : 0;
}

static void name_core(gt_i_cpu *cpu)
{
    const char *known = cpu->midr >= 0 ? gt_core_name((int)(cpu->midr >> 24 & 0xff), (int)(cpu->midr >> 4 & 0xfff)) : NULL;
    if (known != NULL) {
        snprintf(cpu->core, sizeof cpu->core, "%s", known);
    } else if (cpu->midr >= 0) {
        snprintf(cpu->core, sizeof cpu->core, "core 0x%02x/0x%03x", (unsigned)(cpu->midr >> 24 & 0xff),
                 (unsigned)(cpu->midr >> 4 & 0xfff));
    } else {
        memcpy(cpu->core, cpu->name, sizeof cpu->core);
    }
}

gt_status gt_i_read_cpus(gt_i_cpu *cpus, int n, gt_device *device, const gt_sysroot *root)
{
    struct cpuinfo info = {.cpus = cpus, .n = n};
    for (int i = 0; i < n; i++) {
        cpus[i].midr = -1;
    }
    gt_status status = read_cpuinfo(&info, root);
    if (status != GT_OK) {
        return status;
    }
    check_origin(&info, device, root);
    for (int i = 0; i < n; i++) {
        if (cpus[i].name[0] == '\0') {
            snprintf(cpus[i].name, sizeof cpus[i].name, "unknown core");
        }
        read_from_sys(&cpus[i], root);
        name_core(&cpus[i]);
    }
    if (cpus[0].max_khz == 0) {
        gt_sysroot_note(root, "no clock is known: there is no " CPU_FOLDER "/cpu%d/cpufreq/cpuinfo_max_freq", cpus[0].number);
    }
    gt_i_read_features(device, info.features, root);
    return GT_OK;
}
