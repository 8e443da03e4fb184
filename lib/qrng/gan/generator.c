/* SPDX-License-Identifier: MIT
   Generators: a circuit, and the network of three layers of the study. Compiled in both precisions.
 */
#include <math.h>
#include <string.h>

#include "kernels/gan.h"
#include "kernels/optim.h"
#include "kernels/inline/real.h"
#include "qrng/gan/gan_int.h"

/* ---- A circuit whose probabilities are the generator's law. What the generator loses is the mean of an
   observable that is diagonal, so that one adjoint sweep has all derivatives. */
int kl_gan_born_make(struct kl_born *g, const struct kl_circuit *circuit, struct kl_arena *memory,
                     struct kl_error *err)
{
    const size_t n = circuit->n_weights, all = 4 * n + kl_circuit_state_size(circuit, 1);
    kl_real *at = kl_arena_take(memory, all, sizeof *at);
    if (!at) return kl_fail_memory(err, all * sizeof *at);
    memset(at, 0, 4 * n * sizeof *at);
    *g = (struct kl_born){ circuit, at, at + n, at + 2 * n, at + 3 * n, at + 4 * n };
    return KL_OK;
}

int kl_gan_born_law(kl_real *law, struct kl_born *g, struct kl_arena *work, struct kl_error *err)
{
    return kl_circuit_forward(law, g->state, g->circuit, NULL, g->angles, 1, NULL, work, err);
}

int kl_gan_born_gradient(struct kl_born *g, const kl_real *dp, struct kl_arena *work,
                         struct kl_error *err)
{
    memset(g->grad, 0, g->circuit->n_weights * sizeof *g->grad);
    return kl_circuit_adjoint(NULL, g->grad, g->state, g->circuit, NULL, g->angles, dp, 1, NULL, work,
                              err);
}

enum {
    PARTS = KL_GAN_PARTS,
    ROWS = 4, /* of the first layer at a time */
    PAD = KL_GAN_COLUMNS,
    SKEW = 13 * KL_GAN_COLUMNS /* between arrays: where addresses differ by a multiple of 4096, a load
                                  waits for the store before it as if it were of the same place */
};

/* The last layer's derivatives (cells) of an epoch. */
static inline kl_real *past(const struct kl_gan_network *g, size_t epoch)
{
    return g->past + epoch % KL_GAN_PAST * g->layer[2].rows;
}

/* ---- The last layer of the study's generator, whose weights are stored by inputs: an input that is 0
   needs none. The law and the derivatives behind it are found part by part of the cells, so that the
   weights that a sum over inputs has brought into the second cache serve the sums over cells from there:
   derivatives by a softmax need all cells only for two factors, which follow. No sum depends on the
   threads. */

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
                                     .d = past(g, steps) + p->from,
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
    kl_real most = s->parts[0].most, scale[PARTS], *d = past(g, g->epoch);
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

static void cells_law(kl_real *law, struct kl_gan_network *g, const kl_real *dp, struct kl_pool *pool)
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
    l->d = past(g, g->epoch);
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

/* ---- The study's generator: one latent vector an epoch through three layers to a softmax over the
   cells. All of its time goes into the 1.6 million weights and their moments, 19 MB, which every epoch
   changes. What is 0 behind ReLU, about half of all, saves the half of it:
   - an output of the first layer that is 0 gives its row no gradient, so that the next step is known
     before the epoch has begun: the row, still in the cache, takes it at once, and the next, until its
     output is positive;
   - an input of the last layer that is 0 needs no weights: its row takes its steps when it is positive
     again, in one sweep, or never (see the last layer).
   Each number is what it would be if every step were taken in its turn. */

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

/* Run the first layer on the latent vector of the first epoch. */
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
    cells_law(law, g, dp, pool);
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
