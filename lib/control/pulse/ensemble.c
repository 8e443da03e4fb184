/* SPDX-License-Identifier: MIT
   The members of an ensemble from what its options spread: as many nodes of the law as the mean over it
   needs, and a finer set with which what was found is judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse_int.h"

/* Of the mean of a loss, which is at most 1, that nodes may leave. */
static const double TOLERANCE = 1e-7;
/* Of a rate this many deviations lie above 0; what is left of the law, a quarter of a percent, counts as
   0. */
static const double LEAST_DEVIATIONS = 2.8;

static enum kl_control_law law_of(const struct kl_control_options *o)
{
    return (enum kl_control_law)kl_choice(KL_CONTROL_LAWS, o->law);
}
static enum kl_control_aggregate rule_of(const struct kl_control_options *o)
{
    return (enum kl_control_aggregate)kl_choice("mean|worst|cvar", o->ensemble);
}

/* ---- how many nodes ---- */
static double turn_of(const struct kl_control_setup *s, int param, double size)
{
    const struct kl_control_system *y = &s->system;
    double norm = 0;
    if (param >= 0) norm = kl_control_norm(y->params[param].matrix, y->dim);
    for (int k = 0; param < 0 && k < y->n_controls; k++)
        norm += s->problem.limit[k] * kl_control_norm(y->controls[k].matrix, y->dim);
    return size * s->problem.duration * norm;
}

/* A mean of the worst is no smooth function of the nodes: it has kinks, and takes more of them; a worst
   between nodes is missed by at most 4 % of the fastest loss where its period has twelve. */
static int needed_of(double turn, const struct kl_control_options *o, int n_spreads)
{
    enum { LEAST = 3, LEAST_GRID = 5, OF_TAIL = 32, OF_PERIOD = 12 };
    const enum kl_control_law law = law_of(o);
    const int n = kl_control_law_count(law, turn, TOLERANCE);
    const double reach = law == KL_CONTROL_LAW_NORMAL ? KL_CONTROL_LAW_REACH : 1;
    switch (rule_of(o)) {
    case KL_CONTROL_MEAN: return n > LEAST ? n : LEAST;
    case KL_CONTROL_CVAR: return n > OF_TAIL / n_spreads ? n : OF_TAIL / n_spreads;
    default: return (int)fmin(fmax(LEAST_GRID, ceil(OF_PERIOD * reach * turn / M_PI) + 1), 1e6);
    }
}

/* More nodes than a rule has. */
static bool is_beyond(int n, const struct kl_control_options *o)
{
    if (rule_of(o) == KL_CONTROL_WORST) return n > KL_CONTROL_MOST_CHECKS;
    return n > (law_of(o) == KL_CONTROL_LAW_UNIFORM ? KL_CONTROL_MAX_NODES : KL_CONTROL_LAW_NODES);
}

/* Finer than the members, and at other places; where there is no finer rule, the next coarser one. */
static int check_of(const struct kl_control_spread *p, const struct kl_control_options *o)
{
    const int finer = rule_of(o) == KL_CONTROL_MEAN   ? p->n + 1
                      : rule_of(o) == KL_CONTROL_CVAR ? 2 * p->n + 1
                                                      : 3 * p->n + 1;
    int n = p->needed > finer ? p->needed : finer;
    while (is_beyond(n, o) || n == p->n) n--;
    return n;
}

/* ---- what is spread ---- */
static int take_spread(struct kl_control_setup *s, const struct kl_control_pair *pair,
                       const struct kl_control_options *o, struct kl_error *err)
{
    struct kl_control_spread *p = &s->spreads[s->n_spreads];
    const struct kl_control_system *y = &s->system;
    const bool amplitude = strcmp(pair->name, "amplitude") == 0;
    const int j = amplitude ? -1 : kl_control_options_param(o, y, pair->name);
    if (!amplitude && j < 0) return kl_control_options_fail_name("spread", pair->name, y, false, err);
    if (pair->range) {
        char *unit;
        (void)strtod(pair->quantity, &unit);
        return kl_fail(err, KL_EUSAGE,
                       "--spread: found '%.*s', expected one size: --spread '%s=%.6g%s' --law uniform "
                       "spreads so far to both sides of the value that --set gives",
                       pair->length, pair->at, pair->name, (pair->value - pair->low) / 2,
                       *pair->quantity ? unit : "");
    }
    const int code =
        kl_control_pair_value(&p->size, pair, kl_control_options_quantity(y, j), y, "spread", err);
    if (code) return code;
    if (!(p->size >= 0))
        return kl_fail(err, KL_EUSAGE, "--spread: %s=%g, expected 0 or more", pair->name, p->size);
    for (int i = 0; i < s->n_spreads; i++)
        if (s->spreads[i].param == j)
            return kl_fail(err, KL_EUSAGE, "--spread: %s is given twice", pair->name);
    if (p->size == 0) return KL_OK;
    if (o->members == 1)
        return kl_fail(err, KL_EUSAGE, "--spread: one member has no spread; --members 2 or more");
    const double deviations = law_of(o) == KL_CONTROL_LAW_NORMAL ? LEAST_DEVIATIONS : 1;
    if (j >= 0 && y->params[j].rate && y->params[j].value < deviations * p->size * (1 - 1e-12))
        return kl_fail(err, KL_EUSAGE,
                       "--spread: %s is a rate of %g and would be below 0; found the size %g, expected "
                       "at most %g%s",
                       y->params[j].name, y->params[j].value, p->size, y->params[j].value / deviations,
                       deviations > 1 ? ", or --law uniform" : "");
    p->param = j, p->turn = turn_of(s, j, p->size);
    s->n_spreads++;
    return KL_OK;
}

/* "24 x 9 = 216" */
static void product(char text[128], int *all, const struct kl_control_setup *s, bool checks)
{
    double n = 1;
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < s->n_spreads; i++) {
        const int one = checks ? s->spreads[i].n_check : s->spreads[i].n;
        n *= one;
        if (used < 100) used += (size_t)snprintf(text + used, 128 - used, "%s%d", i ? " x " : "", one);
    }
    *all = (int)fmin(n, 1e9);
    if (s->n_spreads > 1) snprintf(text + used, 128 - used, " = %.6g", n);
}

static int count_nodes(struct kl_control_setup *s, const struct kl_control_options *o,
                       struct kl_error *err)
{
    char text[128];
    for (int i = 0; i < s->n_spreads; i++) {
        struct kl_control_spread *p = &s->spreads[i];
        p->needed = needed_of(p->turn, o, s->n_spreads);
        if (is_beyond(p->needed, o))
            return kl_fail(
                err, KL_EUSAGE,
                "--spread: %s: the pulse turns by up to %.3g radians within the size %g, whose "
                "mean no rule gives: a smaller size, a shorter pulse or smaller limits",
                p->param < 0 ? "amplitude" : s->system.params[p->param].name, p->turn, p->size);
        p->n = o->members ? (int)o->members : p->needed;
        p->n_check = check_of(p, o);
    }
    product(text, &s->n_members, s, false);
    if (s->n_members > KL_CONTROL_MOST_MEMBERS)
        return kl_fail(err, KL_EUSAGE, "--spread: an ensemble of %s members, expected at most %d; %s",
                       text, KL_CONTROL_MOST_MEMBERS,
                       o->members
                           ? "fewer --members"
                           : "smaller sizes, a shorter pulse or smaller limits, or so few --members "
                             "as the check bears out");
    product(text, &s->n_checks, s, true);
    for (int i = 0; i < s->n_spreads && s->n_checks > KL_CONTROL_MOST_CHECKS; i++) {
        struct kl_control_spread *p = &s->spreads[i];
        p->n_check = p->needed > p->n ? p->needed : p->n + 1;
        product(text, &s->n_checks, s, true);
    }
    if (s->n_checks <= KL_CONTROL_MOST_CHECKS) return KL_OK;
    return kl_fail(
        err, KL_EUSAGE,
        "--spread: the mean over this law takes %s members, expected at most %d: smaller sizes, "
        "a shorter pulse or smaller limits",
        text, KL_CONTROL_MOST_CHECKS);
}

/* ---- members ---- */
/* One parameter more: *n members become *n times its nodes. */
static void spread_one(struct kl_control_task *members, double *weights, int *n,
                       const struct kl_control_spread *p, const double *at, const double *weight,
                       int nodes, const struct kl_control_system *system)
{
    /* From the last, so that those that are copied are still there. */
    for (int m = *n * nodes - 1; m >= 0; m--) {
        const int i = m % nodes;
        struct kl_control_task *to = &members[m];
        *to = members[m / nodes];
        weights[m] = weights[m / nodes] * weight[i];
        if (p->param < 0) to->amplitude += p->size * at[i];
        else to->params[p->param] += p->size * at[i];
        if (p->param >= 0 && system->params[p->param].rate)
            to->params[p->param] = fmax(to->params[p->param], 0);
    }
    *n *= nodes;
}

static int fill(struct kl_control_task **members, double **weights, int n,
                const struct kl_control_setup *s, const struct kl_control_options *o, bool checks,
                struct kl_error *err)
{
    double *nodes = malloc(2 * KL_CONTROL_MOST_CHECKS * sizeof *nodes),
           *weight = nodes + KL_CONTROL_MOST_CHECKS;
    int have = 1;
    *members = calloc((size_t)n, sizeof **members), *weights = calloc((size_t)n, sizeof **weights);
    if (!nodes || !*members || !*weights) {
        free(nodes);
        return kl_fail_memory(err, (size_t)n * sizeof **members);
    }
    kl_control_task_default(*members, &s->system);
    **weights = 1;
    for (int i = 0; i < s->n_spreads; i++) {
        const struct kl_control_spread *p = &s->spreads[i];
        const int count = checks ? p->n_check : p->n;
        if (rule_of(o) == KL_CONTROL_WORST) kl_control_law_grid(nodes, weight, count, law_of(o));
        else kl_control_law_nodes(nodes, weight, count, law_of(o), p->turn);
        spread_one(*members, *weights, &have, p, nodes, weight, count, &s->system);
    }
    free(nodes);
    return KL_OK;
}

int kl_control_ensemble_make(struct kl_control_setup *s, const struct kl_control_options *o,
                             struct kl_error *err)
{
    struct kl_control_pair pair;
    const char *text = o->spread ? o->spread : "";
    int code;
    s->is_normal = law_of(o) == KL_CONTROL_LAW_NORMAL;
    while ((code = kl_control_options_pair(&pair, &text, "spread", err)) > 0) {
        code = take_spread(s, &pair, o, err);
        if (code) return code;
    }
    if (!code) code = count_nodes(s, o, err);
    if (!code) code = fill(&s->members, &s->weights, s->n_members, s, o, false, err);
    if (!code) code = fill(&s->checks, &s->check_weights, s->n_checks, s, o, true, err);
    return code;
}
