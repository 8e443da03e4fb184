/* SPDX-License-Identifier: MIT
   Tails and quantiles against mpmath with 60 digits: gammainc, betainc (regularized), erfc, erfinv;
   Holm's correction against statsmodels' rule, worked by hand. */
#include "stats/stats.h"

#include <math.h>

#include "../check.h"

/* Relative in the logarithm, or in the tail itself where that is close to 1. */
static void expect(const char *what, double found, double expected)
{
    CHECK(fabs(found - expected) <= 2e-13 * fabs(expected) + 2e-15, "%s: found %.17g, expected %.17g",
          what, found, expected);
}

static void check_chi_square(void)
{
    static const double cases[][3] = { { 155.3119018306733, 3, -32.725238784268274 },
                                       { 2604, 3, -563.84148820281082 },
                                       { 3903.1, 3, -845.84964003125395 },
                                       { 3.841, 1, -1.3009111562613817 },
                                       { 0.01, 1, -0.036049661062642284 },
                                       { 1e5, 1, -21717.322159443943 },
                                       { 7.58, 9, -0.23885321026268983 },
                                       { 58.7, 49, -0.79170667768090876 },
                                       { 6032.224267316985, 6000, -0.41771636361423105 },
                                       { 5900, 6000, -0.086669020773815089 },
                                       { 0.5, 10, -2.8714389051705545e-6 },
                                       { 20000, 6000, -1473.9308654913116 },
                                       { 1e6, 1e6, -0.30119337600880731 },
                                       { 1.01e6, 1e6, -12.042463162307305 },
                                       { 0, 3, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect("chi-squared", kl_stats_chi_square_log10_p(cases[i][0], cases[i][1]), cases[i][2]);
}

static void check_beta(void)
{
    static const double beta[][4] = {
        { 0.5, 0.5, 0.3, -0.99693121102077808 },      { 2, 3, 0.9, -0.0037068619313264728 },
        { 14, 0.5, 0.1, -34.088003803935088 },        { 1000, 2000, 0.3, -10.108342387613259 },
        { 1000, 2000, 0.4, -2.3472382410689252e-14 }, { 5, 1, 1e-30, -345.38776394910685 },
        { 2000, 300, 0.5, -708.5332944582045 }
    };
    for (size_t i = 0; i < sizeof beta / sizeof *beta; i++)
        expect("beta", kl_stats_log_beta_lower(beta[i][0], beta[i][1], beta[i][2], 1 - beta[i][2]),
               beta[i][3]);
}

static void check_student_and_normal(void)
{
    static const double student[][3] = {
        { 2, 5, -0.99165759109158423 },   { 0.001, 28, -0.00034357318969536387 },
        { 9.1, 28, -9.1309336589515892 }, { 13.4, 28, -12.976078426005308 },
        { -100, 3, -5.6566855779123284 }, { 1.96, 1000, -1.2986636000535906 }
    };
    static const double normal[][2] = {
        { 0, -0.3010299956639812 }, { 1.5, -1.1751767216148164 }, { -3, -0.00058664931379006669 },
        { 8, -15.206142551017155 }, { 40, -349.43700645934584 },  { -1e-3, -0.30068361702647339 }
    };
    static const double quantile[][2] = { { 0.975, 1.9599639845400539 }, { 0.5, 0 },
                                          { 0.995, 2.5758293035489005 }, { 1e-10, -6.3613409024040562 },
                                          { 0.3, -0.52440051270804082 }, { 0.05, -1.6448536269514727 },
                                          { 0.9999, 3.7190164854557084 } };
    for (size_t i = 0; i < sizeof student / sizeof *student; i++)
        expect("student", kl_stats_student_log10_p(student[i][0], student[i][1]), student[i][2]);
    for (size_t i = 0; i < sizeof normal / sizeof *normal; i++)
        expect("normal", kl_stats_normal_log10_upper(normal[i][0]), normal[i][1]);
    for (size_t i = 0; i < sizeof quantile / sizeof *quantile; i++)
        expect("quantile", kl_stats_normal_quantile(quantile[i][0]), quantile[i][1]);
}

/* p = 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02. */
static void check_holm(void)
{
    double p[4] = { log10(0.01), log10(0.04), log10(0.03), log10(0.005) }, one[2] = { -0.1, -900 };
    static const double expected[4] = { 0.03, 0.06, 0.06, 0.02 };
    CHECK(isnan(kl_stats_student_log10_p(NAN, 3)) && isnan(kl_stats_chi_square_log10_p(NAN, 3)) &&
          isnan(kl_stats_log_beta_lower(1, 2, NAN, NAN)));
    CHECK(isinf(kl_stats_chi_square_log10_p(INFINITY, 1)));
    CHECK(kl_stats_holm(p, p, 4, NULL) == 0);
    for (int i = 0; i < 4; i++) expect("Holm", p[i], log10(expected[i]));
    CHECK(kl_stats_holm(one, one, 2, NULL) == 0);
    expect("Holm", one[0], -0.1);
    expect("Holm", one[1], -900 + log10(2));
}

int main(void)
{
    check_chi_square();
    check_beta();
    check_student_and_normal();
    check_holm();
    return failures != 0;
}
