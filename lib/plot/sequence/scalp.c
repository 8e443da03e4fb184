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

/* ---- the area that electrodes cover ---- */
static int by_place(const void *a, const void *b)
{
    const double *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Above 0: c lies to the left of the line from a to b. */
static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The convex hull, lower half and upper half (Andrew 1979). Sorts the disc's places. */
static void find_hull(struct kl_scalp *s)
{
    size_t n = 0, least = 1, kept = 0;
    if (s->n) qsort(s->disc, s->n, 2 * sizeof *s->disc, by_place);
    for (int half = 0; half < 2; half++, least = n)
        for (size_t k = 0; k < s->n; k++) {
            const double *place = s->disc + 2 * (half ? s->n - 1 - k : k);
            while (n > least && turn(s->hull + 2 * (n - 2), s->hull + 2 * (n - 1), place) <= 0) n--;
            memcpy(s->hull + 2 * n++, place, 2 * sizeof *place);
        }
    for (size_t k = 0; k < n; k++) { /* where the halves meet, a corner stands twice */
        const double *place = s->hull + 2 * k, *last = s->hull + 2 * (kept ? kept - 1 : 0);
        if (kept && ((place[0] == last[0] && place[1] == last[1]) ||
                     (place[0] == s->hull[0] && place[1] == s->hull[1])))
            continue;
        memmove(s->hull + 2 * kept++, place, 2 * sizeof *place);
    }
    s->n_hull = kept;
}

/* ---- the map ---- */
int kl_plot_scalp_fit(struct kl_scalp *s, const double *values, const double *positions, size_t n,
                      struct kl_error *err)
{
    *s = (struct kl_scalp){ .place = malloc((3 * n + 1) * sizeof *s->place),
                            .disc = malloc((2 * n + 1) * sizeof *s->disc),
                            .hull = malloc((4 * n + 4) * sizeof *s->hull),
                            .weights = calloc(n + 1, sizeof *s->weights) };
    double *a = calloc((n + 1) * (n + 1), sizeof *a);
    if (!s->place || !s->weights || !s->disc || !s->hull || !a) {
        free(a);
        return kl_fail_memory(err, (n + 1) * (n + 1) * sizeof *a);
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]) || !isfinite(positions[2 * i]) || !isfinite(positions[2 * i + 1]))
            continue;
        raise_place(s->place + 3 * s->n, positions[2 * i], positions[2 * i + 1]);
        memcpy(s->disc + 2 * s->n, positions + 2 * i, 2 * sizeof *positions);
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
    find_hull(s);
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
    free(s->place), free(s->weights), free(s->disc), free(s->hull);
    *s = (struct kl_scalp){ 0 };
}
