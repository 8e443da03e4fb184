/* SPDX-License-Identifier: MIT
   checkkernels, family lbfgs: every instruction set against the inverse Hessian as a matrix, updated
   pair by pair (Nocedal and Wright, Numerical Optimization, 6.17); bounds; what lanes do with their
   trials. */
#include "kernels/lbfgs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isas.h"
#include "numbers.h"

enum { N = 7, LANES = KL_LBFGS_LANES, ROUNDS = 11 };
static double memory[6 + 2 * KL_LBFGS_PAIRS][N * LANES] __attribute__((aligned(64)));
static double low[N], high[N];
static struct kl_lbfgs b;
/* Pairs that each lane should have, the newest last. */
static double pair_s[LANES][ROUNDS][N], pair_y[LANES][ROUNDS][N];
static int pair_round[LANES][ROUNDS], n_pairs[LANES];

static void reset(void)
{
    memset(&b, 0, sizeof b), memset(memory, 0, sizeof memory);
    b.n = N, b.x = memory[0], b.g = memory[1], b.d = memory[2], b.next_x = memory[3],
    b.next_g = memory[4], b.free = memory[5];
    for (int p = 0; p < KL_LBFGS_PAIRS; p++)
        b.s[p] = memory[6 + p], b.y[p] = memory[6 + KL_LBFGS_PAIRS + p];
    b.low = low, b.high = high;
    for (int i = 0; i < N; i++) low[i] = i == 2 ? 0 : -4, high[i] = 4;
    for (int i = 0; i < N * LANES; i++) b.x[i] = i / LANES == 2 ? 0 : uniform(), b.g[i] = uniform();
    memset(n_pairs, 0, sizeof n_pairs);
}
static bool held(int i, int l)
{
    const double x = b.x[i * LANES + l], g = b.g[i * LANES + l];
    return (x <= low[i] && g > 0) || (x >= high[i] && g < 0);
}

/* -H g over what is free, H from what is free of the pairs of the last KL_LBFGS_PAIRS rounds. */
static void slow(double *d, int l, int round)
{
    double h[N][N] = { { 0 } }, g[N], norm = 0, slope = 0, scale = 0;
    for (int i = 0; i < N; i++) g[i] = held(i, l) ? 0 : b.g[i * LANES + l], norm += g[i] * g[i];
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < n_pairs[l]; k++) {
            double s[N], y[N], sy = 0, yy = 0, hy[N] = { 0 }, yhy = 0;
            for (int i = 0; i < N; i++) {
                s[i] = held(i, l) ? 0 : pair_s[l][k][i], y[i] = held(i, l) ? 0 : pair_y[l][k][i];
                sy += s[i] * y[i], yy += y[i] * y[i];
            }
            if (pair_round[l][k] < round - KL_LBFGS_PAIRS || sy <= 1e-14 * yy) continue;
            if (pass == 0) scale = sy / yy; /* the newest comes last */
            if (pass == 0) continue;
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) hy[i] += h[i][j] * y[j];
            for (int i = 0; i < N; i++) yhy += y[i] * hy[i];
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    h[i][j] += -(s[i] * hy[j] + hy[i] * s[j]) / sy + (1 + yhy / sy) * s[i] * s[j] / sy;
        }
        if (pass == 0)
            for (int i = 0; i < N; i++) h[i][i] = scale > 0 ? scale : 1 / sqrt(norm);
    }
    for (int i = 0; i < N; i++) {
        d[i] = 0;
        for (int j = 0; j < N && !held(i, l); j++) d[i] -= h[i][j] * g[j];
        slope += d[i] * b.g[i * LANES + l];
    }
    for (int i = 0; i < N && slope >= 0; i++) d[i] = -g[i];
}

static void note_pair(int l, int round)
{
    double sy = 0;
    for (int i = 0; i < N; i++) {
        const int at = i * LANES + l;
        pair_s[l][n_pairs[l]][i] = b.next_x[at] - b.x[at],
        pair_y[l][n_pairs[l]][i] = b.next_g[at] - b.g[at];
        sy += pair_s[l][n_pairs[l]][i] * pair_y[l][n_pairs[l]][i];
    }
    pair_round[l][n_pairs[l]] = round;
    if (sy > 0) n_pairs[l]++;
}

static int check(enum kl_isa k)
{
    int failures = 0;
    reset();
    for (int round = 0; round < ROUNDS; round++) {
        double slope[LANES], size[LANES], gain[LANES], step[LANES], accept[LANES], d[N], most;
        kl_isa_lbfgs_direction_f64(k)(&b, slope, size);
        for (int l = 0; l < LANES; l++) {
            double along = most = 0;
            slow(d, l, round);
            for (int i = 0; i < N; i++) {
                const int at = i * LANES + l;
                failures += far(kl_isa_name(k), "lbfgs direction", (size_t)at, b.d[at], d[i],
                                1 + fabs(d[i]), 100000, 2e-16);
                along += b.g[at] * b.d[at], most = fmax(most, held(i, l) ? 0 : fabs(b.g[at]));
            }
            failures += far(kl_isa_name(k), "lbfgs slope", (size_t)l, slope[l], along, 1 + fabs(along),
                            100, 2e-16);
            failures += far(kl_isa_name(k), "lbfgs size", (size_t)l, size[l], most, 1, 0, 0);
            step[l] = 0.3 + 0.1 * l;
        }
        kl_isa_lbfgs_trial_f64(k)(&b, gain, step);
        for (int l = 0; l < LANES; l++) {
            double sum = 0;
            for (int i = 0; i < N; i++) {
                const int at = i * LANES + l;
                const double want = fmin(fmax(b.x[at] + step[l] * b.d[at], low[i]), high[i]);
                failures +=
                    far(kl_isa_name(k), "lbfgs trial", (size_t)at, b.next_x[at], want, 10, 1, 2e-16);
                sum += b.g[at] * (b.next_x[at] - b.x[at]);
                b.next_g[at] = b.g[at] + (1 + 0.5 * i) * (b.next_x[at] - b.x[at]) + 0.01 * uniform();
            }
            failures +=
                far(kl_isa_name(k), "lbfgs gain", (size_t)l, gain[l], sum, 1 + fabs(sum), 100, 2e-16);
            accept[l] = round == 5 && l == 3   ? KL_LBFGS_BEGIN
                        : round == 6 && l == 4 ? KL_LBFGS_FORGET
                        : (round + l) % 4 == 1 ? KL_LBFGS_STAY
                                               : KL_LBFGS_ACCEPT;
            if (accept[l] == KL_LBFGS_ACCEPT) note_pair(l, round);
            else if (accept[l] != KL_LBFGS_STAY) n_pairs[l] = 0;
        }
        static double x[N * LANES], g[N * LANES];
        memcpy(x, b.x, sizeof x), memcpy(g, b.g, sizeof g);
        kl_isa_lbfgs_update_f64(k)(&b, accept);
        for (int at = 0; at < N * LANES; at++) {
            const bool moves = accept[at % LANES] > 0;
            failures +=
                b.x[at] != (moves ? b.next_x[at] : x[at]) || b.g[at] != (moves ? b.next_g[at] : g[at]);
        }
    }
    printf("lbfgs %s: %s\n", kl_isa_name(k), failures ? "off" : "as defined");
    return failures;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, NULL);
}
