/* SPDX-License-Identifier: MIT
   The workspace of a network for one thread: matrices of its dense layers, maps of its convolutions. */
#include <string.h>

#include "kernels/inline/real.h"
#include "sampling/model/model_int.h"

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
