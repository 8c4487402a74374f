/* SPDX-License-Identifier: Apache-2.0 */
/* Prints docs/ncnn.md from the importer's own table; tests/test_docs.sh compares the two. */
#include "src/import/import.h"

#include <stdio.h>
#include <string.h>

#define MANY 4096 /* how the table says "any number" */

static void print_range(int least, int most)
{
    if (most >= MANY) {
        printf(" %d or more |", least);
    } else if (most > least) {
        printf(" %d–%d |", least, most);
    } else {
        printf(" %d |", least);
    }
}

int main(void)
{
    puts("# Supported ncnn layers\n\n"
         "This page is generated from the importer's table (`tests/ncnn_table > docs/ncnn.md`). Text (`.param`) and binary\n"
         "(`.param.bin`) networks are read, with weights stored as float32, float16 or 8-bit with a table; networks that only have\n"
         "int8 weights are refused. Without a `.bin` file, `--random-weights SEED` makes weights up. A layer with a parameter\n"
         "that is not in its list is refused; 30 and 31 (hints for shapes and features) are allowed everywhere.\n\n"
         "| layer | inputs | outputs | parameters |\n|---|---|---|---|");
    gt_ncnn_layer_info info;
    for (size_t i = 0; gt_ncnn_supported_layer(i, &info); i++) {
        printf("| %s |", info.name);
        print_range(info.min_inputs, info.max_inputs);
        print_range(info.min_outputs, info.max_outputs);
        printf(" %s |\n", info.params);
    }
    return 0;
}
