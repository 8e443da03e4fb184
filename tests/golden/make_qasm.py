#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/qasm.json: circuits as Qiskit exports them in OpenQASM 3 (and 2), with expectation values of its Statevector
at values of their parameters. A line is printed where Qiskit itself cannot read what it wrote. Values are in the
order of the declarations: inputs are the names that begin with x or input behind any _, the others are weights (docs/circuits.md).
Needs qiskit, qiskit-qasm3-import."""
import json
import pathlib
import re
import warnings

import numpy as np
import qiskit.circuit.library as L
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, qasm2, qasm3, transpile
from qiskit.circuit import Parameter, ParameterVector
from qiskit.quantum_info import SparsePauliOp, Statevector, random_unitary

warnings.simplefilter("ignore", DeprecationWarning)
x, w = ParameterVector("x", 4), ParameterVector("θ", 8)


def of(n, *steps, **keywords):
    """A circuit of n qubits after calls of its methods, each (name, arguments...)."""
    c = QuantumCircuit(n, **keywords)
    for name, *arguments in steps:
        getattr(c, name)(*arguments)
    return c


def wrapped(n, *parts):
    c = QuantumCircuit(n)
    for part, qubits in parts:
        c.append(part.to_gate(), qubits)
    return c


def registers():
    a, b = QuantumRegister(2, "a"), QuantumRegister(1, "anc-1")
    c = QuantumCircuit(a, b, ClassicalRegister(3, "out"))
    c.reset(a), c.h(a), c.rx(x[0], b), c.cx(a[0], b), c.barrier(), c.ry(w[0], a[1]), c.cz(a[1], b[0]), c.barrier(a)
    c.measure(a, [0, 1]), c.measure(b, 2)
    return c


encode = L.zz_feature_map(2, reps=1)
single = {name: Parameter(name) for name in ["x0", "x1", "x2", "x10", "w0", "w1", "w2", "w10"]}
cost = SparsePauliOp(["ZZII", "IZZI", "IIZZ", "ZIIZ", "IXII"], [1, -0.5, 0.25, 1, 0.3])
circuits = {
    "z_feature_map": L.z_feature_map(3, reps=2),
    "zz_feature_map": L.zz_feature_map(3, reps=2),
    "ZZFeatureMap": L.ZZFeatureMap(3, reps=1, entanglement="circular"),
    "pauli_feature_map Z YY": L.pauli_feature_map(3, reps=1, paulis=["Z", "YY"]),
    "pauli_feature_map X ZY alpha": L.pauli_feature_map(2, reps=2, paulis=["X", "ZY"], alpha=1.3),
    "real_amplitudes": L.real_amplitudes(4, reps=2),
    "RealAmplitudes linear": L.RealAmplitudes(3, reps=2, entanglement="linear"),
    "real_amplitudes of another prefix": L.real_amplitudes(3, reps=1, parameter_prefix="φ"),
    "efficient_su2": L.efficient_su2(3, reps=2),
    "EfficientSU2 circular": L.EfficientSU2(3, reps=1, entanglement="circular", insert_barriers=True).decompose(),
    "TwoLocal full": L.TwoLocal(3, ["ry", "rz"], "cz", "full", reps=2),
    "TwoLocal controlled turns": L.TwoLocal(3, ["rx", "ry"], "crx", "linear", reps=1),
    "n_local rzz": L.n_local(3, "h", "rzz", "linear", reps=2),
    "excitation_preserving": L.excitation_preserving(3, mode="iswap", reps=1),
    "excitation_preserving fsim": L.excitation_preserving(3, mode="fsim", reps=1),
    "qaoa_ansatz": L.qaoa_ansatz(cost, reps=2),
    "QAOAAnsatz taken apart": L.QAOAAnsatz(cost, reps=1).decompose(),
    "evolved_operator_ansatz": L.evolved_operator_ansatz([SparsePauliOp(["XX", "ZI"]), SparsePauliOp(["YY"])], reps=2),
    "VQC: maps and ansatz as gates, measured": wrapped(3, (L.zz_feature_map(3, reps=1), [0, 1, 2]), (L.real_amplitudes(3, reps=1), [2, 0, 1])),
    "data in, twice": encode.compose(L.real_amplitudes(2, reps=1)).compose(encode),
    "QFT of gates": of(3, ("ry", x[0], 0), ("rx", w[0], 1), ("h", 2)).compose(L.QFT(3)),
    "transpiled to ibm's": transpile(L.zz_feature_map(3, reps=1).compose(L.real_amplitudes(3, reps=1)), basis_gates=["sx", "rz", "cx", "x"], optimization_level=1),
    "transpiled to ecr": transpile(L.efficient_su2(3, reps=1), basis_gates=["ecr", "rz", "sx", "x"], optimization_level=1),
    "gates of stdgates.inc": of(3, ("rx", x[0], 0), ("ry", w[0], 1), ("h", 2), ("cy", 0, 1), ("ch", 1, 2), ("cu", w[1], x[1], 0.3, 0.7, 0, 2), ("ccx", 0, 1, 2),
                               ("cswap", 2, 0, 1), ("u", x[0] + w[2], 0.2, w[3] - 1, 1), ("p", x[2], 0), ("cp", w[4], 0, 2), ("sx", 1), ("tdg", 0), ("ccx", 2, 0, 1)),
    "gates with definitions": of(3, ("ry", x[0], 0), ("ry", w[0], 1), ("ry", w[1], 2), ("iswap", 0, 1), ("dcx", 1, 2), ("ecr", 0, 2), ("rzx", w[2], 0, 1), ("rxx", x[1], 1, 2),
                                 ("ryy", w[3], 0, 2), ("csx", 0, 1), ("cs", 1, 2), ("csdg", 0, 2), ("ccz", 0, 1, 2), ("r", 0.4, 0.9, 1), ("sxdg", 2), ("rv", 0.1, 0.2, 0.3, 0), ("rccx", 0, 1, 2)),
    "gates under controls": of(4, ("ry", x[0], 0), ("ry", w[0], 1), ("h", 2), ("h", 3), ("mcx", [0, 1, 2], 3), ("mcp", 0.7, [0, 1], 2), ("append", L.XGate().control(2, ctrl_state=1), [0, 1, 2]),
                               ("append", L.RYGate(0.9).control(2), [0, 2, 3]), ("append", L.HGate().control(1, ctrl_state=0), [3, 1])),
    "unitaries": of(2, ("ry", x[0], 0), ("ry", w[0], 1), ("unitary", random_unitary(4, seed=7), [0, 1]), ("unitary", random_unitary(2, seed=8), [1])),
    "arithmetic": of(2, ("h", 0), ("h", 1), ("rx", x[0] / 2, 0), ("ry", x[0] ** 2, 1), ("rz", -x[1] * w[0] / 3, 0), ("rx", (x[0] + 1) ** 2 * w[1], 1), ("cx", 0, 1), ("ry", (x[0] - w[2]) / 4 + 0.5, 0),
                     ("rzz", 2 * (np.pi - x[0]) * (np.pi - x[1]), 0, 1), ("rx", 2.5e-3 * w[3] * x[0] * x[1] - 1e-9, 0), ("crz", x[1] ** 2 * w[0] - x[0], 0, 1), ("ry", (x[0] - x[1]) ** 2, 1)),
    "single parameters": of(2, *[("ry" if n[0] == "w" else "rx", p, i % 2) for i, (n, p) in enumerate(single.items())], ("cx", 0, 1), ("rzz", single["x10"] * single["w10"], 0, 1)),
    "registers, reset, measured": registers(),
    "a global phase": of(2, ("h", 0), ("ry", x[0], 1), ("cx", 0, 1), ("rz", w[0], 1), global_phase=0.4),
    "nested gates": wrapped(3, (wrapped(2, (L.real_amplitudes(2, reps=1), [1, 0]), (L.QFT(2), [0, 1])), [2, 0]), (L.z_feature_map(3, reps=1), [0, 1, 2])),
    "measure_all": of(3, ("h", 0), ("rx", x[0], 1), ("ry", w[0], 2), ("cx", 0, 2), ("measure_all",)),
}
of_version_2 = {
    "version 2: QFT": of(3, ("ry", 0.3, 0), ("rx", 1.1, 1)).compose(L.QFT(3)).decompose(),
    "version 2: gates": of(3, ("u", 0.1, 0.2, 0.3, 0), ("ry", 0.7, 1), ("h", 2), ("rxx", 0.4, 0, 1), ("rzz", 0.5, 1, 2), ("cswap", 0, 1, 2), ("csx", 0, 1), ("sxdg", 2), ("cu", 0.1, 0.2, 0.3, 0.4, 1, 2),
                           ("iswap", 0, 2), ("ch", 1, 0), ("measure_all",)),
    "version 2: gates of qelib1.inc": of(5, *[("ry", 0.3 + 0.4 * q, q) for q in range(5)], ("rccx", 0, 1, 2), ("append", L.C3SXGate(), [3, 1, 0, 2]), ("rcccx", 0, 2, 1, 4), ("mcx", [0, 4, 2], 1),
                                         ("mcx", [1, 2, 3, 4], 0), ("append", L.RC3XGate(), [1, 2, 3, 0]), ("pauli", "XYZ", [0, 2, 4]), ("append", L.CU3Gate(0.1, 0.2, 0.3), [4, 1])),
}
# Texts that Qiskit reads and does not write.
head = 'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float[64] x0;\ninput float[64] w0;\nqubit[6] q;\n' + "".join(f"ry({0.2 + 0.3 * k}) q[{k}];\n" for k in range(6)) + "rx(x0) q[0];\n"
texts = {
    "modifiers": head + "ctrl @ rz(w0) q[0], q[1];\nnegctrl @ ry(x0) q[1], q[2];\nctrl(2) @ rx(w0) q[0], q[1], q[2];\nctrl(2) @ rz(0.7) q[3], q[1], q[0];\n"
                        "ctrl(2) @ swap q[0], q[1], q[3], q[4];\nctrl(3) @ x q[4], q[3], q[2], q[1];\nctrl(2) @ U(0.1, w0, 0.3) q[1], q[2], q[0];\nctrl(3) @ p(0.9) q[0], q[1], q[2], q[3];\n"
                        "ctrl @ negctrl @ cry(-0.4) q[5], q[4], q[3], q[2];\ninv @ ctrl(2) @ s q[0], q[1], q[2];\nctrl(4) @ y q[1], q[2], q[3], q[4], q[0];\npow(3) @ ctrl @ sx q[2], q[5];\nctrl(5) @ z q[0], q[1], q[2], q[3], q[4], q[5];\nh q[5];\n",
    "version 2: gates by name": 'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[5];\n' + "".join(f"ry({0.2 + 0.3 * k}) q[{k}];\n" for k in range(5)) +
                                "c3x q[0],q[3],q[1],q[2];\nc4x q[1],q[2],q[3],q[4],q[0];\nc3sqrtx q[4],q[0],q[1],q[3];\nrc3x q[0],q[1],q[2],q[4];\nu2(0.1,0.2) q[3];\nu1(0.4) q[3];\nrzz(0.3) q[3],q[0];\nu3(0.3,0.2,0.1) q[3];\nu0(1) q[3];\n",
}


def load(name):
    if not name.startswith("version 2"):
        return qasm3.loads(texts[name])
    return qasm2.loads(texts[name], custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)




def pauli(letters, n):
    return SparsePauliOp("".join(letters)[::-1])


def values_of(circuit, text):
    names = re.findall(r"^input float\[64\] (\S+);", text, re.M)
    inputs = [n for n in names if re.match(r"_*(x|input)", n)]
    order = inputs + [n for n in names if n not in inputs]
    rng = np.random.default_rng(20261121)
    value = {n: float(np.round(rng.uniform(-1, 1) if n in inputs else rng.uniform(-3, 3), 6)) for n in order}
    by_name = {re.sub(r"\W", "_", p.name if "[" not in p.name else "_" + p.name): p for p in circuit.parameters}
    return inputs, [n for n in names if n not in inputs], value, by_name


def state_of(circuit):
    plain = circuit.remove_final_measurements(inplace=False)
    if "reset" in plain.count_ops():  # of qubits that nothing has turned
        plain.data = [i for i in plain.data if i.operation.name != "reset"]
    return Statevector(plain)


out = []
for name, circuit in {**circuits, **of_version_2, **{name: load(name) for name in texts}}.items():
    text = texts.get(name) or (qasm2.dumps(circuit) if name in of_version_2 else qasm3.dumps(circuit))
    inputs, weights, value, by_name = values_of(circuit, text)
    bound = circuit.assign_parameters({by_name[n]: v for n, v in value.items()}) if value else circuit
    n = circuit.num_qubits
    strings = ["".join("Z" if k == q else "I" for k in range(n)) for q in range(n)] + ["XY" + "Z" * (n - 2), "Y" + "I" * (n - 2) + "X"]
    state = state_of(bound)
    expected = [float(state.expectation_value(pauli(s, n)).real) for s in strings]
    try:
        again = circuit if name in texts else qasm2.loads(text) if name in of_version_2 else qasm3.loads(text)
    except (qasm3.QASM3ImporterError, qasm2.QASM2ParseError) as error:
        print(f"{name}: Qiskit cannot read what it wrote: {error}")
    else:
        found = state_of(again.assign_parameters({p: value[p.name] for p in again.parameters}))
        if any(abs(found.expectation_value(pauli(s, n)).real - e) > 1e-10 for s, e in zip(strings, expected)):
            print(f"{name}: Qiskit reads another circuit than it wrote")
    out.append({"name": name, "text": text, "x": [value[n] for n in inputs], "w": [value[n] for n in weights], "observables": ",".join(strings), "expected": expected})
path = pathlib.Path(__file__).parent / "qasm.json"
path.write_text(json.dumps(out, indent=1, ensure_ascii=True) + "\n")
print(len(out), "circuits")
