#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrays that NumPy and h5py saved become features (extract-features --label) with the numbers of scikit-learn's StandardScaler (mean
and standard deviation of the rows that train, divided by n), in rows and classes as they were; others are refused in a line."""
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

TOOL = os.path.join(os.environ.get("BUILD", "build"), "bin", "extract-features")


def extract(*arguments, output):
    return subprocess.run([TOOL, *arguments, "-q", "-o", output], capture_output=True, text=True)


def made(*arguments, output="f.h5"):
    done = extract(*arguments, output=output)
    assert done.returncode == 0, (arguments, done.stderr)
    with h5py.File(output) as file:
        names = [name.decode() for name in file["class_names"][:]] if "class_names" in file else None
        return file["features"][:], file["labels"][:], file["index"][:], names


def refused(words, *arguments):
    done = extract(*arguments, output="bad.h5")
    assert done.returncode in (2, 65), (arguments, done.returncode)
    assert words in done.stderr and done.stderr.count("\n") == 1 and not os.path.exists("bad.h5"), (arguments, done.stderr)


def scaled(x, train):
    deviation = x[train].std(0)
    deviation[deviation == 0] = np.inf
    return (x - x[train].mean(0)) / deviation


def agrees(found, x, y, train, rows):
    features, labels, index, _ = found
    assert (index == rows).all() and (labels == y[rows]).all()
    assert np.abs(features - scaled(x, train)[rows]).max() < 3e-6


def main():
    random = np.random.default_rng(1)
    x, y = random.normal(3, 5, (60, 7)), random.integers(0, 3, 60)
    x[:, 4] = 2
    words = np.array(["low", "middle", "high"])[y]
    np.save("x.npy", x), np.save("y.npy", y), np.save("column.npy", y[:, None])
    np.save("fortran.npy", np.asfortranarray(x.astype(">f4")))
    np.savez("both.npz", x=x, words=words)
    with h5py.File("both.h5", "w") as file:
        file["embeddings"], file["target"] = x.astype("f4"), y
    everything = np.arange(60)
    for arguments in (("x.npy", "--label", "y.npy"), ("fortran.npy", "--label", "column.npy"), ("both.h5:embeddings", "--label", "target")):
        agrees(made(*arguments), x, y, everything, everything)
    features, labels, _, names = made("both.npz:x", "--label", "words")
    assert names == ["high", "low", "middle"] and (np.array(names)[labels] == words).all()
    raw = made("x.npy", "--label", "y.npy", "--scale", "none")[0]
    assert (raw == x.astype("f4")).all()

    parts = {p: made("x.npy", "--label", "y.npy", "--split", p, "--test-fraction", "0.25", "--seed", "5", output=f"{p}.h5")
             for p in ("train", "test")}
    train, test = parts["train"][2], parts["test"][2]
    assert sorted([*train, *test]) == list(range(60)) and len(test) == 15
    for p in parts:
        agrees(parts[p], x, y, train, parts[p][2])
    for k in range(3):
        assert abs((y[test] == k).sum() - 0.25 * (y == k).sum()) <= 1
    agrees(made("x.npy", "--label", "y.npy", "--like", "train.h5"), x, y, train, everything)
    features, labels, _, names = made("x.npy", "--label", "none", "--like", "train.h5")
    assert (labels == -1).all() and names is None and np.abs(features - scaled(x, train)).max() < 3e-6

    infinite = x.copy()
    infinite[5, 2] = np.inf
    np.save("infinite.npy", infinite), np.save("three.npy", x.reshape(60, 7, 1)), np.save("fewer.npy", y[:59]), np.save("wide.npy", x[:, :6])
    refused("found 3 axes, expected real numbers (rows, columns)", "three.npy", "--label", "y.npy")
    refused("found 59 classes, expected one for each of 60 rows", "x.npy", "--label", "fewer.npy")
    refused("row 5, column 2 (from 0): found inf", "infinite.npy", "--label", "y.npy")
    refused("has no named columns", "x.npy", "--label", "y.npy", "--columns", "1,2")
    refused("found 6 columns, expected 7, as --like has them", "wide.npy", "--label", "y.npy", "--like", "train.h5")
    refused("name one as both.npz:NAME", "both.npz", "--label", "words")
    refused("dataset nix", "both.h5:nix", "--label", "target")
    refused("take --label DATASET", "both.h5:embeddings")


with tempfile.TemporaryDirectory() as folder:
    TOOL = os.path.abspath(TOOL)
    os.chdir(folder)
    main()
print("vectors: as NumPy has them")
