#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An epoch of the device classifier 100-30-20-3 in PyTorch on the CPU, as the study trains it: 600 steps of 8 rows (dropout, L1 on
all parameters, norm clipped, Adam), then both accuracies. One thread and all are tried; 20 runs of 200 epochs are multiplied."""
import sys
import time

try:
    import torch
except ImportError:
    print("the package torch is not here")
    sys.exit(77)

QUICK = "--quick" in sys.argv
ROWS, TRAINING, BATCH = 6000, 4800, 8


def epoch(model, adam, x, y, steps):
    order = torch.randperm(TRAINING)
    parameters = list(model.parameters())
    model.train()
    for i in range(0, steps * BATCH, BATCH):
        rows = order[i:i + BATCH]
        loss = torch.nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss = loss + 0.002 * sum(p.abs().sum() for p in parameters)
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        adam.step()
    model.eval()
    with torch.no_grad():
        for part in (slice(0, TRAINING), slice(TRAINING, ROWS)):
            (model(x[part]).argmax(1) == y[part]).float().mean().item()


def main():
    torch.manual_seed(0)
    x, y = torch.randint(2, (ROWS, 100)).float(), torch.randint(3, (ROWS,))
    nn = torch.nn
    model = nn.Sequential(nn.Linear(100, 30), nn.ReLU(), nn.Dropout(0.2), nn.Linear(30, 20), nn.ReLU(), nn.Dropout(0.2), nn.Linear(20, 3))
    best = None
    for threads in sorted({1, torch.get_num_threads()}):
        torch.set_num_threads(threads)
        adam = torch.optim.Adam(model.parameters(), lr=1e-3)
        epoch(model, adam, x, y, 20)
        for _ in range(1 if QUICK else 5):
            start = time.perf_counter()
            epoch(model, adam, x, y, 100 if QUICK else 600)
            seconds = (time.perf_counter() - start) * (6 if QUICK else 1)
            best = seconds if best is None else min(best, seconds)
        print(f"{threads} threads: best so far {best:.3f} s")
    print(f"bench classifier-epoch/torch {best:.6g} s" + (" scaled" if QUICK else ""))
    print(f"bench classifier-runs/torch {best * 200 * 20:.6g} s scaled")


main()
