/* SPDX-License-Identifier: MIT
   The list of nets by name; opening and closing one; first values of tensors: uniform numbers, a stream
   of Philox for each tensor and replica. */
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/model/model_int.h"

const struct kl_sequence_model *const kl_sequence_models[] = {
    &kl_sequence_hydra,
    &kl_sequence_hydra_hybrid,
    &kl_sequence_mamba,
    &kl_sequence_mamba_hybrid,
    &kl_sequence_mamba_lite,
    &kl_sequence_mamba_hybrid_lite,
    &kl_sequence_classical_mamba,
    &kl_sequence_classical_hydra,
    &kl_sequence_eegnet,
    &kl_sequence_shallow,
    &kl_sequence_twin,
    &kl_sequence_means,
};
const size_t kl_sequence_n_models = sizeof kl_sequence_models / sizeof *kl_sequence_models;

void kl_sequence_model_options_default(struct kl_sequence_model_options *o)
{
    *o = (struct kl_sequence_model_options){
        .model = "hydra",
        .qubits = 6,
        .layers = 2,
        .gate_layers = 2,
        .revision = 'b',
        .width = 128,
        .state = 16,
    };
}

int kl_sequence_net_open(struct kl_sequence_net *net, const struct kl_sequence_model_options *o,
                         const struct kl_sequence_shape *shape, struct kl_error *err)
{
    memset(net, 0, sizeof *net);
    net->options = *o, net->shape = *shape;
    for (size_t i = 0; i < kl_sequence_n_models && !net->model; i++)
        if (!strcmp(kl_sequence_models[i]->name, o->model)) net->model = kl_sequence_models[i];
    if (!net->model)
        return kl_fail(err, KL_EUSAGE, "no model '%s'; expected one of %s", o->model,
                       KL_SEQUENCE_MODELS);
    if (o->frozen && !net->model->quantum)
        return kl_fail(err, KL_EUSAGE,
                       "%s has no circuit that could be frozen; that is for quantum models", o->model);
    net->first_state = -1;
    const int code = net->model->open(net, err);
    if (!code && net->first_state < 0) net->first_state = net->block.n;
    return code;
}

void kl_sequence_net_close(struct kl_sequence_net *net)
{
    if (net->model && net->model->close) net->model->close(net);
    kl_nn_block_free(&net->block);
    memset(net, 0, sizeof *net);
}

void kl_sequence_start(float *params, const struct kl_tensor *t, double low, double high, uint64_t seed,
                       int stream, uint32_t replica)
{
    const size_t row = t->size / t->dims[0];
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < t->size; i++) {
        if (i % 4 == 0)
            kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_SEQUENCE_START, (uint32_t)stream,
                      replica);
        params[t->offset + kl_nn_tensor_index(t, i / row, i % row)] =
            (float)(low + (high - low) * kl_philox_unit(words[i % 4]));
    }
}
