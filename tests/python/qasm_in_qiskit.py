#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OpenQASM 3 of `circuit qasm`, read by Qiskit: same outputs as PennyLane's and Qiskit's own circuits of
tests/golden/ansaetze.h5. Status 77: a package is absent."""
import subprocess
import sys
try:
    import h5py
    import numpy as np
    from qiskit import qasm3
    from qiskit.quantum_info import SparsePauliOp, Statevector
    import qiskit_qasm3_import  # noqa: F401
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

failures = compared = 0


def observables(text, n, n_out):
    each = ["I" * q + "Z" + "I" * (n - 1 - q) for q in range(n)]
    if text == "z":
        return each[n - n_out:]
    if text in ("x", "y"):
        return [s.replace("Z", text.upper()) for s in each]
    if text == "zz":
        return ["".join("Z" if k in (i, j) else "I" for k in range(n)) for i in range(n) for j in range(i + 1, n)]
    return text.split(",")


with h5py.File("tests/golden/ansaetze.h5") as f:
    for name, group in f.items():
        a = {k: v.decode() if isinstance(v, bytes) else v for k, v in group.attrs.items()}
        command = ["circuit", "qasm", "--qubits", str(a["n_qubits"]), "--layers", str(a["n_layers"]),
                   "--embedding", a["embedding"], "--ansatz", a["ansatz"]]
        if a["entanglement"]:
            command += ["--entanglement", a["entanglement"]]
        if a["reupload"]:
            command += ["--reupload"]
        if "mirror" in a:
            command += ["--mirror", str(a["mirror"])]
        circuit = qasm3.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        values = {f"w_{i}": v for i, v in enumerate(group["w"][:])} | {f"x_{i}": v for i, v in enumerate(group["x"][0])}
        bound = circuit.assign_parameters({p: values[p.name] for p in circuit.parameters})
        state = Statevector(bound)
        n = int(a["n_qubits"])
        found = [state.expectation_value(SparsePauliOp(s[::-1])).real for s in
                 observables(a["observables"], n, group["out"].shape[1])]
        worst = np.abs(np.array(found) - group["out"][0]).max()
        compared += 1
        if not worst < 1e-10:
            print(f"{name}: outputs differ by {worst:.3g}")
            failures += 1
print(f"{compared} circuits compared")
sys.exit(failures > 0 or compared < 10)
