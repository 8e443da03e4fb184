#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One epoch of the default head (6,000 x 512 features, batch 64, Adam) with a depolarising channel behind every gate, on every
wire: PennyLane's default.mixed, back-propagation, the whole batch broadcast through torch. Thread counts 1 and all are tried,
the better one counts; measured over some batches and multiplied ("scaled")."""
import sys
import time

try:
    import pennylane as qml
    import torch
except ImportError as error:
    print(f"the packages torch and pennylane are not here: {error}")
    sys.exit(77)

QUICK = "--quick" in sys.argv
N, D, CLASSES, BATCH, QUBITS, LAYERS, P = 6000, 512, 10, 64, 4, 3, 0.01
STEPS = (N + BATCH - 1) // BATCH


class NoisyCircuit(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(0.01 * torch.randn(LAYERS * QUBITS))

        @qml.qnode(qml.device("default.mixed", wires=QUBITS), interface="torch", diff_method="backprop")
        def circuit(inputs, weight):
            def noisy(gate):
                for wire in gate.wires:
                    qml.DepolarizingChannel(P, wires=wire)

            for q in range(QUBITS):
                noisy(qml.RY(inputs[..., q], wires=q))
            for layer in range(LAYERS):
                for q in range(QUBITS):
                    noisy(qml.RY(weight[layer * QUBITS + q], wires=q))
                for q in range(QUBITS):
                    noisy(qml.CNOT(wires=[q, (q + 1) % QUBITS]))
            return [qml.expval(qml.PauliZ(q)) for q in range(QUBITS)]

        self.circuit = circuit

    def forward(self, x):
        return torch.stack(self.circuit(x, self.weight), 1).float()


def seconds_a_step(steps):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(D, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 32), nn.ReLU(), nn.Dropout(0.2),
                          nn.Linear(32, QUBITS), nn.Tanh(), NoisyCircuit(), nn.Linear(QUBITS, 16), nn.ReLU(), nn.Dropout(0.2),
                          nn.Linear(16, CLASSES))
    features, labels = torch.rand(N, D), torch.randint(CLASSES, (N,))
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    order = torch.randperm(N)
    best = None
    for step in range(steps + 1):  # the first one warms up
        start = time.perf_counter()
        rows = order[(step % (STEPS - 1)) * BATCH:][:BATCH]
        loss = torch.nn.functional.cross_entropy(model(features[rows]), labels[rows])
        adam.zero_grad()
        loss.backward()
        adam.step()
        each = time.perf_counter() - start
        if step and (best is None or each < best):
            best = each
    return best


def main():
    torch.manual_seed(0)
    best, counts = None, sorted({1, torch.get_num_threads()})
    for count in counts:
        torch.set_num_threads(count)
        step = seconds_a_step(3 if QUICK else 15)
        print(f"default.mixed, broadcasting, {count} threads: {1e3 * step:.1f} ms a step")
        best = step if best is None else min(best, step)
    print(f"bench noisy-epoch/pennylane-mixed {best * STEPS:.6g} s scaled")


main()
