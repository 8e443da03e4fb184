/* SPDX-License-Identifier: MIT
   Quantum Mamba Hybrid and its Lite form: tensors, first values. Hybrid: 64 filters over all channels
   and 3 steps, silu, mean over time, a linear map, then the layer once a window: angles 2 pi sigma(W u +
   b) + theta_0 of SSM_B; its expectation values, those of GATE_B and of QD, each through a matrix,
   weighed; two linear maps. Lite: the layer at every time step, softmax weights of time. (Reference:
   QuantumMambaHybridTS, QuantumMambaHybridLite.) */
#include "sequence/model/mamba_hybrid_int.h"

static int add_layer(struct kl_sequence_net *net, const struct hybrid *a, const char *prefix,
                     struct kl_error *err)
{
    static const char *const names[KL_HYBRID_LAYER] = { "w1",
                                                        "w2",
                                                        "w3",
                                                        "qlcu_base_params",
                                                        "gate_base_params",
                                                        "skip_params",
                                                        "b_params",
                                                        "c_params",
                                                        "dt_params",
                                                        "feature_projection.weight",
                                                        "feature_projection.bias",
                                                        "branch1_ff.weight",
                                                        "branch1_ff.bias",
                                                        "branch2_ff.weight",
                                                        "branch2_ff.bias",
                                                        "branch3_ff.weight",
                                                        "branch3_ff.bias",
                                                        "output_ff.weight",
                                                        "output_ff.bias" };
    const size_t n = (size_t)a->n, F = a->features, gate = 4 * n * (size_t)a->gate_layers,
                 inputs = a->bare ? a->inputs : a->angles;
    const size_t sizes[KL_HYBRID_LAYER][2] = {
        { 1, 0 },         { 1, 0 }, { 1, 0 },          { a->angles, 0 }, { gate, 0 },
        { F, 0 },         { n, 0 }, { n, 0 },          { n, 0 },         { a->angles, inputs },
        { a->angles, 0 }, { F, F }, { F, 0 },          { F, F },         { F, 0 },
        { F, F },         { F, 0 }, { a->outputs, F }, { a->outputs, 0 }
    };
    int code = 0;
    for (int i = 0; i < KL_HYBRID_LAYER && !code; i++)
        code = kl_sequence_add(net, prefix, names[i], sizes[i][0], sizes[i][1], 0, err);
    return code;
}

static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    int code = kl_sequence_check_circuit(net, false, err);
    if (code) return code;
    const struct hybrid a = kl_sequence_hybrid_sizes(net, sizeof(float));
    if (a.lite && a.bare)
        return kl_fail(err, KL_EUSAGE,
                       "mamba-hybrid-lite: no bare layer of its own; mamba-hybrid has the same one");
    if (net->options.logit_dropout)
        return kl_fail(err, KL_EUSAGE, "%s: no dropout of logits; expected mamba for it",
                       net->model->name);
    if (a.lite) code = kl_sequence_add(net, "", "temporal_weights", net->shape.steps, 0, 0, err);
    if (!a.lite && !a.bare) {
        code = kl_sequence_add(net, "", "temporal_conv.weight", KL_HYBRID_FILTERS, net->shape.channels,
                               3, err);
        if (!code) code = kl_sequence_add(net, "", "temporal_conv.bias", KL_HYBRID_FILTERS, 0, 0, err);
    }
    if (!a.bare && !code)
        code = kl_sequence_add(net, "", "feature_projection.weight", a.angles, a.inputs, 0, err);
    if (!a.bare && !code)
        code = kl_sequence_add(net, "", "feature_projection.bias", a.angles, 0, 0, err);
    if (!code) code = add_layer(net, &a, a.bare ? "" : "quantum_mamba.", err);
    if (!a.bare && !code)
        code = kl_sequence_add(net, "", "output_layer.weight", a.classes, a.outputs, 0, err);
    if (!a.bare && !code) code = kl_sequence_add(net, "", "output_layer.bias", a.classes, 0, 0, err);
    return code;
}

static void init(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica)
{
    const struct hybrid a = kl_sequence_hybrid_sizes(net, sizeof(float));
    const struct kl_tensor *t = net->block.tensors, *time = t + KL_LITE_TIME;
    const int layer = a.before;
    for (size_t i = 0; a.lite && i < time->size; i++)
        params[time->offset + i] = 1 / (float)net->shape.steps;
    if (!a.lite && !a.bare) kl_sequence_start_linear(net, params, KL_MAMBA_CONV, seed, replica);
    if (!a.bare) {
        kl_sequence_start_linear(net, params, layer - 2, seed, replica);
        kl_sequence_start_linear(net, params, layer + KL_HYBRID_LAYER, seed, replica);
    }
    for (int i = 0; i < 3; i++) params[t[layer + KL_HYBRID_W + i].offset] = 1;
    for (int i = layer + KL_HYBRID_BASE; i <= layer + KL_HYBRID_D; i++)
        kl_sequence_start(params, t + i, 0, 6.283185307179586, seed, i, replica);
    for (int i = layer + KL_HYBRID_INPUT; i < layer + KL_HYBRID_LAYER; i += 2)
        kl_sequence_start_linear(net, params, i, seed, replica);
}

const struct kl_sequence_model kl_sequence_mamba_hybrid = {
    .name = "mamba-hybrid",
    .what = "Quantum Mamba Hybrid: a circuit whose angles a window's filtered averages give",
    .quantum = true,
    .open = open_net,
    .init = init,
    .work_f32 = kl_sequence_hybrid_work_f32,
    .work_f64 = kl_sequence_hybrid_work_f64,
    .run_f32 = kl_sequence_hybrid_run_f32,
    .run_f64 = kl_sequence_hybrid_run_f64,
};
const struct kl_sequence_model kl_sequence_mamba_hybrid_lite = {
    .name = "mamba-hybrid-lite",
    .what = "Quantum Mamba Hybrid's layer at every time step, then softmax weights of time",
    .quantum = true,
    .open = open_net,
    .init = init,
    .work_f32 = kl_sequence_hybrid_work_f32,
    .work_f64 = kl_sequence_hybrid_work_f64,
    .run_f32 = kl_sequence_hybrid_run_f32,
    .run_f64 = kl_sequence_hybrid_run_f64,
};
