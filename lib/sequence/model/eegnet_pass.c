/* SPDX-License-Identifier: MIT
   EEGNet, forwards and backwards: what one pass keeps, outputs, gradients. */
#include <math.h>
#include <string.h>

#include "kernels/act.h"
#include "kernels/depthwise.h"
#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/inline/real.h"
#include "sequence/model/model_int.h"

/* ---- what one pass keeps ----
   Signals are blocks of 16, [block][t][16]: "of a window" says that each window has its own. */

/* Lanes of a norm's output v scale + shift, and of the way back. */
struct lanes {
    kl_real *scale, *shift, *centre, *means, *squares, *back; /* means, squares: of a window */
};
struct pass {
    const struct kl_sequence_net *net;
    const struct kl_eegnet *e;
    const kl_real *params;
    const struct kl_sequence_batch *batch;
    struct kl_sequence_result *result;
    /* filters by lanes (block, tap, 16), and with their taps reversed; spatial (channels, lanes), within
       their largest norm; pointwise (inputs, outputs) and (outputs, inputs); classes (K, block, last,
       16) */
    kl_real *temporal, *temporal_back, *spatial, *depth, *depth_back, *point, *point_back, *classes;
    double *norms, *factor, *total; /* (outputs): of spatial filters; how they shrink; their sums */
    /* of a window: the spatial filters' outputs with pads, the temporal ones', pooled with pads, the
       depthwise ones', the pointwise ones', pooled again; gradients by the outputs of both norms */
    kl_real *mixed, *filtered, *pooled, *again, *points, *last, *by_filtered, *by_points;
    /* of one window */
    kl_real *turned, *scratch, *by_mixed, *by_window, *by_again, *by_pooled, *d;
    double *map, *level;
    struct lanes lanes[2];
    struct kl_sequence_norm first, second, third;
    struct kl_eegnet_lags lags;
    double *d_temporal, *d_filter, *d_spatial, *d_depth, *d_point, *d_classes, *d_bias;
    size_t mixed_rows, pooled_rows;
};
static void drop(kl_real *values, const struct pass *p, int place, size_t i, size_t block, size_t rows);
static void collect(struct kl_sequence_norm *norm, const kl_real *sums, size_t b);

/* ---- eegnet back ----
   EEGNet backwards: gradients of filters are lag products of what stands on both their sides; sums over
   windows are in double. */

enum { SIDE = KL_EEGNET_SIDE, DEPTH_TAPS = KL_EEGNET_DEPTH_TAPS, DEPTH_PAD = DEPTH_TAPS / 2 };

static void add(double *to, const kl_real *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

/* Window i from the last norm to the first pool. */
static void unseparate(struct pass *p, size_t i)
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
        const struct lanes *lanes = &p->lanes[0];
        for (size_t b = 0; b < e->blocks; b++)
            kl_kernel_gemm(dr, SIDE, du + b * e->again * SIDE, SIDE, 1,
                           p->point_back + b * SIDE * l + in * SIDE, l, e->again, SIDE, SIDE, b > 0);
        kl_kernel_depthwise->lags(p->scratch, dr,
                                  p->pooled + (i * e->blocks + in) * p->pooled_rows * SIDE, e->again,
                                  DEPTH_TAPS, 0);
        add(p->d_depth + in * DEPTH_TAPS * SIDE, p->scratch, DEPTH_TAPS * SIDE);
        kl_kernel_depthwise->filter(h, padded + DEPTH_PAD * SIDE, p->depth_back + in * DEPTH_TAPS * SIDE,
                                    e->pooled, DEPTH_TAPS);
        drop(h, p, 0, i, in, e->pooled);
        kl_kernel_depthwise->pool_back(p->by_filtered + at, sums, h, p->filtered + at,
                                       lanes->scale + in * SIDE, lanes->shift + in * SIDE,
                                       lanes->centre + in * SIDE, e->pooled, KL_EEGNET_POOL);
        collect(&p->second, sums, in);
    }
}

/* by_x of window i: block b's part, from the gradient by the mixed signals. */
static void unmix(struct pass *p, size_t i, size_t b, const kl_real *by_mixed)
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
static void unfilter(struct pass *p, size_t i)
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

/* Pass the gradients by mean and variance of the temporal filters' outputs on to the windows. */
static void unmeasure(struct pass *p)
{
    const struct kl_eegnet *e = p->e;
    const kl_real *const filter = p->params + p->net->block.tensors[e->temporal].offset;
    kl_sequence_eegnet_lags_map(p->map, p->level, &p->lags, e, &p->first, filter);
    for (size_t i = 0; i < p->batch->n * e->channels; i++)
        kl_sequence_eegnet_lags_input(p->result->by_x + i * e->stride, p->map, p->level, e,
                                      p->batch->x + i * e->stride);
}

/* The spatial filter o: from that within its largest norm to the free one. */
static void unbound(struct pass *p, size_t o, double d_total)
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
static void through_first(struct pass *p)
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

static void gradients(struct pass *p)
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

/* Gradients, after the passes forwards and through the last pool. (backwards.c) */
static void back(struct pass *p)
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

/* ---- eegnet pass ----
   EEGNet forwards. The spatial filters stand before the temporal ones: both are linear, and of 64
   channels they leave 16 signals, so that a window takes 0.5 million multiplications, not 8. What the
   norm between them needs comes from lag products (eegnet_norm.c). */

static const double largest_norm = 1, norm_epsilon = 1e-7;

/* ---- memory ---- */
#define TAKE KL_SEQUENCE_TAKE

static size_t place_filters(struct pass *p, char *base, size_t at)
{
    const struct kl_eegnet *e = p->e;
    const size_t l = e->lanes;
    TAKE(p->temporal, e->taps * l), TAKE(p->temporal_back, e->taps * l);
    TAKE(p->spatial, e->channels * l);
    TAKE(p->depth, DEPTH_TAPS * l), TAKE(p->depth_back, DEPTH_TAPS * l);
    TAKE(p->point, l * l), TAKE(p->point_back, l * l);
    TAKE(p->classes, (size_t)e->classes * e->last * l);
    TAKE(p->norms, l), TAKE(p->factor, l), TAKE(p->total, l);
    return at;
}

static size_t place_windows(struct pass *p, char *base, size_t at, size_t n)
{
    const struct kl_eegnet *e = p->e;
    const size_t l = e->lanes;
    p->mixed_rows = e->filtered + e->taps - 1, p->pooled_rows = e->again + DEPTH_TAPS - 1;
    TAKE(p->mixed, n * l * p->mixed_rows), TAKE(p->filtered, n * l * e->filtered);
    TAKE(p->pooled, n * l * p->pooled_rows), TAKE(p->again, n * l * e->again);
    TAKE(p->points, n * l * e->again), TAKE(p->last, n * l * e->last);
    TAKE(p->by_filtered, n * l * e->filtered), TAKE(p->by_points, n * l * e->again);
    for (int i = 0; i < 2; i++) {
        struct lanes *lanes = &p->lanes[i];
        TAKE(lanes->scale, l), TAKE(lanes->shift, l), TAKE(lanes->centre, l);
        TAKE(lanes->means, n * l), TAKE(lanes->squares, n * l), TAKE(lanes->back, 3 * l);
    }
    return at;
}

/* Bytes; base NULL: only these. */
static size_t place(struct pass *p, char *base, size_t n)
{
    const struct kl_eegnet *e = p->e;
    const size_t l = e->lanes, k = e->taps, c = (e->channels + SIDE - 1) / SIDE * SIDE;
    size_t at = place_windows(p, base, place_filters(p, base, 0), n), scratch = e->channels * l;
    double *norms, *lags;
    if (scratch < kl_sequence_eegnet_lags_scratch(e)) scratch = kl_sequence_eegnet_lags_scratch(e);
    if (scratch < l * l) scratch = l * l;
    TAKE(p->turned, c * (e->steps + k - 1)), TAKE(p->scratch, scratch);
    TAKE(p->by_mixed, l * (e->filtered + 2 * (k - 1))), TAKE(p->by_window, 2 * SIDE * e->steps);
    TAKE(p->by_again, l * (e->again + 2 * (DEPTH_TAPS - 1)));
    TAKE(p->by_pooled, l * (e->pooled + e->last + e->again)), TAKE(p->d, (size_t)e->classes);
    TAKE(p->map, e->steps * (2 * k - 1)), TAKE(p->level, e->steps);
    TAKE(norms, (2 * l + e->filters) * KL_SEQUENCE_NORM_ARRAYS),
        TAKE(lags, kl_sequence_eegnet_lags_size(e));
    TAKE(p->d_temporal, l * k), TAKE(p->d_filter, e->filters * k), TAKE(p->d_spatial, e->channels * l);
    TAKE(p->d_depth, DEPTH_TAPS * l), TAKE(p->d_point, l * l);
    TAKE(p->d_classes, (size_t)e->classes * e->last * l), TAKE(p->d_bias, (size_t)e->classes);
    if (!base) return at;
    memset(p->d_temporal, 0, (size_t)(base + at - (char *)p->d_temporal));
    kl_sequence_eegnet_lags_place(&p->lags, e, lags);
    const bool training = p->batch->training;
    kl_sequence_norm_begin(&p->first, norms, e->filters, p->net, &e->first, p->params, training);
    norms += e->filters * KL_SEQUENCE_NORM_ARRAYS;
    kl_sequence_norm_begin(&p->second, norms, e->outputs, p->net, &e->second, p->params, training);
    norms += l * KL_SEQUENCE_NORM_ARRAYS;
    kl_sequence_norm_begin(&p->third, norms, e->outputs, p->net, &e->third, p->params, training);
    p->first.epsilon = p->second.epsilon = p->third.epsilon = 1e-3;
    p->first.momentum = p->second.momentum = p->third.momentum = 0.01;
    return at;
}

size_t kl_sequence_eegnet_work(const struct kl_sequence_net *net, size_t n)
{
    struct pass p = { .net = net, .e = net->own };
    return place(&p, NULL, n);
}

/* ---- filters as the kernels want them ---- */
static const kl_real *tensor(const struct pass *p, int number)
{
    return p->params + p->net->block.tensors[number].offset;
}

static void lay_taps(kl_real *filter, kl_real *back, const kl_real *w, size_t taps, size_t o)
{
    const size_t at = o / SIDE * taps * SIDE + o % SIDE;
    for (size_t j = 0; j < taps; j++) filter[at + j * SIDE] = back[at + (taps - 1 - j) * SIDE] = w[j];
}

/* Each filter's norm is at most 1, as PyTorch's renorm does it. */
static void lay_spatial(struct pass *p, size_t o)
{
    const struct kl_eegnet *e = p->e;
    const kl_real *const w = tensor(p, e->spatial) + o * e->channels;
    double squares = 0, sum = 0;
    for (size_t c = 0; c < e->channels; c++) squares += (double)w[c] * w[c], sum += w[c];
    p->norms[o] = sqrt(squares);
    p->factor[o] = p->norms[o] > largest_norm ? largest_norm / (p->norms[o] + norm_epsilon) : 1;
    p->total[o] = p->factor[o] * sum;
    for (size_t c = 0; c < e->channels; c++)
        p->spatial[c * e->lanes + o] = (kl_real)(p->factor[o] * w[c]);
}

static void lay(struct pass *p)
{
    const struct kl_eegnet *e = p->e;
    const kl_real *const point = tensor(p, e->pointwise), *const classes = tensor(p, e->weight);
    /* everything in front of the windows; the pads of one window's arrays */
    memset(p->temporal, 0, (size_t)((char *)p->mixed - (char *)p->temporal));
    memset(p->turned, 0, (size_t)((char *)p->map - (char *)p->turned));
    for (size_t o = 0; o < e->outputs; o++) {
        lay_taps(p->temporal, p->temporal_back, tensor(p, e->temporal) + o / e->depth * e->taps, e->taps,
                 o);
        lay_taps(p->depth, p->depth_back, tensor(p, e->depthwise) + o * DEPTH_TAPS, DEPTH_TAPS, o);
        lay_spatial(p, o);
        for (size_t i = 0; i < e->outputs; i++)
            p->point[i * e->lanes + o] = p->point_back[o * e->lanes + i] = point[o * e->outputs + i];
        for (size_t k = 0; k < (size_t)e->classes; k++)
            for (size_t j = 0; j < e->last; j++)
                p->classes[k * e->last * e->lanes + (o / SIDE * e->last + j) * SIDE + o % SIDE] =
                    classes[(k * e->outputs + o) * e->last + j];
    }
}

/* ---- forwards ---- */
static void drop(kl_real *values, const struct pass *p, int place, size_t i, size_t block, size_t rows)
{
    kl_sequence_drop(values, ((p->batch->row + i) * p->e->blocks + block) * rows * SIDE, rows * SIDE,
                     p->net, p->batch, (uint32_t)place);
}

/* Window i through both kinds of first filters. */
static void filter(struct pass *p, size_t i)
{
    const struct kl_eegnet *e = p->e;
    const kl_real *const x = p->batch->x + i * e->channels * e->stride;
    const size_t behind = p->mixed_rows - e->pad - e->steps;
    for (size_t b = 0; b < e->blocks; b++) {
        kl_real *const mixed = p->mixed + (i * e->blocks + b) * p->mixed_rows * SIDE,
                       *const v = p->filtered + (i * e->blocks + b) * e->filtered * SIDE;
        memset(mixed, 0, e->pad * SIDE * sizeof *mixed);
        memset(mixed + (e->pad + e->steps) * SIDE, 0, behind * SIDE * sizeof *mixed);
        kl_kernel_gemm(mixed + e->pad * SIDE, SIDE, x, 1, e->stride, p->spatial + b * SIDE, e->lanes,
                       e->steps, SIDE, e->channels, 0);
        kl_kernel_depthwise->filter(v, mixed, p->temporal + b * e->taps * SIDE, e->filtered, e->taps);
        kl_kernel_depthwise->moments(p->lanes[0].means + i * e->lanes + b * SIDE,
                                     p->lanes[0].squares + i * e->lanes + b * SIDE, v, e->filtered);
    }
    if (!p->batch->training) return;
    const size_t rows = e->steps + e->taps - 1;
    for (size_t c = 0; c < e->channels; c += SIDE) /* turn changes no y without a mask */
        kl_kernel_layers->turn(p->turned + c * rows, SIDE, (kl_real *)(x + c * e->stride), e->stride,
                               NULL, 0, e->channels - c < SIDE ? e->channels - c : SIDE, e->steps);
    kl_sequence_eegnet_lags_add(&p->lags, e, x, p->turned, p->scratch);
}

/* u = a v + k: the temporal filters' norm, then the sum over channels. */
static void norms(struct pass *p)
{
    const struct kl_eegnet *e = p->e;
    struct kl_sequence_norm *first = &p->first, *second = &p->second;
    kl_sequence_eegnet_lags_norm(first, &p->lags, e, tensor(p, e->temporal), p->batch->n);
    for (size_t o = 0; o < e->outputs; o++) {
        const size_t f = o / e->depth;
        const double mean = first->training ? first->mean[f] : first->old_mean[f];
        second->a[o] = first->gain[f] * first->inverse[f];
        second->k[o] = (first->bias[f] - second->a[o] * mean) * p->total[o];
    }
    const struct lanes *l = &p->lanes[0];
    kl_sequence_norm_gather(second, l->means, l->squares, p->batch->n, e->lanes, e->filtered);
    kl_sequence_norm_factors(l->scale, l->shift, l->centre, e->lanes, second);
}

/* Window i through the first pool and the separable filters. */
static void separate(struct pass *p, size_t i)
{
    const struct kl_eegnet *e = p->e;
    const struct lanes *l = &p->lanes[0];
    const size_t behind = p->pooled_rows - DEPTH_PAD - e->pooled;
    kl_real *const again = p->again + i * e->lanes * e->again;
    for (size_t b = 0; b < e->blocks; b++) {
        kl_real *const h = p->pooled + (i * e->blocks + b) * p->pooled_rows * SIDE, *const inner =
                                                                                        h +
                                                                                        DEPTH_PAD * SIDE;
        memset(h, 0, DEPTH_PAD * SIDE * sizeof *h);
        memset(inner + e->pooled * SIDE, 0, behind * SIDE * sizeof *h);
        kl_kernel_depthwise->pool(inner, p->filtered + (i * e->blocks + b) * e->filtered * SIDE,
                                  l->scale + b * SIDE, l->shift + b * SIDE, e->pooled, KL_EEGNET_POOL);
        drop(inner, p, 0, i, b, e->pooled);
        kl_kernel_depthwise->filter(again + b * e->again * SIDE, h, p->depth + b * DEPTH_TAPS * SIDE,
                                    e->again, DEPTH_TAPS);
    }
    for (size_t b = 0; b < e->blocks; b++) {
        kl_real *const u = p->points + (i * e->blocks + b) * e->again * SIDE;
        for (size_t in = 0; in < e->blocks; in++)
            kl_kernel_gemm(u, SIDE, again + in * e->again * SIDE, SIDE, 1,
                           p->point + in * SIDE * e->lanes + b * SIDE, e->lanes, e->again, SIDE, SIDE,
                           in > 0);
        kl_kernel_depthwise->moments(p->lanes[1].means + i * e->lanes + b * SIDE,
                                     p->lanes[1].squares + i * e->lanes + b * SIDE, u, e->again);
    }
}

static kl_real dot(const kl_real *a, const kl_real *b, size_t n)
{
    kl_real s[SIDE] = { 0 };
    for (size_t i = 0; i < n; i += SIDE)
        for (size_t l = 0; l < SIDE; l++) s[l] += a[i + l] * b[i + l];
    for (int half = SIDE / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0];
}

/* sums (2, 16) of block b to the norm's. */
static void collect(struct kl_sequence_norm *norm, const kl_real *sums, size_t b)
{
    for (size_t l = 0; l < SIDE && b * SIDE + l < norm->n; l++)
        norm->sum[b * SIDE + l] += sums[l], norm->with[b * SIDE + l] += sums[SIDE + l];
}

/* Window i through the last pool to its logits and loss, and back to what the last norm gives. */
static void classify(struct pass *p, size_t i)
{
    const struct kl_eegnet *e = p->e;
    const struct lanes *l = &p->lanes[1];
    const size_t size = e->last * e->lanes, k_all = (size_t)e->classes;
    const kl_real *const bias = tensor(p, e->bias);
    kl_real *const g = p->last + i * size, *const dg = p->by_pooled, sums[2 * SIDE];
    for (size_t b = 0; b < e->blocks; b++) {
        kl_kernel_depthwise->pool(g + b * e->last * SIDE,
                                  p->points + (i * e->blocks + b) * e->again * SIDE, l->scale + b * SIDE,
                                  l->shift + b * SIDE, e->last, KL_EEGNET_LAST_POOL);
        drop(g + b * e->last * SIDE, p, 1, i, b, e->last);
    }
    for (size_t k = 0; k < k_all; k++)
        p->result->logits[i * k_all + k] = bias[k] + dot(p->classes + k * size, g, size);
    const bool back = p->result->grad || p->result->by_x;
    kl_sequence_loss(back ? p->d : NULL, p->result, p->batch, i, e->classes);
    if (!back) return;
    memset(dg, 0, size * sizeof *dg);
    for (size_t k = 0; k < k_all; k++) {
        p->d_bias[k] += p->d[k];
        for (size_t j = 0; j < size; j++) {
            dg[j] += p->d[k] * p->classes[k * size + j];
            p->d_classes[k * size + j] += p->d[k] * g[j];
        }
    }
    for (size_t b = 0; b < e->blocks; b++) {
        const size_t at = (i * e->blocks + b) * e->again * SIDE;
        drop(dg + b * e->last * SIDE, p, 1, i, b, e->last);
        kl_kernel_depthwise->pool_back(p->by_points + at, sums, dg + b * e->last * SIDE, p->points + at,
                                       l->scale + b * SIDE, l->shift + b * SIDE, l->centre + b * SIDE,
                                       e->last, KL_EEGNET_LAST_POOL);
        collect(&p->third, sums, b);
    }
}

void kl_sequence_eegnet_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                            const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    const struct kl_eegnet *e = net->own;
    struct pass p = { .net = net, .e = e, .params = params, .batch = batch, .result = result };
    const struct lanes *l = &p.lanes[1];
    place(&p, work, batch->n);
    lay(&p);
    result->loss = 0, result->correct = 0;
    for (size_t i = 0; i < batch->n; i++) filter(&p, i);
    norms(&p);
    for (size_t i = 0; i < batch->n; i++) separate(&p, i);
    kl_sequence_norm_gather(&p.third, l->means, l->squares, batch->n, e->lanes, e->again);
    kl_sequence_norm_factors(l->scale, l->shift, l->centre, e->lanes, &p.third);
    for (size_t i = 0; i < batch->n; i++) classify(&p, i);
    if (result->grad || result->by_x) back(&p);
    if (!result->state) return;
    kl_sequence_norm_state(result->state, net, &e->first, &p.first);
    kl_sequence_norm_state(result->state, net, &e->second, &p.second);
    kl_sequence_norm_state(result->state, net, &e->third, &p.third);
}
