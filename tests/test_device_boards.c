/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of recorded boards, phones and servers, and which of their CPUs are chosen; and trees with garbage in
 * them. */
#include "costmodel/device.h"
#include "costmodel/watch.h"
#include "src/base/rng.h"
#include "src/records/json.h"
#include "tests/device_tree.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROUNDS 400
#define SEED 20240607

static char folder[64];

static void begin(void)
{
    strcpy(folder, "/tmp/gt_board_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void end(void)
{
    tree_remove(folder);
}

static void must(gt_status status)
{
    if (status != GT_OK) {
        ck_abort_msg("%s: %s", gt_status_name(status), gt_error_message());
    }
}

/* ---- boards ---- */

struct cluster {
    const char *core, *cpus, *role;
    int64_t min_khz, max_khz, limit_khz, l2_bytes;
};

static const struct board {
    const char *name, *model, *soc;
    int cpus, n_clusters;
    struct cluster clusters[3];
    const char *big, *little, *four; /* CPUs chosen for --cpus big, little, and for four threads without it */
    double celsius, passive_celsius;
    const char *feature, *missing_feature; /* one that it has, one that it lacks */
    int64_t memory_kib;
    const char *note; /* part of a note, or NULL: there must be none */
} boards[] = {
    {"pi3", "Raspberry Pi 3 Model B Plus Rev 1.3", "brcm,bcm2837", 4, 1,
     {{"Cortex-A53", "0-3", "", 600000, 1400000, 1400000, 0}},
     "0-3", "0-3", "0-3", 51.54, NAN, "asimd", "asimddp", 945260, NULL},
    {"pi5", "Raspberry Pi 5 Model B Rev 1.0", "brcm,bcm2712", 4, 1,
     {{"Cortex-A76", "0-3", "", 1500000, 2400000, 2400000, 512 << 10}},
     "0-3", "0-3", "0-3", 46.85, NAN, "asimddp", "i8mm", 8244688, NULL},
    {"rk3588", "Radxa ROCK 5 Model B", "rockchip,rk3588", 8, 2,
     {{"Cortex-A55", "0-3", "LITTLE", 408000, 1800000, 1800000, 128 << 10},
      {"Cortex-A76", "4-7", "big", 408000, 2400000, 2400000, 512 << 10}},
     "4-7", "0-3", "4-7", 43.461, 75, "asimddp", "sve", 7918804, NULL},
    {"sm8250", "Kryo-4xx-Silver", "Snapdragon SM8250", 8, 3,
     {{"Kryo-4xx-Silver", "0-3", "LITTLE", 300000, 1804800, 1804800, 0},
      {"Cortex-A77", "4-6", "middle", 710400, 2419200, 2419200, 0},
      {"Cortex-A77", "7", "big", 844800, 2841600, 2457600, 0}},
     "7", "0-3", "4-7", 38.2, NAN, "fphp", "bf16", 7723868, "thermal_zone4/temp: -273150"},
    {"sdm845", "OnePlus 6", "qcom,sdm845", 8, 2,
     {{"Kryo-3xx-Silver", "0-3", "LITTLE", 300000, 1766400, 1766400, 0},
      {"Kryo-3xx-Gold", "4-7", "big", 825600, 2803200, 2803200, 0}},
     "4-7", "0-3", "4-7", 35.9, 90, "asimdhp", "sve", 5781236, NULL},
    {"graviton2", "c6g.4xlarge", "", 16, 1, {{"Neoverse-N1", "0-15", "", 0, 0, 0, 1 << 20}},
     "0-15", "0-15", "0-3", NAN, NAN, "asimddp", "sve", 32312416, "no clock is known"},
    {"altra", "Mt.Jade", "", 80, 1, {{"Neoverse-N1", "0-79", "", 1000000, 3000000, 3000000, 1 << 20}},
     "0-79", "0-79", "0-3", NAN, NAN, "fphp", "sve", 263553956, "no temperature is known"},
    {"emulated", "Intel(R) Xeon(R) Processor", "", 2, 1, {{"Intel(R) Xeon(R) Processor", "0-1", "", 0, 0, 0, 0}},
     "0-1", "0-1", "0-1", NAN, NAN, "", "asimd", 16313416, "is it emulated?"},
};

static void check_cluster(const gt_device *d, const gt_cluster *got, const struct cluster *want)
{
    char cpus[64];
    ck_assert_str_eq(got->core, want->core);
    ck_assert_str_eq(gt_cpu_set_format(cpus, sizeof cpus, &got->cpus), want->cpus);
    ck_assert_str_eq(gt_cluster_role(d, got), want->role);
    ck_assert_int_eq(got->min_khz, want->min_khz);
    ck_assert_int_eq(got->max_khz, want->max_khz);
    ck_assert_int_eq(got->limit_khz, want->limit_khz);
    ck_assert_int_eq(got->l2_bytes, want->l2_bytes);
}

static void check_choice(const gt_device *d, gt_cpu_choice choice, const char *want)
{
    static int cpus[GT_DEVICE_MAX_CPUS];
    gt_cpu_set all, chosen = {0};
    char text[64];
    memset(&all, 0xff, sizeof all);
    int n = gt_device_choose_cpus(cpus, d, choice, 4, &all);
    for (int i = 0; i < n; i++) {
        gt_cpu_set_add(&chosen, cpus[i]);
    }
    ck_assert_str_eq(gt_cpu_set_format(text, sizeof text, &chosen), want);
}

static bool has_note(const gt_device *d, const char *part)
{
    for (int i = 0; i < d->notes.n; i++) {
        if (strstr(d->notes.text[i], part) != NULL) {
            return true;
        }
    }
    return false;
}

static void check_celsius(double got, double want)
{
    ck_assert_int_eq(isnan(got) != 0, isnan(want) != 0);
    ck_assert(isnan(want) || fabs(got - want) < 1e-9);
}

START_TEST(test_board)
{
    const struct board *b = &boards[_i];
    gt_device d;
    tree_unpack(folder, b->name);
    must(gt_device_detect_at(&d, folder));
    ck_assert_str_eq(d.arch, "aarch64");
    ck_assert_str_eq(gt_device_isa_name(&d), "neon");
    ck_assert_str_eq(d.model, b->model);
    ck_assert_str_eq(d.soc, b->soc);
    ck_assert_int_eq(d.cpus, b->cpus);
    ck_assert_int_eq(d.memory_bytes, b->memory_kib * 1024);
    ck_assert_int_eq(d.n_clusters, b->n_clusters);
    for (int i = 0; i < b->n_clusters; i++) {
        check_cluster(&d, &d.clusters[i], &b->clusters[i]);
    }
    check_choice(&d, GT_CPUS_BIG, b->big);
    check_choice(&d, GT_CPUS_LITTLE, b->little);
    check_choice(&d, GT_CPUS_FASTEST, b->four);
    check_celsius(d.temperature_c, b->celsius);
    check_celsius(d.n_zones > 0 ? d.zones[0].passive_celsius : (double)NAN, b->passive_celsius);
    char padded[sizeof d.features + 2], word[32];
    snprintf(padded, sizeof padded, " %s ", d.features);
    snprintf(word, sizeof word, b->feature[0] != '\0' ? " %s " : "%s", b->feature);
    ck_assert_ptr_nonnull(strstr(padded, word));
    snprintf(word, sizeof word, " %s ", b->missing_feature);
    ck_assert_ptr_null(strstr(padded, word));
    ck_assert_msg(b->note == NULL ? d.notes.n == 0 : has_note(&d, b->note), "%d notes, the first: %s", d.notes.n,
                  d.notes.n > 0 ? d.notes.text[0] : "");
}
END_TEST

/* ---- details ---- */

/* What changes from day to day leaves the hash as it is; what makes another machine does not. */
START_TEST(test_what_is_hashed)
{
    static const char *const lively[][2] = {
        {"sys/class/thermal/thermal_zone0/temp", "91000"},
        {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"},
        {"sys/devices/system/cpu/cpu4/cpufreq/scaling_cur_freq", "408000"},
        {"sys/devices/system/cpu/cpu4/cpufreq/scaling_max_freq", "1200000"},
        {"sys/devices/system/cpu/cpu4/cpu_capacity", "900"},
        {"proc/meminfo", "MemTotal: 16000000 kB"},
        {"proc/sys/kernel/osrelease", "6.12.0"},
        {"sys/firmware/devicetree/base/compatible", "somebody,else"},
    };
    gt_device first, d;
    tree_unpack(folder, "rk3588");
    must(gt_device_detect_at(&first, folder));
    for (size_t i = 0; i < COUNT(lively); i++) {
        tree_put_text(folder, lively[i][0], "%s\n", lively[i][1]);
        must(gt_device_detect_at(&d, folder));
        ck_assert_str_eq(d.hash, first.hash);
    }
    tree_put_text(folder, "sys/devices/system/cpu/cpu4/cpufreq/cpuinfo_max_freq", "3000000\n");
    must(gt_device_detect_at(&d, folder));
    ck_assert_str_ne(d.hash, first.hash);
}
END_TEST

/* Without capacities, a little core with the higher clock is still the little one. */
START_TEST(test_rank_without_capacity)
{
    gt_device d;
    tree_put_text(folder, "sys/devices/system/cpu/online", "0-5\n");
    for (int cpu = 0; cpu < 6; cpu++) {
        char path[128];
        bool big = cpu >= 2;
        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
        tree_put_text(folder, path, "0x00000000%08x\n", big ? 0x410fd092u : 0x410fd034u);
        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq", cpu);
        tree_put_text(folder, path, "%d\n", big ? 1800000 : 1896000);
    }
    must(gt_device_detect_at(&d, folder));
    ck_assert_int_eq(d.n_clusters, 2);
    ck_assert_str_eq(d.clusters[1].core, "Cortex-A73");
    ck_assert_str_eq(gt_cluster_role(&d, &d.clusters[1]), "big");
    check_choice(&d, GT_CPUS_BIG, "2-5");
}
END_TEST

START_TEST(test_choose_among_allowed)
{
    int cpus[GT_DEVICE_MAX_CPUS];
    gt_device d;
    gt_cpu_set allowed = {0};
    tree_unpack(folder, "sm8250");
    must(gt_device_detect_at(&d, folder));
    gt_cpu_set_add(&allowed, 1);
    gt_cpu_set_add(&allowed, 5);
    ck_assert_int_eq(gt_device_choose_cpus(cpus, &d, GT_CPUS_BIG, 1, &allowed), 0);
    ck_assert_int_eq(gt_device_choose_cpus(cpus, &d, GT_CPUS_FASTEST, 1, &allowed), 1);
    ck_assert_int_eq(cpus[0], 5);
    ck_assert_int_eq(gt_device_choose_cpus(cpus, &d, GT_CPUS_FASTEST, 8, &allowed), 2);
    ck_assert_int_eq(cpus[1], 1);
}
END_TEST

START_TEST(test_offline_cpus)
{
    gt_device d;
    tree_unpack(folder, "rk3588");
    tree_put_text(folder, "sys/devices/system/cpu/online", "0-3\n");
    must(gt_device_detect_at(&d, folder));
    ck_assert_int_eq(d.cpus, 4);
    ck_assert(has_note(&d, "CPUs 4-7 are switched off"));
}
END_TEST

/* A link that leads out of the tree would read this machine's files as the recorded one's. */
START_TEST(test_links)
{
    char path[128];
    gt_device d;
    tree_unpack(folder, "pi5");
    snprintf(path, sizeof path, "%s/proc/meminfo", folder);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("/proc/meminfo", path), 0);
    must(gt_device_detect_at(&d, folder));
    ck_assert_int_eq(d.memory_bytes, 0);
    ck_assert(has_note(&d, "leads out of the recorded tree"));
    tree_put_text(folder, "proc/elsewhere", "MemTotal: 1024 kB\n");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("elsewhere", path), 0);
    must(gt_device_detect_at(&d, folder));
    ck_assert_int_eq(d.memory_bytes, 1 << 20);
}
END_TEST

/* A 32-bit system on the same board; processors without NEON exist. */
START_TEST(test_32_bit_arm)
{
    static const char *const features[2] = {"half thumb fastmult vfp edsp neon vfpv3 vfpv4", "half thumb fastmult vfp edsp vfpv3d16"};
    static const char *const isa[2] = {"armv7-neon", "generic"};
    for (int i = 0; i < 2; i++) {
        gt_device d;
        tree_unpack(folder, "pi3");
        tree_put_text(folder, "proc/sys/kernel/arch", "armv7l\n");
        tree_put_text(folder, "proc/cpuinfo", "processor\t: 0\nFeatures\t: %s\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n", features[i]);
        must(gt_device_detect_at(&d, folder));
        ck_assert_str_eq(d.arch, "armv7l");
        ck_assert_str_eq(gt_device_isa_name(&d), isa[i]);
    }
}
END_TEST

START_TEST(test_core_names)
{
    ck_assert_str_eq(gt_core_name(0x51, 0x001), "Oryon");
    ck_assert_str_eq(gt_core_name(0x41, 0xd4f), "Neoverse-V2");
    ck_assert_str_eq(gt_core_name(0xc0, 0xac4), "Ampere-1A");
    ck_assert_ptr_null(gt_core_name(0x51, 0xfff));
}
END_TEST

START_TEST(test_celsius)
{
    check_celsius(gt_celsius(48686), 48.686);
    check_celsius(gt_celsius(48), 48);
    check_celsius(gt_celsius(-40000), -40);
    check_celsius(gt_celsius(-273150), NAN);
    check_celsius(gt_celsius(INT64_MIN), NAN);
    check_celsius(gt_celsius(INT64_MAX), NAN);
}
END_TEST

/* ---- garbage ---- */

#define MAX_FILES 4096
static char *files[MAX_FILES];
static int n_files;

static void list_file(void *context, const char *path)
{
    (void)context;
    if (n_files < MAX_FILES) {
        files[n_files++] = strdup(path + 1);
    }
}

static void forget_files(void)
{
    while (n_files > 0) {
        free(files[--n_files]);
    }
}

/* Random bytes, or one of the ways in which numbers and lists go wrong. */
static void put_garbage(gt_rng *rng, const char *path)
{
    static const char *const texts[] = {"", "\n", "-1", "99999999999999999999999", "0-99999999", "3-1", "0x", "1e9", "K",
                                        "-9223372036854775808", "0-", ",", "2147483648", "0,0,0,0", "passive", "\xff\xfe"};
    char bytes[5000];
    size_t n = gt_rng_u64(rng) % sizeof bytes;
    uint64_t kind = gt_rng_u64(rng) % 3;
    for (size_t i = 0; i < n; i++) {
        uint64_t random = gt_rng_u64(rng);
        bytes[i] = kind == 0 ? (char)random : "0123456789-, :\tKx\n"[random % 18];
    }
    if (kind == 2) {
        const char *text = texts[gt_rng_u64(rng) % COUNT(texts)];
        tree_put(folder, path, text, strlen(text));
    } else {
        tree_put(folder, path, bytes, n);
    }
}

static void spoil(gt_rng *rng, const char *path)
{
    char full[512];
    struct stat info;
    snprintf(full, sizeof full, "%s/%s", folder, path);
    if (lstat(full, &info) != 0 || !S_ISREG(info.st_mode)) {
        return;
    }
    switch (gt_rng_u64(rng) % 9) {
    case 0:
        ck_assert_int_eq(truncate(full, (off_t)(gt_rng_u64(rng) % (uint64_t)(info.st_size + 1))), 0);
        break;
    case 1:
        ck_assert_int_eq(truncate(full, (off_t)64 << 20), 0); /* NULs without end */
        break;
    case 2:
        ck_assert_int_eq(unlink(full), 0);
        break;
    case 3:
        ck_assert_int_eq(unlink(full) | mkdir(full, 0700), 0);
        break;
    case 4:
        ck_assert_int_eq(unlink(full) | mkfifo(full, 0600), 0);
        break;
    case 5:
        ck_assert_int_eq(unlink(full) | symlink("nowhere", full), 0);
        break;
    default:
        put_garbage(rng, path);
    }
}

/* Whatever the files say, there is a description, its JSON is well-formed, and the watch looks without harm. */
static void describe(void)
{
    gt_device d;
    gt_text text = {0};
    gt_json *root = NULL;
    gt_watch watch;
    gt_watch_sample before, after;
    must(gt_device_detect_at(&d, folder));
    ck_assert_int_ge(d.cpus, 1);
    ck_assert_int_ge(d.n_clusters, 1);
    must(gt_device_json(&text, &d));
    must(gt_json_parse(&root, text.data, text.length, NULL, 0));
    gt_watch_begin(&watch, folder, (int[]){0, 4}, 2, 70);
    gt_watch_read(&before, &watch);
    gt_watch_read(&after, &watch);
    (void)gt_watch_judge(&watch, &before, &after);
    gt_json_destroy(root);
    gt_text_destroy(&text);
}

START_TEST(test_garbage)
{
    static const char *const names[] = {"sm8250", "rk3588", "pi3", "graviton2"};
    gt_rng rng;
    gt_rng_seed(&rng, SEED + (uint64_t)_i);
    printf("garbled %s, seed %d\n", names[_i], SEED + _i);
    for (int round = 0; round < ROUNDS / (int)COUNT(names); round++) {
        if (round % 20 == 0) {
            tree_remove(folder);
            tree_unpack(folder, names[_i]);
            forget_files();
            tree_each(folder, list_file, NULL);
        }
        for (int i = 0; i < 3; i++) {
            spoil(&rng, files[gt_rng_u64(&rng) % (uint64_t)n_files]);
        }
        describe();
    }
    forget_files();
    ck_assert_int_eq(gt_i_live_allocations(), 0);
}
END_TEST

/* One file at a time, so that each is met by each kind of harm while all others are well. */
START_TEST(test_each_file_as_folder)
{
    tree_unpack(folder, "pi5");
    tree_each(folder, list_file, NULL);
    for (int i = 0; i < n_files; i++) {
        char full[512];
        snprintf(full, sizeof full, "%s/%s", folder, files[i]);
        ck_assert_int_eq(unlink(full) | mkdir(full, 0700), 0);
        describe();
        tree_remove(full);
    }
    forget_files();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device boards");
    TCase *tests = tcase_create("boards");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, test_board, 0, (int)COUNT(boards));
    tcase_add_test(tests, test_what_is_hashed);
    tcase_add_test(tests, test_rank_without_capacity);
    tcase_add_test(tests, test_choose_among_allowed);
    tcase_add_test(tests, test_offline_cpus);
    tcase_add_test(tests, test_links);
    tcase_add_test(tests, test_32_bit_arm);
    tcase_add_test(tests, test_core_names);
    tcase_add_test(tests, test_celsius);
    tcase_add_loop_test(tests, test_garbage, 0, 4);
    tcase_add_test(tests, test_each_file_as_folder);
    suite_add_tcase(suite, tests);
    return gt_test_run(suite);
}
