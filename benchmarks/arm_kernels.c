/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel candidate, run a number of times, for counting its instructions (benchmarks/arm_kernels.sh).
 *
 * usage: arm_kernels configs TEMPLATE IN OUT WORKLOAD          (prints the default config and those that differ from it in
 *                                                              one knob of the register tile, one a line; "-": no knobs)
 *        arm_kernels run TEMPLATE IN OUT WORKLOAD CONFIG RUNS  (prints the multiply-adds of one run) */
#include "ops/template.h"
#include "src/base/memory.h"
#include "src/base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The knobs that choose register tiles; what caches want shows in no count. */
static bool is_varied(const gt_knob *knob)
{
    static const char *const names[] = {"oc_vectors", "ow_tile", "phases", "rows", "vectors"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(knob->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

struct candidate {
    const gt_template *tmpl;
    gt_workload *workload;
    gt_layout in, out;
    gt_space space;
};

static gt_status parse_candidate(struct candidate *c, char **argv)
{
    gt_status status = GT_OK;
    c->tmpl = gt_template_find(argv[0]);
    c->in = gt_layout_find(argv[1]);
    c->out = gt_layout_find(argv[2]);
    GT_REQUIRE(c->tmpl != NULL, GT_ERROR_ARGUMENT, "there is no template \"%s\"", argv[0]);
    GT_REQUIRE(c->in != GT_LAYOUT_COUNT, GT_ERROR_ARGUMENT, "there is no layout \"%s\"", argv[1]);
    GT_REQUIRE(c->out != GT_LAYOUT_COUNT, GT_ERROR_ARGUMENT, "there is no layout \"%s\"", argv[2]);
    GT_TRY(gt_workload_parse(&c->workload, argv[3]));
    GT_REQUIRE(gt_template_supports(c->tmpl, c->workload, c->in, c->out), GT_ERROR_UNSUPPORTED,
               "%s does not take %s in %s -> %s", argv[0], argv[3], argv[1], argv[2]);
    gt_template_space(c->tmpl, c->workload, c->in, c->out, &c->space);
done:
    return status;
}

static gt_status print_config(const struct candidate *c, const gt_config *config)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    GT_TRY(gt_config_format(&text, &c->space, config));
    printf("%s\n", text.data != NULL && text.data[0] != '\0' ? text.data : "-");
done:
    gt_text_destroy(&text);
    return status;
}

static gt_status print_configs(const struct candidate *c)
{
    gt_status status = GT_OK;
    gt_config config;
    gt_space_point(&c->space, 0, &config);
    GT_TRY(print_config(c, &config));
    for (int k = 0; k < c->space.n; k++) {
        const gt_knob *knob = &c->space.knob[k];
        for (int v = 1; v < knob->n && is_varied(knob); v++) {
            config.value[k] = knob->value[v];
            if (gt_template_valid(c->tmpl, c->workload, c->in, c->out, &config)) {
                GT_TRY(print_config(c, &config));
            }
        }
        config.value[k] = knob->value[0];
    }
done:
    return status;
}

/* Values of every input in the layout that the candidate reads it in, constants in C order. */
static gt_status make_inputs(void **data, const void **consts, const void **in, const struct candidate *c)
{
    gt_status status = GT_OK;
    gt_rng rng;
    gt_rng_seed(&rng, 1);
    for (int i = 0; i < c->workload->n_inputs; i++) {
        const gt_operand *operand = &c->workload->inputs[i];
        if (!operand->present) {
            continue;
        }
        GT_REQUIRE(operand->dtype == GT_F32, GT_ERROR_UNSUPPORTED, "input %d of %s is not float32", i, c->workload->key);
        gt_layout layout = operand->constant ? GT_NCHW : gt_template_input_layout(c->workload, c->in, c->out, i);
        int64_t count = gt_layout_elems(layout, &operand->shape);
        GT_TRY(gt_alloc_aligned(&data[i], (size_t)count * sizeof(float)));
        gt_rng_fill(&rng, data[i], (size_t)count, -1, 1);
        *(operand->constant ? &consts[i] : &in[i]) = data[i];
    }
done:
    return status;
}

static gt_status run(const struct candidate *c, const char *config_text, long runs)
{
    gt_status status = GT_OK;
    int n = c->workload->n_inputs;
    gt_config config;
    gt_kernel *kernel = NULL;
    void **data = NULL, *out = NULL, *workspace = NULL;
    const void **consts = NULL, **in = NULL;
    GT_TRY(gt_calloc(&data, (size_t)n, sizeof *data));
    GT_TRY(gt_calloc(&consts, (size_t)n, sizeof *consts));
    GT_TRY(gt_calloc(&in, (size_t)n, sizeof *in));
    GT_TRY(make_inputs(data, consts, in, c));
    GT_TRY(gt_config_parse(&config, &c->space, strcmp(config_text, "-") == 0 ? "" : config_text));
    GT_TRY(gt_kernel_create(&kernel, c->tmpl, c->workload, c->in, c->out, &config, consts, GT_ISA_BASE));
    GT_TRY(gt_alloc_aligned(&out, (size_t)gt_layout_elems(c->out, &c->workload->output.shape) * sizeof(float)));
    GT_TRY(gt_alloc_aligned(&workspace, gt_kernel_workspace_bytes(kernel, 1)));
    for (long r = 0; r < runs; r++) {
        gt_kernel_run(kernel, in, out, NULL, workspace, NULL);
    }
    printf("%lld\n", (long long)gt_workload_macs(c->workload));
done:
    gt_free(workspace);
    gt_free(out);
    gt_kernel_destroy(kernel);
    for (int i = 0; data != NULL && i < n; i++) {
        gt_free(data[i]);
    }
    gt_free(in);
    gt_free(consts);
    gt_free(data);
    return status;
}

int main(int argc, char **argv)
{
    gt_status status = GT_OK;
    struct candidate c = {0};
    bool lists = argc == 6 && strcmp(argv[1], "configs") == 0;
    long runs = argc == 8 && strcmp(argv[1], "run") == 0 ? strtol(argv[7], NULL, 10) : 0;
    if (!lists && runs < 1) {
        fputs("usage: arm_kernels configs TEMPLATE IN OUT WORKLOAD\n"
              "       arm_kernels run TEMPLATE IN OUT WORKLOAD CONFIG RUNS\n", stderr);
        return 2;
    }
    GT_TRY(parse_candidate(&c, argv + 2));
    GT_TRY(lists ? print_configs(&c) : run(&c, argv[6], runs));
done:
    if (status != GT_OK) {
        fprintf(stderr, "arm_kernels: %s\n", gt_error_message());
    }
    gt_workload_destroy(c.workload);
    return status == GT_OK ? 0 : 1;
}
