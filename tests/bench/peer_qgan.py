#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""50 epochs of the study's quantum GAN in PennyLane: 12 qubits, 120 angles, lightning.qubit. The gradient is that of a diagonal
observable by the adjoint method (qml.SparseHamiltonian); the probabilities
come from a circuit without gradient. The discriminator, 2-10-1 over 4096 cells, is PyTorch's. default.qubit with back-propagation
through the probabilities is tried as well."""
import sys
import time

try:
    import numpy as np
    import pennylane as qml
    import scipy.sparse
    import torch
except ImportError as error:
    print(f"the packages torch and pennylane are not here: {error}")
    sys.exit(77)

QUICK = "--quick" in sys.argv
N, CELLS, EPOCHS = 12, 4096, 5 if QUICK else 50
torch.set_default_dtype(torch.float64)
line = torch.linspace(0, 1, 64)
CELL = torch.stack([line.repeat(64), line.repeat_interleave(64)], 1)


def gates(angles):
    k = 0
    for q in range(N):
        qml.Hadamard(N - 1 - q)
    for layer in range(5):
        for gate in (qml.RY, qml.RZ):
            for q in range(N):
                gate(angles[k], N - 1 - q)
                k += 1
        for q in range(N - 2, -1, -1) if layer < 4 else ():
            qml.CNOT([N - 1 - q, N - 2 - q])


def lightning():
    device = qml.device("lightning.qubit", wires=N)

    @qml.qnode(device, diff_method=None)
    def probabilities(angles):
        gates(angles)
        return qml.probs(wires=range(N))

    @qml.qnode(device, diff_method="adjoint")
    def loss(angles, diagonal):
        gates(angles)
        return qml.expval(qml.SparseHamiltonian(diagonal, wires=range(N)))

    def step(angles, weight):
        law = torch.as_tensor(np.asarray(probabilities(angles)))

        def gradient(dp):
            diagonal = scipy.sparse.csr_matrix(scipy.sparse.diags(dp.numpy()))
            a = qml.numpy.array(angles, requires_grad=True)
            return torch.as_tensor(np.asarray(qml.grad(loss, argnums=0)(a, diagonal)))

        return law, gradient

    return step


def backprop():
    @qml.qnode(qml.device("default.qubit", wires=N), interface="torch", diff_method="backprop")
    def probabilities(angles):
        gates(angles)
        return qml.probs(wires=range(N))

    def step(angles, weight):
        a = torch.tensor(angles, requires_grad=True)
        law = probabilities(a)
        return law.detach(), lambda dp: torch.autograd.grad((law * dp).sum(), a)[0]

    return step


def train(step, epochs):
    angles = torch.nn.Parameter(torch.rand(10 * N))
    discriminator = torch.nn.Sequential(torch.nn.Linear(2, 10), torch.nn.LeakyReLU(0.2), torch.nn.Linear(10, 1), torch.nn.Sigmoid())
    settings = dict(lr=0.01, betas=(0.7, 0.999), weight_decay=0.005)
    steps = [torch.optim.Adam(p, **settings) for p in ([angles], discriminator.parameters())]
    real = torch.rand(CELLS)
    real /= real.sum()
    start = time.perf_counter()
    for _ in range(epochs):
        law, gradient = step(angles.detach().numpy().copy(), None)
        d = discriminator(CELL)[:, 0]
        angles.grad = gradient(-torch.log(d.detach()))
        steps[0].step()
        loss = -0.5 * ((real * torch.log(d)).sum() + (law * torch.log(1 - d)).sum())
        steps[1].zero_grad(set_to_none=True)
        loss.backward()
        steps[1].step()
        (real * torch.log(real / law.clamp(1e-10, 1))).sum().item()
    return (time.perf_counter() - start) * 50 / epochs


for name, make in (("lightning", lightning), ("default-qubit", backprop)):
    step = make()
    seconds = []
    for threads in {1, torch.get_num_threads()}:
        torch.set_num_threads(threads)
        train(step, 2)
        seconds += [train(step, EPOCHS) for _ in range(1 if QUICK else 2)]
    print(f"bench quantum-gan/{name} {min(seconds):.6g} s")
