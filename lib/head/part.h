/* SPDX-License-Identifier: MIT
   Private to lib/head/: the parameters in parts (part.c). */
#ifndef KL_HEAD_PART_H
#define KL_HEAD_PART_H

#include "head/head.h"

/* Part i of the parameters that train: strips [from, to) of a layer's weight, or a bias, or the
   circuit's weights. A frozen circuit's are no part, so nothing updates them. */
struct kl_head_part {
    enum { KL_PART_WEIGHT, KL_PART_BIAS, KL_PART_CIRCUIT } kind;
    enum kl_head_chain { KL_CHAIN_REDUCE, KL_CHAIN_TWIN, KL_CHAIN_HEAD } chain;
    int layer; /* of the chain */
    size_t from, to;
    size_t offset, size; /* in the block */
};
size_t kl_head_n_parts(const struct kl_head_model *model);
struct kl_head_part kl_head_part(const struct kl_head_model *model, size_t i);
/* Parts of linear layer k of all; those of layer 0 come first, the circuit's is the last. */
size_t kl_head_layer_parts(const struct kl_head_model *model, int k);

#endif
