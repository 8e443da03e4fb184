/* SPDX-License-Identifier: MIT
   Which models a study trains, and room for what comes of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/gan/study.h"

/* One model a pair in the study's way; in the sound one a model of each device. */
static void plan_models(struct kl_gan_study *s)
{
    for (size_t i = 0; i < 2 * s->n_pairs; i++) {
        const struct kl_gan_pair *pair = &s->pairs[i / 2];
        struct kl_gan_pair of = { i % 2 ? pair->b : pair->a, -1 };
        if (s->o.reference) of = *pair;
        size_t m = 0;
        while (m < s->n_models && (s->of[m].a != of.a || s->of[m].b != of.b)) m++;
        if (m == s->n_models) s->of[s->n_models++] = of;
        s->model[i] = (int32_t)m;
    }
}

static void size_models(struct kl_gan_study *s)
{
    const struct kl_gan_options *o = &s->o;
    const bool quantum = o->generator == KL_GAN_QUANTUM;
    const size_t bits = o->reference ? 2 * 6 : (size_t)o->word_bits, inputs = o->reference ? 2 : bits;
    s->n_cells = (size_t)1 << bits;
    s->n_angles = quantum ? 2 * bits * (size_t)(o->repetitions + 1) : 0;
    s->n_params = o->loss == KL_GAN_ADVERSARIAL ? (size_t)o->hidden * (inputs + 2) + 1 : 0;
}

/* Zeros: a checkpoint has the models that are not done too. */
static void *take_zeros(struct kl_gan_study *s, size_t n, size_t size)
{
    void *block = kl_arena_take(&s->memory, n, size);
    if (block) memset(block, 0, n * size);
    return block;
}

static int take(struct kl_gan_study *s, struct kl_error *err)
{
    const size_t n = s->n_models, history = KL_GAN_N_COLUMNS * n * (size_t)s->o.epochs,
                 scores = KL_GAN_N_SCORES * s->n_pairs;
    s->done = take_zeros(s, n, sizeof *s->done);
    s->law = take_zeros(s, n * s->n_cells, sizeof *s->law);
    s->target = take_zeros(s, n * s->n_cells, sizeof *s->target);
    s->witness = take_zeros(s, s->o.reference ? 1 : n * s->n_cells, sizeof *s->witness);
    s->discriminator = take_zeros(s, n * s->n_params + 1, sizeof *s->discriminator);
    s->angles = take_zeros(s, n * s->n_angles + 1, sizeof *s->angles);
    s->history = kl_arena_take(&s->memory, history, sizeof *s->history);
    s->scores = kl_arena_take(&s->memory, scores, sizeof *s->scores);
    if (!s->done || !s->law || !s->target || !s->witness || !s->discriminator || !s->angles ||
        !s->history || !s->scores)
        return kl_fail_memory(err, n * s->n_cells * 2 * sizeof *s->law + history * sizeof *s->history);
    for (size_t i = 0; i < history; i++) s->history[i] = NAN;
    for (size_t i = 0; i < scores; i++) s->scores[i] = NAN;
    return KL_OK;
}

/* The study loses the first row of each device but the first one. */
static int check_rows(const struct kl_gan_study *s, struct kl_error *err)
{
    const struct kl_bits *b = s->bits;
    for (size_t i = 0; i < 2 * s->n_pairs && s->o.reference && !s->o.all_rows; i++) {
        const int32_t device = i % 2 ? s->pairs[i / 2].b : s->pairs[i / 2].a;
        size_t rows = 0;
        for (size_t r = 0; r < b->n_rows && rows < 2; r++) rows += b->device[r] == device;
        if (device > 0 && rows < 2)
            return kl_fail(err, KL_EDATA, "device %s: 1 row, which the study loses; see --all-rows",
                           b->names[device]);
    }
    return KL_OK;
}

int kl_gan_study_make(struct kl_gan_study *s, const struct kl_gan_options *o, const struct kl_bits *bits,
                      struct kl_gan_pair *pairs, size_t n_pairs, struct kl_error *err)
{
    const size_t least = o->reference ? KL_GRID_BITS : (size_t)o->word_bits;
    *s = (struct kl_gan_study){ .o = *o, .bits = bits, .pairs = pairs, .n_pairs = n_pairs };
    if (bits->n_bits < least)
        return kl_fail(err, KL_EDATA, "rows of %zu bits; expected %zu or more%s", bits->n_bits, least,
                       o->reference ? " with --reference" : ": a word lies within a row");
    int code = check_rows(s, err);
    if (!code) code = kl_arena_init(&s->memory, 0, err);
    if (code) return code;
    s->model = kl_arena_take(&s->memory, 2 * n_pairs, sizeof *s->model);
    s->of = kl_arena_take(&s->memory, 2 * n_pairs, sizeof *s->of);
    if (!s->model || !s->of) return kl_fail_memory(err, n_pairs * sizeof *s->of);
    plan_models(s);
    size_models(s);
    return take(s, err);
}

void kl_gan_study_free(struct kl_gan_study *s)
{
    kl_arena_free(&s->memory);
    free(s->pairs);
    *s = (struct kl_gan_study){ 0 };
}
