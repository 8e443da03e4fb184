/* SPDX-License-Identifier: MIT
   Quantum Mamba and Lite, logits and gradient of a batch. States stand side by side: the time steps of a
   window (Lite), or 16 windows. The two linear maps of Lite are one, on the way back too: of G = sum of
   dz x^T and g = sum of dz, dW_i = G W_p^T + g b_p^T, dW_p = W_i^T G. */
#include <math.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/ssm.h"
#include "kernels/temporal.h"
#include "kernels/inline/real.h"
#include "sequence/model/mamba_int.h"

enum { GROUP = 64 / sizeof(kl_real) };
/* Places of dropout. */
enum { AT_INPUT, AT_HIDDEN, AT_LOGITS };

/* One run: what it is of, and its work. */
struct run {
    struct mamba a;
    const struct kl_sequence_net *net;
    const kl_real *params;
    const struct kl_sequence_batch *batch;
    struct kl_sequence_result *result;
    struct kl_ssm_plan plan;
    bool circuit; /* is the gradient asked for by what stands before the features? */
    size_t groups;
    kl_real factor[6], *skip, *plan_values;
    /* maps: from the inputs to amplitudes, its gradient and the bias's; of features, in the order of
     * rows */
    kl_real *map, *bias, *G, *g, *hidden, *dhidden, *turned;
    /* rows of lanes: inputs, amplitudes before and after layer norm, measured, moduli, hidden, back */
    kl_real *x, *z, *v, *keep, *m, *states, *r, *h, *gm, *dh, *dr, *dv;
    /* lanes in rows */
    kl_real *xt, *rt, *ht;
    kl_real *sums, *norm_sums, *mix_sums, *scratch, *slopes, *each, *row, *time, *dtime, *tail;
};

/* The next values of the work, aligned to 64 bytes; of none only the size is counted. */
struct room {
    kl_real *at;
    size_t used;
};
static kl_real *take(struct room *room, size_t values)
{
    kl_real *mine = room->at ? room->at + room->used : NULL;
    room->used += (values + 15) / 16 * 16;
    return mine;
}

/* Lays out the work; returns how many values. */
static size_t lay_out(struct run *u, kl_real *work)
{
    struct room at = { work, 0 };
    const struct mamba *a = &u->a;
    const size_t n = (size_t)a->n, F = a->features, N = a->N, ld = a->ld, lanes = a->lanes,
                 C = u->net->shape.channels, T = u->net->shape.steps, K = (size_t)u->net->shape.classes;
    u->groups = lanes / GROUP;
    u->skip = take(&at, 2 * n), u->plan_values = take(&at, kl_sequence_ssm_values(a->n, a->layers));
    u->map = take(&at, N * a->inputs), u->bias = take(&at, N), u->hidden = take(&at, F * F);
    u->turned = take(&at, a->lite ? a->inputs * a->middle : 0);
    u->G = take(&at, N * a->inputs), u->g = take(&at, N), u->dhidden = take(&at, F * F);
    u->x = take(&at, a->inputs * ld), u->z = take(&at, N * ld), u->v = take(&at, N * ld),
    u->keep = take(&at, 3 * ld), u->m = take(&at, 7 * n * ld), u->states = take(&at, 2 * N * lanes),
    u->r = take(&at, F * ld), u->h = take(&at, F * ld), u->gm = take(&at, 7 * n * ld),
    u->dh = take(&at, F * ld), u->dr = take(&at, F * ld), u->dv = take(&at, N * ld);
    u->xt = take(&at, a->inputs * lanes), u->rt = take(&at, F * lanes), u->ht = take(&at, F * lanes);
    u->sums = take(&at, KL_SSM_SUMS(a->n, a->layers) * GROUP), u->norm_sums = take(&at, 2 * N * GROUP),
    u->mix_sums = take(&at, (6 + n) * GROUP), u->scratch = take(&at, KL_SSM_SCRATCH(a->n) * GROUP);
    u->slopes = take(&at, 16 * 4 * C), u->each = take(&at, C),
    u->row = take(&at, 2 * KL_TEMPORAL_ROW(T)), u->time = take(&at, 2 * ld),
    u->dtime = take(&at, 2 * ld), u->tail = take(&at, 9 * F + K);
    return at.used;
}

size_t kl_sequence_mamba_work(const struct kl_sequence_net *net, size_t n)
{
    struct run u = { .net = net, .a = kl_sequence_mamba_sizes(net, sizeof(kl_real)) };
    (void)n;
    return lay_out(&u, NULL) * sizeof(kl_real);
}

static const kl_real *tensor(const struct run *u, int t)
{
    return u->params + u->net->block.tensors[t].offset;
}
static kl_real *gradient(const struct run *u, int t)
{
    return u->result->grad + u->net->block.tensors[t].offset;
}
static const kl_real *of_layer(const struct run *u, int t)
{
    return tensor(u, u->a.before + t);
}
static kl_real *layer_gradient(const struct run *u, int t)
{
    return gradient(u, u->a.before + t);
}

static void drop(const struct run *u, kl_real *y, int place, size_t first, size_t count)
{
    kl_sequence_drop(y, first, count, u->net, u->batch, (uint32_t)place);
}

/* Feature j, by axis and wire, as the tensor has it. */
static size_t place_of(const struct mamba *a, size_t j)
{
    const size_t n = (size_t)a->n;
    return a->interleaved ? j % n * 3 + j / n : j;
}

/* Compute what all windows share. */
static void prepare(struct run *u)
{
    const struct mamba *a = &u->a;
    const size_t n = (size_t)a->n, F = a->features, N = a->N;
    const kl_real *input = of_layer(u, KL_MAMBA_INPUT), *input_bias = of_layer(u, KL_MAMBA_INPUT_BIAS),
                  *hidden = of_layer(u, KL_MAMBA_HIDDEN), *skip = of_layer(u, KL_MAMBA_SKIP);
    kl_sequence_ssm_plan(&u->plan, u->plan_values, a->n, a->layers, of_layer(u, KL_MAMBA_P),
                         of_layer(u, KL_MAMBA_B), of_layer(u, KL_MAMBA_C), of_layer(u, KL_MAMBA_GATE));
    for (int i = 0; i < 6; i++) u->factor[i] = *of_layer(u, KL_MAMBA_FACTORS + i);
    for (size_t q = 0; q < n; q++)
        u->skip[q] = (kl_real)cos((double)skip[q]), u->skip[n + q] = (kl_real)sin((double)skip[q]);
    for (size_t i = 0; i < F; i++)
        for (size_t j = 0; j < F; j++) u->hidden[i * F + j] = hidden[i * F + place_of(a, j)];
    memcpy(u->bias, input_bias, N * sizeof *u->bias);
    if (a->lite) {
        kl_kernel_gemm(u->map, a->inputs, input, a->middle, 1, tensor(u, KL_LITE_MAP), a->inputs, N,
                       a->inputs, a->middle, 0);
        kl_kernel_gemm(u->bias, 1, input, a->middle, 1, tensor(u, KL_LITE_MAP_BIAS), 1, N, 1, a->middle,
                       1);
    } else {
        memcpy(u->map, input, N * a->inputs * sizeof *u->map);
    }
    if (!u->result->grad) return;
    memset(u->G, 0, N * a->inputs * sizeof *u->G), memset(u->g, 0, N * sizeof *u->g);
    memset(u->dhidden, 0, F * F * sizeof *u->dhidden);
    memset(u->sums, 0, KL_SSM_SUMS(a->n, a->layers) * GROUP * sizeof *u->sums);
    memset(u->norm_sums, 0, 2 * N * GROUP * sizeof *u->norm_sums);
    memset(u->mix_sums, 0, (6 + n) * GROUP * sizeof *u->mix_sums);
    for (int t = 0; t < u->net->block.n; t++)
        memset(gradient(u, t), 0, u->net->block.tensors[t].size * sizeof(kl_real));
}

/* ---- the layer, from x (inputs, lanes) to hidden h (3 n, lanes) ---- */
static void layer_forward(struct run *u)
{
    const struct mamba *a = &u->a;
    const size_t F = a->features, ld = a->ld;
    kl_kernel_layers->fill(u->z, ld, u->bias, a->N, a->lanes);
    kl_kernel_gemm(u->z, ld, u->map, a->inputs, 1, u->x, ld, a->N, a->lanes, a->inputs, 1);
    kl_kernel_ssm->embed(u->v, u->keep, u->z, ld, u->groups, a->N, of_layer(u, KL_MAMBA_NORM),
                         of_layer(u, KL_MAMBA_NORM_BIAS));
    kl_kernel_ssm->forward(u->m, u->circuit ? u->states : NULL, u->v, ld, u->groups, &u->plan,
                           u->scratch);
    kl_kernel_ssm->mix(u->r, u->m, ld, u->groups, a->n, u->factor, u->skip);
    kl_kernel_layers->fill(u->h, ld, of_layer(u, KL_MAMBA_HIDDEN_BIAS), F, a->lanes);
    kl_kernel_gemm(u->h, ld, u->hidden, F, 1, u->r, ld, F, a->lanes, F, 1);
    kl_kernel_layers->turn(NULL, 0, u->h, ld, u->h, ld, F, a->lanes);
}

/* From dh to dz, in dv, of which G and g get their share. */
static void layer_back(struct run *u)
{
    const struct mamba *a = &u->a;
    const size_t F = a->features, ld = a->ld, lanes = a->lanes;
    const struct kl_layers_field field = { .blocks = 1, .rows = 1, .columns = lanes / 16 };
    kl_kernel_layers->turn(NULL, 0, u->dh, ld, u->h, ld, F, lanes);
    kl_kernel_layers->turn(u->rt, F, u->r, ld, NULL, 0, F, lanes);
    kl_kernel_gemm(u->dhidden, F, u->dh, ld, 1, u->rt, F, F, F, lanes, 1);
    kl_kernel_layers->totals(layer_gradient(u, KL_MAMBA_HIDDEN_BIAS), u->dh, ld, F, &field);
    kl_kernel_gemm(u->dr, ld, u->hidden, 1, F, u->dh, ld, F, lanes, F, 0);
    kl_kernel_ssm->mix_back(u->gm, u->mix_sums, u->dr, u->m, ld, u->groups, a->n, u->factor, u->skip);
    if (!u->circuit) return;
    kl_kernel_ssm->adjoint(u->dv, u->sums, u->gm, u->m, u->states, u->v, ld, u->groups, &u->plan,
                           u->scratch);
    kl_kernel_ssm->embed_back(u->dv, u->norm_sums, u->v, u->keep, u->z, ld, u->groups, a->N,
                              of_layer(u, KL_MAMBA_NORM));
    kl_kernel_gemm(u->G, a->inputs, u->dv, ld, 1, u->xt, a->inputs, a->N, a->inputs, lanes, 1);
    kl_kernel_layers->totals(u->g, u->dv, ld, a->N, &field);
}

/* Gradients that are made once of the sums of a run. */
static void finish(struct run *u)
{
    const struct mamba *a = &u->a;
    const size_t F = a->features, N = a->N;
    kl_real *hidden = layer_gradient(u, KL_MAMBA_HIDDEN);
    for (size_t i = 0; i < F; i++)
        for (size_t j = 0; j < F; j++) hidden[i * F + place_of(a, j)] = u->dhidden[i * F + j];
    for (int i = 0; i < 6; i++)
        *layer_gradient(u, KL_MAMBA_FACTORS + i) = kl_sequence_row_sum(u->mix_sums + i * GROUP);
    if (u->net->options.frozen) return;
    for (int q = 0; q < a->n; q++)
        layer_gradient(u, KL_MAMBA_SKIP)[q] = kl_sequence_row_sum(u->mix_sums + (6 + q) * GROUP);
    kl_sequence_ssm_gradient(layer_gradient(u, KL_MAMBA_P), layer_gradient(u, KL_MAMBA_B),
                             layer_gradient(u, KL_MAMBA_C), layer_gradient(u, KL_MAMBA_GATE), u->sums,
                             a->n, a->layers, of_layer(u, KL_MAMBA_P), of_layer(u, KL_MAMBA_B),
                             of_layer(u, KL_MAMBA_C));
    for (size_t k = 0; k < N; k++) {
        layer_gradient(u, KL_MAMBA_NORM)[k] = kl_sequence_row_sum(u->norm_sums + k * GROUP);
        layer_gradient(u, KL_MAMBA_NORM_BIAS)[k] = kl_sequence_row_sum(u->norm_sums + (N + k) * GROUP);
    }
    memcpy(layer_gradient(u, KL_MAMBA_INPUT_BIAS), u->g, N * sizeof *u->g);
    kl_real *input = layer_gradient(u, KL_MAMBA_INPUT);
    if (!a->lite) {
        memcpy(input, u->G, N * a->inputs * sizeof *input);
        return;
    }
    const size_t middle = a->middle, inputs = a->inputs;
    const kl_real *map = tensor(u, KL_LITE_MAP), *bias = tensor(u, KL_LITE_MAP_BIAS),
                  *second = of_layer(u, KL_MAMBA_INPUT);
    for (size_t k = 0; k < N; k++)
        for (size_t j = 0; j < middle; j++) input[k * middle + j] = u->g[k] * bias[j];
    /* W_p is read alone by turn, which has no word for that */
    kl_kernel_layers->turn(u->turned, middle, (kl_real *)(uintptr_t)map, inputs, NULL, 0, middle,
                           inputs);
    kl_kernel_gemm(input, middle, u->G, inputs, 1, u->turned, middle, N, middle, inputs, 1);
    kl_kernel_gemm(gradient(u, KL_LITE_MAP), inputs, second, 1, middle, u->G, inputs, middle, inputs, N,
                   0);
    kl_kernel_gemm(gradient(u, KL_LITE_MAP_BIAS), 1, second, 1, middle, u->g, 1, middle, 1, N, 0);
}

/* ---- windows side by side ---- */
/* xt (lanes, inputs) of windows [first, first + count): means over time of the filtered channels, or all
 * values. */
static void gather(struct run *u, size_t first, size_t count)
{
    const struct mamba *a = &u->a;
    const size_t C = u->net->shape.channels, T = u->net->shape.steps, stride = kl_sequence_stride(T);
    const struct kl_temporal_filter filter = { C,
                                               T,
                                               3,
                                               1,
                                               a->bare ? NULL : tensor(u, KL_MAMBA_CONV),
                                               a->bare ? NULL : tensor(u, KL_MAMBA_CONV_BIAS) };
    for (size_t i = 0; i < count; i++) {
        const kl_real *x = u->batch->x + (first + i) * C * stride;
        kl_real *to = u->xt + i * a->inputs;
        if (!a->bare) {
            kl_kernel_temporal->pool(to, u->circuit ? u->slopes + i * 4 * C : NULL, &filter, x, stride,
                                     u->row);
            continue;
        }
        for (size_t c = 0; c < C; c++) memcpy(to + c * T, x + c * stride, T * sizeof *to);
    }
    memset(u->xt + count * a->inputs, 0, (a->lanes - count) * a->inputs * sizeof *u->xt);
    kl_kernel_layers->turn(u->x, a->ld, u->xt, a->inputs, NULL, 0, a->lanes, a->inputs);
}

/* From the gradient by the inputs of windows, dxt (lanes, inputs). */
static void scatter(struct run *u, const kl_real *dxt, size_t first, size_t count)
{
    const struct mamba *a = &u->a;
    const size_t C = u->net->shape.channels, T = u->net->shape.steps, stride = kl_sequence_stride(T);
    for (size_t i = 0; i < count; i++) {
        const kl_real *x = u->batch->x + (first + i) * C * stride, *d = dxt + i * a->inputs;
        kl_real *by_x = u->result->by_x ? u->result->by_x + (first + i) * C * stride : NULL;
        if (a->bare) {
            for (size_t c = 0; by_x && c < C; c++) {
                memcpy(by_x + c * stride, d + c * T, T * sizeof *d);
                memset(by_x + c * stride + T, 0, (stride - T) * sizeof *d);
            }
            continue;
        }
        const struct kl_temporal_filter filter = {
            C, T, 3, 1, tensor(u, KL_MAMBA_CONV), tensor(u, KL_MAMBA_CONV_BIAS)
        };
        for (size_t c = 0; by_x && c < C; c++) u->each[c] = d[c] / (kl_real)T;
        if (by_x) kl_kernel_temporal->back(by_x, NULL, NULL, &filter, x, stride, NULL, u->each, u->row);
        if (u->net->options.frozen) continue;
        kl_real *w = gradient(u, KL_MAMBA_CONV), *b = gradient(u, KL_MAMBA_CONV_BIAS);
        const kl_real *slope = u->slopes + i * 4 * C;
        for (size_t c = 0; c < C; c++) {
            for (size_t k = 0; k < 3; k++) w[3 * c + k] += d[c] * slope[4 * c + k];
            b[c] += d[c] * slope[4 * c + 3];
        }
    }
}

/* Logits of a window from its hidden values, and what is asked of them; dht (3 n) becomes the gradient
 * by these. */
static void head(struct run *u, kl_real *dht, const kl_real *ht, size_t i)
{
    const size_t F = u->a.features, K = (size_t)u->net->shape.classes;
    const kl_real *w = of_layer(u, KL_MAMBA_OUT), *b = of_layer(u, KL_MAMBA_OUT_BIAS);
    kl_real *logits = u->result->logits + i * K, *d = u->tail;
    for (size_t k = 0; k < K; k++) {
        logits[k] = b[k];
        for (size_t j = 0; j < F; j++) logits[k] += w[k * F + j] * ht[j];
    }
    const bool drops = u->net->options.logit_dropout;
    if (drops) drop(u, logits, AT_LOGITS, (u->batch->row + i) * K, K);
    kl_sequence_loss(u->result->grad ? d : NULL, u->result, u->batch, i, (int)K);
    if (!u->result->grad) return;
    if (drops) drop(u, d, AT_LOGITS, (u->batch->row + i) * K, K);
    kl_real *dw = layer_gradient(u, KL_MAMBA_OUT), *db = layer_gradient(u, KL_MAMBA_OUT_BIAS);
    for (size_t j = 0; j < F; j++) dht[j] = 0;
    for (size_t k = 0; k < K; k++) {
        db[k] += d[k];
        for (size_t j = 0; j < F; j++) dw[k * F + j] += d[k] * ht[j], dht[j] += w[k * F + j] * d[k];
    }
}

static void windows(struct run *u, size_t first, size_t count)
{
    const struct mamba *a = &u->a;
    const size_t F = a->features, ld = a->ld, lanes = a->lanes, at = (u->batch->row + first) * F;
    gather(u, first, count);
    layer_forward(u);
    kl_kernel_layers->turn(u->ht, F, u->h, ld, NULL, 0, F, lanes);
    drop(u, u->ht, AT_HIDDEN, at, count * F);
    memset(u->rt, 0, lanes * F * sizeof *u->rt);
    for (size_t i = 0; i < count; i++) head(u, u->rt + i * F, u->ht + i * F, first + i);
    if (!u->result->grad) return;
    drop(u, u->rt, AT_HIDDEN, at, count * F);
    kl_kernel_layers->turn(u->dh, ld, u->rt, F, NULL, 0, lanes, F);
    layer_back(u);
    if (!u->circuit) return;
    kl_kernel_gemm(u->x, ld, u->map, 1, a->inputs, u->dv, ld, a->inputs, lanes, a->N, 0);
    kl_kernel_layers->turn(u->xt, a->inputs, u->x, ld, NULL, 0, a->inputs, lanes);
    scatter(u, u->xt, first, count);
}

/* ---- Lite: the steps of a window side by side ---- */
/* time (2, ld) = tau / sum of |tau|; returns that sum. */
static double weigh_time(struct run *u)
{
    const size_t T = u->net->shape.steps, ld = u->a.ld;
    const kl_real *tau = tensor(u, KL_LITE_TIME);
    double sum = 0;
    for (size_t t = 0; t < T; t++) sum += hypot((double)tau[2 * t], (double)tau[2 * t + 1]);
    memset(u->time, 0, 2 * ld * sizeof *u->time);
    for (size_t t = 0; t < T; t++)
        for (size_t part = 0; part < 2; part++)
            u->time[part * ld + t] = (kl_real)((double)tau[2 * t + part] / sum);
    return sum;
}

/* tail: U (2, 3 n), its modulus, sums of hidden values over time and gradients by these, of
   complex numbers the real parts first; the gradient by the logits. sums: of the weights of time. */
struct lite {
    kl_real *U, *size, *H, *gH, *d;
    kl_real sums[2], from_bias[2]; /* from_bias: gradient by every step's weight from the bias of the
                                      layer's last map */
};

static void lite_head(struct run *u, struct lite *e, size_t i)
{
    const size_t F = u->a.features, K = (size_t)u->net->shape.classes;
    const kl_real *w = of_layer(u, KL_MAMBA_OUT), *b = of_layer(u, KL_MAMBA_OUT_BIAS),
                  *out = tensor(u, u->a.before + KL_MAMBA_LAYER),
                  *out_bias = tensor(u, u->a.before + KL_MAMBA_LAYER + 1);
    kl_real *logits = u->result->logits + i * K;
    for (size_t f = 0; f < F; f++) {
        for (size_t part = 0; part < 2; part++) {
            kl_real sum = b[f] * e->sums[part];
            for (size_t j = 0; j < F; j++) sum += w[f * F + j] * e->H[part * F + j];
            e->U[part * F + f] = sum;
        }
        e->size[f] = (kl_real)hypot((double)e->U[f], (double)e->U[F + f]);
    }
    for (size_t k = 0; k < K; k++) {
        logits[k] = out_bias[k];
        for (size_t f = 0; f < F; f++) logits[k] += out[k * F + f] * e->size[f];
    }
    kl_sequence_loss(u->result->grad ? e->d : NULL, u->result, u->batch, i, (int)K);
}

static void lite_head_back(struct run *u, struct lite *e)
{
    const size_t F = u->a.features, K = (size_t)u->net->shape.classes;
    const int output = u->a.before + KL_MAMBA_LAYER;
    const kl_real *w = of_layer(u, KL_MAMBA_OUT), *b = of_layer(u, KL_MAMBA_OUT_BIAS),
                  *out = tensor(u, output);
    kl_real *dw = layer_gradient(u, KL_MAMBA_OUT), *db = layer_gradient(u, KL_MAMBA_OUT_BIAS),
            *dout = gradient(u, output), *dout_bias = gradient(u, output + 1);
    for (size_t k = 0; k < K; k++) {
        dout_bias[k] += e->d[k];
        for (size_t f = 0; f < F; f++) dout[k * F + f] += e->d[k] * e->size[f];
    }
    memset(e->gH, 0, 2 * F * sizeof *e->gH);
    for (size_t f = 0; f < F; f++) {
        kl_real g = 0;
        for (size_t k = 0; k < K; k++) g += out[k * F + f] * e->d[k];
        g = e->size[f] > 0 ? g / e->size[f] : 0;
        for (size_t part = 0; part < 2; part++) {
            const kl_real gu = g * e->U[part * F + f];
            e->from_bias[part] += gu * b[f], db[f] += gu * e->sums[part];
            for (size_t j = 0; j < F; j++) {
                dw[f * F + j] += gu * e->H[part * F + j];
                e->gH[part * F + j] += w[f * F + j] * gu;
            }
        }
    }
}

static void lite_window(struct run *u, struct lite *e, size_t i)
{
    const struct mamba *a = &u->a;
    const size_t C = a->inputs, stride = a->lanes, F = a->features, ld = a->ld;
    const struct kl_layers_field field = { .blocks = 1, .rows = 1, .columns = a->lanes / 16 };
    int32_t rows[3 * KL_SSM_MOST_QUBITS];
    for (size_t j = 0; j < F; j++) rows[j] = (int32_t)(j * ld);
    for (size_t c = 0; c < C; c++) {
        memcpy(u->x + c * ld, u->batch->x + (i * C + c) * stride, stride * sizeof *u->x);
        drop(u, u->x + c * ld, AT_INPUT, ((u->batch->row + i) * C + c) * stride, stride);
    }
    layer_forward(u);
    memset(e->H, 0, 2 * F * sizeof *e->H);
    kl_kernel_layers->dots(e->H, F, u->time, ld, u->h, rows, 2, F, &field);
    lite_head(u, e, i);
    if (!u->result->grad) return;
    lite_head_back(u, e);
    kl_kernel_gemm(u->dtime, ld, e->gH, F, 1, u->h, ld, 2, a->lanes, F, 1);
    kl_kernel_gemm(u->dh, ld, e->gH, 1, F, u->time, ld, F, a->lanes, 2, 0);
    if (u->circuit) kl_kernel_layers->turn(u->xt, C, u->x, ld, NULL, 0, C, a->lanes);
    layer_back(u);
    if (!u->result->by_x) return;
    kl_kernel_gemm(u->x, ld, u->map, 1, C, u->dv, ld, C, a->lanes, a->N, 0);
    for (size_t c = 0; c < C; c++) {
        drop(u, u->x + c * ld, AT_INPUT, ((u->batch->row + i) * C + c) * stride, stride);
        memcpy(u->result->by_x + (i * C + c) * stride, u->x + c * ld, stride * sizeof *u->x);
    }
}

/* Before all windows; returns the sum of |tau|. */
static double lite_begin(struct run *u, struct lite *e)
{
    const size_t F = u->a.features, T = u->net->shape.steps, ld = u->a.ld;
    const double whole = weigh_time(u);
    *e = (struct lite){ .U = u->tail,
                        .size = u->tail + 2 * F,
                        .H = u->tail + 5 * F,
                        .gH = u->tail + 7 * F,
                        .d = u->tail + 9 * F };
    memset(u->dtime, 0, 2 * ld * sizeof *u->dtime);
    for (size_t part = 0; part < 2; part++)
        for (size_t t = 0; t < T; t++) e->sums[part] += u->time[part * ld + t];
    return whole;
}

/* Behind them: from the gradients by the weights of time to those by tau. */
static void lite_end(struct run *u, const struct lite *e, double whole)
{
    const size_t T = u->net->shape.steps, ld = u->a.ld;
    const kl_real *tau = tensor(u, KL_LITE_TIME);
    kl_real *to = gradient(u, KL_LITE_TIME);
    double along = 0;
    for (size_t t = 0; t < T; t++)
        for (size_t part = 0; part < 2; part++) {
            u->dtime[part * ld + t] += e->from_bias[part];
            along += (double)u->dtime[part * ld + t] * (double)tau[2 * t + part];
        }
    for (size_t t = 0; t < T; t++) {
        const double size = hypot((double)tau[2 * t], (double)tau[2 * t + 1]);
        for (size_t part = 0; part < 2; part++)
            to[2 * t + part] =
                (kl_real)((double)u->dtime[part * ld + t] / whole -
                          (size > 0 ? (double)tau[2 * t + part] / size : 0) * along / (whole * whole));
    }
}

static void lite(struct run *u)
{
    struct lite e;
    const double whole = lite_begin(u, &e);
    for (size_t i = 0; i < u->batch->n; i++) lite_window(u, &e, i);
    if (u->result->grad) lite_end(u, &e, whole);
}

void kl_sequence_mamba_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                           const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    struct run u = { .a = kl_sequence_mamba_sizes(net, sizeof(kl_real)),
                     .net = net,
                     .params = params,
                     .batch = batch,
                     .result = result };
    u.circuit = result->grad && (!net->options.frozen || result->by_x);
    result->loss = 0, result->correct = 0;
    lay_out(&u, work);
    prepare(&u);
    if (u.a.lite) lite(&u);
    for (size_t i = 0; !u.a.lite && i < batch->n; i += u.a.lanes)
        windows(&u, i, batch->n - i < u.a.lanes ? batch->n - i : u.a.lanes);
    if (result->grad) finish(&u);
}

#if !KL_F64
/* ---- on a GPU ---- */
/* At the head of its work; what it points to is behind it: that of a run, then a gradient, into which
   the read-out adds. */
struct on_gpu {
    struct run u;
    struct lite e; /* of Lite */
    double whole;
    kl_real *grad;
    struct kl_sequence_result_f32 result;
};
enum { HEAD = (sizeof(struct on_gpu) + 63) / 64 * 64 };

static void gpu_sizes(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net)
{
    const int n = net->options.qubits, layers = net->options.layers;
    size_t gate;
    kl_sequence_windows_shape(shape, net);
    shape->kind = KL_CUDA_WINDOW_EMBEDDED;
    shape->n_rotations = (int32_t)kl_sequence_ssm_n_rotations(n, layers, &gate);
    shape->n_angles = 1 << n, shape->n_shared = kl_sequence_ssm_angles(n, layers).end;
    shape->n_gate = (int32_t)gate, shape->n_weights = 2;
    if (net->model == &kl_sequence_mamba_lite) return;
    shape->n_weights = 1, shape->threshold = 0; /* which acts on what comes back */
    shape->filters = shape->channels, shape->apart = 1;
}

static int gpu_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                     struct kl_arena *memory, struct kl_error *err)
{
    gpu_sizes(shape, net);
    struct kl_cuda_rotation *to = kl_arena_take(memory, (size_t)shape->n_rotations, sizeof *to);
    if (!to) return kl_fail_memory(err, (size_t)shape->n_rotations * sizeof *to);
    kl_sequence_ssm_rotations(to, net->options.qubits, net->options.layers, shape->n_angles);
    shape->rotations = to;
    return KL_OK;
}

static size_t gpu_work(const struct kl_sequence_net *net)
{
    return HEAD + kl_sequence_mamba_work_f32(net, 0) + net->block.size * sizeof(float);
}

static void gpu_prepare(float *given, void *work, const struct kl_sequence_net *net, const float *params)
{
    struct kl_cuda_windows_shape shape;
    struct on_gpu *g = work;
    struct run *u = &g->u;
    gpu_sizes(&shape, net);
    const struct kl_cuda_windows_places at = kl_cuda_windows_places(&shape);
    memset(g, 0, sizeof *g);
    u->a = kl_sequence_mamba_sizes(net, sizeof(kl_real)), u->net = net, u->params = params;
    g->grad =
        (kl_real *)(void *)((char *)work + HEAD) + lay_out(u, (kl_real *)(void *)((char *)work + HEAD));
    u->result = &g->result, g->result.grad = g->grad;
    prepare(u);
    if (u->a.lite) g->whole = lite_begin(u, &g->e);
    else u->time[0] = 1;
    const size_t N = u->a.N, F = u->a.features, T = kl_cuda_windows_lengths(&shape),
                 size = sizeof *given;
    memcpy(given + at.map, u->map, N * u->a.inputs * size), memcpy(given + at.shift, u->bias, N * size);
    kl_sequence_ssm_give(given + at.shared, u->a.n, u->a.layers, of_layer(u, KL_MAMBA_P),
                         of_layer(u, KL_MAMBA_B), of_layer(u, KL_MAMBA_C), of_layer(u, KL_MAMBA_GATE));
    for (size_t part = 0; part < (size_t)shape.n_weights; part++)
        memcpy(given + at.weights + part * T, u->time + part * u->a.ld, T * size);
    memcpy(given + at.gain, of_layer(u, KL_MAMBA_NORM), N * size);
    memcpy(given + at.bias, of_layer(u, KL_MAMBA_NORM_BIAS), N * size);
    memcpy(given + at.factors, u->factor, sizeof u->factor);
    memcpy(given + at.skip, of_layer(u, KL_MAMBA_SKIP), (size_t)u->a.n * size);
    memcpy(given + at.hidden, u->hidden, F * F * size);
    memcpy(given + at.hidden_bias, of_layer(u, KL_MAMBA_HIDDEN_BIAS), F * size);
    if (u->a.lite) return;
    memcpy(given + at.conv, tensor(u, KL_MAMBA_CONV), (at.conv_bias - at.conv) * size);
    memcpy(given + at.conv_bias, tensor(u, KL_MAMBA_CONV_BIAS), (at.end - at.conv_bias) * size);
}

/* Of a window whose hidden values are ht; dht, or NULL. */
static void gpu_head(struct run *u, float *dht, const float *hidden, size_t i)
{
    const size_t F = u->a.features, at = (u->batch->row + i) * F;
    memcpy(u->ht, hidden, F * sizeof *hidden);
    drop(u, u->ht, AT_HIDDEN, at, F);
    head(u, dht, u->ht, i);
    if (dht) drop(u, dht, AT_HIDDEN, at, F);
}

static void gpu_read(struct kl_sequence_result_f32 *result, float *by_sum, void *work,
                     const struct kl_sequence_net *net, const float *sum,
                     const struct kl_sequence_batch_f32 *batch)
{
    struct on_gpu *g = work;
    struct run *u = &g->u;
    const size_t n = (u->a.lite ? 2 : 1) * u->a.features;
    (void)net;
    g->result =
        (struct kl_sequence_result_f32){ .logits = result->logits, .grad = by_sum ? g->grad : NULL };
    u->batch = batch;
    for (size_t i = 0; i < batch->n; i++) {
        float *const to = by_sum ? by_sum + i * n : NULL;
        if (!u->a.lite) {
            gpu_head(u, to, sum + i * n, i);
            continue;
        }
        memcpy(g->e.H, sum + i * n, n * sizeof *sum);
        lite_head(u, &g->e, i);
        if (!to) continue;
        lite_head_back(u, &g->e);
        memcpy(to, g->e.gH, n * sizeof *to);
    }
    result->loss = g->result.loss, result->correct = g->result.correct;
}

static void gpu_finish(float *grad, void *work, const struct kl_sequence_net *net, const float *params,
                       const float *by_given)
{
    struct kl_cuda_windows_shape shape;
    struct on_gpu *g = work;
    struct run *u = &g->u;
    const size_t N = u->a.N, F = u->a.features, T = net->shape.steps, size = sizeof *grad;
    gpu_sizes(&shape, net);
    const struct kl_cuda_windows_places at = kl_cuda_windows_places(&shape);
    u->params = params;
    memcpy(u->G, by_given + at.map, N * u->a.inputs * size), memcpy(u->g, by_given + at.shift, N * size);
    memcpy(u->dhidden, by_given + at.hidden, F * F * size);
    memcpy(layer_gradient(u, KL_MAMBA_HIDDEN_BIAS), by_given + at.hidden_bias, F * size);
    for (size_t i = 0; i < 6 + (size_t)u->a.n; i++) u->mix_sums[i * GROUP] = by_given[at.factors + i];
    for (size_t k = 0; k < 2 * N; k++) u->norm_sums[k * GROUP] = by_given[at.gain + k];
    for (size_t part = 0; u->a.lite && part < 2; part++)
        memcpy(u->dtime + part * u->a.ld, by_given + at.weights + part * T, T * size);
    if (u->a.lite) lite_end(u, &g->e, g->whole);
    finish(u);
    if (!net->options.frozen)
        kl_sequence_ssm_given(layer_gradient(u, KL_MAMBA_P), layer_gradient(u, KL_MAMBA_B),
                              layer_gradient(u, KL_MAMBA_C), layer_gradient(u, KL_MAMBA_GATE), u->a.n,
                              u->a.layers, by_given + at.shared);
    if (!u->a.lite && !net->options.frozen) {
        memcpy(gradient(u, KL_MAMBA_CONV), by_given + at.conv, (at.conv_bias - at.conv) * size);
        memcpy(gradient(u, KL_MAMBA_CONV_BIAS), by_given + at.conv_bias, (at.end - at.conv_bias) * size);
    }
    for (int t = 0; t < net->block.n; t++)
        memcpy(grad + net->block.tensors[t].offset, gradient(u, t), net->block.tensors[t].size * size);
}

const struct kl_sequence_gpu kl_sequence_mamba_gpu = { gpu_shape, gpu_work, gpu_prepare, gpu_read,
                                                       gpu_finish };
#endif
