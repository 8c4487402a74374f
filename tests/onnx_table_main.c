/* SPDX-License-Identifier: Apache-2.0 */
/* Prints docs/onnx.md from the importer's own table; tests/test_docs.sh compares the two. */
#include "src/import/import.h"

#include <stdio.h>

int main(void)
{
    puts("# Supported ONNX operators\n\n"
         "This page is generated from the importer's table (`tests/onnx_table > docs/onnx.md`). Models of opset 1 to 21 and IR\n"
         "version 3 and later are read, with weights inside or in external data files. Operators marked *folded* are evaluated\n"
         "at import and must have constant inputs; every other operator is folded too where all its inputs are constants.\n\n"
         "| operator | opsets | attributes | notes |\n|---|---|---|---|");
    const gt_onnx_op_info *op;
    for (size_t i = 0; (op = gt_onnx_supported_ops(i)) != NULL; i++) {
        printf("| %s | %d–%d | %s | %s%s%s |\n", op->name, op->since, op->last, op->attributes, op->folded_only ? "*folded*" : "",
               op->folded_only && *op->notes != '\0' ? "; " : "", op->notes);
    }
    return 0;
}
