/* SPDX-License-Identifier: MIT
   Bounds on the true loss from an empirical one and a divergence, in the forms that the reference uses,
   and the factor by which it calibrates them. */
#include <math.h>

#include "sampling/ladder/ladder.h"

void kl_sampling_bound_options_default(struct kl_sampling_bound_options *o, int64_t n)
{
    *o = (struct kl_sampling_bound_options){
        .delta = 0.01, .log_constant = kl_sampling_log_xi(n), .factor = 1, .share = 0.1, .threshold = NAN
    };
}

double kl_sampling_budget(double gamma, int64_t n, const struct kl_sampling_bound_options *o)
{
    return (gamma + o->log_constant - log(o->delta)) / (double)n;
}

double kl_sampling_bound(double p, double gamma, int64_t n, const struct kl_sampling_bound_options *o)
{
    const double size = (double)n, budget = kl_sampling_budget(gamma, n, o);
    switch (o->form) {
    case KL_SAMPLING_FORM_HOEFFDING:
        return p + sqrt((fmax(gamma, 0) * (1 + 1 / size) + log(fmax(gamma, 1) * (size + 1) / o->delta)) /
                        (2 * size));
    case KL_SAMPLING_FORM_SQRT_LINEAR: return p + 2 * budget + sqrt(2 * p * fmax(budget, 1e-10 / size));
    default: return kl_sampling_kl_upper(p, budget);
    }
}

/* The condition is linear in f: f Gamma_k >= need_k. */
void kl_sampling_calibrate(struct kl_sampling_calibration *to, const double *p, const double *gamma,
                           size_t n_rungs, int64_t n, const struct kl_sampling_bound_options *o)
{
    size_t above = 0;
    *to = (struct kl_sampling_calibration){ .exists = true, .at_most = INFINITY };
    for (size_t k = 1; k < n_rungs; k++) {
        if (p[k] >= o->threshold) continue;
        const double need =
            (double)n * kl_sampling_kl(p[k], o->threshold) - (o->log_constant - log(o->delta));
        if (gamma[k] > 0 && need / gamma[k] > to->factor) {
            to->factor = need / gamma[k];
            if (to->exists) to->at = k;
        }
        if (gamma[k] < 0 && need / gamma[k] < to->at_most) to->at_most = need / gamma[k], above = k;
        if (gamma[k] <= 0 && need > 0) {
            if (to->exists) to->at = k;
            to->exists = false;
        }
    }
    if (to->exists && to->factor > to->at_most) to->exists = false, to->at = above;
    if (!to->exists) to->factor = NAN;
}

static double least_coarse(const double *p, const double *gamma, size_t n_rungs, int64_t n,
                           double factor, const struct kl_sampling_bound_options *o)
{
    double least = INFINITY;
    for (size_t k = 1; k < n_rungs; k++)
        least =
            fmin(least, kl_sampling_kl_upper_coarse(p[k], kl_sampling_budget(factor * gamma[k], n, o)));
    return least;
}

bool kl_sampling_calibrate_bisect(double *factor, const double *p, const double *gamma, size_t n_rungs,
                                  int64_t n, const struct kl_sampling_bound_options *o)
{
    double low = 0.1, high = 100;
    *factor = (low + high) / 2;
    for (int i = 0; i < 200; i++) {
        const double least = least_coarse(p, gamma, n_rungs, n, *factor, o);
        if (!(high - low > 0.01) && !(least < o->threshold)) return true;
        if (least < o->threshold) low = *factor;
        else high = *factor;
        *factor = (low + high) / 2;
    }
    return false;
}
