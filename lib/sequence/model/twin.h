/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: of what a twin consists. */
#ifndef KL_SEQUENCE_TWIN_H
#define KL_SEQUENCE_TWIN_H

#include "sequence/model/model.h"

/* y = W x + b of columns; tensors of the block. */
struct kl_twin_linear {
    int weight, bias;
    size_t in, out;
};
enum kl_twin_front { KL_TWIN_STEPS, KL_TWIN_DEPTHWISE, KL_TWIN_DENSE };
enum kl_twin_readout { KL_TWIN_ONE, KL_TWIN_BRANCHES, KL_TWIN_RELU };
enum kl_twin_time { KL_TWIN_COMPLEX, KL_TWIN_SOFTMAX, KL_TWIN_POOLED };
enum { KL_TWIN_CONV = 64, KL_TWIN_TAPS = 3 }; /* outputs of the dense convolution */
struct kl_twin_net {
    enum kl_twin_front front;
    enum kl_twin_readout readout;
    enum kl_twin_time time;
    bool bare;     /* the layer alone: the flattened window is one column of as many channels */
    bool norm;     /* layer norm behind the last projection */
    bool reversed; /* branch 2 has the features backwards; else constants of its own */
    size_t channels, steps, stride, columns, ld, features; /* columns: steps, or 1 behind a pool */
    int classes, n_linear;
    /* in this order, those that there are: project, angles; then read, read_more; then classify */
    struct kl_twin_linear linear[6];
    int project, angles, read, again, classify; /* of linear, -1: none */
    size_t inputs, n_weights, n_biases;         /* of the map: features = tanh(M inputs + b) */
    int map, map_bias, conv, conv_bias, gain, shift, branches, branch_biases, mix, constants, tau;
};
/* Entry e of the map stands at row, column and is value `param` of the weights. Diagonals, each through
   every input (or, of fewer inputs than features, every feature); where the weights do not suffice for
   the first one, they repeat. */
static inline size_t kl_sequence_twin_entries(const struct kl_twin_net *t)
{
    const size_t whole = t->inputs > t->features ? t->inputs : t->features;
    return t->n_weights < whole ? whole : t->n_weights;
}
static inline void kl_sequence_twin_entry(const struct kl_twin_net *t, size_t e, size_t *row,
                                          size_t *column, size_t *param)
{
    const size_t whole = t->inputs > t->features ? t->inputs : t->features, at = e % whole,
                 diagonal = e / whole;
    *row = t->inputs < t->features ? at : (at + diagonal) % t->features;
    *column = t->inputs < t->features ? (at + diagonal) % t->inputs : at;
    *param = e % t->n_weights;
}

#endif
