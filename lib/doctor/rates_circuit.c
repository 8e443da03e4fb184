/* SPDX-License-Identifier: MIT
   Forward and adjoint sweep of the default circuit over a batch. */
#include "doctor/doctor_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

enum { BATCH = 64, LAYERS = 3 };

struct work {
    const struct kl_circuit *c;
    struct kl_arena arena;
    float *x, *w, *out, *cot, *dx, *dw, *state;
    int code;
};

static void step(void *context, size_t thread)
{
    struct work *k = (struct work *)context + thread;
    if (k->code) return;
    kl_arena_reset(&k->arena);
    memset(k->dw, 0, k->c->n_weights * sizeof *k->dw);
    k->code = kl_circuit_forward_f32(k->out, k->state, k->c, k->x, k->w, BATCH, NULL, &k->arena, NULL);
    if (!k->code)
        k->code = kl_circuit_adjoint_f32(k->dx, k->dw, k->state, k->c, k->x, k->w, k->cot, BATCH, NULL,
                                         &k->arena, NULL);
}

static int make_work(struct work *k, const struct kl_circuit *c, struct kl_error *err)
{
    const size_t in = BATCH * c->n_inputs, out = BATCH * c->n_obs, weights = c->n_weights,
                 state = kl_circuit_state_size(c, BATCH);
    const size_t all = 2 * in + 2 * out + 2 * weights + state + 8 * 16;
    *k = (struct work){ .c = c };
    int code = kl_arena_init(&k->arena, 0, err);
    if (code) return code;
    if (!(k->x = calloc(all, sizeof *k->x))) return kl_fail_memory(err, all * sizeof *k->x);
    k->w = k->x + (in + 15) / 16 * 16;
    k->out = k->w + (weights + 15) / 16 * 16;
    k->cot = k->out + (out + 15) / 16 * 16;
    k->dx = k->cot + (out + 15) / 16 * 16;
    k->dw = k->dx + (in + 15) / 16 * 16;
    k->state = k->dw + (weights + 15) / 16 * 16;
    kl_doctor_rates_fill(k->cot, out, 0.11f);
    return KL_OK;
}

/* Without angles every qubit stays in |0>: all expectation values are 1, their gradients 0. */
static bool is_right(const struct work *k)
{
    for (size_t i = 0; i < BATCH * k->c->n_obs; i++)
        if (!(fabsf(k->out[i] - 1) < 1e-5f)) return false;
    for (size_t i = 0; i < k->c->n_weights; i++)
        if (!(fabsf(k->dw[i]) < 1e-4f)) return false;
    return true;
}

/* Multiplications and additions that are carried out, as tests/bench/circuit.c counts them. */
static double operations(int n_qubits)
{
    const double rotations = n_qubits * (LAYERS - 1), amplitudes = ldexp(1, n_qubits);
    return amplitudes * (rotations * (6 + 16) / 2 + 16);
}

static int measure(struct kl_rates *rates, int i, struct work *works, size_t threads,
                   struct kl_pool *pool, struct kl_error *err)
{
    step(works, 0);
    if (!works->code && !is_right(works))
        snprintf(rates->problem, sizeof rates->problem, "circuits of %d qubits give wrong numbers",
                 kl_rates_qubits[i]);
    for (size_t t = 0; t < threads; t++) {
        kl_doctor_rates_fill(works[t].x, BATCH * works[t].c->n_inputs, 0.7f);
        kl_doctor_rates_fill(works[t].w, works[t].c->n_weights, 0.3f);
    }
    rates->circuit[i] = BATCH * kl_doctor_rates_race(step, works, pool, 0.25);
    rates->circuit_share[i] = rates->circuit[i] * operations(kl_rates_qubits[i]) / rates->peak;
    for (size_t t = 0; t < threads; t++)
        if (works[t].code) return kl_fail(err, works[t].code, "no memory for the circuits' scratch");
    return KL_OK;
}

int kl_doctor_rates_circuit(struct kl_rates *rates, int i, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    struct kl_circuit_options options;
    struct kl_circuit *c = NULL;
    kl_circuit_options_default(&options);
    options.n_qubits = kl_rates_qubits[i];
    options.n_layers = LAYERS;
    struct work *works = calloc(threads, sizeof *works);
    int code =
        works ? kl_circuit_build(&c, &options, err) : kl_fail_memory(err, threads * sizeof *works);
    for (size_t t = 0; !code && t < threads; t++) code = make_work(&works[t], c, err);
    if (!code) code = measure(rates, i, works, threads, pool, err);
    for (size_t t = 0; works && t < threads; t++) {
        free(works[t].x);
        kl_arena_free(&works[t].arena);
    }
    free(works);
    kl_circuit_free(&c);
    return code;
}
