#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tournament as a NumPy script goes about it.

loop: features of three devices by loops over rows, i and j, as in the published study, and the composites; measured on a part
of the rows and multiplied. numpy: the same by matrix products. Permutations of the labels of a pair: chi-squared of the table of
symbols (sums of the rows' counts after rng.permutation), and all eight scores of `tournament` (the classifier as a likelihood
ratio of Markov chains, five folds), measured on some and multiplied. Thirty devices: bits one by one in Python, a uniform
number at a time, as in the study, measured on a part of the rows and multiplied; histograms and the rank test whole."""
import sys
import time

try:
    import numpy as np
    from scipy import stats
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

QUICK = "--quick" in sys.argv
rng = np.random.default_rng(1)
LAWS = np.array([[.234, .261, .178, .327], [.220, .262, .167, .351], [.274, .221, .247, .258]])
SYMBOLS = np.stack([rng.choice(4, (2000, 50), p=p) for p in LAWS])
BITS = np.stack([SYMBOLS >> 1, SYMBOLS & 1], -1).reshape(3, 2000, 100)


def best(step, rounds=3):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return min(times)


def divergence(a, b):
    a, b = np.abs(a).ravel() + 1e-10, np.abs(b).ravel() + 1e-10
    a, b = a / a.sum(), b / b.sum()
    return .5 * (np.sum(a * np.log(a / b)) + np.sum(b * np.log(b / a)))


def composite(fa, fb):
    d = [divergence(x, y) for x, y in zip(fa, fb)]
    return .2 * d[0] + .4 * d[1] + .4 * d[2]


def features_loop(rows, used):
    """Element by element; patterns over `used` of the rows alone."""
    n = len(rows)
    f1 = np.zeros(64)
    for i in range(64):
        f1[i] = np.mean(rows[:, i])
    f2 = np.zeros((64, 64))
    for r in range(used):
        for i in range(64):
            for j in range(64):
                if rows[r, i] == 1 and rows[r, j] == 1:
                    f2[i, j] += 1
    f2 /= n
    f3 = np.zeros((64, 64))
    for i in range(64):
        for j in range(64):
            f3[i, j] = abs(f1[i] - f1[j])
    return f1, f2, f3


def features(rows):
    b = rows[:, :64].astype(float)
    f1 = b.mean(0)
    return f1, b.T @ b / len(b), np.abs(f1[:, None] - f1[None, :])


def composites(make):
    f = [make(d) for d in BITS]
    return [composite(f[a], f[b]) for a, b in ((0, 1), (0, 2), (1, 2))]


def counts_of(symbols):
    return np.stack([(symbols == s).sum(1) for s in range(4)], 1)


POOLED = np.concatenate(SYMBOLS[:2])
POOLED_BITS = np.concatenate(BITS[:2])
COUNTS = counts_of(POOLED)
TOTAL = COUNTS.sum(0)
STEPS = np.stack([((POOLED[:, :-1] == a) & (POOLED[:, 1:] == b)).sum(1) for a in range(4) for b in range(4)], 1)
FOLD = np.arange(4000) % 5
ONES = POOLED_BITS.sum(1)


def chi_square(first):
    a = COUNTS[first].sum(0)
    b = TOTAL - a
    return ((a - TOTAL / 2) ** 2 / (TOTAL / 2)).sum() + ((b - TOTAL / 2) ** 2 / (TOTAL / 2)).sum()


def permute_chi(times):
    for _ in range(times):
        chi_square(rng.permutation(4000)[:2000])


def accuracy(is_first):
    right = 0
    for k in range(5):
        logs = []
        for side in (is_first, ~is_first):
            c = STEPS[side & (FOLD != k)].sum(0).reshape(4, 4) + 1.
            logs.append(np.log(c / c.sum(1, keepdims=True)).ravel())
        held = FOLD == k
        right += ((STEPS[held] @ (logs[0] - logs[1]) > 0) == is_first[held]).sum()
    return right / 4000


def all_scores(order):
    a, b = order[:2000], order[2000:]
    fa, fb = features(POOLED_BITS[a]), features(POOLED_BITS[b])
    ra, rb = POOLED_BITS[a].mean(0), POOLED_BITS[b].mean(0)
    m = (ra + rb) / (ra + rb).sum()
    js = sum(.5 * np.sum(r / r.sum() * np.log(r / r.sum() / m)) for r in (ra, rb))
    ha, hb = (np.histogram(ONES[x] / 100, 20, (0, 1), density=True)[0] for x in (a, b))
    is_first = np.zeros(4000, bool)
    is_first[a] = True
    return composite(fa, fb), js, divergence(ha, hb), chi_square(a), accuracy(is_first)


def permute_all(times):
    for _ in range(times):
        all_scores(rng.permutation(4000))


def device_loop(rows):
    draw = np.random.RandomState(42).random_sample
    out = np.empty((rows, 100), np.int8)
    for i in range(rows):
        p = min(max(.5 + .01 * (i / rows - .5), .1), .9)
        out[i, 0] = draw() < p
        for j in range(1, 100):
            out[i, j] = out[i, j - 1] if draw() < .05 else draw() < p
    return out


def compare_thirty():
    devices = (rng.random((30, 2000, 100)) < rng.uniform(.48, .65, (30, 1, 1))).astype(np.int8)
    start = time.perf_counter()
    h = [np.histogram(d.mean(1), 20, (0, 1), density=True)[0] + 1e-10 for d in devices]
    h = [x / x.sum() for x in h]
    k = np.zeros((30, 30))
    for a in range(30):
        for b in range(a + 1, 30):
            k[a, b] = k[b, a] = divergence(h[a], h[b])
    cls = np.arange(30) // 10
    iu = np.triu_indices(30, 1)
    same = cls[iu[0]] == cls[iu[1]]
    stats.mannwhitneyu(k[iu][~same], k[iu][same], alternative="greater")
    ranks = np.zeros((30, 30))
    ranks[iu] = stats.rankdata(k[iu])
    for _ in range(20000 // 20):
        c = rng.permutation(cls)
        (ranks * (c[:, None] != c[None, :])).sum()
    return time.perf_counter() - start


used = 20 if QUICK else 100
whole = best(lambda: composites(lambda d: features_loop(d, used)), 1)
rest = best(lambda: composites(lambda d: features_loop(d, 0)), 1)
print(f"bench tournament-composites/numpy-loop {rest + (whole - rest) * 2000 / used:.5g} s scaled")
print(f"bench tournament-composites/numpy {best(lambda: composites(features)):.5g} s")
n, suffix = (1000, "-quick") if QUICK else (10000, "")
part = n // 10
print(f"bench pair-permutations{suffix}/numpy {best(lambda: permute_chi(part)) * 10:.5g} s scaled")
part = n // 100
print(f"bench all-permutations{suffix}/numpy {best(lambda: permute_all(part), 1) * 100:.5g} s scaled")
rows = 100
made = best(lambda: device_loop(rows), 2) * 30 * 2000 / rows
print(f"bench thirty-devices/numpy-loop {made + compare_thirty():.5g} s scaled")
