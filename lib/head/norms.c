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

static double *row(const struct kl_crew *crew)
{
    return crew->replica->norms + (size_t)crew->train->epoch * kl_head_n_groups(crew->train->whole);
}

void kl_train_norms_begin(const struct kl_crew *crew)
{
    memset(row(crew), 0, kl_head_n_groups(crew->train->whole) * sizeof(double));
}

void kl_train_norms_add(const struct kl_crew *crew, const double *squares, const float *grad)
{
    const struct kl_head_model *model = crew->train->whole;
    const int before = model->n_reduce + model->n_twin;
    double *to = row(crew);
    for (int k = 0; k < before + model->n_head; k++) {
        double sum = 0;
        for (size_t i = kl_head_layer_parts(model, k); i > 0; i--) sum += *squares++;
        if (k == before) to += n_circuit(model);
        *to++ += sqrt(sum);
    }
    const float *circuit = model->vqc < 0 ? NULL : grad + model->block.tensors[model->vqc].offset;
    to = row(crew) + before;
    for (size_t l = 0; l < n_circuit(model); l++) {
        size_t begin, end;
        circuit_group(&begin, &end, model, l);
        double sum = 0;
        for (size_t i = begin; i < end; i++) sum += (double)circuit[i] * (double)circuit[i];
        to[l] += sqrt(sum);
    }
}

void kl_train_norms_end(const struct kl_crew *crew)
{
    const struct kl_head_model *whole = crew->train->whole, *now = crew->train->model;
    double *to = row(crew);
    for (size_t g = 0; g < kl_head_n_groups(whole); g++) to[g] /= (double)crew->train->steps_per_epoch;
    to += whole->n_reduce + whole->n_twin;
    for (size_t l = 0; now != whole && l < n_circuit(whole); l++) {
        size_t begin, end;
        circuit_group(&begin, &end, whole, l);
        if (end > now->circuit->n_weights) to[l] = NAN; /* not there yet */
    }
}
