/* SPDX-License-Identifier: Apache-2.0 */
#include "costmodel/features.h"

#include "src/graph/pair.h"

#include <math.h>
#include <string.h>

void gt_features_of(double *x, const gt_space *space, const gt_config *config)
{
    for (int i = 0; i < GT_FEATURES; i++) {
        x[i] = i < space->n ? log2(1 + fmax(config->value[i], 0)) : 0;
    }
}

bool gt_features_match(const gt_space *a, const gt_space *b)
{
    for (int i = 0; i < a->n && i < b->n; i++) {
        if (strcmp(a->knob[i].name, b->knob[i].name) != 0) {
            return false;
        }
    }
    return a->n == b->n;
}

static int add_shape(double *z, int at, const gt_shape *shape)
{
    for (int i = 0; i < 4; i++) {
        z[at + i] = i < shape->rank ? log2(1 + (double)shape->dim[i]) : 0;
    }
    return at + 4;
}

void gt_dimensions_of(double *z, const gt_workload *w)
{
    static const gt_shape none = {0};
    bool conv = w->kind == GT_OP_CONV2D || w->kind == GT_OP_CONV_TRANSPOSE2D || gt_op_kind_is_pair(w->kind);
    int at = add_shape(z, 0, w->n_inputs > 0 && w->inputs[0].present ? &w->inputs[0].shape : &none);
    at = add_shape(z, at, w->n_inputs > 1 && w->inputs[1].present ? &w->inputs[1].shape : &none);
    at = add_shape(z, at, &w->output.shape);
    const int64_t *stride = gt_op_kind_is_pair(w->kind) ? w->attrs.pair.stride : w->attrs.conv.stride;
    const int64_t *dilation = gt_op_kind_is_pair(w->kind) ? w->attrs.pair.dilation : w->attrs.conv.dilation;
    for (int i = 0; i < 2; i++) {
        z[at++] = conv ? log2(1 + (double)stride[i]) : 0;
        z[at++] = conv ? log2(1 + (double)dilation[i]) : 0;
    }
}

double gt_dimensions_apart(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < GT_DIMENSIONS; i++) {
        sum += fabs(a[i] - b[i]);
    }
    return sum;
}
