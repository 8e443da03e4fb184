/* SPDX-License-Identifier: MIT
   stats: the numbers that a report prints. n samples, c classes; labels are 0 .. c-1. */
#ifndef KL_STATS_STATS_H
#define KL_STATS_STATS_H

#include "base/base.h"

/* Softmax of logits (n, c) in double, rounded once: probabilities (n, c), and predictions [n], the first
   of the largest (may be NULL). */
void kl_stats_softmax(float *probabilities, int32_t *predictions, const float *logits, size_t n,
                      size_t c);

/* Mean of n > 0 values in their order, and their sample standard deviation (n - 1); 0 of one value. */
double kl_stats_mean(const double *values, size_t n);
double kl_stats_deviation(const double *values, size_t n);

/* Mean accuracy and loss on validation samples, of heads that are compared by them. Does a come before
   b? The higher accuracy does, of equal ones the lower loss; what is no number comes last. Accuracies
   are hits over samples: means that differ by less than 1e-12 do so by rounding alone. */
struct kl_judgement {
    double accuracy, loss;
};
bool kl_stats_comes_before(struct kl_judgement a, struct kl_judgement b);

#define KL_Z95 1.959963984540054 /* standard deviations: the middle 95 % of a normal law */
/* Interval of a proportion p of n (Wilson 1927, doi:10.1080/01621459.1927.10502953) at z standard
   deviations. A mean over several heads is seldom a whole number of n: p is taken as it is. */
struct kl_interval {
    double low, high;
};
struct kl_interval kl_stats_wilson(double p, size_t n, double z);

/* counts (c, c) [true][predicted] is set. */
void kl_stats_confusion(int64_t *counts, const int32_t *labels, const int32_t *predictions, size_t n,
                        size_t c);
/* Of one class, from the confusion matrix; a ratio without cases is 0, as scikit-learn's
   zero_division=0. */
struct kl_class_metrics {
    double precision, recall, f1;
    int64_t support; /* samples whose label it is */
};
struct kl_class_metrics kl_stats_class_metrics(const int64_t *counts, size_t c, size_t k);
/* Classes that predictions do not tell from another one. taken (c): the class that most wrong
   predictions of this one's samples name, if the two are not told apart; else -1. They are not where
   that class is named more often than the right one; or where, among the samples predicted as either,
   the mean of their recalls is below 0.6 (it is 0.5 where both are one to the classifier); of each such
   pair the class with the lower recall is set. At least KL_FEWEST_TAKEN samples must be taken for the
   other. Returns how many are set. */
enum { KL_FEWEST_TAKEN = 5 };
size_t kl_stats_merged_classes(int32_t *taken, const int64_t *counts, size_t c);

/* Samples whose label is among the k most probable; of equal probabilities the lower class comes first.
 */
size_t kl_stats_top_k(const float *probabilities, const int32_t *labels, size_t n, size_t c, size_t k);

/* Mean of -log probability of the label, in nats. */
double kl_stats_log_loss(const float *probabilities, const int32_t *labels, size_t n, size_t c);

/* Expected calibration error (Guo et al. 2017, arXiv:1706.04599): predictions in `bins` equal intervals
   (low, high] of their largest probability; sum over bins of count/n * |accuracy - confidence|. count,
   accuracy, confidence: [bins], set. */
double kl_stats_calibration(int64_t *count, double *accuracy, double *confidence,
                            const float *probabilities, const int32_t *labels, size_t n, size_t c,
                            size_t bins);

/* McNemar's paired test on samples that only one of two classifiers gets right (McNemar 1947,
   doi:10.1007/BF02295996): two-sided p. exact: binomial, for fewer than 25 such samples; else
   chi-squared with continuity correction. */
struct kl_mcnemar {
    int64_t only_first, only_second;
    bool exact;
    double statistic, p; /* statistic: chi-squared, or the smaller count */
};
struct kl_mcnemar kl_stats_mcnemar(int64_t only_first, int64_t only_second);

/* Mean difference of n pairs and its 95 % interval by Student's t (1908, doi:10.1093/biomet/6.1.1): mean
   of a - b, -+ t(n - 1) s / sqrt(n), s the standard deviation of the differences. low and high are NaN
   if n is 1; where all differences are the same they meet, and there is no interval to tell
   (kl_has_width). */
struct kl_paired {
    size_t n;
    double difference, low, high;
};
struct kl_paired kl_stats_paired(const double *a, const double *b, size_t n);
/* "+0.0012 (95 % -0.0004 to +0.0031, paired over 5 seeds)"; of one pair: how to get an interval; of
   equal differences: that there is none. */
enum { KL_PAIRED_TEXT = 96 };
void kl_stats_paired_text(char text[KL_PAIRED_TEXT], const struct kl_paired *p);
/* How many of n pairs of devices differ at 5 %, by p-values that are corrected for their number: of
   symbols, and of held-out rows by permutation. */
struct kl_differ {
    size_t n, symbols, held_out;
    size_t permutations; /* the caller's; 0: none of held-out rows */
    size_t rows[2];      /* of the two devices with the most */
    bool dependent;      /* the caller's: symbols depend on each other */
    bool left_out;       /* held-out rows, of what was permuted */
};
/* One device more, of so many rows. */
void kl_stats_differ_device(struct kl_differ *d, size_t rows);
/* One pair more. held_out NaN: there is none, of any pair. */
void kl_stats_differ_add(struct kl_differ *d, double log10_p, double held_out);
/* The smallest p that permutations of the labels of a and b rows can give, where each device's rows are
   dealt in turn to KL_CROSSFIT_FOLDS folds and labels are permuted within them: 1 / (permutations + 1),
   and in the mean no less than the share of the labels that are as they were, or of as many rows
   exchanged, which tells as much. */
enum { KL_CROSSFIT_FOLDS = 5 };
double kl_stats_least_permuted_p(size_t permutations, size_t a, size_t b);
/* Are there permutations, and both they and rows as many as it takes for a pair to differ? */
bool kl_stats_differ_by_rows(const struct kl_differ *d);
/* "2 of 3 pairs differ by symbols if independent, 3 by held-out rows (Holm, 5 % each)" */
enum { KL_DIFFER_TEXT = 192 };
void kl_stats_differ_text(char text[KL_DIFFER_TEXT], const struct kl_differ *d);
/* 95 % interval of the mean of n scores a, or with b of the differences a - b, from n splits of the same
   data, whose test rows are `ratio` times as many as their training rows: mean -+ t(n - 1) s
   sqrt(1/n + ratio), the corrected resampled t (Nadeau & Bengio 2003, doi:10.1023/A:1024068626366):
   splits share rows, so s / sqrt(n) alone would be too small. NaN if n is 1; of no width if all are
   equal. */
struct kl_interval kl_stats_resampled(const double *a, const double *b, size_t n, double ratio);
/* t with P(|T| <= t) = level, for nu >= 1 degrees of freedom. */
double kl_stats_student_quantile(double level, size_t nu);

/* ---- metrics: how well probabilities of classes tell the classes apart ---- */
/* NaN: undefined, as some are where only one class is there. */
struct kl_metrics {
    double accuracy;
    double balanced_accuracy; /* mean recall of the classes that are there; undefined of one class */
    double kappa;             /* Cohen 1960; undefined of one class */
    double auc; /* area under the ROC: of class 1 of two, by ranks, ties half; of more each class against
                   the rest, weighted by support; undefined of one class */
    double f1;  /* weighted by support */
    double log_loss;    /* nats */
    double brier;       /* of two classes mean (p_1 - y)^2, of more the sum over classes */
    double calibration; /* expected calibration error, ten bins (Guo et al. 2017) */
};
enum { KL_METRICS = 8 };
/* Their names in that order: "accuracy", ...; number k as a field. */
extern const char *const kl_stats_metric_names[KL_METRICS];
double kl_stats_metric(const struct kl_metrics *m, int k);
/* labels (n) of 0 .. classes - 1, probabilities (n, classes); n 0: all undefined. What is predicted is
   the first of the most probable. confusion (classes, classes) [true][predicted], or NULL.
   KL_EDATA: a probability is no number; KL_ENOMEM. */
int kl_stats_metrics(struct kl_metrics *m, int64_t *confusion, const int32_t *labels,
                     const double *probabilities, size_t n, size_t classes, struct kl_error *err);

/* ---- Tails and quantiles of the distributions that tests refer to. Tails are logarithms, so that they
   do not underflow. Relative errors of the logarithms: below 1e-12, of beta's for parameters up to 1e4
   (1e-10 at 1e6). Of NaN they are NaN
   ---- */

/* ln Q(a, x), the regularised incomplete gamma function (DLMF 8.2.4), a > 0, x >= 0. */
double kl_stats_log_gamma_upper(double a, double x);
/* ln I_x(a, b), regularised incomplete beta function (DLMF 8.17.2), a, b > 0, x + y = 1: both are given,
   so that neither has lost digits. */
double kl_stats_log_beta_lower(double a, double b, double x, double y);
/* ln n! = ln Gamma(n + 1), n >= 0; from several threads at once, as all here. */
double kl_stats_log_factorial(double n);
/* ln(ratio) - off, ratio = 1 + off: without cancellation where the ratio is close to 1 or to 0. */
double kl_stats_log_ratio_less(double ratio, double off);

/* log10 of the probability of at least x, chi-squared with df degrees of freedom. */
double kl_stats_chi_square_log10_p(double x, double df);
/* log10 of the probability of |T| >= |t|, Student's t with df degrees of freedom. */
double kl_stats_student_log10_p(double t, double df);
/* log10 of the probability of Z >= z, and of |Z| >= |z|, standard normal. */
double kl_stats_normal_log10_upper(double z);
double kl_stats_normal_log10_p(double z);
/* z with P(Z <= z) = p, 0 < p < 1. */
double kl_stats_normal_quantile(double p);

/* Holm's correction (1979, doi:10.2307/4615733) of n tests: adjusted[i] = log10 of the family-wise p of
   test i, at most 0; log10_p [n]. adjusted may be log10_p. KL_ENOMEM. */
int kl_stats_holm(double *adjusted, const double *log10_p, size_t n, struct kl_error *err);
/* Benjamini and Hochberg's (1995, doi:10.1111/j.2517-6161.1995.tb02031.x): log10 of the share of false
   ones among all tests with a p as small, if they are independent. As kl_stats_holm. */
int kl_stats_false_discovery(double *adjusted, const double *log10_p, size_t n, struct kl_error *err);

/* ---- Tests of differences between classifiers, paired over people (or folds), and over several of
   them. What the data do not determine is NaN, which tools call "undefined"
   ---- */

/* p against "greater": the differences lie above 0. */
struct kl_tested {
    double statistic;
    double both, greater, less; /* p-values, two-sided and one-sided */
    bool exact;
    double error; /* standard error of the two-sided p where it was drawn, else 0 */
    size_t n;     /* differences that took part */
};
/* Fisher's randomisation test (1935): if a and b are alike, each difference d [n] is as likely with the
   other sign. Statistic: the sum. Up to KL_SIGN_FLIP_EXACT differences all 2^n signs are counted (by
   halves: Horowitz & Sahni 1974), sums that differ by rounding alone as equal; above, `draws` random
   ones, p = (1
   + as far) / (1 + draws), purpose: of the seed's numbers (philox.h). KL_ENOMEM. */
enum { KL_SIGN_FLIP_EXACT = 40 };
int kl_stats_sign_flip(struct kl_tested *t, const double *d, size_t n, size_t draws, uint64_t seed,
                       uint32_t purpose, struct kl_error *err);
/* Wilcoxon's signed-rank test (1945, doi:10.2307/3001968): differences of 0 are left out, equal ones
   share their rank; those that differ by less than `rounding` of the largest are equal. Statistic: the
   sum of the ranks above 0. Up to KL_WILCOXON_EXACT ranks, equal ones too, the share of all signs;
   above, the normal approximation, corrected for ties alone. n 0: NaN. KL_ENOMEM. */
enum { KL_WILCOXON_EXACT = 200 };
int kl_stats_wilcoxon(struct kl_tested *t, const double *d, size_t n, double rounding,
                      struct kl_error *err);
/* The normal approximation whatever n. */
int kl_stats_wilcoxon_normal(struct kl_tested *t, const double *d, size_t n, double rounding,
                             struct kl_error *err);

/* Student's t of n differences, two-sided p, 95 % interval of the mean. ratio 0: differences are
   independent; else of splits whose test rows are `ratio` times as many as their training rows (Nadeau &
   Bengio 2003, doi:10.1023/A:1024068626366). NaN, but for the mean, if n is 1 or all differences are the
   same. */
struct kl_t_test {
    double mean, t, p, low, high;
};
struct kl_t_test kl_stats_t_test(const double *d, size_t n, double ratio);

/* 95 % interval of the mean of x (n, m), rows and columns both drawn: the two-way model of random
   effects without replication, whose variance (MS rows + MS columns - MS rest) / (n m), at least that of
   the rows alone, has Satterthwaite's (1946, doi:10.2307/3002019) degrees of freedom. NaN: a single row
   or column, or nothing varies. */
struct kl_interval kl_stats_crossed_interval(const double *x, size_t n, size_t m);

/* Friedman's test (1937, doi:10.1080/01621459.1937.10503522) of k treatments on n blocks, x (n, k),
   equal values sharing their rank: chi-squared with k - 1 degrees of freedom. NaN where every block is
   all equal, or k < 3. rank (k), which may be NULL: mean ranks, 1 the least. KL_ENOMEM. */
struct kl_friedman {
    double statistic, p;
};
int kl_stats_friedman(struct kl_friedman *f, double *rank, const double *x, size_t n, size_t k,
                      struct kl_error *err);

/* ---- Ranks, quantiles and correlations ---- */
/* Ranks of n values from 1, equal ones sharing their mean (tests.c). *ties, which may be NULL: sum of
   t^3 - t over groups of t equal values. KL_ENOMEM. */
int kl_stats_ranks(double *ranks, double *ties, const double *values, size_t n, struct kl_error *err);

/* Rising order; and of n > 0 values in it, what the share lies below: linear between the two around it,
   as NumPy's default (intervals.c). */
void kl_stats_sort(double *values, size_t n);
double kl_stats_sorted_quantile(const double *sorted, size_t n, double share);

/* Wilcoxon, Mann and Whitney: are the a [na] larger than the b [nb]? u: of a. log10_p: one-sided,
   exact of up to KL_MANN_WHITNEY_EXACT values in all, equal ones too, as many as nine devices have
   pairs; above by the normal approximation with corrections for ties and continuity (Mann & Whitney
   1947, doi:10.1214/aoms/1177730491). KL_ENOMEM. */
enum { KL_MANN_WHITNEY_EXACT = 36 };
struct kl_mann_whitney {
    double u, log10_p;
};
int kl_stats_mann_whitney(struct kl_mann_whitney *m, const double *a, size_t na, const double *b,
                          size_t nb, struct kl_error *err);

/* Correlation of n >= 2 pairs and its two-sided p: Pearson's by Student's t with n - 2 degrees of
   freedom, NaN of two pairs. Spearman's is Pearson's of the ranks; its p is, up to KL_SPEARMAN_EXACT
   pairs, the share of all n! orders of one side, equal values and all, that correlate as far from 0, and
   above by Student's t, an approximation that knows no least p: of ranks that agree wholly it is 0,
   where 2 / n! is right. r is NaN if one side is constant. KL_ENOMEM. */
enum { KL_SPEARMAN_EXACT = 9 };
struct kl_correlation {
    double r, log10_p;
};
struct kl_correlation kl_stats_pearson(const double *x, const double *y, size_t n);
int kl_stats_spearman(struct kl_correlation *c, const double *x, const double *y, size_t n,
                      struct kl_error *err);

#endif
