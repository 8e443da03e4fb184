#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/mitigation.h5: random noisy circuits in Cirq, their gates folded, their outputs extrapolated and
their readout errors inverted by Mitiq. Circuits are rows of numbers as in make_noise.py.
Needs mitiq, cirq-core, h5py, numpy.

Of each group: out [scale, sample, output] of the folded circuits; richardson and linear [sample, output], from these;
undone [scale, sample, output] and both [sample, output]: the same with the readout's errors taken back, then
extrapolated; read and restored [sample, 2^n]: probabilities of the basis states as they are read, and with errors
taken back."""
import json
import sys
import cirq
import h5py
import mitiq
import numpy as np
from mitiq.rem.inverse_confusion_matrix import generate_tensored_inverse_confusion_matrix
from mitiq.zne.inference import LinearFactory, RichardsonFactory
from mitiq.zne.scaling import fold_all

SAMPLES, INPUTS, WEIGHTS, SCALES = 2, 4, 6, (1, 3, 5)
GATES = ["RX", "RY", "RZ", "Rot", "H", "X", "CNOT", "CZ", "CRX", "CRY", "CRZ", "MultiRZ"]
rng = np.random.default_rng(20261123)


def value(angle, x, w):
    source, index, second, scale = angle
    if source == 0:
        return scale
    if source == 2:
        return scale * w[int(index)]
    return scale * x[int(index)] * (x[int(second)] if second >= 0 else 1)


def operation(op, qubits, x, w):
    gate = GATES[int(op[0])]
    a, b, c = [value(op[4 + 4 * k:8 + 4 * k], x, w) for k in range(3)]
    first, second = qubits[int(op[1])], qubits[int(op[2])]
    if gate == "Rot":
        return cirq.MatrixGate(cirq.unitary(cirq.rz(c)) @ cirq.unitary(cirq.ry(b)) @ cirq.unitary(cirq.rz(a)))(first)
    if gate == "MultiRZ":
        wires = [q for q in range(len(qubits)) if int(op[3]) >> q & 1]
        parity = [(-1) ** bin(k).count("1") for k in range(2 ** len(wires))]
        return cirq.MatrixGate(np.diag(np.exp(-0.5j * a * np.array(parity))))(*[qubits[q] for q in wires])
    if gate in ("H", "X"):
        return {"H": cirq.H, "X": cirq.X}[gate](first)
    if gate in ("CNOT", "CZ"):
        return {"CNOT": cirq.CNOT, "CZ": cirq.CZ}[gate](first, second)
    rotation = {"X": cirq.rx, "Y": cirq.ry, "Z": cirq.rz}[gate[-1]](a)
    return cirq.ControlledGate(rotation)(first, second) if gate[0] == "C" else rotation(first)


def noisy(circuit, qubits, noise):
    """Channels behind every gate, on each of its wires."""
    result = []
    for op in circuit.all_operations():
        result.append(op)
        for qubit in sorted(op.qubits):
            numbers = noise[qubits.index(qubit)]

            def of(name):
                return numbers.get(name + "-2", numbers.get(name, 0)) if len(op.qubits) > 1 else numbers.get(name, 0)

            for name, channel in (("depolarizing", cirq.depolarize), ("amplitude-damping", cirq.amplitude_damp),
                                  ("phase-damping", cirq.phase_damp), ("bit-flip", cirq.bit_flip)):
                if of(name):
                    result.append(channel(of(name))(qubit))
    return cirq.Circuit(result)


def confusions(noise, n):
    pairs = [(noise[q].get("readout-0", noise[q].get("readout", 0)), noise[q].get("readout-1", noise[q].get("readout", 0)))
             for q in range(n)]
    return [np.array([[1 - e0, e1], [e0, 1 - e1]]) for e0, e1 in pairs]


def probabilities(circuit, qubits, string):
    turns = []
    for q, qubit in enumerate(qubits):
        turn_x, turn_z = int(string[0]) >> q & 1, int(string[1]) >> q & 1
        turns += [(cirq.S**-1)(qubit)] if turn_x and turn_z else []
        turns += [cirq.H(qubit)] if turn_x else []
    whole = circuit + cirq.Circuit(turns)
    rho = cirq.DensityMatrixSimulator(dtype=np.complex128).simulate(whole, qubit_order=qubits).final_density_matrix
    return np.real(np.diag(rho))


def write(file, name, n, ops, obs, model):
    noise = [dict(model.get("all", {}), **(model["qubits"][q] if "qubits" in model else {})) for q in range(n)]
    matrices = confusions(noise, n)
    confusion = np.ones((1, 1))
    for m in matrices:
        confusion = np.kron(confusion, m)
    inverse = generate_tensored_inverse_confusion_matrix(n, matrices)
    qubits = cirq.LineQubit.range(n)
    x, w = rng.uniform(-2, 2, (SAMPLES, INPUTS)), rng.uniform(-3, 3, WEIGHTS)
    out = np.zeros((len(SCALES), SAMPLES, len(obs)))
    undone, read, restored = np.zeros_like(out), [], []
    for i in range(SAMPLES):
        circuit = cirq.Circuit([operation(op, qubits, x[i], w) for op in ops])
        for s, scale in enumerate(SCALES):
            folded = noisy(fold_all(circuit, scale), qubits, noise)
            for o, string in enumerate(obs):
                support = int(string[0] | string[1])
                signs = [(-1) ** sum((k >> (n - 1 - q) & 1) and (support >> q & 1) for q in range(n)) for k in range(2**n)]
                p = confusion @ probabilities(folded, qubits, string)
                out[s, i, o] = np.dot(signs, p)
                undone[s, i, o] = np.dot(signs, inverse @ p)
            if scale == 1:
                read.append(confusion @ probabilities(folded, qubits, (0, 0)))
                restored.append(inverse @ read[-1])

    def extrapolated(factory, values):
        return [[factory.extrapolate(SCALES, values[:, i, o]) for o in range(len(obs))] for i in range(SAMPLES)]

    group = file.create_group(name)
    group.attrs["noise"] = np.bytes_(json.dumps(model))
    group.attrs["n_qubits"], group.attrs["amplitudes"] = float(n), 0.0
    for key, v in dict(x=x, w=w, ops=ops, obs=obs, out=out, undone=undone, read=read, restored=restored,
                       richardson=extrapolated(RichardsonFactory, out), linear=extrapolated(LinearFactory, out),
                       both=extrapolated(RichardsonFactory, undone)).items():
        group[key] = np.asarray(v, dtype=np.float64)
    print(name, np.abs(out).max(axis=(1, 2)), flush=True)


def random_angle():
    kind = rng.integers(5)
    if kind == 0:
        return [1, rng.integers(INPUTS), -1, rng.uniform(-2, 2)]
    if kind == 1:
        return [1, rng.integers(INPUTS), rng.integers(INPUTS), rng.uniform(-1, 1)]
    return [2, rng.integers(WEIGHTS), -1, rng.uniform(-2, 2)] if kind < 4 else [0, 0, -1, rng.uniform(-2, 2)]


def random_ops(n, count):
    ops = []
    for k in range(count):
        wires = rng.permutation(n)[:2]
        ops.append([k % len(GATES), wires[0], wires[1], rng.integers(1, 2**n)] + sum([random_angle() for _ in range(3)], []))
    return [ops[k] for k in rng.permutation(count)]


def main(path):
    qubits = [{"readout-0": 0.01, "readout-1": 0.04, "depolarizing-2": 0.01}, {"readout": 0.03, "amplitude-damping": 0.02},
              {"readout-1": 0.2, "phase-damping": 0.01}, {"readout-0": 0.3, "bit-flip": 0.01}]
    with h5py.File(path, "w", libver="earliest", track_order=False) as f:
        f.attrs["made_by"] = np.bytes_("tests/golden/make_mitigation.py: mitiq %s, cirq %s" % (mitiq.__version__, cirq.__version__))
        f.attrs["scales"] = np.bytes_(",".join(map(str, SCALES)))
        for name, n, count, noise in (("depolarizing", 3, 24, {"all": {"depolarizing": 0.005}}),
                                      ("readout", 3, 24, {"all": {"depolarizing": 0.002, "readout-0": 0.02, "readout-1": 0.07}}),
                                      ("qubits", 4, 24, {"all": {"depolarizing": 0.001}, "qubits": qubits}),
                                      ("two_qubits", 2, 12, {"all": {"amplitude-damping": 0.01, "readout": 0.1}})):
            strings = [[0, 1 << q] for q in range(n)] + [[int(rng.integers(0, 2**n)), int(rng.integers(1, 2**n))] for _ in range(3)]
            write(f, name, n, random_ops(n, count), np.array(strings), noise)


main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/mitigation.h5")
