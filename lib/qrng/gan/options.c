/* SPDX-License-Identifier: MIT
   What options that were left open become, and which do not go together. */
#include "qrng/gan/study.h"

static void fill(int64_t *value, int64_t otherwise)
{
    if (*value == 0) *value = otherwise;
}

static int settle_reference(struct kl_gan_options *o, struct kl_error *err)
{
    const bool quantum = o->generator == KL_GAN_QUANTUM;
    if (o->loss != KL_GAN_ADVERSARIAL)
        return kl_fail(err, KL_EUSAGE, "--reference trains by --loss gan alone");
    if (o->word_bits || o->hidden || o->steps || o->patience || o->resamples || o->penalty != 0)
        return kl_fail(err, KL_EUSAGE,
                       "--reference has its own word-bits, hidden, discriminator-steps, "
                       "gradient-penalty, patience and resamples; leave these away");
    fill(&o->epochs, quantum ? 50 : 100);
    o->hidden = quantum ? 10 : 20;
    o->steps = 1;
    if (o->decay == 0) o->decay = 0.005;
    return KL_OK;
}

static int settle_sound(struct kl_gan_options *o, struct kl_error *err)
{
    if (o->all_rows)
        return kl_fail(err, KL_EUSAGE, "--all-rows without --reference: all rows are taken");
    fill(&o->epochs, 2000);
    fill(&o->word_bits, 8);
    fill(&o->hidden, 32);
    fill(&o->steps, 3);
    fill(&o->patience, 300);
    fill(&o->resamples, 1000);
    if (o->loss != KL_GAN_ADVERSARIAL) o->hidden = o->steps = 0;
    if (o->generator == KL_GAN_QUANTUM && o->word_bits > KL_GAN_MOST_QUBITS)
        return kl_fail(err, KL_EUSAGE, "--word-bits %lld: a circuit has at most %d qubits here",
                       (long long)o->word_bits, KL_GAN_MOST_QUBITS);
    return KL_OK;
}

int kl_gan_settle(struct kl_gan_options *o, struct kl_error *err)
{
    const bool quantum = o->generator == KL_GAN_QUANTUM;
    if (!quantum && (o->repetitions || o->shots))
        return kl_fail(err, KL_EUSAGE, "--%s without --generator quantum",
                       o->shots ? "shots" : "repetitions");
    if (quantum) fill(&o->repetitions, 4);
    if (o->loss != KL_GAN_ADVERSARIAL && (o->hidden || o->steps || o->penalty != 0))
        return kl_fail(err, KL_EUSAGE, "--%s is of the discriminator, and only --loss gan has one",
                       o->hidden  ? "hidden"
                       : o->steps ? "discriminator-steps"
                                  : "gradient-penalty");
    if (o->loss != KL_GAN_ADVERSARIAL && quantum && o->decay != 0)
        return kl_fail(err, KL_EUSAGE, "--weight-decay is of networks, and here there is none");
    if (o->lr == 0) o->lr = 0.01;
    return o->reference ? settle_reference(o, err) : settle_sound(o, err);
}
