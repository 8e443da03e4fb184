#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Policies of a transmon of three levels in NumPy: the network's pulse for a task's numbers, by what its file says, and that
pulse's loss, by a Lindblad equation written out here, are those that qcontrol regret says of the policy before any step; and so is
the loss of the best fixed pulse."""
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

QCONTROL = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "bin", "qcontrol"))
MODEL = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "examples", "control", "transmon.yaml"))
MHZ = 2 * np.pi * 1e-3  # rad/ns
DEFAULTS = {"gamma_phi": 1 / 30e3, "gamma_down": 1 / 20e3, "gamma_up": 0, "detuning": 0, "anharmonicity": -300 * MHZ}


def exponential(matrix):
    term = total = np.eye(len(matrix), dtype=complex)
    scaled = matrix / 2**10
    for k in range(1, 16):
        term = term @ scaled / k
        total = total + term
    for _ in range(10):
        total = total @ total
    return total


def loss(pulse, duration, task):
    """1 - F_avg of the gate X of the lowest two levels; pulse: a row a segment, x and y."""
    p = {**DEFAULTS, **task}
    a, one = np.diag(np.sqrt([1.0, 2.0]), 1), np.eye(3)
    n = a.T @ a
    still = p["detuning"] * n + p["anharmonicity"] / 2 * n @ (n - one)
    jumps = [np.sqrt(2 * p["gamma_phi"]) * n, np.sqrt(p["gamma_down"]) * a, np.sqrt(p["gamma_up"]) * a.T]
    total = np.eye(9)
    for x, y in pulse * p.get("amplitude", 1):
        h = still + x * (a + a.T) / 2 + y * 1j * (a.T - a) / 2
        step = -1j * (np.kron(h, one) - np.kron(one, h.T))
        for jump in jumps:
            square = jump.conj().T @ jump
            step = step + np.kron(jump, jump.conj()) - (np.kron(square, one) + np.kron(one, square.T)) / 2
        total = exponential(step * duration / len(pulse)) @ total
    gate, entanglement, kept = np.array([[0, 1], [1, 0]]), 0, 0
    for j in range(2):
        for k in range(2):
            state = np.zeros((3, 3))
            state[j, k] = 1
            after = (total @ state.ravel()).reshape(3, 3)[:2, :2]
            entanglement += np.trace((gate @ state[:2, :2] @ gate.T).T @ after).real / 4
            kept += np.trace(after).real / 2 if j == k else 0
    return 1 - (2 * entanglement + kept) / 3


def pulse_of(policy, places):
    at = places
    layers = int(policy.attrs["n_hidden_layers"]) + 2
    for layer in range(layers):
        at = policy[f"params/network.{2 * layer}.weight"][0].astype(float) @ at + policy[f"params/network.{2 * layer}.bias"][0]
        at = np.tanh(at) if layer < layers - 1 else at * policy.attrs["output_scale"]
    low, high = policy["limits"][:].T
    return low + (np.clip(at, -1, 1).reshape(-1, len(low)) + 1) / 2 * (high - low)


def check(*of):
    common = ["--hidden-dim", "16", "--n-segments", "12", "--inner-lr", "0.3", "-q", "--progress", "none"]
    subprocess.run([QCONTROL, "train", *of, *common, "-i", "40", "-o", "policy.h5"], check=True, capture_output=True)
    subprocess.run([QCONTROL, "regret", "policy.h5", "-t", "5", "-s", "1", "--scales", "0", "-q", "--progress", "none", "-o",
                    "regret.h5"], check=True, capture_output=True)
    with h5py.File("policy.h5") as policy, h5py.File("regret.h5") as regret:
        names = policy["ranges"].attrs["names"].decode().split(", ")
        assert regret["tasks"].attrs["columns"].decode().split(", ") == names
        low, high = policy["ranges"][:].T
        for task, by_step, fixed in zip(regret["tasks"][:], regret["losses/policy"][:], regret["losses/fixed_pulse"][:]):
            assert (low <= task).all() and (task <= high).all(), task
            values, duration = dict(zip(names, task)), policy.attrs["gate_time"]
            pulse = pulse_of(policy, 2 * (task - low) / (high - low) - 1)
            for what, found, expected in [("policy", by_step[0], loss(pulse, duration, values)),
                                          ("fixed pulse", fixed, loss(regret["fixed_pulse"][:], duration, values))]:
                assert abs(found - expected) < 1e-9, f"{what} of {values}: found {found}, expected {expected}"
        print(*names, "-", "loss", by_step[0], "fixed", fixed)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check("--system", "transmon", "--range", "detuning=-20:20 MHz")
    check("--system", "transmon", "--range", "gamma_down=0:1e-3 amplitude=0.9:1.1", "--duration", "10 ns", "--limit", "60 MHz")
    with open(MODEL) as given, open("one-sided.yaml", "w") as to:  # no thermal rate: that of the default
        text = given.read().replace(", frequency: 5 GHz, temperature: 20 mK", "")
        to.write(text.replace("limit: 100 MHz}", "limit: [-10 MHz, 90 MHz]}", 1))
    check("--model", "one-sided.yaml", "--range", "anharmonicity=-310:-290 MHz", "--range", "detuning=-0.05:0.05")
