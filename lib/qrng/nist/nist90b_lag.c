/* SPDX-License-Identifier: MIT
   The symbol some places ago. */
#include "qrng/nist/nist90b_int.h"

void kl_nist90b_lag(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int lags)
{
    struct kl_nist90b_score score = { .winner = 0 };
    const uint8_t *s = symbols->s;
    size_t run = 0;
    *p = (struct kl_nist90b_prediction){ .h = NAN };
    for (size_t i = 1; i < symbols->n; i++) {
        const size_t lag = (size_t)score.winner + 1;
        kl_nist90b_tell(p, &run, lag <= i && s[i - lag] == s[i]);
        for (int d = 0; d < lags && (size_t)d < i; d++)
            if (s[i - 1 - (size_t)d] == s[i]) kl_nist90b_right(&score, d);
    }
    if (p->predicted > 1) kl_nist90b_bound(p, symbols->k);
}
