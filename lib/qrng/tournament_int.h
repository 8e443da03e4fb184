/* SPDX-License-Identifier: MIT
   Private to the tournament: what all pairs, or one device, are asked (tournament.c). */
#ifndef KL_QRNG_TOURNAMENT_INT_H
#define KL_QRNG_TOURNAMENT_INT_H

#include "qrng/planes.h"

/* Mean and 95 % quantile of the study's scores between two samples of `rows` rows each of n_bits bits of
   one source of independent symbols with probabilities p [S] (self_null.c); S is a power of two up
   to 16. mean, q95: [KL_N_LEGACY]. device: number of the stream. KL_EDATA: more
   bits than the stream has numbers for. KL_ENOMEM. */
int kl_self_null(double *mean, double *q95, const double *p, size_t n_symbols, size_t n_bits,
                 size_t rows, size_t samples, uint64_t seed, uint32_t device, struct kl_pool *pool,
                 struct kl_error *err);

/* log10_p_holm of all pairs, and order (tournament_rank.c). KL_ENOMEM. */
int kl_tournament_rank(struct kl_tournament *t, struct kl_error *err);

/* counts [resamples, S]: symbols of so many bootstrap samples of the rows (bootstrap.c). */
void kl_bootstrap_counts(int64_t *counts, const struct kl_row_features *f, const size_t *rows, size_t n,
                         size_t resamples, uint64_t seed, uint32_t device);

#endif
