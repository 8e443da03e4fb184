/* SPDX-License-Identifier: MIT
   What follows from a device's p-values and estimates: corrections, proportions, the assessed entropy.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distributions.h"
#include "qrng/nist/report.h"

typedef int correction(double *adjusted, const double *log10_p, size_t n, struct kl_error *err);

/* Of n values from `first`, in all sequences, each value's least p, corrected for all that are there;
   NaN: it is applicable to none. p has room for all. */
static int correct(double *least, double *p, const struct kl_nist_device *d, int first, int n,
                   correction *how, struct kl_error *err)
{
    size_t found = 0;
    for (int v = first; v < first + n; v++) {
        least[v] = NAN;
        for (size_t i = 0; i < d->n_sequences; i++)
            if (!isnan(d->suites[i].values[v].log10_p)) p[found++] = d->suites[i].values[v].log10_p;
    }
    const int code = found ? how(p, p, found, err) : KL_OK;
    for (int v = first + n; !code && v-- > first;)
        for (size_t i = d->n_sequences; i-- > 0;)
            if (!isnan(d->suites[i].values[v].log10_p)) least[v] = fmin(least[v], p[--found]);
    return code;
}

static int correct_all(struct kl_nist_device *d, struct kl_error *err)
{
    const size_t bytes = d->n_sequences * KL_NIST22_VALUES * sizeof(double);
    double *p = malloc(bytes);
    int code = p ? correct(d->rate, p, d, 0, KL_NIST22_VALUES, kl_stats_false_discovery, err)
                 : kl_fail_memory(err, bytes);
    for (int t = 0; !code && t < KL_NIST22_TESTS; t++)
        code =
            correct(d->holm, p, d, kl_nist22_tests[t].first, kl_nist22_tests[t].n, kl_stats_holm, err);
    free(p);
    return code;
}

static int over_sequences(struct kl_nist_device *d, struct kl_error *err)
{
    double *p = malloc(d->n_sequences * sizeof *p);
    if (!p) return kl_fail_memory(err, d->n_sequences * sizeof *p);
    for (int v = 0; v < KL_NIST22_VALUES; v++) {
        for (size_t i = 0; i < d->n_sequences; i++) p[i] = d->suites[i].values[v].log10_p;
        kl_nist22_many(&d->many[v], p, d->n_sequences);
    }
    free(p);
    return KL_OK;
}

static void assess(struct kl_nist_device *d, const struct kl_nist_report *r)
{
    const double width = r->symbol_bits;
    if (r->symbol_bits == 1) memcpy(d->symbol_h, d->bit_h, sizeof d->symbol_h);
    d->assessed = fmin(kl_nist90b_least(d->symbol_h), width * kl_nist90b_least(d->bit_h));
    d->bit_extractable = d->assessed / width;
    d->row_extractable =
        (double)kl_leftover_bits(d->bit_extractable * (double)r->row_bits, r->options.security);
}

int kl_nist_assess(struct kl_nist_device *d, const struct kl_nist_report *r, struct kl_error *err)
{
    int code = correct_all(d, err);
    if (!code) code = over_sequences(d, err);
    if (!code) assess(d, r);
    return code;
}
