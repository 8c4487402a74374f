/* SPDX-License-Identifier: Apache-2.0 */
#include "src/plan/plan.h"
#include "src/plan/plan_names.h"
#include "src/plan/plan_parts.h"
#include "src/records/json.h"

static void write_ports(gt_json_writer *w, const char *key, const gt_plan_port *ports, int n)
{
    gt_json_begin_array(w, key);
    for (int i = 0; i < n; i++) {
        gt_json_begin_inline_object(w, NULL);
        gt_json_put_string(w, "name", ports[i].name);
        gt_json_put_string(w, "dtype", gt_dtype_name(ports[i].dtype));
        gt_json_begin_array(w, "shape");
        for (int j = 0; j < ports[i].shape.rank; j++) {
            gt_json_put_i64(w, NULL, ports[i].shape.dim[j]);
        }
        gt_json_end(w);
        gt_json_end(w);
    }
    gt_json_end(w);
}

static void write_op(gt_json_writer *w, const gt_plan_op *op)
{
    gt_json_begin_inline_object(w, NULL);
    gt_json_put_string(w, "node", op->node);
    gt_json_put_string(w, "workload", op->workload);
    gt_json_put_string(w, "template", op->template_name);
    gt_json_put_i64(w, "rev", op->rev);
    gt_json_put_string(w, "in", gt_layout_name(op->in));
    gt_json_put_string(w, "out", gt_layout_name(op->out));
    gt_json_put_string(w, "config", op->config);
    gt_json_put_f64(w, "ns", op->ns);
    if (op->has_regret) {
        gt_json_put_f64(w, "regret_ns", op->regret_ns);
        if (op->certainty == GT_CERTAINTY_CERTAIN || op->certainty == GT_CERTAINTY_NOISE) {
            gt_json_put_bool(w, "certain", op->certainty == GT_CERTAINTY_CERTAIN);
        }
    }
    gt_json_end(w);
}

void gt_i_write_transforms(gt_json_writer *w, const gt_schedule *schedule)
{
    gt_json_begin_array(w, "transforms");
    for (int i = 0; i < schedule->n_transforms; i++) {
        const gt_plan_transform *t = &schedule->transforms[i];
        gt_json_begin_inline_object(w, NULL);
        gt_json_put_string(w, "tensor", t->tensor);
        gt_json_put_string(w, "from", gt_layout_name(t->from));
        gt_json_put_string(w, "to", gt_layout_name(t->to));
        gt_json_put_f64(w, "ns", t->ns);
        gt_json_end(w);
    }
    gt_json_end(w);
}

static void write_schedule(gt_json_writer *w, const gt_schedule *schedule)
{
    gt_json_begin_array(w, "ops");
    for (int i = 0; i < schedule->n_ops; i++) {
        write_op(w, &schedule->ops[i]);
    }
    gt_json_end(w);
    gt_i_write_transforms(w, schedule);
}

static void write_memory(gt_json_writer *w, const gt_plan *plan)
{
    gt_json_begin_object(w, "memory");
    gt_json_put_i64(w, "arena_bytes", plan->arena_bytes);
    gt_json_begin_array(w, "offsets");
    for (int i = 0; i < plan->n_buffers; i++) {
        const gt_plan_buffer *b = &plan->buffers[i];
        gt_json_begin_inline_object(w, NULL);
        gt_json_put_string(w, "tensor", b->tensor);
        gt_json_put_string(w, "layout", gt_layout_name(b->layout));
        gt_json_put_i64(w, "offset", b->offset_bytes);
        gt_json_put_i64(w, "size", b->size_bytes);
        gt_json_end(w);
    }
    gt_json_end(w);
    gt_json_end(w);
}

gt_status gt_plan_write(const gt_plan *plan, const char *path)
{
    gt_json_writer w;
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_string(&w, "format", gt_i_plan_format);
    gt_json_put_i64(&w, "version", GT_PLAN_VERSION);
    gt_json_begin_object(&w, "model");
    gt_json_put_string(&w, "file", plan->model_file);
    gt_json_put_string(&w, "sha256", plan->model_sha256);
    if (plan->weights_file != NULL) {
        gt_json_put_string(&w, "weights", plan->weights_file);
    }
    if (plan->random_weights) {
        gt_json_put_i64(&w, "random_weights", plan->random_seed);
    }
    write_ports(&w, "inputs", plan->inputs, plan->n_inputs);
    write_ports(&w, "outputs", plan->outputs, plan->n_outputs);
    gt_json_end(&w);
    gt_json_put_string(&w, "device", plan->device);
    if (plan->device_name != NULL) {
        gt_json_put_string(&w, "device_name", plan->device_name);
    }
    gt_json_put_string(&w, "isa", plan->isa);
    gt_json_put_i64(&w, "threads", plan->threads);
    gt_json_put_string(&w, "source", gt_i_source_names[plan->source]);
    if (plan->bandwidth_gb_s > 0) {
        gt_json_put_f64(&w, "bandwidth_gb_s", plan->bandwidth_gb_s);
    }
    gt_i_write_result(&w, plan);
    gt_i_write_selection(&w, plan->selection);
    write_schedule(&w, &plan->schedule);
    write_memory(&w, plan);
    gt_json_begin_array(&w, "alternatives");
    for (int i = 0; i < plan->n_alternatives; i++) {
        gt_json_begin_object(&w, NULL);
        gt_json_put_string(&w, "name", plan->alternatives[i].name);
        write_schedule(&w, &plan->alternatives[i].schedule);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    gt_json_end(&w);
    return gt_json_writer_save(&w, path);
}
