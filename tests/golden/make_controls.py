#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/controls.h5: heads whose core is a classical twin of one or of two layers, or none (a linear probe), as
PyTorch computes them in double: initial values, logits, loss, gradients, 20 steps of Adam. Needs torch, h5py, numpy."""
import sys
import h5py
import numpy as np
import torch
from torch import nn

N, D, CLASSES, STEPS, LR = 32, 20, 4, 20, 1e-2
torch.set_default_dtype(torch.float64)
torch.manual_seed(20261121)


class Twin(nn.Module):
    """tanh(W x + b) with the entries where `mask` and `bias_mask` are 1."""

    def __init__(self, mask, bias_mask):
        super().__init__()
        self.mask, self.bias_mask = torch.tensor(mask), torch.tensor(bias_mask)
        self.weight = nn.Parameter(torch.randn(self.mask.shape) * self.mask)
        self.bias = nn.Parameter(torch.randn(self.bias_mask.shape) * self.bias_mask)

    def forward(self, x):
        return torch.tanh(x @ (self.weight * self.mask).T + self.bias * self.bias_mask)


# Written out by hand. ry-ring, 4 qubits, 3 layers: 12 weights = 2 diagonals of 4 and 4 biases.
ONE = [([[1.0, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], [1.0, 1, 1, 1])]
# simplified-two-design, 4 qubits, 3 layers: 22 weights. Two layers of 4: a diagonal each (8), biases (8), a second diagonal in the
# first layer (4), two entries of one in the second (2).
TWO = [(ONE[0][0], [1.0, 1, 1, 1]), ([[1.0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]], [1.0, 1, 1, 1])]


def bottleneck(twin):
    reduce = [nn.Linear(D, 8), nn.ReLU(), nn.Linear(8, 4), nn.Tanh()]
    core = [Twin(*layer) for layer in twin]
    head = [nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, CLASSES)]
    names = {"reduce.0": reduce[0], "reduce.1": reduce[2], "head.0": head[0], "head.1": head[2]}
    names.update({f"twin.{i}": layer for i, layer in enumerate(core)})
    return nn.Sequential(*reduce, *core, *head), names


def probe():
    layer = nn.Linear(D, CLASSES)
    return nn.Sequential(layer), {"head.0": layer}


def write(file, name, ansatz, core, model, names, x, y):
    group = file.create_group(name)
    group.attrs["ansatz"], group.attrs["core"] = np.bytes_(ansatz), np.bytes_(core)
    tensors = {f"{part}.{kind}": getattr(layer, kind) for part, layer in names.items() for kind in ("weight", "bias")}

    def keep(under, what):
        for tensor, value in tensors.items():
            group[f"{under}/{tensor}"] = what(value).detach().numpy().copy()

    keep("init", lambda t: t)
    adam = torch.optim.Adam(model.parameters(), lr=LR)
    losses = []
    for step in range(STEPS):
        adam.zero_grad()
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y)
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            group["logits"] = logits.detach().numpy()
            keep("grad", lambda t: t.grad)
        adam.step()
    group["losses"] = losses
    keep("after", lambda t: t)


x, y = torch.randn(N, D), torch.arange(N) % CLASSES
with h5py.File(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/controls.h5", "w") as file:
    file["x"], file["y"] = x.numpy(), y.numpy().astype(np.int32)
    write(file, "one", "ry-ring", "twin", *bottleneck(ONE), x, y)
    write(file, "two", "simplified-two-design", "twin", *bottleneck(TWO), x, y)
    write(file, "none", "ry-ring", "none", *probe(), x, y)
