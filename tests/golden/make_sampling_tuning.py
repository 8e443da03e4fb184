#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/sampling_tuning.h5: what the warm-up of chains, the noise of batches, WBIC and the learning coefficient come to.
- dual: dual averaging by Hoffman and Gelman 2014 (JMLR 15, equation 6 with its closed sum for H-bar), whose steps are asserted to
  be BlackJAX's where that is installed (its mean is that of the steps before);
- windows: ends of the windows in which variances are taken, by Stan's reference manual (base 25, doubled; one that leaves no room for
  the next goes as far as the end);
- masses: Stan's regularised variances of a window, in units of the prior's;
- momentum: variances that SGHMC's step (kick, half a drift, friction and noise, half a drift) has of a weight whose gradient carries
  white noise: SciPy's solution of the discrete Lyapunov equation; records y, of which batches are drawn without replacement;
- wbic: a linear Gaussian model in closed form: mean and variance of the loss at each beta and at n / ln n;
- linear: its least loss, by NumPy's lstsq;
- logistic: the head of tests/unit/sampling/evidence.c by quadrature and SciPy's minimiser: mean loss at beta n, least loss.
Needs h5py, numpy, scipy."""
import sys
import h5py
import numpy as np
from scipy.linalg import solve_discrete_lyapunov
from scipy.optimize import minimize

GAMMA, T0, KAPPA = 0.05, 10, 0.75
rng = np.random.default_rng(20261128)


def dual(accept, target, first):
    mu, steps, means, mean = np.log(10) + first, [], [], first
    for t in range(1, len(accept) + 1):
        h_bar = np.sum(target - np.minimum(1, accept[:t])) / (t + T0)  # the recursion's sum: its factors telescope
        x = mu - np.sqrt(t) / GAMMA * h_bar
        mean = t ** -KAPPA * x + (1 - t ** -KAPPA) * mean
        steps.append(x), means.append(mean)
    return np.array(steps), np.array(means)


def check_blackjax(accept, target, first, steps):
    try:
        from blackjax.optimizers.dual_averaging import dual_averaging
    except ImportError:
        return print("without BlackJAX")
    init, update, final = dual_averaging(T0, GAMMA, KAPPA)
    state = init(np.exp(first))
    for a, x in zip(accept, steps):
        state = update(state, target - min(1, a))
        assert abs(float(state.log_x) - x) < 2e-4 * (1 + abs(x))


def windows(began, end):
    ends, at, length = [], began, 25
    while at < end:
        at = end if at + length + 2 * length > end else at + length
        ends.append(at)
        length *= 2
    return ends


def momentum(group, y, batch, eta, friction, precision, beta):
    n, h, a = len(y), np.sqrt(eta), np.exp(-friction)
    noise = np.var(y, ddof=1) / batch * (1 - batch / n)  # of the mean of a batch drawn without replacement
    k = beta + precision  # the potential's curvature: all x are 1
    kick, drift = np.array([[1, 0], [-h * k, 1]]), np.array([[1, h / 2], [0, 1]])
    keep = np.diag([1, a])
    step = drift @ keep @ drift @ kick
    of_kick, of_noise = drift @ keep @ drift @ np.array([0, h * beta]), drift @ np.array([0, np.sqrt(1 - a * a)])
    put_in = np.outer(of_noise, of_noise)
    law = [solve_discrete_lyapunov(step, put_in + share * noise * np.outer(of_kick, of_kick))[0, 0] for share in (0, 1)]
    group["y"] = y
    for name, value in dict(batch=batch, eta=eta, friction=friction, precision=precision, beta=beta, mean=beta * y.mean() / k,
                            variance_of_all=law[0], variance=law[1], ratio=law[1] / law[0] - 1).items():
        group.attrs[name] = value


def gaussian(group, x, y, sigma, betas):
    """L = mean of (x.w - y)^2 / 2: E and Var of it where w is N(m, S), S = (beta H + 1 / sigma^2)^-1, H = x'x / n."""
    n, d = x.shape
    h, b, c = x.T @ x / n, x.T @ y / n, y @ y / (2 * n)
    at, mean, var = np.append(betas, n / np.log(n)), [], []
    for beta in at:
        s = np.linalg.inv(beta * h + np.eye(d) / sigma ** 2)
        m = s @ (beta * b)
        mean.append(m @ h @ m / 2 - b @ m + c + np.trace(h @ s) / 2)
        g = h @ m - b
        var.append(g @ s @ g + np.trace(h @ s @ h @ s) / 2)
    group["beta"], group["mean"], group["variance"] = betas, mean[:-1], var[:-1]
    group.attrs["n"], group.attrs["exact"] = n, n * mean[-1]
    return h, b, c


def logistic(group):
    n = 40
    x = np.float32(4.0 * np.arange(n) / (n - 1) - 2).astype(float)
    sign = np.where(np.where(x > 0.4, np.arange(n) % 7 != 0, np.arange(n) % 5 == 0), 1.0, -1.0)

    def loss(u, v):
        return np.mean(np.logaddexp(0, -sign * (np.multiply.outer(u, x) + np.asarray(v)[..., None])), axis=-1)
    grid = np.linspace(-14, 14, 561)
    u, v = np.meshgrid(grid, grid, indexing="ij")
    values = np.array([loss(a, b) for a, b in zip(u, v)])
    weight = np.exp(-n * (values - values.min()) - (u ** 2 + v ** 2) / 4)  # u, v: differences of two N(0, 1)
    group.attrs["mean"] = np.sum(weight * values) / np.sum(weight)
    found = minimize(lambda w: loss(w[0], w[1]), [1.0, 0.0], method="BFGS", options=dict(gtol=1e-10))
    group.attrs["least"] = found.fun


with h5py.File(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/sampling_tuning.h5", "w") as f:
    g = f.create_group("dual")
    accept = np.concatenate([np.zeros(6), rng.uniform(0, 1, 60), [1.7, 0.3]])
    steps, means = dual(accept, 0.8, np.log(3e4))
    check_blackjax(accept, 0.8, np.log(3e4), steps)
    g["accept"], g["step"], g["average"] = accept, steps, means
    g.attrs["target"], g.attrs["first"] = 0.8, np.log(3e4)
    g = f.create_group("windows")
    for began, end in ((0, 80), (50, 84), (100, 250), (500, 1500), (2000, 3600)):
        g[f"{began}-{end}"] = windows(began, end)
    g = f.create_group("masses")
    draws = np.float32(rng.normal(size=(25, 3)) * [0.01, 1, 30] + [5, -1, 0]).astype(float)
    g["draws"], g.attrs["sigma"] = draws, 2.0
    g["scale"] = np.sqrt(25 / 30 * draws.var(axis=0, ddof=1) + 5 / 30 * 1e-3 * 2.0 ** 2)
    momentum(f.create_group("momentum"), np.round(rng.normal(size=24) * 3, 3), 4, 0.004, 0.15, 1.0, 2.0)
    g = f.create_group("wbic")
    x = rng.normal(size=(60, 4)) * [2, 1, 0.5, 0.2]
    y = x @ [1, -1, 2, 0.5] + rng.normal(size=60)
    gaussian(g, x, y, 2.0, np.array([0, 0.5, 2, 6, 20, 60.0]))
    gaussian(f.create_group("wbic_below"), x, y, 2.0, np.array([0, 30, 60.0]))
    g = f.create_group("linear")
    x = np.round(rng.normal(size=(24, 3)) * [3, 1, 0.3], 3)
    y = np.round(x @ [0.5, -2, 1] + rng.normal(size=24), 3)
    g["X"], g["y"] = x, y
    fit = np.linalg.lstsq(x, y, rcond=None)[0]
    g.attrs["least"], g.attrs["sigma"], g.attrs["norm"] = np.mean((x @ fit - y) ** 2) / 2, 1.5, np.mean(fit ** 2) / 1.5 ** 2
    logistic(f.create_group("logistic"))
