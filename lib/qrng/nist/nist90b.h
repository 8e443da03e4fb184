/* SPDX-License-Identifier: MIT
   nist90b: min-entropy of a noise source by NIST SP 800-90B (Turan et al. 2018,
   doi:10.6028/NIST.SP.800-90B), sections 3.1.4, 5 and 6.3 of it. First all estimates of a source at
   once, then each. Every estimate is a lower one only if the source is as its estimator supposes; the
   assessed entropy is the least of them, and even that holds for no source that was built to deceive
   them. */
#ifndef KL_QRNG_NIST_NIST90B_H
#define KL_QRNG_NIST_NIST90B_H

#include "base/base.h"

/* What is estimated: n symbols below k, each of which occurs; k <= 256. */
struct kl_symbols {
    const uint8_t *s;
    size_t n;
    int k;
};
/* The symbols' numbers without gaps, in place, and how many there are: k. */
int kl_symbols_close(uint8_t *s, size_t n);

/* ---- all estimates (nist90b.c) ---- */
enum {
    KL_NIST90B_MOST_COMMON,
    KL_NIST90B_COLLISION, /* the first four but one are of bits alone */
    KL_NIST90B_MARKOV,
    KL_NIST90B_COMPRESSION,
    KL_NIST90B_TUPLE,
    KL_NIST90B_REPEAT,
    KL_NIST90B_WINDOWS,
    KL_NIST90B_LAG,
    KL_NIST90B_MODELS,
    KL_NIST90B_DICTIONARY,
    KL_NIST90B_ESTIMATES
};
extern const char *const kl_nist90b_names[KL_NIST90B_ESTIMATES];
/* h [KL_NIST90B_ESTIMATES], set: bits a symbol; NaN where one is not applicable (symbols that are no
   bits; too few). Linear in n, but for the sorting of repeats. KL_ENOMEM. */
int kl_nist90b(double *h, const struct kl_symbols *symbols, struct kl_error *err);
/* The least of them that is a number; NaN: none. */
double kl_nist90b_least(const double *h);

/* ---- the estimates: bits a symbol ---- */
/* 6.3.1, from the count of the most common value; n >= 2. */
double kl_nist90b_most_common(size_t count, size_t n);
/* 6.3.2 and 6.3.3, of bits. */
double kl_nist90b_collision(const struct kl_symbols *bits);
double kl_nist90b_markov(const struct kl_symbols *bits);
/* 6.3.4, of bits, the first `warm` (1000) blocks of six only seen. KL_ENOMEM. */
int kl_nist90b_compression(double *h, const struct kl_symbols *bits, size_t warm, struct kl_error *err);
/* 6.3.5 and 6.3.6: tuples that occur at least `cutoff` (35) times, and all longer ones. KL_ENOMEM. */
struct kl_nist90b_tuples {
    double tuple, repeat;  /* NaN: no tuple occurs so often; none occurs twice */
    size_t longest_common; /* t */
    size_t longest_repeat; /* v */
};
int kl_nist90b_tuples(struct kl_nist90b_tuples *result, const struct kl_symbols *symbols, size_t cutoff,
                      struct kl_error *err);

/* Predictors: how often each was right, and what that says (section 6.3.7, steps 4 to 8). */
struct kl_nist90b_prediction {
    size_t predicted, correct, longest; /* longest run of correct ones */
    double global, local;               /* upper bounds of the probability of a correct one */
    double h;
};
/* 6.3.7: the most common value of the last w symbols, four w in rising order (63, 255, 1023, 4095). */
int kl_nist90b_windows(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols,
                       const size_t w[4], struct kl_error *err);
/* 6.3.8: the symbol `lags` (at most 128) places ago. */
void kl_nist90b_lag(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int lags);
/* 6.3.9 and 6.3.10: Markov models of up to `depth` (at most 16) symbols before; KL_ENOMEM. */
int kl_nist90b_models(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int depth,
                      struct kl_error *err);
int kl_nist90b_dictionary(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int depth,
                          struct kl_error *err);

/* ---- what min-entropy is good for ---- */
/* How many bits within 2^-security of uniform (statistical distance) a universal hash makes of bits that
   hold `entropy` bits of min-entropy in all: entropy + 2 - 2 security, rounded down, or 0 (leftover hash
   lemma: Impagliazzo, Levin & Luby 1989, doi:10.1145/73007.73009). The hash must be drawn at random, and
   not from the source. */
size_t kl_leftover_bits(double entropy, double security);

#endif
