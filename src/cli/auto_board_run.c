/* SPDX-License-Identifier: Apache-2.0 */
/* `auto --board`: running the bundle on the board. */
#include "src/base/npy.h"
#include "src/cli/auto_board.h"

#include <string.h>
#include <unistd.h>

gt_status gt_i_append_flag(gt_text *text, const char *flag, const char *value)
{
    gt_status status = GT_OK;
    if (value != NULL) {
        GT_TRY(gt_text_append(text, " --%s ", flag));
        GT_TRY(gt_ssh_quote(text, value));
    }
done:
    return status;
}

gt_status gt_i_auto_board_run(const gt_auto_board *job, const char *verb, const char *more)
{
    gt_status status = GT_OK;
    gt_text path = {0};
    gt_text command = {0};
    GT_TRY(gt_text_append(&path, "./%s", job->bundle.data));
    GT_TRY(gt_text_append(&command, "%s ", verb));
    GT_TRY(gt_ssh_quote(&command, path.data));
    GT_TRY(gt_i_append_flag(&command, "cpus", job->a->board_cpus));
    GT_TRY(gt_text_append(&command, "%s", more));
    GT_TRY(gt_board_run(&job->board, command.data, false, job->a->flags.quiet));
done:
    gt_text_destroy(&command);
    gt_text_destroy(&path);
    return status;
}

/* Booleans were written as whole numbers. */
static gt_status take_output(void **out, const gt_tensor *t, const gt_npy *npy, const char *name)
{
    gt_status status = GT_OK;
    unsigned char *bytes = NULL;
    const size_t n = (size_t)gt_shape_elems(&t->shape);
    GT_REQUIRE(npy->elems == (int64_t)n && (npy->type == GT_NPY_F32) == (t->dtype == GT_F32), GT_ERROR_FORMAT,
               "%s: the board's output has another shape or type than the model's", name);
    GT_TRY(gt_calloc(&bytes, n + 1, gt_dtype_bytes(t->dtype)));
    if (t->dtype != GT_BOOL) {
        memcpy(bytes, npy->data, n * gt_dtype_bytes(t->dtype));
    }
    for (size_t i = 0; t->dtype == GT_BOOL && i < n; i++) {
        bytes[i] = ((const int64_t *)npy->data)[i] != 0;
    }
    *out = bytes;
done:
    return status;
}

static gt_status fetch_output(void **out, const gt_auto_board *job, int index)
{
    gt_status status = GT_OK;
    gt_text name = {0};
    gt_text path = {0};
    gt_npy npy = {0};
    GT_TRY(gt_text_append(&name, "%s/output_%d.npy", job->outputs.data, index));
    GT_TRY(gt_text_append(&path, "%s.output.tmp.%ld", job->bundle_path.data, (long)getpid()));
    GT_TRY(gt_board_fetch(&job->board, path.data, name.data));
    GT_TRY(gt_npy_read(&npy, path.data));
    GT_TRY(take_output(out, &job->graph->tensors[job->graph->outputs[index]], &npy, name.data));
done:
    if (path.data != NULL) {
        unlink(path.data);
    }
    gt_npy_destroy(&npy);
    gt_text_destroy(&path);
    gt_text_destroy(&name);
    return status;
}

/* The noise that `run --seed 1` makes there. */
static gt_status make_inputs(void **inputs, const gt_graph *graph)
{
    gt_status status = GT_OK;
    for (int i = 0; i < graph->n_inputs; i++) {
        const gt_tensor *t = &graph->tensors[graph->inputs[i]];
        GT_TRY(gt_calloc(&inputs[i], (size_t)gt_shape_elems(&t->shape) + 1, gt_dtype_bytes(t->dtype)));
    }
    gt_fill_noise(inputs, graph, 1);
done:
    return status;
}

static void free_all(void **buffers, int n)
{
    for (int i = 0; buffers != NULL && i < n; i++) {
        gt_free(buffers[i]);
    }
    gt_free(buffers);
}

gt_status gt_i_auto_board_check(const gt_auto_board *job)
{
    gt_status status = GT_OK;
    const gt_graph *g = job->graph;
    void **inputs = NULL;
    void **outputs = NULL;
    gt_text more = {0};
    bool good = false;
    GT_TRY(gt_text_append(&more, " --seed 1"));
    GT_TRY(gt_i_append_flag(&more, "output", job->outputs.data));
    GT_TRY(gt_i_auto_board_run(job, "run", more.data));
    GT_TRY(gt_calloc(&inputs, (size_t)g->n_inputs, sizeof *inputs));
    GT_TRY(gt_calloc(&outputs, (size_t)g->n_outputs, sizeof *outputs));
    GT_TRY(make_inputs(inputs, g));
    for (int i = 0; i < g->n_outputs; i++) {
        GT_TRY(fetch_output(&outputs[i], job, i));
    }
    GT_TRY(gt_cli_check_outputs(&good, g, (const void *const *)inputs, (const void *const *)outputs, !job->a->flags.quiet, NULL));
    GT_REQUIRE(good, GT_ERROR_INTERNAL, "%s: the board's output differs from the reference", job->bundle_path.data);
done:
    free_all(inputs, g->n_inputs);
    free_all(outputs, g->n_outputs);
    gt_text_destroy(&more);
    return status;
}
