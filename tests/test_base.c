/* SPDX-License-Identifier: Apache-2.0 */
/* src/base: text, numbers, files, hashes, npy, threads, allocation. */
#include "src/base/cpu.h"
#include "src/base/file.h"
#include "src/base/npy.h"
#include "src/base/rng.h"
#include "src/base/text.h"
#include "src/base/threads.h"
#include "src/base/utf8.h"
#include "tests/runner.h"

#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[128];

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const void *data, size_t bytes)
{
    FILE *f = fopen(in_folder(name), "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

START_TEST(numbers_are_parsed_strictly)
{
    static const char *const bad[] = {"", " 1", "1 ", "x", "1x", "99999999999999999999", "+1", "1.5", "0x10"};
    int64_t i = 7;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_msg(!gt_parse_i64(&i, bad[k]), "\"%s\" was taken for a number", bad[k]);
    }
    ck_assert_int_eq(i, 7);
    ck_assert(gt_parse_i64(&i, "-42") && i == -42);
    double d = 0;
    ck_assert(!gt_parse_f64(&d, "nan") && !gt_parse_f64(&d, "inf") && !gt_parse_f64(&d, "1e999") && !gt_parse_f64(&d, ""));
    ck_assert(gt_parse_f64(&d, "2.5e-1") && d == 0.25);
}
END_TEST

START_TEST(durations_and_sizes_carry_units)
{
    char b[32];
    ck_assert_str_eq(gt_format_ns(b, sizeof b, 12), "12 ns");
    ck_assert_str_eq(gt_format_ns(b, sizeof b, 1234), "1.23 µs");
    ck_assert_str_eq(gt_format_ns(b, sizeof b, 45.6e6), "45.6 ms");
    ck_assert_str_eq(gt_format_ns(b, sizeof b, 999.9e6), "1.00 s");
    ck_assert_str_eq(gt_format_bytes(b, sizeof b, 1536), "1.50 KiB");
    ck_assert_str_eq(gt_format_bytes(b, sizeof b, 20.0 * 1024 * 1024), "20.0 MiB");
}
END_TEST

START_TEST(sha256_matches_the_standards_examples)
{
    char hex[65];
    gt_sha256_hex(hex, "abc", 3);
    ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    gt_sha256_hex(hex, "", 0);
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    gt_sha256_hex(hex, two_blocks, strlen(two_blocks));
    ck_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

/* Whatever the pieces, in memory and of a file; lengths around those of blocks and of the pieces of a file. */
START_TEST(sha256_takes_pieces)
{
    static unsigned char data[40000];
    static const size_t lengths[] = {0, 1, 55, 56, 63, 64, 65, 127, 128, 16383, 16384, 16385, 40000};
    char whole[65];
    char pieces[65];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(i * 7 + i / 256);
    }
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        gt_sha256 sha;
        gt_sha256_hex(whole, data, lengths[k]);
        gt_sha256_begin(&sha);
        for (size_t at = 0, step = 1; at < lengths[k]; at += step, step = step % 131 + 1) {
            gt_sha256_add(&sha, data + at, step < lengths[k] - at ? step : lengths[k] - at);
        }
        gt_sha256_end(&sha, pieces);
        ck_assert_str_eq(pieces, whole);
        gt_file_reader *reader = NULL;
        ck_assert_int_eq(gt_file_replace(in_folder("sha"), data, lengths[k]), GT_OK);
        ck_assert_int_eq(gt_file_open(&reader, in_folder("sha")), GT_OK);
        ck_assert_int_eq(gt_file_sha256_hex(pieces, reader), GT_OK);
        ck_assert_str_eq(pieces, whole);
        gt_file_close(reader);
    }
    gt_sha256_hex(whole, data, 40000);
    ck_assert_str_eq(whole, "c4d362cd2c9a18d81832e2c27f8816fa9f0befd09b75ca7d66037828d349f5df");
}
END_TEST

START_TEST(files_are_read_in_pieces)
{
    char path[256];
    char bytes[4] = "";
    gt_file_reader *reader = NULL;
    strcpy(path, in_folder("pieces"));
    ck_assert_int_eq(gt_file_open(&reader, path), GT_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), path));
    ck_assert_int_eq(gt_file_open(&reader, folder), GT_ERROR_IO);
    ck_assert_ptr_null(reader);
    ck_assert_int_eq(gt_file_replace(path, "abcdef", 6), GT_OK);
    ck_assert_int_eq(gt_file_open(&reader, path), GT_OK);
    ck_assert_uint_eq(gt_file_bytes(reader), 6);
    ck_assert_int_eq(gt_file_read_at(reader, bytes, 2, 3), GT_OK);
    ck_assert_mem_eq(bytes, "cde", 3);
    ck_assert_int_eq(gt_file_read_at(reader, bytes, 6, 0), GT_OK);
    ck_assert_int_eq(gt_file_read_at(reader, bytes, 4, 3), GT_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "became shorter"));
    gt_file_close(reader);
    gt_file_close(NULL);
}
END_TEST

START_TEST(replacing_a_file_is_all_or_nothing)
{
    char *data = NULL;
    size_t bytes = 0;
    char path[256];
    strcpy(path, in_folder("file"));
    ck_assert_int_eq(gt_file_replace(path, "old", 3), GT_OK);
    gt_file_writer *writer = NULL;
    ck_assert_int_eq(gt_file_create(&writer, path), GT_OK);
    ck_assert_int_eq(gt_file_write(writer, "half", 4), GT_OK);
    gt_file_abort(writer);
    ck_assert_int_eq(gt_file_read(&data, &bytes, path), GT_OK);
    ck_assert_uint_eq(bytes, 3);
    ck_assert_str_eq(data, "old");
    gt_free(data);
    ck_assert_int_eq(gt_file_replace("/nonexistent/folder/file", "x", 1), GT_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "/nonexistent/folder/file"));
    ck_assert_int_eq(gt_file_replace(folder, "x", 1), GT_ERROR_IO);
    ck_assert_int_eq(gt_file_read(&data, &bytes, folder), GT_ERROR_IO);
}
END_TEST

START_TEST(npy_round_trips)
{
    float values[24];
    gt_npy npy;
    char path[256];
    strcpy(path, in_folder("a.npy"));
    for (int i = 0; i < 24; i++) {
        values[i] = (float)i / 3;
    }
    for (int rank = 0; rank <= 4; rank++) {
        const int64_t dims[5][4] = {{0}, {24}, {4, 6}, {2, 3, 4}, {1, 2, 3, 4}};
        ck_assert_int_eq(gt_npy_write(path, GT_NPY_F32, rank, dims[rank], values), GT_OK);
        ck_assert_int_eq(gt_npy_read(&npy, path), GT_OK);
        ck_assert_int_eq(npy.rank, rank);
        ck_assert_int_eq(npy.elems, rank == 0 ? 1 : 24);
        ck_assert_mem_eq(npy.data, values, (size_t)npy.elems * sizeof *values);
        gt_npy_destroy(&npy);
    }
}
END_TEST

static void npy_with_header(const char *header, size_t data_bytes)
{
    unsigned char file[512] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)strlen(header), 0};
    memcpy(file + 10, header, strlen(header));
    write_bytes("bad.npy", file, 10 + strlen(header) + data_bytes);
}

START_TEST(malformed_npy_is_refused)
{
    static const struct {
        const char *header;
        size_t data_bytes;
        gt_status status;
        const char *says;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16, GT_ERROR_UNSUPPORTED, "dtype '<f8'"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8, GT_ERROR_UNSUPPORTED, "dtype"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8, GT_ERROR_UNSUPPORTED, "Fortran"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 8, GT_ERROR_FORMAT, "3 elements"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 8, GT_ERROR_FORMAT, "1 elements"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 8, GT_ERROR_FORMAT, "shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", 8, GT_ERROR_FORMAT, "shape"},
        {"{'descr': '<f4', 'fortran_order': False, }", 8, GT_ERROR_FORMAT, "shape"},
        {"{'fortran_order': False, 'shape': (2,), }", 8, GT_ERROR_FORMAT, "descr"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,99999999999), }", 8, GT_ERROR_LIMIT, "large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,2), }", 8, GT_ERROR_UNSUPPORTED, "rank"},
    };
    gt_npy npy;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        npy_with_header(cases[i].header, cases[i].data_bytes);
        ck_assert_int_eq(gt_npy_read(&npy, in_folder("bad.npy")), cases[i].status);
        ck_assert_msg(strstr(gt_error_message(), cases[i].says) != NULL, "case %zu: %s", i, gt_error_message());
        ck_assert_msg(strstr(gt_error_message(), "bad.npy") != NULL, "case %zu: %s", i, gt_error_message());
    }
    write_bytes("bad.npy", "\x93NUMPY\x09\x00\x01\x00x", 11);
    ck_assert_int_eq(gt_npy_read(&npy, in_folder("bad.npy")), GT_ERROR_UNSUPPORTED);
    write_bytes("bad.npy", "PK", 2);
    ck_assert_int_eq(gt_npy_read(&npy, in_folder("bad.npy")), GT_ERROR_FORMAT);
}
END_TEST

static void count_task(void *context, int thread, int64_t begin, int64_t end)
{
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        atomic_fetch_add((atomic_int *)context + i, 1);
    }
}

START_TEST(every_task_runs_exactly_once)
{
    static atomic_int counts[100];
    for (int threads = 1; threads <= 5; threads++) {
        gt_pool *pool = NULL;
        ck_assert_int_eq(gt_pool_create(&pool, threads), GT_OK);
        for (int round = 0; round < 300; round++) {
            int tasks = round % 100;
            memset(counts, 0, sizeof counts);
            gt_pool_run(pool, count_task, counts, tasks);
            for (int i = 0; i < 100; i++) {
                ck_assert_int_eq(atomic_load(&counts[i]), i < tasks);
            }
        }
        gt_pool_destroy(pool);
    }
    gt_pool *pool = NULL;
    ck_assert_int_eq(gt_pool_create(&pool, 0), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_pool_create(&pool, 257), GT_ERROR_ARGUMENT);
}
END_TEST

START_TEST(failed_allocations_leak_nothing)
{
    int64_t live = gt_i_live_allocations();
    char path[256];
    const int64_t dim[2] = {3, 4};
    float values[12] = {0};
    gt_npy npy;
    strcpy(path, in_folder("b.npy"));
    ck_assert_int_eq(gt_npy_write(path, GT_NPY_F32, 2, dim, values), GT_OK);
    gt_status status = GT_ERROR_MEMORY;
    int tries = 0;
    for (; status == GT_ERROR_MEMORY; tries++) {
        gt_i_fail_allocation(tries);
        status = gt_npy_read(&npy, path);
        gt_i_fail_allocation(-1);
        ck_assert(status == GT_OK || gt_i_live_allocations() == live);
    }
    ck_assert_int_eq(status, GT_OK);
    ck_assert_int_gt(tries, 2);
    gt_npy_destroy(&npy);
    gt_pool *pool = NULL;
    status = GT_ERROR_MEMORY;
    for (int k = 0; status == GT_ERROR_MEMORY; k++) {
        gt_i_fail_allocation(k);
        status = gt_pool_create(&pool, 3);
        gt_i_fail_allocation(-1);
    }
    gt_pool_destroy(pool);
    ck_assert_int_eq(gt_i_live_allocations(), live);
}
END_TEST

START_TEST(messages_nest)
{
    ck_assert_int_eq(gt_fail(GT_ERROR_SHAPE, "dim %d", 3), GT_ERROR_SHAPE);
    ck_assert_int_eq(gt_fail_in(GT_ERROR_SHAPE, "node \"%s\"", "a"), GT_ERROR_SHAPE);
    ck_assert_str_eq(gt_error_message(), "node \"a\": dim 3");
    ck_assert_int_eq(gt_fail(GT_ERROR_SHAPE, "again: %s", gt_error_message()), GT_ERROR_SHAPE);
    ck_assert_str_eq(gt_error_message(), "again: node \"a\": dim 3");
    static char huge[70000];
    memset(huge, 'x', sizeof huge - 1);
    ck_assert_int_eq(gt_fail(GT_ERROR_LIMIT, "%s", huge), GT_ERROR_LIMIT);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "…"));
}
END_TEST

START_TEST(messages_are_printable)
{
    gt_fail(GT_ERROR_FORMAT, "'%.2s' '%s' %s.", "\xc3\xa4\xc3", "a\x1b[7m\tb", "\xff\xe2\x82");
    ck_assert_str_eq(gt_error_message(), "'\xc3\xa4' 'a?[7m?b' ???.");
    gt_fail_in(GT_ERROR_FORMAT, "%.1s", "\xc3\xa4");
    ck_assert_str_eq(gt_error_message(), "?: '\xc3\xa4' 'a?[7m?b' ???.");
    gt_fail(GT_ERROR_FORMAT, "one\n  two");
    ck_assert_str_eq(gt_error_message(), "one\n  two");
    ck_assert(gt_i_is_text("\xe2\x82\xac", 3) && !gt_i_is_text("\xe2\x82\xac", 2) && !gt_i_is_text("a\n", 2));
}
END_TEST

START_TEST(the_best_isa_is_available)
{
    ck_assert(gt_isa_available(gt_isa_best()));
    ck_assert(gt_isa_available(GT_ISA_BASE));
    setenv("GT_ISA", gt_isa_name(GT_ISA_BASE), 1);
    ck_assert_int_eq(gt_isa_best(), GT_ISA_BASE);
    unsetenv("GT_ISA");
}
END_TEST

int main(void)
{
    gt_test_folder(folder, sizeof folder);
    Suite *suite = suite_create("base");
    TCase *tcase = tcase_create("base");
    tcase_add_test(tcase, numbers_are_parsed_strictly);
    tcase_add_test(tcase, durations_and_sizes_carry_units);
    tcase_add_test(tcase, sha256_matches_the_standards_examples);
    tcase_add_test(tcase, sha256_takes_pieces);
    tcase_add_test(tcase, files_are_read_in_pieces);
    tcase_add_test(tcase, replacing_a_file_is_all_or_nothing);
    tcase_add_test(tcase, npy_round_trips);
    tcase_add_test(tcase, malformed_npy_is_refused);
    tcase_add_test(tcase, every_task_runs_exactly_once);
    tcase_add_test(tcase, failed_allocations_leak_nothing);
    tcase_add_test(tcase, messages_nest);
    tcase_add_test(tcase, messages_are_printable);
    tcase_add_test(tcase, the_best_isa_is_available);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return gt_test_run(suite);
}
