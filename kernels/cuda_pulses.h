/* SPDX-License-Identifier: MIT
   Pulses that are sought from many starts, or judged, on a GPU, a block each (kernels/cuda/pulse.cu):
   see kernels/cuda.h. In double, but for passes that are asked for in float. */
#ifndef KL_KERNELS_CUDA_PULSES_H
#define KL_KERNELS_CUDA_PULSES_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/lbfgs.h"
#include "kernels/liouville.h"

struct kl_error;
/* What members make together, as enum kl_control_aggregate. */
enum { KL_CUDA_PULSE_MEAN, KL_CUDA_PULSE_WORST, KL_CUDA_PULSE_CVAR };
/* L-BFGS, Newton's method (of a mean of plain controls), Adam; no search, but points that are given. */
enum { KL_CUDA_PULSE_LBFGS, KL_CUDA_PULSE_NEWTON, KL_CUDA_PULSE_ADAM, KL_CUDA_PULSE_POINTS };
/* How a point's n numbers become controls, as struct kl_control_waveform has it. The numbers of control
   k begin at `first`: one a sample; `count`, which values [samples][count] are multiplied by; or one.
   Two partners lie in a disc; the range of others that are not piecewise is middle +- half. */
enum { KL_CUDA_WAVEFORM_PIECEWISE, KL_CUDA_WAVEFORM_FUNCTIONS, KL_CUDA_WAVEFORM_CONSTANT };
enum { KL_CUDA_WAVEFORM_CONTROLS = 12 }; /* at most, of any problem */
struct kl_cuda_waveform_control {
    double middle, half;
    int32_t first, kind, partner; /* partner -1: none */
};
struct kl_cuda_waveform {
    int32_t samples; /* 0: the numbers are the controls [segments][controls] */
    int32_t oversample, count, n, zero_ends;
    double most;        /* change from a sample to the next; 0: any */
    double decay, mean; /* of struct kl_control_low_pass */
    const double *values;
    struct kl_cuda_waveform_control control[KL_CUDA_WAVEFORM_CONTROLS];
};
/* Controls x [segments][controls] are in units of the limits: member m of a task is carried from start
   by controls amplitude[m] limit x and params[m]; its loss is constant - sum of weights * R(T). Tasks
   are problems of as many members each, whose starts follow each other. */
struct kl_cuda_pulse {
    struct kl_liouville g;         /* of the sparse form; columns need no padding */
    double norm;                   /* at most, of a substep within the bounds */
    const double *start, *weights; /* [dim][columns] */
    double constant;
    int32_t tasks, members, aggregate, own_weights; /* own_weights: each member has weights of its own */
    const double *params, *amplitude,
        *share; /* [tasks][members][params], [tasks][members], [members]: their sum 1 */
    double sharpness, tail, energy; /* energy: factor of the mean of x^2 */
    const double *limit;            /* [controls] */
    const double *low, *high;       /* of a point */
    struct kl_descent_rules rules;
    struct kl_cuda_waveform waveform;
    int32_t method;
    int32_t single; /* of POINTS without a waveform: passes in float, sums of losses and of members'
                       derivatives in double */
    double lr;      /* of Adam */
};
struct kl_cuda_pulse_result {
    double loss;
    int32_t iterations, evaluations, stop; /* stop: enum kl_descent_stop */
};
/* A point of each start, and tasks in place of those of the problem, whose weights stay. Points and
   gradients: [n][numbers]. */
struct kl_cuda_pulse_points {
    const double *params, *amplitude, *points;
    double *gradients;
    struct kl_cuda_pulse_result *results; /* [n]: of these the losses */
};
struct kl_cuda_pulses;

struct kl_cuda_pulses_calls {
    /* Searches begin at points [n][numbers] (NULL: points are given later). KL_EUSAGE: the system does
       not fit a block's memory. */
    int (*open)(struct kl_cuda_pulses **pulses, const struct kl_cuda_pulse *problem,
                const double *points, size_t n, int device, struct kl_error *err);
    /* Each of those that run at once tries up to `trials` points, its successors included; done: how
       many have stopped until now. */
    int (*go)(struct kl_cuda_pulses *pulses, int trials, size_t *done, struct kl_error *err);
    /* Of all: where they stopped, points and gradients there (NULL: not asked for). */
    int (*get)(struct kl_cuda_pulses *pulses, struct kl_cuda_pulse_result *results, double *points,
               double *gradients, struct kl_error *err);
    /* Of POINTS. Several threads may ask at once, each of pulses of its own. */
    int (*at)(struct kl_cuda_pulses *pulses, const struct kl_cuda_pulse_points *at,
              struct kl_error *err);
    void (*close)(struct kl_cuda_pulses **pulses);
};

#endif
