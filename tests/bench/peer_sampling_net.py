#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What sampling_net.c does, by hand in PyTorch on one thread (torch.autograd.grad over a list of tensors, no loader), and OpenBLAS's
sgemm on the same products, with the name of the kernel that ran. `gradient` is that alone, `step` adds noise and update in place, an
epoch is 80 steps of 100 (cnn4: 236 gradients of 250) and a pass over 9,786 test records, measured in parts."""
import ctypes
import glob
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)
torch.set_num_threads(1)
QUICK = "--quick" in sys.argv
E = float(np.exp(-4.0))


def best(call, rounds):
    if QUICK:
        rounds = 3
    call()
    seconds = 1e9
    for _ in range(rounds):
        start = time.thread_time()
        call()
        seconds = min(seconds, time.thread_time() - start)
    return seconds


def report(name, seconds, unit="s"):
    print(f"bench {name} {seconds:.6f} {unit}", flush=True)


def bbce(z, y):
    p = torch.sigmoid(z[:, 0] * (2 * y - 1)) if z.shape[1] == 1 else torch.softmax(z, 1).gather(1, y[:, None].long())[:, 0]
    return -torch.log(E + (1 - 2 * E) * p).mean()


def start(*shapes):
    weights = []
    for shape in shapes:
        scale = float(np.prod(shape[1:])) ** -0.5
        weights += [((torch.rand(shape) * 2 - 1) * scale).requires_grad_(), ((torch.rand(shape[0]) * 2 - 1) * scale).requires_grad_()]
    return weights


def fcn(w, x):
    for i in range(0, len(w) - 2, 2):
        x = torch.relu(F.linear(x, w[i], w[i + 1]))
    return F.linear(x, w[-2], w[-1])


def lenet5(w, x):
    x = F.pad(x.reshape(-1, 1, 28, 28), (2, 2, 2, 2))
    x = F.avg_pool2d(torch.relu(F.conv2d(x, w[0], w[1])), 2)
    x = F.avg_pool2d(torch.relu(F.conv2d(x, w[2], w[3])), 2)
    x = torch.relu(F.conv2d(x, w[4], w[5])).flatten(1)
    return F.linear(torch.relu(F.linear(x, w[6], w[7])), w[8], w[9])


def cnn4(w, x):
    x = torch.relu(F.conv2d(x.reshape(-1, 1, 28, 28), w[0], w[1]))
    x = F.max_pool2d(torch.relu(F.conv2d(x, w[2], w[3])), 2).flatten(1)
    return F.linear(torch.relu(F.linear(x, w[4], w[5])), w[6], w[7])


def gradient(net, w, x, y):
    return torch.autograd.grad(bbce(net(w, x), y), w)


def step(net, w, x, y, lr=1e-2, beta=1000.0, sigma=5.0):
    grads = gradient(net, w, x, y)
    with torch.no_grad():
        for a, g in zip(w, grads):
            noise = torch.empty_like(a).normal_()
            a.mul_(1 - lr / 2 / (sigma**2 * beta)).add_(g, alpha=-lr / 2).add_(noise, alpha=(lr / beta) ** 0.5)


def records(n, classes):
    return torch.rand(n, 784) * 2 - 1, (torch.arange(n) % classes).to(torch.int32)


def test_pass(net, w, classes, total=9786, batch=200):
    """In twice the batch of training, as the reference."""
    x, y = records(batch, classes)

    def call():
        with torch.no_grad():
            z = net(w, x)
            bbce(z, y)
            (z[:, 0] > 0).sum() if classes == 2 else z.argmax(1)

    return best(call, 15) / batch * total


def network(name, net, w, classes, count, steps):
    x, y = records(count, classes)
    seconds = best(lambda: gradient(net, w, x, y), 15)
    report(f"{name}-gradient/torch", seconds)
    report(f"{name}-epoch/torch", seconds * steps + test_pass(net, w, classes, batch=2 * count))


def products():
    """GFLOP/s of OpenBLAS in numpy; the name of its kernel."""
    folder = os.path.join(os.path.dirname(np.__file__), "..", "numpy.libs")
    for path in glob.glob(os.path.join(folder, "*openblas*")) or glob.glob("/usr/lib/*/libopenblas.so.0"):
        library = ctypes.CDLL(path)
        for symbol in ("scipy_openblas_get_corename64_", "openblas_get_corename64_", "openblas_get_corename", "scipy_openblas_get_corename"):
            if hasattr(library, symbol):
                name = getattr(library, symbol)
                name.restype = ctypes.c_char_p
                print(f"OpenBLAS: {os.path.basename(path)}, kernel {name().decode()}")
                break
        else:
            print(f"OpenBLAS: {os.path.basename(path)} does not say which kernel it took")
            return
        break
    else:
        print("numpy here has no OpenBLAS of its own: its sgemm is not measured")
        return
    work = seconds = 0.0
    for name, m, n, k in (("forward 784-1000", 1000, 128, 784), ("dW 784-1000", 1000, 784, 128), ("forward 1000-1000", 1000, 128, 1000),
                          ("dX 1000-1000", 128, 1000, 1000), ("dW 1000-1000", 1000, 1000, 128)):
        a, b, c = (np.random.rand(*s).astype(np.float32) for s in ((m, k), (k, n), (m, n)))
        t = best(lambda: np.dot(a, b, out=c), 60)
        print(f"{name:18s} {2e-9 * m * n * k / t:6.1f} GFLOP/s")
        work, seconds = work + 2e-9 * m * n * k, seconds + t
    report("sampling-products/openblas", work / seconds, "GFLOP/s")


if __name__ == "__main__":
    products()
    w = start((1000, 784), (1000, 1000), (1, 1000))
    x, y = records(128, 2)
    report("mnist-gradient/torch", best(lambda: gradient(fcn, w, x, y), 40))
    report("mnist-step/torch", best(lambda: step(fcn, w, x, y), 40))
    x, y = records(100, 2)
    passing = test_pass(fcn, w, 2)
    report("mnist-test/torch", passing)
    report("mnist-products-epoch/torch", 80 * best(lambda: gradient(fcn, w, x, y), 40) + passing)
    report("mnist-epoch/torch", 80 * best(lambda: step(fcn, w, x, y), 40) + passing)
    network("lenet5", lenet5, start((6, 1, 5, 5), (16, 6, 5, 5), (120, 16, 5, 5), (420, 120), (1, 420)), 2, 100, 80)
    network("cnn4", cnn4, start((32, 1, 3, 3), (64, 32, 3, 3), (128, 9216), (10, 128)), 10, 250, 236)
