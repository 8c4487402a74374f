/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the machine's description together and hashes it. */
#include "costmodel/device_internal.h"

#include "src/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define UNKNOWN_CACHE_BYTES ((int64_t)1 << 20)

/* ---- classes ---- */

/* Favoured cores of one kind differ a little in their highest clock. */
static bool same_clock(int64_t a, int64_t b)
{
    return llabs(a - b) * 100 <= 15 * (a > b ? a : b);
}

static bool belongs(const gt_core_class *class, const gt_i_cpu *cpu)
{
    return strcmp(class->name, cpu->name) == 0 && class->l1d_bytes == cpu->l1d_bytes &&
           class->l2_bytes == cpu->l2_bytes && class->l3_bytes == cpu->l3_bytes &&
           same_clock(class->max_khz, cpu->max_khz);
}

static void add_to_class(gt_device *device, const gt_i_cpu *cpu)
{
    int i = 0;
    while (i < device->n_classes && !belongs(&device->classes[i], cpu)) {
        i++;
    }
    if (i == GT_DEVICE_MAX_CLASSES) {
        device->classes[i - 1].cores++;
        return;
    }
    gt_core_class *class = &device->classes[i];
    if (i == device->n_classes) {
        device->n_classes++;
        *class = (gt_core_class){.first_cpu = cpu->number,
                                 .max_khz = cpu->max_khz,
                                 .l1d_bytes = cpu->l1d_bytes,
                                 .l2_bytes = cpu->l2_bytes,
                                 .l3_bytes = cpu->l3_bytes};
        memcpy(class->name, cpu->name, sizeof class->name);
    }
    class->cores++;
    class->max_khz = cpu->max_khz > class->max_khz ? cpu->max_khz : class->max_khz;
}

/* ---- the rest of the description ---- */

/* "aarch64", "6.1.43". A 32-bit program under a 64-bit ARM kernel is told the kernel's architecture; what runs here is what
 * that kernel calls armv8l. */
static void read_system(gt_device *device, const gt_sysroot *root)
{
    struct utsname system;
    if (!gt_sysroot_is_recorded(root) && uname(&system) == 0) {
        const bool narrow = sizeof(void *) == 4 && strcmp(system.machine, "aarch64") == 0;
        snprintf(device->arch, sizeof device->arch, "%.15s", narrow ? "armv8l" : system.machine);
        snprintf(device->kernel, sizeof device->kernel, "%.63s", system.release);
    } else {
        gt_sysroot_line(root, device->arch, sizeof device->arch, "/proc/sys/kernel/arch");
        gt_sysroot_line(root, device->kernel, sizeof device->kernel, "/proc/sys/kernel/osrelease");
    }
    device->isa = gt_sysroot_is_recorded(root) ? GT_ISA_BASE : gt_isa_best();
}

static void read_model(gt_device *device, const gt_sysroot *root)
{
    if (!gt_sysroot_line(root, device->model, sizeof device->model, "/sys/firmware/devicetree/base/model") &&
        !gt_sysroot_line(root, device->model, sizeof device->model, "/proc/device-tree/model") &&
        !gt_sysroot_line(root, device->model, sizeof device->model, "/sys/class/dmi/id/product_name")) {
        snprintf(device->model, sizeof device->model, "%s", device->classes[0].name);
        gt_sysroot_note(root, "the machine does not tell its model");
    }
}

/* A device tree lists what the board is compatible with, NUL behind each, the chip last. */
static void read_soc(gt_device *device, const gt_sysroot *root)
{
    char text[1024], family[24], machine[32];
    int64_t n = gt_sysroot_bytes(root, text, sizeof text, "/sys/firmware/devicetree/base/compatible");
    n = n > 0 ? n : gt_sysroot_bytes(root, text, sizeof text, "/proc/device-tree/compatible");
    const char *last = "";
    for (int64_t at = 0; at < n; at += (int64_t)strlen(text + at) + 1) {
        last = text[at] != '\0' ? text + at : last;
    }
    snprintf(device->soc, sizeof device->soc, "%.63s", last);
    gt_sysroot_clean(device->soc);
    if (device->soc[0] == '\0') {
        gt_sysroot_line(root, family, sizeof family, "/sys/devices/soc0/family");
        gt_sysroot_line(root, machine, sizeof machine, "/sys/devices/soc0/machine");
        snprintf(device->soc, sizeof device->soc, "%s%s%s", family, family[0] != '\0' ? " " : "", machine);
        gt_sysroot_clean(device->soc);
    }
}

/* "MemTotal:  3884360 kB" is the first line. */
static int64_t read_memory(const gt_sysroot *root)
{
    char line[128];
    long long kib = 0;
    bool there = gt_sysroot_line(root, line, sizeof line, "/proc/meminfo");
    if (sscanf(line, "MemTotal: %lld kB", &kib) == 1 && kib > 0 && kib < INT64_MAX / 1024) {
        return kib * 1024;
    }
    gt_sysroot_note(root, there ? "/proc/meminfo: begins with \"%.60s\", not with MemTotal" : "/proc/meminfo: cannot be read%s",
                    line);
    return 0;
}

gt_status gt_i_hash_device(gt_device *device)
{
    gt_json_writer w = {0};
    gt_text text = {0};
    char digest[65];
    gt_json_begin_object(&w, NULL);
    gt_i_put_stable_fields(&w, device);
    gt_json_end(&w);
    gt_status status = gt_json_writer_finish(&w, &text);
    if (status == GT_OK) {
        gt_sha256_hex(digest, text.data, text.length);
        memcpy(device->hash, digest, 16);
        device->hash[16] = '\0';
    }
    gt_text_destroy(&text);
    return status;
}

static gt_status read_processors(gt_device *device, const gt_sysroot *root)
{
    gt_status status = GT_OK;
    gt_i_cpu *cpus = NULL;
    GT_TRY(gt_calloc(&cpus, GT_DEVICE_MAX_CPUS, sizeof *cpus));
    if (gt_sysroot_is_recorded(root)) {
        gt_i_read_recorded_topology(cpus, GT_DEVICE_MAX_CPUS, &device->cpus, root);
    } else {
        gt_i_read_topology(cpus, GT_DEVICE_MAX_CPUS, &device->cpus);
    }
    GT_TRY(gt_i_read_cpus(cpus, device->cpus, device, root));
    for (int i = 0; i < device->cpus; i++) {
        add_to_class(device, &cpus[i]);
    }
    gt_i_form_clusters(device, cpus, device->cpus, root);
    device->current_khz = device->clusters[0].current_khz;
    memcpy(device->governor, device->clusters[0].governor, sizeof device->governor);
done:
    gt_free(cpus);
    return status;
}

gt_status gt_device_detect_at(gt_device *device, const char *path)
{
    gt_status status = GT_OK;
    gt_device found = {0};
    const gt_sysroot root = {path, &found.notes};
    read_system(&found, &root);
    GT_TRY(read_processors(&found, &root));
    read_model(&found, &root);
    read_soc(&found, &root);
    found.memory_bytes = read_memory(&root);
    gt_i_read_zones(&found, &root);
    GT_TRY(gt_i_hash_device(&found));
    *device = found;
done:
    return status;
}

gt_status gt_device_detect(gt_device *device)
{
    return gt_device_detect_at(device, gt_sysroot_default());
}

int64_t gt_device_private_cache_bytes(const gt_device *device)
{
    int64_t largest = 0;
    for (int i = 0; i < device->n_classes; i++) {
        const gt_core_class *class = &device->classes[i];
        int64_t bytes = class->l2_bytes > 0 ? class->l2_bytes : class->l1d_bytes;
        largest = bytes > largest ? bytes : largest;
    }
    return largest > 0 ? largest : UNKNOWN_CACHE_BYTES;
}
