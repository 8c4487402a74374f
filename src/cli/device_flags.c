/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/device_flags.h"

#include "src/cli/common.h"

#include <string.h>

#define ANY_DEVICE "0000000000000000"

/* ---- CPUs ---- */

static void say_choice(const gt_device *device, const int *cpus, int n, int threads)
{
    gt_cpu_set set = {0};
    char list[128];
    for (int i = 0; i < n; i++) {
        gt_cpu_set_add(&set, cpus[i]);
    }
    fprintf(stderr, "graphtune: pinned to CPU%s %s (", n == 1 ? "" : "s", gt_cpu_set_format(list, sizeof list, &set));
    const char *comma = "";
    for (int i = 0; i < device->n_clusters; i++) {
        const gt_cluster *c = &device->clusters[i];
        int used = 0;
        for (int k = 0; k < n; k++) {
            used += gt_cpu_set_has(&c->cpus, cpus[k]);
        }
        const char *role = gt_cluster_role(device, c);
        if (used > 0) {
            fprintf(stderr, "%s%d × %s%s%s", comma, used, c->core, role[0] != '\0' ? ", " : "", role);
            comma = "; ";
        }
    }
    fprintf(stderr, ")%s\n", n < threads ? ": fewer CPUs than threads" : "");
}

gt_status gt_cli_choose_cpus(int **cpus, int *n, const char *text, int threads, bool quiet)
{
    gt_status status = GT_OK;
    gt_device device;
    int *list = NULL;
    gt_cpu_set allowed = gt_cpu_set_allowed();
    bool big = text != NULL && strcmp(text, "big") == 0;
    bool little = text != NULL && strcmp(text, "little") == 0;
    if (text != NULL && !big && !little) {
        return gt_cli_parse_cpus(cpus, n, text);
    }
    GT_TRY(gt_device_detect(&device));
    if (text == NULL && device.n_clusters < 2) {
        goto done;
    }
    GT_TRY(gt_calloc(&list, GT_DEVICE_MAX_CPUS, sizeof *list));
    int count = gt_device_choose_cpus(list, &device, big ? GT_CPUS_BIG : little ? GT_CPUS_LITTLE : GT_CPUS_FASTEST,
                                      threads, &allowed);
    GT_REQUIRE(count > 0 || text == NULL, GT_ERROR_ARGUMENT,
               "--cpus %s: this process may use none of these CPUs; `graphtune device` lists the clusters", text);
    if (!quiet && count > 0) {
        say_choice(&device, list, count, threads);
    }
    *cpus = list;
    *n = count;
    list = NULL;
done:
    gt_free(list);
    return status;
}

gt_status gt_cli_pin(const char *text, int threads, bool quiet)
{
    int *cpus = NULL;
    int n = 0;
    gt_status status = gt_cli_choose_cpus(&cpus, &n, text, threads, quiet);
    status = status == GT_OK ? gt_pin_to_cpus(cpus, n) : status;
    gt_free(cpus);
    return status;
}

/* ---- devices ---- */

static bool is_same(const gt_plan *plan, const gt_device *device)
{
    const bool any = plan->device[0] == '\0' || strcmp(plan->device, ANY_DEVICE) == 0;
    return any || strcmp(plan->device, device->hash) == 0;
}

gt_status gt_cli_warn_device(const gt_plan *plan, const char *plan_path)
{
    gt_device device;
    gt_status status = gt_device_detect(&device);
    if (status == GT_OK && !is_same(plan, &device)) {
        fprintf(stderr,
                "graphtune: %sWARNING%s: %s was tuned on another device: on \"%s\" (%s), but this is \"%s\" (%s). Its results are "
                "right, its times may be far from the best: tune and select again on this machine (graphtune auto MODEL)\n",
                gt_cli_yellow(stderr), gt_cli_plain(stderr), plan_path,
                plan->device_name != NULL ? plan->device_name : "unknown model", plan->device, device.model, device.hash);
    }
    return status;
}

gt_status gt_cli_put_devices(gt_json_writer *w, const gt_plan *plan)
{
    gt_device device;
    gt_status status = gt_device_detect(&device);
    if (status == GT_OK) {
        gt_json_begin_inline_object(w, "device");
        gt_json_put_string(w, "plan", plan->device);
        gt_json_put_string(w, "this", device.hash);
        gt_json_put_bool(w, "same", is_same(plan, &device));
        gt_json_end(w);
    }
    return status;
}

static gt_status copy_name(char **name, const char *json)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    const char *text = NULL;
    GT_TRY(gt_json_parse(&root, json, strlen(json), "device", 0));
    const char *key = gt_json_find(root, "model") != NULL ? "model" : "name";
    if (gt_json_find(root, key) != NULL) {
        GT_TRY(gt_json_get_string(root, key, &text));
        GT_TRY(gt_strdup(name, text));
    }
done:
    gt_json_destroy(root);
    return status;
}

gt_status gt_cli_set_device_name(gt_plan *plan, const gt_records *records)
{
    gt_status status = GT_OK;
    for (int64_t i = 0; plan->device_name == NULL && i < gt_records_device_count(records); i++) {
        if (strcmp(gt_records_device_hash(records, i), plan->device) == 0) {
            GT_TRY(copy_name(&plan->device_name, gt_records_device_json(records, i)));
        }
    }
done:
    return status;
}
