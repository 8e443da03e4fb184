/* SPDX-License-Identifier: MIT
   rules: classifiers without hidden units, whose scores are linear in what is counted in a row: the
   yardsticks of every network. n rows, c classes (devices), d numbers of a row. */
#ifndef KL_QRNG_CLASSIFY_RULES_H
#define KL_QRNG_CLASSIFY_RULES_H

#include "qrng/bits/bits.h"

enum kl_rule_kind {
    KL_RULE_PAIRS,     /* naive Bayes on the counts of the four symbols of two bits; add-one smoothing */
    KL_RULE_LOGISTIC,  /* multinomial logistic regression on the bits, penalty |W|^2 / 2, free intercepts
                        */
    KL_RULE_BERNOULLI, /* naive Bayes on every bit by itself; add-one smoothing */
    KL_RULE_ONES,      /* naive Bayes on the count of ones */
    KL_RULES
};
extern const char *const kl_rule_names[KL_RULES]; /* "pairs", ... */
#define KL_RULE_CHOICES "pairs|logistic|bernoulli|ones"

/* score of class k = parameters[k (d + 1) + d] + sum over j of parameters[k (d + 1) + j] x_j. Naive
   Bayes is fitted with equal priors; whoever has others adds their logarithms to the constants. */
struct kl_rule {
    enum kl_rule_kind kind;
    size_t classes, inputs; /* c, d */
    double *parameters;     /* [c, d + 1] */
};
/* d of a kind for rows of n_bits; 0: there is none (pairs of an odd number of bits). */
size_t kl_classify_rule_inputs(enum kl_rule_kind kind, size_t n_bits);
/* Numbers of a class that are free: shares of symbols add to 1, and equal priors leave no intercept. */
size_t kl_classify_rule_free(enum kl_rule_kind kind, size_t n_bits);
/* Fits to rows [which[0..n)] with labels [n_rows of bits] in [0, classes). rule->parameters: room for
   classes (d + 1) numbers, given by the caller. KL_EDATA if a class has no row, KL_ENOMEM,
   KL_ESIGNAL. */
int kl_classify_rule_fit(struct kl_rule *rule, enum kl_rule_kind kind, const struct kl_bits *bits,
                         const int32_t *labels, size_t classes, const int64_t *which, size_t n,
                         struct kl_error *err);
/* scores [c] of a row: logarithms of the classes' probabilities but for a constant. */
void kl_classify_rule_scores(double *scores, const struct kl_rule *rule, const struct kl_bits *bits,
                             size_t row);

/* ---- logistic regression ---- */
/* Minimises the sum of cross-entropies + |W|^2 / 2 from 0 until no derivative exceeds 1e-8 of the
   largest possible one (n), by L-BFGS (Liu & Nocedal 1989, doi:10.1007/BF01589116), in double;
   parameters [c, n_bits + 1]. variance [n_bits], or NULL for ones: the penalty is sum variance_j W_j^2 /
   2, that on the weights of bits that were divided by their deviations. KL_ENOMEM; KL_ESIGNAL soon
   after a signal. */
int kl_classify_logistic_fit(double *parameters, const struct kl_bits *bits, const int32_t *labels,
                             size_t classes, const int64_t *which, size_t n, const double *variance,
                             struct kl_error *err);

#endif
