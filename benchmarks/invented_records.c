/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/invented_records.h"

#include "src/base/rng.h"
#include "src/graph/pair.h"

static gt_status add_record(gt_records *records, const gt_workload *w, const gt_template *t, gt_layout in, gt_layout out,
                            gt_rng *rng)
{
    gt_status status = GT_OK;
    gt_space space;
    gt_config config;
    gt_text text = {0};
    double ns = 500 + 0.05 * (double)gt_workload_macs(w) + 0.2 * (double)gt_workload_elems_moved(w);
    gt_template_space(t, w, in, out, &space);
    gt_space_point(&space, 0, &config);
    GT_TRY(gt_config_format(&text, &space, &config));
    ns *= (double)gt_rng_uniform(rng, 0.6f, 1.8f);
    gt_record r = {.kind = GT_RECORD_OP, .device = "0123456789abcdef", .threads = 1, .workload = w->key, .in = in, .out = out,
                   .template_name = (char *)(uintptr_t)t->name, .rev = t->rev, .config = text.data,
                   .timing = {.median_ns = ns, .min_ns = ns, .lo_ns = ns, .hi_ns = ns, .runs = 1}};
    GT_TRY(gt_records_add(records, &r));
done:
    gt_text_destroy(&text);
    return status;
}

static gt_status add_workload(gt_records *records, const gt_workload *w, gt_rng *rng)
{
    gt_status status = GT_OK;
    for (size_t i = 0; i < gt_template_count(); i++) {
        const gt_template *t = gt_template_at(i);
        for (int pair = 0; !t->view && pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
            gt_layout in = (gt_layout)(pair / GT_LAYOUT_COUNT);
            gt_layout out = (gt_layout)(pair % GT_LAYOUT_COUNT);
            if (gt_template_supports(t, w, in, out)) {
                GT_TRY(add_record(records, w, t, in, out, rng));
            }
        }
    }
done:
    return status;
}

static gt_status add_transforms(gt_records *records, const gt_shape *shape, gt_rng *rng)
{
    gt_status status = GT_OK;
    char text[GT_SHAPE_TEXT_BYTES];
    char empty[] = "";
    gt_shape_format(text, sizeof text, shape);
    for (int pair = 0; pair < GT_LAYOUT_COUNT * GT_LAYOUT_COUNT; pair++) {
        double ns = 300 + 0.4 * (double)gt_shape_elems(shape) * (double)gt_rng_uniform(rng, 0.5f, 1.5f);
        gt_record r = {.kind = GT_RECORD_TRANSFORM, .device = "0123456789abcdef", .threads = 1, .workload = text,
                       .in = (gt_layout)(pair / GT_LAYOUT_COUNT), .out = (gt_layout)(pair % GT_LAYOUT_COUNT),
                       .template_name = empty, .rev = GT_TRANSFORM_REV, .config = empty,
                       .timing = {.median_ns = ns, .min_ns = ns, .lo_ns = ns, .hi_ns = ns, .runs = 1}};
        if (r.in != r.out) {
            GT_TRY(gt_records_add(records, &r));
        }
    }
done:
    return status;
}

gt_status gt_invent_records(gt_records **records, const gt_tasks *tasks, uint64_t seed)
{
    gt_status status = GT_OK;
    gt_records *made = NULL;
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    GT_TRY(gt_records_create(&made));
    for (int i = 0; i < tasks->n_tasks; i++) {
        if (gt_op_kind_is_pair(tasks->tasks[i].workload->kind)) {
            continue;
        }
        GT_TRY(add_workload(made, tasks->tasks[i].workload, &rng));
    }
    for (int i = 0; i < tasks->n_shapes; i++) {
        GT_TRY(add_transforms(made, &tasks->shapes[i], &rng));
    }
    *records = made;
    made = NULL;
done:
    gt_records_destroy(made);
    return status;
}
