/* SPDX-License-Identifier: MIT
   The last layer of the study's generator, whose weights are stored by inputs: an input that is 0 needs
   none. The cells are divided among the threads in whole parts, over which sums are taken first, so that
   no sum depends on the threads. Compiled in both precisions. */
#include <string.h>

#include "kernels/inline/real.h"
#include "kernels/select.h"
#include "qrng/gan_int.h"

enum { PARTS = KL_GAN_PARTS };

static struct kl_gan_share share_of(const struct KL_NAME(kl_gan_network) * g, size_t i)
{
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    return kl_gan_share(i, g->n_shares, l->rows, l->columns + 1);
}

void KL_NAME(kl_gan_network_set)(struct KL_NAME(kl_gan_network) * g, size_t j, const kl_real *w)
{
    for (size_t i = 0; i < g->n_shares; i++) {
        const struct kl_gan_share s = share_of(g, i);
        memcpy(g->layer[2].w + s.weights + j * s.n, w + s.from, s.n * sizeof *w);
    }
}

/* Row j of a share takes its steps up to `until` and, for y, adds itself to the logits; `next` rows on
   follows another, 0: none. */
static void take_steps(const struct KL_NAME(kl_gan_network) * g, const struct kl_gan_share *s, size_t j,
                       size_t until, kl_real y, size_t next)
{
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    const size_t at = s->weights + j * s->n, steps = l->steps[j];
    const struct KL_NAME(kl_gan_input) in = { .w = l->w + at,
                                              .m = l->m + at,
                                              .v = l->v + at,
                                              .d = KL_NAME(kl_gan_past)(g, steps) + s->from,
                                              .out = g->sums + s->sums,
                                              .x = g->last[j],
                                              .y = y,
                                              .n = s->n,
                                              .ahead = (ptrdiff_t)(next * s->n),
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
static size_t to_next(const struct KL_NAME(kl_gan_network) * g, size_t j)
{
    const size_t columns = g->layer[2].columns;
    size_t next = j + 1;
    while (next <= columns && !(g->layer[1].h[next] > 0)) next++;
    return next <= columns ? next - j : 0;
}

static void sweep_cells(void *context, size_t i, int thread)
{
    const struct KL_NAME(kl_gan_network) *g = context;
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    const struct kl_gan_share s = share_of(g, i);
    const kl_real *h = g->layer[1].h;
    kl_real *sums = g->sums + s.sums;
    (void)thread;
    memset(sums, 0, s.n * sizeof *sums);
    for (size_t j = 0; j <= l->columns; j++) {
        if (h[j] > 0) take_steps(g, &s, j, g->epoch, h[j], to_next(g, j));
        else if (overdue(g, j)) take_steps(g, &s, j, l->steps[j] + 1, 0, 0);
    }
    memcpy(l->a + s.from, sums, s.n * sizeof *sums);
}

void KL_NAME(kl_gan_cells_forward)(struct KL_NAME(kl_gan_network) * g, struct kl_pool *pool)
{
    struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    const kl_real *h = g->layer[1].h;
    kl_pool_for(pool, g->n_shares, sweep_cells, g);
    for (size_t j = 0; j <= l->columns; j++) {
        if (h[j] > 0) l->steps[j] = g->epoch, g->last[j] = h[j];
        else if (overdue(g, j)) l->steps[j]++, g->last[j] = 0;
    }
}

void KL_NAME(kl_gan_network_settle)(struct KL_NAME(kl_gan_network) * g)
{
    for (size_t j = 0; j <= g->layer[2].columns; j++) {
        for (size_t i = 0; i < g->n_shares; i++) {
            const struct kl_gan_share s = share_of(g, i);
            take_steps(g, &s, j, g->epoch, 0, 0);
        }
        g->layer[2].steps[j] = g->epoch, g->last[j] = 0;
    }
}

/* back (parts, hidden2) = sums over the part's cells of d times the weights. */
static void sweep_back(void *context, size_t i, int thread)
{
    const struct KL_NAME(kl_gan_network) *g = context;
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[2];
    const struct kl_gan_share s = share_of(g, i);
    const size_t part = l->rows / PARTS;
    (void)thread;
    for (size_t j = l->columns;
         j-- > 0;) { /* those that were swept last may still be in the second cache */
        const kl_real *w = l->w + s.weights + j * s.n;
        for (size_t k = 0; g->layer[1].h[j] > 0 && k < s.n; k += part)
            kl_kernels()->KL_NAME(gan_forward)(g->back + (s.from + k) / part * l->columns + j, w + k,
                                               l->d + s.from + k, 1, part);
    }
}

void KL_NAME(kl_gan_cells_back)(struct KL_NAME(kl_gan_network) * g, struct kl_pool *pool)
{
    const struct KL_NAME(kl_gan_layer) *l = &g->layer[1];
    kl_pool_for(pool, g->n_shares, sweep_back, g);
    for (size_t j = 0; j < l->rows; j++) {
        l->d[j] = 0;
        for (size_t p = 0; l->h[j] > 0 && p < PARTS; p++) l->d[j] += g->back[p * l->rows + j];
    }
}
