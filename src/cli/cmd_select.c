/* SPDX-License-Identifier: Apache-2.0 */
#include "src/cli/counter_flags.h"
#include "src/cli/device_flags.h"
#include "src/cli/pareto.h"
#include "src/cli/select_verify.h"
#include "src/cli/solver_flags.h"
#include "src/import/autotvm.h"
#include "src/tune/autotvm_emit.h"
#include "src/tune/refine.h"

#include <string.h>


static const gt_cli_command command = {
    .name = "select",
    .usage = "MODEL --records RECORDS [-o PLAN]\n       graphtune select --verify PLAN [--records RECORDS]",
    .summary = "Chooses the layout, algorithm and config of every layer so that the whole network, transforms\n"
               "included, takes the least time by the records; proves it; writes the deployment plan.",
    .details = "With --source foreign, records imported from AutoTVM logs (`graphtune records import`) decide. They are of\n"
               "convolutions without bias and activation; transforms and all other ops take as long as their bytes at the\n"
               "stated bandwidth, unless --transform-records has the transform. TVM runs such a plan, graphtune does not.\n\n"
               "Ctrl-C while the solver works ends it with the best schedule so far; the plan states the gap to what is\n"
               "proved. A second one ends the command.\n\n"
               "--verify derives a plan's cost from the records again, entry by entry, checks that its schedule can run, and\n"
               "proves its bound by other means: bucket elimination along the order that the plan names, and a fresh search.\n"
               "It exits with 1 when anything differs. --records stands in for the files that the plan names.\n\n"
               "Examples:\n"
               "  graphtune select net.onnx --records net.records.jsonl -o net.plan.json\n"
               "  graphtune select net.onnx --records net.records.jsonl --pin 'conv1=NCHW->NCHW8c/conv2d.direct'\n"
               "  graphtune select --verify net.plan.json\n"
               "  graphtune select net.onnx --records net.a72.jsonl --source counted\n"
               "  graphtune select net.onnx --records tvm.jsonl --source foreign --emit-autotvm best.log",
    .min_operands = 0,
    .max_operands = 1,
};

struct arguments {
    gt_cli_list operands, records, transform_records, pins, forbids;
    gt_cli_import import;
    const char *output, *only_layout, *layouts, *device, *source, *emit, *verify, *dump_cfn, *cpus;
    int64_t threads, max_memory;
    gt_solver_flags solver;
    double bandwidth_gb_s;
    bool json, refine, quiet, pareto;
};

/* Whether a device line is of the log's device that the user names, or any log's where he names none. */
static gt_status is_foreign_device(bool *is, const char *json, const char *wanted)
{
    gt_status status = GT_OK;
    gt_json *root = NULL;
    const char *name = NULL;
    GT_TRY(gt_json_parse(&root, json, strlen(json), "device", 0));
    *is = gt_json_find(root, "autotvm") != NULL;
    if (*is) {
        GT_TRY(gt_json_get_string(root, "autotvm", &name));
        *is = wanted == NULL || gt_autotvm_is_device(name, wanted);
    }
done:
    gt_json_destroy(root);
    return status;
}

/* --device as a hash, a name as `records import` takes it, or nothing where the records are of one device. */
static gt_status find_foreign_device(const char **hash, const gt_records *records, const char *wanted)
{
    gt_status status = GT_OK;
    int found = 0;
    for (int64_t i = 0; i < gt_records_device_count(records); i++) {
        bool is = false;
        if (wanted != NULL && strcmp(gt_records_device_hash(records, i), wanted) == 0) {
            *hash = wanted;
            return GT_OK;
        }
        GT_TRY(is_foreign_device(&is, gt_records_device_json(records, i), wanted));
        *hash = is ? gt_records_device_hash(records, i) : *hash;
        found += is;
    }
    GT_REQUIRE(found <= 1, GT_ERROR_ARGUMENT,
               "the records are of %d devices; choose one with --device, such as model=rk3399", found);
    GT_REQUIRE(found == 1, GT_ERROR_NOT_FOUND,
               "no imported records%s%s are among these; `graphtune records import` makes them",
               wanted != NULL ? " of device " : "", wanted != NULL ? wanted : "");
done:
    return status;
}

static bool is_source(const struct arguments *a, const char *name)
{
    return a->source != NULL && strcmp(a->source, name) == 0;
}

static gt_status foreign_options(gt_select_options *o, gt_records **transforms, const gt_records *records,
                                 const struct arguments *a)
{
    gt_status status = GT_OK;
    GT_TRY(find_foreign_device(&o->device, records, a->device));
    o->sources = 1u << GT_SOURCE_FOREIGN | 1u << GT_SOURCE_MODEL;
    o->bandwidth_gb_s = a->bandwidth_gb_s;
    if (a->transform_records.n > 0) {
        GT_TRY(gt_cli_read_records(transforms, &a->transform_records));
        o->transforms = *transforms;
    }
done:
    return status;
}

static gt_status emit(const struct arguments *a, const gt_plan *plan, const gt_graph *graph, const gt_records *records)
{
    gt_status status = GT_OK;
    gt_autotvm_taken taken;
    GT_TRY(gt_autotvm_emit(&taken, a->emit, plan, graph, records));
    if (taken.other_sides > 0 && !a->quiet) {
        fprintf(stderr,
                "graphtune: note: for %d convolution%s with more padding at the end than at the start, records of those with "
                "the same on both sides stand in; TVM applies %s only to a model that pads so\n",
                taken.other_sides, taken.other_sides == 1 ? "" : "s", taken.other_sides == 1 ? "it" : "them");
    }
    if (a->emit != NULL && !a->quiet && !a->json && strcmp(a->emit, "-") != 0) {
        printf("%d AutoTVM lines for apply_graph_best written to %s\n", taken.lines, a->emit);
    }
done:
    return status;
}

static gt_status choose(gt_plan **plan, gt_graph *graph, gt_records *records, gt_select_options *o, const struct arguments *a)
{
    gt_cli_watch_begin(o, a->quiet);
    gt_status status = a->refine ? gt_cli_refine(plan, graph, records, o, a->quiet) : gt_select(plan, graph, records, o);
    gt_cli_watch_end();
    if (status == GT_OK && !a->quiet) {
        gt_cli_say_doubts(*plan);
    }
    return status;
}

static gt_status run(const struct arguments *a)
{
    gt_status status = GT_OK;
    gt_graph *graph = NULL;
    gt_records *records = NULL;
    gt_records *transforms = NULL;
    gt_plan *plan = NULL;
    gt_text output = {0};
    bool foreign = is_source(a, "foreign");
    gt_device device;
    gt_select_options o = gt_select_defaults();
    GT_TRY(gt_device_detect(&device));
    o.device = a->device != NULL ? a->device : device.hash;
    o.threads = (int)a->threads;
    o.max_memory_bytes = a->max_memory;
    o.cfn_path = a->dump_cfn;
    gt_solver_flags_apply(&o, &a->solver);
    GT_TRY(gt_cli_parse_layouts(&o.layouts, a->layouts));
    GT_TRY(gt_cli_parse_layout(&o.only_layout, a->only_layout));
    o.n_pins = a->pins.n;
    o.pins = a->pins.items;
    o.n_forbids = a->forbids.n;
    o.forbids = a->forbids.items;
    GT_TRY(gt_cli_load_model(&graph, a->operands.items[0], &a->import));
    GT_TRY(gt_cli_read_records(&records, &a->records));
    if (foreign) {
        GT_TRY(foreign_options(&o, &transforms, records, a));
    }
    if (is_source(a, "counted")) {
        o.sources = 1u << GT_SOURCE_COUNTED;
        GT_TRY(gt_cli_counted_device(&o.device, records, a->device));
    }
    if (a->pareto) {
        GT_TRY(gt_cli_pareto(graph, records, &o, a->json, a->quiet));
    }
    if (a->pareto && a->output == NULL) {
        goto done;
    }
    if (a->refine) {
        GT_TRY(gt_cli_pin(a->cpus, (int)a->threads, a->quiet));
    }
    GT_TRY(choose(&plan, graph, records, &o, a));
    if (a->output != NULL) {
        GT_TRY(gt_text_append(&output, "%s", a->output));
    } else {
        GT_TRY(gt_cli_default_path(&output, a->operands.items[0], ".plan.json"));
    }
    GT_TRY(gt_cli_set_model_file(plan, a->operands.items[0], &a->import, output.data));
    GT_TRY(gt_cli_set_device_name(plan, records));
    GT_TRY(gt_cli_set_records(plan, &a->records, &a->transform_records, output.data));
    GT_TRY(gt_plan_write(plan, output.data));
    if (a->json && !a->pareto) {
        GT_TRY(gt_cli_print_plan_json(plan, output.data));
    } else if (!a->quiet && !a->json && strcmp(output.data, "-") != 0) {
        if (!a->pareto) {
            GT_TRY(gt_cli_print_plan(plan, graph));
        }
        printf("plan written to %s\n", output.data);
    }
    if (foreign) {
        GT_TRY(emit(a, plan, graph, records));
    }
done:
    gt_text_destroy(&output);
    gt_plan_destroy(plan);
    gt_records_destroy(transforms);
    gt_records_destroy(records);
    gt_graph_destroy(graph);
    return status;
}

static int check_source(const struct arguments *a)
{
    bool foreign = is_source(a, "foreign");
    bool counted = is_source(a, "counted");
    if (a->source != NULL && !foreign && !counted && strcmp(a->source, "measured") != 0) {
        return gt_cli_usage(&command, "--source %s: measured, counted or foreign is needed", a->source);
    }
    if (counted && a->refine) {
        return gt_cli_usage(&command, "--refine times the network on this machine, which --source counted is not about");
    }
    if (!foreign && (a->emit != NULL || a->transform_records.n > 0)) {
        return gt_cli_usage(&command, "--emit-autotvm and --transform-records need --source foreign");
    }
    if (foreign && a->refine) {
        return gt_cli_usage(&command, "--refine runs the network, which graphtune cannot do with imported records");
    }
    if (foreign && (a->pareto || a->max_memory > 0)) {
        return gt_cli_usage(&command, "--max-memory and --pareto need --source measured: there is no memory plan for imported code");
    }
    if (a->pareto && a->refine) {
        return gt_cli_usage(&command, "--pareto compares by the records; --refine does not go with it");
    }
    return GT_EXIT_OK;
}

static int check_arguments(const struct arguments *a)
{
    if (a->verify != NULL) {
        bool alone = a->output == NULL && a->only_layout == NULL && a->layouts == NULL && a->device == NULL &&
                     a->source == NULL && a->emit == NULL && a->dump_cfn == NULL && !a->refine && !a->pareto && a->max_memory == 0 &&
                     a->pins.n == 0 && a->forbids.n == 0;
        return alone ? GT_EXIT_OK : gt_cli_usage(&command, "--verify reads from the plan what it was selected with");
    }
    if (a->operands.n == 0) {
        return gt_cli_usage(&command, "an argument is missing; usage: graphtune select %s", command.usage);
    }
    if (a->records.n == 0) {
        return gt_cli_usage(&command, "--records is missing: which measurements to choose from");
    }
    return check_source(a);
}

static int verify(const struct arguments *a)
{
    bool good = false;
    const gt_cli_verify v = {.plan_path = a->verify,
                             .files = {.model = a->operands.n > 0 ? a->operands.items[0] : NULL,
                                       .weights = a->import.weights,
                                       .random_seed = a->import.random_seed},
                             .records = &a->records,
                             .transform_records = &a->transform_records,
                             .solver = &a->solver,
                             .json = a->json,
                             .quiet = a->quiet};
    int code = gt_cli_finish(gt_cli_verify_plan(&good, &v));
    return code == GT_EXIT_OK && !good ? GT_EXIT_FAILED : code;
}

int gt_cmd_select(int argc, char **argv)
{
    struct arguments a = {.import = GT_CLI_IMPORT_DEFAULTS, .threads = 1, .bandwidth_gb_s = 4};
    const gt_cli_option options[] = {
        {"records", 'r', GT_CLI_LIST, "FILE", "records to choose from; may be given several times", &a.records, 0, 0},
        {"output", 'o', GT_CLI_STRING, "PLAN", "the plan file (default: MODEL's name with .plan.json)", &a.output, 0, 0},
        GT_CLI_IMPORT_OPTIONS(a.import),
        {"threads", 't', GT_CLI_INT, "N", "threads of the deployment; needs records of as many (default 1)", &a.threads, 1, 256},
        {"layouts", 0, GT_CLI_LAYOUTS, "LIST", "use only these layouts (NCHW is always there), such as NCHW,NCHW8c", &a.layouts, 0, 0},
        {"only-layout", 0, GT_CLI_LAYOUT, "LAYOUT", "every op in this one layout where it can, as a comparison", &a.only_layout, 0, 0},
        {"pin", 0, GT_CLI_LIST, "NODE=LAYOUT", "the layer NODE in this layout, or IN->OUT; /TEMPLATE behind it: by this\ntemplate; NODE may be a pattern with * and ?; may be repeated", &a.pins, 0, 0},
        {"forbid", 0, GT_CLI_LIST, "NODE=LAYOUT", "the opposite", &a.forbids, 0, 0},
        {"device", 0, GT_CLI_STRING, "HASH", "records of another device (see `graphtune records list`); foreign:\nor its name in the log, such as model=rk3399", &a.device, 0, 0},
        {"source", 0, GT_CLI_STRING, "SOURCE", "which records decide: measured (default), counted, or foreign:\nimported ones", &a.source, 0, 0},
        {"bandwidth", 0, GT_CLI_REAL, "GB/S", "foreign: of the model for what the log does not have (default 4)", &a.bandwidth_gb_s, 1e-3, 1e6},
        {"transform-records", 0, GT_CLI_LIST, "FILE", "foreign: measured transforms, of this or another device", &a.transform_records, 0, 0},
        {"emit-autotvm", 0, GT_CLI_STRING, "LOG", "foreign: write one best log line per convolution in graph order,\nwhich TVM's autotvm.apply_graph_best reads", &a.emit, 0, 0},
        {"refine", 0, GT_CLI_FLAG, NULL, "measure the chosen ops again inside the running network,\nand solve again until the choice is stable", &a.refine, 0, 0},
        {"cpus", 0, GT_CLI_CPUS, "LIST|big|little", "with --refine: pin to these CPUs (see `graphtune tune`)", &a.cpus, 0, 0},
        {"max-memory", 0, GT_CLI_SIZE, "SIZE", "the fastest plan found whose arena (activations and copies, not\npacked weights) is at most so large: bytes, or KiB, MiB, GiB\nas in 1500K, 2M, 1G", &a.max_memory, 1, 0x1p46},
        {"pareto", 0, GT_CLI_FLAG, NULL, "print the schedules of which none is better in both latency and\narena; a plan is written with -o only", &a.pareto, 0, 0},
        GT_SOLVER_FLAG_OPTIONS(a.solver),
        {"dump-cfn", 0, GT_CLI_STRING, "FILE", "write the cost function network as well, for `graphtune solve`\nor toulbar2; its costs are whole nanoseconds", &a.dump_cfn, 0, 0},
        {"verify", 0, GT_CLI_STRING, "PLAN", "check this plan instead: its costs against the records, its\nschedule, and its bound by proofs of its own", &a.verify, 0, 0},
        {"json", 0, GT_CLI_FLAG, NULL, "print the result as JSON", &a.json, 0, 0},
        {"quiet", 'q', GT_CLI_FLAG, NULL, "print nothing but errors", &a.quiet, 0, 0},
    };
    int code = gt_cli_parse(&command, options, sizeof options / sizeof *options, argc, argv, &a.operands);
    code = code == GT_EXIT_OK ? check_arguments(&a) : code;
    code = code == GT_EXIT_OK && a.verify != NULL ? verify(&a) : code == GT_EXIT_OK ? gt_cli_finish(run(&a)) : code;
    gt_cli_list_clear(&a.operands);
    gt_cli_list_clear(&a.import.shapes);
    gt_cli_list_clear(&a.transform_records);
    gt_cli_list_clear(&a.pins);
    gt_cli_list_clear(&a.forbids);
    gt_cli_list_clear(&a.records);
    return code;
}
