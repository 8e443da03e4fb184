/* SPDX-License-Identifier: MIT
   Private to the sound way of the generators: one generator while it learns (learner.c), and what is
   kept of it (train.c). */
#ifndef KL_QRNG_GAN_LEARNER_H
#define KL_QRNG_GAN_LEARNER_H

#include "circuit/estimate.h"
#include "qrng/gan/study.h"

struct kl_gan_learner {
    const struct kl_gan_place *to;
    const struct kl_gan_options *o;
    size_t n_cells;
    struct kl_circuit *circuit; /* of a quantum generator */
    struct kl_measured measured;
    struct kl_born_f32 born;
    struct kl_gan_mixture mixture; /* of a network */
    struct kl_discriminator_f32 d; /* adversarial */
    float *law, *dp, *target;
    double *counts, *frequencies, *wide, *scratch; /* (n_cells), scratch: 3 of them */
    struct kl_arena memory, work;
};

/* Generator and discriminator as they begin; to, o and n_cells are set by the caller, who releases l in
   every case. KL_ENOMEM, KL_EUSAGE. */
int kl_gan_learner_make(struct kl_gan_learner *l, struct kl_error *err);
void kl_gan_learner_release(struct kl_gan_learner *l);
/* l->law of the generator as it is, which the epoch trains; judged: that which it is judged by, for a
   network the mean over latent vectors of its own. */
int kl_gan_learner_law(struct kl_gan_learner *l, int64_t epoch, bool judged, struct kl_error *err);
/* Losses of l->law; l->dp, the gradient by it, is set; the discriminator's own is left in l->d.grad. */
struct kl_gan_losses kl_gan_learner_score(struct kl_gan_learner *l);
/* One step of the generator and those of the discriminator; losses into the history. l->law is that
   which the epoch is judged by. */
int kl_gan_learner_step(struct kl_gan_learner *l, int64_t epoch, struct kl_error *err);

#endif
