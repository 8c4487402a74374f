/* SPDX-License-Identifier: Apache-2.0 */
/* What an importer of one file format provides; import.c has the table of them. */
#ifndef GT_IMPORT_FORMAT_H
#define GT_IMPORT_FORMAT_H

#include "src/import/import.h"

/* A model file in memory. An importer may gt_free `data` early and set it to NULL. */
typedef struct gt_i_import_source {
    const char *path;
    char *data;
    size_t bytes;
} gt_i_import_source;

/* Builds the graph, constants folded, neither optimised nor finished; source and source_sha256 are the
 * caller's business. Messages start with the path. */
typedef gt_status gt_i_importer(gt_graph **graph, gt_i_import_source *source,
                                const gt_import_options *options);

gt_i_importer gt_i_import_onnx;

#endif
