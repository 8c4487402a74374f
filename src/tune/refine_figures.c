/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tune/refine_figures.h"

#include <math.h>
#include <string.h>

gt_status gt_i_figures_begin(gt_figures *figures, gt_records *records)
{
    gt_status status = GT_OK;
    gt_figures f = {.mixed = records};
    GT_TRY(gt_records_create(&f.isolated));
    GT_TRY(gt_records_create(&f.seen));
    for (int64_t i = 0; i < gt_records_count(records); i++) {
        GT_TRY(gt_records_add(f.isolated, gt_records_at(records, i)));
    }
    *figures = f;
    f = (gt_figures){0};
done:
    gt_i_figures_end(&f);
    return status;
}

void gt_i_figures_end(gt_figures *figures)
{
    gt_records_destroy(figures->isolated);
    gt_records_destroy(figures->seen);
    *figures = (gt_figures){0};
}

static const gt_record *find_in(const gt_records *records, const gt_record *r)
{
    return gt_records_find(records, r->kind, r->device, r->threads, r->workload, r->in, r->out, r->template_name, r->config);
}

/* How much longer a workload's candidates take in the network than alone: the mean over those measured in both ways. */
struct drift {
    gt_figures *figures;
    const gt_record *like; /* device and threads to look at */
    double log_sum;
    int n;
    double factor;
    gt_status status;
};

static bool comparable(const struct drift *d, const gt_record *r)
{
    return r->status == GT_RECORD_OK && r->timing.median_ns > 0 && r->threads == d->like->threads &&
           strcmp(r->device, d->like->device) == 0;
}

static bool add_drift(void *context, const gt_record *isolated)
{
    struct drift *d = context;
    const gt_record *seen = comparable(d, isolated) ? find_in(d->figures->seen, isolated) : NULL;
    if (seen != NULL && seen->timing.median_ns > 0) {
        d->log_sum += log(seen->timing.median_ns / isolated->timing.median_ns);
        d->n++;
    }
    return true;
}

static bool apply_drift(void *context, const gt_record *isolated)
{
    struct drift *d = context;
    if (comparable(d, isolated) && find_in(d->figures->seen, isolated) == NULL) {
        gt_record r = *isolated;
        r.timing.median_ns *= d->factor;
        d->status = gt_records_add(d->figures->mixed, &r);
    }
    return d->status == GT_OK;
}

/* What the network does to a candidate (cold weights, a producer's output in another cache) it does to its
 * alternatives too. Without this every alternative that nobody has tried in the network looks better than it is, and
 * the rounds would go through all of them. */
static gt_status drift_alternatives(gt_figures *f, const gt_record *measured)
{
    struct drift d = {.figures = f, .like = measured, .factor = 1};
    gt_records_each(f->isolated, measured->kind, measured->workload, add_drift, &d);
    if (d.n > 0) {
        d.factor = exp(d.log_sum / d.n);
        gt_records_each(f->isolated, measured->kind, measured->workload, apply_drift, &d);
    }
    return d.status;
}

bool gt_i_figures_have(const gt_figures *figures, const gt_record *candidate)
{
    return find_in(figures->seen, candidate) != NULL;
}

gt_status gt_i_figures_add(gt_figures *figures, const gt_record *measured)
{
    gt_status status = GT_OK;
    GT_TRY(gt_records_add(figures->seen, measured));
    GT_TRY(gt_records_add(figures->mixed, measured));
    GT_TRY(drift_alternatives(figures, measured));
done:
    return status;
}

gt_status gt_i_figures_scale(gt_figures *figures, double factor)
{
    gt_status status = GT_OK;
    gt_record r = {0};
    for (int64_t i = 0; i < gt_records_count(figures->seen); i++) {
        GT_TRY(gt_record_copy(&r, gt_records_at(figures->seen, i)));
        r.timing.median_ns *= factor;
        r.timing.min_ns *= factor;
        r.timing.lo_ns *= factor;
        r.timing.hi_ns *= factor;
        GT_TRY(gt_i_figures_add(figures, &r));
        gt_record_clear(&r);
    }
done:
    gt_record_clear(&r);
    return status;
}

gt_status gt_i_figures_store(const gt_figures *figures, gt_plan *plan)
{
    gt_status status = GT_OK;
    gt_plan_selection *s = plan->selection;
    int64_t n = gt_records_count(figures->seen);
    GT_TRY(gt_calloc(&s->refined, (size_t)n, sizeof *s->refined));
    s->is_refined = true;
    for (; s->n_refined < n; s->n_refined++) {
        GT_TRY(gt_record_copy(&s->refined[s->n_refined], gt_records_at(figures->seen, s->n_refined)));
    }
done:
    return status;
}

gt_status gt_figures_restore(gt_records *records, const gt_plan *plan)
{
    gt_status status = GT_OK;
    gt_figures f = {0};
    const gt_plan_selection *s = plan->selection;
    if (s == NULL || !s->is_refined) {
        return GT_OK;
    }
    GT_TRY(gt_i_figures_begin(&f, records));
    for (int i = 0; i < s->n_refined; i++) {
        const gt_record *r = &s->refined[i];
        const gt_record *isolated = find_in(f.isolated, r);
        GT_REQUIRE(isolated != NULL && isolated->status == GT_RECORD_OK && isolated->rev == r->rev, GT_ERROR_MISMATCH,
                   "plan: selection.refined[%d]: the records have no %s %s, %s to %s, template \"%s\", rev %d, config \"%s\"",
                   i, gt_record_kind_name(r->kind), r->workload, gt_layout_name(r->in), gt_layout_name(r->out),
                   r->template_name, r->rev, r->config);
        GT_TRY(gt_i_figures_add(&f, r));
    }
done:
    gt_i_figures_end(&f);
    return status;
}
