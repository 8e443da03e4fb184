/* SPDX-License-Identifier: MIT
   mt19937: the random streams of the published study, for `--reference` alone. Everything else draws by
   Philox counters (kernels/inline/philox.h). What is made of the Mersenne Twister (nn.h) here is what
   NumPy's RandomState, PyTorch's randperm and scikit-learn's StratifiedShuffleSplit make of it. */
#ifndef KL_QRNG_CLASSIFY_MT19937_H
#define KL_QRNG_CLASSIFY_MT19937_H

#include "nn/nn.h"

/* rows [n] = a permutation of 0 .. n-1 that depends on the seed alone; n < 2^31: the study's network
 * splits. */
void kl_classify_mt19937_split(int32_t *rows, size_t n, uint32_t seed);
/* rows [n] are put into the order of NumPy's RandomState.shuffle. */
void kl_classify_mt19937_shuffle(int32_t *rows, size_t n, struct kl_nn_mersenne *mt);
/* Stratified split of n rows whose labels are below `classes`: from each class the first `share` of its
   rows in a random order, rounded down, go to train, the others to test; then both are shuffled. train,
   test: room for n. */
void kl_classify_mt19937_stratified(int32_t *train, size_t *n_train, int32_t *test, size_t *n_test,
                                    const int32_t *labels, size_t n, int classes, double share,
                                    uint32_t seed);

#endif
