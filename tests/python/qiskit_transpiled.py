#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What docs/circuits.md says to do with a circuit of Qiskit gives texts that are read, and are the same circuit: each of its lines is
run here, `circuit qasm` reads and writes the text, and Qiskit compares the outputs. Status 77: a package is absent."""
import subprocess
import sys
try:
    import numpy as np
    from qiskit import QuantumCircuit, qasm3, transpile
    from qiskit.circuit import ParameterVector
    from qiskit.quantum_info import Pauli, Statevector
    import qiskit_qasm3_import  # noqa: F401
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

rng = np.random.default_rng(3)
page = open("docs/circuits.md", encoding="utf-8").read()
part = page[page.index("\nFrom Qiskit, with"):]
lines = [line.strip() for line in part.splitlines() if line.startswith("    text = ")]
failures = compared = 0


def random_circuit(n, gates, x, w):
    c = QuantumCircuit(n)
    angles = [list(x), list(w)]
    names = ["h", "rx", "ry", "rz", "p", "cx", "swap", "swap", "cy", "ch", "rzz", "cp", "crx", "ccx", "u", "sxdg", "iswap"]
    for k in range(gates):
        name, q = names[rng.integers(len(names))], [int(i) for i in rng.permutation(n)[:3]]
        count = {"u": 3}.get(name, int(name in ("rx", "ry", "rz", "p", "rzz", "cp", "crx")))
        given = [angles[rng.integers(2)][rng.integers(len(x))] * float(rng.uniform(-2, 2)) for _ in range(count)]
        wires = q if name == "ccx" else q[:2] if name in ("cx", "swap", "cy", "ch", "rzz", "cp", "crx", "iswap") else q[:1]
        getattr(c, name)(*given, *wires)
        if k < len(x):  # each is used, so that it is declared
            c.ry(x[k], q[0])
            c.rx(w[k], q[1])
    return c


def outputs(c, values):
    state = Statevector(c.assign_parameters({p: values[p.name] for p in c.parameters}))
    n = c.num_qubits
    return [state.expectation_value(Pauli("I" * (n - 1 - q) + letter + "I" * q)).real for q in range(n) for letter in "XYZ"]


for _ in range(12):
    x, w = ParameterVector("x", 11), ParameterVector("w", 11)
    plain = random_circuit(4, 30, x, w)
    values = rng.uniform(-2, 2, (2, 11))
    expected = outputs(plain, {p.name: values[k][i] for k, v in enumerate((x, w)) for i, p in enumerate(v)})
    c = plain.copy()
    c.measure_all()
    for line in lines:
        here = {"c": c, "qasm3": qasm3, "transpile": transpile}
        exec(line, here)
        done = subprocess.run(["circuit", "qasm", "-q", "--circuit-file", "/dev/stdin"], input=here["text"], capture_output=True, text=True)
        if done.returncode:
            print(done.stderr, end="")
            failures += 1
            continue
        found = outputs(qasm3.loads(done.stdout), {f"{name}_{i}": values[k][i] for k, name in enumerate("xw") for i in range(11)})
        worst = np.abs(np.array(found) - expected).max()
        compared += 1
        if not worst < 1e-9:
            print(f"outputs differ by {worst:.3g}")
            failures += 1
print(f"{compared} circuits compared, by: {'; '.join(lines)}")
sys.exit(failures > 0 or compared < 24)
