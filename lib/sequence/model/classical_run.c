/* SPDX-License-Identifier: MIT
   A run of classical Mamba or Hydra: its memory, what is the same for all windows, then window after
   window there and back. Memory is that of one window, whatever the batch. */
#include <string.h>

#include "kernels/act.h"
#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/scan.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sequence/model/classical_int.h"

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
    const size_t t = own->steps, e = own->inner, classes = (size_t)net->shape.classes;
    struct pieces start = *p;
    p->used += ((size_t)own->n_blocks * sizeof *r->layers + 63) / 64 * 64;
    r->layers = start.at ? (struct kl_classical_layer *)(start.at + start.used) : NULL;
    for (int i = 0; i < own->n_blocks; i++) {
        struct kl_classical_layer counted = { 0 }, *l = r->layers ? &r->layers[i] : &counted;
        *l = counted;
        take_layer(l, p, own, r->back);
    }
    r->last = take(p, t * own->ld), r->last_inv = take(p, t), r->pooled = take(p, own->ld);
    r->hidden = take(p, own->hidden), r->bent = take(p, own->hidden);
    r->gated = take(p, t * e), r->rows = take(p, t * own->ld);
    if (net->options.bare) r->x = take(p, t);
    if (!r->back) return;
    r->more = take(p, t * own->ld), r->by_gated = take(p, t * e);
    r->by_projected = take(p, t * own->ld_projected), r->by_conv = take(p, t * e),
    r->by_dt = take(p, t * e);
    r->by_mixed = take(p, t * own->ld_mixed), r->scan_work = take(p, kl_scan_work(own->states, e));
    r->by_logits = take(p, classes), r->by_pooled = take(p, own->ld),
    r->by_hidden = take(p, own->hidden);
    r->by_x = take(p, t * own->channels), r->embedding.back = take(p, own->width * own->channels);
    r->head[0].back = take(p, own->width * (own->hydra ? own->hidden : classes));
    r->head[1].back = own->hydra ? take(p, own->hidden * classes) : NULL;
    if (!r->grad) r->grad = take(p, net->block.size);
}

size_t kl_sequence_classical_work(const struct kl_sequence_net *net, size_t n)
{
    struct kl_classical_run run = { .back = true };
    struct pieces pieces = { 0 };
    (void)n;
    take_run(&run, &pieces, net);
    return pieces.used;
}

/* ---- what is the same for all windows ---- */
static size_t strip(size_t n, size_t first)
{
    return n - first < KL_STRIP ? n - first : KL_STRIP;
}
/* The transpose of a weight (in, out), in strips of `in`. */
static void turn(kl_real *back, const kl_real *w, size_t in, size_t out)
{
    for (size_t o = 0; o < out; o += KL_STRIP)
        for (size_t i = 0; i < in; i += KL_STRIP) {
            const size_t to = strip(in, i), from = strip(out, o);
            kl_real *rows = (kl_real *)w + o * in + i * from; /* stay as they are */
            kl_kernel_layers->turn(back + i * out + o * to, to, rows, from, NULL, 0, to, from);
        }
}

static const struct kl_tensor *tensor(const struct kl_classical_run *r, int number)
{
    return &r->net->block.tensors[number];
}
static void set_linear(struct kl_classical_linear *l, const struct kl_classical_run *r,
                       const kl_real *params, int weight, int bias)
{
    const struct kl_tensor *t = tensor(r, weight);
    l->w = params + t->offset, l->out = t->dims[0], l->in = t->dims[1];
    l->bias = bias < 0 ? NULL : params + tensor(r, bias)->offset;
    if (!r->back) return;
    l->by_w = r->grad + t->offset;
    l->by_bias = bias < 0 ? NULL : r->grad + tensor(r, bias)->offset;
    turn(l->back, l->w, l->in, l->out);
}

static void set_layer(struct kl_classical_layer *l, const struct kl_classical_run *r,
                      const kl_real *params)
{
    const struct kl_classical_block *b = l->numbers;
    const struct kl_classical *own = r->own;
    const kl_real *taps = params + tensor(r, b->conv)->offset;
    set_linear(&l->in_proj, r, params, b->in_proj, -1);
    if (!own->hydra) set_linear(&l->x_proj, r, params, b->x_proj, -1);
    set_linear(&l->dt_proj, r, params, b->dt, -1), set_linear(&l->out_proj, r, params, b->out_proj, -1);
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

void kl_sequence_classical_begin(struct kl_classical_run *run, const struct kl_sequence_net *net,
                                 const kl_real *params, const struct kl_sequence_batch *batch,
                                 kl_real *grad, bool back, void *work)
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
    set_linear(&run->embedding, run, params, own->embedding, own->embedding_bias);
    for (int i = 0; i < (own->hydra ? 2 : 1); i++)
        set_linear(&run->head[i], run, params, own->head[i], own->head_bias[i]);
    run->final_norm = params + tensor(run, own->final_norm)->offset;
    if (back) run->by_final_norm = run->grad + tensor(run, own->final_norm)->offset;
}

/* Sums over windows that the kernels keep state by state and tap by tap. */
void kl_sequence_classical_end(struct kl_classical_run *run)
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

/* ---- linear layers ---- */
void kl_sequence_classical_forward(kl_real *y, size_t ld_y, const kl_real *x, size_t ld_x, size_t m,
                                   const struct kl_classical_linear *l, bool add)
{
    for (size_t j = 0; j < l->out; j += KL_STRIP)
        kl_kernel_gemm(y + j, ld_y, x, ld_x, 1, l->w + j * l->in, strip(l->out, j), m, strip(l->out, j),
                       l->in, add);
}
void kl_sequence_classical_weights(const kl_real *x, size_t ld_x, const kl_real *dy, size_t ld_dy,
                                   size_t m, const struct kl_classical_linear *l)
{
    for (size_t j = 0; j < l->out; j += KL_STRIP)
        kl_kernel_gemm(l->by_w + j * l->in, strip(l->out, j), x, 1, ld_x, dy + j, ld_dy, l->in,
                       strip(l->out, j), m, 1);
}
void kl_sequence_classical_inputs(kl_real *dx, size_t ld_dx, const kl_real *dy, size_t ld_dy, size_t m,
                                  const struct kl_classical_linear *l, bool add)
{
    for (size_t i = 0; i < l->in; i += KL_STRIP)
        kl_kernel_gemm(dx + i, ld_dx, dy, ld_dy, 1, l->back + i * l->out, strip(l->in, i), m,
                       strip(l->in, i), l->out, add);
}

void kl_sequence_classical_drop(kl_real *y, size_t first, size_t count,
                                const struct kl_classical_run *run, uint32_t place)
{
    const struct kl_sequence_batch *b = run->batch;
    const double rate = run->net->options.dropout;
    if (!b->training || rate <= 0) return;
    const struct kl_dropout_draw draw = { .seed = b->seed,
                                          .purpose = KL_RANDOM_SEQUENCE_DROPOUT + 256 * place,
                                          .step = b->step,
                                          .replica = b->replica,
                                          .threshold = kl_nn_dropout_threshold(rate),
                                          .scale = kl_nn_dropout_scale(rate) };
    kl_kernel_dropout(y, first, count, &draw);
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

static void forward(kl_real *logits, struct kl_classical_run *r, const struct kl_classical_kind *kind,
                    size_t i)
{
    const struct kl_classical *own = r->own;
    const struct kl_classical_linear *l = &r->embedding;
    const size_t t = own->steps, row = r->batch->row + i;
    size_t ld;
    const kl_real *x = seen(r, i, &ld);
    kl_real *u = r->layers[0].u;
    for (size_t j = 0; j < l->out; j += KL_STRIP)
        kl_kernel_gemm(u + j, own->ld, x, 1, ld, l->w + j * l->in, strip(l->out, j), t, strip(l->out, j),
                       l->in, 0);
    kl_kernel_bias(u, l->bias, t, own->ld, 0);
    kl_sequence_classical_drop(u, row * t * own->ld, t * own->ld, r, 0);
    for (int b = 0; b < own->n_blocks; b++)
        kind->block(r, &r->layers[b], b + 1 < own->n_blocks ? r->layers[b + 1].u : r->last);
    kl_kernel_scan->norm(r->rows, r->last_inv, r->last, r->final_norm, t, own->width, own->ld);
    kl_kernel_sum_rows(r->pooled, r->rows, t, own->ld);
    for (size_t d = 0; d < own->width; d++) r->pooled[d] /= (kl_real)t;
    kind->head(logits, r, row);
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

static void back(kl_real *by_x, struct kl_classical_run *r, const struct kl_classical_kind *kind,
                 size_t i)
{
    const struct kl_classical *own = r->own;
    const struct kl_classical_linear *l = &r->embedding;
    const size_t t = own->steps, row = r->batch->row + i;
    size_t ld;
    kind->head_back(r, row);
    for (size_t d = 0; d < own->width; d++) r->by_pooled[d] /= (kl_real)t;
    for (size_t s = 0; s < t; s++)
        memcpy(r->more + s * own->ld, r->by_pooled, own->ld * sizeof *r->more);
    kl_kernel_scan->norm_back(r->rows, r->by_final_norm, r->more, r->last, r->final_norm, r->last_inv, t,
                              own->width, own->ld, 0);
    for (int b = own->n_blocks - 1; b >= 0; b--) kind->block_back(r, &r->layers[b]);
    kl_sequence_classical_drop(r->rows, row * t * own->ld, t * own->ld, r, 0);
    kl_kernel_layers->add(l->by_bias, r->rows, own->ld, t, own->width);
    const kl_real *x = seen(r, i, &ld);
    for (size_t j = 0; j < l->out; j += KL_STRIP)
        kl_kernel_gemm(l->by_w + j * l->in, strip(l->out, j), x, ld, 1, r->rows + j, own->ld, l->in,
                       strip(l->out, j), t, 1);
    if (!by_x) return;
    kl_sequence_classical_inputs(r->by_x, l->in, r->rows, own->ld, t, l, false);
    give_by_x(by_x, r);
}

void kl_sequence_classical_windows(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                                   const kl_real *params, const struct kl_sequence_batch *batch,
                                   const struct kl_classical_kind *kind, void *work)
{
    struct kl_classical_run run;
    const int classes = net->shape.classes;
    const size_t window = net->shape.channels * kl_sequence_stride(net->shape.steps);
    result->loss = 0, result->correct = 0;
    kl_sequence_classical_begin(&run, net, params, batch, result->grad, result->grad || result->by_x,
                                work);
    for (size_t i = 0; i < batch->n; i++) {
        forward(result->logits + i * (size_t)classes, &run, kind, i);
        kl_sequence_loss(run.back ? run.by_logits : NULL, result, batch, i, classes);
        if (run.back) back(result->by_x ? result->by_x + i * window : NULL, &run, kind, i);
    }
    if (run.back) kl_sequence_classical_end(&run);
}
