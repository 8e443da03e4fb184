#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weights of heads, read by NumPy and by the package safetensors, say what the head file says; what these two write
becomes a head with the same predictions; what only running code could read is refused. Status 77: a package is absent."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
    from safetensors import safe_open
    from safetensors.numpy import save_file
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

digits = pathlib.Path(os.environ["DATA"]) / "digits" / "train-images-idx3-ubyte"


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def probabilities(head):
    run("qeval", "-q", head, "f.h5", "--force", "-o", "r.h5")
    with h5py.File("r.h5") as report:
        return report["probabilities"][...]


def equal(weights, wanted, what):
    assert sorted(weights) == sorted(wanted), f"{what}: {sorted(weights)}"
    for name, value in wanted.items():
        assert weights[name].dtype == np.float32 and weights[name].shape == value.shape, f"{what}: {name}"
        assert (weights[name] == value).all(), f"{what}: {name}"


def refused(path, word):
    done = subprocess.run(["qconvert", path, "--features", "f.h5", "--qubits", "3", "-o", "refused.h5"],
                          capture_output=True, text=True)
    assert done.returncode == 65 and done.stderr.count("\n") == 1 and word in done.stderr, (path, done)
    assert not os.path.exists("refused.h5")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run("extract-features", "-q", digits, "--resize", "28", "--limit", "200", "-o", "f.h5")
    run("qtrain", "-q", "f.h5", "--epochs", "2", "--replicas", "2", "--qubits", "3", "--reduction", "8", "-o", "h.h5")
    with h5py.File("h.h5") as head:
        both = {name: head["params"][name][...] for name in head["params"]}
        config = json.loads(head.attrs["config"])
        classes = [name.decode() for name in head["class_names"][...]]
        key = head.attrs["key"].decode()
    first = {name: value[0] for name, value in both.items()}
    for wanted, options in (first, []), ({k: v[1] for k, v in both.items()}, ["--replica", 1]), (both, ["--all-replicas"]):
        run("qconvert", "-q", "h.h5", *options, "-o", "w.npz")
        run("qconvert", "-q", "h.h5", *options, "-o", "w.safetensors")
        with np.load("w.npz", allow_pickle=False) as z:
            words = {name: z[name] for name in z.files if z[name].dtype.kind == "U"}
            equal({name: z[name] for name in z.files if name not in words}, wanted, f"npz {options}")
        with safe_open("w.safetensors", "np") as f:
            equal({name: f.get_tensor(name) for name in f.keys()}, wanted, f"safetensors {options}")
            metadata = f.metadata()
        assert json.loads(str(words["config"])) == json.loads(metadata["config"]) == config
        assert list(words["class_names"]) == json.loads(metadata["class_names"]) == classes
        assert str(words["key"]) == metadata["key"] == key

    # What others write: every precision that float32 holds, either order, compressed or not.
    want = probabilities("h.h5")[:1]
    ours = {"config": np.array(json.dumps(config))}
    np.savez("double.npz", **ours, **{k: v.astype(np.float64) for k, v in first.items()})
    np.savez_compressed("columns.npz", **ours, **{k: np.asfortranarray(v) for k, v in first.items()})
    np.savez("big.npz", **ours, **{k: v.astype(">f4") for k, v in first.items()})
    save_file(first, "single.safetensors", metadata={"config": json.dumps(config)})
    for path in "double.npz", "columns.npz", "big.npz", "single.safetensors":
        run("qconvert", "-q", path, "--features", "f.h5", "--force", "-o", "back.h5")
        assert (probabilities("back.h5") == want).all(), path
    half = {k: v.astype(np.float16) for k, v in first.items()}
    np.savez("half.npz", **half)
    save_file(half, "half.safetensors")
    for path in "half.npz", "half.safetensors":
        run("qconvert", "-q", path, "--features", "f.h5", "--qubits", 3, "--reduction", "8", "--force", "-o", "back.h5")
        with h5py.File("back.h5") as back:
            equal({k: back["params"][k][0] for k in back["params"]}, {k: v.astype(np.float32) for k, v in half.items()}, path)

    np.savez("object.npz", **{"reduce.0.weight": np.array([{"a": 1}, None], dtype=object)})
    np.savez("complex.npz", **{"reduce.0.weight": first["reduce.0.weight"].astype(np.complex64)})
    np.savez("record.npz", **{"reduce.0.weight": np.zeros(3, dtype=[("x", "<f4")])})
    save_file({"reduce.0.weight": np.zeros((2, 2), dtype=np.uint8)}, "bytes.safetensors")
    bad = dict(first, **{"reduce.0.bias": np.full(8, np.nan, dtype=np.float32)}, **ours)
    np.savez("nan.npz", **bad)
    np.savez("huge.npz", **dict(bad, **{"reduce.0.bias": np.full(8, 1e300)}))
    for path, word in (("object.npz", "pickle"), ("complex.npz", "dtype"), ("record.npz", "header"),
                       ("bytes.safetensors", "dtype"), ("nan.npz", "not finite"), ("huge.npz", "not finite")):
        refused(path, word)
