/* SPDX-License-Identifier: MIT
   The last layer of the study's generator, whose weights are stored by inputs: an input that is 0 needs
   none. The law and the derivatives behind it are found part by part of the cells, so that the weights
   that a sum over inputs has brought into the second cache serve the sums over cells from there:
   derivatives by a softmax need all cells only for two factors, which follow. No sum depends on the
   threads. Compiled in both precisions. */
#include <math.h>
#include <string.h>

#include "kernels/inline/real.h"
#include "kernels/select.h"
#include "qrng/gan/gan_int.h"

enum { PARTS = KL_GAN_PARTS };

/* Of a part: values from the first of the layer's w, m and v on to its own; its cells. */
struct part {
    size_t weights, from, n;
};

static struct part part_of(const struct kl_gan_network *g, size_t i)
{
    const struct kl_gan_layer *l = &g->layer[2];
    const size_t n = l->rows / PARTS;
    return (struct part){ i * kl_gan_part_weights(l->rows, l->columns + 1), i * n, n };
}

void kl_gan_network_set(struct kl_gan_network *g, size_t j, const kl_real *w)
{
    for (size_t i = 0; i < PARTS; i++) {
        const struct part p = part_of(g, i);
        memcpy(g->layer[2].w + p.weights + j * p.n, w + p.from, p.n * sizeof *w);
    }
}

/* Input j's weights of a part take their steps up to `until` and, for y, add themselves to sums (cells
   of the part); `next` inputs on follows another, 0: none. */
static void take_steps(const struct kl_gan_network *g, const struct part *p, size_t j, size_t until,
                       kl_real *sums, kl_real y, size_t next)
{
    const struct kl_gan_layer *l = &g->layer[2];
    const size_t at = p->weights + j * p->n, steps = l->steps[j];
    const struct kl_gan_input in = { .w = l->w + at,
                                     .m = l->m + at,
                                     .v = l->v + at,
                                     .d = kl_gan_past(g, steps) + p->from,
                                     .out = sums,
                                     .x = g->last[j],
                                     .y = y,
                                     .n = p->n,
                                     .ahead = (ptrdiff_t)(next * p->n),
                                     .n_steps = until - steps,
                                     .steps = g->adam + steps };
    kl_kernel_gan_input(&in);
}

/* Its step with a gradient can wait no longer: the derivatives are about to be forgotten. */
static bool overdue(const struct kl_gan_network *g, size_t j)
{
    return g->last[j] != 0 && g->epoch - g->layer[2].steps[j] == KL_GAN_PAST;
}

/* From row j to the next that is wanted; 0: there is none. */
static size_t to_next(const struct kl_gan_network *g, size_t j)
{
    const size_t columns = g->layer[2].columns;
    size_t next = j + 1;
    while (next <= columns && !(g->layer[1].h[next] > 0)) next++;
    return next <= columns ? next - j : 0;
}

struct sweep {
    const struct kl_gan_network *g;
    kl_real *law;
    const kl_real *dp;
    struct weight { /* of a part: the largest logit, sums of e = e^(logit - it) and of e (dp - level) */
        kl_real most;
        double sums[2];
    } parts[PARTS];
};

/* All derivatives are those of dp less this, which changes none, since a law's add up to 0; and saves
   digits once the discriminator says much the same of all cells. */
static kl_real level_of(const struct sweep *s)
{
    return s->dp[0];
}

/* sums (cells of the part) = their logits. */
static void add_inputs(const struct kl_gan_network *g, const struct part *p, kl_real *sums)
{
    const struct kl_gan_layer *l = &g->layer[2];
    const kl_real *h = g->layer[1].h;
    memset(sums, 0, p->n * sizeof *sums);
    for (size_t j = 0; j <= l->columns; j++) {
        if (h[j] > 0) take_steps(g, p, j, g->epoch, sums, h[j], to_next(g, j));
        else if (overdue(g, j)) take_steps(g, p, j, l->steps[j] + 1, sums, 0, 0);
    }
}

static void sweep_part(void *context, size_t i, int thread)
{
    struct sweep *s = context;
    const struct kl_gan_network *g = s->g;
    const struct kl_gan_layer *l = &g->layer[2];
    const struct part p = part_of(g, i);
    kl_real *sums = g->sums + i * kl_gan_part_sums(l->rows), *back = g->back + 2 * i * l->columns;
    const struct kl_gan_weighed weighed = { .x = sums,
                                            .dp = s->dp + p.from,
                                            .e = s->law + p.from,
                                            .u = sums + p.n,
                                            .level = level_of(s),
                                            .n = p.n };
    (void)thread;
    add_inputs(g, &p, sums);
    memcpy(l->a + p.from, sums, p.n * sizeof *sums);
    s->parts[i].most = kl_kernel_gan_weigh(s->parts[i].sums, &weighed);
    for (size_t j = l->columns; j-- > 0;) /* those that came last are nearest */
        if (g->layer[1].h[j] > 0)
            kl_kernel_gan_products(back + 2 * j, l->w + p.weights + j * p.n, weighed.e, weighed.u, p.n);
}

/* law and both layers' derivatives, of what the parts have. */
static void finish(const struct kl_gan_network *g, const struct sweep *s)
{
    const struct kl_gan_layer *second = &g->layer[1], *l = &g->layer[2];
    kl_real most = s->parts[0].most, scale[PARTS], *d = kl_gan_past(g, g->epoch);
    double all[2] = { 0 };
    for (size_t i = 1; i < PARTS; i++) most = s->parts[i].most > most ? s->parts[i].most : most;
    for (size_t i = 0; i < PARTS; i++)
        for (int k = 0; k < 2; k++)
            all[k] += exp((double)(s->parts[i].most - most)) * s->parts[i].sums[k];
    const kl_real mean = (kl_real)(all[1] / all[0]);
    for (size_t i = 0; i < PARTS; i++) {
        const struct part p = part_of(g, i);
        scale[i] = (kl_real)(exp((double)(s->parts[i].most - most)) / all[0]);
        kl_kernel_gan_law(s->law + p.from, d + p.from, s->dp + p.from, scale[i], level_of(s), mean, p.n);
    }
    for (size_t j = 0; j < second->rows; j++) {
        second->d[j] = 0;
        for (size_t i = 0; second->h[j] > 0 && i < PARTS; i++) {
            const kl_real *back = g->back + 2 * (i * l->columns + j);
            second->d[j] += scale[i] * (back[1] - mean * back[0]);
        }
    }
}

void kl_gan_cells_law(kl_real *law, struct kl_gan_network *g, const kl_real *dp, struct kl_pool *pool)
{
    struct kl_gan_layer *l = &g->layer[2];
    const kl_real *h = g->layer[1].h;
    struct sweep s = { .g = g, .law = law, .dp = dp };
    kl_pool_for(pool, PARTS, sweep_part, &s);
    for (size_t j = 0; j <= l->columns; j++) {
        if (h[j] > 0) l->steps[j] = g->epoch, g->last[j] = h[j];
        else if (overdue(g, j)) l->steps[j]++, g->last[j] = 0;
    }
    finish(g, &s);
    l->d = kl_gan_past(g, g->epoch);
}

void kl_gan_network_settle(struct kl_gan_network *g)
{
    for (size_t j = 0; j <= g->layer[2].columns; j++) {
        for (size_t i = 0; i < PARTS; i++) {
            const struct part p = part_of(g, i);
            take_steps(g, &p, j, g->epoch, g->sums, 0, 0);
        }
        g->layer[2].steps[j] = g->epoch, g->last[j] = 0;
    }
}
