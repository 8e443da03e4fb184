/* SPDX-License-Identifier: MIT
   Parts of a step's gradient that are added as a tree: the sum is that of the definition, to the bit, by one
   thread, by threads that take replicas and by threads that share steps. */
#include <math.h>
#include <string.h>

#include "tests/unit/check.h"
#include "train/train.h"

enum { SIZE = 37, MOST = 32, REPLICAS = 3 };
static const struct kl_train_row rows[] = { { "train_loss", "loss" } };
static const struct kl_train_sum sums[] = { { "loss", false } };

static double part_value(size_t part, size_t k, int64_t replica)
{
    return sin(1.7 * (double)(part * SIZE + k) + (double)replica) * pow(10, (double)(part % 5));
}

static int gradient(const struct kl_crew *crew, const struct kl_train_step *step, size_t part,
                    void *grad, double *sum, int thread, struct kl_error *err)
{
    (void)step, (void)thread, (void)err;
    for (size_t k = 0; k < SIZE; k++)
        if (crew->train->learner->wide) ((double *)grad)[k] = part_value(part, k, crew->index);
        else ((float *)grad)[k] = (float)part_value(part, k, crew->index);
    sum[0] += part_value(part, 0, crew->index);
    return 0;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    (void)err;
    crew->replica->history[0][crew->train->epoch] = crew->replica->sums[0];
    return 0;
}

/* The definition: halves of [from, to), added. */
static double wide_tree(size_t from, size_t to, size_t k, int64_t replica)
{
    const size_t middle = (from + to) / 2;
    return to - from == 1 ? part_value(from, k, replica)
                          : wide_tree(from, middle, k, replica) + wide_tree(middle, to, k, replica);
}

static float narrow_tree(size_t from, size_t to, size_t k, int64_t replica)
{
    const size_t middle = (from + to) / 2;
    return to - from == 1 ? (float)part_value(from, k, replica)
                          : narrow_tree(from, middle, k, replica) + narrow_tree(middle, to, k, replica);
}

static void check(const struct kl_block *block, size_t parts, bool wide, int threads)
{
    const struct kl_learner l = { .block = block,
                                  .wide = wide,
                                  .rows = rows,
                                  .n_rows = 1,
                                  .loss = 0,
                                  .sums = sums,
                                  .n_named = 1,
                                  .n_sums = 1,
                                  .steps_per_epoch = 1,
                                  .parts = parts,
                                  .tree = true,
                                  .gradient = gradient,
                                  .end_epoch = end_epoch };
    struct kl_train_options o;
    struct kl_train train;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    kl_train_options_default(&o);
    o.epochs = 1, o.replicas = REPLICAS, o.optimizer.kind = KL_SGD, o.schedule.lr = 1;
    CHECK(kl_pool_create(&pool, threads, &err) == 0 &&
              kl_train_open(&train, &l, &o, threads, &err) == 0 &&
              kl_train_run(&train, pool, NULL, &err) == 0,
          "%s", err.text);
    for (int64_t r = 0; r < REPLICAS; r++) {
        const void *p = train.replicas[r].params;
        bool same = train.replicas[r].history[0][0] == wide_tree(0, parts, 0, r);
        for (size_t k = 0; k < SIZE; k++)
            same &= wide ? ((const double *)p)[k] == -wide_tree(0, parts, k, r)
                         : ((const float *)p)[k] == -narrow_tree(0, parts, k, r);
        CHECK(same, "%zu parts, wide %d, %d threads, replica %d", parts, wide, threads, (int)r);
    }
    kl_train_close(&train);
    kl_pool_destroy(&pool);
}

int main(void)
{
    struct kl_block block = { 0 };
    struct kl_error err;
    CHECK(kl_nn_block_add_tensor(&block, "w", 1, (size_t[]){ SIZE }, &err) == 0);
    for (size_t parts = 1; parts <= MOST; parts *= 2)
        for (int wide = 0; wide < 2; wide++)
            for (int threads = 1; threads <= 4; threads++) check(&block, parts, wide, threads);
    kl_nn_block_free(&block);
    return failures != 0;
}
