/* SPDX-License-Identifier: MIT
   A small network in the shared memory of a block, and how each of its eight warps takes a sample
   through all layers and back. */
#ifndef KL_CUDA_MLP_CUH
#define KL_CUDA_MLP_CUH

#include "kernels/cuda/train.cuh"

enum { KL_MLP_WARPS = KL_MLP_BATCH, KL_MLP_THREADS = 32 * KL_MLP_WARPS };

/* Places in the shared memory, in floats. Of layer l: weight (input k, unit j) at at[l] + k * step[l] +
   j, the biases behind the last input; an odd step, so that the threads of a warp meet in no bank,
   whether they differ in k or in j. Of what comes out of layer l - 1: sample i's at y_at[l] + i *
   size[l], its gradient at d_at[l] + the same; y_at[0]: the sample itself, words of bits or floats, each
   of n_words. */
struct kl_mlp_job {
    struct kl_cuda_mlp shape; /* arrays on the GPU */
    int32_t at[KL_MLP_LAYERS + 1], step[KL_MLP_LAYERS], y_at[KL_MLP_LAYERS + 1], d_at[KL_MLP_LAYERS + 1],
        n_words;
    int32_t m_at, v_at;            /* 0: moments stay in the GPU's memory */
    uint32_t width[KL_MLP_LAYERS]; /* kl_mlp_width(size[l]), of dropout's numbers */
    int64_t amount, file;          /* numbers of a block's network, and of its file */
    const struct kl_cuda_mlp_epoch *epochs;
    struct kl_cuda_mlp_result *results;
    float *params, *best, *m, *v;       /* (runs, file), (runs, file), (runs, amount) x 2 */
    const uint8_t *labels;              /* (runs, n_rows) */
    const int32_t *judging, *n_judging; /* (runs, n_rows), (runs) */
    const int32_t *order;               /* (runs, n_rows) */
};

/* Its first numbers: of each warp a part of two sums, and the loss of its sample. */
struct kl_mlp_sums {
    double squares[KL_MLP_WARPS], sizes[KL_MLP_WARPS], loss[KL_MLP_WARPS];
    int32_t right[KL_MLP_WARPS];
};
KL_GPU kl_mlp_sums *kl_sums()
{
    return (kl_mlp_sums *)(void *)kl_shared;
}

/* use(layer, input, unit) of every weight, and of the biases as weights of input size[l]. */
template <class F> KL_GPU void kl_mlp_each(const kl_mlp_job &job, F use)
{
    for (int l = 0; l < job.shape.net.n_layers; l++)
        for (int j = kl_lane_number(); j < job.shape.net.size[l + 1]; j += 32)
            for (int k = kl_warp(); k <= job.shape.net.size[l]; k += KL_MLP_WARPS) use(l, k, j);
}

/* The place of that weight in a file. */
KL_GPU int kl_mlp_file(const kl_mlp_job &job, int l, int k, int j)
{
    const int32_t *size = job.shape.net.size;
    int at = k < size[l] ? j * size[l] + k : size[l] * size[l + 1] + j;
    for (int i = 0; i < l; i++) at += (size[i] + 1) * size[i + 1];
    return at;
}

/* Input k of layer l, of the warp's sample i. */
template <bool PACKED> KL_GPU float kl_mlp_input(const kl_mlp_job &job, int l, int i, int k)
{
    const float *own = kl_shared + job.y_at[l] + i * (l ? job.shape.net.size[l] : job.n_words);
    if (l || !PACKED) return own[k];
    return (float)(__float_as_uint(own[k / 32]) >> k % 32 & 1);
}

/* ReLU and the dropout of a step. */
KL_GPU float kl_mlp_hidden(float z, const kl_mlp_job &job, const kl_cuda_mlp_epoch *epoch, uint64_t step,
                           int l, int j)
{
    if (!(z > 0)) return 0;
    if (!epoch || !job.shape.threshold) return z;
    const uint32_t number = kl_dropout_number(epoch->seed, KL_RANDOM_DROPOUT + 256u * (uint32_t)l,
                                              (uint32_t)kl_warp() * job.width[l] + (uint32_t)j,
                                              (uint32_t)step, (uint32_t)(step >> 32));
    return number >= job.shape.threshold ? z * job.shape.keep_scale : 0;
}

/* One sample through all layers, by one warp. epoch NULL: without dropout. */
template <bool PACKED>
KL_GPU void kl_mlp_forward(const kl_mlp_job &job, int row, const kl_cuda_mlp_epoch *epoch, uint64_t step)
{
    const int32_t *size = job.shape.net.size;
    const float *from = (const float *)((const char *)job.shape.rows + row * job.shape.stride);
    float *to = kl_shared + job.y_at[0] + kl_warp() * job.n_words;
    __syncwarp(); /* the sample before is done with */
    for (int w = kl_lane_number(); w < job.n_words; w += 32) to[w] = from[w];
    __syncwarp();
    for (int l = 0; l < job.shape.net.n_layers; l++) {
        float *y = kl_shared + job.y_at[l + 1] + kl_warp() * size[l + 1];
        for (int j = kl_lane_number(); j < size[l + 1]; j += 32) {
            const float *w = kl_shared + job.at[l] + j;
            float sum = w[size[l] * job.step[l]];
#pragma unroll 4
            for (int k = 0; k < size[l]; k++)
                sum = fmaf(kl_mlp_input<PACKED>(job, l, kl_warp(), k), w[k * job.step[l]], sum);
            y[j] = l + 1 < job.shape.net.n_layers ? kl_mlp_hidden(sum, job, epoch, step, l + 1, j) : sum;
        }
        __syncwarp();
    }
}

/* The warp's sample: its cross-entropy in nats, whether it is told right, and share times the gradient.
 */
KL_GPU float kl_mlp_loss(bool *right, const kl_mlp_job &job, int label, float share)
{
    const int classes = job.shape.net.size[job.shape.net.n_layers];
    const float *z = kl_shared + job.y_at[job.shape.net.n_layers] + kl_warp() * classes;
    float *d = kl_shared + job.d_at[job.shape.net.n_layers] + kl_warp() * classes, total = 0;
    int most = 0;
    for (int c = 1; c < classes; c++)
        if (z[c] > z[most]) most = c;
    for (int c = kl_lane_number(); c < classes; c += 32) d[c] = expf(z[c] - z[most]);
    __syncwarp();
    for (int c = 0; c < classes; c++) total += d[c];
    __syncwarp();
    for (int c = kl_lane_number(); c < classes; c += 32)
        d[c] = d[c] * (share / total) - (c == label ? share : 0);
    __syncwarp();
    *right = most == label;
    return logf(total) + z[most] - z[label];
}

/* The warp's gradients from the last layer to the first hidden one. */
KL_GPU void kl_mlp_back(const kl_mlp_job &job)
{
    const int32_t *size = job.shape.net.size;
    for (int l = job.shape.net.n_layers - 1; l > 0; l--) {
        const float *y = kl_shared + job.y_at[l] + kl_warp() * size[l],
                    *d = kl_shared + job.d_at[l + 1] + kl_warp() * size[l + 1];
        float *to = kl_shared + job.d_at[l] + kl_warp() * size[l];
        for (int k = kl_lane_number(); k < size[l]; k += 32) {
            const float *w = kl_shared + job.at[l] + k * job.step[l];
            float sum = 0;
            for (int j = 0; j < size[l + 1]; j++) sum = fmaf(d[j], w[j], sum);
            to[k] = y[k] > 0 ? sum * job.shape.keep_scale : 0;
        }
        __syncwarp();
    }
}

#endif
