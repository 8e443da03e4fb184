/* SPDX-License-Identifier: MIT
   Dense layers over tiles of fixed size, each finished (bias, ReLU, transpose) while it is in the cache.
   The layouts are those that kl_gemm likes: forward W times features, dW = dY X', dX' = dY' W; never W'
   dY. */
#include "kernels/gemm.h"
#include "kernels/inline/real.h"
#include "sampling/model/model_int.h"

/* Rows of W times all records; columns of dX; rows and columns of dW. */
enum { OUT_TILE = 96, IN_TILE = 256, DW_ROWS = 252, DW_COLUMNS = 512 };

static size_t tiles(size_t n, size_t tile)
{
    return (n + tile - 1) / tile;
}
static size_t width(size_t n, size_t tile, size_t from)
{
    return n - from < tile ? n - from : tile;
}

static void forward_tile(void *context, size_t i, int thread)
{
    const struct kl_sampling_step *s = context;
    const struct kl_sampling_net *net = s->context->net;
    const struct kl_sampling_dense *d = &net->dense[s->layer];
    const struct kl_sampling_work *k = s->work;
    const size_t from = i * OUT_TILE, rows = width(d->out, OUT_TILE, from);
    const bool last = s->layer == net->n_dense - 1;
    kl_real *y = k->x[s->layer + 1] + from * k->ld;
    (void)thread;
    kl_kernel_layers->fill(y, k->ld, s->w + d->b + from, rows, k->n);
    kl_kernel_gemm(y, k->ld, s->w + d->w + from * d->in, d->in, 1, k->x[s->layer], k->ld, rows, k->n,
                   d->in, 1);
    if (!last)
        kl_kernel_layers->turn(s->grad ? k->xr[s->layer + 1] + from : NULL, d->out, y, k->ld, y, k->ld,
                               rows, k->n);
}

void kl_sampling_dense_forward(struct kl_sampling_step *s)
{
    for (s->layer = 0; s->layer < s->context->net->n_dense; s->layer++)
        kl_pool_for(s->pool, tiles(s->context->net->dense[s->layer].out, OUT_TILE), forward_tile, s);
}

static void weights_tile(const struct kl_sampling_step *s, const struct kl_sampling_dense *d, size_t row,
                         size_t column)
{
    const struct kl_sampling_work *k = s->work;
    kl_kernel_gemm(s->grad + d->w + row * d->in + column, d->in, k->dy + row * k->ld, k->ld, 1,
                   k->xr[s->layer] + column, d->in, width(d->out, DW_ROWS, row),
                   width(d->in, DW_COLUMNS, column), k->valid, s->further);
}

static void inputs_tile(const struct kl_sampling_step *s, const struct kl_sampling_dense *d, size_t from)
{
    const struct kl_sampling_work *k = s->work;
    const size_t columns = width(d->in, IN_TILE, from);
    kl_real *dxr = k->dxr + from;
    kl_kernel_gemm(dxr, d->in, k->dyr, d->out, 1, s->w + d->w + from, d->in, k->valid, columns, d->out,
                   0);
    kl_kernel_layers->turn(k->dx + from * k->ld, k->ld, dxr, d->in,
                           s->layer > 0 ? k->xr[s->layer] + from : NULL, d->in, k->valid, columns);
}

/* Tiles of dW by rows, then those of dX, then the biases. */
static void backward_tile(void *context, size_t i, int thread)
{
    const struct kl_sampling_step *s = context;
    const struct kl_sampling_dense *d = &s->context->net->dense[s->layer];
    const struct kl_sampling_work *k = s->work;
    const size_t wide = tiles(d->in, DW_COLUMNS), n_weights = tiles(d->out, DW_ROWS) * wide;
    (void)thread;
    if (i < n_weights) {
        weights_tile(s, d, i / wide * DW_ROWS, i % wide * DW_COLUMNS);
    } else if (i == n_weights) {
        kl_real *b = s->grad + d->b;
        for (size_t j = 0; !s->further && j < d->out; j++) b[j] = 0;
        kl_kernel_layers->add(b, k->dyr, d->out, k->valid, d->out);
    } else inputs_tile(s, d, (i - n_weights - 1) * IN_TILE);
}

void kl_sampling_dense_backward(struct kl_sampling_step *s)
{
    const struct kl_sampling_net *net = s->context->net;
    struct kl_sampling_work *k = s->work;
    for (s->layer = net->n_dense - 1; s->layer >= 0; s->layer--) {
        const struct kl_sampling_dense *d = &net->dense[s->layer];
        const bool inputs = s->layer > 0 || net->n_units > 0;
        kl_pool_for(s->pool,
                    tiles(d->out, DW_ROWS) * tiles(d->in, DW_COLUMNS) + 1 +
                        (inputs ? tiles(d->in, IN_TILE) : 0),
                    backward_tile, s);
        if (s->layer == 0) break;
        kl_real *const y = k->dy, *const yr = k->dyr;
        k->dy = k->dx, k->dyr = k->dxr, k->dx = y, k->dxr = yr;
    }
}
