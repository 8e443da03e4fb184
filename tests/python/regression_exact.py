#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sgld sample on a table (--data features) with --model linear --loss square: its law is Gaussian, so that NumPy has the mean
loss at each beta and the evidence in closed form. Logistic regression (ce) is compared with an importance sampler about its mode."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

BIN = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "bin"))
WINE = os.path.abspath(os.path.join(os.environ.get("DATA", "data"), "wine", "wine.csv"))


def run(tool, *arguments):
    done = subprocess.run([os.path.join(BIN, tool), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def sample(loss, betas, draws, name):
    told = json.loads(run("sgld", "sample", "train.h5", "test.h5", "--data", "features", "--model", "linear", "--loss", loss,
                          "-B", ",".join(map(str, betas)), "--warmup", "1000", "-e", str(draws), "-o", name, "--json"))
    return {rung["beta"]: rung for rung in told["ladder"]}


def near(found, exact, error, what):
    assert abs(found - exact) < 4 * error + 1e-6, f"{what}: found {found} +- {error}, expected {exact}"


def gaussian(a, targets, beta, sigma2):
    """Mean loss over the records at beta, ln Z(beta) / Z(0): exp(-beta |Aw - y|^2 / n) under w ~ N(0, sigma2), a class a column."""
    n, size = a.shape
    precision = np.eye(size) / sigma2 + 2 * beta / n * a.T @ a
    mean = np.linalg.solve(precision, 2 * beta / n * a.T @ targets)
    classes = targets.shape[1]
    loss = (((a @ mean - targets) ** 2).sum() + classes * np.trace(a @ np.linalg.solve(precision, a.T))) / n
    quadratic = (mean * (precision @ mean)).sum() / 2 - beta / n * (targets ** 2).sum()
    return loss, quadratic - classes / 2 * np.linalg.slogdet(sigma2 * precision)[1]


def logistic(a, labels, classes, beta, sigma2, random):
    """Mean loss at beta by self-normalised importance sampling from a Student t about the mode, and its error."""
    n, size = a.shape
    one = np.eye(classes)[labels]

    def loss(w):
        z = a @ w
        z = z - z.max(-1, keepdims=True)
        return np.log(np.exp(z).sum(-1)) - (z * one).sum(-1)

    w = np.zeros((size, classes))
    for _ in range(60):
        z = a @ w
        p = np.exp(z - z.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        gradient = beta / n * a.T @ (p - one) + w / sigma2
        hessian = np.eye(size * classes) / sigma2
        for i in range(n):
            hessian += beta / n * np.kron(np.outer(a[i], a[i]), np.diag(p[i]) - np.outer(p[i], p[i]))
        w = w - np.linalg.solve(hessian, gradient.ravel()).reshape(size, classes)
    root = np.linalg.cholesky(np.linalg.inv(hessian))
    count, df = 200000, 20
    means, weights = [], []
    for _ in range(20):
        normal = random.normal(size=(count // 20, size * classes))
        scale = np.sqrt(df / random.chisquare(df, count // 20))
        draws = w.ravel() + scale[:, None] * normal @ root.T
        mean = loss(draws.reshape(-1, size, classes)).mean(1)
        log_target = -beta * mean - (draws ** 2).sum(1) / (2 * sigma2)
        log_proposal = -(df + size * classes) / 2 * np.log1p((scale ** 2 * (normal ** 2).sum(1)) / df)
        means.append(mean), weights.append(log_target - log_proposal)
    mean, weight = np.concatenate(means), np.concatenate(weights)
    weight = np.exp(weight - weight.max())
    weight /= weight.sum()
    value = (weight * mean).sum()
    return value, np.sqrt((weight ** 2 * (mean - value) ** 2).sum())


def main():
    for part in "train", "test":
        run("extract-features", WINE, "--label", "cultivar", "--split", part, "-q", "-o", f"{part}.h5")
    with h5py.File("train.h5") as file:
        x, labels = file["features"][:].astype(float), file["labels"][:]
    a, targets = np.c_[x, np.ones(len(x))], np.eye(3)[labels]
    sigma2 = 1 / x.shape[1]

    betas = [0, 1, 3, 10, 30, 100]
    ladder = sample("square", betas, 6000, "square.h5")
    exact = {beta: gaussian(a, targets, beta, sigma2) for beta in betas}
    for beta in betas:
        near(ladder[beta]["train_loss"], exact[beta][0], ladder[beta]["train_loss_mcse"], f"square, beta {beta}: mean loss")
    for rung in json.loads(run("sgld", "bounds", "square.h5", "-o", "bounds.h5", "--json"))["rungs"]:
        evidence, noise = exact[rung["beta"]][1], rung["log_z_mcse"]
        assert -rung["left"] - 4 * noise <= evidence <= -rung["right"] + 4 * noise, (rung, evidence)
        near(rung["log_z"], evidence, np.hypot(noise, rung["hermite"] - rung["trapezoid"]), f"beta {rung['beta']}: evidence")

    ladder = sample("ce", [0, 30], 6000, "ce.h5")
    value, error = logistic(a, labels, 3, 30, sigma2, np.random.default_rng(1))
    near(ladder[30]["train_loss"], value, np.hypot(error, ladder[30]["train_loss_mcse"]), "ce, beta 30: mean loss")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
print("regression: as in closed form")
