/* SPDX-License-Identifier: Apache-2.0 */
/* transpose.direct: any permutation in C order; those that swap two neighbouring groups of axes, such as
 * [N, C, H, W] <-> [N, H, W, C], through square tiles. transpose.view: those that leave memory as it is. */
#include "ops/transpose.h"
#include "ops/general_common_move.h"
#include "ops/kernels.h"

/* The permutation without axes of one element and with axes that stay together joined. */
typedef struct plain_perm {
    gt_shape out;
    int64_t perm[GT_MAX_RANK];        /* of the joined input axes */
    int64_t in_stride[GT_MAX_RANK]; /* of the joined output axes, in the input */
} plain_perm;

static plain_perm simplify(const gt_workload *w)
{
    const gt_shape *in = &w->inputs[0].shape;
    int64_t stride[GT_MAX_RANK] = {0};
    plain_perm p = {.out = {0}};
    gt_i_c_strides(stride, in);
    for (int d = 0; d < in->rank; d++) {
        int64_t axis = w->attrs.transpose.perm.values[d];
        int last = p.out.rank - 1;
        if (in->dim[axis] == 1) {
            continue;
        }
        bool joins = last >= 0 && p.in_stride[last] == stride[axis] * in->dim[axis];
        int at = joins ? last : p.out.rank++;
        p.out.dim[at] = joins ? p.out.dim[at] * in->dim[axis] : in->dim[axis];
        p.in_stride[at] = stride[axis];
    }
    for (int i = 0; i < p.out.rank; i++) {
        for (int j = 0; j < p.out.rank; j++) {
            p.perm[i] += p.in_stride[j] > p.in_stride[i];
        }
    }
    return p;
}

static bool is_perm(const gt_workload *w, const int64_t perm[4])
{
    const gt_int_list *list = &w->attrs.transpose.perm;
    return list->count == 4 && memcmp(list->values, perm, 4 * sizeof *perm) == 0;
}

static bool view_supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    if (w->inputs[0].constant) {
        return false;
    }
    if (in == GT_NHWC && out == GT_NCHW) {
        return is_perm(w, (const int64_t[]){0, 2, 3, 1});
    }
    if (in == GT_NCHW && out == GT_NHWC) {
        return is_perm(w, (const int64_t[]){0, 3, 1, 2});
    }
    return in == GT_NCHW && out == GT_NCHW && simplify(w).out.rank <= 1;
}

const gt_template gt_i_template_transpose_view = {
    .name = "transpose.view",
    .kind = GT_OP_TRANSPOSE,
    .rev = 1,
    .view = true,
    .supports = view_supports,
};

static bool supports(const gt_workload *w, gt_layout in, gt_layout out)
{
    return in == GT_NCHW && out == GT_NCHW && !view_supports(w, in, out);
}

static gt_status prepare_tiles(gt_kernel *kernel, const plain_perm *plain, const void *const *consts,
                               gt_isa isa)
{
    const int64_t *dim = plain->out.dim;
    int r = plain->out.rank;
    gt_i_transpose p = {.batch = r == 3 ? dim[0] : 1, .rows = dim[r - 1], .columns = dim[r - 2]};
    p.row_tiles = gt_i_ceil_div(p.rows, GT_I_TRANSPOSE_TILE);
    p.column_tiles = gt_i_ceil_div(p.columns, GT_I_TRANSPOSE_TILE);
    kernel->tasks[0] = p.batch * p.row_tiles * p.column_tiles;
    gt_status status = gt_i_pack_inputs(kernel, consts, &p.at);
    return status != GT_OK ? status : GT_I_SET_PARAMS(kernel, p, GT_K_transpose_direct, isa);
}

static gt_status prepare_general(gt_kernel *kernel, const plain_perm *plain, const void *const *consts,
                                 gt_isa isa)
{
    gt_status status = GT_OK;
    int64_t *index = NULL;
    gt_i_move_spec spec = {0};
    GT_TRY(gt_i_move_spec_create(&spec, kernel, &plain->out));
    for (int d = 0; d < plain->out.rank; d++) {
        gt_free(index);
        index = NULL;
        GT_TRY(gt_calloc(&index, (size_t)plain->out.dim[d], sizeof *index));
        for (int64_t i = 0; i < plain->out.dim[d]; i++) {
            index[i] = i;
        }
        gt_i_move_set_axis(&spec, &plain->out, d, index, plain->in_stride[d]);
    }
    GT_TRY(gt_i_move_prepare(kernel, &spec, consts, isa));
done:
    gt_free(index);
    gt_i_move_spec_clear(&spec);
    return status;
}

static gt_status prepare(gt_kernel *kernel, const void *const *consts, gt_isa isa)
{
    plain_perm p = simplify(kernel->workload);
    bool pair = p.out.rank == 2 || (p.out.rank == 3 && p.perm[0] == 0);
    bool floats = kernel->workload->output.dtype == GT_F32;
    return pair && floats ? prepare_tiles(kernel, &p, consts, isa) : prepare_general(kernel, &p, consts, isa);
}

const gt_template gt_i_template_transpose_direct = {
    .name = "transpose.direct",
    .kind = GT_OP_TRANSPOSE,
    .rev = 1,
    .supports = supports,
    .prepare = prepare,
};
