/* SPDX-License-Identifier: MIT
   The most common tuples, and how often longer ones collide. */
#include "qrng/nist/nist90b_int.h"

int kl_nist90b_tuples(struct kl_nist90b_tuples *result, const struct kl_symbols *symbols, size_t cutoff,
                      struct kl_error *err)
{
    struct kl_repeats r;
    double common = 0, collides = 0;
    const int code = kl_repeats(&r, symbols->s, symbols->n, err);
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
    kl_repeats_free(&r);
    if (common > 0) result->tuple = fabs(log2(kl_nist90b_upper(common, symbols->n)));
    if (collides > 0) result->repeat = fabs(log2(kl_nist90b_upper(collides, symbols->n)));
    return KL_OK;
}
