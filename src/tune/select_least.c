/* SPDX-License-Identifier: Apache-2.0 */
/* What must be alive at least: a lower bound on the arena of every schedule whose choices are not yet made.
 *
 * A tensor that does not exist where its reader does its producer's work counts only once that is no more a choice.
 *
 * While op i runs there exist its inputs and its output in the layouts of its choice, and every tensor that a later op
 * reads, in the layouts that all choices of that op ask for; after it, its output in all layouts that are read. Copies are
 * made right behind the producer, so this holds whatever way they are made. Tensors that views may join count once. What may
 * lie inside a concat's output counts together, but not beside that output: as the larger of both. */
#include "src/tune/select_memory_internal.h"

#include <limits.h>
#include <string.h>

#define VALUES GT_MAX_CHOICES

struct sweep {
    const gt_lifetimes *l;
    const uint32_t *allowed;
    int n_active;
    int *active;     /* tensors made before the op at hand that a later op reads */
    gt_tally tally;  /* of what is alive */
    int64_t *forced; /* [op]: of a concat all of whose choices left are in place, the least bytes of its output; otherwise 0 */
    int64_t *before; /* [operand]: scratch of while_running */
};

/* Whether a tensor may not exist at all. */
static bool may_be_inside(const struct sweep *w, int tensor)
{
    const gt_selection *s = w->l->s;
    const int producer = s->graph->tensors[tensor].producer;
    for (int v = 0; producer >= 0 && s->pairs->second[producer] >= 0 && v < s->domains[producer].n; v++) {
        if ((w->allowed[producer] >> v & 1) != 0 && gt_i_role(&s->domains[producer].choice[v]) == GT_ROLE_INSIDE) {
            return true;
        }
    }
    return false;
}

static int64_t form_bytes(const struct sweep *w, int tensor, unsigned layouts)
{
    const gt_lifetimes *l = w->l;
    int64_t bytes = 0;
    if (may_be_inside(w, tensor)) {
        return 0;
    }
    if (l->s->sites[tensor].copies < 0) {
        return l->bytes[tensor * GT_LAYOUT_COUNT];
    }
    for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        bytes += (layouts >> layout & 1) != 0 ? l->bytes[tensor * GT_LAYOUT_COUNT + layout] : 0;
    }
    return bytes;
}

/* The layouts that every choice left of this reader asks for. */
static unsigned asked_always(const struct sweep *w, int slot)
{
    unsigned must = ~0u;
    uint32_t mask = w->allowed[w->l->s->consumer[slot]];
    for (int v = 0; v < VALUES; v++) {
        must &= (mask >> v & 1) != 0 ? w->l->needs[slot * VALUES + v] : ~0u;
    }
    return must;
}

/* The least bytes of a tensor's forms between op `after` and the next one, given that those in `now` exist. */
static int64_t held(const struct sweep *w, int tensor, int after, unsigned now)
{
    const gt_lifetimes *l = w->l;
    const gt_site *site = &l->s->sites[tensor];
    unsigned sure = now | (site->is_output || site->is_input ? 1u << GT_NCHW : 0);
    for (int i = site->first; i < site->last; i++) {
        sure |= l->s->consumer[i] > after ? asked_always(w, i) : 0;
    }
    int64_t most = form_bytes(w, tensor, sure);
    for (int i = site->first; i < site->last; i++) {
        int64_t least = INT64_MAX;
        uint32_t mask = l->s->consumer[i] > after ? w->allowed[l->s->consumer[i]] : 0;
        for (int v = 0; v < VALUES; v++) {
            int64_t bytes = (mask >> v & 1) != 0 ? form_bytes(w, tensor, sure | l->needs[i * VALUES + v]) : INT64_MAX;
            least = bytes < least ? bytes : least;
        }
        most = least != INT64_MAX && least > most ? least : most;
    }
    return most;
}

/* While copies of a tensor made in `from` are made, the first has both forms alive. 0 where none may be needed. */
static int64_t first_copy(const struct sweep *w, int tensor, gt_layout from)
{
    const gt_lifetimes *l = w->l;
    const gt_site *site = &l->s->sites[tensor];
    bool needed = site->is_output && from != GT_NCHW;
    int64_t other = INT64_MAX;
    for (int i = site->first; i < site->last && site->copies >= 0; i++) {
        bool always = true;
        for (int v = 0; v < VALUES; v++) {
            bool left = (w->allowed[l->s->consumer[i]] >> v & 1) != 0;
            always &= !left || (l->needs[i * VALUES + v] & ~(1u << from)) != 0;
        }
        needed |= always;
    }
    if (!needed || site->copies < 0 || may_be_inside(w, tensor)) {
        return 0;
    }
    for (int layout = 0; layout < GT_LAYOUT_COUNT; layout++) {
        int64_t bytes = l->bytes[tensor * GT_LAYOUT_COUNT + layout];
        other = layout != (int)from && bytes < other ? bytes : other;
    }
    return l->bytes[tensor * GT_LAYOUT_COUNT + (int)from] + other;
}

static bool reads(const gt_op *op, int tensor)
{
    for (int i = 0; i < op->n_inputs; i++) {
        if (op->inputs[i] == tensor) {
            return true;
        }
    }
    return false;
}

/* The outputs of concats that are certainly in place exist from when their first input and its copies were made. `made`: by
 * this op or one before. */
static void count_forced(struct sweep *w, int op, int made)
{
    const gt_lifetimes *l = w->l;
    for (int i = op; i < l->s->graph->n_ops; i++) {
        const gt_op *o = &l->s->graph->ops[i];
        int first = INT_MAX;
        for (int k = 0; w->forced[i] > 0 && k < o->n_inputs; k++) {
            first = l->made[o->inputs[k]] < first ? l->made[o->inputs[k]] : first;
        }
        if (first <= made) {
            (void)gt_i_tally_count(&w->tally, o->output, w->forced[i]);
        }
    }
}

/* Everything alive while op runs (`without_inputs`: but for what it reads), or while its output is copied. */
static void count_active(struct sweep *w, int op, int last_at_least, bool without_inputs)
{
    gt_i_tally_reset(&w->tally);
    count_forced(w, last_at_least, last_at_least > op ? op : op - 1);
    for (int i = 0; i < w->n_active; i++) {
        int t = w->active[i];
        if (w->l->last[t] >= last_at_least && !(without_inputs && reads(&w->l->s->graph->ops[op], t))) {
            (void)gt_i_tally_count(&w->tally, t, held(w, t, op, 0));
        }
    }
}

/* What is counted, and the output of an op with this choice. One that is copied has no memory in common with its inputs. */
static int64_t with_output(struct sweep *w, int op, int v)
{
    const gt_choice *choice = &w->l->s->domains[op].choice[v];
    int output = w->l->s->graph->ops[op].output;
    int64_t bytes = form_bytes(w, output, 1u << choice->out);
    bool view = choice->tmpl != NULL && choice->tmpl->view;
    if (!view && gt_i_tally_is_apart(&w->tally, output)) {
        return w->tally.sum + bytes;
    }
    int64_t before = gt_i_tally_count(&w->tally, output, bytes);
    int64_t sum = w->tally.sum;
    gt_i_tally_restore(&w->tally, output, before);
    return sum;
}

/* bytes[v]: alive while op runs with choice v. */
static void while_running(struct sweep *w, int op, int64_t bytes[VALUES])
{
    const gt_selection *s = w->l->s;
    const gt_op *o = &s->graph->ops[op];
    count_active(w, op, op, true);
    for (int v = 0; v < s->domains[op].n; v++) {
        if ((w->allowed[op] >> v & 1) == 0) {
            continue;
        }
        for (int i = 0; i < o->n_inputs; i++) {
            int t = o->inputs[i];
            bool kept = t != GT_NO_TENSOR && s->graph->tensors[t].data == NULL;
            w->before[i] = kept ? gt_i_tally_count(&w->tally, t, held(w, t, op, gt_i_needs(s, op, v, t))) : 0;
        }
        bytes[v] = with_output(w, op, v);
        for (int i = o->n_inputs - 1; i >= 0; i--) {
            if (o->inputs[i] != GT_NO_TENSOR && s->graph->tensors[o->inputs[i]].data == NULL) {
                gt_i_tally_restore(&w->tally, o->inputs[i], w->before[i]);
            }
        }
    }
}

/* The same for the copies of its output. */
static void while_copying(struct sweep *w, int op, int64_t bytes[VALUES])
{
    const gt_selection *s = w->l->s;
    int t = s->graph->ops[op].output;
    count_active(w, op, op + 1, false);
    int64_t kept = held(w, t, op, 0);
    for (int v = 0; v < s->domains[op].n; v++) {
        if ((w->allowed[op] >> v & 1) != 0) {
            int64_t copy = first_copy(w, t, s->domains[op].choice[v].out);
            int64_t before = gt_i_tally_count(&w->tally, t, copy > kept ? copy : kept);
            bytes[v] = w->tally.sum > bytes[v] ? w->tally.sum : bytes[v];
            gt_i_tally_restore(&w->tally, t, before);
        }
    }
}

/* The tensors of the next op join those alive; those that end with this one leave. */
static void advance(struct sweep *w, int op)
{
    int n = 0;
    for (int i = 0; i < w->n_active; i++) {
        if (w->l->last[w->active[i]] > op) {
            w->active[n++] = w->active[i];
        }
    }
    w->n_active = n;
    if (w->l->last[w->l->s->graph->ops[op].output] > op) {
        w->active[w->n_active++] = w->l->s->graph->ops[op].output;
    }
}

static void find_forced(struct sweep *w)
{
    const gt_selection *s = w->l->s;
    for (int i = 0; i < s->graph->n_ops; i++) {
        int64_t least = INT64_MAX;
        for (int v = 0; v < s->domains[i].n; v++) {
            const gt_choice *c = &s->domains[i].choice[v];
            int64_t bytes = gt_i_is_in_place(c) ? form_bytes(w, s->graph->ops[i].output, 1u << c->out) : 0;
            least = (w->allowed[i] >> v & 1) != 0 && bytes < least ? bytes : least;
        }
        w->forced[i] = least != INT64_MAX ? least : 0;
    }
}

static bool prune_once(struct sweep *w, gt_least *least, uint32_t *allowed, int64_t limit)
{
    const gt_selection *s = w->l->s;
    bool changed = false;
    find_forced(w);
    least->bytes = 0;
    w->n_active = s->graph->n_inputs;
    memcpy(w->active, s->graph->inputs, (size_t)s->graph->n_inputs * sizeof *w->active);
    for (int i = 0; i < s->graph->n_ops && least->possible; i++) {
        int64_t bytes[VALUES] = {0};
        int64_t best = INT64_MAX;
        while_running(w, i, bytes);
        while_copying(w, i, bytes);
        for (int v = 0; v < s->domains[i].n; v++) {
            bool left = (allowed[i] >> v & 1) != 0;
            best = left && bytes[v] < best ? bytes[v] : best;
            if (left && bytes[v] > limit) {
                allowed[i] &= ~(1u << v);
                least->next = bytes[v] < least->next ? bytes[v] : least->next;
                changed = true;
            }
        }
        least->bytes = best > least->bytes ? best : least->bytes;
        least->possible = allowed[i] != 0;
        advance(w, i);
    }
    return changed;
}

gt_status gt_i_prune(gt_least *least, const gt_lifetimes *l, uint32_t *allowed, int64_t limit)
{
    gt_status status = GT_OK;
    size_t n = (size_t)l->s->graph->n_tensors;
    struct sweep w = {.l = l, .allowed = allowed};
    GT_TRY(gt_calloc(&w.before, gt_i_most_inputs(l->s->graph), sizeof *w.before));
    GT_TRY(gt_calloc(&w.active, n, sizeof *w.active));
    GT_TRY(gt_i_tally_begin(&w.tally, l));
    GT_TRY(gt_calloc(&w.forced, (size_t)l->s->graph->n_ops, sizeof *w.forced));
    *least = (gt_least){.next = INT64_MAX, .possible = true};
    while (prune_once(&w, least, allowed, limit) && least->possible) {
    }
done:
    gt_free(w.before);
    gt_free(w.forced);
    gt_i_tally_end(&w.tally);
    gt_free(w.active);
    return status;
}

gt_status gt_i_least_arena(int64_t *bytes, const gt_lifetimes *l, const uint32_t *allowed)
{
    gt_status status = GT_OK;
    enum { ROUNDS = 100 };
    size_t n = (size_t)l->s->graph->n_ops;
    uint32_t *masks = NULL;
    gt_least least = {0};
    int64_t limit = 0;
    GT_TRY(gt_calloc(&masks, n, sizeof *masks));
    memcpy(masks, allowed, n * sizeof *masks);
    GT_TRY(gt_i_prune(&least, l, masks, INT64_MAX));
    limit = least.bytes;
    /* Every limit below the least that a removed choice needs removes the same choices. */
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(masks, allowed, n * sizeof *masks);
        GT_TRY(gt_i_prune(&least, l, masks, limit));
        if (least.possible) {
            break;
        }
        limit = least.next;
    }
    *bytes = limit;
done:
    gt_free(masks);
    return status;
}
