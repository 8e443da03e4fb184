/* SPDX-License-Identifier: MIT
   The loop, on a quadratic bowl whose way down is known: f = (p - t)^2 / 2 in every entry, so that plain
   descent has p_k = t + (p_0 - t) (1 - lr)^k. The target moves by replica. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

enum { EPOCHS = 12, STEPS = 5, PARTS = 7, LOSS = 0, JUDGED = 1 };
#define RATE 0.1

static const struct kl_train_row rows[] = { { "train_loss", "loss" }, { "val_loss", NULL } };
static const struct kl_train_sum sums[] = { { "steps", true }, { "loss", false } };
/* The loss on which epochs are judged, in place of the bowl's; NULL: that of the bowl. */
static const double *scripted;
static double noise;

static double target(const struct kl_crew *crew, size_t k)
{
    return (double)(k % 5) - 2 + (double)crew->index;
}

static double value(const struct kl_crew *crew, size_t k)
{
    const void *p = crew->replica->params;
    return crew->train->learner->wide ? ((const double *)p)[k] : (double)((const float *)p)[k];
}

/* Each part has a share of every slope, no two the same. */
static int gradient(const struct kl_crew *crew, const struct kl_train_step *step, size_t part,
                    void *grad, double *sum, int thread, struct kl_error *err)
{
    const struct kl_learner *l = crew->train->learner;
    const double share = (double)(part + 1) / (PARTS * (PARTS + 1) / 2);
    (void)step, (void)thread, (void)err;
    for (size_t k = 0; k < l->block->size; k++) {
        const double slope = k < l->block->tensors[0].size ? value(crew, k) - target(crew, k) : 0;
        if (l->wide) ((double *)grad)[k] = share * slope;
        else ((float *)grad)[k] = (float)(share * slope);
        sum[1] += share * slope * slope / 2;
    }
    sum[0] += part == 0;
    return 0;
}

static int judge(const struct kl_crew *crew, bool untrained, struct kl_error *err)
{
    double loss = 0;
    (void)untrained, (void)err;
    for (size_t k = 0; k < crew->train->learner->block->tensors[0].size; k++)
        loss += pow(value(crew, k) - target(crew, k), 2) / 2;
    crew->replica->history[JUDGED][crew->train->epoch] = scripted ? scripted[crew->train->epoch] : loss;
    return 0;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    (void)err;
    CHECK(crew->replica->sums[0] == STEPS);
    crew->replica->history[LOSS][crew->train->epoch] = crew->replica->sums[1] / STEPS;
    return 0;
}

static int add_noise(const struct kl_crew *crew, const struct kl_train_step *step, struct kl_error *err)
{
    (void)err;
    ((double *)crew->replica->params)[0] += noise * (double)(step->number % 3);
    return 0;
}

static struct kl_learner learner_of(const struct kl_block *block, bool wide)
{
    return (struct kl_learner){ .block = block,
                                .wide = wide,
                                .rows = rows,
                                .n_rows = 2,
                                .loss = LOSS,
                                .judged = { { JUDGED, false } },
                                .n_judged = 1,
                                .sums = sums,
                                .n_named = 2,
                                .n_sums = 2,
                                .steps_per_epoch = STEPS,
                                .ahead = 2,
                                .parts = PARTS,
                                .gradient = gradient,
                                .judge = judge,
                                .end_epoch = end_epoch };
}

static struct kl_train_options options(void)
{
    struct kl_train_options o;
    kl_train_options_default(&o);
    o.epochs = EPOCHS, o.replicas = 3, o.optimizer.kind = KL_SGD, o.schedule.lr = RATE;
    return o;
}

static void run(struct kl_train *train, const struct kl_learner *l, const struct kl_train_options *o,
                int threads)
{
    struct kl_error err = { 0 };
    struct kl_pool *pool = NULL;
    CHECK(kl_pool_create(&pool, threads, &err) == 0);
    CHECK(kl_train_open(train, l, o, threads, &err) == 0, "%s", err.text);
    CHECK(kl_train_run(train, pool, NULL, &err) == 0, "%s", err.text);
    kl_pool_destroy(&pool);
}

static bool same(const struct kl_train *a, const struct kl_train *b)
{
    const size_t size = 4 * a->learner->block->size * (a->learner->wide ? 8 : 4);
    bool alike = a->epoch == b->epoch;
    for (int64_t r = 0; r < a->options.replicas; r++)
        alike = alike && memcmp(a->replicas[r].params, b->replicas[r].params, size) == 0 &&
                memcmp(a->replicas[r].history[0], b->replicas[r].history[0],
                       2 * (size_t)a->options.epochs * sizeof(double)) == 0;
    return alike;
}

/* In both precisions, by one thread and by threads that take replicas or share their steps. */
static void goes_down(const struct kl_block *block, bool wide)
{
    const struct kl_learner l = learner_of(block, wide);
    const struct kl_train_options o = options();
    struct kl_train one, three, four;
    run(&one, &l, &o, 1), run(&three, &l, &o, 3), run(&four, &l, &o, 4);
    CHECK(same(&one, &three), "threads that take replicas");
    CHECK(same(&one, &four), "threads that share steps");
    const double left = pow(1 - RATE, EPOCHS * STEPS);
    for (int64_t r = 0; r < o.replicas; r++) {
        const struct kl_crew crew = { .train = &one, .replica = &one.replicas[r], .index = r };
        for (size_t k = 0; k < block->tensors[0].size; k++)
            CHECK(fabs(value(&crew, k) - target(&crew, k) * (1 - left)) < (wide ? 1e-12 : 1e-5), "%zu",
                  k);
        CHECK(one.replicas[r].best_epoch == EPOCHS - 1 && one.replicas[r].stopped_epoch == -1);
    }
    kl_train_close(&one), kl_train_close(&three), kl_train_close(&four);
}

static int stop_at(void *context, uint64_t done, uint64_t total, const char *note)
{
    (void)done, (void)total, (void)note;
    return --*(int *)context == 0;
}

/* Stopped at the k-th question, through a file of tensors of rank 1 to 4, to the bytes of one run. */
static void resumes(const struct kl_block *block, bool wide, int k)
{
    const int stop = k;
    const struct kl_learner l = learner_of(block, wide);
    struct kl_train_options o = options();
    struct kl_train whole, first, second;
    struct kl_error err = { 0 };
    struct kl_watch watch = { stop_at, &k };
    struct kl_header header = { .kind = "checkpoint", .schema = 1, .tool = "test", .key_parts = "{}" };
    char key[65], path[1024];
    struct kl_writer *writer = NULL;
    struct kl_file *file = NULL;
    o.optimizer.kind = KL_ADAM, o.schedule.kind = KL_PLATEAU_RATE, o.schedule.threshold = 0.2;
    run(&whole, &l, &o, 1);
    in_folder(path, "c.h5");
    CHECK(kl_sha256_hex(key, "{}", 2, &err) == 0);
    header.key = key;
    CHECK(kl_train_open(&first, &l, &o, 1, &err) == 0 &&
          kl_train_run(&first, NULL, &watch, &err) == KL_ESIGNAL);
    CHECK(kl_store_writer_open(&writer, path, &header, &err) == 0 &&
              kl_train_save(writer, &first, "a/", true, &err) == 0 &&
              kl_store_writer_publish(&writer, NULL, &err) == 0,
          "%s", err.text);
    CHECK(!same(&whole, &first) && kl_train_open(&second, &l, &o, 1, &err) == 0);
    CHECK(kl_store_file_open(&file, path, &err) == 0 &&
              kl_train_restore(&second, file, "a/", &err) == 0 &&
              kl_train_run(&second, NULL, NULL, &err) == 0,
          "%s", err.text);
    CHECK(same(&whole, &second), "stop %d", stop);
    kl_store_file_close(&file);
    kl_train_close(&whole), kl_train_close(&first), kl_train_close(&second);
}

/* A file that cannot be of a training: within an epoch after the last one, an epoch ended and none the
   best, fewer than no steps. */
static void refuses(const struct kl_block *block)
{
    const struct kl_learner l = learner_of(block, true);
    const struct kl_train_options o = options();
    struct kl_header header = { .kind = "checkpoint", .schema = 1, .tool = "test", .key_parts = "{}" };
    struct kl_error err = { 0 };
    char key[65], path[1024];
    in_folder(path, "bad.h5");
    CHECK(kl_sha256_hex(key, "{}", 2, &err) == 0);
    header.key = key;
    for (int fault = 0; fault < 4; fault++) {
        struct kl_train t;
        struct kl_writer *writer = NULL;
        struct kl_file *file = NULL;
        run(&t, &l, &o, 1);
        if (fault == 1) t.step = 1;
        if (fault == 2) t.replicas[1].best_epoch = -1;
        if (fault == 3) t.replicas[2].sums[0] = -1;
        CHECK(kl_store_writer_open(&writer, path, &header, &err) == 0 &&
              kl_train_save(writer, &t, "", true, &err) == 0 &&
              kl_store_writer_publish(&writer, NULL, &err) == 0);
        CHECK(kl_store_file_open(&file, path, &err) == 0);
        CHECK(kl_train_restore(&t, file, "", &err) == (fault ? KL_EDATA : 0), "fault %d: %s", fault,
              err.text);
        kl_store_file_close(&file);
        kl_train_close(&t);
    }
}

/* Losses by epoch, and what they come to: best, end, reductions of the rate. */
static void judges(const struct kl_block *block)
{
    static const double course[EPOCHS] = { 9, 7, 8, 8, 6, 6.5, 6, 6.1, 5.99, 7, 7, 7 };
    struct kl_learner l = learner_of(block, true);
    struct kl_train_options o = options();
    struct kl_train t;
    scripted = course;
    o.replicas = 1;
    run(&t, &l, &o, 1);
    CHECK(t.replicas[0].best_epoch == 8 && t.replicas[0].stopped_epoch == -1);
    kl_train_close(&t);
    o.patience = 3; /* the third epoch in a row that is no better, a tie among them */
    run(&t, &l, &o, 1);
    CHECK(t.replicas[0].best_epoch == 4 && t.replicas[0].stopped_epoch == 7 && t.epoch == 8);
    kl_train_close(&t);
    o.patience = 0, o.schedule.kind = KL_PLATEAU_RATE, o.schedule.patience = 1;
    run(&t, &l, &o, 1);
    CHECK(t.replicas[0].reductions == 3, "%d", (int)t.replicas[0].reductions); /* 3, 6, 10 */
    kl_train_close(&t);
    o.schedule.threshold = 0.01; /* 5.99 is no gain over 6 */
    run(&t, &l, &o, 1);
    CHECK(t.replicas[0].reductions == 4, "%d", (int)t.replicas[0].reductions); /* 3, 6, 8, 10 */
    CHECK(t.replicas[0].best_epoch == 8);
    kl_train_close(&t);
    l.best_from = 9, o.schedule.threshold = 0;
    run(&t, &l, &o, 1);
    CHECK(t.replicas[0].best_epoch == 9);
    kl_train_close(&t);
    l.n_judged = 0;
    run(&t, &l, &o, 1);
    CHECK(t.replicas[0].best_epoch == EPOCHS - 1);
    kl_train_close(&t);
    scripted = NULL;
}

/* The best that is told to the learner, one step of it, and a run in parts. */
static int64_t best_told[EPOCHS];
static int judged_epoch(const struct kl_crew *crew, bool best, struct kl_error *err)
{
    (void)err;
    best_told[crew->train->epoch] = best;
    return 0;
}

static int stops_itself(const struct kl_crew *crew, bool untrained, struct kl_error *err)
{
    (void)untrained;
    if (crew->train->epoch == 2 && noise > 0) return kl_fail(err, KL_ESIGNAL, "stopped");
    return judge(crew, false, err);
}

static void in_parts(const struct kl_block *block)
{
    static const double course[EPOCHS] = { 3, 4, 2, 2, 1, 5, 5, 5, 5, 5, 5, 0 };
    struct kl_learner l = learner_of(block, true);
    const struct kl_train_options o = options();
    struct kl_error err = { 0 };
    struct kl_train whole, t;
    run(&whole, &l, &o, 1);
    l.judge = stops_itself, noise = 1;
    CHECK(kl_train_open(&t, &l, &o, 1, &err) == 0 && kl_train_run(&t, NULL, NULL, &err) == KL_ESIGNAL);
    CHECK(t.epoch == 2 && t.step == STEPS && isnan(t.replicas[0].history[JUDGED][2]));
    noise = 0, t.until = 5; /* the judgement again, and not one step */
    CHECK(kl_train_run(&t, NULL, NULL, &err) == 0 && t.epoch == 5 && !kl_train_finished(&t));
    kl_train_stop_workers(&t);
    CHECK(kl_train_start_workers(&t, 4, &err) == 0);
    t.until = 0;
    CHECK(kl_train_run(&t, NULL, NULL, &err) == 0 && kl_train_finished(&t));
    CHECK(same(&whole, &t));
    kl_train_close(&whole), kl_train_close(&t);
    l.judge = judge, l.judged_epoch = judged_epoch, scripted = course;
    run(&t, &l, &o, 1);
    for (int e = 0; e < EPOCHS; e++)
        CHECK(best_told[e] == (e == 0 || e == 2 || e == 4 || e == 11), "%d", e);
    kl_train_close(&t);
    scripted = NULL;
}

/* Of three, the second has a loss that is no number in epoch 3: it ends at its best epoch so far, the
   others go on; or all end. */
static int fails_once(const struct kl_crew *crew, struct kl_error *err)
{
    const int code = end_epoch(crew, err);
    if (crew->index == 1 && crew->train->epoch == 3) crew->replica->history[LOSS][3] = NAN;
    return code;
}

static void diverges(const struct kl_block *block)
{
    struct kl_learner l = learner_of(block, true);
    const struct kl_train_options o = options();
    struct kl_error err = { 0 };
    struct kl_train t;
    l.end_epoch = fails_once;
    CHECK(kl_train_open(&t, &l, &o, 1, &err) == 0);
    t.bears_divergence = true;
    CHECK(kl_train_run(&t, NULL, NULL, &err) == 0, "%s", err.text);
    CHECK(t.replicas[1].stopped_epoch == 3 && t.replicas[1].best_epoch == 2);
    CHECK(kl_train_diverged(&t, &t.replicas[1]) == 3 && kl_train_diverged(&t, &t.replicas[0]) == -1);
    CHECK(t.replicas[0].best_epoch == EPOCHS - 1 && t.replicas[2].stopped_epoch == -1);
    kl_train_close(&t);
    CHECK(kl_train_open(&t, &l, &o, 1, &err) == 0 && kl_train_run(&t, NULL, NULL, &err) == KL_EDATA);
    CHECK(t.replicas[1].diverged && !t.replicas[0].diverged && t.epoch == 3);
    kl_train_close(&t);
}

/* The function after an update is told the number of the step: 0, 1, 2, 0, ... times the noise in entry
   0, whose target is -2 and whose rate is 0. */
static void after_update(const struct kl_block *block)
{
    struct kl_learner l = learner_of(block, true);
    struct kl_train_options o = options();
    struct kl_train t;
    l.after_update = add_noise, noise = 1;
    o.replicas = 1, o.schedule.lr = 0;
    run(&t, &l, &o, 2);
    CHECK(((double *)t.replicas[0].params)[0] == EPOCHS * STEPS, "%g",
          ((double *)t.replicas[0].params)[0]);
    kl_train_close(&t);
}

int main(void)
{
    struct kl_block block = { 0 };
    struct kl_error err = { 0 };
    const size_t dims[4] = { 3, 5, 7, 2 };
    make_test_folder();
    for (int rank = 4; rank >= 1; rank--) {
        char name[8] = { (char)('a' + rank), 0 };
        CHECK(kl_nn_block_add_tensor(&block, name, rank, dims, &err) == 4 - rank, "%s", err.text);
    }
    for (int i = 0; i < 100; i++) { /* any number */
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        CHECK(kl_nn_block_add_tensor(&block, name, 1, dims, &err) == 4 + i, "%s", err.text);
    }
    CHECK(kl_nn_block_add_tensor(&block, "five", 5, dims, &err) == KL_EUSAGE);
    goes_down(&block, false), goes_down(&block, true);
    for (int k = 1; k < 34; k += 3) resumes(&block, k % 2, k);
    refuses(&block);
    judges(&block);
    in_parts(&block);
    diverges(&block);
    after_update(&block);
    kl_nn_block_free(&block);
    return failures ? 1 : 0;
}
