/* SPDX-License-Identifier: MIT
   A state in registers: 2^bits threads hold one sample's, 2^R amplitudes each; number i << bits | thread
   is amplitude i of a thread. Up to five bits the threads are neighbours in a warp, above they are
   neighbours in a block; all threads of either must take part in what is done here. Amplitudes change
   threads through the block's memory, in which each thread has 2^R places (kernels/inline/place.h). */
#ifndef KL_CUDA_STATE_CUH
#define KL_CUDA_STATE_CUH

#include "kernels/cuda/gpu.cuh"

template <int R, bool REAL> struct kl_state {
    float re[1 << R], im[REAL ? 1 : 1 << R];
    KL_GPU_MEMBER float imag(int i) const
    {
        return REAL ? 0 : im[REAL ? 0 : i];
    }
    KL_GPU_MEMBER void set(int i, float r, float m)
    {
        re[i] = r;
        if (!REAL) im[REAL ? 0 : i] = m;
    }
};

enum {
    KL_HELD_LANE_BITS = KL_CUDA_HELD_QUBITS - KL_CUDA_OWN_BITS,
    KL_KEPT_LANE_BITS = 16 /* 15, in whole fours */
};
enum { KL_PARTS = KL_CUDA_GENERATORS * KL_CUDA_OWN_BITS /* of a warp's sums, at most */ };

struct kl_place {
    uint32_t thread; /* number of this one among those that hold the state */
    int bits;
    uint32_t home; /* its place of amplitude 0 */
    float *memory; /* (threads of the block, 2^R) of them */
    float *parts;  /* (warps of the block, KL_PARTS) */
};

/* Values of the block's memory that so many threads with R own bits need. */
static inline __host__ __device__ size_t kl_state_memory(int threads, int own_bits)
{
    return ((size_t)threads << own_bits) + (size_t)threads / KL_WARP * KL_PARTS;
}

KL_GPU kl_place kl_place_of(int bits, int own_bits)
{
    const uint32_t t = threadIdx.x, thread = t & ((1u << bits) - 1);
    /* Samples beside each other in a warp: the bits that tell them apart choose the bank as well. */
    const uint32_t sample = bits < KL_WARP_BITS ? t % KL_WARP >> bits : 0,
                   first = bits < KL_WARP_BITS ? t / KL_WARP << (KL_WARP_BITS + own_bits)
                                               : t >> bits << (bits + own_bits);
    return kl_place{ thread, bits, first + (sample << (bits + own_bits) ^ sample << bits ^ thread),
                     kl_shared, kl_shared + ((size_t)blockDim.x << own_bits) };
}

/* The same place, for what few circuits need: numbers that are made of it there are not made ahead, and
   kept, for all. */
KL_GPU kl_place kl_anew_place(kl_place at)
{
    at.bits = (int)kl_anew((uint32_t)at.bits);
    return at;
}

/* The same of a block whose states begin at a multiple of their size, or of a warp's, behind the parts.
   Places differ by exclusive or, so there it finds addresses too, from the beginning of all shared
   memory, and nothing need be added to each. */
static inline __host__ __device__ uint32_t kl_aligned_size(int bits, int own_bits)
{
    return (uint32_t)sizeof(float) << ((bits > KL_WARP_BITS ? bits : KL_WARP_BITS) + own_bits);
}
KL_GPU kl_place kl_aligned_place_of(int bits, int own_bits)
{
    kl_place at = kl_place_of(bits, own_bits);
    const uint32_t size = kl_aligned_size(bits, own_bits),
                   behind = blockDim.x / KL_WARP * KL_PARTS * (uint32_t)sizeof(float);
    at.parts = kl_shared;
#ifndef kl_shared /* of tests/cuda/emulated, where memory has no such addresses */
    const uint32_t begin = (uint32_t)__cvta_generic_to_shared(kl_shared) + behind;
    at.memory = (float *)__cvta_shared_to_generic(0);
#else
    const uint32_t begin = behind;
#endif
    at.home += ((begin + size - 1) & -size) / (uint32_t)sizeof(float);
    return at;
}

/* Values of the block's memory that so many threads with R own bits need, states of 2^bits threads being
   aligned. */
static inline size_t kl_aligned_memory(int threads, int bits, int own_bits)
{
    return kl_state_memory(threads, own_bits) + kl_aligned_size(bits, own_bits) / sizeof(float);
}

/* The place of the amplitude whose number differs in these bits from that of this thread's first one. */
KL_GPU uint32_t kl_place_beside(const kl_place &at, uint32_t bits)
{
    return at.home ^ kl_cuda_place(bits, at.bits);
}

struct kl_amplitude {
    float re, im;
};

template <bool REAL> KL_GPU kl_amplitude kl_times(kl_amplitude a, float re, float im)
{
    if (REAL) return kl_amplitude{ a.re * re, 0 };
    return kl_amplitude{ a.re * re - a.im * im, a.re * im + a.im * re };
}

/* Wherever a thread reads what another one of the same state has written, or writes where it has read.
 */
KL_GPU void kl_together(const kl_place &at)
{
    if (at.bits > KL_WARP_BITS) __syncthreads();
    else __syncwarp();
}

/* The value of the thread whose number differs in this bit. */
KL_GPU float kl_across(float value, int bit, const kl_place &at)
{
    if (bit < KL_WARP_BITS) return kl_from(value, 1u << bit);
    at.memory[at.home] = value;
    __syncthreads();
    value = at.memory[at.home ^ 1u << bit];
    __syncthreads();
    return value;
}

/* Each value becomes its sum over the state's threads: all of them have it, and by one order. */
template <int K> KL_GPU void kl_sums(float (&value)[K], const kl_place &at)
{
    static_assert(K <= KL_PARTS, "parts of a warp");
#pragma unroll 1 /* here and below: for the size of the code */
    for (int bit = 0; bit < at.bits && bit < KL_WARP_BITS; bit++)
#pragma unroll
        for (int k = 0; k < K; k++) value[k] += kl_from(value[k], 1u << bit);
    if (at.bits <= KL_WARP_BITS) return;
    const uint32_t first = threadIdx.x >> at.bits << (at.bits - KL_WARP_BITS),
                   end = first + (1u << (at.bits - KL_WARP_BITS));
    if (kl_lane_number() == 0)
#pragma unroll
        for (int k = 0; k < K; k++) at.parts[kl_warp() * KL_PARTS + k] = value[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < K; k++) value[k] = 0;
#pragma unroll 1
    for (uint32_t w = first; w < end; w++)
#pragma unroll
        for (int k = 0; k < K; k++) value[k] += at.parts[w * KL_PARTS + k];
    __syncthreads();
}

/* As powers of two: how many threads it takes for each to have one of n sums. */
static __host__ __device__ constexpr int kl_spread_bits(int n)
{
    return n > 1 ? 1 + kl_spread_bits((n + 1) / 2) : 0;
}

/* Are a state's threads neighbours in a warp, and enough for each to have one of n sums? */
KL_GPU bool kl_can_spread(int n, const kl_place &at)
{
    return at.bits <= KL_WARP_BITS && at.bits >= kl_spread_bits(n);
}

/* The number of the sum that kl_spread_sums gives this thread, of K; K and more: none. */
template <int K> KL_GPU int kl_spread_number(const kl_place &at)
{
    enum { BITS = kl_spread_bits(K) };
    int number = 0;
#pragma unroll
    for (int bit = 0; bit < BITS; bit++) number |= (int)(at.thread >> bit & 1) << (BITS - 1 - bit);
    return number;
}

/* One of the K sums over the state's threads (kl_can_spread), of which each thread has another one:
   wherever two threads still have the same sums to make, each goes on with half of them. So K sums take
   K exchanges and a few more, not K for each bit. */
template <int K> KL_GPU float kl_spread_sums(float (&value)[K], const kl_place &at)
{
    enum { BITS = kl_spread_bits(K) };
#pragma unroll
    for (int bit = 0; bit < BITS; bit++) {
        const int half = 1 << (BITS - 1 - bit);
        const bool upper = at.thread >> bit & 1;
#pragma unroll
        for (int k = 0; k < 1 << (BITS - 1); k++) {
            if (k >= half || k >= K) continue;
            const float other = k + half < K ? value[k + half] : value[k];
            const float kept = upper ? other : value[k], sent = upper ? value[k] : other;
            value[k] = kept + kl_from(sent, 1u << bit);
        }
    }
#pragma unroll 1
    for (int bit = BITS; bit < at.bits; bit++) value[0] += kl_from(value[0], 1u << bit);
    return value[0];
}

KL_GPU float kl_sum(float value, const kl_place &at)
{
    float sum[1] = { value };
    kl_sums(sum, at);
    return sum[0];
}

/* Is the number of ones odd? */
KL_GPU bool kl_odd(uint32_t bits)
{
    return __popc(bits) & 1;
}

/* The same of i & mask, for all i of five bits: bit i. */
KL_GPU uint32_t kl_odd_ones(uint32_t mask)
{
    return (mask & 1 ? 0xaaaaaaaau : 0) ^ (mask & 2 ? 0xccccccccu : 0) ^ (mask & 4 ? 0xf0f0f0f0u : 0) ^
           (mask & 8 ? 0xff00ff00u : 0) ^ (mask & 16 ? 0xffff0000u : 0);
}

/* For amplitude i of this thread, bit i: is the parity of its number & mask odd? */
KL_GPU uint32_t kl_odd_numbers(uint32_t mask, const kl_place &at)
{
    return kl_odd_ones(mask >> at.bits) ^ (kl_odd(at.thread & mask) ? ~0u : 0);
}

KL_GPU float kl_signed(float value, uint32_t minus, int i)
{
    return minus >> i & 1 ? -value : value;
}

/* The places of a thread's amplitudes, in bytes: the first, and what each own bit changes. Loops over
   amplitudes have bounds that are numbers: of others the compiler does not unroll all, and the arrays
   leave the registers. */
template <int R> KL_GPU void kl_places(uint32_t (&to)[1 << R], uint32_t first, const uint32_t *column)
{
    to[0] = kl_anew(first * (uint32_t)sizeof(float)); /* lest all be made as places, then as bytes */
#pragma unroll
    for (int k = 0; k < R; k++) {
        const uint32_t step = column[k] * (uint32_t)sizeof(float);
#pragma unroll
        for (int i = 0; i < 1 << (R - 1); i++)
            if (i < 1 << k) to[1 << k | i] = to[i] ^ step;
    }
}

KL_GPU float *kl_at(float *memory, uint32_t bytes)
{
    return (float *)((char *)memory + bytes);
}

/* N values, whole fours, which are loaded as such. */
template <int N> KL_GPU void kl_load_fours(uint32_t (&to)[N], const uint32_t *from)
{
#pragma unroll
    for (int i = 0; i < N; i += 4) {
        const uint4 four = *(const uint4 *)(from + i);
        to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
    }
}

/* Their places after a pass moves them; N: lane bits, at most, whole fours. */
template <int R, int N>
KL_GPU void kl_moved_places(uint32_t (&to)[1 << R], const kl_cuda_pass &pass, const kl_place &at)
{
    uint32_t first = at.home ^ at.thread; /* places of all states begin at this one's */
    uint32_t lane[N], own[8];
    kl_load_fours(lane, pass.lane);
    kl_load_fours(own, pass.own);
#pragma unroll
    for (int bit = 0; bit < N; bit++)
        if (at.thread >> bit & 1) first ^= lane[bit];
    kl_places<R>(to, first, own);
}

/* Written at `from`, read at `to`. */
template <int R>
KL_GPU void kl_through(float (&value)[1 << R], const uint32_t (&from)[1 << R],
                       const uint32_t (&to)[1 << R], const kl_place &at)
{
#pragma unroll
    for (int i = 0; i < 1 << R; i++) *kl_at(at.memory, from[i]) = value[i];
    kl_together(at);
#pragma unroll
    for (int i = 0; i < 1 << R; i++) value[i] = *kl_at(at.memory, to[i]);
    kl_together(at);
}

template <int R, bool REAL>
KL_GPU void kl_through_all(kl_state<R, REAL> &a, const uint32_t (&from)[1 << R],
                           const uint32_t (&to)[1 << R], const kl_place &at)
{
    kl_through<R>(a.re, from, to, at);
    if constexpr (!REAL) kl_through<R>(a.im, from, to, at);
}

#endif
