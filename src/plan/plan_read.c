/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/cpu.h"
#include "src/plan/plan.h"
#include "src/plan/plan_names.h"
#include "src/plan/plan_parts.h"
#include "src/records/json.h"

#include <math.h>
#include <string.h>

#define MIN_GB_S 1e-3
#define MAX_GB_S 1e6

const char *const gt_i_source_names[4] = {"measured", "foreign", "model", "counted"};
const char *const gt_i_layout_names[] = {
#define X(id, name, block) name,
    GT_LAYOUT_LIST(X)
#undef X
};
const char *const gt_i_dtype_names[] = {"f32", "i64", "bool"};

gt_status gt_i_plan_string(char **out, const gt_json *node, const char *key)
{
    const char *text = NULL;
    gt_status status = gt_json_get_string(node, key, &text);
    return status == GT_OK ? gt_strdup(out, text) : status;
}

gt_status gt_i_plan_layout(gt_layout *out, const gt_json *node, const char *key)
{
    int value = 0;
    gt_status status = gt_json_get_enum(node, key, &value, gt_i_layout_names, GT_LAYOUT_COUNT);
    *out = (gt_layout)value;
    return status;
}

gt_status gt_i_plan_array(const gt_json **array, int *count, const gt_json *node, const char *key)
{
    gt_status status = gt_json_get_array(node, key, array);
    if (status == GT_OK && gt_json_count(*array) > GT_PLAN_MAX_ENTRIES) {
        return gt_json_fail(*array, GT_ERROR_FORMAT, "at most %d entries are allowed", GT_PLAN_MAX_ENTRIES);
    }
    if (status == GT_OK) {
        *count = (int)gt_json_count(*array);
    }
    return status;
}

gt_status gt_i_plan_hex(char *out, const gt_json *node, const char *key, size_t digits)
{
    const char *text = NULL;
    gt_status status = gt_json_get_string(node, key, &text);
    if (status == GT_OK && (strlen(text) != digits || strspn(text, "0123456789abcdef") != digits)) {
        status = gt_json_fail(gt_json_find(node, key), GT_ERROR_FORMAT, "%zu hexadecimal digits are needed", digits);
    }
    if (status == GT_OK) {
        memcpy(out, text, digits + 1);
    }
    return status;
}

static gt_status read_port(gt_plan_port *port, const gt_json *node)
{
    gt_status status = GT_OK;
    const gt_json *shape = NULL;
    int dtype = 0;
    GT_TRY(gt_i_plan_string(&port->name, node, "name"));
    GT_TRY(gt_json_get_enum(node, "dtype", &dtype, gt_i_dtype_names, GT_DTYPE_COUNT));
    port->dtype = (gt_dtype)dtype;
    GT_TRY(gt_json_get_array(node, "shape", &shape));
    if (gt_json_count(shape) > GT_MAX_RANK) {
        GT_TRY(gt_json_fail(shape, GT_ERROR_FORMAT, "at most %d dimensions are allowed", GT_MAX_RANK));
    }
    port->shape.rank = (int)gt_json_count(shape);
    for (int i = 0; i < port->shape.rank; i++) {
        GT_TRY(gt_json_as_i64(gt_json_at(shape, i), &port->shape.dim[i], 0, INT64_C(1) << 40));
    }
    if (gt_shape_check(&port->shape) != GT_OK) {
        GT_TRY(gt_json_fail(shape, GT_ERROR_FORMAT, "at most 2^40 elements are allowed"));
    }
done:
    return status;
}

static gt_status read_ports(gt_plan_port **ports, int *n, const gt_json *node, const char *key)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int count = 0;
    GT_TRY(gt_i_plan_array(&array, &count, node, key));
    GT_TRY(gt_calloc(ports, (size_t)count, sizeof **ports));
    for (; *n < count; (*n)++) {
        GT_TRY(read_port(&(*ports)[*n], gt_json_at(array, *n)));
    }
done:
    if (status != GT_OK && *ports != NULL && *n < count) {
        (*n)++; /* a half-read port owns its name */
    }
    return status;
}

/* What older plans do not say. */
static gt_status read_regret(gt_plan_op *op, const gt_json *node)
{
    gt_status status = GT_OK;
    bool certain = false;
    const gt_json *has_certain = gt_json_find(node, "certain");
    op->has_regret = gt_json_find(node, "regret_ns") != NULL;
    if (has_certain != NULL && !op->has_regret) {
        GT_TRY(gt_json_fail(has_certain, GT_ERROR_FORMAT, "it needs \"regret_ns\" beside it"));
    }
    if (op->has_regret) {
        GT_TRY(gt_json_get_f64(node, "regret_ns", &op->regret_ns, 0, GT_PLAN_MAX_TOTAL_NS));
    }
    if (has_certain != NULL) {
        GT_TRY(gt_json_get_bool(node, "certain", &certain));
        op->certainty = certain ? GT_CERTAINTY_CERTAIN : GT_CERTAINTY_NOISE;
    }
done:
    return status;
}

static gt_status read_op(gt_plan_op *op, const gt_json *node)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_plan_string(&op->node, node, "node"));
    GT_TRY(gt_i_plan_string(&op->workload, node, "workload"));
    GT_TRY(gt_i_plan_string(&op->template_name, node, "template"));
    GT_TRY(gt_json_get_int(node, "rev", &op->rev, 0, 1000000));
    GT_TRY(gt_i_plan_layout(&op->in, node, "in"));
    GT_TRY(gt_i_plan_layout(&op->out, node, "out"));
    GT_TRY(gt_i_plan_string(&op->config, node, "config"));
    GT_TRY(gt_json_get_f64(node, "ns", &op->ns, 0, GT_PLAN_MAX_NS));
    GT_TRY(read_regret(op, node));
done:
    return status;
}

static gt_status read_transform(gt_plan_transform *t, const gt_json *node)
{
    gt_status status = GT_OK;
    GT_TRY(gt_i_plan_string(&t->tensor, node, "tensor"));
    GT_TRY(gt_i_plan_layout(&t->from, node, "from"));
    GT_TRY(gt_i_plan_layout(&t->to, node, "to"));
    GT_TRY(gt_json_get_f64(node, "ns", &t->ns, 0, GT_PLAN_MAX_NS));
done:
    return status;
}

gt_status gt_i_read_transforms(gt_schedule *schedule, const gt_json *node)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int n = 0;
    GT_TRY(gt_i_plan_array(&array, &n, node, "transforms"));
    GT_TRY(gt_calloc(&schedule->transforms, (size_t)n, sizeof *schedule->transforms));
    schedule->n_transforms = n;
    for (int i = 0; i < n; i++) {
        GT_TRY(read_transform(&schedule->transforms[i], gt_json_at(array, i)));
        schedule->predicted_ns += schedule->transforms[i].ns;
    }
done:
    return status;
}

static gt_status read_schedule(gt_schedule *schedule, const gt_json *node)
{
    gt_status status = GT_OK;
    const gt_json *ops = NULL;
    int n_ops = 0;
    GT_TRY(gt_i_plan_array(&ops, &n_ops, node, "ops"));
    GT_TRY(gt_calloc(&schedule->ops, (size_t)n_ops, sizeof *schedule->ops));
    schedule->n_ops = n_ops;
    for (int i = 0; i < n_ops; i++) {
        GT_TRY(read_op(&schedule->ops[i], gt_json_at(ops, i)));
        schedule->predicted_ns += schedule->ops[i].ns;
    }
    GT_TRY(gt_i_read_transforms(schedule, node));
done:
    return status;
}

static gt_status read_memory(gt_plan *plan, const gt_json *root)
{
    gt_status status = GT_OK;
    const gt_json *memory = NULL;
    const gt_json *offsets = NULL;
    int n = 0;
    const int64_t limit = INT64_C(1) << 46;
    GT_TRY(gt_json_get_object(root, "memory", &memory));
    GT_TRY(gt_json_get_i64(memory, "arena_bytes", &plan->arena_bytes, 0, limit));
    GT_TRY(gt_i_plan_array(&offsets, &n, memory, "offsets"));
    GT_TRY(gt_calloc(&plan->buffers, (size_t)n, sizeof *plan->buffers));
    plan->n_buffers = n;
    for (int i = 0; i < n; i++) {
        const gt_json *node = gt_json_at(offsets, i);
        GT_TRY(gt_i_plan_string(&plan->buffers[i].tensor, node, "tensor"));
        GT_TRY(gt_i_plan_layout(&plan->buffers[i].layout, node, "layout"));
        GT_TRY(gt_json_get_i64(node, "offset", &plan->buffers[i].offset_bytes, 0, limit));
        GT_TRY(gt_json_get_i64(node, "size", &plan->buffers[i].size_bytes, 0, limit));
    }
done:
    return status;
}

static gt_status read_alternatives(gt_plan *plan, const gt_json *root)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int n = 0;
    GT_TRY(gt_i_plan_array(&array, &n, root, "alternatives"));
    GT_TRY(gt_calloc(&plan->alternatives, (size_t)n, sizeof *plan->alternatives));
    plan->n_alternatives = n;
    for (int i = 0; i < n; i++) {
        GT_TRY(gt_i_plan_string(&plan->alternatives[i].name, gt_json_at(array, i), "name"));
        GT_TRY(read_schedule(&plan->alternatives[i].schedule, gt_json_at(array, i)));
    }
done:
    return status;
}

static gt_status read_model(gt_plan *plan, const gt_json *root)
{
    gt_status status = GT_OK;
    const gt_json *model = NULL;
    GT_TRY(gt_json_get_object(root, "model", &model));
    GT_TRY(gt_i_plan_string(&plan->model_file, model, "file"));
    GT_TRY(gt_i_plan_hex(plan->model_sha256, model, "sha256", 64));
    if (gt_json_find(model, "weights") != NULL) {
        GT_TRY(gt_i_plan_string(&plan->weights_file, model, "weights"));
    }
    plan->random_weights = gt_json_find(model, "random_weights") != NULL;
    if (plan->random_weights) {
        GT_TRY(gt_json_get_i64(model, "random_weights", &plan->random_seed, 0, GT_JSON_MAX_INTEGER));
    }
    GT_TRY(read_ports(&plan->inputs, &plan->n_inputs, model, "inputs"));
    GT_TRY(read_ports(&plan->outputs, &plan->n_outputs, model, "outputs"));
done:
    return status;
}

static gt_status read_header(gt_plan *plan, const gt_json *root)
{
    gt_status status = GT_OK;
    const char *format = NULL;
    int64_t version = 0;
    int source = 0;
    GT_TRY(gt_json_get_string(root, "format", &format));
    if (strcmp(format, gt_i_plan_format) != 0) {
        GT_TRY(gt_json_fail(gt_json_find(root, "format"), GT_ERROR_FORMAT, "\"%s\" is needed", gt_i_plan_format));
    }
    GT_TRY(gt_json_get_i64(root, "version", &version, 0, INT32_MAX));
    if (version != GT_PLAN_VERSION) {
        GT_TRY(gt_json_fail(gt_json_find(root, "version"), GT_ERROR_FORMAT,
                            "this graphtune reads plans of version %d; select again", GT_PLAN_VERSION));
    }
    GT_TRY(gt_i_plan_hex(plan->device, root, "device", 16));
    if (gt_json_find(root, "device_name") != NULL) {
        GT_TRY(gt_i_plan_string(&plan->device_name, root, "device_name"));
    }
    GT_TRY(gt_i_plan_string(&plan->isa, root, "isa"));
    GT_TRY(gt_json_get_int(root, "threads", &plan->threads, 1, 256));
    GT_TRY(gt_json_get_enum(root, "source", &source, gt_i_source_names, 4));
    plan->source = (gt_source)source;
    if (gt_json_find(root, "bandwidth_gb_s") != NULL) {
        GT_TRY(gt_json_get_f64(root, "bandwidth_gb_s", &plan->bandwidth_gb_s, MIN_GB_S, MAX_GB_S));
    }
done:
    return status;
}

gt_status gt_plan_read(gt_plan **plan, const char *path)
{
    gt_status status = GT_OK;
    gt_plan *p = NULL;
    gt_json *root = NULL;
    status = gt_json_read(&root, path);
    if (status == GT_ERROR_FORMAT) {
        status = gt_fail_in(status, "not a plan, or a damaged one"); /* a model, as a rule */
    }
    GT_TRY(status);
    GT_TRY(gt_plan_create(&p));
    GT_TRY(read_header(p, root));
    GT_TRY(read_model(p, root));
    GT_TRY(read_schedule(&p->schedule, root));
    GT_TRY(read_memory(p, root));
    GT_TRY(gt_i_read_result(&p->result, root, p->schedule.predicted_ns));
    GT_TRY(gt_i_read_selection(&p->selection, root, p));
    GT_TRY(read_alternatives(p, root));
    *plan = p;
    p = NULL;
done:
    gt_json_destroy(root);
    gt_plan_destroy(p);
    return status;
}
