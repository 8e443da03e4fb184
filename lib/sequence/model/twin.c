/* SPDX-License-Identifier: MIT
   Classical twins of the quantum models: the same projections, readouts, weights over time and output,
   and in the place of the circuit one map, tanh(M theta + b), of as many features from as many
   parameters. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/model/twin_int.h"

static const struct kind {
    const char *name;
    enum kl_twin_front front;
    enum kl_twin_readout readout;
    enum kl_twin_time time;
    bool amplitudes, reversed;
} kinds[] = {
    { "hydra", KL_TWIN_STEPS, KL_TWIN_ONE, KL_TWIN_COMPLEX, false, false },
    { "hydra-hybrid", KL_TWIN_STEPS, KL_TWIN_BRANCHES, KL_TWIN_SOFTMAX, false, true },
    { "mamba", KL_TWIN_DEPTHWISE, KL_TWIN_RELU, KL_TWIN_POOLED, true, false },
    { "mamba-hybrid", KL_TWIN_DENSE, KL_TWIN_BRANCHES, KL_TWIN_POOLED, false, false },
    { "mamba-lite", KL_TWIN_STEPS, KL_TWIN_RELU, KL_TWIN_COMPLEX, true, false },
    { "mamba-hybrid-lite", KL_TWIN_STEPS, KL_TWIN_BRANCHES, KL_TWIN_SOFTMAX, false, false },
};
enum { N_KINDS = sizeof kinds / sizeof *kinds, MOST_QUBITS = 12, MOST_LAYERS = 64 };

/* Count the parameters of the model's circuits, but for the constants of two branches, which the twin
   has as well. */
static size_t budget(const struct kind *k, const struct kl_sequence_model_options *o)
{
    const size_t n = (size_t)o->qubits, angles = 4 * n * (size_t)o->layers,
                 gates = 4 * n * (size_t)o->gate_layers;
    if (k->amplitudes) return angles + 4 * n + 6; /* SSM, gate, skip; six parts of three weights */
    if (k->readout == KL_TWIN_ONE) return angles + 3 * n + 3; /* offsets, product state, three weights */
    if (k->reversed) return angles;                /* offsets; the product state is constants */
    return angles + 3 * n + gates + 3 * n - 6 * n; /* offsets, b, c, d, gate, skip */
}

/* ---- tensors ---- */
struct adding {
    struct kl_sequence_net *net;
    struct kl_twin_net *t;
    struct kl_error *err;
    int code;
};

static int tensor(struct adding *a, const char *name, const char *what, int rank, size_t d0, size_t d1,
                  size_t d2)
{
    char full[sizeof a->net->block.tensors->name];
    snprintf(full, sizeof full, "%s%s%s", name, *what ? "." : "", what);
    if (a->code) return -1;
    const int number =
        kl_nn_block_add_tensor(&a->net->block, full, rank, (size_t[]){ d0, d1, d2 }, a->err);
    if (number < 0) a->code = number;
    return number;
}

static int linear(struct adding *a, const char *name, size_t in, size_t out)
{
    const int number = a->t->n_linear++;
    a->t->linear[number] = (struct kl_twin_linear){ .weight = tensor(a, name, "weight", 2, out, in, 1),
                                                    .bias = tensor(a, name, "bias", 1, out, 1, 1),
                                                    .in = in,
                                                    .out = out };
    return number;
}

static void add_front(struct adding *a, const struct kind *k)
{
    struct kl_twin_net *t = a->t;
    const size_t n = (size_t)a->net->options.qubits, angles = 4 * n * (size_t)a->net->options.layers;
    size_t width = t->channels;
    if (t->front == KL_TWIN_DEPTHWISE) {
        t->conv = tensor(a, "temporal_conv", "weight", 3, t->channels, 1, KL_TWIN_TAPS);
        t->conv_bias = tensor(a, "temporal_conv", "bias", 1, t->channels, 1, 1);
    } else if (t->front == KL_TWIN_DENSE) {
        width = KL_TWIN_CONV;
        t->conv = tensor(a, "temporal_conv", "weight", 3, width, t->channels, KL_TWIN_TAPS);
        t->conv_bias = tensor(a, "temporal_conv", "bias", 1, width, 1, 1);
    }
    if (t->front != KL_TWIN_DEPTHWISE && !t->bare) {
        t->project = linear(a, "feature_projection", width, angles);
        width = angles;
    }
    t->inputs = k->amplitudes ? (size_t)1 << n : angles;
    t->angles = linear(a, k->amplitudes ? "input_proj" : "angles", width, t->inputs);
    if (!k->amplitudes) return;
    t->gain = tensor(a, "layer_norm", "weight", 1, t->inputs, 1, 1);
    t->shift = tensor(a, "layer_norm", "bias", 1, t->inputs, 1, 1);
}

static void add_map(struct adding *a, size_t parameters)
{
    struct kl_twin_net *t = a->t;
    const size_t whole = t->inputs > t->features ? t->inputs : t->features,
                 full = t->inputs * t->features;
    t->n_weights = parameters < whole ? parameters : whole;
    parameters -= t->n_weights;
    t->n_biases = parameters < t->features ? parameters : t->features;
    parameters -= t->n_biases;
    t->n_weights += parameters < full - t->n_weights ? parameters : full - t->n_weights;
    t->map = tensor(a, "map", "weight", 1, t->n_weights, 1, 1);
    if (t->n_biases) t->map_bias = tensor(a, "map", "bias", 1, t->n_biases, 1, 1);
}

static void add_readout(struct adding *a, const struct kind *k)
{
    struct kl_twin_net *t = a->t;
    const size_t f = t->features, classes = (size_t)t->classes;
    if (k->readout == KL_TWIN_BRANCHES) {
        t->constants = tensor(a, "constants", "", 2, k->reversed ? 1 : 2, f, 1);
        t->branches = tensor(a, "branch_ff", "weight", 3, 3, f, f);
        t->branch_biases = tensor(a, "branch_ff", "bias", 2, 3, f, 1);
        t->mix = tensor(a, "branch_weights", "", 1, 3, 1, 1);
    }
    const bool relu = k->readout == KL_TWIN_RELU, ends = t->bare || (relu && t->time == KL_TWIN_POOLED);
    t->read = linear(a, relu ? "output_ff.0" : "output_ff", f, ends && !relu ? classes : f);
    if (relu) t->again = linear(a, "output_ff.3", f, ends ? classes : f);
    if (t->time == KL_TWIN_COMPLEX) t->tau = tensor(a, "temporal_weights", "", 2, t->steps, 2, 1);
    if (t->time == KL_TWIN_SOFTMAX) t->tau = tensor(a, "temporal_weights", "", 1, t->steps, 1, 1);
    if (!ends) t->classify = linear(a, "output_layer", f, classes);
}

/* A bare layer reads the flattened window as one column; what takes windows to columns is not there. */
static void set_sizes(struct kl_twin_net *t, const struct kind *k, const struct kl_sequence_net *net)
{
    const size_t channels = net->shape.channels, steps = net->shape.steps;
    t->bare = net->options.bare;
    t->front = t->bare ? KL_TWIN_STEPS : k->front;
    t->time = t->bare ? KL_TWIN_POOLED : k->time;
    t->channels = t->bare ? channels * steps : channels;
    t->steps = t->bare ? 1 : steps;
    t->columns = t->time == KL_TWIN_POOLED ? 1 : steps;
    t->stride = kl_sequence_stride(t->steps), t->ld = kl_sequence_stride(t->columns);
}

static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    const struct kl_sequence_model_options *o = &net->options;
    const char *of = o->twin_of ? o->twin_of : "hydra";
    const struct kind *k = kinds;
    while (k < kinds + N_KINDS && strcmp(k->name, of)) k++;
    if (k == kinds + N_KINDS)
        return kl_fail(err, KL_EUSAGE,
                       "twin: no quantum model '%s'; expected hydra, hydra-hybrid, mamba, mamba-hybrid, "
                       "mamba-lite or mamba-hybrid-lite",
                       of);
    if (o->bare && strstr(of, "-lite"))
        return kl_fail(err, KL_EUSAGE, "twin: %s has no bare layer of its own; %.*s has the same one",
                       of, (int)(strlen(of) - strlen("-lite")), of);
    if (o->qubits < 2 || o->qubits > MOST_QUBITS || o->layers < 1 || o->layers > MOST_LAYERS ||
        o->gate_layers < 1 || o->gate_layers > MOST_LAYERS)
        return kl_fail(err, KL_EUSAGE,
                       "twin: %d qubits, %d layers, %d gate layers; expected 2 to %d qubits, 1 to %d "
                       "layers",
                       o->qubits, o->layers, o->gate_layers, MOST_QUBITS, MOST_LAYERS);
    struct kl_twin_net *t = net->own = malloc(sizeof *t);
    if (!t) return kl_fail(err, KL_ENOMEM, "no memory for a net");
    *t = (struct kl_twin_net){ .readout = k->readout,
                               .norm = k->amplitudes,
                               .reversed = k->reversed,
                               .features = 3 * (size_t)o->qubits,
                               .classes = net->shape.classes,
                               .project = -1,
                               .again = -1,
                               .classify = -1,
                               .map_bias = -1,
                               .tau = -1 };
    set_sizes(t, k, net);
    struct adding a = { .net = net, .t = t, .err = err };
    add_front(&a, k);
    if (!a.code) add_map(&a, budget(k, o));
    if (!a.code) add_readout(&a, k);
    for (int i = 0; i < net->block.n; i++) net->n_parameters += net->block.tensors[i].size;
    if (t->time == KL_TWIN_COMPLEX) net->n_parameters -= t->steps;
    return a.code;
}

static void close_net(struct kl_sequence_net *net)
{
    free(net->own);
}

/* ---- first values: as the models' own; the map's as those of a linear layer ---- */
static void set(float *params, const struct kl_tensor *t, double value)
{
    for (size_t i = 0; i < t->size; i++) params[t->offset + i] = (float)value;
}

static void init(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica)
{
    const struct kl_twin_net *t = net->own;
    const struct kl_tensor *all = net->block.tensors;
    const size_t conv = (t->front == KL_TWIN_DENSE ? t->channels : 1) * KL_TWIN_TAPS;
    const double per_row = fmax(1, (double)kl_sequence_twin_entries(t) / (double)t->features);
    for (int i = 0; i < net->block.n; i++) {
        double bound = 1 / sqrt((double)t->features);
        if (i == t->map || i == t->map_bias) bound = 1 / sqrt(per_row);
        if (t->front != KL_TWIN_STEPS && (i == t->conv || i == t->conv_bias))
            bound = 1 / sqrt((double)conv);
        for (int l = 0; l < t->n_linear; l++)
            if (i == t->linear[l].weight || i == t->linear[l].bias)
                bound = 1 / sqrt((double)t->linear[l].in);
        kl_sequence_start(params, &all[i], -bound, bound, seed, i, replica);
    }
    if (t->norm) set(params, &all[t->gain], 1), set(params, &all[t->shift], 0);
    if (t->readout == KL_TWIN_BRANCHES) {
        set(params, &all[t->mix], 1);
        kl_sequence_start(params, &all[t->constants], 0, 1, seed, t->constants, replica);
    }
    if (t->time == KL_TWIN_SOFTMAX) set(params, &all[t->tau], 1 / (double)t->steps);
    if (t->time == KL_TWIN_COMPLEX) kl_sequence_start(params, &all[t->tau], 0, 1, seed, t->tau, replica);
}

const struct kl_sequence_model kl_sequence_twin = {
    .name = "twin",
    .what = "a quantum model whose circuit is tanh of a map with as many parameters",
    .open = open_net,
    .close = close_net,
    .init = init,
    KL_SEQUENCE_PASSES(twin),
    .gpu = &kl_sequence_twin_gpu,
};
