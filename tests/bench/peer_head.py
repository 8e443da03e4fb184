#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One epoch of the default head (54,000 x 512 features, batch 64, Adam) by what else there is.

epoch/torch: by hand in PyTorch, real amplitudes, whole batch, autograd; gates by stacking and index permutation. Thread
counts 1 and all are tried, the better one counts. epoch/pennylane-broadcast: default.qubit, back-propagation, whole
batch broadcast through torch. epoch/lightning: lightning.qubit, adjoint, one sample after another, as its
TorchLayer does. The slow ones are measured over some batches and multiplied ("scaled")."""
import sys
import time

try:
    import torch
except ImportError:
    print("the package torch is not here")
    sys.exit(77)

QUICK = "--quick" in sys.argv
N, D, CLASSES, BATCH, QUBITS, LAYERS = 54000, 512, 10, 64, 4, 3
STEPS = (N + BATCH - 1) // BATCH


class RealCircuit(torch.nn.Module):
    """ry-ring on [batch, 16] real amplitudes; the ring of CNOTs is one permutation of amplitudes."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(0.01 * torch.randn(LAYERS * QUBITS))
        order = list(range(2**QUBITS))
        for q in range(QUBITS):
            control, target = QUBITS - 1 - q, QUBITS - 1 - (q + 1) % QUBITS
            order = [order[i ^ (1 << target)] if i >> control & 1 else order[i] for i in range(2**QUBITS)]
        self.register_buffer("ring", torch.tensor(order))
        signs = [[1 - 2 * (i >> (QUBITS - 1 - q) & 1) for q in range(QUBITS)] for i in range(2**QUBITS)]
        self.register_buffer("signs", torch.tensor(signs, dtype=torch.float32))

    @staticmethod
    def product_state(angles):
        half = angles / 2
        pairs = torch.stack([half.cos(), half.sin()], -1)
        state = pairs[:, 0]
        for q in range(1, QUBITS):
            state = (state.unsqueeze(2) * pairs[:, q].unsqueeze(1)).flatten(1)
        return state

    def forward(self, x):
        state = self.product_state(x)
        for layer in range(LAYERS):
            half = self.weight[layer * QUBITS:(layer + 1) * QUBITS] / 2
            c, s = half.cos(), half.sin()
            gate = torch.ones(1, 1)
            for q in range(QUBITS):  # the layer of RY as one 16 x 16 matrix: the same for all samples
                gate = torch.kron(gate, torch.stack([c[q], -s[q], s[q], c[q]]).reshape(2, 2))
            state = (state @ gate.T)[:, self.ring]
        return (state * state) @ self.signs


def head(circuit):
    nn = torch.nn
    return nn.Sequential(nn.Linear(D, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 32), nn.ReLU(), nn.Dropout(0.2),
                         nn.Linear(32, QUBITS), nn.Tanh(), circuit, nn.Linear(QUBITS, 16), nn.ReLU(), nn.Dropout(0.2),
                         nn.Linear(16, CLASSES))


def seconds_a_step(circuit, features, labels, steps):
    model = head(circuit)
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    order = torch.randperm(N)
    start = None
    for step in range(-1, steps):  # one step to warm up
        if step == 0:
            start = time.perf_counter()
        at = (step % STEPS) * BATCH
        rows = order[at:at + BATCH]
        loss = torch.nn.functional.cross_entropy(model(features[rows]), labels[rows])
        adam.zero_grad()
        loss.backward()
        adam.step()
    return (time.perf_counter() - start) / steps


def pennylane_layer(device, method, qml):
    @qml.qnode(qml.device(device, wires=QUBITS), interface="torch", diff_method=method)
    def circuit(inputs, weight):
        for q in range(QUBITS):
            qml.RY(inputs[..., q], wires=q)
        for layer in range(LAYERS):
            for q in range(QUBITS):
                qml.RY(weight[layer * QUBITS + q], wires=q)
            for q in range(QUBITS):
                qml.CNOT(wires=[q, (q + 1) % QUBITS])
        return [qml.expval(qml.PauliZ(q)) for q in range(QUBITS)]

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(0.01 * torch.randn(LAYERS * QUBITS))

        def forward(self, x):
            if method == "backprop":
                return torch.stack(circuit(x, self.weight), 1).float()
            return torch.stack([torch.stack(circuit(row, self.weight)) for row in x]).float()

    return Layer()


def main():
    torch.manual_seed(0)
    features, labels = torch.rand(N, D), torch.randint(CLASSES, (N,))
    threads = torch.get_num_threads()
    best, counts = None, sorted({1, threads})
    for count in counts:
        torch.set_num_threads(count)
        step = min(seconds_a_step(RealCircuit(), features, labels, 50 if QUICK else 300) for _ in range(2))
        print(f"torch, {count} threads: {1e3 * step:.2f} ms a step")
        if best is None or step < best[0]:
            best = step, count
    print(f"bench epoch/torch {best[0] * STEPS:.6g} s scaled")
    torch.set_num_threads(best[1])
    try:
        import pennylane as qml
    except ImportError:
        print("the package pennylane is not here: its lines are missing")
        return
    for name, device, method, steps in (("pennylane-broadcast", "default.qubit", "backprop", 5 if QUICK else 40),
                                        ("lightning", "lightning.qubit", "adjoint", 1 if QUICK else 4)):
        try:
            step = seconds_a_step(pennylane_layer(device, method, qml), features, labels, steps)
        except (ImportError, qml.exceptions.DeviceError) as error:
            print(f"{device} is not here: {error}")
            continue
        print(f"{device}, {method}: {1e3 * step:.1f} ms a step")
        print(f"bench epoch/{name} {step * STEPS:.6g} s scaled")


main()
