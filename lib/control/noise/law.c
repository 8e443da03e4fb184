/* SPDX-License-Identifier: MIT
   The law of what is not known exactly: nodes for the mean of a loss over it, and how many it takes. A
   loss is linear in the transfer matrix R(T), which is an entire function of a deviation d of a
   parameter with the generator P, of exponential type T ||P||: as a function of d in units of its size
   it has no frequency above turn = size T ||P||. So what a rule leaves of exp(i turn x) is what it
   leaves of any loss. */
#include <math.h>

#include "control/noise/noise.h"

/* Logarithm of the error of Gauss's rule of n nodes, by the derivative of order 2n, turn^(2n) (Davis and
   Rabinowitz, Methods of Numerical Integration, 2.7). */
static double log_gauss(int n, enum kl_control_law law, double turn)
{
    const double power = 2 * n * log(turn);
    if (law == KL_CONTROL_LAW_NORMAL) return lgamma(n + 1) + power - lgamma(2 * n + 1);
    return 2 * n * M_LN2 + 4 * lgamma(n + 1) + power - log(2 * n + 1) - 3 * lgamma(2 * n + 1);
}

/* The trapezoidal rule of n nodes over the normal law (Trefethen and Weideman 2014,
   doi:10.1137/130932132): with the step h what is cut off at n h / 2 deviations is as much as what the
   next alias, at 2 pi / h, leaves: 4 exp(-reach^2 / 2). */
static double step_of(int n, double turn)
{
    return (sqrt(turn * turn + 4 * M_PI * n) - turn) / n;
}
static double log_trapezoid(int n, double turn)
{
    const double reach = n * step_of(n, turn) / 2;
    return log(4) - reach * reach / 2;
}

static bool takes_gauss(int n, enum kl_control_law law, double turn)
{
    if (law == KL_CONTROL_LAW_UNIFORM) return true;
    return n <= KL_CONTROL_MAX_NODES && log_gauss(n, law, turn) <= log_trapezoid(n, turn);
}

int kl_control_law_count(enum kl_control_law law, double turn, double tolerance)
{
    const int most = law == KL_CONTROL_LAW_UNIFORM ? KL_CONTROL_MAX_NODES : KL_CONTROL_LAW_NODES;
    int n = 1;
    for (; n <= most; n++) {
        const double gauss = log_gauss(n, law, turn),
                     least = law == KL_CONTROL_LAW_NORMAL ? fmin(gauss, log_trapezoid(n, turn)) : gauss;
        if (!(turn > 0) || least <= log(tolerance)) return n;
    }
    return n;
}

void kl_control_law_nodes(double *nodes, double *weights, int n, enum kl_control_law law, double turn)
{
    double sum = 0;
    if (takes_gauss(n, law, turn))
        kl_control_noise_gauss(nodes, weights, n,
                               law == KL_CONTROL_LAW_NORMAL ? KL_CONTROL_NORMAL : KL_CONTROL_LEGENDRE);
    else
        for (int i = 0; i < n; i++) {
            nodes[i] = step_of(n, turn) * (i - (n - 1) / 2.0);
            weights[i] = exp(-nodes[i] * nodes[i] / 2);
        }
    for (int i = 0; i < n; i++) sum += weights[i];
    for (int i = 0; i < n; i++) weights[i] /= sum;
}

void kl_control_law_grid(double *nodes, double *weights, int n, enum kl_control_law law)
{
    const double reach = law == KL_CONTROL_LAW_NORMAL ? KL_CONTROL_LAW_REACH : 1;
    for (int i = 0; i < n; i++) {
        nodes[i] = n > 1 ? reach * (2.0 * i / (n - 1) - 1) : 0;
        weights[i] = 1.0 / n;
    }
}
