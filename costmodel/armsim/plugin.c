/* SPDX-License-Identifier: Apache-2.0 */
/*
 * armsim - a deterministic performance counter for AArch64 user programs,
 * as a QEMU TCG plugin (plugin API version 1, qemu-user >= 6).
 *
 * It counts executed instructions by class, replays every data access through
 * a two-level LRU cache, and adds the two up into "model cycles":
 *
 *   cycles = sum over executed blocks of
 *              max(instructions/issue, simd/simd_ports, loads/load_ports, stores)
 *          + L1 misses * l1_penalty + L2 misses * l2_penalty
 *
 * This is a throughput bound with miss costs, not a pipeline simulation: use it
 * for ratios between two programs that do the same work, never as a time.
 * The same binary with the same input always gives the same figures.
 *
 * A program can count a part of itself with marks, hints that do nothing on a real
 * core: `hint #114` empties the caches, `hint #112` begins the part, and `hint #113`
 * ends it and prints its line. A program that has used marks prints no line at its end.
 *
 * Options (name=value, comma separated after the plugin's file name):
 *   model=a53|a72|a76   issue width, ports, caches, penalties (default a72)
 *   cache=on|off        off leaves the cache terms out and runs ~10x faster
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the part of the plugin API that is used (QEMU ships no header in Debian) */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint32_t qemu_plugin_meminfo_t;
typedef struct {
    const char *target_name;
    struct { int min, cur; } version;
    bool system_emulation;
    union { struct { int smp_vcpus, max_vcpus; } system; };
} qemu_info_t;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };
#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, enum qemu_plugin_op, void *, uint64_t);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                      void (*)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *),
                                      enum qemu_plugin_cb_flags, enum qemu_plugin_mem_rw, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *),
                                            enum qemu_plugin_cb_flags, void *);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);

/* ---- core models: figures from the public optimisation guides, rounded */
typedef struct {
    const char *name;
    unsigned issue, simd_ports, load_ports, store_ports;
    unsigned l1_kib, l1_ways, l2_kib, l2_ways;
    unsigned l1_penalty, l2_penalty; /* effective cycles, prefetching allowed for */
} core_model;
static const core_model models[] = {
    {"a53", 2, 1, 1, 1, 32, 4, 512, 16, 10, 80},
    {"a72", 3, 1, 1, 1, 32, 2, 1024, 16, 6, 60},
    {"a76", 4, 2, 2, 2, 64, 4, 512, 8, 5, 60},
};
static const core_model *model = &models[1];
static bool cache_on = true;

enum { TICKS = 12 }; /* block cycles are added in twelfths of a cycle */
static uint64_t n_total, n_fmla, n_simd, n_load, n_store, block_ticks;

/* ---- caches: 64-byte lines, LRU by shifting */
typedef struct { unsigned sets, ways; uint64_t *tag; uint64_t miss, access; } cache_t;
static cache_t l1, l2;

static void cache_empty(cache_t *c)
{
    memset(c->tag, 0xff, sizeof(uint64_t) * c->sets * c->ways);
}

static void cache_init(cache_t *c, unsigned kib, unsigned ways)
{
    c->ways = ways;
    c->sets = kib * 1024u / 64u / ways;
    c->tag = malloc(sizeof(uint64_t) * c->sets * ways);
    cache_empty(c);
}

static bool cache_touch(cache_t *c, uint64_t line)
{
    uint64_t *set = c->tag + (line % c->sets) * c->ways;
    c->access++;
    if (set[0] == line) return true;
    for (unsigned w = 1; w < c->ways; w++)
        if (set[w] == line) {
            memmove(set + 1, set, w * sizeof *set);
            set[0] = line;
            return true;
        }
    memmove(set + 1, set, (c->ways - 1) * sizeof *set);
    set[0] = line;
    c->miss++;
    return false;
}

static void on_mem(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *u)
{
    (void)cpu; (void)u;
    uint64_t first = vaddr >> 6, last = (vaddr + (1u << qemu_plugin_mem_size_shift(info)) - 1) >> 6;
    for (uint64_t line = first; line <= last; line++)
        if (!cache_touch(&l1, line)) cache_touch(&l2, line);
}

/* ---- AArch64 classes, from the encoding groups of the Arm ARM */
static bool is_fmla(uint32_t w)
{
    return (w & 0xBFA0FC00) == 0x0E20CC00    /* FMLA vector, single/double */
        || (w & 0xBFE0FC00) == 0x0E400C00    /* FMLA vector, half */
        || (w & 0xBF80F400) == 0x0F801000    /* FMLA by element, single/double */
        || (w & 0xBFC0F400) == 0x0F001000    /* FMLA by element, half */
        || (w & 0xBF20FC00) == 0x0E009400    /* SDOT/UDOT vector */
        || (w & 0xBF00F400) == 0x0F00E000    /* SDOT/UDOT by element */
        || (w & 0xFF208000) == 0x1F000000;   /* FMADD scalar */
}
static bool is_ldst(uint32_t w) { return (w & 0x0A000000) == 0x08000000; }
static bool is_load(uint32_t w)
{
    if (!is_ldst(w)) return false;
    if ((w & 0x3B000000) == 0x18000000) return true;               /* literal */
    if ((w & 0x3A000000) == 0x28000000) return (w >> 22) & 1;      /* pair */
    if ((w & 0x3A000000) == 0x38000000) {                          /* register forms */
        unsigned opc = (w >> 22) & 3;
        bool v = (w >> 26) & 1;
        return v ? (opc & 1) : opc != 0;
    }
    return (w >> 22) & 1;                                          /* SIMD structures, exclusive */
}
static bool is_simd(uint32_t w) { return (w & 0x0E000000) == 0x0E000000; }

/* ---- what is printed */
typedef struct { uint64_t ticks, total, fmla, simd, load, store, l1_access, l1_miss, l2_miss; } counts_t;
static counts_t part_begin; /* all zero: the whole program */
static bool has_marks;

static counts_t counts_now(void)
{
    return (counts_t){block_ticks, n_total, n_fmla, n_simd, n_load, n_store, l1.access, l1.miss, l2.miss};
}

static void print_counts(const counts_t *a, const counts_t *b)
{
    uint64_t issue = (b->ticks - a->ticks) / TICKS, l1_miss = b->l1_miss - a->l1_miss, l2_miss = b->l2_miss - a->l2_miss;
    uint64_t cycles = issue + l1_miss * model->l1_penalty + l2_miss * model->l2_penalty;
    const char *out = getenv("ARMSIM_OUT");
    FILE *f = out ? fopen(out, "a") : stderr;
    if (!f) f = stderr;
    fprintf(f, "{\"model\":\"%s\",\"cycles\":%" PRIu64 ",\"issue_cycles\":%" PRIu64 ",\"instructions\":%" PRIu64
               ",\"fmla\":%" PRIu64 ",\"simd\":%" PRIu64 ",\"loads\":%" PRIu64 ",\"stores\":%" PRIu64
               ",\"l1_access\":%" PRIu64 ",\"l1_miss\":%" PRIu64 ",\"l2_miss\":%" PRIu64 "}\n",
            model->name, cycles, issue, b->total - a->total, b->fmla - a->fmla, b->simd - a->simd, b->load - a->load,
            b->store - a->store, b->l1_access - a->l1_access, l1_miss, l2_miss);
    if (f != stderr) fclose(f);
}

/* ---- marks: a block's counts are added before its first instruction is executed */
enum { MARK_BEGIN = 112, MARK_END, MARK_EMPTY };

static void on_mark(unsigned cpu, void *mark)
{
    (void)cpu;
    counts_t now = counts_now();
    has_marks = true;
    switch ((uintptr_t)mark) {
    case MARK_BEGIN: part_begin = now; break;
    case MARK_END: print_counts(&part_begin, &now); break;
    default: cache_empty(&l1); cache_empty(&l2); break;
    }
}

static uintptr_t mark_of(uint32_t w)
{
    uint32_t number = (w >> 5) & 127;
    return (w & 0xFFFFF01F) == 0xD503201F && number >= MARK_BEGIN && number <= MARK_EMPTY ? number : 0;
}

static void on_end(qemu_plugin_id_t id, void *u)
{
    (void)id; (void)u;
    counts_t begin = {0}, now = counts_now();
    if (!has_marks) print_counts(&begin, &now);
}

static void on_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    uint64_t fmla = 0, simd = 0, load = 0, store = 0;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint32_t w;
        memcpy(&w, qemu_plugin_insn_data(insn), sizeof w);
        uintptr_t mark = mark_of(w);
        if (mark) qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, (void *)mark);
        fmla += is_fmla(w);
        simd += is_simd(w);
        if (is_ldst(w)) {
            if (is_load(w)) load++; else store++;
            if (cache_on)
                qemu_plugin_register_vcpu_mem_cb(insn, on_mem, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
        }
    }
    uint64_t t = TICKS * n / model->issue, x;
    if ((x = TICKS * simd / model->simd_ports) > t) t = x;
    if ((x = TICKS * load / model->load_ports) > t) t = x;
    if ((x = TICKS * store / model->store_ports) > t) t = x;
#define ADD(var, val) if (val) qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &(var), (val))
    ADD(n_total, n); ADD(n_fmla, fmla); ADD(n_simd, simd); ADD(n_load, load); ADD(n_store, store); ADD(block_ticks, t);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "model=", 6)) {
            const core_model *m = NULL;
            for (size_t k = 0; k < sizeof models / sizeof *models; k++)
                if (!strcmp(models[k].name, argv[i] + 6)) m = &models[k];
            if (!m) { fprintf(stderr, "armsim: no model '%s' (a53, a72, a76)\n", argv[i] + 6); return -1; }
            model = m;
        } else if (!strcmp(argv[i], "cache=off")) cache_on = false;
        else if (!strcmp(argv[i], "cache=on")) cache_on = true;
        else { fprintf(stderr, "armsim: unknown option '%s'\n", argv[i]); return -1; }
    }
    cache_init(&l1, model->l1_kib, model->l1_ways);
    cache_init(&l2, model->l2_kib, model->l2_ways);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
