/* SPDX-License-Identifier: MIT
   Private to the tournament: what all pairs, or one device, are asked (tournament.c). */
#ifndef KL_QRNG_PAIRS_TOURNAMENT_INT_H
#define KL_QRNG_PAIRS_TOURNAMENT_INT_H

#include "base/course.h"
#include "qrng/pairs/planes.h"

enum { KL_SELF_WIDTH = 4 /* bits of a symbol, at most, of which a device's samples are drawn */ };

/* Mean and 95 % quantile of the study's scores between two samples of `rows` rows each of n_bits bits of
   one source of independent symbols with probabilities p [S] (self_null.c); S is a power of two up
   to 16. mean, q95: [KL_N_LEGACY]. device: number of the stream. A sample is kl_sample_steps of the
   course. KL_EDATA: more bits than the stream has numbers for. KL_ENOMEM, KL_ESIGNAL. */
int kl_self_null(double *mean, double *q95, const double *p, size_t n_symbols, size_t n_bits,
                 size_t rows, size_t samples, uint64_t seed, uint32_t device, struct kl_pool *pool,
                 struct kl_course *course, struct kl_error *err);
/* About as many permutations of a pair as two samples of so many bits a row take. */
static inline uint64_t kl_sample_steps(size_t n_bits)
{
    return 1 + n_bits / 50;
}

/* log10_p_holm of all pairs, and order (tournament_rank.c). KL_ENOMEM. */
int kl_tournament_rank(struct kl_tournament *t, struct kl_error *err);

#endif
