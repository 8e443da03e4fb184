/* SPDX-License-Identifier: MIT
   Training: replicas side by side = alone, any number of threads, stopped and resumed =
   uninterrupted, bit for bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"
#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"
#include "tests/unit/test_folder.h"

enum { N = 401 };

/* Stops at the k-th question. */
static int stop_at(void *context, uint64_t done, uint64_t total, const char *note)
{
    (void)done, (void)total, (void)note;
    return --*(int *)context == 0;
}

static void run(struct kl_head_train *train, struct kl_head_model *model, const struct kl_features *f,
                const struct kl_train_options *o, int threads)
{
    struct kl_error err = { 0 };
    struct kl_pool *pool = NULL;
    CHECK(kl_pool_create(&pool, threads, &err) == 0);
    CHECK(kl_head_train_open(train, model, f, o, threads, &err) == 0);
    CHECK(kl_train_run(&train->loop, pool, NULL, &err) == 0);
    kl_pool_destroy(&pool);
}

static bool same(const struct kl_head_train *a, int64_t i, const struct kl_head_train *b, int64_t j)
{
    const struct kl_replica *r = &a->loop.replicas[i], *s = &b->loop.replicas[j];
    size_t size = a->model->block.size * sizeof(float),
           epochs = (size_t)a->loop.options.epochs * sizeof(double);
    return memcmp(r->params, s->params, 4 * size) == 0 && r->best_epoch == s->best_epoch &&
           r->stopped_epoch == s->stopped_epoch &&
           memcmp(r->history[0], s->history[0], KL_HISTORY_ROWS * epochs) == 0 &&
           memcmp(kl_head_norms(a, i, 0), kl_head_norms(b, j, 0), kl_head_n_groups(a->model) * epochs) ==
               0;
}

static void replicas_and_threads(struct kl_head_model *model, const struct kl_features *f,
                                 struct kl_train_options o)
{
    struct kl_head_train together, threaded, alone;
    o.replicas = 5;
    run(&together, model, f, &o, 1);
    run(&threaded, model, f, &o, 3);
    for (int64_t r = 0; r < 5; r++) CHECK(same(&together, r, &threaded, r));
    CHECK(!same(&together, 0, &together, 1));
    o.replicas = 1;
    o.first_replica = 3;
    run(&alone, model, f, &o, 1);
    CHECK(same(&together, 3, &alone, 0));
    CHECK(o.optimizer.kind == KL_SPSA ||
          together.loop.replicas[0].history[3][together.loop.replicas[0].best_epoch] >
              0.6); /* it learns: chance is 1/3 */
    kl_head_train_close(&together), kl_head_train_close(&threaded), kl_head_train_close(&alone);
}

/* Stop at the k-th question, through a file, go on in another process's place. */
static void resumed(struct kl_head_model *model, const struct kl_features *f,
                    const struct kl_train_options *o, const struct kl_head_train *whole, int k,
                    const char *path)
{
    struct kl_error err = { 0 };
    struct kl_head_train first, second;
    struct kl_watch watch = { stop_at, &k };
    struct kl_header header = { .kind = "checkpoint", .schema = 1, .tool = "test", .key_parts = "{}" };
    char key[65];
    struct kl_writer *writer = NULL;
    struct kl_file *file = NULL;
    CHECK(kl_sha256_hex(key, "{}", 2, &err) == 0);
    header.key = key;
    CHECK(kl_head_train_open(&first, model, f, o, 1, &err) == 0);
    CHECK(kl_train_run(&first.loop, NULL, &watch, &err) == KL_ESIGNAL);
    CHECK(kl_store_writer_open(&writer, path, &header, &err) == 0 &&
          kl_head_train_save(writer, &first, "{}", &err) == 0 &&
          kl_store_writer_publish(&writer, NULL, &err) == 0);
    CHECK(!same(whole, 0, &first, 0));
    CHECK(kl_head_train_open(&second, model, f, o, 1, &err) == 0);
    CHECK(kl_store_file_open(&file, path, &err) == 0 && kl_head_train_restore(&second, file, &err) == 0);
    CHECK(second.loop.epoch == first.loop.epoch && second.loop.step == first.loop.step);
    CHECK(kl_train_run(&second.loop, NULL, NULL, &err) == 0);
    for (int64_t r = 0; r < o->replicas; r++) CHECK(same(whole, r, &second, r));
    if (err.code != KL_ESIGNAL) fprintf(stderr, "%s:%d: stop %d: %s\n", __FILE__, __LINE__, k, err.text);
    kl_store_file_close(&file);
    kl_head_train_close(&first), kl_head_train_close(&second);
}

static void resume_is_exact(struct kl_head_model *model, const struct kl_features *f,
                            struct kl_train_options o, int n_kinds)
{
    static const enum kl_optimizer_kind kinds[] = { KL_ADAM, KL_QNG, KL_ROTOSOLVE,
                                                    KL_SPSA, KL_SGD, KL_ADAMW };
    static const enum kl_schedule_kind schedules[] = { KL_CONSTANT_RATE, KL_STEP_RATE, KL_COSINE_RATE,
                                                       KL_PLATEAU_RATE };
    char path[1024];
    in_folder(path, "c.h5");
    o.replicas = 2;
    o.schedule.warmup = 1;
    o.schedule.period = 2;
    o.schedule.patience = 0;
    o.optimizer.momentum = 0.9;
    o.optimizer.clip = 1;
    for (int i = 0; i < n_kinds; i++)
        for (int j = 0; j < 4; j++) {
            struct kl_head_train whole;
            o.optimizer.kind = kinds[i];
            o.schedule.kind = schedules[j];
            run(&whole, model, f, &o, 1);
            for (int k = 1; k < 8; k += 2) resumed(model, f, &o, &whole, k, path);
            kl_head_train_close(&whole);
        }
}

static void early_stopping(struct kl_head_model *model, const struct kl_features *f,
                           struct kl_train_options o)
{
    struct kl_head_train train;
    o.schedule.lr = 0; /* nothing improves after the first epoch */
    o.patience = 2;
    o.epochs = 9;
    run(&train, model, f, &o, 1);
    CHECK(train.loop.replicas[0].best_epoch == 0 && train.loop.replicas[0].stopped_epoch == 2 &&
          train.loop.epoch == 3);
    kl_head_train_close(&train);
}

/* In parts, between which it rests, each with other threads, for replicas fewer and more than those. */
static void parts_are_the_whole(struct kl_head_model *model, const struct kl_features *f,
                                struct kl_train_options o)
{
    static const int threads[] = { 1, 4, 2 }; /* for epochs 1, 2, and the rest */
    struct kl_head_train whole, parts;
    struct kl_error err = { 0 };
    o.replicas = 3;
    run(&whole, model, f, &o, 1);
    CHECK(kl_head_train_open(&parts, model, f, &o, threads[0], &err) == 0);
    for (int i = 0; i < 3; i++) {
        struct kl_pool *pool = NULL;
        CHECK(kl_pool_create(&pool, threads[i], &err) == 0);
        CHECK(!kl_train_finished(&parts.loop));
        if (i > 0) CHECK(kl_train_start_workers(&parts.loop, threads[i], &err) == 0);
        parts.loop.until = i < 2 ? i + 1 : 0;
        CHECK(kl_train_run(&parts.loop, pool, NULL, &err) == 0, "%s", err.text);
        kl_train_stop_workers(&parts.loop);
        kl_pool_destroy(&pool);
    }
    CHECK(kl_train_finished(&parts.loop));
    for (int64_t r = 0; r < o.replicas; r++) CHECK(same(&whole, r, &parts, r), "replica %d", (int)r);
    kl_head_train_close(&parts);
    kl_head_train_close(&whole);
}

/* Mean loss with the circuit's first weight elsewhere. */
static double loss_at(const struct kl_head_model *model, const float *params,
                      const struct kl_features *f, float weight)
{
    static float moved[1 << 14], logits[N * CLASSES];
    struct kl_head_work work;
    struct kl_error err;
    memcpy(moved, params, model->block.size * sizeof *moved);
    moved[model->block.tensors[model->vqc].offset] = weight;
    CHECK(kl_head_work_init(&work, &err) == 0);
    CHECK(kl_head_forward_f32(logits, NULL, NULL, model, moved, f->x, N, &work, &err) == 0);
    kl_head_work_free(&work);
    return kl_nn_cross_entropy_f32(NULL, NULL, logits, f->labels, N, CLASSES, 1) / N;
}

/* One step on all samples, nothing else moving: no weight of a fine grid is better. */
static void rotosolve_finds_the_minimum(struct kl_head_model *model, const struct kl_features *f,
                                        struct kl_train_options o)
{
    struct kl_head_train train;
    double lowest = 1e9;
    o.epochs = 1, o.batch_size = N, o.val_fraction = 0;
    o.schedule.lr = 0;
    model->options.dropout = 0;
    run(&train, model, f, &o, 1);
    const float *params = train.loop.replicas[0].params,
                w = params[model->block.tensors[model->vqc].offset];
    for (int i = 0; i < 500; i++)
        lowest = fmin(lowest, loss_at(model, params, f, (float)(6.283185307179586 * i / 500)));
    CHECK(loss_at(model, params, f, w) < lowest + 1e-6, "%.9g at %g, lowest %.9g",
          loss_at(model, params, f, w), w, lowest);
    CHECK(loss_at(model, params, f, w + 0.5f) > lowest + 1e-4 &&
          loss_at(model, params, f, w - 0.5f) > lowest + 1e-4);
    kl_head_train_close(&train);
    model->options.dropout = 0.2;
}

int main(void)
{
    struct kl_head_options options;
    struct kl_head_model model;
    struct kl_features features;
    struct kl_train_options o;
    struct kl_error err;
    make_test_folder();
    kl_head_options_default(&options);
    options.n_reduction = 1;
    options.reduction[0] = 12;
    make_features(&features, N);
    kl_train_options_default(&o);
    o.epochs = 4;
    o.batch_size = 8;
    o.schedule.lr = 0.02;
    CHECK(kl_head_model_make(&model, &options, D, CLASSES, &err) == 0);
    replicas_and_threads(&model, &features, o);
    o.optimizer.kind = KL_QNG;
    replicas_and_threads(&model, &features, o);
    o.optimizer.kind = KL_ROTOSOLVE;
    replicas_and_threads(&model, &features, o);
    rotosolve_finds_the_minimum(&model, &features, o);
    o.optimizer.kind = KL_SPSA;
    replicas_and_threads(&model, &features, o);
    o.optimizer.kind = KL_ADAM;
    resume_is_exact(&model, &features, o, 6);
    early_stopping(&model, &features, o);
    parts_are_the_whole(&model, &features, o);
    kl_head_model_free(&model);
    options.grow = 1; /* the circuit's layers join in the first, second and third epoch */
    CHECK(kl_head_model_make(&model, &options, D, CLASSES, &err) == 0);
    replicas_and_threads(&model, &features, o);
    resume_is_exact(&model, &features, o, 4);
    parts_are_the_whole(&model, &features, o);
    kl_head_model_free(&model);
    free(features.x), free(features.labels);
    return failures ? 1 : 0;
}
