/* SPDX-License-Identifier: MIT
   The random streams of the published study. */
#include "qrng/classify/mt19937.h"

#include <string.h>

enum { N = KL_MT19937_WORDS, M = 397 };

void kl_classify_mt19937_seed(struct kl_mt19937 *mt, uint32_t seed)
{
    mt->state[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        mt->state[i] = 1812433253u * (mt->state[i - 1] ^ mt->state[i - 1] >> 30) + i;
    mt->used = N;
}

static void twist(uint32_t *s)
{
    for (int i = 0; i < N; i++) {
        const uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % N] & 0x7fffffffu);
        s[i] = s[(i + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
}

uint32_t kl_classify_mt19937_word(struct kl_mt19937 *mt)
{
    if (mt->used == N) {
        twist(mt->state);
        mt->used = 0;
    }
    uint32_t y = mt->state[mt->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double kl_classify_mt19937_unit(struct kl_mt19937 *mt)
{
    const uint32_t high = kl_classify_mt19937_word(mt) >> 5, low = kl_classify_mt19937_word(mt) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

static void swap(int32_t *rows, size_t i, size_t j)
{
    const int32_t kept = rows[i];
    rows[i] = rows[j], rows[j] = kept;
}

static void number(int32_t *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) rows[i] = (int32_t)i;
}

void kl_classify_mt19937_split(int32_t *rows, size_t n, uint32_t seed)
{
    struct kl_mt19937 mt;
    kl_classify_mt19937_seed(&mt, seed);
    number(rows, n);
    for (size_t i = 0; i + 1 < n; i++)
        swap(rows, i, i + kl_classify_mt19937_word(&mt) % (uint32_t)(n - i));
}

void kl_classify_mt19937_shuffle(int32_t *rows, size_t n, struct kl_mt19937 *mt)
{
    for (size_t i = n; i-- > 1;) {
        uint32_t mask = (uint32_t)i, j;
        for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
        do j = kl_classify_mt19937_word(mt) & mask;
        while (j > i);
        swap(rows, i, j);
    }
}

void kl_classify_mt19937_permutation(int32_t *rows, size_t n, uint32_t seed)
{
    struct kl_mt19937 mt;
    kl_classify_mt19937_seed(&mt, seed);
    number(rows, n);
    kl_classify_mt19937_shuffle(rows, n, &mt);
}

/* A class's rows are shuffled where the test rows are to stand. */
void kl_classify_mt19937_stratified(int32_t *train, size_t *n_train, int32_t *test, size_t *n_test,
                                    const int32_t *labels, size_t n, int classes, double share,
                                    uint32_t seed)
{
    struct kl_mt19937 mt;
    kl_classify_mt19937_seed(&mt, seed);
    *n_train = *n_test = 0;
    for (int c = 0; c < classes; c++) {
        int32_t *const class = test + *n_test;
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (labels[i] == c) class[count++] = (int32_t)i;
        const size_t taken = (size_t)(share * (double)count);
        kl_classify_mt19937_shuffle(class, count, &mt);
        memcpy(train + *n_train, class, taken * sizeof *train);
        memmove(class, class + taken, (count - taken) * sizeof *class);
        *n_train += taken, *n_test += count - taken;
    }
    kl_classify_mt19937_shuffle(train, *n_train, &mt);
    kl_classify_mt19937_shuffle(test, *n_test, &mt);
}
