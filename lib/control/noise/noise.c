/* SPDX-License-Identifier: MIT
   From the spectrum of a noise to the rates of a Lindblad equation: two mappings of an earlier system,
   number for number, and the sound one, with standard filters and integrals that have converged. */
#include "control/noise/noise_int.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAGUERRE = 24, MOST_PULSES = 1000 };
static const double pi = 3.14159265358979323846;

/* ---- spectra ---- */
static double lorentz(double w, double width)
{
    return 1 / (w * w + width * width + 1e-30);
}

/* Of double_exp: the share of the second line, and its width. */
static void second_line(double *share, double *width, const struct kl_control_psd *psd)
{
    const double alpha = psd->alpha > 0 ? psd->alpha : 0;
    *share = fmin(alpha, 5) / 5;
    *width = psd->omega_c * (1 + alpha);
}

double kl_control_psd(const struct kl_control_psd *psd, double omega)
{
    const double a = psd->amplitude, wc = psd->omega_c;
    double share, width;
    if (psd->model == KL_CONTROL_LORENTZIAN) return a * lorentz(omega, wc);
    if (psd->model == KL_CONTROL_ONE_OVER_F) {
        if (psd->alpha <= 0) return a;
        return a / (pow(fabs(omega), psd->alpha) + pow(wc, psd->alpha) + 1e-30);
    }
    second_line(&share, &width, psd);
    return a * (1 - share) * lorentz(omega, wc) + a * share * lorentz(omega, width);
}

/* Continued into the right half of the plane. */
static double complex psd_continued(const struct kl_control_psd *psd, double complex w)
{
    const double a = psd->amplitude, wc = psd->omega_c;
    double share, width;
    if (psd->model == KL_CONTROL_LORENTZIAN) return a / (w * w + wc * wc);
    if (psd->model == KL_CONTROL_ONE_OVER_F)
        return psd->alpha <= 0 ? a : a / (cpow(w, psd->alpha) + pow(wc, psd->alpha));
    second_line(&share, &width, psd);
    return a * (1 - share) / (w * w + wc * wc) + a * share / (w * w + width * width);
}

/* ---- sequences of pulses ---- */
int kl_control_sequence(int *pulses, const char *name, struct kl_error *err)
{
    char *end = NULL;
    if (strcmp(name, "ramsey") == 0) *pulses = 0;
    else if (strcmp(name, "echo") == 0) *pulses = 1;
    else {
        const long n = strncmp(name, "cpmg_", 5) == 0 ? strtol(name + 5, &end, 10) : 0;
        if (n < 1 || n > MOST_PULSES || *end)
            return kl_fail(err, KL_EUSAGE,
                           "sequence: found '%s', expected ramsey, echo or cpmg_N with N from 1 to %d",
                           name, MOST_PULSES);
        *pulses = (int)n;
    }
    return KL_OK;
}

double kl_control_sequence_filter(int pulses, double x)
{
    if (pulses == 0) return 2 * pow(sin(x / 2), 2);
    /* The distance to the next zero of cos(x/2n), of which the quotient is sin(n y)/sin(y), up to sign.
     */
    const double n = pulses, y = remainder(x / (2 * n) - pi / 2, pi), s = sin(y),
                 quotient = s == 0 ? n : sin(n * y) / s;
    return 8 * pow(sin(x / (4 * n)), 4) * quotient * quotient;
}

/* The earlier system's: not bounded where sin(x/2) is 0 or negative. */
static double filter_of_old(int pulses, double x)
{
    if (pulses == 0) return 4 * pow(sin(x / 2), 2);
    if (pulses == 1) return 8 * pow(sin(x / 4), 4);
    const double n = pulses, quotient = sin(n * x / 2) / fmax(sin(x / 2), 1e-30);
    return 8 * pow(sin(x / (4 * n)), 4) * quotient * quotient;
}

/* ---- the integral of dephasing ---- */
struct spectrum {
    const struct kl_control_psd *psd;
    const struct kl_control_noise *noise;
    double from; /* of a tail */
};

static double felt(double w, const void *context)
{
    const struct spectrum *s = context;
    return kl_control_psd(s->psd, w) *
           kl_control_sequence_filter(s->noise->pulses, w * s->noise->duration) / (w * w);
}

static double tail(double v, const void *context)
{
    const struct spectrum *s = context;
    return kl_control_psd(s->psd, s->from / v) / s->from;
}

/* Places and signs of what the filter is made of, F(wT) = |sum sign exp(i w place T/2n)|^2 / 2. */
static double edge(int *place, int j, int pulses)
{
    *place = j == 0 ? 0 : j > pulses ? 2 * pulses + (pulses == 0) : 2 * j - 1;
    if (j == 0) return -1;
    return (j > pulses ? 1 : 2) * ((j > pulses ? pulses : j - 1) % 2 ? -1.0 : 1.0);
}

/* Of [from, inf), the part that oscillates, for one lag: exp(i w lag) falls off upwards in the plane. */
static double oscillating_tail(const struct spectrum *s, double lag, const double *x, const double *w)
{
    double complex sum = 0;
    for (int i = 0; i < LAGUERRE; i++) {
        const double complex at = s->from + I * x[i] / lag;
        sum += w[i] * psd_continued(s->psd, at) / (at * at);
    }
    return creal(I / lag * cexp(I * s->from * lag) * sum);
}

/* Of each lag, in cells, what oscillates with it: the products of the edges so far apart. */
static void weigh_lags(double *weights, int pulses)
{
    memset(weights, 0, (2 * MOST_PULSES + 1) * sizeof *weights);
    for (int j = 0, at; j <= pulses; j++) {
        const double sign = edge(&at, j, pulses);
        for (int k = j + 1, other; k <= pulses + 1; k++) {
            const double product = sign * edge(&other, k, pulses);
            weights[other - at] += product;
        }
    }
}

static double tails(const struct spectrum *s)
{
    const int n = s->noise->pulses, cells = n ? 2 * n : 1;
    const struct kl_control_integrand mean = { tail, s };
    double x[LAGUERRE], w[LAGUERRE], weights[2 * MOST_PULSES + 1];
    double sum = (1 + 2 * n) * kl_control_noise_integral(&mean, 0, 1, 4);
    kl_control_noise_gauss(x, w, LAGUERRE, KL_CONTROL_LAGUERRE);
    weigh_lags(weights, n);
    for (int lag = 1; lag <= cells; lag++)
        if (weights[lag] != 0)
            sum += weights[lag] * oscillating_tail(s, lag * s->noise->duration / cells, x, w);
    return sum;
}

/* (1/pi) integral over w > 0 of S F/w^2. Up to `from` panel by panel; beyond it the mean of the filter,
   and its oscillating parts along lines upwards in the plane, where they fall off. The spectrum has no
   pole to the right of `from`. */
static double chi_standard(const struct kl_control_psd *psd, const struct kl_control_noise *noise)
{
    struct spectrum s = { psd, noise, 0 };
    const int cells = noise->pulses ? 2 * noise->pulses : 1;
    s.from = 40 * cells / noise->duration;
    if (psd->model == KL_CONTROL_ONE_OVER_F && psd->alpha > 2) s.from = fmax(s.from, 2 * psd->omega_c);
    const double panels = ceil(s.from * noise->duration / (4 * pi));
    const struct kl_control_integrand f = { felt, &s };
    return (kl_control_noise_integral(&f, 0, s.from, (int)fmin(panels, 1e7)) + tails(&s)) / pi;
}

static double chi_of_old(const struct kl_control_psd *psd, const struct kl_control_noise *noise)
{
    enum { POINTS = 4000 };
    const double step = 1000 / noise->duration / (POINTS - 1);
    double sum = 0;
    for (int i = 1; i < POINTS; i++) { /* its term at 0 is 0 */
        const double w = i * step, f = filter_of_old(noise->pulses, w * noise->duration);
        sum += (i == POINTS - 1 ? 0.5 : 1) * kl_control_psd(psd, w) * f / (w * w);
    }
    return sum * step / pi;
}

/* ---- relaxation ---- */
static double line(double w, double at, double width)
{
    return width / (2 * pi) / ((w - at) * (w - at) + width * width / 4);
}

static double gamma_of_old(const struct kl_control_psd *psd, const struct kl_control_noise *noise)
{
    enum { POINTS = 4001 };
    const double at = noise->omega0, width = noise->gamma_h, span = fmax(50 * width, 5 * fabs(at)),
                 step = 2 * span / (POINTS - 1);
    double sum = 0;
    if (width == 0) return kl_control_psd(psd, fabs(at));
    for (int i = 0; i < POINTS; i++) {
        const double w = at - span + i * step;
        sum += (i == 0 || i == POINTS - 1 ? 0.5 : 1) * kl_control_psd(psd, w) * line(w, at, width);
    }
    return sum * step;
}

struct broad_line {
    const struct kl_control_psd *psd;
    double at, width;
};

/* w = at + width/2 tan(angle): the line itself becomes flat. */
static double along_angle(double angle, const void *context)
{
    const struct broad_line *l = context;
    return kl_control_psd(l->psd, l->at + l->width / 2 * tan(angle)) / pi;
}

double kl_control_psd_line(const struct kl_control_psd *psd, double omega, double width)
{
    if (width <= 0) return kl_control_psd(psd, omega);
    const struct broad_line l = { psd, omega, width };
    const struct kl_control_integrand f = { along_angle, &l };
    const double zero = atan(-2 * omega / width); /* where the spectrum may have a cusp */
    return kl_control_noise_integral(&f, -pi / 2, zero, 4) +
           kl_control_noise_integral(&f, zero, pi / 2, 4);
}

/* ---- band ---- */

static double band_of_old(const struct kl_control_psd *psd, const struct kl_control_noise *noise)
{
    enum { POINTS = 500 };
    const double width = noise->segments / noise->duration, step = 2 * width / (POINTS - 1);
    double sum = 0;
    for (int i = 0; i < POINTS; i++)
        if (i * step <= width)
            sum += (i == 0 || i == POINTS - 1 ? 0.5 : 1) * kl_control_psd(psd, i * step);
    return sum * step / (2 * width);
}

/* ---- all of it ---- */
static int check(const struct kl_control_psd *psd, const struct kl_control_noise *noise,
                 struct kl_error *err)
{
    const struct {
        const char *name;
        double value, least, most;
        bool open; /* the least itself is none */
    } values[] = {
        { "alpha", psd->alpha, -10, 10, false },
        { "A", psd->amplitude, 0, 1e30, false },
        { "omega-c", psd->omega_c, 0, 1e9, true },
        { "T", noise->duration, 0, 1e12, true },
        { "omega0", noise->omega0, 0, 1e12, false },
        { "gamma-h", noise->gamma_h, 0, 1e12, false },
        { "line-width", noise->line_width, 0, 1e12, false },
        { "temperature", noise->temperature, 0, INFINITY, false },
        { "segments", noise->segments, 1, 1e6, false },
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const double v = values[i].value;
        if (v > values[i].least && v <= values[i].most) continue;
        if (v == values[i].least && !values[i].open) continue;
        return kl_fail(err, KL_EUSAGE, "%s: found %g, expected %s %g to %g", values[i].name, v,
                       values[i].open ? "a number above" : "from", values[i].least, values[i].most);
    }
    if (psd->alpha > 2 && psd->omega_c * noise->duration > 1e6)
        return kl_fail(err, KL_EUSAGE,
                       "omega-c T: found %g, expected at most 1e6 where alpha is above 2",
                       psd->omega_c * noise->duration);
    return KL_OK;
}

void kl_control_noise_default(struct kl_control_noise *noise)
{
    *noise = (struct kl_control_noise){ .mapping = KL_CONTROL_STANDARD,
                                        .duration = 1,
                                        .omega0 = 1,
                                        .gamma_h = 100,
                                        .temperature = INFINITY,
                                        .segments = 20 };
}

int kl_control_noise_rates(struct kl_control_rates *rates, const struct kl_control_psd *psd,
                           const struct kl_control_noise *noise, struct kl_error *err)
{
    const int code = check(psd, noise, err);
    if (code) return code;
    *rates = (struct kl_control_rates){ 0 };
    if (noise->mapping == KL_CONTROL_BAND) { /* sqrt(g) X and sqrt(g) Y are sqrt(2g) up and down */
        const double g = band_of_old(psd, noise);
        rates->phi = rates->up = rates->down = 2 * g;
    } else if (noise->mapping == KL_CONTROL_FILTER) {
        rates->phi = chi_of_old(psd, noise) / noise->duration;
        rates->down = gamma_of_old(psd, noise);
    } else {
        const double s = kl_control_psd_line(psd, noise->omega0, noise->line_width),
                     ratio = noise->omega0 == 0 ? 0 : noise->omega0 / noise->temperature;
        rates->phi = chi_standard(psd, noise) / noise->duration;
        rates->down = s / 2 / (1 + exp(-ratio));
        rates->up = s / 2 / (1 + exp(ratio));
    }
    if (isfinite(rates->phi) && isfinite(rates->down) && isfinite(rates->up)) return KL_OK;
    return kl_fail(
        err, KL_EDATA,
        "rates: found dephasing %g, down %g, up %g, expected finite numbers; the parameters of the "
        "spectrum are out of range",
        rates->phi, rates->down, rates->up);
}
