/* SPDX-License-Identifier: MIT
   The layers of a network: the workspace of a thread, dense layers, batch norm, convolutions; there and
   back. */
#include <math.h>
#include <string.h>

#include "kernels/act.h"
#include "kernels/gemm.h"
#include "kernels/inline/real.h"
#include "sampling/model/model_int.h"

/* ---- work ----
   The workspace of a network for one thread: matrices of its dense layers, maps of its convolutions. */

static kl_real *take(struct kl_sampling_work *k, size_t count)
{
    kl_real *p = kl_arena_take(&k->arena, count, sizeof *p);
    if (p) memset(p, 0, count * sizeof *p);
    return p;
}

static bool make_maps(struct kl_sampling_work *k, struct kl_sampling_maps *m, size_t blocks,
                      size_t channels, size_t h, size_t w, size_t border)
{
    m->row = (w + 2 * border) * KL_SAMPLING_SIDE;
    m->channel = (h + 2 * border) * m->row;
    m->block = channels * m->channel;
    kl_real *p = take(k, blocks * m->block);
    m->at = p ? p + border * (m->row + KL_SAMPLING_SIDE) : NULL;
    return p != NULL;
}

static bool make_taps(struct kl_sampling_work *k, const struct kl_sampling_unit *u, int i)
{
    const size_t n = u->kernel * u->kernel, count = n * u->in, back = n * u->out;
    int32_t *at = k->taps[i] = kl_arena_take(&k->arena, count, sizeof *at);
    if (!at) return false;
    for (size_t c = 0; c < u->in; c++)
        for (size_t t = 0; t < n; t++)
            *at++ = (int32_t)(c * k->in[i].channel + t / u->kernel * k->in[i].row +
                              t % u->kernel * KL_SAMPLING_SIDE);
    if (i == 0) return true;
    at = k->taps_back[i] = kl_arena_take(&k->arena, back, sizeof *at);
    k->turned[i] = take(k, back * u->in);
    if (!at || !k->turned[i]) return false;
    for (size_t y = 0; y < u->kernel; y++)
        for (size_t o = 0; o < u->out; o++)
            for (size_t x = 0; x < u->kernel; x++)
                *at++ = (int32_t)(o * k->back[i].channel + y * k->back[i].row + x * KL_SAMPLING_SIDE);
    return true;
}

/* A unit writes straight into the next one's inputs where nothing is between. */
static bool make_unit(struct kl_sampling_work *k, const struct kl_sampling_net *net, int i,
                      size_t blocks)
{
    const struct kl_sampling_unit *u = &net->units[i], *next = i + 1 < net->n_units ? u + 1 : NULL;
    const size_t by = u->pool == KL_SAMPLING_NO_POOL ? 1 : 2;
    if (i == 0 && !make_maps(k, &k->in[0], blocks, u->in, u->in_h, u->in_w, u->pad)) return false;
    if (!make_maps(k, &k->in[i + 1], blocks, u->out, u->out_h / by, u->out_w / by, next ? next->pad : 0))
        return false;
    if (by == 1) k->act[i] = k->in[i + 1];
    else if (!make_maps(k, &k->act[i], blocks, u->out, u->out_h, u->out_w, 0)) return false;
    if (!u->norm) k->raw[i] = k->act[i];
    else if (!make_maps(k, &k->raw[i], blocks, u->out, u->out_h, u->out_w, 0)) return false;
    return make_maps(k, &k->back[i], blocks, u->out, u->out_h, u->out_w, u->kernel - 1 - u->pad) &&
           make_taps(k, u, i);
}

static bool make_convolutions(struct kl_sampling_work *k, const struct kl_sampling_net *net,
                              size_t blocks)
{
    size_t most = net->n_units ? net->dense[0].in * KL_SAMPLING_SIDE : 0;
    for (int i = 0; i < net->n_units; i++) {
        const struct kl_sampling_unit *u = &net->units[i];
        const size_t inputs = u->in * u->in_h * u->in_w * KL_SAMPLING_SIDE;
        if (!make_unit(k, net, i, blocks)) return false;
        if (i > 0 && inputs > most) most = inputs;
    }
    k->slope = (struct kl_sampling_maps){ .at = take(k, blocks * most), .block = most };
    k->mean = kl_arena_take(&k->arena, net->n_statistics, sizeof *k->mean);
    k->variance = kl_arena_take(&k->arena, net->n_statistics, sizeof *k->variance);
    return k->slope.at && k->mean && k->variance;
}

static bool make_dense(struct kl_sampling_work *k, const struct kl_sampling_net *net, size_t n)
{
    size_t most = net->dense[0].in;
    k->ld = n;
    for (int l = 0; l < net->n_dense; l++) {
        const struct kl_sampling_dense *d = &net->dense[l];
        if (!(k->x[l] = take(k, d->in * k->ld)) || !(k->xr[l] = take(k, d->in * n))) return false;
        if (d->out > most) most = d->out;
    }
    k->x[net->n_dense] = take(k, net->dense[net->n_dense - 1].out * k->ld);
    k->dy = take(k, most * k->ld), k->dx = take(k, most * k->ld);
    k->dyr = take(k, most * n), k->dxr = take(k, most * n);
    k->logits = kl_arena_take(&k->arena, (size_t)net->outputs, sizeof *k->logits);
    k->by_logits = kl_arena_take(&k->arena, (size_t)net->outputs, sizeof *k->logits);
    return k->x[net->n_dense] && k->dy && k->dx && k->dyr && k->dxr && k->logits && k->by_logits;
}

int kl_sampling_work_open(struct kl_sampling_work *work, const struct kl_sampling_net *net, size_t most,
                          struct kl_error *err)
{
    const size_t n = (most + KL_SAMPLING_SIDE - 1) / KL_SAMPLING_SIDE * KL_SAMPLING_SIDE;
    const int code = kl_arena_init(&work->arena, 1 << 16, err);
    if (code) return code;
    if (make_dense(work, net, n) && make_convolutions(work, net, n / KL_SAMPLING_SIDE)) return 0;
    return kl_fail(err, KL_ENOMEM, "net '%s': no memory for passes over %zu records at once", net->name,
                   most);
}

/* ---- dense ----
   Dense layers over tiles of fixed size, each finished (bias, ReLU, transpose) while it is in the cache.
   The layouts are those that kl_gemm likes: forward W times features, dW = dY X', dX' = dY' W; never W'
   dY. */

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

/* ---- norm ----
   Batch norm with ReLU, and its way back. Statistics are sums in double over the records in hand
   (training mode), or constants (frozen). */

#define EPSILON 1e-5

struct task {
    struct kl_sampling_step *step;
    int unit;
};

/* A record r of the chunk: lane r % 16 of block r / 16. Those of a block that are records. */
static size_t lanes(const struct kl_sampling_work *k, size_t block)
{
    const size_t from = block * KL_SAMPLING_SIDE;
    return k->valid - from < KL_SAMPLING_SIDE ? k->valid - from : KL_SAMPLING_SIDE;
}

/* Sums over all positions of channel c of a (or a - mean) times b; b NULL: of a alone; squares: of (a -
 * mean)^2. */
static double channel_sum(const struct kl_sampling_work *k, const struct kl_sampling_unit *u, size_t c,
                          const struct kl_sampling_maps *a, double mean,
                          const struct kl_sampling_maps *b)
{
    double sums[KL_SAMPLING_SIDE] = { 0 }, sum = 0;
    for (size_t block = 0; block < k->n / KL_SAMPLING_SIDE; block++) {
        const size_t some = lanes(k, block);
        for (size_t y = 0; y < u->out_h; y++) {
            const kl_real *p = a->at + block * a->block + c * a->channel + y * a->row,
                          *q = b ? b->at + block * b->block + c * b->channel + y * b->row : NULL;
            for (size_t x = 0; x < u->out_w; x++, p += KL_SAMPLING_SIDE, q += q ? KL_SAMPLING_SIDE : 0)
                for (size_t l = 0; l < some; l++) {
                    const double v = (double)p[l] - mean;
                    sums[l] += !b ? v : a == b ? v * v : v * (double)q[l];
                }
        }
    }
    for (int l = 0; l < KL_SAMPLING_SIDE; l++) sum += sums[l];
    return sum;
}

static void forward_channel(void *context, size_t c, int thread)
{
    const struct task *t = context;
    const struct kl_sampling_step *s = t->step;
    const struct kl_sampling_work *k = s->work;
    const struct kl_sampling_unit *u = &s->context->net->units[t->unit];
    const struct kl_sampling_maps *raw = &k->raw[t->unit], *act = &k->act[t->unit];
    const double positions = (double)(k->valid * u->out_h * u->out_w);
    double *mean = &k->mean[u->statistics + c], *variance = &k->variance[u->statistics + c];
    (void)thread;
    if (s->statistics) {
        *mean = channel_sum(k, u, c, raw, 0, NULL) / positions;
        *variance = channel_sum(k, u, c, raw, *mean, raw) / positions;
    } else
        *mean = s->context->mean[u->statistics + c], *variance = s->context->variance[u->statistics + c];
    const kl_real scale = (kl_real)((double)s->w[u->gamma + c] / sqrt(*variance + EPSILON)),
                  centre = (kl_real)*mean, beta = s->w[u->beta + c];
    for (size_t block = 0; block < k->n / KL_SAMPLING_SIDE; block++)
        for (size_t y = 0; y < u->out_h; y++) {
            const kl_real *from = raw->at + block * raw->block + c * raw->channel + y * raw->row;
            kl_real *to = act->at + block * act->block + c * act->channel + y * act->row;
            for (size_t x = 0; x < u->out_w * KL_SAMPLING_SIDE; x++) {
                const kl_real v = scale * (from[x] - centre) + beta;
                to[x] = v > 0 ? v : 0;
            }
        }
}

/* The unit's raw to act, with statistics of the records in hand or frozen ones; gradients of act (in
   back) to those of raw, gamma and beta. */
static void norm_forward(struct kl_sampling_step *step, int unit)
{
    struct task t = { step, unit };
    kl_pool_for(step->pool, step->context->net->units[unit].out, forward_channel, &t);
}

/* With xhat = (raw - mean) / sd, g the gradient of gamma xhat + beta: d raw = gamma / sd (g - mean of g
   - xhat mean of g xhat), the means being 0 where the statistics are constants. */
static void backward_channel(void *context, size_t c, int thread)
{
    const struct task *t = context;
    const struct kl_sampling_step *s = t->step;
    const struct kl_sampling_work *k = s->work;
    const struct kl_sampling_unit *u = &s->context->net->units[t->unit];
    const struct kl_sampling_maps *raw = &k->raw[t->unit], *back = &k->back[t->unit];
    const double positions = (double)(k->valid * u->out_h * u->out_w), mean = k->mean[u->statistics + c],
                 sd = sqrt(k->variance[u->statistics + c] + EPSILON);
    const double g = channel_sum(k, u, c, back, 0, NULL),
                 gx = channel_sum(k, u, c, raw, mean, back) / sd;
    const bool batch = s->statistics;
    (void)thread;
    s->grad[u->gamma + c] += (kl_real)gx;
    s->grad[u->beta + c] += (kl_real)g;
    const kl_real scale = (kl_real)((double)s->w[u->gamma + c] / sd),
                  shift = (kl_real)(batch ? g / positions : 0),
                  slope = (kl_real)(batch ? gx / positions / sd : 0), centre = (kl_real)mean;
    for (size_t block = 0; block < k->n / KL_SAMPLING_SIDE; block++) {
        const size_t some = lanes(k, block);
        for (size_t y = 0; y < u->out_h; y++) {
            const kl_real *from = raw->at + block * raw->block + c * raw->channel + y * raw->row;
            kl_real *d = back->at + block * back->block + c * back->channel + y * back->row;
            for (size_t x = 0; x < u->out_w; x++, from += KL_SAMPLING_SIDE, d += KL_SAMPLING_SIDE)
                for (size_t l = 0; l < some; l++)
                    d[l] = scale * (d[l] - shift - (from[l] - centre) * slope);
        }
    }
}

static void norm_backward(struct kl_sampling_step *step, int unit)
{
    struct task t = { step, unit };
    kl_pool_for(step->pool, step->context->net->units[unit].out, backward_channel, &t);
}

/* ---- conv ----
   Convolutions, their pools and their way back, a block of 16 images at a time: without batch norm a
   block goes through all units while it is in the cache. Gradients of filters are added block by block
   in order, so that threads change no bit; where a map has few positions, one sum runs over all blocks.
 */

enum { FEW = 64, CHANNEL_TILE = 4 }; /* positions; channels of a task */

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
        norm_forward(s, s->layer);
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
    const size_t from = task * CHANNEL_TILE,
                 to = from + CHANNEL_TILE < u->out ? from + CHANNEL_TILE : u->out, n = blocks(s->work);
    (void)thread;
    if (few(u)) gradients(s, s->layer, 0, n, from, to);
    else
        for (size_t block = 0; block < n; block++) gradients(s, s->layer, block, 1, from, to);
}

static void unit_gradients(struct kl_sampling_step *s, int i)
{
    s->layer = i;
    kl_pool_for(s->pool, (unit_of(s, i)->out + CHANNEL_TILE - 1) / CHANNEL_TILE, gradients_task, s);
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
        norm_backward(s, i);
        unit_gradients(s, i);
        if (i > 0) kl_pool_for(s->pool, n, unfilter_block, s);
    }
}
