/* SPDX-License-Identifier: Apache-2.0 */
/* The container: header, sizes and checksums. */
#include "src/base/xxh64.h"
#include "src/plan/bundle.h"

#include <stdio.h>
#include <string.h>

/* As PNG's: text-mode transfers change the line ends in it, 7-bit ones the first byte. */
static const unsigned char magic[GT_BUNDLE_MAGIC_BYTES] = {0x89, 'G', 'T', 'B', '\r', '\n', 0x1a, '\n'};

/* Where the header's fields lie. */
enum {
    AT_VERSION = 8,         /* 32 bits */
    AT_ZERO = 12,           /* 32 bits */
    AT_MANIFEST_BYTES = 16, /* 64 bits, as all that follow */
    AT_WEIGHTS_BYTES = 24,
    AT_MANIFEST_HASH = 32,
    AT_WEIGHTS_HASH = 40,
    AT_RESERVED = 48,
    AT_HEADER_HASH = 56, /* of the bytes before it */
};

static void put(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

size_t gt_i_bundle_padded(size_t bytes)
{
    return (bytes + GT_ALIGN_BYTES - 1) / GT_ALIGN_BYTES * GT_ALIGN_BYTES;
}

void gt_i_bundle_header(unsigned char header[GT_BUNDLE_HEADER_BYTES], size_t manifest_bytes, uint64_t manifest_hash,
                        size_t weights_bytes, uint64_t weights_hash)
{
    memset(header, 0, GT_BUNDLE_HEADER_BYTES);
    memcpy(header, magic, sizeof magic);
    put(header + AT_VERSION, GT_BUNDLE_VERSION, 4);
    put(header + AT_MANIFEST_BYTES, manifest_bytes, 8);
    put(header + AT_WEIGHTS_BYTES, weights_bytes, 8);
    put(header + AT_MANIFEST_HASH, manifest_hash, 8);
    put(header + AT_WEIGHTS_HASH, weights_hash, 8);
    put(header + AT_HEADER_HASH, gt_xxh64_of(header, AT_HEADER_HASH), 8);
}

bool gt_i_is_bundle(const char *path)
{
    unsigned char head[sizeof magic];
    FILE *file = fopen(path, "rb");
    bool same = file != NULL && fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, magic, sizeof magic) == 0;
    if (file != NULL) {
        fclose(file);
    }
    return same;
}

static gt_status check_header(const unsigned char *header, size_t bytes, const char *path)
{
    gt_status status = GT_OK;
    GT_REQUIRE(bytes >= sizeof magic && memcmp(header, magic, sizeof magic) == 0, GT_ERROR_FORMAT,
               "%s: is no bundle (it does not begin as one); make one with `graphtune pack`", path);
    GT_REQUIRE(bytes >= GT_BUNDLE_HEADER_BYTES, GT_ERROR_FORMAT,
               "%s: has %zu bytes, a bundle's header alone has %d: the file was cut short; copy it again", path, bytes,
               GT_BUNDLE_HEADER_BYTES);
    /* Before the checksum: another version may have another header. */
    const uint64_t version = get(header + AT_VERSION, 4);
    GT_REQUIRE(version == GT_BUNDLE_VERSION, GT_ERROR_MISMATCH,
               "%s: the bundle's version is %llu, this graphtune reads version %d; pack the plan again with this version", path,
               (unsigned long long)version, GT_BUNDLE_VERSION);
    GT_REQUIRE(get(header + AT_HEADER_HASH, 8) == gt_xxh64_of(header, AT_HEADER_HASH) && get(header + AT_ZERO, 4) == 0 &&
                   get(header + AT_RESERVED, 8) == 0,
               GT_ERROR_FORMAT, "%s: the header does not match its checksum: the file is damaged; copy it again", path);
done:
    return status;
}

static gt_status check_section(const char *data, size_t bytes, uint64_t hash, const char *what, const char *path)
{
    const uint64_t real = gt_xxh64_of(data, bytes);
    if (real == hash) {
        return GT_OK;
    }
    return gt_fail(GT_ERROR_FORMAT,
                   "%s: the %s has checksum %016llx, the header says %016llx: the file is damaged; copy it again", path, what,
                   (unsigned long long)real, (unsigned long long)hash);
}

gt_status gt_i_bundle_split(gt_bundle_sections *sections, const void *data, size_t bytes, const char *path)
{
    gt_status status = GT_OK;
    const unsigned char *header = data;
    gt_bundle_sections s = {0};
    GT_TRY(check_header(header, bytes, path));
    const uint64_t manifest = get(header + AT_MANIFEST_BYTES, 8);
    const uint64_t weights = get(header + AT_WEIGHTS_BYTES, 8);
    const uint64_t rest = bytes - GT_BUNDLE_HEADER_BYTES;
    GT_REQUIRE(manifest <= rest && weights == rest - manifest, GT_ERROR_FORMAT,
               "%s: has %zu bytes, the header says %d + %llu + %llu: the file was cut short or something was appended; "
               "copy it again",
               path, bytes, GT_BUNDLE_HEADER_BYTES, (unsigned long long)manifest, (unsigned long long)weights);
    GT_REQUIRE(manifest > 0 && manifest % GT_ALIGN_BYTES == 0 && weights % GT_ALIGN_BYTES == 0, GT_ERROR_FORMAT,
               "%s: header: sections of %llu and %llu bytes; multiples of %d are needed", path, (unsigned long long)manifest,
               (unsigned long long)weights, GT_ALIGN_BYTES);
    s.manifest = (const char *)data + GT_BUNDLE_HEADER_BYTES;
    s.manifest_bytes = (size_t)manifest;
    s.weights = s.manifest + s.manifest_bytes;
    s.weights_bytes = (size_t)weights;
    GT_TRY(check_section(s.manifest, s.manifest_bytes, get(header + AT_MANIFEST_HASH, 8), "manifest", path));
    GT_TRY(check_section(s.weights, s.weights_bytes, get(header + AT_WEIGHTS_HASH, 8), "weights section", path));
    *sections = s;
done:
    return status;
}
