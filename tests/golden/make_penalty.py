#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gradient penalty of a small discriminator and its gradient by PyTorch's double backward, as
tests/unit/qrng/gan_penalty.c has them: network 4 - 3 - 1, leaky ReLU 0.2, on the 16 words of 4 bits as -1 and 1;
parameters 0.8 sin(i + 1), the target in proportion to 1.1 + cos(5 k + 1); 0.7 / 2 sum r |slope of the logit|^2."""
import math

import torch

N, HIDDEN, WEIGHT = 4, 3, 0.7
cells = 1 << N
params = torch.tensor([0.8 * math.sin(i + 1.0) for i in range(HIDDEN * (N + 2) + 1)], dtype=torch.float64, requires_grad=True)
target = torch.tensor([1.1 + math.cos(5.0 * k + 1) for k in range(cells)], dtype=torch.float64)
target = target / target.sum()
x = torch.tensor([[1.0 if k >> (N - 1 - i) & 1 else -1.0 for i in range(N)] for k in range(cells)], dtype=torch.float64,
                 requires_grad=True)
w, b = params[: HIDDEN * N].view(HIDDEN, N), params[HIDDEN * N : HIDDEN * (N + 1)]
v, c = params[HIDDEN * (N + 1) : -1], params[-1]
logit = torch.nn.functional.leaky_relu(x @ w.T + b, 0.2) @ v + c
(slope,) = torch.autograd.grad(logit.sum(), x, create_graph=True)
penalty = WEIGHT / 2 * (target * (slope**2).sum(1)).sum()
(grad,) = torch.autograd.grad(penalty, params, allow_unused=True)
print(repr(penalty.item()))
print(", ".join(repr(g) for g in grad.tolist()))
