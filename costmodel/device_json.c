/* SPDX-License-Identifier: Apache-2.0 */
/* The fingerprint's line: the hashed fields first, then what may change from day to day. */
#include "costmodel/device_internal.h"

#include <math.h>
#include <string.h>

/* A recorded machine's base instruction set is not this process's. */
const char *gt_device_isa_name(const gt_device *device)
{
    if (device->isa != GT_ISA_BASE) {
        return gt_isa_name(device->isa);
    }
    return strncmp(device->arch, "aarch64", 7) == 0 ? "neon"
           : strcmp(device->arch, "x86_64") == 0    ? "sse2"
           : strncmp(device->arch, "arm", 3) == 0 && gt_i_device_has_feature(device, "neon") ? "armv7-neon"
                                                                                               : "generic";
}

void gt_i_put_stable_fields(gt_json_writer *w, const gt_device *device)
{
    gt_json_put_string(w, "arch", device->arch);
    gt_json_put_string(w, "model", device->model);
    gt_json_put_string(w, "isa", gt_device_isa_name(device));
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

static void put_text(gt_json_writer *w, const char *key, const char *text)
{
    if (text[0] != '\0') {
        gt_json_put_string(w, key, text);
    }
}

static void put_positive(gt_json_writer *w, const char *key, int64_t value)
{
    if (value > 0 && value < (int64_t)1 << 53) {
        gt_json_put_i64(w, key, value);
    }
}

static void put_finite(gt_json_writer *w, const char *key, double value)
{
    if (isfinite(value)) {
        gt_json_put_f64(w, key, value);
    }
}

static void put_clusters(gt_json_writer *w, const gt_device *device)
{
    char cpus[256];
    gt_json_begin_array(w, "clusters");
    for (int i = 0; i < device->n_clusters; i++) {
        const gt_cluster *c = &device->clusters[i];
        gt_json_begin_object(w, NULL);
        gt_json_put_string(w, "core", c->core);
        gt_json_put_string(w, "cpus", gt_cpu_set_format(cpus, sizeof cpus, &c->cpus));
        put_text(w, "role", gt_cluster_role(device, c));
        if (c->variant >= 0) {
            gt_json_put_i64(w, "variant", c->variant);
            gt_json_put_i64(w, "revision", c->revision);
        }
        put_positive(w, "capacity", c->capacity);
        put_positive(w, "min_khz", c->min_khz);
        put_positive(w, "max_khz", c->max_khz);
        put_positive(w, "limit_khz", c->limit_khz);
        put_positive(w, "current_khz", c->current_khz);
        put_text(w, "governor", c->governor);
        gt_json_end(w);
    }
    gt_json_end(w);
}

static void put_features(gt_json_writer *w, const gt_device *device)
{
    char text[sizeof device->features];
    char *rest = NULL;
    memcpy(text, device->features, sizeof text);
    gt_json_begin_array(w, "features");
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        gt_json_put_string(w, NULL, word);
    }
    gt_json_end(w);
}

static void put_zones(gt_json_writer *w, const gt_device *device)
{
    gt_json_begin_array(w, "zones");
    for (int i = 0; i < device->n_zones; i++) {
        const gt_thermal_zone *zone = &device->zones[i];
        gt_json_begin_object(w, NULL);
        gt_json_put_i64(w, "zone", zone->number);
        put_text(w, "type", zone->type);
        gt_json_put_f64(w, "celsius", zone->celsius);
        put_finite(w, "passive_celsius", zone->passive_celsius);
        gt_json_end(w);
    }
    gt_json_end(w);
}

static void put_notes(gt_json_writer *w, const gt_notes *notes)
{
    if (notes->n == 0) {
        return;
    }
    gt_json_begin_array(w, "notes");
    for (int i = 0; i < notes->n; i++) {
        gt_json_put_string(w, NULL, notes->text[i]);
    }
    gt_json_end(w);
}

gt_status gt_device_json(gt_text *text, const gt_device *device)
{
    gt_json_writer w = {0};
    gt_text line = {0};
    gt_json_begin_object(&w, NULL);
    gt_json_put_i64(&w, "v", 1);
    gt_json_put_string(&w, "kind", "device");
    gt_json_put_string(&w, "hash", device->hash);
    gt_i_put_stable_fields(&w, device);
    gt_json_put_string(&w, "kernel", device->kernel);
    put_text(&w, "soc", device->soc);
    put_positive(&w, "memory_bytes", device->memory_bytes);
    put_text(&w, "governor", device->governor);
    put_positive(&w, "current_khz", device->current_khz);
    put_finite(&w, "temperature_c", device->temperature_c);
    put_clusters(&w, device);
    put_features(&w, device);
    put_zones(&w, device);
    put_notes(&w, &device->notes);
    gt_json_end(&w);
    gt_status status = gt_json_writer_finish(&w, &line);
    if (status == GT_OK) {
        status = gt_text_append_bytes(text, line.data, line.length);
    }
    gt_text_destroy(&line);
    return status;
}
