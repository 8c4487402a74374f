/* SPDX-License-Identifier: Apache-2.0 */
/* What an importer of one file format provides; import.c has the table of them. */
#ifndef GT_IMPORT_FORMAT_H
#define GT_IMPORT_FORMAT_H

#include "src/base/file.h"
#include "src/import/import.h"

/* A model file: open, and in memory as far as the format's row in import.c asks for it, wholly or only its beginning.
 * Whoever recognises a format sees the beginning, GT_I_IMPORT_HEAD_BYTES unless the file is shorter. */
#define GT_I_IMPORT_HEAD_BYTES 4096
typedef struct gt_i_import_source {
    const char *path;
    const gt_file_reader *file;
    char *data;
    size_t bytes; /* of data */
} gt_i_import_source;

/* Builds the graph, constants folded, neither optimised nor finished; source and source_sha256 are the
 * caller's business. Messages start with the path. */
typedef gt_status gt_i_importer(gt_graph **graph, gt_i_import_source *source,
                                const gt_import_options *options);

gt_i_importer gt_i_import_onnx;
gt_i_importer gt_i_import_ncnn;

/* Fails with GT_ERROR_FORMAT unless a layer or node has lo to hi of something ("input"; an s is added). */
gt_status gt_i_import_check_count(const char *noun, int64_t count, int64_t lo, int64_t hi) GT_NODISCARD;

/* Whether a file is a .param or .param.bin, by its first bytes. */
bool gt_i_begins_like_ncnn(const gt_i_import_source *source);

#endif
