/* SPDX-License-Identifier: MIT
   What the GPUs here reach: circuits with their gradients, small networks, circuits of windows, chains,
   gradients of pulses, half a second each, copies included; what they give is checked against what is
   known or this processor's kernels; what their memory holds. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "doctor/doctor.h"
#include "kernels/bloch.h"
#include "kernels/cuda.h"
#include "kernels/device.h"
#include "kernels/inline/philox.h"
#include "kernels/shallow.h"

#define SECONDS 0.5

/* The best of some rounds of `work`, which does n things: things a second. After the first, which warms
   up, until SECONDS have passed. */
static int race(double *rate, double n, int (*work)(void *context, struct kl_error *err), void *context,
                struct kl_error *err)
{
    double best = 1e9, begun = kl_clock();
    int code = work(context, err);
    for (int round = 0; !code && (round < 2 || kl_clock() - begun < SECONDS); round++) {
        const double start = kl_clock();
        code = work(context, err);
        best = fmin(best, kl_clock() - start);
    }
    *rate = code ? 0 : n / best;
    return code;
}

/* Zeros. */
static void *take(struct kl_arena *memory, size_t n, size_t size)
{
    void *to = kl_arena_take(memory, n, size);
    return to ? memset(to, 0, n * size) : NULL;
}

static void wrong(struct kl_gpu_rates *r, const char *what)
{
    snprintf(r->problem, sizeof r->problem, "%s give wrong numbers", what);
}

/* ---- circuits ---- */

enum { FEW = 256, MANY = 65536 }; /* of a batch: to see how long they take; at most */

struct circuits {
    const struct kl_cuda_batch_calls *calls;
    struct kl_cuda_batch *batch;
    const struct kl_circuit *c;
    float *x, *w, *out, *cot, *dx, *dw;
};

static int run_circuits(void *context, struct kl_error *err)
{
    const struct circuits *k = context;
    return k->calls->run(k->batch, k->out, k->dx, k->dw, k->x, k->w, k->cot, NULL, 0, err);
}

/* Without angles every qubit stays in |0>: all expectation values are 1, their gradients 0. */
static bool is_right(const struct circuits *k, size_t n)
{
    for (size_t i = 0; i < n * k->c->n_obs; i++)
        if (!(fabsf(k->out[i] - 1) < 1e-5f)) return false;
    for (size_t i = 0; i < k->c->n_weights; i++)
        if (!(fabsf(k->dw[i]) < 1e-3f)) return false;
    return true;
}

/* n of them at once: *rate, circuits a second. */
static int race_circuits(double *rate, bool *right, struct circuits *k, size_t n,
                         const struct kl_cuda_circuit *lowered, int device, struct kl_error *err)
{
    const size_t in = n * k->c->n_inputs, out = n * k->c->n_obs, weights = k->c->n_weights;
    float *all = calloc(2 * (in + out + weights), sizeof *all);
    if (!all) return kl_fail_memory(err, 2 * (in + out + weights) * sizeof *all);
    k->x = all, k->dx = k->x + in, k->out = k->dx + in, k->cot = k->out + out, k->w = k->cot + out,
    k->dw = k->w + weights;
    for (size_t i = 0; i < out; i++) k->cot[i] = 1 / (float)n;
    int code = k->calls->open(&k->batch, lowered, n, device, err);
    if (!code) code = run_circuits(k, err);
    *right = code || is_right(k, n);
    for (size_t i = 0; i < in; i++) k->x[i] = sinf(0.7f * (float)(i + 1));
    for (size_t i = 0; i < weights; i++) k->w[i] = sinf(0.3f * (float)(i + 1));
    if (!code) code = race(rate, (double)n, run_circuits, k, err);
    k->calls->close(&k->batch);
    free(all);
    return code;
}

static int circuits(struct kl_gpu_rates *r, int i, const struct kl_device *device, struct kl_error *err)
{
    struct kl_circuit_options options;
    struct kl_circuit *c = NULL;
    struct kl_cuda_circuit lowered;
    struct kl_arena memory = { 0 };
    bool right = true;
    kl_circuit_options_default(&options);
    options.n_qubits = kl_rates_qubits[i];
    options.n_layers = 3;
    int code = kl_circuit_build(&c, &options, err);
    if (!code) code = kl_arena_init(&memory, 0, err);
    if (!code) code = kl_circuit_for_cuda(&lowered, c, &memory, err);
    struct circuits k = { .calls = device->cuda->batch, .c = c };
    if (!code) code = race_circuits(&r->circuit[i], &right, &k, FEW, &lowered, device->number, err);
    /* As many as a GPU needs to be busy, where that is no matter of seconds. */
    if (!code && right && r->circuit[i] * SECONDS / 4 > MANY)
        code = race_circuits(&r->circuit[i], &right, &k, MANY, &lowered, device->number, err);
    if (!right)
        snprintf(r->problem, sizeof r->problem, "circuits of %d qubits give wrong numbers",
                 kl_rates_qubits[i]);
    kl_arena_free(&memory);
    kl_circuit_free(&c);
    return code;
}

/* ---- small networks: classifiers of devices ---- */

enum { ROWS = 1024, RUNS = 512 };

struct networks {
    const struct kl_cuda_mlps_calls *calls;
    struct kl_cuda_mlps *mlps;
    struct kl_cuda_mlp_epoch *epochs;
    struct kl_cuda_mlp_result *results;
    int32_t *order;
    size_t n;
};

static int run_networks(void *context, struct kl_error *err)
{
    struct networks *k = context;
    const int code = k->calls->start(k->mlps, k->epochs, k->n, k->order, err);
    for (size_t i = 0; i < k->n; i++) k->epochs[i].step += ROWS / KL_MLP_BATCH;
    return code ? code : k->calls->finish(k->mlps, k->results, err);
}

static int put_networks(struct networks *k, const struct kl_mlp *net, struct kl_error *err)
{
    static uint8_t labels[ROWS];
    size_t size = 0;
    int code = KL_OK;
    for (int l = 0; l < net->n_layers; l++)
        size += (size_t)(net->size[l] + 1) * (size_t)net->size[l + 1];
    float *params = malloc(size * sizeof *params);
    if (!params) return kl_fail_memory(err, size * sizeof *params);
    for (size_t i = 0; i < size; i++) params[i] = 0.1f * sinf(0.37f * (float)(i + 1));
    for (size_t i = 0; i < ROWS; i++) labels[i] = i % 3;
    for (size_t i = 0; i < k->n && !code; i++) {
        k->epochs[i] = (struct kl_cuda_mlp_epoch){ .run = (int32_t)i, .n_training = ROWS, .lr = 1e-3f };
        for (size_t j = 0; j < ROWS; j++) k->order[i * ROWS + j] = (int32_t)j;
        code = k->calls->put(k->mlps, i, params, labels, k->order, 1, err);
    }
    free(params);
    return code;
}

static int networks(struct kl_gpu_rates *r, size_t runs, const struct kl_device *device,
                    struct kl_arena *memory, struct kl_error *err)
{
    static uint64_t rows[ROWS][2];
    static const float one[1] = { 1 };
    const struct kl_cuda_mlp shape = { .net = { 3, { 100, 30, 20, 3 } },
                                       .batch = KL_MLP_BATCH,
                                       .keep_scale = 1,
                                       .adam = { .shrink = 1,
                                                 .beta1 = 0.9f,
                                                 .rest1 = 0.1f,
                                                 .beta2 = 0.999f,
                                                 .rest2 = 0.001f,
                                                 .epsilon = 1e-8f },
                                       .rate = one,
                                       .root = one,
                                       .n_steps = 1,
                                       .rows = rows,
                                       .n_rows = ROWS,
                                       .stride = sizeof rows[0],
                                       .packed = true };
    struct networks k = { .calls = device->cuda->mlps, .n = runs };
    for (size_t i = 0; i < ROWS; i++) rows[i][0] = i * 0x9e3779b97f4a7c15u, rows[i][1] = i * i;
    int code = k.calls->open(&k.mlps, &k.n, &shape, device->number, err);
    k.epochs = take(memory, k.n, sizeof *k.epochs), k.results = take(memory, k.n, sizeof *k.results);
    k.order = take(memory, k.n * ROWS, sizeof *k.order);
    if (!code && (!k.epochs || !k.results || !k.order)) code = kl_fail_memory(err, k.n * ROWS * 4);
    if (!code) code = put_networks(&k, &shape.net, err);
    if (!code) code = race(&r->network_rows, (double)(k.n * ROWS), run_networks, &k, err);
    k.calls->close(&k.mlps);
    return code;
}

/* ---- windows: Hydra's circuits, a step of copies side by side, there and back ---- */

enum { QUBITS = 6, ANGLES = 2 * 4 * QUBITS, CHANNELS = 64, STEPS = 249, STRIDE = 256, MOST = 64 };
static const float around = 6.28318f; /* factor of a step's angles */

struct windows {
    const struct kl_cuda_windows_calls *calls;
    struct kl_cuda_windows *windows;
    struct kl_cuda_windows_batch batch;
    struct kl_cuda_windows_places at;
    size_t outputs; /* of a window */
    float *given, *by_given, *sum, *by_sum;
};

static int run_windows(void *context, struct kl_error *err)
{
    const struct windows *k = context;
    const int code = k->calls->forward(k->windows, k->sum, &k->batch, err);
    return code ? code : k->calls->back(k->windows, k->by_given, NULL, k->by_sum, err);
}

/* Of each wire's first RY; all other angles are 0. */
static float turn_of(size_t wire)
{
    return 0.3f * (float)(wire + 1);
}

/* Layers of RY, XX, RY, YY on all wires or rings. image: each state's with its first qubit flipped. */
static struct kl_cuda_windows_shape hydra(struct kl_cuda_rotation rotations[ANGLES],
                                          uint32_t image[1 << QUBITS])
{
    for (int i = 0; i < ANGLES; i++) {
        const int wire = i % QUBITS, block = i / QUBITS % 4;
        const uint32_t one = 1u << (QUBITS - 1 - wire),
                       two = one | 1u << (QUBITS - 1 - (wire + 1) % QUBITS);
        rotations[i] = (struct kl_cuda_rotation){ block % 2 ? two : one,
                                                  block == 1   ? 0
                                                  : block == 3 ? two
                                                               : one,
                                                  i };
    }
    for (uint32_t k = 0; k < 1 << QUBITS; k++) image[k] = k ^ 1u << (QUBITS - 1);
    return (struct kl_cuda_windows_shape){ .kind = KL_CUDA_WINDOW_TURNED,
                                           .superposed = 1,
                                           .n_qubits = QUBITS,
                                           .n_rotations = ANGLES,
                                           .n_angles = ANGLES,
                                           .channels = CHANNELS,
                                           .steps = STEPS,
                                           .stride = STRIDE,
                                           .n_weights = 2,
                                           .factor = around,
                                           .rotations = rotations,
                                           .image = image };
}

/* All steps of a window have the same angles, and their mean is asked for. */
static void give_windows(const struct windows *k)
{
    for (size_t c = 0; c < k->batch.n; c++) {
        float *given = k->given + c * k->at.end;
        for (size_t i = 0; i < ANGLES; i++)
            given[k->at.base + i] = (i < QUBITS ? turn_of(i) : 0) - around / 2;
        for (size_t i = 0; i < 2 * STEPS; i++) given[k->at.weights + i] = 1.0f / STEPS;
        given[k->at.mix] = 1;
    }
    for (size_t i = 0; i < k->batch.n * k->batch.count * k->outputs; i++)
        k->by_sum[i] = i % k->outputs / QUBITS == 2 ? 1 / (float)k->batch.count : 0; /* of <Z> */
}

/* Each wire by itself has <X> = sin, <Y> = 0, <Z> = cos of its angle. */
static bool are_windows_right(const struct windows *k)
{
    for (size_t i = 0; i < k->batch.n * k->batch.count * k->outputs; i++) {
        const size_t axis = i % k->outputs / QUBITS % 3;
        const float angle = turn_of(i % QUBITS);
        const float right = axis == 0 ? sinf(angle) : axis == 1 ? 0 : cosf(angle);
        if (!(fabsf(k->sum[i] - right) < 1e-4f)) return false;
    }
    for (size_t c = 0; c < k->batch.n; c++)
        for (size_t i = 0; i < QUBITS; i++)
            if (!(fabsf(k->by_given[c * k->at.end + k->at.base + i] + sinf(turn_of(i))) < 1e-3f))
                return false;
    return true;
}

/* n windows, of copies that have `MOST` of them each. */
static int windows(struct kl_gpu_rates *r, size_t n, const struct kl_device *device,
                   struct kl_arena *memory, struct kl_error *err)
{
    struct kl_cuda_rotation rotations[ANGLES];
    uint32_t image[1 << QUBITS];
    const struct kl_cuda_windows_shape shape = hydra(rotations, image);
    struct windows k = { .calls = device->cuda->windows,
                         .at = kl_cuda_windows_places(&shape),
                         .outputs = kl_cuda_windows_outputs(&shape) };
    const size_t copies = (n + MOST - 1) / MOST, count = n / copies, all = copies * count,
                 values = all * k.outputs, given = copies * k.at.end;
    float *x = take(memory, count * CHANNELS * STRIDE, sizeof *x);
    int32_t *rows = take(memory, all, sizeof *rows);
    uint32_t *replica = take(memory, copies, sizeof *replica);
    k.given = take(memory, 2 * given, sizeof *k.given), k.sum = take(memory, 2 * values, sizeof *k.sum);
    if (!x || !rows || !replica || !k.given || !k.sum) return kl_fail_memory(err, values * sizeof *x);
    k.by_given = k.given + given, k.by_sum = k.sum + values;
    k.batch = (struct kl_cuda_windows_batch){
        .n = copies, .count = count, .rows = rows, .given = k.given, .replica = replica
    };
    for (size_t i = 0; i < all; i++) rows[i] = (int32_t)(i % count);
    for (size_t i = 0; i < count * CHANNELS * STRIDE; i++) x[i] = sinf(0.7f * (float)(i + 1));
    give_windows(&k);
    int code = k.calls->open(&k.windows, &shape, count, copies, count, count, device->number, err);
    if (!code) code = k.calls->put(k.windows, 0, x, count, err);
    if (!code) code = race(&r->windows, (double)all, run_windows, &k, err);
    if (!code && !are_windows_right(&k)) wrong(r, "circuits of windows");
    if (k.windows) k.calls->close(&k.windows);
    return code;
}

/* ---- chains: SGLD of a small network, as sgld sample draws it ---- */

enum { UNITS = 32, INPUTS = 4, RECORDS = 50, GO = 16, PARAMS = UNITS * (INPUTS + 2) + 1 };
static const struct kl_langevin_factors langevin = { 0.999, 0.01, 0.01 };

struct chains {
    const struct kl_cuda_chains_calls *calls;
    struct kl_cuda_chains *chains;
    struct kl_cuda_chain *list;
    struct kl_cuda_chain_span span;
    struct kl_cuda_chain_outcome *outcomes;
    struct kl_cuda_chain_judged judged;
    size_t n;
    float *w;
};

static int run_chains(void *context, struct kl_error *err)
{
    struct chains *k = context;
    return k->calls->go(k->chains, k->list, k->n, &k->span, 1, k->n * GO, k->w, NULL, NULL, k->outcomes,
                        &k->judged, err);
}

static void first_weights(float *w)
{
    for (size_t j = 0; j < PARAMS; j++) w[j] = 0.5f * sinf(0.37f * (float)(j + 1));
}

/* The last chain's first steps are those of this processor. */
static bool are_chains_right(const struct chains *k, const struct kl_shallow *net,
                             const struct kl_shallow_records *records)
{
    const struct kl_langevin_stream stream = { .key = k->n, .purpose = KL_RANDOM_LANGEVIN };
    struct kl_langevin_factors factors[GO];
    struct kl_shallow_sums sums[GO];
    int64_t rows[GO * RECORDS];
    float w[PARAMS], packed[UNITS * (INPUTS + 2) + KL_SHALLOW_LANES], work[UNITS * RECORDS];
    for (size_t i = 0; i < GO; i++) factors[i] = langevin;
    for (size_t i = 0; i < GO * RECORDS; i++) rows[i] = (int64_t)(i % RECORDS);
    first_weights(w);
    kl_shallow_pack(packed, w, net);
    kl_kernel_shallow_steps_f32()(packed, net, records, rows, GO * RECORDS, RECORDS, factors, &stream,
                                  sums, work);
    kl_shallow_unpack(w, packed, net);
    for (size_t j = 0; j < PARAMS; j++)
        if (!(fabsf(k->w[(k->n - 1) * PARAMS + j] - w[j]) < 1e-4f)) return false;
    return true;
}

static int chains(struct kl_gpu_rates *r, size_t n, const struct kl_device *device,
                  struct kl_arena *memory, struct kl_error *err)
{
    static float x[RECORDS * INPUTS];
    static int32_t label[RECORDS];
    const struct kl_shallow_records records = { x, label };
    const struct kl_cuda_chains_shape shape = { .net = { INPUTS, UNITS, KL_SHALLOW_BBCE, 0.0183 },
                                                .sampler = KL_CUDA_SGLD,
                                                .fused = 1,
                                                .n_sets = 1,
                                                .n = { RECORDS, RECORDS },
                                                .batch = RECORDS,
                                                .x = { x, x },
                                                .label = { label, label },
                                                .chains = n,
                                                .spans = 1,
                                                .steps = n * GO };
    struct chains k = { .calls = device->cuda->chains, .n = n, .span = { .beta = 1, .count = GO } };
    k.list = take(memory, n, sizeof *k.list), k.w = take(memory, n * PARAMS, sizeof *k.w);
    k.outcomes = take(memory, n * GO, sizeof *k.outcomes);
    if (!k.list || !k.w || !k.outcomes) return kl_fail_memory(err, n * GO * sizeof *k.outcomes);
    for (int t = 0; t < KL_CUDA_CHAIN_TENSORS; t++) k.span.factors[t] = langevin;
    for (size_t i = 0; i < RECORDS * INPUTS; i++) x[i] = sinf(0.7f * (float)(i + 1));
    for (size_t i = 0; i < RECORDS; i++) label[i] = x[i * INPUTS] > 0;
    for (size_t i = 0; i < n; i++) {
        k.list[i] = (struct kl_cuda_chain){ .key = i + 1, .n_spans = 1, .first_step = i * GO };
        first_weights(k.w + i * PARAMS);
    }
    int code = k.calls->open(&k.chains, &shape, device->number, err);
    if (!code) code = run_chains(&k, err);
    if (!code && !are_chains_right(&k, &shape.net, &records)) wrong(r, "chains");
    if (!code) code = race(&r->chain_steps, (double)(n * GO), run_chains, &k, err);
    if (k.chains) k.calls->close(&k.chains);
    return code;
}

/* ---- pulses: gradients of a qubit's gate, as qcontrol train asks for them ---- */

enum { SEGMENTS = 60, NUMBERS = 2 * SEGMENTS };
static const struct kl_bloch qubit = { .segments = SEGMENTS,
                                       .controls = 2,
                                       .columns = 3,
                                       .substeps = 1,
                                       .dt = 1.0 / SEGMENTS,
                                       .start = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };

struct pulses {
    const struct kl_cuda_bloch_calls *calls;
    struct kl_cuda_bloch *bloch;
    struct kl_cuda_bloch_at at;
};

static int run_pulses(void *context, struct kl_error *err)
{
    const struct pulses *k = context;
    return k->calls->at(k->bloch, &k->at, err);
}

/* Number i of the task's, in either precision. */
static double number(const void *v, size_t i, int single)
{
    return single ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

/* The last tasks' losses and gradients are those of this processor in double. */
static bool are_pulses_right(const struct kl_cuda_bloch_at *at, size_t n, int single, double *work)
{
    enum { LAST = KL_BLOCH_LANES };
    double u[NUMBERS * LAST], grad[NUMBERS * LAST], params[KL_BLOCH_PARAMS * LAST], weights[9 * LAST],
        loss[LAST];
    const struct {
        double *to;
        const void *from;
        size_t rows;
    } given[] = { { u, at->u, NUMBERS },
                  { params, at->params, KL_BLOCH_PARAMS },
                  { weights, at->weights, 9 } };
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        for (size_t i = 0; i < given[k].rows * LAST; i++)
            given[k].to[i] = number(given[k].from, i / LAST * n + n - LAST + i % LAST, single);
    kl_kernel_bloch_gradient_f64()(loss, grad, NULL, NULL, u, params, weights, &qubit, LAST, work);
    const double bound = single ? 1e-5 : 1e-10;
    for (size_t i = 0; i < (NUMBERS + 1) * LAST; i++) {
        const size_t at_gpu = i / LAST * n + n - LAST + i % LAST;
        const double found = i < NUMBERS * LAST ? number(at->grad_u, at_gpu, single)
                                                : number(at->loss, at_gpu - NUMBERS * n, single);
        if (!(fabs(found - (i < NUMBERS * LAST ? grad[i] : loss[i % LAST])) < bound)) return false;
    }
    return true;
}

/* A number in either precision. */
static void put(void *v, size_t i, int single, double x)
{
    if (single) ((float *)v)[i] = (float)x;
    else ((double *)v)[i] = x;
}

static int pulses_in(double *rate, int single, struct kl_gpu_rates *r, size_t n,
                     const struct kl_device *device, struct kl_arena *memory, struct kl_error *err)
{
    const size_t size = single ? sizeof(float) : sizeof(double);
    void *u = take(memory, n * NUMBERS, size), *grad_u = take(memory, n * NUMBERS, size),
         *params = take(memory, n * KL_BLOCH_PARAMS, size), *weights = take(memory, n * 9, size),
         *loss = take(memory, n, size);
    double *work = take(memory, kl_bloch_work(&qubit), sizeof *work);
    if (!u || !grad_u || !params || !weights || !loss || !work)
        return kl_fail_memory(err, 2 * n * NUMBERS * size);
    /* Of the X gate. */
    for (size_t i = 0; i < n; i++) {
        put(params, KL_BLOCH_DEPHASING * n + i, single, 0.1);
        for (size_t c = 0; c < 3; c++) put(weights, 4 * c * n + i, single, c == 0 ? 1 : -1);
    }
    for (size_t i = 0; i < n * NUMBERS; i++) put(u, i, single, 3 * sin(0.7 * (double)(i + 1)));
    struct pulses k = {
        .calls = device->cuda->bloch,
        .at = { .u = u, .params = params, .weights = weights, .loss = loss, .grad_u = grad_u }
    };
    int code = k.calls->open(&k.bloch, &qubit, n, single, device->number, err);
    if (!code) code = race(rate, (double)n, run_pulses, &k, err);
    if (!code && !are_pulses_right(&k.at, n, single, work)) wrong(r, "gradients of pulses");
    if (k.bloch) k.calls->close(&k.bloch);
    return code;
}
static int pulses(struct kl_gpu_rates *r, size_t n, const struct kl_device *device,
                  struct kl_arena *memory, struct kl_error *err)
{
    return pulses_in(&r->gradients, 0, r, n, device, memory, err);
}
static int single_pulses(struct kl_gpu_rates *r, size_t n, const struct kl_device *device,
                         struct kl_arena *memory, struct kl_error *err)
{
    return pulses_in(&r->single_gradients, 1, r, n, device, memory, err);
}

/* ---- a GPU ---- */

/* Of a family few first; then many, where few have reached a rate at which these are no matter of
   seconds. */
static const struct family {
    int (*run)(struct kl_gpu_rates *r, size_t n, const struct kl_device *device, struct kl_arena *memory,
               struct kl_error *err);
    size_t rate, few, many; /* rate: its place in struct kl_gpu_rates */
    double enough;          /* in SECONDS */
} families[] = {
    { networks, offsetof(struct kl_gpu_rates, network_rows), 1, RUNS, 4 * ROWS },
    { windows, offsetof(struct kl_gpu_rates, windows), 1, 10 * MOST, 60 },
    { chains, offsetof(struct kl_gpu_rates, chain_steps), 16, 1024, 65536 },
    { pulses, offsetof(struct kl_gpu_rates, gradients), 64, 16384, 2048 },
    { single_pulses, offsetof(struct kl_gpu_rates, single_gradients), 64, 16384, 2048 },
};

static int race_family(struct kl_gpu_rates *r, const struct family *f, const struct kl_device *device,
                       struct kl_error *err)
{
    const double *reached = (const double *)(const void *)((const char *)r + f->rate);
    struct kl_arena memory;
    int code = kl_arena_init(&memory, 0, err);
    if (code) return code;
    code = f->run(r, f->few, device, &memory, err);
    kl_arena_reset(&memory);
    if (!code && *reached * SECONDS > f->enough) code = f->run(r, f->many, device, &memory, err);
    kl_arena_free(&memory);
    return code;
}

static int measure(struct kl_gpu_rates *r, const struct kl_device *device, struct kl_error *err)
{
    int code = device->cuda->take(&r->left, device->number, err);
    for (int i = 0; i < 2 && !code; i++) code = circuits(r, i, device, err);
    for (size_t i = 0; i < sizeof families / sizeof *families && !code && !*r->problem; i++)
        code = race_family(r, &families[i], device, err);
    return code;
}

int kl_doctor_gpus(struct kl_gpu_rates *rates)
{
    struct kl_error err;
    struct kl_device device;
    int n = 0;
    for (; n < KL_MOST_GPUS; n++) {
        char name[16];
        snprintf(name, sizeof name, "cuda:%d", n);
        if (kl_device_choose(&device, name, &err)) break;
        rates[n] = (struct kl_gpu_rates){ 0 };
        snprintf(rates[n].name, sizeof rates[n].name, "%s", device.name);
        if (measure(&rates[n], &device, &err))
            snprintf(rates[n].problem, sizeof rates[n].problem, "%.150s", err.text);
    }
    return n;
}
