/* SPDX-License-Identifier: MIT
   One epoch of the default head on 6,000 random features, without noise and with a depolarising channel
   behind every gate, on every wire; the same on 10 qubits, by trajectories; trained on 100 and 1,000
   shots; then the noisy circuit alone, batch 64, forward and gradients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head_features.h"
#include "lap.h"

enum { N = 6000, BATCH = 64 };

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* The best epoch's seconds, on all threads, without validation. */
static double train(const char *noise, int64_t n_qubits, size_t shots, const struct kl_features *f,
                    int64_t epochs)
{
    struct kl_head_options options;
    struct kl_head_model model;
    struct kl_train_options o;
    struct kl_head_train t;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    struct lap l = { .best = 1e9 };
    struct kl_watch watch = { lap, &l };
    kl_head_options_default(&options);
    options.circuit.noise = noise;
    options.circuit.n_qubits = n_qubits;
    kl_train_options_default(&o);
    o.epochs = epochs;
    o.val_fraction = 0;
    options.shots = shots;
    if (shots) options.diff = KL_DIFF_SHIFT;
    must(kl_head_model_make(&model, &options, D, CLASSES, &err), &err);
    must(kl_pool_create(&pool, 0, &err), &err);
    must(kl_head_train_open(&t, &model, f, &o, kl_pool_size(pool), &err), &err);
    must(kl_train_run(&t.loop, pool, &watch, &err), &err);
    kl_head_train_close(&t);
    kl_pool_destroy(&pool);
    kl_head_model_free(&model);
    return l.best;
}

static float *values(size_t n, float step)
{
    float *v = aligned_alloc(64, (n * sizeof *v + 127) / 64 * 64);
    for (size_t i = 0; v && i < n; i++) v[i] = sinf(step * (float)(i + 1));
    return v;
}

/* Seconds a batch on one thread. */
static double circuit(int n_qubits, const char *noise, double budget)
{
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_arena work, kept;
    struct kl_error err;
    double best = 1e9;
    kl_circuit_options_default(&o);
    o.n_qubits = n_qubits;
    o.noise = noise;
    must(kl_circuit_build(&c, &o, &err), &err);
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_arena_init(&kept, 0, &err), &err);
    float *x = values(BATCH * c->n_inputs, 0.7f), *w = values(c->n_weights, 0.3f),
          *cot = values(BATCH * c->n_obs, 0.11f), *out = values(BATCH * c->n_obs, 0),
          *dx = values(BATCH * c->n_inputs, 0), *dw = values(c->n_weights, 0),
          *state = kl_arena_take(&kept, kl_circuit_state_size(c, BATCH) + 1, sizeof *state);
    for (double begun = kl_clock(); kl_clock() - begun < budget;) {
        const double start = kl_clock();
        kl_arena_reset(&work);
        must(kl_circuit_forward_f32(out, state, c, x, w, BATCH, NULL, &work, &err), &err);
        must(kl_circuit_adjoint_f32(dx, dw, state, c, x, w, cot, BATCH, NULL, &work, &err), &err);
        if (kl_clock() - start < best) best = kl_clock() - start;
    }
    free(x), free(w), free(cot), free(out), free(dx), free(dw);
    kl_arena_free(&work);
    kl_arena_free(&kept);
    kl_circuit_free(&c);
    return best;
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const char *const noise = "depolarizing=0.01", *const damping = "amplitude-damping=0.01";
    struct kl_features features;
    make_features(&features, N);
    const double exact = train(NULL, 4, 0, &features, quick ? 5 : 40),
                 noisy = train(noise, 4, 0, &features, quick ? 5 : 40),
                 drawn = train(noise, 10, 0, &features, quick ? 2 : 4);
    printf("an epoch under noise takes %.2f times one without\n", noisy / exact);
    printf("bench noisy-epoch/ketline %.6g s\n", noisy);
    printf("bench noisy10-epoch/ketline %.6g s\n", drawn);
    printf("bench noiseless-epoch-6000/ketline %.6g s\n", exact);
    for (size_t shots = 100; shots <= 1000; shots *= 10)
        printf("bench shots%zu-epoch/ketline %.6g s\n", shots,
               train(NULL, 4, shots, &features, quick ? 2 : 5));
    for (int n = 4; n <= 7; n += 3) {
        printf("bench noisy-circuit%d/ketline %.6g s\n", n, circuit(n, noise, quick ? 0.1 : 0.5));
        printf("bench damped-circuit%d/ketline %.6g s\n", n, circuit(n, damping, quick ? 0.1 : 0.5));
    }
    free(features.x), free(features.labels);
    return 0;
}
