/* SPDX-License-Identifier: MIT
   Pulses that are sought from many starts on a GPU, a block a start (kernels/cuda/pulse.cu): see
   kernels/cuda.h. In double. */
#ifndef KL_KERNELS_CUDA_PULSES_H
#define KL_KERNELS_CUDA_PULSES_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/lbfgs.h"
#include "kernels/liouville.h"

struct kl_error;
/* What members make together, as enum kl_control_aggregate. */
enum { KL_CUDA_PULSE_MEAN, KL_CUDA_PULSE_WORST, KL_CUDA_PULSE_CVAR };
/* A point x [segments][controls] is in units of the limits: member m is carried from start by controls
   amplitude[m] limit x and params[m]; its loss is constant - sum of weights * R(T). */
struct kl_cuda_pulse {
    struct kl_liouville g;         /* of the sparse form; columns need no padding */
    double norm;                   /* at most, of a substep within the bounds */
    const double *start, *weights; /* [dim][columns] */
    double constant;
    int32_t members, aggregate;
    const double *params, *amplitude, *share; /* [members][params], [members] x 2; shares: their sum 1 */
    double sharpness, tail, energy;           /* energy: factor of the mean of x^2 */
    const double *limit;                      /* [controls] */
    const double *low, *high;                 /* of a point */
    struct kl_descent_rules rules;
};
struct kl_cuda_pulse_result {
    double loss;
    int32_t iterations, evaluations, stop; /* stop: enum kl_descent_stop */
};
struct kl_cuda_pulses;

struct kl_cuda_pulses_calls {
    /* Searches by projected L-BFGS begin at points [n][segments * controls]. KL_EUSAGE: the system does
       not fit a block's memory. */
    int (*open)(struct kl_cuda_pulses **pulses, const struct kl_cuda_pulse *problem,
                const double *points, size_t n, int device, struct kl_error *err);
    /* Each of those that run at once tries up to `trials` points, its successors included; done: how
       many have stopped until now. */
    int (*go)(struct kl_cuda_pulses *pulses, int trials, size_t *done, struct kl_error *err);
    /* Of all: where they stopped, points and gradients there (NULL: not asked for). */
    int (*get)(struct kl_cuda_pulses *pulses, struct kl_cuda_pulse_result *results, double *points,
               double *gradients, struct kl_error *err);
    void (*close)(struct kl_cuda_pulses **pulses);
};

#endif
