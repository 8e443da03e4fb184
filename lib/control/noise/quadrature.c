/* SPDX-License-Identifier: MIT
   Gauss's rules, from the eigenvalues of their recurrences (Golub, Welsch 1969,
   doi:10.1090/S0025-5718-69-99647-1), and an adaptive integral made of one of them. */
#include "control/noise/noise_int.h"

#include <math.h>

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
