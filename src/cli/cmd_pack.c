/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"
#include "src/run/kernels.h"

#include <string.h>

static const gt_cli_command command = {
    .name = "pack",
    .usage = "PLAN -o MODEL.gtb [--isa NAME]",
    .summary = "Writes a bundle: the plan's schedule and its weights, packed as the chosen kernels read them, in one\n"
               "file. libgraphtune-rt maps and runs it (gt_bundle_open): no model, no packing, no other library.",
    .details = "A bundle runs on the instruction set that it was packed for. By default that is the plan's. neon,\n"
               "armv7-neon and sse2 can be packed for on every machine, so a PC that selects from a board's records packs\n"
               "for it as well; avx2 and avx512 need a CPU that has them.\n\n"
               "Examples:\n"
               "  graphtune pack net.plan.json -o net.gtb\n"
               "  graphtune pack net.plan.json -o net.gtb --isa neon\n"
               "  graphtune run net.gtb --input image.npy --output out",
    .min_operands = 1,
    .max_operands = 1,
};

struct arguments {
    gt_cli_list operands;
    const char *output, *isa;
    gt_i_model_files files;
    bool json;
};

static gt_status report(const gt_deployment *d, const gt_bundle_target *target, const char *path, size_t bytes,
                        int64_t packed_bytes, bool json)
{
    gt_json_writer w;
    char size[32];
    char packed[32];
    if (!json) {
        printf("%s: %s, of which %s are weights of %d operators, packed for %s (%s)\n", path,
               gt_format_bytes(size, sizeof size, (double)bytes),
               gt_format_bytes(packed, sizeof packed, (double)packed_bytes), d->graph->n_ops, target->isa, target->arch);
        return GT_OK;
    }
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_string(&w, "file", path);
    gt_json_put_i64(&w, "bytes", (int64_t)bytes);
    gt_json_put_i64(&w, "packed_bytes", packed_bytes);
    gt_json_put_i64(&w, "ops", d->graph->n_ops);
    gt_json_put_string(&w, "isa", target->isa);
    gt_json_put_string(&w, "arch", target->arch);
    gt_json_end(&w);
    return gt_json_writer_print(&w);
}

gt_status gt_cli_pack(const char *plan_path, const gt_i_model_files *files, const char *output, const char *isa, bool quiet,
                      bool json)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    const gt_bundle_target *target = NULL;
    gt_kernel **kernels = NULL;
    size_t bytes = 0;
    int n = 0;
    GT_TRY(gt_cli_check_output(output));
    GT_TRY(gt_i_deployment_load(&d, plan_path, files));
    n = d->program->n_steps;
    status = gt_i_bundle_target_find(&target, isa != NULL ? isa : d->plan->isa);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(status, "%s", isa != NULL ? "--isa" : plan_path));
    }
    GT_TRY(gt_i_bundle_target_packable(target));
    GT_TRY(gt_kernels_create(&kernels, d->graph, d->program, target->level, true));
    GT_TRY(gt_i_bundle_write(&bytes, output, d->graph, d->program, d->plan, kernels, target));
    if (!quiet && strcmp(output, "-") != 0) {
        GT_TRY(report(d, target, output, bytes, gt_kernels_packed_bytes(kernels, n), json));
    }
done:
    gt_kernels_destroy(kernels, n);
    gt_deployment_close(d);
    return status;
}

int gt_cmd_pack(int argc, char **argv)
{
    struct arguments a = {.files.random_seed = -1};
    const gt_cli_option options[] = {
        {"output", 'o', GT_CLI_STRING, "FILE", "the bundle to write", &a.output, 0, 0},
        {"isa", 0, GT_CLI_STRING, "NAME", "pack for neon, armv7-neon, sse2, avx2 or avx512 (default: the plan's)", &a.isa, 0, 0},
        {"model", 0, GT_CLI_STRING, "MODEL", "the model file, where it has moved", &a.files.model, 0, 0},
        GT_CLI_WEIGHT_OPTIONS(a.files.weights, a.files.random_seed),
        {"json", 0, GT_CLI_FLAG, NULL, "print what was written as JSON", &a.json, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    if (code == GT_EXIT_OK && a.output == NULL) {
        code = gt_cli_usage(&command, "--output is needed");
    }
    code = code == GT_EXIT_OK ? gt_cli_finish(gt_cli_pack(a.operands.items[0], &a.files, a.output, a.isa, false, a.json)) : code;
    gt_cli_list_clear(&a.operands);
    return code;
}
