/* SPDX-License-Identifier: Apache-2.0 */
/* ncnn networks in binary form (.param.bin), with weights that are always there. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/ncnn_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fz_ncnn_weights();
    fz_ncnn_import(fz_write("net.param.bin", data, size));
    return 0;
}
