/* SPDX-License-Identifier: Apache-2.0 */
/* Logical CPUs and caches of a recorded machine, from its files below /sys/devices/system/cpu. */
#include "costmodel/device_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu"

/* "0-3,6" as CPUs; false when it is anything else or names none. */
static bool parse_list(gt_cpu_set *set, const char *text)
{
    bool any = false;
    *set = (gt_cpu_set){0};
    while (*text >= '0' && *text <= '9') {
        char *end = NULL;
        long first = strtol(text, &end, 10);
        long last = *end == '-' && end[1] >= '0' && end[1] <= '9' ? strtol(end + 1, &end, 10) : first;
        if (first > last || last >= GT_DEVICE_MAX_CPUS || (*end != ',' && *end != '\0')) {
            return false;
        }
        for (long cpu = first; cpu <= last; cpu++) {
            gt_cpu_set_add(set, (int)cpu);
        }
        any = true;
        text = *end == ',' ? end + 1 : end;
    }
    return any && *text == '\0';
}

static bool read_list(gt_cpu_set *set, const char *name, const gt_sysroot *root)
{
    char text[256];
    if (!gt_sysroot_line(root, text, sizeof text, CPU_FOLDER "/%s", name)) {
        return false;
    }
    bool good = parse_list(set, text);
    if (!good) {
        gt_sysroot_note(root, CPU_FOLDER "/%s: \"%.40s\" is not a list of CPUs such as 0-3", name, text);
    }
    return good;
}

/* "512K" in bytes, 0 where unknown. */
static int64_t read_size(int cpu, int index, const gt_sysroot *root)
{
    char text[32];
    if (!gt_sysroot_line(root, text, sizeof text, CPU_FOLDER "/cpu%d/cache/index%d/size", cpu, index)) {
        return 0;
    }
    char *end = NULL;
    long long number = strtoll(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
    bool good = number > 0 && number <= 1 << 20 && end != text && (*end == '\0' || (shift > 0 && end[1] == '\0'));
    if (!good) {
        gt_sysroot_note(root, CPU_FOLDER "/cpu%d/cache/index%d/size: \"%.20s\" is not a size such as 32K", cpu, index, text);
    }
    return good ? (int64_t)number << shift : 0;
}

static void read_caches(gt_i_cpu *cpu, const gt_sysroot *root)
{
    for (int index = 0; index < 8; index++) {
        char type[32];
        int64_t level = gt_sysroot_number(root, 0, CPU_FOLDER "/cpu%d/cache/index%d/level", cpu->number, index);
        gt_sysroot_line(root, type, sizeof type, CPU_FOLDER "/cpu%d/cache/index%d/type", cpu->number, index);
        if (level < 1 || level > 3 || strcmp(type, "Instruction") == 0) {
            continue;
        }
        int64_t bytes = read_size(cpu->number, index, root);
        *(level == 1 ? &cpu->l1d_bytes : level == 2 ? &cpu->l2_bytes : &cpu->l3_bytes) = bytes;
    }
}

/* Where there is no list: the CPUs that have a folder with something in it, or just one. */
static gt_cpu_set probe(const gt_sysroot *root)
{
    gt_cpu_set set = {0};
    gt_cpu_set_add(&set, 0);
    for (int cpu = 1; cpu < 64; cpu++) {
        if (gt_sysroot_number(root, -1, CPU_FOLDER "/cpu%d/topology/core_id", cpu) >= 0 ||
            gt_sysroot_number(root, -1, CPU_FOLDER "/cpu%d/cpufreq/cpuinfo_max_freq", cpu) >= 0) {
            gt_cpu_set_add(&set, cpu);
        }
    }
    return set;
}

void gt_i_read_recorded_topology(gt_i_cpu *cpus, int capacity, int *n, const gt_sysroot *root)
{
    gt_cpu_set online, present;
    if (!read_list(&online, "online", root) && !read_list(&online, "present", root)) {
        online = probe(root);
    } else if (read_list(&present, "present", root)) {
        char text[64];
        for (int i = 0; i < GT_DEVICE_MAX_CPUS / 64; i++) {
            present.word[i] &= ~online.word[i];
        }
        gt_cpu_set_format(text, sizeof text, &present);
        if (text[0] != '\0') {
            gt_sysroot_note(root, "CPUs %s are switched off", text);
        }
    }
    *n = 0;
    for (int cpu = 0; cpu < GT_DEVICE_MAX_CPUS && *n < capacity; cpu++) {
        if (gt_cpu_set_has(&online, cpu)) {
            cpus[*n] = (gt_i_cpu){.number = cpu};
            read_caches(&cpus[(*n)++], root);
        }
    }
}
