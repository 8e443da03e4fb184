/* SPDX-License-Identifier: MIT
   mersenne: the Mersenne Twister as numpy.random.RandomState draws from it. It carries state, so it
   serves to repeat what others drew; random numbers of our own are Philox's. */
#ifndef KL_NN_MERSENNE_H
#define KL_NN_MERSENNE_H

#include "base/base.h"

struct kl_nn_mersenne {
    uint32_t state[624];
    int at;
    bool has_normal;
    double normal; /* the second of a pair */
};
/* Matsumoto and Nishimura 1998, init_genrand of 2002. */
void kl_nn_mersenne_seed(struct kl_nn_mersenne *m, uint32_t seed);
uint32_t kl_nn_mersenne_word(struct kl_nn_mersenne *m);
/* Standard normal, by Marsaglia's polar method. */
double kl_nn_mersenne_normal(struct kl_nn_mersenne *m);
/* values (n <= 2^32) in a random order, as RandomState.permutation: Fisher and Yates from the last on. */
void kl_nn_mersenne_permute(struct kl_nn_mersenne *m, int64_t *values, size_t n);

#endif
