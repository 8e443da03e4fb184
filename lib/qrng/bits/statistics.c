/* SPDX-License-Identifier: MIT
   The statistics of a device, by name. */
#include "qrng/bits/statistics_int.h"

#include <string.h>

static void count_rows(double *values, double *errors, const struct kl_tally *t)
{
    (void)errors;
    *values = (double)t->rows;
}

static void put_counts(double *values, const int64_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++) values[i] = (double)counts[i];
}

static void count_ones(double *values, double *errors, const struct kl_tally *t)
{
    (void)errors;
    put_counts(values, t->ones_rows, t->n_bits + 1);
}

static void count_symbols(double *values, double *errors, const struct kl_tally *t)
{
    (void)errors;
    put_counts(values, t->symbols, (size_t)1 << t->symbol_bits);
}

static void count_transitions(double *values, double *errors, const struct kl_tally *t)
{
    (void)errors;
    put_counts(values, t->transitions, 4);
}

static void count_runs(double *values, double *errors, const struct kl_tally *t)
{
    (void)errors;
    put_counts(values, t->runs, KL_RUN_LENGTHS);
}

static void count_positions(double *values, double *errors, const struct kl_tally *t)
{
    (void)errors;
    put_counts(values, t->ones_at, t->n_bits);
}

#define COUNT(n, w, f)                                                \
    {                                                                 \
        .name = "device_stats/" n, .width = w, .count = true, .of = f \
    }
#define ERROR(n, w, f)                                                    \
    {                                                                     \
        .name = "device_stats/" n, .width = w, .has_error = true, .of = f \
    }
#define BARE(n, w, f)                                  \
    {                                                  \
        .name = "device_stats/" n, .width = w, .of = f \
    }
#define TEST(n, w, f)                                                              \
    {                                                                              \
        .name = "device_tests/" n, .width = w, .field = offsetof(struct kl_fit, f) \
    }
const struct kl_statistic kl_statistics[] = {
    COUNT("rows", KL_ONE, count_rows),
    COUNT("ones_histogram", KL_PER_ONES, count_ones),
    COUNT("position_ones", KL_PER_BIT, count_positions),
    COUNT("symbol_counts", KL_PER_SYMBOL, count_symbols),
    COUNT("transition_counts", KL_PER_TRANSITION, count_transitions),
    COUNT("run_length_counts", KL_PER_RUN, count_runs),
    ERROR("rate", KL_ONE, kl_stat_rate),
    ERROR("row_rate_std", KL_ONE, kl_stat_row_rate_std),
    BARE("row_rate_min", KL_ONE, kl_stat_row_rate_min),
    BARE("row_rate_max", KL_ONE, kl_stat_row_rate_max),
    ERROR("position_rate", KL_PER_BIT, kl_stat_position_rate),
    ERROR("phase_rate", KL_PER_PHASE, kl_stat_phase_rate),
    ERROR("entropy_pooled", KL_ONE, kl_stat_entropy_pooled),
    ERROR("entropy_row_mean", KL_ONE, kl_stat_entropy_row_mean),
    ERROR("entropy_row_std", KL_ONE, kl_stat_entropy_row_std),
    ERROR("chi_square_mean", KL_ONE, kl_stat_chi_square_mean),
    ERROR("chi_square_std", KL_ONE, kl_stat_chi_square_std),
    ERROR("chi_square_above", KL_ONE, kl_stat_chi_square_above),
    ERROR("symbol_probability", KL_PER_SYMBOL, kl_stat_symbol_probability),
    ERROR("symbol_entropy", KL_ONE, kl_stat_symbol_entropy),
    ERROR("transition_joint", KL_PER_TRANSITION, kl_stat_transition_joint),
    ERROR("transition_conditional", KL_PER_TRANSITION, kl_stat_transition_conditional),
    ERROR("runs_per_row", KL_ONE, kl_stat_runs_per_row),
    ERROR("run_lengths_per_row", KL_PER_RUN, kl_stat_run_lengths),
    ERROR("autocorrelation", KL_PER_LAG, kl_stat_autocorrelation),
    ERROR("autocorrelation_pearson", KL_ONE, kl_stat_autocorrelation_pearson),
    TEST("inside_phi", KL_ONE, inside.phi),
    TEST("inside_chi_square", KL_ONE, inside.chi_square),
    TEST("inside_log10_p", KL_ONE, inside.log10_p),
    TEST("between_phi", KL_ONE, between.phi),
    TEST("between_chi_square", KL_ONE, between.chi_square),
    TEST("between_log10_p", KL_ONE, between.log10_p),
    TEST("successive_chi_square", KL_ONE, successive_chi_square),
    TEST("successive_df", KL_ONE, successive_df),
    TEST("successive_log10_p", KL_ONE, successive_log10_p),
    TEST("successive_least_expected", KL_ONE, successive_least),
    TEST("place_chi_square", KL_PER_PHASE, place_chi_square),
    TEST("place_log10_p", KL_PER_PHASE, place_log10_p),
    TEST("dispersion_chi_square", KL_ONE, dispersion_chi_square),
    TEST("dispersion_df", KL_ONE, dispersion_df),
    TEST("dispersion_log10_p", KL_ONE, dispersion_log10_p),
    { 0 },
};

size_t kl_statistic_width(const struct kl_statistic *s, size_t n_bits, int symbol_bits)
{
    switch (s->width) {
    case KL_PER_TRANSITION: return 4;
    case KL_PER_LAG: return KL_LAGS;
    case KL_PER_RUN: return KL_RUN_LENGTHS;
    case KL_PER_BIT: return n_bits;
    case KL_PER_ONES: return n_bits + 1;
    case KL_PER_SYMBOL: return (size_t)1 << symbol_bits;
    case KL_PER_PHASE: return (size_t)symbol_bits;
    default: return 1;
    }
}

void kl_statistic_values(double *values, double *errors, const struct kl_statistic *s,
                         const struct kl_tally *t)
{
    struct kl_fit fit = { 0 };
    if (s->of) {
        s->of(values, errors, t);
        return;
    }
    kl_tally_fit(&fit, t);
    memcpy(values, (const char *)&fit + s->field,
           kl_statistic_width(s, t->n_bits, t->symbol_bits) * sizeof *values);
}

const struct kl_statistic *kl_statistic_find(const char *name)
{
    for (const struct kl_statistic *s = kl_statistics; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}
