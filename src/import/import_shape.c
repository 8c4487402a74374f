/* SPDX-License-Identifier: Apache-2.0 */
/* `--shape`, apart from the importers: options are parsed by programs that have none. */
#include "src/import/import.h"

#include <stdio.h>
#include <string.h>

static gt_status parse_dims(gt_shape *shape, const char *dims, const char *text)
{
    gt_status status = GT_OK;
    while (*dims != '\0') {
        char number[24] = "";
        size_t length = strcspn(dims, ",");
        GT_REQUIRE(shape->rank < GT_MAX_RANK, GT_ERROR_ARGUMENT, "shape \"%s\" has more than %d dimensions",
                   text, GT_MAX_RANK);
        snprintf(number, sizeof number, "%.*s", (int)(length < 20 ? length : 20), dims);
        int64_t *dim = &shape->dim[shape->rank++];
        GT_REQUIRE(gt_parse_i64(dim, number) && *dim >= 1 && *dim <= INT32_MAX, GT_ERROR_ARGUMENT,
                   "shape \"%s\": dimension %d is \"%s\", a number from 1 to 2147483647 is needed "
                   "(as in name=1,3,224,224)", text, shape->rank - 1, number);
        dims += length;
        GT_REQUIRE(strcmp(dims, ",") != 0, GT_ERROR_ARGUMENT, "shape \"%s\" ends in a comma", text);
        dims += *dims == ',';
    }
done:
    return status;
}

gt_status gt_import_parse_shape(gt_import_shape *shape, const char *text)
{
    gt_status status = GT_OK;
    gt_import_shape parsed = {0};
    const char *equals = strrchr(text, '=');
    const char *dims = equals != NULL ? equals + 1 : text;
    size_t name_bytes = equals != NULL ? (size_t)(equals - text) : 0;
    GT_REQUIRE(*text != '\0' && equals != text, GT_ERROR_ARGUMENT,
               "shape \"%s\": an input's name and its dimensions are needed, as in name=1,3,224,224", text);
    GT_TRY(parse_dims(&parsed.shape, dims, text));
    GT_TRY(gt_calloc(&parsed.name, name_bytes + 1, 1));
    memcpy(parsed.name, text, name_bytes);
    *shape = parsed;
    parsed.name = NULL;
done:
    gt_free(parsed.name);
    return status;
}
