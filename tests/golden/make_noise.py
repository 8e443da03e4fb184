#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/noise.h5: random noisy circuits on PennyLane's default.mixed, their outputs and the gradients of
sum(out * cot) by back-propagation. Readout errors are confusion matrices on the probabilities of the turned qubits.
Needs pennylane, h5py, numpy.

A row of `ops` is one gate: gate, wire 0, wire 1, mask, then three angles of four numbers each: source (0 constant, 1 input,
2 weight), index, index of a second factor or -1, scale. A row of `obs` is the x and z mask of a Pauli string, bit q being wire q;
no rows: the probabilities of all basis states."""
import json
import sys
import h5py
import numpy as np
import pennylane as qml
from pennylane import numpy as pnp

SAMPLES, INPUTS, WEIGHTS = 3, 4, 6
GATES = ["RX", "RY", "RZ", "Rot", "H", "X", "CNOT", "CZ", "CRX", "CRY", "CRZ", "MultiRZ"]
rng = np.random.default_rng(20261122)


def value(angle, x, w):
    source, index, second, scale = angle
    if source == 0:
        return scale
    if source == 2:
        return scale * w[int(index)]
    return scale * x[int(index)] * (x[int(second)] if second >= 0 else 1)


def wires_of(op, n):
    gate = GATES[int(op[0])]
    if gate == "MultiRZ":
        return [q for q in range(n) if int(op[3]) >> q & 1]
    return [int(op[1])] + ([int(op[2])] if gate in ("CNOT", "CZ", "CRX", "CRY", "CRZ") else [])


def apply(op, n, x, w):
    gate, wires = GATES[int(op[0])], wires_of(op, n)
    angles = [value(op[4 + 4 * k:8 + 4 * k], x, w) for k in range(3)]
    if gate == "Rot":
        qml.Rot(*angles, wires=wires[0])
    elif gate in ("H", "X", "CNOT", "CZ"):
        {"H": qml.Hadamard, "X": qml.PauliX, "CNOT": qml.CNOT, "CZ": qml.CZ}[gate](wires=wires)
    else:
        getattr(qml, gate)(angles[0], wires=wires)


def channels(noise, wire, several):
    def of(name):
        return noise[wire].get(name + "-2", noise[wire].get(name, 0)) if several else noise[wire].get(name, 0)

    for name, channel in (("depolarizing", qml.DepolarizingChannel), ("amplitude-damping", qml.AmplitudeDamping),
                          ("phase-damping", qml.PhaseDamping), ("bit-flip", qml.BitFlip), ("phase-flip", qml.PhaseFlip)):
        if of(name):
            channel(of(name), wires=wire)
    if of("gate-time"):
        qml.ThermalRelaxationError(noise[wire].get("excited", 0), noise[wire]["t1"], noise[wire]["t2"], of("gate-time"), wires=wire)


def confusion(noise, n):
    """P(read | state) of all qubits, wire 0 the most significant bit."""
    matrix = np.ones((1, 1))
    for q in range(n):
        e0 = noise[q].get("readout-0", noise[q].get("readout", 0))
        e1 = noise[q].get("readout-1", noise[q].get("readout", 0))
        matrix = np.kron(matrix, np.array([[1 - e0, e1], [e0, 1 - e1]]))
    return matrix


def outputs(n, ops, obs, noise, amplitudes):
    device = qml.device("default.mixed", wires=n)

    @qml.qnode(device, diff_method="backprop")
    def probabilities(x, w, string):
        if amplitudes:
            qml.StatePrep(x / pnp.sqrt(pnp.sum(x * x)), wires=range(n))
        for op in ops:
            apply(op, n, x, w)
            wires = wires_of(op, n)
            for q in wires:
                channels(noise, q, len(wires) > 1)
        for q in range(n):
            turn_x, turn_z = string[0] >> q & 1, string[1] >> q & 1
            if turn_x and turn_z:
                qml.adjoint(qml.S)(wires=q)
            if turn_x:
                qml.Hadamard(wires=q)
        return qml.probs(wires=range(n))

    def run(x, w):
        if not len(obs):
            return pnp.dot(confusion(noise, n), probabilities(x, w, (0, 0)))
        result = []
        for string in obs:
            support = int(string[0] | string[1])
            signs = np.array([(-1) ** sum((k >> (n - 1 - q) & 1) and (support >> q & 1) for q in range(n)) for k in range(2**n)])
            result.append(pnp.sum(signs * pnp.dot(confusion(noise, n), probabilities(x, w, (int(string[0]), int(string[1]))))))
        return pnp.stack(result)

    return run


def write(file, name, n, ops, obs, model, amplitudes=False):
    noise = [dict(model.get("all", {}), **(model["qubits"][q] if "qubits" in model else {})) for q in range(n)]
    run = outputs(n, ops, obs, noise, amplitudes)
    n_inputs = 2**n if amplitudes else INPUTS
    n_obs = len(obs) or 2**n
    x, w = rng.uniform(-2, 2, (SAMPLES, n_inputs)), rng.uniform(-3, 3, WEIGHTS)
    cot = rng.uniform(-1, 1, (SAMPLES, n_obs))
    out, grad_x, grad_w = [], [], np.zeros(WEIGHTS)
    for i in range(SAMPLES):
        xi, wi = pnp.array(x[i], requires_grad=True), pnp.array(w, requires_grad=True)
        out.append(np.array(run(x[i], w), dtype=float))
        gx, gw = qml.grad(lambda a, b: pnp.sum(run(a, b) * cot[i]), argnums=[0, 1])(xi, wi)
        grad_x.append(gx)
        grad_w += gw
    group = file.create_group(name)
    group.attrs["noise"] = np.bytes_(json.dumps(model))
    group.attrs["n_qubits"], group.attrs["amplitudes"] = float(n), float(amplitudes)
    for key, v in dict(x=x, w=w, out=out, cot=cot, grad_x=grad_x, grad_w=grad_w, ops=ops, obs=obs).items():
        group[key] = np.asarray(v, dtype=np.float64)
    print(name, np.abs(np.array(out)).max(), flush=True)


def random_angle(k):
    kind = k % 5
    if kind == 0:
        return [1, rng.integers(INPUTS), -1, rng.uniform(-2, 2)]
    if kind == 1:
        return [1, rng.integers(INPUTS), rng.integers(INPUTS), rng.uniform(-1, 1)]
    return [2, rng.integers(WEIGHTS), -1, rng.uniform(-2, 2)] if kind < 4 else [0, 0, -1, rng.uniform(-2, 2)]


def random_ops(n, count, without_inputs=False):
    ops = []
    for k in range(count):
        gate = k % len(GATES) if n > 1 else [0, 1, 2, 3, 4, 5, 11][k % 7]
        wires = rng.permutation(n)[:2] if n > 1 else [0, 0]
        angles = [random_angle(rng.integers(2, 5) if without_inputs else rng.integers(5)) for _ in range(3)]
        ops.append([gate, wires[0], wires[-1], rng.integers(1, 2**n)] + sum(angles, []))
    return [ops[k] for k in rng.permutation(count)]


def ry_ring(n, layers):
    ops = [[1, q, 0, 0, 1, q, -1, 1] + 2 * [0, 0, -1, 0] for q in range(n)]
    for l in range(layers):
        ops += [[1, q, 0, 0, 2, (l * n + q) % WEIGHTS, -1, 1] + 2 * [0, 0, -1, 0] for q in range(n)]
        ops += [[6, q, (q + 1) % n, 0] + 3 * [0, 0, -1, 0] for q in range(n)]
    return ops


def strings(n, count):
    return [[0, 1 << q] for q in range(n)] + [list(rng.integers(0, 2**n, 2)) for _ in range(count)]


def main(path):
    calibration = {"name": "made up", "all": {"depolarizing": 0.001, "gate-time": 35e-9, "gate-time-2": 300e-9}, "qubits": [
        {"t1": 50e-6, "t2": 70e-6, "readout-0": 0.01, "readout-1": 0.04, "excited": 0.02},
        {"t1": 5e-6, "t2": 3e-6, "readout": 0.03, "depolarizing-2": 0.02},
        {"t1": 0.7e-6, "t2": 1.3e-6, "readout-1": 0.2, "amplitude-damping": 0.1},
        {"t1": 8e-6, "t2": 8e-6, "readout-0": 0.3, "excited": 0.3}]}
    with h5py.File(path, "w", libver="earliest", track_order=False) as f:
        f.attrs["made_by"] = np.bytes_("tests/golden/make_noise.py: pennylane %s" % qml.__version__)
        z = [[0, 1 << q] for q in range(4)]
        write(f, "ry_ring_depolarizing", 4, ry_ring(4, 3), z, {"all": {"depolarizing": 0.01}})
        write(f, "ry_ring_calibration", 4, ry_ring(4, 3), z, calibration)
        for name, p in (("depolarizing", 0.1), ("amplitude-damping", 0.15), ("phase-damping", 0.2), ("bit-flip", 0.12),
                        ("phase-flip", 0.07), ("readout", 0.1)):
            write(f, "all_gates_" + name, 3, random_ops(3, 24), strings(3, 5), {"all": {name: p}})
        write(f, "all_gates_thermal", 3, random_ops(3, 24), strings(3, 5),
              {"all": {"t1": 1e-6, "t2": 1.5e-6, "gate-time": 1e-7, "gate-time-2": 3e-7, "excited": 0.1}})
        write(f, "calibration", 4, random_ops(4, 24), strings(4, 5), calibration)
        write(f, "calibration_probabilities", 3, random_ops(3, 24), [], calibration)
        write(f, "one_qubit", 1, random_ops(1, 14), [[0, 1], [1, 0], [1, 1]], calibration)
        write(f, "strong", 2, random_ops(2, 24), strings(2, 3),
              {"all": {"depolarizing": 0.75, "amplitude-damping-2": 0.9, "phase-damping": 0, "bit-flip-2": 0.4}})
        write(f, "amplitudes", 3, random_ops(3, 16, True), strings(3, 4), calibration, amplitudes=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/noise.h5")
