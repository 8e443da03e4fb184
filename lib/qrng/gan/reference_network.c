/* SPDX-License-Identifier: MIT
   The study's classical GAN of one pair: a network of 1.6 million weights against one of 81. */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "kernels/select.h"
#include "qrng/gan/gan_int.h"

enum { CELLS = KL_GRID_CELLS, LATENT = 4096, HIDDEN = 20 };

/* In float, as the study's. */
struct network {
    struct kl_gan_network_f32 g;
    struct kl_discriminator_f32 d;
    float *law, *dp, *target;
    double *wide; /* (cells): the law in double */
};

static int make_network(struct network *n, const double *target, const struct kl_gan_options *o,
                        uint32_t replica, struct kl_arena *memory, struct kl_pool *pool,
                        struct kl_error *err)
{
    const struct kl_gan_sizes size = { LATENT, 128, 256, CELLS };
    const struct kl_optimizer adam = kl_gan_reference_adam(o);
    int code = kl_gan_network_make_f32(&n->g, &size, &adam, o->lr, (size_t)o->epochs, memory, pool, err);
    if (!code) code = kl_discriminator_make_f32(&n->d, KL_GAN_PLANE, CELLS, HIDDEN, memory, err);
    if (code) return code;
    double params[HIDDEN * 4 + 1];
    n->law = kl_arena_take(memory, 3 * (size_t)CELLS, sizeof *n->law);
    n->wide = kl_arena_take(memory, CELLS, sizeof *n->wide);
    if (!n->law || !n->wide) return kl_fail_memory(err, 5 * sizeof *n->wide * CELLS);
    n->dp = n->law + CELLS, n->target = n->dp + CELLS;
    for (size_t k = 0; k < CELLS; k++) n->target[k] = (float)target[k];
    kl_gan_reference_discriminator(params, 2, HIDDEN, (uint64_t)o->seed, replica);
    for (size_t i = 0; i < n->d.n_params; i++) n->d.params[i] = (float)params[i];
    return KL_OK;
}

/* Rows of weights are streams of their own, so that threads can share them. */
struct beginning {
    struct kl_gan_network_f32 *g;
    int layer;
    uint64_t seed;
    uint32_t replica;
};

static void begin_row(void *context, size_t i, int thread)
{
    const struct beginning *b = context;
    const struct kl_gan_layer_f32 *l = &b->g->layer[b->layer];
    const struct kl_gan_stream stream = { b->seed, KL_RANDOM_INIT,
                                          ((uint32_t)(b->layer + 1) << 16) + (uint32_t)i, b->replica };
    const double bound = 1 / sqrt((double)l->columns);
    float row[CELLS];
    (void)thread;
    if (b->layer < 2) {
        kl_kernels()->gan_uniforms(l->w + i * l->stride, l->columns + 1, bound, &stream);
        return;
    }
    kl_kernels()->gan_uniforms(row, CELLS, bound, &stream);
    kl_gan_network_set_f32(b->g, i, row);
}

static void begin_network(struct network *n, uint64_t seed, uint32_t replica, struct kl_pool *pool)
{
    for (int k = 0; k < 3; k++) { /* of the last, rows are inputs */
        const struct kl_gan_layer_f32 *l = &n->g.layer[k];
        struct beginning b = { &n->g, k, seed, replica };
        kl_pool_for(pool, k < 2 ? l->rows : l->columns + 1, begin_row, &b);
    }
}

/* Latent vectors as far ahead as the network makes use of. */
static void draw_latent(struct network *n, int64_t epoch, const struct kl_gan_options *o,
                        uint32_t replica)
{
    while (n->g.n_latent < (size_t)o->epochs && n->g.n_latent < (size_t)epoch + KL_GAN_LATENTS) {
        const uint32_t at = (uint32_t)n->g.n_latent;
        kl_gan_normal(kl_gan_network_latent_f32(&n->g), LATENT, (uint64_t)o->seed, at, replica);
    }
}

static int train_network(struct network *n, const struct kl_gan_place *to,
                         const struct kl_gan_options *o, const double *target, struct kl_pool *pool,
                         struct kl_error *err)
{
    int code = KL_OK;
    for (int64_t e = 0; e < o->epochs && !(code = kl_gan_reference_stopped(to, e, err)); e++) {
        const struct kl_update update = kl_gan_reference_update(o, e);
        struct kl_gan_losses losses;
        draw_latent(n, e, o, to->replica);
        kl_discriminator_look_f32(n->dp, &n->d, pool);
        kl_gan_network_law_f32(n->law, &n->g, n->dp, pool);
        kl_discriminator_judge_f32(&losses, n->dp, &n->d, n->law, n->target, pool);
        for (size_t k = 0; k < CELLS; k++) n->wide[k] = (double)n->law[k];
        kl_gan_reference_record(to, e, &losses, kl_gan_divergence(target, n->wide, CELLS));
        if (e + 1 < o->epochs) kl_gan_network_step_f32(&n->g, pool);
        kl_discriminator_step_f32(&n->d, &update);
    }
    memcpy(to->law, n->law, CELLS * sizeof *to->law);
    memcpy(to->discriminator, n->d.params, n->d.n_params * sizeof *to->discriminator);
    return code;
}

int kl_gan_reference_network(const struct kl_gan_place *to, const struct kl_gan_options *o,
                             const double *target, struct kl_arena *memory, struct kl_pool *pool,
                             struct kl_error *err)
{
    struct network n;
    int code = make_network(&n, target, o, to->replica, memory, pool, err);
    if (code) return code;
    begin_network(&n, (uint64_t)o->seed, to->replica, pool);
    for (size_t k = 0; k < CELLS; k++) to->target[k] = (float)target[k];
    return train_network(&n, to, o, target, pool, err);
}
