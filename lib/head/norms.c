/* SPDX-License-Identifier: MIT
   Norms of gradients while a head is trained: of every linear layer and every layer of the ansatz. */
#include <math.h>
#include <string.h>

#include "head/part.h"
#include "head/train_int.h"

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
        for (size_t i = kl_head_layer_parts(model, k); i > 0; i--) sum += *squares++;
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
