/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's fingerprint: two recorded boards, this machine, and machines that tell nothing or
 * nonsense. */
#include "costmodel/device.h"
#include "src/records/json.h"
#include "src/records/records.h"
#include "tests/runner.h"

#include <check.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* GT_TOP_SRCDIR or the current folder holds tests/fixtures. */
static gt_device recorded(const char *name)
{
    char root[512];
    gt_device device;
    const char *top = getenv("GT_TOP_SRCDIR");
    top = top != NULL ? top : getenv("srcdir");
    snprintf(root, sizeof root, "%s/tests/fixtures/devices/%s", top != NULL ? top : ".", name);
    ck_assert_msg(access(root, R_OK) == 0, "no fixture %s", root);
    setenv("GT_SYSROOT", root, 1);
    must(gt_device_detect(&device));
    unsetenv("GT_SYSROOT");
    return device;
}

START_TEST(test_pi4)
{
    gt_device d = recorded("pi4");
    ck_assert_str_eq(d.arch, "aarch64");
    ck_assert_str_eq(d.model, "Raspberry Pi 4 Model B Rev 1.4");
    ck_assert_str_eq(d.kernel, "6.6.31-v8");
    ck_assert_int_eq(d.isa, GT_ISA_BASE);
    ck_assert_int_eq(d.cpus, 4);
    ck_assert_int_eq(d.n_classes, 1);
    ck_assert_str_eq(d.classes[0].name, "Cortex-A72");
    ck_assert_int_eq(d.classes[0].cores, 4);
    ck_assert_int_eq(d.classes[0].first_cpu, 0);
    ck_assert_int_eq(d.classes[0].max_khz, 1800000);
    ck_assert_int_eq(d.classes[0].l1d_bytes, 32 << 10);
    ck_assert_int_eq(d.classes[0].l2_bytes, 1 << 20);
    ck_assert_int_eq(d.classes[0].l3_bytes, 0);
    ck_assert_int_eq(d.memory_bytes, 3884360LL * 1024);
    ck_assert_str_eq(d.governor, "ondemand");
    ck_assert_int_eq(d.current_khz, 1500000);
    ck_assert_double_eq_tol(d.temperature_c, 48.686, 1e-9);
    ck_assert_int_eq(gt_device_private_cache_bytes(&d), 1 << 20);
}
END_TEST

START_TEST(test_rk3399)
{
    gt_device d = recorded("rk3399");
    ck_assert_int_eq(d.cpus, 6);
    ck_assert_int_eq(d.n_classes, 2);
    ck_assert_str_eq(d.classes[0].name, "Cortex-A53");
    ck_assert_int_eq(d.classes[0].cores, 4);
    ck_assert_int_eq(d.classes[0].max_khz, 1416000);
    ck_assert_int_eq(d.classes[0].l2_bytes, 512 << 10);
    ck_assert_str_eq(d.classes[1].name, "Cortex-A72");
    ck_assert_int_eq(d.classes[1].cores, 2);
    ck_assert_int_eq(d.classes[1].first_cpu, 4);
    ck_assert_int_eq(d.classes[1].max_khz, 1800000);
    ck_assert_int_eq(d.classes[1].l2_bytes, 1 << 20);
    ck_assert_str_eq(d.governor, "performance");
    ck_assert_double_eq_tol(d.temperature_c, 52.5, 1e-9); /* the CPU's zone, not the first one */
}
END_TEST

START_TEST(test_hash)
{
    gt_device pi = recorded("pi4"), again = recorded("pi4"), rk = recorded("rk3399");
    ck_assert_int_eq(strlen(pi.hash), 16);
    ck_assert_str_eq(pi.hash, again.hash);
    ck_assert_str_ne(pi.hash, rk.hash);
    /* Records of these boards exist: their hashes must stay. */
    ck_assert_str_eq(pi.hash, "0b0a99d53018b30e");
    ck_assert_str_eq(rk.hash, "f90f6d83ba484a10");
}
END_TEST

START_TEST(test_json)
{
    gt_device d = recorded("rk3399");
    gt_text text = {0};
    gt_json *root = NULL;
    gt_records *set = NULL;
    const gt_json *classes = NULL;
    const char *isa = NULL;
    must(gt_device_json(&text, &d));
    ck_assert_ptr_null(strchr(text.data, '\n'));
    must(gt_json_parse(&root, text.data, text.length, NULL, 0));
    must(gt_json_get_array(root, "classes", &classes));
    ck_assert_int_eq(gt_json_count(classes), 2);
    must(gt_json_get_string(root, "isa", &isa));
    ck_assert_str_eq(isa, "neon");
    must(gt_records_create(&set)); /* it is a records file's first line */
    must(gt_records_add_device(set, text.data));
    ck_assert_str_eq(gt_records_device_hash(set, 0), d.hash);
    gt_records_destroy(set);
    gt_json_destroy(root);
    gt_text_destroy(&text);
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

START_TEST(test_this_machine)
{
    gt_device d;
    gt_text text = {0};
    must(gt_device_detect(&d));
    ck_assert_int_ge(d.cpus, 1);
    ck_assert_int_ge(d.n_classes, 1);
    ck_assert_int_gt(strlen(d.arch), 0);
    ck_assert_int_gt(strlen(d.model), 0);
    ck_assert_int_eq(d.isa, gt_isa_best());
    ck_assert_int_gt(gt_device_private_cache_bytes(&d), 0);
    must(gt_device_json(&text, &d));
    gt_text_destroy(&text);
}
END_TEST

/* ---- machines that tell nothing or nonsense ---- */

static char folder[] = "/tmp/gt_device_XXXXXX";

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static void put(const char *path, const char *text, size_t bytes)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", folder, path);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
}

START_TEST(test_silent_machine)
{
    gt_device d;
    gt_text text = {0};
    setenv("GT_SYSROOT", "/nonexistent", 1);
    must(gt_device_detect(&d));
    ck_assert_int_eq(d.cpus, 1);
    ck_assert_int_eq(d.n_classes, 1);
    ck_assert_int_eq(d.current_khz, 0);
    ck_assert(isnan(d.temperature_c));
    ck_assert_str_eq(d.governor, "");
    ck_assert_int_eq(gt_device_private_cache_bytes(&d), 1 << 20);
    must(gt_device_json(&text, &d));
    ck_assert_ptr_null(strstr(text.data, "\"temperature_c\":"));
    gt_text_destroy(&text);
    unsetenv("GT_SYSROOT");
}
END_TEST

START_TEST(test_nonsense)
{
    static const char junk[] =
        "processor\t: 99999999999999999999\nCPU part\t: zz\nprocessor : 0\nCPU implementer: 0x7f\n"
        "CPU part : 0xabc\nmodel name\n:\nprocessor";
    gt_device d;
    gt_text text = {0};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    put("proc/cpuinfo", junk, sizeof junk - 1);
    put("proc/meminfo", "MemTotal: -5 kB", 15);
    put("proc/sys/kernel/arch", "\x01\x02", 2);
    put("sys/firmware/devicetree/base/model", "B\xff\xfe" "ad \"board\" \\ \0hidden", 24);
    put("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "fast", 4);
    put("sys/class/thermal/thermal_zone3/temp", "-40000\n", 7);
    setenv("GT_SYSROOT", folder, 1);
    must(gt_device_detect(&d));
    unsetenv("GT_SYSROOT");
    ck_assert_str_eq(d.model, "B??ad \"board\" \\");
    ck_assert_str_eq(d.classes[0].name, "core 0x7f/0xabc");
    ck_assert_int_eq(d.memory_bytes, 0);
    ck_assert_int_eq(d.classes[0].max_khz, 0);
    ck_assert_double_eq(d.temperature_c, -40);
    must(gt_device_json(&text, &d));
    gt_text_destroy(&text);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
END_TEST

START_TEST(test_core_names)
{
    ck_assert_str_eq(gt_core_name(0x41, 0xd03), "Cortex-A53");
    ck_assert_str_eq(gt_core_name(0x41, 0xd0b), "Cortex-A76");
    ck_assert_str_eq(gt_core_name(0x41, 0xd0c), "Neoverse-N1");
    ck_assert_ptr_null(gt_core_name(0x41, 0xfff));
}
END_TEST

START_TEST(test_allocation_failures)
{
    for (int64_t k = 0;; k++) {
        gt_device d;
        gt_text text = {0};
        gt_i_fail_allocation(k);
        gt_status status = gt_device_detect(&d);
        status = status == GT_OK ? gt_device_json(&text, &d) : status;
        gt_i_fail_allocation(-1);
        gt_text_destroy(&text);
        ck_assert_int_eq(gt_i_live_allocations(), 0);
        if (status == GT_OK) {
            return;
        }
        ck_assert_int_eq(status, GT_ERROR_MEMORY);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device");
    TCase *tests = tcase_create("device");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, test_pi4);
    tcase_add_test(tests, test_rk3399);
    tcase_add_test(tests, test_hash);
    tcase_add_test(tests, test_json);
    tcase_add_test(tests, test_this_machine);
    tcase_add_test(tests, test_silent_machine);
    tcase_add_test(tests, test_nonsense);
    tcase_add_test(tests, test_core_names);
    tcase_add_test(tests, test_allocation_failures);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
