/* SPDX-License-Identifier: Apache-2.0 */
/* The unique things to measure of a network, and the file that takes them to a board. */
#include "src/tune/tune.h"

#include "src/base/file.h"
#include "src/graph/pair.h"
#include "src/records/json.h"

#include <stdio.h>
#include <string.h>

#define FORMAT_NAME "graphtune-tasks"
#define FORMAT_VERSION 1
#define MAX_TASKS 20000 /* far more than any network has; each is compared with all others */

void gt_tasks_destroy(gt_tasks *tasks)
{
    if (tasks == NULL) {
        return;
    }
    for (int i = 0; i < tasks->n_tasks; i++) {
        gt_workload_destroy(tasks->tasks[i].workload);
        gt_free(tasks->tasks[i].example);
    }
    gt_free(tasks->tasks);
    gt_free(tasks->shapes);
    gt_free(tasks->model);
    gt_free(tasks);
}

/* ---- from a graph ---- */

static gt_task *find_task(const gt_tasks *tasks, const char *key)
{
    for (int i = 0; i < tasks->n_tasks; i++) {
        if (strcmp(tasks->tasks[i].workload->key, key) == 0) {
            return &tasks->tasks[i];
        }
    }
    return NULL;
}

/* Appends a task; takes over the workload on success. */
static gt_status add_task(gt_tasks *tasks, size_t *capacity, gt_workload *workload, int uses,
                          const char *example)
{
    gt_status status = GT_OK;
    gt_task task = {.workload = workload, .uses = uses};
    GT_TRY(gt_strdup(&task.example, example));
    GT_PUSH(tasks->tasks, tasks->n_tasks, *capacity, task);
    return GT_OK;
done:
    gt_free(task.example);
    return status;
}

static gt_status add_shape(gt_tasks *tasks, size_t *capacity, const gt_shape *shape)
{
    gt_status status = GT_OK;
    for (int i = 0; i < tasks->n_shapes; i++) {
        if (gt_shape_equal(&tasks->shapes[i], shape)) {
            return GT_OK;
        }
    }
    GT_PUSH(tasks->shapes, tasks->n_shapes, *capacity, *shape);
done:
    return status;
}

/* A use of a workload, by an op or by the pair of it and the op that it reads. */
static gt_status count_use(gt_tasks *tasks, size_t *capacity, const gt_workload *workload, const gt_op *op)
{
    gt_status status = GT_OK;
    gt_workload *copy = NULL;
    gt_task *known = find_task(tasks, workload->key);
    if (known != NULL) {
        known->uses++;
        return GT_OK;
    }
    GT_TRY(gt_workload_copy(&copy, workload));
    GT_TRY(add_task(tasks, capacity, copy, 1, op->name));
    copy = NULL;
done:
    gt_workload_destroy(copy);
    return status;
}

gt_status gt_tasks_of_graph(gt_tasks **out, const gt_graph *graph)
{
    gt_status status = GT_OK;
    gt_tasks *tasks = NULL;
    gt_pairs *pairs = NULL;
    size_t tasks_capacity = 0, shapes_capacity = 0;
    GT_TRY(gt_calloc(&tasks, 1, sizeof *tasks));
    GT_TRY(gt_strdup(&tasks->model, graph->name != NULL ? graph->name : ""));
    for (int i = 0; i < graph->n_ops; i++) {
        const gt_op *op = &graph->ops[i];
        GT_REQUIRE(op->workload != NULL, GT_ERROR_INTERNAL, "op \"%s\": the graph is not finished", op->name);
        GT_TRY(count_use(tasks, &tasks_capacity, op->workload, op));
    }
    GT_TRY(gt_pairs_create(&pairs, graph));
    for (int i = 0; i < graph->n_ops; i++) {
        if (pairs->workload[i] != NULL) {
            GT_TRY(count_use(tasks, &tasks_capacity, pairs->workload[i], &graph->ops[i]));
        }
    }
    /* Every rank 4 activation is made by an op or the caller and read by an op or the caller: each has a
     * choice. */
    for (int i = 0; i < graph->n_tensors; i++) {
        const gt_tensor *tensor = &graph->tensors[i];
        if (tensor->data == NULL && tensor->dtype == GT_F32 && tensor->shape.rank == 4) {
            GT_TRY(add_shape(tasks, &shapes_capacity, &tensor->shape));
        }
    }
    *out = tasks;
    tasks = NULL;
done:
    gt_pairs_destroy(pairs);
    gt_tasks_destroy(tasks);
    return status;
}

/* ---- writing ---- */

gt_status gt_tasks_write(const gt_tasks *tasks, const char *path)
{
    gt_json_writer w;
    char shape[GT_SHAPE_TEXT_BYTES];
    gt_json_writer_init(&w, true);
    gt_json_begin_object(&w, NULL);
    gt_json_put_string(&w, "format", FORMAT_NAME);
    gt_json_put_i64(&w, "version", FORMAT_VERSION);
    gt_json_put_string(&w, "model", tasks->model);
    gt_json_begin_array(&w, "tasks");
    for (int i = 0; i < tasks->n_tasks; i++) {
        gt_json_begin_inline_object(&w, NULL);
        gt_json_put_string(&w, "workload", tasks->tasks[i].workload->key);
        gt_json_put_i64(&w, "uses", tasks->tasks[i].uses);
        gt_json_put_string(&w, "example", tasks->tasks[i].example);
        gt_json_end(&w);
    }
    gt_json_end(&w);
    gt_json_begin_array(&w, "shapes");
    for (int i = 0; i < tasks->n_shapes; i++) {
        gt_json_put_string(&w, NULL, gt_shape_format(shape, sizeof shape, &tasks->shapes[i]));
    }
    gt_json_end(&w);
    gt_json_end(&w);
    return gt_json_writer_save(&w, path);
}

/* ---- reading ---- */

static gt_status read_task(gt_tasks *tasks, size_t *capacity, const gt_json *node)
{
    static const char *const keys[] = {"workload", "uses", "example"};
    gt_status status = GT_OK;
    gt_workload *workload = NULL;
    const char *key = NULL, *example = NULL;
    int uses = 0;
    GT_TRY(gt_json_get_string(node, "workload", &key));
    GT_TRY(gt_json_get_int(node, "uses", &uses, 1, INT32_MAX));
    GT_TRY(gt_json_get_string(node, "example", &example));
    GT_TRY(gt_json_only_keys(node, keys, sizeof keys / sizeof *keys));
    status = gt_workload_parse(&workload, key);
    if (status != GT_OK) {
        char why[512];
        snprintf(why, sizeof why, "%s", gt_error_message());
        status = status == GT_ERROR_MEMORY
                     ? status
                     : gt_json_fail(gt_json_find(node, "workload"), GT_ERROR_FORMAT, "%s", why);
        goto done;
    }
    if (find_task(tasks, workload->key) != NULL) {
        status = gt_json_fail(gt_json_find(node, "workload"), GT_ERROR_FORMAT, "stands there twice");
        goto done;
    }
    GT_TRY(add_task(tasks, capacity, workload, uses, example));
    workload = NULL;
done:
    gt_workload_destroy(workload);
    return status;
}

/* "1x64x56x56": four dimensions of at least 1, written without anything superfluous. */
static gt_status read_shape(gt_tasks *tasks, size_t *capacity, const gt_json *node)
{
    const char *text = NULL;
    char written[GT_SHAPE_TEXT_BYTES];
    long long d[4] = {0};
    int used = 0;
    gt_status status = gt_json_as_string(node, &text);
    if (status != GT_OK) {
        return status;
    }
    int got = strlen(text) < 80
                  ? sscanf(text, "%18lldx%18lldx%18lldx%18lld%n", &d[0], &d[1], &d[2], &d[3], &used)
                  : 0;
    bool positive = d[0] > 0 && d[1] > 0 && d[2] > 0 && d[3] > 0;
    gt_shape shape = positive ? gt_shape_4d(d[0], d[1], d[2], d[3]) : (gt_shape){0};
    if (got != 4 || !positive || gt_shape_check(&shape) != GT_OK ||
        strcmp(gt_shape_format(written, sizeof written, &shape), text) != 0) {
        return gt_json_fail(node, GT_ERROR_FORMAT,
                            "must be four dimensions from 1 up, such as \"1x64x56x56\", of at most "
                            "2^40 elements");
    }
    return add_shape(tasks, capacity, &shape);
}

static gt_status read_header(gt_tasks *tasks, const gt_json *root)
{
    static const char *const keys[] = {"format", "version", "model", "tasks", "shapes"};
    static const char *const formats[] = {FORMAT_NAME};
    gt_status status = GT_OK;
    int choice = 0;
    int64_t version = 0;
    const char *model = NULL;
    GT_TRY(gt_json_get_enum(root, "format", &choice, formats, 1));
    GT_TRY(gt_json_get_i64(root, "version", &version, 0, INT32_MAX));
    if (version != FORMAT_VERSION) {
        status = gt_json_fail(gt_json_find(root, "version"), GT_ERROR_UNSUPPORTED,
                              "this graphtune reads tasks files of version %d", FORMAT_VERSION);
        goto done;
    }
    GT_TRY(gt_json_get_string(root, "model", &model));
    GT_TRY(gt_json_only_keys(root, keys, sizeof keys / sizeof *keys));
    GT_TRY(gt_strdup(&tasks->model, model));
done:
    return status;
}

gt_status gt_tasks_read(gt_tasks **out, const char *path)
{
    gt_status status = GT_OK;
    gt_tasks *tasks = NULL;
    gt_json *root = NULL;
    const gt_json *list = NULL;
    size_t tasks_capacity = 0, shapes_capacity = 0;
    GT_TRY(gt_json_read(&root, path));
    GT_TRY(gt_calloc(&tasks, 1, sizeof *tasks));
    GT_TRY(read_header(tasks, root));
    GT_TRY(gt_json_get_array(root, "tasks", &list));
    GT_REQUIRE(gt_json_count(list) <= MAX_TASKS, GT_ERROR_LIMIT, "%s: more than %d tasks", path, MAX_TASKS);
    for (int64_t i = 0; i < gt_json_count(list); i++) {
        GT_TRY(read_task(tasks, &tasks_capacity, gt_json_at(list, i)));
    }
    GT_TRY(gt_json_get_array(root, "shapes", &list));
    GT_REQUIRE(gt_json_count(list) <= MAX_TASKS, GT_ERROR_LIMIT, "%s: more than %d shapes", path, MAX_TASKS);
    for (int64_t i = 0; i < gt_json_count(list); i++) {
        GT_TRY(read_shape(tasks, &shapes_capacity, gt_json_at(list, i)));
    }
    *out = tasks;
    tasks = NULL;
done:
    gt_json_destroy(root);
    gt_tasks_destroy(tasks);
    return status;
}

bool gt_tasks_probe(const char *path)
{
    char head[512] = "";
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return false;
    }
    size_t got = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    return got > 0 && head[strspn(head, " \t\r\n")] == '{' && strstr(head, "\"" FORMAT_NAME "\"") != NULL;
}
