/* SPDX-License-Identifier: MIT
   Estimates from counts: the most common value, collisions, and a Markov chain of bits. */
#include "qrng/nist/nist90b_int.h"

int kl_symbols_close(uint8_t *s, size_t n)
{
    uint8_t number[256];
    bool seen[256] = { false };
    int k = 0;
    for (size_t i = 0; i < n; i++) seen[s[i]] = true;
    for (int v = 0; v < 256; v++)
        if (seen[v]) number[v] = (uint8_t)k++;
    for (size_t i = 0; i < n; i++) s[i] = number[s[i]];
    return k;
}

double kl_nist90b_most_common(size_t count, size_t n)
{
    return fabs(log2(kl_nist90b_upper((double)count / (double)n, n))); /* fabs: no -0 */
}

/* Two symbols until the first collision, or three: the mean is 2 + 2 p (1 - p), which is solved for p.
 */
double kl_nist90b_collision(const struct kl_symbols *bits)
{
    size_t collisions = 0, threes = 0;
    for (size_t i = 0; i + 1 < bits->n; collisions++) {
        const bool two = bits->s[i] == bits->s[i + 1];
        if (!two && i + 2 >= bits->n) break;
        threes += !two;
        i += two ? 2 : 3;
    }
    if (collisions < 2) return NAN;
    const double v = (double)collisions, share = (double)threes / v;
    const double deviation = sqrt(v * share * (1 - share) / (v - 1));
    const double mean = 2 + share - KL_NIST90B_Z * deviation / sqrt(v);
    if (mean >= 2.5) return 1;
    return fabs(log2(fmin(1, 0.5 + sqrt(1.25 - 0.5 * mean))));
}

/* Least of the six likeliest kinds of sequences of 128 bits. Each is a choice of the first bit, and a
   number of each of the four steps. */
double kl_nist90b_markov(const struct kl_symbols *bits)
{
    static const struct {
        int first, steps[2][2];
    } paths[6] = {
        { 0, { { 127, 0 }, { 0, 0 } } }, { 0, { { 0, 64 }, { 63, 0 } } },
        { 0, { { 0, 1 }, { 0, 126 } } }, { 1, { { 126, 0 }, { 1, 0 } } },
        { 1, { { 0, 63 }, { 64, 0 } } }, { 1, { { 0, 0 }, { 0, 127 } } },
    };
    size_t first[2] = { 0 }, steps[2][2] = { { 0 } };
    double least = INFINITY;
    for (size_t i = 0; i < bits->n; i++) {
        first[bits->s[i]]++;
        if (i) steps[bits->s[i - 1]][bits->s[i]]++;
    }
    for (int p = 0; p < 6; p++) {
        double h = -log2((double)first[paths[p].first] / (double)bits->n);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                if (paths[p].steps[a][b])
                    h -= paths[p].steps[a][b] *
                         log2((double)steps[a][b] / (double)(steps[a][0] + steps[a][1]));
        if (h < least) least = h; /* a NaN, of a bit without a successor, is none */
    }
    return fmin(1, fabs(least) / 128);
}
