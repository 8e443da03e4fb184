# SPDX-License-Identifier: MIT
"""What the peers' programs share: torchquantum's import, timing, and the lines for the table."""
import sys
import time
import unittest.mock

import torch

QUICK = "--quick" in sys.argv
THREADS = torch.get_num_threads()


def import_torchquantum():
    """Its releases import parts of qiskit that later qiskits have dropped and that the circuit does not use: then placeholders."""
    try:
        import torchquantum
    except ImportError:
        for name in [m for m in sys.modules if m.split(".")[0] == "torchquantum"]:
            del sys.modules[name]
        aer = "qiskit.providers.aer"
        for name in ("qiskit_ibm_runtime", aer, f"{aer}.noise", f"{aer}.noise.device", f"{aer}.noise.device.parameters"):
            sys.modules[name] = unittest.mock.MagicMock(__spec__=None)
        import torchquantum
    return torchquantum


def seconds(step, budget, warm=True):
    if warm:
        step()
    best, begun = None, time.perf_counter()
    while best is None or time.perf_counter() - begun < budget:
        start = time.perf_counter()
        step()
        each = time.perf_counter() - start
        best = each if best is None else min(best, each)
    return best


def measure(work, name, make, budget, warm=True):
    for threads in sorted({1, THREADS}):
        torch.set_num_threads(threads)
        try:
            best = seconds(make(), budget, warm)
        except Exception as error:  # a package that is absent or does not fit the others is named, not fatal
            print(f"{name} does not run here: {type(error).__name__}: {error}")
            return
        print(f"{name}, {work}, {threads} threads: {1e3 * best:.4g} ms")
        print(f"bench {work}/{name} {best:.6g} s")
