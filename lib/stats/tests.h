/* SPDX-License-Identifier: MIT
   Tests of differences between classifiers, paired over people (or folds), and over several of them.
   What the data do not determine is NaN, which tools call "undefined". */
#ifndef KL_STATS_TESTS_H
#define KL_STATS_TESTS_H

#include "base/base.h"
#include "stats/stats.h"

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
