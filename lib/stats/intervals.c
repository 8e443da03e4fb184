/* SPDX-License-Identifier: MIT
   Means, spreads and intervals: of a proportion by Wilson, of paired differences by Student, of a mean
   over runs whose samples overlap; sorted values and their quantiles. */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

double kl_stats_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

double kl_stats_deviation(const double *values, size_t n)
{
    double squares = 0, mean = kl_stats_mean(values, n);
    for (size_t i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

/* ---- Sorted values and their quantiles ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void kl_stats_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
}

double kl_stats_sorted_quantile(const double *sorted, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

/* ---- The interval of a proportion, Wilson's ---- */

struct kl_interval kl_stats_wilson(double p, size_t n, double z)
{
    if (!n) return (struct kl_interval){ 0, 1 };
    double total = (double)n, z2 = z * z;
    double centre = (p + z2 / (2 * total)) / (1 + z2 / total);
    double half = z / (1 + z2 / total) * sqrt(p * (1 - p) / total + z2 / (4 * total * total));
    return (struct kl_interval){ fmax(0, centre - half), fmin(1, centre + half) };
}

/* ---- Paired differences and their interval by Student's law ---- */

/* P(|T| <= t) for Student's t with nu degrees of freedom, as a finite sum (Abramowitz and Stegun 1964,
   26.7.3 and 26.7.4). */
static double within(double t, size_t nu)
{
    const double theta = atan(t / sqrt((double)nu)), cosine = cos(theta), square = cosine * cosine;
    const bool odd = nu % 2;
    double term = odd ? cosine : 1, sum = 0;
    for (size_t k = odd ? 1 : 0; k + 2 <= nu; k += 2) {
        sum += term;
        term *= square * (double)(k + 1) / (double)(k + 2);
    }
    return odd ? 2 / M_PI * (theta + sin(theta) * sum) : sin(theta) * sum;
}

double kl_stats_student_quantile(double level, size_t nu)
{
    double low = 0, high = 1;
    while (within(high, nu) < level) high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (within(middle, nu) < level) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

struct kl_paired kl_stats_paired(const double *a, const double *b, size_t n)
{
    struct kl_paired p = { .n = n, .low = NAN, .high = NAN };
    double squares = 0;
    for (size_t i = 0; i < n; i++) p.difference += (a[i] - b[i]) / (double)n;
    if (n < 2) return p;
    for (size_t i = 0; i < n; i++) squares += pow(a[i] - b[i] - p.difference, 2);
    double half = kl_stats_student_quantile(0.95, n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
    p.low = p.difference - half;
    p.high = p.difference + half;
    return p;
}

void kl_stats_paired_text(char text[KL_PAIRED_TEXT], const struct kl_paired *p)
{
    if (p->n < 2)
        snprintf(text, KL_PAIRED_TEXT, "%+.4f (one seed; several --replicas give an interval)",
                 p->difference);
    else if (!kl_has_width(p->low, p->high))
        snprintf(text, KL_PAIRED_TEXT, "%+.4f (the same with each of %zu seeds: no interval)",
                 p->difference, p->n);
    else
        snprintf(text, KL_PAIRED_TEXT, "%+.4f (95 %% %+.4f to %+.4f, paired over %zu seeds)",
                 p->difference, p->low, p->high, p->n);
}

/* ---- The interval of a mean over training runs whose samples overlap ---- */

struct kl_interval kl_stats_resampled(const double *a, const double *b, size_t n, double ratio)
{
    double mean = 0, squares = 0;
    if (n < 2) return (struct kl_interval){ NAN, NAN };
    for (size_t i = 0; i < n; i++) mean += (a[i] - (b ? b[i] : 0)) / (double)n;
    for (size_t i = 0; i < n; i++) squares += pow(a[i] - (b ? b[i] : 0) - mean, 2);
    const double half = kl_stats_student_quantile(0.95, n - 1) *
                        sqrt(squares / (double)(n - 1) * (1 / (double)n + ratio));
    return (struct kl_interval){ mean - half, mean + half };
}
