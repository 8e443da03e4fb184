#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Strongly entangling layers alone: three on 4 and 10 qubits, batch 64, expectation values and gradients of inputs and weights; four
on 16 and 20 qubits, one sample, gradients of all <Z_q>.

pennylane-broadcast: default.qubit, back-propagation through torch, the whole batch broadcast. lightning: lightning.qubit, adjoint
(a batch is a loop over its samples). torchquantum: its batched state vector with torch's autograd. qulacs: its back-propagation
(ParametricQuantumCircuit.backprop) of the sum of all <Z_q>, which carries one bra, one sample after another. Thread
counts 1 and all are tried; the best one counts, float32 and float64 too."""
import sys

try:
    import numpy as np
    import torch

    from peers import QUICK, import_torchquantum, measure
except ImportError:
    print("the package torch is not here")
    sys.exit(77)

BATCH = 64


def targets(n, layers):
    """The CNOTs of each layer: PennyLane's default ranges."""
    ranges = [layer % (n - 1) + 1 for layer in range(layers)]
    return [[(q, (q + r) % n) for q in range(n)] for r in ranges]


def pennylane(n, layers, batch, device, method, dtype):
    import pennylane as qml

    @qml.qnode(qml.device(device, wires=n), interface="torch", diff_method=method)
    def circuit(inputs, weight):
        qml.AngleEmbedding(inputs, wires=range(n), rotation="Y")
        qml.StronglyEntanglingLayers(weight, wires=range(n))
        return [qml.expval(qml.PauliZ(q)) for q in range(n)]

    weight = torch.full((layers, n, 3), 0.3, dtype=dtype, requires_grad=True)
    x = torch.rand(batch, n, dtype=dtype, requires_grad=True)

    def step():
        if method == "backprop":
            out = torch.stack(circuit(x, weight), 1)
        else:
            out = torch.stack([torch.stack(circuit(row, weight)) for row in x])
        out.sum().backward()

    return step


def torchquantum(n, layers, batch):
    tq = import_torchquantum()
    import torchquantum.functional as tqf

    weight = torch.full((layers, n, 3), 0.3, requires_grad=True)
    x = torch.rand(batch, n, requires_grad=True)

    def step():
        device = tq.QuantumDevice(n_wires=n, bsz=batch)
        for q in range(n):
            tqf.ry(device, wires=q, params=x[:, q:q + 1])
        for layer, pairs in enumerate(targets(n, layers)):
            for q in range(n):
                for k, gate in enumerate((tqf.rz, tqf.ry, tqf.rz)):
                    gate(device, wires=q, params=weight[layer, q, k].expand(batch, 1))
            for pair in pairs:
                tqf.cnot(device, wires=pair)
        tq.MeasureAll(tq.PauliZ)(device).sum().backward()

    return step


def qulacs(n, layers, batch):
    from qulacs import Observable, ParametricQuantumCircuit

    x = np.random.rand(batch, n)
    observable = Observable(n)
    for q in range(n):
        observable.add_operator(1.0, f"Z {q}")
    circuit = ParametricQuantumCircuit(n)
    for q in range(n):
        circuit.add_parametric_RY_gate(q, 0.0)
    for pairs in targets(n, layers):
        for q in range(n):
            circuit.add_parametric_RZ_gate(q, 0.3)
            circuit.add_parametric_RY_gate(q, 0.3)
            circuit.add_parametric_RZ_gate(q, 0.3)
        for pair in pairs:
            circuit.add_CNOT_gate(*pair)

    def step():
        for row in x:
            for q, value in enumerate(row):
                circuit.set_parameter(q, value)
            circuit.backprop(observable)

    return step


def main():
    for n in (4, 10):
        work, budget = f"entangling{n}", 0.3 if QUICK else 2
        for dtype in (torch.float32, torch.float64):
            measure(work, "pennylane-broadcast", lambda: pennylane(n, 3, BATCH, "default.qubit", "backprop", dtype), budget)
        measure(work, "lightning", lambda: pennylane(n, 3, BATCH, "lightning.qubit", "adjoint", torch.float64), budget)
        measure(work, "torchquantum", lambda: torchquantum(n, 3, BATCH), budget)
        measure(work, "qulacs", lambda: qulacs(n, 3, BATCH), budget)
    for n in (16,) if QUICK else (16, 20):
        work = f"gradient{n}"
        measure(work, "lightning", lambda: pennylane(n, 4, 1, "lightning.qubit", "adjoint", torch.float64), 0, False)
        measure(work, "qulacs", lambda: qulacs(n, 4, 1), 0.3)


main()
