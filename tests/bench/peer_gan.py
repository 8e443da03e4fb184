#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""100 epochs of the study's GAN of one pair in PyTorch: 4096-128-256-4096 softmax against 2-20-1 over 4096 cells, both sides by Adam
with coupled decay once an epoch; making the networks counts, as it does in ours. Thread counts 1 and all, the plain, the foreach and
the fused optimiser are tried; the best counts. 435 pairs: that times 435 ("scaled"), one after another as in the study; a process a core would at best divide it."""
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"the package torch is not here: {error}")
    sys.exit(77)

QUICK = "--quick" in sys.argv
EPOCHS, CELLS = 20 if QUICK else 100, 4096
line = torch.linspace(0, 1, 64)
CELL = torch.stack([line.repeat(64), line.repeat_interleave(64)], 1)


def train(**adam):
    nn = torch.nn
    start = time.perf_counter()
    generator = nn.Sequential(nn.Linear(4096, 128), nn.ReLU(), nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, CELLS),
                              nn.Softmax(-1))
    discriminator = nn.Sequential(nn.Linear(2, 20), nn.LeakyReLU(0.2), nn.Linear(20, 1), nn.Sigmoid())
    settings = dict(lr=0.01, betas=(0.7, 0.999), weight_decay=0.005, **adam)
    steps = [torch.optim.Adam(m.parameters(), **settings) for m in (generator, discriminator)]
    real = torch.rand(CELLS)
    real /= real.sum()
    for _ in range(EPOCHS):
        p = generator(torch.randn(4096))
        d = discriminator(CELL)[:, 0]
        loss = -(p * torch.log(d.detach() + 1e-8)).sum()
        steps[0].zero_grad(set_to_none=True)
        loss.backward()
        steps[0].step()
        loss = -0.5 * ((real * torch.log(d + 1e-8)).sum() + (p.detach() * torch.log(1 - d + 1e-8)).sum())
        steps[1].zero_grad(set_to_none=True)
        loss.backward()
        steps[1].step()
        with torch.no_grad():
            q, r = (x.clamp(1e-10, 1) for x in (p, real))
            q, r = q / q.sum(), r / r.sum()
            (r * torch.log(r / q)).sum().item()
    return (time.perf_counter() - start) * 100 / EPOCHS


best = {}
for threads in {1, torch.get_num_threads()}:
    torch.set_num_threads(threads)
    for adam in ({}, {"foreach": True}, {"fused": True}):
        for _ in range(1 if QUICK else 3):
            best[threads] = min(best.get(threads, 1e9), train(**adam))
print(f"# seconds by threads: {best}")
fastest = min(best.values())
print(f"bench gan-pair/torch {fastest:.6g} s")
print(f"bench gan-pair-1-thread/torch {best[1]:.6g} s")
print(f"bench gan-435/torch {435 * fastest:.6g} s scaled")
