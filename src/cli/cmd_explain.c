/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/print_explain.h"
#include "src/cli/solver_flags.h"

#include <string.h>

static const gt_cli_command command = {
    .name = "explain",
    .usage = "PLAN [NODE] [--records RECORDS]",
    .summary = "Tells why a plan is as it is: for every layer, by how much the whole network would be slower with the\n"
               "next best layouts there, and whether the measurements can tell the two apart. With NODE, everything\n"
               "that this layer could be, what the network would then take, and what else would change.",
    .details = "Figures are of the whole network with everything else at its best, and exact; where a limit of the solver came\n"
               "first (--time-limit, 10 seconds unless given), a lower bound stands there with a ≥.\n\n"
               "Examples:\n"
               "  graphtune explain net.plan.json\n"
               "  graphtune explain net.plan.json conv1",
    .min_operands = 1,
    .max_operands = 2,
};

struct arguments {
    gt_cli_list operands, records, transform_records;
    gt_i_model_files files;
    gt_solver_flags solver;
    bool json;
};

/* The files given, or else those that the plan names, which must be what they were. `owned`: the paths that are made. */
static gt_status read_files(gt_records **records, char **owned, const gt_cli_list *given, const gt_plan_file *files, int n,
                            const char *plan_path)
{
    gt_status status = GT_OK;
    gt_text path = {0};
    gt_cli_list paths = {0};
    char sha256[65];
    if (given->n > 0) {
        return gt_cli_read_records(records, given);
    }
    for (int i = 0; i < n; i++) {
        path.length = 0;
        GT_TRY(gt_plan_path(&path, files[i].file, plan_path));
        GT_TRY(gt_strdup(&owned[i], path.data));
        GT_PUSH(paths.items, paths.n, paths.capacity, owned[i]);
        GT_TRY(gt_cli_file_sha256(sha256, owned[i]));
        if (strcmp(sha256, files[i].sha256) != 0) {
            fprintf(stderr, "graphtune: note: %s has changed since the plan was selected from it\n", owned[i]);
        }
    }
    GT_TRY(gt_cli_read_records(records, &paths));
done:
    gt_cli_list_clear(&paths);
    gt_text_destroy(&path);
    return status;
}

static gt_status read_named(gt_records **records, const gt_cli_list *given, const gt_plan_file *files, int n,
                            const char *plan_path)
{
    gt_status status = GT_OK;
    char **owned = NULL;
    GT_TRY(gt_calloc(&owned, (size_t)n, sizeof *owned));
    GT_TRY(read_files(records, owned, given, files, n, plan_path));
done:
    for (int i = 0; owned != NULL && i < n; i++) {
        gt_free(owned[i]);
    }
    gt_free(owned);
    return status;
}

static gt_status find_node(int *op, const gt_graph *graph, const char *node)
{
    gt_status status = GT_OK;
    const char *nearest = NULL;
    int least = 0;
    *op = -1;
    for (int i = 0; node != NULL && i < graph->n_ops; i++) {
        int distance = gt_text_distance(node, graph->ops[i].name);
        *op = strcmp(node, graph->ops[i].name) == 0 ? i : *op;
        if (nearest == NULL || distance < least) {
            least = distance;
            nearest = graph->ops[i].name;
        }
    }
    GT_REQUIRE(node == NULL || *op >= 0, GT_ERROR_ARGUMENT, "the network has no layer \"%s\"; the nearest name is \"%s\"", node,
               nearest != NULL ? nearest : "");
done:
    return status;
}

static gt_status print(const gt_explanation *e, const gt_graph *graph, int op, bool json)
{
    if (json) {
        return op >= 0 ? gt_cli_print_explained_op_json(e, graph, op) : gt_cli_print_explanation_json(e, graph);
    }
    return op >= 0 ? gt_cli_print_explained_op(e, graph, op) : gt_cli_print_explanation(e, graph);
}

static gt_status run(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_deployment *d = NULL;
    gt_records *records = NULL;
    gt_records *transforms = NULL;
    gt_explanation *e = NULL;
    int op = -1;
    const char *plan_path = a->operands.items[0];
    gt_select_options o = gt_select_defaults();
    GT_TRY(gt_i_deployment_view(&d, plan_path, &a->files));
    GT_TRY(find_node(&op, d->graph, a->operands.n > 1 ? a->operands.items[1] : NULL));
    const gt_plan_selection none = {0};
    const gt_plan_selection *s = d->plan->selection != NULL ? d->plan->selection : &none;
    GT_REQUIRE(s->n_records > 0 || a->records.n > 0, GT_ERROR_ARGUMENT,
               "%s does not name the records that it was selected from; give them with --records", plan_path);
    GT_TRY(read_named(&records, &a->records, s->records, s->n_records, plan_path));
    if (s->n_transform_records > 0 || a->transform_records.n > 0) {
        GT_TRY(read_named(&transforms, &a->transform_records, s->transform_records, s->n_transform_records, plan_path));
    }
    o.transforms = transforms;
    gt_solver_flags_apply(&o, &a->solver);
    GT_TRY(gt_explain(&e, d->plan, d->graph, records, &o));
    if (d->plan->result.memory_limit_bytes > 0) {
        fprintf(stderr, "graphtune: note: the plan was selected under a limit on memory, which other choices need not keep\n");
    }
    GT_TRY(print(e, d->graph, op, a->json));
done:
    gt_explanation_destroy(e);
    gt_records_destroy(transforms);
    gt_records_destroy(records);
    gt_deployment_close(d);
    return status;
}

int gt_cmd_explain(int argc, char **argv)
{
    struct arguments a = {.files.random_seed = -1, .solver.time_limit_s = 10};
    const gt_cli_option options[] = {
        {"records", 'r', GT_CLI_LIST, "FILE", "records in place of those that the plan names; may be repeated", &a.records, 0, 0},
        {"transform-records", 0, GT_CLI_LIST, "FILE", "the same of select's --transform-records", &a.transform_records, 0, 0},
        {"model", 0, GT_CLI_STRING, "MODEL", "the model file, where it has moved", &a.files.model, 0, 0},
        GT_CLI_WEIGHT_OPTIONS(a.files.weights, a.files.random_seed),
        GT_SOLVER_FLAG_OPTIONS(a.solver),
        {"json", 0, GT_CLI_FLAG, NULL, "print the figures as JSON", &a.json, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    code = code == GT_EXIT_OK ? gt_cli_finish(run(&a)) : code;
    gt_cli_list_clear(&a.operands);
    gt_cli_list_clear(&a.records);
    gt_cli_list_clear(&a.transform_records);
    return code;
}
