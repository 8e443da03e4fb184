#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/trajectories.h5: the default head's circuit on 8 qubits under noise, on PennyLane's default.mixed, and
the gradients of sum(out * cot) by back-propagation. Needs pennylane, h5py, numpy."""
import sys
import h5py
import numpy as np
import pennylane as qml
from pennylane import numpy as pnp

QUBITS, LAYERS = 8, 2
rng = np.random.default_rng(20261123)
MODELS = {
    "depolarizing": ("depolarizing=0.01", lambda q: qml.DepolarizingChannel(0.01, wires=q)),
    "damping": ("amplitude-damping=0.02", lambda q: qml.AmplitudeDamping(0.02, wires=q)),
    "thermal": ("t1=1,t2=1.2,gate-time=0.03,excited=0.2", lambda q: qml.ThermalRelaxationError(0.2, 1.0, 1.2, 0.03, wires=q)),
}


def outputs(channel):
    @qml.qnode(qml.device("default.mixed", wires=QUBITS), diff_method="backprop")
    def circuit(x, w):
        for q in range(QUBITS):
            qml.RY(x[q], wires=q)
            channel(q)
        for layer in range(LAYERS):
            for q in range(QUBITS):
                qml.RY(w[layer * QUBITS + q], wires=q)
                channel(q)
            for q in range(QUBITS):
                qml.CNOT(wires=[q, (q + 1) % QUBITS])
                channel(q)
                channel((q + 1) % QUBITS)
        return [qml.expval(qml.PauliZ(q)) for q in range(QUBITS)]

    return circuit


def main(path):
    with h5py.File(path, "w", libver="earliest", track_order=False) as f:
        f.attrs["made_by"] = np.bytes_("tests/golden/make_trajectories.py: pennylane %s" % qml.__version__)
        for name, (text, channel) in MODELS.items():
            x, w, cot = rng.uniform(-1, 1, QUBITS), rng.uniform(-1, 1, QUBITS * LAYERS), rng.uniform(-1, 1, QUBITS)
            circuit = outputs(channel)
            out = np.array(circuit(x, w), dtype=float)
            gx, gw = qml.grad(lambda a, b: pnp.sum(pnp.stack(circuit(a, b)) * cot), argnums=[0, 1])(
                pnp.array(x, requires_grad=True), pnp.array(w, requires_grad=True))
            group = f.create_group(name)
            group.attrs["noise"] = np.bytes_(text)
            for key, v in dict(x=x, w=w, cot=cot, out=out, grad_x=gx, grad_w=gw).items():
                group[key] = np.asarray(v, dtype=np.float64)
            print(name, out, flush=True)


main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/trajectories.h5")
