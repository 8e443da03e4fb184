/* SPDX-License-Identifier: MIT
   The study's GAN with a network as its generator: 1.6 million weights with their moments, which stay in
   the GPU's memory and are read once forward and once in the update, where the gradient of a weight is
   an outer product that is never stored. */
#ifndef KL_CUDA_GAN_NETWORK_CUH
#define KL_CUDA_GAN_NETWORK_CUH

#include "kernels/cuda/gan.cuh"

enum {
    KL_GAN_LATENT = 4096,
    KL_GAN_FIRST = 128,
    KL_GAN_SECOND = 256,
    KL_GAN_LAYERS = 3,
    /* layers one after another: weights [out, in], biases */
    KL_GAN_AT_2 = KL_GAN_FIRST * (KL_GAN_LATENT + 1),
    KL_GAN_AT_3 = KL_GAN_AT_2 + KL_GAN_SECOND * (KL_GAN_FIRST + 1),
    KL_GAN_WEIGHTS = KL_GAN_AT_3 + KL_GAN_CELLS * (KL_GAN_SECOND + 1)
};

/* Behind the scratch of sums, in floats: the latent vector; outputs of each layer before ReLU, behind
   it, derivatives; parts of derivatives of each warp. */
struct kl_gan_places {
    float *z, *a1, *h1, *d1, *a2, *h2, *d2, *a3, *d3, *parts;
};
enum {
    KL_GAN_NETWORK_END = 2 * KL_GAN_WARPS + KL_GAN_LATENT + 3 * (KL_GAN_FIRST + KL_GAN_SECOND) +
                         2 * KL_GAN_CELLS + KL_GAN_WARPS * KL_GAN_SECOND
};
KL_GPU kl_gan_places kl_gan_lay_out()
{
    kl_gan_places at;
    at.z = kl_shared + 2 * KL_GAN_WARPS;
    at.a1 = at.z + KL_GAN_LATENT, at.h1 = at.a1 + KL_GAN_FIRST, at.d1 = at.h1 + KL_GAN_FIRST;
    at.a2 = at.d1 + KL_GAN_FIRST, at.h2 = at.a2 + KL_GAN_SECOND, at.d2 = at.h2 + KL_GAN_SECOND;
    at.a3 = at.d2 + KL_GAN_SECOND, at.d3 = at.a3 + KL_GAN_CELLS, at.parts = at.d3 + KL_GAN_CELLS;
    return at;
}

/* Weights of layer 1, 2 or 3 as the CPU draws them: a stream a row, the bias behind its weights; of the
   last layer a stream an input, the biases behind the last input. */
KL_GPU void kl_gan_draw_layer(float *w, int layer, int rows, int columns, uint64_t seed,
                              uint32_t replica)
{
    const double bound = 1 / sqrt((double)columns);
    const bool turned = layer == KL_GAN_LAYERS;
    const int streams = turned ? columns + 1 : rows, numbers = turned ? rows : columns + 1,
              blocks = (numbers + 3) / 4;
    for (int i = (int)(blockIdx.x * KL_GAN_THREADS + threadIdx.x); i < streams * blocks;
         i += (int)(gridDim.x * KL_GAN_THREADS)) {
        const int stream = i / blocks, first = i % blocks * 4;
        uint32_t words[4];
        kl_philox(words, seed, (uint32_t)(i % blocks), KL_RANDOM_INIT,
                  ((uint32_t)layer << 16) + (uint32_t)stream, replica);
        for (int k = 0; k < 4 && first + k < numbers; k++) {
            const int row = turned ? first + k : stream, column = turned ? stream : first + k;
            w[column < columns ? row * columns + column : rows * columns + row] =
                (float)kl_gan_unit(words[k], bound);
        }
    }
}

/* The weights of pair number `first`, by all blocks. */
static __global__ void __launch_bounds__(KL_GAN_THREADS)
    kl_gan_draw(const __grid_constant__ kl_gan_job job)
{
    float *w = job.weights + (int64_t)job.first * KL_GAN_WEIGHTS;
    const uint32_t replica = job.replica[job.first];
    kl_gan_draw_layer(w, 1, KL_GAN_FIRST, KL_GAN_LATENT, job.shape.seed, replica);
    kl_gan_draw_layer(w + KL_GAN_AT_2, 2, KL_GAN_SECOND, KL_GAN_FIRST, job.shape.seed, replica);
    kl_gan_draw_layer(w + KL_GAN_AT_3, 3, KL_GAN_CELLS, KL_GAN_SECOND, job.shape.seed, replica);
}

/* Two numbers Normal(0, 1), by Box and Muller (1958). */
KL_GPU void kl_gan_normals(float two[2], const uint32_t words[2])
{
    const float radius = sqrtf(-2 * logf((float)kl_philox_unit(words[0]))),
                angle = 6.2831853f * (float)kl_philox_unit(words[1]);
    two[0] = radius * cosf(angle), two[1] = radius * sinf(angle);
}

/* The latent vector of an epoch. */
KL_GPU void kl_gan_latent(float *z, uint64_t seed, int64_t epoch, uint32_t replica)
{
    for (int i = (int)threadIdx.x; i < KL_GAN_LATENT / 4; i += KL_GAN_THREADS) {
        uint32_t words[4];
        kl_philox(words, seed, (uint32_t)i, KL_RANDOM_LATENT, (uint32_t)epoch, replica);
        kl_gan_normals(z + 4 * i, words), kl_gan_normals(z + 4 * i + 2, words + 2);
    }
    __syncthreads();
}

/* a = w x + b, h = max(0, a); a warp a row. Ends with the block together. */
template <int COLUMNS>
KL_GPU void kl_gan_forward(float *a, float *h, const float *w, const float *x, int rows)
{
    for (int row = kl_warp(); row < rows; row += KL_GAN_WARPS) {
        const float *own = w + (int64_t)row * COLUMNS;
        float sum = 0;
#pragma unroll 4
        for (int c = 4 * kl_lane_number(); c < COLUMNS; c += 128) {
            const float4 weight = *(const float4 *)(own + c), input = *(const float4 *)(x + c);
            sum += weight.x * input.x + weight.y * input.y + weight.z * input.z + weight.w * input.w;
        }
        sum = kl_warp_sum(sum) + w[(int64_t)rows * COLUMNS + row];
        if (kl_lane_number() == 0) a[row] = sum;
        if (kl_lane_number() == 0 && h) h[row] = sum > 0 ? sum : 0;
    }
    __syncthreads();
}

/* Adam on a layer, a warp a row; with parts the sums of d times the weights before it, (warps, columns).
   Ends with the block together. */
template <int COLUMNS, bool BACK>
KL_GPU void kl_gan_move(float *parts, float *w, float *m, float *v, const float *d, const float *x,
                        int rows, const kl_cuda_factors &f)
{
    enum { FOURS = COLUMNS / 128 };
    float back[BACK ? 4 * FOURS : 1] = { 0 };
    for (int row = kl_warp(); row < rows; row += KL_GAN_WARPS) {
        const float g = d[row];
#pragma unroll BACK ? FOURS : 1
        for (int i = 0; i < FOURS; i++) {
            const int c = 128 * i + 4 * kl_lane_number();
            const int64_t at = (int64_t)row * COLUMNS + c;
            float4 weight = *(float4 *)(w + at), mean = *(float4 *)(m + at),
                   square = *(float4 *)(v + at);
            const float4 input = *(const float4 *)(x + c);
            if (BACK) {
                back[BACK ? 4 * i : 0] += g * weight.x, back[BACK ? 4 * i + 1 : 0] += g * weight.y;
                back[BACK ? 4 * i + 2 : 0] += g * weight.z, back[BACK ? 4 * i + 3 : 0] += g * weight.w;
            }
            kl_adam(&weight.x, &mean.x, &square.x, g * input.x, f);
            kl_adam(&weight.y, &mean.y, &square.y, g * input.y, f);
            kl_adam(&weight.z, &mean.z, &square.z, g * input.z, f);
            kl_adam(&weight.w, &mean.w, &square.w, g * input.w, f);
            *(float4 *)(w + at) = weight, *(float4 *)(m + at) = mean, *(float4 *)(v + at) = square;
        }
    }
    for (int i = 0; BACK && i < 4 * FOURS; i++)
        parts[kl_warp() * COLUMNS + 128 * (i / 4) + 4 * kl_lane_number() + i % 4] = back[BACK ? i : 0];
    const int64_t biases = (int64_t)rows * COLUMNS;
    for (int row = (int)threadIdx.x; row < rows; row += KL_GAN_THREADS)
        kl_adam(w + biases + row, m + biases + row, v + biases + row, d[row], f);
    __syncthreads();
}

/* d of a layer of n neurons from the parts of the one behind. Ends with the block together. */
KL_GPU void kl_gan_back(float *d, const float *parts, const float *a, int n)
{
    for (int i = (int)threadIdx.x; i < n; i += KL_GAN_THREADS) {
        float sum = 0;
        for (int w = 0; w < KL_GAN_WARPS; w++) sum += parts[w * n + i];
        d[i] = a[i] > 0 ? sum : 0;
    }
    __syncthreads();
}

/* The largest in the block. */
KL_GPU float kl_block_most(float value)
{
    double *part = kl_gan_scratch();
    value = kl_warp_most(value);
    if (kl_lane_number() == 0) part[kl_warp()] = (double)value;
    __syncthreads();
    for (int w = 0; w < KL_GAN_WARPS; w++) value = fmaxf(value, (float)part[w]);
    __syncthreads();
    return value;
}

/* The law of the latent vector that is there. */
KL_GPU void kl_gan_law(double *law, const kl_gan_places &at, const float *w)
{
    float most = -INFINITY;
    double sum = 0;
    kl_gan_forward<KL_GAN_LATENT>(at.a1, at.h1, w, at.z, KL_GAN_FIRST);
    kl_gan_forward<KL_GAN_FIRST>(at.a2, at.h2, w + KL_GAN_AT_2, at.h1, KL_GAN_SECOND);
    kl_gan_forward<KL_GAN_SECOND>(at.a3, NULL, w + KL_GAN_AT_3, at.h2, KL_GAN_CELLS);
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS) most = fmaxf(most, at.a3[k]);
    most = kl_block_most(most);
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS)
        sum += law[k] = (double)expf(at.a3[k] - most);
    sum = kl_gan_sum(sum);
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS) law[k] /= sum;
    __syncthreads();
}

/* Derivatives of the loss by the last layer's outputs, which add up to 0. */
KL_GPU void kl_gan_derive(const kl_gan_job &job, int64_t own, const kl_gan_places &at)
{
    const double *law = job.law + own * KL_GAN_CELLS, *dp = job.dp + own * KL_GAN_CELLS;
    double mean = 0, all = 0;
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS)
        mean += law[k] * dp[k], all += law[k];
    mean = kl_gan_sum(mean) / kl_gan_sum(all);
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS)
        at.d3[k] = (float)(law[k] * (dp[k] - mean));
    __syncthreads();
}

/* All layers from the last to the first. */
KL_GPU void kl_gan_move_all(const kl_gan_job &job, int64_t own, const kl_gan_places &at,
                            const kl_cuda_factors &f)
{
    float *w = job.weights + own * KL_GAN_WEIGHTS, *m = job.weights_m + own * KL_GAN_WEIGHTS,
          *v = job.weights_v + own * KL_GAN_WEIGHTS;
    kl_gan_move<KL_GAN_SECOND, true>(at.parts, w + KL_GAN_AT_3, m + KL_GAN_AT_3, v + KL_GAN_AT_3, at.d3,
                                     at.h2, KL_GAN_CELLS, f);
    kl_gan_back(at.d2, at.parts, at.a2, KL_GAN_SECOND);
    kl_gan_move<KL_GAN_FIRST, true>(at.parts, w + KL_GAN_AT_2, m + KL_GAN_AT_2, v + KL_GAN_AT_2, at.d2,
                                    at.h1, KL_GAN_SECOND, f);
    kl_gan_back(at.d1, at.parts, at.a1, KL_GAN_FIRST);
    kl_gan_move<KL_GAN_LATENT, false>(NULL, w, m, v, at.d1, at.z, KL_GAN_FIRST, f);
}

/* A block some epochs of a pair. */
static __global__ void __launch_bounds__(KL_GAN_THREADS)
    kl_gan_epochs(const __grid_constant__ kl_gan_job job)
{
    const int64_t own = blockIdx.x;
    const kl_gan_places at = kl_gan_lay_out();
    for (int64_t e = 0; e < job.count; e++) {
        const kl_cuda_gan_factors f = job.factors[e];
        const kl_cuda_factors single = { (float)f.decay, (float)f.shrink, (float)f.beta1,
                                         (float)f.rest1, (float)f.beta2,  (float)f.rest2,
                                         (float)f.rate,  (float)f.root,   (float)f.epsilon };
        kl_gan_latent(at.z, job.shape.seed, job.first + e, job.replica[own]);
        kl_gan_law(job.law + own * KL_GAN_CELLS, at, job.weights + own * KL_GAN_WEIGHTS);
        kl_gan_score(job.history + (own * job.count + e) * KL_CUDA_GAN_COLUMNS, job, own);
        kl_gan_derive(job, own, at);
        kl_gan_move_all(job, own, at, single);
        kl_gan_discriminate(job, own, f);
        __syncthreads();
    }
}

#endif
