/* SPDX-License-Identifier: MIT
   The study's quantum GAN: the circuit of kl_gan_born_circuit on 12 qubits, its state in the block's
   shared memory (64 KiB), derivatives by the adjoint method. Turns of a qubit by RY and RZ are one sweep
   over the state; all CX of a layer together take amplitude x to x XOR 2 x. */
#ifndef KL_CUDA_GAN_BORN_CUH
#define KL_CUDA_GAN_BORN_CUH

#include "kernels/cuda/gan.cuh"

enum { KL_BORN_QUBITS = 12, KL_BORN_TURNS = 2 * KL_BORN_QUBITS /* angles of a layer */ };

struct kl_born_state {
    double *re, *im; /* (cells) */
};
/* Behind the scratch of sums: cosines and sines of a layer's half angles, a part of each derivative of
   every warp, the state. */
enum {
    KL_BORN_TRIG = KL_GAN_WARPS,
    KL_BORN_PARTS = KL_BORN_TRIG + 2 * KL_BORN_TURNS,
    KL_BORN_STATE = KL_BORN_PARTS + KL_GAN_WARPS * KL_BORN_TURNS,
    KL_BORN_OTHER = KL_BORN_STATE + 2 * KL_GAN_CELLS,
    KL_BORN_END = KL_BORN_OTHER + 2 * KL_GAN_CELLS
};

/* angles: of the layer, RY of each qubit, then RZ. Begins and ends with the block together. */
KL_GPU void kl_born_trig(const double *angles)
{
    double *trig = kl_gan_scratch() + KL_BORN_TRIG;
    __syncthreads();
    if (threadIdx.x < KL_BORN_TURNS) {
        trig[threadIdx.x] = cos(angles[threadIdx.x] / 2);
        trig[KL_BORN_TURNS + threadIdx.x] = sin(angles[threadIdx.x] / 2);
    }
    __syncthreads();
}

/* c, s of RY; cz, sz of RZ. */
struct kl_born_turn {
    double c, s, cz, sz;
};
KL_GPU kl_born_turn kl_born_turn_of(int qubit)
{
    const double *c = kl_gan_scratch() + KL_BORN_TRIG, *s = c + KL_BORN_TURNS;
    const kl_born_turn turn = { c[qubit], s[qubit], c[KL_BORN_QUBITS + qubit],
                                s[KL_BORN_QUBITS + qubit] };
    return turn;
}

/* Amplitudes of a pair that differ in one bit, and RY then RZ on them; or the way back. */
struct kl_born_pair {
    double r0, i0, r1, i1;
};
KL_GPU kl_born_pair kl_born_load(const kl_born_state &s, int zero, int one)
{
    const kl_born_pair a = { s.re[zero], s.im[zero], s.re[one], s.im[one] };
    return a;
}
KL_GPU void kl_born_store(const kl_born_state &s, int zero, int one, const kl_born_pair &a)
{
    s.re[zero] = a.r0, s.im[zero] = a.i0, s.re[one] = a.r1, s.im[one] = a.i1;
}
KL_GPU kl_born_pair kl_born_ry(const kl_born_pair &a, double c, double s)
{
    const kl_born_pair b = { c * a.r0 - s * a.r1, c * a.i0 - s * a.i1, s * a.r0 + c * a.r1,
                             s * a.i0 + c * a.i1 };
    return b;
}
KL_GPU kl_born_pair kl_born_rz(const kl_born_pair &a, double c, double s)
{
    const kl_born_pair b = { c * a.r0 + s * a.i0, c * a.i0 - s * a.r0, c * a.r1 - s * a.i1,
                             c * a.i1 + s * a.r1 };
    return b;
}
/* The first of pair p. */
KL_GPU int kl_born_zero(int p, int qubit)
{
    return p >> qubit << (qubit + 1) | (p & ((1 << qubit) - 1));
}

KL_GPU void kl_born_rotate(const kl_born_state &psi, int qubit)
{
    const kl_born_turn t = kl_born_turn_of(qubit);
    for (int p = (int)threadIdx.x; p < KL_GAN_CELLS / 2; p += KL_GAN_THREADS) {
        const int zero = kl_born_zero(p, qubit), one = zero | 1 << qubit;
        const kl_born_pair a = kl_born_load(psi, zero, one);
        kl_born_store(psi, zero, one, kl_born_rz(kl_born_ry(a, t.c, t.s), t.cz, t.sz));
    }
    __syncthreads();
}

/* Both states back over the turns of a qubit, and this warp's parts of the derivatives Im <l| Y |psi>,
   Im <l| Z |psi> behind each. */
KL_GPU void kl_born_rotate_back(const kl_born_state &psi, const kl_born_state &lambda, int qubit)
{
    const kl_born_turn t = kl_born_turn_of(qubit);
    double y = 0, z = 0;
    for (int p = (int)threadIdx.x; p < KL_GAN_CELLS / 2; p += KL_GAN_THREADS) {
        const int zero = kl_born_zero(p, qubit), one = zero | 1 << qubit;
        kl_born_pair a = kl_born_load(psi, zero, one), l = kl_born_load(lambda, zero, one);
        z += l.r0 * a.i0 - l.i0 * a.r0 - l.r1 * a.i1 + l.i1 * a.r1;
        a = kl_born_rz(a, t.cz, -t.sz), l = kl_born_rz(l, t.cz, -t.sz);
        y += l.r1 * a.r0 + l.i1 * a.i0 - l.r0 * a.r1 - l.i0 * a.i1;
        kl_born_store(psi, zero, one, kl_born_ry(a, t.c, -t.s));
        kl_born_store(lambda, zero, one, kl_born_ry(l, t.c, -t.s));
    }
    double *parts = kl_gan_scratch() + KL_BORN_PARTS + kl_warp() * KL_BORN_TURNS;
    y = kl_warp_sum(y), z = kl_warp_sum(z);
    if (kl_lane_number() == 0) parts[qubit] = y, parts[KL_BORN_QUBITS + qubit] = z;
    __syncthreads();
}

/* All CX of a layer, or their inverse, in place through the registers. */
KL_GPU void kl_born_entangle(const kl_born_state &s, bool back)
{
    double re[KL_GAN_OWN], im[KL_GAN_OWN];
#pragma unroll
    for (int i = 0; i < KL_GAN_OWN; i++) {
        const int x = (int)threadIdx.x + i * KL_GAN_THREADS, y = (x ^ x << 1) & (KL_GAN_CELLS - 1);
        re[i] = s.re[back ? y : x], im[i] = s.im[back ? y : x];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < KL_GAN_OWN; i++) {
        const int x = (int)threadIdx.x + i * KL_GAN_THREADS, y = (x ^ x << 1) & (KL_GAN_CELLS - 1);
        s.re[back ? x : y] = re[i], s.im[back ? x : y] = im[i];
    }
    __syncthreads();
}

/* psi and the law. Ends with the block together. */
KL_GPU void kl_born_law(double *law, const kl_born_state &psi, const double *angles, int repetitions)
{
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS)
        psi.re[k] = 1.0 / KL_GAN_SIDE, psi.im[k] = 0;
    for (int l = 0; l <= repetitions; l++) {
        kl_born_trig(angles + l * KL_BORN_TURNS);
        for (int q = 0; q < KL_BORN_QUBITS; q++) kl_born_rotate(psi, q);
        if (l < repetitions) kl_born_entangle(psi, false);
    }
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS)
        law[k] = psi.re[k] * psi.re[k] + psi.im[k] * psi.im[k];
    __syncthreads();
}

/* Adam on all angles, down the loss whose derivative by the law is dp. */
KL_GPU void kl_born_step(const kl_gan_job &job, int64_t own, const kl_born_state &psi,
                         const kl_born_state &lambda, const kl_cuda_gan_factors &f)
{
    const int layers = job.shape.repetitions + 1;
    const int64_t n = layers * KL_BORN_TURNS;
    const double *dp = job.dp + own * KL_GAN_CELLS, *parts = kl_gan_scratch() + KL_BORN_PARTS;
    for (int k = (int)threadIdx.x; k < KL_GAN_CELLS; k += KL_GAN_THREADS)
        lambda.re[k] = dp[k] * psi.re[k], lambda.im[k] = dp[k] * psi.im[k];
    for (int l = layers - 1; l >= 0; l--) {
        const int64_t at = own * n + l * KL_BORN_TURNS + (int)threadIdx.x;
        kl_born_trig(job.angles + own * n + l * KL_BORN_TURNS);
        if (l < layers - 1) kl_born_entangle(psi, true), kl_born_entangle(lambda, true);
        for (int q = KL_BORN_QUBITS - 1; q >= 0; q--) kl_born_rotate_back(psi, lambda, q);
        if (threadIdx.x >= KL_BORN_TURNS)
            continue; /* the next layer's first barrier is kl_born_trig's */
        double gradient = 0;
        for (int w = 0; w < KL_GAN_WARPS; w++) gradient += parts[w * KL_BORN_TURNS + (int)threadIdx.x];
        kl_adam(job.angles + at, job.angles_m + at, job.angles_v + at, gradient, f);
    }
}

/* A block some epochs of a pair. */
static __global__ void __launch_bounds__(KL_GAN_THREADS)
    kl_born_epochs(const __grid_constant__ kl_gan_job job)
{
    const int64_t own = blockIdx.x, n = (job.shape.repetitions + 1) * KL_BORN_TURNS;
    double *at = kl_gan_scratch() + KL_BORN_STATE,
           *other = job.other ? job.other + own * 2 * KL_GAN_CELLS : kl_gan_scratch() + KL_BORN_OTHER;
    const kl_born_state psi = { at, at + KL_GAN_CELLS }, lambda = { other, other + KL_GAN_CELLS };
    for (int64_t e = 0; e < job.count; e++) {
        const kl_cuda_gan_factors f = job.factors[e];
        kl_born_law(job.law + own * KL_GAN_CELLS, psi, job.angles + own * n, job.shape.repetitions);
        kl_gan_score(job.history + (own * job.count + e) * KL_CUDA_GAN_COLUMNS, job, own);
        kl_born_step(job, own, psi, lambda, f);
        kl_gan_discriminate(job, own, f);
        __syncthreads();
    }
}

#endif
