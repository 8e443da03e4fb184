/* SPDX-License-Identifier: MIT
   The statistics of a device, each with its standard error, as functions of what was counted; a
   table by name. */
#include "qrng/bits/bits_int.h"

#include <math.h>
#include <string.h>

/* ---- of the ones in a row ---- */
/* Functions of the number of ones in a row: its histogram says all about them. */

/* Mean and deviation (population) over rows of a function of the number of ones, with their standard
   errors: s / sqrt(R), and by the fourth moment. */
struct moments {
    double mean, mean_error, deviation, deviation_error;
};

/* Of a bit that is 1 with probability p. */
static double entropy_bits(double p)
{
    return p > 0 && p < 1 ? -(p * log2(p) + (1 - p) * log2(1 - p)) : 0;
}

/* Of a row: the rate, its entropy in bits, chi-squared of ones and zeros against a fair coin. */
static double rate_of(double ones, double n)
{
    return ones / n;
}

static double entropy_of(double ones, double n)
{
    return entropy_bits(ones / n);
}

static double chi_square_of(double ones, double n)
{
    return 4 * (ones - n / 2) * (ones - n / 2) / n;
}

/* Standard error of a mean over R rows from the sums of values and of squares. */
static double mean_error(double sum, double squares, double rows)
{
    const double mean = sum / rows;
    return sqrt(fmax(0, squares / rows - mean * mean) / rows);
}

static struct moments ones_moments(const struct kl_tally *t, double (*f)(double ones, double n))
{
    const double rows = (double)t->rows, n = (double)t->n_bits;
    double mean = 0, second = 0, fourth = 0;
    for (size_t c = 0; c <= t->n_bits; c++)
        if (t->ones_rows[c]) mean += (double)t->ones_rows[c] * f((double)c, n);
    mean /= rows;
    for (size_t c = 0; c <= t->n_bits; c++) {
        if (!t->ones_rows[c]) continue;
        const double d = f((double)c, n) - mean, square = d * d;
        second += (double)t->ones_rows[c] * square;
        fourth += (double)t->ones_rows[c] * square * square;
    }
    second /= rows;
    fourth /= rows;
    return (struct moments){ mean, sqrt(second / rows), sqrt(second),
                             sqrt(fmax(0, fourth - second * second) / second / rows) / 2 };
}

static void stat_row_rate_min(double *values, double *errors, const struct kl_tally *t)
{
    size_t c = 0;
    (void)errors;
    while (c < t->n_bits && !t->ones_rows[c]) c++;
    *values = (double)c / (double)t->n_bits;
}

static void stat_row_rate_max(double *values, double *errors, const struct kl_tally *t)
{
    size_t c = t->n_bits;
    (void)errors;
    while (c > 0 && !t->ones_rows[c]) c--;
    *values = (double)c / (double)t->n_bits;
}

static void stat_entropy_pooled(double *values, double *errors, const struct kl_tally *t)
{
    const struct moments m = ones_moments(t, rate_of);
    *values = entropy_bits(m.mean);
    if (errors) *errors = fabs(log2((1 - m.mean) / m.mean)) * m.mean_error;
}

static double is_above(double ones, double n)
{
    return chi_square_of(ones, n) > 3.841; /* the 95 % point with one degree of freedom */
}

/* ---- by place ---- */
/* By the place in a row or in a symbol. Errors: multinomial, places and symbols independent. */

static void put_share(double *value, double *error, double count, double of)
{
    const double p = count / of;
    *value = p;
    if (error) *error = sqrt(p * (1 - p) / of);
}

static void stat_position_rate(double *values, double *errors, const struct kl_tally *t)
{
    for (size_t j = 0; j < t->n_bits; j++)
        put_share(values + j, errors ? errors + j : NULL, (double)t->ones_at[j], (double)t->rows);
}

static void stat_phase_rate(double *values, double *errors, const struct kl_tally *t)
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

static void stat_symbol_probability(double *values, double *errors, const struct kl_tally *t)
{
    for (size_t s = 0; s >> t->symbol_bits == 0; s++)
        put_share(values + s, errors ? errors + s : NULL, (double)t->symbols[s], symbols_of(t));
}

/* Error of a sum of f(p): sqrt((E f'^2 - (E f')^2) / N), here of -log2 p. */
static void stat_symbol_entropy(double *values, double *errors, const struct kl_tally *t)
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

/* ---- of neighbouring bits ---- */
/* Errors: over rows, those of a ratio by its linear part. */

static void stat_transition_joint(double *values, double *errors, const struct kl_tally *t)
{
    const double rows = (double)t->rows, steps = (double)t->n_bits - 1;
    for (int i = 0; i < 4; i++) {
        const double sum = (double)t->transitions[i];
        values[i] = sum / (rows * steps);
        if (errors) errors[i] = mean_error(sum, t->transition_products[i][i], rows) / steps;
    }
}

/* P(b'|b) = A / B; B: all steps that begin with b. */
static void stat_transition_conditional(double *values, double *errors, const struct kl_tally *t)
{
    for (int i = 0; i < 4; i++) {
        const double(*p)[4] = t->transition_products;
        const double a = (double)t->transitions[i], b = a + (double)t->transitions[i ^ 1], r = a / b;
        const double aa = p[i][i], ab = aa + p[i][i ^ 1], bb = ab + p[i][i ^ 1] + p[i ^ 1][i ^ 1];
        values[i] = r;
        if (errors) errors[i] = sqrt(fmax(0, aa - 2 * r * ab + r * r * bb)) / b;
    }
}

static void stat_runs_per_row(double *values, double *errors, const struct kl_tally *t)
{
    const double(*p)[4] = t->transition_products;
    const double rows = (double)t->rows, changes = (double)(t->transitions[1] + t->transitions[2]);
    *values = changes / rows + 1;
    if (errors) *errors = mean_error(changes, p[1][1] + 2 * p[1][2] + p[2][2], rows);
}

static void stat_run_lengths(double *values, double *errors, const struct kl_tally *t)
{
    const double rows = (double)t->rows;
    for (int i = 0; i < KL_RUN_LENGTHS; i++) {
        values[i] = (double)t->runs[i] / rows;
        if (errors) errors[i] = mean_error((double)t->runs[i], t->run_squares[i], rows);
    }
}

/* Rows of equal bits have no correlation and are left out. */
static void stat_autocorrelation(double *values, double *errors, const struct kl_tally *t)
{
    for (int k = 0; k < KL_LAGS; k++) {
        const bool defined = t->varied && (size_t)k + 1 < t->n_bits;
        values[k] = defined ? t->lag[k] / (double)t->varied : NAN;
        if (errors)
            errors[k] = defined ? mean_error(t->lag[k], t->lag_squares[k], (double)t->varied) : NAN;
    }
}

static void stat_autocorrelation_pearson(double *values, double *errors, const struct kl_tally *t)
{
    *values = t->pearson_rows ? t->pearson / (double)t->pearson_rows : NAN;
    if (errors) *errors = mean_error(t->pearson, t->pearson_squares, (double)t->pearson_rows);
}

/* ---- by name ---- */

/* The counts of a tally, which their number tells apart. */
static const int64_t *counts_of(const struct kl_tally *t, enum kl_width width)
{
    switch (width) {
    case KL_PER_ONES: return t->ones_rows;
    case KL_PER_BIT: return t->ones_at;
    case KL_PER_SYMBOL: return t->symbols;
    case KL_PER_TRANSITION: return t->transitions;
    case KL_PER_RUN: return t->runs;
    default: return &t->rows;
    }
}

#define COUNT(n, w)                                          \
    {                                                        \
        .name = "device_stats/" n, .width = w, .count = true \
    }
#define ERROR(n, w, f)                                                    \
    {                                                                     \
        .name = "device_stats/" n, .width = w, .has_error = true, .of = f \
    }
#define MOMENT(n, f, d)                                                            \
    {                                                                              \
        .name = "device_stats/" n, .has_error = true, .of_ones = f, .deviation = d \
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
    COUNT("rows", KL_ONE),
    COUNT("ones_histogram", KL_PER_ONES),
    COUNT("position_ones", KL_PER_BIT),
    COUNT("symbol_counts", KL_PER_SYMBOL),
    COUNT("transition_counts", KL_PER_TRANSITION),
    COUNT("run_length_counts", KL_PER_RUN),
    MOMENT("rate", rate_of, false),
    MOMENT("row_rate_std", rate_of, true),
    BARE("row_rate_min", KL_ONE, stat_row_rate_min),
    BARE("row_rate_max", KL_ONE, stat_row_rate_max),
    ERROR("position_rate", KL_PER_BIT, stat_position_rate),
    ERROR("phase_rate", KL_PER_PHASE, stat_phase_rate),
    ERROR("entropy_pooled", KL_ONE, stat_entropy_pooled),
    MOMENT("entropy_row_mean", entropy_of, false),
    MOMENT("entropy_row_std", entropy_of, true),
    MOMENT("chi_square_mean", chi_square_of, false),
    MOMENT("chi_square_std", chi_square_of, true),
    MOMENT("chi_square_above", is_above, false),
    ERROR("symbol_probability", KL_PER_SYMBOL, stat_symbol_probability),
    ERROR("symbol_entropy", KL_ONE, stat_symbol_entropy),
    ERROR("transition_joint", KL_PER_TRANSITION, stat_transition_joint),
    ERROR("transition_conditional", KL_PER_TRANSITION, stat_transition_conditional),
    ERROR("runs_per_row", KL_ONE, stat_runs_per_row),
    ERROR("run_lengths_per_row", KL_PER_RUN, stat_run_lengths),
    ERROR("autocorrelation", KL_PER_LAG, stat_autocorrelation),
    ERROR("autocorrelation_pearson", KL_ONE, stat_autocorrelation_pearson),
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

size_t kl_bits_statistic_width(const struct kl_statistic *s, size_t n_bits, int symbol_bits)
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

void kl_bits_statistic_values(double *values, double *errors, const struct kl_statistic *s,
                              const struct kl_tally *t)
{
    const size_t width = kl_bits_statistic_width(s, t->n_bits, t->symbol_bits);
    struct kl_fit fit = { 0 };
    for (size_t i = 0; s->count && i < width; i++) values[i] = (double)counts_of(t, s->width)[i];
    if (s->count) return;
    if (s->of) {
        s->of(values, errors, t);
        return;
    }
    if (s->of_ones) {
        const struct moments m = ones_moments(t, s->of_ones);
        *values = s->deviation ? m.deviation : m.mean;
        if (errors) *errors = s->deviation ? m.deviation_error : m.mean_error;
        return;
    }
    kl_bits_symbol_width_test(&fit, t);
    memcpy(values, (const char *)&fit + s->field, width * sizeof *values);
}

const struct kl_statistic *kl_bits_statistic_find(const char *name)
{
    for (const struct kl_statistic *s = kl_statistics; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}
