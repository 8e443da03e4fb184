/* SPDX-License-Identifier: MIT
   ShallowFBCSPNet, forwards and backwards. Filters in time and in space are one filter of both, as
   braindecode merges them: a product whose rows are shifted channels, and as its gradient dot products
   with them. Sums over time are sixteen, then halves. */
#include <math.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/inline/real.h"
#include "sequence/model/model_int.h"

enum { SIDE = 16, POOL = KL_FBCSP_POOL, STEP = KL_FBCSP_STEP };
static const double least_power = 1e-6;

struct pass {
    const struct kl_sequence_net *net;
    const struct kl_fbcsp *s;
    const kl_real *params;
    const struct kl_sequence_batch *batch;
    struct kl_sequence_result *result;
    size_t
        row; /* between channels in `padded`: an odd number of cache lines, or rows share their sets */
    int32_t *offset, *back_offset;
    /* filter (outputs, taps, channels) and its gradient; padded (n, channels, row); v (n, outputs,
       room); power, features and their gradients (n, outputs, pooled) */
    kl_real *filter, *d_filter, *padded, *v, *power, *feature, *d_power;
    kl_real *means, *squares, *scale, *shift, *centre, *f, *d, *dp, *turned, *by_filter, *by_padded;
    double *d_weight, *d_bias, *d_time, *per_tap;
    struct kl_sequence_norm norm;
};

/* ---- memory ---- */
#define TAKE KL_SEQUENCE_TAKE

/* Bytes; base NULL: only these. */
static size_t place(struct pass *p, char *base, size_t n)
{
    const struct kl_fbcsp *s = p->s;
    const size_t o = s->outputs, lanes = (o + SIDE - 1) / SIDE * SIDE, line = 64 / sizeof(kl_real),
                 all = s->taps * s->channels, classes = (size_t)s->classes;
    double *norm;
    size_t at = 0;
    p->row =
        (((s->room + s->taps - 1 > s->steps ? s->room + s->taps - 1 : s->steps) + line - 1) / line | 1) *
        line;
    TAKE(p->offset, all), TAKE(p->back_offset, o * s->taps);
    TAKE(p->filter, o * all), TAKE(p->d_filter, o * all);
    TAKE(p->padded, n * s->channels * p->row), TAKE(p->v, n * o * s->room);
    TAKE(p->power, n * o * s->pooled), TAKE(p->feature, n * o * s->pooled);
    TAKE(p->d_power, n * o * s->pooled), TAKE(p->means, n * o), TAKE(p->squares, n * o);
    TAKE(p->scale, lanes), TAKE(p->shift, lanes), TAKE(p->centre, lanes), TAKE(p->f, 3 * lanes);
    TAKE(p->d, classes), TAKE(p->dp, s->room), TAKE(p->turned, all), TAKE(p->by_filter, o * all);
    TAKE(p->by_padded, o * (s->room + s->stride + 2 * s->taps));
    TAKE(norm, o * KL_SEQUENCE_NORM_ARRAYS), TAKE(p->d_weight, classes * o * s->pooled);
    TAKE(p->d_bias, classes), TAKE(p->d_time, s->filters * s->taps);
    TAKE(p->per_tap, s->filters * (s->taps > 2 * o ? s->taps : 2 * o));
    if (!base) return at;
    memset(p->d_weight, 0, (size_t)(base + at - (char *)p->d_weight));
    kl_sequence_norm_begin(&p->norm, norm, o, p->net, &s->norm, p->params, p->batch->training);
    p->norm.epsilon = 1e-5, p->norm.momentum = 0.1;
    return at;
}

size_t kl_sequence_shallow_work(const struct kl_sequence_net *net, size_t n)
{
    struct pass p = { .net = net, .s = net->own };
    return place(&p, NULL, n);
}

static const kl_real *tensor(const struct pass *p, int number)
{
    return p->params + p->net->block.tensors[number].offset;
}

/* filter[o] (taps, channels) = time' (taps, filters) space[o] (filters, channels); the bias that the
   filters' own become is the norm's k. */
static void merge(struct pass *p)
{
    const struct kl_fbcsp *s = p->s;
    const kl_real *const time = tensor(p, s->time), *const bias = tensor(p, s->time_bias);
    for (size_t o = 0; o < s->outputs; o++) {
        const kl_real *space = tensor(p, s->space) + o * s->filters * s->channels;
        kl_kernel_gemm(p->filter + o * s->taps * s->channels, s->channels, time, 1, s->taps, space,
                       s->channels, s->taps, s->channels, s->filters, 0);
        for (size_t f = 0; f < s->filters; f++) {
            double sum = 0;
            for (size_t c = 0; c < s->channels; c++) sum += space[f * s->channels + c];
            p->norm.k[o] += sum * bias[f];
        }
    }
    for (size_t j = 0; j < s->taps; j++)
        for (size_t c = 0; c < s->channels; c++)
            p->offset[j * s->channels + c] = (int32_t)(c * p->row + j);
}

/* ---- forwards ---- */
static kl_real halves(kl_real sum[SIDE])
{
    for (int half = SIDE / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

static void moments(kl_real *mean, kl_real *squares, const kl_real *v, size_t n)
{
    kl_real sum[SIDE] = { 0 };
    for (size_t t = 0; t < n - n % SIDE; t += SIDE)
        for (size_t l = 0; l < SIDE; l++) sum[l] += v[t + l];
    for (size_t l = 0; l < n % SIDE; l++) sum[l] += v[n - n % SIDE + l];
    const kl_real middle = halves(sum) / (kl_real)n;
    memset(sum, 0, sizeof sum);
    for (size_t t = 0; t < n - n % SIDE; t += SIDE)
        for (size_t l = 0; l < SIDE; l++) sum[l] += (v[t + l] - middle) * (v[t + l] - middle);
    for (size_t l = 0; l < n % SIDE; l++) {
        const kl_real off = v[n - n % SIDE + l] - middle;
        sum[l] += off * off;
    }
    *mean = middle, *squares = halves(sum);
}

static void filter(struct pass *p, size_t i)
{
    const struct kl_fbcsp *s = p->s;
    kl_real *const padded = p->padded + i * s->channels * p->row, *const v =
                                                                      p->v + i * s->outputs * s->room;
    for (size_t c = 0; c < s->channels; c++) {
        memcpy(padded + c * p->row, p->batch->x + (i * s->channels + c) * s->stride,
               s->steps * sizeof *padded);
        memset(padded + c * p->row + s->steps, 0, (p->row - s->steps) * sizeof *padded);
    }
    kl_kernel_layers->taps(v, s->room, p->filter, s->taps * s->channels, padded, p->offset, s->outputs,
                           s->room, s->taps * s->channels, NULL, 0);
    for (size_t o = 0; o < s->outputs; o++)
        moments(p->means + i * s->outputs + o, p->squares + i * s->outputs + o, v + o * s->room,
                s->filtered);
}

static void drop(kl_real *values, const struct pass *p, size_t i)
{
    const size_t n = p->s->outputs * p->s->pooled;
    kl_sequence_drop(values, (p->batch->row + i) * n, n, p->net, p->batch, 0);
}

/* Mean of (v scale + shift)^2 over 75 steps, every 15: five sums of 15 each. */
static void powers(kl_real *power, const kl_real *v, kl_real scale, kl_real shift, size_t pooled)
{
    kl_real part[POOL / STEP];
    for (size_t b = 0; b < pooled + POOL / STEP - 1; b++) {
        kl_real squares[STEP], sum = 0;
        for (int t = 0; t < STEP; t++) {
            const kl_real y = v[b * STEP + (size_t)t] * scale + shift;
            squares[t] = y * y;
        }
        for (int t = 0; t < STEP; t++) sum += squares[t];
        part[b % (POOL / STEP)] = sum;
        if (b + 1 < POOL / STEP) continue;
        sum = 0;
        for (size_t k = b + 1 - POOL / STEP; k <= b; k++) sum += part[k % (POOL / STEP)];
        power[b + 1 - POOL / STEP] = sum / POOL;
    }
}

/* Gradient by v scale + shift of one signal: 2 y times what the pools over step t give. */
static void unpower(kl_real *dp, const kl_real *d_power, const kl_real *v, kl_real scale, kl_real shift,
                    const struct kl_fbcsp *s)
{
    memset(dp, 0, s->room * sizeof *dp);
    for (size_t b = 0; b < s->pooled + POOL / STEP - 1; b++) {
        kl_real g = 0;
        for (size_t k = 0; k < POOL / STEP; k++)
            if (b >= k && b - k < s->pooled) g += d_power[b - k];
        for (size_t t = b * STEP; t < (b + 1) * STEP; t++) dp[t] = 2 * g / POOL * (v[t] * scale + shift);
    }
}

static void collect(struct pass *p, size_t o, const kl_real *v)
{
    kl_real sum[SIDE] = { 0 }, with[SIDE] = { 0 };
    const kl_real centre = p->centre[o];
    for (size_t t = 0; t < p->s->room; t += SIDE) /* dp is 0 behind */
        for (size_t l = 0; l < SIDE; l++)
            sum[l] += p->dp[t + l], with[l] += p->dp[t + l] * (v[t + l] - centre);
    p->norm.sum[o] += halves(sum), p->norm.with[o] += halves(with);
}

/* Window i to its loss, and back to the power. */
static void classify(struct pass *p, size_t i, bool back)
{
    const struct kl_fbcsp *s = p->s;
    const size_t size = s->outputs * s->pooled, classes = (size_t)s->classes;
    const kl_real *const weight = tensor(p, s->weight), *const bias = tensor(p, s->bias);
    kl_real *const power = p->power + i * size, *const h = p->feature + i * size,
                   *const dh = p->d_power + i * size;
    for (size_t o = 0; o < s->outputs; o++)
        powers(power + o * s->pooled, p->v + (i * s->outputs + o) * s->room, p->scale[o], p->shift[o],
               s->pooled);
    for (size_t j = 0; j < size; j++)
        h[j] = (kl_real)log(power[j] > least_power ? (double)power[j] : least_power);
    drop(h, p, i);
    for (size_t k = 0; k < classes; k++) {
        kl_real sum = 0;
        for (size_t j = 0; j < size; j++) sum += weight[k * size + j] * h[j];
        p->result->logits[i * classes + k] = bias[k] + sum;
    }
    kl_sequence_loss(back ? p->d : NULL, p->result, p->batch, i, s->classes);
    if (!back) return;
    memset(dh, 0, size * sizeof *dh);
    for (size_t k = 0; k < classes; k++) {
        p->d_bias[k] += p->d[k];
        for (size_t j = 0; j < size; j++) {
            dh[j] += p->d[k] * weight[k * size + j];
            p->d_weight[k * size + j] += p->d[k] * h[j];
        }
    }
    drop(dh, p, i);
    for (size_t j = 0; j < size; j++) dh[j] = power[j] >= least_power ? dh[j] / power[j] : 0;
    for (size_t o = 0; o < s->outputs; o++) {
        const kl_real *v = p->v + (i * s->outputs + o) * s->room;
        unpower(p->dp, dh + o * s->pooled, v, p->scale[o], p->shift[o], s);
        collect(p, o, v);
    }
}

/* ---- backwards ---- */
/* v becomes its gradient, 0 behind the filtered steps. */
static void unnormalise(struct pass *p, size_t i)
{
    const struct kl_fbcsp *s = p->s;
    for (size_t o = 0; o < s->outputs; o++) {
        kl_real *const v = p->v + (i * s->outputs + o) * s->room;
        const kl_real *const f = p->f + o / SIDE * 3 * SIDE + o % SIDE;
        unpower(p->dp, p->d_power + (i * s->outputs + o) * s->pooled, v, p->scale[o], p->shift[o], s);
        for (size_t t = 0; t < s->filtered; t++) v[t] = p->dp[t] * f[0] + (v[t] * f[SIDE] + f[2 * SIDE]);
        memset(v + s->filtered, 0, (s->room - s->filtered) * sizeof *v);
    }
}

/* by_x of window i: each channel is a sum over outputs and taps of dv, shifted. */
static void unfilter(struct pass *p, size_t i)
{
    const struct kl_fbcsp *s = p->s;
    const size_t row = s->room + s->stride + 2 * s->taps, lead = s->taps - 1;
    kl_real *const to = p->result->by_x + i * s->channels * s->stride;
    for (size_t o = 0; o < s->outputs; o++) {
        kl_real *const at = p->by_padded + o * row;
        memset(at, 0, row * sizeof *at);
        memcpy(at + lead, p->v + (i * s->outputs + o) * s->room, s->filtered * sizeof *at);
        for (size_t j = 0; j < s->taps; j++)
            p->back_offset[o * s->taps + j] = (int32_t)(o * row + lead - j);
    }
    kl_kernel_layers->taps(to, s->stride, p->by_filter, s->outputs * s->taps, p->by_padded,
                           p->back_offset, s->channels, s->stride, s->outputs * s->taps, NULL, 0);
    for (size_t c = 0; c < s->channels; c++)
        memset(to + c * s->stride + s->steps, 0, (s->stride - s->steps) * sizeof *to);
}

/* From the merged filter's gradient to those of its two factors and of the bias. */
static void split(struct pass *p)
{
    const struct kl_fbcsp *s = p->s;
    const struct kl_tensor *t = p->net->block.tensors;
    const size_t all = s->taps * s->channels, c_all = s->channels;
    kl_real *const grad = p->result->grad, *const by_time = p->by_filter; /* (filters, taps) */
    const kl_real *const time = tensor(p, s->time), *const bias = tensor(p, s->time_bias);
    double *const d_bias = p->per_tap;
    for (size_t o = 0; o < s->outputs; o++) {
        const kl_real *const space = tensor(p, s->space) + o * s->filters * c_all;
        kl_real *const d_space = grad + t[s->space].offset + o * s->filters * c_all;
        const double du = kl_sequence_norm_du(&p->norm, o);
        kl_kernel_gemm(d_space, c_all, time, s->taps, 1, p->d_filter + o * all, c_all, s->filters, c_all,
                       s->taps, 0);
        kl_kernel_layers->turn(p->turned, s->taps, p->d_filter + o * all, c_all, NULL, 0, s->taps,
                               c_all);
        kl_kernel_gemm(by_time, s->taps, space, c_all, 1, p->turned, s->taps, s->filters, s->taps, c_all,
                       0);
        for (size_t j = 0; j < s->filters * s->taps; j++) p->d_time[j] += by_time[j];
        for (size_t f = 0; f < s->filters; f++) {
            double sum = 0;
            for (size_t c = 0; c < c_all; c++) {
                sum += space[f * c_all + c];
                d_space[f * c_all + c] += (kl_real)(du * bias[f]);
            }
            d_bias[f] += du * sum;
        }
    }
    for (size_t j = 0; j < s->filters * s->taps; j++)
        grad[t[s->time].offset + j] = (kl_real)p->d_time[j];
    for (size_t f = 0; f < s->filters; f++) grad[t[s->time_bias].offset + f] = (kl_real)d_bias[f];
}

static void gradients(struct pass *p)
{
    const struct kl_fbcsp *s = p->s;
    const struct kl_tensor *t = p->net->block.tensors;
    const size_t all = s->taps * s->channels;
    kl_real *const grad = p->result->grad;
    const struct kl_layers_field field = { .blocks = p->batch->n,
                                           .rows = 1,
                                           .columns = s->room / SIDE,
                                           .d_block = s->outputs * s->room,
                                           .b_block = s->channels * p->row };
    memset(p->d_filter, 0, s->outputs * all * sizeof *p->d_filter);
    kl_kernel_layers->dots(p->d_filter, all, p->v, s->room, p->padded, p->offset, s->outputs, all,
                           &field);
    split(p);
    for (size_t j = 0; j < t[s->weight].size; j++)
        grad[t[s->weight].offset + j] = (kl_real)p->d_weight[j];
    for (size_t k = 0; k < t[s->bias].size; k++) grad[t[s->bias].offset + k] = (kl_real)p->d_bias[k];
    kl_sequence_norm_gradient(grad, p->net, &s->norm, &p->norm);
}

void kl_sequence_shallow_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                             const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    const struct kl_fbcsp *s = net->own;
    struct pass p = { .net = net, .s = s, .params = params, .batch = batch, .result = result };
    const size_t lanes = (s->outputs + SIDE - 1) / SIDE * SIDE;
    const bool back = result->grad || result->by_x;
    place(&p, work, batch->n);
    merge(&p);
    result->loss = 0, result->correct = 0;
    for (size_t i = 0; i < batch->n; i++) filter(&p, i);
    kl_sequence_norm_gather(&p.norm, p.means, p.squares, batch->n, s->outputs, s->filtered);
    kl_sequence_norm_factors(p.scale, p.shift, p.centre, lanes, &p.norm);
    for (size_t i = 0; i < batch->n; i++) classify(&p, i, back);
    if (result->state) kl_sequence_norm_state(result->state, net, &s->norm, &p.norm);
    if (!back) return;
    kl_sequence_norm_back(p.f, lanes, &p.norm);
    for (size_t i = 0; i < batch->n; i++) unnormalise(&p, i);
    if (result->by_x) { /* by_filter (channels, outputs, taps) */
        for (size_t o = 0; o < s->outputs; o++)
            for (size_t j = 0; j < s->taps; j++)
                for (size_t c = 0; c < s->channels; c++)
                    p.by_filter[(c * s->outputs + o) * s->taps + j] =
                        p.filter[(o * s->taps + j) * s->channels + c];
        for (size_t i = 0; i < batch->n; i++) unfilter(&p, i);
    }
    if (result->grad) gradients(&p);
}
