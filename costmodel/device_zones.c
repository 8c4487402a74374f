/* SPDX-License-Identifier: Apache-2.0 */
/* Thermal zones. */
#include "costmodel/device_internal.h"

#include "costmodel/watch.h"

#include <math.h>
#include <string.h>

#define MAX_ZONES 128
#define MAX_TRIPS 8

static bool is_processor(const char *type)
{
    static const char *const words[] = {"cpu", "soc", "pkg", "core", "package", "cluster"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(type, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* The lowest temperature at which the kernel slows something down. */
static double passive_celsius(int zone, const gt_sysroot *root)
{
    double lowest = (double)NAN;
    for (int trip = 0; trip < MAX_TRIPS; trip++) {
        char type[16];
        double celsius = (double)NAN;
        if (gt_sysroot_line(root, type, sizeof type, GT_ZONE_FOLDER "%d/trip_point_%d_type", zone, trip) &&
            strcmp(type, "passive") == 0) {
            celsius = gt_celsius(gt_sysroot_number(root, 0, GT_ZONE_FOLDER "%d/trip_point_%d_temp", zone, trip));
        }
        lowest = celsius > 0 && !(celsius >= lowest) ? celsius : lowest;
    }
    return lowest;
}

static bool read_zone(gt_thermal_zone *zone, int number, const gt_sysroot *root)
{
    int64_t raw = gt_sysroot_number(root, INT64_MIN, GT_ZONE_FOLDER "%d/temp", number);
    *zone = (gt_thermal_zone){.number = number, .celsius = gt_celsius(raw)};
    if (raw == INT64_MIN) {
        return false;
    }
    if (isnan(zone->celsius)) {
        gt_sysroot_note(root, GT_ZONE_FOLDER "%d/temp: %lld is not a plausible temperature", number, (long long)raw);
        return false;
    }
    gt_sysroot_line(root, zone->type, sizeof zone->type, GT_ZONE_FOLDER "%d/type", number);
    zone->is_processor = is_processor(zone->type);
    zone->passive_celsius = zone->is_processor ? passive_celsius(number, root) : (double)NAN;
    return true;
}

/* Behind the others of its sort, the processor's before the rest; a full list loses its last. */
static void insert(gt_device *device, const gt_thermal_zone *zone)
{
    int at = device->n_zones;
    while (zone->is_processor && at > 0 && !device->zones[at - 1].is_processor) {
        at--;
    }
    if (at == GT_DEVICE_MAX_ZONES) {
        return;
    }
    int kept = device->n_zones < GT_DEVICE_MAX_ZONES ? device->n_zones : GT_DEVICE_MAX_ZONES - 1;
    memmove(&device->zones[at + 1], &device->zones[at], (size_t)(kept - at) * sizeof *zone);
    device->zones[at] = *zone;
    device->n_zones = kept + 1;
}

void gt_i_read_zones(gt_device *device, const gt_sysroot *root)
{
    for (int i = 0; i < MAX_ZONES; i++) {
        gt_thermal_zone zone;
        if (read_zone(&zone, i, root)) {
            insert(device, &zone);
        }
    }
    device->temperature_c = device->n_zones > 0 ? device->zones[0].celsius : (double)NAN;
    if (device->n_zones == 0) {
        gt_sysroot_note(root, "no temperature is known: there is no zone below /sys/class/thermal");
    }
}
