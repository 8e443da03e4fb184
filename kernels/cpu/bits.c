/* SPDX-License-Identifier: MIT
   See kernels/bits.h. Ones of a vector's bytes by a table of half bytes (Mula, Kurz & Lemire 2018,
   arXiv:1611.07612); Philox with a counter in each 64-bit lane. */
#include "kernels/bits.h"

#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"

#if !KL_F64

#define NAME(base) KL_JOIN(base, KL_ISA)

#ifdef __AVX2__
#include <immintrin.h>

#if defined(__AVX512BW__)
typedef __m512i vector;
#define V(name) _mm512_##name
#define AND(a, b) _mm512_and_si512(a, b)
#define XOR(a, b) _mm512_xor_si512(a, b)
#define OR(a, b) _mm512_or_si512(a, b)
#define ZERO() _mm512_setzero_si512()
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define TABLE(t) _mm512_broadcast_i32x4(t)
#define SPREAD(x) _mm512_set1_epi64(x)
#else
typedef __m256i vector;
#define V(name) _mm256_##name
#define AND(a, b) _mm256_and_si256(a, b)
#define XOR(a, b) _mm256_xor_si256(a, b)
#define OR(a, b) _mm256_or_si256(a, b)
#define ZERO() _mm256_setzero_si256()
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define TABLE(t) _mm256_broadcastsi128_si256(t)
#define SPREAD(x) _mm256_set1_epi64x(x)
#endif
enum { WORDS = (int)sizeof(vector) / 8, BLOCK = 31 /* vectors whose bytes cannot overflow */ };

static inline vector ones_of_bytes(vector v)
{
    const vector low = V(set1_epi8)(15),
                 ones = TABLE(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    return V(add_epi8)(V(shuffle_epi8)(ones, AND(v, low)),
                       V(shuffle_epi8)(ones, AND(V(srli_epi16)(v, 4), low)));
}

#if defined(__AVX512BW__)
static inline vector load_some(const uint64_t *from, size_t n)
{
    return _mm512_maskz_loadu_epi64((__mmask8)((1u << n) - 1), from);
}
static inline uint32_t sum(vector v)
{
    return (uint32_t)_mm512_reduce_add_epi64(v);
}
#else
static inline vector load_some(const uint64_t *from, size_t n)
{
    const vector places = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_epi64((const long long *)from,
                                 _mm256_cmpgt_epi64(SPREAD((long long)n), places));
}
static inline uint32_t sum(vector v)
{
    const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return (uint32_t)(_mm_cvtsi128_si64(half) + _mm_extract_epi64(half, 1));
}
#endif

enum { ABREAST = 4 }; /* strings b that share a load of a */

static inline void count_abreast(uint32_t *counts, const uint64_t *a, const uint64_t *b, size_t stride,
                                 int abreast, size_t words)
{
    vector total[ABREAST] = { ZERO(), ZERO(), ZERO(), ZERO() };
    const size_t whole = words / WORDS * WORDS;
    size_t w = 0;
    while (w < words) {
        const size_t end = whole - w > (size_t)BLOCK * WORDS ? w + (size_t)BLOCK * WORDS : whole;
        vector bytes[ABREAST] = { ZERO(), ZERO(), ZERO(), ZERO() };
        for (; w < end; w += WORDS) {
            const vector own = LOAD(a + w);
            for (int j = 0; j < abreast; j++)
                bytes[j] =
                    V(add_epi8)(bytes[j], ones_of_bytes(AND(own, LOAD(b + (size_t)j * stride + w))));
        }
        for (int j = 0; j < abreast; j++)
            total[j] = V(add_epi64)(total[j], V(sad_epu8)(bytes[j], ZERO()));
        if (w < whole || w == words) continue;
        const vector own = load_some(a + w, words - w);
        for (int j = 0; j < abreast; j++) {
            const vector rest = AND(own, load_some(b + (size_t)j * stride + w, words - w));
            total[j] = V(add_epi64)(total[j], V(sad_epu8)(ones_of_bytes(rest), ZERO()));
        }
        w = words;
    }
    for (int j = 0; j < abreast; j++) counts[j] = sum(total[j]);
}

void NAME(kl_bit_counts)(uint32_t *restrict counts, const uint64_t *restrict a,
                         const uint64_t *restrict b, size_t stride, size_t n, size_t words)
{
    size_t j = 0;
    for (; j + ABREAST <= n; j += ABREAST)
        count_abreast(counts + j, a, b + j * stride, stride, ABREAST, words);
    for (; j < n; j++) count_abreast(counts + j, a, b + j * stride, stride, 1, words);
}

/* The upper halves of lanes hold remains that no product sees. */
static inline void philox_round(vector c[4], uint32_t k0, uint32_t k1)
{
    const vector p0 = V(mul_epu32)(c[0], SPREAD(KL_PHILOX_M0)),
                 p1 = V(mul_epu32)(c[2], SPREAD(KL_PHILOX_M1));
    c[0] = XOR(XOR(V(srli_epi64)(p1, 32), c[1]), SPREAD(k0));
    c[2] = XOR(XOR(V(srli_epi64)(p0, 32), c[3]), SPREAD(k1));
    c[1] = p1, c[3] = p0;
}

#if defined(__AVX512BW__)
static inline void interleave(uint64_t out[2 * WORDS], vector low, vector high)
{
    STORE(out, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high));
    STORE(out + WORDS,
          _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), high));
}
#define PLACES() _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)
#else
static inline void interleave(uint64_t out[2 * WORDS], vector low, vector high)
{
    const vector even = _mm256_unpacklo_epi64(low, high), odd = _mm256_unpackhi_epi64(low, high);
    STORE(out, _mm256_permute2x128_si256(even, odd, 0x20));
    STORE(out + WORDS, _mm256_permute2x128_si256(even, odd, 0x31));
}
#define PLACES() _mm256_setr_epi64x(0, 1, 2, 3)
#endif

static inline void noise_vector(uint64_t out[2 * WORDS], uint64_t seed, uint32_t first, uint32_t purpose,
                                uint32_t step, uint32_t replica)
{
    const vector half = SPREAD(0xffffffff);
    vector c[4] = { V(add_epi64)(SPREAD(first), PLACES()), SPREAD(purpose), SPREAD(step),
                    SPREAD(replica) };
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int r = 0; r < KL_PHILOX_ROUNDS; r++, k0 += KL_PHILOX_W0, k1 += KL_PHILOX_W1)
        philox_round(c, k0, k1);
    interleave(out, OR(AND(c[0], half), V(slli_epi64)(c[1], 32)),
               OR(AND(c[2], half), V(slli_epi64)(c[3], 32)));
}

void NAME(kl_bit_noise)(uint64_t *restrict out, size_t words, uint64_t seed, uint32_t first,
                        uint32_t purpose, uint32_t step, uint32_t replica)
{
    uint64_t last[2 * WORDS];
    size_t w = 0;
    for (; w + 2 * WORDS <= words; w += 2 * WORDS)
        noise_vector(out + w, seed, first + (uint32_t)(w / 2), purpose, step, replica);
    if (w == words) return;
    noise_vector(last, seed, first + (uint32_t)(w / 2), purpose, step, replica);
    for (size_t i = 0; w + i < words; i++) out[w + i] = last[i];
}

/* Eight or sixteen rows a vector. */
enum { ROWS = (int)sizeof(vector) / 4 };
#if defined(__AVX512BW__)
typedef __m512 floats;
#define ABOVE(a, b) (uint64_t) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#else
typedef __m256 floats;
#define ABOVE(a, b) (uint64_t) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ))
#endif

void NAME(kl_bit_sides)(uint64_t *restrict above, uint64_t *restrict below,
                        const float *restrict numbers, size_t stride, const float *restrict weights,
                        size_t n, size_t words)
{
    const floats zero = V(setzero_ps)();
    for (size_t w = 0; w < words; w++) {
        floats sums[64 / ROWS];
        for (int r = 0; r < 64 / ROWS; r++) sums[r] = zero;
        for (size_t i = 0; i < n; i++) {
            const float *from = numbers + i * stride + 64 * w;
            const floats weight = V(set1_ps)(weights[i]);
            for (int r = 0; r < 64 / ROWS; r++)
                sums[r] = V(fmadd_ps)(weight, V(loadu_ps)(from + r * ROWS), sums[r]);
        }
        above[w] = below[w] = 0;
        for (int r = 0; r < 64 / ROWS; r++) {
            above[w] |= ABOVE(sums[r], zero) << (r * ROWS);
            below[w] |= ABOVE(zero, sums[r]) << (r * ROWS);
        }
    }
}

#else

void NAME(kl_bit_sides)(uint64_t *restrict above, uint64_t *restrict below,
                        const float *restrict numbers, size_t stride, const float *restrict weights,
                        size_t n, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        float sums[64] = { 0 };
        for (size_t i = 0; i < n; i++)
            for (size_t r = 0; r < 64; r++) sums[r] += weights[i] * numbers[i * stride + 64 * w + r];
        above[w] = below[w] = 0;
        for (size_t r = 0; r < 64; r++) {
            above[w] |= (uint64_t)(sums[r] > 0) << r;
            below[w] |= (uint64_t)(sums[r] < 0) << r;
        }
    }
}

static inline uint32_t ones(uint64_t v)
{
#ifdef __aarch64__
    return (uint32_t)__builtin_popcountll(v);
#endif
    v -= v >> 1 & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
    return (uint32_t)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

void NAME(kl_bit_counts)(uint32_t *restrict counts, const uint64_t *restrict a,
                         const uint64_t *restrict b, size_t stride, size_t n, size_t words)
{
    for (size_t j = 0; j < n; j++, b += stride) {
        counts[j] = 0;
        for (size_t w = 0; w < words; w++) counts[j] += ones(a[w] & b[w]);
    }
}

void NAME(kl_bit_noise)(uint64_t *restrict out, size_t words, uint64_t seed, uint32_t first,
                        uint32_t purpose, uint32_t step, uint32_t replica)
{
    uint32_t c[4] = { 0 };
    for (size_t w = 0; w < words; w++) {
        if (w % 2 == 0) kl_philox(c, seed, first + (uint32_t)(w / 2), purpose, step, replica);
        out[w] = w % 2 ? c[2] | (uint64_t)c[3] << 32 : c[0] | (uint64_t)c[1] << 32;
    }
}
#endif

#endif
