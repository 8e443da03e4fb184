/* SPDX-License-Identifier: MIT
   The standards on the study's devices: monobit test, most common value, Markov chain and mutual
   information against reference/qrng/expected.json of the shared folder. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "golden.h"
#include "qrng/nist/nist.h"

static int failures;
static struct kl_error err;

static void expect(const char *what, double found, const json_t *expected, double bound)
{
    const double value = json_number_value(expected);
    golden_need(json_is_number(expected), what);
    if (fabs(found - value) <= bound * fabs(value)) return;
    fprintf(stderr, "%s: found %.15g, expected %.15g\n", what, found, value);
    failures++;
}

static json_t *of(json_t *object, const char *first, const char *second)
{
    json_t *found = json_object_get(object, first);
    return second ? json_object_get(found, second) : found;
}

static void check_device(const struct kl_nist_device *d, const char *name, json_t *stream)
{
    expect("monobit log10 p", d->suites[0].values[0].log10_p, of(stream, "sp800_22_monobit", "log10_p"),
           1e-12);
    /* The reference has the quantile itself where the standard has 2.576. */
    expect("most common bit", d->bit_h[KL_NIST90B_MOST_COMMON], of(stream, "mcv_bits", "min_entropy"),
           1e-6);
    expect("most common symbol", d->symbol_h[KL_NIST90B_MOST_COMMON],
           of(stream, "mcv_pair_symbols", "min_entropy"), 1e-6);
    expect("Markov", d->bit_h[KL_NIST90B_MARKOV], of(stream, "markov_min_entropy_per_bit", NULL), 1e-12);
    if (d->assessed > 2 * d->bit_h[KL_NIST90B_MARKOV] ||
        d->assessed > d->symbol_h[KL_NIST90B_MOST_COMMON]) {
        fprintf(stderr, "device %s: assessed %g, more than its parts\n", name, d->assessed);
        failures++;
    }
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    struct kl_bits bits = { 0 };
    struct kl_nist_report report = { 0 };
    struct kl_nist_options options;
    struct kl_pool *pool = NULL;
    const struct kl_bits_how how = { .symbol_bits = 2 };
    snprintf(path, sizeof path, "%s/reference/qrng/expected.json", shared ? shared : "../shared");
    json_t *expected = json_load_file(path, 0, NULL);
    if (!expected) return printf("skipped: %s is absent\n", path), 77;
    snprintf(path, sizeof path, "%s/data/qrng/AI_2qubits_training_data.txt",
             shared ? shared : "../shared");
    kl_nist_options_default(&options);
    options.permutations = 0;
    must(kl_bits_read_files(&bits, (const char *[]){ path }, 1, &how, &err), &err);
    must(kl_pool_create(&pool, 0, &err), &err);
    must(kl_nist_report(&report, &bits, &options, pool, NULL, &err), &err);
    json_t *sound = of(expected, "sound", NULL);
    json_t *streams = of(sound, "stream_of_200000_bits_per_device", NULL);
    golden_need(report.n_devices == 3 && streams, "streams");
    for (size_t i = 0; i < report.n_devices; i++)
        check_device(&report.devices[i], report.names[i], json_object_get(streams, report.names[i]));
    expect("information", report.information, of(sound, "mutual_information_label_row_bits", NULL),
           1e-10);
    kl_nist_report_free(&report);
    kl_pool_destroy(&pool);
    kl_bits_free(&bits);
    json_decref(expected);
    return failures != 0;
}
