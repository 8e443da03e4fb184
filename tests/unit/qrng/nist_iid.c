/* SPDX-License-Identifier: MIT
   Runs against a look at each sign, permutations against Fisher and Yates number by number. */
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "kernels/inline/philox.h"
#include "qrng/nist/nist_int.h"

enum { MOST = 3000 };
static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

/* Signs that change once in `stay` times. */
static void check_runs(size_t n, uint32_t stay)
{
    static bool signs[MOST];
    double count, longest;
    size_t found = 0, most = 0, run = 0;
    for (size_t i = 0; i < n; i++) {
        signs[i] = i && draw(stay) ? signs[i - 1] : draw(2) == 1;
        run = i && signs[i] == signs[i - 1] ? run + 1 : 1;
        found += run == 1;
        if (run > most) most = run;
    }
    kl_nist_iid_runs(&count, &longest, signs, n);
    CHECK(count == (double)found && longest == (double)most,
          "%zu signs: %g runs, the longest %g; expected %zu, %zu", n, count, longest, found, most);
}

static void check_permutation(size_t n)
{
    static uint8_t ours[MOST], plain[MOST];
    const uint64_t seed = 0x123456789abcdef;
    for (size_t i = 0; i < n; i++) ours[i] = plain[i] = (uint8_t)draw(256);
    for (size_t i = n; i-- > 1;) {
        uint32_t words[4];
        const uint32_t number = (uint32_t)(n - 1 - i);
        kl_philox(words, seed, number / 2, KL_RANDOM_ORDER, 77, 0);
        const uint64_t word = (uint64_t)words[2 * (number % 2)] << 32 | words[2 * (number % 2) + 1];
        const size_t j = (size_t)((unsigned __int128)word * (i + 1) >> 64);
        const uint8_t kept = plain[i];
        plain[i] = plain[j], plain[j] = kept;
    }
    kl_nist_iid_permute(ours, n, (int64_t)seed, 77);
    CHECK(memcmp(ours, plain, n) == 0, "a permutation of %zu symbols", n);
}

int main(void)
{
    for (size_t n = 0; n < MOST; n += 1 + draw(1 + (uint32_t)n / 8))
        for (uint32_t stay = 1; stay < 400; stay = 2 * stay + draw(3)) check_runs(n, stay);
    for (size_t n = 0; n < MOST; n += 1 + draw(200)) check_permutation(n);
    check_permutation(1025), check_permutation(2049);
    return failures != 0;
}
