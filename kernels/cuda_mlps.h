/* SPDX-License-Identifier: MIT
   Small dense networks on a GPU, a block each (kernels/cuda/mlp.cu): see kernels/cuda.h. */
#ifndef KL_KERNELS_CUDA_MLPS_H
#define KL_KERNELS_CUDA_MLPS_H

#include "kernels/cuda_heads.h" /* struct kl_cuda_factors */
#include "kernels/mlp.h"

struct kl_error;
/* Networks of one shape that learn from the same rows, each its own choice of them under labels of its
   own. A row is words of packed bits, or floats, as in struct kl_mlp_batch. */
struct kl_cuda_mlp {
    struct kl_mlp net;
    int32_t batch;              /* rows of a step, at most KL_MLP_BATCH */
    uint32_t threshold;         /* dropout: 16-bit numbers below it drop; 0: none */
    float keep_scale, l1, clip; /* clip 0: none */
    /* Of Adam. At step t = 1, 2, ... the rate is the run's own times rate[t - 1], the root root[t - 1];
       the last ones stay. */
    struct kl_cuda_factors adam;
    const float *rate, *root; /* (n_steps) */
    size_t n_steps;
    const void *rows;
    size_t n_rows, stride; /* bytes from row to row */
    int32_t packed;
};
/* The next epoch of run `run`: `step` steps are behind it. keep: what it has learned until now is the
   best so far. */
struct kl_cuda_mlp_epoch {
    int32_t run, n_training, keep;
    float lr;
    uint64_t seed, step;
};
/* Sum of its steps' losses with their penalty; behind it the cross-entropy of the judging rows, summed,
   and how many rows are told right. */
struct kl_cuda_mlp_result {
    double loss, judged_loss;
    int32_t right, judged_right;
};
struct kl_cuda_mlps;

struct kl_cuda_mlps_calls {
    /* Room for as many runs as are trained at once, at most *n_runs, which becomes their number.
       KL_EUSAGE: the network does not fit a block's memory. */
    int (*open)(struct kl_cuda_mlps **mlps, size_t *n_runs, const struct kl_cuda_mlp *shape, int device,
                struct kl_error *err);
    /* Run `run` begins: parameters in the order of files (layer by layer weights [out][in], biases),
       labels (n_rows), and the rows that judge its epochs. */
    int (*put)(struct kl_cuda_mlps *mlps, size_t run, const float *params, const uint8_t *labels,
               const int32_t *judging, size_t n_judging, struct kl_error *err);
    /* An epoch of n different runs, on the rows `order` (run, n_rows: the first n_training of each run)
       in this order, begins; all arguments are copied. Then its results (n), waited for. */
    int (*start)(struct kl_cuda_mlps *mlps, const struct kl_cuda_mlp_epoch *epochs, size_t n,
                 const int32_t *order, struct kl_error *err);
    int (*finish)(struct kl_cuda_mlps *mlps, struct kl_cuda_mlp_result *results, struct kl_error *err);
    /* The parameters that a run has learned, or the best that were kept. */
    int (*get)(struct kl_cuda_mlps *mlps, size_t run, int best, float *params, struct kl_error *err);
    void (*close)(struct kl_cuda_mlps **mlps);
};

#endif
