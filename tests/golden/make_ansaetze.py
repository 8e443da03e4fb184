#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/ansaetze.h5: circuits by name as PennyLane's templates and Qiskit's circuit library build them,
their expectation values, and gradients of sum(out * cot). Needs pennylane, qiskit, h5py, numpy."""
import sys
import h5py
import numpy as np
import pennylane as qml
from pennylane import numpy as pnp
from qiskit import QuantumCircuit
from qiskit.circuit.library import EfficientSU2, RealAmplitudes, ZZFeatureMap
from qiskit.quantum_info import SparsePauliOp, Statevector

SAMPLES = 4
rng = np.random.default_rng(20261121)


def z_each(n):
    return ["I" * q + "Z" + "I" * (n - 1 - q) for q in range(n)]


def zz_pairs(n):
    return ["".join("Z" if k in (i, j) else "I" for k in range(n)) for i in range(n) for j in range(i + 1, n)]


def strings(observables, n):
    if observables == "z":
        return z_each(n)
    if observables == "zz":
        return zz_pairs(n)
    if observables in ("x", "y"):
        return [s.replace("Z", observables.upper()) for s in z_each(n)]
    return observables.split(",")


def write(file, name, attributes, x, w, out, cot, grad_x, grad_w, tolerance):
    group = file.create_group(name)
    for key, value in attributes.items():
        group.attrs[key] = np.bytes_(value) if isinstance(value, str) else value
    group.attrs["gradient_tolerance"] = tolerance
    for key, value in dict(x=x, w=w, out=out, cot=cot, grad_x=grad_x, grad_w=grad_w).items():
        group[key] = np.asarray(value, dtype=np.float64)


def attributes(n, layers, embedding, ansatz, entanglement="", observables="z", reupload=0):
    return dict(n_qubits=n, n_layers=layers, embedding=embedding, ansatz=ansatz, entanglement=entanglement,
                observables=observables, reupload=reupload)


def pennylane_group(file, name, a, shape, embed, layers):
    """layers(w): the whole ansatz; with reupload a list of functions, one a layer."""
    n = a["n_qubits"]
    paulis = [qml.pauli.string_to_pauli_word(s, wire_map={q: q for q in range(n)}) for s in strings(a["observables"], n)]

    @qml.qnode(qml.device("default.qubit", wires=n), diff_method="backprop")
    def circuit(x, w):
        if a["reupload"]:
            for l in range(a["n_layers"]):
                embed(x)
                layers(w, l)
        else:
            embed(x)
            layers(w)
        return [qml.expval(p) for p in paulis]

    n_w = int(np.prod(shape))
    x, w = rng.uniform(-2, 2, (SAMPLES, n)), rng.uniform(-3, 3, n_w)
    if a["embedding"] == "basis":
        x = rng.integers(0, 2, (SAMPLES, n)).astype(float)
    cot = rng.uniform(-1, 1, (SAMPLES, len(paulis)))
    out, grad_x, grad_w = [], [], np.zeros(n_w)
    for i in range(SAMPLES):
        def value(xi, wi):
            return pnp.sum(pnp.stack(circuit(xi, pnp.reshape(wi, shape))) * cot[i])
        xi, wi = pnp.array(x[i], requires_grad=True), pnp.array(w, requires_grad=True)
        out.append(np.array(circuit(x[i], w.reshape(shape)), dtype=float))
        gx, gw = qml.grad(value, argnums=[0, 1])(xi, wi)
        grad_x.append(gx)
        grad_w += gw
    write(file, name, a, x, w, np.array(out), cot, np.array(grad_x), grad_w, 1e-10)


def angle(rotation):
    def embed(x):
        if rotation == "Z":
            for q in range(len(x)):
                qml.Hadamard(q)
        qml.AngleEmbedding(x, wires=range(len(x)), rotation=rotation)
    return embed


def basis(x):
    for q in range(len(x)):  # BasisEmbedding, but for a global phase and with a derivative
        qml.RX(np.pi * x[q], wires=q)




def qiskit_group(file, name, a, embed, ansatz, tolerance, step=None):
    """embed(circuit, x); ansatz: a parameterised circuit whose parameters are in the order of w."""
    n = a["n_qubits"]
    n_w = ansatz.num_parameters
    paulis = [SparsePauliOp(s[::-1]) for s in strings(a["observables"], n)]  # Qiskit writes qubit 0 last

    def outputs(x, w):
        c = QuantumCircuit(n)
        embed(c, x)
        c.compose(ansatz.assign_parameters(dict(zip(ansatz.parameters, w))), inplace=True)
        state = Statevector(c)
        return np.array([state.expectation_value(p).real for p in paulis])

    x, w = rng.uniform(-2, 2, (SAMPLES, n)), rng.uniform(-3, 3, n_w)
    cot = rng.uniform(-1, 1, (SAMPLES, len(paulis)))
    out = np.array([outputs(xi, w) for xi in x])

    def derivative(f, at, i, h):
        up, down = at.copy(), at.copy()
        if h is None:  # two-term shift rule: the parameter is the angle of one rotation
            up[i] += np.pi / 2
            down[i] -= np.pi / 2
            return (f(up) - f(down)) / 2
        up[i] += h
        down[i] -= h
        return (f(up) - f(down)) / (2 * h)

    grad_x, grad_w = np.zeros((SAMPLES, n)), np.zeros(n_w)
    for s in range(SAMPLES):
        for i in range(n):
            grad_x[s, i] = derivative(lambda v: outputs(v, w) @ cot[s], x[s], i, step)
        for i in range(n_w):
            grad_w[i] += derivative(lambda v: outputs(x[s], v) @ cot[s], w, i, None)
    write(file, name, a, x, w, out, cot, grad_x, grad_w, tolerance)


def ry_embed(c, x):
    for q, value in enumerate(x):
        c.ry(value, q)


def zz_embed(c, x):
    c.compose(ZZFeatureMap(len(x), reps=2, entanglement="full").assign_parameters(x), inplace=True)


def qcnn(n, layers):
    """The convolution and pooling circuits of Qiskit Machine Learning's QCNN tutorial."""
    from qiskit.circuit import ParameterVector
    total, m = 0, n
    for _ in range(layers):
        total, m = total + 3 * (m + m // 2), m // 2
    p, c, at, wires = ParameterVector("w", total), QuantumCircuit(n), 0, list(range(n))

    def block(q, r, w, convolution):
        c.rz(-np.pi / 2, r)
        c.cx(r, q)
        c.rz(w[0], q)
        c.ry(w[1], r)
        c.cx(q, r)
        c.ry(w[2], r)
        if convolution:
            c.cx(r, q)
            c.rz(np.pi / 2, q)

    for _ in range(layers):
        for q, r in list(zip(wires[0::2], wires[1::2])) + list(zip(wires[1::2], wires[2::2] + [wires[0]])):
            block(q, r, p[at:at + 3], True)
            at += 3
        half = len(wires) // 2
        for q, r in zip(wires[:half], wires[half:]):
            block(q, r, p[at:at + 3], False)
            at += 3
        wires = wires[half:]
    return c


def mirrored_groups(f):
    """Blocks of m layers and their adjoints, whose parameters are of their own: the adjoint of a rotation by -w."""
    def order(layers, m):  # (layer of the ansatz, adjoint) of every layer
        blocks = layers // (2 * m)
        return [(b * m + k, back) for b in range(blocks) for back, ks in ((False, range(m)), (True, reversed(range(m)))) for k in ks]

    def sel(n, layers, m):
        def put(w):
            for l, (p, back) in enumerate(order(layers, m)):
                if back:  # Rot(phi, theta, omega)^-1 = Rot(-omega, -theta, -phi)
                    qml.adjoint(qml.StronglyEntanglingLayers)(-w[l:l + 1, :, ::-1], wires=range(n), ranges=[p % (n - 1) + 1])
                else:
                    qml.StronglyEntanglingLayers(w[l:l + 1], wires=range(n), ranges=[p % (n - 1) + 1])
        return put

    def real_amplitudes(n, layers, m):
        def put(w):
            def layer(v):
                qml.AngleEmbedding(v, wires=range(n), rotation="Y")
                for q in reversed(range(n - 1)):
                    qml.CNOT([q, q + 1])
            for l, (p, back) in enumerate(order(layers, m)):
                qml.adjoint(layer)(-w[l]) if back else layer(w[l])
            qml.AngleEmbedding(w[layers], wires=range(n), rotation="Y")
        return put

    def two_design(n, layers, m):
        def put(w):
            def layer(v):
                for i, q in enumerate([q for parity in (0, 1) for q in range(parity, n - 1, 2)]):
                    qml.CZ([q, q + 1])
                    qml.RY(v[2 * i], q)
                    qml.RY(v[2 * i + 1], q + 1)
            qml.AngleEmbedding(w[:n], wires=range(n), rotation="Y")
            for l, (p, back) in enumerate(order(layers, m)):
                v = w[n + 2 * (n - 1) * l:][:2 * (n - 1)]
                qml.adjoint(layer)(-v) if back else layer(v)
        return put

    for name, n, layers, m, ansatz, shape, put in (
            ("mirror_sel_4q8l", 4, 8, 2, "strongly-entangling", (8, 4, 3), sel(4, 8, 2)),
            ("mirror_real_3q6l", 3, 6, 3, "real-amplitudes", (7, 3), real_amplitudes(3, 6, 3)),
            ("mirror_two_design_5q4l", 5, 4, 2, "simplified-two-design", (5 + 4 * 8,), two_design(5, 4, 2))):
        pennylane_group(f, name, attributes(n, layers, "angle-y", ansatz), shape, angle("Y"), put)
        f[name].attrs["mirror"] = m


def main(path):
    with h5py.File(path, "w", libver="earliest", track_order=False) as f:
        f.attrs["made_by"] = np.bytes_("tests/golden/make_ansaetze.py: pennylane %s, qiskit" % qml.__version__)
        sel = lambda n: lambda w: qml.StronglyEntanglingLayers(w, wires=range(n))
        bel = lambda n: lambda w: qml.BasicEntanglerLayers(w, wires=range(n))
        pennylane_group(f, "bel_2q3l_angle_x", attributes(2, 3, "angle-x", "basic-entangler"), (3, 2), angle("X"), bel(2))
        pennylane_group(f, "bel_5q2l_angle_z", attributes(5, 2, "angle-z", "basic-entangler", observables="x"), (2, 5),
                        angle("Z"), bel(5))
        pennylane_group(f, "sel_1q2l_angle_y", attributes(1, 2, "angle-y", "strongly-entangling"), (2, 1, 3), angle("Y"), sel(1))
        pennylane_group(f, "sel_3q5l_basis", attributes(3, 5, "basis", "strongly-entangling", observables="y"), (5, 3, 3), basis, sel(3))
        pennylane_group(f, "sel_4q2l_iqp", attributes(4, 2, "iqp", "strongly-entangling", observables="zz"), (2, 4, 3),
                        lambda x: qml.IQPEmbedding(x, wires=range(4), n_repeats=1), sel(4))

        def two_design(n, layers):
            def put(w):
                qml.SimplifiedTwoDesign(w[:n], pnp.reshape(w[n:], (layers, n - 1, 2)), wires=range(n))
            return put
        pennylane_group(f, "two_design_5q3l", attributes(5, 3, "angle-y", "simplified-two-design", observables="XYZII,IIZZI,IYIYX"),
                        (5 + 3 * 4 * 2,), angle("Y"), two_design(5, 3))

        def reuploaded(w, l):
            for q in range(3):
                qml.RX(w[l, q], wires=q)
            for q in range(3):
                qml.CNOT(wires=[q, (q + 1) % 3])
        pennylane_group(f, "reupload_bel_3q4l", attributes(3, 4, "angle-y", "basic-entangler", reupload=1), (4, 3), angle("Y"), reuploaded)

        qiskit_names = {"reverse-linear": "reverse_linear", "ring": "circular"}
        for n, layers, e in ((4, 2, "reverse-linear"), (4, 2, "full"), (5, 1, "ring"), (2, 2, "ring")):
            q = qiskit_names.get(e, e)
            own = "" if e == "reverse-linear" else e
            qiskit_group(f, "real_amplitudes_%dq%dl_%s" % (n, layers, e), attributes(n, layers, "angle-y", "real-amplitudes", own),
                         ry_embed, RealAmplitudes(n, reps=layers, entanglement=q), 1e-10)
        qiskit_group(f, "efficient_su2_4q2l_default", attributes(4, 2, "angle-y", "efficient-su2"), ry_embed,
                     EfficientSU2(4, reps=2, entanglement="reverse_linear"), 1e-10)
        qiskit_group(f, "zz_3q_real_amplitudes", attributes(3, 1, "zz", "real-amplitudes", "linear"), zz_embed,
                     RealAmplitudes(3, reps=1, entanglement="linear"), 1e-6, step=1e-5)
        for n, layers in ((8, 2), (4, 2)):
            last = n >> layers
            text = ",".join(s for s in z_each(n)[n - last:])
            a = attributes(n, layers, "angle-y", "qcnn", observables=text)
            qiskit_group(f, "qcnn_%dq%dl" % (n, layers), a, ry_embed, qcnn(n, layers), 1e-10)
            f["qcnn_%dq%dl" % (n, layers)].attrs["observables"] = np.bytes_("z")
        mirrored_groups(f)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/ansaetze.h5")
