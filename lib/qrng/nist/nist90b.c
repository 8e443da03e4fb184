/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "qrng/nist/nist90b_int.h"

const char *const kl_nist90b_names[KL_NIST90B_ESTIMATES] = {
    "most common value", "collision", "Markov", "compression", "t-tuple",
    "longest repeat",    "MultiMCW",  "lag",    "MultiMMC",    "LZ78Y"
};

int kl_nist90b(double *h, const struct kl_symbols *symbols, struct kl_error *err)
{
    static const size_t windows[4] = { 63, 255, 1023, 4095 };
    enum { CUTOFF = 35, WARM = 1000, LAGS = 128, DEPTH = 16 };
    struct kl_nist90b_prediction p[4];
    struct kl_nist90b_tuples tuples;
    size_t counts[256] = { 0 }, most = 0;
    int code = KL_OK;
    for (int e = 0; e < KL_NIST90B_ESTIMATES; e++) h[e] = NAN;
    if (symbols->n < 2) return KL_OK;
    for (size_t i = 0; i < symbols->n; i++) counts[symbols->s[i]]++;
    for (int v = 0; v < symbols->k; v++)
        if (counts[v] > most) most = counts[v];
    h[KL_NIST90B_MOST_COMMON] = kl_nist90b_most_common(most, symbols->n);
    if (symbols->k <= 2) {
        h[KL_NIST90B_COLLISION] = kl_nist90b_collision(symbols);
        h[KL_NIST90B_MARKOV] = kl_nist90b_markov(symbols);
        code = kl_nist90b_compression(&h[KL_NIST90B_COMPRESSION], symbols, WARM, err);
    }
    if (!code) code = kl_nist90b_tuples(&tuples, symbols, CUTOFF, err);
    if (!code) code = kl_nist90b_windows(&p[0], symbols, windows, err);
    if (!code) kl_nist90b_lag(&p[1], symbols, LAGS);
    if (!code) code = kl_nist90b_models(&p[2], symbols, DEPTH, err);
    if (!code) code = kl_nist90b_dictionary(&p[3], symbols, DEPTH, err);
    if (code) return code;
    h[KL_NIST90B_TUPLE] = tuples.tuple;
    h[KL_NIST90B_REPEAT] = tuples.repeat;
    for (int i = 0; i < 4; i++) h[KL_NIST90B_WINDOWS + i] = p[i].h;
    return KL_OK;
}

double kl_nist90b_least(const double *h)
{
    double least = NAN;
    for (int e = 0; e < KL_NIST90B_ESTIMATES; e++)
        if (!isnan(h[e]) && !(h[e] >= least)) least = h[e];
    return least;
}

size_t kl_leftover_bits(double entropy, double security)
{
    const double bits = floor(entropy + 2 - 2 * security);
    return bits > 0 ? (size_t)bits : 0;
}
