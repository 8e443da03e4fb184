/* SPDX-License-Identifier: MIT
   MT19937 (Matsumoto and Nishimura 1998, ACM TOMACS 8, 3), its normals and permutations as
   numpy.random.RandomState has them: references make their data and splits of them. */
#include <math.h>

#include "nn/mersenne.h"

enum { N = 624, M = 397 };

void kl_nn_mersenne_seed(struct kl_nn_mersenne *m, uint32_t seed)
{
    m->state[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        m->state[i] = 1812433253u * (m->state[i - 1] ^ m->state[i - 1] >> 30) + i;
    m->at = N, m->has_normal = false;
}

static void renew(uint32_t *s)
{
    for (int i = 0; i < N; i++) {
        const uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % N] & 0x7fffffffu);
        s[i] = s[(i + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
}

uint32_t kl_nn_mersenne_word(struct kl_nn_mersenne *m)
{
    if (m->at == N) renew(m->state), m->at = 0;
    uint32_t y = m->state[m->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* In [0, 1), 53 bits of two words. */
static double unit(struct kl_nn_mersenne *m)
{
    const uint32_t a = kl_nn_mersenne_word(m) >> 5, b = kl_nn_mersenne_word(m) >> 6;
    return ((double)a * 0x1p26 + (double)b) * 0x1p-53;
}

double kl_nn_mersenne_normal(struct kl_nn_mersenne *m)
{
    double x, y, r2;
    if (m->has_normal) {
        m->has_normal = false;
        return m->normal;
    }
    do {
        x = 2 * unit(m) - 1, y = 2 * unit(m) - 1;
        r2 = x * x + y * y;
    } while (r2 >= 1 || r2 == 0);
    const double f = sqrt(-2 * log(r2) / r2);
    m->normal = f * x, m->has_normal = true;
    return f * y;
}

/* Below or at `most`, by masking and rejection. */
static uint32_t below(struct kl_nn_mersenne *m, uint32_t most)
{
    uint32_t mask = most, value;
    for (int k = 1; k < 32; k *= 2) mask |= mask >> k;
    do value = kl_nn_mersenne_word(m) & mask;
    while (value > most);
    return value;
}

void kl_nn_mersenne_permute(struct kl_nn_mersenne *m, int64_t *values, size_t n)
{
    for (size_t i = n; i-- > 1;) {
        const size_t j = below(m, (uint32_t)i);
        const int64_t value = values[i];
        values[i] = values[j], values[j] = value;
    }
}
