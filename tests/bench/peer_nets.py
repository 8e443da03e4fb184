#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""EEGNet and ShallowFBCSPNet, a training epoch of 1,492 windows of 64 x 249 in batches of 32 (forward, backward, Adam) on one thread:
braindecode's modules where the package is there, else the same layers in plain PyTorch (of ShallowFBCSPNet with its two first filters
merged into one, as braindecode does). Some batches are measured: processor time, the best, scaled to the epoch."""
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
torch.manual_seed(1)
ROUNDS = 3 if "--quick" in sys.argv else 12
C, T, BATCH, WINDOWS = 64, 249, 32, 1492


class EEGNet(nn.Module):
    def __init__(self, f=8, d=2, taps=64):
        super().__init__()
        o = f * d
        self.temporal = nn.Conv2d(1, f, (1, taps), padding=(0, taps // 2), bias=False)
        self.first = nn.BatchNorm2d(f, momentum=0.01, eps=1e-3)
        self.spatial = nn.Parameter(nn.init.xavier_uniform_(torch.empty(o, 1, C, 1)))
        self.second = nn.BatchNorm2d(o, momentum=0.01, eps=1e-3)
        self.depth = nn.Conv2d(o, o, (1, 16), padding=(0, 8), groups=o, bias=False)
        self.point = nn.Conv2d(o, o, 1, bias=False)
        self.third = nn.BatchNorm2d(o, momentum=0.01, eps=1e-3)
        self.f, self.last = f, nn.Linear(o * (((T + 1) // 4 + 1) // 8), 2)

    def forward(self, x):
        y = self.first(self.temporal(x[:, None]))
        y = F.elu(self.second(F.conv2d(y, self.spatial.renorm(2, 0, 1.0), groups=self.f)))
        y = F.dropout(F.avg_pool2d(y, (1, 4)), 0.25, self.training)
        y = F.elu(self.third(self.point(self.depth(y))))
        return self.last(F.dropout(F.avg_pool2d(y, (1, 8)), 0.25, self.training).flatten(1))


class Shallow(nn.Module):
    def __init__(self, f=40, o=40, taps=25):
        super().__init__()
        self.time = nn.Parameter(nn.init.xavier_uniform_(torch.empty(f, 1, taps, 1)))
        self.bias = nn.Parameter(torch.zeros(f))
        self.space = nn.Parameter(nn.init.xavier_uniform_(torch.empty(o, f, 1, C)))
        self.norm = nn.BatchNorm2d(o)
        self.last = nn.Linear(o * ((T - taps + 1 - 75) // 15 + 1), 2)

    def forward(self, x):
        weight = (self.time * self.space.permute(1, 0, 2, 3)).sum(0).unsqueeze(1)
        bias = self.space.squeeze(2).sum(-1) @ self.bias
        y = self.norm(F.conv2d(x.transpose(1, 2)[:, None], weight, bias))
        y = torch.log(torch.clamp(F.avg_pool2d(y * y, (75, 1), (15, 1)), min=1e-6))
        return self.last(F.dropout(y, 0.5, self.training).flatten(1))


def models():
    try:
        from braindecode.models import EEGNet as E, ShallowFBCSPNet as S

        shape = dict(n_chans=C, n_outputs=2, n_times=T)
        return "braindecode", (("eegnet", E(**shape)), ("shallow", S(**shape)))
    except Exception as error:  # of whatever braindecode imports
        print(f"braindecode does not import ({type(error).__name__}: {error}); the same layers in PyTorch")
        return "torch", (("eegnet", EEGNet()), ("shallow", Shallow()))


who, nets = models()
x, labels = torch.randn(BATCH, C, T), torch.arange(BATCH) % 2
for name, net in nets:
    net.train()
    adam = torch.optim.Adam(net.parameters(), lr=1e-4)

    def step():
        adam.zero_grad()
        F.cross_entropy(net(x), labels).backward()
        adam.step()

    step()
    seconds = 1e9
    for _ in range(ROUNDS):
        start = time.thread_time()
        step()
        seconds = min(seconds, time.thread_time() - start)
    print(f"{name}: {sum(p.numel() for p in net.parameters())} parameters, {1e3 * seconds:.2f} ms a batch")
    print(f"bench sequence-{name}/{who} {seconds / BATCH * WINDOWS:.6f} s scaled", flush=True)
