/* SPDX-License-Identifier: MIT
   A study in words: a line a pair. */
#include "qrng/gan_study.h"

#include <math.h>

static double score(const struct kl_gan_study *s, enum kl_gan_score k, size_t pair)
{
    return s->scores[k * s->n_pairs + pair];
}

static double last(const struct kl_gan_study *s, enum kl_gan_column c, size_t pair)
{
    const size_t epochs = (size_t)s->o.epochs, row = c * s->n_models + (size_t)s->model[pair];
    return s->history[(row + 1) * epochs - 1];
}

static void name_pair(char text[2 * KL_BITS_NAME + 2], const struct kl_gan_study *s, size_t i)
{
    snprintf(text, 2 * KL_BITS_NAME + 2, "%.*sv%.*s", KL_BITS_NAME, s->bits->names[s->pairs[i].a],
             KL_BITS_NAME, s->bits->names[s->pairs[i].b]);
}

static void reference_table(FILE *to, const struct kl_gan_study *s, size_t most)
{
    char pair[2 * KL_BITS_NAME + 2];
    fprintf(to, "%-10s  %10s  %10s  %10s  %9s  %9s  %s\n", "pair", "KL", "uniform", "at start", "loss G",
            "loss D", "halves of one device");
    for (size_t i = 0; i < s->n_pairs && i < most; i++) {
        name_pair(pair, s, i);
        fprintf(to, "%-10s  %10.6f  %10.6f  %10.6f  %9.4f  %9.4f  %.3f to %.3f\n", pair,
                score(s, KL_GAN_KL, i), score(s, KL_GAN_KL_UNIFORM, i), score(s, KL_GAN_KL_START, i),
                last(s, KL_GAN_GENERATOR_LOSS, i), last(s, KL_GAN_DISCRIMINATOR_LOSS, i),
                score(s, KL_GAN_HALVES_LOW, i), score(s, KL_GAN_HALVES_HIGH, i));
    }
    if (s->n_pairs > most) fprintf(to, "... %zu more\n", s->n_pairs - most);
    fprintf(to, "KL: of the grid of differences of rates to the generator's law; uniform: to the uniform "
                "law, what an\nuntrained generator without preferences has; halves: what two halves of "
                "the pair's first device\nhave against each other, uniform\n");
}

void kl_gan_study_table(FILE *to, const struct kl_gan_study *s, size_t most)
{
    if (s->o.reference) reference_table(to, s, most);
}
