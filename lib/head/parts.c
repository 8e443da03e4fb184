/* SPDX-License-Identifier: MIT
   The parameters in parts, for threads that share a step: large weights in several, all else whole;
   norms of gradients, of every linear layer and every layer of the ansatz. */
#include "head/head_int.h"

#include <math.h>
#include <string.h>

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

/* Parts of linear layer k of all; those of layer 0 come first, the circuit's is the last. */
static size_t layer_parts(const struct kl_head_model *model, int k)
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

/* ---- norms ----
   Norms of gradients while a head is trained: of every linear layer and every layer of the ansatz. */

/* Groups of the circuit. */
static size_t n_circuit(const struct kl_head_model *model)
{
    if (model->options.core != KL_CORE_CIRCUIT) return 0;
    return model->circuit->n_layers ? model->circuit->n_layers : 1;
}

/* Weights [*begin, *end) of the circuit are its group l. */
static void circuit_group(size_t *begin, size_t *end, const struct kl_head_model *model, size_t l)
{
    const struct kl_circuit *c = model->circuit;
    *begin = l ? c->layer_ends[l - 1] : 0;
    *end = c->n_layers ? c->layer_ends[l] : c->n_weights;
}

size_t kl_head_n_groups(const struct kl_head_model *model)
{
    return (size_t)(model->n_reduce + model->n_twin + model->n_head) + n_circuit(model);
}

void kl_head_group_name(char name[KL_GROUP_NAME], const struct kl_head_model *model, size_t group)
{
    const struct {
        const char *name;
        size_t n;
    } chains[] = { { "reduce", (size_t)model->n_reduce },
                   { "twin", (size_t)model->n_twin },
                   { "circuit", n_circuit(model) },
                   { "head", (size_t)model->n_head } };
    size_t i = 0;
    for (; group >= chains[i].n; i++) group -= chains[i].n;
    memset(name, 0, KL_GROUP_NAME);
    snprintf(name, KL_GROUP_NAME, "%s.%zu", chains[i].name, group);
}

void kl_head_norms_add(double *sums, const struct kl_head_model *model, const double *squares,
                       const float *grad)
{
    const int before = model->n_reduce + model->n_twin;
    double *to = sums + KL_HEAD_NORMS;
    for (int k = 0; k < before + model->n_head; k++) {
        double sum = 0;
        for (size_t i = layer_parts(model, k); i > 0; i--) sum += *squares++;
        if (k == before) to += n_circuit(model);
        *to++ += sqrt(sum);
    }
    const float *circuit = model->vqc < 0 ? NULL : grad + model->block.tensors[model->vqc].offset;
    to = sums + KL_HEAD_NORMS + before;
    for (size_t l = 0; l < n_circuit(model); l++) {
        size_t begin, end;
        circuit_group(&begin, &end, model, l);
        double sum = 0;
        for (size_t i = begin; i < end; i++) sum += (double)circuit[i] * (double)circuit[i];
        to[l] += sqrt(sum);
    }
}

void kl_head_norms_end(double *norms, const struct kl_head_train *train, const double *sums)
{
    const struct kl_head_model *whole = train->whole, *now = train->model;
    for (size_t g = 0; g < kl_head_n_groups(whole); g++)
        norms[g] = sums[KL_HEAD_NORMS + g] / (double)train->learner.steps_per_epoch;
    norms += whole->n_reduce + whole->n_twin;
    for (size_t l = 0; now != whole && l < n_circuit(whole); l++) {
        size_t begin, end;
        circuit_group(&begin, &end, whole, l);
        if (end > now->circuit->n_weights) norms[l] = NAN; /* not there yet */
    }
}
