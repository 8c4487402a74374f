/* SPDX-License-Identifier: Apache-2.0 */
/* Measured records: JSON lines, one object a line, append-only (docs/design.md, section 6). */
#ifndef GT_RECORDS_RECORDS_H
#define GT_RECORDS_RECORDS_H

#include "layouts/layout.h"
#include "ops/template.h"

#define GT_RECORDS_VERSION 1

typedef enum gt_record_kind { GT_RECORD_OP, GT_RECORD_TRANSFORM, GT_RECORD_KIND_COUNT } gt_record_kind;

typedef enum gt_record_status {
    GT_RECORD_OK,
    GT_RECORD_WRONG,   /* the output disagreed with the reference */
    GT_RECORD_CRASH,   /* the measuring child died of a signal */
    GT_RECORD_TIMEOUT, /* it did not finish in time */
    GT_RECORD_OOM,     /* it ran out of its memory allowance */
    GT_RECORD_FAILED,  /* the candidate refused to be set up */
    GT_RECORD_STATUS_COUNT
} gt_record_status;

/* Where a figure comes from (docs/design.md, section 5). */
typedef enum gt_source {
    GT_SOURCE_MEASURED, GT_SOURCE_FOREIGN, GT_SOURCE_MODEL, GT_SOURCE_COUNTED, GT_SOURCE_COUNT
} gt_source;

/* The texts of the enumerations in files and messages ("op", "ok", "measured", …). */
const char *gt_record_kind_name(gt_record_kind kind);
const char *gt_record_status_name(gt_record_status status);
const char *gt_source_name(gt_source source);

/* A timing in ns: median and minimum of the samples, 95 % interval of the median, number of runs. */
typedef struct gt_timing {
    double median_ns, min_ns, lo_ns, hi_ns;
    int64_t runs;
} gt_timing;

typedef struct gt_record {
    gt_record_kind kind;
    char device[17]; /* fingerprint hash, hexadecimal */
    int threads;
    char *workload; /* op: the workload key; transform: the tensor's shape as "1x64x56x56" */
    gt_layout in, out;
    char *template_name; /* "" for transforms */
    int rev;
    char *config; /* gt_config_format text */
    gt_record_status status;
    gt_timing timing; /* zero unless status is ok */
    gt_source source;
    char *note; /* what went wrong, or NULL; of a foreign record that is ok, the line it was made from */
    /* The machine while it was measured; files of before these keys, and machines that do not tell, have zeros. */
    int mhz;        /* the slowest clock among the CPUs, at the end of the block */
    double celsius; /* the processor's hottest zone, the higher of before and after */
    bool throttled; /* clock or temperature were not as they should be: it may be slower than it has to be */
} gt_record;

/* Whether this build has the record's template in the same revision (or its transforms): others are kept
 * in files but never used. */
bool gt_record_is_current(const gt_record *record);

/* Whether a template's name is one under which another compiler's records were imported ("autotvm.…"), or the one of
 * modelled costs beside them: there is no code for it here. Records of foreign source are always current. */
#define GT_FOREIGN_PREFIX "autotvm."
#define GT_MODEL_TEMPLATE "model.bandwidth"
bool gt_record_is_foreign_template(const char *template_name);

/* Frees the strings of a record that owns them. */
void gt_record_clear(gt_record *record);
gt_status gt_record_copy(gt_record *out, const gt_record *in) GT_NODISCARD;

/* One line of a records file, newline included; and back. `path` and `line` are for messages. The record
 * owns its strings. Errors: GT_ERROR_FORMAT naming line, key, value and what is allowed;
 * GT_ERROR_UNSUPPORTED for another format version. */
gt_status gt_record_format(gt_text *text, const gt_record *record) GT_NODISCARD;
gt_status gt_record_parse(gt_record *record, const char *text, size_t bytes, const char *path,
                          int64_t line) GT_NODISCARD;

/* A set of records in memory, and the fingerprints of the devices they come from. A candidate is known by
 * kind, device, threads, workload, layouts, template and config. Several records of the same candidate:
 * the highest rev counts, and of equal revs the last one. */
typedef struct gt_records gt_records;

gt_status gt_records_create(gt_records **records) GT_NODISCARD;
void gt_records_destroy(gt_records *records);

/* How reading went, for the caller to report. */
typedef struct gt_records_report {
    int64_t lines, read, torn; /* torn: an unfinished last line, dropped */
    int64_t old_rev;           /* records of a template revision this build does not have: kept, never used */
} gt_records_report;

/* Adds a file's records. A torn last line is dropped and counted; any other malformed line is an error
 * that names path, line, key, value and what is allowed. A file that does not exist is GT_ERROR_IO.
 * `report` may be NULL. */
gt_status gt_records_read(gt_records *records, const char *path, gt_records_report *report) GT_NODISCARD;

/* Adds a copy of one record, replacing an equal candidate's in its place unless that one's rev is higher.
 * Records already handed out stay valid, but a replaced one is overwritten. */
gt_status gt_records_add(gt_records *records, const gt_record *record) GT_NODISCARD;

int64_t gt_records_count(const gt_records *records);
/* Adds a device's fingerprint line ({"v":1,"kind":"device","hash":…}); known hashes are replaced. */
gt_status gt_records_add_device(gt_records *records, const char *fingerprint_json) GT_NODISCARD;
int64_t gt_records_device_count(const gt_records *records);
/* The fingerprint line of device `index`, or its hash. */
const char *gt_records_device_json(const gt_records *records, int64_t index);
const char *gt_records_device_hash(const gt_records *records, int64_t index);

const gt_record *gt_records_at(const gt_records *records, int64_t index);

/* The record of this exact candidate (any status, any rev), or NULL. O(1) expected. `config` is the text
 * form; device NULL means any device, the first one in the set. */
const gt_record *gt_records_find(const gt_records *records, gt_record_kind kind, const char *device,
                                 int threads, const char *workload, gt_layout in, gt_layout out,
                                 const char *template_name, const char *config);

/* Calls `visit` for every record of a workload (kind op) or shape (kind transform), in file order and of
 * any device, thread count, status and rev; stops when it returns false. */
void gt_records_each(const gt_records *records, gt_record_kind kind, const char *workload,
                     bool (*visit)(void *context, const gt_record *record), void *context);

/* ---- files ---- */

/* An open records file being appended to: one write() of the whole line per record, so that a killed
 * process loses nothing that it has reported. Only one process may hold it (an advisory lock, waited for
 * for a second at most; GT_ERROR_IO names the other's pid when known). */
typedef struct gt_records_writer gt_records_writer;

/* Opens for appending, creating the file with `fingerprint_json` as its first line
 * ({"v":1,"kind":"device",…}, with or without a newline at its end); an existing file keeps its lines, a
 * torn last line is cut off. If the last fingerprint in the file is another device's, the new one is
 * appended before the first record. */
gt_status gt_records_open(gt_records_writer **writer, const char *path,
                          const char *fingerprint_json) GT_NODISCARD;
gt_status gt_records_append(gt_records_writer *writer, const gt_record *record) GT_NODISCARD;
gt_status gt_records_close(gt_records_writer *writer) GT_NODISCARD;

/* Writes a whole set atomically (device lines first). */
gt_status gt_records_write(const gt_records *records, const char *path) GT_NODISCARD;

/* ---- looking after records ---- */

/* Sorts the records by kind, workload, layouts, template, config, device and threads, and the devices by
 * hash: the same set then gives the same file whatever order it was made in. */
void gt_records_sort(gt_records *records);

/* Reads the files in the order given into one set, sorted. */
gt_status gt_records_merge(gt_records **records, int n_paths, const char *const *paths,
                           gt_records_report *report) GT_NODISCARD;

/* What gt_records_prune drops. */
typedef struct gt_records_prune_options {
    bool old_revs;      /* records of template revisions that this build does not have */
    bool failures;      /* records whose status is not ok (a later tune measures them again) */
    int best;           /* > 0: keep only the fastest so many per (device, threads, workload, in, out) */
    const char *device; /* not NULL: keep only this device's records and fingerprint */
} gt_records_prune_options;

/* *removed (may be NULL) counts records. Order is kept. O(n log n). */
gt_status gt_records_prune(gt_records *records, const gt_records_prune_options *options,
                           int64_t *removed) GT_NODISCARD;

#endif
