/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/common.h"
#include "src/records/json.h"

#include <string.h>

static const gt_cli_command command = {
    .name = "inspect",
    .usage = "MODEL",
    .summary = "Shows what graphtune makes of a model: operators, shapes, multiply-adds, parameters, what was fused,\n"
               "and how many unique workloads there are to tune.",
    .min_operands = 1,
    .max_operands = 1,
};

struct totals {
    int64_t macs, parameters;
    int unique, fused;
};

static int64_t op_parameters(const gt_op *op)
{
    int64_t n = 0;
    for (int i = 0; i < op->workload->n_inputs; i++) {
        const gt_operand *input = &op->workload->inputs[i];
        n += input->present && input->constant ? gt_shape_elems(&input->shape) : 0;
    }
    return n;
}

static bool first_of_workload(const gt_graph *graph, int index)
{
    for (int i = 0; i < index; i++) {
        if (strcmp(graph->ops[i].workload->key, graph->ops[index].workload->key) == 0) {
            return false;
        }
    }
    return true;
}

static int count_names(const char *list)
{
    int n = list != NULL && *list != '\0';
    for (; list != NULL && *list != '\0'; list++) {
        n += *list == ',';
    }
    return n;
}

static struct totals add_up(const gt_graph *graph)
{
    struct totals t = {0};
    for (int i = 0; i < graph->n_ops; i++) {
        t.macs += gt_workload_macs(graph->ops[i].workload);
        t.parameters += op_parameters(&graph->ops[i]);
        t.unique += first_of_workload(graph, i);
        t.fused += count_names(graph->ops[i].fused);
    }
    return t;
}

static void port_line(const char *what, const char *name, const gt_tensor *t)
{
    char shape[GT_SHAPE_TEXT_BYTES];
    printf("%-10s %s  %s %s\n", what, name, gt_dtype_name(t->dtype), gt_shape_format(shape, sizeof shape, &t->shape));
}

static gt_status print_ops(const gt_graph *graph)
{
    gt_table table;
    char shape[GT_SHAPE_TEXT_BYTES];
    const char *const heading[] = {"op", "kind", "output", "M macs", "params", "fused in"};
    gt_table_begin(&table, "lllrrl");
    for (int i = 0; i < 6; i++) {
        gt_table_cell(&table, "%s", heading[i]);
    }
    for (int i = 0; i < graph->n_ops; i++) {
        const gt_op *op = &graph->ops[i];
        gt_table_cell(&table, "%s", op->name);
        gt_table_cell(&table, "%s", gt_workload_is_depthwise(op->workload) ? "depthwise" : gt_op_kind_name(op->kind));
        gt_table_cell(&table, "%s", gt_shape_format(shape, sizeof shape, &op->workload->output.shape));
        gt_table_cell(&table, "%.2f", (double)gt_workload_macs(op->workload) * 1e-6);
        gt_table_cell(&table, "%lld", (long long)op_parameters(op));
        gt_table_cell(&table, "%s", op->fused != NULL ? op->fused : "");
    }
    return gt_table_print(&table, stdout, 2);
}

static gt_status print_text(const gt_graph *graph)
{
    gt_status status = GT_OK;
    struct totals t = add_up(graph);
    printf("%s\n", graph->source);
    for (int i = 0; i < graph->n_inputs; i++) {
        port_line("input", graph->tensors[graph->inputs[i]].name, &graph->tensors[graph->inputs[i]]);
    }
    for (int i = 0; i < graph->n_outputs; i++) {
        port_line("output", graph->output_names[i], &graph->tensors[graph->outputs[i]]);
    }
    putchar('\n');
    GT_TRY(print_ops(graph));
    printf("\n%d nodes in the model, %d operators after folding and fusion (%d nodes fused), %d unique workloads\n",
           graph->n_source_ops, graph->n_ops, t.fused, t.unique);
    printf("%.2f M multiply-adds, %.2f M parameters\n", (double)t.macs * 1e-6, (double)t.parameters * 1e-6);
done:
    return status;
}

static void put_shape(gt_json_writer *w, const gt_shape *shape)
{
    gt_json_begin_array(w, "shape");
    for (int i = 0; i < shape->rank; i++) {
        gt_json_put_i64(w, NULL, shape->dim[i]);
    }
    gt_json_end(w);
}

static void put_op(gt_json_writer *w, const gt_op *op)
{
    gt_json_begin_inline_object(w, NULL);
    gt_json_put_string(w, "name", op->name);
    gt_json_put_string(w, "kind", gt_op_kind_name(op->kind));
    gt_json_put_string(w, "workload", op->workload->key);
    gt_json_put_i64(w, "macs", gt_workload_macs(op->workload));
    gt_json_put_i64(w, "parameters", op_parameters(op));
    gt_json_put_string(w, "fused", op->fused);
    gt_json_end(w);
}

static gt_status print_json(const gt_graph *graph)
{
    gt_json_writer w;
    struct totals t = add_up(graph);
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_string(&w, "model", graph->source);
    gt_json_put_string(&w, "sha256", graph->source_sha256);
    gt_json_begin_array(&w, "inputs");
    for (int i = 0; i < graph->n_inputs; i++) {
        const gt_tensor *tensor = &graph->tensors[graph->inputs[i]];
        gt_json_begin_inline_object(&w, NULL);
        gt_json_put_string(&w, "name", tensor->name);
        put_shape(&w, &tensor->shape);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    gt_json_begin_array(&w, "outputs");
    for (int i = 0; i < graph->n_outputs; i++) {
        gt_json_begin_inline_object(&w, NULL);
        gt_json_put_string(&w, "name", graph->output_names[i]);
        put_shape(&w, &graph->tensors[graph->outputs[i]].shape);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    gt_json_put_i64(&w, "nodes", graph->n_source_ops);
    gt_json_put_i64(&w, "unique_workloads", t.unique);
    gt_json_put_i64(&w, "macs", t.macs);
    gt_json_put_i64(&w, "parameters", t.parameters);
    gt_json_begin_array(&w, "ops");
    for (int i = 0; i < graph->n_ops; i++) {
        put_op(&w, &graph->ops[i]);
    }
    gt_json_end(&w);
    gt_json_end(&w);
    return gt_json_writer_print(&w);
}

int gt_cmd_inspect(int argc, char **argv)
{
    gt_cli_list operands = {0};
    gt_cli_import import = GT_CLI_IMPORT_DEFAULTS;
    bool json = false;
    const gt_cli_option options[] = {
        GT_CLI_IMPORT_OPTIONS(import),
        {"json", 0, GT_CLI_FLAG, NULL, "print everything as JSON", &json, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &operands);
    if (code == GT_EXIT_OK) {
        gt_graph *graph = NULL;
        gt_status status = gt_cli_load_model(&graph, operands.items[0], &import);
        if (status == GT_OK) {
            status = json ? print_json(graph) : print_text(graph);
        }
        gt_graph_destroy(graph);
        code = gt_cli_finish(status);
    }
    gt_cli_list_clear(&operands);
    gt_cli_list_clear(&import.shapes);
    return code;
}
