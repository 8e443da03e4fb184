/* SPDX-License-Identifier: MIT
   Naive Bayes on what is counted in a row. */
#include "qrng/classify/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const kl_rule_names[KL_RULES] = { "pairs", "logistic", "bernoulli", "ones" };

size_t kl_rule_inputs(enum kl_rule_kind kind, size_t n_bits)
{
    if (kind == KL_RULE_PAIRS) return n_bits % 2 ? 0 : 4;
    return kind == KL_RULE_ONES ? 2 : n_bits;
}

size_t kl_rule_free(enum kl_rule_kind kind, size_t n_bits)
{
    const size_t d = kl_rule_inputs(kind, n_bits);
    return kind == KL_RULE_LOGISTIC ? d + 1 : kind == KL_RULE_BERNOULLI ? d : d - 1;
}

/* x [d] of a row: counts of symbols, or its bits. */
static void count(double *x, enum kl_rule_kind kind, const struct kl_bits *bits, size_t row)
{
    const uint64_t *words = kl_bits_row(bits, row);
    const int width = kind == KL_RULE_PAIRS ? 2 : 1;
    const size_t n_symbols = bits->n_bits / (size_t)width;
    if (kind == KL_RULE_PAIRS || kind == KL_RULE_ONES) memset(x, 0, (1u << width) * sizeof *x);
    for (size_t k = 0; k < n_symbols; k++) {
        const unsigned symbol = kl_bits_symbol(words, k, width);
        if (kind == KL_RULE_PAIRS || kind == KL_RULE_ONES) x[symbol]++;
        else x[k] = symbol;
    }
}

/* Of one class with its sums of x over `rows` rows: the logarithms of smoothed shares. */
static void set_class(double *p, enum kl_rule_kind kind, const double *sums, size_t d, double rows)
{
    double all = 0;
    for (size_t j = 0; j < d; j++) all += sums[j];
    p[d] = 0;
    for (size_t j = 0; j < d && kind != KL_RULE_BERNOULLI; j++)
        p[j] = log((sums[j] + 1) / (all + (double)d));
    for (size_t j = 0; j < d && kind == KL_RULE_BERNOULLI; j++) {
        const double q = (sums[j] + 1) / (rows + 2);
        p[j] = log(q) - log1p(-q);
        p[d] += log1p(-q);
    }
}

int kl_rule_fit(struct kl_rule *rule, enum kl_rule_kind kind, const struct kl_bits *bits,
                const int32_t *labels, size_t classes, const int64_t *which, size_t n,
                struct kl_error *err)
{
    const size_t d = kl_rule_inputs(kind, bits->n_bits);
    rule->kind = kind, rule->classes = classes, rule->inputs = d;
    double *sums =
        calloc(classes * (d + 1) + d, sizeof *sums); /* of each class, with its rows; then x */
    if (!sums) return kl_fail_memory(err, (classes + 1) * (d + 1) * sizeof *sums);
    double *x = sums + classes * (d + 1);
    int rc = KL_OK;
    for (size_t i = 0; i < n; i++) {
        double *own = sums + (size_t)labels[which[i]] * (d + 1);
        if (kind != KL_RULE_LOGISTIC) count(x, kind, bits, (size_t)which[i]);
        for (size_t j = 0; j < d; j++) own[j] += x[j];
        own[d]++;
    }
    for (size_t k = 0; k < classes && !rc; k++) {
        if (sums[k * (d + 1) + d] == 0)
            rc = kl_fail(err, KL_EDATA, "%s: none of %zu rows to fit to is of device %zu",
                         kl_rule_names[kind], n, k + 1);
        else if (kind != KL_RULE_LOGISTIC)
            set_class(rule->parameters + k * (d + 1), kind, sums + k * (d + 1), d,
                      sums[k * (d + 1) + d]);
    }
    free(sums);
    if (rc || kind != KL_RULE_LOGISTIC) return rc;
    return kl_logistic_fit(rule->parameters, bits, labels, classes, which, n, NULL, err);
}

void kl_rule_scores(double *scores, const struct kl_rule *rule, const struct kl_bits *bits, size_t row)
{
    const size_t d = rule->inputs;
    const bool counts = rule->kind == KL_RULE_PAIRS || rule->kind == KL_RULE_ONES;
    double x[4];
    if (counts) count(x, rule->kind, bits, row);
    const uint64_t *words = kl_bits_row(bits, row);
    for (size_t k = 0; k < rule->classes; k++) {
        const double *p = rule->parameters + k * (d + 1);
        double sum = p[d];
        if (counts)
            for (size_t j = 0; j < d; j++) sum += p[j] * x[j];
        else
            for (size_t j = 0; j < d; j++) sum += words[j / 64] >> j % 64 & 1 ? p[j] : 0;
        scores[k] = sum;
    }
}
