#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The default head's circuit on 10 qubits with a depolarising channel behind every gate, on every wire: PennyLane's
default.mixed, forward and back-propagation of one sample after another (a batch of such density matrices and what the way back
needs of them does not fit into memory). Scaled to the 6,000 samples of an epoch. Thread counts 1 and all are tried."""
import sys
import time

try:
    import pennylane as qml
    import torch
except ImportError as error:
    print(f"the packages torch and pennylane are not here: {error}")
    sys.exit(77)

QUICK = "--quick" in sys.argv
N, QUBITS, LAYERS, P = 6000, 10, 3, 0.01


@qml.qnode(qml.device("default.mixed", wires=QUBITS), interface="torch", diff_method="backprop")
def circuit(inputs, weight):
    def noisy(gate):
        for wire in gate.wires:
            qml.DepolarizingChannel(P, wires=wire)

    for q in range(QUBITS):
        noisy(qml.RY(inputs[q], wires=q))
    for layer in range(LAYERS):
        for q in range(QUBITS):
            noisy(qml.RY(weight[layer * QUBITS + q], wires=q))
        for q in range(QUBITS):
            noisy(qml.CNOT(wires=[q, (q + 1) % QUBITS]))
    return [qml.expval(qml.PauliZ(q)) for q in range(QUBITS)]


def seconds_a_sample(samples):
    weight = (0.01 * torch.randn(LAYERS * QUBITS)).requires_grad_()
    best = None
    for _ in range(samples):
        inputs = torch.rand(QUBITS).requires_grad_()
        start = time.perf_counter()
        torch.stack(circuit(inputs, weight)).sum().backward()
        took = time.perf_counter() - start
        best = took if best is None else min(best, took)
    return best


best = None
for threads in {1, torch.get_num_threads()}:
    torch.set_num_threads(threads)
    took = seconds_a_sample(1 if QUICK else 3)
    best = took if best is None else min(best, took)
print(f"bench noisy10-epoch/pennylane {best * N:.6g} s scaled")
