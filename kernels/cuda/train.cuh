/* SPDX-License-Identifier: MIT
   What kernels that train have in common: the update of a parameter, numbers of dropout. */
#ifndef KL_CUDA_TRAIN_CUH
#define KL_CUDA_TRAIN_CUH

#include "kernels/cuda/gpu.cuh"
#include "kernels/inline/philox.h"

KL_GPU float kl_fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}
KL_GPU double kl_fma(double a, double b, double c)
{
    return fma(a, b, c);
}

/* Adam on one parameter of gradient g: see struct kl_adam_factors, whose members F has. Which products
   are rounded is said, not the compiler's choice: kernels that share a head's work differently must come
   to the same bits. Roots and ratios of float are the GPU's own, since those that are rounded exactly
   are calls, around which a thread's 48 values and sums go to memory. */
template <class T, class F> KL_GPU void kl_adam(T *p, T *m, T *v, T g, const F &f)
{
    const T was = *p;
    g = kl_fma(f.decay, was, g);
    const T mean = kl_fma(f.beta1, *m, f.rest1 * g), square = kl_fma(f.beta2, *v, f.rest2 * g * g);
    *m = mean, *v = square;
    *p = kl_fma(f.shrink, was, -f.rate * kl_ratio(mean, kl_fma(f.root, kl_root(square), f.epsilon)));
}

/* The places of parameters and moments, and the rule of a step. */
struct kl_mover {
    float *params, *m, *v, *grad; /* grad: gradients are kept there, nothing moves */
    const uint8_t *absent;
    kl_cuda_factors f;
    int rule;
};

KL_GPU void kl_move(const kl_mover &to, int64_t i, float g)
{
    if (to.rule == KL_CUDA_ADAM) {
        kl_adam(to.params + i, to.m + i, to.v + i, g, to.f);
        return;
    }
    const float p = to.params[i], m = to.f.beta1 * to.m[i] + to.f.rest1 * (g + to.f.decay * p);
    to.m[i] = m;
    to.params[i] = p - to.f.rate * m;
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

#endif
