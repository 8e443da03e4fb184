/* SPDX-License-Identifier: MIT
   A circuit's forward and adjoint sweep over a batch of samples, float, and how long they take. */
#ifndef KL_BENCH_CIRCUIT_WORK_H
#define KL_BENCH_CIRCUIT_WORK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

struct work {
    struct kl_circuit *c;
    struct kl_arena arena;
    size_t n;
    float *x, *w, *out, *cot, *dx, *dw, *state;
};

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static float *values(size_t n, float step)
{
    float *v = aligned_alloc(64, (n * sizeof *v + 127) / 64 * 64);
    for (size_t i = 0; i < n; i++) v[i] = sinf(step * (float)(i + 1));
    return v;
}

static struct work begin(const char *ansatz, int n_qubits, int n_layers, size_t batch)
{
    struct work k = { .n = batch };
    struct kl_error err;
    struct kl_circuit_options o;
    kl_circuit_options_default(&o);
    o.n_qubits = n_qubits;
    o.n_layers = n_layers;
    o.ansatz = ansatz;
    must(kl_circuit_build(&k.c, &o, &err), &err);
    must(kl_arena_init(&k.arena, 0, &err), &err);
    k.x = values(batch * k.c->n_inputs, 0.7f);
    k.w = values(k.c->n_weights, 0.3f);
    k.cot = values(batch * k.c->n_obs, 0.11f);
    k.out = values(batch * k.c->n_obs, 0);
    k.dx = values(batch * k.c->n_inputs, 0);
    k.dw = values(k.c->n_weights, 0);
    k.state = values(kl_circuit_state_size(k.c, batch), 0);
    return k;
}

static void end(struct work *k)
{
    free(k->x), free(k->w), free(k->cot), free(k->out), free(k->dx), free(k->dw), free(k->state);
    kl_arena_free(&k->arena);
    kl_circuit_free(&k->c);
}

static void step(struct work *k, struct kl_pool *pool)
{
    struct kl_error err;
    kl_arena_reset(&k->arena);
    memset(k->dw, 0, k->c->n_weights * sizeof *k->dw);
    must(kl_circuit_forward_f32(k->out, k->state, k->c, k->x, k->w, k->n, pool, &k->arena, &err), &err);
    must(kl_circuit_adjoint_f32(k->dx, k->dw, k->state, k->c, k->x, k->w, k->cot, k->n, pool, &k->arena,
                                &err),
         &err);
}

/* Seconds a batch: the best of several rounds. */
static double seconds(struct work *k, struct kl_pool *pool, double budget)
{
    double best = 1e9, begun = kl_clock();
    step(k, pool);
    long rounds = 1 + (long)(0.01 / (kl_clock() - begun));
    for (begun = kl_clock(); best > 1e8 || kl_clock() - begun < budget;) {
        double start = kl_clock();
        for (long r = 0; r < rounds; r++) step(k, pool);
        double each = (kl_clock() - start) / (double)rounds;
        if (each < best) best = each;
    }
    return best;
}

#endif
