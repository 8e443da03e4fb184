/* SPDX-License-Identifier: MIT
   All models of a study, several at once, and what is said of its pairs. */
#include "qrng/gan/study.h"

#include <stdatomic.h>
#include <string.h>

#include "kernels/device.h"
#include "qrng/gan/gan_int.h"

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

struct training {
    struct kl_gan_study *s;
    const struct kl_watch *watch;
    struct kl_pool *pool;         /* of a model that has all threads; else NULL */
    size_t left[MOST_AT_ONCE], n; /* models of this round */
    uint64_t done, all;           /* models */
    atomic_bool stop;
    int (*keep)(void *context, struct kl_error *err);
    void *context;
    struct kl_error *errors;              /* of each of the round */
    struct kl_arena memory[MOST_AT_ONCE]; /* of each thread */
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
                               .memory = &t->memory[thread],
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

int kl_gan_study_run(struct kl_gan_study *s, const struct kl_device *device, struct kl_pool *pool,
                     const struct kl_watch *watch, int (*keep)(void *context, struct kl_error *err),
                     void *context, struct kl_error *err)
{
    struct kl_error errors[MOST_AT_ONCE] = { 0 };
    struct training t = {
        .s = s, .watch = watch, .all = s->n_models, .errors = errors, .keep = keep, .context = context
    };
    for (size_t m = 0; m < s->n_models; m++) t.done += s->done[m];
    int code =
        device->cuda ? kl_gan_gpu_train(s, device, watch, keep, context, err) : train_all(&t, pool, err);
    for (size_t i = 0; i < MOST_AT_ONCE; i++) kl_arena_free(&t.memory[i]);
    if (!code && !s->o.reference) code = kl_gan_score(s, pool, err);
    if (code) return code;
    if (s->o.reference) kl_gan_reference_score(s);
    return kl_gan_count_unlearnt(s, err);
}
