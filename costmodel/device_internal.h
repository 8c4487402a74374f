/* SPDX-License-Identifier: Apache-2.0 */
/* What the device_*.c files share; nobody else includes it. */
#ifndef GT_COSTMODEL_DEVICE_INTERNAL_H
#define GT_COSTMODEL_DEVICE_INTERNAL_H

#include "costmodel/device.h"
#include "src/records/json.h"

/* One logical CPU. Sizes, clocks and the capacity are 0 where unknown. */
typedef struct gt_i_cpu {
    int number;    /* the operating system's */
    char name[64]; /* as the fingerprint has it: from /proc/cpuinfo */
    char core[64]; /* as people are told: from MIDR, where that is known */
    int64_t midr;  /* MIDR_EL1, or -1 */
    int capacity;
    int64_t min_khz, max_khz, l1d_bytes, l2_bytes, l3_bytes;
} gt_i_cpu;

/* CPU numbers and caches, ascending by number. Of this machine from hwloc; where hwloc gives nothing, one CPU per
 * processor of the operating system. At most `capacity` CPUs; *n is at least 1. */
void gt_i_read_topology(gt_i_cpu *cpus, int capacity, int *n);

/* The same of a recorded machine, from its files alone. */
void gt_i_read_recorded_topology(gt_i_cpu *cpus, int capacity, int *n, const gt_sysroot *root);

/* Names, MIDR, clocks and capacities. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_read_cpus(gt_i_cpu *cpus, int n, gt_device *device, const gt_sysroot *root) GT_NODISCARD;

/* The name that fingerprints know a core by: these names never change, so that a new row in the table of names leaves
 * old records usable. Or NULL. */
const char *gt_i_fingerprint_name(int implementer, int part);

/* How much a core of this kind does per cycle beside the little ones, which are 2. A coarse class, not a measurement. */
int gt_i_core_weight(int64_t midr);

/* Fills clusters from cpus. */
void gt_i_form_clusters(gt_device *device, const gt_i_cpu *cpus, int n, const gt_sysroot *root);

/* The instructions that kernels could use; `text` is the Features or flags line of /proc/cpuinfo. */
void gt_i_read_features(gt_device *device, const char *text, const gt_sysroot *root);

/* Whether it has these instructions, by the kernel's name for them ("neon"). */
bool gt_i_device_has_feature(const gt_device *device, const char *name);

void gt_i_read_zones(gt_device *device, const gt_sysroot *root);

/* The fields that the hash is made of. */
void gt_i_put_stable_fields(gt_json_writer *w, const gt_device *device);

/* Fills the hash from them. Errors: GT_ERROR_MEMORY. */
gt_status gt_i_hash_device(gt_device *device) GT_NODISCARD;

#endif
