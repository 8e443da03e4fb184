/* SPDX-License-Identifier: MIT
   The layout of a head: which tensors, which layers, which circuit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/head.h"

void kl_head_options_default(struct kl_head_options *o)
{
    *o = (struct kl_head_options){ .n_reduction = 2,
                                   .n_classifier = 1,
                                   .reduction = { 128, 32 },
                                   .classifier = { 16 },
                                   .dropout = 0.2,
                                   .weight_scale = 0.01 };
    kl_circuit_options_default(&o->circuit);
}

int kl_head_widths(int64_t widths[KL_MAX_WIDTHS], int *n, const char *text, const char *option,
                   struct kl_error *err)
{
    *n = 0;
    if (text[0] == 0 || strcmp(text, "none") == 0) return 0;
    for (const char *at = text;; at++) {
        char *end;
        long long width = strtoll(at, &end, 10);
        if (end == at || width < 1 || width > 65536 || (*end && *end != ','))
            return kl_fail(err, KL_EUSAGE,
                           "--%s: \"%s\" is no list of widths from 1 to 65536; write it as 128,32",
                           option, text);
        if (*n == KL_MAX_WIDTHS)
            return kl_fail(err, KL_EUSAGE, "--%s: at most %d hidden layers", option, KL_MAX_WIDTHS);
        widths[(*n)++] = width;
        if (!*end) return 0;
        at = end;
    }
}

/* Append one linear layer "<part>.<i>". */
static int add_layer(struct kl_head_model *model, struct kl_layer *layer, const char *part, int i,
                     size_t d_in, size_t d_out, enum kl_activation act, struct kl_error *err)
{
    char name[48];
    *layer =
        (struct kl_layer){ .d_in = d_in, .d_out = d_out, .act = act, .dropout = act == KL_ACT_RELU };
    snprintf(name, sizeof name, "%s.%d.weight", part, i);
    layer->weight = kl_block_add(&model->block, name, 2, d_out, d_in, err);
    snprintf(name, sizeof name, "%s.%d.bias", part, i);
    layer->bias = kl_block_add(&model->block, name, 1, d_out, 1, err);
    return layer->weight < 0 ? layer->weight : layer->bias < 0 ? layer->bias : 0;
}

/* A chain of hidden ReLU layers and a last one. */
static int add_chain(struct kl_head_model *model, struct kl_layer *layers, int *n_layers,
                     const char *part, const int64_t *widths, int n_widths, size_t d_in, size_t d_out,
                     enum kl_activation last, struct kl_error *err)
{
    for (int i = 0; i <= n_widths; i++) {
        size_t width = i < n_widths ? (size_t)widths[i] : d_out;
        int code =
            add_layer(model, &layers[i], part, i, d_in, width, i < n_widths ? KL_ACT_RELU : last, err);
        if (code < 0) return code;
        d_in = width;
    }
    *n_layers = n_widths + 1;
    return 0;
}

int kl_head_model_make(struct kl_head_model *model, const struct kl_head_options *o, size_t n_features,
                       size_t n_classes, struct kl_error *err)
{
    *model = (struct kl_head_model){ .options = *o, .n_features = n_features, .n_classes = n_classes };
    model->options.circuit = (struct kl_circuit_options){ 0 };
    if (!(o->dropout >= 0 && o->dropout < 1))
        return kl_fail(err, KL_EUSAGE, "dropout %g: must lie in [0, 1)", o->dropout);
    int code = kl_circuit_build(&model->circuit, &o->circuit, err);
    if (code) return code;
    code = add_chain(model, model->reduce, &model->n_reduce, "reduce", o->reduction, o->n_reduction,
                     n_features, model->circuit->n_inputs, KL_ACT_TANH, err);
    if (code) goto out;
    model->vqc = kl_block_add(&model->block, "vqc.weight", 1, model->circuit->n_weights, 1, err);
    code = model->vqc < 0 ? model->vqc : 0;
    if (code) goto out;
    code = add_chain(model, model->head, &model->n_head, "head", o->classifier, o->n_classifier,
                     model->circuit->n_obs, n_classes, KL_ACT_NONE, err);
out:
    if (code) kl_head_model_free(model);
    return code;
}

void kl_head_model_free(struct kl_head_model *model)
{
    if (model) kl_circuit_free(&model->circuit);
}

void kl_head_init(float *params, const struct kl_head_model *model, uint64_t seed, uint32_t replica)
{
    const struct kl_tensor *tensors = model->block.tensors;
    memset(params, 0, model->block.size * sizeof *params);
    for (int i = 0; i < model->n_reduce; i++) {
        const struct kl_layer *l = &model->reduce[i];
        double bound = 1 / sqrt((double)l->d_in);
        for (int k = 0; k < 2; k++) {
            int t = k ? l->bias : l->weight;
            kl_init_uniform(params, &tensors[t], bound, seed, (uint32_t)t, replica);
        }
    }
    kl_init_normal(params, &tensors[model->vqc], model->options.weight_scale, seed, (uint32_t)model->vqc,
                   replica);
    for (int i = 0; i < model->n_head; i++) {
        const struct kl_layer *l = &model->head[i];
        double bound = sqrt(6 / (double)(l->d_in + l->d_out));
        kl_init_uniform(params, &tensors[l->weight], bound, seed, (uint32_t)l->weight, replica);
    }
}
