/* SPDX-License-Identifier: MIT
   ring: circuits of layers of RY on every wire, a ring of IsingXX, RY on every wire, a ring of IsingYY
   ("QLCU"), whose angles differ from step to step of a window: forward, read-out of <X>, <Y>, <Z> of all
   wires or of a superposition with the wires' mirror image and a given state, and the adjoint from a
   given bra. A circuit is five diagonals (of two layers) between constant transforms: inline/ring.h.
   Steps come in groups of KL_RING_STEPS, side by side in the lanes; states are opaque. The bits are the
   same for AVX2 and AVX-512. Its cuda/ twin, windows.cu, has whole batches
   of windows and a table of its own (kernels/cuda_windows.h). */
#ifndef KL_RING_H
#define KL_RING_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"

enum { KL_RING_LEAST = 2, KL_RING_MOST = 14, KL_RING_LAYERS = 8 };
/* Steps of a group: one vector of 64 bytes. In files that are compiled in both precisions. */
#define KL_RING_STEPS (64 / sizeof(kl_real))
struct kl_ring {
    int n_qubits, layers;
};
/* A half angle of the circuit: (theta[first] + theta[second] + offset) / 2; second -1: none. Of a ring
   the rows are: RY of the first layer (less pi / 2), then of each layer XX, RY with that of the next
   layer, YY; n rows each. */
struct kl_ring_row {
    int first, second;
    double offset;
};
static inline size_t kl_ring_rows(const struct kl_ring *ring)
{
    return (size_t)ring->n_qubits * (size_t)(3 * ring->layers + 1);
}
static inline size_t kl_ring_angles(const struct kl_ring *ring)
{
    return (size_t)ring->n_qubits * (size_t)(4 * ring->layers);
}
/* Angle i of a ring, in the order of its gates, belongs to this row. */
static inline size_t kl_ring_row_of(const struct kl_ring *ring, size_t i)
{
    const size_t n = (size_t)ring->n_qubits, layer = i / (4 * n), block = i / n % 4, wire = i % n;
    return wire + (block ? n * (3 * layer + block) : layer ? n * (3 * layer - 1) : 0);
}
/* rows (kl_ring_rows). */
static inline void kl_ring_fill_rows(struct kl_ring_row *rows, const struct kl_ring *ring)
{
    for (size_t r = 0; r < kl_ring_rows(ring); r++) rows[r] = (struct kl_ring_row){ -1, -1, 0 };
    for (size_t i = 0; i < kl_ring_angles(ring); i++) {
        struct kl_ring_row *row = &rows[kl_ring_row_of(ring, i)];
        *(row->first < 0 ? &row->first : &row->second) = (int)i;
    }
    for (int w = 0; w < ring->n_qubits; w++) rows[w].offset = -1.57079632679489661923;
}
/* Numbers (reals) of a group's states, and of work. */
static inline size_t kl_ring_state(const struct kl_ring *ring, size_t steps)
{
    return ((size_t)2 << ring->n_qubits) * steps;
}
static inline size_t kl_ring_work(const struct kl_ring *ring, size_t steps)
{
    return ((size_t)6 << ring->n_qubits) * steps + 4096;
}
/* The amplitudes of psi in the order (k, its image), n_pairs times, then those that are their own image:
   pairs (2^n). Returns n_pairs. Wire w of psi is wire (1 - w) mod n of its image. */
static inline size_t kl_ring_fill_pairs(uint32_t *pairs, int n)
{
    size_t count = 0, own = (size_t)1 << n;
    for (uint32_t k = 0; k < 1u << n; k++) {
        uint32_t image = 0;
        for (int w = 0; w < n; w++) image |= (k >> (n - 1 - w) & 1) << (n - 1 - (n + 1 - w) % n);
        if (image == k) pairs[--own] = k;
        if (image > k) pairs[2 * count] = k, pairs[2 * count + 1] = image, count++;
    }
    return count;
}

/* All arrays are aligned to 64 bytes; a row of steps has KL_RING_STEPS (S) values, row i of a matrix
   with stride begins at i * stride. angles: of n angles theta = factor sigma(z + bias) + base, z (n,
   stride) becomes d theta / d z; turn (2, n_rows, S) cosines and sines of the half angles. forward:
   state of a group. half: no, bare angles: see halves. halves: turn from theta (n, stride) as it is.
   read: m (3 n_qubits, stride): X of all wires, Y, Z; norm (2, S): 1 / (R + eps) and 1 / R (0 at R = 0),
   R the norm of the superposition, eps 1e-9; mix NULL: of the state as it is, norm is not set. weigh:
   sum (n_weights, rows, S) += weight m, in the lanes. back: bra by dm (3 n_qubits, stride), the
   derivative by m; with mix: sums (4, S) += of alpha and beta (dL/dRe, dL/dIm), field (kl_ring_state) +=
   the derivative by the third state, opaque: collect. collect: third (2^n, 2) = the sums of field.
   adjoint: dturn (n_rows, S) derivatives by the rows' whole angles; state and bra are used up.
   slopes: z (n, stride), d theta / d z from angles, becomes dL / dz; by_base, by_bias (n, S) += dL / d
   theta and dL / dz, in the lanes; row: kl_ring_row_of each. */
#define KL_RING_TYPES(real, p)                                                                          \
    /* phi = alpha psi + beta mirrored psi + third; complex numbers are (re, im). psi and third in the  \
       circuit's own frame and in basis Y; wire w of psi is wire (1 - w) mod n of its mirror image. */  \
    struct kl_ring_mix_##p {                                                                            \
        real alpha[2], beta[2];                                                                         \
        const real *third;     /* (2^n, 2) */                                                           \
        const uint32_t *pairs; /* kl_ring_fill_pairs */                                                 \
        size_t n_pairs;                                                                                 \
    };                                                                                                  \
    struct kl_ring_table_##p {                                                                          \
        void (*angles)(real * turn, real *z, size_t stride, size_t n, const real *bias,                 \
                       const real *base, double factor, const struct kl_ring_row *rows, size_t n_rows); \
        void (*halves)(real * turn, const real *theta, size_t stride, const struct kl_ring_row *rows,   \
                       size_t n_rows);                                                                  \
        void (*forward)(real * state, const real *turn, const struct kl_ring *ring, real *work);        \
        void (*read)(real * m, size_t stride, real *norm, const real *state,                            \
                     const struct kl_ring_mix_##p *mix, const struct kl_ring *ring, real *work);        \
        void (*weigh)(real * sum, const real *m, size_t stride, size_t rows, const real *weight,        \
                      size_t weight_stride, size_t n_weights);                                          \
        void (*back)(real * bra, real *sums, real *field, const real *state, const real *m,             \
                     const real *dm, size_t stride, const real *norm,                                   \
                     const struct kl_ring_mix_##p *mix, const struct kl_ring *ring, real *work);        \
        void (*collect)(real * third, const real *field, const struct kl_ring *ring);                   \
        void (*adjoint)(real * dturn, real *state, real *bra, const real *turn,                         \
                        const struct kl_ring *ring, real *work);                                        \
        void (*slopes)(real * z, size_t stride, size_t n, real *by_base, real *by_bias,                 \
                       const real *dturn, const uint32_t *row);                                         \
    };
KL_RING_TYPES(float, f32)
KL_RING_TYPES(double, f64)
KL_KERNEL(const struct kl_ring_table_f32, ring_f32)
KL_KERNEL(const struct kl_ring_table_f64, ring_f64)

/* The sum of a row of S partial sums, by halves: one order. */
#define KL_RING_SUM(real, p, n)                                 \
    static inline real kl_ring_sum_##p(const real *lanes)       \
    {                                                           \
        real v[n];                                              \
        for (int l = 0; l < n; l++) v[l] = lanes[l];            \
        for (int half = n / 2; half; half /= 2)                 \
            for (int l = 0; l < half; l++) v[l] += v[l + half]; \
        return v[0];                                            \
    }
KL_RING_SUM(float, f32, 16)
KL_RING_SUM(double, f64, 8)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_ring KL_NAME(kl_kernel_ring)()
#define kl_ring_table KL_NAME(kl_ring_table)
#define kl_ring_mix KL_NAME(kl_ring_mix)
#define kl_ring_sum KL_NAME(kl_ring_sum)

#endif
