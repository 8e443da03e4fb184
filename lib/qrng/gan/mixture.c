/* SPDX-License-Identifier: MIT
   A network whose law is the mean over a batch of latent vectors of a softmax each. */
#include <math.h>
#include <string.h>

#include "qrng/gan/study.h"

enum { LATENT = KL_MIXTURE_LATENT, HIDDEN = KL_MIXTURE_HIDDEN, BATCH = KL_MIXTURE_BATCH };
enum { W1, B1, W2, B2 };

static int add_tensors(struct kl_gan_mixture *g, struct kl_error *err)
{
    int number = kl_nn_block_add(&g->block, "0.weight", 2, HIDDEN, LATENT, err);
    if (number >= 0) number = kl_nn_block_add(&g->block, "0.bias", 1, HIDDEN, 1, err);
    if (number >= 0) number = kl_nn_block_add(&g->block, "1.weight", 2, g->n_cells, HIDDEN, err);
    if (number >= 0) number = kl_nn_block_add(&g->block, "1.bias", 1, g->n_cells, 1, err);
    return number < 0 ? number : KL_OK;
}

int kl_gan_mixture_make(struct kl_gan_mixture *g, size_t n_cells, uint64_t seed, uint32_t replica,
                        struct kl_arena *memory, struct kl_error *err)
{
    *g = (struct kl_gan_mixture){ .n_cells = n_cells };
    int code = add_tensors(g, err);
    if (code) return code;
    const size_t n = g->block.size;
    g->params = kl_arena_take(memory, 4 * n, sizeof *g->params);
    g->z = kl_arena_take(memory, BATCH * (LATENT + 2 * HIDDEN + n_cells), sizeof *g->z);
    g->wt = kl_arena_take(memory, HIDDEN * n_cells, sizeof *g->wt);
    if (!g->params || !g->z || !g->wt) return kl_fail_memory(err, 4 * n * sizeof *g->params);
    memset(g->params, 0, 4 * n * sizeof *g->params);
    g->m = g->params + n, g->v = g->m + n, g->grad = g->v + n;
    g->h = g->z + BATCH * LATENT, g->dh = g->h + BATCH * HIDDEN, g->y = g->dh + BATCH * HIDDEN;
    for (int t = W1; t <= B2; t++)
        kl_nn_init_uniform(g->params, &g->block.tensors[t], 1 / sqrt(t < W2 ? LATENT : HIDDEN), seed,
                           (uint32_t)t, replica);
    return KL_OK;
}

static float *tensor(const struct kl_gan_mixture *g, float *block, int t)
{
    return block + g->block.tensors[t].offset;
}

static void softmax(float *y, size_t n)
{
    float most = y[0];
    double sum = 0;
    for (size_t k = 1; k < n; k++) most = fmaxf(most, y[k]);
    for (size_t k = 0; k < n; k++) sum += (double)(y[k] = expf(y[k] - most));
    for (size_t k = 0; k < n; k++) y[k] = (float)((double)y[k] / sum);
}

void kl_gan_mixture_law(float *law, struct kl_gan_mixture *g, uint64_t seed, uint32_t stream,
                        uint32_t replica)
{
    const size_t n = g->n_cells;
    kl_gan_normal(g->z, BATCH * LATENT, seed, stream, replica);
    kl_nn_linear_forward_f32(g->h, g->z, tensor(g, g->params, W1), tensor(g, g->params, B1), BATCH,
                             LATENT, HIDDEN, KL_ACT_RELU, NULL);
    kl_nn_linear_forward_f32(g->y, g->h, tensor(g, g->params, W2), tensor(g, g->params, B2), BATCH,
                             HIDDEN, n, KL_ACT_NONE, NULL);
    memset(law, 0, n * sizeof *law);
    for (size_t i = 0; i < BATCH; i++) {
        softmax(g->y + i * n, n);
        for (size_t k = 0; k < n; k++) law[k] += g->y[i * n + k] / BATCH;
    }
}

void kl_gan_mixture_gradient(struct kl_gan_mixture *g, const float *dp)
{
    const size_t n = g->n_cells;
    for (size_t i = 0; i < BATCH; i++) { /* back through each softmax */
        float *y = g->y + i * n;
        double mean = 0;
        for (size_t k = 0; k < n; k++) mean += (double)y[k] * (double)dp[k];
        for (size_t k = 0; k < n; k++) y[k] *= (float)(((double)dp[k] - mean) / BATCH);
    }
    const size_t strips = (n + KL_STRIP - 1) / KL_STRIP;
    kl_nn_linear_weights_f32(tensor(g, g->grad, W2), g->h, g->y, BATCH, HIDDEN, n, 0, strips);
    kl_nn_linear_biases_f32(tensor(g, g->grad, B2), g->y, BATCH, n);
    kl_nn_linear_inputs_f32(g->dh, g->wt, g->y, tensor(g, g->params, W2), BATCH, HIDDEN, n);
    kl_nn_activation_backward_f32(g->dh, g->h, BATCH * HIDDEN, KL_ACT_RELU, 0);
    kl_nn_linear_weights_f32(tensor(g, g->grad, W1), g->z, g->dh, BATCH, LATENT, HIDDEN, 0,
                             HIDDEN / KL_STRIP);
    kl_nn_linear_biases_f32(tensor(g, g->grad, B1), g->dh, BATCH, HIDDEN);
}
