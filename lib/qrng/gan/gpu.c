/* SPDX-License-Identifier: MIT
   The models of the study's way on a GPU (kernels/cuda.h), as many side by side as it trains at once:
   the replicas of a training of lib/train. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda.h"
#include "kernels/device.h"
#include "qrng/gan/gan_int.h"

enum { EPOCHS = 5 /* of one launch, after which the watch is asked */ };

struct gpu {
    struct kl_gan_study *s;
    const struct kl_cuda *cuda;
    struct kl_cuda_gans *gans;
    const struct kl_watch *watch;
    size_t room, n, done; /* models that fit; of this round; that are done */
    size_t *models;       /* [n] */
    double *history;      /* [n, EPOCHS, columns] */
    double cells[KL_GRID_CELLS], *params, *angles;
};

static int refuse(const struct kl_gan_options *o, struct kl_error *err)
{
    if (o->reference && !o->shots) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "%s; give --device cpu",
                   o->shots
                       ? "--shots: not on a GPU; with 1000, a generator takes 2 to 7 s of a core"
                       : "generators without --reference: not on a GPU, nor need they be: one takes "
                         "less than a second of a core");
}

static int open_gpu(struct gpu *c, int device, struct kl_error *err)
{
    const struct kl_gan_study *s = c->s;
    const struct kl_gan_options *o = &s->o;
    const bool quantum = o->generator == KL_GAN_QUANTUM;
    const struct kl_cuda_gan shape = { .quantum = quantum,
                                       .repetitions = (int32_t)o->repetitions,
                                       .n_hidden = (int32_t)o->hidden,
                                       .slope = KL_GAN_SLOPE,
                                       .epsilon = quantum ? 0 : KL_GAN_EPSILON,
                                       .seed = (uint64_t)o->seed };
    for (size_t m = 0; m < s->n_models; m++) c->done += s->done[m];
    c->room = s->n_models - c->done;
    if (!c->room) return KL_OK;
    const int code = c->cuda->gans->open(&c->gans, &c->room, &shape, device, err);
    if (code) return code;
    c->models = malloc(c->room * sizeof *c->models);
    c->history = malloc(c->room * EPOCHS * KL_CUDA_GAN_COLUMNS * sizeof *c->history);
    c->params = malloc((s->n_params + s->n_angles + 1) * sizeof *c->params);
    if (!c->models || !c->history || !c->params)
        return kl_fail_memory(err, c->room * sizeof *c->history);
    c->angles = c->params + s->n_params;
    return KL_OK;
}

static int begin_model(struct gpu *c, size_t i, struct kl_error *err)
{
    const struct kl_gan_study *s = c->s;
    const size_t m = c->models[i];
    const uint32_t replica = kl_gan_replica(&s->of[m]);
    double a[KL_GRID_BITS], b[KL_GRID_BITS];
    kl_gan_rates(a, s->bits, s->of[m].a, 0, 0, &s->o);
    kl_gan_rates(b, s->bits, s->of[m].b, 0, 0, &s->o);
    const int code = kl_gan_reference_target(c->cells, &s->o, a, b, err);
    if (code) return code;
    for (size_t k = 0; k < s->n_cells; k++) s->target[m * s->n_cells + k] = (float)c->cells[k];
    kl_gan_reference_discriminator(c->params, 2, (size_t)s->o.hidden, (uint64_t)s->o.seed, replica);
    if (s->n_angles) kl_gan_reference_angles(c->angles, &s->o);
    return c->cuda->gans->put(c->gans, i, replica, c->cells, c->params, c->angles, err);
}

static struct gpu *gpu_of(const struct kl_train *train)
{
    return train->learner->context;
}

/* Epochs [first, first + count) of all models of the round. */
static int train_epochs(struct kl_train *train, int64_t first, int64_t count, struct kl_error *err)
{
    struct gpu *c = gpu_of(train);
    struct kl_cuda_gan_factors factors[EPOCHS] = { 0 };
    for (int64_t e = 0; e < count; e++) {
        const struct kl_adam_factors f = kl_gan_reference_update(&c->s->o, first + e).adam;
        factors[e] = (struct kl_cuda_gan_factors){ f.decay,     f.shrink, f.beta1, 1 - f.beta1, f.beta2,
                                                   1 - f.beta2, f.rate,   f.root,  f.epsilon };
    }
    const int code = c->cuda->gans->epochs(c->gans, c->n, first, count, factors, c->history, err);
    for (size_t i = 0; i < c->n && !code; i++)
        for (int64_t e = 0; e < count; e++) {
            const double *found = c->history + ((int64_t)i * count + e) * KL_CUDA_GAN_COLUMNS;
            const struct kl_gan_losses losses = { found[KL_CUDA_GAN_GENERATOR], found[KL_CUDA_GAN_REAL],
                                                  found[KL_CUDA_GAN_FAKE] };
            kl_gan_record(&train->replicas[i], first + e, &losses, found[KL_CUDA_GAN_DIVERGENCE]);
        }
    return code;
}

static int begin(struct kl_train *train, struct kl_error *err)
{
    struct gpu *c = gpu_of(train);
    int code = KL_OK;
    for (size_t i = 0; i < c->n && !code; i++) code = begin_model(c, i, err);
    return code;
}

/* An epoch is a step: the first of EPOCHS takes those of all. */
static int steps(int64_t *count, struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    const int64_t e = train->epoch, left = train->options.epochs - e;
    (void)pool;
    *count = 1;
    return e % EPOCHS ? KL_OK : train_epochs(train, e, left < EPOCHS ? left : EPOCHS, err);
}

static int judge(struct kl_train *train, struct kl_pool *pool, struct kl_error *err)
{
    (void)train, (void)pool, (void)err;
    return KL_OK; /* every epoch is as good as another */
}

static int end_model(struct gpu *c, size_t i, struct kl_error *err)
{
    struct kl_gan_study *s = c->s;
    const size_t m = c->models[i];
    const int code =
        c->cuda->gans->get(c->gans, i, c->cells, c->params, s->angles + m * s->n_angles, err);
    if (code) return code;
    for (size_t k = 0; k < s->n_cells; k++) s->law[m * s->n_cells + k] = (float)c->cells[k];
    for (size_t k = 0; k < s->n_params; k++) s->discriminator[m * s->n_params + k] = (float)c->params[k];
    return KL_OK;
}

static int fetch(struct kl_train *train, struct kl_error *err)
{
    struct gpu *c = gpu_of(train);
    int code = KL_OK;
    for (size_t i = 0; i < c->n && !code; i++) code = end_model(c, i, err);
    return code;
}

static void end(struct kl_train *train)
{
    (void)train; /* the next round's models follow in the same memory */
}

static const struct kl_train_device on_gpu = { begin, steps, judge, fetch, end };

static int ask(void *context, uint64_t done, uint64_t total, const char *note)
{
    const struct gpu *c = context;
    (void)done, (void)total, (void)note;
    return kl_watch_step(c->watch, c->done, c->s->n_models, NULL);
}

/* Of a round's models. */
static void keep_history(struct kl_gan_study *s, const struct gpu *c, const struct kl_train *train)
{
    const size_t epochs = (size_t)s->o.epochs;
    for (size_t i = 0; i < c->n; i++)
        for (size_t h = 0; h < KL_GAN_N_COLUMNS; h++)
            memcpy(s->history + (h * s->n_models + c->models[i]) * epochs, train->replicas[i].history[h],
                   epochs * sizeof *s->history);
}

/* The models of this round from their first epoch to their last. */
static int train_round(struct gpu *c, struct kl_error *err)
{
    const struct kl_learner learner = kl_gan_learner(c);
    const struct kl_train_options options = { .epochs = c->s->o.epochs, .replicas = (int64_t)c->n };
    const struct kl_watch watch = { ask, c };
    struct kl_train train;
    int code = kl_train_open(&train, &learner, &options, 1, err);
    if (code) return code;
    train.device = &on_gpu;
    code = kl_watch_step(&watch, 0, 0, NULL) ? KL_ESIGNAL : kl_train_run(&train, NULL, &watch, err);
    keep_history(c->s, c, &train);
    kl_train_close(&train);
    if (code == KL_ESIGNAL)
        return kl_fail(err, KL_ESIGNAL, "stopped with %zu of %zu generators trained", c->done,
                       c->s->n_models);
    for (size_t i = 0; i < c->n && !code; i++) c->s->done[c->models[i]] = true;
    if (!code) c->done += c->n;
    return code;
}

int kl_gan_gpu_train(struct kl_gan_study *s, const struct kl_device *device,
                     const struct kl_watch *watch, int (*keep)(void *context, struct kl_error *err),
                     void *context, struct kl_error *err)
{
    struct gpu c = { .s = s, .cuda = device->cuda, .watch = watch };
    double kept = kl_clock();
    int code = refuse(&s->o, err);
    if (!code) code = open_gpu(&c, device->number, err);
    for (size_t m = 0; m < s->n_models && !code;) {
        for (c.n = 0; m < s->n_models && c.n < c.room; m++)
            if (!s->done[m]) c.models[c.n++] = m;
        code = train_round(&c, err);
        if (code || !keep || kl_clock() - kept < KL_GAN_KEEP) continue;
        code = keep(context, err);
        kept = kl_clock();
    }
    kl_watch_step(watch, c.done, s->n_models, NULL);
    if (c.gans) c.cuda->gans->close(&c.gans);
    free(c.models), free(c.history), free(c.params);
    return code;
}
