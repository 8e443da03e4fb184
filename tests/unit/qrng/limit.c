/* SPDX-License-Identifier: MIT
   Standard errors of the limit of any classifier and of what a row tells, against how both scatter over
   samples of known laws; the limit itself of two devices that a sum by hand can tell. */
#include <math.h>

#include "../check.h"
#include "kernels/inline/philox.h"
#include "qrng/bits/bits.h"

enum { CLASSES = 3, SYMBOLS = 4, ROW = 8, TIMES = 1500 };
static const double laws[CLASSES][SYMBOLS] = { { 0.4, 0.3, 0.2, 0.1 },
                                               { 0.2, 0.2, 0.25, 0.35 },
                                               { 0.1, 0.5, 0.3, 0.1 } };
static const double drawn[CLASSES] = { 2000, 3000, 1000 };

/* Shares of each law's symbols among as many as are drawn. */
static void sample(double *p, uint32_t number)
{
    for (uint32_t k = 0; k < CLASSES; k++) {
        for (int s = 0; s < SYMBOLS; s++) p[k * SYMBOLS + (uint32_t)s] = 0;
        for (uint32_t i = 0; i < (uint32_t)drawn[k]; i++) {
            uint32_t w[4];
            int s = 0;
            kl_philox(w, number, i, 998, k, 0);
            double u = kl_philox_unit(w[0]);
            while (s < SYMBOLS - 1 && u >= laws[k][s]) u -= laws[k][s++];
            p[k * SYMBOLS + (uint32_t)s] += 1 / drawn[k];
        }
    }
}

static void scatter(void)
{
    double p[CLASSES * SYMBOLS], first[2] = { 0 }, second[2] = { 0 };
    const struct kl_limit of = kl_bits_bayes_limit(NULL, laws[0], drawn, CLASSES, SYMBOLS, ROW);
    for (uint32_t i = 0; i < TIMES; i++) {
        sample(p, i);
        const struct kl_limit found = kl_bits_bayes_limit(NULL, p, NULL, CLASSES, SYMBOLS, ROW);
        const double off[2] = { found.accuracy - of.accuracy, found.information - of.information };
        for (int v = 0; v < 2; v++) first[v] += off[v] / TIMES, second[v] += off[v] * off[v] / TIMES;
    }
    const double accuracy = sqrt(second[0] - first[0] * first[0]),
                 information = sqrt(second[1] - first[1] * first[1]);
    CHECK(fabs(of.accuracy_error / accuracy - 1) < 0.08, "%g, found %g", accuracy, of.accuracy_error);
    CHECK(fabs(of.information_error / information - 1) < 0.08, "%g, found %g", information,
          of.information_error);
}

/* One symbol a row, laws (a, 1 - a) and (b, 1 - b): accuracy (1 + a - b) / 2, so its variance is a
   quarter of that of both shares. */
static void by_hand(void)
{
    const double p[] = { 0.7, 0.3, 0.4, 0.6 }, n[] = { 50, 200 };
    const struct kl_limit of = kl_bits_bayes_limit(NULL, p, n, 2, 2, 1);
    CHECK(fabs(of.accuracy - 0.65) < 1e-14, "%.17g", of.accuracy);
    CHECK(fabs(of.accuracy_error - sqrt(0.21 / 50 + 0.24 / 200) / 2) < 1e-14, "%.17g",
          of.accuracy_error);
}

int main(void)
{
    scatter();
    by_hand();
    return failures != 0;
}
