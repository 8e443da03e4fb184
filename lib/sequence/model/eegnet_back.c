/* SPDX-License-Identifier: MIT
   EEGNet backwards: gradients of filters are lag products of what stands on both their sides; sums over
   windows are in double. */
#include <math.h>
#include <string.h>

#include "kernels/depthwise.h"
#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/inline/real.h"
#include "sequence/model/eegnet_pass.h"

enum { SIDE = KL_EEGNET_SIDE, DEPTH_TAPS = KL_EEGNET_DEPTH_TAPS, DEPTH_PAD = DEPTH_TAPS / 2 };

static void add(double *to, const kl_real *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

/* Window i from the last norm to the first pool. */
static void unseparate(struct kl_eegnet_pass *p, size_t i)
{
    const struct kl_eegnet *e = p->e;
    const size_t l = e->lanes, behind = e->again + 2 * (DEPTH_TAPS - 1);
    kl_real *const du = p->by_pooled + l * (e->pooled + e->last), *const dh = p->by_pooled + l * e->last,
                   *const again = p->again + i * l * e->again, sums[2 * SIDE];
    for (size_t b = 0; b < e->blocks; b++) {
        const size_t at = (i * e->blocks + b) * e->again * SIDE;
        kl_real *const to = du + b * e->again * SIDE;
        kl_kernel_depthwise->blend(to, p->by_points + at, p->points + at,
                                   p->lanes[1].back + 3 * b * SIDE, e->last * KL_EEGNET_LAST_POOL,
                                   e->again);
        for (size_t in = 0; in < e->blocks; in++)
            kl_kernel_gemm(p->scratch + b * SIDE * l + in * SIDE, l, to, 1, SIDE,
                           again + in * e->again * SIDE, SIDE, SIDE, SIDE, e->again, 0);
    }
    add(p->d_point, p->scratch, l * l);
    for (size_t in = 0; in < e->blocks; in++) {
        kl_real *const padded = p->by_again + in * behind * SIDE,
                       *const dr = padded + (DEPTH_TAPS - 1) * SIDE,
                       *const h = dh + in * e->pooled * SIDE;
        const size_t at = (i * e->blocks + in) * e->filtered * SIDE;
        const struct kl_eegnet_lanes *lanes = &p->lanes[0];
        for (size_t b = 0; b < e->blocks; b++)
            kl_kernel_gemm(dr, SIDE, du + b * e->again * SIDE, SIDE, 1,
                           p->point_back + b * SIDE * l + in * SIDE, l, e->again, SIDE, SIDE, b > 0);
        kl_kernel_depthwise->lags(p->scratch, dr,
                                  p->pooled + (i * e->blocks + in) * p->pooled_rows * SIDE, e->again,
                                  DEPTH_TAPS, 0);
        add(p->d_depth + in * DEPTH_TAPS * SIDE, p->scratch, DEPTH_TAPS * SIDE);
        kl_kernel_depthwise->filter(h, padded + DEPTH_PAD * SIDE, p->depth_back + in * DEPTH_TAPS * SIDE,
                                    e->pooled, DEPTH_TAPS);
        kl_sequence_eegnet_drop(h, p, 0, i, in, e->pooled);
        kl_kernel_depthwise->pool_back(p->by_filtered + at, sums, h, p->filtered + at,
                                       lanes->scale + in * SIDE, lanes->shift + in * SIDE,
                                       lanes->centre + in * SIDE, e->pooled, KL_EEGNET_POOL);
        kl_sequence_eegnet_collect(&p->second, sums, in);
    }
}

/* by_x of window i: block b's part, from the gradient by the mixed signals. */
static void unmix(struct kl_eegnet_pass *p, size_t i, size_t b, const kl_real *by_mixed)
{
    const struct kl_eegnet *e = p->e;
    kl_real *const turned = p->by_window + SIDE * e->steps, *const to = p->result->by_x +
                                                                        i * e->channels * e->stride;
    if (b == 0) memset(to, 0, e->channels * e->stride * sizeof *to);
    kl_kernel_layers->turn(turned, e->steps, (kl_real *)by_mixed, SIDE, NULL, 0, e->steps, SIDE);
    kl_kernel_gemm(to, e->stride, p->spatial + b * SIDE, e->lanes, 1, turned, e->steps, e->channels,
                   e->steps, SIDE, b > 0);
}

/* Window i from the norm behind the first filters to these. */
static void unfilter(struct kl_eegnet_pass *p, size_t i)
{
    const struct kl_eegnet *e = p->e;
    const size_t behind = e->filtered + 2 * (e->taps - 1);
    const kl_real *const x = p->batch->x + i * e->channels * e->stride;
    for (size_t b = 0; b < e->blocks; b++) {
        const size_t at = (i * e->blocks + b) * e->filtered * SIDE;
        kl_real *const padded = p->by_mixed + b * behind * SIDE, *const dv =
                                                                     padded + (e->taps - 1) * SIDE;
        kl_kernel_depthwise->blend(dv, p->by_filtered + at, p->filtered + at,
                                   p->lanes[0].back + 3 * b * SIDE, e->pooled * KL_EEGNET_POOL,
                                   e->filtered);
        kl_kernel_depthwise->lags(p->scratch, dv, p->mixed + (i * e->blocks + b) * p->mixed_rows * SIDE,
                                  e->filtered, e->taps, 0);
        add(p->d_temporal + b * e->taps * SIDE, p->scratch, e->taps * SIDE);
        kl_kernel_depthwise->filter(p->by_window, padded + e->pad * SIDE,
                                    p->temporal_back + b * e->taps * SIDE, e->steps, e->taps);
        kl_kernel_gemm(p->scratch, SIDE, x, e->stride, 1, p->by_window, SIDE, e->channels, SIDE,
                       e->steps, 0);
        add(p->d_spatial + b * e->channels * SIDE, p->scratch, e->channels * SIDE);
        if (p->result->by_x) unmix(p, i, b, p->by_window);
    }
}

/* What mean and variance of the temporal filters' outputs give to the windows. */
static void unmeasure(struct kl_eegnet_pass *p)
{
    const struct kl_eegnet *e = p->e;
    const kl_real *const filter = p->params + p->net->block.tensors[e->temporal].offset;
    kl_sequence_eegnet_lags_map(p->map, p->level, &p->lags, e, &p->first, filter);
    for (size_t i = 0; i < p->batch->n * e->channels; i++)
        kl_sequence_eegnet_lags_input(p->result->by_x + i * e->stride, p->map, p->level, e,
                                      p->batch->x + i * e->stride);
}

/* The spatial filter o: from that within its largest norm to the free one. */
static void unbound(struct kl_eegnet_pass *p, size_t o, double d_total)
{
    const struct kl_eegnet *e = p->e;
    const size_t offset = p->net->block.tensors[e->spatial].offset + o * e->channels;
    const double *const d = p->d_spatial + o / SIDE * e->channels * SIDE + o % SIDE;
    double along = 0;
    for (size_t c = 0; c < e->channels; c++) along += (d[c * SIDE] + d_total) * p->params[offset + c];
    const bool bound = p->factor[o] < 1;
    const double slope = bound ? along * p->factor[o] / p->norms[o] : 0;
    for (size_t c = 0; c < e->channels; c++)
        p->result->grad[offset + c] =
            (kl_real)(p->factor[o] * (d[c * SIDE] + d_total - slope * p->params[offset + c]));
}

/* Sums to gradients of the temporal filters' norm: z = a y + k, of which u is a sum over channels. */
static void through_first(struct kl_eegnet_pass *p)
{
    const struct kl_eegnet *e = p->e;
    for (size_t o = 0; o < e->outputs; o++) {
        const size_t f = o / e->depth;
        const double dk = p->total[o] * kl_sequence_norm_du(&p->second, o);
        p->first.sum[f] += dk;
        p->first.with[f] += kl_sequence_norm_du_v(&p->second, o) - p->first.mean[f] * dk;
        for (size_t j = 0; j < e->taps; j++)
            p->d_filter[f * e->taps + j] += p->d_temporal[(o / SIDE * e->taps + j) * SIDE + o % SIDE];
    }
    kl_sequence_eegnet_lags_back(p->d_filter, &p->lags, e, &p->first);
}

static void gradients(struct kl_eegnet_pass *p)
{
    const struct kl_eegnet *e = p->e;
    const struct kl_tensor *t = p->net->block.tensors;
    kl_real *const grad = p->result->grad;
    for (size_t i = 0; i < e->filters * e->taps; i++)
        grad[t[e->temporal].offset + i] = (kl_real)p->d_filter[i];
    for (size_t o = 0; o < e->outputs; o++) {
        const size_t f = o / e->depth, block = o / SIDE, lane = o % SIDE;
        const double mean = p->first.training ? p->first.mean[f] : p->first.old_mean[f],
                     k = p->first.bias[f] - p->second.a[o] * mean;
        unbound(p, o, k * kl_sequence_norm_du(&p->second, o));
        for (size_t j = 0; j < DEPTH_TAPS; j++)
            grad[t[e->depthwise].offset + o * DEPTH_TAPS + j] =
                (kl_real)p->d_depth[(block * DEPTH_TAPS + j) * SIDE + lane];
        for (size_t i = 0; i < e->outputs; i++)
            grad[t[e->pointwise].offset + o * e->outputs + i] = (kl_real)p->d_point[o * e->lanes + i];
        for (size_t c = 0; c < (size_t)e->classes; c++)
            for (size_t j = 0; j < e->last; j++)
                grad[t[e->weight].offset + (c * e->outputs + o) * e->last + j] =
                    (kl_real)p->d_classes[c * e->last * e->lanes + (block * e->last + j) * SIDE + lane];
    }
    for (size_t c = 0; c < (size_t)e->classes; c++) grad[t[e->bias].offset + c] = (kl_real)p->d_bias[c];
    kl_sequence_norm_gradient(grad, p->net, &e->first, &p->first);
    kl_sequence_norm_gradient(grad, p->net, &e->second, &p->second);
    kl_sequence_norm_gradient(grad, p->net, &e->third, &p->third);
}

void kl_sequence_eegnet_back(struct kl_eegnet_pass *p)
{
    const struct kl_eegnet *e = p->e;
    kl_sequence_norm_back(p->lanes[1].back, e->lanes, &p->third);
    for (size_t i = 0; i < p->batch->n; i++) unseparate(p, i);
    kl_sequence_norm_back(p->lanes[0].back, e->lanes, &p->second);
    for (size_t i = 0; i < p->batch->n; i++) unfilter(p, i);
    through_first(p);
    if (p->result->by_x && p->batch->training) unmeasure(p);
    if (p->result->grad) gradients(p);
}
