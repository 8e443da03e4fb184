/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: the sizes of an EEGNet, and the norm behind its temporal filters. */
#ifndef KL_SEQUENCE_EEGNET_H
#define KL_SEQUENCE_EEGNET_H

#include "kernels/depthwise.h"
#include "sequence/model/norm.h"

enum {
    KL_EEGNET_SIDE = KL_DEPTHWISE_SIDE,
    KL_EEGNET_POOL = 4,
    KL_EEGNET_LAST_POOL = 8,
    KL_EEGNET_DEPTH_TAPS = 16
};
/* Signals: `outputs` = filters * depth of them, in `lanes` (a multiple of 16), `blocks` of 16. Steps: of
   the window, behind the temporal filters, the first pool, the second filters, the second pool. */
struct kl_eegnet {
    size_t filters, depth, taps, pad, outputs, blocks, lanes, channels, stride;
    size_t steps, filtered, pooled, again, last, edge;
    int classes;
    int temporal, spatial, depthwise, pointwise, weight, bias; /* tensors */
    struct kl_sequence_norm_place first, second, third;        /* temporal, bnorm_1, bnorm_2 */
};

/* ---- the norm of the temporal filters (eegnet_norm.c) ----
   Its input, every channel y through every filter, is never made: a filter's mean is its product with
   sums of the windows, the variance one with products of the windows at two lags, which are Toeplitz but
   for the ends. All in double, summed over windows. */
struct kl_eegnet_lags {
    double *lag;          /* (taps): sum of x[t] x[t + j] */
    double *head, *tail;  /* (edge, edge): of products of the first and of the last steps */
    double *sum;          /* (steps): over windows and channels */
    double *moved;        /* (taps): sum of the steps that tap j meets */
    double *product;      /* (taps, taps): sum over outputs of x at tap i times x at tap j */
    double *seen;         /* (filters, taps): product with the filters */
    double *dmean, *dvar; /* (filters): gradients by the norm's statistics */
};
size_t kl_sequence_eegnet_lags_size(const struct kl_eegnet *e); /* doubles */
/* memory becomes 0. */
void kl_sequence_eegnet_lags_place(struct kl_eegnet_lags *lags, const struct kl_eegnet *e,
                                   double *memory);
/* Adds one window; turned (blocks of 16 channels, steps + taps - 1, 16): its transpose, 0 behind;
   scratch: kl_sequence_eegnet_lags_scratch values. */
size_t kl_sequence_eegnet_lags_scratch(const struct kl_eegnet *e);
#define kl_sequence_eegnet_lags_add KL_NAME(kl_sequence_eegnet_lags_add)
void kl_sequence_eegnet_lags_add(struct kl_eegnet_lags *lags, const struct kl_eegnet *e,
                                 const kl_real *x, const kl_real *turned, kl_real *scratch);
/* R, and the sums that taps meet. */
void kl_sequence_eegnet_lags_products(struct kl_eegnet_lags *lags, const struct kl_eegnet *e);
/* Mean, variance and inverse of the norm for n windows, in training from the sums; filter (filters,
   taps). */
#define kl_sequence_eegnet_lags_norm KL_NAME(kl_sequence_eegnet_lags_norm)
void kl_sequence_eegnet_lags_norm(struct kl_sequence_norm *norm, struct kl_eegnet_lags *lags,
                                  const struct kl_eegnet *e, const kl_real *filter, size_t n);
/* norm->sum and with are there: dfilter (filters, taps) += what comes by way of mean and variance. */
void kl_sequence_eegnet_lags_back(double *dfilter, struct kl_eegnet_lags *lags,
                                  const struct kl_eegnet *e, const struct kl_sequence_norm *norm);
/* The same to the windows, each channel x (steps) of them: by_x[s] += level[s] + sum over |l| < taps of
   map[s][l + taps - 1] x[s + l]; map (steps, 2 taps - 1). Slow, for gradients by the input; `product` is
   used up. */
#define kl_sequence_eegnet_lags_map KL_NAME(kl_sequence_eegnet_lags_map)
void kl_sequence_eegnet_lags_map(double *map, double *level, struct kl_eegnet_lags *lags,
                                 const struct kl_eegnet *e, const struct kl_sequence_norm *norm,
                                 const kl_real *filter);
#define kl_sequence_eegnet_lags_input KL_NAME(kl_sequence_eegnet_lags_input)
void kl_sequence_eegnet_lags_input(kl_real *by_x, const double *map, const double *level,
                                   const struct kl_eegnet *e, const kl_real *x);

#endif
