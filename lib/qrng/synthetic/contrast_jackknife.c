/* SPDX-License-Identifier: MIT
   How well between / within is known, of devices drawn anew from the same classes: each device is left
   out in turn (stratified jackknife of the logarithm; Jones 1974, Biometrika 61, 343). Pairs of devices
   are dependent, devices are not. */
#include <math.h>

#include "stats/stats.h"
#include "qrng/synthetic/synthetic.h"

enum { MOST = KL_SYNTHETIC_CLASSES };

/* Sums over pairs of devices, by their classes [c, c], the smaller one first. */
struct sums {
    double sum[MOST][MOST], n[MOST][MOST];
};

static void add(struct sums *to, const struct sums *from, double times, size_t classes)
{
    for (size_t a = 0; a < classes; a++)
        for (size_t b = a; b < classes; b++) {
            to->sum[a][b] += times * from->sum[a][b];
            to->n[a][b] += times * from->n[a][b];
        }
}

/* Of the pairs that device i is in. */
static struct sums of_device(const struct kl_contrast *c, const struct kl_synthetic *s, size_t i)
{
    struct sums of = { 0 };
    for (size_t k = 0; k < s->n_devices; k++) {
        if (k == i) continue;
        const int x = s->devices[i].class, y = s->devices[k].class, a = x < y ? x : y, b = x < y ? y : x;
        of.sum[a][b] += c->divergence[i * s->n_devices + k];
        of.n[a][b]++;
    }
    return of;
}

/* ln of the mean of the means between classes over that of those within; NaN where a class has no pair.
 */
static double log_ratio(const struct sums *of, size_t classes)
{
    double means[2] = { 0 };
    for (size_t a = 0; a < classes; a++)
        for (size_t b = a; b < classes; b++) {
            if (!(of->n[a][b] > 0.5)) return NAN;
            means[a != b] += of->sum[a][b] / of->n[a][b];
        }
    const double within = means[0] / (double)classes, pairs = (double)(classes * (classes - 1) / 2);
    return log(means[1] / pairs / within);
}

void kl_contrast_jackknife(struct kl_contrast *c, const struct kl_synthetic *s)
{
    const size_t classes = s->n_classes;
    struct sums all = { 0 };
    double n[MOST] = { 0 }, first[MOST] = { 0 }, second[MOST] = { 0 }, variance = 0;
    c->ratio_low = c->ratio_high = NAN;
    if (s->n_devices <= classes) return;
    for (size_t i = 0; i < s->n_devices; i++) {
        const struct sums of = of_device(c, s, i);
        add(&all, &of, 0.5, classes);
    }
    const double whole = log_ratio(&all, classes);
    for (size_t i = 0; i < s->n_devices; i++) {
        const struct sums of = of_device(c, s, i);
        struct sums rest = all;
        add(&rest, &of, -1, classes);
        const double off = log_ratio(&rest, classes) - whole;
        const int x = s->devices[i].class;
        if (isnan(off)) return;
        n[x]++, first[x] += off, second[x] += off * off;
    }
    for (size_t x = 0; x < classes; x++)
        variance += (n[x] - 1) / n[x] * fmax(0, second[x] - first[x] * first[x] / n[x]);
    const double half = kl_stats_student_quantile(0.95, s->n_devices - classes) * sqrt(variance);
    c->ratio_low = exp(whole - half), c->ratio_high = exp(whole + half);
}
