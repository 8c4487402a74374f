/* SPDX-License-Identifier: Apache-2.0 */
#include "src/import/ncnn_weights.h"

#include "src/base/rng.h"
#include "src/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What is read of a file at a time. */
#define PIECE_BYTES 16384

/* 2 GiB of floats: more than any network that ncnn runs. */
#define MAX_RANDOM ((int64_t)1 << 29)

/* The four bytes before flagged weights. */
#define TAG_HALF 0x01306B47u
#define TAG_INT8 0x000D4B38u
#define TAG_RAW 0x0002C056u

/* ---- the file ---- */

/* "net.param" and "net.param.bin" both have their weights in "net.bin". */
static gt_status weights_path(char **out, const char *param_path)
{
    static const char *const extensions[] = {".param.bin", ".param"};
    gt_status status = GT_OK;
    gt_text text = {0};
    size_t length = strlen(param_path);
    for (size_t i = 0; i < 2; i++) {
        size_t tail = strlen(extensions[i]);
        if (length > tail && strcasecmp(param_path + length - tail, extensions[i]) == 0) {
            length -= tail;
            break;
        }
    }
    GT_TRY(gt_text_append_bytes(&text, param_path, length));
    GT_TRY(gt_text_append(&text, ".bin"));
    *out = text.data;
    text = (gt_text){0};
done:
    gt_text_destroy(&text);
    return status;
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

gt_status gt_i_ncnn_weights_open(gt_i_ncnn_weights *weights, const char *param_path, const char *given)
{
    gt_status status = GT_OK;
    GT_TRY(given != NULL ? gt_strdup(&weights->path, given) : weights_path(&weights->path, param_path));
    if (given != NULL || exists(weights->path)) {
        GT_TRY(gt_file_open(&weights->file, weights->path));
        weights->bytes = gt_file_bytes(weights->file);
    }
done:
    return status;
}

void gt_i_ncnn_weights_close(gt_i_ncnn_weights *weights)
{
    gt_free(weights->path);
    gt_file_close(weights->file);
    weights->path = NULL;
    weights->file = NULL;
}

/* ---- the ways of storing ---- */

/* IEEE 754 binary16 to binary32. */
static float from_half(unsigned half)
{
    unsigned exponent = half >> 10 & 0x1f;
    unsigned mantissa = half & 0x3ff;
    float value = 0;
    if (exponent == 0x1f) {
        value = mantissa != 0 ? NAN : INFINITY;
    } else {
        value = exponent == 0 ? ldexpf((float)mantissa, -24)
                              : ldexpf((float)(mantissa | 0x400), (int)exponent - 25);
    }
    return (half & 0x8000) != 0 ? -value : value;
}

static uint32_t word_at(const char *data)
{
    const unsigned char *p = (const unsigned char *)data;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float float_at(const char *data)
{
    uint32_t bits = word_at(data);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef enum storage { STORAGE_RAW, STORAGE_HALF, STORAGE_INT8, STORAGE_TABLE } storage;

static storage storage_of(uint32_t tag)
{
    switch (tag) {
    case TAG_HALF:
        return STORAGE_HALF;
    case TAG_INT8:
        return STORAGE_INT8;
    case TAG_RAW:
    case 0:
        return STORAGE_RAW;
    default: /* any other says: 256 values and a byte for each weight */
        return STORAGE_TABLE;
    }
}

static const char *const storage_names[] = {"32-bit floats", "16-bit floats", "int8",
                                            "a table of 256 and bytes"};

/* All but raw floats are padded to 4 bytes. */
static int64_t stored_bytes(storage how, int64_t count)
{
    switch (how) {
    case STORAGE_RAW:
        return count * 4;
    case STORAGE_HALF:
        return (count * 2 + 3) / 4 * 4;
    case STORAGE_INT8:
        return (count + 3) / 4 * 4;
    default:
        return 1024 + (count + 3) / 4 * 4;
    }
}

/* `table`: the 256 values of STORAGE_TABLE. */
static void convert(float *out, const char *data, const float *table, storage how, int64_t count)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (int64_t i = 0; i < count; i++) {
        switch (how) {
        case STORAGE_RAW:
            out[i] = float_at(data + 4 * i);
            break;
        case STORAGE_HALF:
            out[i] = from_half((unsigned)bytes[2 * i] | (unsigned)bytes[2 * i + 1] << 8);
            break;
        case STORAGE_INT8:
            out[i] = (float)(signed char)bytes[i];
            break;
        default:
            out[i] = table[bytes[i]];
        }
    }
}

/* The file has these bytes: the caller has looked. */
static gt_status read_pieces(float *out, const gt_i_ncnn_weights *weights, size_t start, storage how, int64_t count)
{
    static const size_t widths[] = {[STORAGE_RAW] = 4, [STORAGE_HALF] = 2, [STORAGE_INT8] = 1, [STORAGE_TABLE] = 1};
    gt_status status = GT_OK;
    char piece[PIECE_BYTES];
    float table[256];
    if (how == STORAGE_TABLE) {
        GT_TRY(gt_file_read_at(weights->file, piece, start, 1024));
        convert(table, piece, NULL, STORAGE_RAW, 256);
        start += 1024;
    }
    while (count > 0) {
        int64_t most = (int64_t)(sizeof piece / widths[how]);
        int64_t n = count < most ? count : most;
        GT_TRY(gt_file_read_at(weights->file, piece, start, (size_t)n * widths[how]));
        convert(out, piece, table, how, n);
        out += n;
        start += (size_t)n * widths[how];
        count -= n;
    }
done:
    return status;
}

gt_status gt_i_ncnn_weights_read(float **out, gt_i_ncnn_weights *weights, int64_t count, bool flagged)
{
    gt_status status = GT_OK;
    float *data = NULL;
    storage how = STORAGE_RAW;
    size_t left = weights->bytes - weights->at;
    size_t start = weights->at;
    if (flagged) {
        char flag[4];
        GT_REQUIRE(left >= sizeof flag, GT_ERROR_FORMAT, "%s: byte %zu: the file ends where the flag of %lld weights "
                   "is needed", weights->path, start, (long long)count);
        GT_TRY(gt_file_read_at(weights->file, flag, start, sizeof flag));
        how = storage_of(word_at(flag));
        start += sizeof flag;
        left -= sizeof flag;
    }
    int64_t bytes = stored_bytes(how, count);
    GT_REQUIRE((uint64_t)bytes <= left, GT_ERROR_FORMAT,
               "%s: byte %zu: %lld weights (%s) take %lld bytes; the file has only %zu more", weights->path,
               start, (long long)count, storage_names[how], (long long)bytes, left);
    GT_TRY(gt_alloc_aligned(&data, (size_t)count * sizeof *data));
    GT_TRY(read_pieces(data, weights, start, how, count));
    weights->at = start + (size_t)bytes;
    weights->int8 = how == STORAGE_INT8;
    *out = data;
    data = NULL;
done:
    gt_free(data);
    return status;
}

/* ---- random weights ---- */

gt_status gt_i_ncnn_weights_random(float **out, gt_i_ncnn_weights *weights, const char *name, int64_t count,
                                   float mean, float deviation)
{
    gt_status status = GT_OK;
    float *data = NULL;
    gt_rng rng;
    GT_REQUIRE(count <= MAX_RANDOM - weights->made, GT_ERROR_LIMIT,
               "with these %lld the network would have over 2^29 random weights", (long long)count);
    GT_TRY(gt_alloc_aligned(&data, (size_t)count * sizeof *data));
    gt_rng_seed(&rng, weights->seed ^ gt_hash_bytes(name, strlen(name)));
    for (int64_t i = 0; i < count; i++) {
        data[i] = deviation != 0 ? mean + deviation * gt_rng_normal(&rng) : mean;
    }
    weights->made += count;
    *out = data;
done:
    return status;
}
