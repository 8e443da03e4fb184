/* SPDX-License-Identifier: MIT
   The best stored pulse for a task, what optimising again could bring at most, and the nearest pulse as
   a start. What is proven and what is assumed stands beside each bound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/stored/lookup_int.h"

enum { LANES = KL_CONTROL_LANES, SHAPES = 16, TRIES = 4, LEAST_STARTS = 4 };

struct candidate {
    size_t at; /* in the index */
    const struct kl_control_indexed *p;
    bool fits, done;
    double floor, loss; /* no less than floor; loss once done */
};
struct search {
    const struct kl_control_setup *setup;
    struct kl_index *index;
    unsigned char family[16], rule[16], shape[16];
    struct candidate *all;
    size_t n;
    struct {
        int segments;
        double duration;
        struct kl_control_problem problem;
        struct kl_control_evaluator *e;
    } shapes[SHAPES];
    int n_shapes;
    double *x; /* [segments * controls][16] */
    size_t room;
};

/* ---- distances: how far a loss can move, for any pulse (kl_control_sensitivity) ---- */
static double between(const struct kl_control_indexed *p, const struct kl_control_task *a,
                      const struct kl_control_task *b, double duration, double per_amplitude)
{
    double sum = 0;
    for (int j = 0; j < p->params; j++) sum += p->moves.params[j] * fabs(a->params[j] - b->params[j]);
    return sum * duration + fabs(a->amplitude - b->amplitude) * per_amplitude;
}
/* Of all pulses within the task's limits. */
static double per_amplitude(const struct search *s, const struct kl_control_indexed *p)
{
    double sum = 0;
    for (int k = 0; k < p->controls; k++) sum += p->moves.controls[k] * s->setup->problem.limit[k];
    return sum * s->setup->problem.duration;
}
/* The mean over the task's members of the distance from the pulse's nominal task. */
static double from_nominal(const struct search *s, const struct kl_control_indexed *p, double duration,
                           double amplitude)
{
    double sum = 0;
    for (int m = 0; m < s->setup->n_members; m++)
        sum += s->setup->weights[m] * between(p, &s->setup->members[m], &p->task, duration, amplitude);
    return sum;
}

/* ---- which pulses ---- */
static bool same_duration(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}
/* Are the first and the last of its segments 0? */
static bool ends_at_zero(const struct kl_control_indexed *p)
{
    const double *u = kl_control_indexed_u(p), *last = u + (p->segments - 1) * p->controls;
    bool all = true;
    for (int k = 0; k < p->controls; k++) all &= u[k] == 0 && last[k] == 0;
    return all;
}
/* May it be played: within the limits, no longer than the task's pulse, of its waveform. */
static bool fits(const struct search *s, const struct kl_control_indexed *p)
{
    const struct kl_control_problem *problem = &s->setup->problem;
    bool within = p->duration <= problem->duration * (1 + 1e-9);
    for (int k = 0; k < p->controls; k++) within &= p->peak[k] <= problem->limit[k] * (1 + 1e-12);
    const struct kl_control_waveform *w = &s->setup->waveform;
    return within && ((kl_control_waveform_plain(w) && (!w->zero_ends || ends_at_zero(p))) ||
                      memcmp(p->shape, s->shape, sizeof s->shape) == 0);
}

static int by_floor(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->fits != y->fits) return y->fits - x->fits;
    return (x->floor > y->floor) - (x->floor < y->floor);
}

static int collect(struct search *s, struct kl_control_lookup *to, struct kl_error *err)
{
    const size_t n = kl_store_index_size(s->index);
    s->all = calloc(n + 1, sizeof *s->all), s->n = 0;
    to->pulses = to->fit = to->compared = 0, to->unread = kl_store_index_unread(s->index);
    if (!s->all) return kl_fail_memory(err, n * sizeof *s->all);
    for (size_t i = 0; i < n; i++) {
        char key[65];
        size_t size = 0;
        const void *data = kl_store_index_data(&size, key, s->index, i);
        const struct kl_control_indexed *p = kl_control_indexed_of(data, size);
        if (!p) continue;
        to->pulses++;
        if (memcmp(p->family, s->family, sizeof s->family) != 0 ||
            p->controls != s->setup->system.n_controls)
            continue;
        struct candidate *c = &s->all[s->n++];
        *c = (struct candidate){ .at = i, .p = p, .fits = fits(s, p) };
        /* All that members can make together is at least the mean of their losses. */
        c->floor = p->nominal - from_nominal(s, p, p->duration, p->turn) - 1e-12;
        to->fit += c->fits;
    }
    qsort(s->all, s->n, sizeof *s->all, by_floor);
    return 0;
}

/* ---- losses here ---- */
static int evaluator_of(struct kl_control_evaluator **e, struct search *s,
                        const struct kl_control_indexed *p, struct kl_error *err)
{
    int i = 0;
    while (i < s->n_shapes &&
           (s->shapes[i].segments != p->segments || s->shapes[i].duration != p->duration))
        i++;
    if (i == s->n_shapes) {
        if (i == SHAPES) kl_control_evaluator_close(&s->shapes[i = 0].e);
        else s->n_shapes++;
        s->shapes[i].segments = p->segments, s->shapes[i].duration = p->duration;
        s->shapes[i].problem = s->setup->problem;
        s->shapes[i].problem.waveform = NULL, s->shapes[i].problem.energy = 0;
        s->shapes[i].problem.segments = p->segments, s->shapes[i].problem.duration = p->duration;
        const int code = kl_control_evaluator_open(&s->shapes[i].e, &s->shapes[i].problem, err);
        if (code) s->shapes[i].segments = -1;
        if (code) return code;
    }
    *e = s->shapes[i].e;
    return 0;
}

/* Of c and of those behind it of its shape, sixteen at once. */
static int evaluate(struct search *s, struct candidate *c, size_t n, size_t *compared,
                    struct kl_error *err)
{
    struct candidate *lanes[LANES] = { c };
    const size_t rows = (size_t)(c->p->segments * c->p->controls);
    const double *limit = s->setup->problem.limit;
    double f[LANES];
    bool wanted[LANES] = { true };
    int count = 1;
    struct kl_control_evaluator *e = NULL;
    const int code = evaluator_of(&e, s, c->p, err);
    if (code) return code;
    if (rows * LANES > s->room) {
        free(s->x);
        s->room = rows * LANES, s->x = aligned_alloc(64, s->room * sizeof *s->x);
        if (!s->x) return s->room = 0, kl_fail_memory(err, rows * LANES * sizeof *s->x);
    }
    for (size_t i = 1; i < n && count < LANES && c[i].fits; i++)
        if (!c[i].done && c[i].p->segments == c->p->segments && c[i].p->duration == c->p->duration)
            wanted[count] = true, lanes[count++] = &c[i];
    for (int l = 0; l < LANES; l++) {
        const double *u = kl_control_indexed_u(lanes[l < count ? l : 0]->p);
        for (size_t i = 0; i < rows; i++)
            s->x[i * LANES + (size_t)l] = u[i] / limit[i % (size_t)c->p->controls];
    }
    kl_control_evaluate(e, f, NULL, s->x, wanted);
    for (int l = 0; l < count; l++) lanes[l]->loss = f[l], lanes[l]->done = true;
    *compared += (size_t)count;
    return 0;
}

/* In the order of their floors, until no other can be better. */
static int find_best(struct candidate **best, struct search *s, struct kl_control_lookup *to,
                     struct kl_error *err)
{
    *best = NULL;
    for (size_t i = 0; i < s->n && s->all[i].fits; i++) {
        struct candidate *c = &s->all[i];
        if (*best && c->floor > (*best)->loss) break;
        const int code = c->done ? 0 : evaluate(s, c, s->n - i, &to->compared, err);
        if (code) return code;
        if (isfinite(c->loss) && (!*best || c->loss < (*best)->loss)) *best = c;
    }
    return 0;
}

static int find_start(struct candidate **start, struct search *s, struct kl_control_lookup *to,
                      struct kl_error *err)
{
    const struct kl_control_waveform *w = &s->setup->waveform;
    const double duration = s->setup->problem.duration;
    bool piecewise = w->functions == KL_CONTROL_PIECEWISE;
    *start = NULL, to->start_loss = NAN;
    for (int k = 0; k < w->controls; k++) piecewise &= !w->constant[k];
    for (size_t i = 0; piecewise && i < s->n; i++) {
        struct candidate *c = &s->all[i];
        if (c->p->samples != w->samples) continue;
        const double distance = from_nominal(s, c->p, duration, per_amplitude(s, c->p)) +
                                fabs(log(c->p->duration / duration));
        if (*start && distance >= to->start_distance) continue;
        *start = c, to->start_distance = distance;
    }
    if (!*start || !(*start)->fits) return 0;
    const int code = (*start)->done ? 0 : evaluate(s, *start, 1, &to->compared, err);
    to->start_loss = (*start)->loss;
    return code;
}

/* ---- bounds ---- */
static int prove(const struct search *s, struct kl_control_lookup *to, struct kl_error *err)
{
    const struct kl_control_setup *x = s->setup;
    double limit = 0;
    to->proven = 0;
    for (int m = 0; m < x->n_members; m++) {
        bool same = m > 0; /* members that differ in no rate have one limit */
        for (int j = 0; same && j < x->system.n_params; j++)
            same = !x->system.params[j].rate || x->members[m].params[j] == x->members[m - 1].params[j];
        const int code =
            same ? 0
                 : kl_control_decoherence_limit(&limit, &x->system, &x->objective, x->fidelity,
                                                x->problem.duration, &x->members[m], err);
        if (code) return code;
        to->proven += x->weights[m] * limit;
    }
    return 0;
}

/* Was every pulse that the task allows also allowed where p was sought? */
static bool covers(const struct search *s, const struct kl_control_indexed *p)
{
    const struct kl_control_problem *problem = &s->setup->problem;
    const struct kl_control_waveform *w = &s->setup->waveform;
    const bool zero_ends =
        kl_control_waveform_plain(w) && w->zero_ends; /* functions' ends are no samples' */
    bool all = !p->energy && same_duration(p->duration, problem->duration);
    for (int k = 0; k < p->controls; k++) all &= p->limit[k] >= problem->limit[k] * (1 - 1e-12);
    return all && ((p->plain && (!p->zero_ends || zero_ends) && p->segments % problem->segments == 0) ||
                   memcmp(p->shape, s->shape, sizeof s->shape) == 0);
}

/* How far from the optimum of p's task that of this one can be below it; INFINITY: it says nothing. A
   mean moves by the mean of what its members move, any other rule by at most the largest. */
static double moved(const struct search *s, const struct kl_control_indexed *p)
{
    const struct kl_control_setup *x = s->setup;
    const struct kl_control_task *members = kl_control_indexed_members(p);
    const double duration = x->problem.duration, amplitude = per_amplitude(s, p);
    double sum = 0, most = 0;
    if (p->members == 1) return from_nominal(s, p, duration, amplitude);
    if (!members || p->members != x->n_members || memcmp(p->rule, s->rule, sizeof s->rule) != 0)
        return INFINITY;
    for (int m = 0; m < x->n_members; m++) {
        const double one = between(p, &x->members[m], &members[m], duration, amplitude);
        sum += x->weights[m] * one, most = fmax(most, one);
    }
    return p->mean ? sum : most;
}

/* Has another stored pulse, which was allowed there, a smaller loss in p's own task? Then the search of
   p did not find the least one. */
static bool refuted(const struct search *s, const struct kl_control_indexed *p)
{
    if (p->members != 1) return false;
    for (size_t i = 0; i < s->n; i++) {
        const struct kl_control_indexed *o = s->all[i].p;
        bool allowed = o != p && p->plain && p->segments % o->segments == 0 &&
                       same_duration(o->duration, p->duration) && (!p->zero_ends || ends_at_zero(o));
        for (int k = 0; k < p->controls; k++) allowed &= o->peak[k] <= p->limit[k] * (1 + 1e-12);
        if (!allowed) continue;
        const double there = o->nominal + between(p, &o->task, &p->task, p->duration, o->turn);
        if (there < p->loss - KL_CONTROL_ASSUMED) return true;
    }
    return false;
}

static struct candidate *assume(const struct search *s, struct kl_control_lookup *to, double best)
{
    bool *out = calloc(s->n + 1, sizeof *out);
    struct candidate *from = NULL;
    to->has_assumed = false;
    for (;;) {
        size_t at = s->n;
        double most = 0;
        for (size_t i = 0; out && i < s->n; i++) {
            const struct kl_control_indexed *p = s->all[i].p;
            if (out[i] || p->ended < LEAST_STARTS || !covers(s, p)) continue;
            const double bound = p->loss - moved(s, p) - KL_CONTROL_ASSUMED;
            if (bound > most) most = bound, at = i;
        }
        if (at == s->n) break;
        out[at] = true;
        if (most > best || refuted(s, s->all[at].p)) continue;
        from = &s->all[at];
        to->has_assumed = true, to->assumed = most, to->moved = moved(s, from->p);
        break;
    }
    free(out);
    return from;
}

/* ---- the answer ---- */
static void close_search(struct search *s)
{
    for (int i = 0; i < s->n_shapes; i++) kl_control_evaluator_close(&s->shapes[i].e);
    kl_store_index_close(&s->index);
    free(s->all), free(s->x);
    s->all = NULL, s->x = NULL, s->n_shapes = 0, s->room = 0;
}

/* The path of a candidate; *changed: its file is another, or gone, since the index was made. */
static void name(char path[KL_CONTROL_PATH], bool *changed, const struct search *s,
                 const struct candidate *c)
{
    char *text = c ? kl_store_index_file(s->index, c->at) : NULL;
    path[0] = 0;
    if (text) snprintf(path, KL_CONTROL_PATH, "%s", text);
    if (c && !kl_store_index_holds(s->index, c->at)) *changed = true;
    free(text);
}

static int answer(struct kl_control_lookup *to, bool *changed, struct search *s, struct kl_error *err)
{
    struct candidate *best = NULL, *start = NULL, *from = NULL;
    size_t size;
    int code = collect(s, to, err);
    if (!code) code = find_best(&best, s, to, err);
    if (!code) code = find_start(&start, s, to, err);
    if (!code) code = prove(s, to, err);
    if (code) return code;
    from = assume(s, to, best ? best->loss : INFINITY);
    to->found = best != NULL, to->start_found = start != NULL;
    name(to->best, changed, s, best), name(to->start, changed, s, start);
    name(to->from, changed, s, from);
    if (!best) return 0;
    kl_store_index_data(&size, to->key, s->index, best->at);
    to->loss = best->loss, to->stored_loss = best->p->loss;
    to->segments = best->p->segments, to->duration = best->p->duration;
    return 0;
}

int kl_control_lookup(struct kl_control_lookup *to, const char *store,
                      const struct kl_control_setup *setup, struct kl_error *err)
{
    const double start = kl_clock();
    bool changed = true;
    int code = 0;
    *to = (struct kl_control_lookup){ .found = false };
    for (int i = 0; i < TRIES && changed && !code; i++) {
        struct search s = { .setup = setup };
        changed = false;
        kl_control_family(s.family, setup), kl_control_rule(s.rule, setup);
        kl_control_shape_of(s.shape, setup);
        code = kl_store_index_open(&s.index, store, &kl_control_pulse_index, i > 0, err);
        if (!code) code = answer(to, &changed, &s, err);
        close_search(&s);
    }
    if (!code && changed)
        code = kl_fail(err, KL_EIO, "store %s: its files change all the time; try again", store);
    to->seconds = kl_clock() - start;
    return code;
}
