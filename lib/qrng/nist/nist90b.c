/* SPDX-License-Identifier: MIT
   SP 800-90B: min-entropy of a source by ten estimates; here those from counts, from tuples and by
   compression. */
#include "qrng/nist/nist_int.h"

#include <float.h>
#include <stdlib.h>

/* ---- from counts ---- */
/* The most common value, collisions, and a Markov chain of bits. */

int kl_nist_symbols_close(uint8_t *s, size_t n)
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

double kl_nist_sp90b_most_common(size_t count, size_t n)
{
    return fabs(log2(kl_nist_sp90b_upper((double)count / (double)n, n))); /* fabs: no -0 */
}

/* Two symbols until the first collision, or three: the mean is 2 + 2 p (1 - p), which is solved for p.
 */
double kl_nist_sp90b_collision(const struct kl_symbols *bits)
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
double kl_nist_sp90b_markov(const struct kl_symbols *bits)
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

/* ---- tuples ---- */
/* The most common tuples, and how often longer ones collide. */

int kl_nist_sp90b_tuples(struct kl_nist90b_tuples *result, const struct kl_symbols *symbols,
                         size_t cutoff, struct kl_error *err)
{
    struct kl_repeats r;
    double common = 0, collides = 0;
    const int code = kl_nist_repeats(&r, symbols->s, symbols->n, err);
    if (code) return code;
    *result = (struct kl_nist90b_tuples){ NAN, NAN, 0, r.longest };
    for (size_t i = 1; i <= r.longest; i++) {
        const double places = (double)(symbols->n - i + 1);
        if (r.most[i] >= cutoff) {
            result->longest_common = i;
            common = fmax(common, pow(r.most[i] / places, 1 / (double)i));
        } else {
            const double pairs = places * (places - 1) / 2;
            collides = fmax(collides, pow((double)r.pairs[i] / pairs, 1 / (double)i));
        }
    }
    kl_nist_repeats_free(&r);
    if (common > 0) result->tuple = fabs(log2(kl_nist_sp90b_upper(common, symbols->n)));
    if (collides > 0) result->repeat = fabs(log2(kl_nist_sp90b_upper(collides, symbols->n)));
    return KL_OK;
}

/* ---- compression ---- */
/* Maurer's statistic of blocks of six bits, solved for the probability of the likeliest block. */

enum { LENGTH = 6, BLOCKS = 1 << LENGTH };

/* The share of one block of probability z in the mean: the distances of blocks warm + 1 .. n (section
   6.3.4, step 7). logs [n + 1]. */
static double expected(double z, const double *logs, size_t n, size_t warm)
{
    double all = 0, shorter = 0, rest = 1; /* rest: (1 - z)^(t - 1) */
    for (size_t t = 1; t <= n; t++) {
        if (t > warm) all += shorter + logs[t] * z * rest;
        shorter += logs[t] * z * z * rest;
        rest *= 1 - z;
        if (rest > DBL_MIN) continue;
        all += shorter * (double)(n - (t > warm ? t : warm)); /* nothing more is added to shorter */
        break;
    }
    return all / (double)(n - warm);
}

static double solve(double mean, const double *logs, size_t n, size_t warm)
{
    double low = 1. / BLOCKS, high = 1;
    for (int step = 0; step < 60; step++) {
        const double p = (low + high) / 2, q = (1 - p) / (BLOCKS - 1);
        const double found = expected(p, logs, n, warm) + (BLOCKS - 1) * expected(q, logs, n, warm);
        if (found > mean) low = p;
        else high = p;
    }
    return (low + high) / 2;
}

int kl_nist_sp90b_compression(double *h, const struct kl_symbols *bits, size_t warm,
                              struct kl_error *err)
{
    const double c = 0.5907;
    const size_t n = bits->n / LENGTH;
    size_t seen[BLOCKS] = { 0 };
    double sum = 0, squares = 0;
    *h = NAN;
    if (n < warm + 2) return KL_OK;
    double *logs = malloc((n + 1) * sizeof *logs);
    if (!logs) return kl_fail_memory(err, (n + 1) * sizeof *logs);
    logs[0] = 0;
    for (size_t i = 1; i <= n; i++) {
        size_t block = 0;
        for (size_t j = 0; j < LENGTH; j++) block = block << 1 | bits->s[(i - 1) * LENGTH + j];
        logs[i] = log2((double)i);
        if (i > warm) {
            const double log = logs[i - seen[block]];
            sum += log;
            squares += log * log;
        }
        seen[block] = i;
    }
    const double v = (double)(n - warm), mean = sum / v;
    const double deviation = c * sqrt(fmax(0, squares / (v - 1) - mean * mean));
    const double p = solve(mean - KL_NIST90B_Z * deviation / sqrt(v), logs, n, warm);
    *h = fabs(log2(p)) / LENGTH;
    free(logs);
    return KL_OK;
}

/* ---- all estimates ---- */

const char *const kl_nist90b_names[KL_NIST90B_ESTIMATES] = {
    "most common value", "collision", "Markov", "compression", "t-tuple",
    "longest repeat",    "MultiMCW",  "lag",    "MultiMMC",    "LZ78Y"
};

int kl_nist_sp90b(double *h, const struct kl_symbols *symbols, struct kl_error *err)
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
    h[KL_NIST90B_MOST_COMMON] = kl_nist_sp90b_most_common(most, symbols->n);
    if (symbols->k <= 2) {
        h[KL_NIST90B_COLLISION] = kl_nist_sp90b_collision(symbols);
        h[KL_NIST90B_MARKOV] = kl_nist_sp90b_markov(symbols);
        code = kl_nist_sp90b_compression(&h[KL_NIST90B_COMPRESSION], symbols, WARM, err);
    }
    if (!code) code = kl_nist_sp90b_tuples(&tuples, symbols, CUTOFF, err);
    if (!code) code = kl_nist_sp90b_windows(&p[0], symbols, windows, err);
    if (!code) kl_nist_sp90b_lag(&p[1], symbols, LAGS);
    if (!code) code = kl_nist_sp90b_models(&p[2], symbols, DEPTH, err);
    if (!code) code = kl_nist_sp90b_dictionary(&p[3], symbols, DEPTH, err);
    if (code) return code;
    h[KL_NIST90B_TUPLE] = tuples.tuple;
    h[KL_NIST90B_REPEAT] = tuples.repeat;
    for (int i = 0; i < 4; i++) h[KL_NIST90B_WINDOWS + i] = p[i].h;
    return KL_OK;
}

double kl_nist_sp90b_least(const double *h)
{
    double least = NAN;
    for (int e = 0; e < KL_NIST90B_ESTIMATES; e++)
        if (!isnan(h[e]) && !(h[e] >= least)) least = h[e];
    return least;
}

size_t kl_nist_leftover_bits(double entropy, double security)
{
    const double bits = floor(entropy + 2 - 2 * security);
    return bits > 0 ? (size_t)bits : 0;
}
