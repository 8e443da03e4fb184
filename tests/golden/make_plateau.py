#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/plateau.h5: gradients of a few cells of a plateau scan as PennyLane has them, on the parameters that the
scan draws (Philox4x32-10, written out here once more), and their variances by numpy. Needs pennylane, h5py, numpy."""
import sys
import h5py
import numpy as np
import pennylane as qml
from pennylane import numpy as pnp

DRAWS, SEED = 12, 5


def philox(key, counter):
    k, c = [key & 0xFFFFFFFF, key >> 32], list(counter)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def parameters(n, layers, draw, count, spread):
    words = [w for i in range((count + 3) // 4) for w in philox(SEED, (i, 8, draw, n << 16 | layers))]
    return spread * (2 * (np.array(words[:count], dtype=float) + 0.5) / 2**32 - 1)


def strongly(w, n, layers):
    qml.StronglyEntanglingLayers(pnp.reshape(w, (layers, n, 3)), wires=range(n))


def basic(w, n, layers):
    qml.BasicEntanglerLayers(pnp.reshape(w, (layers, n)), wires=range(n))


def two_design(w, n, layers):
    qml.SimplifiedTwoDesign(w[:n], pnp.reshape(w[n:], (layers, n - 1, 2)), wires=range(n))


def cell(file, ansatz, put, n, layers, count, observables, spread, initial):
    @qml.qnode(qml.device("default.qubit", wires=n), diff_method="backprop")
    def circuit(w):
        for q in range(n):
            qml.RY(initial, wires=q)
        put(w, n, layers)
        words = []
        for name in observables.split(","):
            text = {"local": "Z", "global": "Z" * n}.get(name, name)
            words.append(qml.pauli.string_to_pauli_word(text.ljust(n, "I"), wire_map={q: q for q in range(n)}))
        return [qml.expval(p) for p in words]

    gradients = []
    for draw in range(DRAWS):
        w = pnp.array(parameters(n, layers, draw, count, spread), requires_grad=True)
        gradients.append(qml.jacobian(lambda v: pnp.stack(circuit(v)))(w))
    gradients = np.array(gradients).transpose(1, 0, 2)  # observable, draw, parameter
    group = file.create_group("%s_%dq%dl" % (ansatz, n, layers))
    for key, value in dict(ansatz=ansatz, observables=observables, qubits=str(n), layers=str(layers)).items():
        group.attrs[key] = np.bytes_(value)
    for key, value in dict(spread=spread, initial=initial, draws=DRAWS, seed=SEED).items():
        group.attrs[key] = float(value)
    group["gradients"] = gradients
    group["variance_first"] = gradients[:, :, 0].var(axis=1, ddof=1)
    group["variance_all"] = gradients.var(axis=1, ddof=1).mean(axis=1)


with h5py.File(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/plateau.h5", "w", libver="earliest") as f:
    f.attrs["made_by"] = np.bytes_("tests/golden/make_plateau.py: pennylane %s" % qml.__version__)
    cell(f, "strongly-entangling", strongly, 4, 3, 36, "local,global", np.pi, np.pi / 4)
    cell(f, "strongly-entangling", strongly, 6, 2, 36, "ZZ,XIYI", 0.3, np.pi / 4)
    cell(f, "basic-entangler", basic, 5, 2, 10, "local,global", np.pi, 0)
    cell(f, "simplified-two-design", two_design, 3, 4, 3 + 16, "local,global", np.pi, 0.5)
    cell(f, "strongly-entangling", strongly, 1, 2, 6, "local", np.pi, np.pi / 4)
