/* SPDX-License-Identifier: Apache-2.0 */
/* Generated networks of known architectures against toulbar2. */
#include "benchmarks/solver_measure.h"
#include "benchmarks/solver_parts.h"
#include "benchmarks/solver_race.h"
#include "src/import/cfn_file.h"
#include "tests/solve_networks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_SEEDS 100

struct family {
    const char *name;
    gt_test_model model;
    int32_t size;
};

static const struct family families[] = {
    {"resnet50", GT_TEST_RESNET, 16},
    {"densenet121", GT_TEST_DENSENET, 16},
    {"hrnet", GT_TEST_HRNET, 16},
    {"nasnet", GT_TEST_NASNET, 12},
};
#define FAMILIES ((int)(sizeof families / sizeof families[0]))

static const float ratios[] = {0.1F, 0.5F, 1.0F, 2.0F};
#define RATIOS ((int)(sizeof ratios / sizeof ratios[0]))

/* gen_cfn.py of GT_SHARED_DIR, or NULL. */
static const char *script(char *path, size_t bytes)
{
    const char *folder = getenv("GT_SHARED_DIR");
    snprintf(path, bytes, "%s/solver/gen_cfn.py", folder != NULL ? folder : "");
    return folder != NULL && access(path, R_OK) == 0 ? path : NULL;
}

static gt_cfn *run_script(const char *generator, const struct family *f, int layouts, int seed, float ratio)
{
    char folder[] = "/tmp/graphtune-solver-XXXXXX";
    char command[1024], path[256];
    gt_cfn_file *file = NULL;
    if (mkdtemp(folder) == NULL) {
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s.cfn", folder, f->name);
    snprintf(command, sizeof command, "cd '%s' && python3 '%s' %s %d %d %g >/dev/null", folder, generator, f->name, layouts,
             seed, (double)ratio);
    bool made = system(command) == 0;
    if (made) {
        lp_must(gt_cfn_file_read(&file, path));
    }
    unlink(path);
    rmdir(folder);
    gt_cfn *cfn = made ? file->cfn : NULL;
    if (made) {
        file->cfn = NULL;
    }
    gt_cfn_file_destroy(file);
    return cfn;
}

static gt_cfn *make(const char *generator, const struct family *f, int layouts, int seed, float ratio)
{
    gt_cfn *cfn = NULL;
    gt_rng rng;
    if (generator != NULL) {
        return run_script(generator, f, layouts, seed, ratio);
    }
    gt_rng_seed(&rng, (uint64_t)seed);
    lp_must(gt_test_model_network(&cfn, &rng, f->model, layouts, f->size, ratio));
    return cfn;
}

struct sums {
    int n, wrong, unchecked, width;
    double ours[MAX_SEEDS], theirs[MAX_SEEDS], ratio[MAX_SEEDS], least;
};

static void run_one(struct sums *s, const gt_cfn *cfn, const char *name, const bn_options *o)
{
    rc_times t = {0};
    rc_race(&t, cfn, o->repeats, o->limit_s);
    bool correct = t.result.optimal && (!t.answer.proved || t.answer.cost == t.result.cost);
    s->width = t.result.width > s->width ? t.result.width : s->width;
    s->wrong += !correct;
    if (!correct) {
        tb_keep(cfn, name);
    }
    if (t.answer.proved) {
        s->ours[s->n] = t.ms;
        s->theirs[s->n] = t.theirs;
        s->ratio[s->n] = t.theirs / t.ms;
        s->least = s->n == 0 || s->ratio[s->n] < s->least ? s->ratio[s->n] : s->least;
        s->n++;
    } else {
        s->unchecked++;
    }
    rc_clear(&t);
}

static void report(rp_report *r, struct sums *s)
{
    rp_int(r, s->n);
    rp_int(r, s->width);
    if (s->n > 0) {
        double ratio = ms_median(s->ratio, s->n);
        rp_number(r, ms_median(s->ours, s->n), 3);
        rp_number(r, ms_median(s->theirs, s->n), 3);
        rp_number(r, ratio, 1);
        rp_number(r, s->least, 1);
        rp_target(r, s->least >= 1 && (s->width > 6 || ratio >= 10));
    } else {
        for (int i = 0; i < 5; i++) {
            rp_none(r);
        }
    }
    if (s->unchecked > 0 && s->wrong == 0) {
        rp_unchecked(r, s->unchecked);
    } else {
        rp_check(r, s->wrong == 0);
    }
    rp_end(r);
}

static void run_group(rp_report *r, const char *generator, const struct family *f, int layouts, float ratio,
                      const bn_options *o)
{
    struct sums s = {0};
    char name[96];
    for (int seed = 1; seed <= o->seeds && seed <= MAX_SEEDS; seed++) {
        gt_cfn *cfn = make(generator, f, layouts, seed, ratio);
        snprintf(name, sizeof name, "%s-%s-%d-%d-%g", generator != NULL ? "script" : "built", f->name, layouts, seed,
                 (double)ratio);
        if (cfn != NULL) {
            run_one(&s, cfn, name, o);
        } else {
            s.unchecked++;
        }
        gt_cfn_destroy(cfn);
    }
    rp_text(r, f->name);
    rp_text(r, generator != NULL ? "script" : "built");
    rp_int(r, layouts);
    rp_number(r, (double)ratio, 1);
    report(r, &s);
}

void bn_generated(rp_report *r, const bn_options *o)
{
    char path[512];
    const char *const generators[] = {NULL, o->quick ? NULL : script(path, sizeof path)};
    rp_table(r, "generated",
             "generated networks (built: tests/solve_networks.c; script: gen_cfn.py of GT_SHARED_DIR) against toulbar2; median "
             "over seeds of the median CPU ms; fast: never slower, and >= 10 times as fast where width <= 6",
             "network____ ___from layouts copies compared width _______ms toulbar2 _ratio _least fast __correct");
    for (int source = 0; source < (generators[1] != NULL ? 2 : 1); source++) {
        for (int family = 0; family < (o->quick ? 1 : FAMILIES); family++) {
            for (int layouts = o->quick ? 5 : 4; layouts <= 5; layouts++) {
                for (int i = 0; i < (o->quick ? 1 : RATIOS); i++) {
                    run_group(r, generators[source], &families[family], layouts, ratios[i], o);
                }
            }
        }
    }
}
