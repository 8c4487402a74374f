/* SPDX-License-Identifier: Apache-2.0 */
/* The fingerprint of the machine that measures (hwloc is used in device_topology.c alone). */
#ifndef GT_COSTMODEL_DEVICE_H
#define GT_COSTMODEL_DEVICE_H

#include "src/base/cpu.h"
#include "src/base/text.h"

#define GT_DEVICE_MAX_CLASSES 4

/* Cores of one kind (big.LITTLE boards have several). */
typedef struct gt_core_class {
    char name[64]; /* "Cortex-A72", "AMD EPYC" … */
    int cores, first_cpu;
    int64_t max_khz; /* 0 where unknown */
    int64_t l1d_bytes, l2_bytes, l3_bytes;
} gt_core_class;

typedef struct gt_device {
    /* 16 hexadecimal digits over arch, model, isa, cpus and classes: a new kernel, another governor or a
     * memory size that the firmware rounds differently leaves the records usable. */
    char hash[17];
    char arch[16], model[128], kernel[64];
    gt_isa isa;
    int cpus;
    int n_classes;
    gt_core_class classes[GT_DEVICE_MAX_CLASSES];
    int64_t memory_bytes; /* 0 where unknown */
    char governor[32];    /* "" where unknown; not hashed */
    int64_t current_khz;  /* of the first CPU, 0 where unknown; not hashed */
    double temperature_c; /* NaN where unknown; not hashed */
} gt_device;

/* Reads the machine's description. Never fails for missing information: those fields stay empty.
 * GT_SYSROOT in the environment replaces "/" for /proc and /sys (recorded machines in tests); isa is then
 * GT_ISA_BASE. Cores are of one class when their name and caches are equal and their clocks within 15 %;
 * classes are in the order of their first CPU, and a fifth one is counted with the fourth. Takes a few ms. */
gt_status gt_device_detect(gt_device *device) GT_NODISCARD;

/* Reads governor, current_khz and temperature_c again. Takes some 10 µs. */
void gt_device_refresh(gt_device *device);

/* The present clock of one CPU in kHz, 0 where unknown. */
int64_t gt_device_cpu_khz(int cpu);

/* The marketing name of an Arm-architecture core from MIDR's implementer and part number ("Cortex-A72"), or
 * NULL. */
const char *gt_core_name(int implementer, int part);

/* One line of JSON, without a newline: {"v":1,"kind":"device","hash":…}. Unknown fields are left out. */
gt_status gt_device_json(gt_text *text, const gt_device *device) GT_NODISCARD;

/* The size in bytes of the last cache private to a core (L2, or L1 where there is none); a guess of 1 MiB
 * where unknown. */
int64_t gt_device_private_cache_bytes(const gt_device *device);

#endif
