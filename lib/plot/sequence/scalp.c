/* SPDX-License-Identifier: MIT
   Spherical splines: sums of a kernel of the angle to each electrode, with a constant, so that the
   weights add up to 0 (Perrin et al. 1989). */
#include "plot/sequence/scalp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { TERMS = 50 };
static const double RIDGE = 1e-9; /* so little that the map has the values at the electrodes */

/* g(cos) = sum over k of (2 k + 1) / (k (k + 1))^4 P_k(cos) / (4 pi), Legendre polynomials by their
   recurrence. */
static double kernel(double cosine)
{
    double before = 1, now = cosine, sum = 0;
    for (int k = 1; k <= TERMS; k++) {
        const double square = (double)k * (k + 1) * k * (k + 1);
        sum += (2 * k + 1) * now / (square * square);
        const double next = ((2 * k + 1) * cosine * now - k * before) / (k + 1);
        before = now, now = next;
    }
    return sum / (4 * M_PI);
}

/* From the disc, where radii are angles from the vertex, to the sphere. */
static void raise_place(double to[3], double x, double y)
{
    const double r = hypot(x, y), angle = r * M_PI / 2;
    to[0] = r > 0 ? sin(angle) * x / r : 0, to[1] = r > 0 ? sin(angle) * y / r : 0, to[2] = cos(angle);
}

static double cosine(const double a[3], const double b[3])
{
    return fmax(-1, fmin(1, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]));
}

/* a (n, n) x = b by elimination with pivots; x comes into b. A column without a pivot has no say. */
static void solve(double *a, double *b, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        for (size_t j = 0; j < n && best != k; j++) {
            const double kept = a[k * n + j];
            a[k * n + j] = a[best * n + j], a[best * n + j] = kept;
        }
        const double kept = b[k];
        b[k] = b[best], b[best] = kept;
        if (!(fabs(a[k * n + k]) > 1e-14)) continue;
        for (size_t i = k + 1; i < n; i++) {
            const double f = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n && f != 0; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] = fabs(a[k * n + k]) > 1e-14 ? b[k] / a[k * n + k] : 0;
    }
}

int kl_plot_scalp_fit(struct kl_scalp *s, const double *values, const double *positions, size_t n,
                      struct kl_error *err)
{
    *s = (struct kl_scalp){ .place = malloc((3 * n + 1) * sizeof *s->place),
                            .weights = calloc(n + 1, sizeof *s->weights) };
    double *a = calloc((n + 1) * (n + 1), sizeof *a);
    if (!s->place || !s->weights || !a) {
        free(a);
        return kl_fail_memory(err, (n + 1) * (n + 1) * sizeof *a);
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]) || !isfinite(positions[2 * i]) || !isfinite(positions[2 * i + 1]))
            continue;
        raise_place(s->place + 3 * s->n, positions[2 * i], positions[2 * i + 1]);
        s->weights[s->n++] = values[i];
    }
    const size_t m = s->n + 1;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < s->n; k++)
            a[i * m + k] = kernel(cosine(s->place + 3 * i, s->place + 3 * k)) + (i == k ? RIDGE : 0);
        a[i * m + s->n] = a[s->n * m + i] = 1;
    }
    s->weights[s->n] = 0;
    solve(a, s->weights, m);
    free(a);
    return KL_OK;
}

double kl_plot_scalp_at(const struct kl_scalp *s, double x, double y)
{
    double place[3], sum = s->weights[s->n];
    raise_place(place, x, y);
    for (size_t i = 0; i < s->n; i++) sum += s->weights[i] * kernel(cosine(s->place + 3 * i, place));
    return sum;
}

void kl_plot_scalp_free(struct kl_scalp *s)
{
    free(s->place), free(s->weights);
    *s = (struct kl_scalp){ 0 };
}
