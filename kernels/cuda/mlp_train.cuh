/* SPDX-License-Identifier: MIT
   An epoch of a small network. When each warp has taken one sample of a step through all layers and
   back, all threads make the gradient twice: for its norm, and for the update. It is not kept, since
   memory decides how many networks a processor trains at once. */
#ifndef KL_CUDA_MLP_TRAIN_CUH
#define KL_CUDA_MLP_TRAIN_CUH

#include "kernels/cuda/mlp.cuh"

/* use(place, gradient) of every weight and bias: the sum over n samples, and the penalty's. */
template <bool PACKED, class F> KL_GPU void kl_mlp_gradients(const kl_mlp_job &job, int n, F use)
{
    kl_mlp_each(job, [&](int l, int k, int j) {
        const int units = job.shape.net.size[l + 1], place = job.at[l] + k * job.step[l] + j;
        const float *d = kl_shared + job.d_at[l + 1] + j, p = kl_shared[place];
        const bool bias = k == job.shape.net.size[l];
        float sum = 0;
#pragma unroll
        for (int i = 0; i < KL_MLP_BATCH; i++)
            if (i < n) sum = fmaf(bias ? 1.0f : kl_mlp_input<PACKED>(job, l, i, k), d[i * units], sum);
        use(place, sum + (p > 0 ? job.shape.l1 : p < 0 ? -job.shape.l1 : 0));
    });
}

/* Add the sums of warps, in the order of warps. */
KL_GPU double kl_mlp_total(const double *of_warps)
{
    double sum = 0;
    for (int w = 0; w < KL_MLP_WARPS; w++) sum += of_warps[w];
    return sum;
}

/* The rest of a step, when every warp has its sample's gradient; the step's loss. */
template <bool PACKED>
KL_GPU double kl_mlp_update(const kl_mlp_job &job, kl_mover &to, const kl_cuda_mlp_epoch &epoch,
                            uint64_t step, int n)
{
    kl_mlp_sums *sums = kl_sums();
    const uint64_t t = step < job.shape.n_steps ? step : job.shape.n_steps - 1;
    float squares = 0, sizes = 0;
    kl_mlp_gradients<PACKED>(
        job, n, [&](int place, float g) { squares += g * g, sizes += fabsf(kl_shared[place]); });
    const double square = kl_warp_sum((double)squares), size = kl_warp_sum((double)sizes);
    if (kl_lane_number() == 0) sums->squares[kl_warp()] = square, sums->sizes[kl_warp()] = size;
    __syncthreads();
    const float scale = job.shape.clip / (sqrtf((float)kl_mlp_total(sums->squares)) + 1e-6f),
                clip = job.shape.clip > 0 && scale < 1 ? scale : 1;
    to.f.rate = epoch.lr * job.shape.rate[t], to.f.root = job.shape.root[t];
    const double loss = kl_mlp_total(sums->loss) / n + job.shape.l1 * kl_mlp_total(sums->sizes);
    kl_mlp_gradients<PACKED>(job, n,
                             [&](int place, float g) { kl_move(to, place - job.at[0], clip * g); });
    __syncthreads();
    return loss;
}

/* An epoch; the sum of its steps' losses. */
template <bool PACKED>
KL_GPU double kl_mlp_train(const kl_mlp_job &job, kl_mover &to, const kl_cuda_mlp_epoch &epoch,
                           const int32_t *order, const uint8_t *labels)
{
    double loss = 0;
    uint64_t step = epoch.step;
    for (int32_t first = 0; first < epoch.n_training; first += job.shape.batch, step++) {
        const int32_t left = epoch.n_training - first,
                      n = left < job.shape.batch ? left : job.shape.batch;
        float own = 0;
        if (kl_warp() < n) {
            const int32_t row = order[first + kl_warp()];
            bool right;
            kl_mlp_forward<PACKED>(job, row, &epoch, step);
            own = kl_mlp_loss(&right, job, labels[row], 1 / (float)n);
            kl_mlp_back(job);
        }
        if (kl_lane_number() == 0) kl_sums()->loss[kl_warp()] = own;
        __syncthreads();
        loss += kl_mlp_update<PACKED>(job, to, epoch, step, n);
    }
    return loss;
}

/* Sum of cross-entropies of n rows, and how many are told right: each warp takes every eighth. */
template <bool PACKED>
KL_GPU void kl_mlp_judge(double *loss, int32_t *right, const kl_mlp_job &job, const int32_t *rows,
                         int32_t n, const uint8_t *labels)
{
    kl_mlp_sums *sums = kl_sums();
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = kl_warp(); i < n; i += KL_MLP_WARPS) {
        bool is_right;
        kl_mlp_forward<PACKED>(job, rows[i], NULL, 0);
        sum += kl_mlp_loss(&is_right, job, labels[rows[i]], 1);
        count += is_right;
    }
    if (kl_lane_number() == 0) sums->loss[kl_warp()] = sum, sums->right[kl_warp()] = count;
    __syncthreads();
    *loss = kl_mlp_total(sums->loss);
    *right = 0;
    for (int w = 0; w < KL_MLP_WARPS; w++) *right += sums->right[w];
    __syncthreads();
}

/* A block an epoch of a run. */
template <bool PACKED>
static __global__ void __launch_bounds__(KL_MLP_THREADS)
    kl_mlp_epochs(const __grid_constant__ kl_mlp_job job)
{
    const kl_cuda_mlp_epoch epoch = job.epochs[blockIdx.x];
    const int64_t run = epoch.run, rows = (int64_t)job.shape.n_rows;
    float *params = job.params + run * job.file, *best = job.best + run * job.file;
    float *m = job.m + run * job.amount, *v = job.v + run * job.amount;
    const uint8_t *labels = job.labels + run * rows;
    const int32_t *order = job.order + run * rows;
    kl_mover to = { kl_shared + job.at[0], m, v, NULL, NULL, job.shape.adam, KL_CUDA_ADAM };
    if (job.m_at) {
        to.m = kl_shared + job.m_at, to.v = kl_shared + job.v_at;
        for (int i = (int)threadIdx.x; i < job.amount; i += KL_MLP_THREADS)
            to.m[i] = m[i], to.v[i] = v[i];
    }
    kl_mlp_each(job, [&](int l, int k, int j) {
        const int at = kl_mlp_file(job, l, k, j);
        kl_shared[job.at[l] + k * job.step[l] + j] = params[at];
        if (epoch.keep) best[at] = params[at];
    });
    __syncthreads();
    kl_cuda_mlp_result result;
    result.loss = kl_mlp_train<PACKED>(job, to, epoch, order, labels);
    double unused;
    kl_mlp_judge<PACKED>(&unused, &result.right, job, order, epoch.n_training, labels);
    kl_mlp_judge<PACKED>(&result.judged_loss, &result.judged_right, job, job.judging + run * rows,
                         job.n_judging[run], labels);
    if (threadIdx.x == 0) job.results[blockIdx.x] = result;
    kl_mlp_each(job, [&](int l, int k, int j) {
        params[kl_mlp_file(job, l, k, j)] = kl_shared[job.at[l] + k * job.step[l] + j];
    });
    for (int i = (int)threadIdx.x; job.m_at && i < job.amount; i += KL_MLP_THREADS)
        m[i] = to.m[i], v[i] = to.v[i];
}

#endif
