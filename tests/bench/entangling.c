/* SPDX-License-Identifier: MIT
   Strongly entangling layers alone, float: forward and gradients of inputs and weights. Three layers
   on 4 and 10 qubits, batch 64; four layers on 16 and 20 qubits, one sample, which is one training
   step's gradient of a weighted sum of all <Z_q>. One thread and all, and how much of one core's peak.
 */
#include "circuit/circuit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/select.h"
#include "peak.h"

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

static struct work begin(int n_qubits, int n_layers, size_t batch)
{
    struct work k = { .n = batch };
    struct kl_error err;
    struct kl_circuit_options o;
    kl_circuit_options_default(&o);
    o.n_qubits = n_qubits;
    o.n_layers = n_layers;
    o.ansatz = "strongly-entangling";
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

/* Multiplications and additions of one thread's work: a matrix on a pair of amplitudes takes 28; on the
   way back it takes them on state and bra, and 26 for its inner products. The first layer is a product
   and hardly counts. Above 12 qubits forward runs twice. */
static double flops(int n_qubits, int n_layers, size_t batch)
{
    const double pairs = ldexp(1, n_qubits - 1) * n_qubits * (n_layers - 1) * (double)batch;
    return pairs * ((n_qubits > 12 ? 2 : 1) * 28 + 2 * 28 + 26);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int n_qubits, n_layers;
        size_t batch;
    } cases[] = { { "entangling4", 4, 3, 64 },
                  { "entangling10", 10, 3, 64 },
                  { "gradient16", 16, 4, 1 },
                  { "gradient20", 20, 4, 1 } };
    double budget = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 0.1 : 2;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    must(kl_pool_create(&pool, 0, &err), &err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct work k = begin(cases[i].n_qubits, cases[i].n_layers, cases[i].batch);
        double one = seconds(&k, NULL, budget), all = seconds(&k, pool, budget);
        printf("%s: %zu sample%s, %.4g ms, one thread; %.4g ms, %d threads\n", cases[i].name, k.n,
               kl_s(k.n), 1e3 * one, 1e3 * all, kl_pool_size(pool));
        const double rate = 1e-9 * flops(cases[i].n_qubits, cases[i].n_layers, k.n) / one,
                     peak = peak_gflops(kl_kernels()->isa);
        printf("%s, %s, one thread: %.1f GFLOP/s, peak %.1f: %.0f%%\n", cases[i].name, kl_kernels()->isa,
               rate, peak, 100 * rate / peak);
        printf("bench %s/ketline %.4g s\n", cases[i].name, one < all ? one : all);
        end(&k);
    }
    kl_pool_destroy(&pool);
    return 0;
}
