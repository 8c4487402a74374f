/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the importer for a file, and what is common to all formats. */
#include "src/import/import.h"

#include "src/base/file.h"
#include "src/graph/passes.h"
#include "src/import/format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path);
    size_t tail = strlen(extension);
    return length > tail && strcasecmp(path + length - tail, extension) == 0;
}

/* An ONNX file is a protobuf message whose first field is nearly always ir_version, a small varint. */
static bool begins_like_onnx(const gt_i_import_source *source)
{
    const char *data = source->data;
    return source->bytes > 2 && data[0] == 0x08 && data[1] > 0 && data[1] < 0x20;
}

/* whole: the importer reads the file from memory, not in pieces. */
typedef struct format_row {
    const char *name;
    bool whole;
    const char *extensions[2];
    bool (*begins_like)(const gt_i_import_source *source);
    gt_i_importer *import;
} format_row;

static const format_row formats[] = {
    {"ONNX", false, {".onnx"}, begins_like_onnx, gt_i_import_onnx},
    {"ncnn", true, {".param", ".param.bin"}, gt_i_begins_like_ncnn, gt_i_import_ncnn},
};
#define N_FORMATS (sizeof formats / sizeof *formats)

static bool is_named_like(const format_row *format, const char *path)
{
    bool is = false;
    for (size_t i = 0; i < 2 && format->extensions[i] != NULL; i++) {
        is = is || has_extension(path, format->extensions[i]);
    }
    return is;
}

/* By its name, and only then by its first bytes: a damaged file is still of the format that its name says. */
static gt_status find_format(const format_row **format, const gt_i_import_source *source)
{
    char names[64] = "";
    for (size_t i = 0; i < 2 * N_FORMATS; i++) {
        const format_row *row = &formats[i % N_FORMATS];
        if (i < N_FORMATS ? is_named_like(row, source->path) : row->begins_like(source)) {
            *format = row;
            return GT_OK;
        }
    }
    for (size_t i = 0; i < N_FORMATS; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", formats[i].name);
    }
    return gt_fail(GT_ERROR_FORMAT, "%s: not a model in a format that graphtune reads (%s)", source->path,
                   names);
}

/* Reads the first `bytes` bytes of the file, or all of it if it has fewer, into source->data. */
static gt_status read_source(gt_i_import_source *source, size_t bytes)
{
    gt_status status = GT_OK;
    char *data = NULL;
    bytes = bytes < gt_file_bytes(source->file) ? bytes : gt_file_bytes(source->file);
    GT_TRY(gt_calloc(&data, bytes + 1, 1)); /* text ends in a NUL */
    GT_TRY(gt_file_read_at(source->file, data, 0, bytes));
    gt_free(source->data);
    source->data = data;
    source->bytes = bytes;
    data = NULL;
done:
    gt_free(data);
    return status;
}

gt_status gt_import_file(gt_graph **graph, const char *path, const gt_import_options *options)
{
    static const gt_import_options defaults = {0};
    gt_status status = GT_OK;
    gt_graph *g = NULL;
    gt_file_reader *file = NULL;
    gt_i_import_source source = {.path = path};
    const format_row *format = NULL;
    char sha256[65] = "";
    options = options != NULL ? options : &defaults;
    GT_TRY(gt_file_open(&file, path));
    source.file = file;
    GT_REQUIRE(gt_file_bytes(file) > 0, GT_ERROR_FORMAT, "%s: the file is empty", path);
    GT_TRY(gt_file_sha256_hex(sha256, file));
    GT_TRY(read_source(&source, GT_I_IMPORT_HEAD_BYTES));
    GT_TRY(find_format(&format, &source));
    GT_REQUIRE(format->import == gt_i_import_ncnn || (options->weights_path == NULL && !options->random_weights),
               GT_ERROR_ARGUMENT, "%s: --weights and --random-weights are for ncnn models; an %s model has its weights in it",
               path, format->name);
    if (format->whole) {
        GT_TRY(read_source(&source, SIZE_MAX));
    }
    GT_TRY(format->import(&g, &source, options));
    GT_TRY(gt_strdup(&g->source, path));
    memcpy(g->source_sha256, sha256, sizeof sha256);
    status = options->keep_source_form ? gt_graph_finish(g) : gt_passes_run(g);
    if (status != GT_OK) {
        status = gt_fail_in(status, "%s", path);
        goto done;
    }
    *graph = g;
    g = NULL;
done:
    gt_graph_destroy(g);
    gt_free(source.data);
    gt_file_close(file);
    return status;
}

gt_status gt_i_import_check_count(const char *noun, int64_t count, int64_t lo, int64_t hi)
{
    char range[48];
    if (count >= lo && count <= hi) {
        return GT_OK;
    }
    snprintf(range, sizeof range, lo == hi ? "%lld" : "%lld to %lld", (long long)lo, (long long)hi);
    return gt_fail(GT_ERROR_FORMAT, "it has %lld %s%s; %s %s needed", (long long)count, noun, count == 1 ? "" : "s", range,
                   hi == 1 ? "is" : "are");
}
