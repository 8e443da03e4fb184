/* SPDX-License-Identifier: MIT
   The parameters in parts, for threads that share a step: large weights in several, all else whole. */
#include "head/part.h"

enum { PART_SIZE = 1 << 14 }; /* values: with moments and gradient a quarter of a megabyte */

static size_t strips(const struct kl_layer *l)
{
    return (l->d_out + KL_STRIP - 1) / KL_STRIP;
}

static size_t weight_parts(const struct kl_layer *l)
{
    size_t n = l->d_in * l->d_out / PART_SIZE;
    return n < 1 ? 1 : n < strips(l) ? n : strips(l);
}

static bool trains_circuit(const struct kl_head_model *model)
{
    return model->options.core == KL_CORE_CIRCUIT;
}

size_t kl_head_n_parts(const struct kl_head_model *model)
{
    size_t n = trains_circuit(model);
    for (int i = 0; i < model->n_reduce; i++) n += weight_parts(&model->reduce[i]) + 1;
    for (int i = 0; i < model->n_twin; i++) n += weight_parts(&model->twin[i]) + 1;
    for (int i = 0; i < model->n_head; i++) n += weight_parts(&model->head[i]) + 1;
    return n;
}

static struct kl_head_part whole(const struct kl_head_model *model, int kind, int tensor)
{
    const struct kl_tensor *t = &model->block.tensors[tensor];
    return (struct kl_head_part){ .kind = kind, .offset = t->offset, .size = t->size };
}

/* Layer k of all: its chain, and its number there. */
static const struct kl_layer *layer_at(enum kl_head_chain *chain, int *number,
                                       const struct kl_head_model *model, int k)
{
    *number = k;
    *chain = KL_CHAIN_REDUCE;
    if (*number < model->n_reduce) return &model->reduce[*number];
    *number -= model->n_reduce;
    *chain = KL_CHAIN_TWIN;
    if (*number < model->n_twin) return &model->twin[*number];
    *number -= model->n_twin;
    *chain = KL_CHAIN_HEAD;
    return &model->head[*number];
}

size_t kl_head_layer_parts(const struct kl_head_model *model, int k)
{
    enum kl_head_chain chain;
    int number;
    return weight_parts(layer_at(&chain, &number, model, k)) + 1;
}

struct kl_head_part kl_head_part(const struct kl_head_model *model, size_t i)
{
    for (int k = 0; k < model->n_reduce + model->n_twin + model->n_head; k++) {
        enum kl_head_chain chain;
        int number;
        const struct kl_layer *l = layer_at(&chain, &number, model, k);
        size_t parts = weight_parts(l);
        struct kl_head_part p =
            whole(model, i < parts ? KL_PART_WEIGHT : KL_PART_BIAS, i < parts ? l->weight : l->bias);
        p.chain = chain;
        p.layer = number;
        if (i < parts) {
            p.from = strips(l) * i / parts;
            p.to = strips(l) * (i + 1) / parts;
            const size_t end = p.to * KL_STRIP < l->d_out ? p.to * KL_STRIP : l->d_out;
            p.offset += p.from * KL_STRIP * l->d_in;
            p.size = (end - p.from * KL_STRIP) * l->d_in;
        }
        if (i <= parts) return p;
        i -= parts + 1;
    }
    return whole(model, KL_PART_CIRCUIT, model->vqc);
}
