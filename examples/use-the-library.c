/* SPDX-License-Identifier: MIT
   The library in one page: a circuit by name, a batch of inputs, expectation values, gradients.

     cc use-the-library.c $(pkg-config --cflags --libs ketline) -o example && ./example

   Every function returns 0 or a negative code and says in one line what was wrong; none prints or ends
   the program. Workspace comes from an arena, threads from a pool; results do not depend on them. */
#include <stdio.h>
#include <stdlib.h>

#include <ketline.h>

enum { SAMPLES = 3, QUBITS = 4 };

static int run(struct kl_circuit **circuit, struct kl_pool **pool, struct kl_arena *work,
               struct kl_error *err)
{
    struct kl_circuit_options options;
    kl_circuit_options_default(&options); /* as `circuit show`: RY embedding, rings of RY and CNOT, Z */
    options.n_qubits = QUBITS;
    options.n_layers = 1;
    options.ansatz = "basic-entangler";
    int code = kl_circuit_build(circuit, &options, err);
    if (!code) code = kl_pool_create(pool, 0, err); /* as many threads as the machine allows */
    if (!code) code = kl_arena_init(work, 0, err);
    if (code) return code;

    const struct kl_circuit *c = *circuit; /* n_inputs, n_weights, n_obs: 4 each */
    double x[SAMPLES * QUBITS], w[QUBITS] = { 0.1, 0.2, 0.3, 0.4 }, out[SAMPLES * QUBITS];
    double cot[SAMPLES * QUBITS], dx[SAMPLES * QUBITS], dw[QUBITS] = { 0 };
    for (int i = 0; i < SAMPLES * QUBITS; i++)
        x[i] = 0.1 * i, cot[i] = 1; /* of the sum of all outputs */
    double *state = kl_arena_take(work, kl_circuit_state_size(c, SAMPLES), sizeof *state);
    if (!state) return kl_fail_memory(err, kl_circuit_state_size(c, SAMPLES) * sizeof *state);
    code = kl_circuit_forward_f64(out, state, c, x, w, SAMPLES, *pool, work, err);
    if (!code) code = kl_circuit_adjoint_f64(dx, dw, state, c, x, w, cot, SAMPLES, *pool, work, err);
    if (code) return code;
    for (int s = 0; s < SAMPLES; s++) {
        printf("sample %d:", s);
        for (int q = 0; q < QUBITS; q++) printf(" <Z%d> = %+.6f", q, out[s * QUBITS + q]);
        putchar('\n');
    }
    for (int k = 0; k < QUBITS; k++) printf("d(sum)/dw%d = %+.6f\n", k, dw[k]);
    return 0;
}

int main(void)
{
    struct kl_circuit *circuit = NULL;
    struct kl_pool *pool = NULL;
    struct kl_arena work = { 0 };
    struct kl_error err = { 0 };
    int code = run(&circuit, &pool, &work, &err);
    if (code) fprintf(stderr, "example: %s\n", err.text);
    kl_arena_free(&work);
    kl_pool_destroy(&pool);
    kl_circuit_free(&circuit);
    return kl_exit_status(code);
}
