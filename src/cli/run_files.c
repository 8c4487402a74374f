/* SPDX-License-Identifier: Apache-2.0 */
/* `run`: inputs from files, outputs into files. */
#include "src/base/npy.h"
#include "src/cli/run_plan.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static gt_status list_inputs(gt_text *text, const gt_graph *graph)
{
    gt_status status = GT_OK;
    char shape[GT_SHAPE_TEXT_BYTES];
    for (int i = 0; i < graph->n_inputs; i++) {
        const gt_tensor *t = &graph->tensors[graph->inputs[i]];
        GT_TRY(gt_text_append(text, "%s\"%s\" (%s %s)", i > 0 ? ", " : "", t->name, gt_dtype_name(t->dtype),
                              gt_shape_format(shape, sizeof shape, &t->shape)));
    }
done:
    return status;
}

/* Which input "NAME=FILE" or the next plain FILE is, and its file. */
static gt_status resolve_input(int *index, const char **file, const char *item, int position, const gt_graph *graph)
{
    gt_status status = GT_OK;
    gt_text known = {0};
    const char *equals = strchr(item, '=');
    struct stat info;
    bool named = equals != NULL && stat(item, &info) != 0;
    *index = named ? -1 : position;
    *file = named ? equals + 1 : item;
    for (int i = 0; named && i < graph->n_inputs; i++) {
        const char *name = graph->tensors[graph->inputs[i]].name;
        if (strlen(name) == (size_t)(equals - item) && strncmp(name, item, strlen(name)) == 0) {
            *index = i;
        }
    }
    if (*index < 0 || *index >= graph->n_inputs) {
        GT_TRY(list_inputs(&known, graph));
        GT_TRY(gt_fail(GT_ERROR_ARGUMENT, "--input %s: the model has no %s; its inputs are %s", item,
                       named ? "input of this name" : "further input", known.data != NULL ? known.data : "none"));
    }
done:
    gt_text_destroy(&known);
    return status;
}

static gt_status load_input(gt_session *session, const gt_graph *graph, int index, const char *file)
{
    gt_status status = GT_OK;
    const gt_tensor *t = &graph->tensors[graph->inputs[index]];
    gt_npy npy = {0};
    char want[GT_SHAPE_TEXT_BYTES];
    char have[GT_SHAPE_TEXT_BYTES];
    GT_TRY(gt_npy_read(&npy, file));
    gt_shape shape = gt_shape_of(npy.rank, npy.dim);
    GT_REQUIRE(gt_shape_equal(&shape, &t->shape), GT_ERROR_SHAPE, "%s: shape is %s, but input \"%s\" needs %s", file,
               gt_shape_format(have, sizeof have, &shape), t->name, gt_shape_format(want, sizeof want, &t->shape));
    GT_REQUIRE((npy.type == GT_NPY_F32) == (t->dtype == GT_F32) && t->dtype != GT_BOOL, GT_ERROR_SHAPE,
               "%s: dtype is %s, but input \"%s\" needs %s", file, npy.type == GT_NPY_F32 ? "f32" : "i64", t->name,
               gt_dtype_name(t->dtype));
    memcpy(gt_session_input(session, index), npy.data, (size_t)npy.elems * gt_dtype_bytes(t->dtype));
done:
    gt_npy_destroy(&npy);
    return status;
}

gt_status gt_i_run_load_inputs(gt_session *session, const gt_graph *graph, const gt_run_arguments *a)
{
    gt_status status = GT_OK;
    int position = 0;
    bool *given = NULL;
    GT_TRY(gt_calloc(&given, (size_t)graph->n_inputs, sizeof *given));
    gt_fill_inputs(session, graph, (uint64_t)a->seed);
    for (int i = 0; i < a->inputs.n; i++) {
        int index = 0;
        const char *file = NULL;
        GT_TRY(resolve_input(&index, &file, a->inputs.items[i], position, graph));
        position += file == a->inputs.items[i];
        GT_REQUIRE(!given[index], GT_ERROR_ARGUMENT, "--input %s: input \"%s\" is given twice", a->inputs.items[i],
                   graph->tensors[graph->inputs[index]].name);
        given[index] = true;
        GT_TRY(load_input(session, graph, index, file));
    }
done:
    gt_free(given);
    return status;
}

static gt_status write_output(const gt_session *session, const gt_graph *graph, int i, const char *folder)
{
    gt_status status = GT_OK;
    gt_text path = {0};
    int64_t *wide = NULL;
    const gt_tensor *t = &graph->tensors[graph->outputs[i]];
    const void *data = gt_session_output(session, i);
    int64_t n = gt_shape_elems(&t->shape);
    GT_TRY(gt_text_append(&path, "%s/output_%d.npy", folder, i));
    if (t->dtype == GT_BOOL) {
        GT_TRY(gt_calloc(&wide, (size_t)n, sizeof *wide));
        for (int64_t k = 0; k < n; k++) {
            wide[k] = ((const unsigned char *)data)[k];
        }
        data = wide;
    }
    GT_TRY(gt_npy_write(path.data, t->dtype == GT_F32 ? GT_NPY_F32 : GT_NPY_I64, t->shape.rank, t->shape.dim, data));
done:
    gt_free(wide);
    gt_text_destroy(&path);
    return status;
}

gt_status gt_i_run_write_outputs(const gt_session *session, const gt_graph *graph, const char *folder)
{
    gt_status status = GT_OK;
    struct stat info;
    bool made = mkdir(folder, 0777) == 0;
    GT_REQUIRE(made || errno == EEXIST, GT_ERROR_IO, "--output \"%s\": cannot create the folder: %s", folder,
               strerror(errno));
    GT_REQUIRE(made || (stat(folder, &info) == 0 && S_ISDIR(info.st_mode)), GT_ERROR_IO, "--output %s: is not a folder",
               folder);
    for (int i = 0; i < graph->n_outputs; i++) {
        GT_TRY(write_output(session, graph, i, folder));
    }
done:
    return status;
}
