/* SPDX-License-Identifier: MIT
   Path certificate: what a chain's way from a prior draw proves of the law of its end, mixed or not. For
   w_0 ~ pi and kernels F_k, any reverse kernels B_k: KL(q_K||pi) <= E[ln pi(w_0) - ln pi(w_K) + sum_k ln
   F_k - ln B_k] (the relative entropy of the paths, which that of their ends does not exceed). */
#include <math.h>

#include "sampling/ladder/ladder.h"
#include "stats/stats.h"

double kl_sampling_path_step(const double *from, const double *to, const double *gradient_from,
                             const double *gradient_to, size_t size, double decay, double kick,
                             double variance)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++) {
        const double back = from[i] - decay * to[i] + kick * gradient_to[i];
        const double forth = to[i] - decay * from[i] + kick * gradient_from[i];
        sum += (back - forth) * (back + forth); /* of two squares that nearly cancel */
    }
    return sum / (2 * variance);
}

double kl_sampling_path_prior(const double *from, const double *to, size_t size, double sigma)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += (to[i] - from[i]) * (to[i] + from[i]);
    return sum / (2 * sigma * sigma);
}

double kl_sampling_path_invariant(const double *beta, const double *loss, size_t last)
{
    double sum = 0;
    for (size_t k = 0; k < last; k++) sum += (beta[k + 1] - beta[k]) * loss[k];
    return sum - beta[last] * loss[last];
}

void kl_sampling_path_mean(double *mean, double *upper, const double *work, size_t n_chains,
                           size_t stride, double delta)
{
    double sum = 0, squares = 0;
    *mean = *upper = NAN;
    for (size_t i = 0; i < n_chains; i++) sum += work[i * stride];
    if (n_chains == 0) return;
    *mean = sum / (double)n_chains;
    if (n_chains < 2) return;
    for (size_t i = 0; i < n_chains; i++)
        squares += (work[i * stride] - *mean) * (work[i * stride] - *mean);
    const double t = kl_stats_student_quantile(1 - 2 * delta, n_chains - 1);
    *upper = *mean + t * sqrt(squares / (double)(n_chains - 1) / (double)n_chains);
}
