/* SPDX-License-Identifier: MIT
   What the study's GANs have in common on a GPU, where a block trains a pair: sums over the block, the
   discriminator over all cells, losses. In double, the weights of network generators apart. */
#ifndef KL_CUDA_GAN_CUH
#define KL_CUDA_GAN_CUH

#define KL_F64 1
#include "kernels/cuda/train.cuh"
#include "kernels/inline/gan.h"

enum {
    KL_GAN_THREADS = 512,
    KL_GAN_WARPS = KL_GAN_THREADS / 32,
    KL_GAN_SIDE = 64,
    KL_GAN_CELLS = KL_CUDA_CELLS,
    KL_GAN_OWN = KL_GAN_CELLS / KL_GAN_THREADS /* cells of a thread: every KL_GAN_THREADS'th */
};

/* Arrays of all pairs (n, ...); p: parameters of the discriminator, of which 4 belong to each neuron:
   weights (hidden, 2), biases, weights, then the last bias. */
struct kl_gan_job {
    struct kl_cuda_gan shape;
    int64_t first, count, p;
    const struct kl_cuda_gan_factors *factors; /* (count) */
    const uint32_t *replica;                   /* (n) */
    const double *target;                      /* (n, cells) */
    double *law, *dp, *slope;                  /* (n, cells): dp by the law, slope by the logit */
    double *params, *params_m, *params_v;      /* (n, p) */
    double *history;                           /* (n, count, KL_CUDA_GAN_COLUMNS) */
    double *angles, *angles_m, *angles_v;      /* (n, angles) */
    double *other;                          /* (n, 2 cells): see gan_born.cuh; NULL: in shared memory */
    float *weights, *weights_m, *weights_v; /* (n, KL_GAN_WEIGHTS) */
};

/* The first numbers of the shared memory. */
KL_GPU double *kl_gan_scratch()
{
    return (double *)(void *)kl_shared;
}
/* Over the block. */
KL_GPU double kl_gan_sum(double value)
{
    return kl_block_sum(kl_gan_scratch(), value);
}

/* A neuron before its activation, at cell k. */
KL_GPU double kl_gan_neuron(const double *params, int hidden, int j, int k)
{
    const double x = (double)(k % KL_GAN_SIDE) / (KL_GAN_SIDE - 1),
                 y = (double)(k / KL_GAN_SIDE) / (KL_GAN_SIDE - 1);
    return params[2 * hidden + j] + params[2 * j] * x + params[2 * j + 1] * y;
}

/* The losses of an epoch to history, dp and slope of every cell. The law must be there for all. */
KL_GPU void kl_gan_score(double *history, const kl_gan_job &job, int64_t own)
{
    const int hidden = job.shape.n_hidden;
    const int64_t at = own * KL_GAN_CELLS;
    const double *params = job.params + own * job.p;
    double generator = 0, real = 0, fake = 0, all = 0, of_law = 0, sum = 0;
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS) {
        const double law = job.law[at + k], target = job.target[at + k];
        double logit = params[4 * hidden];
        for (int j = 0; j < hidden; j++) {
            const double a = kl_gan_neuron(params, hidden, j, k);
            logit += params[3 * hidden + j] * (a > 0 ? a : job.shape.slope * a);
        }
        const kl_judged judged = kl_judge_cell(logit, law, target, job.shape.epsilon);
        generator -= law * judged.seen, real -= target * judged.seen, fake -= law * judged.unseen;
        job.slope[at + k] = judged.slope, job.dp[at + k] = -judged.seen;
        const double r = kl_clipped(target), p = kl_clipped(law);
        all += r, of_law += p, sum += r * log(r / p);
    }
    generator = kl_gan_sum(generator), real = kl_gan_sum(real), fake = kl_gan_sum(fake);
    all = kl_gan_sum(all), of_law = kl_gan_sum(of_law), sum = kl_gan_sum(sum);
    if (threadIdx.x) return;
    history[KL_CUDA_GAN_DIVERGENCE] = sum / all + log(of_law / all);
    history[KL_CUDA_GAN_GENERATOR] = generator;
    history[KL_CUDA_GAN_REAL] = real, history[KL_CUDA_GAN_FAKE] = fake;
}

/* Adam on the discriminator, a warp a neuron; behind the last its bias. */
KL_GPU void kl_gan_discriminate(const kl_gan_job &job, int64_t own, const kl_cuda_gan_factors &f)
{
    const int hidden = job.shape.n_hidden;
    const double *slope = job.slope + own * KL_GAN_CELLS;
    double *params = job.params + own * job.p, *m = job.params_m + own * job.p,
           *v = job.params_v + own * job.p;
    for (int j = kl_warp(); j <= hidden; j += KL_GAN_WARPS) {
        const double weight = j < hidden ? params[3 * hidden + j] : 1;
        double by_x = 0, by_y = 0, by_bias = 0, by_weight = 0;
        for (int k = kl_lane_number(); k < KL_GAN_CELLS; k += 32) {
            const double a = j < hidden ? kl_gan_neuron(params, hidden, j, k) : 1,
                         leak = a > 0 ? 1 : job.shape.slope, da = weight * leak * slope[k];
            by_weight += slope[k] * leak * a, by_bias += da;
            by_x += da * ((double)(k % KL_GAN_SIDE) / (KL_GAN_SIDE - 1));
            by_y += da * ((double)(k / KL_GAN_SIDE) / (KL_GAN_SIDE - 1));
        }
        const double gradient[] = { kl_warp_sum(by_x), kl_warp_sum(by_y), kl_warp_sum(by_bias),
                                    kl_warp_sum(by_weight) };
        const int place[] = { 2 * j, 2 * j + 1, 2 * hidden + j, 3 * hidden + j };
        __syncwarp(); /* all have read what is now written: a shuffle does not order memory */
        for (int i = j < hidden ? 0 : 3; i < 4 && kl_lane_number() == 0; i++)
            kl_adam(params + place[i], m + place[i], v + place[i], gradient[i], f);
    }
}

#endif
