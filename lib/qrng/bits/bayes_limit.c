/* SPDX-License-Identifier: MIT
   What the counts of a row's symbols can say of its device: the accuracy of the Bayes-optimal
   classifier. */
#include "qrng/bits/bits.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

enum { MOST_SYMBOLS = KL_LIMIT_SYMBOLS, MOST_CLASSES = KL_LIMIT_CLASSES };

struct sum {
    const double *p;
    size_t classes, m, n;
    size_t counts[MOST_SYMBOLS];
    double log_p[MOST_CLASSES][MOST_SYMBOLS], log_factorial[KL_LIMIT_ROW + 1];
    double accuracy, information, *confusion;
    const double *symbols; /* NULL: no derivatives are wanted */
    /* p_kj times the derivatives by p_kj */
    double by_accuracy[MOST_CLASSES][MOST_SYMBOLS], by_information[MOST_CLASSES][MOST_SYMBOLS];
};

/* Of one vector of counts and one class, whose share in it is `each`. The best answer and the mean do
   not matter to first order: the one is a maximum, the derivative of the other sums to 0. */
static void add_derivatives(struct sum *s, size_t k, double each, double bits, bool is_best)
{
    for (size_t j = 0; j < s->m; j++) {
        s->by_accuracy[k][j] += is_best ? each * (double)s->counts[j] : 0;
        s->by_information[k][j] += each * bits * (double)s->counts[j];
    }
}

/* Adds the vectors of counts that agree with the first `known`, of which `left` symbols are still to be
 * placed. */
static void add(struct sum *s, size_t known, size_t left)
{
    if (known + 1 < s->m && known + 1 < MOST_SYMBOLS) {
        for (s->counts[known] = 0; s->counts[known] <= left; s->counts[known]++)
            add(s, known + 1, left - s->counts[known]);
        return;
    }
    double of[MOST_CLASSES], mean = 0, most = -1, ways = s->log_factorial[s->n];
    size_t best = 0;
    s->counts[known] = left;
    for (size_t j = 0; j < s->m; j++) ways -= s->log_factorial[s->counts[j]];
    for (size_t k = 0; k < s->classes; k++) {
        double log_p = ways;
        for (size_t j = 0; j < s->m; j++)
            if (s->counts[j]) log_p += (double)s->counts[j] * s->log_p[k][j];
        of[k] = exp(log_p);
        mean += of[k] / (double)s->classes;
        if (of[k] > most) most = of[k], best = k;
    }
    s->accuracy += most / (double)s->classes;
    for (size_t k = 0; k < s->classes; k++) {
        const double each = of[k] / (double)s->classes, bits = of[k] > 0 ? log2(of[k] / mean) : 0;
        s->information += each * bits;
        if (s->confusion) s->confusion[k * s->classes + best] += of[k];
        if (s->symbols) add_derivatives(s, k, each, bits, k == best);
    }
}

/* Standard error of what has these derivatives, times p, if class k's p are shares among symbols[k]
   draws. */
static double error_of(double by[][MOST_SYMBOLS], const struct sum *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->classes; k++) {
        double first = 0, second = 0;
        for (size_t j = 0; j < s->m; j++) {
            const double p = s->p[k * s->m + j];
            if (p > 0) first += by[k][j], second += by[k][j] * by[k][j] / p;
        }
        sum += fmax(0, second - first * first) / s->symbols[k];
    }
    return sqrt(sum);
}

struct kl_limit kl_bits_bayes_limit(double *confusion, const double *p, const double *symbols,
                                    size_t classes, size_t m, size_t n)
{
    struct sum s = {
        .p = p, .classes = classes, .m = m, .n = n, .confusion = confusion, .symbols = symbols
    };
    for (size_t i = 0; i <= n; i++) s.log_factorial[i] = kl_stats_log_factorial((double)i);
    for (size_t i = 0; i < classes * m; i++) s.log_p[i / m][i % m] = log(p[i]);
    if (confusion) memset(confusion, 0, classes * classes * sizeof *confusion);
    add(&s, 0, n);
    struct kl_limit limit = { .accuracy = s.accuracy, .information = s.information };
    if (!symbols) return limit;
    limit.accuracy_error = error_of(s.by_accuracy, &s);
    limit.information_error = error_of(s.by_information, &s);
    return limit;
}
