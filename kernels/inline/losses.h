/* SPDX-License-Identifier: MIT
   Losses of one record, from its logits, in double, host and device; without overflow for any logits. */
#ifndef KL_INLINE_LOSSES_H
#define KL_INLINE_LOSSES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define KL_LOSS_INLINE static __host__ __device__ inline
#else
#define KL_LOSS_INLINE static inline
#endif

/* Binary (one logit z, margin v = (2 y - 1) z) or of K logits. bbce is bounded by l_max. square: (z - (2
   y - 1))^2, of K logits the sum of (z_k - 1[k = y])^2. bce and tangent are of one logit, ce of several.
 */
enum kl_loss { KL_LOSS_BBCE, KL_LOSS_BCE, KL_LOSS_SAVAGE, KL_LOSS_TANGENT, KL_LOSS_CE, KL_LOSS_SQUARE };

KL_LOSS_INLINE double kl_loss_logistic(double v)
{
    return v >= 0 ? 1 / (1 + exp(-v)) : exp(v) / (1 + exp(v));
}

/* bbce and its derivative by p, the probability of the label; q = 1 - p without cancellation. */
KL_LOSS_INLINE double kl_loss_bounded(double *by_p, double p, double q, double l_max)
{
    const double e = exp(-l_max), psi = e + (1 - 2 * e) * p;
    *by_p = -(1 - 2 * e) / psi;
    return p > 0.5 ? -log1p(-(e + (1 - 2 * e) * q)) : -log(psi);
}

KL_LOSS_INLINE double kl_loss_of_margin(double *by_margin, double v, enum kl_loss loss, double l_max)
{
    const double p = kl_loss_logistic(v), q = kl_loss_logistic(-v);
    double value;
    switch (loss) {
    case KL_LOSS_BBCE:
        value = kl_loss_bounded(by_margin, p, q, l_max);
        *by_margin *= p * q;
        return value;
    case KL_LOSS_SAVAGE: *by_margin = -2 * q * q * p; return q * q;
    case KL_LOSS_TANGENT:
        value = 2 * atan(v) - 1;
        *by_margin = 4 * value / (1 + v * v);
        return value * value;
    case KL_LOSS_SQUARE: *by_margin = 2 * (v - 1); return (v - 1) * (v - 1);
    default: *by_margin = -q; return (v < 0 ? -v : 0) + log1p(exp(-fabs(v)));
    }
}

/* Of several logits: the derivative by logit k is by_p p (1[k = y] - p_k) for what depends on p alone.
 */
KL_LOSS_INLINE double kl_loss_of_logits(double *by_logits, const double *z, int n, int32_t label,
                                        enum kl_loss loss, double l_max)
{
    double most = z[0], sum = 0, others = 0, by_p, value;
    for (int k = 1; k < n; k++) most = z[k] > most ? z[k] : most;
    for (int k = 0; k < n; k++) {
        const double share = exp(z[k] - most);
        sum += share;
        if (k != label) others += share;
    }
    const double p = exp(z[label] - most) / sum, q = others / sum;
    if (loss == KL_LOSS_BBCE) value = kl_loss_bounded(&by_p, p, q, l_max);
    else if (loss == KL_LOSS_SAVAGE) by_p = -2 * q, value = q * q;
    else by_p = 0, value = p > 0.5 ? -log1p(-q) : log(sum) - (z[label] - most);
    if (!by_logits) return value;
    for (int k = 0; k < n; k++) {
        const double share = exp(z[k] - most) / sum, step = k == label ? q : -share;
        by_logits[k] = loss == KL_LOSS_CE ? -step : by_p * p * step;
    }
    return value;
}

KL_LOSS_INLINE double kl_loss_of_indicators(double *by_logits, const double *z, int n, int32_t label)
{
    double value = 0;
    for (int k = 0; k < n; k++) {
        const double r = z[k] - (k == label);
        value += r * r;
        if (by_logits) by_logits[k] = 2 * r;
    }
    return value;
}

/* The value, and if asked (NULL: no) its derivative by the logits, of one record: outputs 1 (binary) or
   K logits. */
KL_LOSS_INLINE double kl_loss_of(double *by_logits, const double *logits, int outputs, int32_t label,
                                 enum kl_loss loss, double l_max)
{
    if (outputs > 1)
        return loss == KL_LOSS_SQUARE
                   ? kl_loss_of_indicators(by_logits, logits, outputs, label)
                   : kl_loss_of_logits(by_logits, logits, outputs, label, loss, l_max);
    const double sign = label ? 1 : -1;
    double by_margin;
    const double value = kl_loss_of_margin(&by_margin, sign * logits[0], loss, l_max);
    if (by_logits) by_logits[0] = sign * by_margin;
    return value;
}

/* 1 if the label is not the one predicted: logit > 0, or the first of the largest. */
KL_LOSS_INLINE int kl_loss_wrong(const double *logits, int outputs, int32_t label)
{
    int best = 0;
    if (outputs == 1) return (logits[0] > 0) != (label != 0);
    for (int k = 1; k < outputs; k++)
        if (logits[k] > logits[best]) best = k;
    return best != label;
}

#endif
