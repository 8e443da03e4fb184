/* SPDX-License-Identifier: MIT
   What a run may be asked: the sound defaults, and what does not go together. */
#include <math.h>

#include "sampling/chain/chain_int.h"

void kl_sampling_settings_default(struct kl_sampling_settings *s)
{
    *s = (struct kl_sampling_settings){
        .sampler = KL_SAMPLING_SGLD,
        .convention = KL_SAMPLING_GIBBS,
        .start = KL_SAMPLING_PRIOR,
        .schedule = KL_SAMPLING_CONSTANT,
        .power = 0.5,
        .stair_drop = 0.001,
        .period = 15,
        .chains = 4,
        .anneal = -1,
        .every = 1,
        .test_every = 1,
        .whole = true,
        .noise = true,
        .target_accept = 0.57,
        .friction = 0.1,
        .rms_decay = 0.99,
        .rms_epsilon = 0.1,
        .leapfrogs = 10,
        .stop = { .alpha = 0.00025, .eps = -1e-7, .min_steps = 2000 },
    };
}

#define NO(...) return kl_fail(err, KL_EUSAGE, __VA_ARGS__)

static int check_rung(const struct kl_sampling_settings *s, size_t k, struct kl_error *err)
{
    const struct kl_sampling_rung *r = &s->rungs[k];
    const bool prior = s->convention == KL_SAMPLING_GIBBS && r->beta <= 0;
    if (!isfinite(r->beta) || r->beta < 0 || (k > 0 && !(r->beta > s->rungs[k - 1].beta)))
        NO("beta %g: expected finite temperatures from 0 that rise", r->beta);
    if (r->warmup < 0 || r->epochs < 0) NO("beta %g: expected no negative number of epochs", r->beta);
    if ((!s->stop.on || prior) && r->epochs > 0 && r->epochs < s->every)
        NO("beta %g: %lld epochs with a draw each %lld have none; more epochs, or draws more often",
           r->beta, (long long)r->epochs, (long long)s->every);
    if (prior) return KL_OK;
    if (!isfinite(r->lr) || r->lr <= 0)
        NO("beta %g: found the step %g, expected one above 0", r->beta, r->lr);
    if (r->beta <= 0 && s->sampler != KL_SAMPLING_SGLD)
        NO("beta 0 of the tempered convention is a walk: it goes with the sampler sgld alone");
    if (s->anneal > r->warmup)
        NO("beta %g: the annealing's %lld epochs are part of the warm-up, which has %lld", r->beta,
           (long long)s->anneal, (long long)r->warmup);
    if (s->work && (s->anneal < 0 ? r->warmup / 2 : s->anneal) < 1)
        NO("beta %g: a path certificate needs an annealing of at least one epoch", r->beta);
    if (s->stop.on && r->warmup < 1)
        NO("beta %g: the stopping rule needs the most epochs of a warm-up", r->beta);
    if (s->sampler == KL_SAMPLING_PSGLD && r->warmup < 1)
        NO("beta %g: psgld adapts in the warm-up, which has no epochs", r->beta);
    return KL_OK;
}

/* Of what happens now and then: does it happen at all? */
static int check_seldom(const struct kl_sampling_settings *s, struct kl_error *err)
{
    int64_t epochs = s->rungs[s->n_rungs - 1].epochs;
    for (size_t k = 0; k < s->n_rungs && !s->keep_last; k++)
        if (s->rungs[k].epochs > epochs) epochs = s->rungs[k].epochs;
    if (s->stop.on) return KL_OK; /* who knows */
    if (s->keep > epochs / s->every)
        NO("weights of each %lld draws are kept: of %lld there are none", (long long)s->keep,
           (long long)(epochs / s->every));
    if (s->test_every > epochs)
        NO("a test each %lld epochs: in %lld there is none", (long long)s->test_every,
           (long long)epochs);
    return KL_OK;
}

static int check_sampler(const struct kl_sampling_settings *s, size_t n, struct kl_error *err)
{
    const bool accepts = s->sampler == KL_SAMPLING_MALA || s->sampler == KL_SAMPLING_HMC,
               sgld = s->sampler == KL_SAMPLING_SGLD;
    if (accepts && s->batch && s->batch < n)
        NO("batch %zu: mala and hmc take all %zu records a step; batches go with --sampler sgld, psgld, "
           "sghmc, sgnht",
           s->batch, n);
    if (!s->noise && !sgld) NO("without noise there is the sampler sgld alone");
    if (s->control_variate && !sgld) NO("control variates go with the sampler sgld alone");
    if (s->tune && !accepts) NO("the step is tuned for mala and hmc alone");
    if (s->tune && !(s->target_accept > 0 && s->target_accept < 1))
        NO("target acceptance %g: expected a number between 0 and 1", s->target_accept);
    if (s->sampler == KL_SAMPLING_HMC && s->leapfrogs < 1)
        NO("%lld leapfrogs: expected at least 1", (long long)s->leapfrogs);
    if ((s->sampler == KL_SAMPLING_SGHMC || s->sampler == KL_SAMPLING_SGNHT) && !(s->friction > 0))
        NO("friction %g: expected a number above 0", s->friction);
    if (s->sampler == KL_SAMPLING_PSGLD &&
        !(s->rms_decay >= 0 && s->rms_decay < 1 && s->rms_epsilon > 0))
        NO("psgld: expected a decay from 0 to below 1 and an epsilon above 0");
    if (s->half_step && accepts) NO("mala and hmc have no bias of the step that half of it would show");
    if (s->work && ((!sgld && !accepts) || s->control_variate || !s->noise))
        NO("a path certificate goes with sgld without control variates, mala and hmc");
    return KL_OK;
}

static int check_together(const struct kl_sampling_settings *s, struct kl_error *err)
{
    if (s->schedule != KL_SAMPLING_CONSTANT && s->schedule != KL_SAMPLING_POWER && s->period < 1)
        NO("period %lld: expected at least 1 epoch", (long long)s->period);
    if (s->work && s->start != KL_SAMPLING_PRIOR)
        NO("a path certificate needs chains that begin with a draw from the prior");
    if (s->convention == KL_SAMPLING_TEMPERED && (s->anneal > 0 || s->work))
        NO("the tempered convention has another prior at each temperature: it is not annealed");
    if (s->stop.on && (s->half_step || s->exchange))
        NO("the stopping rule gives each chain a length of its own: no exchange, no half step");
    if (s->pointwise && s->keep < 1)
        NO("losses of single records are kept with kept weights: keep some");
    if (s->stop.on && !(s->stop.alpha > 0 && s->stop.alpha <= 1))
        NO("stopping rule: found alpha %g, expected it above 0, at most 1", s->stop.alpha);
    if (!s->exchange) return KL_OK;
    if (s->convention == KL_SAMPLING_TEMPERED) NO("exchange goes with the gibbs convention alone");
    if (!s->whole) NO("exchange needs the loss of all records at each draw");
    for (size_t k = 1; k < s->n_rungs; k++)
        if (s->rungs[k].epochs / s->every != s->rungs[0].epochs / s->every)
            NO("exchange needs as many epochs at each temperature");
    return KL_OK;
}

int kl_sampling_settings_check(const struct kl_sampling_settings *s,
                               const struct kl_sampling_target_f32 *target, struct kl_error *err)
{
    if (s->n_rungs < 1 || s->chains < 1 || s->first_chain < 0 || s->every < 1)
        NO("expected at least one temperature, one chain, one epoch a draw");
    if (target->n < 1 || target->size < 1) NO("expected at least one record and one weight");
    for (int t = 0; t < target->n_tensors; t++) {
        const double sigma = target->tensors[t].sigma;
        if (!(sigma > 0) || (!isfinite(sigma) && s->start == KL_SAMPLING_PRIOR))
            NO("prior of %s: found the deviation %g, expected a number above 0", target->tensors[t].name,
               sigma);
    }
    int code = check_sampler(s, target->n, err);
    if (!code) code = check_together(s, err);
    for (size_t k = 0; k < s->n_rungs && !code; k++) code = check_rung(s, k, err);
    return code ? code : check_seldom(s, err);
}
