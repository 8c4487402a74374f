/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/device.h"
#include "src/cli/cli.h"

#include <math.h>
#include <sys/stat.h>

static const gt_cli_command command = {
    .name = "device",
    .usage = "[--json] [--sysroot DIR]",
    .summary = "Prints the fingerprint of this machine: core types and clusters, instruction set, caches, clocks, governor,\n"
               "temperatures, memory. Records carry its hash, and only records of the same device are compared.",
    .details = "The hash is made of architecture, model, kernels' instruction set, and the cores with their highest clocks and\n"
               "caches. Governor, present clocks and limits, temperatures, memory and kernel version do not enter it.\n\n"
               "Example:\n  graphtune device --sysroot board    # board/proc/cpuinfo, board/sys/… copied from another machine",
    .min_operands = 0,
    .max_operands = 0,
};

static const char *known(const char *text)
{
    return *text != '\0' ? text : "unknown";
}

static const char *format_cache(char buffer[32], int64_t bytes)
{
    return bytes > 0 ? gt_format_bytes(buffer, 32, (double)bytes) : "unknown";
}

static void print_cluster(const gt_device *d, const gt_cluster *c)
{
    char cpus[128], l1[32], l2[32], l3[32];
    const char *role = gt_cluster_role(d, c);
    printf("cores        %d × %s", c->cores, known(c->core));
    if (c->variant >= 0) {
        printf(" r%dp%d", c->variant, c->revision);
    }
    printf(": CPU%s %s%s%s", c->cores == 1 ? "" : "s", gt_cpu_set_format(cpus, sizeof cpus, &c->cpus), role[0] != '\0' ? ", " : "",
           role);
    if (d->n_clusters > 1 && c->capacity > 0) {
        printf(", capacity %d", c->capacity);
    }
    printf("; L1d %s, L2 %s, L3 %s\n", format_cache(l1, c->l1d_bytes), format_cache(l2, c->l2_bytes),
           c->l3_bytes > 0 ? format_cache(l3, c->l3_bytes) : "none or unknown");
    printf("  clock      ");
    if (c->max_khz == 0) {
        printf("unknown\n");
        return;
    }
    if (c->min_khz > 0) {
        printf("%.2f to ", (double)c->min_khz * 1e-6);
    }
    printf("%.2f GHz", (double)c->max_khz * 1e-6);
    if (c->current_khz > 0) {
        printf(", now %.2f", (double)c->current_khz * 1e-6);
    }
    if (c->limit_khz > 0 && c->limit_khz < c->max_khz) {
        printf(", limited to %.2f", (double)c->limit_khz * 1e-6);
    }
    printf(", governor %s\n", known(c->governor));
}

static void print_zones(const gt_device *d)
{
    printf("temperature  ");
    if (d->n_zones == 0) {
        printf("unknown\n");
    }
    for (int i = 0; i < d->n_zones; i++) {
        const gt_thermal_zone *zone = &d->zones[i];
        printf("%s%.1f °C %s", i > 0 ? "             " : "", zone->celsius, known(zone->type));
        if (isfinite(zone->passive_celsius)) {
            printf(" (throttles from %.0f °C)", zone->passive_celsius);
        }
        printf("\n");
    }
}

static void print_device(const gt_device *d)
{
    char memory[32];
    printf("device       %s\n", d->hash);
    printf("model        %s\n", known(d->model));
    printf("SoC          %s\n", known(d->soc));
    printf("architecture %s, kernels for %s\n", known(d->arch), gt_device_isa_name(d));
    printf("features     %s\n", known(d->features));
    for (int i = 0; i < d->n_clusters; i++) {
        print_cluster(d, &d->clusters[i]);
    }
    printf("memory       %s\n", format_cache(memory, d->memory_bytes));
    printf("system       %s\n", known(d->kernel));
    print_zones(d);
    for (int i = 0; i < d->notes.n; i++) {
        printf("%s%s\n", i == 0 ? "not read     " : "             ", d->notes.text[i]);
    }
    if (d->notes.more > 0) {
        printf("             … and %d more\n", d->notes.more);
    }
}

static gt_status run(bool json, const char *root)
{
    gt_status status = GT_OK;
    gt_device device;
    gt_text text = {0};
    struct stat info;
    GT_REQUIRE(root == NULL || (stat(root, &info) == 0 && S_ISDIR(info.st_mode)), GT_ERROR_IO,
               "--sysroot \"%s\": there is no such folder", root);
    GT_TRY(root != NULL ? gt_device_detect_at(&device, root) : gt_device_detect(&device));
    if (json) {
        GT_TRY(gt_device_json(&text, &device));
        puts(text.data);
    } else {
        print_device(&device);
    }
done:
    gt_text_destroy(&text);
    return status;
}

int gt_cmd_device(int argc, char **argv)
{
    gt_cli_list operands = {0};
    bool json = false;
    const char *root = NULL;
    const gt_cli_option options[] = {
        {"json", 0, GT_CLI_FLAG, NULL, "print one line of JSON", &json, 0, 0},
        {"sysroot", 0, GT_CLI_STRING, "DIR", "the machine whose /proc and /sys were copied there", &root, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(run(json, root)) : code;
    gt_cli_list_clear(&operands);
    return code;
}
