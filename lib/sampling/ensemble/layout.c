/* SPDX-License-Identifier: MIT
   Which parameters of a head are sampled: their places in the head's block, in the order of files, and
   their priors. */
#include "sampling/ensemble/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void kl_sampling_head_prior_default(struct kl_sampling_head_prior *prior)
{
    *prior = (struct kl_sampling_head_prior){ .sigma = 1, .angles = M_PI, .scales = 1 };
}

/* What is being laid out. */
struct building {
    struct kl_sampling_layout *to;
    const struct kl_head_model *model;
    const struct kl_sampling_head_prior *prior;
    bool *absent; /* (block.size) entries that a twin does not have */
};

static void add_tensor(struct building *b, const struct kl_tensor *t, size_t first, size_t fan_in,
                       double sigma)
{
    struct kl_sampling_layout *to = b->to;
    struct kl_sampling_slice *s = &to->slices[to->n_slices++];
    *s = (struct kl_sampling_slice){
        .offset = first, .size = to->size - first, .fan_in = fan_in, .sigma = sigma
    };
    memcpy(s->name, t->name, sizeof s->name);
    for (size_t i = first; i < to->size; i++) to->scale[i] = (float)sigma;
    const bool whole = s->size == t->size;
    s->rank = whole ? t->rank : 1;
    for (int d = 0; d < 4; d++) s->dims[d] = whole ? t->dims[d] : d ? 1 : s->size;
}

/* The entries of a weight or a bias that there are; returns how many. */
static size_t add_entries(struct building *b, const struct kl_tensor *t)
{
    struct kl_sampling_layout *to = b->to;
    const size_t before = to->size;
    for (size_t i = 0; i < t->dims[0]; i++)
        for (size_t j = 0; j < t->dims[1]; j++) {
            const size_t at = t->offset + kl_nn_tensor_index(t, i, j);
            if (!b->absent[at]) to->index[to->size++] = at;
        }
    return to->size - before;
}

/* The bias has the weight's prior, as in torch's Linear. */
static void add_layer(struct building *b, const struct kl_layer *l)
{
    const struct kl_tensor *weight = &b->model->block.tensors[l->weight],
                           *bias = &b->model->block.tensors[l->bias];
    const size_t first = b->to->size, n = add_entries(b, weight), fan_in = (n + l->d_out - 1) / l->d_out;
    const double sigma =
        b->prior->flat ? b->prior->sigma : b->prior->sigma / sqrt((double)(fan_in ? fan_in : 1));
    if (n) add_tensor(b, weight, first, fan_in, sigma);
    if (add_entries(b, bias)) add_tensor(b, bias, first + n, fan_in, sigma);
}

/* Angles and learnable scales, which may alternate: a tensor for each run of one kind. */
static void add_circuit(struct building *b)
{
    const struct kl_circuit *c = b->model->circuit;
    const struct kl_tensor *t = &b->model->block.tensors[b->model->vqc];
    for (size_t w = 0; w < c->n_weights;) {
        const size_t first = b->to->size;
        const bool scale = kl_circuit_is_scale(c, w);
        for (; w < c->n_weights && kl_circuit_is_scale(c, w) == scale; w++)
            b->to->index[b->to->size++] = t->offset + kl_nn_tensor_index(t, w, 0);
        add_tensor(b, t, first, 1, scale ? b->prior->scales : b->prior->angles);
    }
}

/* The reverse of what kl_head_twin_mask keeps. */
static void mark_absent(struct building *b)
{
    const struct kl_head_model *m = b->model;
    for (int i = 0; i < m->n_twin; i++) {
        const struct kl_layer *l = &m->twin[i];
        const struct kl_tensor *w = &m->block.tensors[l->weight], *bias = &m->block.tensors[l->bias];
        for (size_t k = m->shape.weights[i]; k < l->d_in * l->d_out; k++) {
            size_t row, column;
            kl_head_twin_entry(&row, &column, k, l->d_out, l->d_in);
            b->absent[w->offset + kl_nn_tensor_index(w, row, column)] = true;
        }
        for (size_t k = m->shape.biases[i]; k < l->d_out; k++)
            b->absent[bias->offset + kl_nn_tensor_index(bias, k, 0)] = true;
    }
}

static int check(const struct kl_head_model *model, enum kl_sampling_part part,
                 const struct kl_sampling_head_prior *p, struct kl_error *err)
{
    if (!(p->sigma > 0) || !(p->angles > 0) || !(p->scales > 0) ||
        !isfinite(p->sigma + p->angles + p->scales))
        return kl_fail(err, KL_EUSAGE,
                       "deviations of the prior: found %g, %g of angles and %g of scales, expected "
                       "positive numbers",
                       p->sigma, p->angles, p->scales);
    if (part == KL_SAMPLING_CORE && model->options.core != KL_CORE_CIRCUIT &&
        model->options.core != KL_CORE_TWIN)
        return kl_fail(
            err, KL_EUSAGE,
            "the head's core is '%s', which has nothing to sample; take --parameters all or head",
            kl_core_names[model->options.core]);
    return KL_OK;
}

int kl_sampling_layout_make(struct kl_sampling_layout *layout, const struct kl_head_model *model,
                            enum kl_sampling_part part, const struct kl_sampling_head_prior *prior,
                            struct kl_error *err)
{
    *layout = (struct kl_sampling_layout){ 0 };
    int code = check(model, part, prior, err);
    if (code) return code;
    const size_t size = model->block.size, runs = model->circuit ? model->circuit->n_weights : 0,
                 tensors = (size_t)model->block.n + runs;
    struct building b = { layout, model, prior, calloc(size, sizeof *b.absent) };
    layout->index = malloc(size * sizeof *layout->index);
    layout->scale = malloc(size * sizeof *layout->scale);
    layout->slices = calloc(tensors, sizeof *layout->slices);
    if (!b.absent || !layout->index || !layout->scale || !layout->slices) {
        free(b.absent);
        return kl_fail_memory(err, size * sizeof *layout->index);
    }
    mark_absent(&b);
    for (int i = 0; part == KL_SAMPLING_ALL && i < model->n_reduce; i++)
        add_layer(&b, &model->reduce[i]);
    if (part != KL_SAMPLING_CLASSIFIER && model->options.core == KL_CORE_CIRCUIT) add_circuit(&b);
    for (int i = 0; part != KL_SAMPLING_CLASSIFIER && i < model->n_twin; i++)
        add_layer(&b, &model->twin[i]);
    for (int i = 0; part != KL_SAMPLING_CORE && i < model->n_head; i++) add_layer(&b, &model->head[i]);
    free(b.absent);
    return KL_OK;
}

void kl_sampling_layout_free(struct kl_sampling_layout *layout)
{
    free(layout->index);
    free(layout->scale);
    free(layout->slices);
    *layout = (struct kl_sampling_layout){ 0 };
}
