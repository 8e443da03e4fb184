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

size_t kl_sequence_mamba_lay_out(struct kl_mamba_run *u, kl_real *work)
{
    struct room at = { work, 0 };
    const struct mamba *a = &u->a;
    const size_t n = (size_t)a->n, F = a->features, N = a->N, ld = a->ld, lanes = a->lanes,
                 C = u->net->shape.channels, T = u->net->shape.steps, K = (size_t)u->net->shape.classes;
    u->groups = lanes / KL_MAMBA_GROUP;
    u->skip = take(&at, 2 * n), u->plan_values = take(&at, kl_sequence_ssm_values(a->n, a->layers));
    u->map = take(&at, N * a->inputs), u->bias = take(&at, N), u->hidden = take(&at, F * F);
    u->turned = take(&at, a->lite ? a->inputs * a->middle : 0);
    u->G = take(&at, N * a->inputs), u->g = take(&at, N), u->dhidden = take(&at, F * F);
    u->x = take(&at, a->inputs * ld), u->z = take(&at, N * ld), u->v = take(&at, N * ld),
    u->keep = take(&at, 3 * ld), u->m = take(&at, 7 * n * ld), u->states = take(&at, 2 * N * lanes),
    u->r = take(&at, F * ld), u->h = take(&at, F * ld), u->gm = take(&at, 7 * n * ld),
    u->dh = take(&at, F * ld), u->dr = take(&at, F * ld), u->dv = take(&at, N * ld);
    u->xt = take(&at, a->inputs * lanes), u->rt = take(&at, F * lanes), u->ht = take(&at, F * lanes);
    u->sums = take(&at, KL_SSM_SUMS(a->n, a->layers) * KL_MAMBA_GROUP),
    u->norm_sums = take(&at, 2 * N * KL_MAMBA_GROUP), u->mix_sums = take(&at, (6 + n) * KL_MAMBA_GROUP),
    u->scratch = take(&at, KL_SSM_SCRATCH(a->n) * KL_MAMBA_GROUP);
    u->slopes = take(&at, 16 * 4 * C), u->each = take(&at, C),
    u->row = take(&at, 2 * KL_TEMPORAL_ROW(T)), u->time = take(&at, 2 * ld),
    u->dtime = take(&at, 2 * ld), u->tail = take(&at, 9 * F + K);
    return at.used;
}

size_t kl_sequence_mamba_work(const struct kl_sequence_net *net, size_t n)
{
    struct kl_mamba_run u = { .net = net, .a = kl_sequence_mamba_sizes(net, sizeof(kl_real)) };
    (void)n;
    return kl_sequence_mamba_lay_out(&u, NULL) * sizeof(kl_real);
}

/* Feature j, by axis and wire, as the tensor has it. */
static size_t place_of(const struct mamba *a, size_t j)
{
    const size_t n = (size_t)a->n;
    return a->interleaved ? j % n * 3 + j / n : j;
}

void kl_sequence_mamba_prepare(struct kl_mamba_run *u)
{
    const struct mamba *a = &u->a;
    const size_t n = (size_t)a->n, F = a->features, N = a->N;
    const kl_real *input = kl_sequence_mamba_of_layer(u, KL_MAMBA_INPUT),
                  *input_bias = kl_sequence_mamba_of_layer(u, KL_MAMBA_INPUT_BIAS),
                  *hidden = kl_sequence_mamba_of_layer(u, KL_MAMBA_HIDDEN),
                  *skip = kl_sequence_mamba_of_layer(u, KL_MAMBA_SKIP);
    kl_sequence_ssm_plan(
        &u->plan, u->plan_values, a->n, a->layers, kl_sequence_mamba_of_layer(u, KL_MAMBA_P),
        kl_sequence_mamba_of_layer(u, KL_MAMBA_B), kl_sequence_mamba_of_layer(u, KL_MAMBA_C),
        kl_sequence_mamba_of_layer(u, KL_MAMBA_GATE));
    for (int i = 0; i < 6; i++) u->factor[i] = *kl_sequence_mamba_of_layer(u, KL_MAMBA_FACTORS + i);
    for (size_t q = 0; q < n; q++)
        u->skip[q] = (kl_real)cos((double)skip[q]), u->skip[n + q] = (kl_real)sin((double)skip[q]);
    for (size_t i = 0; i < F; i++)
        for (size_t j = 0; j < F; j++) u->hidden[i * F + j] = hidden[i * F + place_of(a, j)];
    memcpy(u->bias, input_bias, N * sizeof *u->bias);
    if (a->lite) {
        kl_kernel_gemm(u->map, a->inputs, input, a->middle, 1, kl_sequence_mamba_tensor(u, KL_LITE_MAP),
                       a->inputs, N, a->inputs, a->middle, 0);
        kl_kernel_gemm(u->bias, 1, input, a->middle, 1, kl_sequence_mamba_tensor(u, KL_LITE_MAP_BIAS), 1,
                       N, 1, a->middle, 1);
    } else {
        memcpy(u->map, input, N * a->inputs * sizeof *u->map);
    }
    if (!u->result->grad) return;
    memset(u->G, 0, N * a->inputs * sizeof *u->G), memset(u->g, 0, N * sizeof *u->g);
    memset(u->dhidden, 0, F * F * sizeof *u->dhidden);
    memset(u->sums, 0, KL_SSM_SUMS(a->n, a->layers) * KL_MAMBA_GROUP * sizeof *u->sums);
    memset(u->norm_sums, 0, 2 * N * KL_MAMBA_GROUP * sizeof *u->norm_sums);
    memset(u->mix_sums, 0, (6 + n) * KL_MAMBA_GROUP * sizeof *u->mix_sums);
    for (int t = 0; t < u->net->block.n; t++)
        memset(kl_sequence_mamba_gradient(u, t), 0, u->net->block.tensors[t].size * sizeof(kl_real));
}

/* ---- the layer, from x (inputs, lanes) to hidden h (3 n, lanes) ---- */
static void layer_forward(struct kl_mamba_run *u)
{
    const struct mamba *a = &u->a;
    const size_t F = a->features, ld = a->ld;
    kl_kernel_layers->fill(u->z, ld, u->bias, a->N, a->lanes);
    kl_kernel_gemm(u->z, ld, u->map, a->inputs, 1, u->x, ld, a->N, a->lanes, a->inputs, 1);
    kl_kernel_ssm->embed(u->v, u->keep, u->z, ld, u->groups, a->N,
                         kl_sequence_mamba_of_layer(u, KL_MAMBA_NORM),
                         kl_sequence_mamba_of_layer(u, KL_MAMBA_NORM_BIAS));
    kl_kernel_ssm->forward(u->m, u->circuit ? u->states : NULL, u->v, ld, u->groups, &u->plan,
                           u->scratch);
    kl_kernel_ssm->mix(u->r, u->m, ld, u->groups, a->n, u->factor, u->skip);
    kl_kernel_layers->fill(u->h, ld, kl_sequence_mamba_of_layer(u, KL_MAMBA_HIDDEN_BIAS), F, a->lanes);
    kl_kernel_gemm(u->h, ld, u->hidden, F, 1, u->r, ld, F, a->lanes, F, 1);
    kl_kernel_layers->turn(NULL, 0, u->h, ld, u->h, ld, F, a->lanes);
}

/* From dh to dz, in dv, of which G and g get their share. */
static void layer_back(struct kl_mamba_run *u)
{
    const struct mamba *a = &u->a;
    const size_t F = a->features, ld = a->ld, lanes = a->lanes;
    const struct kl_layers_field field = { .blocks = 1, .rows = 1, .columns = lanes / 16 };
    kl_kernel_layers->turn(NULL, 0, u->dh, ld, u->h, ld, F, lanes);
    kl_kernel_layers->turn(u->rt, F, u->r, ld, NULL, 0, F, lanes);
    kl_kernel_gemm(u->dhidden, F, u->dh, ld, 1, u->rt, F, F, F, lanes, 1);
    kl_kernel_layers->totals(kl_sequence_mamba_layer_gradient(u, KL_MAMBA_HIDDEN_BIAS), u->dh, ld, F,
                             &field);
    kl_kernel_gemm(u->dr, ld, u->hidden, 1, F, u->dh, ld, F, lanes, F, 0);
    kl_kernel_ssm->mix_back(u->gm, u->mix_sums, u->dr, u->m, ld, u->groups, a->n, u->factor, u->skip);
    if (!u->circuit) return;
    kl_kernel_ssm->adjoint(u->dv, u->sums, u->gm, u->m, u->states, u->v, ld, u->groups, &u->plan,
                           u->scratch);
    kl_kernel_ssm->embed_back(u->dv, u->norm_sums, u->v, u->keep, u->z, ld, u->groups, a->N,
                              kl_sequence_mamba_of_layer(u, KL_MAMBA_NORM));
    kl_kernel_gemm(u->G, a->inputs, u->dv, ld, 1, u->xt, a->inputs, a->N, a->inputs, lanes, 1);
    kl_kernel_layers->totals(u->g, u->dv, ld, a->N, &field);
}

void kl_sequence_mamba_finish(struct kl_mamba_run *u)
{
    const struct mamba *a = &u->a;
    const size_t F = a->features, N = a->N;
    kl_real *hidden = kl_sequence_mamba_layer_gradient(u, KL_MAMBA_HIDDEN);
    for (size_t i = 0; i < F; i++)
        for (size_t j = 0; j < F; j++) hidden[i * F + place_of(a, j)] = u->dhidden[i * F + j];
    for (int i = 0; i < 6; i++)
        *kl_sequence_mamba_layer_gradient(u, KL_MAMBA_FACTORS + i) =
            kl_sequence_row_sum(u->mix_sums + i * KL_MAMBA_GROUP);
    if (u->net->options.frozen) return;
    for (int q = 0; q < a->n; q++)
        kl_sequence_mamba_layer_gradient(u, KL_MAMBA_SKIP)[q] =
            kl_sequence_row_sum(u->mix_sums + (6 + q) * KL_MAMBA_GROUP);
    kl_sequence_ssm_gradient(
        kl_sequence_mamba_layer_gradient(u, KL_MAMBA_P), kl_sequence_mamba_layer_gradient(u, KL_MAMBA_B),
        kl_sequence_mamba_layer_gradient(u, KL_MAMBA_C),
        kl_sequence_mamba_layer_gradient(u, KL_MAMBA_GATE), u->sums, a->n, a->layers,
        kl_sequence_mamba_of_layer(u, KL_MAMBA_P), kl_sequence_mamba_of_layer(u, KL_MAMBA_B),
        kl_sequence_mamba_of_layer(u, KL_MAMBA_C));
    for (size_t k = 0; k < N; k++) {
        kl_sequence_mamba_layer_gradient(u, KL_MAMBA_NORM)[k] =
            kl_sequence_row_sum(u->norm_sums + k * KL_MAMBA_GROUP);
        kl_sequence_mamba_layer_gradient(u, KL_MAMBA_NORM_BIAS)[k] =
            kl_sequence_row_sum(u->norm_sums + (N + k) * KL_MAMBA_GROUP);
    }
    memcpy(kl_sequence_mamba_layer_gradient(u, KL_MAMBA_INPUT_BIAS), u->g, N * sizeof *u->g);
    kl_real *input = kl_sequence_mamba_layer_gradient(u, KL_MAMBA_INPUT);
    if (!a->lite) {
        memcpy(input, u->G, N * a->inputs * sizeof *input);
        return;
    }
    const size_t middle = a->middle, inputs = a->inputs;
    const kl_real *map = kl_sequence_mamba_tensor(u, KL_LITE_MAP),
                  *bias = kl_sequence_mamba_tensor(u, KL_LITE_MAP_BIAS),
                  *second = kl_sequence_mamba_of_layer(u, KL_MAMBA_INPUT);
    for (size_t k = 0; k < N; k++)
        for (size_t j = 0; j < middle; j++) input[k * middle + j] = u->g[k] * bias[j];
    /* W_p is read alone by turn, which has no word for that */
    kl_kernel_layers->turn(u->turned, middle, (kl_real *)(uintptr_t)map, inputs, NULL, 0, middle,
                           inputs);
    kl_kernel_gemm(input, middle, u->G, inputs, 1, u->turned, middle, N, middle, inputs, 1);
    kl_kernel_gemm(kl_sequence_mamba_gradient(u, KL_LITE_MAP), inputs, second, 1, middle, u->G, inputs,
                   middle, inputs, N, 0);
    kl_kernel_gemm(kl_sequence_mamba_gradient(u, KL_LITE_MAP_BIAS), 1, second, 1, middle, u->g, 1,
                   middle, 1, N, 0);
}

/* ---- windows side by side ---- */
/* xt (lanes, inputs) of windows [first, first + count): means over time of the filtered channels, or all
 * values. */
static void gather(struct kl_mamba_run *u, size_t first, size_t count)
{
    const struct mamba *a = &u->a;
    const size_t C = u->net->shape.channels, T = u->net->shape.steps, stride = kl_sequence_stride(T);
    const struct kl_temporal_filter filter = {
        C,
        T,
        3,
        1,
        a->bare ? NULL : kl_sequence_mamba_tensor(u, KL_MAMBA_CONV),
        a->bare ? NULL : kl_sequence_mamba_tensor(u, KL_MAMBA_CONV_BIAS)
    };
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
static void scatter(struct kl_mamba_run *u, const kl_real *dxt, size_t first, size_t count)
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
        const struct kl_temporal_filter filter = { C,
                                                   T,
                                                   3,
                                                   1,
                                                   kl_sequence_mamba_tensor(u, KL_MAMBA_CONV),
                                                   kl_sequence_mamba_tensor(u, KL_MAMBA_CONV_BIAS) };
        for (size_t c = 0; by_x && c < C; c++) u->each[c] = d[c] / (kl_real)T;
        if (by_x) kl_kernel_temporal->back(by_x, NULL, NULL, &filter, x, stride, NULL, u->each, u->row);
        if (u->net->options.frozen) continue;
        kl_real *w = kl_sequence_mamba_gradient(u, KL_MAMBA_CONV),
                *b = kl_sequence_mamba_gradient(u, KL_MAMBA_CONV_BIAS);
        const kl_real *slope = u->slopes + i * 4 * C;
        for (size_t c = 0; c < C; c++) {
            for (size_t k = 0; k < 3; k++) w[3 * c + k] += d[c] * slope[4 * c + k];
            b[c] += d[c] * slope[4 * c + 3];
        }
    }
}

void kl_sequence_mamba_head(struct kl_mamba_run *u, kl_real *dht, const kl_real *ht, size_t i)
{
    const size_t F = u->a.features, K = (size_t)u->net->shape.classes;
    const kl_real *w = kl_sequence_mamba_of_layer(u, KL_MAMBA_OUT),
                  *b = kl_sequence_mamba_of_layer(u, KL_MAMBA_OUT_BIAS);
    kl_real *logits = u->result->logits + i * K, *d = u->tail;
    for (size_t k = 0; k < K; k++) {
        logits[k] = b[k];
        for (size_t j = 0; j < F; j++) logits[k] += w[k * F + j] * ht[j];
    }
    const bool drops = u->net->options.logit_dropout;
    if (drops) kl_sequence_mamba_drop(u, logits, KL_MAMBA_AT_LOGITS, (u->batch->row + i) * K, K);
    kl_sequence_loss(u->result->grad ? d : NULL, u->result, u->batch, i, (int)K);
    if (!u->result->grad) return;
    if (drops) kl_sequence_mamba_drop(u, d, KL_MAMBA_AT_LOGITS, (u->batch->row + i) * K, K);
    kl_real *dw = kl_sequence_mamba_layer_gradient(u, KL_MAMBA_OUT),
            *db = kl_sequence_mamba_layer_gradient(u, KL_MAMBA_OUT_BIAS);
    for (size_t j = 0; j < F; j++) dht[j] = 0;
    for (size_t k = 0; k < K; k++) {
        db[k] += d[k];
        for (size_t j = 0; j < F; j++) dw[k * F + j] += d[k] * ht[j], dht[j] += w[k * F + j] * d[k];
    }
}

static void windows(struct kl_mamba_run *u, size_t first, size_t count)
{
    const struct mamba *a = &u->a;
    const size_t F = a->features, ld = a->ld, lanes = a->lanes, at = (u->batch->row + first) * F;
    gather(u, first, count);
    layer_forward(u);
    kl_kernel_layers->turn(u->ht, F, u->h, ld, NULL, 0, F, lanes);
    kl_sequence_mamba_drop(u, u->ht, KL_MAMBA_AT_HIDDEN, at, count * F);
    memset(u->rt, 0, lanes * F * sizeof *u->rt);
    for (size_t i = 0; i < count; i++)
        kl_sequence_mamba_head(u, u->rt + i * F, u->ht + i * F, first + i);
    if (!u->result->grad) return;
    kl_sequence_mamba_drop(u, u->rt, KL_MAMBA_AT_HIDDEN, at, count * F);
    kl_kernel_layers->turn(u->dh, ld, u->rt, F, NULL, 0, lanes, F);
    layer_back(u);
    if (!u->circuit) return;
    kl_kernel_gemm(u->x, ld, u->map, 1, a->inputs, u->dv, ld, a->inputs, lanes, a->N, 0);
    kl_kernel_layers->turn(u->xt, a->inputs, u->x, ld, NULL, 0, a->inputs, lanes);
    scatter(u, u->xt, first, count);
}

/* ---- Lite: the steps of a window side by side ---- */
/* time (2, ld) = tau / sum of |tau|; returns that sum. */
static double weigh_time(struct kl_mamba_run *u)
{
    const size_t T = u->net->shape.steps, ld = u->a.ld;
    const kl_real *tau = kl_sequence_mamba_tensor(u, KL_LITE_TIME);
    double sum = 0;
    for (size_t t = 0; t < T; t++) sum += hypot((double)tau[2 * t], (double)tau[2 * t + 1]);
    memset(u->time, 0, 2 * ld * sizeof *u->time);
    for (size_t t = 0; t < T; t++)
        for (size_t part = 0; part < 2; part++)
            u->time[part * ld + t] = (kl_real)((double)tau[2 * t + part] / sum);
    return sum;
}

void kl_sequence_mamba_lite_head(struct kl_mamba_run *u, struct kl_mamba_lite *e, size_t i)
{
    const size_t F = u->a.features, K = (size_t)u->net->shape.classes;
    const kl_real *w = kl_sequence_mamba_of_layer(u, KL_MAMBA_OUT),
                  *b = kl_sequence_mamba_of_layer(u, KL_MAMBA_OUT_BIAS),
                  *out = kl_sequence_mamba_tensor(u, u->a.before + KL_MAMBA_LAYER),
                  *out_bias = kl_sequence_mamba_tensor(u, u->a.before + KL_MAMBA_LAYER + 1);
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

void kl_sequence_mamba_lite_head_back(struct kl_mamba_run *u, struct kl_mamba_lite *e)
{
    const size_t F = u->a.features, K = (size_t)u->net->shape.classes;
    const int output = u->a.before + KL_MAMBA_LAYER;
    const kl_real *w = kl_sequence_mamba_of_layer(u, KL_MAMBA_OUT),
                  *b = kl_sequence_mamba_of_layer(u, KL_MAMBA_OUT_BIAS),
                  *out = kl_sequence_mamba_tensor(u, output);
    kl_real *dw = kl_sequence_mamba_layer_gradient(u, KL_MAMBA_OUT),
            *db = kl_sequence_mamba_layer_gradient(u, KL_MAMBA_OUT_BIAS),
            *dout = kl_sequence_mamba_gradient(u, output),
            *dout_bias = kl_sequence_mamba_gradient(u, output + 1);
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

static void lite_window(struct kl_mamba_run *u, struct kl_mamba_lite *e, size_t i)
{
    const struct mamba *a = &u->a;
    const size_t C = a->inputs, stride = a->lanes, F = a->features, ld = a->ld;
    const struct kl_layers_field field = { .blocks = 1, .rows = 1, .columns = a->lanes / 16 };
    int32_t rows[3 * KL_SSM_MOST_QUBITS];
    for (size_t j = 0; j < F; j++) rows[j] = (int32_t)(j * ld);
    for (size_t c = 0; c < C; c++) {
        memcpy(u->x + c * ld, u->batch->x + (i * C + c) * stride, stride * sizeof *u->x);
        kl_sequence_mamba_drop(u, u->x + c * ld, KL_MAMBA_AT_INPUT,
                               ((u->batch->row + i) * C + c) * stride, stride);
    }
    layer_forward(u);
    memset(e->H, 0, 2 * F * sizeof *e->H);
    kl_kernel_layers->dots(e->H, F, u->time, ld, u->h, rows, 2, F, &field);
    kl_sequence_mamba_lite_head(u, e, i);
    if (!u->result->grad) return;
    kl_sequence_mamba_lite_head_back(u, e);
    kl_kernel_gemm(u->dtime, ld, e->gH, F, 1, u->h, ld, 2, a->lanes, F, 1);
    kl_kernel_gemm(u->dh, ld, e->gH, 1, F, u->time, ld, F, a->lanes, 2, 0);
    if (u->circuit) kl_kernel_layers->turn(u->xt, C, u->x, ld, NULL, 0, C, a->lanes);
    layer_back(u);
    if (!u->result->by_x) return;
    kl_kernel_gemm(u->x, ld, u->map, 1, C, u->dv, ld, C, a->lanes, a->N, 0);
    for (size_t c = 0; c < C; c++) {
        kl_sequence_mamba_drop(u, u->x + c * ld, KL_MAMBA_AT_INPUT,
                               ((u->batch->row + i) * C + c) * stride, stride);
        memcpy(u->result->by_x + (i * C + c) * stride, u->x + c * ld, stride * sizeof *u->x);
    }
}

double kl_sequence_mamba_lite_begin(struct kl_mamba_run *u, struct kl_mamba_lite *e)
{
    const size_t F = u->a.features, T = u->net->shape.steps, ld = u->a.ld;
    const double whole = weigh_time(u);
    *e = (struct kl_mamba_lite){ .U = u->tail,
                                 .size = u->tail + 2 * F,
                                 .H = u->tail + 5 * F,
                                 .gH = u->tail + 7 * F,
                                 .d = u->tail + 9 * F };
    memset(u->dtime, 0, 2 * ld * sizeof *u->dtime);
    for (size_t part = 0; part < 2; part++)
        for (size_t t = 0; t < T; t++) e->sums[part] += u->time[part * ld + t];
    return whole;
}

void kl_sequence_mamba_lite_end(struct kl_mamba_run *u, const struct kl_mamba_lite *e, double whole)
{
    const size_t T = u->net->shape.steps, ld = u->a.ld;
    const kl_real *tau = kl_sequence_mamba_tensor(u, KL_LITE_TIME);
    kl_real *to = kl_sequence_mamba_gradient(u, KL_LITE_TIME);
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

static void lite(struct kl_mamba_run *u)
{
    struct kl_mamba_lite e;
    const double whole = kl_sequence_mamba_lite_begin(u, &e);
    for (size_t i = 0; i < u->batch->n; i++) lite_window(u, &e, i);
    if (u->result->grad) kl_sequence_mamba_lite_end(u, &e, whole);
}

void kl_sequence_mamba_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                           const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    struct kl_mamba_run u = { .a = kl_sequence_mamba_sizes(net, sizeof(kl_real)),
                              .net = net,
                              .params = params,
                              .batch = batch,
                              .result = result };
    u.circuit = result->grad && (!net->options.frozen || result->by_x);
    result->loss = 0, result->correct = 0;
    kl_sequence_mamba_lay_out(&u, work);
    kl_sequence_mamba_prepare(&u);
    if (u.a.lite) lite(&u);
    for (size_t i = 0; !u.a.lite && i < batch->n; i += u.a.lanes)
        windows(&u, i, batch->n - i < u.a.lanes ? batch->n - i : u.a.lanes);
    if (result->grad) kl_sequence_mamba_finish(&u);
}
