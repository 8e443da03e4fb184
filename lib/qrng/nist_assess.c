/* SPDX-License-Identifier: MIT
   What follows from a device's p-values and estimates: corrections, proportions, the assessed entropy.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/distributions.h"
#include "qrng/extractor.h"
#include "qrng/nist_report.h"

static int correct(struct kl_nist_device *d, struct kl_error *err)
{
    double p[KL_NIST22_VALUES], adjusted[KL_NIST22_VALUES];
    int code = KL_OK;
    size_t n = 0;
    for (int v = 0; v < KL_NIST22_VALUES; v++) {
        d->holm[v] = d->rate[v] = d->suites[0].values[v].log10_p;
        if (!isnan(d->rate[v])) p[n++] = d->rate[v];
    }
    if (n) code = kl_false_discovery(adjusted, p, n, err);
    for (int v = KL_NIST22_VALUES; !code && v-- > 0;)
        if (!isnan(d->rate[v])) d->rate[v] = adjusted[--n];
    for (int t = 0; !code && t < KL_NIST22_TESTS; t++) {
        double *values = d->holm + kl_nist22_tests[t].first;
        if (!d->suites[0].why[t][0]) code = kl_holm(values, values, (size_t)kl_nist22_tests[t].n, err);
    }
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
    int code = correct(d, err);
    if (!code) code = over_sequences(d, err);
    if (!code) assess(d, r);
    return code;
}
