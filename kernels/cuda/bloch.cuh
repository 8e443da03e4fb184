/* SPDX-License-Identifier: MIT
   A thread through all segments of its task and back, as a lane of kernels/cpu/bloch.c does it. What a
   block's threads keep lies side by side: states in the GPU's memory, a series' terms and what its
   Horner steps were in shared memory, so that nothing is spilled and no order of a series needs code of
   its own. No thread waits for another. Included with KL_F64 0 and 1. */
#include "kernels/cuda/bloch_job.cuh"

#define KL_NUMBER_INLINE KL_GPU
#define KL_SERIES_TABLE static __device__ const
#define KL_SERIES_INLINE KL_GPU
#define KL_BLOCH_APART KL_WARP
#define KL_BLOCH_AHEAD 1
#define KL_BLOCH_UNROLL _Pragma("unroll 4")
#define KL_BLOCH_COLUMNS _Pragma("unroll")
#define kl_lane_at(v, i) v
#include "kernels/inline/series.h"

namespace
{
enum { KL_LANES = 1 };
typedef kl_real kl_lane;
KL_GPU kl_lane kl_choose(bool where, kl_lane a, kl_lane b)
{
    return where ? a : b;
}
#define KL_DUAL 0
#include "kernels/inline/bloch_pass.h"
#undef KL_DUAL
#define KL_DUAL 1
#include "kernels/inline/bloch_pass.h"
#undef KL_DUAL
#include "kernels/inline/bloch_terms.h"
} // namespace

/* A value of the thread's task. */
KL_GPU const kl_real *kl_bloch_read(const void *v)
{
    return (const kl_real *)v + (size_t)blockIdx.x * KL_WARP + threadIdx.x;
}
KL_GPU kl_real *kl_bloch_write(void *v)
{
    return v ? (kl_real *)v + (size_t)blockIdx.x * KL_WARP + threadIdx.x : NULL;
}
/* The thread's place in what is kept of `count` numbers a task. */
template <class T> KL_GPU T *kl_bloch_own(void *v, size_t block, size_t count)
{
    return (T *)v + block * count * KL_WARP + threadIdx.x;
}

/* Blocks that a processor must have registers for: so few that a thread may have 255. Unsaid, the
   compiler gives 168 on sm_80, and spills. */
enum { KL_BLOCH_BLOCKS = 8 };

template <int COLUMNS>
static __global__ void __launch_bounds__(KL_WARP, KL_BLOCH_BLOCKS)
    kl_bloch_gradients(const __grid_constant__ struct kl_bloch_job job)
{
    const struct kl_bloch &b = job.b;
    if ((size_t)blockIdx.x * KL_WARP + threadIdx.x >= job.n) return;
    block_plain k = {};
    k.b = &b, k.n = job.n, k.dt = kl_bloch_part(&b);
    k.u = kl_bloch_read(job.u), k.params = kl_bloch_read(job.params);
    k.weights = kl_bloch_read(job.weights), k.loss = kl_bloch_write(job.loss);
    k.grad_u = kl_bloch_write(job.grad_u), k.grad_params = kl_bloch_write(job.grad_params);
    kl_real *terms = kl_bloch_own<kl_real>(kl_shared, 0, 0);
    k.terms = terms;
    k.states = kl_bloch_own<number_plain>(job.states, blockIdx.x,
                                          (size_t)(b.segments * b.substeps) * COLUMNS * 3);
    run_plain(&k, terms + (KL_BLOCH_MAX_ORDER + 1) * KL_WARP, COLUMNS, COLUMNS == 1,
              terms_of(terms, job.factors, &b, k.u, k.params, k.n), k.grad_u, k.grad_params,
              b.controls > 2);
}

template <int COLUMNS>
static __global__ void __launch_bounds__(KL_WARP, KL_BLOCH_BLOCKS)
    kl_bloch_tangents(const __grid_constant__ struct kl_bloch_job job)
{
    const struct kl_bloch &b = job.b;
    if ((size_t)blockIdx.x * KL_WARP + threadIdx.x >= job.n) return;
    block_dual k = {};
    k.b = &b, k.n = job.n, k.dt = kl_bloch_part(&b);
    k.u = kl_bloch_read(job.u), k.du = kl_bloch_read(job.du), k.params = kl_bloch_read(job.params);
    k.weights = kl_bloch_read(job.weights), k.dgrad_u = kl_bloch_write(job.dgrad_u);
    kl_real *terms = kl_bloch_own<kl_real>(kl_shared, 0, 0);
    k.terms = terms;
    k.states = kl_bloch_own<number_dual>(job.states, blockIdx.x,
                                         (size_t)(b.segments * b.substeps) * COLUMNS * 3);
    run_dual(&k,
             kl_bloch_own<number_dual>((kl_real *)kl_shared + (KL_BLOCH_MAX_ORDER + 1) * KL_WARP, 0, 0),
             COLUMNS, COLUMNS == 1, terms_of(terms, job.factors, &b, k.u, k.params, k.n), true, false,
             b.controls > 2);
}

#define kl_bloch_kernels_here KL_NAME(kl_bloch_kernels)
const kl_bloch_kernels kl_bloch_kernels_here = { { kl_bloch_gradients<1>, kl_bloch_gradients<3> },
                                                 { kl_bloch_tangents<1>, kl_bloch_tangents<3> } };
