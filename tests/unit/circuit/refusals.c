/* SPDX-License-Identifier: MIT
   What cannot be a circuit is refused where it is built, in words that say what is wrong: the kernels
   trust what was built. */
#include <string.h>

#include "circuit/circuit.h"
#include "tests/unit/check.h"

enum { QUBITS = 3, INPUTS = 2, WEIGHTS = 1 };

static struct kl_circuit *begin(size_t inputs)
{
    struct kl_circuit *c;
    struct kl_error err;
    CHECK(!kl_circuit_begin(&c, QUBITS, inputs, WEIGHTS, &err), "%s", err.text);
    return c;
}

static void refused(const char *words, int code, const struct kl_error *err)
{
    CHECK(code == KL_EUSAGE && strstr(err->text, words), "%d: %s, expected: %s", code,
          code ? err->text : "", words);
}

static void check_sizes(void)
{
    struct kl_circuit *c;
    struct kl_error err;
    refused("found 0 qubits", kl_circuit_begin(&c, 0, 0, 0, &err), &err);
    refused("found 21 qubits", kl_circuit_begin(&c, KL_MAX_QUBITS + 1, 0, 0, &err), &err);
}

static void gate_refused(const char *words, struct kl_op op)
{
    struct kl_circuit *c = begin(INPUTS);
    struct kl_error err;
    refused(words, kl_circuit_append(c, &op, &err), &err);
    CHECK(c->n_ops == 0);
    kl_circuit_free(&c);
}

static void check_gates(void)
{
    gate_refused("gate 99", (struct kl_op){ .gate = (enum kl_gate)99 });
    gate_refused("wire 3", (struct kl_op){ .gate = KL_H, .wire = { QUBITS } });
    gate_refused("wire -1", (struct kl_op){ .gate = KL_CZ, .wire = { 0, -1 } });
    gate_refused("on wire 1 twice", (struct kl_op){ .gate = KL_CNOT, .wire = { 1, 1 } });
    gate_refused("MultiRZ on wires 0x0", (struct kl_op){ .gate = KL_MULTIRZ });
    gate_refused("MultiRZ on wires 0x9", (struct kl_op){ .gate = KL_MULTIRZ, .mask = 9 });
    gate_refused("input 2", (struct kl_op){ .gate = KL_RY, .angle = { { KL_INPUT, 2, -1, 1, 0 } } });
    gate_refused("input 7", (struct kl_op){ .gate = KL_RY, .angle = { { KL_INPUT, 0, 7, 1, 0 } } });
    gate_refused("weight 1", (struct kl_op){ .gate = KL_RY, .angle = { { KL_INPUT, 0, -1, 1, 2 } } });
    gate_refused("weight -1", (struct kl_op){ .gate = KL_RY, .angle = { { KL_WEIGHT, -1, -1, 1, 0 } } });
    gate_refused("weight 1",
                 (struct kl_op){ .gate = KL_ROT, .angle = { [2] = { KL_WEIGHT, 1, -1, 1, 0 } } });
}

static void check_observables(void)
{
    struct kl_circuit *c = begin(INPUTS);
    struct kl_error err;
    const struct kl_pauli z = { 0, 1 };
    const struct kl_target ghz = { .kind = KL_GHZ };
    refused("no observable", kl_circuit_finish(c, &err), &err);
    refused("term of no output", kl_circuit_add_string(c, 1, z, &err), &err);
    refused("term of no output", kl_circuit_add_target(c, 1, ghz, &err), &err);
    refused("beyond the 3 qubits", kl_circuit_observe(c, (struct kl_pauli){ 8, 0 }, &err), &err);
    refused("needs an axis",
            kl_circuit_add_target(c, 1, (struct kl_target){ KL_PRODUCT, { 1, 2 }, 0 }, &err), &err);
    CHECK(!kl_circuit_add_string(c, 1, z, &err), "%s", err.text);
    refused("beside another", kl_circuit_observe_probabilities(c, &err), &err);
    CHECK(!kl_circuit_finish(c, &err), "%s", err.text);
    refused("it is finished", kl_circuit_observe(c, z, &err), &err);
    refused("it is finished", kl_circuit_add_string(c, 1, z, &err), &err);
    refused("it is finished", kl_circuit_add_target(c, 1, ghz, &err), &err);
    refused("it is finished", kl_circuit_append(c, &(struct kl_op){ .gate = KL_H }, &err), &err);
    kl_circuit_free(&c);
}

static void check_probabilities(void)
{
    struct kl_circuit *c = begin(INPUTS);
    struct kl_error err;
    const struct kl_pauli z = { 0, 1 };
    CHECK(!kl_circuit_observe_probabilities(c, &err), "%s", err.text);
    refused("beside probabilities", kl_circuit_observe(c, z, &err), &err);
    refused("beside probabilities", kl_circuit_add_string(c, 1, z, &err), &err);
    kl_circuit_free(&c);
}

/* Inputs are amplitudes or stand in angles: the gradient by them is one of both. */
static void check_amplitudes(void)
{
    struct kl_circuit *c = begin(INPUTS);
    struct kl_error err;
    const struct kl_op turn = { .gate = KL_RY, .angle = { { KL_INPUT, 1, -1, 1, 0 } } };
    refused("2 amplitudes for 3 qubits", kl_circuit_begin_with_inputs(c, &err), &err);
    kl_circuit_free(&c);
    c = begin(1 << QUBITS);
    CHECK(!kl_circuit_begin_with_inputs(c, &err) && !kl_circuit_append(c, &turn, &err) &&
          !kl_circuit_observe(c, (struct kl_pauli){ 0, 1 }, &err));
    refused("input 1 is an amplitude", kl_circuit_finish(c, &err), &err);
    kl_circuit_free(&c);
}

int main(void)
{
    check_sizes();
    check_gates();
    check_observables();
    check_probabilities();
    check_amplitudes();
    return failures != 0;
}
