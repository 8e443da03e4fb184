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
    double low[KL_CONTROL_MAX_CONTROLS], high[KL_CONTROL_MAX_CONTROLS]; /* of the task */
    bool is_free; /* any samples within the limits make a waveform of the task */
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
/* At least the mean over the task's law of the distance from the pulse's nominal task: of the nominal
   one, and of each deviation the mean of its size. */
static double from_nominal(const struct search *s, const struct kl_control_indexed *p, double duration,
                           double amplitude)
{
    const struct kl_control_setup *x = s->setup;
    const double mean = x->is_normal ? sqrt(2 / M_PI) : 0.5;
    struct kl_control_task nominal;
    kl_control_task_default(&nominal, &x->system);
    double sum = between(p, &nominal, &p->task, duration, amplitude);
    for (int i = 0; i < x->n_spreads; i++) {
        const struct kl_control_spread *one = &x->spreads[i];
        sum += mean * one->size * (one->param < 0 ? amplitude : p->moves.params[one->param] * duration);
    }
    return sum;
}

/* ---- which pulses ---- */
static bool same_duration(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* The largest modulus of two of its controls. */
static double largest_modulus(const struct kl_control_indexed *p, const struct kl_control_modulus *m)
{
    const double *u = kl_control_indexed_u(p);
    double most = 0;
    for (int s = 0; s < p->segments; s++)
        most = fmax(most, hypot(u[s * p->controls + m->x], u[s * p->controls + m->y]));
    return most;
}

/* Is it within the limits of a system? */
static bool is_within(const struct kl_control_indexed *p, const double *low, const double *high,
                      const struct kl_control_modulus *moduli, int n_moduli)
{
    bool within = true;
    for (int k = 0; k < p->controls; k++)
        within &= p->most[k] <= high[k] + 1e-12 * fabs(high[k]) &&
                  p->least[k] >= low[k] - 1e-12 * fabs(low[k]);
    for (int i = 0; within && i < n_moduli; i++)
        within = largest_modulus(p, &moduli[i]) <= moduli[i].most * (1 + 1e-12);
    return within;
}

/* May it be played: within the limits, no longer than the task's pulse, of its waveform. */
static bool fits(const struct search *s, const struct kl_control_indexed *p)
{
    const struct kl_control_problem *problem = &s->setup->problem;
    const struct kl_control_waveform *w = &s->setup->waveform;
    const bool within =
        p->duration <= problem->duration * (1 + 1e-9) &&
        is_within(p, s->low, s->high, s->setup->system.moduli, s->setup->system.n_moduli);
    return within && (!w->zero_ends || p->zero_ends) &&
           (s->is_free || memcmp(p->shape, s->shape, sizeof s->shape) == 0);
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
        s->shapes[i].problem = s->setup->law;
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
/* Is all that the task's limits allow within those of p's search? Of a modulus there the task has the
   same, or so small limits that it comes to less. */
static bool covers_limits(const struct search *s, const struct kl_control_indexed *p)
{
    const struct kl_control_system *y = &s->setup->system;
    bool all = true;
    for (int k = 0; k < p->controls; k++)
        all &= p->high[k] >= s->high[k] - 1e-12 * fabs(s->high[k]) &&
               p->low[k] <= s->low[k] + 1e-12 * fabs(s->low[k]);
    for (int i = 0; i < p->n_moduli; i++) {
        const struct kl_control_modulus *m = &p->moduli[i];
        double most = hypot(s->setup->problem.limit[m->x], s->setup->problem.limit[m->y]);
        for (int k = 0; k < y->n_moduli; k++)
            if (y->moduli[k].x == m->x && y->moduli[k].y == m->y) most = y->moduli[k].most;
        all &= most <= m->most * (1 + 1e-12);
    }
    return all;
}

/* Was every pulse that the task allows also allowed where p was sought? */
static bool covers(const struct search *s, const struct kl_control_indexed *p)
{
    const struct kl_control_problem *problem = &s->setup->problem;
    const bool zero_ends = s->setup->waveform.zero_ends;
    const bool all = !p->energy && same_duration(p->duration, problem->duration) && covers_limits(s, p);
    return all && ((p->plain && (!p->zero_ends || zero_ends) && p->segments % problem->segments == 0) ||
                   (memcmp(p->shape, s->shape, sizeof s->shape) == 0 && (!zero_ends || p->zero_ends)));
}

/* How far from the optimum of p's task that of this one can be below it; INFINITY: it says nothing. Of
   an ensemble all members move by the same, so that neither law nor rule counts. */
static double moved(const struct search *s, const struct kl_control_indexed *p)
{
    const struct kl_control_setup *x = s->setup;
    const struct kl_control_task *members = kl_control_indexed_members(p);
    const double duration = x->problem.duration, amplitude = per_amplitude(s, p);
    double least = INFINITY, most = 0;
    if (p->members == 1) return from_nominal(s, p, duration, amplitude);
    if (!members || p->members != x->n_members || memcmp(p->rule, s->rule, sizeof s->rule) != 0)
        return INFINITY;
    for (int m = 0; m < x->n_members; m++) {
        const double one = between(p, &x->members[m], &members[m], duration, amplitude);
        least = fmin(least, one), most = fmax(most, one);
    }
    return most - least <= 1e-12 * (1 + most) ? most : INFINITY;
}

/* Has another stored pulse, which was allowed there, a smaller loss in p's own task? Then the search of
   p did not find the least one. */
static bool refuted(const struct search *s, const struct kl_control_indexed *p)
{
    if (p->members != 1) return false;
    for (size_t i = 0; i < s->n; i++) {
        const struct kl_control_indexed *o = s->all[i].p;
        const bool allowed = o != p && p->plain && p->segments % o->segments == 0 &&
                             same_duration(o->duration, p->duration) &&
                             (!p->zero_ends || o->zero_ends) &&
                             is_within(o, p->low, p->high, p->moduli, p->n_moduli);
        if (!allowed) continue;
        const double there = o->nominal + between(p, &o->task, &p->task, p->duration, o->turn);
        if (there < p->loss - p->slack) return true;
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
            const double bound = p->loss - moved(s, p) - p->slack;
            if (bound > most) most = bound, at = i;
        }
        if (at == s->n) break;
        out[at] = true;
        if (most > best || refuted(s, s->all[at].p)) continue;
        from = &s->all[at];
        to->has_assumed = true, to->assumed = most, to->moved = moved(s, from->p);
        to->slack = from->p->slack;
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
    if (!code) code = kl_control_law_limit(&to->proven, s->setup, err);
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
        struct search s = { .setup = setup, .is_free = kl_control_waveform_is_free(&setup->waveform) };
        for (int k = 0; k < setup->system.n_controls; k++)
            s.low[k] = setup->system.controls[k].low, s.high[k] = setup->system.controls[k].high;
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
