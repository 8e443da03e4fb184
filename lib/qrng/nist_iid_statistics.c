/* SPDX-License-Identifier: MIT
   Nineteen numbers that depend on the order of symbols. Sums stay whole, so that equal ones are equal.
 */
#include <stdlib.h>
#include <string.h>

#include "qrng/nist_iid.h"
#include "qrng/text_size.h"

enum statistic {
    EXCURSION,
    DIRECTIONAL_RUNS,
    LONGEST_DIRECTIONAL,
    INCREASES,
    MEDIAN_RUNS,
    LONGEST_MEDIAN,
    MEAN_COLLISION,
    LONGEST_COLLISION,
    PERIODICITY,
    COVARIANCE = PERIODICITY + 5,
    COMPRESSION = COVARIANCE + 5
};
const char *const kl_iid_names[KL_IID_STATISTICS] = { "excursion",
                                                      "directional runs",
                                                      "longest directional run",
                                                      "increases or decreases",
                                                      "median runs",
                                                      "longest median run",
                                                      "mean collision",
                                                      "longest collision",
                                                      "periodicity 1",
                                                      "periodicity 2",
                                                      "periodicity 8",
                                                      "periodicity 16",
                                                      "periodicity 32",
                                                      "covariance 1",
                                                      "covariance 2",
                                                      "covariance 8",
                                                      "covariance 16",
                                                      "covariance 32",
                                                      "compression" };

static double excursion(const uint8_t *s, size_t n)
{
    int64_t total = 0, sum = 0, most = 0;
    for (size_t i = 0; i < n; i++) total += s[i];
    for (size_t i = 0; i < n; i++) {
        sum += s[i];
        const int64_t off = llabs(sum * (int64_t)n - (int64_t)(i + 1) * total);
        if (off > most) most = off;
    }
    return (double)most / (double)n;
}

/* Runs of equal signs, and the longest of them. */
static void runs(double *count, double *longest, const bool *signs, size_t n)
{
    size_t found = n > 0, most = 0, run = 0;
    for (size_t i = 0; i < n; i++) {
        const bool goes_on = i && signs[i] == signs[i - 1];
        found += i && !goes_on;
        run = goes_on ? run + 1 : 1;
        if (run > most) most = run;
    }
    *count = (double)found;
    *longest = (double)most;
}

static void directional(double *t, const uint8_t *s, size_t n, bool *signs)
{
    size_t rising = 0;
    for (size_t i = 0; i + 1 < n; i++) rising += signs[i] = s[i] <= s[i + 1];
    const size_t steps = n ? n - 1 : 0;
    runs(&t[DIRECTIONAL_RUNS], &t[LONGEST_DIRECTIONAL], signs, steps);
    t[INCREASES] = (double)(rising > steps - rising ? rising : steps - rising);
}

/* Twice the median. */
static unsigned median(const uint8_t *s, size_t n)
{
    size_t counts[256] = { 0 }, below = 0;
    unsigned middle[2] = { 0 };
    for (size_t i = 0; i < n; i++) counts[s[i]]++;
    for (unsigned v = 0; v < 256; v++) {
        const size_t upto = below + counts[v];
        if (below <= (n - 1) / 2 && (n - 1) / 2 < upto) middle[0] = v;
        if (below <= n / 2 && n / 2 < upto) middle[1] = v;
        below = upto;
    }
    return middle[0] + middle[1];
}

static void by_median(double *t, const uint8_t *s, size_t n, bool binary, bool *signs)
{
    const unsigned twice = binary ? 1 : median(s, n);
    for (size_t i = 0; i < n; i++) signs[i] = 2u * s[i] >= twice;
    runs(&t[MEDIAN_RUNS], &t[LONGEST_MEDIAN], signs, n);
}

/* How many symbols it takes until one comes again. */
static void collisions(double *t, const uint8_t *s, size_t n)
{
    size_t seen[256] = { 0 }, start = 0, times = 0, longest = 0; /* seen: from 1 */
    for (size_t i = 0; i < n; i++) {
        if (seen[s[i]] <= start) {
            seen[s[i]] = i + 1;
            continue;
        }
        if (i + 1 - start > longest) longest = i + 1 - start;
        times++;
        start = i + 1;
    }
    t[MEAN_COLLISION] = times ? (double)start / (double)times : 0;
    t[LONGEST_COLLISION] = (double)longest;
}

static void lagged(double *t, const uint8_t *s, size_t n)
{
    static const size_t lags[5] = { 1, 2, 8, 16, 32 };
    for (int l = 0; l < 5; l++) {
        size_t equal = 0;
        uint64_t products = 0;
        for (size_t i = lags[l]; i < n; i++) {
            equal += s[i] == s[i - lags[l]];
            products += (unsigned)s[i] * s[i - lags[l]];
        }
        t[PERIODICITY + l] = (double)equal;
        t[COVARIANCE + l] = (double)products;
    }
}

/* Two rows of what bits are converted to, or signs; what the text needs, at a multiple of eight. */
size_t kl_iid_work(size_t n)
{
    return 2 * n + 2 + 8 + kl_text_size_work(n);
}

int kl_iid_statistics(double *t, const bool *wanted, const uint8_t *s, size_t n, void *work,
                      struct kl_error *err)
{
    bool all[KL_IID_STATISTICS], binary = true;
    uint8_t *ones = work, *values = ones + n / 2 + 1;
    bool *signs = (bool *)work + n + 2;
    memset(all, true, sizeof all);
    if (!wanted) wanted = all;
    for (size_t i = 0; i < n; i++) binary = binary && s[i] <= 1;
    const size_t m = binary ? (n + 7) / 8 : n;
    const uint8_t *one = binary ? ones : s, *two = binary ? values : s;
    for (size_t i = 0; binary && i < m; i++) { /* conversions I and II */
        ones[i] = values[i] = 0;
        for (size_t j = 8 * i; j < 8 * i + 8; j++) {
            const uint8_t bit = j < n ? s[j] : 0;
            ones[i] += bit;
            values[i] = (uint8_t)(values[i] << 1 | bit);
        }
    }
    if (wanted[EXCURSION]) t[EXCURSION] = excursion(s, n);
    if (wanted[DIRECTIONAL_RUNS] || wanted[LONGEST_DIRECTIONAL] || wanted[INCREASES])
        directional(t, one, m, signs);
    if (wanted[MEDIAN_RUNS] || wanted[LONGEST_MEDIAN]) by_median(t, s, n, binary, signs);
    if (wanted[MEAN_COLLISION] || wanted[LONGEST_COLLISION]) collisions(t, two, m);
    bool lags = false;
    for (int i = PERIODICITY; i < COMPRESSION; i++) lags = lags || wanted[i];
    if (lags) lagged(t, one, m);
    unsigned char *text = (unsigned char *)work + 2 * n + 2;
    text += -(uintptr_t)text & 7;
    return wanted[COMPRESSION] ? kl_text_size(&t[COMPRESSION], s, n, text, err) : KL_OK;
}
