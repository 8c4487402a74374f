/* SPDX-License-Identifier: Apache-2.0 */
/* The plan's "selection": what `select` was run with. */
#include "src/plan/plan_names.h"
#include "src/plan/plan_parts.h"

#include <string.h>

static void destroy_files(gt_plan_file *files, int n)
{
    for (int i = 0; i < n; i++) {
        gt_free(files[i].file);
    }
    gt_free(files);
}

static void destroy_strings(char **strings, int n)
{
    for (int i = 0; i < n; i++) {
        gt_free(strings[i]);
    }
    gt_free(strings);
}

void gt_i_plan_selection_destroy(gt_plan_selection *selection)
{
    if (selection == NULL) {
        return;
    }
    for (int i = 0; i < selection->n_refined; i++) {
        gt_record_clear(&selection->refined[i]);
    }
    gt_free(selection->refined);
    destroy_files(selection->records, selection->n_records);
    destroy_files(selection->transform_records, selection->n_transform_records);
    destroy_strings(selection->pins, selection->n_pins);
    destroy_strings(selection->forbids, selection->n_forbids);
    gt_free(selection);
}

/* ---- reading ---- */

static gt_status read_files(gt_plan_file **files, int *n, const gt_json *node, const char *key)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int count = 0;
    GT_TRY(gt_i_plan_array(&array, &count, node, key));
    GT_TRY(gt_calloc(files, (size_t)count, sizeof **files));
    *n = count;
    for (int i = 0; i < count; i++) {
        GT_TRY(gt_i_plan_string(&(*files)[i].file, gt_json_at(array, i), "file"));
        GT_TRY(gt_i_plan_hex((*files)[i].sha256, gt_json_at(array, i), "sha256", 64));
    }
done:
    return status;
}

static gt_status read_strings(char ***strings, int *n, const gt_json *node, const char *key)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int count = 0;
    GT_TRY(gt_i_plan_array(&array, &count, node, key));
    GT_TRY(gt_calloc(strings, (size_t)count, sizeof **strings));
    *n = count;
    for (int i = 0; i < count; i++) {
        const char *text = NULL;
        GT_TRY(gt_json_as_string(gt_json_at(array, i), &text));
        GT_TRY(gt_strdup(&(*strings)[i], text));
    }
done:
    return status;
}

/* An array of names as a mask of their positions in names[0..n_names). */
static gt_status read_mask(unsigned *mask, const gt_json *node, const char *key, const char *const *names, int n_names)
{
    gt_status status = GT_OK;
    const gt_json *array = NULL;
    int count = 0;
    GT_TRY(gt_i_plan_array(&array, &count, node, key));
    for (int i = 0; i < count; i++) {
        int which = 0;
        GT_TRY(gt_json_as_enum(gt_json_at(array, i), &which, names, n_names));
        *mask |= 1u << which;
    }
done:
    return status;
}

static gt_status read_figure(gt_record *r, const gt_json *node, const gt_plan *plan)
{
    static const char *const kinds[] = {"op", "transform"};
    gt_status status = GT_OK;
    int kind = 0;
    double ns = 0;
    GT_TRY(gt_json_get_enum(node, "kind", &kind, kinds, 2));
    GT_TRY(gt_i_plan_string(&r->workload, node, "workload"));
    GT_TRY(gt_i_plan_string(&r->template_name, node, "template"));
    GT_TRY(gt_json_get_int(node, "rev", &r->rev, 0, 1000000));
    GT_TRY(gt_i_plan_layout(&r->in, node, "in"));
    GT_TRY(gt_i_plan_layout(&r->out, node, "out"));
    GT_TRY(gt_i_plan_string(&r->config, node, "config"));
    GT_TRY(gt_json_get_f64(node, "ns", &ns, 0, GT_PLAN_MAX_NS));
    r->kind = (gt_record_kind)kind;
    r->threads = plan->threads;
    r->timing = (gt_timing){.median_ns = ns, .min_ns = ns, .lo_ns = ns, .hi_ns = ns, .runs = 1};
    memcpy(r->device, plan->device, sizeof r->device);
done:
    return status;
}

static gt_status read_refined(gt_plan_selection *s, const gt_json *node, const gt_plan *plan)
{
    gt_status status = GT_OK;
    const gt_json *array = gt_json_find(node, "refined");
    int n = 0;
    if (array != NULL && gt_json_type_of(array) == GT_JSON_NULL) {
        return GT_OK;
    }
    GT_TRY(gt_i_plan_array(&array, &n, node, "refined"));
    GT_TRY(gt_calloc(&s->refined, (size_t)n, sizeof *s->refined));
    s->is_refined = true;
    s->n_refined = n;
    for (int i = 0; i < n; i++) {
        GT_TRY(read_figure(&s->refined[i], gt_json_at(array, i), plan));
    }
done:
    return status;
}

static gt_status read_only_layout(int *layout, const gt_json *node)
{
    const gt_json *value = gt_json_find(node, "only_layout");
    *layout = -1;
    if (value == NULL || gt_json_type_of(value) == GT_JSON_NULL) {
        return GT_OK;
    }
    return gt_json_as_enum(value, layout, gt_i_layout_names, GT_LAYOUT_COUNT);
}

gt_status gt_i_read_selection(gt_plan_selection **selection, const gt_json *root, const gt_plan *plan)
{
    gt_status status = GT_OK;
    gt_plan_selection *s = NULL;
    const gt_json *node = NULL;
    if (gt_json_find(root, "selection") == NULL) {
        return GT_OK;
    }
    GT_TRY(gt_json_get_object(root, "selection", &node));
    GT_TRY(gt_calloc(&s, 1, sizeof *s));
    GT_TRY(read_files(&s->records, &s->n_records, node, "records"));
    GT_TRY(read_files(&s->transform_records, &s->n_transform_records, node, "transform_records"));
    GT_TRY(read_mask(&s->layouts, node, "layouts", gt_i_layout_names, GT_LAYOUT_COUNT));
    GT_TRY(read_only_layout(&s->only_layout, node));
    GT_TRY(read_mask(&s->sources, node, "sources", gt_i_source_names, GT_SOURCE_COUNT));
    GT_TRY(read_strings(&s->pins, &s->n_pins, node, "pins"));
    GT_TRY(read_strings(&s->forbids, &s->n_forbids, node, "forbids"));
    GT_TRY(read_refined(s, node, plan));
    *selection = s;
    s = NULL;
done:
    gt_i_plan_selection_destroy(s);
    return status;
}

/* ---- writing ---- */

static void write_files(gt_json_writer *w, const char *key, const gt_plan_file *files, int n)
{
    gt_json_begin_array(w, key);
    for (int i = 0; i < n; i++) {
        gt_json_begin_inline_object(w, NULL);
        gt_json_put_string(w, "file", files[i].file);
        gt_json_put_string(w, "sha256", files[i].sha256);
        gt_json_end(w);
    }
    gt_json_end(w);
}

static void write_strings(gt_json_writer *w, const char *key, char *const *strings, int n)
{
    gt_json_begin_array(w, key);
    for (int i = 0; i < n; i++) {
        gt_json_put_string(w, NULL, strings[i]);
    }
    gt_json_end(w);
}

static void write_mask(gt_json_writer *w, const char *key, unsigned mask, const char *const *names, int n_names)
{
    gt_json_begin_inline_array(w, key);
    for (int i = 0; i < n_names; i++) {
        if ((mask >> i & 1) != 0) {
            gt_json_put_string(w, NULL, names[i]);
        }
    }
    gt_json_end(w);
}

static void write_figure(gt_json_writer *w, const gt_record *r)
{
    gt_json_begin_inline_object(w, NULL);
    gt_json_put_string(w, "kind", gt_record_kind_name(r->kind));
    gt_json_put_string(w, "workload", r->workload);
    gt_json_put_string(w, "template", r->template_name);
    gt_json_put_i64(w, "rev", r->rev);
    gt_json_put_string(w, "in", gt_layout_name(r->in));
    gt_json_put_string(w, "out", gt_layout_name(r->out));
    gt_json_put_string(w, "config", r->config);
    gt_json_put_f64(w, "ns", r->timing.median_ns);
    gt_json_end(w);
}

void gt_i_write_selection(gt_json_writer *w, const gt_plan_selection *s)
{
    if (s == NULL) {
        return;
    }
    gt_json_begin_object(w, "selection");
    write_files(w, "records", s->records, s->n_records);
    write_files(w, "transform_records", s->transform_records, s->n_transform_records);
    write_mask(w, "layouts", s->layouts, gt_i_layout_names, GT_LAYOUT_COUNT);
    gt_json_put_string(w, "only_layout", s->only_layout >= 0 ? gt_layout_name((gt_layout)s->only_layout) : NULL);
    write_mask(w, "sources", s->sources, gt_i_source_names, GT_SOURCE_COUNT);
    write_strings(w, "pins", s->pins, s->n_pins);
    write_strings(w, "forbids", s->forbids, s->n_forbids);
    if (!s->is_refined) {
        gt_json_put_null(w, "refined");
    } else {
        gt_json_begin_array(w, "refined");
        for (int i = 0; i < s->n_refined; i++) {
            write_figure(w, &s->refined[i]);
        }
        gt_json_end(w);
    }
    gt_json_end(w);
}
