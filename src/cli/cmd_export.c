/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"
#include "src/export/export.h"

#include <string.h>
#include <sys/stat.h>

static const gt_cli_command command = {
    .name = "export",
    .usage = "PLAN [--onnx FILE] [--dot FILE]",
    .summary = "Writes the network as a plan runs it, for other programs to show: as an ONNX model whose nodes carry\n"
               "layout, template, config and time as metadata (Netron shows them), or as a graphviz drawing.",
    .details = "The ONNX model computes what the plan computes. What is fused stands there in one node each; a layout\n"
               "transform is an Identity; operators that ONNX does not have are in the domain " GT_EXPORT_DOMAIN ".\n\n"
               "Examples:\n"
               "  graphtune export net.plan.json --onnx net.plan.onnx\n"
               "  graphtune export net.plan.json --dot - | dot -Tsvg -o net.svg",
    .min_operands = 1,
    .max_operands = 1,
};

struct arguments {
    gt_cli_list operands;
    gt_i_model_files files;
    const char *onnx, *dot;
    bool no_weights;
};

static bool is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static gt_status plan_sha256(char sha256[65], const char *path)
{
    gt_file_reader *file = NULL;
    gt_status status = gt_file_open(&file, path);
    if (status == GT_OK) {
        status = gt_file_sha256_hex(sha256, file);
    }
    gt_file_close(file);
    return status;
}

/* Nodes of operators that ONNX does not have. */
static int count_own(const gt_onnx_model *model)
{
    int n = 0;
    for (size_t i = 0; i < model->n_nodes; i++) {
        n += strcmp(model->nodes[i].domain, GT_EXPORT_DOMAIN) == 0;
    }
    return n;
}

/* "wrote net.onnx: 66 operators, 3 layout transforms, 4.7 MiB"; nothing where standard output is a file's. */
static void print_summary(const struct arguments *a, const char *path, const gt_schedule *schedule, int n_own)
{
    struct stat info;
    char size[32];
    if (is_stdout(a->onnx) || is_stdout(a->dot)) {
        return;
    }
    printf("wrote %s: %d operator%s, %d layout transform%s", path, schedule->n_ops, schedule->n_ops == 1 ? "" : "s",
           schedule->n_transforms, schedule->n_transforms == 1 ? "" : "s");
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        printf(", %s", gt_format_bytes(size, sizeof size, (double)info.st_size));
    }
    if (n_own > 0) {
        printf("; %d of the domain %s, which only graphtune can run", n_own, GT_EXPORT_DOMAIN);
    }
    putchar('\n');
}

static gt_status write_onnx(const gt_deployment *d, const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_onnx_model *model = NULL;
    char sha256[65];
    const gt_export_options options = {.no_weights = a->no_weights, .plan_sha256 = sha256};
    GT_TRY(plan_sha256(sha256, a->operands.items[0]));
    status = gt_export_onnx(&model, d->graph, d->plan, &options);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(status, "%s", a->operands.items[0]));
    }
    GT_TRY(gt_onnx_write(model, a->onnx));
    print_summary(a, a->onnx, &d->plan->schedule, count_own(model));
done:
    gt_onnx_model_destroy(model);
    return status;
}

static gt_status write_dot(const gt_deployment *d, const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    status = gt_export_dot(&text, d->graph, d->plan);
    if (status != GT_OK) {
        GT_TRY(gt_fail_in(status, "%s", a->operands.items[0]));
    }
    GT_TRY(gt_file_replace(a->dot, text.data, text.length));
    print_summary(a, a->dot, &d->plan->schedule, 0);
done:
    gt_text_destroy(&text);
    return status;
}

/* The plan and its model are not for overwriting. */
static gt_status check_output(const char *output, const char *plan, const char *model)
{
    struct stat a;
    struct stat b;
    const char *const inputs[] = {plan, model};
    for (int i = 0; output != NULL && i < 2; i++) {
        if (stat(output, &a) == 0 && stat(inputs[i], &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
            return gt_fail(GT_ERROR_ARGUMENT, "%s: is the %s itself and would be overwritten; give another name", output,
                           i == 0 ? "plan" : "model");
        }
    }
    return output != NULL ? gt_cli_check_output(output) : GT_OK;
}

static gt_status run(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    const char *plan = a->operands.items[0];
    GT_TRY(gt_i_deployment_view(&d, plan, &a->files));
    GT_TRY(check_output(a->onnx, plan, d->graph->source));
    GT_TRY(check_output(a->dot, plan, d->graph->source));
    GT_TRY(a->onnx != NULL ? write_onnx(d, a) : GT_OK);
    GT_TRY(a->dot != NULL ? write_dot(d, a) : GT_OK);
done:
    gt_deployment_close(d);
    return status;
}

/* What the table of options cannot say. */
static int check_outputs(const struct arguments *a)
{
    if (a->onnx == NULL && a->dot == NULL) {
        return gt_cli_usage(&command, "nothing to write: --onnx FILE, --dot FILE or both are needed");
    }
    if (a->onnx != NULL && a->dot != NULL && strcmp(a->onnx, a->dot) == 0) {
        return gt_cli_usage(&command, "--onnx and --dot both write %s", is_stdout(a->dot) ? "standard output" : a->dot);
    }
    if (a->no_weights && a->onnx == NULL) {
        return gt_cli_usage(&command, "--no-weights says something about --onnx, which is not given");
    }
    return GT_EXIT_OK;
}

int gt_cmd_export(int argc, char **argv)
{
    struct arguments a = {.files.random_seed = -1};
    const gt_cli_option options[] = {
        {"onnx", 0, GT_CLI_STRING, "FILE", "write an annotated ONNX model", &a.onnx, 0, 0},
        {"dot", 0, GT_CLI_STRING, "FILE", "write a graphviz drawing (- is standard output)", &a.dot, 0, 0},
        {"no-weights", 0, GT_CLI_FLAG, NULL, "a small ONNX file: weights become inputs without data", &a.no_weights, 0, 0},
        {"model", 0, GT_CLI_STRING, "MODEL", "the model file, where it has moved", &a.files.model, 0, 0},
        GT_CLI_WEIGHT_OPTIONS(a.files.weights, a.files.random_seed),
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    code = code == GT_EXIT_OK ? check_outputs(&a) : code;
    code = code == GT_EXIT_OK ? gt_cli_finish(run(&a)) : code;
    gt_cli_list_clear(&a.operands);
    return code;
}
