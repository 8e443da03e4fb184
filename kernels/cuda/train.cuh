/* SPDX-License-Identifier: MIT
   What kernels that train have in common: the update of a parameter, numbers of dropout, sums of a warp.
 */
#ifndef KL_CUDA_TRAIN_CUH
#define KL_CUDA_TRAIN_CUH

#include "kernels/cuda/state.cuh"
#include "kernels/inline/philox.h"

/* Where parameters and moments are, and what a step does to them. */
struct kl_mover {
    float *params, *m, *v, *grad; /* grad: gradients are kept there, nothing moves */
    const uint8_t *absent;
    kl_cuda_factors f;
    int rule;
};

/* See struct kl_adam_factors, kl_sgd_factors. */
KL_GPU void kl_move(const kl_mover &to, int64_t i, float g)
{
    const kl_cuda_factors &f = to.f;
    const float p = to.params[i];
    g += f.decay * p;
    const float m = f.beta1 * to.m[i] + f.rest1 * g;
    to.m[i] = m;
    if (to.rule == KL_CUDA_SGD) {
        to.params[i] = p - f.rate * m;
        return;
    }
    const float v = f.beta2 * to.v[i] + f.rest2 * g * g;
    to.v[i] = v;
    to.params[i] = f.shrink * p - f.rate * (m / (f.root * sqrtf(v) + f.epsilon));
}

/* Element e of dropout's stream: see kernels/act.h. */
KL_GPU uint32_t kl_dropout_number(uint64_t seed, uint32_t purpose, uint32_t e, uint32_t step,
                                  uint32_t replica)
{
    uint32_t words[4];
    const uint32_t half = e / 16 % 8;
    kl_philox(words, seed, e / 128 * 16 + e % 16, purpose, step, replica);
    const uint32_t word = half < 4 ? (half < 2 ? words[0] : words[1]) : half < 6 ? words[2] : words[3];
    return half % 2 ? word >> 16 : word & 0xffff;
}

/* The sum over a warp's threads, by halves. */
KL_GPU double kl_warp_sum(double value)
{
    for (int bit = 1; bit < 32; bit *= 2) value += __shfl_xor_sync(0xffffffffu, value, bit);
    return value;
}

#endif
