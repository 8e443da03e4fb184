/* SPDX-License-Identifier: MIT
   Nodes and weights: Gauss's rules, an adaptive integral, and rules for the law of what is not known
   exactly. */
#include "control/noise/noise_int.h"

#include <math.h>

#include "control/noise/noise.h"

/* ---- Gauss's rules ----
   Gauss's rules, from the eigenvalues of their recurrences (Golub, Welsch 1969,
   doi:10.1090/S0025-5718-69-99647-1), and an adaptive integral made of one of them. */

enum { ORDER = 16, DEPTH = 60, SWEEPS = 60 };

/* One implicit QL step of the tridiagonal matrix (d, e) from row l to m; first: the eigenvectors' first
   components. */
static void ql_step(double *d, double *e, double *first, int l, int m)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), s = 1, c = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g + copysign(hypot(g, 1), g));
    for (int i = m - 1; i >= l; i--) {
        const double f = s * e[i], b = c * e[i], r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2 * c * b, v = first[i + 1];
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        first[i + 1] = s * first[i] + c * v;
        first[i] = c * first[i] - s * v;
    }
    d[l] -= p, e[l] = g, e[m] = 0;
}

static void eigenvalues(double *d, double *e, double *first, int n)
{
    for (int l = 0; l < n; l++)
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            int m = l;
            while (m < n - 1 && fabs(e[m]) > 1e-17 * (fabs(d[m]) + fabs(d[m + 1]))) m++;
            if (m == l) break;
            ql_step(d, e, first, l, m);
        }
}

static double recurrence(double *diagonal, int i, enum kl_control_weight weight)
{
    *diagonal = weight == KL_CONTROL_LAGUERRE ? 2 * i + 1 : 0;
    if (weight == KL_CONTROL_LAGUERRE) return i + 1;
    if (weight == KL_CONTROL_NORMAL) return sqrt(i + 1);
    return (i + 1) / sqrt(4.0 * (i + 1) * (i + 1) - 1);
}

void kl_control_noise_gauss(double *nodes, double *weights, int n, enum kl_control_weight weight)
{
    double off[KL_CONTROL_MAX_NODES + 1], first[KL_CONTROL_MAX_NODES] = { 1 };
    for (int i = 0; i < n; i++) off[i] = recurrence(&nodes[i], i, weight);
    off[n - 1] = 0;
    eigenvalues(nodes, off, first, n);
    for (int i = 0; i < n; i++)
        weights[i] = first[i] * first[i] * (weight == KL_CONTROL_LEGENDRE ? 2 : 1);
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && nodes[j] < nodes[j - 1]; j--) {
            const double x = nodes[j], w = weights[j];
            nodes[j] = nodes[j - 1], weights[j] = weights[j - 1];
            nodes[j - 1] = x, weights[j - 1] = w;
        }
}

struct rule {
    double x[ORDER], w[ORDER], tolerance;
    const struct kl_control_integrand *f;
};

static double part(const struct rule *rule, double from, double to)
{
    const double middle = (from + to) / 2, half = (to - from) / 2;
    double sum = 0;
    for (int i = 0; i < ORDER; i++)
        sum += rule->w[i] * rule->f->value(middle + half * rule->x[i], rule->f->context);
    return half * sum;
}

static double refined(const struct rule *rule, double from, double to, double whole, int depth)
{
    const double middle = (from + to) / 2, left = part(rule, from, middle),
                 right = part(rule, middle, to);
    if (depth == 0 || !(fabs(left + right - whole) > rule->tolerance)) return left + right;
    return refined(rule, from, middle, left, depth - 1) + refined(rule, middle, to, right, depth - 1);
}

double kl_control_noise_integral(const struct kl_control_integrand *f, double from, double to,
                                 int panels)
{
    struct rule rule = { .f = f };
    const double width = (to - from) / panels;
    double size = 0, sum = 0;
    kl_control_noise_gauss(rule.x, rule.w, ORDER, KL_CONTROL_LEGENDRE);
    for (int i = 0; i < panels; i++) size += fabs(part(&rule, from + i * width, from + (i + 1) * width));
    rule.tolerance = 1e-15 * size;
    for (int i = 0; i < panels; i++) {
        const double a = from + i * width, b = i + 1 < panels ? a + width : to;
        sum += refined(&rule, a, b, part(&rule, a, b), DEPTH);
    }
    return sum;
}

/* ---- a law ----
   The law of what is not known exactly: nodes for the mean of a loss over it, and how many it takes. A
   loss is linear in the transfer matrix R(T), which is an entire function of a deviation d of a
   parameter with the generator P, of exponential type T ||P||: as a function of d in units of its size
   it has no frequency above turn = size T ||P||. So what a rule leaves of exp(i turn x) is what it
   leaves of any loss. */

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
