/* SPDX-License-Identifier: MIT
   The study's random streams against NumPy and scikit-learn (streams.h5, written by make_streams.py
   beside it), and its splits against those of the reference,
   $KETLINE_SHARED/reference/qrng/expected.json. */
#include <jansson.h>

#include "golden.h"
#include "qrng/classify/network.h"

enum { MOST = 6000, PER_DEVICE = 2000, TRAINING = 4800 };
static int failures;

/* RandomState(seed).permutation(n). */
static void permutation(int32_t *rows, size_t n, uint32_t seed)
{
    struct kl_nn_mersenne mt;
    kl_nn_mersenne_seed(&mt, seed);
    for (size_t i = 0; i < n; i++) rows[i] = (int32_t)i;
    kl_classify_mt19937_shuffle(rows, n, &mt);
}

static void expect(const char *what, const char *part, double found, double expected)
{
    if (found == expected) return;
    fprintf(stderr, "%s: %s: found %.17g, expected %.17g\n", what, part, found, expected);
    failures++;
}

static void check_words(hid_t group, uint32_t seed, const char *name)
{
    double words[16], units[16];
    struct kl_nn_mersenne mt;
    golden_values(words, 16, group, "words"), golden_values(units, 16, group, "units");
    kl_nn_mersenne_seed(&mt, seed);
    for (int i = 0; i < 2000; i++) {
        const uint32_t word = kl_nn_mersenne_word(&mt);
        if (i >= 1984) expect(name, "word", word, words[i - 1984]);
    }
    kl_nn_mersenne_seed(&mt, seed);
    for (int i = 0; i < 700; i++) {
        const double unit = kl_nn_mersenne_unit(&mt);
        if (i >= 684) expect(name, "unit", unit, units[i - 684]);
    }
}

static void check_permutations(hid_t group, uint32_t seed, const char *name)
{
    static const size_t sizes[] = { 1, 2, 300 };
    static double expected[300];
    static int32_t rows[300];
    for (int i = 0; i < 3; i++) {
        char part[32];
        snprintf(part, sizeof part, "permutation_%zu", sizes[i]);
        golden_values(expected, 300, group, part);
        permutation(rows, sizes[i], seed);
        for (size_t j = 0; j < sizes[i]; j++) expect(name, part, rows[j], expected[j]);
    }
}

static void check_stratified(hid_t group, uint32_t seed, const char *name)
{
    int32_t labels[120], train[120], test[120];
    double expected[120];
    size_t n_train, n_test;
    golden_values(expected, 120, group, "stratified");
    for (int i = 0; i < 120; i++) labels[i] = i * 7 % 3;
    kl_classify_mt19937_stratified(train, &n_train, test, &n_test, labels, 120, 3, 0.8, seed);
    expect(name, "rows of training", (double)n_train, 96),
        expect(name, "rows of test", (double)n_test, 24);
    for (int i = 0; i < 96; i++) expect(name, "training row", train[i], expected[i]);
    for (int i = 0; i < 24; i++) expect(name, "test row", test[i], expected[96 + i]);
}

static herr_t check_seed(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    (void)info;
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    const uint32_t seed = (uint32_t)golden_number(group, "seed");
    check_words(group, seed, name);
    check_permutations(group, seed, name);
    check_stratified(group, seed, name);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

static void check_rows(const char *what, const char *part, const json_t *expected, const int32_t *rows)
{
    golden_need(json_array_size(expected) > 0, part);
    for (size_t i = 0; i < json_array_size(expected); i++)
        expect(what, part, rows[i], json_number_value(json_array_get(expected, i)));
}

/* All rows of the study's data in order of their devices: so the label of row r is r / 2000. */
static void check_reference(const json_t *reference)
{
    static int32_t rows[MOST];
    const char *seed;
    json_t *split;
    json_t *splits = json_object_get(reference, "splits_80_20_seed_89_to_108");
    golden_need(json_object_size(splits) == 20, "splits_80_20_seed_89_to_108");
    json_object_foreach(splits, seed, split)
    {
        int32_t support[3] = { 0 };
        kl_classify_mt19937_split(rows, MOST, (uint32_t)strtoul(seed, NULL, 10));
        check_rows(seed, "permutation", json_object_get(split, "permutation_first_8"), rows);
        check_rows(seed, "test rows", json_object_get(split, "test_rows_first_4"), rows + TRAINING);
        for (int i = TRAINING; i < MOST; i++) support[rows[i] / PER_DEVICE]++;
        check_rows(seed, "support", json_object_get(split, "test_support"), support);
    }
    permutation(rows, MOST, 42);
    check_rows("42", "permutation",
               json_object_get(json_object_get(reference, "logreg_70_30"), "permutation_first_8"), rows);
}

int main(void)
{
    char path[4096];
    const char *shared = getenv("KETLINE_SHARED");
    golden_need(golden_groups("tests/golden/streams.h5", check_seed) == 3, "tests/golden/streams.h5");
    snprintf(path, sizeof path, "%s/reference/qrng/expected.json", shared ? shared : "../shared");
    json_t *reference = json_load_file(path, 0, NULL);
    if (reference) check_reference(reference);
    json_decref(reference);
    if (failures) return 1;
    if (reference) return 0;
    printf("skipped: no %s; the streams agree with NumPy and scikit-learn\n", path);
    return 77;
}
