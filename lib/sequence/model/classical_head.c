/* SPDX-License-Identifier: MIT
   Linear layers of classical Mamba and Hydra, and their heads, from a window's mean over time to logits
   and back: Mamba's one layer; Hydra's two, GELU and dropout between. */
#include <math.h>

#include "kernels/act.h"
#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/inline/real.h"
#include "sequence/model/classical_int.h"

/* ---- linear layers ---- */

/* The transpose of a weight (in, out), in strips of `in`. */
static void turn(kl_real *back, const kl_real *w, size_t in, size_t out)
{
    for (size_t o = 0; o < out; o += KL_STRIP)
        for (size_t i = 0; i < in; i += KL_STRIP) {
            const size_t to = kl_sequence_classical_strip(in, i),
                         from = kl_sequence_classical_strip(out, o);
            kl_real *rows = (kl_real *)w + o * in + i * from; /* stay as they are */
            kl_kernel_layers->turn(back + i * out + o * to, to, rows, from, NULL, 0, to, from);
        }
}

void kl_sequence_classical_set_linear(struct kl_classical_linear *l, const struct kl_classical_run *r,
                                      const kl_real *params, int weight, int bias)
{
    const struct kl_tensor *tensors = r->net->block.tensors, *t = &tensors[weight];
    l->w = params + t->offset, l->out = t->dims[0], l->in = t->dims[1];
    l->bias = bias < 0 ? NULL : params + tensors[bias].offset;
    if (!r->back) return;
    l->by_w = r->grad + t->offset;
    l->by_bias = bias < 0 ? NULL : r->grad + tensors[bias].offset;
    turn(l->back, l->w, l->in, l->out);
}

void kl_sequence_classical_forward(kl_real *y, size_t ld_y, const kl_real *x, size_t ld_x, size_t m,
                                   const struct kl_classical_linear *l, bool add)
{
    for (size_t j = 0; j < l->out; j += KL_STRIP)
        kl_kernel_gemm(y + j, ld_y, x, ld_x, 1, l->w + j * l->in, kl_sequence_classical_strip(l->out, j),
                       m, kl_sequence_classical_strip(l->out, j), l->in, add);
}
void kl_sequence_classical_weights(const kl_real *x, size_t ld_x, const kl_real *dy, size_t ld_dy,
                                   size_t m, const struct kl_classical_linear *l)
{
    for (size_t j = 0; j < l->out; j += KL_STRIP)
        kl_kernel_gemm(l->by_w + j * l->in, kl_sequence_classical_strip(l->out, j), x, 1, ld_x, dy + j,
                       ld_dy, l->in, kl_sequence_classical_strip(l->out, j), m, 1);
}
void kl_sequence_classical_inputs(kl_real *dx, size_t ld_dx, const kl_real *dy, size_t ld_dy, size_t m,
                                  const struct kl_classical_linear *l, bool add)
{
    for (size_t i = 0; i < l->in; i += KL_STRIP)
        kl_kernel_gemm(dx + i, ld_dx, dy, ld_dy, 1, l->back + i * l->out,
                       kl_sequence_classical_strip(l->in, i), m, kl_sequence_classical_strip(l->in, i),
                       l->out, add);
}

/* ---- heads ---- */

size_t kl_sequence_classical_place_head(struct kl_classical_run *r, char *base, size_t at)
{
    const struct kl_classical *own = r->net->own;
    const size_t classes = (size_t)r->net->shape.classes;
    KL_SEQUENCE_TAKE(r->pooled, own->ld);
    KL_SEQUENCE_TAKE(r->hidden, own->hidden), KL_SEQUENCE_TAKE(r->bent, own->hidden);
    if (!r->back) return at;
    KL_SEQUENCE_TAKE(r->by_logits, classes), KL_SEQUENCE_TAKE(r->by_pooled, own->ld);
    KL_SEQUENCE_TAKE(r->by_hidden, own->hidden);
    KL_SEQUENCE_TAKE(r->head[0].back, own->width * (own->hydra ? own->hidden : classes));
    if (own->hydra) KL_SEQUENCE_TAKE(r->head[1].back, own->hidden * classes);
    return at;
}

void kl_sequence_classical_set_head(struct kl_classical_run *r, const kl_real *params)
{
    const struct kl_classical *own = r->net->own;
    for (int i = 0; i < (own->hydra ? 2 : 1); i++)
        kl_sequence_classical_set_linear(&r->head[i], r, params, own->head[i], own->head_bias[i]);
}

/* One vector through a layer with a bias, and back. */
static void through(kl_real *y, const kl_real *x, const struct kl_classical_linear *l)
{
    kl_sequence_classical_forward(y, l->out, x, l->in, 1, l, false);
    kl_kernel_bias(y, l->bias, 1, l->out, 0);
}
static void back_through(kl_real *dx, const kl_real *x, const kl_real *dy,
                         const struct kl_classical_linear *l)
{
    kl_sequence_classical_weights(x, l->in, dy, l->out, 1, l);
    kl_kernel_layers->add(l->by_bias, dy, l->out, 1, l->out);
    kl_sequence_classical_inputs(dx, l->in, dy, l->out, 1, l, false);
}

/* x Phi(x), Phi the normal distribution; its derivative. */
static double gelu(double x)
{
    return 0.5 * x * erfc(-x * 0.7071067811865476);
}
static double gelu_slope(double x)
{
    return 0.5 * erfc(-x * 0.7071067811865476) + x * 0.3989422804014327 * exp(-0.5 * x * x);
}
static void drop(kl_real *y, const struct kl_classical_run *r, size_t row)
{
    kl_sequence_drop(y, row * r->head[0].out, r->head[0].out, r->net, r->batch, 1);
}

void kl_sequence_classical_head(kl_real *logits, struct kl_classical_run *r, size_t row)
{
    const struct kl_classical_linear *first = &r->head[0], *second = &r->head[1];
    if (!r->own->hydra) {
        through(logits, r->pooled, first);
        return;
    }
    through(r->hidden, r->pooled, first);
    for (size_t i = 0; i < first->out; i++) r->bent[i] = (kl_real)gelu((double)r->hidden[i]);
    drop(r->bent, r, row);
    through(logits, r->bent, second);
}

void kl_sequence_classical_head_back(struct kl_classical_run *r, size_t row)
{
    const struct kl_classical_linear *first = &r->head[0], *second = &r->head[1];
    if (!r->own->hydra) {
        back_through(r->by_pooled, r->pooled, r->by_logits, first);
        return;
    }
    back_through(r->by_hidden, r->bent, r->by_logits, second);
    drop(r->by_hidden, r, row);
    for (size_t i = 0; i < first->out; i++) r->by_hidden[i] *= (kl_real)gelu_slope((double)r->hidden[i]);
    back_through(r->by_pooled, r->pooled, r->by_hidden, first);
}
