/* SPDX-License-Identifier: Apache-2.0 */
/* What the three targets for ncnn files share. */
#ifndef GT_TESTS_FUZZ_NCNN_IMPORT_H
#define GT_TESTS_FUZZ_NCNN_IMPORT_H

#include <stddef.h>

/* 256 KiB of weights that any network of moderate size can be read with: every second word is 0, which is also the flag
 * of plain floats, and the others are small floats. Returns their path, the .bin of "net.param" and "net.param.bin". */
const char *fz_ncnn_weights(void);

/* Imports a network with its weights, optimised and as it is. A refusal names a line or byte, or is one of those that
 * concern the whole file. */
void fz_ncnn_import(const char *path);

#endif
