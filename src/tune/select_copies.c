/* SPDX-License-Identifier: Apache-2.0 */
/* What copies cost, from the records, and how ties between equally fast schedules are broken. */
#include "src/tune/select_internal.h"

#include <math.h>
#include <string.h>

#define INFINITE GT_CFN_INFINITE
#define L GT_LAYOUT_COUNT

static bool visit_transform(void *context, const gt_record *r)
{
    gt_selection *s = context;
    gt_copies *copies = &s->copies[s->n_copies - 1];
    if (gt_i_usable(s, r) && r->rev == GT_TRANSFORM_REV && r->in != r->out) {
        gt_i_offer_copy(copies, r);
    }
    return true;
}

void gt_i_offer_copy(gt_copies *copies, const gt_record *r)
{
    double ns = round(r->timing.median_ns);
    if (ns < copies->ns[r->in][r->out]) {
        copies->ns[r->in][r->out] = ns;
        copies->record[r->in][r->out] = r;
    }
    copies->source = r->source > copies->source ? r->source : copies->source;
}

static gt_status find_copies(gt_selection *s, int *index, const gt_shape *shape)
{
    gt_status status = GT_OK;
    gt_copies fresh = {.shape = *shape};
    char text[GT_SHAPE_TEXT_BYTES];
    for (*index = 0; *index < s->n_copies; (*index)++) {
        if (gt_shape_equal(&s->copies[*index].shape, shape)) {
            return GT_OK;
        }
    }
    for (int pair = 0; pair < L * L; pair++) {
        fresh.ns[pair / L][pair % L] = pair / L == pair % L ? 0 : HUGE_VAL;
    }
    GT_PUSH(s->copies, s->n_copies, s->copies_capacity, fresh);
    gt_shape_format(text, sizeof text, shape);
    gt_records_each(s->records, GT_RECORD_TRANSFORM, text, visit_transform, s);
    gt_i_complete_copies(s, &s->copies[*index]);
done:
    return status;
}

gt_status gt_i_fill_sites(gt_selection *s)
{
    gt_status status = GT_OK;
    const gt_graph *g = s->graph;
    GT_TRY(gt_calloc(&s->sites, (size_t)g->n_tensors, sizeof *s->sites));
    GT_TRY(gt_graph_consumers(g, &s->first, &s->consumer));
    for (int t = 0; t < g->n_tensors; t++) {
        gt_site *site = &s->sites[t];
        *site = (gt_site){.copies = -1, .first = s->first[t], .last = s->first[t + 1]};
        if (g->tensors[t].data == NULL && g->tensors[t].shape.rank == 4 && g->tensors[t].dtype == GT_F32) {
            GT_TRY(find_copies(s, &site->copies, &g->tensors[t].shape));
        }
    }
    for (int i = 0; i < g->n_inputs; i++) {
        s->sites[g->inputs[i]].is_input = true;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        s->sites[g->outputs[i]].is_output = true;
    }
done:
    return status;
}

/* ---- the unit of costs ---- */

/* A cost in solver units is (ns << scale_bits) + transforms * hop_cost + bytes / byte_unit: one number whose parts
 * never run into each other, because the sum of all that could be chosen together stays below the next part. Sums are
 * then compared lexicographically: time, number of transforms, memory. Memory is what the chosen schedule stores beyond
 * what every schedule must: padding of outputs, and copies. */
#define MIN_SCALE_BITS 22 /* room for the solver's own fractions, where there is */
#define MAX_SCALE_BITS 40
#define MAX_TOTAL_BITS 58 /* half of GT_CFN_MAX_TOTAL */

static int64_t stored_bytes(gt_layout layout, const gt_shape *shape)
{
    return gt_layout_elems(layout, shape) * (int64_t)sizeof(float);
}

/* An op whose reader does its work writes nothing. */
static int64_t written_bytes(const gt_choice *choice, const gt_shape *shape)
{
    return gt_i_role(choice) == GT_ROLE_INSIDE ? 0 : stored_bytes(choice->out, shape);
}

/* Bytes of what a choice writes, beyond the least that any choice of this op does. */
static int64_t padding_bytes(const gt_selection *s, int op, int value)
{
    const gt_domain *domain = &s->domains[op];
    const gt_shape *shape = &s->graph->tensors[s->graph->ops[op].output].shape;
    int64_t least = INT64_MAX;
    if (s->sites[s->graph->ops[op].output].copies < 0) {
        return 0;
    }
    for (int v = 0; v < domain->n; v++) {
        int64_t bytes = written_bytes(&domain->choice[v], shape);
        least = bytes < least ? bytes : least;
    }
    return written_bytes(&domain->choice[value], shape) - least;
}

/* What the digits must hold: the most that can be chosen together. */
struct extent {
    double ns, bytes;
    int64_t transforms, entries; /* entries: figures in bytes that are rounded on their own */
    int64_t common;              /* the greatest common divisor of all of them */
};

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void extend_by_op(const gt_selection *s, int op, struct extent *e)
{
    double ns = 0;
    int64_t bytes = 0;
    for (int v = 0; v < s->domains[op].n; v++) {
        int64_t padding = padding_bytes(s, op, v);
        ns = fmax(ns, s->domains[op].choice[v].ns);
        bytes = padding > bytes ? padding : bytes;
        e->common = common_divisor(e->common, padding);
    }
    e->ns += ns;
    e->bytes += (double)bytes;
    e->entries++;
}

static void extend_by_copies(const gt_copies *c, struct extent *e)
{
    double worst = 0;
    for (int pair = 0; pair < L * L; pair++) {
        double ns = c->ns[pair / L][pair % L];
        worst = ns != HUGE_VAL ? fmax(worst, ns) : worst;
    }
    for (int layout = 0; layout < L; layout++) {
        e->bytes += (double)stored_bytes((gt_layout)layout, &c->shape);
        e->common = common_divisor(e->common, stored_bytes((gt_layout)layout, &c->shape));
    }
    e->ns += worst * (L - 1);
    e->transforms += L - 1;
    e->entries += L;
}

/* The number of bits that `count` things take. */
static int bits_of(double count)
{
    int bits = 0;
    while (ldexp(1, bits) <= count) {
        bits++;
    }
    return bits;
}

static void choose_scale(gt_selection *s)
{
    struct extent e = {.ns = 1};
    for (int i = 0; i < s->graph->n_ops; i++) {
        extend_by_op(s, i, &e);
    }
    for (int t = 0; t < s->graph->n_tensors; t++) {
        if (s->sites[t].copies >= 0) {
            extend_by_copies(&s->copies[s->sites[t].copies], &e);
        }
    }
    int room = MAX_TOTAL_BITS - bits_of(e.ns);
    int hop_bits = bits_of((double)e.transforms);
    room = room < 0 ? 0 : room > MAX_SCALE_BITS ? MAX_SCALE_BITS : room;
    s->scale_bits = room < MIN_SCALE_BITS ? room : MIN_SCALE_BITS;
    if (room < hop_bits) {
        return; /* a network of hours: its ties are not broken */
    }
    double unit = e.common > 0 ? (double)e.common : 1;
    int byte_bits = bits_of(e.bytes / unit);
    while (byte_bits > room - hop_bits && byte_bits > 0) {
        unit *= 2; /* a coarser unit: sizes that differ by less than it may count as equal */
        byte_bits = bits_of(e.bytes / unit + (double)e.entries);
        if (bits_of((double)e.entries) > room - hop_bits) {
            byte_bits = 0;
        }
    }
    s->byte_unit = byte_bits > 0 ? (int64_t)unit : 0;
    s->scale_bits = hop_bits + byte_bits > s->scale_bits ? hop_bits + byte_bits : s->scale_bits;
    s->hop_cost = (int64_t)1 << (s->scale_bits - hop_bits);
}

static int64_t byte_cost(const gt_selection *s, int64_t bytes)
{
    return s->byte_unit > 0 ? (bytes + s->byte_unit - 1) / s->byte_unit : 0;
}

int64_t gt_i_choice_units(const gt_selection *s, const gt_choice *choice)
{
    return ((int64_t)choice->ns << s->scale_bits) + choice->tie;
}

static int64_t transform_cost(const gt_selection *s, const gt_copies *copies, int to, double ns)
{
    int64_t bytes = stored_bytes((gt_layout)to, &copies->shape);
    return ns == HUGE_VAL ? INFINITE : ((int64_t)ns << s->scale_bits) + s->hop_cost + byte_cost(s, bytes);
}

/* ---- sets of layouts ---- */

static int64_t add(int64_t a, int64_t b)
{
    return a == INFINITE || b == INFINITE ? INFINITE : a + b;
}

/* make[a][S]: the cheapest arborescence that spans S from a. Adding layouts in the order of their depth, the last
 * one hangs below any other, so make[a][S] = min over b of make[a][S - b] + min over m in S - b of cost[m][b]. */
static void fill_make(gt_copies *c)
{
    for (int a = 0; a < L; a++) {
        for (unsigned set = 0; set < GT_MASKS; set++) {
            c->make[a][set] = set == 1u << a ? 0 : INFINITE;
            for (int b = 0; (set >> a & 1) != 0 && b < L; b++) {
                unsigned rest = set & ~(1u << b);
                int64_t hang = INFINITE;
                for (int m = 0; b != a && rest != set && m < L; m++) {
                    bool cheaper = (rest >> m & 1) != 0 && c->cost[m][b] < hang;
                    hang = cheaper ? c->cost[m][b] : hang;
                }
                int64_t total = add(c->make[a][rest], hang);
                c->make[a][set] = b != a && total < c->make[a][set] ? total : c->make[a][set];
            }
        }
    }
}

static void fill_cover(gt_copies *c)
{
    for (int a = 0; a < L; a++) {
        for (unsigned need = 0; need < GT_MASKS; need++) {
            c->cover[a][need] = INFINITE;
            for (unsigned set = 0; set < GT_MASKS; set++) {
                if ((set & need) == need && c->make[a][set] < c->cover[a][need]) {
                    c->cover[a][need] = c->make[a][set];
                    c->cover_with[a][need] = (uint8_t)set;
                }
            }
        }
    }
}

void gt_i_price(gt_selection *s)
{
    choose_scale(s);
    for (int i = 0; i < s->graph->n_ops; i++) {
        for (int v = 0; v < s->domains[i].n; v++) {
            s->domains[i].choice[v].tie = byte_cost(s, padding_bytes(s, i, v));
        }
    }
    for (int i = 0; i < s->n_copies; i++) {
        gt_copies *c = &s->copies[i];
        for (int pair = 0; pair < L * L; pair++) {
            int a = pair / L;
            int b = pair % L;
            c->cost[a][b] = a == b ? 0 : transform_cost(s, c, b, c->ns[a][b]);
        }
        fill_make(c);
        fill_cover(c);
    }
}
