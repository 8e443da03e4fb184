/* SPDX-License-Identifier: MIT
   checkkernels, family spd: logarithms against eigenvalues and eigenvectors by Jacobi's rotations in
   long double; lanes do not know each other; what has no logarithm is NaN. */
#include "kernels/spd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

enum { MOST = 64, LANES = KL_SPD_LANES };
typedef long double square[MOST][MOST];
static double a[KL_SPD_TRIANGLE(MOST) * LANES] __attribute__((aligned(64))),
    kept[KL_SPD_TRIANGLE(MOST) * LANES], before[KL_SPD_TRIANGLE(MOST) * LANES],
    work[KL_SPD_WORK(MOST)] __attribute__((aligned(64)));
static square m, vectors;

static size_t at(int i, int j, int lane)
{
    return (size_t)((i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i) * LANES + lane);
}

/* Golub & Van Loan, Matrix Computations, 8.5: the off-diagonal falls to 0 quadratically. */
static void jacobi(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) vectors[i][j] = i == j;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (fabsl(m[p][q]) < 1e-30L) continue;
                const long double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]),
                                  t = (theta < 0 ? -1 : 1) / (fabsl(theta) + sqrtl(theta * theta + 1)),
                                  c = 1 / sqrtl(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    const long double x = m[k][p], y = m[k][q];
                    m[k][p] = c * x - s * y, m[k][q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const long double x = m[p][k], y = m[q][k];
                    m[p][k] = c * x - s * y, m[q][k] = s * x + c * y;
                    const long double u = vectors[k][p], v = vectors[k][q];
                    vectors[k][p] = c * u - s * v, vectors[k][q] = s * u + c * v;
                }
            }
}

/* Each lane: sum of n + 2 outer products and a part of 1, so that the condition differs from lane to
   lane. */
static void fill(int n)
{
    double x[MOST];
    memset(a, 0, sizeof a);
    for (int l = 0; l < LANES; l++) {
        for (int r = 0; r < n + 2; r++) {
            for (int i = 0; i < n; i++) x[i] = uniform() * (i % 3 == 1 ? 1 : pow(10, -(l % 5)));
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++) a[at(i, j, l)] += x[i] * x[j];
        }
        for (int i = 0; i < n; i++) a[at(i, i, l)] += 1e-7 + (l == 0 ? 1 : 0);
    }
    memcpy(before, a, sizeof a);
}

static int check_lane(const char *isa, int n, int lane)
{
    int failures = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[i][j] = (long double)before[at(i, j, lane)];
    jacobi(n);
    long double low = INFINITY, high = 0;
    for (int i = 0; i < n; i++) low = fminl(low, m[i][i]), high = fmaxl(high, m[i][i]);
    /* The logarithm's own condition: a relative error eps of the matrix is eps high / low of the least
       eigenvalue. */
    const long double scale = 1 + fabsl(logl(low)) + fabsl(logl(high)) + high / low;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            long double sum = 0;
            for (int k = 0; k < n; k++) sum += vectors[i][k] * logl(m[k][k]) * vectors[j][k];
            failures += far(isa, "spd_log", at(i, j, lane), (long double)a[at(i, j, lane)], sum, scale,
                            200, 2e-16);
        }
    return failures;
}

/* A lane beside others has the bits that it has with its own like alone; a lane without a logarithm is
   NaN and spoils nobody. */
static int check_alone(enum kl_isa k, int n)
{
    int failures = 0;
    memcpy(kept, a, sizeof a);
    for (int l = 0; l < LANES; l++) {
        memcpy(a, before, sizeof a);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                for (int other = 0; other < LANES; other++)
                    if (other != l)
                        a[at(i, j, other)] = other % 3 == 0   ? (i == j ? -1 : 0)
                                             : other % 3 == 1 ? NAN
                                                              : before[at(i, j, l)];
        kl_isa_spd_log_f64(k)(a, (size_t)n, kl_spd_rules(), work);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                for (int other = 0; other < LANES; other++) {
                    const double x = a[at(i, j, other)];
                    failures += other != l && other % 3 < 2 ? !isnan(x) : x != kept[at(i, j, l)];
                }
    }
    if (failures) printf("spd_log %s, n %d: lanes know each other: %d\n", kl_isa_name(k), n, failures);
    return failures;
}

static unsigned long long digest;
static int check(enum kl_isa k)
{
    static const int sizes[] = { 1, 2, 3, 5, 6, 22, 64 };
    unsigned long long mine = 0;
    int failures = 0;
    random_state = 88172645463325252ull;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int n = sizes[s];
        fill(n);
        kl_isa_spd_log_f64(k)(a, (size_t)n, kl_spd_rules(), work);
        for (int l = 0; l < LANES; l++) failures += check_lane(kl_isa_name(k), n, l);
        for (size_t i = 0; i < KL_SPD_TRIANGLE((size_t)n) * LANES; i++) {
            unsigned long long bits;
            memcpy(&bits, &a[i], 8);
            mine = (mine ^ bits) * 0x9E3779B97F4A7C15ull;
        }
        failures += check_alone(k, n);
    }
    if (strcmp(kl_isa_name(k), "avx2") == 0) digest = mine;
    if (strcmp(kl_isa_name(k), "avx512") == 0 && digest != mine)
        printf("spd_log: avx512 is not avx2 bit for bit\n"), failures++;
    printf("spd %s: %s\n", kl_isa_name(k), failures ? "off" : "as defined");
    return failures;
}

static void bench(enum kl_isa k)
{
    struct timespec from, to;
    double best = 1;
    fill(MOST);
    for (int r = 0; r < 50; r++) {
        memcpy(a, before, sizeof a);
        clock_gettime(CLOCK_MONOTONIC, &from);
        kl_isa_spd_log_f64(k)(a, MOST, kl_spd_rules(), work);
        clock_gettime(CLOCK_MONOTONIC, &to);
        best =
            fmin(best, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    }
    printf("spd_log %s, n 64: %.1f us a matrix\n", kl_isa_name(k), 1e6 * best / LANES);
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
