/* SPDX-License-Identifier: Apache-2.0 */
/* Real networks in ncnn's format, where GT_MODELS_DIR has them. */
#include "tests/ncnn_model.h"

#include "src/base/npy.h"
#include "src/base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char models_dir[1024];

static bool find_models(void)
{
    const char *dir = getenv("GT_MODELS_DIR");
    const char *top = getenv("GT_TOP_SRCDIR");
    bool relative = dir != NULL && dir[0] != '/' && top != NULL;
    if (dir == NULL || dir[0] == '\0') {
        return false;
    }
    snprintf(models_dir, sizeof models_dir, "%s%s%s", relative ? top : "", relative ? "/" : "", dir);
    return access(models_dir, R_OK) == 0;
}

/* A file of the models' folder. */
static const char *model_file(const char *name)
{
    static char path[2048];
    snprintf(path, sizeof path, "%s/%s", models_dir, name);
    return path;
}

/* A weight as ncnn's converter stores it: with the excess digits of its 16-bit form cut off. */
static float cut_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 23 & 0xff) - 127;
    int gone = exponent >= -14 ? 13 : 13 - 14 - exponent;
    bits &= gone <= 23 ? ~0u << gone : 0x80000000u;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void cut_weights(gt_graph *g)
{
    for (int t = 0; t < g->n_tensors; t++) {
        float *data = g->tensors[t].shape.rank == 4 ? g->tensors[t].data : NULL;
        for (int64_t i = 0; data != NULL && i < gt_shape_elems(&g->tensors[t].shape); i++) {
            data[i] = cut_to_half(data[i]);
        }
    }
}

/* The .onnx with weights cut to 16 bits is the .param; both are near the .onnx as it is. */
START_TEST(fastestdet_in_both_formats)
{
    char name[] = "input.1";
    gt_npy in = {0};
    gt_npy golden = {0};
    const gt_import_shape shape = {name, {4, {1, 3, 352, 352}}};
    const gt_import_options options = {.n_shapes = 1, .shapes = &shape};
    gt_graph *a = NULL;
    gt_graph *b = NULL;
    nm_ok(gt_npy_read(&in, model_file("golden/fastestdet/input_0.npy")));
    nm_ok(gt_npy_read(&golden, model_file("golden/fastestdet/output_0.npy")));
    nm_ok(gt_import_file(&a, model_file("ncnn/fastestdet.param"), &options));
    nm_ok(gt_import_file(&b, model_file("onnx/fastestdet.onnx"), NULL));
    cut_weights(b);
    const float *inputs[1] = {in.data};
    void **x = nm_run(a, inputs);
    void **y = nm_run(b, inputs);
    const float *got = x[a->outputs[0]];
    const float *twin = y[b->outputs[0]];
    const float *want = golden.data;
    double square = 0;
    double total = 0;
    ck_assert_int_eq(gt_shape_elems(&a->tensors[a->outputs[0]].shape), golden.elems);
    for (int64_t i = 0; i < golden.elems; i++) {
        ck_assert_double_le(fabs((double)got[i] - (double)twin[i]), 1e-4);
        square += pow((double)got[i] - (double)want[i], 2);
        total += pow((double)want[i], 2);
    }
    ck_assert_double_le(sqrt(square / total), 0.02);
    nm_free_run(a, x);
    nm_free_run(b, y);
    gt_graph_destroy(a);
    gt_graph_destroy(b);
    gt_npy_destroy(&in);
    gt_npy_destroy(&golden);
}
END_TEST

/* Runs to detections: a picture that is no photograph may hold none at 0.55, so the threshold is lowered
 * to what a few boxes of any picture reach. Every row must be a box, by descending score, and the rest
 * zeros. */
START_TEST(yolo_fastest)
{
    gt_graph *g = NULL;
    float *x = NULL;
    gt_rng rng;
    nm_ok(gt_import_file(&g, model_file("ncnn/yolo-fastest-1.1.param"), NULL));
    ck_assert_int_eq(g->n_inputs, 1);
    ck_assert_int_eq(g->n_outputs, 1);
    ck_assert_str_eq(g->output_names[0], "output");
    const gt_shape want = {3, {1, 1500, 6}}; /* 3 boxes in each of 10x10 and 20x20 cells */
    ck_assert(gt_shape_equal(&g->tensors[g->outputs[0]].shape, &want));
    for (int i = 0; i < g->n_ops; i++) {
        if (g->ops[i].kind == GT_OP_YOLO_DETECTION_OUTPUT) {
            g->ops[i].workload->attrs.detection.confidence = 0.001f;
        }
    }
    nm_ok(gt_calloc(&x, 3 * 320 * 320, sizeof *x));
    gt_rng_seed(&rng, 1);
    for (int i = 0; i < 3 * 320 * 320; i++) { /* blocks of colour */
        x[i] = (float)((i / 40 * 7 + i / (320 * 40) * 3) % 11) / 11 + 0.05f * gt_rng_normal(&rng);
    }
    void **data = nm_run(g, (const float *[]){x});
    const float *rows = data[g->outputs[0]];
    int n = 0;
    for (; n < 1500 && rows[6 * n] > 0; n++) {
        const float *r = rows + 6 * n;
        ck_assert(r[0] >= 1 && r[0] <= 80 && r[0] == floorf(r[0]));
        ck_assert(r[1] >= 0.001f && r[1] <= 1 && (n == 0 || r[1] <= r[-5]));
        ck_assert(r[2] < r[4] && r[3] < r[5] && r[2] < 1 && r[4] > 0);
    }
    ck_assert_int_gt(n, 0);
    for (int i = 6 * n; i < 1500 * 6; i++) {
        ck_assert(rows[i] == 0);
    }
    nm_free_run(g, data);
    gt_free(x);
    gt_graph_destroy(g);
}
END_TEST

static const struct {
    const char *file;
    int64_t convs, macs;
} nets[] = {{"ncnn/resnet18.param", 21, 1814},
            {"ncnn/mobilenet_v2.param", 53, 300},
            {"ncnn/shufflenet_v2.param", 56, 144},
            {"ncnn/vgg16.param", 13, 15470}};

/* The structures that ncnn's benchmark uses, without weights. */
START_TEST(benchmark_structures)
{
    gt_graph *g = NULL;
    const gt_import_options options = {.random_weights = true, .random_seed = 1};
    nm_ok(gt_import_file(&g, model_file(nets[_i].file), &options));
    int64_t macs = 0;
    int64_t convs = 0;
    for (int i = 0; i < g->n_ops; i++) {
        macs += gt_workload_macs(g->ops[i].workload);
        convs += g->ops[i].kind == GT_OP_CONV2D;
    }
    ck_assert_int_eq(g->n_outputs, 1);
    ck_assert_int_eq(gt_shape_elems(&g->tensors[g->outputs[0]].shape), 1000);
    ck_assert_int_eq(convs, nets[_i].convs);
    ck_assert_msg(llabs(macs / 1000000 - nets[_i].macs) * 20 <= nets[_i].macs, "%s: %lld MACs", nets[_i].file,
                  (long long)macs);
    gt_graph_destroy(g);
}
END_TEST

int main(void)
{
    if (!find_models()) {
        printf("skip - real ncnn networks: no models (set GT_MODELS_DIR)\n");
        return 77;
    }
    const char *emulator = getenv("GT_EMULATOR");
    if (emulator != NULL && emulator[0] != '\0') {
        printf("skip - real ncnn networks: they take too long under emulation\n");
        return 77;
    }
    Suite *suite = suite_create("ncnn networks");
    TCase *real = tcase_create("real networks");
    tcase_set_timeout(real, 120);
    tcase_add_test(real, fastestdet_in_both_formats);
    tcase_add_test(real, yolo_fastest);
    tcase_add_loop_test(real, benchmark_structures, 0, (int)(sizeof nets / sizeof *nets));
    suite_add_tcase(suite, real);
    return nm_run_suite(suite);
}
