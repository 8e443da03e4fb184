/* SPDX-License-Identifier: MIT
   What a search for pulses has on the GPU: the generator in places, what each block works with. */
#ifndef KL_CUDA_PULSE_JOB_CUH
#define KL_CUDA_PULSE_JOB_CUH

#include "kernels/cuda/gpu.cuh"
#define KL_F64 1
#include "kernels/inline/adam_start.h"
#include "kernels/inline/trust.h"
#include "kernels/inline/series.h"

enum { KL_PULSE_WARPS = 8, KL_PULSE_NORMS = KL_SERIES_MOST - KL_SERIES_LEAST + 1 };

/* Full blocks that a processor must have registers for. Unsaid, the compiler gives a thread 48 to 80 of
   them on sm_100 and sm_120, and spills up to 336 bytes; so, 64 and 128, and none. */
enum { KL_PULSE_BLOCKS = 4, KL_PULSE_BLOCKS_OF_SEARCH = 2 };

/* value, single in float, times what `of` names. */
struct kl_pulse_entry {
    double value;
    float single;
    int32_t of;
};
/* What a pass in R reads in each segment. norm: as kl_series_norm; inverse: 1 / k. */
template <class R> struct kl_pulse_tables {
    R dt; /* of a substep */
    R norm[KL_PULSE_NORMS], inverse[KL_SERIES_MOST + 1], limit[KL_CUDA_WAVEFORM_CONTROLS];
};
/* The generator G as `places` numbers: row r has those at r, r + dim, r + 2 dim, ..., `column` says of
   which columns; those that a row does not need are 0. Its columns likewise: `back_place`, `back_row`;
   number `places` is 0 and fills them. */
struct kl_pulse_generator {
    int32_t places, back_places;
    const int32_t *column, *back_place, *back_row;
    const int32_t *place_begin;     /* (places + 1): entries by_place of each, `of` as a term's */
    const kl_pulse_entry *by_place; /* (n_terms) */
    const int32_t *control_begin;   /* (controls + 1): entries by_control of each, `of` a place */
    const kl_pulse_entry *by_control;
};
/* The start that a block has: held - 1; 0: none. */
struct kl_pulse_place {
    struct kl_descent d;
    struct kl_trust t; /* of Newton's method, in place of d; of Adam: */
    struct kl_adam_start a;
    double rho[KL_LBFGS_PAIRS], gain, f;
    int32_t held, newest;
};
/* Vectors of a block, each of n numbers. */
enum {
    KL_PULSE_X,
    KL_PULSE_G,
    KL_PULSE_D,
    KL_PULSE_FREE,
    KL_PULSE_NEXT_X,
    KL_PULSE_NEXT_G,
    KL_PULSE_S,
    KL_PULSE_Y = KL_PULSE_S + KL_LBFGS_PAIRS,
    KL_PULSE_VECTORS = KL_PULSE_Y + KL_LBFGS_PAIRS,
    /* Of Newton's method in place of pairs: the step and its product with the Hessian, the residual, the
       direction's product. */
    KL_PULSE_P = KL_PULSE_S,
    KL_PULSE_HP,
    KL_PULSE_R,
    KL_PULSE_HD,
    /* Of Adam: its moments. */
    KL_PULSE_M = KL_PULSE_S,
    KL_PULSE_V
};

struct kl_pulse_job {
    struct kl_cuda_pulse problem; /* arrays on the GPU; limit NULL: in the tables */
    struct kl_pulse_generator g;
    kl_pulse_tables<double> tables;
    kl_pulse_tables<float> singles;
    int32_t n, size, trials;    /* numbers of a point, of controls; trials of a launch */
    int32_t n_starts, of_task;  /* of all, of one task */
    int32_t warps, width, rows; /* of a block; lanes of a unit; rows of a lane, at most */
    int32_t units, loads, top;  /* top: the largest order of a series */
    int32_t room;               /* numbers of a unit in the shared memory */
    /* Of each block. */
    struct kl_pulse_place *place;
    double *vectors;                /* (KL_PULSE_VECTORS, n) */
    double *part;                   /* (warps, size): gradients of a load */
    double *controls, *by_controls; /* (size) x 2; NULL: those of the point itself */
    double *samples, *by_samples;   /* (samples, controls) x 2 */
    double *states;                 /* (warps, segments * substeps, rows, 32): at the substeps' starts */
    double *ends;                   /* (units): losses of the units */
    double *losses, *shares;        /* (members) x 2 */
    float *given;                   /* of passes in float: point (n), amplitudes and params (members) */
    /* Of all. */
    uint32_t *next, *done;      /* starts that were taken, and that have stopped */
    double *points, *gradients; /* (n_starts, n) x 2 */
    struct kl_cuda_pulse_result *results;
};

KL_GPU double *kl_pulse_vector(const kl_pulse_job &job, int which)
{
    return job.vectors + ((size_t)blockIdx.x * KL_PULSE_VECTORS + (size_t)which) * (size_t)job.n;
}

/* Of the block's start, the first member of its task among those of all. */
KL_GPU int kl_pulse_first_member(const kl_pulse_job &job)
{
    return (job.place[blockIdx.x].held - 1) / job.of_task * job.problem.members;
}

/* Floats of a block in `given`, and where they begin. */
KL_GPU float *kl_pulse_rounded(const kl_pulse_job &job)
{
    const struct kl_cuda_pulse &p = job.problem;
    return job.given +
           (size_t)blockIdx.x * ((size_t)job.n + (size_t)p.members * (size_t)(1 + p.g.params));
}

/* Controls in units of the limits, of the block's trial, and derivatives by them. */
KL_GPU double *kl_pulse_controls(const kl_pulse_job &job)
{
    if (!job.problem.waveform.samples) return kl_pulse_vector(job, KL_PULSE_NEXT_X);
    return job.controls + (size_t)blockIdx.x * (size_t)job.size;
}
KL_GPU double *kl_pulse_by_controls(const kl_pulse_job &job)
{
    if (!job.problem.waveform.samples) return kl_pulse_vector(job, KL_PULSE_NEXT_G);
    return job.by_controls + (size_t)blockIdx.x * (size_t)job.size;
}

#endif
