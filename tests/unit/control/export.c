/* SPDX-License-Identifier: MIT
   Samples of a pulse: the same through every format; their loss behind a low pass, with skew and a wrong
   amplitude, at an intermediate frequency, against small steps of Runge and Kutta's method on the
   signals as functions of time; the conventions. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/export.h"

enum { SEGMENTS = 24, STEPS = 400 };
static int failures;
static struct kl_error err;

static void check(bool holds, const char *what, double found)
{
    if (holds) return;
    printf("%s: %.17g; %s\n", what, found, err.text);
    failures++;
}

/* A smooth pulse of one qubit without noise, to the state |1>. */
static void make_pulse(struct kl_control_stored *p)
{
    *p = (struct kl_control_stored){ .u = malloc(2 * SEGMENTS * sizeof(double)) };
    kl_control_options_default(&p->options);
    p->options.fidelity = "state", p->options.limit = "4", p->options.segments = SEGMENTS;
    p->options.set = "gamma_phi=0 gamma_down=0 gamma_up=0 detuning=0.7";
    check(kl_control_setup_make(&p->setup, &p->options, &err) == 0, "setup", 0);
    for (int s = 0; s < SEGMENTS; s++) {
        p->u[2 * s] = 2.2 * sin(M_PI * (s + 0.5) / SEGMENTS);
        p->u[2 * s + 1] = 1.3 * cos(0.3 * s) - 0.4;
    }
}

static const char content[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void check_format(const struct kl_control_stored *p, struct kl_control_hardware h)
{
    struct kl_control_samples made, read;
    unsigned char *bytes;
    size_t n;
    double worst = 0;
    check(kl_control_samples_make(&made, p, content, &h, &err) == 0, "make", h.format);
    check(kl_control_samples_write(&bytes, &n, &made, &err) == 0, "write", h.format);
    check(kl_control_samples_read(&read, &p->setup.system, bytes, n, "file", &err) == 0, "read",
          h.format);
    check(memcmp(bytes, kl_control_samples_mark(h.format), strlen(kl_control_samples_mark(h.format))) ==
              0,
          "mark", h.format);
    check(read.n == made.n && read.rate == made.rate && read.sign == made.sign &&
              read.mixed == made.mixed && strcmp(read.pulse, content) == 0,
          "conventions", h.format);
    for (int i = 0; i < made.n * made.n_outputs; i++)
        worst = fmax(worst, fabs(read.values[i] - made.values[i]));
    check(worst <= 1e-14, "samples", worst);
    kl_control_samples_free(&made), kl_control_samples_free(&read);
    free(bytes);
}

/* Both quadratures at their limits: the numbers of a file as whoever plays them bounds them, I + i Q at
   most 1 or 0.5 V or the largest code in modulus, at any frequency and however they are rounded. */
static void check_modulus(struct kl_control_stored *p, struct kl_control_hardware h)
{
    struct kl_control_samples s;
    double *before = malloc(2 * SEGMENTS * sizeof *before), worst = 0;
    memcpy(before, p->u, 2 * SEGMENTS * sizeof *before);
    for (int i = 0; i < 2 * SEGMENTS; i++) p->u[i] = (i / 2) % 3 ? 4 : -4;
    check(kl_control_samples_make(&s, p, content, &h, &err) == 0, "make", h.format);
    const double most = h.format == KL_CONTROL_QUA         ? 0.5
                        : h.format == KL_CONTROL_OPENQASM3 ? 1
                        : h.bits                           ? ldexp(1, (int)h.bits - 1) - 1
                                                           : s.outputs[0].full_scale;
    for (int i = 0; i < s.n; i++) {
        const double size = hypot(s.values[2 * i], s.values[2 * i + 1]) / s.outputs[0].scale / most;
        worst = fmax(worst, size);
    }
    check(worst <= 1 && worst > 0.95, "modulus", worst);
    kl_control_samples_free(&s);
    h.full_scale = 5.6; /* less than 4 sqrt(2) */
    check(kl_control_samples_make(&s, p, content, &h, &err) == KL_EUSAGE &&
              strstr(err.text, "--full-scale: found 5.6"),
          "a small scale", h.format);
    kl_control_samples_free(&s);
    memcpy(p->u, before, 2 * SEGMENTS * sizeof *before);
    free(before);
}

/* y' = (a - y)/tau of output j at all half steps, held samples; [2 n STEPS + 1] */
static double *filtered(const struct kl_control_samples *s, int j, double tau)
{
    const int n = 2 * s->n * STEPS;
    const double h = 1 / (s->rate * 2 * STEPS), decay = exp(-h / tau);
    double *y = calloc((size_t)n + 1, sizeof *y);
    for (int i = 0; i < n; i++) {
        const double a = s->values[i / (2 * STEPS) * s->n_outputs + j];
        y[i + 1] = a + (y[i] - a) * decay;
    }
    return y;
}

struct signal {
    double *i, *q;
    int late; /* half steps that Q is late */
    double gain, frequency, h, detuning;
    int sign;
};

/* dr/dt = 2 (u_x, u_y, detuning) x r at half step k. */
static void slope(double d[3], const double r[3], const struct signal *s, int k)
{
    const double q = k >= s->late ? s->q[k - s->late] : 0, t = k * s->h;
    const double complex z = s->gain * (s->i[k] + I * q) * cexp(-2 * M_PI * I * s->frequency * t);
    const double x = 2 * creal(z), y = 2 * s->sign * cimag(z), w = 2 * s->detuning;
    d[0] = y * r[2] - w * r[1], d[1] = w * r[0] - x * r[2], d[2] = x * r[1] - y * r[0];
}

static double by_small_steps(const struct kl_control_samples *samples, double tau, double late,
                             double gain)
{
    struct signal s = { .i = filtered(samples, 0, tau),
                        .q = filtered(samples, 1, tau),
                        .gain = gain,
                        .frequency = samples->outputs[0].frequency,
                        .h = 1 / (samples->rate * 2 * STEPS),
                        .detuning = 0.7,
                        .sign = samples->sign };
    double r[3] = { 0, 0, 1 };
    s.late = (int)lround(late / s.h);
    for (int k = 0; k < 2 * samples->n * STEPS; k += 2) {
        double a[3], b[3], c[3], d[3], at[3];
        slope(a, r, &s, k);
        for (int i = 0; i < 3; i++) at[i] = r[i] + s.h * a[i];
        slope(b, at, &s, k + 1);
        for (int i = 0; i < 3; i++) at[i] = r[i] + s.h * b[i];
        slope(c, at, &s, k + 1);
        for (int i = 0; i < 3; i++) at[i] = r[i] + 2 * s.h * c[i];
        slope(d, at, &s, k + 2);
        for (int i = 0; i < 3; i++) r[i] += s.h / 3 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
    free(s.i), free(s.q);
    return (1 + r[2]) / 2; /* 1 - <1|rho|1> */
}

static void check_score(const struct kl_control_stored *p, struct kl_control_hardware h)
{
    const struct kl_control_distortion d = {
        .tau = 0.02, .skew = "0.0125", .amplitude = "0.03", .oversample = 512
    };
    struct kl_control_samples s;
    struct kl_control_score score;
    check(kl_control_samples_make(&s, p, content, &h, &err) == 0, "make", h.format);
    check(kl_control_score_samples(&score, p, &s, &d, &err) == 0, "score", h.format);
    const double found = score.loss[KL_CONTROL_ROW_ALL];
    if (!s.mixed) kl_control_samples_mix(s.values, &s);
    const double all = by_small_steps(&s, 0.02, 0.0125, 1.03), low_pass = by_small_steps(&s, 0.02, 0, 1);
    check(fabs(found - all) < 5e-8, "all, off by", found - all);
    check(fabs(score.loss[KL_CONTROL_ROW_LOW_PASS] - low_pass) < 5e-8, "low pass, off by",
          score.loss[KL_CONTROL_ROW_LOW_PASS] - low_pass);
    check(fabs(all - score.loss[0]) > 1e-3, "nothing to see", all - score.loss[0]);
    kl_control_samples_free(&s);
}

/* Many samples, no rounding: what was designed. */
static void check_fine(const struct kl_control_stored *p, struct kl_control_hardware h, double bound)
{
    struct kl_control_samples s;
    struct kl_control_score score;
    const struct kl_control_distortion none = { .tau = -1 };
    check(kl_control_samples_make(&s, p, content, &h, &err) == 0, "make", h.format);
    check(kl_control_score_samples(&score, p, &s, &none, &err) == 0, "score", h.format);
    const double off = score.loss[KL_CONTROL_ROW_ALL] - score.loss[KL_CONTROL_ROW_DESIGNED];
    check(fabs(off) < bound, "fine samples, off by", off);
    check(score.moved < 1e-12, "moved", score.moved);
    kl_control_samples_free(&s);
}

int main(void)
{
    static const char *const signs[] = { "plus", "minus" };
    struct kl_control_stored pulse;
    make_pulse(&pulse);
    for (int f = KL_CONTROL_CSV; f <= KL_CONTROL_QUA; f++)
        for (int k = 0; k < 8; k++) {
            const struct kl_control_hardware h = { .format = (enum kl_control_format)f,
                                                   .unit = 1e-7,
                                                   .rate = k & 1 ? "1 GS/s" : NULL,
                                                   .bits = k & 2 ? 14 : 0,
                                                   .frequency = k & 1 ? "60 MHz" : NULL,
                                                   .quadrature = signs[k >> 2] };
            check_format(&pulse, h);
            check_modulus(&pulse, h);
            if (k & 1) check_score(&pulse, h);
        }
    struct kl_control_hardware h = { .format = KL_CONTROL_NPY, .quadrature = "auto" };
    check_fine(&pulse, h, 1e-14);
    h.rate = "4800", h.frequency = "-3.5";
    check_fine(&pulse, h, 1e-6);
    h.quadrature = "plus", h.format = KL_CONTROL_OPENQASM3;
    check_fine(&pulse, h, 1e-6);
    kl_control_stored_close(&pulse);
    printf("%d failures\n", failures);
    return failures != 0;
}
