/* SPDX-License-Identifier: MIT
   mt19937: the random streams of the published study, for `--reference` alone. Everything else draws by
   Philox counters (kernels/inline/philox.h). Mersenne Twister of 32 bits (Matsumoto & Nishimura 1998,
   doi:10.1145/272991.272995), seeded by one number as in its authors' revision of 2002; what is made of
   it here is what NumPy's RandomState, PyTorch's randperm and scikit-learn's StratifiedShuffleSplit make
   of it. */
#ifndef KL_QRNG_CLASSIFY_MT19937_H
#define KL_QRNG_CLASSIFY_MT19937_H

#include <stddef.h>
#include <stdint.h>

enum { KL_MT19937_WORDS = 624 };
struct kl_mt19937 {
    uint32_t state[KL_MT19937_WORDS];
    int used; /* words of the state that were drawn */
};

/* The generator of a seed, and its next 32 bits. */
void kl_classify_mt19937_seed(struct kl_mt19937 *mt, uint32_t seed);
uint32_t kl_classify_mt19937_word(struct kl_mt19937 *mt);
/* In [0, 1), with 53 bits, from two words. */
double kl_classify_mt19937_unit(struct kl_mt19937 *mt);

/* rows [n] = a permutation of 0 .. n-1 that depends on the seed alone; n < 2^31: the study's network
 * splits. */
void kl_classify_mt19937_split(int32_t *rows, size_t n, uint32_t seed);
/* rows [n] are put into the order of NumPy's RandomState.shuffle. */
void kl_classify_mt19937_shuffle(int32_t *rows, size_t n, struct kl_mt19937 *mt);
/* The same from a seed of its own on rows 0 .. n-1: RandomState(seed).permutation(n). */
void kl_classify_mt19937_permutation(int32_t *rows, size_t n, uint32_t seed);
/* Stratified split of n rows whose labels are below `classes`: from each class the first `share` of its
   rows in a random order, rounded down, go to train, the others to test; then both are shuffled. train,
   test: room for n. */
void kl_classify_mt19937_stratified(int32_t *train, size_t *n_train, int32_t *test, size_t *n_test,
                                    const int32_t *labels, size_t n, int classes, double share,
                                    uint32_t seed);

#endif
