/* SPDX-License-Identifier: MIT
   checkkernels, family bits: every instruction set against a count bit by bit and Philox block by
   block. */
#include "kernels/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/inline/philox.h"
#include "isas.h"

enum { MOST = 700, STRINGS = 7, STRIDE = MOST + 3 };
static const size_t sizes[] = { 0, 1, 3, 4, 7, 8, 9, 63, 64, 248, 249, 256, 257, MOST };

static uint64_t random_state = 88172645463325252ull;
static uint64_t word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* full: all ones, the most that a count can be. */
static int check_counts(enum kl_isa k, size_t words, int full)
{
    static uint64_t a[MOST], b[STRINGS * STRIDE];
    uint32_t counts[STRINGS];
    int bad = 0;
    for (size_t i = 0; i < MOST; i++) a[i] = full ? ~0ull : word();
    for (size_t i = 0; i < STRINGS * STRIDE; i++) b[i] = full ? ~0ull : word();
    for (size_t n = 0; n <= STRINGS; n++) {
        memset(counts, 0xee, sizeof counts);
        kl_isa_bit_counts(k)(counts, a, b, STRIDE, n, words);
        for (size_t j = 0; j < STRINGS; j++) {
            uint32_t want = j < n ? 0 : 0xeeeeeeee;
            for (size_t i = 0; j < n && i < words * 64; i++)
                want += (a[i / 64] & b[j * STRIDE + i / 64]) >> (i % 64) & 1;
            if (counts[j] == want) continue;
            printf("%s bit_counts, %zu words, string %zu of %zu: found %u, expected %u\n",
                   kl_isa_name(k), words, j, n, counts[j], want);
            bad++;
        }
    }
    return bad;
}

static int check_noise(enum kl_isa k, size_t words, uint64_t seed, uint32_t first)
{
    static uint64_t out[MOST + 1];
    uint32_t c[4];
    int bad = 0;
    out[words] = 12345;
    kl_isa_bit_noise(k)(out, words, seed, first, 41, 0xfffffff0u, 7);
    for (size_t w = 0; w < words; w++) {
        kl_philox(c, seed, first + (uint32_t)(w / 2), 41, 0xfffffff0u, 7);
        const uint64_t want = c[w % 2 * 2] | (uint64_t)c[w % 2 * 2 + 1] << 32;
        if (out[w] == want) continue;
        printf("%s bit_noise, word %zu of %zu: found %016llx, expected %016llx\n", kl_isa_name(k), w,
               words, (unsigned long long)out[w], (unsigned long long)want);
        bad++;
    }
    if (out[words] != 12345)
        printf("%s bit_noise wrote behind its %zu words\n", kl_isa_name(k), words), bad++;
    return bad;
}

/* Whole numbers, whose sums are exact in any order; some of them 0. */
static int check_sides(enum kl_isa k, size_t n)
{
    enum { WORDS = 5, STRIDE_ROWS = 64 * WORDS + 16 };
    static float numbers[20 * STRIDE_ROWS], weights[20];
    uint64_t above[WORDS], below[WORDS];
    int bad = 0;
    for (size_t i = 0; i < 20 * STRIDE_ROWS; i++) numbers[i] = (float)(word() % 7);
    for (size_t i = 0; i < 20; i++) weights[i] = (float)(word() % 9) - 4;
    kl_isa_bit_sides(k)(above, below, numbers, STRIDE_ROWS, weights, n, WORDS);
    for (size_t r = 0; r < 64 * WORDS; r++) {
        float sum = 0;
        for (size_t i = 0; i < n; i++) sum += weights[i] * numbers[i * STRIDE_ROWS + r];
        if ((above[r / 64] >> (r % 64) & 1) == (sum > 0) && (below[r / 64] >> (r % 64) & 1) == (sum < 0))
            continue;
        printf("%s bit_sides of %zu, row %zu: sum %g\n", kl_isa_name(k), n, r, (double)sum);
        bad++;
    }
    return bad;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bench(enum kl_isa k)
{
    static uint64_t a[64], b[64 * 64], noise[64];
    uint32_t counts[64], sink = 0;
    double start = now();
    for (int i = 0; i < 10000; i++)
        kl_isa_bit_counts(k)(counts, a, b, 64, 64, 64), sink += counts[i % 64];
    const double products = now() - start;
    start = now();
    for (uint32_t i = 0; i < 10000; i++)
        kl_isa_bit_noise(k)(noise, 64, 1, 0, 2, i, 0), sink += (uint32_t)noise[3];
    printf("bits %-6s counts: %.3f ns a word, noise: %.3f ns a word (%u)\n", kl_isa_name(k),
           products * 1e9 / 10000 / 64 / 64, (now() - start) * 1e9 / 10000 / 64, sink & 1);
}

static int check(enum kl_isa k)
{
    int bad = 0;
    for (size_t n = 0; n <= 20; n++) bad += check_sides(k, n);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        bad += check_counts(k, sizes[s], 0) + check_counts(k, sizes[s], 1) +
               check_noise(k, sizes[s], 0x123456789abcdefull, 0) +
               check_noise(k, sizes[s], 5, 0xfffffffeu);
    return bad;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
