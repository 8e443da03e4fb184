/* SPDX-License-Identifier: MIT
   Quantum Mamba and its Lite form: tensors, first values. Mamba: one filter a channel over time (3
   taps), silu, mean over time, then the layer once a window: a linear map to 2^n amplitudes, layer norm,
   amplitude embedding, expectation values behind SSM_A, GATE_A and SKIP_A, weighed by complex numbers,
   moduli of the sum, two linear maps. Lite: the layer at every time step, then complex weights of time.
   (Reference: QuantumMambaTS, QuantumMambaLite.) */
#include <math.h>
#include <stdio.h>

#include "sequence/model/mamba_int.h"

static const char *const layer_names[KL_MAMBA_LAYER] = {
    "alpha_real",         "alpha_imag",        "beta_real",
    "beta_imag",          "gamma_real",        "gamma_imag",
    "skip_params",        "input_proj.weight", "input_proj.bias",
    "layer_norm.weight",  "layer_norm.bias",   "ssm_path.qlcu_params",
    "ssm_path.b_params",  "ssm_path.c_params", "gate_path.gate_params",
    "output_ff.0.weight", "output_ff.0.bias",  "output_ff.3.weight",
    "output_ff.3.bias"
};

int kl_sequence_add(struct kl_sequence_net *net, const char *prefix, const char *name, size_t d0,
                    size_t d1, size_t d2, struct kl_error *err)
{
    char whole[64];
    const size_t dims[3] = { d0, d1, d2 };
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    const int number = kl_nn_block_add_tensor(&net->block, whole, d2 ? 3 : d1 ? 2 : 1, dims, err);
    if (number < 0) return number;
    net->n_parameters += net->block.tensors[number].size;
    return 0;
}

int kl_sequence_check_circuit(const struct kl_sequence_net *net, bool revisions, struct kl_error *err)
{
    const struct kl_sequence_model_options *o = &net->options;
    if (o->qubits < 2 || o->qubits > KL_SSM_MOST_QUBITS)
        return kl_fail(err, KL_EUSAGE, "%s: %d qubits; expected 2 to %d", net->model->name, o->qubits,
                       KL_SSM_MOST_QUBITS);
    if (o->layers < 1 || o->layers > 64 || o->gate_layers < 1 || o->gate_layers > 64)
        return kl_fail(err, KL_EUSAGE, "%s: %d and %d layers; expected 1 to 64 each", net->model->name,
                       o->layers, o->gate_layers);
    if (o->revision != 'b' && !(revisions && o->revision == 'a'))
        return kl_fail(err, KL_EUSAGE, "%s: no revision '%c'; expected %s", net->model->name,
                       o->revision, revisions ? "a or b" : "b, it has one alone");
    if (!(o->dropout >= 0 && o->dropout < 1))
        return kl_fail(err, KL_EUSAGE, "%s: dropout of %g; expected 0 to below 1", net->model->name,
                       o->dropout);
    return 0;
}

static int add_layer(struct kl_sequence_net *net, const struct mamba *a, const char *prefix,
                     struct kl_error *err)
{
    const size_t n = (size_t)a->n, F = a->features, inputs = a->lite ? a->middle : a->inputs;
    const size_t sizes[KL_MAMBA_LAYER][2] = {
        { 1, 0 },    { 1, 0 },         { 1, 0 },          { 1, 0 },         { 1, 0 },
        { 1, 0 },    { n, 0 },         { a->N, inputs },  { a->N, 0 },      { a->N, 0 },
        { a->N, 0 }, { a->middle, 0 }, { n, 0 },          { n, 0 },         { n, 0 },
        { F, F },    { F, 0 },         { a->outputs, F }, { a->outputs, 0 }
    };
    int code = 0;
    for (int i = 0; i < KL_MAMBA_LAYER && !code; i++)
        code = kl_sequence_add(net, prefix, layer_names[i], sizes[i][0], sizes[i][1], 0, err);
    return code;
}

static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    const bool lite = net->model == &kl_sequence_mamba_lite;
    const size_t C = net->shape.channels, T = net->shape.steps, K = (size_t)net->shape.classes;
    int code = kl_sequence_check_circuit(net, !lite, err);
    if (code) return code;
    if (lite && net->options.bare)
        return kl_fail(err, KL_EUSAGE, "mamba-lite: no bare layer of its own; mamba has the same one");
    if (lite && net->options.logit_dropout)
        return kl_fail(err, KL_EUSAGE, "mamba-lite: no dropout of logits; expected mamba for it");
    const struct mamba a = kl_sequence_mamba_sizes(net, sizeof(float));
    if (!lite && !a.bare) {
        code = kl_sequence_add(net, "", "temporal_conv.weight", C, 1, 3, err);
        if (!code) code = kl_sequence_add(net, "", "temporal_conv.bias", C, 0, 0, err);
    }
    if (lite) {
        code = kl_sequence_add(net, "", "temporal_weights", T, 2, 0, err);
        if (!code) code = kl_sequence_add(net, "", "feature_projection.weight", a.middle, C, 0, err);
        if (!code) code = kl_sequence_add(net, "", "feature_projection.bias", a.middle, 0, 0, err);
        net->n_parameters -= T; /* a complex number counts once */
    }
    if (!code) code = add_layer(net, &a, a.bare ? "" : "quantum_mamba.", err);
    if (lite && !code) code = kl_sequence_add(net, "", "output_layer.weight", K, a.features, 0, err);
    if (lite && !code) code = kl_sequence_add(net, "", "output_layer.bias", K, 0, 0, err);
    return code;
}

void kl_sequence_start_linear(const struct kl_sequence_net *net, float *params, int weight,
                              uint64_t seed, uint32_t replica)
{
    const struct kl_tensor *t = net->block.tensors + weight;
    const double bound = 1 / sqrt((double)(t->size / t->dims[0]));
    kl_sequence_start(params, t, -bound, bound, seed, weight, replica);
    kl_sequence_start(params, t + 1, -bound, bound, seed, weight + 1, replica);
}

static void init(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica)
{
    const struct mamba a = kl_sequence_mamba_sizes(net, sizeof(float));
    const struct kl_tensor *t = net->block.tensors;
    const int layer = a.before;
    if (!a.lite && !a.bare) kl_sequence_start_linear(net, params, KL_MAMBA_CONV, seed, replica);
    if (a.lite) {
        kl_sequence_start(params, t + KL_LITE_TIME, 0, 1, seed, KL_LITE_TIME, replica);
        kl_sequence_start_linear(net, params, KL_LITE_MAP, seed, replica);
        kl_sequence_start_linear(net, params, layer + KL_MAMBA_LAYER, seed, replica);
    }
    for (int i = 0; i < 6; i += 2)
        kl_sequence_start(params, t + layer + i, 0, 1, seed, layer + i, replica);
    static const int angles[] = { KL_MAMBA_SKIP, KL_MAMBA_P, KL_MAMBA_B, KL_MAMBA_C, KL_MAMBA_GATE },
                     maps[] = { KL_MAMBA_INPUT, KL_MAMBA_HIDDEN, KL_MAMBA_OUT };
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        kl_sequence_start(params, t + layer + angles[i], 0, 6.283185307179586, seed, layer + angles[i],
                          replica);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        kl_sequence_start_linear(net, params, layer + maps[i], seed, replica);
    const struct kl_tensor *norm = t + layer + KL_MAMBA_NORM;
    for (size_t i = 0; i < norm->size; i++) params[norm->offset + i] = 1;
}

const struct kl_sequence_model kl_sequence_mamba = {
    .name = "mamba",
    .what = "Quantum Mamba: three circuits on the amplitudes of a window's time averages",
    .quantum = true,
    .open = open_net,
    .init = init,
    KL_SEQUENCE_PASSES(mamba),
    .gpu = &kl_sequence_mamba_gpu,
};
const struct kl_sequence_model kl_sequence_mamba_lite = {
    .name = "mamba-lite",
    .what = "Quantum Mamba at every time step, then complex weights of time",
    .quantum = true,
    .open = open_net,
    .init = init,
    KL_SEQUENCE_PASSES(mamba),
    .gpu = &kl_sequence_mamba_gpu,
};
