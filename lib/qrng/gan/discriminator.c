/* SPDX-License-Identifier: MIT
   The discriminator over all cells at once: what both sides lose, and the gradients; its gradient
   penalty. Compiled in both precisions. */
#include <math.h>
#include <string.h>

#include "kernels/gan.h"
#include "kernels/inline/gan.h"
#include "kernels/inline/real.h"
#include "qrng/gan/gan.h"

enum { CHUNK = 256 }; /* cells of an item of the threads' */

static void place_cells(struct kl_discriminator *d, enum kl_gan_coordinates kind)
{
    const double last = sqrt((double)d->n_cells) - 1; /* of a row */
    for (size_t k = 0; k < d->n_cells; k++) {
        if (kind == KL_GAN_PLANE) {
            d->x[k] = (kl_real)((double)(k % KL_GRID_BITS) / last);
            d->x[d->stride + k] = (kl_real)((double)(k / KL_GRID_BITS) / last);
            continue;
        }
        for (size_t i = 0; i < d->n_inputs; i++)
            d->x[i * d->stride + k] = k >> (d->n_inputs - 1 - i) & 1 ? 1 : -1;
    }
}

static size_t bits_of(size_t n_cells)
{
    return (size_t)__builtin_ctzl(n_cells);
}

int kl_gan_discriminator_make(struct kl_discriminator *d, enum kl_gan_coordinates kind, size_t n_cells,
                              size_t n_hidden, struct kl_arena *memory, struct kl_error *err)
{
    *d = (struct kl_discriminator){ .n_cells = n_cells, .n_hidden = n_hidden };
    d->n_inputs = kind == KL_GAN_PLANE ? 2 : bits_of(n_cells);
    d->n_params = n_hidden * (d->n_inputs + 2) + 1;
    d->stride = (n_cells + KL_GAN_COLUMNS - 1) / KL_GAN_COLUMNS * KL_GAN_COLUMNS;
    const size_t chunks = (d->stride + CHUNK - 1) / CHUNK,
                 size = (d->n_inputs + 4) * d->stride + (4 + chunks) * d->n_params;
    kl_real *at = kl_arena_take(memory, size, sizeof *at);
    if (!at) return kl_fail_memory(err, size * sizeof *at);
    memset(at, 0, size * sizeof *at);
    d->x = at;
    d->out = d->x + d->n_inputs * d->stride;
    d->d_logit = d->out + d->stride;
    d->other = d->d_logit + d->stride;
    d->unseen = d->other + d->stride;
    d->params = d->unseen + d->stride;
    d->m = d->params + d->n_params;
    d->v = d->m + d->n_params;
    d->grad = d->v + d->n_params;
    d->parts = d->grad + d->n_params;
    place_cells(d, kind);
    return KL_OK;
}

struct scoring {
    struct kl_discriminator *d;
    kl_real *dp;
    const kl_real *law, *target;
    struct kl_gan_losses *losses; /* of each chunk */
};

static size_t chunks_of(const struct kl_discriminator *d)
{
    return (d->stride + CHUNK - 1) / CHUNK;
}

/* Cells of a chunk, as the kernels take them. */
static struct kl_gan_cells cells_of(const struct kl_discriminator *d, size_t from)
{
    return (struct kl_gan_cells){ .x = d->x + from,
                                  .params = d->params,
                                  .slope = (kl_real)KL_GAN_SLOPE,
                                  .n = d->stride - from < CHUNK ? d->stride - from : CHUNK,
                                  .stride = d->stride,
                                  .n_inputs = d->n_inputs,
                                  .n_hidden = d->n_hidden };
}

static struct kl_gan_seen seen_of(const struct scoring *s, size_t from, size_t n)
{
    return (struct kl_gan_seen){ .d = s->d->out + from,
                                 .other = s->d->other + from,
                                 .dp = s->dp + from,
                                 .unseen = s->d->unseen + from,
                                 .epsilon = (kl_real)KL_GAN_EPSILON,
                                 .n = n };
}

static void look_at_chunk(void *context, size_t c, int thread)
{
    const struct scoring *s = context;
    const size_t from = c * CHUNK;
    const struct kl_gan_cells cells = cells_of(s->d, from);
    const struct kl_gan_seen seen = seen_of(s, from, cells.n);
    (void)thread;
    kl_kernel_gan_logits(seen.d, &cells);
    kl_kernel_gan_look(&seen);
}

void kl_gan_discriminator_look(kl_real *dp, struct kl_discriminator *d, struct kl_pool *pool)
{
    struct scoring s = { .d = d, .dp = dp };
    kl_pool_for(pool, chunks_of(d), look_at_chunk, &s);
}

static void judge_chunk(void *context, size_t c, int thread)
{
    const struct scoring *s = context;
    struct kl_discriminator *d = s->d;
    const size_t from = c * CHUNK;
    const struct kl_gan_cells cells = cells_of(d, from);
    const struct kl_gan_seen seen = seen_of(s, from, cells.n);
    double sums[3];
    (void)thread;
    kl_kernel_gan_judge(sums, d->d_logit + from, s->law + from, s->target + from, &seen);
    s->losses[c] = (struct kl_gan_losses){ sums[0], sums[1], sums[2] };
    kl_kernel_gan_logits_back(d->parts + c * d->n_params, d->d_logit + from, &cells);
}

/* Cells behind the last have no weight in any sum. */
static void score_chunk(void *context, size_t c, int thread)
{
    const struct scoring *s = context;
    struct kl_discriminator *d = s->d;
    const size_t from = c * CHUNK, to = from + CHUNK < d->n_cells ? from + CHUNK : d->n_cells;
    const struct kl_gan_cells cells = cells_of(d, from);
    struct kl_gan_losses *sum = &s->losses[c];
    (void)thread;
    kl_kernel_gan_logits(d->out + from, &cells);
    *sum = (struct kl_gan_losses){ 0 };
    for (size_t k = from; k < to; k++) {
        const kl_real p = s->law[k], r = s->target[k];
        const struct kl_judged j = kl_judge_cell(d->out[k], p, r, 0);
        sum->generator -= (double)(p * j.seen);
        sum->real -= (double)(r * j.seen);
        sum->fake -= (double)(p * j.unseen);
        d->out[k] = j.d;
        d->d_logit[k] = j.slope;
        s->dp[k] = -j.seen;
    }
    kl_kernel_gan_logits_back(d->parts + c * d->n_params, d->d_logit + from, &cells);
}

static void add_chunks(struct kl_gan_losses *losses, struct scoring *s, struct kl_pool *pool,
                       void (*chunk)(void *context, size_t c, int thread))
{
    struct kl_discriminator *d = s->d;
    struct kl_gan_losses parts[KL_GAN_CHUNKS];
    s->losses = parts;
    kl_pool_for(pool, chunks_of(d), chunk, s);
    *losses = (struct kl_gan_losses){ 0 };
    memset(d->grad, 0, d->n_params * sizeof *d->grad);
    for (size_t c = 0; c < chunks_of(d); c++) {
        losses->generator += parts[c].generator;
        losses->real += parts[c].real;
        losses->fake += parts[c].fake;
        for (size_t i = 0; i < d->n_params; i++) d->grad[i] += d->parts[c * d->n_params + i];
    }
}

void kl_gan_discriminator_judge(struct kl_gan_losses *losses, kl_real *dp, struct kl_discriminator *d,
                                const kl_real *law, const kl_real *target, struct kl_pool *pool)
{
    struct scoring s = { .d = d, .dp = dp, .law = law, .target = target };
    add_chunks(losses, &s, pool, judge_chunk);
}

void kl_gan_discriminator_score(struct kl_gan_losses *losses, kl_real *dp, struct kl_discriminator *d,
                                const kl_real *law, const kl_real *target, struct kl_pool *pool)
{
    struct scoring s = { .d = d, .dp = dp, .law = law, .target = target };
    add_chunks(losses, &s, pool, score_chunk);
}

void kl_gan_discriminator_step(struct kl_discriminator *d, const struct kl_update *update)
{
    kl_nn_update_apply(d->params, d->m, d->v, d->grad, d->n_params, update);
}

/* ---- Gradient penalty of a discriminator on the target's cells (R1; Mescheder, Geiger & Nowozin 2018,
   arXiv:1801.04406): the steeper its logit is where the data are, the more it pays. All cells at once,
   so that nothing is sampled. The logit is piecewise linear in the cell x:
   its slope there is g = sum_h v_h s_h w_h, v and w being the weights behind and before neuron h, s_h
   its own slope, 1 or 0.2. So half the weight times sum r |g|^2 is quadratic in the weights, and the
   biases have no part in it. */
/* s_h of each neuron at cell k, and g (n_inputs), the logit's slope there. */
static void find_slope(kl_real *s, kl_real *g, const struct kl_discriminator *d, size_t k)
{
    const size_t n = d->n_inputs;
    const kl_real *bias = d->params + d->n_hidden * n, *behind = bias + d->n_hidden;
    for (size_t i = 0; i < n; i++) g[i] = 0;
    for (size_t h = 0; h < d->n_hidden; h++) {
        const kl_real *w = d->params + h * n;
        kl_real a = bias[h];
        for (size_t i = 0; i < n; i++) a += w[i] * d->x[i * d->stride + k];
        s[h] = a > 0 ? 1 : (kl_real)KL_GAN_SLOPE;
        for (size_t i = 0; i < n; i++) g[i] += behind[h] * s[h] * w[i];
    }
}

double kl_gan_discriminator_penalty(struct kl_discriminator *d, const kl_real *target, double weight)
{
    const size_t n = d->n_inputs;
    const kl_real *behind = d->params + d->n_hidden * (n + 1);
    kl_real *d_behind = d->grad + d->n_hidden * (n + 1), s[KL_GAN_HIDDEN], g[KL_GAN_INPUTS];
    double sum = 0;
    for (size_t k = 0; k < d->n_cells; k++) {
        const kl_real each = (kl_real)weight * target[k];
        find_slope(s, g, d, k);
        for (size_t i = 0; i < n; i++) sum += (double)(target[k] * g[i] * g[i]);
        for (size_t h = 0; h < d->n_hidden; h++) {
            const kl_real *w = d->params + h * n;
            kl_real along = 0;
            for (size_t i = 0; i < n; i++) {
                along += w[i] * g[i];
                d->grad[h * n + i] += each * behind[h] * s[h] * g[i];
            }
            d_behind[h] += each * s[h] * along;
        }
    }
    return weight / 2 * sum;
}
