/* SPDX-License-Identifier: MIT
   Against scikit-learn 1.x, PCA(2, svd_solver="full") on the same 12 x 5 table (signs by the largest
   loading). */
#include <math.h>

#include "plot/plot.h"

enum { N = 12, D = 5 };

static int failures;

static void expect(const char *what, double found, double expected)
{
    if (fabs(found - expected) <= 1e-9) return;
    fprintf(stderr, "%s: found %.12g, expected %.12g\n", what, found, expected);
    failures++;
}

/* Samples that are all equal have no variance to share; those on a line have one component. */
static void flat(double start, double slope, double share)
{
    float x[N * D];
    double scores[2 * N], explained[2];
    struct kl_error err;
    for (int i = 0; i < N * D; i++)
        x[i] = (float)(start * (1 + i % D) + slope * (double)((i / D) * (1 + i % D)));
    if (kl_plot_pca_project(scores, explained, x, N, D, &err)) failures++;
    expect("share of the first", explained[0], share);
    expect("share of the second", explained[1], 0);
    for (int i = 0; i < N; i++) expect("second score", scores[2 * i + 1], 0);
}

int main(void)
{
    static const double explained_expected[2] = { 0.42655272205004113, 0.2900484137888541 };
    static const double first[4][2] = { { -5.617412287283112, 2.3089685404244706 },
                                        { 6.636782109683622, -1.699906763278362 },
                                        { -1.626439132802832, -4.878305422333159 },
                                        { -0.5263834955361222, 5.529866760995033 } };
    float x[N * D];
    double scores[2 * N], explained[2];
    struct kl_error err;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++)
            x[i * D + j] = (float)((i * 7 + j * 3) % 11 - 5 + 0.25 * i * (j == 2));
    if (kl_plot_pca_project(scores, explained, x, N, D, &err)) return 1;
    for (int k = 0; k < 2; k++) expect("explained", explained[k], explained_expected[k]);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) expect("score", scores[2 * i + k], first[i][k]);
    flat(0.1, 0, 0);
    flat(0.125, 0.5, 1); /* exact in float */
    return failures != 0;
}
