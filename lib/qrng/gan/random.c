/* SPDX-License-Identifier: MIT
   Random numbers of generators and discriminators: where they begin, and what they are fed with. */

#include "kernels/gan.h"
#include "kernels/inline/gan.h"
#include "qrng/gan/gan.h"

void kl_gan_uniform(double *x, size_t n, double bound, uint64_t seed, uint32_t stream, uint32_t replica)
{
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (i % 4 == 0) kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_INIT, stream, replica);
        x[i] = kl_gan_unit(words[i % 4], bound);
    }
}

void kl_gan_normal(float *x, size_t n, uint64_t seed, uint32_t stream, uint32_t replica)
{
    kl_kernel_gan_normals_f32()(x, n,
                                &(struct kl_gan_stream){ seed, KL_RANDOM_LATENT, stream, replica });
}

/* ---- The stream from which the study's quantum generator takes its first angles. ---- */
typedef unsigned __int128 wide;

enum { POOL = 4, SHIFT = 16 };

/* SeedSequence: words are hashed one after another, each with constants of its own. */
static uint32_t hashed(uint32_t word, uint32_t *constant, uint32_t multiplier)
{
    word ^= *constant;
    *constant *= multiplier;
    word *= *constant;
    return word ^ word >> SHIFT;
}

static uint32_t mixed(uint32_t x, uint32_t y)
{
    const uint32_t word = 0xca01f9ddu * x - 0x4973f715u * y;
    return word ^ word >> SHIFT;
}

static void make_pool(uint32_t pool[POOL], uint32_t seed)
{
    uint32_t constant = 0x43b0d7e5u;
    for (int i = 0; i < POOL; i++) pool[i] = hashed(i ? 0 : seed, &constant, 0x931e8875u);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to) pool[to] = mixed(pool[to], hashed(pool[from], &constant, 0x931e8875u));
}

/* 128 bits of the seeded state: number 0 the first state, 1 the stream. */
static wide seeded(const uint32_t words[8], int number)
{
    wide value = 0;
    for (int i = 0; i < 2; i++) {
        const uint32_t *half = words + 4 * number + 2 * i;
        value = value << 64 | (wide)half[1] << 32 | half[0];
    }
    return value;
}

void kl_gan_pcg64_units(double *x, size_t n, uint32_t seed)
{
    const wide multiplier = (wide)2549297995355413924ull << 64 | 4865540595714422341ull;
    uint32_t pool[POOL], words[8], constant = 0x8b51f9ddu;
    make_pool(pool, seed);
    for (int i = 0; i < 8; i++) words[i] = hashed(pool[i % POOL], &constant, 0x58f38dedu);
    const wide increment = seeded(words, 1) << 1 | 1;
    wide state = (increment + seeded(words, 0)) * multiplier + increment;
    for (size_t i = 0; i < n; i++) {
        state = state * multiplier + increment;
        const uint64_t folded = (uint64_t)(state >> 64) ^ (uint64_t)state;
        const unsigned turn = (unsigned)(state >> 122);
        const uint64_t word = folded >> turn | folded << (-turn & 63);
        x[i] = (double)(word >> 11) * 0x1p-53;
    }
}
