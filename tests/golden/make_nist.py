# SPDX-License-Identifier: MIT
"""Golden values for the tests of NIST SP 800-90B, and the digits of e for those of SP 800-22.

    make_nist.py OUTDIR           writes nist.h5 and nist_e.bin
    make_nist.py --digits OUTDIR  writes e, pi, sqrt2 and sqrt3 (.bin), 1,000,000 binary digits each

Written from the publications' formulas, plainly: every tuple counted in a dictionary, every model a
dictionary of dictionaries. Needs h5py, numpy, scipy."""
import bz2
import collections
import itertools
import math
import random
import sys

DIGITS = 1000000


def exponential(bits):
    """e in fixed point: binary splitting of sum 1/k!."""
    def split(a, b):
        if b - a == 1:
            return 1, b
        m = (a + b) // 2
        p, q = split(a, m)
        r, s = split(m, b)
        return p * s + r, q * s
    n = 1
    while math.lgamma(n + 1) / math.log(2) < bits + 64:
        n = int(n * 1.1) + 1
    p, q = split(0, n)
    return ((q + p) << bits) // q


def pi(bits):
    """Chudnovsky & Chudnovsky 1988."""
    def split(a, b):
        if b - a == 1:
            p = (6 * a - 5) * (2 * a - 1) * (6 * a - 1) if a else 1
            q = a ** 3 * (640320 ** 3 // 24) if a else 1
            t = p * (13591409 + 545140134 * a)
            return p, q, -t if a % 2 else t
        m = (a + b) // 2
        p, q, t = split(a, m)
        r, s, u = split(m, b)
        return p * r, q * s, s * t + p * u
    _, q, t = split(0, int(bits / 47) + 2)
    return q * 426880 * math.isqrt(10005 << 2 * bits) // t


def write_digits(value, path):
    value >>= value.bit_length() - DIGITS
    with open(path, "wb") as f:
        f.write(value.to_bytes(DIGITS // 8, "big"))


# ---- data ----

def sources():
    rng = random.Random(90)
    chain = [0]
    for _ in range(19999):
        chain.append(int(rng.random() < (0.62 if chain[-1] else 0.45)))
    yield "chain", 1, chain
    yield "fair", 1, [rng.getrandbits(1) for _ in range(16000)]
    yield "biased", 1, [int(rng.random() < 0.7) for _ in range(9000)]
    yield "pairs", 2, rng.choices(range(4), [0.23364, 0.26118, 0.17802, 0.32716], k=10000)
    yield "bell", 8, [min(255, max(0, round(rng.gauss(128, 20)))) for _ in range(6000)]
    yield "period", 3, [(i % 7 if rng.random() < 0.9 else rng.randrange(8)) for i in range(7000)]
    yield "bytes", 8, [rng.randrange(256) for _ in range(8000)]


# ---- 6.3: estimates ----

Z = 2.576


def upper(p, n):
    return min(1, p + Z * math.sqrt(p * (1 - p) / (n - 1)))


def most_common(s):
    return -math.log2(upper(max(collections.Counter(s).values()) / len(s), len(s)))


def collision(s):
    times, i = [], 0
    while i < len(s):
        seen, j = set(), i
        while j < len(s) and s[j] not in seen:
            seen.add(s[j])
            j += 1
        if j == len(s):
            break
        times.append(j - i + 1)
        i = j + 1
    v = len(times)
    mean = sum(times) / v
    sigma = math.sqrt(sum((t - mean) ** 2 for t in times) / (v - 1))
    mean -= Z * sigma / math.sqrt(v)

    def expected(p):  # the formula of step 7, its incomplete gamma function by quadrature-free recursion
        q = 1 - p
        z = 1 / q
        gamma = (z * z + 2 * z + 2) * math.exp(-z)  # Gamma(3, z)
        f = gamma * z ** -3 * math.exp(z)
        return p / q ** 2 * (1 + 0.5 * (1 / p - 1 / q)) * f - p / q * 0.5 * (1 / p - 1 / q)
    low, high = 0.5, 1 - 1e-9
    if mean >= expected(low):
        return 1.0
    for _ in range(200):
        p = (low + high) / 2
        low, high = (p, high) if expected(p) > mean else (low, p)
    return -math.log2((low + high) / 2)


def markov(s):
    n = len(s)
    first = [s.count(0) / n, s.count(1) / n]
    step = [[0, 0], [0, 0]]
    for a, b in zip(s, s[1:]):
        step[a][b] += 1
    step = [[c / sum(row) for c in row] for row in step]
    best = 0
    for path in ([0] * 128, [0, 1] * 64, [0] + [1] * 127, [1] + [0] * 127, [1, 0] * 64, [1] * 128):
        p = first[path[0]]
        for a, b in zip(path, path[1:]):
            p *= step[a][b]
        best = max(best, p)
    return min(1, -math.log2(best) / 128)


def compression(s, warm=1000):
    b = 6
    blocks = [int("".join(map(str, s[i:i + b])), 2) for i in range(0, len(s) - b + 1, b)]
    seen, logs = {}, []
    for i, block in enumerate(blocks, 1):
        if i > warm:
            logs.append(math.log2(i - seen.get(block, 0)))
        seen[block] = i
    v = len(logs)
    mean = sum(logs) / v
    sigma = 0.5907 * math.sqrt(sum(x * x for x in logs) / (v - 1) - mean * mean)
    mean -= Z * sigma / math.sqrt(v)

    def g(z):
        total, inner = 0, 0
        for t in range(1, len(blocks) + 1):
            if t > warm:
                total += inner + math.log2(t) * z * (1 - z) ** (t - 1)
            inner += math.log2(t) * z * z * (1 - z) ** (t - 1)
        return total / v
    low, high = 2.0 ** -b, 1
    for _ in range(60):
        p = (low + high) / 2
        value = g(p) + (2 ** b - 1) * g((1 - p) / (2 ** b - 1))
        low, high = (p, high) if value > mean else (low, p)
    return -math.log2((low + high) / 2) / b


def tuples(s, cutoff=35):
    n, w = len(s), 1
    text = bytes(s)
    common, repeat = 0, 0
    while True:
        counts = collections.Counter(text[i:i + w] for i in range(n - w + 1)).values()
        if max(counts) >= cutoff:
            common = max(common, (max(counts) / (n - w + 1)) ** (1 / w))
        elif max(counts) > 1:
            equal = sum(c * (c - 1) // 2 for c in counts)
            repeat = max(repeat, (equal / math.comb(n - w + 1, 2)) ** (1 / w))
        else:
            break
        w += 1
    return [-math.log2(upper(p, n)) if p else math.nan for p in (common, repeat)]


def bound(right, k):
    n, c = len(right), sum(right)
    longest = max((sum(1 for _ in g) for ok, g in itertools.groupby(right) if ok), default=0)
    p = c / n
    whole = upper(p, n) if c else 1 - 0.01 ** (1 / n)
    r = longest + 1

    def log_none(p):
        q, x = 1 - p, 1.0
        for _ in range(200):
            x = 1 + q * p ** r * x ** (r + 1)
        return math.log(1 - p * x) - math.log((r + 1 - r * x) * q) - (n + 1) * math.log(x)
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2
        try:
            more = log_none(p) > math.log(0.99)
        except (ValueError, OverflowError, ZeroDivisionError):
            more = False
        low, high = (p, high) if more else (low, p)
    return [n, c, longest, -math.log2(max(whole, (low + high) / 2, 1 / k))]


def ask(s, first, predictors):
    """predictors(i): their answers; which is right most often, of equals the last that was right."""
    score, winner, right = collections.Counter(), 0, []
    for i in range(first, len(s)):
        answers = predictors(i)
        right.append(answers[winner] == s[i])
        for d, answer in enumerate(answers):
            if answer == s[i]:
                score[d] += 1
                if score[d] >= score[winner]:
                    winner = d
    return right


def windows(s, sizes=(63, 255, 1023, 4095)):
    def mode(i, w):
        if i < w:
            return None
        part = s[i - w:i]
        counts = collections.Counter(part)
        most = max(counts.values())
        return next(v for v in reversed(part) if counts[v] == most)
    return ask(s, sizes[0], lambda i: [mode(i, w) for w in sizes])


def lag(s, lags=128):
    return ask(s, 1, lambda i: [s[i - d] if d <= i else None for d in range(1, lags + 1)])


def likeliest(counts):
    return max(counts.items(), key=lambda item: (item[1], item[0])) if counts else (None, 0)


def models(s, depth=16, most=100000):
    memory = [collections.defaultdict(dict) for _ in range(depth + 1)]
    size = [0] * (depth + 1)

    def answers(i):
        for d in range(1, depth + 1):
            if d < i:
                counts = memory[d][tuple(s[i - d - 1:i - 1])]
                if s[i - 1] in counts:
                    counts[s[i - 1]] += 1
                elif size[d] < most:
                    counts[s[i - 1]] = 1
                    size[d] += 1
        return [likeliest(memory[d][tuple(s[i - d:i])])[0] if d <= i else None
                for d in range(1, depth + 1)]
    return ask(s, 2, answers)


def dictionary(s, depth=16, most=65536):
    memory = {}

    def answers(i):
        for d in range(depth, 0, -1):
            context = tuple(s[i - d - 1:i - 1])
            if context not in memory and len(memory) < most:
                memory[context] = {}
            if context in memory:
                memory[context][s[i - 1]] = memory[context].get(s[i - 1], 0) + 1
        best = (None, 0)
        for d in range(depth, 0, -1):
            found = likeliest(memory.get(tuple(s[i - d:i]), {}))
            if found[1] > best[1]:
                best = found
        return [best[0]]
    return ask(s, depth + 1, answers)


def estimates(s):
    k = len(set(s))
    binary = k == 2
    h = [most_common(s)] + ([collision(s), markov(s), compression(s)] if binary else [math.nan] * 3)
    h += tuples(s)
    predictions = [bound(p(s), k) for p in (windows, lag, models, dictionary)]
    return h + [p[3] for p in predictions], predictions


# ---- 5.1: statistics of the permutation test ----

def runs_of(signs):
    lengths = [sum(1 for _ in g) for _, g in itertools.groupby(signs)]
    return len(lengths), max(lengths)


def statistics(s):
    binary = set(s) <= {0, 1}
    mean, ordered = sum(s) / len(s), sorted(s)
    half = len(s) // 2
    median = 0.5 if binary else (ordered[half] if len(s) % 2 else (ordered[half] + ordered[half - 1]) / 2)
    blocks = [s[i:i + 8] + [0] * (8 - len(s[i:i + 8])) for i in range(0, len(s), 8)]
    one = [sum(b) for b in blocks] if binary else s
    two = [int("".join(map(str, b)), 2) for b in blocks] if binary else s
    t, total = [0], 0
    for i, v in enumerate(s, 1):
        total += v
        t[0] = max(t[0], abs(total - i * mean))
    signs = [-1 if a > b else 1 for a, b in zip(one, one[1:])]
    t += [*runs_of(signs), max(signs.count(1), signs.count(-1))]
    t += runs_of([-1 if v < median else 1 for v in s])
    times, start = [], 0
    seen = set()
    for i, v in enumerate(two):
        if v in seen:
            times.append(i - start + 1)
            start, seen = i + 1, set()
        else:
            seen.add(v)
    t += [sum(times) / len(times), max(times)]
    lags = (1, 2, 8, 16, 32)
    t += [sum(a == b for a, b in zip(one, one[p:])) for p in lags]
    t += [sum(a * b for a, b in zip(one, one[p:])) for p in lags]
    return t + [len(bz2.compress(" ".join(map(str, s)).encode(), 5))]


# ---- 5.2: chi-squared tests and the longest repeat ----

def bins_of(expected):
    """Cells in the order of what is expected of them, in bins of at least five."""
    bins, cells, total = [], [], 0
    for cell in sorted(expected, key=lambda c: (expected[c], c)):
        cells.append(cell)
        total += expected[cell]
        if total >= 5:
            bins.append((cells, total))
            cells, total = [], 0
    if cells:
        last = bins.pop() if bins else ([], 0)
        bins.append((last[0] + cells, last[1] + total))
    return bins


def chi_squared_tests(s):
    n, counts = len(s), collections.Counter(s)
    k = len(counts)
    if k == 2:
        p = {v: c / n for v, c in counts.items()}
        m = 11
        while m > 1 and min(p.values()) ** m * (n // m) < 5:
            m -= 1
        seen = collections.Counter(tuple(s[i:i + m]) for i in range(0, n - m + 1, m))
        independence = 0
        for block in itertools.product(sorted(p), repeat=m):
            e = math.prod(p[v] for v in block) * (n // m)
            independence += (seen[block] - e) ** 2 / e
        first = independence, 2 ** m - 2
        part = n // 10
        fit = sum((s[d * part:(d + 1) * part].count(v) - p[v] * part) ** 2 / (p[v] * part)
                  for d in range(10) for v in p)
        second = fit, 9
    else:
        expected = {(a, b): counts[a] * counts[b] * ((n // 2) / n ** 2) for a in counts for b in counts}
        seen = collections.Counter(zip(s[0::2], s[1::2]))
        bins = bins_of(expected)
        first = (sum((sum(seen[c] for c in cells) - e) ** 2 / e for cells, e in bins), len(bins) - k)
        part = n // 10
        bins = bins_of({v: c / 10 for v, c in counts.items()})
        fit = 0
        for d in range(10):
            seen = collections.Counter(s[d * part:(d + 1) * part])
            fit += sum((sum(seen[c] for c in cells) - e) ** 2 / e for cells, e in bins)
        second = fit, 9 * (len(bins) - 1)
    text, w = bytes(s), 1
    while len({text[i:i + w] for i in range(n - w + 1)}) < n - w + 1:
        w += 1
    w -= 1
    collide = sum((c / n) ** 2 for c in counts.values())
    pairs = math.comb(n - w + 1, 2)
    return [*first, *second, w, -math.expm1(pairs * math.log1p(-collide ** w))]


# ---- 3.1.4.3: the largest count of a restart ----

def restart_cutoff(h, k, n=1000):
    """Symbol after symbol takes its share of what the ones before it left: conditional binomials."""
    import numpy as np
    import scipy.stats
    p, alpha = 2.0 ** -h, 1 - 0.99 ** (1 / 2000)
    likely = min(k, math.floor(1 / p + 1e-9))
    rest = (1 - p * likely) / (k - likely) if k > likely else 0
    law = [p] * likely + [rest] * (k - likely)
    tables, left = [], 1.0
    for q in law:
        share = min(1.0, q / left) if left > 1e-12 else 1.0
        tables.append([scipy.stats.binom.pmf(np.arange(m + 1), m, share) for m in range(n + 1)])
        left -= q

    def none_above(x):
        state = np.zeros(n + 1)  # probability that m draws are left
        state[n] = 1
        for table in tables:
            after = np.zeros(n + 1)
            for m in np.nonzero(state)[0]:
                top = min(x, m)
                after[m - top:m + 1] += state[m] * table[m][:top + 1][::-1]
            state = after
        return state[0]
    low, high = 0, n
    while low < high:
        x = (low + high) // 2
        low, high = (low, x) if 1 - none_above(x) <= alpha else (x + 1, high)
    return low


def main():
    if sys.argv[1] == "--digits":
        bits = DIGITS + 64
        for name, value in (("e", exponential(bits)), ("pi", pi(bits)),
                            ("sqrt2", math.isqrt(2 << 2 * bits)), ("sqrt3", math.isqrt(3 << 2 * bits))):
            write_digits(value, f"{sys.argv[2]}/{name}.bin")
        return
    import h5py
    import numpy as np
    import scipy.stats
    write_digits(exponential(DIGITS + 64), f"{sys.argv[1]}/nist_e.bin")
    with h5py.File(f"{sys.argv[1]}/nist.h5", "w", libver=("v108", "v108"), track_order=False) as f:
        cases = [(1.0, 2), (0.8, 2), (0.3, 2), (2.0, 4), (1.5, 4), (2.7, 8), (0.5, 5)]
        f.attrs["restart"] = [(h, k, restart_cutoff(h, k)) for h, k in cases]
        print(f.attrs["restart"])
        for name, width, s in sources():
            g = f.create_group(name)
            h, predictions = estimates(s)
            chi = chi_squared_tests(s)
            g.attrs["width"] = float(width)
            g["symbols"] = np.array(s, np.uint8)
            g["estimates"] = h
            g["predictions"] = predictions
            g["statistics"] = np.array(statistics(s), float)
            g["tests"] = chi
            g["log10_p"] = [scipy.stats.chi2.logsf(chi[i], chi[i + 1]) / math.log(10) for i in (0, 2)]
            print(name, [round(x, 4) for x in h], [round(x, 4) for x in chi])


if __name__ == "__main__":
    main()
