/* SPDX-License-Identifier: MIT
   Does the declared width of a symbol explain what depends on what? */
#include "qrng/bits/bits_int.h"

#include <math.h>

#include "qrng/bits/dependence.h"
#include "stats/stats.h"

/* If it does, bits depend on each other inside symbols alone, symbols follow each other independently,
   each place of a symbol has one rate wherever the symbol stands, and the counts of rows scatter as one
   multinomial law says. */

/* Independence of the two bits of counts 00 01 10 11. */
static struct kl_fit_pairs pairs(const double c[4])
{
    const double n = c[0] + c[1] + c[2] + c[3];
    const double margins = (c[0] + c[1]) * (c[2] + c[3]) * (c[0] + c[2]) * (c[1] + c[3]);
    const double phi = (c[0] * c[3] - c[1] * c[2]) / sqrt(margins);
    if (!(margins > 0)) return (struct kl_fit_pairs){ NAN, NAN, NAN };
    return (struct kl_fit_pairs){ phi, n * phi * phi, kl_stats_chi_square_log10_p(n * phi * phi, 1) };
}

static void fit_pairs(struct kl_fit *fit, const struct kl_tally *t)
{
    double inside[4], between[4];
    for (int i = 0; i < 4; i++) {
        inside[i] = (double)t->inside[i];
        between[i] = (double)(t->transitions[i] - t->inside[i]);
    }
    fit->inside = pairs(inside);
    fit->between = pairs(between);
}

static double log10_p(double chi_square, double df)
{
    return df > 0 ? kl_stats_chi_square_log10_p(chi_square, df) : NAN;
}

static void fit_successive(struct kl_fit *fit, const struct kl_tally *t)
{
    const struct kl_successive of = kl_bits_successive_test(t->successive, (size_t)1 << t->symbol_bits);
    fit->successive_chi_square = of.chi_square, fit->successive_df = of.df;
    fit->successive_log10_p = of.log10_p, fit->successive_least = of.least;
}

/* One rate at all places of a phase: sum over places of R (rate - mean)^2 / (mean (1 - mean)). */
static void fit_places(struct kl_fit *fit, const struct kl_tally *t)
{
    const size_t w = (size_t)t->symbol_bits, places = t->n_bits / w;
    const double rows = (double)t->rows;
    for (size_t phase = 0; phase < w; phase++) {
        int64_t ones = 0;
        for (size_t j = phase; j < t->n_bits; j += w) ones += t->ones_at[j];
        const double p = (double)ones / (rows * (double)places);
        double sum = 0;
        for (size_t j = phase; j < t->n_bits; j += w) {
            const double off = (double)t->ones_at[j] / rows - p;
            sum += rows * off * off;
        }
        const bool varies = p > 0 && p < 1;
        fit->place_chi_square[phase] = varies ? sum / (p * (1 - p)) : NAN;
        fit->place_log10_p[phase] =
            varies ? log10_p(fit->place_chi_square[phase], (double)places - 1) : NAN;
    }
}

/* Counts of rows against the device's: sum over rows and symbols of (count - expected)^2 / expected. */
static void fit_dispersion(struct kl_fit *fit, const struct kl_tally *t)
{
    const double rows = (double)t->rows;
    int symbols = 0;
    fit->dispersion_chi_square = 0;
    for (size_t s = 0; s >> t->symbol_bits == 0; s++) {
        const double expected = (double)t->symbols[s] / rows;
        if (!(expected > 0)) continue;
        symbols++;
        fit->dispersion_chi_square += (t->symbol_squares[s] - rows * expected * expected) / expected;
    }
    fit->dispersion_df = (rows - 1) * (symbols - 1);
    fit->dispersion_log10_p = log10_p(fit->dispersion_chi_square, fit->dispersion_df);
}

void kl_bits_symbol_width_test(struct kl_fit *fit, const struct kl_tally *t)
{
    fit_pairs(fit, t);
    fit_successive(fit, t);
    fit_places(fit, t);
    fit_dispersion(fit, t);
}
