/* SPDX-License-Identifier: MIT
   The study's generator: one latent vector an epoch through three layers to a softmax over the cells.
   All of its time goes into the 1.6 million weights and their moments, 19 MB, which every epoch changes.
   What is 0 behind ReLU, about half of all, saves the half of it:
   - an output of the first layer that is 0 gives its row no gradient, so that the next step is known
     before the epoch has begun: the row, still in the cache, takes it at once, and the next, until its
     output is positive;
   - an input of the last layer that is 0 needs no weights: its row takes its steps when it is positive
     again, in one sweep, or never (network_cells.c).
   Each number is what it would be if every step were taken in its turn. Compiled in both precisions. */
#include "qrng/gan/gan_int.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/real.h"
#include "kernels/select.h"

enum {
    PARTS = KL_GAN_PARTS,
    ROWS = 4, /* of the first layer at a time */
    PAD = KL_GAN_COLUMNS,
    SKEW = 13 * KL_GAN_COLUMNS /* between arrays: where addresses differ by a multiple of 4096, a load
                                  waits for the store before it as if it were of the same place */
};

/* Also who first touches the pages. */
struct zeros {
    kl_real *at;
    size_t n;
};

static void write_zeros(void *context, size_t item, int thread)
{
    const struct zeros *z = context;
    const size_t from = z->n * item / PARTS, to = z->n * (item + 1) / PARTS;
    (void)thread;
    memset(z->at + from, 0, (to - from) * sizeof *z->at);
}

static int make_layer(struct kl_gan_layer *l, size_t rows, size_t columns, bool last,
                      struct kl_arena *memory, struct kl_pool *pool, struct kl_error *err)
{
    const size_t stride = columns + PAD, n_steps = last ? columns + 1 : rows,
                 size = last ? PARTS * kl_gan_part_weights(rows, columns + 1) : rows * stride,
                 all = 3 * size + 3 * rows + PAD + 3 * SKEW;
    kl_real *at = kl_arena_take(memory, all, sizeof *at);
    l->steps = kl_arena_take(memory, n_steps, sizeof *l->steps);
    if (!at || !l->steps) return kl_fail_memory(err, all * sizeof *at);
    memset(l->steps, 0, n_steps * sizeof *l->steps);
    l->rows = rows, l->columns = columns, l->stride = stride;
    l->w = at, l->m = l->w + size + SKEW, l->v = l->m + size + SKEW;
    l->a = l->v + size + SKEW, l->d = l->a + rows, l->h = l->d + rows;
    const size_t known = last ? size : 0; /* weights that will be set, all of them */
    kl_pool_for(pool, PARTS, write_zeros, &(struct zeros){ at + known, all - known });
    l->h[rows] = 1;
    return KL_OK;
}

static void make_steps(struct kl_bare_adam *steps, const struct kl_optimizer *adam, double lr, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct kl_adam_factors f = kl_nn_update_at(adam, lr, i + 1).adam;
        const double all = 1 / ((1 - f.beta1) * f.rate);
        steps[i] = (struct kl_bare_adam){ f.decay, f.beta1, f.beta2, f.root * sqrt(1 - f.beta2) * all,
                                          f.epsilon * all };
    }
}

int kl_gan_network_make(struct kl_gan_network *g, const struct kl_gan_sizes *size,
                        const struct kl_optimizer *adam, double lr, size_t epochs,
                        struct kl_arena *memory, struct kl_pool *pool, struct kl_error *err)
{
    const size_t most = size->hidden1 > size->hidden2 ? size->hidden1 : size->hidden2,
                 stride = size->latent + PAD,
                 all = KL_GAN_LATENTS * stride + KL_GAN_PAST * size->cells +
                       (2 * PARTS + 1) * (most + PAD) + PARTS * kl_gan_part_sums(size->cells);
    *g = (struct kl_gan_network){ .epochs = epochs };
    int code = make_layer(&g->layer[0], size->hidden1, size->latent, false, memory, pool, err);
    if (!code) code = make_layer(&g->layer[1], size->hidden2, size->hidden1, false, memory, pool, err);
    if (!code) code = make_layer(&g->layer[2], size->cells, size->hidden2, true, memory, pool, err);
    if (code) return code;
    g->adam = kl_arena_take(memory, epochs, sizeof *g->adam);
    g->latent = kl_arena_take(memory, all, sizeof *g->latent);
    if (!g->adam || !g->latent) return kl_fail_memory(err, all * sizeof *g->latent);
    memset(g->latent, 0, all * sizeof *g->latent);
    g->past = g->latent + KL_GAN_LATENTS * stride, g->last = g->past + KL_GAN_PAST * size->cells;
    g->back = g->last + most + PAD, g->sums = g->back + 2 * PARTS * (most + PAD);
    for (size_t i = 0; i < KL_GAN_LATENTS; i++) g->latent[i * stride + size->latent] = 1;
    make_steps(g->adam, adam, lr, epochs);
    return KL_OK;
}

/* ---- the first layer ---- */
static kl_real *latent_of(const struct kl_gan_network *g, size_t epoch)
{
    return g->latent + epoch % KL_GAN_LATENTS * g->layer[0].stride;
}

kl_real *kl_gan_network_latent(struct kl_gan_network *g)
{
    return latent_of(g, g->n_latent++);
}

/* A row's step of the epoch at hand, and all that are known with it. */
static void step_row(const struct kl_gan_network *g, size_t i)
{
    const struct kl_gan_layer *l = &g->layer[0];
    const size_t at = i * l->stride;
    kl_real d = l->d[i];
    if (l->steps[i] > g->epoch) return;
    do {
        const size_t t = l->steps[i]++;
        const struct kl_gan_step_rows row = { .w = l->w + at,
                                              .m = l->m + at,
                                              .v = l->v + at,
                                              .d = &d,
                                              .x = latent_of(g, t),
                                              .next = latent_of(g, t + 1),
                                              .next_out = &l->a[i],
                                              .rows = 1,
                                              .columns = l->stride };
        kl_kernel_gan_step(&row, &g->adam[t]);
        d = 0;
    } while (!(l->a[i] > 0) && l->steps[i] + 1 < g->n_latent);
}

static void step_rows(void *context, size_t item, int thread)
{
    const struct kl_gan_network *g = context;
    (void)thread;
    for (size_t i = item * ROWS; i < (item + 1) * ROWS; i++) step_row(g, i);
}

/* What the first epoch makes of its latent vector. */
static void begin(const struct kl_gan_network *g)
{
    const struct kl_gan_layer *l = &g->layer[0];
    kl_kernel_gan_forward(l->a, l->w, latent_of(g, 0), l->rows, l->stride);
}

/* ---- all of them ---- */
void kl_gan_network_law(kl_real *law, struct kl_gan_network *g, const kl_real *dp, struct kl_pool *pool)
{
    struct kl_gan_layer *l = g->layer;
    if (g->epoch == 0) begin(g);
    for (size_t i = 0; i < l[0].rows; i++) /* a row in advance was negative here */
        l[0].h[i] = l[0].steps[i] == g->epoch && l[0].a[i] > 0 ? l[0].a[i] : 0;
    kl_kernel_gan_forward(l[1].a, l[1].w, l[0].h, l[1].rows, l[1].stride);
    for (size_t i = 0; i < l[1].rows; i++) l[1].h[i] = l[1].a[i] > 0 ? l[1].a[i] : 0;
    kl_gan_cells_law(law, g, dp, pool);
}

static void step_second(const struct kl_gan_network *g)
{
    const struct kl_gan_layer *first = &g->layer[0], *l = &g->layer[1];
    const struct kl_gan_step_rows rows = { .w = l->w,
                                           .m = l->m,
                                           .v = l->v,
                                           .d = l->d,
                                           .x = first->h,
                                           .back = g->back,
                                           .rows = l->rows,
                                           .columns = l->stride };
    kl_kernel_gan_step(&rows, &g->adam[g->epoch]);
    for (size_t i = 0; i < first->rows; i++) first->d[i] = first->h[i] > 0 ? g->back[i] : 0;
}

void kl_gan_network_step(struct kl_gan_network *g, struct kl_pool *pool)
{
    step_second(g);
    kl_pool_for(pool, g->layer[0].rows / ROWS, step_rows, g);
    g->epoch++;
}
