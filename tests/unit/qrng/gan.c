/* SPDX-License-Identifier: MIT
   Parts of the generators against definitions written apart: the kernel distance as a double sum, the
   network's gradient as differences, words bit by bit, the discriminator without epsilon by its formula
   in long double; the study's network on any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "qrng/gan/gan_int.h"

enum { BITS = 5, CELLS = 1 << BITS };

static void laws(float *p, float *r)
{
    double sums[2] = { 0 };
    for (int k = 0; k < CELLS; k++) {
        p[k] = (float)(1.2 + sin(3.0 * k)), r[k] = (float)(1.1 + cos(5.0 * k + 1));
        sums[0] += (double)p[k], sums[1] += (double)r[k];
    }
    for (int k = 0; k < CELLS; k++)
        p[k] = (float)((double)p[k] / sums[0]), r[k] = (float)((double)r[k] / sums[1]);
}

static void kernel_distance(void)
{
    float p[CELLS], r[CELLS];
    double k[CELLS], scratch[2 * CELLS], sum = 0;
    laws(p, r);
    const double found = kl_gan_mmd(k, p, r, BITS, scratch);
    for (int i = 0; i < CELLS; i++) {
        double row = 0;
        for (int j = 0; j < CELLS; j++)
            for (int s = -2; s <= 0; s++)
                row += exp(-__builtin_popcount((unsigned)(i ^ j)) / (2 * BITS * pow(4, s))) / 3 *
                       ((double)p[j] - (double)r[j]);
        CHECK(fabs(k[i] - row) < 1e-12);
        sum += ((double)p[i] - (double)r[i]) * row;
    }
    CHECK(fabs(found - sum) < 1e-12);
}

/* Of sum(dp * law), by the parameters with the largest derivatives of each tensor. */
static double loss_of(struct kl_gan_mixture *g, const float *dp, float *law)
{
    double sum = 0;
    kl_gan_mixture_law(law, g, 3, 7, 1);
    for (size_t k = 0; k < g->n_cells; k++) sum += (double)law[k] * (double)dp[k];
    return sum;
}

static size_t largest(const struct kl_gan_mixture *g, const struct kl_tensor *t)
{
    size_t best = t->offset;
    for (size_t i = t->offset; i < t->offset + t->size; i++)
        if (fabsf(g->grad[i]) > fabsf(g->grad[best])) best = i;
    return best;
}

static void network_gradient(void)
{
    struct kl_arena memory;
    struct kl_gan_mixture g;
    float law[CELLS], dp[CELLS];
    double sum = 0;
    CHECK(kl_arena_init(&memory, 0, NULL) == 0);
    CHECK(kl_gan_mixture_make(&g, CELLS, 3, 1, &memory, NULL) == 0);
    for (int k = 0; k < CELLS; k++) dp[k] = (float)(10 * sin(2.0 * k));
    loss_of(&g, dp, law);
    for (int k = 0; k < CELLS; k++) sum += (double)law[k];
    CHECK(fabs(sum - 1) < 1e-5);
    kl_gan_mixture_gradient(&g, dp);
    for (int t = 0; t < g.block.n; t++) {
        const size_t i = largest(&g, &g.block.tensors[t]);
        const double found = (double)g.grad[i];
        const float kept = g.params[i];
        g.params[i] = kept + 0.01f;
        const double up = loss_of(&g, dp, law);
        g.params[i] = kept - 0.01f;
        const double down = loss_of(&g, dp, law), want = (up - down) / 0.02;
        g.params[i] = kept;
        CHECK(fabs(found) > 1e-4 && fabs(found - want) < 0.02 * fabs(want) + 1e-4);
    }
    kl_arena_free(&memory);
}

static void words(void)
{
    const uint64_t row[2] = { 0x8000000000000005ull, 0x1ull }; /* bits 0, 2, 63 and 64 */
    CHECK(kl_gan_word(row, 0, 3) == 5);                        /* 1 0 1 */
    CHECK(kl_gan_word(row, 1, 3) == 0);
    CHECK(kl_gan_word(row, 5, 12) == 384); /* bits 60 to 71: 0001 1000 0000 */
}

static void discriminator(void)
{
    struct kl_arena memory;
    struct kl_discriminator_f64 d;
    struct kl_gan_losses losses;
    double p[CELLS], r[CELLS], dp[CELLS];
    float pf[CELLS], rf[CELLS];
    long double generator = 0, real = 0, fake = 0;
    laws(pf, rf);
    CHECK(kl_arena_init(&memory, 0, NULL) == 0);
    CHECK(kl_gan_discriminator_make_f64(&d, KL_GAN_BITS, CELLS, 3, &memory, NULL) == 0);
    for (size_t i = 0; i < d.n_params; i++) d.params[i] = 4 * sin((double)i + 1);
    for (int k = 0; k < CELLS; k++) p[k] = (double)pf[k], r[k] = (double)rf[k];
    kl_gan_discriminator_score_f64(&losses, dp, &d, p, r, NULL);
    for (size_t k = 0; k < CELLS; k++) {
        long double logit = d.params[d.n_params - 1];
        for (size_t h = 0; h < 3; h++) {
            long double a = d.params[3 * BITS + h];
            for (size_t i = 0; i < BITS; i++)
                a += (k >> (BITS - 1 - i) & 1 ? 1 : -1) * (long double)d.params[h * BITS + i];
            logit += (a > 0 ? a : 0.2L * a) * (long double)d.params[3 * (BITS + 1) + h];
        }
        const long double seen = -log1pl(expl(-logit)), unseen = -log1pl(expl(logit));
        generator -= p[k] * seen, real -= r[k] * seen, fake -= p[k] * unseen;
        CHECK(fabsl(dp[k] + seen) < 1e-12L);
    }
    CHECK(fabsl(losses.generator - generator) < 1e-11L && fabsl(losses.real - real) < 1e-11L &&
          fabsl(losses.fake - fake) < 1e-11L);
    kl_arena_free(&memory);
}

static struct run {
    float law[KL_GRID_CELLS], target[KL_GRID_CELLS], discriminator[128];
    double angles[120], history[KL_GAN_N_COLUMNS][12];
} runs[2];

static void run_pair(struct run *r, int threads)
{
    struct kl_pool *pool = NULL;
    struct kl_arena memory = { 0 };
    struct kl_gan_options o = { .reference = true, .epochs = 12 };
    struct kl_gan_place to = { .law = r->law,
                               .target = r->target,
                               .discriminator = r->discriminator,
                               .angles = r->angles,
                               .memory = &memory };
    double rates[2][KL_GRID_BITS];
    for (int c = 0; c < KL_GAN_N_COLUMNS; c++) to.history[c] = r->history[c];
    for (int i = 0; i < KL_GRID_BITS; i++)
        rates[0][i] = 0.5 + 0.1 * sin(i), rates[1][i] = 0.4 + 0.1 * cos(2 * i);
    CHECK(kl_gan_settle(&o, NULL) == 0);
    CHECK(threads == 1 || kl_pool_create(&pool, threads, NULL) == 0);
    CHECK(kl_gan_reference(&to, &o, rates[0], rates[1], pool, NULL) == 0);
    if (pool) kl_pool_destroy(&pool);
    kl_arena_free(&memory);
}

/* 3 threads: one has more parts than the others; 11: more threads than parts. */
static void threads_change_nothing(void)
{
    run_pair(&runs[0], 1);
    for (int threads = 2; threads <= 11; threads += threads == 3 ? 8 : 1) {
        memset(&runs[1], 0, sizeof runs[1]);
        run_pair(&runs[1], threads);
        CHECK(memcmp(&runs[0], &runs[1], sizeof runs[0]) == 0, "%d threads", threads);
    }
}

/* One device, words of one bit, a law of 1: is the mean cost of held-out rows, here from their ones,
   below ln 2 by two standard errors? lead: how far below, in these. */
static bool is_better(double *lead, const struct kl_bits *bits, const struct kl_gan_rows *held,
                      double law)
{
    const size_t n = held->from[KL_GAN_HELD_OUT + 1] - held->from[KL_GAN_HELD_OUT];
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t row = held->rows[held->from[KL_GAN_HELD_OUT] + i];
        const long double ones = __builtin_popcountll(bits->words[row]) / 20.0L;
        const long double cost = -ones * logl((long double)law) - (1 - ones) * log1pl(-(long double)law);
        sum += cost, squares += cost * cost;
    }
    const long double mean = sum / n, variance = (squares - n * mean * mean) / (n - 1);
    *lead = (double)((logl(2) - mean) / sqrtl(variance / n));
    return *lead > 2;
}

/* The count is of rows held out, and within two standard errors there is nothing to see. */
static void unlearnt(void)
{
    enum { ROWS = 60 };
    uint64_t words[ROWS];
    int32_t device[ROWS] = { 0 };
    char names[1][KL_BITS_NAME] = { "a" };
    struct kl_bits bits = { .n_rows = ROWS,
                            .n_bits = 20,
                            .words_per_row = 1,
                            .words = words,
                            .device = device,
                            .n_devices = 1,
                            .names = names };
    float law[2];
    struct kl_gan_pair of = { 0, -1 };
    struct kl_gan_study s = { .o = { .word_bits = 1, .seed = 5 },
                              .bits = &bits,
                              .n_models = 1,
                              .n_cells = 2,
                              .of = &of,
                              .law = law };
    struct kl_gan_rows held;
    int within = 0, better = 0, worse = 0;
    for (int i = 0; i < ROWS; i++) words[i] = (1ull << (9 + i * 7 % 5)) - 1; /* 9 to 13 ones of 20 */
    CHECK(kl_gan_split(&held, &bits, 0, 5, NULL) == 0);
    for (int step = 1; step < 100; step++) {
        double lead;
        law[1] = (float)(0.5 + step * 0.003), law[0] = 1 - law[1];
        const bool want = is_better(&lead, &bits, &held, (double)law[1]);
        CHECK(kl_gan_count_unlearnt(&s, NULL) == 0 && s.unlearnt == !want, "%d: %g", step, lead);
        better += want, worse += lead<0, within += lead> 0 && lead < 2;
    }
    law[0] = law[1] = 0.5f;
    CHECK(kl_gan_count_unlearnt(&s, NULL) == 0 && s.unlearnt == 1);
    CHECK(better && worse && within, "%d, %d, %d", better, worse, within);
    free(held.rows);
}

int main(void)
{
    unlearnt();
    kernel_distance();
    network_gradient();
    words();
    discriminator();
    threads_change_nothing();
    return failures != 0;
}
