/* SPDX-License-Identifier: MIT
   Markov chains of a network on a GPU: of one hidden layer (kernels/shallow.h), a block each
   (kernels/cuda/chain.cu); of dense layers, whose weights lie in the GPU's memory
   (kernels/cuda/layers.cu). See kernels/cuda.h. */
#ifndef KL_KERNELS_CUDA_CHAINS_H
#define KL_KERNELS_CUDA_CHAINS_H

#include "kernels/langevin.h"
#include "kernels/shallow.h"

struct kl_error;
enum {
    KL_CUDA_CHAIN_LAYERS = 4,
    KL_CUDA_CHAIN_TENSORS = 2 * KL_CUDA_CHAIN_LAYERS, /* W [outputs][inputs] and b of each layer */
    KL_CUDA_CHAIN_UNITS = 512                         /* hidden ones of a block, at most */
};
enum kl_cuda_sampler {
    KL_CUDA_SGLD,
    KL_CUDA_PSGLD,
    KL_CUDA_SGHMC,
    KL_CUDA_SGNHT,
    KL_CUDA_MALA,
    KL_CUDA_HMC
};

/* What all chains have in common. Records in sets, of which each chain has one: the training ones (0)
   and those of the test (1). */
struct kl_cuda_chains_shape {
    struct kl_shallow net; /* of the one */
    /* Of the other: inputs, and what each layer puts out; enum kl_loss. */
    int32_t n_layers, width[KL_CUDA_CHAIN_LAYERS + 1], loss;
    double l_max;
    int32_t sampler; /* enum kl_cuda_sampler */
    /* fused (of the one): as kl_shallow_steps: noise by kl_shallow_element, no norms of each step. Else
       the noise of parameter j is element j. */
    int32_t fused;
    size_t n_sets, n[2], batch;    /* records of a set; of a step, at most n[0] */
    const float *x[2];             /* (n_sets, n, inputs) */
    const int32_t *label[2];       /* (n_sets, n) */
    double keep, spread;           /* of SGHMC: what momenta keep of a step, and their noise */
    double friction;               /* of SGNHT */
    double rms_decay, rms_epsilon; /* of PSGLD */
    int32_t leapfrogs, fewer;      /* of HMC, at most; fewer: from half of them to all are drawn */
    size_t chains, spans, steps;   /* of one go, at most */
};
/* Steps first .. first + count - 1 of the chain, with one set of factors. Step i of an epoch takes the
   records i batch .. of its permutation (all of them as they stand, where they are one batch). judge:
   what is told of the state behind the last of them. */
enum {
    KL_CUDA_JUDGE_TRAIN = 1,
    KL_CUDA_JUDGE_TEST = 2,
    KL_CUDA_JUDGE_FIRST = 4, /* by the first `batch` of the permutation, and 2 batch of the test */
    KL_CUDA_PRIOR = 8        /* after it was drawn from the prior anew, of the epoch of `first` */
};
struct kl_cuda_chain_span {
    struct kl_langevin_factors factors[KL_CUDA_CHAIN_TENSORS];
    double beta, eta;
    uint64_t first;
    int32_t count, judge, adapt, unused; /* adapt: the mean squares of PSGLD go on */
};
/* A chain of one go: its spans are spans[first_span], ...; its steps are told from outcomes[first_step]
   on, its spans that are judged from judged[first_span] on, at their own places. */
struct kl_cuda_chain {
    uint64_t key;
    int32_t set, n_spans, same; /* same: it had this place in the go before, and w is as it was then */
    size_t first_span, first_step;
    double precision[KL_CUDA_CHAIN_TENSORS], sigma[KL_CUDA_CHAIN_TENSORS]; /* of the prior */
    double beta, thermostat; /* thermostat: SGNHT's, which goes on */
};
/* Of a step, as struct kl_sampling_outcome has it: sums over its records; virial and radius 0 where
   `fused`. */
struct kl_cuda_chain_outcome {
    double loss, wrong, virial, radius, accept;
};
/* Of a state: sums over the records it is judged by, whose numbers are count[0] and count[1]; virial and
   radius at the chain's beta, of the training records; of dense layers, of draws from the prior alone.
 */
struct kl_cuda_chain_judged {
    double loss[2], wrong[2], virial, radius;
    int64_t count[2];
};
struct kl_cuda_chains;

struct kl_cuda_chains_calls {
    /* Records go to the GPU and stay there. KL_EUSAGE: the network does not fit a block. */
    int (*open)(struct kl_cuda_chains **chains, const struct kl_cuda_chains_shape *shape, int device,
                struct kl_error *err);
    /* n chains go through their spans, waited for. w (n, P), and v (n, P; NULL where the sampler has
       none), in the order of struct kl_sampling_target, go on, as do the thermostats. scale (n, P; NULL:
       ones): what HMC moves in are w / scale. */
    int (*go)(struct kl_cuda_chains *chains, struct kl_cuda_chain *list, size_t n,
              const struct kl_cuda_chain_span *spans, size_t n_spans, size_t n_steps, float *w, float *v,
              const float *scale, struct kl_cuda_chain_outcome *outcomes,
              struct kl_cuda_chain_judged *judged, struct kl_error *err);
    void (*close)(struct kl_cuda_chains **chains);
};

#endif
