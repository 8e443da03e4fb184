#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/metric.h5: Fubini-Study metric tensors of circuits whose gates come from PennyLane's templates and Qiskit's
circuit library: from derivatives of PennyLane's states, the blocks that belong to a level. They are those of PennyLane's
metric_tensor(approx="block-diag") for the gates in the order of their levels, which is asserted (it cuts blocks in the order in
which gates are written down; controlled rotations it takes apart). `step` is NumPy's solution
of (mean metric + lambda) step = gradient. Needs pennylane, qiskit, h5py, numpy."""
import sys
import h5py
import numpy as np
import pennylane as qml
from pennylane import numpy as pnp
from qiskit.circuit.library import EfficientSU2, RealAmplitudes

from make_ansaetze import qcnn

SAMPLES = 3
LAMBDA = 1e-3
rng = np.random.default_rng(20261122)
ROTATIONS = dict(RX=qml.RX, RY=qml.RY, RZ=qml.RZ, CRX=qml.CRX, CRY=qml.CRY, CRZ=qml.CRZ)
FIXED = dict(Hadamard=qml.Hadamard, CNOT=qml.CNOT, CZ=qml.CZ, PauliX=qml.PauliX)


def from_template(template, n_w):
    """Gates (name, wires, weight or None, constant) of a PennyLane template; weights are told by their values."""
    values = np.arange(1, n_w + 1) / 1024
    gates = []

    def take(op):
        if op.name == "Rot":
            for part in op.decomposition():
                take(part)
        elif op.num_params:
            value = float(op.parameters[0])
            gates.append((op.name, list(op.wires), int(round(value * 1024)) - 1, 1.0))
        else:
            gates.append((op.name, list(op.wires), None, 0.0))
    with qml.queuing.AnnotatedQueue() as q:
        template(values)
    for op in qml.tape.QuantumScript.from_queue(q).operations:
        for part in [op] if op.name in ROTATIONS or op.name in FIXED else op.decomposition():
            take(part)
    return gates


def from_qiskit(circuit):
    names = dict(rx="RX", ry="RY", rz="RZ", cx="CNOT", cz="CZ", h="Hadamard")
    order = {p: i for i, p in enumerate(circuit.parameters)}
    while any(i.operation.name not in names for i in circuit.data):
        circuit = circuit.decompose()
    gates = []
    for i in circuit.data:
        wires = [circuit.find_bit(q).index for q in i.qubits]
        p = i.operation.params[0] if i.operation.params else None
        if p is None:
            gates.append((names[i.operation.name], wires, None, 0.0))
        elif getattr(p, "parameters", None):
            gates.append((names[i.operation.name], wires, order[next(iter(p.parameters))], 1.0))
        else:
            gates.append((names[i.operation.name], wires, None, float(p)))
    return gates


def levels(gates, n):
    level, own = [0] * n, []
    for name, wires, weight, constant in gates:
        own.append(max(level[w] for w in wires) + (weight is not None))
        for w in wires:
            level[w] = own[-1]
    return own


def by_level(gates, n):
    own = levels(gates, n)
    return [gates[k] for k in sorted(range(len(gates)), key=lambda k: (own[k], gates[k][2] is None, k))]


def put(gates, weights):
    for name, wires, weight, constant in gates:
        if weight is not None:
            ROTATIONS[name](constant * weights[weight], wires=wires)
        elif name in ROTATIONS:
            ROTATIONS[name](constant, wires=wires)
        else:
            FIXED[name](wires=wires)


def whole(gates, n, x, w, embed):
    """From the state's derivatives: Re(<d_i psi|d_j psi> - <d_i psi|psi><psi|d_j psi>)."""
    @qml.qnode(qml.device("default.qubit", wires=n), diff_method="backprop")
    def state(weights):
        embed(x)
        put(gates, weights)
        return qml.state()
    w = pnp.array(w, requires_grad=True)
    d = qml.jacobian(lambda v: pnp.real(state(v)))(w) + 1j * qml.jacobian(lambda v: pnp.imag(state(v)))(w)
    along = d.conj().T @ np.array(state(w))
    return np.real(d.conj().T @ d - np.outer(along, along.conj()))


def in_blocks(gates, n, x, w, embed):
    @qml.qnode(qml.device("default.qubit", wires=n))
    def circuit(weights):
        embed(x)
        put(by_level(gates, n), weights)
        return qml.expval(qml.PauliZ(0))
    return qml.metric_tensor(circuit, approx="block-diag")(pnp.array(w, requires_grad=True)).reshape(len(w), len(w))


def write(file, name, gates, n, n_w, attributes, embed, controlled=False):
    """Each weight has its gates on one level here."""
    x, w = rng.uniform(-2, 2, (SAMPLES, n)), rng.uniform(-3, 3, n_w)
    own = dict((g[2], l) for g, l in zip(gates, levels(gates, n)) if g[2] is not None)
    same = np.array([[own[i] == own[j] for j in range(n_w)] for i in range(n_w)])
    blocks = [whole(gates, n, xi, w, embed) * same for xi in x]
    for xi, block in zip(x, blocks):
        assert controlled or np.allclose(in_blocks(gates, n, xi, w, embed), block, atol=1e-12), name
    group = file.create_group(name)
    for key, value in dict(n_qubits=n, **attributes).items():
        group.attrs[key] = np.bytes_(value) if isinstance(value, str) else value
    group["x"], group["w"], group["metric"] = x, w, np.array(blocks)
    group["gradient"] = rng.normal(size=n_w)
    group["step"] = np.linalg.solve(np.mean(blocks, axis=0) + LAMBDA * np.eye(n_w), group["gradient"][:])


def ry_embed(x):
    qml.AngleEmbedding(x, wires=range(len(x)), rotation="Y")


def ry_ring(n, layers):
    def put(w):
        for row in np.reshape(w, (layers, n)):
            for q in range(n):
                qml.RY(row[q], wires=q)
            for q in range(n):
                qml.CNOT(wires=[q, (q + 1) % n])
    return put


def brick(n, layers):
    def put(w):
        for l, row in enumerate(np.reshape(w, (layers, n, 3))):
            for q in range(n):
                qml.Rot(*row[q], wires=q)
            for q in range(l % 2, n - 1, 2):
                qml.CZ(wires=[q, q + 1])
    return put


# Controlled rotations, a weight that enters two gates, multiples of weights.
QASM = """OPENQASM 3.0;
include "stdgates.inc";
input angle x0;
input angle x1;
input angle x2;
input angle w0;
input angle w1;
input angle w2;
input angle w3;
input angle w4;
qubit[3] q;
ry(x0) q[0];
ry(x1) q[1];
ry(x2) q[2];
cx q[0], q[1];
rx(w0) q[0];
rz(2*w0) q[1];
crx(w1) q[0], q[2];
cry(w2) q[2], q[1];
h q[0];
crz(w3) q[1], q[0];
ry(-w4) q[2];
"""
QASM_GATES = [("CNOT", [0, 1], None, 0.0),
              ("RX", [0], 0, 1.0), ("RZ", [1], 0, 2.0), ("CRX", [0, 2], 1, 1.0), ("CRY", [2, 1], 2, 1.0),
              ("Hadamard", [0], None, 0.0),
              ("CRZ", [1, 0], 3, 1.0), ("RY", [2], 4, -1.0)]


def main(path):
    with h5py.File(path, "w", libver="earliest") as f:
        f.attrs["made_by"] = np.bytes_("tests/golden/make_metric.py: pennylane %s, qiskit" % qml.__version__)

        def named(name, ansatz, n, layers, gates, entanglement=""):
            n_w = 1 + max(g[2] for g in gates if g[2] is not None)
            write(f, name, gates, n, n_w, dict(ansatz=ansatz, n_layers=layers, entanglement=entanglement), ry_embed)
        named("ry_ring", "ry-ring", 4, 2, from_template(ry_ring(4, 2), 8))
        named("basic_entangler", "basic-entangler", 3, 2,
              from_template(lambda w: qml.BasicEntanglerLayers(w.reshape(2, 3), wires=range(3)), 6))
        named("strongly_entangling", "strongly-entangling", 3, 2,
              from_template(lambda w: qml.StronglyEntanglingLayers(w.reshape(2, 3, 3), wires=range(3)), 18))
        named("two_design", "simplified-two-design", 5, 1,
              from_template(lambda w: qml.SimplifiedTwoDesign(w[:5], w[5:].reshape(1, 4, 2), wires=range(5)), 13))
        named("real_amplitudes", "real-amplitudes", 4, 1, from_qiskit(RealAmplitudes(4, reps=1, entanglement="full")), "full")
        named("efficient_su2", "efficient-su2", 3, 1, from_qiskit(EfficientSU2(3, reps=1, entanglement="reverse_linear")))
        named("brick", "brick", 4, 2, from_template(brick(4, 2), 24))
        named("qcnn", "qcnn", 4, 2, from_qiskit(qcnn(4, 2)))
        write(f, "controlled", QASM_GATES, 3, 5, dict(qasm=QASM), ry_embed, controlled=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/metric.h5")
