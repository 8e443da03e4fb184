/* SPDX-License-Identifier: MIT
   What the GPUs here reach: circuits with their gradients, small networks, GANs, half a second each,
   copies included; what they give is checked where it is known; what their memory holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "doctor/doctor.h"
#include "kernels/cuda.h"
#include "kernels/device.h"

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
                    struct kl_error *err)
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
    k.epochs = calloc(k.n, sizeof *k.epochs), k.results = calloc(k.n, sizeof *k.results);
    k.order = calloc(k.n * ROWS, sizeof *k.order);
    if (!code && (!k.epochs || !k.results || !k.order)) code = kl_fail_memory(err, k.n * ROWS * 4);
    if (!code) code = put_networks(&k, &shape.net, err);
    if (!code) code = race(&r->network_rows, (double)(k.n * ROWS), run_networks, &k, err);
    k.calls->close(&k.mlps);
    free(k.epochs), free(k.results), free(k.order);
    return code;
}

/* ---- a GPU ---- */

static int measure(struct kl_gpu_rates *r, const struct kl_device *device, struct kl_error *err)
{
    int code = device->cuda->take(&r->left, device->number, err);
    for (int i = 0; i < 2 && !code; i++) code = circuits(r, i, device, err);
    if (!code) code = networks(r, 1, device, err);
    if (!code && r->network_rows * SECONDS > 4 * ROWS) code = networks(r, RUNS, device, err);
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
