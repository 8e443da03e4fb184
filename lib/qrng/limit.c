/* SPDX-License-Identifier: MIT
   What the counts of a row's symbols can say of its device. */
#include <math.h>
#include <string.h>

#include "qrng/rules.h"

enum { MOST_SYMBOLS = 4, MOST_CLASSES = 64 };

struct sum {
    const double *p;
    size_t classes, m, n;
    size_t counts[MOST_SYMBOLS];
    double accuracy, information, *confusion;
};

/* Adds the vectors of counts that agree with the first `known`, of which `left` symbols are still to be
 * placed. */
static void add(struct sum *s, size_t known, size_t left)
{
    if (known + 1 < s->m) {
        for (s->counts[known] = 0; s->counts[known] <= left; s->counts[known]++)
            add(s, known + 1, left - s->counts[known]);
        return;
    }
    double of[MOST_CLASSES] = { 0 }, mean = 0, ways = lgamma((double)s->n + 1);
    size_t best = 0;
    s->counts[known] = left;
    for (size_t j = 0; j < s->m; j++) ways -= lgamma((double)s->counts[j] + 1);
    for (size_t k = 0; k < s->classes; k++) {
        double log_p = ways;
        for (size_t j = 0; j < s->m; j++)
            if (s->counts[j]) log_p += (double)s->counts[j] * log(s->p[k * s->m + j]);
        of[k] = exp(log_p);
        mean += of[k] / (double)s->classes;
        if (of[k] > of[best]) best = k;
    }
    s->accuracy += of[best] / (double)s->classes;
    for (size_t k = 0; k < s->classes; k++) {
        if (of[k] > 0) s->information += of[k] / (double)s->classes * log2(of[k] / mean);
        if (s->confusion) s->confusion[k * s->classes + best] += of[k];
    }
}

struct kl_limit kl_symbol_limit(double *confusion, const double *p, size_t classes, size_t m, size_t n)
{
    struct sum s = { .p = p, .classes = classes, .m = m, .n = n, .confusion = confusion };
    if (confusion) memset(confusion, 0, classes * classes * sizeof *confusion);
    add(&s, 0, n);
    return (struct kl_limit){ s.accuracy, s.information };
}
