/* SPDX-License-Identifier: MIT
   Samples of a pulse as a generator plays them: its rate, quadratures at an intermediate frequency, full
   scale and bits. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse_int.h"

void kl_control_samples_free(struct kl_control_samples *s)
{
    free(s->values);
    *s = (struct kl_control_samples){ 0 };
}

/* ---- numbers with units ---- */
/* Seconds in the unit of time of a system; 0: it is dimensionless. */
static double seconds_of(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 }, { "ps", 1e-12 } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0) return units[i].seconds;
    return 0;
}

/* A number of text up to `end`, alone or with `unit` ("S/s") behind an optional k, M or G; then it is
   divided by what a unit of time has of it, seconds. */
static int number_with_unit(double *value, const char *text, const char *end, const char *unit,
                            double seconds, const char *option, struct kl_error *err)
{
    static const char letters[] = "kMG";
    static const double factors[] = { 1e3, 1e6, 1e9 };
    char *at;
    const int length = (int)(end - text);
    *value = strtod(text, &at);
    bool known = at > text && at <= end && isfinite(*value);
    while (known && at < end && *at == ' ') at++;
    if (!known || at == end) goto out;
    const char *letter = strchr(letters, *at);
    const double factor = letter ? factors[letter - letters] : 1;
    at += letter != NULL;
    known = (size_t)(end - at) == strlen(unit) && memcmp(at, unit, strlen(unit)) == 0;
    known |= end - at == 2 && memcmp(at, "Hz", 2) == 0; /* samples a second as well */
    if (known && !(seconds > 0))
        return kl_fail(err, KL_EUSAGE,
                       "--%s: found '%.*s', but the pulse's time is dimensionless: give a number a unit "
                       "of time, or how long that is with --unit",
                       option, length, text);
    *value *= factor * seconds;
out:
    if (known) return 0;
    return kl_fail(err, KL_EUSAGE, "--%s: found '%.*s', expected a number, or one in k%s, M%s or G%s",
                   option, length < 40 ? length : 40, text, unit, unit, unit);
}

/* ---- which outputs there are ---- */
/* x1 and y1; e_x and e_y, in which a complex control was split. */
static bool is_quadrature(const struct kl_control_system *s, int i, int q)
{
    const char *x = s->controls[i].name, *y = s->controls[q].name;
    const size_t n = strlen(x);
    if (x[0] == 'x' && y[0] == 'y' && strcmp(x + 1, y + 1) == 0) return true;
    return n > 2 && strlen(y) == n && strcmp(x + n - 2, "_x") == 0 && strcmp(y + n - 2, "_y") == 0 &&
           strncmp(x, y, n - 2) == 0;
}

void kl_control_samples_pair(struct kl_control_samples *s)
{
    for (int i = 0; i < s->n_outputs; i++) s->outputs[i].q = -1, s->outputs[i].is_q = false;
    for (int i = 0; i < s->n_outputs; i++)
        for (int q = 0; q < s->n_outputs; q++)
            if (is_quadrature(s->system, s->outputs[i].control, s->outputs[q].control))
                s->outputs[i].q = q, s->outputs[q].is_q = true;
}

static int set_frequencies(struct kl_control_samples *s, const char *text, struct kl_error *err)
{
    int pairs = 0, given = 1;
    if (!text) return 0;
    for (int i = 0; i < s->n_outputs; i++) pairs += s->outputs[i].q >= 0;
    for (const char *c = text; *c; c++) given += *c == ',';
    if (!pairs)
        return kl_fail(err, KL_EUSAGE, "--if: system %s has no controls x and y, which would be I and Q",
                       s->system->name);
    if (given != 1 && given != pairs)
        return kl_fail(err, KL_EUSAGE, "--if: found %d frequencies, expected one, or %d, one a pair",
                       given, pairs);
    for (int i = 0; i < s->n_outputs; i++) {
        struct kl_control_output *o = &s->outputs[i];
        if (o->q < 0) continue;
        const char *end = text + strcspn(text, ",");
        const int code = number_with_unit(&o->frequency, text, end, "Hz", s->unit, "if", err);
        if (code) return code;
        if (!(fabs(o->frequency) < s->rate / 2))
            return kl_fail(err, KL_EUSAGE,
                           "--if: found %g cycles a unit of time, expected less than half of the rate, "
                           "%g",
                           o->frequency, s->rate / 2);
        s->outputs[o->q].frequency = o->frequency;
        if (*end) text = end + 1;
    }
    return 0;
}

/* Mean of exp(2 pi i f t) over a time around 0. */
static double droop(double frequency, double time)
{
    const double x = M_PI * frequency * time;
    return fabs(x) > 1e-8 ? sin(x) / x : 1;
}

/* The most that an output may have to play: of a pair its modulus, as whoever mixes turns one into the
   other, and as programs take no sample of a larger one than 1. */
static double largest_of(const struct kl_control_samples *s, const struct kl_control_stored *pulse,
                         int i)
{
    const struct kl_control_system *y = s->system;
    const double *limit = pulse->setup.problem.limit;
    int q = s->outputs[i].q;
    for (int j = 0; j < s->n_outputs; j++)
        if (s->outputs[j].q == i) q = j;
    if (q < 0) return limit[s->outputs[i].control];
    const int a = s->outputs[i].control, b = s->outputs[q].control;
    for (int k = 0; k < y->n_moduli; k++)
        if ((y->moduli[k].x == a && y->moduli[k].y == b) || (y->moduli[k].x == b && y->moduli[k].y == a))
            return y->moduli[k].most;
    return hypot(limit[a], limit[b]);
}

static void set_scales(struct kl_control_samples *s, const struct kl_control_stored *pulse,
                       double full_scale)
{
    for (int i = 0; i < s->n_outputs; i++) {
        struct kl_control_output *o = &s->outputs[i];
        o->full_scale =
            full_scale > 0 ? full_scale : largest_of(s, pulse, i) / droop(o->frequency, 1 / s->rate);
        const double codes = ldexp(1, s->bits - 1) - 1;
        switch (s->format) {
        case KL_CONTROL_OPENQASM3: o->scale = o->full_scale; break;
        case KL_CONTROL_QUA: o->scale = o->full_scale / 0.5; break; /* volts */
        default: o->scale = s->bits ? o->full_scale / codes : 1;
        }
    }
}

/* ---- values ---- */
/* The integral of control k up to time t: running sums of segments of length dt. */
static double integral(const double *sums, int segments, int controls, int k, double dt, double t,
                       const double *u)
{
    const double at = t / dt;
    int s = (int)at;
    if (s >= segments) return sums[segments * controls + k];
    return sums[s * controls + k] + u[s * controls + k] * (at - s) * dt;
}

int kl_control_samples_ideal(double *values, const struct kl_control_samples *s,
                             const struct kl_control_stored *pulse, struct kl_error *err)
{
    const double *u = pulse->samples ? pulse->samples : pulse->u;
    const int controls = s->system->n_controls,
              segments = pulse->samples ? pulse->setup.waveform.samples : pulse->setup.problem.segments;
    const double dt = pulse->setup.problem.duration / segments;
    double *sums = calloc((size_t)((segments + 1) * controls), sizeof *sums);
    if (!sums) return kl_fail_memory(err, (size_t)((segments + 1) * controls) * sizeof *sums);
    for (int i = 0; i < segments * controls; i++) sums[i + controls] = sums[i] + u[i] * dt;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n_outputs; j++) {
            const struct kl_control_output *o = &s->outputs[j];
            const double from = i / s->rate, to = (i + 1) / s->rate;
            const double mean = (integral(sums, segments, controls, o->control, dt, to, u) -
                                 integral(sums, segments, controls, o->control, dt, from, u)) *
                                s->rate;
            values[i * s->n_outputs + j] =
                mean / droop(o->frequency, 1 / s->rate) * (o->is_q ? s->sign : 1);
        }
    free(sums);
    if (s->mixed) kl_control_samples_mix(values, s);
    return 0;
}

void kl_control_samples_mix(double *values, const struct kl_control_samples *s)
{
    for (int j = 0; j < s->n_outputs; j++) {
        const struct kl_control_output *o = &s->outputs[j];
        for (int i = 0; o->q >= 0 && o->frequency != 0 && i < s->n; i++) {
            double *re = &values[i * s->n_outputs + j], *im = &values[i * s->n_outputs + o->q];
            const double turn = 2 * M_PI * fmod(o->frequency * (i + 0.5) / s->rate, 1);
            const double complex z = (*re + I * *im) * (cos(turn) + I * sin(turn));
            *re = creal(z), *im = cimag(z);
        }
    }
}

/* The modulus of a pair at its I, else the size of a value. */
static double size_of(const struct kl_control_samples *s, int i, int j)
{
    const double *row = s->values + i * s->n_outputs;
    return s->outputs[j].q >= 0 ? hypot(row[j], row[s->outputs[j].q]) : fabs(row[j]);
}

/* None is beyond the full scale, so that nothing is clipped. */
static int check_scale(const struct kl_control_samples *s, struct kl_error *err)
{
    double most = 0, of = 1;
    int beyond = 0;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n_outputs; j++) {
            const double full = s->outputs[j].full_scale, size = size_of(s, i, j);
            if (s->outputs[j].is_q || !(size > full * (1 + 1e-9))) continue;
            beyond++;
            if (size > most) most = size, of = full;
        }
    if (!beyond) return KL_OK;
    return kl_fail(
        err, KL_EUSAGE,
        "--full-scale: found %g, and %d of %d samples are larger; expected at least %.6g, the "
        "modulus of the largest",
        of, beyond, s->n * s->n_outputs, most);
}

/* To the nearest codes; of a pair whose modulus would then be beyond the full scale, towards 0. */
static void quantise(struct kl_control_samples *s)
{
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n_outputs; j++) {
            const struct kl_control_output *o = &s->outputs[j];
            const double most = o->full_scale, step = s->bits ? most / (ldexp(1, s->bits - 1) - 1) : 0;
            double *row = s->values + i * s->n_outputs, *v = &row[j], *w = o->q >= 0 ? &row[o->q] : v;
            if (o->is_q) continue;
            const double before[] = { *v, *w };
            const double size = size_of(s, i, j), rounding = 1e-15,
                         shrink = size > most * (1 - rounding) ? most / size * (1 - rounding) : 1;
            if (!(step > 0)) {
                *v *= shrink;
                if (w != v) *w *= shrink;
                continue;
            }
            *v = step * nearbyint(before[0] / step), *w = step * nearbyint(before[1] / step);
            if (size_of(s, i, j) <= most) continue;
            *v = step * trunc(before[0] * shrink / step * (1 - 1e-12));
            *w = step * trunc(before[1] * shrink / step * (1 - 1e-12));
        }
}

/* ---- the whole ---- */
static int set_length(struct kl_control_samples *s, double duration, const struct kl_control_hardware *h,
                      struct kl_error *err)
{
    const bool qua = s->format == KL_CONTROL_QUA;
    const int64_t multiple = h->multiple ? h->multiple : qua ? 4 : 1;
    const double fits = ceil(duration * s->rate * (1 - 1e-12) - 1e-9) + (double)h->pad;
    if (!(fits <= KL_CONTROL_MOST_SAMPLES))
        return kl_fail(err, KL_EUSAGE, "--rate: %g samples, expected at most %d", fits,
                       (int)KL_CONTROL_MOST_SAMPLES);
    int64_t n = (int64_t)fmax(fits, qua ? 16 : 1);
    n = (n + multiple - 1) / multiple * multiple;
    if (n > KL_CONTROL_MOST_SAMPLES)
        return kl_fail(err, KL_EUSAGE, "--multiple: %lld samples, expected at most %d", (long long)n,
                       (int)KL_CONTROL_MOST_SAMPLES);
    s->n = (int)n;
    return 0;
}

int kl_control_samples_make(struct kl_control_samples *s, const struct kl_control_stored *pulse,
                            const char *content, const struct kl_control_hardware *h,
                            struct kl_error *err)
{
    const struct kl_control_setup *setup = &pulse->setup;
    const double duration = setup->problem.duration, given = seconds_of(setup->system.time_unit);
    *s = (struct kl_control_samples){ .format = h->format,
                                      .system = &setup->system,
                                      .unit = given > 0 ? given : h->unit,
                                      .bits = (int)h->bits };
    int code = 0;
    snprintf(s->gate, sizeof s->gate, "%s", setup->target.name);
    for (char *c = s->gate; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?'; /* it may be a file's name */
    snprintf(s->pulse, sizeof s->pulse, "%s", content);
    if (s->format == KL_CONTROL_QUA && !(s->unit > 0))
        return kl_fail(err, KL_EUSAGE,
                       "--format qua: lengths are in ns, the pulse's time is dimensionless; say how "
                       "long a unit of it is with --unit");
    s->rate = (pulse->samples ? setup->waveform.samples : setup->problem.segments) / duration;
    if (h->rate)
        code =
            number_with_unit(&s->rate, h->rate, h->rate + strlen(h->rate), "S/s", s->unit, "rate", err);
    if (!code && !(s->rate > 1e-15 && s->rate < 1e15))
        code = kl_fail(err, KL_EUSAGE, "--rate: found %g, expected more than 0", s->rate);
    if (!code) code = set_length(s, duration, h, err);
    if (code) return code;
    const bool programs = s->format == KL_CONTROL_OPENQASM3 || s->format == KL_CONTROL_QUA;
    s->mixed = !programs && h->frequency;
    s->sign = strcmp(h->quadrature, "plus") == 0                                ? 1
              : strcmp(h->quadrature, "minus") == 0 || programs || h->frequency ? -1
                                                                                : 1;
    s->n_outputs = s->system->n_controls; /* one each, in their order */
    for (int k = 0; k < s->n_outputs; k++) s->outputs[k].control = k;
    kl_control_samples_pair(s);
    code = set_frequencies(s, h->frequency, err);
    if (code) return code;
    set_scales(s, pulse, h->full_scale);
    s->values = malloc((size_t)(s->n * s->n_outputs) * sizeof *s->values);
    if (!s->values) return kl_fail_memory(err, (size_t)(s->n * s->n_outputs) * sizeof *s->values);
    code = kl_control_samples_ideal(s->values, s, pulse, err);
    if (!code) code = check_scale(s, err);
    if (!code) quantise(s);
    return code;
}
