/* SPDX-License-Identifier: MIT
   The study's GANs: 100 epochs of a pair on all threads and on one; many pairs side by side; 50 epochs
   of the 12-qubit circuit with its exact gradient, on one thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/gan/study.h"

enum { MANY = 6, STUDY = 435 };

struct pair {
    double a[KL_GRID_BITS], b[KL_GRID_BITS];
    float law[KL_GRID_CELLS], target[KL_GRID_CELLS], discriminator[128];
    double angles[120], history[KL_GAN_N_COLUMNS][100];
};

static struct pair pairs[MANY];
static struct kl_gan_options options;
static struct kl_arena memory[64];

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void train(struct pair *p, uint32_t replica, int thread, struct kl_pool *pool)
{
    struct kl_error err;
    struct kl_gan_place to = { .law = p->law,
                               .target = p->target,
                               .discriminator = p->discriminator,
                               .angles = p->angles,
                               .memory = &memory[thread],
                               .replica = replica };
    for (int c = 0; c < KL_GAN_N_COLUMNS; c++) to.history[c] = p->history[c];
    must(kl_gan_reference(&to, &options, p->a, p->b, pool, &err), &err);
}

static void train_one(void *context, size_t i, int thread)
{
    (void)context;
    train(&pairs[i], (uint32_t)i, thread, NULL);
}

/* The best of some rounds. */
static double seconds(size_t n, struct kl_pool *pool, int rounds)
{
    double best = 1e9;
    for (int r = 0; r < rounds; r++) {
        const double start = kl_clock();
        if (n == 1) train(&pairs[0], 0, 0, pool);
        else kl_pool_for(pool, n, train_one, NULL);
        best = fmin(best, kl_clock() - start);
    }
    return best;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 1 : 5;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    must(kl_pool_create(&pool, 0, &err), &err);
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < KL_GRID_BITS; j++)
            pairs[i].a[j] = 0.52 + 0.01 * sin(3.0 * j + i),
            pairs[i].b[j] = 0.55 + 0.02 * cos(7.0 * j + i);
    options = (struct kl_gan_options){ .reference = true };
    must(kl_gan_settle(&options, &err), &err);
    printf("bench gan-pair/ketline %.6g s\n", seconds(1, pool, rounds));
    printf("bench gan-pair-1-thread/ketline %.6g s\n", seconds(1, NULL, rounds));
    printf("bench gan-435/ketline %.6g s scaled\n", seconds(MANY, pool, rounds) / MANY * STUDY);
    options = (struct kl_gan_options){ .reference = true, .generator = KL_GAN_QUANTUM };
    must(kl_gan_settle(&options, &err), &err);
    printf("bench quantum-gan/ketline %.6g s\n", seconds(1, NULL, 2 * rounds));
    kl_pool_destroy(&pool);
    return 0;
}
