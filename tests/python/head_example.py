#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/head.md is true: its example runs on real files, its model in NumPy gives the probabilities of qeval, and
its configuration is taken. Status 77: a package is absent."""
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

page = (pathlib.Path(os.environ["ROOT"]) / "docs" / "head.md").read_text()
example, model = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
(settings,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
digits = pathlib.Path(os.environ["DATA"]) / "digits"


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def check_example():
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(example, {})
    lines = said.getvalue().splitlines()
    assert lines[0] == "4 qubits, 70186 parameters", lines
    with h5py.File("report.h5") as report:
        accuracy = float(lines[2].split()[-1])
        assert accuracy == report["replicas/accuracy"][0], (lines, report["replicas/accuracy"][0])


def check_model(*options):
    words = {}
    exec(model, words)
    run("qtrain", "-q", "f.h5", "--epochs", "12", "--weight-scale", "1", *options, "-o", "m.h5")
    run("qeval", "-q", "m.h5", "t.h5", "-o", "r.h5")
    with h5py.File("m.h5") as head, h5py.File("t.h5") as test, h5py.File("r.h5") as report:
        x = test["features"][:].astype(float)
        n, layers = (int(re.search(rf'"{name}":(\d+)', head.attrs["config"].decode() if isinstance(
            head.attrs["config"], bytes) else head.attrs["config"])[1]) for name in ("qubits", "layers"))
        for r in range(2):
            params = {name: data[r].astype(float) for name, data in head["params"].items()}
            p = words["probabilities"](x, params, n, layers)
            worst = np.abs(p - report["probabilities"][r]).max()
            assert worst < 2e-5, f"{options}, replica {r}: probabilities differ by {worst}"
            assert p.std(axis=0).max() > 0.005, "nothing was learnt: the comparison compares nothing"


def check_settings():
    lines = [re.match(r"(\w+): +(\S+)(?: +# (?:\(([\w-]+)\))?.*)?$", line).groups() for line in settings.splitlines()]
    pathlib.Path("page.yaml").write_text(settings)
    assert run("qtrain", "--config", "page.yaml", "--print-config") == run("qtrain", "--print-config"), "not the defaults"
    others = {"adjoint": "parameter-shift", "adam": "sgd", "constant": "cosine", "normal": "uniform", "128,32": "64"}
    wanted = {}
    with open("other.yaml", "w") as file:
        for name, value, own in lines:
            value = others.get(value) or str(float(value) + 1 if name not in ("dropout_rate", "gamma", "validation_split")
                                             else 0.5).removesuffix(".0")
            file.write(f"{name}: {value}\n")
            wanted[own or name.replace("_", "-")] = value
    found = dict(line.split(": ", 1) for line in run("qtrain", "--config", "other.yaml", "--print-config").splitlines())
    for name, value in wanted.items():
        assert found[name].strip('"') == value, (name, found[name], value)
    for refused in ("diff_method: backprop", "device: default.qubit", "n_qubit: 4"):
        pathlib.Path("refused.yaml").write_text(refused)
        tried = subprocess.run(["qtrain", "--config", "refused.yaml", "f.h5", "-o", "x.h5"], capture_output=True, text=True)
        assert tried.returncode == 2 and tried.stderr.count("\n") == 1, (refused, tried)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run("extract-features", "-q", digits / "train-images-idx3-ubyte", "--resize", "28", "--limit", "600", "-o", "f.h5")
    run("extract-features", "-q", digits / "test-images-idx3-ubyte", "--resize", "28", "--limit", "100", "-o", "t.h5")
    run("qtrain", "-q", "f.h5", "--epochs", "4", "-o", "head.h5")
    run("qeval", "-q", "head.h5", "t.h5", "-o", "report.h5")
    check_example()
    check_model("--replicas", "2", "--lr", "0.01")
    check_model("--replicas", "2", "--qubits", "1", "--reduction", "16", "--classifier", "none", "--lr", "0.02")
    check_model("--replicas", "2", "--qubits", "5", "--layers", "2", "--classifier", "12,8", "--lr", "0.01")
    check_settings()
