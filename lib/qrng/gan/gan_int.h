/* SPDX-License-Identifier: MIT
   Between the files of the study's GANs. */
#ifndef KL_QRNG_GAN_GAN_INT_H
#define KL_QRNG_GAN_GAN_INT_H

#include "qrng/gan/study.h"
#include "train/train.h"

/* ---- models as learners of lib/train (train.c) ----
   An epoch is one step; parameters lie in the model. One that is stopped does not go on. */
/* Of models whose every epoch is as good as another; steps and what else it takes are the caller's. */
struct kl_learner kl_gan_learner(void *context);
/* From its first epoch to its last; the history goes to `to`. What kl_train_run returns. */
int kl_gan_train_model(const struct kl_gan_place *to, const struct kl_gan_options *o,
                       const struct kl_learner *learner, struct kl_pool *pool, struct kl_error *err);
/* An epoch's losses and divergence into the history. */
void kl_gan_record(const struct kl_replica *to, int64_t epoch, const struct kl_gan_losses *losses,
                   double divergence);

/* ---- the last layer (generator.c) ----
   The cells come in parts, whatever the threads; all that belongs to a part lies together. What follows
   is a page away: a processor fetches ahead to the end of the page, and what it takes so from a thread
   that is writing there costs both a quarter of their time. */
enum {
    KL_GAN_PARTS = 4,
    KL_GAN_PAST = 8,   /* epochs whose derivatives are kept */
    KL_GAN_PAGE = 1024 /* values between parts */
};
/* Values of a part's weights (inputs, cells of the part) and of its sums, and the page behind. */
static inline size_t kl_gan_part_weights(size_t cells, size_t inputs)
{
    return inputs * (cells / KL_GAN_PARTS) + KL_GAN_PAGE;
}
static inline size_t kl_gan_part_sums(size_t cells)
{
    return 2 * (cells / KL_GAN_PARTS) + KL_GAN_PAGE;
}

/* ---- what both generators share (reference.c) ---- */
/* The grid, divided by its sum but for the quantum generator. KL_EDATA: all of it is 0. */
int kl_gan_reference_target(double target[KL_GRID_CELLS], const struct kl_gan_options *o,
                            const double a[KL_GRID_BITS], const double b[KL_GRID_BITS],
                            struct kl_error *err);
/* First angles of the circuit. */
void kl_gan_reference_angles(double *angles, const struct kl_gan_options *o);
/* Layers of PyTorch's Linear: uniform within 1 / sqrt(inputs), weights and biases. */
void kl_gan_reference_discriminator(double *params, size_t n_inputs, size_t n_hidden, uint64_t seed,
                                    uint32_t replica);
/* Adam of an epoch. */
struct kl_update kl_gan_reference_update(const struct kl_gan_options *o, int64_t epoch);

/* s->unlearnt: the models whose device's held-out words do not cost less, by two standard errors of
   rows, than the uniform law's n ln 2 nats a word of n bits; in the study's way, which holds no rows
   out, those no closer to their target (KL(target || law), by a hundredth) than the uniform law.
   KL_EDATA, KL_ENOMEM. */
int kl_gan_count_unlearnt(struct kl_gan_study *s, struct kl_error *err);

/* Scores of all pairs of the study's way. */
void kl_gan_reference_score(struct kl_gan_study *s);

#endif
