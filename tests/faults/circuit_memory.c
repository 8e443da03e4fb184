/* SPDX-License-Identifier: MIT
   Each allocation of building, running and differentiating a circuit, without noise and with every kind,
   fails once: KL_ENOMEM, and nothing
   is left behind (the sanitizer sees that). */
#include <stdio.h>
#include <stdlib.h>

#include "circuit/estimate.h"
#include "circuit/noise.h"
#include "faults.h"

enum { BATCH = 20, QUBITS = 3, LAYERS = 2, MOST_OUTPUTS = 8 };

static int both_sweeps(const struct kl_circuit *c, const double *x, const double *w,
                       struct kl_arena *work, struct kl_error *err)
{
    double out[BATCH * MOST_OUTPUTS], dx[BATCH * QUBITS], dw[LAYERS * QUBITS] = { 0 };
    int code = kl_circuit_forward_f64(out, NULL, c, x, w, BATCH, NULL, work, err);
    if (!code) code = kl_circuit_adjoint_f64(dx, dw, NULL, c, x, w, x, BATCH, NULL, work, err);
    if (!code) code = kl_circuit_shift_f64(dx, dw, c, x, w, x, 1, work, err);
    if (!code) code = kl_circuit_differences(dx, dw, c, x, w, x, 1, 1e-5, work, err);
    return code;
}

static int whole(const char *noise, int64_t trajectories, const char *observables, struct kl_error *err)
{
    static const double x[BATCH * MOST_OUTPUTS] = { 0.1, 0.2, 0.3 }, w[LAYERS * QUBITS] = { 1, 2, 3 };
    struct kl_circuit *c = NULL;
    struct kl_arena work = { 0 };
    struct kl_circuit_options o;
    kl_circuit_options_default(&o);
    o.n_qubits = QUBITS, o.n_layers = LAYERS, o.observables = observables;
    char *text = NULL;
    int code = noise ? kl_circuit_noise_text(&text, noise, err) : KL_OK;
    o.noise = text;
    o.trajectories = trajectories;
    if (!code) code = kl_circuit_build(&c, &o, err);
    if (!code) code = kl_arena_init(&work, 0, err);
    if (!code) code = both_sweeps(c, x, w, &work, err);
    if (c) kl_circuit_free(&c);
    kl_arena_free(&work);
    free(text);
    return code;
}

static int check(const char *noise, int64_t trajectories, const char *observables)
{
    struct kl_error err;
    for (long n = 1;; n++) {
        faults_arm(FAULT_MEMORY, n, false);
        int code = whole(noise, trajectories, observables, &err);
        bool fired = faults_disarm();
        if (code != (fired ? KL_ENOMEM : KL_OK)) {
            fprintf(stderr, "%s:%d: allocation %ld: code %d\n", __FILE__, __LINE__, n, code);
            return 1;
        }
        if (!fired) {
            printf("%ld allocations\n", n - 1);
            return n < 8;
        }
    }
}

int main(void)
{
    const char *const all = "depolarizing=0.01,t1=1,gate-time=0.1,readout-0=0.02",
                      *const sums = "0.5*ZZI-XII,fidelity(w),fidelity(+0r)";
    return check(NULL, 0, "z") || check(all, 0, "z") || check(all, 3, "z") ||
           check("data/noise/example.json", 0, "z") || check(NULL, 0, sums) ||
           check("bit-flip=0.01", 0, sums) || check("bit-flip=0.01", 3, sums) || check(NULL, 0, "zz") ||
           check(NULL, 0, "z,probs(0,2)") || check(NULL, 0, "probs");
}
