/* SPDX-License-Identifier: MIT
   Convolutions, their pools and their way back, a block of 16 images at a time: without batch norm a
   block goes through all units while it is in the cache. Gradients of filters are added block by block
   in order, so that threads change no bit; where a map has few positions, one sum runs over all blocks.
 */
#include <string.h>

#include "kernels/act.h"
#include "kernels/inline/real.h"
#include "sampling/model/model_int.h"

enum { FEW = 64, OUT_TILE = 4 }; /* positions; channels of a task */

static size_t blocks(const struct kl_sampling_work *k)
{
    return k->n / KL_SAMPLING_SIDE;
}
static const struct kl_sampling_unit *unit_of(const struct kl_sampling_step *s, int u)
{
    return &s->context->net->units[u];
}

static bool few(const struct kl_sampling_unit *u)
{
    return u->out_h * u->out_w < FEW;
}

/* One after another, blocks can share the memory of what none needs later: it stays in the cache. */
static bool shares(const struct kl_sampling_step *s)
{
    return !s->pool && s->context->net->norm == KL_SAMPLING_NORM_NONE;
}
static kl_real *slope_of(const struct kl_sampling_step *s, size_t block)
{
    return s->work->slope.at + (shares(s) ? 0 : block * s->work->slope.block);
}
static size_t back_of(const struct kl_sampling_step *s, int i, size_t block)
{
    return shares(s) && !few(unit_of(s, i)) ? 0 : block * s->work->back[i].block;
}

/* Inputs with their border, from the corner. */
static const kl_real *corner(const struct kl_sampling_maps *m, size_t border)
{
    return m->at - border * (m->row + KL_SAMPLING_SIDE);
}

static void filter(const struct kl_sampling_step *s, int i, size_t block)
{
    const struct kl_sampling_unit *u = unit_of(s, i);
    const struct kl_sampling_maps *in = &s->work->in[i], *out = &s->work->raw[i];
    const size_t taps = u->in * u->kernel * u->kernel;
    for (size_t y = 0; y < u->out_h; y++)
        kl_kernel_layers->taps(out->at + block * out->block + y * out->row, out->channel, s->w + u->w,
                               taps, corner(in, u->pad) + block * in->block + y * in->row,
                               s->work->taps[i], u->out, u->out_w * KL_SAMPLING_SIDE, taps, s->w + u->b,
                               !u->norm);
}

static void pool(const struct kl_sampling_step *s, int i, size_t block)
{
    const struct kl_sampling_unit *u = unit_of(s, i);
    const struct kl_sampling_maps *from = &s->work->act[i], *to = &s->work->in[i + 1];
    if (u->pool == KL_SAMPLING_NO_POOL) return;
    for (size_t c = 0; c < u->out; c++)
        for (size_t y = 0; y < u->out_h / 2; y++) {
            const kl_real *row = from->at + block * from->block + c * from->channel + 2 * y * from->row;
            kl_kernel_layers->pool(to->at + block * to->block + c * to->channel + y * to->row, row,
                                   row + from->row, u->out_w / 2, u->pool == KL_SAMPLING_MAX_POOL);
        }
}

/* The last unit's outputs and the matrix of the first dense layer: sixteen records of a feature. */
static void exchange(const struct kl_sampling_step *s, size_t block, bool to_dense)
{
    const struct kl_sampling_work *k = s->work;
    const size_t features = s->context->net->dense[0].in;
    const struct kl_sampling_maps *last = &k->in[s->context->net->n_units];
    kl_real *maps = to_dense ? last->at + block * last->block : slope_of(s, block),
            *matrix = (to_dense ? k->x[0] : k->dx) + block * KL_SAMPLING_SIDE;
    for (size_t f = 0; f < features; f++) {
        kl_real *a = matrix + f * k->ld, *b = maps + f * KL_SAMPLING_SIDE;
        if (to_dense) memcpy(a, b, KL_SAMPLING_SIDE * sizeof *a);
        else memcpy(b, a, KL_SAMPLING_SIDE * sizeof *a);
    }
}

static void forward_block(void *context, size_t block, int thread)
{
    const struct kl_sampling_step *s = context;
    const int n = s->context->net->n_units;
    (void)thread;
    for (int i = 0; i < n; i++) filter(s, i, block), pool(s, i, block);
    exchange(s, block, true);
}
static void filter_block(void *context, size_t block, int thread)
{
    (void)thread;
    filter(context, ((struct kl_sampling_step *)context)->layer, block);
}
static void pool_block(void *context, size_t block, int thread)
{
    (void)thread;
    pool(context, ((struct kl_sampling_step *)context)->layer, block);
}
static void exchange_block(void *context, size_t block, int thread)
{
    (void)thread;
    exchange(context, block, true);
}

void kl_sampling_conv_forward(struct kl_sampling_step *s)
{
    const struct kl_sampling_net *net = s->context->net;
    const size_t n = blocks(s->work);
    if (net->norm == KL_SAMPLING_NORM_NONE) {
        kl_pool_for(s->pool, n, forward_block, s);
        return;
    }
    for (s->layer = 0; s->layer < net->n_units; s->layer++) {
        kl_pool_for(s->pool, n, filter_block, s);
        kl_sampling_norm_forward(s, s->layer);
        kl_pool_for(s->pool, n, pool_block, s);
    }
    kl_pool_for(s->pool, n, exchange_block, s);
}

/* ---- back ---- */
/* From the gradient of the unit's output (slope) to that of what enters ReLU (back). */
static void gate(const struct kl_sampling_step *s, int i, size_t block)
{
    const struct kl_sampling_unit *u = unit_of(s, i);
    const struct kl_sampling_maps *act = &s->work->act[i], *back = &s->work->back[i];
    const kl_real *slope = slope_of(s, block);
    const size_t by = u->pool == KL_SAMPLING_NO_POOL ? 1 : 2, h = u->out_h / by, w = u->out_w / by;
    for (size_t c = 0; c < u->out; c++)
        for (size_t y = 0; y < h; y++) {
            const kl_real *d = slope + (c * h + y) * w * KL_SAMPLING_SIDE,
                          *a = act->at + block * act->block + c * act->channel + by * y * act->row;
            kl_real *to = back->at + back_of(s, i, block) + c * back->channel + by * y * back->row;
            if (by == 2) {
                kl_kernel_layers->pool_back(to, to + back->row, d, a, a + act->row, w,
                                            u->pool == KL_SAMPLING_MAX_POOL);
                continue;
            }
            memcpy(to, d, w * KL_SAMPLING_SIDE * sizeof *to);
            kl_kernel_relu_back(to, a, w * KL_SAMPLING_SIDE, 1);
        }
}

/* Gradient of the unit's inputs into slope: a convolution with the filters turned round, over the rows
 * that are there. */
static void unfilter(const struct kl_sampling_step *s, int i, size_t block)
{
    const struct kl_sampling_unit *u = unit_of(s, i);
    const struct kl_sampling_maps *back = &s->work->back[i];
    const size_t border = u->kernel - 1 - u->pad, line = u->out * u->kernel, taps = u->kernel * line,
                 row = u->in_w * KL_SAMPLING_SIDE;
    for (size_t y = 0; y < u->in_h; y++) {
        const size_t from = y < border ? border - y : 0,
                     to = u->out_h + border - y < u->kernel ? u->out_h + border - y : u->kernel;
        kl_kernel_layers->taps(
            slope_of(s, block) + y * row, u->in_h * row, s->work->turned[i] + from * line, taps,
            corner(back, border) + back_of(s, i, block) + y * back->row,
            s->work->taps_back[i] + from * line, u->in, row, (to - from) * line, NULL, 0);
    }
}

/* Gradients of filters and biases of channels [from, to), over n blocks from `first`. */
static void gradients(const struct kl_sampling_step *s, int i, size_t first, size_t n, size_t from,
                      size_t to)
{
    const struct kl_sampling_unit *u = unit_of(s, i);
    const struct kl_sampling_maps *in = &s->work->in[i], *back = &s->work->back[i];
    const size_t taps = u->in * u->kernel * u->kernel;
    const struct kl_layers_field field = { n,         u->out_h,  u->out_w, back->block,
                                           back->row, in->block, in->row };
    const kl_real *d = back->at + back_of(s, i, first) + from * back->channel;
    kl_kernel_layers->dots(s->grad + u->w + from * taps, taps, d, back->channel,
                           corner(in, u->pad) + first * in->block, s->work->taps[i], to - from, taps,
                           &field);
    kl_kernel_layers->totals(s->grad + u->b + from, d, back->channel, to - from, &field);
}

static void gradients_task(void *context, size_t task, int thread)
{
    const struct kl_sampling_step *s = context;
    const struct kl_sampling_unit *u = unit_of(s, s->layer);
    const size_t from = task * OUT_TILE, to = from + OUT_TILE < u->out ? from + OUT_TILE : u->out,
                 n = blocks(s->work);
    (void)thread;
    if (few(u)) gradients(s, s->layer, 0, n, from, to);
    else
        for (size_t block = 0; block < n; block++) gradients(s, s->layer, block, 1, from, to);
}

static void unit_gradients(struct kl_sampling_step *s, int i)
{
    s->layer = i;
    kl_pool_for(s->pool, (unit_of(s, i)->out + OUT_TILE - 1) / OUT_TILE, gradients_task, s);
}

static void backward_block(void *context, size_t block, int thread)
{
    const struct kl_sampling_step *s = context;
    (void)thread;
    exchange(s, block, false);
    for (int i = s->context->net->n_units - 1; i >= 0; i--) {
        gate(s, i, block);
        if (!s->pool && !few(unit_of(s, i))) gradients(s, i, block, 1, 0, unit_of(s, i)->out);
        if (i > 0) unfilter(s, i, block);
    }
}
static void gate_block(void *context, size_t block, int thread)
{
    const struct kl_sampling_step *s = context;
    (void)thread;
    if (s->layer == s->context->net->n_units - 1) exchange(s, block, false);
    gate(s, s->layer, block);
}
static void unfilter_block(void *context, size_t block, int thread)
{
    (void)thread;
    unfilter(context, ((struct kl_sampling_step *)context)->layer, block);
}

/* Filters (out, in, k, k) to (in, k, out, k), turned by half a turn. */
static void turn_filters(struct kl_sampling_step *s)
{
    for (int i = 1; i < s->context->net->n_units; i++) {
        const struct kl_sampling_unit *u = unit_of(s, i);
        const size_t k = u->kernel, square = k * k;
        kl_real *to = s->work->turned[i];
        for (size_t c = 0; c < u->in; c++)
            for (size_t y = 0; y < k; y++)
                for (size_t o = 0; o < u->out; o++)
                    for (size_t x = 0; x < k; x++)
                        *to++ = s->w[u->w + (o * u->in + c) * square + (k - 1 - y) * k + (k - 1 - x)];
    }
}

/* Records that only fill up a block must give nothing. */
static void clear_surplus(struct kl_sampling_step *s)
{
    struct kl_sampling_work *k = s->work;
    for (size_t f = 0; f < s->context->net->dense[0].in; f++)
        for (size_t r = k->valid; r < k->n; r++) k->dx[f * k->ld + r] = 0;
}

void kl_sampling_conv_backward(struct kl_sampling_step *s)
{
    const struct kl_sampling_net *net = s->context->net;
    const size_t n = blocks(s->work);
    if (!s->further) turn_filters(s);
    if (!s->further) memset(s->grad, 0, net->dense[0].w * sizeof *s->grad);
    clear_surplus(s);
    if (net->norm == KL_SAMPLING_NORM_NONE) {
        kl_pool_for(s->pool, n, backward_block, s);
        for (int i = 0; i < net->n_units; i++)
            if (s->pool || few(unit_of(s, i))) unit_gradients(s, i);
        return;
    }
    for (int i = net->n_units - 1; i >= 0; i--) {
        s->layer = i;
        kl_pool_for(s->pool, n, gate_block, s);
        kl_sampling_norm_backward(s, i);
        unit_gradients(s, i);
        if (i > 0) kl_pool_for(s->pool, n, unfilter_block, s);
    }
}
