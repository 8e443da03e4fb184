/* SPDX-License-Identifier: MIT
   The controls: what is frozen stays frozen, what a twin lacks stays zero, all begin where the head
   begins, and threads and interruptions change none of them. */
#include "head/run.h"
#include "head/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"
#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"
#include "tests/unit/test_folder.h"

enum { N = 301, REPLICAS = 3 };

static void head_options(struct kl_head_options *o)
{
    kl_head_options_default(o);
    o->n_reduction = 1;
    o->reduction[0] = 12;
}

static struct kl_train_options train_options(void)
{
    struct kl_train_options o;
    kl_train_options_default(&o);
    o.epochs = 3;
    o.batch_size = 8;
    o.replicas = REPLICAS;
    o.schedule.lr = 0.05;
    return o;
}

/* Has a tensor the same bits in two blocks? */
static bool equal(const struct kl_head_model *model, const float *a, const float *b, const char *name)
{
    const int t = kl_nn_block_find(&model->block, name);
    CHECK(t >= 0);
    const size_t offset = model->block.tensors[t].offset;
    return memcmp(a + offset, b + offset, model->block.tensors[t].size * sizeof *a) == 0;
}

/* Is it moved by any update rule, by clipping, or by decay? */
static void frozen_is_frozen(const struct kl_features *f)
{
    static const enum kl_optimizer_kind kinds[] = { KL_SGD, KL_ADAM, KL_ADAMW };
    struct kl_head_options options;
    struct kl_error err = { 0 };
    head_options(&options);
    for (int run = 0; run < 12; run++) {
        struct kl_head_model model;
        struct kl_head_train train;
        struct kl_train_options o = train_options();
        const bool trains = run >= 6; /* the same circuit, not frozen: the test would see it move */
        options.core = trains ? KL_CORE_CIRCUIT : KL_CORE_FROZEN;
        o.optimizer.kind = kinds[run % 3];
        o.optimizer.weight_decay = 0.1;
        o.optimizer.momentum = 0.9;
        o.optimizer.clip = run % 2 ? 0.5 : 0;
        CHECK(kl_head_model_make(&model, &options, D, CLASSES, &err) == 0);
        float *initial = malloc(model.block.size * sizeof *initial);
        CHECK(kl_head_train_open(&train, &model, f, &o, 1, &err) == 0 &&
              kl_train_run(&train.loop, NULL, NULL, &err) == 0);
        for (int64_t r = 0; r < REPLICAS; r++) {
            const struct kl_replica *replica = &train.loop.replicas[r];
            kl_head_init(initial, &model, o.seed, (uint32_t)r);
            CHECK(equal(&model, initial, replica->params, "vqc.weight") == !trains);
            if (!trains) CHECK(equal(&model, initial, replica->best, "vqc.weight"));
            CHECK(!equal(&model, initial, replica->params, "reduce.0.weight"));
        }
        CHECK(!equal(&model, train.loop.replicas[0].best, train.loop.replicas[1].best, "vqc.weight"));
        kl_head_train_close(&train);
        kl_head_model_free(&model);
        free(initial);
    }
}

/* Counted by hand: outputs x (inputs + 1) at most in one layer, else a hidden layer. */
static void twins_have_as_many_parameters(void)
{
    static const struct {
        size_t n_in, n_out, count;
        int layers;
        size_t expected;
    } cases[] = {
        { 4, 4, 12, 1, 12 },   { 4, 4, 4, 1, 4 },     { 4, 4, 20, 1, 20 },  { 4, 4, 21, 2, 21 },
        { 4, 4, 36, 2, 36 },   { 4, 4, 300, 2, 300 }, { 4, 6, 12, 1, 12 },  { 4, 1, 12, 2, 12 },
        { 16, 4, 12, 1, 16 },  { 4, 16, 12, 1, 16 },  { 1, 1, 3, 2, 3 },    { 4, 1, 5, 1, 5 },
        { 10, 10, 30, 1, 30 }, { 20, 20, 60, 1, 60 }, { 6, 15, 36, 1, 36 }, { 1, 1, 1, 1, 1 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct kl_twin twin;
        kl_head_twin_shape(&twin, cases[k].n_in, cases[k].n_out, cases[k].count);
        CHECK(twin.n_layers == cases[k].layers);
        CHECK(kl_head_twin_parameters(&twin) == cases[k].expected);
        CHECK((twin.hidden > 0) == (twin.n_layers == 2));
        CHECK(!twin.hidden || (twin.hidden >= cases[k].n_in && twin.hidden >= cases[k].n_out));
    }
    for (size_t d_out = 1; d_out < 8; d_out++) /* every entry once */
        for (size_t d_in = 1; d_in < 8; d_in++) {
            bool met[64] = { false };
            for (size_t k = 0, i, j; k < d_out * d_in; k++) {
                kl_head_twin_entry(&i, &j, k, d_out, d_in);
                CHECK(i < d_out && j < d_in && !met[8 * i + j]);
                met[8 * i + j] = true;
            }
        }
}

/* After training under decay and clipping, just the entries of the default twin (a ring: two neighbours
   of four) are there, and all of them moved. */
static void twin_keeps_its_structure(const struct kl_features *f)
{
    static const bool ring[4][4] = { { 1, 0, 0, 1 }, { 1, 1, 0, 0 }, { 0, 1, 1, 0 }, { 0, 0, 1, 1 } };
    struct kl_head_options options;
    struct kl_train_options o = train_options();
    struct kl_head_model model;
    struct kl_head_train train;
    struct kl_error err = { 0 };
    head_options(&options);
    options.core = KL_CORE_TWIN;
    o.optimizer.kind = KL_ADAMW;
    o.optimizer.weight_decay = 0.1;
    CHECK(kl_head_model_make(&model, &options, D, CLASSES, &err) == 0);
    CHECK(kl_head_parameters(&model) == 12 * (D + 1) + 4 * 13 + 12 + 16 * 5 + CLASSES * 17);
    CHECK(kl_head_train_open(&train, &model, f, &o, 1, &err) == 0 &&
          kl_train_run(&train.loop, NULL, NULL, &err) == 0);
    float *initial = malloc(model.block.size * sizeof *initial), first[16], last[16];
    const struct kl_tensor *t = &model.block.tensors[kl_nn_block_find(&model.block, "twin.0.weight")];
    for (int64_t r = 0; r < REPLICAS; r++) {
        kl_head_init(initial, &model, o.seed, (uint32_t)r);
        kl_nn_tensor_to_file_f32(first, t, initial);
        kl_nn_tensor_to_file_f32(last, t, train.loop.replicas[r].params);
        for (int i = 0; i < 16; i++) {
            CHECK((first[i] != 0) == ring[i / 4][i % 4] && (last[i] != 0) == ring[i / 4][i % 4]);
            CHECK((first[i] != last[i]) == ring[i / 4][i % 4]);
        }
        CHECK(!equal(&model, initial, train.loop.replicas[r].params, "twin.0.bias"));
    }
    kl_head_train_close(&train);
    kl_head_model_free(&model);
    free(initial);
}

/* Reduction and classifier of all heads with a bottleneck begin at the same values. */
static void all_begin_alike(void)
{
    static const char *const names[] = { "reduce.0.weight", "reduce.0.bias", "reduce.1.weight",
                                         "reduce.1.bias",   "head.0.weight", "head.1.weight" };
    struct kl_head_options options;
    struct kl_head_model models[3];
    struct kl_error err = { 0 };
    float *params[3];
    head_options(&options);
    for (int i = 0; i < 3; i++) {
        options.core = (enum kl_core)i;
        CHECK(kl_head_model_make(&models[i], &options, D, CLASSES, &err) == 0);
        params[i] = malloc(models[i].block.size * sizeof **params);
        kl_head_init(params[i], &models[i], 7, 2);
    }
    for (int i = 1; i < 3; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const int t = kl_nn_block_find(&models[0].block, names[k]),
                      u = kl_nn_block_find(&models[i].block, names[k]);
            CHECK(t >= 0 && u >= 0);
            const struct kl_tensor *a = &models[0].block.tensors[t], *b = &models[i].block.tensors[u];
            CHECK(a->size == b->size &&
                  memcmp(params[0] + a->offset, params[i] + b->offset, a->size * sizeof(float)) == 0);
        }
    for (int i = 0; i < 3; i++) kl_head_model_free(&models[i]), free(params[i]);
}

/* Back-propagation against central differences of the loss, for every core and for twins of one and of
   two layers. */
static void gradients(const struct kl_features *f)
{
    static const char *const ansaetze[] = { "ry-ring", "strongly-entangling" };
    struct kl_head_options options;
    head_options(&options);
    for (int a = 0; a < 2; a++)
        for (int core = 0; core < KL_CORES; core++) {
            struct kl_head_model model;
            struct kl_gradient_check check;
            struct kl_error err = { 0 };
            options.core = (enum kl_core)core;
            options.circuit.ansatz = ansaetze[a];
            CHECK(kl_head_model_make(&model, &options, D, CLASSES, &err) == 0);
            CHECK(model.n_twin == (core == KL_CORE_TWIN ? 1 + a : 0));
            CHECK(kl_head_check_gradients(&check, &model, f, 32, 5, &err) == 0);
            CHECK(check.agree && check.largest > 1e-3 && check.entries >= 19);
            CHECK(check.loss_differences > 0 && check.loss_differences < 1e-8);
            kl_head_model_free(&model);
        }
}

static bool same(const struct kl_controls *a, const struct kl_controls *b)
{
    bool equal = true;
    for (int i = 0; i < KL_CONTROLS; i++)
        for (int64_t r = 0; r < REPLICAS; r++) {
            const struct kl_replica *p = &a->trains[i].loop.replicas[r],
                                    *q = &b->trains[i].loop.replicas[r];
            const size_t size = a->models[i].block.size * sizeof(float),
                         epochs = (size_t)a->trains[i].loop.options.epochs * sizeof(double);
            equal = equal && memcmp(p->params, q->params, 4 * size) == 0 &&
                    memcmp(p->history[0], q->history[0], KL_HISTORY_ROWS * epochs) == 0;
        }
    return equal;
}

static int stop_at(void *context, uint64_t done, uint64_t total, const char *note)
{
    (void)done, (void)total, (void)note;
    return --*(int *)context == 0;
}

/* With three threads; and stopped at the k-th question, through a checkpoint, going on in another's
   place. */
static void same_bits(const struct kl_features *f)
{
    char path[1024], key[65];
    struct kl_head_options options;
    const struct kl_train_options o = train_options();
    struct kl_controls whole, threaded;
    struct kl_pool *pool = NULL;
    struct kl_error err = { 0 };
    int stops = 0;
    head_options(&options);
    make_test_folder();
    CHECK(kl_sha256_hex(key, "{}", 2, &err) == 0);
    in_folder(path, "c.h5");
    CHECK(kl_head_controls_open(&whole, &options, f, &o, 1, &err) == 0 &&
          kl_head_controls_run(&whole, NULL, NULL, &err) == 0);
    CHECK(kl_pool_create(&pool, 5, &err) == 0 &&
          kl_head_controls_open(&threaded, &options, f, &o, 5, &err) == 0 &&
          kl_head_controls_run(&threaded, pool, NULL, &err) == 0);
    CHECK(same(&whole, &threaded));
    for (int first = 1; first < 30; first++) {
        struct kl_controls a, b;
        struct kl_writer *writer = NULL;
        struct kl_file *file = NULL;
        int k = first;
        const struct kl_watch watch = { stop_at, &k };
        const struct kl_header header = {
            .kind = "checkpoint", .schema = 1, .key = key, .tool = "test", .key_parts = "{}"
        };
        CHECK(kl_head_controls_open(&a, &options, f, &o, 1, &err) == 0);
        int code = kl_head_controls_run(&a, NULL, &watch, &err);
        CHECK(code == 0 || code == KL_ESIGNAL);
        stops += code != 0;
        CHECK(kl_store_writer_open(&writer, path, &header, &err) == 0 &&
              kl_head_controls_save(writer, &a, true, &err) == 0 &&
              kl_store_writer_publish(&writer, NULL, &err) == 0);
        CHECK(kl_head_controls_open(&b, &options, f, &o, 1, &err) == 0 &&
              kl_store_file_open(&file, path, &err) == 0 &&
              kl_head_controls_restore(&b, file, &err) == 0);
        CHECK(code == 0 || !same(&whole, &b));
        CHECK(kl_head_controls_run(&b, NULL, NULL, &err) == 0 && same(&whole, &b));
        kl_store_file_close(&file);
        kl_head_controls_close(&a), kl_head_controls_close(&b);
    }
    CHECK(stops >= 9); /* in each of the three */
    kl_pool_destroy(&pool);
    kl_head_controls_close(&whole), kl_head_controls_close(&threaded);
}

int main(void)
{
    struct kl_features features;
    make_features(&features, N);
    frozen_is_frozen(&features);
    twins_have_as_many_parameters();
    twin_keeps_its_structure(&features);
    all_begin_alike();
    gradients(&features);
    same_bits(&features);
    free(features.x), free(features.labels);
    return failures ? 1 : 0;
}
