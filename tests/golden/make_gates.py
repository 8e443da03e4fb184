#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/gates.h5: every embedding, every ansatz and every gate of OpenQASM that is read, under every channel, on
PennyLane's default.mixed: outputs, and gradients of sum(out * cot) by back-propagation. What one gate is says the library that
a circuit comes from: templates are taken apart by PennyLane and Qiskit, calls of OpenQASM are PennyLane's operators, and behind
each stand its channels once, on its wires. Needs pennylane, qiskit, h5py, numpy.

A group is a circuit: attributes `options` (JSON: words of --embedding and so on, or `qasm`; fold), `strings` (what is observed)
and `noise` (a JSON text a line); x and cot of each sample, w; out, grad_x, grad_w of each line of noise."""
import json
import math
import sys
import h5py
import numpy as np
import pennylane as qml
from pennylane import numpy as pnp
from qiskit.circuit import library

from make_noise import channels

SAMPLES, STRINGS = 2, {2: ["ZI", "XY", "IX"], 3: ["ZII", "IZI", "XYZ", "IXX"], 4: ["IIZI", "IIIZ", "YXIZ"]}
rng = np.random.default_rng(20261126)
THERMAL = {"t1": 1e-6, "t2": 1.4e-6, "gate-time": 2e-8, "gate-time-2": 6e-8, "excited": 0.1}
NOISE = [{"all": model} for model in (
    {"depolarizing": 0.02}, {"amplitude-damping": 0.03}, {"phase-damping": 0.04}, {"bit-flip": 0.02}, {"phase-flip": 0.03}, THERMAL,
    {"readout": 0.05}, {"depolarizing": 0.002, "depolarizing-2": 0.02},
    dict(THERMAL, **{"depolarizing": 0.01, "amplitude-damping": 0.01, "phase-damping-2": 0.02, "bit-flip": 0.003,
                     "phase-flip-2": 0.01, "readout-0": 0.02, "readout-1": 0.07}))]


def one(op):
    """A gate is a list of operators, and the wires that its channels stand on."""
    return [op], list(op.wires)


def embedding(name, n, x):
    wires = range(n)
    if name in ("angle-x", "angle-y", "angle-z"):
        return [one(qml.Hadamard(q)) for q in wires if name == "angle-z"] + \
            [one(op) for op in qml.AngleEmbedding(x, wires, rotation=name[-1].upper()).decomposition()]
    if name == "basis":
        return [one(qml.RX(np.pi * x[q], q)) for q in wires]
    if name in ("iqp", "iqp-2"):
        return [one(op) for op in qml.IQPEmbedding(x, wires, n_repeats=1 if name == "iqp" else 2).decomposition()]
    repeat = [one(qml.Hadamard(q)) for q in wires] + [one(qml.PhaseShift(2 * x[q], q)) for q in wires]
    repeat += [one(qml.MultiRZ(2 * (np.pi - x[i]) * (np.pi - x[j]), [i, j])) for i in wires for j in wires if i < j]
    return 2 * repeat if name == "zz" else []


def of_qiskit(circuit, w):
    gates = []
    for gate in circuit.data:
        wires = [circuit.find_bit(q).index for q in gate.qubits]
        make = {"ry": qml.RY, "rz": qml.RZ, "cx": qml.CNOT}[gate.operation.name]
        gates.append(one(make(*[w[p.index] for p in gate.operation.params], wires=wires)))
    return gates


def block(q, r, w, convolution):
    """The two-qubit blocks of Qiskit's QCNN tutorial."""
    ops = [qml.RZ(-np.pi / 2, r), qml.CNOT([r, q]), qml.RZ(w[0], q), qml.RY(w[1], r), qml.CNOT([q, r]), qml.RY(w[2], r)]
    return [one(op) for op in ops + ([qml.CNOT([r, q]), qml.RZ(np.pi / 2, q)] if convolution else [])]


def qcnn(n, layers, w):
    gates, k = [], 0
    for l in range(layers):
        m = n >> l
        pairs = [(a, (a + 1) % m, True) for a in range(0, m, 2)] + [(a, (a + 1) % m, True) for a in range(1, m, 2)]
        for a, b, convolution in pairs + [(a, m // 2 + a, False) for a in range(m // 2)]:
            gates += block(n - m + a, n - m + b, w[k:k + 3], convolution)
            k += 3
    return gates


def layer_count(name, n, layers):
    return {"ry-ring": layers * n, "basic-entangler": layers * n, "strongly-entangling": 3 * layers * n, "brick": 3 * layers * n,
            "simplified-two-design": n + 2 * layers * (n - 1), "real-amplitudes": (layers + 1) * n,
            "efficient-su2": 2 * (layers + 1) * n, "qcnn": sum(3 * ((n >> l) + (n >> l) // 2) for l in range(layers))}[name]


def ansatz(name, n, layers, w):
    wires = range(n)
    if name == "basic-entangler":
        return [one(op) for op in qml.BasicEntanglerLayers(w.reshape(layers, n), wires).decomposition()]
    if name == "strongly-entangling":
        return [one(op) for op in qml.StronglyEntanglingLayers(w.reshape(layers, n, 3), wires).decomposition()]
    if name == "simplified-two-design":
        return [one(op) for op in qml.SimplifiedTwoDesign(w[:n], w[n:].reshape(layers, n - 1, 2), wires).decomposition()]
    if name == "real-amplitudes":
        return of_qiskit(library.real_amplitudes(n, reps=layers), w)
    if name == "efficient-su2":
        return of_qiskit(library.efficient_su2(n, reps=layers), w)
    if name == "qcnn":
        return qcnn(n, layers, w)
    gates = []
    for l in range(layers):
        if name == "ry-ring":
            gates += [one(qml.RY(w[l * n + q], q)) for q in wires] + [one(qml.CNOT([q, (q + 1) % n])) for q in wires]
        else:
            gates += [one(qml.Rot(*w[3 * (l * n + q):3 * (l * n + q) + 3], wires=q)) for q in wires]
            gates += [one(qml.CZ([q, q + 1])) for q in range(l % 2, n - 1, 2)]
    return gates


CALLS = {"x": qml.X, "y": qml.Y, "z": qml.Z, "h": qml.Hadamard, "s": qml.S, "t": qml.T, "sx": qml.SX, "id": qml.Identity,
         "sdg": lambda wires: qml.adjoint(qml.S(wires)), "tdg": lambda wires: qml.adjoint(qml.T(wires)),
         "rx": qml.RX, "ry": qml.RY, "rz": qml.RZ, "p": qml.PhaseShift, "phase": qml.PhaseShift, "u1": qml.PhaseShift,
         "u": qml.U3, "U": qml.U3, "u3": qml.U3, "cx": qml.CNOT, "CX": qml.CNOT, "cz": qml.CZ, "swap": qml.SWAP, "crx": qml.CRX,
         "cry": qml.CRY, "crz": qml.CRZ, "cp": qml.ControlledPhaseShift, "cphase": qml.ControlledPhaseShift, "rzz": qml.IsingZZ}
SINGLE = ["x0", "w0", "-x1", "0.5 * w1", "x0 * x1", "pi / 3", "w2 * x1", "2 * w0"]
SUMS = ["x0 + w0", "2 * (pi - x0) * 0.3 - w1", "w0 - x1 + 0.25", "x0 * x1 + w1 + w2", "-(w2 + x0) / 2", "w1 + w1", "x1 - pi / 2 + w0 * x0"]


def calls(sums):
    """All gates, in any order: (name, angles, wires); every angle a sum, or none."""
    listed = []
    for k, name in enumerate(CALLS):
        angles = 3 if CALLS[name] is qml.U3 else getattr(CALLS[name], "num_params", 0) if not name.endswith("dg") else 0
        wires = getattr(CALLS[name], "num_wires", 1) if name not in ("id", "sdg", "tdg") else 1
        pool = SUMS if sums else SINGLE
        listed.append((name, [pool[(k + 3 * a) % len(pool)] for a in range(angles)], [int(q) for q in rng.permutation(3)[:wires]]))
    return [listed[k] for k in rng.permutation(len(listed))]


def text_of(listed):
    lines = ["OPENQASM 3.0;", 'include "stdgates.inc";', "input float[64] x0;", "input float[64] x1;"]
    lines += [f"input float[64] w{k};" for k in range(3)] + ["qubit[3] q;", "h q[0];", "h q[1];", "h q[2];"]
    for call in listed:
        if call == "with next":
            lines.append("@ketline.with_next")
            continue
        name, angles, wires = call
        lines.append(name + (f"({', '.join(angles)})" if angles else "") + " " + ", ".join(f"q[{q}]" for q in wires) + ";")
    return "\n".join(lines) + "\n"


def gates_of(listed, x, w):
    names = {"pi": math.pi, "x0": x[0], "x1": x[1], "w0": w[0], "w1": w[1], "w2": w[2]}
    gates, joins = [one(qml.Hadamard(q)) for q in range(3)], False
    for call in listed:
        if call == "with next":
            joins = True
            continue
        name, angles, wires = call
        op = CALLS[name](*[eval(a, {"__builtins__": {}}, names) for a in angles], wires=wires)
        if joins:
            gates[-1] = (gates[-1][0] + [op], sorted(set(gates[-1][1]) | set(wires)))
        else:
            gates.append(([op], wires))
        joins = False
    return gates


def joined(listed):
    """Some calls next to each other said to be one gate."""
    result = []
    for k, call in enumerate(listed[:14]):
        result.append(call)
        if k % 4 in (1, 2) and k < 13:
            result.append("with next")
    return result


def as_text_says(listed):
    """The annotation stands before the call that goes on: gates_of wants it between both, as it is in `listed`."""
    moved = list(listed)
    for k, call in enumerate(listed):
        if call == "with next":
            moved[k - 1], moved[k] = "with next", listed[k - 1]
    return moved


LETTER = {"I": np.eye(2), "X": np.array([[0, 1], [1, 0]]), "Y": np.array([[0, -1j], [1j, 0]]), "Z": np.diag([1, -1])}
TURN = {"Z": np.eye(2), "X": np.array([[1, 1], [1, -1]]) / np.sqrt(2), "Y": np.array([[1, -1j], [1, 1j]]) / np.sqrt(2)}


def observable(string, noise):
    """What reading +1 or -1 of each letter's qubit, turned to Z, means before the readout errs."""
    e0, e1 = noise.get("readout-0", noise.get("readout", 0)), noise.get("readout-1", noise.get("readout", 0))
    confusion, matrix = np.array([[1 - e0, e1], [e0, 1 - e1]]), np.eye(1)
    for letter in string:
        read = np.eye(2)
        if letter != "I":
            read = TURN[letter].conj().T @ np.diag(confusion.T @ np.array([1, -1])) @ TURN[letter]
        matrix = np.kron(matrix, read)
    return matrix


def run_of(make, n, strings, model, fold, given):
    noise = [model["all"]] * n
    device = qml.device("default.mixed", wires=n)

    def put(ops, wires):
        for op in ops:
            qml.apply(op)
        for q in sorted(wires):
            channels(noise, q, len(wires) > 1)

    @qml.qnode(device, diff_method="backprop", interface="autograd")
    def state(x, w):
        if given:
            qml.StatePrep(x / pnp.sqrt(pnp.sum(x * x)), wires=range(n))
        with qml.QueuingManager.stop_recording():
            gates = make(x, w)
            backs = [([qml.adjoint(op) for op in reversed(ops)], wires) for ops, wires in gates]
        for gate, back in zip(gates, backs):
            for k in range(fold):
                put(*(back if k % 2 else gate))
        return qml.state()

    matrices = [observable(s, model["all"]) for s in strings]
    return lambda x, w: pnp.stack([pnp.real(pnp.sum(state(x, w) * m.T)) for m in matrices])


def write(file, name, options, n, n_inputs, n_weights, make):
    strings, fold = STRINGS[n], options.get("fold", 1)
    x, w = rng.uniform(-1.2, 1.2, (SAMPLES, n_inputs)), rng.uniform(-2, 2, n_weights)
    cot = rng.uniform(-1, 1, (SAMPLES, len(strings)))
    out, grad_x, grad_w = (np.zeros((len(NOISE),) + shape) for shape in ((SAMPLES, len(strings)), x.shape, w.shape))
    for m, model in enumerate(NOISE):
        run = run_of(make, n, strings, model, fold, options.get("embedding") == "amplitude")
        for i in range(SAMPLES):
            xi, wi = pnp.array(x[i], requires_grad=True), pnp.array(w, requires_grad=True)
            out[m, i] = np.array(run(x[i], w), dtype=float)
            gx, gw = qml.grad(lambda a, b: pnp.sum(run(a, b) * cot[i]), argnums=[0, 1])(xi, wi)
            grad_x[m, i] = gx
            grad_w[m] += gw
    group = file.create_group(name)
    group.attrs["options"] = np.bytes_(json.dumps(options))
    group.attrs["strings"] = np.bytes_(",".join(strings))
    group.attrs["noise"] = np.bytes_("\n".join(json.dumps(model) for model in NOISE))
    for key, v in dict(x=x, w=w, out=out, cot=cot, grad_x=grad_x, grad_w=grad_w).items():
        group[key] = np.asarray(v, dtype=np.float64)
    print(name, np.abs(out).max(), flush=True)


def named(file, name, embed, kind, n, layers, **more):
    options = dict({"embedding": embed, "ansatz": kind, "qubits": n, "layers": layers}, **more)
    count = layer_count(kind, n, layers)
    each = count // layers

    def make(x, w):
        if not more.get("reupload"):
            return embedding(embed, n, x) + ansatz(kind, n, layers, w)
        return sum((embedding(embed, n, x) + ansatz(kind, n, 1, w[l * each:(l + 1) * each]) for l in range(layers)), [])

    write(file, name, options, n, 2**n if embed == "amplitude" else n, count, make)


def main(path):
    with h5py.File(path, "w", libver="latest", track_order=False) as f:
        f.attrs["made_by"] = np.bytes_("tests/golden/make_gates.py: pennylane %s" % qml.__version__)
        for embed in ("angle-y", "angle-x", "angle-z", "basis", "iqp", "iqp-2", "zz", "amplitude"):
            named(f, "embedding_" + embed, embed, "basic-entangler", 3, 1)
        for kind in ("ry-ring", "strongly-entangling", "simplified-two-design", "real-amplitudes", "efficient-su2", "brick"):
            named(f, "ansatz_" + kind, "angle-y", kind, 3, 2)
        named(f, "ansatz_qcnn", "angle-y", "qcnn", 4, 1)
        named(f, "reupload_zz", "zz", "ry-ring", 2, 2, reupload=True)
        named(f, "fold_zz", "zz", "basic-entangler", 2, 1, fold=3)
        for name, sums, fold in (("single", False, 1), ("sums", True, 1), ("sums_fold", True, 3)):
            listed = calls(sums)
            write(f, "qasm_" + name, dict({"qasm": text_of(listed)}, **({"fold": fold} if fold > 1 else {})), 3, 2, 3,
                  lambda x, w, listed=listed: gates_of(listed, x, w))
        listed = joined(calls(True))
        write(f, "qasm_with_next", {"qasm": text_of(as_text_says(listed))}, 3, 2, 3, lambda x, w: gates_of(listed, x, w))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/gates.h5")
