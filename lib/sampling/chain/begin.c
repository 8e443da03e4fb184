/* SPDX-License-Identifier: MIT
   The weights that a chain begins with, exact draws from the prior, and what its certificate is there.
 */
#include <math.h>

#include "kernels/langevin.h"
#include "kernels/inline/philox.h"
#include "sampling/chain/chain_int.h"

/* w = sigma N, tensor by tensor. */
static void draw_prior(struct kl_sampling_chain *c, uint32_t purpose, uint64_t step)
{
    const struct kl_langevin_stream stream = { c->key, purpose, (uint32_t)step, (uint32_t)(step >> 32) };
    const struct kl_sampling_target_f32 *t = c->target;
    kl_kernel_langevin_normals(c->w, 0, t->size, &stream);
    for (int i = 0; i < t->n_tensors; i++)
        for (size_t j = 0; j < t->tensors[i].size; j++)
            c->w[t->tensors[i].offset + j] *= (float)t->tensors[i].sigma;
}

void kl_sampling_chain_prior_draw(struct kl_sampling_chain *c, int64_t epoch)
{
    draw_prior(c, KL_RANDOM_PRIOR_DRAWS, (uint64_t)epoch);
}

/* ln pi(w_0), or the first term of the left sum. */
static int begin_work(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                      struct kl_error *err)
{
    const enum kl_sampling_sampler sampler = c->settings->sampler;
    struct kl_sampling_sums sums = { 0 };
    if (sampler == KL_SAMPLING_SGLD) {
        c->sum.work = -kl_sampling_prior_f32(k, c->w, c->precision);
        return KL_OK;
    }
    const int code = c->target->evaluate(c->target->context, &sums, NULL, c->w, false, NULL,
                                         c->target->n, k->crew, err);
    c->sum.work =
        kl_sampling_anneal(c->beta, 0, c->anneal * c->steps) * sums.loss / (double)c->target->n;
    return code;
}

int kl_sampling_chain_begin(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                            struct kl_error *err)
{
    const enum kl_sampling_sampler sampler = c->settings->sampler;
    if (c->prior_draws) return KL_OK;
    if (c->role == KL_SAMPLING_GAUSSIAN) kl_sampling_gaussian_begin(c);
    else if (c->settings->start == KL_SAMPLING_PRIOR) draw_prior(c, KL_RANDOM_CHAIN_START, 0);
    else kl_sampling_start(c->w, c->target->tensors, c->target->n_tensors, c->key);
    if (sampler == KL_SAMPLING_SGHMC || sampler == KL_SAMPLING_SGNHT) {
        const struct kl_langevin_stream stream = { c->key, KL_RANDOM_CHAIN_START, 1, 0 };
        kl_kernel_langevin_normals(c->v, 0, c->target->size, &stream);
    }
    if (c->adapts) kl_sampling_tune_begin(c);
    const bool works = c->settings->work && c->role == KL_SAMPLING_MAIN && c->anneal > 0;
    return works ? begin_work(c, k, err) : KL_OK;
}
