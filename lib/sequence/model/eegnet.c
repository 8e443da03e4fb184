/* SPDX-License-Identifier: MIT
   EEGNet (Lawhern et al. 2018, doi:10.1088/1741-2552/aace8c) as braindecode 1.8.1 has it: its sizes,
   tensors and first values. */

#include <math.h>
#include <stdlib.h>

#include "sequence/model/model_int.h"

enum { FILTERS = 8, DEPTH = 2, TAPS = 64, MOST_TAPS = 1024 };

static size_t behind(size_t steps, size_t taps)
{
    const size_t padded = steps + taps / 2 * 2;
    return padded < taps ? 0 : padded - taps + 1;
}

static int measure(struct kl_eegnet *e, const struct kl_sequence_net *net, struct kl_error *err)
{
    const struct kl_sequence_model_options *o = &net->options;
    if (o->filters < 0 || o->filters > 1024 || o->spatial < 0 || o->spatial > 64 || o->taps < 0 ||
        o->taps > MOST_TAPS)
        return kl_fail(err, KL_EUSAGE,
                       "eegnet: %d filters, %d spatial ones each, %d taps; expected at most 1024, 64 "
                       "and %d",
                       o->filters, o->spatial, o->taps, MOST_TAPS);
    *e = (struct kl_eegnet){ .filters = o->filters ? (size_t)o->filters : FILTERS,
                             .depth = o->spatial ? (size_t)o->spatial : DEPTH,
                             .taps = o->taps ? (size_t)o->taps : TAPS,
                             .channels = net->shape.channels,
                             .steps = net->shape.steps,
                             .stride = kl_sequence_stride(net->shape.steps),
                             .classes = net->shape.classes };
    e->pad = e->taps / 2;
    e->outputs = e->filters * e->depth;
    e->blocks = (e->outputs + KL_EEGNET_SIDE - 1) / KL_EEGNET_SIDE;
    e->lanes = e->blocks * KL_EEGNET_SIDE;
    e->filtered = behind(e->steps, e->taps);
    e->pooled = e->filtered / KL_EEGNET_POOL;
    e->again = behind(e->pooled, KL_EEGNET_DEPTH_TAPS);
    e->last = e->again / KL_EEGNET_LAST_POOL;
    const size_t edge = (e->taps - 1 - e->pad + 15) / 16 * 16;
    e->edge = edge < e->steps ? edge : e->steps;
    size_t least = 1;
    while (behind(behind(least, e->taps) / KL_EEGNET_POOL, KL_EEGNET_DEPTH_TAPS) < KL_EEGNET_LAST_POOL ||
           behind(least, e->taps) / KL_EEGNET_POOL == 0)
        least++;
    if (e->steps < least || e->channels == 0)
        return kl_fail(err, KL_EUSAGE,
                       "eegnet: windows of %zu channels and %zu steps; with %zu taps it needs a channel "
                       "and %zu steps",
                       e->channels, e->steps, e->taps, least);
    return 0;
}

static int add(int *number, struct kl_sequence_net *net, const char *name, int rank, size_t a, size_t b,
               size_t c, size_t d, struct kl_error *err)
{
    *number = kl_nn_block_add_tensor(&net->block, name, rank, (size_t[]){ a, b, c, d }, err);
    return *number < 0 ? *number : 0;
}

static int add_tensors(struct kl_sequence_net *net, struct kl_eegnet *e, struct kl_error *err)
{
    const size_t o = e->outputs, k = (size_t)e->classes;
    int code = add(&e->temporal, net, "conv_temporal.weight", 4, e->filters, 1, 1, e->taps, err);
    if (!code) code = kl_sequence_norm_add(&e->first, net, "bnorm_temporal", e->filters, false, err);
    if (!code)
        code = add(&e->spatial, net, "conv_spatial.parametrizations.weight.original", 4, o, 1,
                   e->channels, 1, err);
    if (!code) code = kl_sequence_norm_add(&e->second, net, "bnorm_1", o, false, err);
    if (!code)
        code = add(&e->depthwise, net, "conv_separable_depth.weight", 4, o, 1, 1, KL_EEGNET_DEPTH_TAPS,
                   err);
    if (!code) code = add(&e->pointwise, net, "conv_separable_point.weight", 4, o, o, 1, 1, err);
    if (!code) code = kl_sequence_norm_add(&e->third, net, "bnorm_2", o, false, err);
    if (!code)
        code = add(&e->weight, net, "final_layer.conv_classifier.weight", 4, k, o, 1, e->last, err);
    if (!code) code = add(&e->bias, net, "final_layer.conv_classifier.bias", 1, k, 1, 1, 1, err);
    net->first_state = net->block.n;
    for (int i = 0; i < net->block.n; i++) net->n_parameters += net->block.tensors[i].size;
    if (!code) code = kl_sequence_norm_add(&e->first, net, "bnorm_temporal", e->filters, true, err);
    if (!code) code = kl_sequence_norm_add(&e->second, net, "bnorm_1", o, true, err);
    if (!code) code = kl_sequence_norm_add(&e->third, net, "bnorm_2", o, true, err);
    return code;
}

static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    struct kl_eegnet e;
    int code = measure(&e, net, err);
    if (!code) code = add_tensors(net, &e, err);
    if (code) return code;
    struct kl_eegnet *own = net->own = malloc(sizeof *own);
    if (!own) return kl_fail(err, KL_ENOMEM, "no memory for a net");
    *own = e;
    return 0;
}

static void close_net(struct kl_sequence_net *net)
{
    free(net->own);
}

/* As braindecode begins: PyTorch's default, uniform within 1 / sqrt(inputs), biases 0; the spatial
   filters as Glorot and Bengio (2010) do. */
static void init(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica)
{
    const struct kl_eegnet *e = net->own;
    const struct kl_tensor *t = net->block.tensors;
    const struct {
        int tensor;
        double inputs;
    } plain[] = { { e->temporal, (double)e->taps },
                  { e->depthwise, KL_EEGNET_DEPTH_TAPS },
                  { e->pointwise, (double)e->outputs },
                  { e->weight, (double)(e->outputs * e->last) } };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        kl_sequence_start(params, &t[plain[i].tensor], -1 / sqrt(plain[i].inputs),
                          1 / sqrt(plain[i].inputs), seed, plain[i].tensor, replica);
    const double bound = sqrt(6 / (double)(e->channels * (1 + e->outputs)));
    kl_sequence_start(params, &t[e->spatial], -bound, bound, seed, e->spatial, replica);
    kl_sequence_norm_init(params, net, &e->first);
    kl_sequence_norm_init(params, net, &e->second);
    kl_sequence_norm_init(params, net, &e->third);
}

const struct kl_sequence_model kl_sequence_eegnet = {
    .name = "eegnet",
    .what = "EEGNet: filters in time and space, then separable ones (Lawhern et al. 2018)",
    .whole_batch = true,
    .open = open_net,
    .close = close_net,
    .init = init,
    KL_SEQUENCE_PASSES(eegnet),
};
