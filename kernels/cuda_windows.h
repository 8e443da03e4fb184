/* SPDX-License-Identifier: MIT
   Circuits of windows on a GPU (kernels/cuda/windows.cu): see kernels/cuda.h. At each step of a window
   (channels, steps) a circuit on |0>, whose angles are one map of the step's values; weighted sums over
   the steps of all wires' <X>, <Y>, <Z>; and back. Copies of one net, each with parameters and windows
   of its own, are one launch. State-space nets have the same table (kernels/cuda/scan.cu). */
#ifndef KL_KERNELS_CUDA_WINDOWS_H
#define KL_KERNELS_CUDA_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda_scans.h"

struct kl_error;
/* exp(-i angle P / 2), P the string of X where only x is set, Z where only z, Y where both, by bits of
   an amplitude's number. angle: one of the step's own, or n_angles + k: of those that all steps share.
 */
struct kl_cuda_rotation {
    uint32_t x, z;
    int32_t angle;
};
enum kl_cuda_windows_kind {
    /* The step's angles are factor sigma(map x + shift) + base; what is measured is the state psi of the
       circuit on |0>, or if superposed alpha psi + beta psi[image] + third over its norm (+ 1e-9). */
    KL_CUDA_WINDOW_TURNED,
    /* Real amplitudes: layer norm of z = map x + shift (2^n_qubits = n_angles, gain and bias; 1e-5),
       over its norm. Of this state, of SSM_A's and of GATE_A's, whose angles all are shared, the
       measured values m0, m1, m2 are weighed: h = alpha m1 + beta m2 + gamma m3, m3 being m0 turned
       about Z by skip; r = |h| / sqrt(sum |h|^2 + 1e-8). What is summed is ReLU(hidden r + its bias).
       <Y> of m0 and m2 is 0. */
    KL_CUDA_WINDOW_EMBEDDED,
    /* There is no circuit: tanh(map x + shift) in place of what wires measure, n_angles of them. */
    KL_CUDA_WINDOW_TANH,
    /* Nor here, in place of r: tanh(features times layer norm of z + their bias). */
    KL_CUDA_WINDOW_NORM_TANH,
    /* Nothing of all this: a state-space net, `scans`, which goes by another table of functions. */
    KL_CUDA_WINDOW_SCANS
};
struct kl_cuda_windows_shape {
    int32_t kind, superposed;
    int32_t n_qubits, n_rotations, n_angles, n_shared;
    int32_t n_gate;                  /* of rotations, the last ones, those of GATE_A */
    int32_t channels, steps, stride; /* of a window's channels */
    int32_t n_weights;               /* sums over time */
    /* More than 0: what stands above has, in place of a window's steps, one, of so many inputs: means
       over time of silu of filters of three taps (the middle one on the step), dense or each on its own
       channel. Dropout acts on these; apart: its numbers' distance from one to the next. */
    int32_t filters, dense, apart;
    float factor;
    const struct kl_cuda_rotation *rotations; /* in their order */
    const uint32_t *image;                    /* (2^n_qubits), its own inverse; superposed alone */
    /* Of a window's values in training: see kernels/act.h. threshold 0: none. */
    uint32_t threshold, purpose;
    float keep_scale;
    uint64_t seed;
    struct kl_cuda_scans_shape scans; /* dropout acts behind its embedding */
    /* Of a step that ranks share: windows of the whole step; units of parts here, at most. 0: it is not
       shared. timed: `seconds` counts. */
    int32_t whole, units, timed;
};
/* Where a copy's parameters stand, and the derivatives by them (complex numbers: dL/dRe, dL/dIm): map
   (n_angles, channels), shift, base (n_angles), shared (n_shared), weights (n_weights, steps); if
   superposed alpha, beta, then third (2^n_qubits), complex. EMBEDDED and NORM_TANH, which have no base:
   gain, bias (n_angles), real and imaginary parts of alpha, beta, gamma, skip (n_qubits) or features (3
   n_qubits, n_angles), their bias; hidden (3 n_qubits, 3 n_qubits), its bias. With filters, which are
   channels and one step to all these: conv (filters, channels or 1, 3), its bias. */
struct kl_cuda_windows_places {
    size_t map, shift, base, shared, weights, mix, third, gain, bias, factors, skip, features,
        features_bias, hidden, hidden_bias, conv, conv_bias, end;
};
static inline size_t kl_cuda_windows_inputs(const struct kl_cuda_windows_shape *s)
{
    return (size_t)(s->filters ? s->filters : s->channels);
}
static inline size_t kl_cuda_windows_lengths(const struct kl_cuda_windows_shape *s)
{
    return s->filters ? 1 : (size_t)s->steps;
}
static inline struct kl_cuda_windows_places kl_cuda_windows_places(const struct kl_cuda_windows_shape *s)
{
    struct kl_cuda_windows_places p;
    const size_t angles = (size_t)s->n_angles, outputs = 3 * (size_t)s->n_qubits,
                 embedded = s->kind == KL_CUDA_WINDOW_EMBEDDED,
                 tanh = s->kind == KL_CUDA_WINDOW_NORM_TANH, normed = embedded || tanh;
    p.map = 0;
    p.shift = angles * kl_cuda_windows_inputs(s);
    p.base = p.shift + angles;
    p.shared = p.base + (normed ? 0 : angles);
    p.weights = p.shared + (size_t)s->n_shared;
    p.mix = p.weights + (size_t)s->n_weights * kl_cuda_windows_lengths(s);
    p.third = p.mix + (s->superposed ? 4 : 0);
    p.gain = p.third + (s->superposed ? (size_t)2 << s->n_qubits : 0);
    p.bias = p.gain + normed * angles;
    p.factors = p.bias + normed * angles;
    p.skip = p.factors + embedded * 6;
    p.features = p.skip + embedded * (size_t)s->n_qubits;
    p.features_bias = p.features + tanh * outputs * angles;
    p.hidden = p.features_bias + tanh * outputs;
    p.hidden_bias = p.hidden + normed * outputs * outputs;
    p.conv = p.hidden_bias + normed * outputs;
    p.conv_bias = p.conv + (size_t)s->filters * (s->dense ? (size_t)s->channels : 1) * 3;
    p.end = p.conv_bias + (size_t)s->filters;
    return p;
}
/* What a copy is given. */
static inline size_t kl_cuda_windows_given(const struct kl_cuda_windows_shape *s)
{
    if (s->kind == KL_CUDA_WINDOW_SCANS) return kl_cuda_scans_places(&s->scans, (size_t)s->channels).end;
    return kl_cuda_windows_places(s).end;
}
/* What comes of a window: of each sum <X> of all wires, <Y>, <Z>; of scans the width. */
static inline size_t kl_cuda_windows_outputs(const struct kl_cuda_windows_shape *s)
{
    if (s->kind == KL_CUDA_WINDOW_SCANS) return (size_t)s->scans.width;
    return (size_t)s->n_weights * 3 * (size_t)s->n_qubits;
}
/* The order of sums over a step's windows, of which there are `all` in n parts, a power of two, at most
   KL_CUDA_WINDOWS_PARTS and `all`: part i has windows [all i / n, all (i + 1) / n). At hand are those of
   parts [first, first + units each); `each` parts, a power of two, are added as a binary tree, a unit.
   All 0: one part, and all of it is at hand. */
enum { KL_CUDA_WINDOWS_PARTS = 16 };
struct kl_cuda_windows_parts {
    int32_t all, n, first, each, units;
};
/* The number in the step of part i's first window. */
static inline size_t kl_cuda_windows_part(const struct kl_cuda_windows_parts *p, size_t i)
{
    return p->n ? (size_t)p->all * i / (size_t)p->n : 0;
}
/* n copies, count windows of each: rows (n, count) of those on the GPU, given (n,
 * kl_cuda_windows_given). */
struct kl_cuda_windows_batch {
    size_t n, count;
    struct kl_cuda_windows_parts parts; /* of which `count` windows are at hand */
    const int32_t *rows;
    const float *given;
    const uint32_t *replica; /* (n) of dropout, as step */
    uint32_t step;
    int32_t training; /* with dropout */
};
struct kl_cuda_windows;

struct kl_cuda_windows_calls {
    /* Room for n_windows on the GPU, and for batches of n_copies: of `most` windows forward, of `back`
       both ways. KL_EUSAGE: a block's memory does not hold a state of so many qubits. */
    int (*open)(struct kl_cuda_windows **windows, const struct kl_cuda_windows_shape *shape,
                size_t n_windows, size_t n_copies, size_t most, size_t back, int device,
                struct kl_error *err);
    /* Windows [first, first + n): x (n, channels, stride). */
    int (*put)(struct kl_cuda_windows *windows, size_t first, const float *x, size_t n,
               struct kl_error *err);
    /* sum (n, count, kl_cuda_windows_outputs). */
    int (*forward)(struct kl_cuda_windows *windows, float *sum,
                   const struct kl_cuda_windows_batch *batch, struct kl_error *err);
    /* Of the last batch that went forward: by_given, as given, from the derivatives by its sums; of a
       step that ranks share, in its place by_units (units, n, kl_cuda_windows_given), else NULL. */
    int (*back)(struct kl_cuda_windows *windows, float *by_given, double *by_units, const float *by_sum,
                struct kl_error *err);
    /* Windows of each copy that go through at once; fewer than `most`: the memory is full. */
    size_t (*at_once)(const struct kl_cuda_windows *windows);
    /* That kernels took since it was opened, where the shape is timed. */
    double (*seconds)(const struct kl_cuda_windows *windows);
    void (*close)(struct kl_cuda_windows **windows);
};

#endif
