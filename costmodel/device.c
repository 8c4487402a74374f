/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the machine's description together and hashes it. */
#include "costmodel/device_internal.h"

#include "src/base/file.h"
#include "src/records/json.h"

#include <math.h>
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

static void read_identity(gt_device *device)
{
    struct utsname system;
    bool foreign = gt_i_sysroot()[0] != '\0';
    if (!foreign && uname(&system) == 0) {
        snprintf(device->arch, sizeof device->arch, "%.15s", system.machine);
        snprintf(device->kernel, sizeof device->kernel, "%.63s", system.release);
    } else {
        gt_i_read_line(device->arch, sizeof device->arch, "/proc/sys/kernel/arch");
        gt_i_read_line(device->kernel, sizeof device->kernel, "/proc/sys/kernel/osrelease");
    }
    if (!gt_i_read_line(device->model, sizeof device->model, "/sys/firmware/devicetree/base/model") &&
        !gt_i_read_line(device->model, sizeof device->model, "/proc/device-tree/model") &&
        !gt_i_read_line(device->model, sizeof device->model, "/sys/class/dmi/id/product_name")) {
        snprintf(device->model, sizeof device->model, "%s", device->classes[0].name);
    }
    device->isa = foreign ? GT_ISA_BASE : gt_isa_best();
}

/* "MemTotal:  3884360 kB" is the first line. */
static int64_t read_memory(void)
{
    char line[128];
    long long kib = 0;
    gt_i_read_line(line, sizeof line, "/proc/meminfo");
    return sscanf(line, "MemTotal: %lld kB", &kib) == 1 && kib > 0 && kib < INT64_MAX / 1024 ? kib * 1024 : 0;
}

/* The zone that speaks of the processor, else the first one there is. */
static double read_temperature(void)
{
    int64_t chosen = INT64_MIN;
    for (int i = 0; i < 32; i++) {
        char type[64];
        int64_t value = gt_i_read_number(INT64_MIN, "/sys/class/thermal/thermal_zone%d/temp", i);
        if (value == INT64_MIN) {
            continue;
        }
        gt_i_read_line(type, sizeof type, "/sys/class/thermal/thermal_zone%d/type", i);
        bool is_cpu = strstr(type, "cpu") != NULL || strstr(type, "soc") != NULL ||
                      strstr(type, "pkg") != NULL;
        if (chosen == INT64_MIN || is_cpu) {
            chosen = value;
        }
        if (is_cpu) {
            break;
        }
    }
    return chosen == INT64_MIN ? (double)NAN : (double)chosen / 1000;
}

int64_t gt_device_cpu_khz(int cpu)
{
    return gt_i_read_number(0, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
}

void gt_device_refresh(gt_device *device)
{
    int cpu = device->classes[0].first_cpu;
    gt_i_read_line(device->governor, sizeof device->governor,
                   "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
    device->current_khz = gt_device_cpu_khz(cpu);
    device->temperature_c = read_temperature();
}

/* A recorded machine's base instruction set is not this process's. */
static const char *isa_name(const gt_device *device)
{
    if (device->isa != GT_ISA_BASE) {
        return gt_isa_name(device->isa);
    }
    return strncmp(device->arch, "aarch64", 7) == 0 ? "neon"
           : strcmp(device->arch, "x86_64") == 0    ? "sse2"
                                                    : "generic";
}

static void put_stable_fields(gt_json_writer *w, const gt_device *device)
{
    gt_json_put_string(w, "arch", device->arch);
    gt_json_put_string(w, "model", device->model);
    gt_json_put_string(w, "isa", isa_name(device));
    gt_json_put_i64(w, "cpus", device->cpus);
    gt_json_begin_array(w, "classes");
    for (int i = 0; i < device->n_classes; i++) {
        const gt_core_class *class = &device->classes[i];
        gt_json_begin_object(w, NULL);
        gt_json_put_string(w, "name", class->name);
        gt_json_put_i64(w, "cores", class->cores);
        gt_json_put_i64(w, "first_cpu", class->first_cpu);
        gt_json_put_i64(w, "max_khz", class->max_khz);
        gt_json_put_i64(w, "l1d_bytes", class->l1d_bytes);
        gt_json_put_i64(w, "l2_bytes", class->l2_bytes);
        gt_json_put_i64(w, "l3_bytes", class->l3_bytes);
        gt_json_end(w);
    }
    gt_json_end(w);
}

static gt_status hash_fields(gt_device *device)
{
    gt_json_writer w = {0};
    gt_text text = {0};
    char digest[65];
    gt_json_begin_object(&w, NULL);
    put_stable_fields(&w, device);
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

gt_status gt_device_detect(gt_device *device)
{
    gt_status status = GT_OK;
    gt_device found = {0};
    gt_i_cpu *cpus = NULL;
    GT_TRY(gt_calloc(&cpus, GT_I_MAX_CPUS, sizeof *cpus));
    gt_i_read_topology(cpus, GT_I_MAX_CPUS, &found.cpus);
    gt_i_read_names(cpus, found.cpus);
    for (int i = 0; i < found.cpus; i++) {
        add_to_class(&found, &cpus[i]);
    }
    read_identity(&found);
    found.memory_bytes = read_memory();
    gt_device_refresh(&found);
    GT_TRY(hash_fields(&found));
    *device = found;
done:
    gt_free(cpus);
    return status;
}

gt_status gt_device_json(gt_text *text, const gt_device *device)
{
    gt_json_writer w = {0};
    gt_text line = {0};
    gt_json_begin_object(&w, NULL);
    gt_json_put_i64(&w, "v", 1);
    gt_json_put_string(&w, "kind", "device");
    gt_json_put_string(&w, "hash", device->hash);
    put_stable_fields(&w, device);
    gt_json_put_string(&w, "kernel", device->kernel);
    if (device->memory_bytes > 0) {
        gt_json_put_i64(&w, "memory_bytes", device->memory_bytes);
    }
    if (device->governor[0] != '\0') {
        gt_json_put_string(&w, "governor", device->governor);
    }
    if (device->current_khz > 0) {
        gt_json_put_i64(&w, "current_khz", device->current_khz);
    }
    if (isfinite(device->temperature_c)) {
        gt_json_put_f64(&w, "temperature_c", device->temperature_c);
    }
    gt_json_end(&w);
    gt_status status = gt_json_writer_finish(&w, &line);
    if (status == GT_OK) {
        status = gt_text_append_bytes(text, line.data, line.length);
    }
    gt_text_destroy(&line);
    return status;
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
