/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/device.h"
#include "src/cli/cli.h"

#include <math.h>

static const gt_cli_command command = {
    .name = "device",
    .usage = "[--json]",
    .summary = "Prints the fingerprint of this machine: core types, instruction set, caches, governor, temperature.\n"
               "Records carry its hash, and only records of the same device are compared.",
    .min_operands = 0,
    .max_operands = 0,
};

static const char *known(const char *text)
{
    return *text != '\0' ? text : "unknown";
}

static void print_class(const gt_core_class *c)
{
    char l1[32];
    char l2[32];
    char l3[32];
    printf("cores        %d × %s", c->cores, known(c->name));
    if (c->max_khz > 0) {
        printf(", up to %.2f GHz", (double)c->max_khz * 1e-6);
    }
    printf(" (from CPU %d); L1d %s, L2 %s, L3 %s\n", c->first_cpu, gt_format_bytes(l1, sizeof l1, (double)c->l1d_bytes),
           gt_format_bytes(l2, sizeof l2, (double)c->l2_bytes), gt_format_bytes(l3, sizeof l3, (double)c->l3_bytes));
}

static void print_device(const gt_device *d)
{
    char memory[32];
    printf("device       %s\n", d->hash);
    printf("model        %s\n", known(d->model));
    printf("architecture %s, kernels for %s\n", d->arch, gt_isa_name(d->isa));
    for (int i = 0; i < d->n_classes; i++) {
        print_class(&d->classes[i]);
    }
    printf("memory       %s\n", gt_format_bytes(memory, sizeof memory, (double)d->memory_bytes));
    printf("system       %s\n", known(d->kernel));
    printf("governor     %s", known(d->governor));
    if (d->current_khz > 0) {
        printf(", now %.2f GHz", (double)d->current_khz * 1e-6);
    }
    printf("\ntemperature  ");
    if (isnan(d->temperature_c)) {
        printf("unknown\n");
    } else {
        printf("%.1f °C\n", d->temperature_c);
    }
}

static gt_status run(bool json)
{
    gt_status status = GT_OK;
    gt_device device;
    gt_text text = {0};
    GT_TRY(gt_device_detect(&device));
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
    const gt_cli_option options[] = {{"json", 0, GT_CLI_FLAG, NULL, "print one line of JSON", &json, 0, 0}};
    int code = gt_cli_parse(&command, options, 1, argc, argv, &operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(run(json)) : code;
    gt_cli_list_clear(&operands);
    return code;
}
