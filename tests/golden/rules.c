/* SPDX-License-Identifier: MIT
   Classifiers without hidden units on the study's data against
   $KETLINE_SHARED/reference/qrng/expected.json (NumPy, scikit-learn): the naive ones to the row,
   logistic regression to three rows (its reference stops early), and the limit of the symbols' model. */
#include <jansson.h>
#include <math.h>

#include "golden.h"
#include "qrng/bits/bits.h"
#include "qrng/classify/network.h"

enum { ROWS = 6000, SPLITS = 6 }; /* of the 20 splits, those whose logistic regression is fitted too */
static int failures;
static struct kl_bits bits;

/* RandomState(seed).permutation(n). */
static void permutation(int32_t *rows, size_t n, uint32_t seed)
{
    struct kl_nn_mersenne mt;
    kl_nn_mersenne_seed(&mt, seed);
    for (size_t i = 0; i < n; i++) rows[i] = (int32_t)i;
    kl_classify_mt19937_shuffle(rows, n, &mt);
}

static size_t correct(enum kl_rule_kind kind, const int64_t *training, size_t n_training,
                      const int64_t *test, size_t n_test)
{
    double parameters[3 * 101], scores[3];
    struct kl_rule rule = { .parameters = parameters };
    struct kl_error err = { 0 };
    size_t right = 0;
    must(kl_classify_rule_fit(&rule, kind, &bits, bits.device, 3, training, n_training, &err), &err);
    for (size_t i = 0; i < n_test; i++) {
        kl_classify_rule_scores(scores, &rule, &bits, (size_t)test[i]);
        const int best = scores[1] > scores[0]   ? scores[2] > scores[1] ? 2 : 1
                         : scores[2] > scores[0] ? 2
                                                 : 0;
        right += best == bits.device[test[i]];
    }
    return right;
}

static void expect(const char *what, enum kl_rule_kind kind, const int64_t *order, size_t first,
                   size_t n_test, const json_t *accuracy)
{
    static int64_t training[ROWS];
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (i < first || i >= first + n_test) training[n++] = order[i];
    const double found = (double)correct(kind, training, n, order + first, n_test);
    const double wanted = json_number_value(accuracy) * (double)n_test;
    if (json_is_number(accuracy) && fabs(found - wanted) <= (kind == KL_RULE_LOGISTIC ? 3.01 : 0.01))
        return;
    fprintf(stderr, "%s: %s: %.0f rows right, expected %.2f\n", what, kl_rule_names[kind], found,
            wanted);
    failures++;
}

static void permute(int64_t *order, bool split, uint32_t seed)
{
    static int32_t rows[ROWS];
    if (split) kl_classify_mt19937_split(rows, ROWS, seed);
    else permutation(rows, ROWS, seed);
    for (int i = 0; i < ROWS; i++) order[i] = rows[i];
}

static void check_splits(json_t *splits)
{
    static int64_t order[ROWS];
    const char *seed;
    json_t *split;
    int n = 0;
    json_object_foreach(splits, seed, split)
    {
        permute(order, true, (uint32_t)strtoul(seed, NULL, 10));
        expect(seed, KL_RULE_PAIRS, order, 4800, 1200, json_object_get(split, "pair_nb"));
        if (n++ < SPLITS)
            expect(seed, KL_RULE_LOGISTIC, order, 4800, 1200, json_object_get(split, "logreg_c1"));
    }
    golden_need(n == 20, "splits_80_20_seed_89_to_108");
}

/* Fold k is rows k, k + 5, ...: in this order one after another. */
static void check_folds(const json_t *cv5)
{
    static const char *const names[KL_RULES] = { "pair_nb", "logreg_c1", "bernoulli_nb_100",
                                                 "ones_count_nb" };
    static int64_t order[ROWS];
    for (int i = 0; i < ROWS; i++) order[i] = i % 1200 * 5 + i / 1200;
    for (int r = 0; r < KL_RULES; r++) {
        const json_t *folds = json_object_get(json_object_get(cv5, names[r]), "folds");
        for (size_t k = 0; k < (r == KL_RULE_LOGISTIC ? 2 : 5); k++)
            expect("fold", (enum kl_rule_kind)r, order, k * 1200, 1200, json_array_get(folds, k));
    }
}

static void check_seventy(const json_t *e)
{
    static int64_t order[ROWS];
    permute(order, false, 42);
    expect("first 1800", KL_RULE_LOGISTIC, order, 0, 1800,
           json_object_get(e, "test_is_first_1800_of_permutation_seed42"));
    expect("last 1800", KL_RULE_LOGISTIC, order, 4200, 1800,
           json_object_get(e, "train_is_first_4200_of_permutation_seed42"));
}

static void near(const char *what, double found, double wanted, double bound)
{
    if (fabs(found - wanted) <= bound) return;
    fprintf(stderr, "%s: found %.15g, expected %.15g\n", what, found, wanted);
    failures++;
}

static void check_limit(const json_t *sound)
{
    double p[12], confusion[9];
    const json_t *of = json_object_get(sound, "pair_probabilities_00_01_10_11");
    const json_t *expected = json_object_get(sound, "bayes_confusion_plug_in");
    for (int k = 0; k < 3; k++) {
        const char name[] = { (char)('1' + k), 0 };
        for (size_t s = 0; s < 4; s++)
            p[4 * k + (int)s] = json_number_value(json_array_get(json_object_get(of, name), s));
    }
    const struct kl_limit limit = kl_bits_bayes_limit(confusion, p, NULL, 3, 4, 50);
    near("limit", limit.accuracy,
         json_number_value(json_object_get(sound, "bayes_accuracy_plug_in_3_class")), 1e-11);
    for (size_t i = 0; i < 9; i++)
        near("confusion of the limit", confusion[i],
             json_number_value(json_array_get(json_array_get(expected, i / 3), i % 3)), 1e-11);
    near("information", limit.information, 0.395, 5e-4); /* as specs/qrng.md section 13 rounds it */
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char data[4096], golden[4096];
    struct kl_error err = { 0 };
    const struct kl_bits_how how = { 0 };
    if (!shared) shared = "../shared";
    snprintf(data, sizeof data, "%s/data/qrng/AI_2qubits_training_data.txt", shared);
    snprintf(golden, sizeof golden, "%s/reference/qrng/expected.json", shared);
    json_t *reference = json_load_file(golden, 0, NULL);
    if (!reference) {
        printf("skipped: no %s\n", golden);
        return 77;
    }
    must(kl_bits_read_files(&bits, (const char *[]){ data }, 1, &how, &err), &err);
    check_splits(json_object_get(reference, "splits_80_20_seed_89_to_108"));
    check_folds(json_object_get(reference, "cv5_fold_is_row_mod_5"));
    check_seventy(json_object_get(reference, "logreg_70_30"));
    check_limit(json_object_get(reference, "sound"));
    kl_bits_free(&bits);
    json_decref(reference);
    return failures != 0;
}
