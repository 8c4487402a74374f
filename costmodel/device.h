/* SPDX-License-Identifier: Apache-2.0 */
/* The fingerprint of the machine that measures (hwloc is used in device_topology.c alone). */
#ifndef GT_COSTMODEL_DEVICE_H
#define GT_COSTMODEL_DEVICE_H

#include "costmodel/sysroot.h"
#include "src/base/cpu.h"

#define GT_DEVICE_MAX_CLASSES 4
#define GT_DEVICE_MAX_CLUSTERS 8
#define GT_DEVICE_MAX_ZONES 16
#define GT_DEVICE_MAX_CPUS 1024

/* Cores of one kind, as the hash counts them. */
typedef struct gt_core_class {
    char name[64]; /* "Cortex-A72", "AMD EPYC" … */
    int cores, first_cpu;
    int64_t max_khz; /* 0 where unknown */
    int64_t l1d_bytes, l2_bytes, l3_bytes;
} gt_core_class;

/* A set of CPUs, one bit each. */
typedef struct gt_cpu_set {
    uint64_t word[GT_DEVICE_MAX_CPUS / 64];
} gt_cpu_set;

/* Cores that do equal work: of one kind, with equal caches and nearly equal speed (10 %). Not hashed. Numbers are 0 and
 * texts "" where unknown. */
typedef struct gt_cluster {
    char core[64];         /* by MIDR: "Cortex-A72" */
    int variant, revision; /* r<variant>p<revision>; -1 where unknown */
    gt_cpu_set cpus;
    int cores, first_cpu;
    int rank;              /* 0: the fastest (big) … n_clusters - 1: the slowest (LITTLE) */
    int capacity;          /* the kernel's cpu_capacity: 1024 is the fastest */
    int64_t min_khz, max_khz;
    int64_t l1d_bytes, l2_bytes, l3_bytes;
    char governor[32];
    int64_t current_khz, limit_khz; /* scaling_cur_freq and scaling_max_freq of the first CPU */
} gt_cluster;

typedef struct gt_thermal_zone {
    int number;
    char type[32];
    bool is_processor;
    double celsius;
    double passive_celsius; /* where the kernel begins to slow the machine down; NaN where unknown */
} gt_thermal_zone;

typedef struct gt_device {
    /* 16 hexadecimal digits over arch, model, isa, cpus and classes: a new kernel, another governor or a
     * memory size that the firmware rounds differently leaves the records usable. Nothing else enters it. */
    char hash[17];
    char arch[16], model[128], kernel[64];
    char soc[64]; /* "rockchip,rk3588"; "" where unknown */
    gt_isa isa;
    int cpus;
    int n_classes;
    gt_core_class classes[GT_DEVICE_MAX_CLASSES];
    int n_clusters; /* at least 1 */
    gt_cluster clusters[GT_DEVICE_MAX_CLUSTERS]; /* in the order of their first CPU */
    char features[384];   /* the kernel's names of vector instructions, with blanks between */
    int64_t memory_bytes; /* 0 where unknown */
    char governor[32];    /* of the first CPU; "" where unknown */
    int64_t current_khz;  /* of the first CPU, 0 where unknown */
    double temperature_c; /* of the processor, NaN where unknown */
    int n_zones;
    gt_thermal_zone zones[GT_DEVICE_MAX_ZONES]; /* the processor's first */
    gt_notes notes;       /* what could not be read */
} gt_device;

/* Reads the machine's description. Never fails for missing, foreign or garbled information: those fields stay empty, and
 * notes say which. GT_SYSROOT in the environment replaces "/" for /proc and /sys (recorded machines); isa is then
 * GT_ISA_BASE. Cores are of one class when their name and caches are equal and their clocks within 15 %;
 * classes are in the order of their first CPU, and a fifth one is counted with the fourth. Takes a few ms. Errors:
 * GT_ERROR_MEMORY. */
gt_status gt_device_detect(gt_device *device) GT_NODISCARD;

/* The same of the machine recorded in folder `root`; "": this machine. */
gt_status gt_device_detect_at(gt_device *device, const char *root) GT_NODISCARD;

/* The marketing name of an Arm-architecture core from MIDR's implementer and part number ("Cortex-A72"), or
 * NULL. */
const char *gt_core_name(int implementer, int part);

/* One line of JSON, without a newline: {"v":1,"kind":"device","hash":…}. Unknown fields are left out. */
gt_status gt_device_json(gt_text *text, const gt_device *device) GT_NODISCARD;

/* gt_isa_name, of a recorded machine as well. */
const char *gt_device_isa_name(const gt_device *device);

/* The size in bytes of the last cache private to a core (L2, or L1 where there is none); a guess of 1 MiB
 * where unknown. */
int64_t gt_device_private_cache_bytes(const gt_device *device);

/* ---- choosing CPUs ---- */

bool gt_cpu_set_has(const gt_cpu_set *set, int cpu);
void gt_cpu_set_add(gt_cpu_set *set, int cpu);
/* "0-3,6" into `buffer`, which is returned; cut with … where it is too small. */
const char *gt_cpu_set_format(char *buffer, size_t bytes, const gt_cpu_set *set);
/* The CPUs that this process may use. */
gt_cpu_set gt_cpu_set_allowed(void);

/* "big", "middle" or "LITTLE"; "" where all cores are alike. */
const char *gt_cluster_role(const gt_device *device, const gt_cluster *cluster);

typedef enum gt_cpu_choice {
    GT_CPUS_FASTEST, /* so many as there are threads, from the fastest cluster on */
    GT_CPUS_BIG,     /* all of the fastest cluster */
    GT_CPUS_LITTLE   /* all of the slowest cluster */
} gt_cpu_choice;

/* Writes the numbers of the chosen CPUs that are in `allowed` to cpus[GT_DEVICE_MAX_CPUS] and returns how many; 0 when
 * none is allowed. */
int gt_device_choose_cpus(int *cpus, const gt_device *device, gt_cpu_choice choice, int threads,
                          const gt_cpu_set *allowed);

/* Pins this process, and the threads that it creates from then on, to the CPUs; n = 0: does nothing. Errors:
 * GT_ERROR_ARGUMENT naming the CPU. */
gt_status gt_pin_to_cpus(const int *cpus, int n) GT_NODISCARD;

#endif
