/* SPDX-License-Identifier: MIT
   What changes along a chain by rule: its step, its temperature while it is annealed, when its warm-up
   ends, and its random numbers' key. Section numbers are those of the reference's description
   (arXiv:2510.06028 and its code). */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sampling/chain/walker_int.h"

double kl_sampling_lr(const struct kl_sampling_settings *s, double lr, int64_t epoch)
{
    const double period = (double)(s->period > 0 ? s->period : 1);
    switch (s->schedule) {
    case KL_SAMPLING_POWER: return fmax(s->stair_low, lr * pow((double)epoch + 1, -s->power));
    case KL_SAMPLING_STAIR:
        return fmax(s->stair_low, lr - s->stair_drop * floor((double)epoch / period));
    case KL_SAMPLING_CYCLICAL:
        /* Zhang et al. 2020: from lr down to nearly 0 within each cycle. */
        return lr / 2 * (1 + cos(M_PI * fmod((double)epoch, period) / period));
    case KL_SAMPLING_CONSTANT: break;
    }
    return lr;
}

double kl_sampling_anneal(double beta, int64_t step, int64_t steps)
{
    const double t = steps > 0 && step < steps ? ((double)step + 1) / (double)steps : 1;
    return step < 0 && steps > 0 ? 0 : beta * t * t * t;
}

double kl_sampling_tuned(double ln_step, int64_t t, double accept, double target)
{
    return ln_step + pow((double)t, -0.75) * (fmin(1, accept) - target);
}

void kl_sampling_dual_begin(struct kl_sampling_dual *d, double ln_step)
{
    *d = (struct kl_sampling_dual){ .centre = log(10) + ln_step, .average = ln_step };
}

double kl_sampling_dual_add(struct kl_sampling_dual *d, double accept, double target)
{
    static const double gamma = 0.05, t0 = 10, kappa = 0.75;
    const double t = ++d->steps, share = 1 / (t + t0), settled = pow(t, -kappa);
    d->error = (1 - share) * d->error + share * (target - (accept > 0 ? fmin(1, accept) : 0));
    const double ln_step = d->centre - sqrt(t) / gamma * d->error;
    d->average = settled * ln_step + (1 - settled) * d->average;
    return ln_step;
}

void kl_sampling_average_add(struct kl_sampling_average *a, const struct kl_sampling_stop *rule,
                             double loss)
{
    if (!a->begun) a->last = loss;
    a->begun = 1, a->before = a->mean;
    a->mean = rule->alpha / 2 * (a->last + loss) + (1 - rule->alpha) * a->mean;
    a->last = loss;
}

bool kl_sampling_average_stops(const struct kl_sampling_average *a, const struct kl_sampling_stop *rule,
                               int64_t epochs, int64_t steps_per_epoch)
{
    const bool few = (double)epochs < (double)rule->min_steps / (double)steps_per_epoch;
    return !few && !(a->mean - a->before < rule->eps);
}

struct kl_langevin_factors kl_sampling_factors(const struct kl_sampling_euler *e, double sigma)
{
    const double precision = (e->convention == KL_SAMPLING_TEMPERED ? e->beta : 1) / (sigma * sigma),
                 eta = e->beta > 0 ? e->lr / e->beta : 0;
    struct kl_langevin_factors f = { 1 - eta / 2 * precision, eta / 2 * e->annealed, sqrt(eta) };
    if (e->exact_prior && precision > 0)
        f.shrink = exp(-eta / 2 * precision), f.spread = sqrt(-expm1(-eta * precision) / precision);
    /* The reference's walk at beta 0, and its decay where beta is not part of the step. */
    if (e->beta <= 0) f = (struct kl_langevin_factors){ 1, 0, e->lr };
    if (!e->noise) f.spread = 0;
    return f;
}

/* The bits of beta are part of it, so that a temperature put between others has its own numbers and
 * leaves theirs. */
uint64_t kl_sampling_key(uint64_t seed, double beta, int64_t number, uint32_t purpose)
{
    uint64_t bits;
    uint32_t words[4];
    memcpy(&bits, &beta, sizeof bits);
    kl_philox(words, seed, (uint32_t)bits, purpose, (uint32_t)(bits >> 32), (uint32_t)number);
    return (uint64_t)words[1] << 32 | words[0];
}

/* A permutation of 0 .. n - 1, or its first `count` alone (Fisher and Yates, from the front). */
void kl_sampling_shuffle(int64_t *rows, size_t n, size_t count, uint64_t key, uint64_t step)
{
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < n; i++) rows[i] = (int64_t)i;
    for (size_t i = 0; i < count && i + 1 < n; i++) {
        if (i % 2 == 0)
            kl_philox(words, key, (uint32_t)(i / 2), KL_RANDOM_CHAIN_BATCHES, (uint32_t)step,
                      (uint32_t)(step >> 32));
        const uint64_t bits = (uint64_t)words[i % 2 * 2 + 1] << 32 | words[i % 2 * 2];
        const size_t j = i + (size_t)(((unsigned __int128)bits * (n - i)) >> 64);
        const int64_t kept = rows[i];
        rows[i] = rows[j], rows[j] = kept;
    }
}
