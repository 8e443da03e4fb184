/* SPDX-License-Identifier: MIT
   Intervals of divergences: against NumPy's quantiles, with infinite samples, and how often they cover
   the true divergence of two known laws. */
#include <math.h>
#include <stdlib.h>

#include "../check.h"
#include "kernels/inline/philox.h"
#include "qrng/pairs/tournament.h"

enum { N = 11 };
static const double values[N] = { 0.9, 1.4, 0.2, 2.6, 1.1, 0.7, 1.9, 3.1, 0.5, 1.2, 1.6 };

static void found(double estimate, bool distance, double low, double high)
{
    double copy[N];
    for (int i = 0; i < N; i++) copy[i] = values[i];
    const struct kl_interval of = kl_bits_divergence_interval(estimate, copy, N, distance);
    CHECK(fabs(of.low - low) < 1e-13 && fabs(of.high - high) < 1e-13,
          "%g: found %.16g to %.16g, expected %.16g to %.16g", estimate, of.low, of.high, low, high);
}

/* numpy.quantile(v, [.025, .975]) - 2 (mean(v) - estimate), the roots of that of squares; at least 0. */
static void numbers(void)
{
    found(1.0, false, 0, 2.211363636363637);
    found(1.3, false, 0.11136363636363689, 2.811363636363637);
    found(2.0, true, 1.6932352035513123, 3.4164375385107593);
    found(0.1, false, 0, 0.411363636363637);
}

static void infinite(void)
{
    double many[100], none[3] = { INFINITY, INFINITY, INFINITY };
    for (int i = 0; i < 100; i++) many[i] = i < 2 ? INFINITY : 1;
    struct kl_interval of = kl_bits_divergence_interval(1, many, 100, false);
    CHECK(of.low == 1 && of.high == 1, "two of 100: %g to %g", of.low, of.high);
    for (int i = 0; i < 100; i++) many[i] = i < 4 ? INFINITY : 1;
    of = kl_bits_divergence_interval(1, many, 100, false);
    CHECK(of.low == 1 && isinf(of.high), "four of 100: %g to %g", of.low, of.high);
    of = kl_bits_divergence_interval(1, none, 3, false);
    CHECK(of.low == 0 && isinf(of.high), "all: %g to %g", of.low, of.high);
    of = kl_bits_divergence_interval(INFINITY, many, 100, false);
    CHECK(isnan(of.low) && isnan(of.high), "itself: %g to %g", of.low, of.high);
}

enum { ROWS = 100, BITS = 20 };

/* Rows of devices by turns, whose bits are ones with probability one, two. */
static void draw(struct kl_bits *b, double one, double two, uint32_t number)
{
    for (uint32_t r = 0; r < 2 * ROWS; r++) {
        b->words[r] = 0, b->device[r] = (int32_t)(r % 2);
        for (uint32_t j = 0; j < BITS; j++) {
            uint32_t w[4];
            kl_philox(w, number, j, 999, r, 0);
            b->words[r] |= (uint64_t)(kl_philox_unit(w[0]) < (r % 2 ? two : one)) << j;
        }
    }
}

/* Of 400 pairs those whose interval has the truth in it, by divergence. */
static void cover(double *covered, double one, double two, int width)
{
    enum { TIMES = 400 };
    uint64_t words[2 * ROWS];
    int32_t device[2 * ROWS];
    char names[2][KL_BITS_NAME] = { "1", "2" };
    struct kl_bits b = { .n_rows = 2 * ROWS,
                         .n_bits = BITS,
                         .words_per_row = 1,
                         .words = words,
                         .device = device,
                         .n_devices = 2,
                         .names = names,
                         .symbol_bits = width };
    const struct kl_tournament_options o = { .resamples = 400 };
    double truth[2] = { 0 }; /* Jensen-Shannon, total variation */
    for (unsigned s = 0; s < 1u << width; s++) {
        double p = 1, q = 1;
        for (int i = 0; i < width; i++) p *= s >> i & 1 ? one : 1 - one, q *= s >> i & 1 ? two : 1 - two;
        truth[0] += (p * log(2 * p / (p + q)) + q * log(2 * q / (p + q))) / 2;
        truth[1] += fabs(p - q) / 2;
    }
    covered[0] = covered[1] = 0;
    for (uint32_t i = 0; i < TIMES; i++) {
        static const int which[2] = { KL_DIV_JS, KL_DIV_TV };
        struct kl_tournament t;
        struct kl_error err = { 0 };
        draw(&b, one, two, i);
        CHECK(kl_pairs_tournament_run(&t, &b, &o, NULL, NULL, &err) == 0, "%s", err.text);
        for (int k = 0; k < 2; k++)
            covered[k] += (t.pairs[0].low[which[k]] <= truth[k] + 1e-15 &&
                           truth[k] <= t.pairs[0].high[which[k]] + 1e-15) /
                          (double)TIMES;
        kl_pairs_tournament_free(&t);
    }
}

/* Differences of none, one and four standard errors, of symbols of one bit and of two. Reflection about
   the estimate covers 0.66 to 0.9 of them. */
static void coverage(void)
{
    for (int width = 1; width <= 2; width++)
        for (int step = 0; step < 4; step++) {
            const double apart = step * step * 0.5 / sqrt(BITS * ROWS) * 0.7;
            double covered[2];
            cover(covered, 0.5, 0.5 + apart, width);
            CHECK(covered[0] > 0.9 && covered[1] > 0.9, "%g apart, %d bits: %g and %g", apart, width,
                  covered[0], covered[1]);
        }
}

int main(void)
{
    numbers();
    infinite();
    coverage();
    return failures != 0;
}
