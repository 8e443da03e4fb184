/* SPDX-License-Identifier: MIT
   What samples do to the qubit: held, filtered, late, too large, brought back from their intermediate
   frequency, propagated on a fine grid; the loss of each of these alone and of all. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model.h"
#include "control/pulse/pulse_int.h"

enum { LANES = KL_CONTROL_LANES, MOST_FINE = 1 << 19 };
enum { BARE = KL_CONTROL_ROWS }; /* one more: sampled without a carrier */
_Static_assert((int)BARE < (int)LANES, "rows are evaluated side by side");

const char *kl_control_row_words(enum kl_control_row row)
{
    static const char *const words[] = { "designed", "sampled",   "quantised", "low pass",
                                         "skew",     "amplitude", "set",       "all" };
    return words[row];
}

struct work {
    const struct kl_control_stored *pulse;
    const struct kl_control_samples *samples;
    double tau, own_tau; /* behind the outputs; of the pulse's own problem */
    double late[KL_CONTROL_MAX_CONTROLS], gain[KL_CONTROL_MAX_CONTROLS]; /* of each output */
    int oversample, fine;                                                /* fine: segments of all */
    double *ideal, *played; /* [n][outputs]: mixed, as they leave the generator */
    double *means, *moved;  /* [fine][outputs] */
    double *x;              /* [fine][controls][16]: rows are lanes */
};

/* ---- words to numbers ---- */
/* "0.01", or "y=0.01 y2=0.02", into numbers of outputs; where no name is given, of those in `usual`. */
static int take_list(double *to, const struct kl_control_samples *s, const char *text, const bool *usual,
                     const char *option, int quantity, struct kl_error *err)
{
    for (int j = 0; j < s->n_outputs; j++) to[j] = 0;
    struct kl_control_pair pair;
    for (int found; (found = kl_control_pair_next(&pair, &text));) {
        const bool named = pair.name[0];
        const int control = named ? kl_control_system_control(s->system, pair.name) : -1;
        if (found < 0 || (named && control < 0))
            return kl_fail(err, KL_EUSAGE,
                           "--%s: found '%.*s', expected a number, or CONTROL=NUMBER with a control of "
                           "%s",
                           option, pair.length < 40 ? pair.length : 40, pair.at, s->system->name);
        double value;
        const int code = kl_control_pair_value(&value, &pair, quantity, s->system, option, err);
        if (code) return code;
        for (int j = 0; j < s->n_outputs; j++)
            if (named ? s->outputs[j].control == control : usual[j]) to[j] = value;
    }
    return 0;
}

static int set_distortion(struct work *w, const struct kl_control_distortion *d, struct kl_error *err)
{
    const struct kl_control_samples *s = w->samples;
    bool quadratures[KL_CONTROL_MAX_CONTROLS], all[KL_CONTROL_MAX_CONTROLS], any = false;
    for (int j = 0; j < s->n_outputs; j++) any |= s->outputs[j].is_q;
    for (int j = 0; j < s->n_outputs; j++)
        all[j] = true, quadratures[j] = any ? s->outputs[j].is_q : j > 0;
    w->own_tau = w->pulse->samples ? w->pulse->setup.waveform.tau : 0;
    w->tau = d->tau >= 0 ? d->tau : w->own_tau;
    int code = take_list(w->late, s, d->skew, quadratures, "skew", KL_CONTROL_TIME, err);
    if (!code) code = take_list(w->gain, s, d->amplitude, all, "amplitude", KL_CONTROL_NO_UNIT, err);
    return code;
}

/* As many segments a sample as its changes within it want: the error falls with their square. A filtered
   or late signal that also turns with its frequency has most of it, about 1e-7 with 256. */
static int set_grid(struct work *w, int64_t asked, struct kl_error *err)
{
    const struct kl_control_samples *s = w->samples;
    bool turns = false, changes = w->tau > 0 || w->own_tau > 0;
    for (int j = 0; j < s->n_outputs; j++)
        turns |= s->outputs[j].frequency != 0, changes |= w->late[j] != 0;
    double wanted = asked ? (double)asked : turns && changes ? 256 : turns || changes ? 64 : 1;
    if (!asked) wanted = fmax(1, fmin(wanted, MOST_FINE / s->n));
    if (!(wanted * s->n <= MOST_FINE))
        return kl_fail(err, KL_EUSAGE, "--oversample: %d samples of %g segments, expected at most %d",
                       s->n, wanted, (int)MOST_FINE);
    w->oversample = (int)wanted, w->fine = s->n * w->oversample;
    return 0;
}

/* ---- the way of a signal ---- */
/* Means of an output that comes later by `late`; before it began there is nothing. */
static void delay(double *to, const double *from, int n, int row, double late, double dt)
{
    const double shift = late / dt, whole = floor(shift), part = shift - whole;
    for (int i = 0; i < n; i++) {
        const double at = i - whole;
        const double here = at >= 0 && at < n ? from[(int)at * row] : 0,
                     before = at >= 1 && at <= n ? from[((int)at - 1) * row] : 0;
        to[i * row] = (1 - part) * here + part * before;
    }
}

/* I + i Q times exp(-2 pi i f t), its mean over each segment, to u_x + i u_y. */
static void demodulate(struct work *w, int j, double dt, int lane)
{
    const struct kl_control_samples *s = w->samples;
    const struct kl_control_output *o = &s->outputs[j];
    const int row = s->n_outputs, controls = s->system->n_controls;
    const double half = M_PI * o->frequency * dt, droop = half != 0 ? sin(half) / half : 1;
    for (int i = 0; i < w->fine; i++) {
        const double turn = 2 * M_PI * fmod(o->frequency * (i + 0.5) * dt, 1);
        double *u = w->x + (size_t)(i * controls) * LANES + lane;
        if (o->q < 0) {
            u[o->control * LANES] = w->means[i * row + j];
            continue;
        }
        const double complex z =
            (w->means[i * row + j] + I * w->means[i * row + o->q]) * (cos(turn) - I * sin(turn)) * droop;
        u[o->control * LANES] = creal(z);
        u[s->outputs[o->q].control * LANES] = s->sign * cimag(z);
    }
}

static void play(struct work *w, enum kl_control_row r, int lane)
{
    const struct kl_control_samples *s = w->samples;
    const int row = s->n_outputs;
    const bool all = r == KL_CONTROL_ROW_ALL;
    const double dt = 1 / (s->rate * w->oversample);
    struct kl_control_low_pass filter;
    kl_control_low_pass_make(&filter, all || r == KL_CONTROL_ROW_LOW_PASS ? w->tau : w->own_tau, dt);
    kl_control_low_pass(w->means, NULL, &filter, r == KL_CONTROL_ROW_SAMPLED ? w->ideal : w->played,
                        s->n, w->oversample, row);
    if (all || r == KL_CONTROL_ROW_SKEW) {
        for (int j = 0; j < row; j++) delay(w->moved + j, w->means + j, w->fine, row, w->late[j], dt);
        memcpy(w->means, w->moved, (size_t)(w->fine * row) * sizeof *w->means);
    }
    for (int i = 0; (all || r == KL_CONTROL_ROW_AMPLITUDE) && i < w->fine * row; i++)
        w->means[i] *= 1 + w->gain[i % row];
    for (int j = 0; j < row; j++)
        if (!s->outputs[j].is_q) demodulate(w, j, dt, lane);
}

/* ---- losses ---- */
/* Of the lanes that are wanted, x [segments][controls][16], which becomes shares of the limits. */
static int losses(double f[LANES], struct kl_control_problem problem, double *x, int segments,
                  double duration, const bool wanted[LANES], struct kl_error *err)
{
    struct kl_control_evaluator *e = NULL;
    const int controls = problem.system->n_controls;
    problem.waveform = NULL, problem.energy = 0;
    problem.segments = segments, problem.duration = duration;
    for (int k = 0; k < controls; k++) problem.limit[k] = 1e-6, problem.low[k] = problem.high[k] = 0;
    for (int i = 0; i < segments * controls * LANES; i++)
        if (wanted[i % LANES])
            problem.limit[i / LANES % controls] = fmax(problem.limit[i / LANES % controls], fabs(x[i]));
    for (int i = 0; i < segments * controls * LANES; i++) x[i] /= problem.limit[i / LANES % controls];
    int code = kl_control_evaluator_open(&e, &problem, err);
    if (!code) kl_control_evaluate(e, f, NULL, x, wanted);
    kl_control_evaluator_close(&e);
    for (int l = 0; !code && l < LANES; l++)
        if (wanted[l] && !isfinite(f[l]))
            code = kl_fail(err, KL_EDATA, "the loss of the samples is no number");
    return code;
}

static int score_designed(double *loss, const struct work *w, struct kl_error *err)
{
    const struct kl_control_problem *p = &w->pulse->setup.problem;
    const size_t n = (size_t)(p->segments * p->system->n_controls);
    double *x = aligned_alloc(64, n * LANES * sizeof *x), f[LANES];
    if (!x) return kl_fail_memory(err, n * LANES * sizeof *x);
    for (size_t i = 0; i < n * LANES; i++) x[i] = w->pulse->u[i / LANES];
    const int code =
        losses(f, w->pulse->setup.law, x, p->segments, p->duration, (const bool[LANES]){ true }, err);
    *loss = f[0];
    free(x);
    return code;
}

static double largest_move(const struct work *w)
{
    const struct kl_control_samples *s = w->samples;
    double most = 0;
    for (int i = 0; i < s->n * s->n_outputs; i++)
        most = fmax(most, fabs(w->played[i] - w->ideal[i]) / s->outputs[i % s->n_outputs].full_scale);
    return most;
}

/* The same samples at frequency 0: neither turned, nor raised by what holding takes away; false: that is
   what they are. */
static int play_bare(bool *played, struct work *w, struct kl_error *err)
{
    struct kl_control_samples bare = *w->samples;
    struct work of = *w;
    *played = false;
    for (int j = 0; j < bare.n_outputs; j++)
        *played |= bare.outputs[j].frequency != 0, bare.outputs[j].frequency = 0;
    if (!*played) return 0;
    of.samples = &bare, of.ideal = malloc((size_t)(bare.n * bare.n_outputs) * sizeof *of.ideal);
    if (!of.ideal) return kl_fail_memory(err, (size_t)(bare.n * bare.n_outputs) * sizeof *of.ideal);
    const int code = kl_control_samples_ideal(of.ideal, &bare, w->pulse, err);
    if (!code) play(&of, KL_CONTROL_ROW_SAMPLED, BARE);
    free(of.ideal);
    return code;
}

/* Of the rows whose problem is the other one. */
static int score_other(double loss[KL_CONTROL_ROWS], struct work *w,
                       const struct kl_control_problem *other, struct kl_error *err)
{
    static const enum kl_control_row rows[] = { KL_CONTROL_ROW_SET, KL_CONTROL_ROW_ALL };
    bool wanted[LANES] = { false };
    double f[LANES];
    loss[KL_CONTROL_ROW_SET] = NAN;
    if (!other) return KL_OK;
    for (int i = 0; i < 2; i++) play(w, rows[i], (int)rows[i]), wanted[rows[i]] = true;
    const int code = losses(f, *other, w->x, w->fine, w->samples->n / w->samples->rate, wanted, err);
    for (int i = 0; !code && i < 2; i++) loss[rows[i]] = f[rows[i]];
    return code;
}

static int run(struct kl_control_score *score, struct work *w, const struct kl_control_problem *other,
               struct kl_error *err)
{
    const struct kl_control_samples *s = w->samples;
    const size_t n = (size_t)(s->n * s->n_outputs), fine = (size_t)(w->fine * s->n_outputs),
                 lanes = (size_t)(w->fine * s->system->n_controls) * LANES;
    double f[LANES];
    w->ideal = malloc(n * sizeof *w->ideal), w->played = malloc(n * sizeof *w->played);
    w->means = malloc(fine * sizeof *w->means), w->moved = malloc(fine * sizeof *w->moved);
    w->x = aligned_alloc(64, lanes * sizeof *w->x);
    if (!w->ideal || !w->played || !w->means || !w->moved || !w->x)
        return kl_fail_memory(err, lanes * sizeof *w->x);
    memset(w->x, 0, lanes * sizeof *w->x);
    int code = kl_control_samples_ideal(w->ideal, s, w->pulse, err);
    if (code) return code;
    memcpy(w->played, s->values, n * sizeof *w->played);
    score->moved = largest_move(w);
    if (!s->mixed) kl_control_samples_mix(w->ideal, s), kl_control_samples_mix(w->played, s);
    bool wanted[LANES] = { false };
    for (int r = KL_CONTROL_ROW_SAMPLED; r < KL_CONTROL_ROWS; r++)
        play(w, (enum kl_control_row)r, r), wanted[r] = true;
    code = play_bare(&wanted[BARE], w, err);
    if (!code) code = losses(f, w->pulse->setup.law, w->x, w->fine, s->n / s->rate, wanted, err);
    if (!code) code = score_designed(&score->loss[KL_CONTROL_ROW_DESIGNED], w, err);
    for (int r = KL_CONTROL_ROW_SAMPLED; !code && r < KL_CONTROL_ROWS; r++) score->loss[r] = f[r];
    if (!code && wanted[BARE]) score->carrier = f[KL_CONTROL_ROW_SAMPLED] - f[BARE];
    return code ? code : score_other(score->loss, w, other, err);
}

int kl_control_score_samples(struct kl_control_score *score, const struct kl_control_stored *pulse,
                             const struct kl_control_samples *samples,
                             const struct kl_control_distortion *distortion, struct kl_error *err)
{
    struct work w = { .pulse = pulse, .samples = samples };
    *score = (struct kl_control_score){ .duration = samples->n / samples->rate };
    int code = set_distortion(&w, distortion, err);
    if (!code) code = set_grid(&w, distortion->oversample, err);
    score->segments = w.fine;
    score->low_pass = distortion->tau >= 0 || w.own_tau > 0;
    if (!code) code = run(score, &w, distortion->other, err);
    free(w.ideal), free(w.played), free(w.means), free(w.moved), free(w.x);
    return code;
}
