/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: batch norm (Ioffe & Szegedy 2015, arXiv:1502.03167) of features u = a v
   + k, of which v stands in memory: scales, shifts and gradients are taken by v, so what is linear
   before the norm costs nothing. In double, whatever the precision of v. */
#ifndef KL_SEQUENCE_NORM_H
#define KL_SEQUENCE_NORM_H

#include "sequence/model/model.h"

/* Where its four tensors stand in the block: weight, bias, running mean and variance. */
struct kl_sequence_norm_place {
    int gain, bias, mean, var;
};
struct kl_sequence_norm {
    size_t n;                        /* features */
    double epsilon, momentum, count; /* count: values of a feature in the batch */
    bool training;
    /* (n) each: parameters and old running statistics; u = a v + k; mean and variance of v (training),
       or 0 and that of u; 1 / sqrt(variance of u + epsilon); sums of the gradient dp by the norm's
       output, and of dp (v - mean) */
    double *gain, *bias, *old_mean, *old_var, *a, *k, *mean, *var, *inverse, *sum, *with;
};
enum { KL_SEQUENCE_NORM_ARRAYS = 11 };

/* memory: n * KL_SEQUENCE_NORM_ARRAYS doubles. a becomes 1, k 0, the sums 0. */
#define kl_sequence_norm_begin KL_NAME(kl_sequence_norm_begin)
void kl_sequence_norm_begin(struct kl_sequence_norm *norm, double *memory, size_t n,
                            const struct kl_sequence_net *net,
                            const struct kl_sequence_norm_place *place, const kl_real *params,
                            bool training);
/* From the windows' own means and sums of squares (windows, stride) over `steps` values each; not in
   training: mean is 0. Then `inverse`. */
#define kl_sequence_norm_gather KL_NAME(kl_sequence_norm_gather)
void kl_sequence_norm_gather(struct kl_sequence_norm *norm, const kl_real *means, const kl_real *squares,
                             size_t windows, size_t stride, size_t steps);
/* The output is v scale + shift; entries from n to `lanes` become 0. */
#define kl_sequence_norm_factors KL_NAME(kl_sequence_norm_factors)
void kl_sequence_norm_factors(kl_real *scale, kl_real *shift, kl_real *centre, size_t lanes,
                              const struct kl_sequence_norm *norm);
/* After `sum` and `with` are there: f (lanes / 16, 3, 16), gradient by v = dp f[0] + v f[1] + f[2]. */
#define kl_sequence_norm_back KL_NAME(kl_sequence_norm_back)
void kl_sequence_norm_back(kl_real *f, size_t lanes, const struct kl_sequence_norm *norm);
/* Into grad: of weight and bias; 0 for running statistics. */
#define kl_sequence_norm_gradient KL_NAME(kl_sequence_norm_gradient)
void kl_sequence_norm_gradient(kl_real *grad, const struct kl_sequence_net *net,
                               const struct kl_sequence_norm_place *place,
                               const struct kl_sequence_norm *norm);
/* Into state: the running statistics after this batch (as they were, if not in training), of a feature
   whose batch has this mean and variance. */
#define kl_sequence_norm_state KL_NAME(kl_sequence_norm_state)
void kl_sequence_norm_state(kl_real *state, const struct kl_sequence_net *net,
                            const struct kl_sequence_norm_place *place,
                            const struct kl_sequence_norm *norm);
/* Gradients of what u is made of: sums over the batch of du, and of du v, du being that by u. */
double kl_sequence_norm_du(const struct kl_sequence_norm *norm, size_t i);
double kl_sequence_norm_du_v(const struct kl_sequence_norm *norm, size_t i);
/* Four tensors "NAME.weight", ".bias" (now) and "NAME.running_mean", ".running_var" (second call, state
   true: they stand behind all parameters). */
int kl_sequence_norm_add(struct kl_sequence_norm_place *place, struct kl_sequence_net *net,
                         const char *name, size_t n, bool state, struct kl_error *err);
/* weight 1, bias 0, mean 0, variance 1. */
void kl_sequence_norm_init(float *params, const struct kl_sequence_net *net,
                           const struct kl_sequence_norm_place *place);

#endif
