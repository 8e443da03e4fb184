/* SPDX-License-Identifier: MIT
   EEGNet forwards. The spatial filters stand before the temporal ones: both are linear, and of 64
   channels they leave 16 signals, so that a window takes 0.5 million multiplications, not 8. What the
   norm between them needs comes from lag products (eegnet_norm.c). */
#include <math.h>
#include <string.h>

#include "kernels/act.h"
#include "kernels/depthwise.h"
#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sequence/model/eegnet_pass.h"
#include "sequence/model/model_int.h"

enum { SIDE = KL_EEGNET_SIDE, DEPTH_TAPS = KL_EEGNET_DEPTH_TAPS, DEPTH_PAD = DEPTH_TAPS / 2 };
static const double largest_norm = 1, norm_epsilon = 1e-7;

/* ---- memory ---- */
#define TAKE KL_SEQUENCE_TAKE

static size_t place_filters(struct kl_eegnet_pass *p, char *base, size_t at)
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

static size_t place_windows(struct kl_eegnet_pass *p, char *base, size_t at, size_t n)
{
    const struct kl_eegnet *e = p->e;
    const size_t l = e->lanes;
    p->mixed_rows = e->filtered + e->taps - 1, p->pooled_rows = e->again + DEPTH_TAPS - 1;
    TAKE(p->mixed, n * l * p->mixed_rows), TAKE(p->filtered, n * l * e->filtered);
    TAKE(p->pooled, n * l * p->pooled_rows), TAKE(p->again, n * l * e->again);
    TAKE(p->points, n * l * e->again), TAKE(p->last, n * l * e->last);
    TAKE(p->by_filtered, n * l * e->filtered), TAKE(p->by_points, n * l * e->again);
    for (int i = 0; i < 2; i++) {
        struct kl_eegnet_lanes *lanes = &p->lanes[i];
        TAKE(lanes->scale, l), TAKE(lanes->shift, l), TAKE(lanes->centre, l);
        TAKE(lanes->means, n * l), TAKE(lanes->squares, n * l), TAKE(lanes->back, 3 * l);
    }
    return at;
}

/* Bytes; base NULL: only these. */
static size_t place(struct kl_eegnet_pass *p, char *base, size_t n)
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
    struct kl_eegnet_pass p = { .net = net, .e = net->own };
    return place(&p, NULL, n);
}

/* ---- filters as the kernels want them ---- */
static const kl_real *tensor(const struct kl_eegnet_pass *p, int number)
{
    return p->params + p->net->block.tensors[number].offset;
}

static void lay_taps(kl_real *filter, kl_real *back, const kl_real *w, size_t taps, size_t o)
{
    const size_t at = o / SIDE * taps * SIDE + o % SIDE;
    for (size_t j = 0; j < taps; j++) filter[at + j * SIDE] = back[at + (taps - 1 - j) * SIDE] = w[j];
}

/* Each filter's norm is at most 1, as PyTorch's renorm does it. */
static void lay_spatial(struct kl_eegnet_pass *p, size_t o)
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

static void lay(struct kl_eegnet_pass *p)
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
void kl_sequence_eegnet_drop(kl_real *values, const struct kl_eegnet_pass *p, int place, size_t i,
                             size_t block, size_t rows)
{
    const struct kl_sequence_batch *b = p->batch;
    const double rate = p->net->options.dropout;
    if (!b->training || !(rate > 0)) return;
    const struct kl_dropout_draw draw = { .seed = b->seed,
                                          .purpose = KL_RANDOM_SEQUENCE_DROPOUT + 256 * (uint32_t)place,
                                          .step = b->step,
                                          .replica = b->replica,
                                          .threshold = kl_nn_dropout_threshold(rate),
                                          .scale = kl_nn_dropout_scale(rate) };
    kl_kernel_dropout(values, ((b->row + i) * p->e->blocks + block) * rows * SIDE, rows * SIDE, &draw);
}

/* Window i through both kinds of first filters. */
static void filter(struct kl_eegnet_pass *p, size_t i)
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
static void norms(struct kl_eegnet_pass *p)
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
    const struct kl_eegnet_lanes *l = &p->lanes[0];
    kl_sequence_norm_gather(second, l->means, l->squares, p->batch->n, e->lanes, e->filtered);
    kl_sequence_norm_factors(l->scale, l->shift, l->centre, e->lanes, second);
}

/* Window i through the first pool and the separable filters. */
static void separate(struct kl_eegnet_pass *p, size_t i)
{
    const struct kl_eegnet *e = p->e;
    const struct kl_eegnet_lanes *l = &p->lanes[0];
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
        kl_sequence_eegnet_drop(inner, p, 0, i, b, e->pooled);
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

void kl_sequence_eegnet_collect(struct kl_sequence_norm *norm, const kl_real *sums, size_t b)
{
    for (size_t l = 0; l < SIDE && b * SIDE + l < norm->n; l++)
        norm->sum[b * SIDE + l] += sums[l], norm->with[b * SIDE + l] += sums[SIDE + l];
}

/* Window i through the last pool to its logits and loss, and back to what the last norm gives. */
static void classify(struct kl_eegnet_pass *p, size_t i)
{
    const struct kl_eegnet *e = p->e;
    const struct kl_eegnet_lanes *l = &p->lanes[1];
    const size_t size = e->last * e->lanes, k_all = (size_t)e->classes;
    const kl_real *const bias = tensor(p, e->bias);
    kl_real *const g = p->last + i * size, *const dg = p->by_pooled, sums[2 * SIDE];
    for (size_t b = 0; b < e->blocks; b++) {
        kl_kernel_depthwise->pool(g + b * e->last * SIDE,
                                  p->points + (i * e->blocks + b) * e->again * SIDE, l->scale + b * SIDE,
                                  l->shift + b * SIDE, e->last, KL_EEGNET_LAST_POOL);
        kl_sequence_eegnet_drop(g + b * e->last * SIDE, p, 1, i, b, e->last);
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
        kl_sequence_eegnet_drop(dg + b * e->last * SIDE, p, 1, i, b, e->last);
        kl_kernel_depthwise->pool_back(p->by_points + at, sums, dg + b * e->last * SIDE, p->points + at,
                                       l->scale + b * SIDE, l->shift + b * SIDE, l->centre + b * SIDE,
                                       e->last, KL_EEGNET_LAST_POOL);
        kl_sequence_eegnet_collect(&p->third, sums, b);
    }
}

void kl_sequence_eegnet_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                            const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    const struct kl_eegnet *e = net->own;
    struct kl_eegnet_pass p = { .net = net, .e = e, .params = params, .batch = batch, .result = result };
    const struct kl_eegnet_lanes *l = &p.lanes[1];
    place(&p, work, batch->n);
    lay(&p);
    result->loss = 0, result->correct = 0;
    for (size_t i = 0; i < batch->n; i++) filter(&p, i);
    norms(&p);
    for (size_t i = 0; i < batch->n; i++) separate(&p, i);
    kl_sequence_norm_gather(&p.third, l->means, l->squares, batch->n, e->lanes, e->again);
    kl_sequence_norm_factors(l->scale, l->shift, l->centre, e->lanes, &p.third);
    for (size_t i = 0; i < batch->n; i++) classify(&p, i);
    if (result->grad || result->by_x) kl_sequence_eegnet_back(&p);
    if (!result->state) return;
    kl_sequence_norm_state(result->state, net, &e->first, &p.first);
    kl_sequence_norm_state(result->state, net, &e->second, &p.second);
    kl_sequence_norm_state(result->state, net, &e->third, &p.third);
}
