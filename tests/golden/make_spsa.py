#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/spsa.h5: steps of simultaneous perturbation (Spall 1998) on a small head, whose circuit is PennyLane's,
with this file's own Philox4x32-10 for the signs. Needs pennylane, h5py, numpy."""
import sys
import h5py
import numpy as np
import pennylane as qml

SEED, REPLICA, PURPOSE, STEPS, LR, C = 77, 3, 23, 6, 0.05, 0.02
N, D, QUBITS, CLASSES = 10, 5, 2, 3
# name, shape in the file; in memory every tensor begins at a multiple of 16, a weight is [in, out]
TENSORS = [("reduce.0.weight", (QUBITS, D)), ("reduce.0.bias", (QUBITS,)), ("vqc.weight", (QUBITS,)),
           ("head.0.weight", (CLASSES, QUBITS)), ("head.0.bias", (CLASSES,))]


def philox(key, counter):
    k0, k1, c, mask = key & 0xFFFFFFFF, key >> 32, list(counter), 0xFFFFFFFF
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & mask, (p0 >> 32) ^ c[3] ^ k1, p0 & mask]
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    return c


def signs(step):
    out, offset = {}, 0
    for name, shape in TENSORS:
        size = int(np.prod(shape))
        bits = []
        for k in range(offset, offset + size):
            words = philox(SEED, (k // 128, PURPOSE, step, REPLICA))
            bits.append(1.0 if words[k % 128 // 32] >> (k % 32) & 1 else -1.0)
        out[name] = np.reshape(bits, shape[::-1]).T
        offset = (offset + size + 15) // 16 * 16
    return out


@qml.qnode(qml.device("default.qubit", wires=QUBITS))
def circuit(angles, w):
    for q in range(QUBITS):
        qml.RY(angles[q], wires=q)
    for q in range(QUBITS):
        qml.RY(w[q], wires=q)
    for q in range(QUBITS):
        qml.CNOT(wires=[q, (q + 1) % QUBITS])
    return [qml.expval(qml.PauliZ(q)) for q in range(QUBITS)]


def loss(p, x, y):
    angles = np.tanh(x @ p["reduce.0.weight"].T + p["reduce.0.bias"])
    z = np.array([circuit(a, p["vqc.weight"]) for a in angles])
    logits = z @ p["head.0.weight"].T + p["head.0.bias"]
    return np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(y)), y])


def main(path):
    rng = np.random.default_rng(20261123)
    x, y = rng.normal(size=(N, D)).astype(np.float32), np.arange(N) % CLASSES
    p = {name: rng.normal(size=shape).astype(np.float32).astype(float) for name, shape in TENSORS}
    with h5py.File(path, "w", libver="earliest") as f:
        f.attrs["made_by"] = np.bytes_("tests/golden/make_spsa.py: pennylane %s" % qml.__version__)
        f["x"], f["y"] = x, y
        for name, value in p.items():
            f["init/" + name] = value
        losses = []
        for k in range(STEPS):
            delta, c = signs(k), C / (k + 1) ** 0.101
            stability = 0.1 * STEPS
            a = LR * ((stability + 1) / (stability + k + 1)) ** 0.602
            plus = loss({n: p[n] + c * delta[n] for n in p}, x, y)
            minus = loss({n: p[n] - c * delta[n] for n in p}, x, y)
            losses.append((plus + minus) / 2)
            p = {n: p[n] - a * (plus - minus) / (2 * c) * delta[n] for n in p}
        f["losses"] = losses
        for name, value in p.items():
            f["after/" + name] = value


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/spsa.h5")
