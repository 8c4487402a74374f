/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that knows hwloc: logical CPUs and their caches, of this machine. */
#include "costmodel/device_internal.h"

#include <hwloc.h>
#include <stdlib.h>
#include <unistd.h>

static void fill_caches(gt_i_cpu *cpu, hwloc_obj_t unit)
{
    for (hwloc_obj_t obj = unit; obj != NULL; obj = obj->parent) {
        if (obj->type == HWLOC_OBJ_L1CACHE) {
            cpu->l1d_bytes = (int64_t)obj->attr->cache.size;
        } else if (obj->type == HWLOC_OBJ_L2CACHE) {
            cpu->l2_bytes = (int64_t)obj->attr->cache.size;
        } else if (obj->type == HWLOC_OBJ_L3CACHE) {
            cpu->l3_bytes = (int64_t)obj->attr->cache.size;
        }
    }
}

static bool load(hwloc_topology_t *topology)
{
    bool ready = hwloc_topology_init(topology) == 0;
    if (ready && (hwloc_topology_set_io_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
                  hwloc_topology_load(*topology) != 0)) {
        hwloc_topology_destroy(*topology);
        ready = false;
    }
    return ready;
}

static int fill_from_hwloc(gt_i_cpu *cpus, int capacity)
{
    hwloc_topology_t topology;
    int n = 0;
    if (!load(&topology)) {
        return 0;
    }
    int units = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    for (int i = 0; i < units && n < capacity; i++) {
        hwloc_obj_t unit = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i);
        if (unit != NULL) {
            cpus[n] = (gt_i_cpu){.number = (int)unit->os_index};
            fill_caches(&cpus[n++], unit);
        }
    }
    hwloc_topology_destroy(topology);
    return n;
}

static int by_number(const void *left, const void *right)
{
    return ((const gt_i_cpu *)left)->number - ((const gt_i_cpu *)right)->number;
}

void gt_i_read_topology(gt_i_cpu *cpus, int capacity, int *n)
{
    *n = fill_from_hwloc(cpus, capacity);
    if (*n == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        while (*n < online && *n < capacity) {
            cpus[*n] = (gt_i_cpu){.number = *n};
            ++*n;
        }
    }
    if (*n == 0) {
        cpus[(*n)++] = (gt_i_cpu){0};
    }
    qsort(cpus, (size_t)*n, sizeof *cpus, by_number);
}
