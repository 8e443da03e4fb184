#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What sequence.c does for Quantum Hydra and its hybrid, by hand in PyTorch on one thread, as well as we can write it: a batch of 32
windows at once, one circuit a timestep as five diagonals between constant matrices (complex products of the BLAS), branches as
permutations, automatic differentiation, clipping and Adam.
Times are processor time of the fastest of some batches, multiplied to 1,492 windows.
--check GOLDEN.h5 compares logits with the reference's instead. """
import math
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)
torch.set_num_threads(1)
QUICK = "--quick" in sys.argv
WINDOWS, BATCH, CHANNELS, STEPS = 1492, 32, 64, 249


def tensor_power(m, n):
    out = torch.ones(1, 1, dtype=m.dtype)
    for _ in range(n):
        out = torch.kron(out, m)
    return out


class Net(torch.nn.Module):
    def __init__(self, hybrid, n, layers=2, channels=CHANNELS, steps=STEPS, classes=2, dtype=torch.float32):
        super().__init__()
        self.hybrid, self.n, self.layers = hybrid, n, layers
        self.complex = torch.complex128 if dtype == torch.float64 else torch.complex64
        angles, outputs, size = 4 * n * layers, 3 * n, 2 ** n

        def linear(i, o):
            return torch.nn.Linear(i, o, dtype=dtype)

        def values(*shape, kind=dtype):
            return torch.nn.Parameter(torch.rand(*shape, dtype=kind))
        self.project, self.layer_project = linear(channels, angles), linear(angles, angles)
        self.base, self.qd = values(angles), values(outputs)
        self.branches = torch.nn.ModuleList(linear(outputs, outputs) for _ in range(3 * hybrid))
        self.weights = values(3) if hybrid else values(3, kind=self.complex)
        self.tau = values(steps) if hybrid else values(steps, kind=self.complex)
        self.out, self.classify = linear(outputs, outputs), linear(outputs, classes)
        bits = torch.arange(size)[:, None] >> torch.arange(n - 1, -1, -1)[None] & 1  # column: wire
        signs = (1 - 2 * bits).to(dtype).T
        ring = signs * signs.roll(-1, 0)
        place = 2 ** torch.arange(n - 1, -1, -1)
        wires = torch.arange(n)
        to_y = torch.tensor([[1, -1j], [-1j, 1]], dtype=self.complex) / math.sqrt(2)
        to_x = torch.tensor([[1, 1], [-1, 1]], dtype=self.complex) / math.sqrt(2)
        buffers = {
            "signs": signs, "ring": ring, "y_phases": torch.cat([ring, signs]),
            "to_y": tensor_power(to_y, n).T.contiguous(), "from_y": tensor_power(to_y, n).conj().resolve_conj().contiguous(),
            "start": tensor_power(to_y @ to_x, n),
            "flip": torch.arange(size)[None] ^ place[:, None],
        }
        # psi1: new wire j holds old wire j + 1, psi2: old wire n - j; so amplitude k is the old one with these bits
        buffers["first"] = sum(bits[:, j] * place[(j + 1) % n] for j in range(n))
        buffers["second"] = sum(bits[:, j] * place[(n - j) % n] for j in range(n))
        for name, value in buffers.items():
            self.register_buffer(name, value, persistent=False)

    @staticmethod
    def phase(angle):
        return torch.complex(torch.cos(angle / 2), -torch.sin(angle / 2))

    def circuit(self, theta):
        theta = theta.reshape(-1, self.layers, 4, self.n)
        half = (theta[:, 0, 0] - math.pi / 2) / 2
        pair = torch.stack([half.cos(), half.sin()], -1)
        state = pair[:, 0]
        for wire in range(1, self.n):
            state = (state[:, :, None] * pair[:, wire, None]).reshape(len(theta), -1)
        for layer in range(self.layers):
            state = (state * self.phase(theta[:, layer, 1] @ self.ring)) @ self.to_y
            single = theta[:, layer, 2]
            if layer + 1 < self.layers:
                single = single + theta[:, layer + 1, 0]
            state = state * self.phase(torch.cat([theta[:, layer, 3], single], 1) @ self.y_phases)
            if layer + 1 < self.layers:
                state = state @ self.from_y
        return state

    def read(self, state):
        """X, Y, Z of all wires in the basis where they are -Y, Z, -X."""
        z = (state.real.square() + state.imag.square()) @ self.signs.T
        cross = torch.stack([(state.conj() * state[:, flip] * (1 + sign)).sum(1) for flip, sign in zip(self.flip, self.signs)], 1)
        return torch.cat([-cross.imag, z, -cross.real], 1)

    def branch_without_input(self):
        a, b, c = self.qd.reshape(3, -1)
        up, down = torch.complex(torch.cos(a / 2), 0 * a), torch.complex(0 * a, -torch.sin(a / 2))
        cos, sin = torch.cos(b / 2), torch.sin(b / 2)
        up, down = cos * up - sin * down, sin * up + cos * down
        pair = torch.stack([up * self.phase(c), down * self.phase(-c)], 1)
        state = pair[0]
        for wire in range(1, self.n):
            state = torch.kron(state, pair[wire])
        return self.start @ state

    def forward(self, x):
        n, batch = self.n, len(x)
        u = self.layer_project(self.project(x.transpose(1, 2).reshape(-1, x.shape[1])))
        state = self.circuit(2 * 3.14159 * torch.sigmoid(u) + self.base)
        if not self.hybrid:
            alpha, beta, gamma = self.weights
            phi = alpha * state[:, self.first] + beta * state[:, self.second] + gamma * self.branch_without_input()
            phi = phi / (torch.linalg.vector_norm(phi, dim=1, keepdim=True) + 1e-9)
            steps = self.out(self.read(phi)).reshape(batch, -1, 3 * n)
            weighed = torch.einsum("t,btf->bf", self.tau / self.tau.abs().sum(), steps.to(self.complex))
            return self.classify(weighed.abs())
        q = self.read(state).reshape(batch, -1, 3, n)
        mean = torch.einsum("t,btpw->bpw", torch.softmax(self.tau, 0), q)
        wires = torch.arange(n)
        share = self.weights.abs() / self.weights.abs().sum()
        third = self.read(self.branch_without_input()[None])
        branch = (mean[..., (wires + 1) % n].flatten(1), mean[..., (n - wires) % n].flatten(1), third)
        y = sum(share[i] * self.branches[i](branch[i]) for i in range(3))
        return self.classify(self.out(y))


def check(path):
    import h5py
    for hybrid in (False, True):
        for n in (3, 4, 6):
            group = h5py.File(path)[f"models/quantum_hydra{'_hybrid' * hybrid}_n{n}"]
            params = group["params"]
            net = Net(hybrid, n, 2, group["x"].shape[1], group["x"].shape[2], dtype=torch.float64)
            layer = "quantum_hydra."

            def get(name, real=True):
                value = torch.tensor(params[name][()])
                return value if real else torch.view_as_complex(value.contiguous())
            modules = {"feature_projection": net.project, layer + "feature_projection": net.layer_project,
                       layer + "output_ff": net.out, "output_layer": net.classify}
            modules |= {f"{layer}branch{i + 1}_ff": m for i, m in enumerate(net.branches)}
            with torch.no_grad():
                for name, module in modules.items():
                    module.weight.copy_(get(name + ".weight")), module.bias.copy_(get(name + ".bias"))
                net.base.copy_(get(layer + "qlcu_base_params")), net.qd.copy_(get(layer + "qd_params"))
                net.tau.copy_(get("temporal_weights", hybrid))
                names = ("w1", "w2", "w3") if hybrid else ("alpha", "beta", "gamma")
                net.weights.copy_(torch.cat([get(layer + name, hybrid) for name in names]))
                off = (net(torch.tensor(group["x"][()])) - torch.tensor(group["out"][()])).abs().max()
            print(f"{group.name}: {float(off):.2g}")


def epoch(hybrid, n):
    batch = BATCH if n < 10 else 8
    net = Net(hybrid, n)
    x, y = 0.05 * torch.randn(batch, CHANNELS, STEPS), torch.arange(batch) % 2
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    best = math.inf
    for _ in range(2 if QUICK or n > 8 else 4):
        start = time.process_time()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        best = min(best, time.process_time() - start)
    print(f"bench sequence-{'hydra-hybrid' if hybrid else 'hydra'}-{n}/torch {best / batch * WINDOWS:.6f} s scaled", flush=True)


if "--check" in sys.argv:
    check(sys.argv[sys.argv.index("--check") + 1])
else:
    for qubits in (6,) if QUICK else (6, 8, 10):
        epoch(False, qubits), epoch(True, qubits)
