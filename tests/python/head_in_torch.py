#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program that `qconvert head.h5 -o head.py` writes gives the probabilities of qeval, for every embedding, ansatz and kind of
observable, and what PyTorch trains on goes back into a head. Without PyTorch or PennyLane the programs are compiled, not run, and
the status is 77."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)
missing = [name for name in ("torch", "pennylane") if not importlib.util.find_spec(name)]

digits = pathlib.Path(os.environ["DATA"]) / "digits"
GATES = """OPENQASM 3;
include "stdgates.inc";
input float x0; input float x1; input float w0; input float w1;
qubit[3] q;
h q[0]; x q[1]; y q[2]; id q[1]; s q[0];
U(x0, w0, 0.3) q[0];
u3(w0 + 0.5 * x1, 0.2 * w1 + x0, w1 - 0.1) q[1];
crx(x0) q[0], q[1]; cry(w1) q[1], q[2]; crz(0.4 * x0 * x1) q[2], q[0];
cp(w0 + x1) q[0], q[2]; rzz(w1 * x0) q[0], q[1]; swap q[1], q[2]; cz q[0], q[1]; ccx q[0], q[1], q[2];
"""
HEADS = {
    "default": "",
    "one-qubit": "--qubits 1 --reduction none --classifier none",
    "strongly": "--ansatz strongly-entangling --embedding angle-x --layers 4",
    "two-design": "--ansatz simplified-two-design --embedding angle-z --observables zz",
    "real": "--ansatz real-amplitudes --embedding iqp --qubits 5 --observables x,y",
    "su2": "--ansatz efficient-su2 --entanglement ring --embedding zz --observables 0.5*ZZII-XIYI,-ZIII+0.25*IIII,IIII",
    "brick": "--ansatz brick --embedding basis --observables probs",
    "qcnn": "--ansatz qcnn --layers 2 --embedding amplitude",
    "qlcu": "--ansatz qlcu --observables probs(2,0),z,probs(1)",
    "scales": "--ansatz basic-entangler --embedding iqp-2 --reupload --learn-scale --qubits 3",
    "mirror": "--ansatz strongly-entangling --mirror 2 --layers 4",
    "fidelity": "--observables fidelity(0+1r),fidelity(-l00),fidelity(ghz),fidelity(w) --entanglement star",
    "gates": "--circuit-file gates.qasm",
    "frozen": "--core frozen --layers 2 --entanglement full",
    "noise": "--noise depolarizing=0.05 --qubits 2",
    "shots": "--shots 100 --qubits 3",
}


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def make(name, options):
    """A head whose weights are large, so that its samples' probabilities are far apart."""
    run("qtrain", "-q", "f.h5", "--epochs", 1, "--replicas", 2, "--no-controls", *options.split(), "-o", "small.h5", "--force")
    run("qconvert", "small.h5", "--all-replicas", "--force", "-o", "small.npz")
    with np.load("small.npz") as small:
        large = {part: 6 * small[part] if small[part].dtype == np.float32 else small[part] for part in small}
    large["vqc.weight"] = np.random.default_rng(1).uniform(-2, 2, large["vqc.weight"].shape)
    np.savez("large.npz", **large)
    run("qconvert", "large.npz", "--features", "f.h5", "-o", f"{name}.h5")


def load(name):
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compare(name, replica):
    """The largest difference of probabilities between the program and qeval."""
    import torch
    program = load(name)
    run("qeval", "-q", f"{name}.h5", "t.h5", "--noise", "none", "--force", "-o", "r.h5")
    features, labels = program.read("t.h5")
    with torch.no_grad():
        found = torch.softmax(program.load()(features), 1).numpy()
    with h5py.File("r.h5") as report:
        wanted = report["probabilities"][replica]
        assert (report["labels"][:] == labels.numpy()).all() and program.CLASSES == [str(digit) for digit in range(10)]
    assert wanted.std(axis=0).max() > 0.003, f"{name}: every sample has the same probabilities: nothing is compared"
    return np.abs(found - wanted).max()


def back():
    """A head that PyTorch has trained on, in qeval."""
    import torch
    program = load("default")
    model = program.load()
    features, labels = program.read("t.h5")
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(model(features), labels.long())
        adam.zero_grad()
        loss.backward()
        adam.step()
    torch.save(model.state_dict(), "trained.pth")
    run("qconvert", "trained.pth", "--features", "f.h5", "-o", "trained.h5")
    run("qeval", "-q", "trained.h5", "t.h5", "--force", "-o", "r.h5")
    with h5py.File("r.h5") as report, torch.no_grad():
        worst = np.abs(torch.softmax(model(features), 1).numpy() - report["probabilities"][0]).max()
    assert worst < 2e-5, f"trained in PyTorch: probabilities differ by {worst}"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pathlib.Path("gates.qasm").write_text(GATES)
    run("extract-features", "-q", digits / "train-images-idx3-ubyte", "--resize", "28", "--limit", "100", "-o", "f.h5")
    run("extract-features", "-q", digits / "test-images-idx3-ubyte", "--resize", "28", "--limit", "40", "-o", "t.h5")
    for name, options in HEADS.items():
        make(name, options)
        run("qconvert", f"{name}.h5", "--replica", 1, "-o", f"{name}.py")
        compile(pathlib.Path(f"{name}.py").read_text(), f"{name}.py", "exec")
        if not missing:
            worst = compare(name, 1)
            print(f"{name}: within {worst:.1e}")
            assert worst < 1e-4, f"{name}: probabilities differ by {worst}"
    if missing:
        print(f"{len(HEADS)} programs compiled; not run: no {' and no '.join(missing)} here")
        sys.exit(77)
    back()
    said = run(sys.executable, "default.py", "t.h5")
    with h5py.File("default.h5"):
        accuracy = run("qeval", "default.h5", "t.h5", "--replica", 1, "--force", "-o", "r.h5").split("accuracy ")[1][:6]
    assert said == f"accuracy {accuracy} on 40 samples\n", (said, accuracy)
