/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/onnx_external.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- elements in the model file: the protobuf wire format ----
 *
 * A message is a sequence of fields, each a tag (number and wire type) and a payload; see
 * https://protobuf.dev/programming-guides/encoding. What is refused here protobuf-c refuses too. */

enum { WIRE_VARINT = 0, WIRE_64BIT = 1, WIRE_BYTES = 2, WIRE_32BIT = 5 };
enum { TENSOR_TYPE = 2, TENSOR_FLOAT_DATA = 4, TENSOR_RAW_DATA = 9, TENSOR_DOUBLE_DATA = 10 };
enum { TYPE_FLOAT = 1, TYPE_DOUBLE = 11 };

#define MAX_LENGTH_BYTES 5 /* of a tag or length */
#define MAX_VARINT_BYTES 10
#define MAX_HEAD_BYTES (MAX_LENGTH_BYTES + MAX_VARINT_BYTES)
#define MIN_TYPED_BYTES 4096 /* smaller float_data is left to protobuf-c */

typedef struct walk {
    const gt_i_onnx_source *source;
    size_t window_start, window_bytes; /* the part of the file that `window` holds */
    char window[4096];
} walk;

typedef struct field {
    uint32_t number;
    unsigned wire;
    size_t begin, payload, end; /* offsets in the source; a length stands before the payload */
    uint64_t varint;            /* WIRE_VARINT: the value */
} field;

/* The message that a length-delimited field holds. */
static gt_i_onnx_message message_in(gt_i_onnx_message outer, uint32_t number)
{
    static const struct {
        gt_i_onnx_message outer;
        uint32_t number;
        gt_i_onnx_message inner;
    } rows[] = {
        {GT_I_ONNX_MODEL, 7, GT_I_ONNX_GRAPH}, {GT_I_ONNX_GRAPH, 1, GT_I_ONNX_NODE},
        {GT_I_ONNX_GRAPH, 5, GT_I_ONNX_TENSOR}, {GT_I_ONNX_NODE, 5, GT_I_ONNX_ATTR},
        {GT_I_ONNX_ATTR, 5, GT_I_ONNX_TENSOR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].outer == outer && rows[i].number == number) {
            return rows[i].inner;
        }
    }
    return GT_I_ONNX_LEAF;
}

/* *out are the bytes at `at`, *count of them, at least one and at most `wanted`; valid until the next call. */
static gt_status look(const char **out, size_t *count, walk *w, size_t at, size_t wanted)
{
    gt_status status = GT_OK;
    if (w->source->data != NULL) {
        *out = w->source->data + at;
        *count = wanted;
        return GT_OK;
    }
    size_t there = at >= w->window_start && at - w->window_start < w->window_bytes
                       ? w->window_bytes - (at - w->window_start)
                       : 0;
    if (there < wanted && there < MAX_HEAD_BYTES) {
        size_t left = w->source->bytes - at;
        w->window_bytes = 0;
        there = left < sizeof w->window ? left : sizeof w->window;
        GT_TRY(gt_file_read_at(w->source->file, w->window, at, there));
        w->window_start = at;
        w->window_bytes = there;
    }
    *out = w->window + (at - w->window_start);
    *count = there < wanted ? there : wanted;
done:
    return status;
}

/* The varint at the start of `bytes`; its length, or 0 if it does not end within `count` bytes. */
static size_t read_varint(uint64_t *value, const char *bytes, size_t count)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        *value |= (uint64_t)((unsigned char)bytes[i] & 0x7f) << (7 * i);
        if (((unsigned char)bytes[i] & 0x80) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The field at `at` of a message that ends at `end`. */
static gt_status read_field(field *f, walk *w, size_t at, size_t end)
{
    gt_status status = GT_OK;
    const char *head = NULL;
    size_t count = 0;
    uint64_t tag = 0;
    uint64_t value = 0;
    GT_TRY(look(&head, &count, w, at, smaller(end - at, MAX_HEAD_BYTES)));
    size_t used = read_varint(&tag, head, smaller(count, MAX_LENGTH_BYTES));
    f->number = (uint32_t)(tag >> 3);
    f->wire = (unsigned)(tag & 7);
    f->begin = at;
    f->payload = at + used;
    size_t left = count - used;
    size_t bytes = SIZE_MAX;
    if (f->wire == WIRE_VARINT) {
        bytes = read_varint(&f->varint, head + used, smaller(left, MAX_VARINT_BYTES));
    } else if (f->wire == WIRE_BYTES) {
        size_t length = read_varint(&value, head + used, smaller(left, MAX_LENGTH_BYTES));
        f->payload += length;
        bytes = length > 0 && value <= INT_MAX ? (size_t)value : SIZE_MAX;
    } else if (f->wire == WIRE_64BIT || f->wire == WIRE_32BIT) {
        bytes = f->wire == WIRE_64BIT ? 8 : 4;
    }
    bool good = used > 0 && bytes <= end - f->payload && (f->wire != WIRE_VARINT || bytes > 0);
    GT_REQUIRE(good, GT_ERROR_FORMAT,
               "not an ONNX file, or damaged or truncated: its %zu bytes are not a valid protobuf message "
               "(at byte %zu)",
               w->source->bytes, at);
    f->end = f->payload + bytes;
done:
    return status;
}

static gt_status copy_bytes(gt_text *out, walk *w, size_t at, size_t end)
{
    gt_status status = GT_OK;
    while (at < end) {
        const char *bytes = NULL;
        size_t count = 0;
        GT_TRY(look(&bytes, &count, w, at, end - at));
        GT_TRY(gt_text_append_bytes(out, bytes, count));
        at += count;
    }
done:
    return status;
}

/* A length-delimited field. */
static gt_status put_bytes(gt_text *out, uint32_t number, const void *bytes, size_t count)
{
    gt_status status = GT_OK;
    char head[2 * MAX_VARINT_BYTES];
    size_t used = 0;
    uint64_t parts[2] = {(uint64_t)number << 3 | WIRE_BYTES, count};
    for (int i = 0; i < 2; i++) {
        for (; parts[i] > 0x7f; parts[i] >>= 7) {
            head[used++] = (char)(0x80 | (parts[i] & 0x7f));
        }
        head[used++] = (char)parts[i];
    }
    GT_TRY(gt_text_append_bytes(out, head, used));
    GT_TRY(gt_text_append_bytes(out, bytes, count));
done:
    return status;
}

/* Whether large float_data or double_data holds a tensor's elements just as raw_data would: it stands there once and
 * fits the type, and there is no raw_data. *typed is that type then, else 0. */
static gt_status find_typed(uint64_t *typed, walk *w, size_t begin, size_t end)
{
    gt_status status = GT_OK;
    field f = {0};
    uint64_t type = 0;
    size_t counts[2] = {0}; /* of float_data and double_data */
    size_t bytes[2] = {0};
    bool raw = false;
    for (size_t at = begin; at < end; at = f.end) {
        GT_TRY(read_field(&f, w, at, end));
        int which = f.number == TENSOR_DOUBLE_DATA;
        type = f.number == TENSOR_TYPE && f.wire == WIRE_VARINT ? f.varint : type;
        raw = raw || (f.number == TENSOR_RAW_DATA && f.end > f.payload);
        if (f.number == TENSOR_FLOAT_DATA || f.number == TENSOR_DOUBLE_DATA) {
            counts[which]++;
            bytes[which] = f.wire == WIRE_BYTES ? f.end - f.payload : 0;
        }
    }
    int which = type == TYPE_DOUBLE;
    bool fits = (type == TYPE_FLOAT || type == TYPE_DOUBLE) && counts[which] == 1 &&
                bytes[which] >= MIN_TYPED_BYTES && bytes[which] % (which == 1 ? 8 : 4) == 0;
    *typed = fits && !raw ? type : 0;
done:
    return status;
}

static gt_status copy_message(gt_text *out, walk *w, gt_i_onnx_message message, size_t begin, size_t end)
{
    gt_status status = GT_OK;
    field f = {0};
    gt_text inner = {0};
    uint64_t typed = 0;
    if (message == GT_I_ONNX_TENSOR) {
        GT_TRY(find_typed(&typed, w, begin, end));
    }
    for (size_t at = begin; at < end; at = f.end) {
        GT_TRY(read_field(&f, w, at, end));
        bool is_bytes = f.wire == WIRE_BYTES;
        gt_i_onnx_message held = is_bytes ? message_in(message, f.number) : GT_I_ONNX_LEAF;
        bool is_raw = message == GT_I_ONNX_TENSOR && f.number == TENSOR_RAW_DATA && f.end > f.payload;
        bool is_typed = (typed == TYPE_FLOAT && f.number == TENSOR_FLOAT_DATA) ||
                        (typed == TYPE_DOUBLE && f.number == TENSOR_DOUBLE_DATA);
        if (held != GT_I_ONNX_LEAF) {
            inner.length = 0;
            GT_TRY(copy_message(&inner, w, held, f.payload, f.end));
            GT_TRY(put_bytes(out, f.number, inner.length > 0 ? inner.data : "", inner.length));
        } else if (is_bytes && (is_raw || is_typed)) {
            gt_i_onnx_span span = {f.payload, f.end - f.payload, is_typed ? typed : 0};
            GT_TRY(put_bytes(out, TENSOR_RAW_DATA, &span, sizeof span));
        } else {
            GT_TRY(copy_bytes(out, w, f.begin, f.end));
        }
    }
done:
    gt_text_destroy(&inner);
    return status;
}

gt_status gt_i_onnx_skeleton(gt_text *out, const gt_i_onnx_source *source, gt_i_onnx_message message)
{
    walk w;
    w.source = source;
    w.window_start = 0;
    w.window_bytes = 0;
    return copy_message(out, &w, message, 0, source->bytes);
}

gt_status gt_i_onnx_read_span(void *out, const gt_i_onnx_source *source, const gt_i_onnx_span *span)
{
    if (span->bytes > source->bytes || span->offset > source->bytes - span->bytes) {
        return gt_fail(GT_ERROR_FORMAT, "its elements are beyond the end of the file");
    }
    if (source->data == NULL) {
        return gt_file_read_at(source->file, out, (size_t)span->offset, (size_t)span->bytes);
    }
    if (span->bytes > 0) {
        memcpy(out, source->data + span->offset, (size_t)span->bytes);
    }
    return GT_OK;
}

/* ---- elements in a file of their own ---- */

/* Opens the folder that holds the model. */
static gt_status open_folder(int *fd, const char *model_path)
{
    gt_status status = GT_OK;
    char *folder = NULL;
    GT_TRY(gt_strdup(&folder, model_path));
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        slash[slash == folder ? 1 : 0] = '\0';
    }
    int opened = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    GT_REQUIRE(opened >= 0, GT_ERROR_IO, "cannot open the model's folder: %s", strerror(errno));
    *fd = opened;
done:
    gt_free(folder);
    return status;
}

/* Opens one component of the location inside the folder *fd, which is closed and replaced.
 * Walking with O_NOFOLLOW leaves no way out of the folder, not even by a link that is swapped in
 * meanwhile. O_NONBLOCK keeps a named pipe from hanging the open. */
static gt_status step_into(int *fd, const char *component, bool is_last, const char *location)
{
    if (strcmp(component, "..") == 0) {
        return gt_fail(GT_ERROR_FORMAT, "external data '%s' is outside the model's folder: '..' is "
                       "not allowed", location);
    }
    int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (is_last ? 0 : O_DIRECTORY);
    int next = openat(*fd, component, flags);
    if (next < 0 && (errno == ELOOP || errno == ENOTDIR)) {
        return gt_fail(GT_ERROR_IO, "external data '%s': '%s' is a symbolic link or no folder; put "
                       "the file itself beside the model", location, component);
    }
    if (next < 0) {
        return gt_fail(GT_ERROR_IO, "cannot open external data '%s': %s", location,
                       strerror(errno));
    }
    close(*fd);
    *fd = next;
    return GT_OK;
}

static gt_status open_inside(int *fd, const char *location, const char *model_path)
{
    gt_status status = GT_OK;
    int current = -1;
    char *copy = NULL;
    char *rest = NULL;
    GT_REQUIRE(location != NULL && location[0] != '\0', GT_ERROR_FORMAT,
               "external data without a location");
    GT_REQUIRE(location[0] != '/', GT_ERROR_FORMAT,
               "external data '%s' is outside the model's folder: "
               "the location must be relative",
               location);
    GT_TRY(gt_strdup(&copy, location));
    GT_TRY(open_folder(&current, model_path));
    char *component = strtok_r(copy, "/", &rest);
    while (component != NULL) {
        char *next = strtok_r(NULL, "/", &rest);
        GT_TRY(step_into(&current, component, next == NULL, location));
        component = next;
    }
    *fd = current;
    current = -1;
done:
    if (current >= 0) {
        close(current);
    }
    gt_free(copy);
    return status;
}

/* A count of bytes as the model writes it, or `otherwise` when it does not state one. */
static gt_status parse_bytes(int64_t *out, const char *text, int64_t otherwise, const char *what)
{
    int64_t value = otherwise;
    if (text != NULL && (!gt_parse_i64(&value, text) || value < 0)) {
        return gt_fail(GT_ERROR_FORMAT, "external data: %s is '%s', not a number of bytes", what,
                       text);
    }
    *out = value;
    return GT_OK;
}

static gt_status read_range(char *out, size_t bytes, int fd, int64_t offset, const char *location)
{
    for (size_t done_bytes = 0; done_bytes < bytes;) {
        ssize_t got =
            pread(fd, out + done_bytes, bytes - done_bytes, (off_t)(offset + (int64_t)done_bytes));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return gt_fail(GT_ERROR_IO, "cannot read external data '%s': %s", location,
                           got < 0 ? strerror(errno) : "it became shorter while it was read");
        }
        done_bytes += (size_t)got;
    }
    return GT_OK;
}

gt_status gt_i_onnx_read_external(void **data, size_t bytes, const gt_i_onnx_location *location,
                                  const char *model_path)
{
    gt_status status = GT_OK;
    int fd = -1;
    char *buffer = NULL;
    int64_t offset = 0;
    int64_t length = 0;
    struct stat info;
    GT_TRY(parse_bytes(&offset, location->offset, 0, "offset"));
    GT_TRY(parse_bytes(&length, location->length, (int64_t)bytes, "length"));
    GT_REQUIRE((uint64_t)length == bytes, GT_ERROR_FORMAT,
               "external data: length is %lld bytes, but the "
               "tensor has %zu",
               (long long)length, bytes);
    GT_TRY(open_inside(&fd, location->file, model_path));
    GT_REQUIRE(fstat(fd, &info) == 0 && S_ISREG(info.st_mode), GT_ERROR_IO,
               "external data '%s' is not a regular file", location->file);
    GT_REQUIRE(offset <= info.st_size && length <= info.st_size - offset, GT_ERROR_FORMAT,
               "external data '%s': %lld bytes at offset %lld are beyond its end at %lld",
               location->file, (long long)length, (long long)offset, (long long)info.st_size);
    GT_TRY(gt_alloc_aligned(&buffer, bytes));
    GT_TRY(read_range(buffer, bytes, fd, offset, location->file));
    *data = buffer;
    buffer = NULL;
done:
    if (fd >= 0) {
        close(fd);
    }
    gt_free(buffer);
    return status;
}
