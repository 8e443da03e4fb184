/* SPDX-License-Identifier: MIT
   The logarithm as a sum of inverses: ln z is the integral over s > 0 of (1/(1 + s) - 1/(z + s)); with s
   = exp(alpha sinh t) the trapezoidal rule in t converges geometrically (Takahasi & Mori 1974). Poles
   and alpha of each decade are the fewest poles that a search found for errors below 2e-14. */
#include <math.h>
#include <pthread.h>

#include "kernels/spd.h"

static struct kl_spd_rules rules;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    /* how many; alpha; ln s of the last */
    static const struct {
        int n;
        double alpha, end;
    } rule[KL_SPD_DECADES] = { { 36, 2.5, 36 }, { 44, 3, 36 },  { 56, 3, 38 }, { 68, 3.5, 40 },
                               { 76, 4, 38 },   { 84, 5, 40 },  { 96, 6, 42 }, { 104, 8, 44 },
                               { 112, 10, 44 }, { 116, 12, 44 } };
    for (int c = 0; c < KL_SPD_DECADES; c++) {
        const int n = rules.n[c] = rule[c].n;
        const double alpha = rule[c].alpha, step = 2 * asinh(rule[c].end / alpha) / n;
        for (int j = 0; j < n; j++) {
            const double t = (j - (n - 1) / 2.0) * step;
            rules.s[c][j] = exp(alpha * sinh(t));
            rules.g[c][j] = step * alpha * cosh(t) * rules.s[c][j];
        }
    }
}

const struct kl_spd_rules *kl_spd_rules(void)
{
    pthread_once(&once, make);
    return &rules;
}
