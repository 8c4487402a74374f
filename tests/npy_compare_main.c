/* SPDX-License-Identifier: Apache-2.0 */
/* npy_compare GOT WANT: exit status 0 when every |got - want| <= 1e-4 * absmax(want) + 1e-3 * |want|, else 1 with the
 * worst element. */
#include "ops/reference.h"
#include "src/base/npy.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    gt_npy got = {0};
    gt_npy want = {0};
    double worst = 0;
    if (argc != 3 || gt_npy_read(&got, argv[1]) != GT_OK || gt_npy_read(&want, argv[2]) != GT_OK) {
        fprintf(stderr, "npy_compare: %s\n", argc != 3 ? "two files are needed" : gt_error_message());
        return 2;
    }
    bool same_shape = got.rank == want.rank && memcmp(got.dim, want.dim, sizeof got.dim) == 0;
    if (!same_shape || got.type != GT_NPY_F32 || want.type != GT_NPY_F32) {
        fprintf(stderr, "npy_compare: %s and %s differ in shape or type\n", argv[1], argv[2]);
        return 1;
    }
    int64_t bad = gt_compare_f32(got.data, want.data, got.elems, GT_TOLERANCE_F32, &worst);
    if (bad >= 0) {
        fprintf(stderr, "npy_compare: %s: element %lld is %.8g, not %.8g\n", argv[1], (long long)bad,
                (double)((float *)got.data)[bad], (double)((float *)want.data)[bad]);
    }
    gt_npy_destroy(&got);
    gt_npy_destroy(&want);
    return bad >= 0;
}
