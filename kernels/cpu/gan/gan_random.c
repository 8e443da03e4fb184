/* SPDX-License-Identifier: MIT
   Definition of the family, its random numbers; see kernels/gan.h. */
#include "kernels/gan.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/philox_lanes.h"

#if !KL_F64
#include "kernels/inline/elementary.h"

enum { BLOCKS = 16, VALUES = 4 * BLOCKS };

typedef float eight __attribute__((vector_size(32)));

/* out = a[0] b[0] c[0] d[0] a[1] ... */
static inline void interleave(float out[32], eight a, eight b, eight c, eight d)
{
#define LOW(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH(x, y) __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
    const eight ac[2] = { LOW(a, c), HIGH(a, c) }, bd[2] = { LOW(b, d), HIGH(b, d) };
    for (int half = 0; half < 2; half++) {
        const eight all[2] = { LOW(ac[half], bd[half]), HIGH(ac[half], bd[half]) };
        memcpy(out + 16 * half, all, sizeof all);
    }
#undef LOW
#undef HIGH
}

/* Word w of block b as a number in (0, 1), at units[w][b]. */
static void units_of(float units[4][BLOCKS], uint32_t index, const struct kl_gan_stream *s)
{
    for (int half = 0; half < 2; half++) {
        kl_philox_words words[4];
        const uint32_t at = index + (uint32_t)(half * KL_PHILOX_LANES);
        kl_philox_lanes(words, s->seed, at, s->purpose, s->step, s->replica);
        for (int w = 0; w < 4; w++) {
            const eight u = (__builtin_convertvector(words[w], eight) + 0.5f) * 0x1p-32f;
            memcpy(&units[w][half * KL_PHILOX_LANES], &u, sizeof u);
        }
    }
}

static inline kl_lane choose(kl_lane_bits where, kl_lane a, kl_lane b)
{
    return (kl_lane)(((kl_lane_bits)a & where) | ((kl_lane_bits)b & ~where));
}

/* Box and Muller: sqrt(-2 ln u) times cosine and sine of 2 pi t, by their series around the nearest
   quarter of the circle. */
static inline void normal_pair(float *first, float *second, const float *units, const float *turns)
{
    const kl_lane u = *(const kl_lane *)units, t = *(const kl_lane *)turns * 4;
    const kl_lane shifted = t + 0x1.8p23f, x = (t - (shifted - 0x1.8p23f)) * 1.57079633f, z = x * x;
    const kl_lane_bits quarter = (kl_lane_bits)shifted, odd = -(quarter & 1),
                       minus_sine = -(quarter >> 1 & 1), minus_cosine = -((quarter + 1) >> 1 & 1);
    const kl_lane sine =
        x * (1 + z * (-1 / 6.0f + z * (1 / 120.0f + z * (-1 / 5040.0f + z * (1 / 362880.0f)))));
    const kl_lane cosine =
        1 + z * (-1 / 2.0f +
                 z * (1 / 24.0f + z * (-1 / 720.0f + z * (1 / 40320.0f + z * (-1 / 3628800.0f)))));
    const kl_lane c = choose(odd, sine, cosine), s = choose(odd, cosine, sine);
    kl_lane radius = -2 * kl_log_lane(u);
    for (int l = 0; l < KL_LANES; l++) radius[l] = sqrtf(radius[l]);
    *(kl_lane *)first = radius * choose(minus_cosine, -c, c);
    *(kl_lane *)second = radius * choose(minus_sine, -s, s);
}

void KL_ISA_NAME(kl_gan_normals)(float *x, size_t n, const struct kl_gan_stream *s)
{
    for (size_t at = 0; at < n; at += VALUES) {
        float units[4][BLOCKS], values[4][BLOCKS], all[VALUES];
        units_of(units, (uint32_t)(at / 4), s);
        for (int l = 0; l < BLOCKS; l += KL_LANES)
            for (int pair = 0; pair < 4; pair += 2)
                normal_pair(&values[pair][l], &values[pair + 1][l], &units[pair][l],
                            &units[pair + 1][l]);
        for (int b = 0; b < BLOCKS; b += 8) {
            eight v[4];
            for (int w = 0; w < 4; w++) memcpy(&v[w], &values[w][b], sizeof v[w]);
            interleave(&all[4 * b], v[0], v[1], v[2], v[3]);
        }
        memcpy(x + at, all, (n - at < VALUES ? n - at : VALUES) * sizeof *x);
    }
}

void KL_ISA_NAME(kl_gan_uniforms)(float *x, size_t n, double bound, const struct kl_gan_stream *s)
{
    typedef double wide __attribute__((vector_size(64)));
    for (size_t at = 0; at < n; at += 4 * KL_PHILOX_LANES) {
        kl_philox_words words[4];
        float all[4 * KL_PHILOX_LANES];
        eight value[4];
        kl_philox_lanes(words, s->seed, (uint32_t)(at / 4), s->purpose, s->step, s->replica);
        for (int w = 0; w < 4; w++) {
            const wide u = (__builtin_convertvector(words[w], wide) + 0.5) * 0x1p-32;
            value[w] = __builtin_convertvector(bound * (2 * u - 1), eight);
        }
        interleave(all, value[0], value[1], value[2], value[3]);
        const size_t left = n - at, most = sizeof all / sizeof *all;
        memcpy(x + at, all, (left < most ? left : most) * sizeof *x);
    }
}
#endif
