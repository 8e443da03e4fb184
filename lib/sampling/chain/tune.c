/* SPDX-License-Identifier: MIT
   The warm-up of MALA and HMC: step and masses are tuned, and it goes on until they are. Rounds follow
   the annealing, each of them (Stan's order: Carpenter et al. 2017, doi:10.18637/jss.v076.i01; reference
   manual, "Automatic parameter tuning"): windows that double, in which HMC takes the variances of the
   weights; the step alone; then the step stands still at its mean, and the acceptance is measured. Where
   it is far from its target another round follows. */
#include <math.h>
#include <string.h>

#include "sampling/chain/chain_int.h"

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

/* What was accepted less what was to be, while the step stood still; NaN: that round had no time for it.
 */
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
