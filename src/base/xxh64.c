/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/xxh64.h"

#include <string.h>

#define BLOCK 32

/* The five primes of the specification. */
static const uint64_t p1 = 0x9E3779B185EBCA87u;
static const uint64_t p2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t p3 = 0x165667B19E3779F9u;
static const uint64_t p4 = 0x85EBCA77C2B2AE63u;
static const uint64_t p5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static uint64_t little64(uint64_t x)
{
    return x;
}

static uint32_t little32(uint32_t x)
{
    return x;
}
#else
static uint64_t little64(uint64_t x)
{
    return __builtin_bswap64(x);
}

static uint32_t little32(uint32_t x)
{
    return __builtin_bswap32(x);
}
#endif

static uint64_t load64(const unsigned char *from)
{
    uint64_t x = 0;
    memcpy(&x, from, sizeof x);
    return little64(x);
}

static uint32_t load32(const unsigned char *from)
{
    uint32_t x = 0;
    memcpy(&x, from, sizeof x);
    return little32(x);
}

static uint64_t mix(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * p2, 31) * p1;
}

/* Takes whole blocks: four independent chains of multiplications. */
static void take(uint64_t lanes[4], const unsigned char *from, size_t blocks)
{
    uint64_t a = lanes[0];
    uint64_t b = lanes[1];
    uint64_t c = lanes[2];
    uint64_t d = lanes[3];
    for (size_t i = 0; i < blocks; i++, from += BLOCK) {
        a = mix(a, load64(from));
        b = mix(b, load64(from + 8));
        c = mix(c, load64(from + 16));
        d = mix(d, load64(from + 24));
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
}

void gt_xxh64_begin(gt_xxh64 *hash)
{
    *hash = (gt_xxh64){.lanes = {p1 + p2, p2, 0, 0 - p1}};
}

void gt_xxh64_add(gt_xxh64 *hash, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    size_t held = hash->bytes % BLOCK;
    hash->bytes += bytes;
    if (held > 0) {
        size_t part = bytes < BLOCK - held ? bytes : BLOCK - held;
        memcpy(hash->block + held, from, part);
        from += part;
        bytes -= part;
        if (held + part < BLOCK) {
            return;
        }
        take(hash->lanes, hash->block, 1);
    }
    take(hash->lanes, from, bytes / BLOCK);
    if (bytes % BLOCK > 0) {
        memcpy(hash->block, from + bytes / BLOCK * BLOCK, bytes % BLOCK);
    }
}

static uint64_t merge_lanes(const uint64_t lanes[4])
{
    uint64_t h = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (int i = 0; i < 4; i++) {
        h = (h ^ mix(0, lanes[i])) * p1 + p4;
    }
    return h;
}

uint64_t gt_xxh64_end(const gt_xxh64 *hash)
{
    const unsigned char *at = hash->block;
    const unsigned char *end = at + hash->bytes % BLOCK;
    uint64_t h = hash->bytes >= BLOCK ? merge_lanes(hash->lanes) : p5;
    h += hash->bytes;
    for (; end - at >= 8; at += 8) {
        h = rotate(h ^ mix(0, load64(at)), 27) * p1 + p4;
    }
    for (; end - at >= 4; at += 4) {
        h = rotate(h ^ load32(at) * p1, 23) * p2 + p3;
    }
    for (; at < end; at++) {
        h = rotate(h ^ *at * p5, 11) * p1;
    }
    h = (h ^ h >> 33) * p2;
    h = (h ^ h >> 29) * p3;
    return h ^ h >> 32;
}

uint64_t gt_xxh64_of(const void *data, size_t bytes)
{
    gt_xxh64 hash;
    gt_xxh64_begin(&hash);
    gt_xxh64_add(&hash, data, bytes);
    return gt_xxh64_end(&hash);
}
