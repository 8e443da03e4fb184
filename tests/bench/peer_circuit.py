#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The circuit alone, ry-ring with three layers, batch 64: expectation values and gradients of inputs and weights, at 4 and 10 qubits.

pennylane-broadcast: default.qubit, back-propagation through torch, the whole batch broadcast. lightning: lightning.qubit,
adjoint, one sample after another (a broadcast batch is split by PennyLane itself into the same). torchquantum:
its batched state vector with torch's autograd. Thread counts 1 and all are tried; the best one counts, float32 and float64 too."""
import sys

try:
    import torch

    from peers import QUICK, import_torchquantum, measure
except ImportError:
    print("the package torch is not here")
    sys.exit(77)

BATCH, LAYERS = 64, 3


def pennylane_batch(n, device, method, dtype):
    import pennylane as qml

    @qml.qnode(qml.device(device, wires=n), interface="torch", diff_method=method)
    def circuit(inputs, weight):
        for q in range(n):
            qml.RY(inputs[..., q], wires=q)
        for layer in range(LAYERS):
            for q in range(n):
                qml.RY(weight[layer * n + q], wires=q)
            for q in range(n):
                qml.CNOT(wires=[q, (q + 1) % n])
        return [qml.expval(qml.PauliZ(q)) for q in range(n)]

    weight = torch.full((LAYERS * n,), 0.3, dtype=dtype, requires_grad=True)
    x = torch.rand(BATCH, n, dtype=dtype, requires_grad=True)

    def step():
        if method == "backprop":
            out = torch.stack(circuit(x, weight), 1)
        else:
            out = torch.stack([torch.stack(circuit(row, weight)) for row in x])
        out.sum().backward()

    return step


def torchquantum_batch(n):
    tq = import_torchquantum()
    import torchquantum.functional as tqf

    weight = torch.full((LAYERS * n,), 0.3, requires_grad=True)
    x = torch.rand(BATCH, n, requires_grad=True)

    def step():
        device = tq.QuantumDevice(n_wires=n, bsz=BATCH)
        for q in range(n):
            tqf.ry(device, wires=q, params=x[:, q:q + 1])
        for layer in range(LAYERS):
            for q in range(n):
                tqf.ry(device, wires=q, params=weight[layer * n + q].expand(BATCH, 1))
            for q in range(n):
                tqf.cnot(device, wires=[q, (q + 1) % n])
        tq.MeasureAll(tq.PauliZ)(device).sum().backward()

    return step


def main():
    peers = (("pennylane-broadcast", lambda n: pennylane_batch(n, "default.qubit", "backprop", torch.float32)),
             ("pennylane-broadcast", lambda n: pennylane_batch(n, "default.qubit", "backprop", torch.float64)),
             ("lightning", lambda n: pennylane_batch(n, "lightning.qubit", "adjoint", torch.float64)),
             ("torchquantum", torchquantum_batch))
    for name, make in peers:
        for n in (4, 10):
            measure(f"circuit{n}", name, lambda: make(n), 0.3 if QUICK else 2)


main()
