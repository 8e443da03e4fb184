/* SPDX-License-Identifier: MIT
   Ranks and correlations against SciPy: mannwhitneyu(alternative="greater", method="asymptotic"),
   pearsonr, spearmanr, rankdata. */
#include "metrics/ranks.h"

#include <math.h>

#include "../check.h"

static void near(const char *what, double found, double want)
{
    CHECK(fabs(found - want) <= 1e-12 * fmax(1, fabs(want)), "%s: found %.17g, expected %.17g", what,
          found, want);
}

int main(void)
{
    static const double a[] = { 1, 3, 3, 5, 8, 8, 8.5 }, b[] = { 0, 1, 3, 4, 4, 7 },
                        x[] = { 1, 2, 2, 4, 7, 9, 9, 11 }, y[] = { 2, 1, 4, 4, 6, 5, 9, 8 },
                        ranks[] = { 1, 2.5, 2.5, 4, 5, 6.5, 6.5, 8 }, same[] = { 3, 3, 3 };
    double found[8], ties, high[300], low[100];
    struct kl_mann_whitney m;
    struct kl_correlation c;
    CHECK(kl_ranks(found, &ties, x, 8, NULL) == 0);
    for (int i = 0; i < 8; i++) near("rank", found[i], ranks[i]);
    near("ties", ties, 12);
    CHECK(kl_mann_whitney(&m, a, 7, b, 6, NULL) == 0);
    near("u", m.u, 29.5), near("its p", m.log10_p, -0.905708489628405);
    for (int i = 0; i < 300; i++) high[i] = 200 + i;
    for (int i = 0; i < 100; i++) low[i] = i;
    CHECK(kl_mann_whitney(&m, high, 300, low, 100, NULL) == 0);
    near("u", m.u, 30000), near("its p", m.log10_p, -50.30957804166968);
    CHECK(kl_mann_whitney(&m, same, 3, same, 3, NULL) == 0);
    near("u of equal values", m.u, 4.5), near("its p", m.log10_p, 0);
    c = kl_pearson(x, y, 8);
    near("r", c.r, 0.8720067516001283), near("its p", c.log10_p, -2.323149010799621);
    CHECK(kl_spearman(&c, x, y, 8, NULL) == 0);
    near("rho", c.r, 0.8666825838483473), near("its p", c.log10_p, -2.2718664849772447);
    CHECK(isnan(kl_pearson(same, x, 3).r));
    return failures != 0;
}
