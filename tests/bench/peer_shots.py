#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One epoch of the default head's circuit trained on shots: 6,000 samples, 4 qubits, 3 layers, parameter-shift for the 4 inputs and 12
weights, 33 evaluations a sample. PennyLane's devices with shots, sample by sample (its shift rules refuse gradients by broadcast
inputs); without the linear layers around the circuit, which cost little. Measured over some samples and multiplied ("scaled")."""
import sys
import time

try:
    import numpy as np
    import pennylane as qml
except ImportError as error:
    print(f"the package pennylane is not here: {error}")
    sys.exit(77)

SAMPLES, QUBITS, LAYERS = 6000, 4, 3
FEW = 4 if "--quick" in sys.argv else 12


def tape(x, w, shots):
    ops = [qml.RY(x[q], wires=q) for q in range(QUBITS)]
    for layer in range(LAYERS):
        ops += [qml.RY(w[layer * QUBITS + q], wires=q) for q in range(QUBITS)]
        ops += [qml.CNOT(wires=[q, (q + 1) % QUBITS]) for q in range(QUBITS)]
    return qml.tape.QuantumScript(ops, [qml.expval(qml.PauliZ(q)) for q in range(QUBITS)], shots=shots)


def seconds_a_sample(name, shots):
    device, rng, best = qml.device(name, wires=QUBITS), np.random.default_rng(0), None
    for _ in range(FEW):
        t = tape(rng.uniform(-1, 1, QUBITS), rng.normal(size=QUBITS * LAYERS), shots)
        start = time.perf_counter()
        shifted, _ = qml.gradients.param_shift(t, argnum=range(QUBITS * (LAYERS + 1)))
        qml.execute([t, *shifted], device, None)
        each = time.perf_counter() - start
        best = each if best is None else min(best, each)
    return best


for shots in (100, 1000):
    for name, label in (("lightning.qubit", "lightning"), ("default.qubit", "default-qubit")):
        try:
            print(f"bench shots{shots}-epoch/{label} {SAMPLES * seconds_a_sample(name, shots):.6g} s scaled", flush=True)
        except (qml.exceptions.DeviceError, ImportError) as error:
            print(f"{name}: {error}")
