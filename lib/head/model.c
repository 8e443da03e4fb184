/* SPDX-License-Identifier: MIT
   The layout of a head: which tensors, which layers, which core; the structure of a circuit's classical
   twin; scratch of a head's functions. */
#include "head/head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/head_int.h"

const char *const kl_core_names[KL_CORES] = { "circuit", "twin", "frozen", "none" };

void kl_head_options_default(struct kl_head_options *o)
{
    *o = (struct kl_head_options){ .n_reduction = 2,
                                   .n_classifier = 1,
                                   .reduction = { 128, 32 },
                                   .classifier = { 16 },
                                   .dropout = 0.2,
                                   .weight_scale = 0.01,
                                   .spsa_step = 0.1,
                                   .spsa_directions = 1 };
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
                           "--%s: '%s' is no list of widths from 1 to 65536; write it as 128,32", option,
                           text);
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
    layer->weight = kl_nn_block_add(&model->block, name, 2, d_out, d_in, err);
    snprintf(name, sizeof name, "%s.%d.bias", part, i);
    layer->bias = kl_nn_block_add(&model->block, name, 1, d_out, 1, err);
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

/* The circuit, or the twin that takes its shape from it. */
static int add_core(struct kl_head_model *model, struct kl_error *err)
{
    const struct kl_circuit *c = model->circuit;
    if (model->options.core != KL_CORE_TWIN) {
        if (!c->n_weights)
            return kl_fail(
                err, KL_EUSAGE,
                "the circuit has no weights that could be trained; give --layers 1 or more, or "
                "another --circuit-file");
        model->vqc = kl_nn_block_add(&model->block, "vqc.weight", 1, c->n_weights, 1, err);
        return model->vqc < 0 ? model->vqc : 0;
    }
    kl_head_twin_shape(&model->shape, c->n_inputs, c->n_obs, c->n_weights);
    kl_circuit_free(&model->circuit);
    model->n_twin = model->shape.n_layers;
    for (int i = 0; i < model->n_twin; i++) {
        size_t d_in = i ? model->shape.hidden : model->n_angles,
               d_out = i + 1 < model->n_twin ? model->shape.hidden : model->n_expval;
        int code = add_layer(model, &model->twin[i], "twin", i, d_in, d_out, KL_ACT_TANH, err);
        if (code) return code;
    }
    return 0;
}

static int check_init(const struct kl_head_model *model, const struct kl_head_options *o,
                      struct kl_error *err)
{
    if (o->init != KL_INIT_IDENTITY || o->core != KL_CORE_CIRCUIT) return KL_OK;
    if (!model->circuit->undoes)
        return kl_fail(err, KL_EUSAGE,
                       "--init identity: no layer undoes another here; give --mirror 2, with a number "
                       "of layers that is a multiple of 4");
    if (o->circuit.reupload)
        return kl_fail(err, KL_EUSAGE,
                       "--init identity: with --reupload embeddings stand between the layers, which "
                       "then do not undo each other");
    return KL_OK;
}

/* Every named embedding has inputs; a text may have gates of constants and weights alone. */
static int check_inputs(const struct kl_circuit *c, const char *file, struct kl_error *err)
{
    if (c->n_inputs) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "%s: the circuit has no inputs, expected at least one: a parameter whose name begins "
                   "with x or input, such as 'input float[64] x_0;'",
                   file ? file : "qasm");
}

static int add_bottleneck(struct kl_head_model *model, const struct kl_head_options *o,
                          struct kl_error *err)
{
    int code = kl_circuit_build(&model->circuit, &o->circuit, err);
    if (!code) code = check_inputs(model->circuit, o->circuit.file, err);
    if (!code) code = check_init(model, o, err);
    if (code) return code;
    model->n_angles = model->circuit->n_inputs;
    model->n_expval = model->circuit->n_obs;
    code = add_chain(model, model->reduce, &model->n_reduce, "reduce", o->reduction, o->n_reduction,
                     model->n_features, model->n_angles, KL_ACT_TANH, err);
    return code ? code : add_core(model, err);
}

int kl_head_model_make(struct kl_head_model *model, const struct kl_head_options *o, size_t n_features,
                       size_t n_classes, struct kl_error *err)
{
    const bool probe = o->core == KL_CORE_NONE;
    *model = (struct kl_head_model){
        .options = *o, .n_features = n_features, .n_classes = n_classes, .vqc = -1
    };
    if (!o->grow) model->options.circuit = (struct kl_circuit_options){ 0 };
    if (!(o->dropout >= 0 && o->dropout < 1))
        return kl_fail(err, KL_EUSAGE, "dropout %g: must lie in [0, 1)", o->dropout);
    int code = probe ? 0 : add_bottleneck(model, o, err);
    if (!code)
        code = add_chain(model, model->head, &model->n_head, "head", o->classifier,
                         probe ? 0 : o->n_classifier, probe ? n_features : model->n_expval, n_classes,
                         KL_ACT_NONE, err);
    if (code) kl_head_model_free(model);
    return code;
}

void kl_head_model_free(struct kl_head_model *model)
{
    if (!model) return;
    kl_circuit_free(&model->circuit);
    kl_nn_block_free(&model->block);
}

struct kl_head_model kl_head_view(const struct kl_head_model *model, bool behind)
{
    struct kl_head_model view = *model;
    view.n_reduce = 0;
    view.n_features = behind ? model->n_expval : model->n_angles;
    if (!behind) return view;
    view.options.core = KL_CORE_NONE;
    view.circuit = NULL;
    view.vqc = -1;
    view.n_twin = 0;
    view.n_angles = view.n_expval = 0;
    return view;
}

size_t kl_head_parameters(const struct kl_head_model *model)
{
    size_t n = 0;
    for (int i = 0; i < model->n_reduce; i++) n += (model->reduce[i].d_in + 1) * model->reduce[i].d_out;
    for (int i = 0; i < model->n_head; i++) n += (model->head[i].d_in + 1) * model->head[i].d_out;
    if (model->options.core == KL_CORE_CIRCUIT) n += model->circuit->n_weights;
    return n + kl_head_twin_parameters(&model->shape);
}

enum { TWIN_STREAM = 64 }; /* of its first layer; those of all else are tensors' numbers */

/* A twin begins near the map that hands its inputs on, as near as the circuit begins to no rotation:
   from random matrices many twins never tell all classes apart, and such a control would flatter the
   circuit. */
static void init_twin(float *params, const struct kl_head_model *model, uint64_t seed, uint32_t replica)
{
    const double near = model->options.weight_scale;
    for (int i = 0; i < model->n_twin; i++) {
        const struct kl_layer *l = &model->twin[i];
        const struct kl_tensor *w = &model->block.tensors[l->weight],
                               *b = &model->block.tensors[l->bias];
        const uint32_t stream = (uint32_t)(TWIN_STREAM + 2 * i);
        const double pass = l->d_in > l->d_out ? sqrt((double)l->d_out / (double)l->d_in) : 1;
        kl_nn_init_normal(params, w, near, seed, stream, replica);
        kl_nn_init_normal(params, b, near, seed, stream + 1, replica);
        for (size_t k = 0; k < l->d_in || k < l->d_out; k++) { /* the first diagonal */
            size_t row, column;
            kl_head_twin_entry(&row, &column, k, l->d_out, l->d_in);
            params[w->offset + kl_nn_tensor_index(w, row, column)] += (float)pass;
        }
    }
    for (size_t i = 0; i < kl_head_n_parts(model); i++) {
        const struct kl_head_part part = kl_head_part(model, i);
        if (part.chain == KL_CHAIN_TWIN) kl_head_twin_mask_f32(params, model, &part);
    }
}

static void init_circuit(float *params, const struct kl_head_model *model, uint64_t seed,
                         uint32_t stream, uint32_t replica)
{
    const struct kl_head_options *o = &model->options;
    const struct kl_tensor *t = &model->block.tensors[model->vqc];
    float *w = params + t->offset;
    if (o->core == KL_CORE_FROZEN || o->init != KL_INIT_NORMAL)
        kl_nn_init_uniform(params, t, M_PI, seed, stream, replica);
    else kl_nn_init_normal(params, t, o->weight_scale, seed, stream, replica);
    if (o->core == KL_CORE_FROZEN) return;
    if (o->init == KL_INIT_IDENTITY) {
        const int *undoes = model->circuit->undoes;
        for (size_t i = 0; i < t->size; i++)
            if (undoes[i] != KL_UNDONE) w[i] = undoes[i] < 0 ? 0 : -w[undoes[i]];
    } else if (kl_head_stages(model) > 1) {
        struct kl_circuit_options first = o->circuit;
        first.n_layers = kl_circuit_growth(&first);
        for (size_t i = kl_circuit_count_weights(&first); i < t->size; i++) w[i] = 0;
    }
}

/* Learnable scales begin at 1, where the circuit is what it is without them; a frozen circuit's stay. */
static void init_scales(float *params, const struct kl_head_model *model)
{
    const struct kl_tensor *t = model->vqc >= 0 ? &model->block.tensors[model->vqc] : NULL;
    for (size_t w = 0; t && w < model->circuit->n_weights; w++)
        if (kl_circuit_is_scale(model->circuit, w)) params[t->offset + kl_nn_tensor_index(t, w, 0)] = 1;
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
            kl_nn_init_uniform(params, &tensors[t], bound, seed, (uint32_t)t, replica);
        }
    }
    const int core = 2 * model->n_reduce; /* its number among the tensors of a head with a circuit */
    if (model->vqc >= 0) init_circuit(params, model, seed, (uint32_t)core, replica);
    init_scales(params, model);
    init_twin(params, model, seed, replica);
    for (int i = 0; i < model->n_head; i++) {
        const struct kl_layer *l = &model->head[i];
        double bound = sqrt(6 / (double)(l->d_in + l->d_out));
        kl_nn_init_uniform(params, &tensors[l->weight], bound, seed, (uint32_t)(core + 1 + 2 * i),
                           replica);
    }
}

/* ---- twin ----
   The structure of a circuit's classical twin. A full matrix seldom has as many entries as a circuit has
   weights, so a twin has some diagonals of it. */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void kl_head_twin_entry(size_t *i, size_t *j, size_t k, size_t d_out, size_t d_in)
{
    size_t length = larger(d_in, d_out), along = k % length;
    size_t across = (along + k / length) % smaller(d_in, d_out);
    *i = d_out > d_in ? along : across;
    *j = d_out > d_in ? across : along;
}

void kl_head_twin_shape(struct kl_twin *twin, size_t n_in, size_t n_out, size_t count)
{
    *twin = (struct kl_twin){ .n_layers = 1, .hidden = 0 };
    if (count > n_out * (n_in + 1)) {
        const size_t per_unit = n_in + n_out + 1; /* of the hidden layer */
        twin->n_layers = 2;
        twin->hidden = larger(larger(n_in, n_out), (count - n_out + per_unit - 1) / per_unit);
    }
    const size_t d_in[KL_TWIN_LAYERS] = { n_in, twin->hidden },
                 d_out[KL_TWIN_LAYERS] = { twin->hidden ? twin->hidden : n_out, n_out };
    size_t left = count;
    for (int l = 0; l < twin->n_layers; l++) {
        twin->weights[l] = larger(d_in[l], d_out[l]);
        left -= smaller(left, twin->weights[l]);
    }
    for (int l = 0; l < twin->n_layers; l++) {
        twin->biases[l] = smaller(left, d_out[l]);
        left -= twin->biases[l];
    }
    while (left > 0)
        for (int l = 0; l < twin->n_layers; l++) {
            size_t room = d_in[l] * d_out[l] - twin->weights[l];
            size_t diagonal = smaller(smaller(left, room), larger(d_in[l], d_out[l]));
            twin->weights[l] += diagonal;
            left -= diagonal;
        }
}

size_t kl_head_twin_parameters(const struct kl_twin *twin)
{
    size_t n = 0;
    for (int l = 0; l < twin->n_layers; l++) n += twin->weights[l] + twin->biases[l];
    return n;
}

/* ---- work ----
   Scratch of a head's functions: one arena for activations, one that the circuit may use up. */

int kl_head_work_init(struct kl_head_work *work, struct kl_error *err)
{
    enum { FIRST = 1 << 18 };
    *work = (struct kl_head_work){ 0 };
    int code = kl_arena_init(&work->values, FIRST, err);
    if (code) return code;
    code = kl_arena_init(&work->circuit, FIRST, err);
    if (code) kl_arena_free(&work->values);
    return code;
}

void kl_head_work_free(struct kl_head_work *work)
{
    kl_arena_free(&work->values);
    kl_arena_free(&work->circuit);
}
