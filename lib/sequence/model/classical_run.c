/* SPDX-License-Identifier: MIT
   A run of classical Mamba or Hydra: its memory, blocks, both nets, there and back. */
#include <math.h>
#include <string.h>

#include "kernels/act.h"
#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/scan.h"
#include "kernels/inline/real.h"
#include "sequence/model/classical_int.h"

/* ---- what differs between both nets ---- */
/* block: from l->u to u of the next one (or run->last); block_back: run->rows, from the
   gradient behind the block to that before it. */
struct kind {
    void (*block)(struct kl_classical_run *run, struct kl_classical_layer *l, kl_real *next);
    void (*block_back)(struct kl_classical_run *run, struct kl_classical_layer *l);
};

/* ---- memory ---- */
/* Pieces of 64 bytes one behind the other; at NULL: they are only counted. */
struct pieces {
    char *at;
    size_t used;
};
static kl_real *take(struct pieces *p, size_t values)
{
    const size_t at = p->used;
    p->used += (values * sizeof(kl_real) + 63) / 64 * 64;
    return p->at ? (kl_real *)(p->at + at) : NULL;
}

static void take_layer(struct kl_classical_layer *l, struct pieces *p, const struct kl_classical *own,
                       bool back)
{
    const size_t t = own->steps, e = own->inner, states = own->states * e,
                 kept = back ? (kl_scan_chunks(t) + 1) * states : states;
    l->rates = take(p, states), l->taps = take(p, KL_SCAN_TAPS * e);
    l->u = take(p, t * own->ld), l->inv = take(p, t);
    l->projected = take(p, t * own->ld_projected);
    l->conv = take(p, t * e), l->dt = take(p, t * e), l->y = take(p, t * e);
    l->kept = take(p, kept);
    if (own->hydra) {
        l->kept_backward = take(p, kept), l->y_normed = take(p, t * e);
        l->inner_inv = take(p, t), l->out = take(p, t * own->ld);
    } else l->normed = take(p, t * own->ld), l->mixed = take(p, t * own->ld_mixed);
    if (!back) return;
    l->by_rates = take(p, states), l->by_taps = take(p, KL_SCAN_TAPS * e);
    l->in_proj.back = take(p, own->projected * own->width);
    l->x_proj.back = own->hydra ? NULL : take(p, own->mixed * e);
    l->dt_proj.back = take(p, own->rank * e), l->out_proj.back = take(p, own->width * e);
}

static void take_run(struct kl_classical_run *r, struct pieces *p, const struct kl_sequence_net *net)
{
    const struct kl_classical *own = net->own;
    const size_t t = own->steps, e = own->inner;
    struct pieces start = *p;
    p->used += ((size_t)own->n_blocks * sizeof *r->layers + 63) / 64 * 64;
    r->layers = start.at ? (struct kl_classical_layer *)(start.at + start.used) : NULL;
    for (int i = 0; i < own->n_blocks; i++) {
        struct kl_classical_layer counted = { 0 }, *l = r->layers ? &r->layers[i] : &counted;
        *l = counted;
        take_layer(l, p, own, r->back);
    }
    r->last = take(p, t * own->ld), r->last_inv = take(p, t);
    r->gated = take(p, t * e), r->rows = take(p, t * own->ld);
    p->used = kl_sequence_classical_place_head(r, p->at, p->used);
    if (net->options.bare) r->x = take(p, t);
    if (!r->back) return;
    r->more = take(p, t * own->ld), r->by_gated = take(p, t * e);
    r->by_projected = take(p, t * own->ld_projected), r->by_conv = take(p, t * e),
    r->by_dt = take(p, t * e);
    r->by_mixed = take(p, t * own->ld_mixed), r->scan_work = take(p, kl_scan_work(own->states, e));
    r->by_x = take(p, t * own->channels), r->embedding.back = take(p, own->width * own->channels);
    if (!r->grad) r->grad = take(p, net->block.size);
}

size_t kl_sequence_classical_work(const struct kl_sequence_net *net, size_t n)
{
    struct kl_classical_run run = { .net = net, .back = true };
    struct pieces pieces = { 0 };
    (void)n;
    take_run(&run, &pieces, net);
    return pieces.used;
}

/* ---- what is the same for all windows ---- */
static const struct kl_tensor *tensor(const struct kl_classical_run *r, int number)
{
    return &r->net->block.tensors[number];
}
static void set_layer(struct kl_classical_layer *l, const struct kl_classical_run *r,
                      const kl_real *params)
{
    const struct kl_classical_block *b = l->numbers;
    const struct kl_classical *own = r->own;
    const kl_real *taps = params + tensor(r, b->conv)->offset;
    kl_sequence_classical_set_linear(&l->in_proj, r, params, b->in_proj, -1);
    if (!own->hydra) kl_sequence_classical_set_linear(&l->x_proj, r, params, b->x_proj, -1);
    kl_sequence_classical_set_linear(&l->dt_proj, r, params, b->dt, -1),
        kl_sequence_classical_set_linear(&l->out_proj, r, params, b->out_proj, -1);
    l->dt_proj.bias = params + tensor(r, b->dt_bias)->offset;
    l->conv_bias = params + tensor(r, b->conv_bias)->offset, l->d = params + tensor(r, b->d)->offset;
    l->norm = params + tensor(r, b->norm)->offset;
    kl_kernel_scan->rates(l->rates, params + tensor(r, b->a_log)->offset, own->states, own->inner,
                          own->rule);
    for (size_t k = 0; k < KL_SCAN_TAPS; k++)
        for (size_t e = 0; e < own->inner; e++) l->taps[k * own->inner + e] = taps[e * KL_SCAN_TAPS + k];
    if (own->hydra) l->outer_norm = params + tensor(r, b->outer_norm)->offset;
    if (!r->back) return;
    l->dt_proj.by_bias = r->grad + tensor(r, b->dt_bias)->offset;
    l->by_conv_bias = r->grad + tensor(r, b->conv_bias)->offset,
    l->by_d = r->grad + tensor(r, b->d)->offset;
    l->by_norm = r->grad + tensor(r, b->norm)->offset;
    if (own->hydra) l->by_outer_norm = r->grad + tensor(r, b->outer_norm)->offset;
    memset(l->by_rates, 0, own->states * own->inner * sizeof(kl_real));
    memset(l->by_taps, 0, KL_SCAN_TAPS * own->inner * sizeof(kl_real));
}

/* Matrices of `width` columns. */
static void clear_padding(struct kl_classical_run *r)
{
    const size_t bytes = r->own->steps * r->own->ld * sizeof(kl_real),
                 row = r->own->ld * sizeof(kl_real);
    for (int i = 0; i < r->own->n_blocks; i++) {
        memset(r->layers[i].u, 0, bytes);
        memset(r->own->hydra ? r->layers[i].out : r->layers[i].normed, 0, bytes);
    }
    memset(r->last, 0, bytes), memset(r->rows, 0, bytes), memset(r->pooled, 0, row);
    if (r->back) memset(r->more, 0, bytes), memset(r->by_pooled, 0, row);
}

static void begin(struct kl_classical_run *run, const struct kl_sequence_net *net, const kl_real *params,
                  const struct kl_sequence_batch *batch, kl_real *grad, bool back, void *work)
{
    const struct kl_classical *own = net->own;
    struct pieces pieces = { .at = work };
    *run =
        (struct kl_classical_run){ .own = own, .net = net, .batch = batch, .back = back, .grad = grad };
    take_run(run, &pieces, net);
    if (back) memset(run->grad, 0, net->block.size * sizeof(kl_real));
    if (own->ld != own->width) clear_padding(run);
    for (int i = 0; i < own->n_blocks; i++) {
        run->layers[i].numbers = &own->blocks[i];
        set_layer(&run->layers[i], run, params);
    }
    kl_sequence_classical_set_linear(&run->embedding, run, params, own->embedding, own->embedding_bias);
    kl_sequence_classical_set_head(run, params);
    run->final_norm = params + tensor(run, own->final_norm)->offset;
    if (back) run->by_final_norm = run->grad + tensor(run, own->final_norm)->offset;
}

/* Sums over windows that the kernels keep state by state and tap by tap. */
static void end(struct kl_classical_run *run)
{
    const struct kl_classical *own = run->own;
    const kl_real unit = own->rule == KL_SCAN_EULER ? 1 : (kl_real)0.6931471805599453;
    for (int i = 0; i < own->n_blocks; i++) {
        const struct kl_classical_layer *l = &run->layers[i];
        kl_real *a = run->grad + tensor(run, l->numbers->a_log)->offset,
                *taps = run->grad + tensor(run, l->numbers->conv)->offset;
        for (size_t e = 0; e < own->inner; e++) {
            for (size_t s = 0; s < own->states; s++)
                a[e * own->states + s] =
                    l->by_rates[s * own->inner + e] * l->rates[s * own->inner + e] * unit;
            for (size_t k = 0; k < KL_SCAN_TAPS; k++)
                taps[e * KL_SCAN_TAPS + k] = l->by_taps[k * own->inner + e];
        }
    }
}

/* ---- a window ---- */
/* Its values as the net sees them: a row a channel; their distance. */
static const kl_real *seen(struct kl_classical_run *r, size_t i, size_t *ld)
{
    const struct kl_sequence_shape *shape = &r->net->shape;
    const size_t stride = kl_sequence_stride(shape->steps);
    const kl_real *x = r->batch->x + i * shape->channels * stride;
    *ld = stride;
    if (!r->net->options.bare) return x;
    for (size_t c = 0; c < shape->channels; c++)
        memcpy(r->x + c * shape->steps, x + c * stride, shape->steps * sizeof *x);
    return r->x;
}

static void forward(kl_real *logits, struct kl_classical_run *r, const struct kind *kind, size_t i)
{
    const struct kl_classical *own = r->own;
    const struct kl_classical_linear *l = &r->embedding;
    const size_t t = own->steps, row = r->batch->row + i;
    size_t ld;
    const kl_real *x = seen(r, i, &ld);
    kl_real *u = r->layers[0].u;
    for (size_t j = 0; j < l->out; j += KL_STRIP)
        kl_kernel_gemm(u + j, own->ld, x, 1, ld, l->w + j * l->in,
                       kl_sequence_classical_strip(l->out, j), t, kl_sequence_classical_strip(l->out, j),
                       l->in, 0);
    kl_kernel_bias(u, l->bias, t, own->ld, 0);
    kl_sequence_drop(u, row * t * own->ld, t * own->ld, r->net, r->batch, 0);
    for (int b = 0; b < own->n_blocks; b++)
        kind->block(r, &r->layers[b], b + 1 < own->n_blocks ? r->layers[b + 1].u : r->last);
    kl_kernel_scan->norm(r->rows, r->last_inv, r->last, r->final_norm, t, own->width, own->ld);
    kl_kernel_sum_rows(r->pooled, r->rows, t, own->ld);
    for (size_t d = 0; d < own->width; d++) r->pooled[d] /= (kl_real)t;
    kl_sequence_classical_head(logits, r, row);
}

/* (steps, channels) into a window of gradients, 0 in its padding. */
static void give_by_x(kl_real *to, const struct kl_classical_run *r)
{
    const struct kl_sequence_shape *shape = &r->net->shape;
    const size_t stride = kl_sequence_stride(shape->steps);
    memset(to, 0, shape->channels * stride * sizeof *to);
    for (size_t c = 0; c < shape->channels; c++)
        for (size_t t = 0; t < shape->steps; t++)
            to[c * stride + t] =
                r->by_x[r->net->options.bare ? c * shape->steps + t : t * shape->channels + c];
}

static void back(kl_real *by_x, struct kl_classical_run *r, const struct kind *kind, size_t i)
{
    const struct kl_classical *own = r->own;
    const struct kl_classical_linear *l = &r->embedding;
    const size_t t = own->steps, row = r->batch->row + i;
    size_t ld;
    kl_sequence_classical_head_back(r, row);
    for (size_t d = 0; d < own->width; d++) r->by_pooled[d] /= (kl_real)t;
    for (size_t s = 0; s < t; s++)
        memcpy(r->more + s * own->ld, r->by_pooled, own->ld * sizeof *r->more);
    kl_kernel_scan->norm_back(r->rows, r->by_final_norm, r->more, r->last, r->final_norm, r->last_inv, t,
                              own->width, own->ld, 0);
    for (int b = own->n_blocks - 1; b >= 0; b--) kind->block_back(r, &r->layers[b]);
    kl_sequence_drop(r->rows, row * t * own->ld, t * own->ld, r->net, r->batch, 0);
    kl_kernel_layers->add(l->by_bias, r->rows, own->ld, t, own->width);
    const kl_real *x = seen(r, i, &ld);
    for (size_t j = 0; j < l->out; j += KL_STRIP)
        kl_kernel_gemm(l->by_w + j * l->in, kl_sequence_classical_strip(l->out, j), x, ld, 1,
                       r->rows + j, own->ld, l->in, kl_sequence_classical_strip(l->out, j), t, 1);
    if (!by_x) return;
    kl_sequence_classical_inputs(r->by_x, l->in, r->rows, own->ld, t, l, false);
    give_by_x(by_x, r);
}

static void windows(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                    const kl_real *params, const struct kl_sequence_batch *batch,
                    const struct kind *kind, void *work)
{
    struct kl_classical_run run;
    const int classes = net->shape.classes;
    const size_t window = net->shape.channels * kl_sequence_stride(net->shape.steps);
    result->loss = 0, result->correct = 0;
    begin(&run, net, params, batch, result->grad, result->grad || result->by_x, work);
    for (size_t i = 0; i < batch->n; i++) {
        forward(result->logits + i * (size_t)classes, &run, kind, i);
        kl_sequence_loss(run.back ? run.by_logits : NULL, result, batch, i, classes);
        if (run.back) back(result->by_x ? result->by_x + i * window : NULL, &run, kind, i);
    }
    if (run.back) end(&run);
}

/* ---- classical block ----
   The inside of a block of classical Mamba or Hydra: x and z of the projection through a causal
   convolution, a selective scan (Hydra: one in each direction, with the same parameters, D counted
   twice) and a gate, y silu(z). */

/* Columns of a block's matrices: Mamba's projection is [x, z], of x come [dt's, B, C]; Hydra's is [z, x,
   B, C, dt's]. */
struct columns {
    size_t x, z, rank, b, c, ld; /* ld: of the matrix that holds the last three */
};
static struct columns columns(const struct kl_classical *own)
{
    const size_t e = own->inner;
    if (own->hydra)
        return (struct columns){
            e, 0, 2 * e + 2 * own->states, 2 * e, 2 * e + own->states, own->ld_projected
        };
    return (struct columns){ 0, e, 0, own->rank, own->rank + own->states, own->ld_mixed };
}

static struct kl_scan_job job(const struct kl_classical_run *r, const struct kl_classical_layer *l,
                              bool backward)
{
    const struct kl_classical *own = r->own;
    const struct columns at = columns(own);
    const kl_real *from = own->hydra ? l->projected : l->mixed;
    return (struct kl_scan_job){ .rule = own->rule,
                                 .backward = backward,
                                 .keep = r->back,
                                 .steps = own->steps,
                                 .channels = own->inner,
                                 .states = own->states,
                                 .ld_dt = own->inner,
                                 .ld_u = own->inner,
                                 .ld_bc = at.ld,
                                 .dt = l->dt,
                                 .u = l->conv,
                                 .b = from + at.b,
                                 .c = from + at.c,
                                 .a = l->rates,
                                 .d = l->d,
                                 .kept = backward ? l->kept_backward : l->kept };
}

/* From a block's `projected` to run->gated: convolution, dt, scans, gate. Back: from by_gated to
   by_projected, every column of it; sets gated again. */
static void mix(struct kl_classical_run *run, struct kl_classical_layer *l)
{
    const struct kl_classical *own = run->own;
    const struct columns at = columns(own);
    const size_t t = own->steps, e = own->inner, ld = own->ld_projected;
    kl_real *from = own->hydra ? l->projected : l->mixed;
    kl_kernel_scan->conv(l->conv, e, l->projected + at.x, ld, l->taps, l->conv_bias, t, e);
    if (!own->hydra)
        kl_sequence_classical_forward(l->mixed, own->ld_mixed, l->conv, e, t, &l->x_proj, false);
    kl_sequence_classical_forward(l->dt, e, from + at.rank, at.ld, t, &l->dt_proj, false);
    kl_kernel_scan->softplus(l->dt, l->dt_proj.bias, t, e, e);
    const struct kl_scan_job forward = job(run, l, false);
    kl_kernel_scan->forward(l->y, e, &forward, 0);
    if (own->hydra) {
        const struct kl_scan_job backward = job(run, l, true);
        kl_kernel_scan->forward(l->y, e, &backward, 1);
        kl_kernel_scan->norm(l->y_normed, l->inner_inv, l->y, l->norm, t, e, e);
    }
    kl_kernel_scan->gate(run->gated, e, own->hydra ? l->y_normed : l->y, e, l->projected + at.z, ld, t,
                         e);
}

/* From the gradient at the scans' sum, gy, to by_conv, by_dt and the columns of B and C in `to`. */
static void scans_back(struct kl_classical_run *r, struct kl_classical_layer *l, const kl_real *gy,
                       kl_real *to)
{
    const struct kl_classical *own = r->own;
    const struct columns at = columns(own);
    struct kl_scan_gradient gradient = { .gy = gy,
                                         .ld_gy = own->inner,
                                         .ld = own->inner,
                                         .ld_gbc = at.ld,
                                         .gdt = r->by_dt,
                                         .gu = r->by_conv,
                                         .gb = to + at.b,
                                         .gc = to + at.c,
                                         .ga = l->by_rates,
                                         .gd = l->by_d,
                                         .work = r->scan_work };
    const struct kl_scan_job forward = job(r, l, false);
    kl_kernel_scan->back(&gradient, &forward);
    if (!own->hydra) return;
    const struct kl_scan_job backward = job(r, l, true);
    gradient.add = 1;
    kl_kernel_scan->back(&gradient, &backward);
}

static void mix_back(struct kl_classical_run *run, struct kl_classical_layer *l)
{
    const struct kl_classical *own = run->own;
    const struct columns at = columns(own);
    const size_t t = own->steps, e = own->inner, ld = own->ld_projected;
    kl_real *gy = run->by_gated, *to = own->hydra ? run->by_projected : run->by_mixed;
    const kl_real *from = own->hydra ? l->projected : l->mixed;
    kl_kernel_scan->gate_back(run->by_gated, e, run->by_projected + at.z, ld, run->gated, e,
                              own->hydra ? l->y_normed : l->y, e, l->projected + at.z, ld, t, e);
    if (own->hydra) {
        gy = l->y_normed; /* which nobody needs any more */
        kl_kernel_scan->norm_back(gy, l->by_norm, run->by_gated, l->y, l->norm, l->inner_inv, t, e, e,
                                  0);
    }
    scans_back(run, l, gy, to);
    kl_kernel_scan->softplus_back(run->by_dt, l->dt_proj.by_bias, l->dt, t, e, e);
    kl_sequence_classical_weights(from + at.rank, at.ld, run->by_dt, e, t, &l->dt_proj);
    kl_sequence_classical_inputs(to + at.rank, at.ld, run->by_dt, e, t, &l->dt_proj, false);
    if (!own->hydra) {
        kl_sequence_classical_weights(l->conv, e, run->by_mixed, own->ld_mixed, t, &l->x_proj);
        kl_sequence_classical_inputs(run->by_conv, e, run->by_mixed, own->ld_mixed, t, &l->x_proj, true);
    }
    kl_kernel_scan->conv_back(run->by_projected + at.x, ld, l->by_taps, l->by_conv_bias, run->by_conv, e,
                              l->projected + at.x, ld, l->taps, l->conv_bias, t, e);
}

/* ---- classical mamba ----
   Classical Mamba: u + out_proj(mix(in_proj(RMSNorm(u)))) block after block, RMSNorm, mean over time,
   one linear layer. */

static void mamba_block(struct kl_classical_run *run, struct kl_classical_layer *l, kl_real *next)
{
    const struct kl_classical *own = run->own;
    const size_t t = own->steps;
    kl_kernel_scan->norm(l->normed, l->inv, l->u, l->norm, t, own->width, own->ld);
    kl_sequence_classical_forward(l->projected, own->ld_projected, l->normed, own->ld, t, &l->in_proj,
                                  false);
    mix(run, l);
    memcpy(next, l->u, t * own->ld * sizeof *next);
    kl_sequence_classical_forward(next, own->ld, run->gated, own->inner, t, &l->out_proj, true);
}

static void mamba_block_back(struct kl_classical_run *run, struct kl_classical_layer *l)
{
    const struct kl_classical *own = run->own;
    const size_t t = own->steps;
    kl_sequence_classical_inputs(run->by_gated, own->inner, run->rows, own->ld, t, &l->out_proj, false);
    mix_back(run, l);
    kl_sequence_classical_weights(run->gated, own->inner, run->rows, own->ld, t, &l->out_proj);
    kl_sequence_classical_weights(l->normed, own->ld, run->by_projected, own->ld_projected, t,
                                  &l->in_proj);
    kl_sequence_classical_inputs(run->more, own->ld, run->by_projected, own->ld_projected, t,
                                 &l->in_proj, false);
    kl_kernel_scan->norm_back(run->rows, l->by_norm, run->more, l->u, l->norm, l->inv, t, own->width,
                              own->ld, 1);
}

void kl_sequence_classical_mamba_run(struct kl_sequence_result *result,
                                     const struct kl_sequence_net *net, const kl_real *params,
                                     const struct kl_sequence_batch *batch, void *work)
{
    static const struct kind kind = { mamba_block, mamba_block_back };
    windows(result, net, params, batch, &kind, work);
}

/* ---- classical hydra ----
   Classical Hydra: u + RMSNorm(out_proj(mix(in_proj(u)))) block after block, RMSNorm, mean over time, a
   head of two linear layers with GELU and dropout between. */

static void hydra_block(struct kl_classical_run *run, struct kl_classical_layer *l, kl_real *next)
{
    const struct kl_classical *own = run->own;
    const size_t t = own->steps;
    kl_sequence_classical_forward(l->projected, own->ld_projected, l->u, own->ld, t, &l->in_proj, false);
    mix(run, l);
    kl_sequence_classical_forward(l->out, own->ld, run->gated, own->inner, t, &l->out_proj, false);
    kl_kernel_scan->norm(next, l->inv, l->out, l->outer_norm, t, own->width, own->ld);
    for (size_t i = 0; i < t * own->ld; i++) next[i] += l->u[i];
}

static void hydra_block_back(struct kl_classical_run *run, struct kl_classical_layer *l)
{
    const struct kl_classical *own = run->own;
    const size_t t = own->steps;
    kl_kernel_scan->norm_back(run->more, l->by_outer_norm, run->rows, l->out, l->outer_norm, l->inv, t,
                              own->width, own->ld, 0);
    kl_sequence_classical_inputs(run->by_gated, own->inner, run->more, own->ld, t, &l->out_proj, false);
    mix_back(run, l);
    kl_sequence_classical_weights(run->gated, own->inner, run->more, own->ld, t, &l->out_proj);
    kl_sequence_classical_weights(l->u, own->ld, run->by_projected, own->ld_projected, t, &l->in_proj);
    kl_sequence_classical_inputs(run->rows, own->ld, run->by_projected, own->ld_projected, t,
                                 &l->in_proj, true);
}

void kl_sequence_classical_hydra_run(struct kl_sequence_result *result,
                                     const struct kl_sequence_net *net, const kl_real *params,
                                     const struct kl_sequence_batch *batch, void *work)
{
    static const struct kind kind = { hydra_block, hydra_block_back };
    windows(result, net, params, batch, &kind, work);
}
