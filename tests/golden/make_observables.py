#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/observables.h5: weighted sums of Pauli strings, marginal probabilities, fidelities and learnable scales
by PennyLane, without noise (default.qubit) and with (default.mixed): outputs, and gradients of sum(out * cot) by
back-propagation. Sums are Hamiltonians, marginals qml.probs(wires), fidelities projectors; where the readout errs, each string,
outcome or product state is read from the probabilities of turned qubits times the confusion matrix.
Needs pennylane, h5py, numpy."""
import json
import re
import sys
import h5py
import numpy as np
import pennylane as qml
from pennylane import numpy as pnp

SAMPLES = 3
rng = np.random.default_rng(20261124)


class Device:
    """Channels behind every gate, and the readout."""

    def __init__(self, n, noise):
        self.n, self.noise = n, noise
        self.mixed = bool(noise)

    def gate(self, operation, wires, *angles):
        operation(*angles, wires=wires)
        for q in wires:
            for name, channel in (("depolarizing", qml.DepolarizingChannel), ("amplitude-damping", qml.AmplitudeDamping),
                                  ("phase-damping", qml.PhaseDamping)):
                if self.noise.get(name):
                    channel(self.noise[name], wires=q)

    def node(self, gates, measure):
        device = qml.device("default.mixed" if self.mixed else "default.qubit", wires=self.n)

        @qml.qnode(device, diff_method="backprop")
        def circuit(x, w):
            gates(self, x, w)
            return measure()
        return circuit

    def confusion(self):
        e0, e1 = self.noise.get("readout-0", 0), self.noise.get("readout-1", 0)
        matrix = np.ones((1, 1))
        for _ in range(self.n):
            matrix = np.kron(matrix, np.array([[1 - e0, e1], [e0, 1 - e1]]))
        return matrix

    def read(self, gates, axes, weights):
        """sum of weights * (what is read of all qubits, each turned to its axis first)"""
        def turned():
            for q, axis in enumerate(axes):
                if axis == "Y":
                    qml.adjoint(qml.S)(wires=q)
                if axis in "XY":
                    qml.Hadamard(wires=q)
            return qml.probs(wires=range(self.n))
        node = self.node(gates, turned)
        return lambda x, w: pnp.dot(weights, pnp.dot(self.confusion(), node(x, w)))


def bits(k, n):
    return [k >> (n - 1 - q) & 1 for q in range(n)]


def items(text):
    return re.findall(r"(?:[^,(]|\([^)]*\))+", text)


def summands(item):
    found = re.findall(r"([+-]?)([0-9.]*)\*?([IXYZ]+)", item)
    return [((-1 if sign == "-" else 1) * (float(number) if number else 1), string) for sign, number, string in found]


def state_of(name, n):
    if name == "ghz":
        state = np.zeros(2**n)
        state[0] = state[-1] = np.sqrt(0.5)
        return state
    if name == "w":
        return np.array([sum(bits(k, n)) == 1 for k in range(2**n)]) / np.sqrt(n)
    r = np.sqrt(0.5)
    one = {"0": [1, 0], "1": [0, 1], "+": [r, r], "-": [r, -r], "r": [r, 1j * r], "l": [r, -1j * r]}
    state = np.ones(1)
    for letter in name:
        state = np.kron(state, one[letter])
    return state


def readers(device, gates, item):
    """Functions of (x, w), whose results are joined to the outputs."""
    n, errs = device.n, "readout-0" in device.noise
    if item in ("z", "x"):
        return sum((readers(device, gates, "I" * q + item.upper() + "I" * (n - 1 - q)) for q in range(n)), [])
    if item == "probs":
        item = "probs(%s)" % ",".join(str(q) for q in range(n))
    if item.startswith("probs("):
        wires = [int(q) for q in item[6:-1].split(",")]
        if not errs:
            return [device.node(gates, lambda: qml.probs(wires=wires))]
        rows = [[[bits(k, n)[q] for q in wires] == bits(outcome, len(wires)) for k in range(2**n)] for outcome in range(2**len(wires))]
        return [device.read(gates, "Z" * n, np.array(rows, dtype=float))]
    if item.startswith("fidelity("):
        name = item[9:-1]
        if not errs:
            return [device.node(gates, lambda: qml.expval(qml.Projector(state_of(name, n), wires=range(n))))]
        axes = "".join({"0": "Z", "1": "Z", "+": "X", "-": "X", "r": "Y", "l": "Y"}[c] for c in name)
        outcome = [int(c in "1-l") for c in name]
        return [device.read(gates, axes, np.array([bits(k, n) == outcome for k in range(2**n)], dtype=float))]
    terms = summands(item)
    if not errs:
        words = [qml.pauli.string_to_pauli_word(s, wire_map={q: q for q in range(n)}) for _, s in terms]
        return [device.node(gates, lambda: qml.expval(qml.Hamiltonian([c for c, _ in terms], words)))]
    signs = [np.array([(-1) ** sum(b for b, letter in zip(bits(k, n), s) if letter != "I") for k in range(2**n)], dtype=float)
             for _, s in terms]
    parts = [device.read(gates, s, c * sign) for (c, s), sign in zip(terms, signs)]
    return [lambda x, w: sum(part(x, w) for part in parts)]


def ry_ring(d, w, n, l):
    for q in range(n):
        d.gate(qml.RY, [q], w[l * n + q])
    for q in range(n if n > 1 else 0):
        d.gate(qml.CNOT, [q, (q + 1) % n])


def strongly_entangling(d, w, n, l):
    for q in range(n):
        at = 3 * (l * n + q)
        d.gate(qml.Rot, [q], w[at], w[at + 1], w[at + 2])
    for q in range(n if n > 1 else 0):
        d.gate(qml.CNOT, [q, (q + l % (n - 1) + 1) % n])


ANSAETZE = {"ry-ring": (ry_ring, 1), "strongly-entangling": (strongly_entangling, 3)}


def embed(d, embedding, x, scale, n):
    """scale: one a gate that has an input"""
    if embedding in ("angle-x", "angle-y"):
        for q in range(n):
            d.gate(qml.RX if embedding == "angle-x" else qml.RY, [q], scale[q] * x[q])
    if embedding == "angle-z":
        for q in range(n):
            d.gate(qml.Hadamard, [q])
        for q in range(n):
            d.gate(qml.RZ, [q], scale[q] * x[q])
    if embedding == "iqp":
        for q in range(n):
            d.gate(qml.Hadamard, [q])
            d.gate(qml.RZ, [q], scale[q] * x[q])
        at = n
        for i in range(n):
            for j in range(i + 1, n):
                d.gate(qml.MultiRZ, [i, j], scale[at] * x[i] * x[j])
                at += 1


def write(file, name, n, layers, embedding, ansatz, observables, noise=None, learn_scale=0, reupload=0):
    layer, each = ANSAETZE[ansatz]
    n_ansatz, times = layers * n * each, layers if reupload else 1
    n_scales = n + (n * (n - 1) // 2 if embedding == "iqp" else 0)
    ones = np.ones(n_scales)

    def gates(d, x, w):
        def scale(time):
            return w[n_ansatz + time * n_scales:n_ansatz + (time + 1) * n_scales] if learn_scale else ones
        if embedding == "amplitude":
            qml.StatePrep(x / pnp.sqrt(pnp.sum(x * x)), wires=range(n))
        elif not reupload:
            embed(d, embedding, x, scale(0), n)
        for l in range(layers):
            if reupload:
                embed(d, embedding, x, scale(l), n)
            layer(d, w, n, l)

    device = Device(n, noise or {})
    parts = sum((readers(device, gates, item) for item in items(observables)), [])
    run = lambda x, w: pnp.concatenate([pnp.reshape(pnp.real(part(x, w)), (-1,)) for part in parts])
    x = rng.uniform(-2, 2, (SAMPLES, 2**n if embedding == "amplitude" else n))
    w = rng.uniform(-3, 3, n_ansatz + (times * n_scales if learn_scale else 0))
    n_obs = len(run(x[0], w))
    cot = rng.uniform(-1, 1, (SAMPLES, n_obs))
    out, grad_x, grad_w = [], [], np.zeros(len(w))
    for i in range(SAMPLES):
        xi, wi = pnp.array(x[i], requires_grad=True), pnp.array(w, requires_grad=True)
        out.append(np.array(run(x[i], w), dtype=float))
        gx, gw = qml.grad(lambda a, b: pnp.sum(run(a, b) * cot[i]), argnums=[0, 1])(xi, wi)
        grad_x.append(np.real(gx))
        grad_w += np.real(gw)
    group = file.create_group(name)
    attributes = dict(n_qubits=n, n_layers=layers, embedding=embedding, ansatz=ansatz, entanglement="", observables=observables,
                      reupload=reupload, learn_scale=learn_scale, noise=json.dumps({"all": noise}) if noise else "",
                      gradient_tolerance=1e-10)
    for key, value in attributes.items():
        group.attrs[key] = np.bytes_(value) if isinstance(value, str) else value
    for key, value in dict(x=x, w=w, out=out, cot=cot, grad_x=grad_x, grad_w=grad_w).items():
        group[key] = np.asarray(value, dtype=np.float64)
    print(name, n_obs, "outputs", flush=True)


def main(path):
    sums, marginals = "0.5*ZZII+0.25*XIII-ZIII,IIZZ,-1.5*IIII+XYZI-YIIY", "probs(2,0),probs(1),probs(3,1,2)"
    fidelities = "fidelity(0+1-),fidelity(ghz),fidelity(w),fidelity(rl-1),fidelity(0110)"
    channels = {"depolarizing": 0.03, "amplitude-damping": 0.05, "phase-damping": 0.02}
    readout = dict(channels, **{"readout-0": 0.02, "readout-1": 0.07})
    sel, ring = "strongly-entangling", "ry-ring"
    with h5py.File(path, "w", libver="earliest", track_order=False) as f:
        f.attrs["made_by"] = np.bytes_("tests/golden/make_observables.py: pennylane %s" % qml.__version__)
        write(f, "sums", 4, 2, "angle-y", sel, sums)
        write(f, "sums_real", 4, 2, "angle-y", ring, sums)
        write(f, "sums_amplitude", 4, 1, "amplitude", sel, sums)
        write(f, "marginals", 4, 2, "angle-x", sel, marginals)
        write(f, "marginals_real", 4, 3, "angle-y", ring, marginals)
        write(f, "marginal_of_all_in_another_order", 3, 1, "angle-y", sel, "probs(2,0,1)")
        write(f, "fidelities", 4, 2, "angle-y", sel, fidelities)
        write(f, "fidelities_real", 4, 2, "angle-y", ring, fidelities)
        write(f, "fidelities_amplitude", 4, 1, "amplitude", sel, fidelities)
        write(f, "fidelities_1q", 1, 2, "angle-y", sel, "fidelity(ghz),fidelity(w),fidelity(r),Z")
        write(f, "mixed", 4, 1, "iqp", sel, "z,fidelity(w),probs(0,3),0.125*XXII+2*IIYY")
        write(f, "six_qubits", 6, 1, "angle-y", ring, "0.3*ZIIIIZ-XIIIIX,fidelity(+0-1rl),fidelity(w),probs(5,0)")
        write(f, "noisy_sums", 4, 2, "angle-y", sel, sums, readout)
        write(f, "noisy_marginals", 4, 1, "angle-y", ring, marginals, readout)
        write(f, "noisy_products", 3, 2, "angle-y", sel, "fidelity(0+r),fidelity(1-l),fidelity(010)", readout)
        write(f, "noisy_fidelities", 4, 2, "angle-y", sel, fidelities, channels)
        write(f, "noisy_fidelities_amplitude", 3, 1, "amplitude", ring, "fidelity(ghz),fidelity(w),0.5*ZZI-XII", channels)
        write(f, "scale_x", 3, 2, "angle-x", sel, "z", learn_scale=1)
        write(f, "scale_y", 4, 2, "angle-y", ring, "z", learn_scale=1)
        write(f, "scale_y_reupload", 3, 3, "angle-y", ring, "z", learn_scale=1, reupload=1)
        write(f, "scale_z_reupload", 3, 2, "angle-z", sel, "x", learn_scale=1, reupload=1)
        write(f, "scale_iqp", 3, 1, "iqp", sel, "ZII-0.5*XXI,fidelity(ghz)", learn_scale=1)
        write(f, "scale_noisy", 3, 2, "angle-y", sel, "z,probs(0,2)", readout, learn_scale=1, reupload=1)


main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/observables.h5")
