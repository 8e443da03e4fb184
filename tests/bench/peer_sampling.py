#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The work of sampling.c in Python, on one thread: normals of PyTorch, NumPy and JAX, the Langevin step of 1,787,001 weights in
PyTorch and JAX, an epoch of classic SYNTH (4-500-1, 5 steps, then the test set) in PyTorch by hand and in BlackJAX. Without noise
the epochs are compared with those of build/bench/sampling --values. In their favour: they do not shuffle.

Each in the fastest form that was found. PyTorch: autograd.grad without a module, noise of all weights in one normal_, foreach
updates (slower: torch.optim, a tensor of noise a layer, torch.compile's first call takes longer than the run). JAX: all epochs in
one lax.scan in one compiled call, threefry (rbg is 2 to 4 times slower on CPUs), one key a step."""
import math
import os
import subprocess
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
try:
    import blackjax
    import jax
    import jax.numpy as jnp
    import numpy as np
    import torch
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)
jax.config.update("jax_cpu_enable_async_dispatch", False)
torch.set_num_threads(1)

QUICK = "--quick" in sys.argv
WEIGHTS, NORMALS, INPUTS, UNITS, TRAIN, TEST, BATCH = 1787001, 1000000, 4, 500, 50, 100, 10
STEPS, BETA, SIGMA, FLOOR = TRAIN // BATCH, 50.0, 1000.0, math.exp(-4)
OURS = os.path.join(os.environ.get("BUILD", "build"), "bench", "sampling")


def ours():
    if not os.path.exists(OURS):
        print(f"{OURS} is not built: values are not compared")
        return {}
    lines = subprocess.run([OURS, "--values"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[1]: float(line.split()[2]) for line in lines if line.startswith("value ")}


EXPECTED = ours()


def compare(name, who, value, bound):
    if name not in EXPECTED:
        return
    off = abs(float(value) - EXPECTED[name])
    print(f"{name}, {who}: {float(value):.9g}, off by {off:.1e}")
    assert off <= bound * max(1, abs(EXPECTED[name])), (name, who, float(value), EXPECTED[name])


def seconds(call, budget=4.0):
    call()
    best, begun = None, time.perf_counter()
    while best is None or time.perf_counter() - begun < (budget / 8 if QUICK else budget):
        start = time.process_time()  # as sampling.c: what else runs does not count
        call()
        each = time.process_time() - start
        best = each if best is None else min(best, each)
    return best


def bench(work, who, call, each=1.0):
    print(f"bench {work}/{who} {seconds(call) * each:.6g} s", flush=True)


# ---- normals, and the step of a flat vector ----
def normals():
    buffer, part = torch.empty(1 << 14), NORMALS / (1 << 14)
    bench("sampling-normals", "torch", buffer.normal_, part)
    for name, source in (("numpy-sfc64", np.random.SFC64), ("numpy-philox", np.random.Philox)):
        generator, out = np.random.Generator(source(1)), np.empty(1 << 14, np.float32)
        bench("sampling-normals", name, lambda: generator.standard_normal(out=out, dtype=np.float32), part)
    draw = jax.jit(lambda key: jax.random.normal(key, (1 << 16,)))
    for name in ("threefry2x32", "rbg"):
        key = jax.random.key(1, impl=name)
        bench("sampling-normals", f"jax-{name}", lambda: draw(key).block_until_ready(), NORMALS / (1 << 16))


def steps():
    w, g, noise = torch.zeros(WEIGHTS), torch.zeros(WEIGHTS), torch.empty(WEIGHTS)
    bench("sampling-step", "torch", lambda: w.mul_(0.9999).add_(g, alpha=-1e-3).add_(noise.normal_(), alpha=1e-3))
    step = jax.jit(lambda w, g, key: 0.9999 * w - 1e-3 * g + 1e-3 * jax.random.normal(key, w.shape), donate_argnums=0)
    state, slope, key = [jnp.zeros(WEIGHTS)], jnp.zeros(WEIGHTS), jax.random.key(1)

    def call():
        state[0] = step(state[0], slope, key).block_until_ready()
    bench("sampling-step", "jax", call)


# ---- classic SYNTH ----
def problem():
    i = np.arange((TRAIN + TEST) * INPUTS)
    x = (1.5 * np.sin(1.0 + 1.7 * i + 0.01 * i * i)).astype(np.float32).reshape(-1, INPUTS)
    y = ((x[:, 0] + x[:, 1]).astype(float) - 0.5 * x[:, 2].astype(float) > 0).astype(np.float32)
    w = (0.2 * np.sin(1.0 + np.arange(UNITS * (INPUTS + 2) + 1))).astype(np.float32)
    cuts = np.cumsum([UNITS * INPUTS, UNITS, UNITS])
    w1, b1, w2, b2 = np.split(w, cuts)
    return x, 2 * y - 1, [w1.reshape(UNITS, INPUTS), b1, w2, b2]


X, SIGN, START = problem()


def weighted(parts):
    w = np.concatenate([np.asarray(p, dtype=float).ravel() for p in parts])
    return np.sum(w * np.sin(1.0 + np.arange(len(w))))


def by_torch():
    x, sign = torch.tensor(X), torch.tensor(SIGN)

    def loss(w, x, sign):
        z = torch.relu(torch.addmm(w[1], x, w[0].T)) @ w[2] + w[3]
        return -torch.log(FLOOR + (1 - 2 * FLOOR) * torch.sigmoid(sign * z)).mean(), z

    def epochs(count, noisy):
        flat = torch.cat([torch.tensor(p).ravel() for p in START])
        views = torch.split(flat, [UNITS * INPUTS, UNITS, UNITS, 1])
        w = [v.view(s.shape).requires_grad_() for v, s in zip(views, START)]
        noise = torch.empty_like(flat)
        parts = [v.view(s.shape) for v, s in zip(torch.split(noise, [UNITS * INPUTS, UNITS, UNITS, 1]), START)]
        for epoch in range(count):
            lr = 0.1 / math.sqrt(epoch + 1)
            for s in range(0, TRAIN, BATCH):
                value, _ = loss(w, x[s:s + BATCH], sign[s:s + BATCH])
                g = torch.autograd.grad(value, w)
                with torch.no_grad():
                    torch._foreach_mul_(w, 1 - lr / 2 / SIGMA**2)
                    torch._foreach_add_(w, g, alpha=-lr / 2)
                    if noisy:
                        noise.normal_()
                        torch._foreach_add_(w, parts, alpha=math.sqrt(lr / BETA))
            with torch.no_grad():
                test, z = loss(w, x[TRAIN:], sign[TRAIN:])
                wrong = (z * sign[TRAIN:] <= 0).sum()
        return w, test.item(), wrong.item()
    w, test, _ = epochs(20, False)
    compare("sampling-synth", "torch", test, 1e-5)
    compare("sampling-synth-weights", "torch", weighted([p.detach().numpy() for p in w]), 1e-4)
    count = 20
    bench("sampling-synth", "torch", lambda: epochs(count, True), 1 / count)


def by_blackjax():
    x, sign = jnp.asarray(X), jnp.asarray(SIGN)

    def logits(w, x):
        return jnp.maximum(x @ w[0].T + w[1], 0) @ w[2] + w[3]

    def losses(w, x, sign):
        z = logits(w, x)
        return -jnp.log(FLOOR + (1 - 2 * FLOOR) * jax.nn.sigmoid(sign * z)), z

    def log_density(w, batch):
        return -jnp.mean(losses(w, *batch)[0]) - sum(jnp.sum(p * p) for p in w) / (2 * SIGMA**2)
    sampler = blackjax.sgld(jax.grad(log_density))
    batches = (x[:TRAIN].reshape(STEPS, BATCH, INPUTS), sign[:TRAIN].reshape(STEPS, BATCH))

    def run(count, temperature):
        def epoch(w, item):
            number, key = item
            lr = 0.1 / jnp.sqrt(number + 1.0)

            def step(w, item):
                return sampler.step(item[0], w, item[1], lr / 2, temperature), None
            w, _ = jax.lax.scan(step, w, (jax.random.split(key, STEPS), batches))
            test, z = losses(w, x[TRAIN:], sign[TRAIN:])
            return w, (jnp.mean(test), jnp.sum(z * sign[TRAIN:] <= 0))
        keys = jax.random.split(jax.random.key(1), count)
        return jax.jit(lambda w: jax.lax.scan(epoch, w, (jnp.arange(count), keys)))
    start = [jnp.asarray(p) for p in START]
    w, (test, _) = run(20, 0.0)(start)
    compare("sampling-synth", "blackjax", test[-1], 1e-5)
    compare("sampling-synth-weights", "blackjax", weighted(w), 1e-4)
    count = 200
    many = run(count, 1 / BETA)
    bench("sampling-synth", "blackjax", lambda: jax.block_until_ready(many(start)), 1 / count)


def main():
    for part in (normals, steps, by_torch, by_blackjax):
        try:
            part()
        except Exception as error:  # a package that is absent or does not fit the others is named, not fatal
            print(f"{part.__name__} does not run here: {type(error).__name__}: {error}")


main()
