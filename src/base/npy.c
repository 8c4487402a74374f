/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/npy.h"

#include "src/base/file.h"
#include "src/base/text.h"

#include <ctype.h>
#include <string.h>

static const char magic[6] = "\x93NUMPY";

/* The text after "'key':" in the header dictionary, blanks skipped; NULL if the key is missing. */
static const char *find_value(const char *header, const char *key)
{
    const char *p = strstr(header, key);
    if (p == NULL) {
        return NULL;
    }
    p += strlen(key);
    while (*p == ' ') {
        p++;
    }
    if (*p != ':') {
        return NULL;
    }
    for (p++; *p == ' '; p++) {
    }
    return p;
}

static gt_status parse_shape(gt_npy *npy, const char *header, const char *path)
{
    gt_status status = GT_OK;
    const char *p = find_value(header, "'shape'");
    GT_REQUIRE(p != NULL && *p == '(', GT_ERROR_FORMAT, "%s: npy header has no 'shape'", path);
    npy->elems = 1;
    for (p++; *p != ')';) {
        while (*p == ' ' || *p == ',') {
            p++;
        }
        if (*p == ')') {
            break;
        }
        GT_REQUIRE(isdigit((unsigned char)*p), GT_ERROR_FORMAT, "%s: npy header: bad 'shape' at \"%.16s\"", path, p);
        int64_t dim = 0;
        for (; isdigit((unsigned char)*p); p++) {
            GT_REQUIRE(dim < INT64_C(1) << 40, GT_ERROR_FORMAT, "%s: npy header: a dimension is too large", path);
            dim = dim * 10 + (*p - '0');
        }
        GT_REQUIRE(npy->rank < GT_NPY_MAX_RANK, GT_ERROR_UNSUPPORTED, "%s: npy rank is over %d", path,
                   GT_NPY_MAX_RANK);
        npy->dim[npy->rank++] = dim;
        status = gt_i_mul(&npy->elems, npy->elems, dim, "npy shape");
        if (status != GT_OK) {
            GT_TRY(gt_fail_in(status, "%s", path));
        }
    }
done:
    return status;
}

static gt_status parse_type(gt_npy *npy, const char *header, const char *path)
{
    gt_status status = GT_OK;
    const char *descr = find_value(header, "'descr'");
    const char *order = find_value(header, "'fortran_order'");
    GT_REQUIRE(descr != NULL && order != NULL, GT_ERROR_FORMAT,
               "%s: npy header lacks 'descr' or 'fortran_order'", path);
    bool f32 = strncmp(descr, "'<f4'", 5) == 0;
    bool i64 = strncmp(descr, "'<i8'", 5) == 0;
    GT_REQUIRE(f32 || i64, GT_ERROR_UNSUPPORTED,
               "%s: npy dtype %.*s: only little-endian float32 ('<f4') and int64 ('<i8') are read", path,
               (int)strcspn(descr, ",}\n"), descr);
    npy->type = f32 ? GT_NPY_F32 : GT_NPY_I64;
    GT_REQUIRE(strncmp(order, "False", 5) == 0, GT_ERROR_UNSUPPORTED,
               "%s: npy array is in Fortran order; save it with numpy.ascontiguousarray", path);
done:
    return status;
}

/* Finds the header text in the file's bytes; *data_offset is where the elements begin. */
static gt_status find_header(char **header, size_t *data_offset, const unsigned char *file, size_t bytes,
                             const char *path)
{
    gt_status status = GT_OK;
    char *text = NULL;
    GT_REQUIRE(bytes >= 10 && memcmp(file, magic, 6) == 0, GT_ERROR_FORMAT, "%s: not an .npy file", path);
    GT_REQUIRE(file[6] >= 1 && file[6] <= 3, GT_ERROR_UNSUPPORTED, "%s: npy format version %d: 1 to 3 are read", path,
               file[6]);
    size_t length = 0;
    size_t start = file[6] == 1 ? 10 : 12;
    GT_REQUIRE(bytes >= start, GT_ERROR_FORMAT, "%s: npy header is truncated", path);
    for (size_t i = start; i > 8; i--) {
        length = length << 8 | file[i - 1];
    }
    GT_REQUIRE(length <= bytes - start, GT_ERROR_FORMAT, "%s: npy header is truncated", path);
    GT_TRY(gt_calloc(&text, length + 1, 1));
    memcpy(text, file + start, length);
    *header = text;
    *data_offset = start + length;
done:
    return status;
}

gt_status gt_npy_read(gt_npy *out, const char *path)
{
    gt_status status = GT_OK;
    char *file = NULL;
    char *header = NULL;
    size_t bytes = 0;
    size_t offset = 0;
    gt_npy npy = {0};
    GT_TRY(gt_file_read(&file, &bytes, path));
    GT_TRY(find_header(&header, &offset, (const unsigned char *)file, bytes, path));
    GT_TRY(parse_type(&npy, header, path));
    GT_TRY(parse_shape(&npy, header, path));
    size_t width = npy.type == GT_NPY_F32 ? 4 : 8;
    GT_REQUIRE((uint64_t)npy.elems <= PTRDIFF_MAX / 8 && bytes - offset == (size_t)npy.elems * width, GT_ERROR_FORMAT,
               "%s: npy data has %zu bytes, but its shape needs %lld elements of %zu bytes", path, bytes - offset,
               (long long)npy.elems, width);
    GT_TRY(gt_alloc_aligned(&npy.data, bytes - offset));
    memcpy(npy.data, file + offset, bytes - offset);
    *out = npy;
done:
    gt_free(header);
    gt_free(file);
    return status;
}

gt_status gt_npy_write(const char *path, gt_npy_type type, int rank, const int64_t *dim, const void *data)
{
    gt_status status = GT_OK;
    gt_text text = {0};
    gt_file_writer *writer = NULL;
    size_t bytes = type == GT_NPY_F32 ? 4 : 8;
    GT_TRY(gt_text_append(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (", type == GT_NPY_F32 ? "<f4" : "<i8"));
    for (int i = 0; i < rank; i++) {
        GT_TRY(gt_text_append(&text, "%s%lld", i > 0 ? ", " : "", (long long)dim[i]));
        bytes *= (size_t)dim[i];
    }
    GT_TRY(gt_text_append(&text, rank == 1 ? ",), }" : "), }"));
    while ((10 + text.length + 1) % 64 != 0) {
        GT_TRY(gt_text_append(&text, " "));
    }
    GT_TRY(gt_text_append(&text, "\n"));
    const unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0,
                                    (unsigned char)(text.length & 255), (unsigned char)(text.length >> 8)};
    GT_TRY(gt_file_create(&writer, path));
    GT_TRY(gt_file_write(writer, head, sizeof head));
    GT_TRY(gt_file_write(writer, text.data, text.length));
    GT_TRY(gt_file_write(writer, data, bytes));
    gt_file_writer *finished = writer;
    writer = NULL;
    GT_TRY(gt_file_commit(finished));
done:
    gt_file_abort(writer);
    gt_text_destroy(&text);
    return status;
}

void gt_npy_destroy(gt_npy *npy)
{
    gt_free(npy->data);
    *npy = (gt_npy){0};
}
