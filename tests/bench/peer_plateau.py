#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The plateau scan, 2 to 12 qubits, 1 to 64 layers of StronglyEntanglingLayers after RY(pi/4), 200 draws, derivative of a local
and a global observable by the first parameter, as a loop over draws in PennyLane. The time of a draw is measured at a few
depths of each number of qubits, and is a straight line over the depth; the whole is then extrapolated.

lightning-shift: lightning.qubit, two shifted circuits (only the first parameter is trainable). lightning-adjoint: its adjoint
sweep. backprop: default.qubit through torch. broadcast: default.qubit with all draws of a cell in one broadcast batch, two
shifted circuits; no loop any more. All in double, as ketline. Each number of qubits has its better of one OpenMP thread
(small states) and two."""
import json
import os
import subprocess
import sys
import time

try:
    import numpy as np
    import pennylane as qml
    import torch
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

QUICK = "--quick" in sys.argv
QUBITS = (2, 4, 8) if QUICK else range(2, 13)
DEPTHS, MEASURED = (1, 2, 4, 8, 16, 32, 64), (2, 8, 24)
DRAWS = 200
rng = np.random.default_rng(1)


def body(n, weights, first):
    """weights (layers, n, 3) numpy; the first one apart, so that it alone can be trainable."""
    for q in range(n):
        qml.RY(np.pi / 4, wires=q)
    for l, layer in enumerate(weights):
        for q in range(n):
            phi = first if l == 0 and q == 0 else layer[q, 0]
            qml.Rot(phi, layer[q, 1], layer[q, 2], wires=q)
        if n > 1:
            for q in range(n):
                qml.CNOT(wires=[q, (q + l % (n - 1) + 1) % n])
    word = qml.Z(0)
    for q in range(1, n):
        word = word @ qml.Z(q)
    return [qml.expval(qml.Z(0)), qml.expval(word)]


def shifted(device, n, layers, batch=None):
    circuit = qml.QNode(lambda w, first: body(n, w, first), qml.device(device, wires=n), diff_method=None)

    def draw():
        w = rng.uniform(0, 2 * np.pi, (layers, n, 3) if batch is None else (layers, n, 3, batch))
        up, down = (np.array(circuit(w, w[0, 0, 0] + s)) for s in (np.pi / 2, -np.pi / 2))
        return (up - down) / 2
    return draw


def differentiated(device, method, n, layers):
    circuit = qml.QNode(lambda w, first: body(n, w, first), qml.device(device, wires=n), diff_method=method, interface="torch")

    def draw():
        w = rng.uniform(0, 2 * np.pi, (layers, n, 3))
        first = torch.tensor(w[0, 0, 0], requires_grad=True, dtype=torch.float64)
        return torch.autograd.functional.jacobian(lambda f: torch.stack(circuit(w, f)), first)
    return draw


def seconds(draw, budget):
    draw()
    best, begun = 1e9, time.perf_counter()
    while True:
        start = time.perf_counter()
        draw()
        now = time.perf_counter()
        best = min(best, now - start)
        if now - begun > budget:
            return best


def scan(make, draws_at_once=1, depths=MEASURED):
    """Seconds of all depths, for each number of qubits."""
    totals = []
    for n in QUBITS:
        times = [seconds(make(n, l), 0.05 if QUICK else 0.3) for l in depths]
        slope, start = np.polyfit(depths, times, 1)
        totals.append(sum(max(start, 0) + slope * l for l in DEPTHS) * DRAWS / draws_at_once)
    return totals


peers = {
    "lightning-shift": lambda: scan(lambda n, l: shifted("lightning.qubit", n, l)),
    "lightning-adjoint": lambda: scan(lambda n, l: differentiated("lightning.qubit", "adjoint", n, l)),
    "backprop": lambda: scan(lambda n, l: differentiated("default.qubit", "backprop", n, l)),
    "broadcast": lambda: scan(lambda n, l: shifted("default.qubit", n, l, DRAWS), DRAWS, (1, 3)),
}
if "--times" in sys.argv:  # of one peer, for the run below
    print(json.dumps(peers[sys.argv[sys.argv.index("--times") + 1]]()))
    sys.exit(0)
name = "plateau-quick" if QUICK else "plateau"
for peer in peers:
    runs = [json.loads(subprocess.run([sys.executable, "-W", "ignore", *sys.argv, "--times", peer], check=True, text=True,
                                      env=os.environ | {"OMP_NUM_THREADS": str(threads)}, stdout=subprocess.PIPE).stdout)
            for threads in (1, 2)]
    print(f"bench {name}/{peer} {sum(map(min, *runs)):.5g} s scaled", flush=True)
