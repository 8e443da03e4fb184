/* SPDX-License-Identifier: MIT
   A window's circuits, one a timestep: theta from one map of the window, states, observables, and back,
   all of which stays in the second cache. Both projections are one map also on the way back: with G =
   sum of dz x^T over the batch, dW_f = G W_p^T + g b_p^T, dW_p = W_f^T G. */
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/ring.h"
#include "kernels/inline/real.h"
#include "sequence/model/steps_int.h"

enum { S = KL_RING_STEPS };

/* to (n, m) = from (m, n). Blocks of four rows and columns (double: two) by vectors of 16 bytes. */
static void transpose(kl_real *to, size_t to_stride, const kl_real *from, size_t from_stride, size_t m,
                      size_t n)
{
    typedef kl_real quarter __attribute__((vector_size(16), aligned(sizeof(kl_real)), may_alias));
    enum { E = 16 / sizeof(kl_real) };
    const size_t rows = m - m % E, columns = n - n % E;
    for (size_t j = 0; j < columns; j += E)
        for (size_t i = 0; i < rows; i += E) {
            quarter a[E], b[E];
            for (size_t r = 0; r < E; r++) a[r] = *(const quarter *)(from + (i + r) * from_stride + j);
#if KL_F64
            b[0] = __builtin_shufflevector(a[0], a[1], 0, 2),
            b[1] = __builtin_shufflevector(a[0], a[1], 1, 3);
#else
            const quarter p = __builtin_shufflevector(a[0], a[1], 0, 4, 1, 5),
                          q = __builtin_shufflevector(a[2], a[3], 0, 4, 1, 5),
                          u = __builtin_shufflevector(a[0], a[1], 2, 6, 3, 7),
                          v = __builtin_shufflevector(a[2], a[3], 2, 6, 3, 7);
            b[0] = __builtin_shufflevector(p, q, 0, 1, 4, 5),
            b[1] = __builtin_shufflevector(p, q, 2, 3, 6, 7);
            b[2] = __builtin_shufflevector(u, v, 0, 1, 4, 5),
            b[3] = __builtin_shufflevector(u, v, 2, 3, 6, 7);
#endif
            for (size_t r = 0; r < E; r++) *(quarter *)(to + (j + r) * to_stride + i) = b[r];
        }
    for (size_t i = 0; i < m; i++)
        for (size_t j = i < rows ? columns : 0; j < n; j++)
            to[j * to_stride + i] = from[i * from_stride + j];
}

void kl_sequence_circuits_take(struct kl_sequence_circuits *c, struct kl_sequence_pieces *p,
                               const struct kl_sequence_net *net, size_t n_weights, bool mixed,
                               bool backward)
{
    const struct kl_sequence_steps *s = net->own;
    const size_t stride = net->options.bare ? S : kl_sequence_stride(s->lengths), groups = stride / S,
                 state = kl_ring_state(&s->ring, S), real = sizeof(kl_real);
    *c = (struct kl_sequence_circuits){ s,         NULL,     stride,      groups,
                                        n_weights, backward, 2 * 3.14159, .base = NULL };
    c->map = kl_sequence_piece(p, s->angles * s->inputs, real);
    c->shift = kl_sequence_piece(p, s->angles, real);
    c->weights = kl_sequence_piece(p, n_weights * stride, real);
    c->z = kl_sequence_piece(p, s->angles * stride, real);
    c->m = kl_sequence_piece(p, s->outputs * stride, real);
    c->sum = kl_sequence_piece(p, n_weights * s->outputs * S, real);
    c->norm = kl_sequence_piece(p, groups * 2 * S, real);
    c->turn = kl_sequence_piece(p, groups * 2 * s->n_rows * S, real);
    c->state = kl_sequence_piece(p, (backward ? groups : 1) * state, real);
    c->work = kl_sequence_piece(p, kl_ring_work(&s->ring, S), real);
    c->dropped = kl_sequence_piece(p, net->shape.channels * kl_sequence_stride(net->shape.steps), real);
    if (net->options.bare) c->columns = kl_sequence_piece(p, s->inputs * S, real);
    if (mixed) c->third = kl_sequence_piece(p, (size_t)2 << s->ring.n_qubits, real);
    if (!backward) return;
    c->dm = kl_sequence_piece(p, s->outputs * stride, real);
    c->bra = kl_sequence_piece(p, state, real);
    c->dturn = kl_sequence_piece(p, s->n_rows * S, real);
    c->swapped = kl_sequence_piece(p, s->inputs * stride, real);
    c->by_map = kl_sequence_piece(p, s->angles * s->inputs, real);
    c->by_base = kl_sequence_piece(p, s->angles * S, real);
    c->by_shift = kl_sequence_piece(p, s->angles * S, real);
    c->sums = kl_sequence_piece(p, 4 * S, real);
    c->field = kl_sequence_piece(p, mixed ? state : 0, real);
}

void kl_sequence_circuits_begin(struct kl_sequence_circuits *c, const struct kl_sequence_net *net,
                                const kl_real *params)
{
    const struct kl_sequence_steps *s = c->steps;
    const struct kl_tensor *t = net->block.tensors;
    const kl_real *wf = params + t[s->wf].offset, *bf = params + t[s->bf].offset;
    const size_t a = s->angles;
    c->base = params + t[s->base].offset;
    memcpy(c->shift, bf, a * sizeof *bf);
    if (s->wp < 0) {
        memcpy(c->map, wf, a * s->inputs * sizeof *wf);
    } else {
        const kl_real *bp = params + t[s->bp].offset;
        kl_kernel_gemm(c->map, s->inputs, wf, a, 1, params + t[s->wp].offset, s->inputs, a, s->inputs, a,
                       0);
        for (size_t i = 0; i < a; i++) {
            kl_real sum = bf[i];
            for (size_t j = 0; j < a; j++) sum += wf[i * a + j] * bp[j];
            c->shift[i] = sum;
        }
    }
    if (!c->backward) return;
    memset(c->by_map, 0, a * s->inputs * sizeof *c->by_map);
    memset(c->by_base, 0, a * S * sizeof *c->by_base);
    memset(c->by_shift, 0, a * S * sizeof *c->by_shift);
    memset(c->sums, 0, 4 * S * sizeof *c->sums);
    if (c->mix) memset(c->field, 0, kl_ring_state(&s->ring, S) * sizeof *c->field);
}

const kl_real *kl_sequence_circuits_input(struct kl_sequence_circuits *c,
                                          const struct kl_sequence_net *net,
                                          const struct kl_sequence_batch *batch, size_t i, kl_real *by_x)
{
    const size_t count = net->shape.channels * kl_sequence_stride(net->shape.steps);
    const kl_real *x = batch->x + i * count;
    if (!batch->training || net->options.dropout <= 0) return by_x ? by_x : x;
    kl_real *to = by_x;
    if (!by_x) to = c->dropped, memcpy(to, x, count * sizeof *x);
    kl_sequence_drop(to, (batch->row + i) * count, count, net, batch, 0);
    return to;
}

void kl_sequence_circuits_forward(struct kl_sequence_circuits *c, const kl_real *x)
{
    const struct kl_sequence_steps *s = c->steps;
    const struct kl_ring_table *kernel = kl_kernel_ring;
    const size_t state = kl_ring_state(&s->ring, S);
    kl_kernel_gemm(c->z, c->stride, c->map, s->inputs, 1, x, c->stride, s->angles, c->stride, s->inputs,
                   0);
    if (c->n_weights) memset(c->sum, 0, c->n_weights * s->outputs * S * sizeof *c->sum);
    for (size_t g = 0; g < c->groups; g++) {
        kl_real *turn = c->turn + g * 2 * s->n_rows * S, *m = c->m + g * S,
                *at = c->state + (c->backward ? g * state : 0);
        kernel->angles(turn, c->z + g * S, c->stride, s->angles, c->shift, c->base, c->factor, s->rows,
                       s->n_rows);
        kernel->forward(at, turn, &s->ring, c->work);
        kernel->read(m, c->stride, c->norm + g * 2 * S, at, c->mix, &s->ring, c->work);
        if (c->n_weights)
            kernel->weigh(c->sum, m, c->stride, s->outputs, c->weights + g * S, c->stride, c->n_weights);
    }
}

void kl_sequence_circuits_back(struct kl_sequence_circuits *c, const kl_real *x, kl_real *by_x)
{
    const struct kl_sequence_steps *s = c->steps;
    const struct kl_ring_table *kernel = kl_kernel_ring;
    const size_t state = kl_ring_state(&s->ring, S);
    for (size_t g = 0; g < c->groups; g++) {
        kl_real *turn = c->turn + g * 2 * s->n_rows * S, *at = c->state + g * state;
        kernel->back(c->bra, c->sums, c->field, at, c->m + g * S, c->dm + g * S, c->stride,
                     c->norm + g * 2 * S, c->mix, &s->ring, c->work);
        kernel->adjoint(c->dturn, at, c->bra, turn, &s->ring, c->work);
        kernel->slopes(c->z + g * S, c->stride, s->angles, c->by_base, c->by_shift, c->dturn, s->row_of);
    }
    transpose(c->swapped, s->inputs, x, c->stride, s->inputs, c->stride);
    kl_kernel_gemm(c->by_map, s->inputs, c->z, c->stride, 1, c->swapped, s->inputs, s->angles, s->inputs,
                   c->stride, 1);
    if (by_x)
        kl_kernel_gemm(by_x, c->stride, c->map, 1, s->inputs, c->z, c->stride, s->inputs, c->stride,
                       s->angles, 0);
}

void kl_sequence_circuits_end(struct kl_sequence_circuits *c, const struct kl_sequence_net *net,
                              const kl_real *params, kl_real *grad)
{
    const struct kl_sequence_steps *s = c->steps;
    const struct kl_tensor *t = net->block.tensors;
    const size_t a = s->angles, in = s->inputs;
    kl_real *bf = grad + t[s->bf].offset, *wf = grad + t[s->wf].offset;
    for (size_t i = 0; i < a; i++) {
        grad[t[s->base].offset + i] = kl_ring_sum(c->by_base + i * S);
        bf[i] = kl_ring_sum(c->by_shift + i * S);
    }
    if (s->wp < 0) {
        memcpy(wf, c->by_map, a * in * sizeof *wf);
        return;
    }
    const kl_real *p = params + t[s->wp].offset, *f = params + t[s->wf].offset,
                  *b = params + t[s->bp].offset;
    for (size_t i = 0; i < a; i++)
        for (size_t j = 0; j < a; j++) wf[i * a + j] = bf[i] * b[j];
    kl_real *turned = c->map; /* W_p^T: the map is used up */
    transpose(turned, a, p, in, a, in);
    kl_kernel_gemm(wf, a, c->by_map, in, 1, turned, a, a, a, in, 1);
    kl_kernel_gemm(grad + t[s->wp].offset, in, f, 1, a, c->by_map, in, a, in, a, 0);
    for (size_t j = 0; j < a; j++) {
        kl_real sum = 0;
        for (size_t i = 0; i < a; i++) sum += f[i * a + j] * bf[i];
        grad[t[s->bp].offset + j] = sum;
    }
}

/* ---- the bare layer: windows take the place of timesteps, a window's values that of channels ---- */
const kl_real *kl_sequence_circuits_gather(struct kl_sequence_circuits *c,
                                           const struct kl_sequence_net *net,
                                           const struct kl_sequence_batch *batch, size_t first,
                                           size_t count)
{
    const size_t steps = net->shape.steps, stride = kl_sequence_stride(steps), in = c->steps->inputs;
    for (size_t l = 0; l < S; l++) {
        const kl_real *x = l < count ? kl_sequence_circuits_input(c, net, batch, first + l, NULL) : NULL;
        for (size_t i = 0; i < in; i++)
            c->columns[i * S + l] = x ? x[i / steps * stride + i % steps] : 0;
    }
    return c->columns;
}

void kl_sequence_circuits_scatter(struct kl_sequence_circuits *c, const struct kl_sequence_net *net,
                                  const struct kl_sequence_batch *batch, size_t first, size_t count,
                                  kl_real *by_x)
{
    const size_t steps = net->shape.steps, stride = kl_sequence_stride(steps), in = c->steps->inputs;
    for (size_t l = 0; l < count; l++) {
        kl_real *to = by_x + (first + l) * net->shape.channels * stride;
        memset(to, 0, net->shape.channels * stride * sizeof *to);
        for (size_t i = 0; i < in; i++) to[i / steps * stride + i % steps] = c->columns[i * S + l];
        kl_sequence_circuits_input(c, net, batch, first + l, to);
    }
}

void kl_sequence_widen(double *to, const kl_real *block, const struct kl_sequence_net *net, int tensor)
{
    const struct kl_tensor *t = &net->block.tensors[tensor];
    for (size_t i = 0; i < t->size; i++) to[i] = (double)block[t->offset + i];
}

void kl_sequence_narrow(kl_real *block, const double *from, const struct kl_sequence_net *net,
                        int tensor)
{
    const struct kl_tensor *t = &net->block.tensors[tensor];
    for (size_t i = 0; i < t->size; i++) block[t->offset + i] = (kl_real)from[i];
}
