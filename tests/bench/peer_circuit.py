#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The circuit alone, ry-ring with three layers, batch 64: expectation values and gradients of inputs and weights, at 4 and 10 qubits.

pennylane-broadcast: default.qubit, back-propagation through torch, the whole batch broadcast. lightning: lightning.qubit,
adjoint, one sample after another (a broadcast batch is split by PennyLane itself into the same). torchquantum:
its batched state vector with torch's autograd. Thread counts 1 and all are tried; the best one counts, float32 and float64 too."""
import sys
import time
import unittest.mock

try:
    import torch
except ImportError:
    print("the package torch is not here")
    sys.exit(77)

QUICK = "--quick" in sys.argv
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


def import_torchquantum():
    """Its releases import parts of qiskit that later qiskits have dropped and that the circuit does not use: then placeholders."""
    try:
        import torchquantum
    except ImportError:
        for name in [m for m in sys.modules if m.split(".")[0] == "torchquantum"]:
            del sys.modules[name]
        aer = "qiskit.providers.aer"
        for name in ("qiskit_ibm_runtime", aer, f"{aer}.noise", f"{aer}.noise.device", f"{aer}.noise.device.parameters"):
            sys.modules[name] = unittest.mock.MagicMock(__spec__=None)
        import torchquantum
    return torchquantum


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


def seconds(step, budget):
    step()
    best, begun = None, time.perf_counter()
    while best is None or time.perf_counter() - begun < budget:
        start = time.perf_counter()
        step()
        each = time.perf_counter() - start
        best = each if best is None else min(best, each)
    return best


def main():
    peers = (("pennylane-broadcast", lambda n: pennylane_batch(n, "default.qubit", "backprop", torch.float32)),
             ("pennylane-broadcast", lambda n: pennylane_batch(n, "default.qubit", "backprop", torch.float64)),
             ("lightning", lambda n: pennylane_batch(n, "lightning.qubit", "adjoint", torch.float64)),
             ("torchquantum", torchquantum_batch))
    for name, make in peers:
        for n in (4, 10):
            for threads in sorted({1, THREADS}):
                torch.set_num_threads(threads)
                try:
                    best = seconds(make(n), 0.3 if QUICK else 2)
                except Exception as error:  # a package that is absent or does not fit the others is named, not fatal
                    print(f"{name} does not run here: {type(error).__name__}: {error}")
                    break
                print(f"{name}, {n} qubits, {threads} threads: {1e3 * best:.2f} ms a batch")
                print(f"bench circuit{n}/{name} {best:.6g} s")


THREADS = torch.get_num_threads()
main()
