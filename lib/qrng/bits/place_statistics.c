/* SPDX-License-Identifier: MIT
   Statistics by the place in a row or in a symbol. Errors: multinomial, places and symbols independent.
 */
#include <math.h>

#include "qrng/bits/statistics_int.h"

static void put_share(double *value, double *error, double count, double of)
{
    const double p = count / of;
    *value = p;
    if (error) *error = sqrt(p * (1 - p) / of);
}

void kl_stat_position_rate(double *values, double *errors, const struct kl_tally *t)
{
    for (size_t j = 0; j < t->n_bits; j++)
        put_share(values + j, errors ? errors + j : NULL, (double)t->ones_at[j], (double)t->rows);
}

void kl_stat_phase_rate(double *values, double *errors, const struct kl_tally *t)
{
    const size_t w = (size_t)t->symbol_bits;
    for (size_t phase = 0; phase < w; phase++) {
        int64_t ones = 0;
        for (size_t j = phase; j < t->n_bits; j += w) ones += t->ones_at[j];
        put_share(values + phase, errors ? errors + phase : NULL, (double)ones,
                  (double)t->rows * (double)(t->n_bits / w));
    }
}

static double symbols_of(const struct kl_tally *t)
{
    return (double)t->rows * (double)(t->n_bits / (size_t)t->symbol_bits);
}

void kl_stat_symbol_probability(double *values, double *errors, const struct kl_tally *t)
{
    for (size_t s = 0; s >> t->symbol_bits == 0; s++)
        put_share(values + s, errors ? errors + s : NULL, (double)t->symbols[s], symbols_of(t));
}

/* Error of a sum of f(p): sqrt((E f'^2 - (E f')^2) / N), here of -log2 p. */
void kl_stat_symbol_entropy(double *values, double *errors, const struct kl_tally *t)
{
    const double n = symbols_of(t);
    double mean = 0, squares = 0;
    for (size_t s = 0; s >> t->symbol_bits == 0; s++) {
        const double p = (double)t->symbols[s] / n, bits = p > 0 ? -log2(p) : 0;
        mean += p * bits;
        squares += p * bits * bits;
    }
    *values = mean;
    if (errors) *errors = sqrt(fmax(0, squares - mean * mean) / n);
}
