/* SPDX-License-Identifier: MIT */
#ifndef KL_QRNG_NIST_NIST90B_INT_H
#define KL_QRNG_NIST_NIST90B_INT_H

#include <math.h>

#include "qrng/nist/nist90b.h"

/* 99 % in this publication: of a normal distribution, two-sided. */
#define KL_NIST90B_Z 2.576

/* p with its upper bound, from n samples; at most 1. */
static inline double kl_nist90b_upper(double p, size_t n)
{
    return fmin(1, p + KL_NIST90B_Z * sqrt(p * (1 - p) / (double)(n - 1)));
}

/* Which of several predictors is asked next: the one that was right most often, of equals the last one
   that was right. */
struct kl_nist90b_score {
    size_t points[128];
    int winner;
};

/* One prediction more. */
static inline void kl_nist90b_tell(struct kl_nist90b_prediction *p, size_t *run, bool correct)
{
    *run = correct ? *run + 1 : 0;
    p->predicted++;
    p->correct += correct;
    if (*run > p->longest) p->longest = *run;
}

static inline void kl_nist90b_right(struct kl_nist90b_score *score, int predictor)
{
    if (++score->points[predictor] >= score->points[score->winner]) score->winner = predictor;
}

/* global, local and h from the counts; k: size of the alphabet. */
void kl_nist90b_bound(struct kl_nist90b_prediction *p, int k);

/* Repeats of a text: how often the most common tuple of each length occurs, and how many pairs of equal
   ones there are (repeats.c). */
struct kl_repeats {
    size_t longest;  /* of a tuple that occurs twice */
    uint32_t *most;  /* [longest + 1], by length; most[0] = n */
    uint64_t *pairs; /* [longest + 1] */
};
int kl_repeats(struct kl_repeats *r, const uint8_t *s, size_t n, struct kl_error *err);
void kl_repeats_free(struct kl_repeats *r);

#endif
