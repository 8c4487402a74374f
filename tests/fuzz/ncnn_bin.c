/* SPDX-License-Identifier: Apache-2.0 */
/* ncnn weights (.bin): the input is a .param text, a zero byte, and the weights. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/ncnn_import.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    size_t text = zero != NULL ? (size_t)(zero - data) : size;
    size_t from = zero != NULL ? text + 1 : size;
    fz_write("net.bin", data + from, size - from);
    fz_ncnn_import(fz_write("net.param", data, text));
    return 0;
}
