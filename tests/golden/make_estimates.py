#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/estimates.h5: gradients of sum(out * cot) by PennyLane's own shift rules and by its simultaneous
perturbation. `controlled/CRX` and so on: circuits whose weights all stand in that gate, which takes the four-term rule; gradients by
qml.gradients.param_shift. `spsa`: qml.gradients.spsa_grad along the directions that kl_circuit_spsa_samples draws, from the
Philox4x32-10 written out below. Needs pennylane, h5py, numpy."""
import sys
import h5py
import numpy as np
import pennylane as qml

SAMPLES, QUBITS = 5, 3
rng = np.random.default_rng(20261122)


def philox(key, counter):
    """Salmon et al. 2011: key of 64 bits, four words of counter; four words."""
    c, k0, k1 = [int(word) & 0xFFFFFFFF for word in counter], key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k1, p0 & 0xFFFFFFFF]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c


def signs(seed, row, step, replica, direction, n):
    a, b = philox(seed, (row, 22, step, replica))[:2]
    words = philox(a | b << 32, (0, direction, 0, 0))
    return np.array([1.0 if words[k // 32] >> k % 32 & 1 else -1.0 for k in range(n)])


def tape_of(gate, x, w):
    ops = [qml.RY(x[q], wires=q) for q in range(QUBITS)]
    ops += [qml.Hadamard(q) for q in range(QUBITS)]
    ops += [gate(w[k], wires=[k % QUBITS, (k + 1 + k // QUBITS) % QUBITS]) for k in range(len(w))]
    ops += [qml.RX(x[q], wires=q) for q in range(QUBITS)]
    return qml.tape.QuantumScript(ops, [qml.expval(qml.PauliZ(0)), qml.expval(qml.PauliX(1) @ qml.PauliY(2))])


def jacobian(tapes, function):
    device = qml.device("default.qubit")
    return np.array(function(qml.execute(tapes, device, None)), dtype=float)  # (outputs, parameters)


def write(group, **values):
    for key, value in values.items():
        group[key] = np.asarray(value, dtype=np.float64)


def gradients(gate, method):
    """Each sample's gradient by all of its angles, in the order of the gates; then by inputs and weights."""
    x, w, cot = rng.uniform(-2, 2, (SAMPLES, QUBITS)), rng.uniform(-3, 3, 2 * QUBITS), rng.uniform(-1, 1, (SAMPLES, 2))
    out, grad_x, grad_w = [], [], np.zeros(len(w))
    for i in range(SAMPLES):
        tape = tape_of(gate, x[i], w)
        out.append(qml.execute([tape], qml.device("default.qubit"), None)[0])
        by_angle = cot[i] @ method(tape, i)
        grad_x.append(by_angle[:QUBITS] + by_angle[-QUBITS:])
        grad_w += by_angle[QUBITS:-QUBITS]
    return dict(x=x, w=w, cot=cot, out=out, grad_x=grad_x, grad_w=grad_w)


SEED, STEP, REPLICA, DIRECTIONS, H = 7 << 32 | 5, 3, 2, 4, 0.1


def by_spsa(tape, row):
    angles = 4 * QUBITS
    return jacobian(*qml.gradients.spsa_grad(
        tape, argnum=range(angles), h=H, num_directions=DIRECTIONS,
        sampler=lambda indices, num_params, idx_rep, rng: signs(SEED, row, STEP, REPLICA, idx_rep, num_params)))


with h5py.File(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/estimates.h5", "w") as file:
    for gate in (qml.CRX, qml.CRY, qml.CRZ):
        write(file.create_group(f"controlled/{gate.__name__}"),
              **gradients(gate, lambda tape, row: jacobian(*qml.gradients.param_shift(tape, argnum=range(4 * QUBITS)))))
    write(file.create_group("spsa"), **gradients(lambda a, wires: qml.CRX(a, wires=wires), by_spsa))
