/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles: a plan's schedule with its weights packed, in one file that is mapped and run without its model (docs/bundle.md).
 *
 *   header     GT_BUNDLE_HEADER_BYTES, little-endian: magic, version, section sizes, checksums
 *   manifest   JSON, padded with blanks: the network's structure and the schedule
 *   weights    the packed constants of op 0, 1, … and of outputs that are constants, each at a multiple of GT_ALIGN_BYTES
 *
 * The sections follow one another without a gap, and their sizes are multiples of GT_ALIGN_BYTES: every byte of the file is
 * under a checksum, and no offset is stored that could be wrong. */
#ifndef GT_PLAN_BUNDLE_H
#define GT_PLAN_BUNDLE_H

#include "include/graphtune/runtime.h"
#include "src/base/cpu.h"
#include "src/base/file.h"
#include "src/plan/program.h"

#include <stdatomic.h>

#define GT_BUNDLE_VERSION 1
#define GT_BUNDLE_HEADER_BYTES 64
#define GT_BUNDLE_MAGIC_BYTES 8

/* ---- the container ---- */

/* The sections of a bundle, borrowed from its bytes. */
typedef struct gt_bundle_sections {
    const char *manifest;
    size_t manifest_bytes;
    const char *weights;
    size_t weights_bytes;
} gt_bundle_sections;

/* Whether a file's first bytes are a bundle's; false also where it cannot be read. */
bool gt_i_is_bundle(const char *path);

/* Checks magic, version, sizes and all checksums. `path` names the bundle in messages.
 * Errors: GT_ERROR_FORMAT, GT_ERROR_MISMATCH (version). */
gt_status gt_i_bundle_split(gt_bundle_sections *sections, const void *data, size_t bytes, const char *path) GT_NODISCARD;

/* The header of these sections, whose sizes are multiples of GT_ALIGN_BYTES. */
void gt_i_bundle_header(unsigned char header[GT_BUNDLE_HEADER_BYTES], size_t manifest_bytes, uint64_t manifest_hash,
                        size_t weights_bytes, uint64_t weights_hash);

/* `bytes` with padding up to a multiple of GT_ALIGN_BYTES. */
size_t gt_i_bundle_padded(size_t bytes);

/* ---- instruction sets ---- */

/* What constants are packed for. */
typedef struct gt_bundle_target {
    const char *isa;  /* "neon": as gt_isa_name on a machine that has it */
    const char *arch; /* "aarch64" */
    gt_isa level;     /* how the kernels of that machine call it */
} gt_bundle_target;

/* Errors: GT_ERROR_ARGUMENT listing those that exist. */
gt_status gt_i_bundle_target_find(const gt_bundle_target **target, const char *isa) GT_NODISCARD;

/* Whether this machine can pack for a target. The base level of every architecture has vectors of four floats, and packing
 * depends on their length only, so a PC packs for arm64; other levels need a CPU that has them.
 * Errors: GT_ERROR_UNSUPPORTED. */
gt_status gt_i_bundle_target_packable(const gt_bundle_target *target) GT_NODISCARD;

/* Whether this machine can run what was packed for a target. Errors: GT_ERROR_MISMATCH. */
gt_status gt_i_bundle_target_runnable(const gt_bundle_target *target) GT_NODISCARD;

/* ---- writing ---- */

/* Writes a bundle, atomically; the same inputs give the same bytes. kernels[i] is that of the program's step i, made for the
 * target's level; of the graph's constants only those that are outputs are needed. *bytes (may be NULL): the file's size.
 * Errors: GT_ERROR_IO, GT_ERROR_MEMORY, GT_ERROR_FORMAT (a name is no UTF-8). */
gt_status gt_i_bundle_write(size_t *bytes, const char *path, const gt_graph *graph, const gt_program *program,
                            const gt_plan *plan, gt_kernel *const *kernels, const gt_bundle_target *target) GT_NODISCARD;

/* ---- reading ---- */

/* What a manifest says. */
typedef struct gt_bundle_content {
    gt_graph *graph;   /* finished; constants have no elements, but are marked by `data` of one byte or more */
    gt_plan *plan;     /* what a runtime needs of it: model_sha256, isa, threads, schedule; and device_name and device, ""
                        * where the bundle does not say */
    const gt_bundle_target *target;
    int64_t *packed_bytes; /* per op */
} gt_bundle_content;

/* Reads a manifest; elements of constant outputs are not filled in. Clear *content in any case.
 * Errors: GT_ERROR_FORMAT naming the field, GT_ERROR_MISMATCH, GT_ERROR_MEMORY, those of gt_graph_add_op. */
gt_status gt_i_bundle_read(gt_bundle_content *content, const char *manifest, size_t bytes, const char *path) GT_NODISCARD;
void gt_i_bundle_content_clear(gt_bundle_content *content);

/* Whether an output of the graph is this constant (listed there before entry `end`). */
bool gt_i_bundle_is_output(const gt_graph *graph, int tensor, int end);

/* ---- an open bundle ---- */

struct gt_bundle {
    atomic_int references;
    gt_file_map map; /* nothing where the caller has the bytes */
    gt_bundle_content content;
    gt_program *program;
    gt_kernel **kernels; /* per step of the program */
    size_t weights_bytes;
};

void gt_i_bundle_retain(gt_bundle *bundle);

#endif
