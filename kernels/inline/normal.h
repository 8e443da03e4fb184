/* SPDX-License-Identifier: MIT
   Normal deviates in registers: Philox4x32-10 over lanes of 64 bits, then Box and Muller (1958). Words 0
   and 1 of a block make a pair, words 2 and 3 another, cosine then sine. A group is 8 blocks, 32
   elements: element 2 j + p has the cosine of pair p of the group's block j, element 16 + 2 j + p its
   sine. So no lane moves, and the instruction sets differ only in how many blocks they take at once: a
   unit. */
#ifndef KL_INLINE_NORMAL_H
#define KL_INLINE_NORMAL_H

#include "kernels/inline/fused.h"
#include "kernels/inline/philox.h"
#include "kernels/langevin.h"

typedef uint64_t kl_quads __attribute__((vector_size(KL_VECTOR_BYTES)));
typedef uint32_t kl_words __attribute__((vector_size(KL_VECTOR_BYTES)));
enum {
    KL_UNIT_BLOCKS = KL_VECTOR_BYTES / 8,
    KL_UNIT_VECTORS = 2 * KL_UNIT_BLOCKS / KL_LANES, /* of cosines, and as many of sines */
    KL_UNIT_VALUES = 2 * KL_UNIT_BLOCKS,             /* of each */
    KL_GROUP = 32,
    KL_GROUP_UNITS = 8 / KL_UNIT_BLOCKS,
    KL_UNITS_MOST = 5 /* side by side */
};

/* Constants of a stream, the same for all its blocks, as vectors: a loop reads them where needed. */
struct kl_normal_stream {
    kl_quads keys[2][KL_PHILOX_ROUNDS], purpose, step, replica, lanes;
};
static inline struct kl_normal_stream kl_normal_stream(const struct kl_langevin_stream *from)
{
    struct kl_normal_stream s = { .purpose = (kl_quads){ 0 } + from->purpose,
                                  .step = (kl_quads){ 0 } + from->step,
                                  .replica = (kl_quads){ 0 } + from->replica };
    for (int j = 0; j < KL_UNIT_BLOCKS; j++) s.lanes[j] = (uint64_t)j;
    for (uint32_t r = 0; r < KL_PHILOX_ROUNDS; r++) {
        s.keys[0][r] = (kl_quads){ 0 } + (uint32_t)((uint32_t)from->key + r * KL_PHILOX_W0);
        s.keys[1][r] = (kl_quads){ 0 } + (uint32_t)((uint32_t)(from->key >> 32) + r * KL_PHILOX_W1);
    }
    return s;
}

static inline kl_quads kl_low_product(kl_quads c, uint32_t factor)
{
#if KL_VECTOR_BYTES == 64
    return (kl_quads)_mm512_mul_epu32((__m512i)c, _mm512_set1_epi64(factor));
#elif KL_VECTOR_BYTES == 32
    return (kl_quads)_mm256_mul_epu32((__m256i)c, _mm256_set1_epi64x(factor));
#elif defined(__x86_64__)
    return (kl_quads)_mm_mul_epu32((__m128i)c, _mm_set1_epi64x(factor));
#elif defined(__aarch64__)
    return (kl_quads)vmull_n_u32(vmovn_u64((uint64x2_t)c), factor);
#else
    return (c & 0xffffffff) * factor;
#endif
}

/* Of n units of blocks, the first of which are block, block + stride, ...: c[unit][w] has word w in the
   lower halves of its lanes, the upper halves mean nothing. */
static inline __attribute__((always_inline)) void kl_philox_units_of(const int n, kl_quads c[][4],
                                                                     uint32_t block, uint32_t stride,
                                                                     const struct kl_normal_stream *s)
{
#pragma GCC unroll 5
    for (int u = 0; u < n; u++)
        c[u][0] = s->lanes + (block + (uint32_t)u * stride), c[u][1] = s->purpose, c[u][2] = s->step,
        c[u][3] = s->replica;
#pragma GCC unroll 10
    for (int r = 0; r < KL_PHILOX_ROUNDS; r++)
#pragma GCC unroll 5
        for (int u = 0; u < n; u++) {
            const kl_quads p0 = kl_low_product(c[u][0], KL_PHILOX_M0),
                           p1 = kl_low_product(c[u][2], KL_PHILOX_M1);
            c[u][0] = (p1 >> 32) ^ c[u][1] ^ s->keys[0][r];
            c[u][1] = p1;
            c[u][2] = (p0 >> 32) ^ c[u][3] ^ s->keys[1][r];
            c[u][3] = p0;
        }
}

#if KL_F64
/* -2 ln((word + 1/2) / 2^32), words as exact numbers: 2 atanh((m - 1) / (m + 1)), to a few units in the
   last place also where it is near 0. */
static inline kl_lane kl_radius_squared(kl_lane word)
{
    static const double series[] = { 1 / 21.0, 1 / 19.0, 1 / 17.0, 1 / 15.0, 1 / 13.0,
                                     1 / 11.0, 1 / 9.0,  1 / 7.0,  1 / 5.0,  1 / 3.0 };
    const kl_lane u = (word + 0.5) * 0x1p-32;
    const kl_lane_bits exponent = ((kl_lane_bits)u - 0x3fe6a09e667f3bcdll) >> 52;
    const kl_lane m = (kl_lane)((kl_lane_bits)u - (exponent << 52)),
                  n = __builtin_convertvector(exponent, kl_lane), s = -4 * (m - 1) / (m + 1),
                  z = s * s * 0.0625;
    const kl_lane tail = kl_fma(n, kl_all(-2 * 0x1.473de6af278edp-34),
                                kl_fma(s * z, kl_horner(z, series, sizeof series / sizeof *series), s));
    return kl_fma(n, kl_all(-2 * 0x1.62e42fefp-1), tail);
}
/* Cosine and sine of (quarter turn) x (number in [-1/2, 1/2]). */
static inline void kl_cosine_sine(kl_lane *c, kl_lane *s, kl_lane quarters)
{
    static const double
        sine[] = { 1 / 355687428096000.0, -1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0,
                   1 / 362880.0,          -1 / 5040.0,          1 / 120.0,        -1 / 6.0 },
        cosine[] = { 1 / 20922789888000.0,
                     -1 / 87178291200.0,
                     1 / 479001600.0,
                     -1 / 3628800.0,
                     1 / 40320.0,
                     -1 / 720.0,
                     1 / 24.0,
                     -1 / 2.0,
                     1 };
    const kl_lane x = quarters * 0x1.921fb54442d18p+0, z = x * x;
    *s = kl_fma(x * z, kl_horner(z, sine, sizeof sine / sizeof *sine), x);
    *c = kl_horner(z, cosine, sizeof cosine / sizeof *cosine);
}
/* The lower half of each lane, as it is and as a number with a sign. */
static inline kl_lane kl_word_number(kl_quads q)
{
    return (kl_lane)((q & 0xffffffff) | 0x4330000000000000) - 0x1p52;
}
static inline kl_lane kl_word_signed(kl_quads q)
{
    return (kl_lane)(((q & 0xffffffff) ^ 0x80000000) | 0x4330000000000000) - (0x1p52 + 0x1p31);
}

/* Words a and b of KL_LANES blocks. */
static inline void kl_box_muller(kl_lane *cosine, kl_lane *sine, kl_quads a, kl_quads b)
{
    const kl_lane r = kl_root(kl_radius_squared(kl_word_number(a)));
    const kl_lane_bits q = (kl_lane_bits)((b + 0x20000000) << 32),
                       odd = (kl_lane_bits)((b + 0x20000000) << 33);
    kl_lane c, s;
    kl_cosine_sine(&c, &s, (kl_word_signed(b << 2) + 2) * 0x1p-32);
    *cosine = (kl_lane)((kl_lane_bits)(r * kl_by_sign(odd, s, c)) ^ kl_sign_of(q ^ odd));
    *sine = (kl_lane)((kl_lane_bits)(r * kl_by_sign(odd, c, s)) ^ kl_sign_of(q));
}
/* a[0] b[0] a[1] b[1] ... */
static inline void kl_interleave(kl_lane to[2], kl_lane a, kl_lane b)
{
#if KL_VECTOR_BYTES == 64
    to[0] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    to[1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#elif KL_VECTOR_BYTES == 32
    to[0] = __builtin_shufflevector(a, b, 0, 4, 1, 5), to[1] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
#else
    to[0] = __builtin_shufflevector(a, b, 0, 2), to[1] = __builtin_shufflevector(a, b, 1, 3);
#endif
}
#else
/* more - 2 ln(1 + f), f in [-1/2, 0]: the best polynomial of its degree, relative error 2.4e-8. */
static inline kl_lane kl_minus_two_log1p(kl_lane f, kl_lane more)
{
    static const float best[] = { -2.829097f,   -3.2791824f,  -2.4174306f,
                                  -0.36190575f, -0.52738214f, 0.4873652f,
                                  -0.6672642f,  0.99999046f,  -2 };
    return kl_fma(f, kl_horner(f, best, sizeof best / sizeof *best), more);
}
/* -2 ln((word + 1/2) / 2^32). Words are taken as numbers with a sign: those in the lower half are u = m
   2^e with m in [1/2, 1), those in the upper are u - 1 itself, which keeps all digits where u is near 1.
 */
static inline kl_lane kl_radius_squared(kl_lane_bits word)
{
    const kl_lane x = __builtin_convertvector(word, kl_lane) + 0.5f;
    const kl_lane_bits bits = (kl_lane_bits)x;
    const kl_lane m = (kl_lane)((bits & 0x7fffff) | 0x3f000000),
                  e = __builtin_convertvector((bits >> 23) - (126 + 32), kl_lane),
                  f = kl_by_sign(bits, x * 0x1p-32f, m - 1), n = kl_by_sign(bits, (kl_lane){ 0 }, e);
    return kl_minus_two_log1p(f, n * -1.38629436f);
}
/* Of words b: cosine and sine of the angle to the nearest quarter, the best polynomials in turns (3e-8).
 */
static inline void kl_cosine_sine(kl_lane *c, kl_lane *s, kl_lane turns)
{
    static const float sine[] = { -75.39356f, 81.592354f, -41.341663f, 6.2831855f },
                       cosine[] = { -83.665924f, 64.923225f, -19.739168f, 1 };
    const kl_lane z = turns * turns;
    *s = turns * kl_horner(z, sine, 4);
    *c = kl_horner(z, cosine, 4);
}
/* Lanes 2 j from the lower halves of x, 2 j + 1 from those of y. */
static inline kl_words kl_weave(kl_quads x, kl_quads y)
{
#if KL_VECTOR_BYTES == 64
    return (kl_words)_mm512_mask_blend_epi32(0xaaaa, (__m512i)x, (__m512i)(y << 32));
#elif KL_VECTOR_BYTES == 32
    return (kl_words)_mm256_blend_epi32((__m256i)x, (__m256i)(y << 32), 0xaa);
#else
    return (kl_words)((x & 0xffffffff) | (y << 32));
#endif
}
static inline void kl_box_muller(kl_lane *cosine, kl_lane *sine, kl_words a, kl_words b)
{
    const kl_lane r = kl_root(kl_radius_squared((kl_lane_bits)a)),
                  turn = __builtin_convertvector((kl_lane_bits)(b << 2), kl_lane);
    const kl_lane_bits q = (kl_lane_bits)(b + 0x20000000), odd = (kl_lane_bits)((b + 0x20000000) << 1);
    kl_lane c, s;
    kl_cosine_sine(&c, &s, kl_fma(turn, kl_all(0x1p-34f), kl_all(0x1p-33f)));
    *cosine = (kl_lane)((kl_lane_bits)(r * kl_by_sign(odd, s, c)) ^ kl_sign_of(q ^ odd));
    *sine = (kl_lane)((kl_lane_bits)(r * kl_by_sign(odd, c, s)) ^ kl_sign_of(q));
}
#endif

/* The normals of n units of blocks, the first of which are block, block + stride, ...; their rounds go
   side by side, since each waits long for the one before. normal[u][0] the KL_UNIT_VALUES cosines of
   unit u, normal[u][1] its sines. */
static inline __attribute__((always_inline)) void kl_normal_units(const int n,
                                                                  kl_lane normal[][2][KL_UNIT_VECTORS],
                                                                  uint32_t block, uint32_t stride,
                                                                  const struct kl_normal_stream *s)
{
    kl_quads c[KL_UNITS_MOST][4];
    kl_philox_units_of(n, c, block, stride, s);
#pragma GCC unroll 5
    for (int u = 0; u < n; u++) {
#if KL_F64
        kl_lane pair[2][2];
        kl_box_muller(&pair[0][0], &pair[0][1], c[u][0], c[u][1]);
        kl_box_muller(&pair[1][0], &pair[1][1], c[u][2], c[u][3]);
        kl_interleave(normal[u][0], pair[0][0], pair[1][0]);
        kl_interleave(normal[u][1], pair[0][1], pair[1][1]);
#else
        kl_box_muller(&normal[u][0][0], &normal[u][1][0], kl_weave(c[u][0], c[u][2]),
                      kl_weave(c[u][1], c[u][3]));
#endif
    }
}

#endif
