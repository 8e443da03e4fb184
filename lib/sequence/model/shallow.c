/* SPDX-License-Identifier: MIT
   ShallowFBCSPNet (Schirrmeister et al. 2017, doi:10.1002/hbm.23730) as braindecode 1.8.1 has it: its
   sizes, tensors and first values. */

#include <math.h>
#include <stdlib.h>

#include "sequence/model/model_int.h"

enum { FILTERS = 40, OUTPUTS = 40, TAPS = 25, MOST = 1024 };

static int measure(struct kl_fbcsp *s, const struct kl_sequence_net *net, struct kl_error *err)
{
    const struct kl_sequence_model_options *o = &net->options;
    if (o->filters < 0 || o->filters > MOST || o->spatial < 0 || o->spatial > MOST || o->taps < 0 ||
        o->taps > MOST)
        return kl_fail(err, KL_EUSAGE,
                       "shallow: %d filters in time, %d in space, %d taps; expected at most %d of each",
                       o->filters, o->spatial, o->taps, MOST);
    *s = (struct kl_fbcsp){ .filters = o->filters ? (size_t)o->filters : FILTERS,
                            .outputs = o->spatial ? (size_t)o->spatial : OUTPUTS,
                            .taps = o->taps ? (size_t)o->taps : TAPS,
                            .channels = net->shape.channels,
                            .steps = net->shape.steps,
                            .stride = kl_sequence_stride(net->shape.steps),
                            .classes = net->shape.classes };
    const size_t least = s->taps - 1 + KL_FBCSP_POOL;
    if (s->steps < least || s->channels == 0)
        return kl_fail(
            err, KL_EUSAGE,
            "shallow: windows of %zu channels and %zu steps, expected a channel and %zu steps (%zu "
            "taps less one, %d that it takes means of); cut longer windows, or give fewer --taps",
            s->channels, s->steps, least, s->taps, KL_FBCSP_POOL);
    if (s->steps > ((size_t)1 << 28) / s->channels)
        return kl_fail(
            err, KL_EUSAGE,
            "shallow: windows of %zu channels and %zu steps, expected at most %zu numbers; cut "
            "shorter windows, or at a lower --rate",
            s->channels, s->steps, (size_t)1 << 28);
    s->filtered = s->steps - s->taps + 1;
    s->room = (s->filtered + 15) / 16 * 16;
    s->pooled = (s->filtered - KL_FBCSP_POOL) / KL_FBCSP_STEP + 1;
    return 0;
}

static int add(int *number, struct kl_sequence_net *net, const char *name, int rank, size_t a, size_t b,
               size_t c, size_t d, struct kl_error *err)
{
    *number = kl_nn_block_add_tensor(&net->block, name, rank, (size_t[]){ a, b, c, d }, err);
    return *number < 0 ? *number : 0;
}

static int add_tensors(struct kl_sequence_net *net, struct kl_fbcsp *s, struct kl_error *err)
{
    const size_t k = (size_t)s->classes;
    int code = add(&s->time, net, "conv_time_spat.conv_time.weight", 4, s->filters, 1, s->taps, 1, err);
    if (!code)
        code = add(&s->time_bias, net, "conv_time_spat.conv_time.bias", 1, s->filters, 1, 1, 1, err);
    if (!code)
        code = add(&s->space, net, "conv_time_spat.conv_spat.weight", 4, s->outputs, s->filters, 1,
                   s->channels, err);
    if (!code) code = kl_sequence_norm_add(&s->norm, net, "bnorm", s->outputs, false, err);
    if (!code)
        code = add(&s->weight, net, "final_layer.conv_classifier.weight", 4, k, s->outputs, s->pooled, 1,
                   err);
    if (!code) code = add(&s->bias, net, "final_layer.conv_classifier.bias", 1, k, 1, 1, 1, err);
    net->first_state = net->block.n;
    for (int i = 0; i < net->block.n; i++) net->n_parameters += net->block.tensors[i].size;
    if (!code) code = kl_sequence_norm_add(&s->norm, net, "bnorm", s->outputs, true, err);
    return code;
}

static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    struct kl_fbcsp s;
    int code = measure(&s, net, err);
    if (!code) code = add_tensors(net, &s, err);
    if (code) return code;
    struct kl_fbcsp *own = net->own = malloc(sizeof *own);
    if (!own) return kl_fail(err, KL_ENOMEM, "no memory for a net");
    *own = s;
    return 0;
}

static void close_net(struct kl_sequence_net *net)
{
    free(net->own);
}

/* Glorot and Bengio's uniform values (2010) for weights, 0 for biases. */
static void init(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica)
{
    const struct kl_fbcsp *s = net->own;
    const int weights[] = { s->time, s->space, s->weight };
    for (int i = 0; i < 3; i++) {
        const struct kl_tensor *t = &net->block.tensors[weights[i]];
        const double field = (double)(t->dims[2] * t->dims[3]),
                     bound = sqrt(6 / (field * (double)(t->dims[0] + t->dims[1])));
        kl_sequence_start(params, t, -bound, bound, seed, weights[i], replica);
    }
    kl_sequence_norm_init(params, net, &s->norm);
}

const struct kl_sequence_model kl_sequence_shallow = {
    .name = "shallow",
    .what = "ShallowFBCSPNet: logarithms of filtered signals' power (Schirrmeister et al. 2017)",
    .whole_batch = true,
    .open = open_net,
    .close = close_net,
    .init = init,
    KL_SEQUENCE_PASSES(shallow),
};
