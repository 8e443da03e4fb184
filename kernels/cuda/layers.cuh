/* SPDX-License-Identifier: MIT
   Chains of networks of dense layers, whose weights lie in the GPU's memory: passes over records, all
   chains in each launch. A product is made tile by tile through the block's memory, each sum one chain
   in rising order, so that neither chains beside nor slices of records change a bit. */
#ifndef KL_CUDA_LAYERS_CUH
#define KL_CUDA_LAYERS_CUH

#include "kernels/cuda/langevin.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/inline/losses.h"

enum {
    KL_LAYERS_ROWS = 256, /* records of a slice, and threads that judge them */
    KL_LAYERS_THREADS = KL_PRODUCT_THREADS
};

/* Sums of a pass over records. */
struct kl_layers_sums {
    double loss, wrong;
};
/* Of weights, of 1024 at a time: precision w^2 and w gradient of the weights and of the proposal; ln of
   the acceptance, or the momenta's squares; those of HMC's before its leapfrogs. */
enum {
    KL_LAYERS_PRIOR,
    KL_LAYERS_ALONG,
    KL_LAYERS_FRESH_PRIOR,
    KL_LAYERS_FRESH_ALONG,
    KL_LAYERS_OTHER,
    KL_LAYERS_BEFORE,
    KL_LAYERS_PARTS
};

/* What a chain does in a launch. */
struct kl_layers_now {
    int32_t span, count;          /* records; 0: nothing */
    int32_t first, test, ordered; /* ordered: in the epoch's order */
    int32_t fresh, aside;         /* of the proposal; its sums go where the proposal's do */
    uint64_t number, outcome;     /* of the step, or of the epoch; where it is told */
};
/* Arrays are of all chains. */
struct kl_layers_job {
    struct kl_cuda_chains_shape shape;
    int32_t n_layers, size, blocks, width[KL_CUDA_CHAIN_LAYERS + 1]; /* blocks: of 1024 weights */
    int32_t weights[KL_CUDA_CHAIN_LAYERS], biases[KL_CUDA_CHAIN_LAYERS];
    const float *x[2];       /* (n_sets, n, inputs) */
    const int32_t *label[2]; /* (n_sets, n) */
    struct kl_cuda_chain *chains;
    const struct kl_cuda_chain_span *spans;
    struct kl_cuda_chain_outcome *outcomes;
    struct kl_cuda_chain_judged *judged;
    float *w, *v, *gradient, *fresh, *fresh_gradient; /* (size) each; fresh: the proposal of MALA, HMC */
    float *scale;                                     /* (size) of HMC, looked at where it is scaled */
    int32_t scaled;
    /* (KL_LAYERS_ROWS, width[l + 1]): what layer l puts out, and the gradient there. */
    float *out[KL_CUDA_CHAIN_LAYERS], *back[KL_CUDA_CHAIN_LAYERS];
    double *logits;  /* (KL_LAYERS_ROWS, 2, outputs) and their gradient */
    double *partial; /* (blocks, KL_LAYERS_PARTS) */
    struct kl_layers_sums *sums, *fresh_sums;
    int32_t *order, *accepted; /* (n[0]), one */
};
/* One launch: of all chains, a layer, a slice. */
struct kl_layers_call {
    struct kl_layers_job job;
    const struct kl_layers_now *now; /* (chains) */
    int32_t layer, slice;
};

/* Records of the chain's slice; below 1: none. */
KL_GPU int kl_layers_rows(const kl_layers_call &call, const kl_layers_now &now)
{
    const int left = now.count - call.slice * KL_LAYERS_ROWS;
    return left < KL_LAYERS_ROWS ? left : KL_LAYERS_ROWS;
}
/* The place of record r of the slice in its set. */
KL_GPU int kl_layers_record(const kl_layers_call &call, const kl_layers_now &now, int chain, int r)
{
    const int i = now.first + call.slice * KL_LAYERS_ROWS + r;
    return now.ordered ? call.job.order[(size_t)chain * call.job.shape.n[0] + (size_t)i] : i;
}
/* What goes into the layer, of record r. */
KL_GPU const float *kl_layers_input(const kl_layers_call &call, const kl_layers_now &now, int chain,
                                    int r)
{
    const kl_layers_job &job = call.job;
    const int l = call.layer, width = job.width[l];
    if (l) return job.out[l - 1] + ((size_t)chain * KL_LAYERS_ROWS + (size_t)r) * (size_t)width;
    const size_t set = (size_t)job.chains[chain].set * job.shape.n[now.test];
    return job.x[now.test] + (set + (size_t)kl_layers_record(call, now, chain, r)) * (size_t)width;
}
KL_GPU float *kl_layers_place(float *of_all, const kl_layers_call &call, int l, int chain, int r)
{
    return of_all + ((size_t)chain * KL_LAYERS_ROWS + (size_t)r) * (size_t)call.job.width[l + 1];
}

/* ---- passes ---- */

/* Tiles of (units, records, chains): what a layer puts out, ReLU but for the last one. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_forward(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_job &job = call.job;
    const int chain = (int)blockIdx.z, l = call.layer, in = job.width[l], out = job.width[l + 1],
              unit = (int)blockIdx.x * KL_PRODUCT_TILE, row = (int)blockIdx.y * KL_PRODUCT_TILE;
    const kl_layers_now &now = call.now[chain];
    const int rows = kl_layers_rows(call, now) - row;
    const float *own = (now.fresh ? job.fresh : job.w) + (size_t)chain * (size_t)job.size,
                *w = own + job.weights[l] + (size_t)unit * (size_t)in, *b = own + job.biases[l] + unit;
    float sum[4][4] = {};
    if (rows < 1) return;
    kl_product<true, true>(
        sum, in,
        [&](int i, int k) { return i < rows ? kl_layers_input(call, now, chain, row + i)[k] : 0; },
        [&](int j, int k) { return unit + j < out ? w[(size_t)j * (size_t)in + (size_t)k] : 0; });
    kl_product_each(sum, rows, out - unit, [&](int i, int j, float z) {
        z += b[j];
        kl_layers_place(job.out[l], call, l, chain, row + i)[unit + j] =
            l + 1 < job.n_layers && z < 0 ? 0 : z;
    });
}

/* Tiles of (inputs, records, chains): the gradient at what goes into a layer, behind the ReLU. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_inputs(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_job &job = call.job;
    const int chain = (int)blockIdx.z, l = call.layer, in = job.width[l], out = job.width[l + 1],
              unit = (int)blockIdx.x * KL_PRODUCT_TILE, row = (int)blockIdx.y * KL_PRODUCT_TILE;
    const kl_layers_now &now = call.now[chain];
    const int rows = kl_layers_rows(call, now) - row;
    const float *w = (now.fresh ? job.fresh : job.w) + (size_t)chain * (size_t)job.size + job.weights[l];
    float sum[4][4] = {};
    if (rows < 1) return;
    kl_product<true, false>(
        sum, out,
        [&](int i, int k) {
            return i < rows ? kl_layers_place(job.back[l], call, l, chain, row + i)[k] : 0;
        },
        [&](int j, int k) {
            return unit + j < in ? w[(size_t)k * (size_t)in + (size_t)(unit + j)] : 0;
        });
    kl_product_each(sum, rows, in - unit, [&](int i, int j, float g) {
        const bool active = kl_layers_place(job.out[l - 1], call, l - 1, chain, row + i)[unit + j] > 0;
        kl_layers_place(job.back[l - 1], call, l - 1, chain, row + i)[unit + j] = active ? g : 0;
    });
}

/* Tiles of (inputs and the bias behind them, units, chains): gradients of a layer go on, record by
   record. */
static __global__ void __launch_bounds__(KL_LAYERS_THREADS)
    kl_layers_weights(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_job &job = call.job;
    const int chain = (int)blockIdx.z, l = call.layer, in = job.width[l], out = job.width[l + 1],
              input = (int)blockIdx.x * KL_PRODUCT_TILE, unit = (int)blockIdx.y * KL_PRODUCT_TILE;
    const kl_layers_now &now = call.now[chain];
    const int rows = kl_layers_rows(call, now);
    float *own = (now.fresh ? job.fresh_gradient : job.gradient) + (size_t)chain * (size_t)job.size;
    float sum[4][4] = {};
    const auto place = [&](int i, int j) {
        return input + j < in ? own + job.weights[l] + (size_t)(unit + i) * (size_t)in + (input + j)
                              : own + job.biases[l] + (unit + i);
    };
    if (rows < 1) return;
    if (call.slice)
        kl_product_each(sum, out - unit, in + 1 - input,
                        [&](int i, int j, float &s) { s = *place(i, j); });
    kl_product<false, false>(
        sum, rows,
        [&](int i, int k) {
            return unit + i < out ? kl_layers_place(job.back[l], call, l, chain, k)[unit + i] : 0;
        },
        [&](int j, int k) {
            return input + j < in    ? kl_layers_input(call, now, chain, k)[input + j]
                   : input + j == in ? 1.0f
                                     : 0;
        });
    kl_product_each(sum, out - unit, in + 1 - input, [&](int i, int j, float g) { *place(i, j) = g; });
}

/* Sum over the block's threads, the same in all of them. */
KL_GPU double kl_layers_sum(double value)
{
    return kl_block_sum((double *)(void *)kl_shared, value);
}

/* A block a chain, a thread a record: losses of the slice, and the gradient of their mean by logits. */
static __global__ void __launch_bounds__(KL_LAYERS_ROWS)
    kl_layers_losses(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_job &job = call.job;
    const int chain = (int)blockIdx.x, r = (int)threadIdx.x, l = job.n_layers - 1,
              outputs = job.width[l + 1];
    const kl_layers_now &now = call.now[chain];
    const int rows = kl_layers_rows(call, now);
    double loss = 0, wrong = 0;
    if (rows < 1) return;
    if (r < rows) {
        const float *z = kl_layers_place(job.out[l], call, l, chain, r);
        float *back = kl_layers_place(job.back[l], call, l, chain, r);
        double *logits = job.logits + ((size_t)chain * KL_LAYERS_ROWS + (size_t)r) * 2 * (size_t)outputs,
               *by = logits + outputs;
        const int32_t label = job.label[now.test][(size_t)job.chains[chain].set * job.shape.n[now.test] +
                                                  (size_t)kl_layers_record(call, now, chain, r)];
        for (int k = 0; k < outputs; k++) logits[k] = (double)z[k];
        loss = kl_loss_of(by, logits, outputs, label, (kl_loss)job.shape.loss, job.shape.l_max);
        wrong = kl_loss_wrong(logits, outputs, label);
        for (int k = 0; k < outputs; k++) back[k] = (float)(by[k] / (double)now.count);
    }
    kl_layers_sums *to = (now.aside ? job.fresh_sums : job.sums) + chain;
    loss = kl_layers_sum(loss), wrong = kl_layers_sum(wrong);
    if (r > 0) return;
    to->loss = call.slice ? to->loss + loss : loss;
    to->wrong = call.slice ? to->wrong + wrong : wrong;
}

/* A block a chain: the permutation of the epoch of its step. */
static __global__ void __launch_bounds__(KL_WARP)
    kl_layers_shuffle(const __grid_constant__ kl_layers_call call)
{
    const kl_layers_job &job = call.job;
    const kl_layers_now &now = call.now[blockIdx.x];
    const size_t n = job.shape.n[0];
    if (!now.ordered) return;
    kl_shuffle(job.order + (size_t)blockIdx.x * n, (int32_t *)(void *)kl_shared, (int)n,
               job.chains[blockIdx.x].key, now.number);
}

#endif
