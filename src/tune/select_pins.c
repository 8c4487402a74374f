/* SPDX-License-Identifier: Apache-2.0 */
/* Pins and forbids: what the user says of single ops, "NODE=LAYOUT[/TEMPLATE]". */
#include "src/tune/select_internal.h"

#include <fnmatch.h>
#include <string.h>

#define NEAREST 3

typedef struct gt_rule {
    const char *text; /* borrowed */
    bool is_pin, is_pattern;
    char *node;
    gt_layout in, out;
    const char *template_name; /* in `text`; NULL: any */
} gt_rule;

struct gt_rules {
    int n;
    gt_rule *rules;
};

static const char *option_of(const gt_rule *rule)
{
    return rule->is_pin ? "--pin" : "--forbid";
}

/* ---- parsing ---- */

static gt_status parse_layout(gt_layout *layout, const char *text, size_t length, const gt_rule *rule)
{
    gt_status status = GT_OK;
    gt_text names = {0};
    char name[16] = "";
    if (length < sizeof name) {
        memcpy(name, text, length);
    }
    *layout = gt_layout_find(name);
    for (int i = 0; i < GT_LAYOUT_COUNT; i++) {
        GT_TRY(gt_text_append(&names, "%s%s", i > 0 ? ", " : "", gt_layout_name((gt_layout)i)));
    }
    GT_REQUIRE(*layout != GT_LAYOUT_COUNT, GT_ERROR_ARGUMENT, "%s %s: layout \"%.*s\" is unknown; there are %s",
               option_of(rule), rule->text, (int)length, text, names.data);
done:
    gt_text_destroy(&names);
    return status;
}

static gt_status parse_template(gt_rule *rule, const char *name)
{
    gt_status status = GT_OK;
    gt_text near = {0};
    int least = 4;
    rule->template_name = name;
    if (gt_template_find(name) != NULL || gt_record_is_foreign_template(name)) {
        return GT_OK;
    }
    for (size_t i = 0; i < gt_template_count(); i++) {
        int distance = gt_text_distance(name, gt_template_at(i)->name);
        if (distance < least) {
            least = distance;
            gt_text_destroy(&near);
            GT_TRY(gt_text_append(&near, "; did you mean %s?", gt_template_at(i)->name));
        }
    }
    status = gt_fail(GT_ERROR_ARGUMENT, "%s %s: template \"%s\" is unknown%s", option_of(rule), rule->text, name,
                     near.data != NULL ? near.data : "; `graphtune records list` shows what was measured");
done:
    gt_text_destroy(&near);
    return status;
}

/* Node names may hold '=', '/' and '-': what stands behind the last '=' holds no further one. */
static gt_status parse_rule(gt_rule *rule, const char *text, bool is_pin)
{
    gt_status status = GT_OK;
    rule->text = text;
    rule->is_pin = is_pin;
    const char *equals = strrchr(text, '=');
    GT_REQUIRE(equals != NULL && equals > text && equals[1] != '\0', GT_ERROR_ARGUMENT,
               "%s %s: NODE=LAYOUT or NODE=IN->OUT is needed, with /TEMPLATE behind it if it is to be a certain one",
               option_of(rule), text);
    GT_TRY(gt_calloc(&rule->node, (size_t)(equals - text) + 1, 1));
    memcpy(rule->node, text, (size_t)(equals - text));
    const char *slash = strchr(equals, '/');
    const char *end = slash != NULL ? slash : equals + strlen(equals);
    const char *arrow = strstr(equals, "->");
    bool has_arrow = arrow != NULL && arrow < end;
    GT_TRY(parse_layout(&rule->in, equals + 1, (size_t)((has_arrow ? arrow : end) - equals - 1), rule));
    rule->out = rule->in;
    if (has_arrow) {
        GT_TRY(parse_layout(&rule->out, arrow + 2, (size_t)(end - arrow - 2), rule));
    }
    if (slash != NULL) {
        GT_TRY(parse_template(rule, slash + 1));
    }
done:
    return status;
}

/* ---- checking ---- */

static bool concerns(const gt_rule *rule, const char *node)
{
    return rule->is_pattern ? fnmatch(rule->node, node, 0) == 0 : strcmp(rule->node, node) == 0;
}

/* How far a name is from what was asked for; one that holds it is nearer than any that does not. */
static int farness(const char *asked, const char *name)
{
    return strstr(name, asked) != NULL ? 0 : 1 + gt_text_distance(asked, name);
}

/* The names that are nearest to a misspelt one, nearest first. */
static gt_status fail_unknown(const gt_rule *rule, const gt_graph *graph)
{
    gt_status status = GT_OK;
    gt_text near = {0};
    int best[NEAREST];
    int n = 0;
    for (int i = 0; i < graph->n_ops; i++) {
        int at = n;
        while (at > 0 && farness(rule->node, graph->ops[i].name) < farness(rule->node, graph->ops[best[at - 1]].name)) {
            at--;
        }
        n = n < NEAREST ? n + 1 : n;
        for (int k = n - 1; k > at; k--) {
            best[k] = best[k - 1];
        }
        if (at < n) {
            best[at] = i;
        }
    }
    for (int k = 0; k < n; k++) {
        GT_TRY(gt_text_append(&near, "%s\"%s\"", k > 0 ? ", " : "", graph->ops[best[k]].name));
    }
    status = gt_fail(GT_ERROR_ARGUMENT, "%s %s: the network has no op \"%s\" after fusion%s%s", option_of(rule), rule->text,
                     rule->node, n > 0 ? "; the nearest are " : "", n > 0 ? near.data : "");
done:
    gt_text_destroy(&near);
    return status;
}

/* An op whose name is the text itself comes before all that match it as a pattern. */
static gt_status check_node(gt_rule *rule, const gt_graph *graph)
{
    bool wild = strpbrk(rule->node, "*?") != NULL;
    for (int pass = 0; pass < (wild ? 2 : 1); pass++) {
        rule->is_pattern = pass == 1;
        for (int i = 0; i < graph->n_ops; i++) {
            if (concerns(rule, graph->ops[i].name)) {
                return GT_OK;
            }
        }
    }
    return fail_unknown(rule, graph);
}

static bool same_template(const gt_rule *a, const gt_rule *b)
{
    return strcmp(a->template_name, b->template_name) == 0;
}

/* Whether no candidate can satisfy a pin and another rule. */
static bool contradicts(const gt_rule *pin, const gt_rule *other)
{
    bool same_layouts = pin->in == other->in && pin->out == other->out;
    if (other->is_pin) {
        return !same_layouts || (pin->template_name != NULL && other->template_name != NULL && !same_template(pin, other));
    }
    return same_layouts && (other->template_name == NULL || (pin->template_name != NULL && same_template(pin, other)));
}

static gt_status check_pair(const gt_rule *pin, const gt_rule *other, const gt_graph *graph)
{
    for (int i = 0; pin->is_pin && contradicts(pin, other) && i < graph->n_ops; i++) {
        if (concerns(pin, graph->ops[i].name) && concerns(other, graph->ops[i].name)) {
            return gt_fail(GT_ERROR_ARGUMENT, "%s %s and %s %s contradict each other for op \"%s\"", option_of(pin), pin->text,
                           option_of(other), other->text, graph->ops[i].name);
        }
    }
    return GT_OK;
}

gt_status gt_i_rules_create(gt_rules **rules, const gt_graph *graph, const gt_select_options *o)
{
    gt_status status = GT_OK;
    gt_rules *r = NULL;
    if (o->n_pins + o->n_forbids == 0) {
        *rules = NULL;
        return GT_OK;
    }
    GT_TRY(gt_calloc(&r, 1, sizeof *r));
    GT_TRY(gt_calloc(&r->rules, (size_t)(o->n_pins + o->n_forbids), sizeof *r->rules));
    for (int i = 0; i < o->n_pins + o->n_forbids; i++) {
        bool is_pin = i < o->n_pins;
        r->n++;
        GT_TRY(parse_rule(&r->rules[i], is_pin ? o->pins[i] : o->forbids[i - o->n_pins], is_pin));
        GT_TRY(check_node(&r->rules[i], graph));
        for (int k = 0; k < i; k++) {
            GT_TRY(check_pair(&r->rules[k], &r->rules[i], graph));
        }
    }
    *rules = r;
    r = NULL;
done:
    gt_i_rules_destroy(r);
    return status;
}

void gt_i_rules_destroy(gt_rules *rules)
{
    if (rules != NULL) {
        for (int i = 0; i < rules->n; i++) {
            gt_free(rules->rules[i].node);
        }
        gt_free(rules->rules);
        gt_free(rules);
    }
}

/* ---- applying ---- */

bool gt_i_rules_concern(const gt_rules *rules, const char *node)
{
    for (int i = 0; rules != NULL && i < rules->n; i++) {
        if (concerns(&rules->rules[i], node)) {
            return true;
        }
    }
    return false;
}

static bool is_meant(const gt_rule *rule, const gt_choice *candidate)
{
    return candidate->in == rule->in && candidate->out == rule->out &&
           (rule->template_name == NULL || strcmp(rule->template_name, gt_i_choice_template(candidate)) == 0);
}

bool gt_i_rules_allow(const gt_rules *rules, const char *node, const gt_choice *candidate)
{
    for (int i = 0; rules != NULL && i < rules->n; i++) {
        const gt_rule *rule = &rules->rules[i];
        if (concerns(rule, node) && is_meant(rule, candidate) != rule->is_pin) {
            return false;
        }
    }
    return true;
}

gt_status gt_i_rules_fail(const gt_selection *s, int op)
{
    gt_status status = GT_OK;
    gt_text rules = {0};
    gt_text has = {0};
    gt_choice *candidates = NULL;
    int n = 0;
    const char *node = s->graph->ops[op].name;
    GT_TRY(gt_i_census(s, op, &candidates, &n));
    for (int i = 0; i < s->rules->n; i++) {
        if (concerns(&s->rules->rules[i], node)) {
            GT_TRY(gt_text_append(&rules, "%s%s %s", rules.length > 0 ? ", " : "", option_of(&s->rules->rules[i]),
                                  s->rules->rules[i].text));
        }
    }
    for (int i = 0; i < n; i++) {
        const gt_choice *c = &candidates[i];
        GT_TRY(gt_text_append(&has, "\n  %s->%s/%s", gt_layout_name(c->in), gt_layout_name(c->out), gt_i_choice_template(c)));
    }
    status = gt_fail(GT_ERROR_ARGUMENT, "op \"%s\": no candidate is left by %s; it has%s", node, rules.data, has.data);
done:
    gt_free(candidates);
    gt_text_destroy(&has);
    gt_text_destroy(&rules);
    return status;
}
