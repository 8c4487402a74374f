/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles that are not whole: every one is refused with a reason, or, where its checksums say that it is meant to be so, at
 * least does no harm. GT_TEST_SEED changes the damage. */
#include "src/api/deployment.h"
#include "tests/bundle_make.h"
#include "tests/plan_edit.h"
#include "tests/runner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 20250612;

#define OK(expr) ck_assert_msg((expr) == GT_OK, "%s: %s", #expr, gt_error_message())

static bm_case whole;

static void make_whole(void)
{
    whole = bm_small(77, NULL);
}

static void clear_whole(void)
{
    bm_clear(&whole);
}

/* Opens a copy of n_bytes bytes and returns the status; a refusal has a message, no bundle, and leaks nothing. */
static gt_status try_open(const char *bytes, size_t n_bytes)
{
    gt_bundle *bundle = NULL;
    char *copy = NULL;
    OK(gt_alloc_aligned(&copy, n_bytes));
    memcpy(copy, bytes, n_bytes);
    const int64_t live = gt_i_live_allocations();
    const gt_status status = gt_bundle_open_memory(&bundle, copy, n_bytes);
    ck_assert((status == GT_OK) == (bundle != NULL));
    ck_assert(status == GT_OK || strncmp(gt_error_message(), "bundle", 6) == 0);
    gt_bundle_close(bundle);
    ck_assert_int_eq(gt_i_live_allocations(), live);
    gt_free(copy);
    return status;
}

static bool is_refusal(gt_status status)
{
    return status == GT_ERROR_FORMAT || status == GT_ERROR_MISMATCH;
}

START_TEST(every_header_byte_counts)
{
    ck_assert_int_eq(try_open(whole.bytes, whole.n_bytes), GT_OK);
    for (int i = 0; i < GT_BUNDLE_HEADER_BYTES; i++) {
        for (int bit = 0; bit < 8; bit++) {
            whole.bytes[i] ^= (char)(1 << bit);
            ck_assert_msg(is_refusal(try_open(whole.bytes, whole.n_bytes)), "byte %d, bit %d", i, bit);
            whole.bytes[i] ^= (char)(1 << bit);
        }
    }
}
END_TEST

START_TEST(flipped_bits_are_found)
{
    gt_rng rng;
    gt_rng_seed(&rng, seed);
    for (int k = 0; k < 2000; k++) {
        const size_t at = (size_t)gt_rng_below(&rng, (uint64_t)whole.n_bytes);
        const char flip = (char)(1 << gt_rng_below(&rng, 8));
        whole.bytes[at] ^= flip;
        ck_assert_msg(is_refusal(try_open(whole.bytes, whole.n_bytes)), "byte %zu", at);
        whole.bytes[at] ^= flip;
    }
}
END_TEST

START_TEST(other_lengths_are_found)
{
    gt_rng rng;
    char *longer = NULL;
    gt_rng_seed(&rng, seed + 1);
    for (size_t n = 0; n < 200; n++) {
        ck_assert_msg(is_refusal(try_open(whole.bytes, n)), "%zu bytes", n);
        ck_assert_msg(is_refusal(try_open(whole.bytes, whole.n_bytes - n - 1)), "%zu bytes fewer", n + 1);
    }
    for (int k = 0; k < 200; k++) {
        const size_t n = (size_t)gt_rng_below(&rng, (uint64_t)whole.n_bytes);
        ck_assert_msg(is_refusal(try_open(whole.bytes, n)), "%zu bytes", n);
    }
    OK(gt_calloc(&longer, whole.n_bytes + 64, 1));
    memcpy(longer, whole.bytes, whole.n_bytes);
    ck_assert(is_refusal(try_open(longer, whole.n_bytes + 1)));
    ck_assert(is_refusal(try_open(longer, whole.n_bytes + 64)));
    gt_free(longer);
}
END_TEST

/* ---- with checksums that fit ---- */

/* Opens, and runs what opens and is of a bearable size. */
static gt_status try_run(const char *bytes, size_t n_bytes)
{
    gt_bundle *bundle = NULL;
    gt_deployment *d = NULL;
    gt_status status = gt_bundle_open_memory(&bundle, bytes, n_bytes);
    ck_assert(status == GT_OK || gt_error_message()[0] != '\0');
    if (status == GT_OK && bundle->program->arena_bytes < (int64_t)16 << 20) {
        OK(gt_deployment_create(&d, bundle, 1));
        gt_deployment_run(d);
        gt_deployment_close(d);
    }
    gt_bundle_close(bundle);
    return status;
}

/* A byte that could stand there in another manifest: often a digit for a digit. */
static char other_byte(gt_rng *rng, char byte)
{
    static const char structure[] = "{}[]\",:xX_!.-+0123456789eabn ";
    if (byte >= '0' && byte <= '9') {
        return (char)('0' + gt_rng_below(rng, 10));
    }
    return structure[gt_rng_below(rng, sizeof structure - 1)];
}

START_TEST(sealed_nonsense_does_no_harm)
{
    gt_rng rng;
    gt_bundle_sections s;
    int opened = 0, refused = 0;
    gt_rng_seed(&rng, seed + 2 + (uint64_t)_i);
    OK(gt_i_bundle_split(&s, whole.bytes, whole.n_bytes, "bundle"));
    const size_t first = (size_t)(s.manifest - whole.bytes);
    const int64_t live = gt_i_live_allocations();
    for (int k = 0; k < 1000; k++) {
        char *copy = NULL;
        OK(gt_alloc_aligned(&copy, whole.n_bytes));
        memcpy(copy, whole.bytes, whole.n_bytes);
        for (uint64_t n = 1 + gt_rng_below(&rng, 3); n > 0; n--) {
            const size_t at = first + (size_t)gt_rng_below(&rng, (uint64_t)s.manifest_bytes);
            copy[at] = other_byte(&rng, copy[at]);
        }
        bm_seal(copy, whole.n_bytes);
        *(try_run(copy, whole.n_bytes) == GT_OK ? &opened : &refused) += 1;
        gt_free(copy);
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
    /* A digit of a time may change, most others not. */
    ck_assert_msg(opened > 0 && refused > opened, "%d opened, %d were refused", opened, refused);
}
END_TEST

/* A bundle whose manifest says something else at `path` is refused with these words. */
static void check_edit(pe_action action, const char *path, const char *value, gt_status status, const char *says)
{
    gt_bundle_sections s;
    gt_text manifest = {0}, edited = {0};
    gt_bundle *bundle = NULL;
    size_t n = 0;
    OK(gt_i_bundle_split(&s, whole.bytes, whole.n_bytes, "bundle"));
    OK(gt_text_append_bytes(&manifest, s.manifest, s.manifest_bytes));
    OK(pe_apply(&edited, manifest.data, action, path, value));
    char *bytes = bm_with_manifest(&n, &whole, edited.data, edited.length);
    ck_assert_msg(gt_bundle_open_memory(&bundle, bytes, n) == status, "%s: %s", path, gt_error_message());
    ck_assert_msg(strstr(gt_error_message(), says) != NULL, "%s: %s", path, gt_error_message());
    ck_assert_ptr_null(bundle);
    gt_free(bytes);
    gt_text_destroy(&edited);
    gt_text_destroy(&manifest);
}

START_TEST(refusals_name_the_field)
{
    const bool arm = strcmp(gt_isa_name(GT_ISA_BASE), "neon") == 0;
    check_edit(PE_SET, "isa", "\"avx9000\"", GT_ERROR_ARGUMENT, "avx9000");
    check_edit(PE_SET, "arch", "\"vax\"", GT_ERROR_FORMAT, "arch");
    check_edit(PE_SET, "sha256", "\"00\"", GT_ERROR_FORMAT, "sha256");
    check_edit(PE_SET, "threads", "0", GT_ERROR_FORMAT, "threads");
    check_edit(PE_SET, "inputs[0].shape[1]", "4", GT_ERROR_SHAPE, "weight (input 1)");
    check_edit(PE_SET, "inputs[0].dtype", "\"f64\"", GT_ERROR_FORMAT, "inputs[0].dtype");
    check_edit(PE_SET, "inputs[0].shape", "[1099511627776,3,9,9]", GT_ERROR_SHAPE, "2^40");
    check_edit(PE_SET, "ops[0].rev", "99", GT_ERROR_MISMATCH, "rev");
    check_edit(PE_SET, "ops[0].template", "\"conv2d.magic\"", GT_ERROR_MISMATCH, "conv2d.magic");
    check_edit(PE_SET, "ops[0].config", "\"speed=11\"", GT_ERROR_MISMATCH, "speed");
    check_edit(PE_SET, "ops[0].inputs[0]", "\"nobody\"", GT_ERROR_FORMAT, "ops[0].inputs[0]");
    check_edit(PE_SET, "ops[0].inputs[1]", "\"nobody\"", GT_ERROR_FORMAT, "ops[0].inputs[1]");
    check_edit(PE_REMOVE, "ops[0].inputs[0]", NULL, GT_ERROR_FORMAT, "ops[0].inputs");
    check_edit(PE_SET, "ops[0].workload", "\"conv2d(\"", GT_ERROR_FORMAT, "workload");
    check_edit(PE_SET, "ops[0].packed_bytes", "64", GT_ERROR_MISMATCH, "64");
    check_edit(PE_SET, "ops[0].packed_bytes", "0", GT_ERROR_MISMATCH, "packed constants");
    check_edit(PE_SET, "ops[0].packed_bytes", "9007199254740992", GT_ERROR_FORMAT, "weights section");
    check_edit(PE_SET, "ops[0].out", "\"NCHW3c\"", GT_ERROR_FORMAT, "ops[0].out");
    check_edit(PE_SET, "outputs[0].tensor", "\"nobody\"", GT_ERROR_FORMAT, "outputs[0]");
    check_edit(PE_SET, "outputs[1].shape", "[99,99,99]", GT_ERROR_FORMAT, "weights section");
    check_edit(PE_REMOVE, "outputs[1]", NULL, GT_ERROR_FORMAT, "belong to no op");
    check_edit(PE_DUPLICATE, "ops[1]", NULL, GT_ERROR_FORMAT, "no other");
    check_edit(PE_SET, "isa", arm ? "\"sse2\"" : "\"neon\"", GT_ERROR_FORMAT, "arch");
}
END_TEST

START_TEST(other_versions_are_named)
{
    gt_bundle *bundle = NULL;
    whole.bytes[8] = 2;
    ck_assert_int_eq(gt_bundle_open_memory(&bundle, whole.bytes, whole.n_bytes), GT_ERROR_MISMATCH);
    ck_assert_ptr_nonnull(strstr(gt_error_message(), "version is 2, this graphtune reads version 1"));
    whole.bytes[8] = 1;
    ck_assert_int_eq(gt_bundle_open_memory(&bundle, whole.bytes + 4, whole.n_bytes - 4), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_bundle_open_memory(&bundle, NULL, 64), GT_ERROR_ARGUMENT);
    ck_assert_int_eq(gt_bundle_open(&bundle, "/nonexistent.gtb"), GT_ERROR_IO);
    ck_assert_int_eq(gt_bundle_open(&bundle, "/tmp"), GT_ERROR_IO);
    ck_assert_int_eq(gt_bundle_open(&bundle, "/dev/null"), GT_ERROR_IO);
    ck_assert_ptr_null(bundle);
}
END_TEST

START_TEST(allocation_failures_leak_nothing)
{
    const int64_t live = gt_i_live_allocations();
    int64_t failed = 0;
    for (gt_status status = GT_ERROR_MEMORY; status != GT_OK; failed++) {
        gt_bundle *bundle = NULL;
        gt_deployment *d = NULL;
        gt_i_fail_allocation(failed);
        status = gt_bundle_open_memory(&bundle, whole.bytes, whole.n_bytes);
        status = status == GT_OK ? gt_deployment_create(&d, bundle, 2) : status;
        gt_i_fail_allocation(-1);
        ck_assert_msg(status == GT_OK || status == GT_ERROR_MEMORY, "allocation %d: %s", (int)failed, gt_error_message());
        gt_deployment_close(d);
        gt_bundle_close(bundle);
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
    ck_assert_int_gt(failed, 100);
}
END_TEST

static Suite *damage_suite(void)
{
    Suite *suite = suite_create("bundle damage");
    TCase *damage = tcase_create("damage");
    tcase_add_checked_fixture(damage, make_whole, clear_whole);
    tcase_add_test(damage, every_header_byte_counts);
    tcase_add_test(damage, flipped_bits_are_found);
    tcase_add_test(damage, other_lengths_are_found);
    tcase_add_loop_test(damage, sealed_nonsense_does_no_harm, 0, 4);
    tcase_add_test(damage, refusals_name_the_field);
    tcase_add_test(damage, other_versions_are_named);
    tcase_add_test(damage, allocation_failures_leak_nothing);
    suite_add_tcase(suite, damage);
    return suite;
}

int main(void)
{
    seed = gt_test_seed(seed);
    return gt_test_run(damage_suite());
}
