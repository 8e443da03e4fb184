#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/weights/: small heads of PyTorch layers around PennyLane's templates, trained for some steps,
their weights as torch.save, safetensors and NumPy write them, and what they answer (golden.h5: x and logits, in double).
Needs torch, pennylane, safetensors, h5py, numpy."""
import pathlib

import h5py
import numpy as np
import pennylane as qml
import torch
from safetensors.torch import save_file

FEATURES, CLASSES, SAMPLES, STEPS = 8, 3, 24, 40
out = pathlib.Path(__file__).parent / "weights"
torch.set_default_dtype(torch.float64)
torch.manual_seed(20261121)


def layer(n, template, shapes):
    """AngleEmbedding(Y), the template, <Z> of every qubit."""
    @qml.qnode(qml.device("default.qubit", wires=n), diff_method="backprop")
    def circuit(inputs, **weights):
        qml.AngleEmbedding(inputs, wires=range(n), rotation="Y")
        template(n, **weights)
        return [qml.expval(qml.PauliZ(q)) for q in range(n)]
    return qml.qnn.TorchLayer(circuit, shapes)


class Strong(torch.nn.Module):
    """One hidden layer, three qubits, two StronglyEntanglingLayers, one linear layer."""
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(FEATURES, 6), torch.nn.Linear(6, 3)
        self.qlayer = layer(3, lambda n, weights: qml.StronglyEntanglingLayers(weights, wires=range(n)),
                            {"weights": (2, 3, 3)})
        self.out = torch.nn.Linear(3, CLASSES)

    def forward(self, x):
        return self.out(self.qlayer(torch.tanh(self.fc2(torch.relu(self.fc1(x))))))


class Design(torch.nn.Module):
    """No hidden layer, four qubits, SimplifiedTwoDesign (two tensors), a classifier with a hidden layer."""
    def __init__(self):
        super().__init__()
        self.pre = torch.nn.Linear(FEATURES, 4)
        self.q = layer(4, lambda n, initial, weights: qml.SimplifiedTwoDesign(initial, weights, wires=range(n)),
                       {"initial": (4,), "weights": (2, 3, 2)})
        self.post = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.ReLU(), torch.nn.Dropout(0.1),
                                        torch.nn.Linear(5, CLASSES))

    def forward(self, x):
        return self.post(self.q(torch.tanh(self.pre(x))))


class Basic(torch.nn.Module):
    """BasicEntanglerLayers under our names."""
    def __init__(self):
        super().__init__()
        self.reduce = torch.nn.ModuleList([torch.nn.Linear(FEATURES, 5)])
        self.vqc = layer(5, lambda n, weight: qml.BasicEntanglerLayers(weight, wires=range(n)), {"weight": (3, 5)})
        self.head = torch.nn.ModuleList([torch.nn.Linear(5, CLASSES)])

    def forward(self, x):
        return self.head[0](self.vqc(torch.tanh(self.reduce[0](x))))


def train(model):
    x = torch.randn(120, FEATURES)
    y = (x[:, 0] + x[:, 1] ** 2 > 0.8).long() + (x[:, 2] > 0.5).long()
    adam = torch.optim.Adam(model.parameters(), 0.03)
    for _ in range(STEPS):
        adam.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        adam.step()
    with torch.no_grad():  # what the files hold
        for p in model.parameters():
            p.copy_(p.float().double())
    print(type(model).__name__, f"loss {loss.item():.3f}")
    return model.eval()


def main():
    out.mkdir(exist_ok=True)
    with h5py.File(out / "golden.h5", "w") as golden:
        golden["x"] = x = torch.randn(SAMPLES, FEATURES).float().double().numpy()
        for model in train(Strong()), train(Design()), train(Basic()):
            name = type(model).__name__.lower()
            with torch.no_grad():
                golden[name] = model(torch.from_numpy(x)).numpy()
            state = {k: v.detach().clone() for k, v in model.state_dict().items()}
            single = {k: v.float() for k, v in state.items()}
            if name == "strong":
                np.savez(out / "strong.npz", **{k: v.numpy() for k, v in state.items()})  # float64
                torch.save(single, out / "strong.pth")
                save_file(single, out / "strong.safetensors", metadata={"format": "pt", "config": "a remark"})
            elif name == "design":
                np.savez_compressed(out / "design.npz", **{k: np.asfortranarray(v.numpy()) for k, v in single.items()},
                                    note=np.array("a text beside them"), steps=np.int64(STEPS))
            else:
                save_file(single, out / "basic.safetensors")


main()
