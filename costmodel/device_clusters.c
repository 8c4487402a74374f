/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of like cores, which of them is the fastest, and which CPUs to work on. */
#include "costmodel/device_internal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu"

/* ---- sets ---- */

bool gt_cpu_set_has(const gt_cpu_set *set, int cpu)
{
    return cpu >= 0 && cpu < GT_DEVICE_MAX_CPUS && (set->word[cpu / 64] >> cpu % 64 & 1) != 0;
}

void gt_cpu_set_add(gt_cpu_set *set, int cpu)
{
    if (cpu >= 0 && cpu < GT_DEVICE_MAX_CPUS) {
        set->word[cpu / 64] |= (uint64_t)1 << cpu % 64;
    }
}

const char *gt_cpu_set_format(char *buffer, size_t bytes, const gt_cpu_set *set)
{
    size_t length = 0;
    buffer[0] = '\0';
    for (int cpu = 0; cpu < GT_DEVICE_MAX_CPUS; cpu++) {
        int first = cpu;
        char item[32];
        if (!gt_cpu_set_has(set, cpu)) {
            continue;
        }
        while (gt_cpu_set_has(set, cpu + 1)) {
            cpu++;
        }
        const char *comma = length > 0 ? "," : "";
        int n = first == cpu ? snprintf(item, sizeof item, "%s%d", comma, cpu)
                             : snprintf(item, sizeof item, "%s%d-%d", comma, first, cpu);
        if (length + (size_t)n + sizeof "…" > bytes) {
            snprintf(buffer + length, bytes - length, "…");
            break;
        }
        memcpy(buffer + length, item, (size_t)n + 1);
        length += (size_t)n;
    }
    return buffer;
}

gt_cpu_set gt_cpu_set_allowed(void)
{
    gt_cpu_set set = {0};
    cpu_set_t allowed;
    bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    for (int cpu = 0; cpu < GT_DEVICE_MAX_CPUS; cpu++) {
        if (!known || (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed))) {
            gt_cpu_set_add(&set, cpu);
        }
    }
    return set;
}

/* ---- clusters ---- */

static bool near(int64_t a, int64_t b)
{
    return llabs(a - b) * 10 <= (a > b ? a : b);
}

static bool belongs(const gt_cluster *cluster, const gt_i_cpu *cpu)
{
    return strcmp(cluster->core, cpu->core) == 0 && cluster->l1d_bytes == cpu->l1d_bytes &&
           cluster->l2_bytes == cpu->l2_bytes && cluster->l3_bytes == cpu->l3_bytes &&
           near(cluster->capacity, cpu->capacity) && near(cluster->max_khz, cpu->max_khz);
}

static void begin_cluster(gt_cluster *cluster, const gt_i_cpu *cpu, const gt_sysroot *root)
{
    *cluster = (gt_cluster){.variant = cpu->midr >= 0 ? (int)(cpu->midr >> 20 & 0xf) : -1,
                            .revision = cpu->midr >= 0 ? (int)(cpu->midr & 0xf) : -1,
                            .first_cpu = cpu->number,
                            .capacity = cpu->capacity,
                            .min_khz = cpu->min_khz,
                            .max_khz = cpu->max_khz,
                            .l1d_bytes = cpu->l1d_bytes,
                            .l2_bytes = cpu->l2_bytes,
                            .l3_bytes = cpu->l3_bytes};
    memcpy(cluster->core, cpu->core, sizeof cluster->core);
    gt_sysroot_line(root, cluster->governor, sizeof cluster->governor, CPU_FOLDER "/cpu%d/cpufreq/scaling_governor",
                    cpu->number);
    cluster->current_khz = gt_sysroot_number(root, 0, CPU_FOLDER "/cpu%d/cpufreq/scaling_cur_freq", cpu->number);
    cluster->limit_khz = gt_sysroot_number(root, 0, CPU_FOLDER "/cpu%d/cpufreq/scaling_max_freq", cpu->number);
}

/* What a cluster's cores do in a second, up to a factor: the kernel's capacities where all have one; otherwise the highest
 * clock, weighed by what the kind of core does per cycle, because a little core's clock may be the higher one; without
 * clocks, the kind alone. */
static int64_t speed(const gt_device *device, const gt_cluster *cluster, int weight)
{
    bool capacities = true, clocks = true;
    for (int i = 0; i < device->n_clusters; i++) {
        capacities &= device->clusters[i].capacity > 0;
        clocks &= device->clusters[i].max_khz > 0;
    }
    return capacities ? cluster->capacity : weight * (clocks ? cluster->max_khz : 1);
}

/* Equally fast ones rank by their first CPU. */
static void rank(gt_device *device, const int64_t *speeds)
{
    for (int i = 0; i < device->n_clusters; i++) {
        device->clusters[i].rank = 0;
        for (int k = 0; k < device->n_clusters; k++) {
            device->clusters[i].rank += speeds[k] > speeds[i] || (speeds[k] == speeds[i] && k < i);
        }
    }
}

void gt_i_form_clusters(gt_device *device, const gt_i_cpu *cpus, int n, const gt_sysroot *root)
{
    int weights[GT_DEVICE_MAX_CLUSTERS] = {0};
    int64_t speeds[GT_DEVICE_MAX_CLUSTERS] = {0};
    for (int c = 0; c < n; c++) {
        int i = 0;
        while (i < device->n_clusters && !belongs(&device->clusters[i], &cpus[c])) {
            i++;
        }
        if (i == GT_DEVICE_MAX_CLUSTERS) {
            gt_sysroot_note(root, "there are more than %d kinds of cores: the further ones are counted with the last",
                            GT_DEVICE_MAX_CLUSTERS);
            i--;
        } else if (i == device->n_clusters) {
            device->n_clusters++;
            begin_cluster(&device->clusters[i], &cpus[c], root);
            weights[i] = gt_i_core_weight(cpus[c].midr);
        }
        gt_cluster *cluster = &device->clusters[i];
        gt_cpu_set_add(&cluster->cpus, cpus[c].number);
        cluster->cores++;
        cluster->max_khz = cpus[c].max_khz > cluster->max_khz ? cpus[c].max_khz : cluster->max_khz;
    }
    for (int i = 0; i < device->n_clusters; i++) {
        speeds[i] = speed(device, &device->clusters[i], weights[i]);
    }
    rank(device, speeds);
}

const char *gt_cluster_role(const gt_device *device, const gt_cluster *cluster)
{
    return device->n_clusters < 2                     ? ""
           : cluster->rank == 0                       ? "big"
           : cluster->rank == device->n_clusters - 1 ? "LITTLE"
                                                      : "middle";
}

/* ---- choosing ---- */

static const gt_cluster *with_rank(const gt_device *device, int rank_wanted)
{
    for (int i = 0; i < device->n_clusters; i++) {
        if (device->clusters[i].rank == rank_wanted) {
            return &device->clusters[i];
        }
    }
    return NULL;
}

int gt_device_choose_cpus(int *cpus, const gt_device *device, gt_cpu_choice choice, int threads,
                          const gt_cpu_set *allowed)
{
    int n = 0;
    int last = device->n_clusters - 1;
    int begin = choice == GT_CPUS_LITTLE ? last : 0;
    int end = choice == GT_CPUS_BIG ? 0 : last;
    int most = choice == GT_CPUS_FASTEST ? threads : GT_DEVICE_MAX_CPUS;
    for (int r = begin; r <= end; r++) {
        const gt_cluster *cluster = with_rank(device, r);
        for (int cpu = 0; cluster != NULL && cpu < GT_DEVICE_MAX_CPUS && n < most; cpu++) {
            if (gt_cpu_set_has(&cluster->cpus, cpu) && gt_cpu_set_has(allowed, cpu)) {
                cpus[n++] = cpu;
            }
        }
    }
    return n;
}
