/* SPDX-License-Identifier: MIT
   nist_iid: are a source's symbols independent and identically distributed, by NIST SP 800-90B, section
   5, and does it start alike each time, by section 3.1.4? Symbols are bytes with the values that were
   measured, n of them; bits are symbols without values above 1. */
#ifndef KL_QRNG_NIST_IID_H
#define KL_QRNG_NIST_IID_H

#include "base/base.h"

/* ---- 5.1: permutations (iid.c) ---- */
enum {
    KL_IID_STATISTICS = 19,
    KL_IID_PERMUTATIONS = 2000 /* with fewer 0.05 % is less than one of them: no verdict */
};
extern const char *const kl_iid_names[KL_IID_STATISTICS];
struct kl_iid {
    int64_t taken; /* permutations, so far */
    double statistic[KL_IID_STATISTICS];
    /* How many permutations had a larger, an equal, a smaller one. A statistic is dropped as soon as it
       can no longer fail, so these seldom add up to all permutations. */
    int64_t above[KL_IID_STATISTICS], equal[KL_IID_STATISTICS], below[KL_IID_STATISTICS];
    bool judged;                    /* there is a verdict: what follows */
    bool passed[KL_IID_STATISTICS]; /* not among the 0.05 % largest or smallest */
    int n_failed;
};
/* Permutation i has Philox's numbers of (seed, i) alone. With 10,000 permutations the verdicts are those
   of section 5.1. KL_ENOMEM, KL_ESIGNAL. */
int kl_iid(struct kl_iid *result, const uint8_t *s, size_t n, int64_t permutations, int64_t seed,
           struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err);
/* The same in parts: the source's own statistics; then permutations until `until` of them are taken, or
   none of the statistics can fail any more. watch is told how many are taken and how many it will be,
   by kl_iid_needed. The verdict is there when all are taken. */
int kl_iid_begin(struct kl_iid *result, const uint8_t *s, size_t n, struct kl_error *err);
int kl_iid_go_on(struct kl_iid *result, const uint8_t *s, size_t n, int64_t permutations, int64_t until,
                 int64_t seed, struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err);
/* How many permutations it will take, by how often each statistic was exceeded on either side so far:
   all of them where one never was. */
int64_t kl_iid_needed(const struct kl_iid *result, int64_t permutations);

/* The statistics of sections 5.1.1 to 5.1.11 (iid_statistics.c); wanted [KL_IID_STATISTICS], NULL:
   all; others keep what is in t. work: kl_iid_work bytes. */
size_t kl_iid_work(size_t n);
int kl_iid_statistics(double *t, const bool *wanted, const uint8_t *s, size_t n, void *work,
                      struct kl_error *err);

/* ---- 5.2: tests with known distributions (iid_tests.c) ---- */
struct kl_iid_test {
    double statistic, df, log10_p; /* NaN: too few symbols */
};
struct kl_iid_tests {
    struct kl_iid_test independence; /* 5.2.1, of bits 5.2.3: of neighbours */
    struct kl_iid_test fit;          /* 5.2.2, of bits 5.2.4: of ten parts of the data with the whole */
    size_t longest_repeat;           /* 5.2.5: W, and the probability of one as long */
    double repeat_p;
    int different; /* symbols that are there; of one alone there is nothing to test */
};
/* Passed where p is at least 0.001. KL_ENOMEM. */
int kl_iid_tests(struct kl_iid_tests *tests, const uint8_t *s, size_t n, struct kl_error *err);

/* ---- 3.1.4: restarts (restart.c) ---- */
enum { KL_RESTARTS = 1000 };
struct kl_restart {
    size_t most, cutoff; /* largest count of one symbol in a row or column, and of what is too large */
    double rows_h, columns_h; /* least estimate of the rows one after another, of the columns */
    double h;                 /* validated: the least of both and of the initial one; 0 if it failed */
};
/* s [KL_RESTARTS, KL_RESTARTS]: row i is what came after start i. h: the initial estimate, bits a
   symbol. The cutoff is exact, for the likeliest symbols that h allows: as many as can have probability
   2^-h. KL_ENOMEM. */
int kl_restart(struct kl_restart *result, const uint8_t *s, double h, struct kl_error *err);
/* Least c such that more than c of n draws fall on one symbol with probability at most alpha. k symbols.
   KL_ENOMEM. */
int kl_restart_cutoff(size_t *cutoff, double h, int k, size_t n, double alpha, struct kl_error *err);

#endif
