#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The default head's circuit on 10 qubits with a depolarising channel behind every gate, on every wire. PennyLane's
lightning.qubit with Pauli operators inserted at random and its adjoint: the same trajectories, one circuit for each sample and
realisation, scaled to 8 of 6,000 samples. With --mixed also default.mixed, exactly, by back-propagation, one sample after another
(several minutes for one; a batch does not fit into memory). Thread counts 1 and all are tried."""
import sys
import time

try:
    import pennylane as qml
    import torch
except ImportError as error:
    print(f"the packages torch and pennylane are not here: {error}")
    sys.exit(77)

QUICK = "--quick" in sys.argv
N, T, QUBITS, LAYERS, P = 6000, 8, 10, 3, 0.01


def build(inputs, weight, error):
    def noisy(gate):
        for wire in gate.wires:
            error(wire)

    for q in range(QUBITS):
        noisy(qml.RY(inputs[q], wires=q))
    for layer in range(LAYERS):
        for q in range(QUBITS):
            noisy(qml.RY(weight[layer * QUBITS + q], wires=q))
        for q in range(QUBITS):
            noisy(qml.CNOT(wires=[q, (q + 1) % QUBITS]))
    return [qml.expval(qml.PauliZ(q)) for q in range(QUBITS)]


def draw(wire):
    k = int(torch.randint(3, ()))
    if torch.rand(()) < P:
        (qml.PauliX, qml.PauliY, qml.PauliZ)[k](wires=wire)


@qml.qnode(qml.device("lightning.qubit", wires=QUBITS), interface="torch", diff_method="adjoint")
def drawn(inputs, weight):
    return build(inputs, weight, draw)


@qml.qnode(qml.device("default.mixed", wires=QUBITS), interface="torch", diff_method="backprop")
def mixed(inputs, weight):
    return build(inputs, weight, lambda wire: qml.DepolarizingChannel(P, wires=wire))


def seconds_a_circuit(circuit, times):
    weight = (0.01 * torch.randn(LAYERS * QUBITS)).requires_grad_()
    best = None
    for _ in range(times):
        inputs = torch.rand(QUBITS).requires_grad_()
        start = time.perf_counter()
        torch.stack(circuit(inputs, weight)).sum().backward()
        took = time.perf_counter() - start
        best = took if best is None else min(best, took)
    return best


def better(circuit, times):
    results = []
    for threads in {1, torch.get_num_threads()}:
        torch.set_num_threads(threads)
        results.append(seconds_a_circuit(circuit, times))
    return min(results)


print(f"bench noisy10-epoch/lightning {better(drawn, 5 if QUICK else 50) * N * T:.6g} s scaled")
if "--mixed" in sys.argv:
    print(f"bench noisy10-epoch/mixed {better(mixed, 1) * N:.6g} s scaled")
