/* SPDX-License-Identifier: MIT
   Ranks and correlations against SciPy: mannwhitneyu(alternative="greater"), exact without equal values
   and asymptotic above 36, with equal ones itertools.combinations of the ranks; pearsonr, spearmanr,
   rankdata; exact p-values of rank correlations against permutation_test over all pairings of |rho| (up
   to 8) and NumPy over all of itertools.permutations (9). */
#include "stats/stats.h"

#include <math.h>

#include "../check.h"

static void near(const char *what, double found, double want)
{
    CHECK(fabs(found - want) <= 1e-12 * fmax(1, fabs(want)), "%s: found %.17g, expected %.17g", what,
          found, want);
}

/* Student's p is 0 of the first three, and 0.0016, 0.0029 and 0.32 of the last three. */
static void check_exact(void)
{
    static const struct {
        size_t n;
        double x[9], y[9], r, log10_p;
    } cases[] = {
        { 2, { 1, 2 }, { 5, 9 }, 1, 0 },
        { 3, { 1, 2, 3 }, { 1, 2, 3 }, 1, -0.4771212547196625 },         /* 2 / 3! */
        { 4, { 1, 2, 3, 4 }, { 4, 3, 2, 1 }, -1, -1.0791812460476249 },  /* 2 / 4! */
        { 4, { 1, 2, 3, 4 }, { 1, 3, 2, 4 }, 0.8, -0.4771212547196625 }, /* 8 / 4! */
        { 4, { 1, 1, 2, 3 }, { 1, 2, 2, 3 }, 5 / 6.0, -0.4771212547196625 },
        { 5, { 3, 1, 2, 2, 5 }, { 1, 1, 4, 4, 9 }, 0.5407380704358752, -0.43572856956143746 },
        { 7, { 1, 2, 2, 4, 7, 9, 9 }, { 2, 1, 4, 4, 6, 5, 9 }, 0.8532469179729296, -1.7024305364455252 },
        { 9,
          { 1, 2, 3, 4, 5, 6, 7, 8, 9 },
          { 2, 1, 4, 3, 6, 5, 9, 8, 7 },
          0.8833333333333333,
          -2.5120988382752336 },
        { 9,
          { 1, 2, 2, 4, 7, 9, 9, 11, 12 },
          { 2, 1, 4, 4, 6, 5, 9, 8, 8 },
          0.8601694915254238,
          -2.3481086323236116 },
        { 9,
          { 1, 1, 1, 2, 2, 3, 3, 3, 4 },
          { 5, 1, 3, 3, 2, 2, 1, 4, 1 },
          -0.3733665229438655,
          -0.49722617249738066 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kl_correlation c;
        CHECK(kl_stats_spearman(&c, cases[i].x, cases[i].y, cases[i].n, NULL) == 0);
        near("rho", c.r, cases[i].r), near("its exact p", c.log10_p, cases[i].log10_p);
    }
}

/* The normal law has 0.040 of three above three, where 1 of 20 choices are as high. */
static void check_few_values(void)
{
    static const double three[] = { 4, 5, 6 }, below[] = { 1, 2, 3 }, nine[] = { 9 };
    double a[25], b[12];
    struct kl_mann_whitney m;
    CHECK(kl_stats_mann_whitney(&m, three, 3, below, 3, NULL) == 0);
    near("p of three above three", m.log10_p, -1.3010299956639813);
    CHECK(kl_stats_mann_whitney(&m, nine, 1, below, 3, NULL) == 0);
    near("p of one above three", m.log10_p, -0.6020599913279624);
    for (int i = 0; i < 25; i++) a[i] = i + 2.5;
    for (int i = 0; i < 12; i++) b[i] = i;
    CHECK(kl_stats_mann_whitney(&m, a, 24, b, 12, NULL) == 0);
    near("u of 36", m.u, 243), near("its p", m.log10_p, -3.5845760945283764);
    CHECK(kl_stats_mann_whitney(&m, a, 25, b, 12, NULL) == 0);
    near("u of 37", m.u, 255), near("its p by the normal law", m.log10_p, -3.457276262514381);
}

int main(void)
{
    static const double a[] = { 1, 3, 3, 5, 8, 8, 8.5 }, b[] = { 0, 1, 3, 4, 4, 7 },
                        x[] = { 1, 2, 2, 4, 7, 9, 9, 11 }, y[] = { 2, 1, 4, 4, 6, 5, 9, 8 },
                        ranks[] = { 1, 2.5, 2.5, 4, 5, 6.5, 6.5, 8 }, same[] = { 3, 3, 3 },
                        ten[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
                        other_ten[] = { 2, 1, 4, 3, 6, 5, 9, 8, 7, 10 };
    double found[8], ties, high[300], low[100];
    struct kl_mann_whitney m;
    struct kl_correlation c;
    CHECK(kl_stats_ranks(found, &ties, x, 8, NULL) == 0);
    for (int i = 0; i < 8; i++) near("rank", found[i], ranks[i]);
    near("ties", ties, 12);
    CHECK(kl_stats_mann_whitney(&m, a, 7, b, 6, NULL) == 0);
    near("u", m.u, 29.5), near("its p", m.log10_p, -0.9467155535824606); /* 194 of 1716 */
    check_few_values();
    for (int i = 0; i < 300; i++) high[i] = 200 + i;
    for (int i = 0; i < 100; i++) low[i] = i;
    CHECK(kl_stats_mann_whitney(&m, high, 300, low, 100, NULL) == 0);
    near("u", m.u, 30000), near("its p", m.log10_p, -50.30957804166968);
    CHECK(kl_stats_mann_whitney(&m, same, 3, same, 3, NULL) == 0);
    near("u of equal values", m.u, 4.5), near("its p", m.log10_p, 0);
    c = kl_stats_pearson(x, y, 8);
    near("r", c.r, 0.8720067516001283), near("its p", c.log10_p, -2.323149010799621);
    CHECK(kl_stats_spearman(&c, x, y, 8, NULL) == 0);
    near("rho", c.r, 0.8666825838483473), near("its p", c.log10_p, -2.068962080865939);
    CHECK(isnan(kl_stats_pearson(same, x, 3).r));
    CHECK(isnan(kl_stats_pearson(x, y, 2).log10_p)); /* two pairs always lie on a line */
    check_exact();
    CHECK(kl_stats_spearman(&c, ten, other_ten, 10, NULL) == 0); /* Student's */
    near("rho of ten", c.r, 0.9151515151515152), near("its p", c.log10_p, -3.689365292379768);
    return failures != 0;
}
