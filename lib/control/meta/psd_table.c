/* SPDX-License-Identifier: MIT
   Rates of a family's spectra by interpolation. A task needs two integrals of thousands of points, which
   would take longer than all else in a step. Rates are proportional to A and smooth in alpha and log
   omega_c, so that Chebyshev polynomials in these are exact to a bound, which is checked at points
   between. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta_train.h"

enum { MOST = 64, CHECKS = 40, RATES = 3 };
#define BOUND 1e-9 /* of the largest rate */

/* Logarithms of rates that are positive throughout, in which they vary by less; else the rates. */
struct kl_control_psd_table {
    int n, m; /* polynomials in alpha, in log omega_c */
    struct kl_control_range alpha, log_omega;
    double most[RATES];           /* at A = 1 */
    double c[RATES][MOST * MOST]; /* coefficients [n][m] */
    bool logs[RATES];
    enum kl_control_psd_model model;
    struct kl_control_noise noise;
};

static double at_node(struct kl_control_range r, double x)
{
    return (r.low + r.high) / 2 + x * (r.high - r.low) / 2;
}

static int rates_at(double rates[RATES], const struct kl_control_psd_table *t, double alpha,
                    double log_omega, struct kl_error *err)
{
    const struct kl_control_psd psd = { t->model, alpha, 1, exp(log_omega) };
    struct kl_control_rates r;
    const int code = kl_control_noise_rates(&r, &psd, &t->noise, err);
    if (!code) rates[0] = r.phi, rates[1] = r.down, rates[2] = r.up;
    return code;
}

/* Values at Chebyshev's nodes, rows alpha, to coefficients, along one direction: discrete cosines. */
static void to_coefficients(double *values, int n, int stride)
{
    double c[MOST];
    for (int k = 0; k < n; k++) {
        c[k] = 0;
        for (int j = 0; j < n; j++) c[k] += values[j * stride] * cos(M_PI * k * (j + 0.5) / n);
        c[k] *= (k ? 2.0 : 1.0) / n;
    }
    for (int k = 0; k < n; k++) values[k * stride] = c[k];
}

static int fill(struct kl_control_psd_table *t, struct kl_error *err)
{
    memset(t->most, 0, sizeof t->most);
    for (int r = 0; r < RATES; r++) t->logs[r] = true;
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < t->m; j++) {
            double rates[RATES];
            const int code = rates_at(rates, t, at_node(t->alpha, cos(M_PI * (i + 0.5) / t->n)),
                                      at_node(t->log_omega, cos(M_PI * (j + 0.5) / t->m)), err);
            if (code) return code;
            for (int r = 0; r < RATES; r++) {
                t->c[r][i * t->m + j] = rates[r], t->logs[r] = t->logs[r] && rates[r] > 0;
                t->most[r] = fmax(t->most[r], rates[r]);
            }
        }
    for (int r = 0; r < RATES; r++) {
        for (int i = 0; t->logs[r] && i < t->n * t->m; i++) t->c[r][i] = log(t->c[r][i]);
        for (int i = 0; i < t->n; i++) to_coefficients(t->c[r] + i * t->m, t->m, 1);
        for (int j = 0; j < t->m; j++) to_coefficients(t->c[r] + j, t->n, t->m);
    }
    return KL_OK;
}

static double place(double x, struct kl_control_range r)
{
    return r.high > r.low ? fmax(-1, fmin(1, (2 * x - r.low - r.high) / (r.high - r.low))) : 0;
}

static void polynomials(double *t, int n, double x)
{
    t[0] = 1;
    if (n > 1) t[1] = x;
    for (int k = 2; k < n; k++) t[k] = 2 * x * t[k - 1] - t[k - 2];
}

static void look_up(double rates[RATES], const struct kl_control_psd_table *t, double alpha,
                    double log_omega)
{
    double a[MOST], w[MOST];
    polynomials(a, t->n, place(alpha, t->alpha)), polynomials(w, t->m, place(log_omega, t->log_omega));
    for (int r = 0; r < RATES; r++) {
        double sum = 0;
        for (int i = 0; i < t->n; i++) {
            double row = 0;
            for (int j = 0; j < t->m; j++) row += t->c[r][i * t->m + j] * w[j];
            sum += a[i] * row;
        }
        rates[r] = t->logs[r] ? exp(sum) : fmax(0, sum);
    }
}

/* The largest deviation of a table from the integrals, in parts of the largest rate, between the nodes.
 */
static int deviation(double *most, const struct kl_control_psd_table *t, struct kl_error *err)
{
    *most = 0;
    for (int i = 0; i < CHECKS; i++) {
        /* Additive recurrence of the plastic number: even, and on no node. */
        const double alpha = at_node(t->alpha, 2 * fmod(0.5 + i * 0.7548776662466927, 1) - 1),
                     log_omega = at_node(t->log_omega, 2 * fmod(0.5 + i * 0.5698402909980532, 1) - 1);
        double found[RATES], wanted[RATES];
        const int code = rates_at(wanted, t, alpha, log_omega, err);
        if (code) return code;
        look_up(found, t, alpha, log_omega);
        for (int r = 0; r < RATES; r++)
            if (t->most[r] > 0) *most = fmax(*most, fabs(found[r] - wanted[r]) / t->most[r]);
    }
    return KL_OK;
}

static int make(struct kl_control_psd_table *t, const struct kl_control_family *f, struct kl_error *err)
{
    double apart = INFINITY;
    t->alpha = f->alpha;
    t->log_omega = (struct kl_control_range){ log(f->omega_c.low), log(f->omega_c.high) };
    for (int n = 8; apart > BOUND && n <= MOST; n *= 2) {
        t->n = t->alpha.high > t->alpha.low ? n : 1, t->m = t->log_omega.high > t->log_omega.low ? n : 1;
        int code = fill(t, err);
        if (!code) code = deviation(&apart, t, err);
        if (code) return code;
    }
    if (apart <= 1e-4) return KL_OK;
    return kl_fail(
        err, KL_EUSAGE,
        "rates of the spectra: found a deviation of %.1g between %d x %d integrals, expected at "
        "most 1e-4; give narrower ranges of alpha and omega_c",
        apart, MOST, MOST);
}

int kl_control_psd_tables(struct kl_control_family *f, const struct kl_control_noise *noise,
                          struct kl_error *err)
{
    for (int m = 0; f->psd && m < 3; m++) {
        if (f->models[m] <= 0) continue;
        struct kl_control_psd_table *t = calloc(1, sizeof *t);
        if (!t) return kl_fail_memory(err, sizeof *t);
        f->table[m] = t;
        t->model = (enum kl_control_psd_model)m, t->noise = *noise;
        const int code = make(t, f, err);
        if (code) return code;
    }
    return KL_OK;
}

void kl_control_psd_tables_free(struct kl_control_family *f)
{
    for (int m = 0; m < 3; m++) free(f->table[m]), f->table[m] = NULL;
}

void kl_control_psd_rates(struct kl_control_meta_task *task, const struct kl_control_family *f)
{
    double rates[RATES];
    look_up(rates, f->table[task->model], task->theta[0], log(task->theta[2]));
    task->rates[KL_BLOCH_DEPHASING] = task->theta[1] * rates[0];
    task->rates[KL_BLOCH_DOWN] = task->theta[1] * rates[1];
    task->rates[KL_BLOCH_UP] = task->theta[1] * rates[2];
}

double kl_control_psd_most(const struct kl_control_family *f)
{
    double most = 0;
    for (int m = 0; m < 3; m++) {
        const struct kl_control_psd_table *t = f->table[m];
        /* The nodes miss the corners by little. */
        if (t) most = fmax(most, 1.5 * f->amplitude.high * (t->most[0] + t->most[1] + t->most[2]));
    }
    return most;
}
