/* SPDX-License-Identifier: MIT
   Noisy circuits in files of golden values. */
#ifndef KL_TESTS_GOLDEN_CIRCUIT_H
#define KL_TESTS_GOLDEN_CIRCUIT_H

#include "circuit/noise.h"
#include "golden.h"

enum { GOLDEN_MOST = 1024, GOLDEN_COLUMNS = 16 };

/* A row as make_noise.py describes it. */
static inline struct kl_op golden_op(const double *row)
{
    struct kl_op op = { .gate = (enum kl_gate)row[0],
                        .wire = { (int)row[1], (int)row[2] },
                        .mask = (uint32_t)row[3] };
    for (int k = 0; k < 3; k++)
        op.angle[k] = (struct kl_angle){ (enum kl_source)row[4 + 4 * k], (int)row[5 + 4 * k],
                                         (int)row[6 + 4 * k], row[7 + 4 * k], 0 };
    return op;
}

/* With its noise, not finished. */
static inline struct kl_circuit *golden_circuit(hid_t group, size_t n_inputs, size_t n_weights)
{
    static double ops[GOLDEN_MOST], obs[GOLDEN_MOST];
    char noise[2048];
    struct kl_circuit *c;
    struct kl_error err;
    const bool amplitudes = golden_number(group, "amplitudes") != 0;
    const size_t n_ops = golden_values(ops, GOLDEN_MOST, group, "ops") / GOLDEN_COLUMNS,
                 n_obs = golden_values(obs, GOLDEN_MOST, group, "obs") / 2;
    golden_text(noise, sizeof noise, group, "noise");
    must(kl_circuit_begin(&c, (int)golden_number(group, "n_qubits"), n_inputs, n_weights, &err), &err);
    if (amplitudes) must(kl_circuit_begin_with_inputs(c, &err), &err);
    for (size_t i = 0; i < n_ops; i++) {
        const struct kl_op op = golden_op(ops + i * GOLDEN_COLUMNS);
        must(kl_circuit_append(c, &op, &err), &err);
    }
    for (size_t i = 0; i < n_obs; i++)
        must(kl_circuit_observe(c, (struct kl_pauli){ (uint32_t)obs[2 * i], (uint32_t)obs[2 * i + 1] },
                                &err),
             &err);
    if (!n_obs) must(kl_circuit_observe_probabilities(c, &err), &err);
    must(kl_circuit_add_noise(c, noise, &err), &err);
    return c;
}

#endif
