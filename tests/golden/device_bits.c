/* SPDX-License-Identifier: MIT
   Bits of the study's three devices and their statistics against expected.json (NumPy, SciPy), to 1e-12.
 */
#include <jansson.h>
#include <math.h>

#include "golden.h"
#include "stats/stats.h"
#include "qrng/bits/bits_int.h"
#include "qrng/bits/bits.h"

static int failures, checks;

static void expect(const char *what, double found, double expected)
{
    checks++;
    if (fabs(found - expected) <= 1e-12 * fmax(fabs(expected), 1e-3)) return;
    fprintf(stderr, "%s: found %.17g, expected %.17g\n", what, found, expected);
    failures++;
}

static json_t *member(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    golden_need(value != NULL, name);
    return value;
}

/* A number, or the numbers of a list, against the statistic's values from `first` on. */
static void check_statistic(json_t *golden, const char *name, const char *statistic, size_t first,
                            const struct kl_tally *t)
{
    double values[512];
    const json_t *value = member(golden, name);
    const struct kl_statistic *s = kl_bits_statistic_find(statistic);
    golden_need(s && kl_bits_statistic_width(s, t->n_bits, t->symbol_bits) <= 512, statistic);
    kl_bits_statistic_values(values, NULL, s, t);
    if (!json_is_array(value)) {
        expect(name, values[first], json_number_value(value));
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        expect(name, values[first + i], json_number_value(json_array_get(value, i)));
}

static void check_device(json_t *golden, const struct kl_tally *t)
{
    static const struct {
        const char *name, *statistic;
        size_t first;
    } pairs[] = {
        { "freq1", "device_stats/rate", 0 },
        { "freq1_even_positions", "device_stats/phase_rate", 0 },
        { "freq1_odd_positions", "device_stats/phase_rate", 1 },
        { "entropy_pooled_bits", "device_stats/entropy_pooled", 0 },
        { "entropy_per_row_mean", "device_stats/entropy_row_mean", 0 },
        { "entropy_per_row_std", "device_stats/entropy_row_std", 0 },
        { "chi2_per_row_mean", "device_stats/chi_square_mean", 0 },
        { "chi2_per_row_std", "device_stats/chi_square_std", 0 },
        { "transition_counts_00_01_10_11", "device_stats/transition_counts", 0 },
        { "transition_joint", "device_stats/transition_joint", 0 },
        { "transition_conditional", "device_stats/transition_conditional", 0 },
        { "autocorr_lag1_pearson_per_row_mean", "device_stats/autocorrelation_pearson", 0 },
        { "autocorr_lag1_to_19_figure2", "device_stats/autocorrelation", 0 },
        { "row_mean_std", "device_stats/row_rate_std", 0 },
        { "row_mean_min", "device_stats/row_rate_min", 0 },
        { "row_mean_max", "device_stats/row_rate_max", 0 },
    };
    double above;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check_statistic(golden, pairs[i].name, pairs[i].statistic, pairs[i].first, t);
    kl_bits_statistic_values(&above, NULL, kl_bits_statistic_find("device_stats/chi_square_above"), t);
    expect("chi2_rows_above_3.841", above * (double)t->rows,
           json_number_value(member(golden, "chi2_rows_above_3.841")));
    for (size_t i = 0; i < 14; i++)
        expect(
            "run lengths", (double)t->reference_runs[i],
            json_number_value(json_array_get(member(golden, "run_lengths_first_500_rows_1_to_14"), i)));
}

static void check_fit(json_t *golden, const struct kl_tally *t)
{
    struct kl_fit fit;
    kl_bits_symbol_width_test(&fit, t);
    expect("within phi", fit.inside.phi, json_number_value(member(golden, "within_pair_phi")));
    expect("within", fit.inside.chi_square, json_number_value(member(golden, "within_pair_chi2_df1")));
    expect("within p", fit.inside.log10_p, json_number_value(member(golden, "within_pair_log10_p")));
    expect("across phi", fit.between.phi, json_number_value(member(golden, "across_pair_phi")));
    expect("successive", fit.successive_chi_square,
           json_number_value(member(golden, "successive_pairs_chi2_df9")));
    expect("successive df", fit.successive_df, 9);
    expect("successive p", pow(10, fit.successive_log10_p),
           json_number_value(member(golden, "successive_pairs_p")));
    for (int phase = 0; phase < 2; phase++) {
        json_t *place = member(golden, phase ? "odd_positions_homogeneity_chi2_df49_p"
                                             : "even_positions_homogeneity_chi2_df49_p");
        expect("places", fit.place_chi_square[phase], json_number_value(json_array_get(place, 0)));
        expect("places p", pow(10, fit.place_log10_p[phase]),
               json_number_value(json_array_get(place, 1)));
    }
    expect("dispersion", fit.dispersion_chi_square,
           json_number_value(member(golden, "dispersion_over_rows_chi2_df6000_approx")));
    expect("dispersion df", fit.dispersion_df, 1999 * 3); /* golden: about, 6000 */
    expect("dispersion p", pow(10, kl_stats_chi_square_log10_p(fit.dispersion_chi_square, 6000)),
           json_number_value(member(golden, "dispersion_p")));
}

static void check_data(json_t *data, const struct kl_bits *bits, const struct kl_tallies *t)
{
    expect("rows", (double)bits->n_rows, json_number_value(member(data, "rows")));
    expect("bits", (double)bits->n_bits, json_number_value(member(data, "bits")));
    for (int d = 0; d < 3; d++) {
        const struct kl_tally *tally = &t->devices[d];
        json_t *rows = json_array_get(member(data, "rows_per_label"), (size_t)d);
        expect("rows of a label", (double)tally->rows, json_number_value(rows));
        check_statistic(member(data, "ones_per_position"), bits->names[d], "device_stats/position_ones",
                        0, tally);
        check_statistic(member(data, "pair_symbol_counts_00_01_10_11"), bits->names[d],
                        "device_stats/symbol_counts", 0, tally);
    }
}

static void check_pairs(json_t *golden, const struct kl_tallies *t)
{
    const json_t *sound = member(member(golden, "sound"), "pairwise");
    size_t k = 0;
    for (int a = 0; a < 3; a++)
        for (int b = a + 1; b < 3; b++, k++) {
            const struct kl_tally *x = &t->devices[a], *y = &t->devices[b];
            char name[8];
            snprintf(name, sizeof name, "%dv%d", a + 1, b + 1);
            expect("position divergence", kl_bits_reference_position_divergence(x, y),
                   json_number_value(member(member(golden, "js_position_frequencies_reference"), name)));
            expect("normalised first", kl_bits_position_divergence(x, y),
                   json_number_value(
                       member(member(golden, "js_position_frequencies_normalised_first"), name)));
            expect("histogram divergence", kl_bits_reference_histogram_divergence(x, y),
                   json_number_value(member(member(golden, "unified_histogram_kl"), name)));
            expect("symbol divergence", kl_bits_jensen_shannon(NULL, x->symbols, y->symbols, 4),
                   json_number_value(member(json_array_get(sound, k), "js_nats_per_symbol")));
        }
}

/* Bits into tallies of two devices. */
static void count_golden(struct kl_tallies *t, json_t *golden)
{
    struct kl_error err = { 0 };
    const int symbol_bits = (int)json_integer_value(member(golden, "symbol_bits"));
    for (int d = 0; d < 2; d++) {
        const json_t *rows = json_array_get(member(golden, "rows"), (size_t)d);
        const size_t n = strlen(json_string_value(json_array_get(rows, 0)));
        if (d == 0) must(kl_bits_tallies_begin(t, n, symbol_bits, &err), &err);
        for (size_t r = 0; r < json_array_size(rows); r++) {
            const char *text = json_string_value(json_array_get(rows, r));
            uint64_t word = 0;
            int32_t device = d;
            for (size_t j = 0; j < n; j++) word |= (uint64_t)(text[j] - '0') << j;
            const struct kl_bits block = {
                1, n, 1, &word, &device, 0, NULL, symbol_bits, 0, NULL, 0, 0
            };
            must(kl_bits_tallies_add(t, &block, &err), &err);
        }
    }
    kl_bits_tallies_finish(t);
}

static void expect_roughly(const char *name, size_t i, double found, const json_t *list)
{
    const json_t *one = json_is_array(list) ? json_array_get(list, i) : list;
    const double expected = json_number_value(one);
    checks++;
    if (one && fabs(found - expected) <= 1e-6 * fabs(expected) + 1e-9) return;
    fprintf(stderr, "%s [%zu]: found %.12g, expected %.12g\n", name, i, found, expected);
    failures++;
}

/* Every statistic with an error must be in the file. */
static void check_errors(json_t *golden)
{
    struct kl_tallies t;
    double values[512], errors[512];
    count_golden(&t, golden);
    for (int d = 0; d < 2; d++)
        for (const struct kl_statistic *s = kl_statistics; s->name; s++) {
            if (!s->has_error) continue;
            json_t *one = member(json_array_get(member(golden, "devices"), (size_t)d),
                                 s->name + strlen("device_stats/"));
            kl_bits_statistic_values(values, errors, s, &t.devices[d]);
            for (size_t i = 0; i < kl_bits_statistic_width(s, t.n_bits, t.symbol_bits); i++) {
                expect_roughly(s->name, i, values[i], member(one, "value"));
                expect_roughly(s->name, i, errors[i], member(one, "se"));
            }
        }
    json_t *pair = member(member(golden, "pair"), "js_symbol");
    values[0] = kl_bits_jensen_shannon(errors, t.devices[0].symbols, t.devices[1].symbols,
                                       (size_t)1 << t.symbol_bits);
    expect_roughly("js_symbol", 0, values[0], member(pair, "value"));
    expect_roughly("js_symbol error", 0, errors[0], member(pair, "se"));
    kl_bits_tallies_free(&t);
}

static void check_all(json_t *golden, const char *data)
{
    struct kl_error err = { 0 };
    struct kl_bits bits = { 0 };
    struct kl_tallies tallies = { 0 };
    must(kl_bits_read_files(&bits, (const char *[]){ data }, 1,
                            &(struct kl_bits_how){ .symbol_bits = 2 }, &err),
         &err);
    must(kl_bits_tallies_begin(&tallies, bits.n_bits, bits.symbol_bits, &err), &err);
    must(kl_bits_tallies_add(&tallies, &bits, &err), &err);
    kl_bits_tallies_finish(&tallies);
    check_data(member(golden, "data"), &bits, &tallies);
    for (int d = 0; d < 3; d++) {
        check_device(member(member(golden, "devices"), bits.names[d]), &tallies.devices[d]);
        check_fit(member(member(member(golden, "sound"), "pair_model_fit"), bits.names[d]),
                  &tallies.devices[d]);
    }
    check_pairs(golden, &tallies);
    kl_bits_tallies_free(&tallies);
    kl_bits_free(&bits);
}

int main(void)
{
    char path[4096], data[4096];
    const char *shared = getenv("KETLINE_SHARED");
    snprintf(path, sizeof path, "%s/reference/qrng/expected.json", shared ? shared : "../shared");
    snprintf(data, sizeof data, "%s/data/qrng/AI_2qubits_training_data.txt",
             shared ? shared : "../shared");
    json_t *golden = json_load_file("tests/golden/device_bits.json", 0, NULL);
    golden_need(golden != NULL, "tests/golden/device_bits.json");
    check_errors(golden);
    json_decref(golden);
    golden = json_load_file(path, 0, NULL);
    const bool there = golden != NULL;
    if (there) check_all(golden, data);
    json_decref(golden);
    printf("%d checks, %d failed\n", checks, failures);
    if (!failures && !there) printf("skipped: the study's bits, for there is no %s\n", path);
    return failures ? 1 : there ? 0 : 77;
}
