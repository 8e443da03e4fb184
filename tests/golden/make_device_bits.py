#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Statistics of small made-up devices and their standard errors: writes device_bits.json beside this file.

usage: make_device_bits.py      (needs numpy)

A standard error is the infinitesimal jackknife's, by central differences: the statistic is computed with weights on its
units (rows, or single bits or symbols where these count as independent), and the squares of its derivatives by the
weights are added up. No formula of an error is written down here.
"""
import json
import os

import numpy as np

N, W, ROWS = 24, 3, 40
S = 2 ** W
STEP = 1e-4


def devices():
    """Two devices of unlike symbols; some rows of equal bits, which have no correlations."""
    made = []
    for d in range(2):
        draw = np.random.RandomState(7 + d)
        p = draw.dirichlet(np.full(S, 3.0))
        symbols = draw.choice(S, size=(ROWS, N // W), p=p)
        rows = np.stack([symbols >> (W - 1 - k) & 1 for k in range(W)], 2).reshape(ROWS, N)
        rows[5], rows[11] = 0, 1
        rows[17, 1:], rows[17, 0] = 1, 0  # varies, but not without its first bit
        made.append(rows)
    return made


def mean(x, w):
    return (x.T @ w / w.sum()).T if x.ndim > 1 else x @ w / w.sum()


def std(x, w):
    return np.sqrt(mean((x - mean(x, w)) ** 2, w))


def h2(p):
    return 0.0 if p in (0, 1) else float(-p * np.log2(p) - (1 - p) * np.log2(1 - p))


def run_lengths(row):
    ends = np.flatnonzero(np.diff(row)) + 1
    return np.bincount(np.minimum(np.diff(np.concatenate(([0], ends, [len(row)]))), 64), minlength=65)[1:]


def row_features(rows):
    ones = rows.sum(1)
    steps = np.array([[np.sum(2 * r[:-1] + r[1:] == k) for k in range(4)] for r in rows], float)
    varied = np.flatnonzero((ones > 0) & (ones < N))
    both = [i for i in varied if rows[i, :-1].std() > 0 and rows[i, 1:].std() > 0]
    z = rows[varied] - rows[varied].mean(1, keepdims=True)
    lags = np.array([(z[:, :-k] * z[:, k:]).mean(1) / (z * z).mean(1) for k in range(1, 20)]).T
    pearson = np.array([np.corrcoef(rows[i, :-1], rows[i, 1:])[0, 1] for i in both])
    return {"rate": ones / N, "entropy": np.array([h2(c / N) for c in ones]), "chi": 2 * (ones - N / 2) ** 2 / (N / 2),
            "steps": steps, "runs": np.array([run_lengths(r) for r in rows], float), "varied": varied, "lags": lags,
            "both": both, "pearson": pearson}


def of_rows(f, w):
    """Everything whose unit is a row."""
    conditional = mean(f["steps"], w)
    return {
        "rate": mean(f["rate"], w), "row_rate_std": std(f["rate"], w), "entropy_pooled": h2(mean(f["rate"], w)),
        "entropy_row_mean": mean(f["entropy"], w), "entropy_row_std": std(f["entropy"], w),
        "chi_square_mean": mean(f["chi"], w), "chi_square_std": std(f["chi"], w),
        "chi_square_above": mean(1.0 * (f["chi"] > 3.841), w), "transition_joint": mean(f["steps"], w) / (N - 1),
        "transition_conditional": conditional / conditional.reshape(2, 2).sum(1).repeat(2),
        "runs_per_row": mean(f["runs"].sum(1), w), "run_lengths_per_row": mean(f["runs"], w),
        "autocorrelation": mean(f["lags"], w[f["varied"]]),
        "autocorrelation_pearson": mean(f["pearson"], w[f["both"]]),
    }


def with_errors(statistics, n):
    """statistics(w): a dictionary; values at w = 1 and errors."""
    one = np.ones(n)
    values = statistics(one)
    squares = {k: np.zeros_like(np.asarray(v, float)) for k, v in values.items()}
    for i in range(n):
        up, down = one.copy(), one.copy()
        up[i] += STEP
        down[i] -= STEP
        a, b = statistics(up), statistics(down)
        for k in values:
            squares[k] += ((np.asarray(a[k]) - np.asarray(b[k])) / (2 * STEP)) ** 2
    return {k: {"value": np.asarray(v, float).tolist(), "se": np.sqrt(squares[k]).tolist()} for k, v in values.items()}


def probabilities(symbols, w):
    return np.array([w[symbols == s].sum() for s in range(S)]) / w.sum()


def of_symbols(symbols, w):
    p = probabilities(symbols, w)
    return {"symbol_probability": p, "symbol_entropy": -np.sum(p[p > 0] * np.log2(p[p > 0]))}


def of_device(rows):
    f = row_features(rows)
    symbols = (rows.reshape(ROWS, N // W, W) @ (1 << np.arange(W)[::-1])).ravel()
    phases = [with_errors(lambda w, k=k: {"p": mean(rows[:, k::W].ravel().astype(float), w)}, ROWS * N // W)["p"]
              for k in range(W)]
    out = with_errors(lambda w: of_rows(f, w), ROWS)
    out |= with_errors(lambda w: {"position_rate": mean(rows.astype(float), w)}, ROWS)
    out |= with_errors(lambda w: of_symbols(symbols, w), len(symbols))
    out["phase_rate"] = {k: [p[k] for p in phases] for k in ("value", "se")}
    return out, symbols


def divergence(symbols, w):
    p, q = probabilities(symbols[0], w[:len(symbols[0])]), probabilities(symbols[1], w[len(symbols[0]):])
    m = (p + q) / 2
    part = lambda x: np.sum(x[x > 0] * np.log(x[x > 0] / m[x > 0]))
    return {"js_symbol": (part(p) + part(q)) / 2}


made = devices()
statistics, symbols = zip(*[of_device(rows) for rows in made])
golden = {"symbol_bits": W, "rows": [["".join(map(str, r)) for r in rows] for rows in made], "devices": list(statistics),
          "pair": with_errors(lambda w: divergence(symbols, w), sum(map(len, symbols)))}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "device_bits.json"), "w") as file:
    json.dump(golden, file, indent=0)
    file.write("\n")
