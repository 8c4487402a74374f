/* SPDX-License-Identifier: Apache-2.0 */
#include "src/zoo/zoo.h"

#include "src/base/text.h"
#include "src/zoo/architectures.h"

#include <string.h>

#define CLASSES 1000

typedef struct architecture {
    const char *name;
    const char *description;
    int64_t resolution, smallest, largest, step;
    void (*build)(gt_i_zoo_builder *b, int64_t resolution);
} architecture;

#define GT_ZOO(suffix, name, resolution, smallest, largest, step, description) \
    {name, description, resolution, smallest, largest, step, gt_i_zoo_build_##suffix},
static const architecture architectures[] = {
#include "src/zoo/zoo_list.inc"
};
#undef GT_ZOO

int gt_zoo_count(void)
{
    return (int)(sizeof architectures / sizeof *architectures);
}

const char *gt_zoo_name(int index)
{
    return architectures[index].name;
}

const char *gt_zoo_description(int index)
{
    return architectures[index].description;
}

int64_t gt_zoo_resolution(int index)
{
    return architectures[index].resolution;
}

static gt_status find_architecture(const architecture **out, const char *name)
{
    gt_status status = GT_OK;
    gt_text names = {0};
    for (int i = 0; i < gt_zoo_count(); i++) {
        if (strcmp(architectures[i].name, name) == 0) {
            *out = &architectures[i];
            goto done;
        }
        GT_TRY(gt_text_append(&names, "%s%s", i > 0 ? ", " : "", architectures[i].name));
    }
    status = gt_fail(GT_ERROR_NOT_FOUND, "no architecture '%s' in the zoo; there are %s", name,
                     names.data);
done:
    gt_text_destroy(&names);
    return status;
}

static gt_status check_options(const architecture *a, double width, int64_t resolution)
{
    gt_status status = GT_OK;
    GT_REQUIRE(width >= 0.1 && width <= 4, GT_ERROR_ARGUMENT,
               "%s: width %g, a multiplier from 0.1 to 4 is allowed", a->name, width);
    bool fits = resolution >= a->smallest && resolution <= a->largest && resolution % a->step == 0;
    GT_REQUIRE(fits || a->step == 1, GT_ERROR_ARGUMENT,
               "%s: resolution %lld, a multiple of %lld from %lld to %lld is allowed", a->name,
               (long long)resolution, (long long)a->step, (long long)a->smallest,
               (long long)a->largest);
    GT_REQUIRE(fits, GT_ERROR_ARGUMENT, "%s: resolution %lld, %lld to %lld is allowed", a->name,
               (long long)resolution, (long long)a->smallest, (long long)a->largest);
done:
    return status;
}

gt_status gt_zoo_build(gt_onnx_model **model, const char *name, const gt_zoo_options *options)
{
    gt_status status = GT_OK;
    gt_i_zoo_builder *b = NULL;
    const architecture *a = NULL;
    gt_zoo_options o = options != NULL ? *options : (gt_zoo_options){0};
    GT_TRY(find_architecture(&a, name));
    double width = o.width == 0 ? 1.0 : o.width;
    int64_t resolution = o.resolution == 0 ? a->resolution : o.resolution;
    GT_TRY(check_options(a, width, resolution));
    GT_TRY(gt_i_zoo_builder_create(&b, a->name, width, o.seed));
    a->build(b, resolution);
    GT_TRY(b->status);
    *model = b->model;
    b->model = NULL;
done:
    gt_i_zoo_builder_destroy(b);
    return status;
}

gt_status gt_zoo_write(const char *name, const gt_zoo_options *options, const char *path)
{
    gt_onnx_model *model = NULL;
    gt_status status = gt_zoo_build(&model, name, options);
    if (status != GT_OK) {
        return status;
    }
    status = gt_onnx_write(model, path);
    gt_onnx_model_destroy(model);
    return status;
}

void gt_i_zoo_classify(gt_i_zoo_builder *b, gt_i_zoo_tensor x)
{
    x = gt_i_zoo_flatten(b, gt_i_zoo_global_pool(b, x));
    gt_i_zoo_scope(b, "%s", "");
    gt_i_zoo_output(b, gt_i_zoo_fc(b, x, "classifier", CLASSES), "logits");
}
