/* SPDX-License-Identifier: MIT
   The circuit alone, ry-ring with three layers, float, batch 64: forward and gradients of inputs and
   weights, one thread and all; then each instruction set beside its peak, and the cost of a gate. */
#include "circuit/circuit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/select.h"
#include "peak.h"

enum { BATCH = 64, LAYERS = 3 };

struct work {
    struct kl_circuit *c;
    struct kl_arena arena;
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

static struct work begin(int n_qubits)
{
    struct work k;
    struct kl_error err;
    struct kl_circuit_options o;
    kl_circuit_options_default(&o);
    o.n_qubits = n_qubits;
    must(kl_circuit_build(&k.c, &o, &err), &err);
    must(kl_arena_init(&k.arena, 0, &err), &err);
    k.x = values(BATCH * k.c->n_inputs, 0.7f);
    k.w = values(k.c->n_weights, 0.3f);
    k.cot = values(BATCH * k.c->n_obs, 0.11f);
    k.out = values(BATCH * k.c->n_obs, 0);
    k.dx = values(BATCH * k.c->n_inputs, 0);
    k.dw = values(k.c->n_weights, 0);
    k.state = values(kl_circuit_state_size(k.c, BATCH), 0);
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
    must(kl_circuit_forward_f32(k->out, k->state, k->c, k->x, k->w, BATCH, pool, &k->arena, &err), &err);
    must(kl_circuit_adjoint_f32(k->dx, k->dw, k->state, k->c, k->x, k->w, k->cot, BATCH, pool, &k->arena,
                                &err),
         &err);
}

/* Seconds a batch: the best of several rounds. */
static double seconds(int n_qubits, struct kl_pool *pool, double budget)
{
    struct work k = begin(n_qubits);
    double best = 1e9, begun = kl_clock();
    step(&k, pool);
    long rounds = 1 + (long)(0.01 / (kl_clock() - begun));
    for (begun = kl_clock(); kl_clock() - begun < budget;) {
        double start = kl_clock();
        for (long r = 0; r < rounds; r++) step(&k, pool);
        double each = (kl_clock() - start) / (double)rounds;
        if (each < best) best = each;
    }
    end(&k);
    return best;
}

/* Multiplications and additions that are carried out: 6 a pair of amplitudes and rotation forward, 12 +
   4 backward, but the first rotation of a qubit is merged with its embedding; products, observables and
   their way back take 16 an amplitude. */
static double flops(int n_qubits)
{
    double rotations = n_qubits * (LAYERS - 1), amplitudes = ldexp(1, n_qubits);
    return BATCH * amplitudes * (rotations * (6 + 16) / 2 + 16);
}

int main(int argc, char **argv)
{
    static const int sizes[] = { 4, 10 };
    double budget = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 0.1 : 1;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    must(kl_pool_create(&pool, 0, &err), &err);
    for (size_t i = 0; i < 2; i++) {
        double one = seconds(sizes[i], NULL, budget), all = seconds(sizes[i], pool, budget);
        printf("%d qubits: %.2f us a batch, one thread; %.2f us, %d threads; %.2f ns a rotation and "
               "sample\n",
               sizes[i], 1e6 * one, 1e6 * all, kl_pool_size(pool),
               1e9 * one / BATCH / (sizes[i] * (LAYERS + 1)));
        printf("bench circuit%d/ketline %.4g s\n", sizes[i], one < all ? one : all);
    }
    for (int isa = 0; kl_kernels_of(isa); isa++) {
        double peak = peak_gflops(kl_kernels_of(isa)->isa);
        setenv("KETLINE_ISA", kl_kernels_of(isa)->isa, 1);
        for (size_t i = 0; i < 2; i++) {
            double t = seconds(sizes[i], NULL, budget / 2), rate = 1e-9 * flops(sizes[i]) / t;
            printf("%s, %d qubits: %.2f us a batch, one thread; %.1f GFLOP/s, peak %.1f: %.0f%%\n",
                   kl_kernels_of(isa)->isa, sizes[i], 1e6 * t, rate, peak, 100 * rate / peak);
        }
    }
    kl_pool_destroy(&pool);
    return 0;
}
