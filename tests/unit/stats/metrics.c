/* SPDX-License-Identifier: MIT
   Values from SciPy 1.x (binomtest().proportion_ci("wilson"), binomtest, chi2.sf, t.ppf, ttest_rel) and
   scikit-learn (confusion_matrix, precision_recall_fscore_support, log_loss) on the data below; the
   calibration error is counted by hand. */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

static int failures;

static void expect(const char *what, double found, double expected, double bound)
{
    if (fabs(found - expected) <= bound) return;
    fprintf(stderr, "%s: found %.12g, expected %.12g\n", what, found, expected);
    failures++;
}

static const int32_t labels[10] = { 0, 0, 1, 1, 2, 2, 2, 0, 1, 2 };
static const int32_t predictions[10] = { 0, 1, 1, 1, 2, 0, 2, 0, 2, 2 };
static const float probabilities[30] = { .7f,  .2f,  .1f,  .3f,  .5f, .2f, .1f, .8f,  .1f,  .2f,
                                         .55f, .25f, .05f, .05f, .9f, .6f, .1f, .3f,  .1f,  .3f,
                                         .6f,  .9f,  .05f, .05f, .1f, .4f, .5f, .25f, .35f, .4f };

static void check_intervals(void)
{
    const double z = 1.959963984540054;
    expect("wilson 942/1000 low", kl_stats_wilson(0.942, 1000, z).low, 0.9257504237337675, 1e-12);
    expect("wilson 942/1000 high", kl_stats_wilson(0.942, 1000, z).high, 0.9548667217650018, 1e-12);
    expect("wilson 0/10 low", kl_stats_wilson(0, 10, z).low, 0, 1e-15);
    expect("wilson 0/10 high", kl_stats_wilson(0, 10, z).high, 0.27753279986288926, 1e-12);
    /* Mean of 32 and 33 of 35, by the formula: not that of either. */
    expect("wilson of a mean, low", kl_stats_wilson(32.5 / 35, 35, z).low, 0.7947722455011068, 1e-12);
    expect("wilson of a mean, high", kl_stats_wilson(32.5 / 35, 35, z).high, 0.9775983325065469, 1e-12);
}

static void check_classes(void)
{
    static const int64_t expected[9] = { 2, 1, 0, 0, 2, 1, 1, 0, 3 };
    static const double ratios[3] = { 2.0 / 3, 2.0 / 3, 0.75 };
    int64_t counts[9];
    kl_stats_confusion(counts, labels, predictions, 10, 3);
    for (int i = 0; i < 9; i++) expect("confusion", (double)counts[i], (double)expected[i], 0);
    for (size_t k = 0; k < 3; k++) {
        struct kl_class_metrics m = kl_stats_class_metrics(counts, 3, k);
        expect("precision", m.precision, ratios[k], 1e-12);
        expect("recall", m.recall, ratios[k], 1e-12);
        expect("f1", m.f1, ratios[k], 1e-12);
    }
    expect("log loss", kl_stats_log_loss(probabilities, labels, 10, 3), 0.6139729107915007, 1e-7);
    expect("top 2", (double)kl_stats_top_k(probabilities, labels, 10, 3, 2), 10, 0);
    expect("top 1", (double)kl_stats_top_k(probabilities, labels, 10, 3, 1), 7, 0);
}

/* One confusion matrix a case, and for which class each is taken: by hand. */
static void check_merged(void)
{
    static const struct {
        const char *what;
        int64_t counts[9];
        int32_t taken[3];
    } cases[] = {
        { "told apart", { 50, 2, 0, 3, 47, 0, 0, 0, 50 }, { -1, -1, -1 } },
        { "one never predicted", { 50, 0, 0, 0, 0, 50, 0, 0, 50 }, { -1, 2, -1 } },
        { "the later class keeps both", { 0, 0, 50, 0, 50, 0, 1, 0, 49 }, { 2, -1, -1 } },
        /* 26 of 50 and 27 of 50: one to the classifier, which a coin parts */
        { "one state, half and half", { 26, 24, 0, 23, 27, 0, 0, 0, 50 }, { 1, -1, -1 } },
        /* (0.5 + 0.8) / 2 is above the bound, (0.38 + 0.8) / 2 below */
        { "poorly told apart", { 25, 25, 0, 10, 40, 0, 0, 0, 50 }, { -1, -1, -1 } },
        { "worse than poorly", { 19, 31, 0, 10, 40, 0, 0, 0, 50 }, { 1, -1, -1 } },
        { "all are one", { 50, 0, 0, 50, 0, 0, 50, 0, 0 }, { -1, 0, 0 } },
        { "too few of a class", { 50, 0, 0, 4, 0, 0, 0, 0, 50 }, { -1, -1, -1 } },
        { "a class without samples", { 50, 0, 0, 0, 0, 0, 5, 0, 0 }, { -1, -1, 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t taken[3];
        int merged = 0;
        for (int k = 0; k < 3; k++) merged += cases[i].taken[k] >= 0;
        expect(cases[i].what, (double)kl_stats_merged_classes(taken, cases[i].counts, 3), merged, 0);
        for (int k = 0; k < 3; k++) expect(cases[i].what, taken[k], cases[i].taken[k], 0);
    }
}

/* Two bins: (0, 0.5] holds samples 1 (0.5, wrong), 8 (0.5, wrong), 9 (0.4, right); (0.5, 1] the seven
   others, six of them right. */
static void check_calibration(void)
{
    int64_t count[2];
    double accuracy[2], confidence[2];
    double error = kl_stats_calibration(count, accuracy, confidence, probabilities, labels, 10, 3, 2);
    double low = (0.5 + 0.5 + 0.4) / 3, high = (0.7 + 0.8 + 0.55 + 0.9 + 0.6 + 0.6 + 0.9) / 7;
    expect("bin 0 count", (double)count[0], 3, 0);
    expect("bin 0 accuracy", accuracy[0], 1.0 / 3, 1e-12);
    expect("bin 0 confidence", confidence[0], low, 1e-7);
    expect("bin 1 accuracy", accuracy[1], 6.0 / 7, 1e-12);
    expect("bin 1 confidence", confidence[1], high, 1e-7);
    expect("calibration error", error, 0.3 * (low - 1.0 / 3) + 0.7 * (6.0 / 7 - high), 1e-7);
}

static void check_tests(void)
{
    expect("mcnemar 3, 12", kl_stats_mcnemar(3, 12).p, 0.03515625, 1e-12);
    expect("mcnemar 7, 7", kl_stats_mcnemar(7, 7).p, 1, 1e-12);
    expect("mcnemar 0, 0", kl_stats_mcnemar(0, 0).p, 1, 0);
    expect("mcnemar 40, 22", kl_stats_mcnemar(40, 22).p, 0.030849999436874987, 1e-12);
    expect("mcnemar statistic", kl_stats_mcnemar(22, 40).statistic, 4.661290322580645, 1e-12);
}

static void check_paired(void)
{
    static const double a[5] = { 0.97, 0.98, 0.965, 0.99, 0.975 },
                        b[5] = { 0.96, 0.985, 0.96, 0.97, 0.97 };
    static const struct {
        size_t nu;
        double t;
    } quantiles[] = { { 1, 12.706204736174694 },  { 2, 4.302652729749462 }, { 3, 3.1824463052837078 },
                      { 4, 2.7764451051977934 },  { 9, 2.262157162798205 }, { 10, 2.228138851986274 },
                      { 100, 1.9839715185235518 } };
    char text[KL_PAIRED_TEXT];
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        expect("student", kl_stats_student_quantile(0.95, quantiles[i].nu), quantiles[i].t, 1e-9);
    struct kl_paired p = kl_stats_paired(a, b, 5);
    expect("paired difference", p.difference, 0.007, 1e-15);
    expect("paired low", p.low, -0.0042779733314952054, 1e-12);
    expect("paired high", p.high, 0.018277973331495216, 1e-12);
    kl_stats_paired_text(text, &p);
    expect("paired in words", strcmp(text, "+0.0070 (95 % -0.0043 to +0.0183, paired over 5 seeds)"), 0,
           0);
    p = kl_stats_paired(a + 1, b + 1, 1);
    expect("one pair", p.difference, -0.005, 1e-15);
    expect("one pair has no interval", isnan(p.low) && isnan(p.high), 1, 0);
    kl_stats_paired_text(text, &p);
    expect("one pair in words", strcmp(text, "-0.0050 (one seed; several --replicas give an interval)"),
           0, 0);
    /* one of 43 samples in every pair, whose differences differ by rounding */
    static const double c[3] = { 41. / 43, 42. / 43, 37. / 43 }, d[3] = { 40. / 43, 41. / 43, 36. / 43 };
    p = kl_stats_paired(c, d, 3);
    expect("equal pairs", kl_has_width(p.low, p.high), 0, 0);
    kl_stats_paired_text(text, &p);
    expect("equal pairs in words", strcmp(text, "+0.0233 (the same with each of 3 seeds: no interval)"),
           0, 0);
    p = kl_stats_paired(a, b, 2);
    expect("unequal pairs", kl_has_width(p.low, p.high), 1, 0);
}

/* SciPy's t quantile, and the formula in NumPy. */
static void check_resampled(void)
{
    static const double scores[] = { .56, .54, .58, .55, .57 };
    const struct kl_interval i = kl_stats_resampled(scores, NULL, 5, 0.25),
                             one = kl_stats_resampled(scores, NULL, 1, 0.25);
    expect("resampled, low", i.low, 0.5305513525778368, 1e-12);
    expect("resampled, high", i.high, 0.5894486474221633, 1e-12);
    expect("one split has no interval", isnan(one.low) && isnan(one.high), 1, 0);
}

static void check_softmax(void)
{
    static const float logits[3] = { 1000, 1001, 999 };
    float p[3];
    int32_t best;
    kl_stats_softmax(p, &best, logits, 1, 3);
    expect("softmax largest", (double)best, 1, 0);
    expect("softmax", (double)p[1], 1 / (1 + exp(-1) + exp(-2)), 1e-7);
}

static void check_spread(void)
{
    static const double values[] = { 0.25, 0.5, 1, 1.25 };
    expect("mean", kl_stats_mean(values, 4), 0.75, 0);
    expect("deviation", kl_stats_deviation(values, 4), 0.4564354645876384,
           1e-15); /* numpy.std(ddof=1) */
    expect("deviation of one value", kl_stats_deviation(values, 1), 0, 0);
}

/* From the best to the worst. 13 / 18 twice: of 5/6, 1, 1/3 the means by two orders of summing. */
static void check_order(void)
{
    static const struct kl_judgement ordered[] = {
        { 1, 0.5 },
        { 0.7222222222222222, 0.1 },
        { 0.7222222222222223, 0.2 },
        { 0.7, 0.3 },
        { 0.7, NAN },
        { 0, 0.01 },
        { NAN, 0 },
    };
    enum { N = sizeof ordered / sizeof *ordered };
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            if (kl_stats_comes_before(ordered[i], ordered[k]) != (i < k)) {
                fprintf(stderr, "order: %d before %d\n", i, k);
                failures++;
            }
}

/* By hand: two folds of 2 + 2 rows have 6 labellings, others of 1 + 1 have 2, and so on; half of them
   where the devices can be exchanged. */
static void check_least_p(void)
{
    expect("5 v 5", kl_stats_least_permuted_p(9999, 5, 5), 1.0 / 16, 1e-12);
    expect("6 v 6", kl_stats_least_permuted_p(9999, 6, 6), 1.0 / 48, 1e-12);
    expect("7 v 7", kl_stats_least_permuted_p(9999, 7, 7), 1.0 / 144, 1e-12);
    expect("5 v 6", kl_stats_least_permuted_p(9999, 5, 6), 1.0 / 48, 1e-12);
    expect("10 v 10", kl_stats_least_permuted_p(9999, 10, 10), 1.0 / 3888, 1e-12);
    expect("10 v 10, few", kl_stats_least_permuted_p(99, 10, 10), 0.01, 1e-12);
    expect("millions", kl_stats_least_permuted_p(99999, 3000000, 4000000), 1e-5, 1e-12);
}

/* A model that has diverged: refused, not ranked for ever. */
static void check_no_numbers(void)
{
    const double values[4] = { 0.5, 0.5, NAN, INFINITY };
    struct kl_metrics m;
    struct kl_error err = { 0 };
    expect("no numbers", kl_stats_metrics(&m, NULL, (int32_t[]){ 0, 1 }, values, 2, 2, &err), KL_EDATA,
           0);
    expect("its place", strncmp(err.text, "sample 1: its probability of class 0", 36), 0, 0);
}

int main(void)
{
    check_no_numbers();
    check_least_p();
    check_order();
    check_spread();
    check_intervals();
    check_classes();
    check_merged();
    check_calibration();
    check_tests();
    check_paired();
    check_resampled();
    check_softmax();
    return failures != 0;
}
