#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What sequence_classical.c does, in PyTorch on one thread (processor time, best of the rounds): classical Mamba, batch 32, 64 channels x
249 steps, forward, backward, clipping and Adam; the scan is a loop over unbound steps, one tensor a step, which is the fastest form
there is in plain PyTorch on a CPU (mambapy's parallel scan takes 1.8 times as long). An epoch is 1,492 windows, 46.6 batches."""
import math
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)
torch.set_num_threads(1)
torch.manual_seed(0)


class RMSNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return self.weight * x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5)


def scan(dt, a, b, c, u, d):
    decay, entering = torch.exp(dt.unsqueeze(-1) * a), (dt * u).unsqueeze(-1) * b.unsqueeze(2)
    h, out = torch.zeros_like(decay[:, 0]), []
    for abar, bu, c_t in zip(decay.unbind(1), entering.unbind(1), c.unbind(1)):
        h = abar * h + bu
        out.append((h * c_t.unsqueeze(1)).sum(-1))
    return torch.stack(out, 1) + d * u


class Block(nn.Module):
    def __init__(self, width, states):
        super().__init__()
        inner, self.rank, self.states = 2 * width, math.ceil(width / 16), states
        self.norm = RMSNorm(width)
        self.in_proj = nn.Linear(width, 2 * inner, bias=False)
        self.conv = nn.Conv1d(inner, inner, 4, groups=inner, padding=3)
        self.x_proj = nn.Linear(inner, self.rank + 2 * states, bias=False)
        self.dt_proj = nn.Linear(self.rank, inner)
        self.a_log = nn.Parameter(torch.log(torch.arange(1, states + 1).float()).repeat(inner, 1))
        self.d = nn.Parameter(torch.ones(inner))
        self.out_proj = nn.Linear(inner, width, bias=False)

    def forward(self, u):
        x, z = self.in_proj(self.norm(u)).chunk(2, -1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        d, b, c = self.x_proj(x).split([self.rank, self.states, self.states], -1)
        y = scan(F.softplus(self.dt_proj(d)), -torch.exp(self.a_log), b, c, x, self.d)
        return self.out_proj(y * F.silu(z)) + u


class Mamba(nn.Module):
    def __init__(self, channels=64, width=128, states=16, classes=2, layers=2):
        super().__init__()
        self.embedding = nn.Linear(channels, width)
        self.blocks = nn.ModuleList([Block(width, states) for _ in range(layers)])
        self.norm, self.head = RMSNorm(width), nn.Linear(width, classes)

    def forward(self, x):
        h = F.dropout(self.embedding(x.transpose(1, 2)), 0.1, self.training)
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h).mean(1))


net = Mamba()
assert sum(p.numel() for p in net.parameters()) == 241922
adam = torch.optim.Adam(net.parameters(), 1e-3)
x, y = torch.randn(32, 64, 249), torch.randint(0, 2, (32,))
seconds = 1e9
for _ in range(1 if "--quick" in sys.argv else 3):
    start = time.thread_time()
    loss = F.cross_entropy(net(x), y)
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    adam.step()
    seconds = min(seconds, time.thread_time() - start)
print(f"bench classical-mamba-epoch/pytorch {seconds * 1492 / 32:.6f} s")
