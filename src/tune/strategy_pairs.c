/* SPDX-License-Identifier: Apache-2.0 */
/* What could still change the network: a layout pair matters as far as it beats every other pair with copies around it. */
#include "src/tune/strategy_internal.h"

#include <math.h>

static double transform_ns(const gt_strategy *s, const gt_shape *shape, gt_layout from, gt_layout to)
{
    if (from == to) {
        return 0;
    }
    for (int i = 0; i < s->tasks->n_shapes; i++) {
        if (gt_shape_equal(&s->tasks->shapes[i], shape)) {
            return s->transform_ns[(i * GT_LAYOUT_COUNT + (int)from) * GT_LAYOUT_COUNT + (int)to];
        }
    }
    return INFINITY;
}

/* The time of pair `by`, and of copying every input there and the output back: no schedule needs `pair` to be slower. */
static double detour_ns(const gt_strategy *s, const gt_i_pair *pair, const gt_i_pair *by)
{
    const gt_workload *w = s->tasks->tasks[pair->task].workload;
    double sum = by->best_ns + transform_ns(s, &w->output.shape, by->out, pair->out);
    for (int i = 0; i < w->n_inputs && isfinite(sum); i++) {
        const gt_operand *operand = &w->inputs[i];
        if (operand->present && !operand->constant) {
            sum += transform_ns(s, &operand->shape, gt_template_input_layout(w, pair->in, pair->out, i),
                                gt_template_input_layout(w, by->in, by->out, i));
        }
    }
    return sum;
}

static void update_pair(gt_strategy *s, gt_i_pair *pair)
{
    pair->target_ns = pair->best_ns;
    for (int64_t i = 0; i < s->n_pairs; i++) {
        if (s->pairs[i].task == pair->task && isfinite(s->pairs[i].best_ns)) {
            pair->target_ns = fmin(pair->target_ns, detour_ns(s, pair, &s->pairs[i]));
        }
    }
}

void gt_i_pairs_update(gt_strategy *s, int task)
{
    for (int64_t i = 0; i < s->n_pairs; i++) {
        if (task < 0 || s->pairs[i].task == task) {
            update_pair(s, &s->pairs[i]);
        }
    }
}

double gt_i_network_ns(const gt_strategy *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n_pairs;) {
        int task = s->pairs[i].task;
        double best = INFINITY;
        for (; i < s->n_pairs && s->pairs[i].task == task; i++) {
            best = fmin(best, s->pairs[i].best_ns);
        }
        sum += isfinite(best) ? best * s->tasks->tasks[task].uses : 0;
    }
    return sum;
}
