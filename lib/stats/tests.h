/* SPDX-License-Identifier: MIT
   Tests of differences between classifiers, paired over people (or folds), and over several of them.
   What the data do not determine is NaN, which tools call "undefined". */
#ifndef KL_METRICS_TESTS_H
#define KL_METRICS_TESTS_H

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

/* Interval of a proportion, k of n > 0, that holds it with at least this probability (Clopper & Pearson
   1934, doi:10.1093/biomet/26.4.404). */
struct kl_interval kl_stats_clopper_pearson(size_t k, size_t n, double level);

#endif
