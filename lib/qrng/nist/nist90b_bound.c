/* SPDX-License-Identifier: MIT
   From correct predictions to min-entropy: by all of them, and by the longest run of them. */
#include "qrng/nist/nist90b_int.h"

/* ln of the probability that n predictions, each correct with probability p, hold no run of r correct
   ones (Feller 1968, chapter XIII.7). */
static double no_run(double p, double r, double n)
{
    const double q = 1 - p;
    double x = 1, last = 0;
    for (int i = 0; i < 65 && x > last; i++) {
        last = x;
        x = 1 + q * pow(p, r) * pow(x, r + 1);
    }
    return log(1 - p * x) - log((r + 1 - r * x) * q) - (n + 1) * log(x);
}

void kl_nist90b_bound(struct kl_nist90b_prediction *p, int k)
{
    const double n = (double)p->predicted, share = (double)p->correct / n, confidence = 0.99;
    double low = 0, high = 1;
    p->global = p->correct ? kl_nist90b_upper(share, p->predicted) : 1 - pow(1 - confidence, 1 / n);
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (no_run(middle, (double)p->longest + 1, n) > log(confidence)) low = middle;
        else high = middle;
    }
    p->local = (low + high) / 2;
    p->h = fabs(log2(fmax(fmax(p->global, p->local), 1. / k)));
}
