/* SPDX-License-Identifier: MIT
   Paired differences and their interval by Student's law. */
#include <math.h>

#include "stats/stats.h"

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
