/* SPDX-License-Identifier: MIT
   What changes along a chain: by rule, and while it warms up. */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sampling/chain/chain_int.h"
#include "sampling/chain/walker_int.h"

/* ---- schedule ----
   What changes along a chain by rule: its step, its temperature while it is annealed, when its warm-up
   ends, and its random numbers' key. Section numbers are those of the reference's description
   (arXiv:2510.06028 and its code). */

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

/* ---- tune ----
   The warm-up of MALA and HMC: step and masses are tuned, and it goes on until they are. Rounds follow
   the annealing, each of them (Stan's order: Carpenter et al. 2017, doi:10.18637/jss.v076.i01; reference
   manual, "Automatic parameter tuning"): windows that double, in which HMC takes the variances of the
   weights; the step alone; then the step stands still at its mean, and the acceptance is measured. Where
   it is far from its target another round follows. */

enum {
    LEAST_CHECK = 30,
    MOST_CHECK = 200,
    FIRST_WINDOW = 25, /* Stan's */
    LEAST_WINDOW = 20,
    LEAST_ROUND = 150,
    LIMIT = 1000
};
static const double NEAR = 0.1; /* the target */
static const double LEAST_AIM = 0.1, MOST_AIM = 0.98;

int64_t kl_sampling_tune_limit(int64_t warmup)
{
    return warmup == 0 ? 0 : warmup < LIMIT / 10 ? LIMIT : 10 * warmup;
}

/* The last epochs of a round in which the step stands still; before them as many of the step alone. */
static int64_t check_of(int64_t epochs)
{
    const int64_t third = epochs / 3;
    return third < LEAST_CHECK ? 0 : third < MOST_CHECK ? third : MOST_CHECK;
}

/* ln of the leapfrog's step <-> of lr = beta step^2. */
static double leapfrog_of(const struct kl_sampling_chain *c)
{
    return (c->sum.ln_step - log(c->beta)) / 2;
}
static void set_step(struct kl_sampling_chain *c, double ln_leapfrog)
{
    c->sum.ln_step = 2 * ln_leapfrog + log(c->beta);
}

static void forget_draws(struct kl_sampling_chain *c)
{
    if (!c->scale) return;
    memset(c->mean, 0, c->target->size * sizeof *c->mean);
    memset(c->squares, 0, c->target->size * sizeof *c->squares);
    c->tuning.draws = 0;
}

void kl_sampling_tune_begin(struct kl_sampling_chain *c)
{
    c->tuning =
        (struct kl_sampling_tuning){ .began = (double)c->anneal, .aim = c->settings->target_accept };
    kl_sampling_dual_begin(&c->tuning.dual, leapfrog_of(c));
    forget_draws(c);
}

/* ---- masses ---- */

/* Welford 1962. */
static void add_draw(struct kl_sampling_chain *c)
{
    const double n = ++c->tuning.draws;
    for (size_t i = 0; i < c->target->size; i++) {
        const double w = (double)c->w[i], off = w - (double)c->mean[i],
                     mean = (double)c->mean[i] + off / n;
        c->mean[i] = (float)mean;
        c->squares[i] = (float)((double)c->squares[i] + off * (w - mean));
    }
}

/* Deviations of the window's draws, drawn towards small ones as Stan does it, which are here in units of
   the prior's. The step changes with them by the mean of its logarithms. */
static void take_scales(struct kl_sampling_chain *c)
{
    const struct kl_sampling_target_f32 *t = c->target;
    const double n = c->tuning.draws, weight = n / (n + 5);
    double moved = 0;
    for (int k = 0; k < t->n_tensors; k++)
        for (size_t i = t->tensors[k].offset; i < t->tensors[k].offset + t->tensors[k].size; i++) {
            const double least = 1e-3 * t->tensors[k].sigma * t->tensors[k].sigma,
                         variance = weight * (double)c->squares[i] / (n - 1) + (1 - weight) * least;
            moved += log((double)c->scale[i]) - log(variance) / 2;
            c->scale[i] = (float)sqrt(variance);
        }
    const double ln_step = c->tuning.dual.average + moved / (double)t->size;
    set_step(c, ln_step);
    kl_sampling_dual_begin(&c->tuning.dual, ln_step);
    forget_draws(c);
}

/* Does a window of the round, from `began` to `end`, end with this epoch? One that leaves no room for
   the next, which is twice as long, goes as far as the end. */
static bool window_ends(int64_t began, int64_t end, int64_t done)
{
    int64_t at = began, length = FIRST_WINDOW;
    while (at < done) {
        at = at + 3 * length > end ? end : at + length;
        length *= 2;
    }
    return at == done;
}

/* ---- rounds ---- */

void kl_sampling_tune_add(struct kl_sampling_chain *c, double accept)
{
    struct kl_sampling_tuning *t = &c->tuning;
    const int64_t epoch = c->at.epoch, began = (int64_t)t->began, check = check_of(c->at.warm - began),
                  still = c->at.warm - check, windows = still - check;
    if (c->settings->work && epoch < c->anneal)
        return; /* a certificate's kernels do not know the past */
    c->at.proposals++;
    if (epoch >= still) {
        t->accepted += accept;
        return;
    }
    set_step(c, kl_sampling_dual_add(&t->dual, accept, t->aim));
    if (c->scale && epoch >= began && epoch < windows && windows - began >= LEAST_WINDOW) {
        add_draw(c);
        if (window_ends(began, windows, epoch + 1)) take_scales(c);
    }
    if (epoch + 1 == began) kl_sampling_dual_begin(&t->dual, leapfrog_of(c)); /* beta no longer rises */
    if (epoch + 1 == still) set_step(c, t->dual.average), t->accepted = 0;
}

/* The acceptance less its target, while the step stood still; NaN: that round had no time for it. */
static double missed(const struct kl_sampling_chain *c)
{
    const int64_t check = check_of(c->at.warm - (int64_t)c->tuning.began);
    return check > 0 ? c->tuning.accepted / (double)check - c->settings->target_accept : NAN;
}

bool kl_sampling_tune_near(const struct kl_sampling_chain *c)
{
    return fabs(missed(c)) <= NEAR;
}

/* The averages go on, so that they settle, but where new masses make another step of it. Over a few
   dozen proposals the mean of the steps is accepted more often than the steps were, which change a lot:
   the next round aims as much lower, or higher, as this one missed. */
int64_t kl_sampling_tune_more(struct kl_sampling_chain *c)
{
    const int64_t limit = kl_sampling_tune_limit(c->warmup), half = c->at.warm / 2,
                  more = c->at.warm + (half < LEAST_ROUND ? LEAST_ROUND : half);
    const double off = missed(c);
    if (!isnan(off)) c->tuning.aim = fmin(fmax(c->tuning.aim - off, LEAST_AIM), MOST_AIM);
    c->tuning.began = (double)c->at.warm;
    forget_draws(c);
    return more < limit ? more : limit;
}
