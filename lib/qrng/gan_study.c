/* SPDX-License-Identifier: MIT
   All models of a study, and what is said of its pairs. */
#include "qrng/gan_study.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

enum { MOST_AT_ONCE = 64 };

const char *const kl_gan_score_names[KL_GAN_N_SCORES] = {
    [KL_GAN_KL] = "divergence",
    [KL_GAN_KL_START] = "divergence_start",
    [KL_GAN_KL_UNIFORM] = "divergence_uniform",
    [KL_GAN_HALVES_LOW] = "halves_least",
    [KL_GAN_HALVES_HIGH] = "halves_largest",
    [KL_GAN_ON_A] = "cross_entropy_a",
    [KL_GAN_ON_B] = "cross_entropy_b",
    [KL_GAN_DIFFERENCE] = "difference",
    [KL_GAN_LOW] = "difference_low",
    [KL_GAN_HIGH] = "difference_high",
    [KL_GAN_EXCESS] = "excess",
    [KL_GAN_EXCESS_LOW] = "excess_low",
    [KL_GAN_EXCESS_HIGH] = "excess_high",
    [KL_GAN_PLUGIN_DIFFERENCE] = "plugin_difference",
    [KL_GAN_PLUGIN_LOW] = "plugin_difference_low",
    [KL_GAN_PLUGIN_HIGH] = "plugin_difference_high",
    [KL_GAN_PLUGIN_EXCESS] = "plugin_excess",
    [KL_GAN_PLUGIN_EXCESS_LOW] = "plugin_excess_low",
    [KL_GAN_PLUGIN_EXCESS_HIGH] = "plugin_excess_high",
    [KL_GAN_Z_A] = "test_a",
    [KL_GAN_Z_B] = "test_b",
};

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

int kl_gan_study_make(struct kl_gan_study *s, const struct kl_gan_options *o, const struct kl_bits *bits,
                      struct kl_gan_pair *pairs, size_t n_pairs, struct kl_error *err)
{
    const size_t least = o->reference ? KL_GRID_BITS : (size_t)o->word_bits;
    *s = (struct kl_gan_study){ .o = *o, .bits = bits, .pairs = pairs, .n_pairs = n_pairs };
    if (bits->n_bits < least)
        return kl_fail(err, KL_EDATA, "rows of %zu bits; expected %zu or more%s", bits->n_bits, least,
                       o->reference ? " with --reference" : ": a word lies within a row");
    int code = kl_arena_init(&s->memory, 0, err);
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

/* ---- the models, several at once ---- */
struct training {
    struct kl_gan_study *s;
    const struct kl_watch *watch;
    struct kl_pool *pool;         /* of a model that has all threads; else NULL */
    size_t left[MOST_AT_ONCE], n; /* models of this round */
    uint64_t done, all;           /* models */
    atomic_bool stop;
    int (*keep)(void *context, struct kl_error *err);
    void *context;
    struct kl_error *errors; /* of each of the round */
};

/* The thread that called kl_gan_study_run is number 0; it alone may call the watch. */
struct asking {
    struct training *t;
    int thread;
};

static bool ask(void *context)
{
    struct asking *a = context;
    if (a->thread == 0 && kl_watch_step(a->t->watch, a->t->done, a->t->all, NULL)) a->t->stop = true;
    return a->t->stop;
}

static int train_reference(const struct kl_gan_study *s, const struct kl_gan_place *to, size_t m,
                           struct kl_pool *pool, struct kl_error *err)
{
    double a[KL_GRID_BITS], b[KL_GRID_BITS];
    kl_gan_rates(a, s->bits, s->of[m].a, 0, 0, &s->o);
    kl_gan_rates(b, s->bits, s->of[m].b, 0, 0, &s->o);
    return kl_gan_reference(to, &s->o, a, b, pool, err);
}

static void train_model(void *context, size_t i, int thread)
{
    struct training *t = context;
    struct kl_gan_study *s = t->s;
    struct asking asking = { t, thread };
    const size_t m = t->left[i], epochs = (size_t)s->o.epochs;
    struct kl_gan_place to = { .law = s->law + m * s->n_cells,
                               .target = s->target + m * s->n_cells,
                               .witness = s->o.reference ? NULL : s->witness + m * s->n_cells,
                               .discriminator = s->discriminator + m * s->n_params,
                               .angles = s->angles + m * s->n_angles,
                               .replica = kl_gan_replica(&s->of[m]),
                               .stop = ask,
                               .context = &asking };
    for (size_t c = 0; c < KL_GAN_N_COLUMNS; c++)
        to.history[c] = s->history + (c * s->n_models + m) * epochs;
    t->errors[i].code = s->o.reference ? train_reference(s, &to, m, t->pool, &t->errors[i])
                                       : kl_gan_train(&to, &s->o, s->bits, s->of[m].a, &t->errors[i]);
    s->done[m] = t->errors[i].code == 0;
}

/* The next models: one for each thread, or the last few one after another with all threads each. */
static void next_round(struct training *t, size_t *m, size_t threads)
{
    size_t left = 0;
    for (size_t i = *m; i < t->s->n_models; i++) left += !t->s->done[i];
    const size_t most = left >= threads ? threads : 1;
    for (t->n = 0; *m < t->s->n_models && t->n < most; ++*m)
        if (!t->s->done[*m]) t->left[t->n++] = *m;
}

static int train_all(struct training *t, struct kl_pool *pool, struct kl_error *err)
{
    size_t threads = (size_t)kl_pool_size(pool);
    if (threads > MOST_AT_ONCE) threads = MOST_AT_ONCE;
    double kept = kl_clock();
    for (size_t m = 0; m < t->s->n_models;) {
        next_round(t, &m, threads);
        t->pool = t->n == 1 ? pool : NULL;
        kl_pool_for(t->n == 1 ? NULL : pool, t->n, train_model, t);
        for (size_t i = 0; i < t->n; i++) {
            if (t->errors[i].code && err) *err = t->errors[i];
            if (t->errors[i].code) return t->errors[i].code;
        }
        t->done += t->n;
        if (kl_watch_step(t->watch, t->done, t->all, NULL) && t->done < t->all)
            return kl_fail(err, KL_ESIGNAL, "stopped with %llu of %llu generators trained",
                           (unsigned long long)t->done, (unsigned long long)t->all);
        if (!t->keep || kl_clock() - kept < KL_GAN_KEEP) continue;
        const int code = t->keep(t->context, err);
        if (code) return code;
        kept = kl_clock();
    }
    return KL_OK;
}

/* ---- the study's scores ---- */
static double closed_form(const double a[KL_GRID_BITS], const double b[KL_GRID_BITS])
{
    double grid[KL_GRID_CELLS];
    const double sum = kl_gan_grid(grid, a, b);
    for (size_t k = 0; k < KL_GRID_CELLS; k++) grid[k] /= sum;
    return kl_gan_divergence(grid, NULL, KL_GRID_CELLS);
}

/* How far two random halves of a device are apart by the same measure. */
static void score_halves(double *low, double *high, const struct kl_gan_study *s, int32_t device)
{
    double a[KL_GRID_BITS], b[KL_GRID_BITS];
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t draw = 0; draw < KL_GAN_HALVES; draw++) {
        kl_gan_rates(a, s->bits, device, 1, draw, &s->o);
        kl_gan_rates(b, s->bits, device, 2, draw, &s->o);
        const double kl = closed_form(a, b);
        *low = fmin(*low, kl), *high = fmax(*high, kl);
    }
}

static void score_reference(struct kl_gan_study *s)
{
    const size_t n = s->n_pairs, epochs = (size_t)s->o.epochs;
    for (size_t i = 0; i < n; i++) {
        const size_t row = KL_GAN_DIVERGENCE * s->n_models + (size_t)s->model[2 * i];
        const double *kl = s->history + row * epochs;
        double a[KL_GRID_BITS], b[KL_GRID_BITS], *score = s->scores + i;
        score[KL_GAN_KL * n] = kl[epochs - 1];
        score[KL_GAN_KL_START * n] = kl[0];
        kl_gan_rates(a, s->bits, s->pairs[i].a, 0, 0, &s->o);
        kl_gan_rates(b, s->bits, s->pairs[i].b, 0, 0, &s->o);
        score[KL_GAN_KL_UNIFORM * n] = closed_form(a, b);
        if (i && s->pairs[i].a == s->pairs[i - 1].a) {
            score[KL_GAN_HALVES_LOW * n] = score[KL_GAN_HALVES_LOW * n - 1];
            score[KL_GAN_HALVES_HIGH * n] = score[KL_GAN_HALVES_HIGH * n - 1];
        } else {
            score_halves(&score[KL_GAN_HALVES_LOW * n], &score[KL_GAN_HALVES_HIGH * n], s,
                         s->pairs[i].a);
        }
    }
}

int kl_gan_study_run(struct kl_gan_study *s, const struct kl_device *device, struct kl_pool *pool,
                     const struct kl_watch *watch, int (*keep)(void *context, struct kl_error *err),
                     void *context, struct kl_error *err)
{
    struct kl_error errors[MOST_AT_ONCE] = { 0 };
    struct training t = {
        .s = s, .watch = watch, .all = s->n_models, .errors = errors, .keep = keep, .context = context
    };
    for (size_t m = 0; m < s->n_models; m++) t.done += s->done[m];
    int code = device->cuda ? kl_gan_card_train(s, device, watch, keep, context, err)
                            : train_all(&t, pool, err);
    if (code || !s->o.reference) return code ? code : kl_gan_score(s, pool, err);
    score_reference(s);
    return KL_OK;
}
