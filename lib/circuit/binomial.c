/* SPDX-License-Identifier: MIT
   Binomial numbers, exact to p's 53 bits, from fair coins alone. A trial succeeds where a uniform number
   is below p; their binary digits are compared from the first on. One digit of all trials that are still
   undecided is one count of coins, and decides half of them: 2 n coins in all, 64 counted at once. */
#include "circuit/estimate.h"
#include "kernels/inline/philox.h"

uint64_t kl_circuit_shots_key(const struct kl_shots *shots, uint32_t purpose, size_t sample)
{
    uint32_t word[4];
    const int64_t row = shots->rows ? shots->rows[sample] : (int64_t)sample;
    kl_philox(word, shots->seed, (uint32_t)row, purpose, shots->step, shots->replica);
    return word[0] | (uint64_t)word[1] << 32;
}

static void refill(struct kl_coins *c)
{
    uint32_t word[4];
    kl_philox(word, c->key, c->block++, c->setting, c->evaluation, 0);
    c->word[0] = word[0] | (uint64_t)word[1] << 32;
    c->word[1] = word[2] | (uint64_t)word[3] << 32;
    c->left = 128;
}

/* Heads among n coins, n at most what is left of the word. */
static uint32_t count(struct kl_coins *c, uint32_t n)
{
    uint64_t *word = &c->word[c->left <= 64];
    const uint64_t taken = *word << (64 - n);
    *word = *word >> (n - 1) >> 1;
    c->left -= (int)n;
    return (uint32_t)__builtin_popcountll(taken);
}

/* Heads among n > 0 coins. */
static uint32_t toss(struct kl_coins *c, uint32_t n)
{
    uint32_t heads = 0;
    for (;;) {
        if (!c->left) refill(c);
        const uint32_t here = (uint32_t)(c->left > 64 ? c->left - 64 : c->left);
        if (n <= here) return heads + count(c, n);
        heads += count(c, here);
        n -= here;
    }
}

uint32_t kl_circuit_binomial(struct kl_coins *coins, uint32_t n, double p)
{
    uint32_t successes = 0;
    if (!(p > 0)) return 0;
    if (p >= 1) return n;
    for (uint64_t digits = (uint64_t)(p * 0x1p64); n && digits; digits <<= 1) {
        const uint32_t ones = toss(coins, n), zeros = n - ones;
        const bool one = digits >> 63; /* 0 against it is below p; 1 against a zero is above */
        successes += one ? zeros : 0;
        n = one ? ones : zeros;
    }
    return successes;
}
