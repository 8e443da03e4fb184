/* SPDX-License-Identifier: MIT
   The last layer of the study's generator, whose weights are stored by inputs: an input that is 0 needs
   none. The cells are divided among the threads in whole parts, over which sums are taken first, so that
   no sum depends on the threads. Compiled in both precisions. */
#include <string.h>

#include "kernels/inline/real.h"
#include "kernels/select.h"
#include "qrng/gan_int.h"

enum { PARTS = KL_GAN_PARTS };

struct sweep {
    const struct KL_NAME(kl_gan_network) * g;
    size_t n; /* items that the cells are divided among */
};

/* Row j's part of the cells takes its steps up to `until` and, for y, adds itself to the logits. */
static void take_steps(const struct KL_NAME(kl_gan_network) * g, size_t j, size_t until, kl_real y,
                       size_t from, size_t n, ptrdiff_t ahead)
{
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    const size_t at = j * l->stride + from, steps = l->steps[j];
    const struct KL_NAME(kl_gan_input) in = { .w = l->w + at,
                                              .m = l->m + at,
                                              .v = l->v + at,
                                              .d = KL_NAME(kl_gan_past)(g, steps) + from,
                                              .out = l->a + from,
                                              .x = g->last[j],
                                              .y = y,
                                              .n = n,
                                              .ahead = ahead,
                                              .n_steps = until - steps,
                                              .steps = g->adam + steps };
    kl_kernels()->KL_NAME(gan_input)(&in);
}

/* Its step with a gradient can wait no longer: the derivatives are about to be forgotten. */
static bool overdue(const struct KL_NAME(kl_gan_network) * g, size_t j)
{
    return g->last[j] != 0 && g->epoch - g->layer[2].steps[j] == KL_GAN_PAST;
}

/* From row j to the next that is wanted; 0: there is none. */
static ptrdiff_t to_next(const struct KL_NAME(kl_gan_network) * g, size_t j)
{
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    size_t next = j + 1;
    while (next <= l->columns && !(g->layer[1].h[next] > 0)) next++;
    return next <= l->columns ? (ptrdiff_t)((next - j) * l->stride) : 0;
}

static void sweep_cells(void *context, size_t item, int thread)
{
    const struct sweep *s = context;
    const struct KL_NAME(kl_gan_network) *g = s->g;
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    const size_t part = l->rows / PARTS, from = PARTS * item / s->n * part,
                 n = PARTS * (item + 1) / s->n * part - from;
    const kl_real *h = g->layer[1].h;
    (void)thread;
    memset(l->a + from, 0, n * sizeof *l->a);
    for (size_t j = 0; j <= l->columns; j++) {
        if (h[j] > 0) take_steps(g, j, g->epoch, h[j], from, n, to_next(g, j));
        else if (overdue(g, j)) take_steps(g, j, l->steps[j] + 1, 0, from, n, 0);
    }
}

static size_t items_of(struct kl_pool *pool)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    return threads < PARTS ? threads : PARTS;
}

void KL_NAME(kl_gan_cells_forward)(struct KL_NAME(kl_gan_network) * g, struct kl_pool *pool)
{
    struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    const kl_real *h = g->layer[1].h;
    struct sweep s = { g, items_of(pool) };
    kl_pool_for(pool, s.n, sweep_cells, &s);
    for (size_t j = 0; j <= l->columns; j++) {
        if (h[j] > 0) l->steps[j] = g->epoch, g->last[j] = h[j];
        else if (overdue(g, j)) l->steps[j]++, g->last[j] = 0;
    }
}

void KL_NAME(kl_gan_network_settle)(struct KL_NAME(kl_gan_network) * g)
{
    for (size_t j = 0; j <= g->layer[2].columns; j++) {
        take_steps(g, j, g->epoch, 0, 0, g->layer[2].rows, 0);
        g->layer[2].steps[j] = g->epoch, g->last[j] = 0;
    }
}

/* back (parts, hidden2) = sums over the part's cells of d times the weights. */
static void sweep_back(void *context, size_t item, int thread)
{
    const struct sweep *s = context;
    const struct KL_NAME(kl_gan_layer) *l = &s->g->layer[2];
    const size_t part = l->rows / PARTS;
    (void)thread;
    for (size_t j = l->columns;
         j-- > 0;) { /* those that were swept last may still be in the second cache */
        if (!(s->g->layer[1].h[j] > 0)) continue;
        for (size_t p = PARTS * item / s->n; p < PARTS * (item + 1) / s->n; p++)
            kl_kernels()->KL_NAME(gan_forward)(s->g->back + p * l->columns + j,
                                               l->w + j * l->stride + p * part, l->d + p * part, 1,
                                               part);
    }
}

void KL_NAME(kl_gan_cells_back)(const struct KL_NAME(kl_gan_network) * g, struct kl_pool *pool)
{
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[1];
    struct sweep s = { g, items_of(pool) };
    kl_pool_for(pool, s.n, sweep_back, &s);
    for (size_t j = 0; j < l->rows; j++) {
        l->d[j] = 0;
        for (size_t p = 0; l->h[j] > 0 && p < PARTS; p++) l->d[j] += g->back[p * l->rows + j];
    }
}
