/* SPDX-License-Identifier: MIT
   A study in words: a line a pair. */
#include "qrng/gan/study.h"

#include <math.h>

static double score(const struct kl_gan_study *s, enum kl_gan_score k, size_t pair)
{
    return s->scores[k * s->n_pairs + pair];
}

static double last(const struct kl_gan_study *s, enum kl_gan_column c, size_t pair)
{
    const size_t epochs = (size_t)s->o.epochs, row = c * s->n_models + (size_t)s->model[2 * pair];
    return s->history[(row + 1) * epochs - 1];
}

enum { PAIR = 2 * KL_BITS_NAME + 4 };

static int name_pair(char text[PAIR], const struct kl_gan_study *s, size_t i)
{
    return snprintf(text, PAIR, "%.*s v %.*s", KL_BITS_NAME, s->bits->names[s->pairs[i].a], KL_BITS_NAME,
                    s->bits->names[s->pairs[i].b]);
}

/* Of the first column, with the first `most` pairs. */
static int widest(const struct kl_gan_study *s, size_t most, int least)
{
    for (size_t i = 0; i < s->n_pairs && i < most; i++) {
        char text[PAIR];
        const int width = name_pair(text, s, i);
        if (width > least) least = width;
    }
    return least;
}

static void reference_table(FILE *to, const struct kl_gan_study *s, size_t most)
{
    char pair[PAIR];
    const int width = widest(s, most, 10);
    fprintf(to, "%-*s  %10s  %10s  %10s  %9s  %9s  %s\n", width, "pair", "KL", "uniform", "at start",
            "loss G", "loss D", "halves of one device");
    for (size_t i = 0; i < s->n_pairs && i < most; i++) {
        name_pair(pair, s, i);
        fprintf(to, "%-*s  %10.6f  %10.6f  %10.6f  %9.4f  %9.4f  ", width, pair, score(s, KL_GAN_KL, i),
                score(s, KL_GAN_KL_UNIFORM, i), score(s, KL_GAN_KL_START, i),
                last(s, KL_GAN_GENERATOR_LOSS, i), last(s, KL_GAN_DISCRIMINATOR_LOSS, i));
        if (isnan(score(s, KL_GAN_HALVES_LOW, i))) fputs("- (all equal)\n", to);
        else
            fprintf(to, "%.3f to %.3f\n", score(s, KL_GAN_HALVES_LOW, i),
                    score(s, KL_GAN_HALVES_HIGH, i));
    }
    if (s->n_pairs > most) fprintf(to, "... %zu more\n", s->n_pairs - most);
    fprintf(to,
            "KL: of the grid of differences of rates to the generator's law; uniform: to the uniform "
            "law, what an\nuntrained generator without preferences has; halves: what two halves of "
            "the pair's first device\nhave against each other, uniform\n");
}

/* "0.15703 [0.13478, 0.17678]"; k is followed by its interval. */
static void with_interval(char text[64], const struct kl_gan_study *s, enum kl_gan_score k, size_t i)
{
    snprintf(text, 64, "%.4f [%.4f, %.4f]", score(s, k, i), score(s, k + 1, i), score(s, k + 2, i));
}

/* Rows that are all the same have no standard error. */
static void put_z(FILE *to, double z)
{
    if (isnan(z)) fputs("      -", to);
    else fprintf(to, " %6.1f", z);
}

static void sound_table(FILE *to, const struct kl_gan_study *s, size_t most)
{
    char pair[PAIR], text[3][64];
    const int width = widest(s, most, 8);
    fprintf(to, "%-*s %7s %7s  %-26s %-24s %-24s %6s %6s\n", width, "pair", "a on a", "b on a",
            "difference", "KL(b||a)", "KL(b||a), plug-in", "z a", "z b");
    for (size_t i = 0; i < s->n_pairs && i < most; i++) {
        name_pair(pair, s, i);
        with_interval(text[0], s, KL_GAN_DIFFERENCE, i);
        with_interval(text[1], s, KL_GAN_EXCESS, i);
        with_interval(text[2], s, KL_GAN_PLUGIN_EXCESS, i);
        fprintf(to, "%-*s %7.4f %7.4f  %-26s %-24s %-24s", width, pair, score(s, KL_GAN_ON_A, i),
                score(s, KL_GAN_ON_B, i), text[0], text[1], text[2]);
        put_z(to, score(s, KL_GAN_Z_A, i));
        put_z(to, score(s, KL_GAN_Z_B, i));
        fputc('\n', to);
    }
    if (s->n_pairs > most) fprintf(to, "... %zu more\n", s->n_pairs - most);
    fprintf(
        to,
        "nats a word of %lld bits, on rows held out (uniform law: %.4f): cost of a's and b's words "
        "under the law\nlearnt of a, their difference, what b's cost more than under b's own law, "
        "the same by frequencies; z: the\nwitness on held-out rows against the law of a, in standard "
        "errors. Intervals: 95 %%, bootstrap over\nheld-out rows with the laws as trained, so too "
        "narrow for the divergence itself. KL(b||a) is an estimate:\nbelow 0, b's words cost no more "
        "under a's law than under b's own\n",
        (long long)s->o.word_bits, (double)s->o.word_bits * log(2));
}

void kl_gan_study_table(FILE *to, const struct kl_gan_study *s, size_t most)
{
    if (s->o.reference) reference_table(to, s, most);
    else sound_table(to, s, most);
}
