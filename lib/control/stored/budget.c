/* SPDX-License-Identifier: MIT
   What each rate and each uncertainty adds to the loss of a pulse: derivatives of one adjoint pass, and
   the same by exact propagation with each one off or alone, by the filter function, by an exact average.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/engine.h"
#include "control/model/model.h"
#include "control/noise/noise.h"
#include "control/stored/stored.h"
#include "kernels/bloch.h"

enum { FINE = 512, LEAST_PARTS = 3, FREQUENCIES = 8192 };
/* Nodes of one error at most, and of all together. */
enum { MOST_NODES = 64, MOST_POINTS = 4096, OF_DELAY = 20, LEAST_NODES = 3 };
/* Beyond so many radians the second order says nothing. */
enum { MOST_ANGLE = 10, MOST_AMPLITUDE = 1 };
/* Of a mean of losses, which are at most 1, that nodes may leave. */
static const double TOLERANCE = 1e-10;

struct budget {
    struct kl_control_budget *to;
    const struct kl_control_setup *setup;
    struct kl_control_pulse pulse, fine; /* fine: room for a pulse with delays */
    struct kl_control_task task;         /* nominal */
    /* Of each error: nodes of its law, one more of them to check with; and the second of these sets. */
    int nodes[KL_CONTROL_BUDGET_TERMS], more;
    double node[2][KL_CONTROL_BUDGET_TERMS][MOST_NODES + 1],
        weight[2][KL_CONTROL_BUDGET_TERMS][MOST_NODES + 1];
};
/* One point: rates (0: all off), and how much of each error. */
struct point {
    bool on[KL_CONTROL_BUDGET_TERMS];
    double error[KL_CONTROL_BUDGET_TERMS];
};

/* ---- losses ---- */
static int control_of(const struct kl_control_budget_term *t)
{
    return KL_CONTROL_AMPLITUDE - 1 - t->param;
}
static bool is_delay(const struct kl_control_budget_term *t)
{
    return t->param < KL_CONTROL_AMPLITUDE;
}

/* The mean of control k, late by `delay`, from `from` to `to`, in segments. */
static double mean_between(const struct budget *b, int k, double from, double to)
{
    double sum = 0;
    if (!(to > 0) || !(from < b->pulse.segments)) return 0; /* before the pulse, or behind it */
    for (int s = (int)fmax(floor(from), 0); s < b->pulse.segments && s < to; s++)
        sum += b->pulse.u[s * b->pulse.controls + k] * (fmin(to, s + 1) - fmax(from, s));
    return sum / (to - from);
}

/* Equal shorter segments, each with the mean of what is played in it. */
static void delay(struct budget *b, const double *late)
{
    const int parts = b->fine.segments / b->pulse.segments, controls = b->pulse.controls;
    const double dt = b->pulse.duration / b->pulse.segments;
    for (int s = 0; s < b->fine.segments; s++)
        for (int k = 0; k < controls; k++) {
            const double at = (double)s / parts - late[k] / dt;
            b->fine.u[s * controls + k] = mean_between(b, k, at, at + 1.0 / parts);
        }
}

static int loss_at(double *loss, struct kl_control_gradient *more, struct budget *b,
                   const struct point *p, struct kl_error *err)
{
    struct kl_control_gradient own = { 0 }, *to = more ? more : &own;
    struct kl_control_task task = b->task;
    double late[KL_CONTROL_MAX_CONTROLS] = { 0 };
    bool delayed = false;
    for (int i = 0; i < b->to->n; i++) {
        const struct kl_control_budget_term *t = &b->to->terms[i];
        if (t->rate) task.params[t->param] = p->on[i] ? t->size : 0;
        else if (t->param >= 0) task.params[t->param] += p->error[i];
        else if (t->param == KL_CONTROL_AMPLITUDE) task.amplitude += p->error[i];
        else late[control_of(t)] = p->error[i], delayed |= p->error[i] != 0;
    }
    if (delayed) delay(b, late);
    const int code = kl_control_propagate(to, &b->setup->system, &b->setup->objective,
                                          delayed ? &b->fine : &b->pulse, &task, err);
    *loss = to->loss;
    return code;
}

static struct point all_rates(const struct budget *b, bool on)
{
    struct point p = { 0 };
    for (int i = 0; i < b->to->n; i++) p.on[i] = on && b->to->terms[i].rate;
    return p;
}

/* The mean over the errors i, i + 1, ... that `with` names. */
static int over_nodes(double *mean, struct budget *b, const struct point *at, const bool *with, int i,
                      struct kl_error *err)
{
    struct point p = *at;
    while (i < b->to->n && (b->to->terms[i].rate || !with[i] || b->to->terms[i].size == 0)) i++;
    if (i == b->to->n) return loss_at(mean, NULL, b, &p, err);
    *mean = 0;
    for (int k = 0; k < b->nodes[i] + b->more; k++) {
        double one;
        if (b->weight[b->more][i][k] < 1e-20) continue;
        p.error[i] = b->to->terms[i].size * b->node[b->more][i][k];
        const int code = over_nodes(&one, b, &p, with, i + 1, err);
        if (code) return code;
        *mean += b->weight[b->more][i][k] * one;
    }
    return 0;
}

/* more: with one node more of each error, at other places. */
static int mean_loss(double *mean, struct budget *b, const struct point *p, const bool *with, bool more,
                     struct kl_error *err)
{
    b->more = more;
    return over_nodes(mean, b, p, with, 0, err);
}

/* By how much an error of one standard deviation turns the pulse, in radians
 * (control/noise/quadrature.c). */
static double turn_of(const struct budget *b, const struct kl_control_budget_term *t)
{
    const struct kl_control_system *s = &b->setup->system;
    const double dt = b->pulse.duration / b->pulse.segments;
    double sum = 0;
    if (t->param >= 0)
        return t->size * b->pulse.duration * kl_control_norm(s->params[t->param].matrix, s->dim);
    for (int k = 0; k < s->n_controls; k++) {
        const double norm = kl_control_norm(s->controls[k].matrix, s->dim);
        for (int i = 0; i < b->pulse.segments; i++)
            sum += dt * norm * fabs(b->pulse.u[i * b->pulse.controls + k]);
    }
    return t->size * sum;
}

/* As many as each law needs, and fewer where several together would take too long; a delay has kinks
   where segments begin. */
static void set_nodes(struct budget *b)
{
    double all = 1, turns[KL_CONTROL_BUDGET_TERMS] = { 0 };
    for (int i = 0; i < b->to->n; i++) {
        const struct kl_control_budget_term *t = &b->to->terms[i];
        b->nodes[i] = 1;
        if (t->rate || t->size == 0) continue;
        turns[i] = is_delay(t) ? 1 : turn_of(b, t);
        const int n =
            is_delay(t) ? OF_DELAY : kl_control_law_count(KL_CONTROL_LAW_NORMAL, turns[i], TOLERANCE);
        b->nodes[i] = n < LEAST_NODES ? LEAST_NODES : n > MOST_NODES ? MOST_NODES : n;
        all *= b->nodes[i];
    }
    for (; all > MOST_POINTS;) { /* the most of them are one less */
        int most = 0;
        for (int i = 1; i < b->to->n; i++)
            if (b->nodes[i] > b->nodes[most]) most = i;
        all = all / b->nodes[most] * (b->nodes[most] - 1), b->nodes[most]--;
    }
    for (int i = 0; i < b->to->n; i++)
        for (int more = 0; more < 2 && b->to->terms[i].size != 0 && !b->to->terms[i].rate; more++)
            kl_control_law_nodes(b->node[more][i], b->weight[more][i], b->nodes[i] + more,
                                 KL_CONTROL_LAW_NORMAL, turns[i]);
}

/* ---- which terms ---- */
static void list(struct budget *b)
{
    const struct kl_control_system *s = &b->setup->system;
    struct kl_control_budget *to = b->to;
    for (int j = 0; j < s->n_params; j++) {
        struct kl_control_budget_term *t = &to->terms[to->n++];
        t->param = j, t->rate = s->params[j].rate, t->size = t->rate ? b->task.params[j] : 0;
        snprintf(t->name, sizeof t->name, "%s", s->params[j].name);
    }
    to->terms[to->n].param = KL_CONTROL_AMPLITUDE;
    snprintf(to->terms[to->n++].name, sizeof to->terms->name, "amplitude");
    for (int k = 0; k < s->n_controls; k++) {
        to->terms[to->n].param = KL_CONTROL_AMPLITUDE - 1 - k;
        snprintf(to->terms[to->n++].name, sizeof to->terms->name, "skew_%s", s->controls[k].name);
    }
}

static double most_of(const struct kl_control_budget_term *t, double duration)
{
    return is_delay(t)                        ? duration
           : t->param == KL_CONTROL_AMPLITUDE ? MOST_AMPLITUDE
                                              : MOST_ANGLE / duration;
}

static int quantity_of(const struct kl_control_budget_term *t)
{
    return is_delay(t)                        ? KL_CONTROL_TIME
           : t->param == KL_CONTROL_AMPLITUDE ? KL_CONTROL_NO_UNIT
                                              : KL_CONTROL_FREQUENCY;
}

static int fail_sigma(const struct kl_control_budget *to, const struct kl_control_pair *pair,
                      struct kl_error *err)
{
    char all[1024] = "";
    for (int k = 0; k < to->n; k++)
        if (!to->terms[k].rate)
            snprintf(all + strlen(all), sizeof all - strlen(all), " %s", to->terms[k].name);
    return kl_fail(err, KL_EUSAGE, "--sigma: found '%.*s', expected NAME=NUMBER, a name of%s",
                   pair->length, pair->at, all);
}

static int read_sigmas(struct kl_control_budget *to, const char *text,
                       const struct kl_control_system *system, double duration, struct kl_error *err)
{
    int uncertain = 0;
    bool given[KL_CONTROL_BUDGET_TERMS] = { false };
    struct kl_control_pair pair;
    for (int found; (found = kl_control_pair_next(&pair, &text));) {
        double value;
        int i = 0;
        while (i < to->n && (to->terms[i].rate || strcmp(to->terms[i].name, pair.name) != 0)) i++;
        if (found < 0 || i == to->n || !(pair.value >= 0)) return fail_sigma(to, &pair, err);
        const int code =
            kl_control_pair_value(&value, &pair, quantity_of(&to->terms[i]), system, "sigma", err);
        if (code) return code;
        if (given[i])
            return kl_fail(err, KL_EUSAGE, "--sigma: found %s twice, expected it once",
                           to->terms[i].name);
        if (value > most_of(&to->terms[i], duration))
            return kl_fail(err, KL_EUSAGE,
                           "--sigma: found '%.*s', expected at most %g for a pulse of T %g", pair.length,
                           pair.at, most_of(&to->terms[i], duration), duration);
        given[i] = true, uncertain += value > 0;
        to->terms[i].size = value;
    }
    if (uncertain <= KL_CONTROL_BUDGET_UNCERTAIN) return 0;
    return kl_fail(err, KL_EUSAGE, "--sigma: %d uncertainties, expected at most %d", uncertain,
                   KL_CONTROL_BUDGET_UNCERTAIN);
}

/* ---- derivatives ---- */
/* Of parameters and amplitude in one adjoint pass at p. */
static int slopes(double *slope, struct budget *b, const struct point *p, struct kl_error *err)
{
    const int n = b->to->n;
    double params[KL_CONTROL_MAX_PARAMS], amplitude, loss;
    struct kl_control_gradient to = { .params = params, .amplitude = &amplitude };
    const int code = loss_at(&loss, &to, b, p, err);
    for (int i = 0; !code && i < n; i++) {
        const struct kl_control_budget_term *t = &b->to->terms[i];
        slope[i] = t->param >= 0 ? params[t->param] : t->param == KL_CONTROL_AMPLITUDE ? amplitude : 0;
    }
    return code;
}

/* At the end of short segment s what its mean and those of the next two (step: where they lie) tell: of
   the parabola with these means. */
static double side(const double *g, int s, int step, int controls, int k)
{
    return (11 * g[s * controls + k] - 7 * g[(s + step) * controls + k] +
            2 * g[(s + 2 * step) * controls + k]) /
           6;
}

/* Of each delay: control k that is late by a moment has at each boundary what came before it,
   so that the loss moves by the jump there times its derivative by the control at that time. That is the
   gradient of a pulse of short segments, whose last one before and first one after are the two sides of
   0; before the pulse and behind it the control is 0. */
static int slopes_of_delays(double *slope, struct budget *b, const struct point *p, struct kl_error *err)
{
    const int parts = b->fine.segments / b->pulse.segments, controls = b->pulse.controls;
    const double dt = b->fine.duration / b->fine.segments, none[KL_CONTROL_MAX_CONTROLS] = { 0 };
    double *g = calloc((size_t)(b->fine.segments * controls), sizeof *g);
    struct kl_control_gradient to = { .u = g };
    struct kl_control_task task = b->task;
    if (!g) return kl_fail_memory(err, (size_t)(b->fine.segments * controls) * sizeof *g);
    for (int i = 0; i < b->to->n; i++)
        if (b->to->terms[i].rate)
            task.params[b->to->terms[i].param] = p->on[i] ? b->to->terms[i].size : 0;
    delay(b, none);
    const int code =
        kl_control_propagate(&to, &b->setup->system, &b->setup->objective, &b->fine, &task, err);
    for (int i = 0; i < b->to->n && !code; i++) {
        const struct kl_control_budget_term *t = &b->to->terms[i];
        if (!is_delay(t)) continue;
        const int k = control_of(t);
        slope[i] = 0;
        for (int s = 0; s <= b->pulse.segments; s++) {
            const double before = s > 0 ? b->pulse.u[(s - 1) * controls + k] : 0,
                         after = s < b->pulse.segments ? b->pulse.u[s * controls + k] : 0,
                         left = s > 0 ? side(g, s * parts - 1, -1, controls, k) : 0,
                         right = s < b->pulse.segments ? side(g, s * parts, 1, controls, k) : 0;
            slope[i] += (before - after) * (left + right) / (2 * dt);
        }
    }
    free(g);
    return code;
}

/* ---- one qubit: second derivatives exactly, as kernels/bloch.h has tangents of gradients ---- */
enum { LANES = KL_BLOCH_LANES, DETUNED = 0, AMPLIFIED = 1 }; /* lanes: along which the tangent is */

static bool is_bloch(const struct budget *b)
{
    const struct kl_control_objective *o = &b->setup->objective;
    const struct kl_control_system *s = &b->setup->system;
    bool fits = s->form == KL_CONTROL_ONE_QUBIT && s->n_params == KL_BLOCH_PARAMS &&
                s->n_controls <= 3 && (o->columns == 1 || o->columns == 4);
    for (int r = 1; fits && r < 4 && o->columns == 4; r++) fits = fabs(o->weights[r * 4]) < 1e-15;
    return fits;
}

static struct kl_bloch bloch_of(double *weights, const struct budget *b)
{
    const struct kl_control_objective *o = &b->setup->objective;
    const int first = o->columns == 1 ? 0 : 1;
    struct kl_bloch to = { .segments = b->pulse.segments,
                           .controls = b->pulse.controls,
                           .columns = first ? 3 : 1,
                           .affine = !first,
                           .dt = b->pulse.duration / b->pulse.segments };
    double peak = fabs(b->task.params[KL_BLOCH_DETUNING]), rates = 0;
    for (int i = 0; i < to.segments * to.controls; i++) peak = fmax(peak, fabs(b->pulse.u[i]));
    for (int j = 0; j < KL_BLOCH_DETUNING; j++) rates += b->task.params[j];
    to.substeps = kl_bloch_substeps(to.dt * (8 * peak + rates));
    for (int c = 0; c < to.columns; c++)
        for (int i = 0; i < 3; i++) {
            to.start[c][i] = o->start[(i + 1) * o->columns + c + first];
            for (int l = 0; l < LANES; l++)
                weights[(c * 3 + i) * LANES + l] = o->weights[(i + 1) * o->columns + c + first];
        }
    return to;
}

static int curve_exactly(double *detuning, double *amplitude, const struct budget *b,
                         struct kl_error *err)
{
    double weights[9 * LANES], params[KL_BLOCH_PARAMS * LANES],
        dparams[KL_BLOCH_PARAMS * LANES] = { 0 }, dgrad[KL_BLOCH_PARAMS * LANES], dloss[LANES],
                                  loss[LANES];
    const struct kl_bloch bloch = bloch_of(weights, b);
    const size_t rows = (size_t)(bloch.segments * bloch.controls), n = rows * LANES;
    struct kl_arena arena = { 0 };
    int code = kl_arena_init(&arena, (4 * n + kl_bloch_work(&bloch)) * sizeof(double) + 4096, err);
    double *u = kl_arena_take(&arena, n, sizeof *u), *du = kl_arena_take(&arena, n, sizeof *u),
           *curved = kl_arena_take(&arena, n, sizeof *u), *grad = kl_arena_take(&arena, n, sizeof *u),
           *work = kl_arena_take(&arena, kl_bloch_work(&bloch), sizeof *u);
    if (!code && (!u || !du || !curved || !grad || !work)) code = kl_fail_memory(err, 4 * n * sizeof *u);
    for (size_t i = 0; !code && i < n; i++) {
        u[i] = b->pulse.u[i / LANES];
        du[i] = i % LANES == AMPLIFIED ? u[i] : 0;
    }
    for (int i = 0; i < KL_BLOCH_PARAMS * LANES; i++) params[i] = b->task.params[i / LANES];
    dparams[KL_BLOCH_DETUNING * LANES + DETUNED] = 1;
    *detuning = *amplitude = 0;
    if (!code) {
        kl_kernel_bloch_tangent_f64()(dloss, curved, dgrad, loss, grad, u, du, params, dparams, weights,
                                      &bloch, LANES, work);
        *detuning = dgrad[KL_BLOCH_DETUNING * LANES + DETUNED];
        for (size_t i = 0; i < rows; i++) *amplitude += b->pulse.u[i] * curved[i * LANES + AMPLIFIED];
    }
    kl_arena_free(&arena);
    return code;
}

/* Second derivatives by central differences of exact gradients; of a delay by those of losses, as its
   loss is smooth but where a segment begins; of one qubit exactly. */
static int derive(struct budget *b, struct kl_error *err)
{
    double first[KL_CONTROL_BUDGET_TERMS], low[KL_CONTROL_BUDGET_TERMS], high[KL_CONTROL_BUDGET_TERMS];
    const struct point here = all_rates(b, true);
    int code = slopes(first, b, &here, err);
    if (!code) code = slopes_of_delays(first, b, &here, err);
    for (int i = 0; !code && i < b->to->n; i++) {
        struct kl_control_budget_term *t = &b->to->terms[i];
        struct point p = here;
        t->slope = first[i];
        if (t->rate) continue;
        const bool late = is_delay(t);
        const double step = late                               ? b->fine.duration / b->fine.segments
                            : t->param == KL_CONTROL_AMPLITUDE ? 1e-4
                                                               : 1e-4 / b->pulse.duration;
        double below, above;
        p.error[i] = -step;
        code = late ? loss_at(&below, NULL, b, &p, err) : slopes(low, b, &p, err);
        p.error[i] = step;
        if (!code) code = late ? loss_at(&above, NULL, b, &p, err) : slopes(high, b, &p, err);
        if (code) break;
        t->curvature =
            late ? (above - 2 * b->to->loss + below) / (step * step) : (high[i] - low[i]) / (2 * step);
    }
    for (int i = 0; !code && is_bloch(b) && i < b->to->n; i++) {
        struct kl_control_budget_term *t = &b->to->terms[i];
        double detuning, amplitude;
        if (t->param != KL_BLOCH_DETUNING && t->param != KL_CONTROL_AMPLITUDE) continue;
        code = curve_exactly(&detuning, &amplitude, b, err);
        t->curvature = t->param == KL_CONTROL_AMPLITUDE ? amplitude : detuning;
    }
    return code;
}

/* ---- the other routes ---- */
static int switch_off(struct budget *b, struct kl_error *err)
{
    bool with[KL_CONTROL_BUDGET_TERMS];
    struct kl_control_budget *to = b->to;
    int code = 0;
    for (int i = 0; i < to->n && !code; i++) {
        struct kl_control_budget_term *t = &to->terms[i];
        if (t->size == 0) continue;
        struct point alone = all_rates(b, false), others = all_rates(b, true);
        double one, rest;
        memset(with, 0, sizeof with);
        with[i] = true, alone.on[i] = t->rate;
        code = mean_loss(&one, b, &alone, with, false, err);
        for (int k = 0; k < to->n; k++) with[k] = k != i;
        if (t->rate) others.on[i] = false;
        if (!code) code = mean_loss(&rest, b, &others, with, false, err);
        if (!code) t->alone = one - to->residual, t->without = to->total - rest;
    }
    return code;
}

static int average(struct budget *b, struct kl_error *err)
{
    const struct kl_control_objective *o = &b->setup->objective;
    const size_t n = (size_t)(b->setup->system.dim * o->columns);
    double *ends = calloc(n, sizeof *ends);
    int code = ends ? 0 : kl_fail_memory(err, n * sizeof *ends);
    for (int i = 0; i < b->to->n && !code; i++) {
        struct kl_control_budget_term *t = &b->to->terms[i];
        if (t->rate || is_delay(t) || t->size == 0) continue;
        const struct kl_control_process noise = { KL_CONTROL_QUASI_STATIC, t->param, t->size, 0 };
        code = kl_control_noise_average(ends, o->start, o->columns, &b->setup->system, &b->pulse,
                                        &b->task, &noise, 1, 1e-12, NULL, err);
        if (!code) t->averaged = kl_control_objective_loss(o, &b->setup->system, ends) - b->to->loss;
    }
    free(ends);
    return code;
}

/* White noise of dephasing x(t) Z/2 has S = 2 gamma_phi; its infidelity up to a frequency from which on
   the rest is below a thousandth. A detuning of size sigma is noise at frequency 0 of mean square
   (2 sigma)^2: an infidelity 2 sigma^2 F(0). Terms that are multiples of these. */
static void filter_terms(struct budget *b, const struct kl_control_axes *axes, double white,
                         double still)
{
    const double share = b->setup->fidelity == KL_CONTROL_AVERAGE ? 2 / 3.0 : 1;
    for (int i = 0; i < b->to->n; i++) {
        struct kl_control_budget_term *t = &b->to->terms[i];
        if (t->size == 0 || t->param < 0) continue;
        const double *rate = axes->rate[t->param], *term = axes->term[t->param];
        if (t->rate && rate[0] > 0 && rate[1] == 0 && rate[2] == 0)
            t->filter = share * 2 * rate[0] * t->size * white;
        if (!t->rate && term[0] == 0 && term[1] == 0 && term[2] != 0)
            t->filter = share * 2 * pow(term[2] * t->size, 2) * still;
    }
}

static int filter(struct budget *b, struct kl_error *err)
{
    const struct kl_control_setup *s = b->setup;
    const double T = b->pulse.duration;
    double params[KL_BLOCH_PARAMS], drift[2], peak = 0;
    struct kl_control_axes axes;
    struct kl_control_filter *f = NULL;
    struct kl_control_filter_gradient to = { 0 };
    if (!kl_control_one_qubit(&s->system) || s->objective.columns == 1 ||
        (s->fidelity != KL_CONTROL_AVERAGE && s->fidelity != KL_CONTROL_ENTANGLEMENT) ||
        !kl_control_axes_make(&axes, &s->system))
        return 0;
    const int turned = b->pulse.segments * axes.controls;
    double *all = malloc((4 * FREQUENCIES + (size_t)turned) * sizeof *all);
    if (!all) return kl_fail_memory(err, (4 * FREQUENCIES + (size_t)turned) * sizeof *all);
    double *omega = all, *psd = all + FREQUENCIES, *weights = psd + FREQUENCIES;
    const struct kl_control_pulse pulse = { b->pulse.segments, axes.controls, T, all + 4 * FREQUENCIES };
    kl_control_axes_task(params, drift, &axes, b->task.params);
    kl_control_axes_turn(pulse.u, b->pulse.u, &axes, pulse.segments, 1, 1, drift);
    for (int i = 0; i < turned; i++) peak = fmax(peak, fabs(pulse.u[i]));
    for (int i = 0; i < FREQUENCIES; i++) omega[i] = (i + 1e-9) * 0.25 / T, psd[i] = 1;
    to.values = weights + FREQUENCIES;
    const double detuning = params[KL_BLOCH_DETUNING];
    int code = kl_control_filter_open(&f, omega, FREQUENCIES, pulse.segments, T,
                                      sqrt(3) * (peak + fabs(detuning)) + 1e-9, err);
    kl_control_filter_weights(weights, omega, psd, FREQUENCIES, true);
    if (!code) code = kl_control_filter_evaluate(&to, f, &pulse, detuning, 2, weights, err);
    if (!code) filter_terms(b, &axes, to.infidelity, to.values[0]);
    kl_control_filter_close(&f);
    free(all);
    return code;
}

/* ---- the whole ---- */
static int fill(struct budget *b, struct kl_error *err)
{
    struct kl_control_budget *to = b->to;
    bool with[KL_CONTROL_BUDGET_TERMS];
    double more = 0;
    const struct point off = all_rates(b, false), on = all_rates(b, true);
    memset(with, 1, sizeof with);
    int code = loss_at(&to->loss, NULL, b, &on, err);
    if (!code) code = loss_at(&to->residual, NULL, b, &off, err);
    set_nodes(b);
    if (!code) code = mean_loss(&to->total, b, &on, with, false, err);
    if (!code) code = mean_loss(&more, b, &on, with, true, err);
    if (!code) to->unsettled = fabs(to->total - more);
    if (!code) code = derive(b, err);
    for (int i = 0; i < to->n; i++) to->terms[i].filter = to->terms[i].averaged = NAN;
    if (!code) code = switch_off(b, err);
    if (!code) code = average(b, err);
    if (!code) code = filter(b, err);
    to->sum = to->residual;
    for (int i = 0; i < to->n; i++) {
        struct kl_control_budget_term *t = &to->terms[i];
        t->part = t->rate ? t->size * t->slope : t->size * t->size * t->curvature / 2;
        t->swing = t->rate ? 0 : fabs(t->size * t->slope);
        to->sum += t->part;
    }
    return code;
}

int kl_control_budget(struct kl_control_budget *to, const struct kl_control_setup *setup,
                      const double *u, const char *sigmas, struct kl_error *err)
{
    const int segments = setup->problem.segments, controls = setup->system.n_controls,
              fine = segments *
                     (FINE > LEAST_PARTS * segments ? (FINE + segments - 1) / segments : LEAST_PARTS);
    double *more = malloc((size_t)(fine * controls) * sizeof *more);
    struct budget b = { .to = to,
                        .setup = setup,
                        .pulse = { segments, controls, setup->problem.duration, (double *)(uintptr_t)u },
                        .fine = { fine, controls, setup->problem.duration, more } };
    *to = (struct kl_control_budget){ .n = 0 };
    if (!more) return kl_fail_memory(err, (size_t)(fine * controls) * sizeof *more);
    kl_control_task_default(&b.task, &setup->system);
    list(&b);
    int code = read_sigmas(to, sigmas, &setup->system, setup->problem.duration, err);
    if (!code) code = fill(&b, err);
    free(more);
    return code;
}
