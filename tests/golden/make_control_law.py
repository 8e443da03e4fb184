#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/control_law.h5: what pulses lose in the mean over laws of what is not known exactly, and the fidelities of
systems of more levels, by QuTiP's Liouvillians, exponentials that are checked with SciPy's, and dense trapezoidal or Gauss-Legendre quadrature. A group a
problem: attributes are options of qcontrol (`model`: a model's text), `controls` [segments][controls] a pulse, `file` the bytes of a gate's matrix as NumPy and h5py write them. Needs qutip, h5py,
scipy."""
import io
import sys
import h5py
import numpy as np
import qutip as qt
from scipy.linalg import expm
from scipy.optimize import minimize

def exponentials(batch):
    """Of matrices [...][n][n], by a Taylor series of what is halved until it is small, then squared: SciPy's takes one after the other."""
    times = max(0, int(np.ceil(np.log2(np.abs(batch).sum(-1).max() / 0.4))))
    small, term = batch / 2**times, np.eye(batch.shape[-1])
    total = np.zeros_like(small) + term
    for k in range(1, 17):
        term = term @ small / k
        total = total + term
    for _ in range(times):
        total = total @ total
    return total


rng = np.random.default_rng(20261203)
X, Y, Z, ONE = qt.sigmax(), qt.sigmay(), qt.sigmaz(), qt.qeye(2)
DOWN, UP = qt.basis(2, 0) * qt.basis(2, 1).dag(), qt.basis(2, 1) * qt.basis(2, 0).dag()


class System:
    """Hamiltonian terms, jumps and controls by name, as L(parameters, controls) = sum of theirs; computing: the states that do."""

    def __init__(self, terms, jumps, controls, computing):
        lindblad = {name: qt.lindblad_dissipator(op, op) for name, op in jumps.items()}
        self.params = {k: v.full() for k, v in ({k: qt.liouvillian(h) for k, h in terms.items()} | lindblad).items()}
        self.controls = [qt.liouvillian(h).full() for h in controls]
        self.d, self.computing = next(iter((terms | jumps).values())).shape[0], computing

    def propagators(self, u, duration, values, amplitude):
        """values: of each parameter a number or an array; amplitude likewise; propagators of all points [points][d^2][d^2]."""
        points = np.broadcast(*values.values(), amplitude)
        still = sum(np.broadcast_to(v, points.shape).reshape(-1, 1, 1) * self.params[k] for k, v in values.items())
        strength = np.broadcast_to(amplitude, points.shape).reshape(-1, 1, 1)
        total = np.eye(self.d**2)
        for row in u:
            driven = sum(c * op for c, op in zip(row, self.controls))
            total = exponentials((still + strength * driven) * (duration / len(u))) @ total
        return total

    def fidelities(self, maps, gate):
        """F_e, F_avg and L1 of maps [points][d^2][d^2] of stacked columns, restricted to what computes."""
        n, d = len(self.computing), self.d
        at = np.array([[j + d * k for j in self.computing] for k in self.computing])  # |j><k| stands at j + d k
        inside = maps[:, at.ravel()][:, :, at.ravel()]
        wanted = np.kron(gate.conj(), gate)
        entanglement = np.einsum("ij,pij->p", wanted.conj(), inside).real / n**2
        kept = maps[:, np.diag(at)][:, :, np.diag(at)].real.sum((1, 2)) / n
        return entanglement, (n * entanglement + kept) / (n + 1), 1 - kept


def normal(size, points=601, reach=9):
    x = np.linspace(-reach, reach, points)
    w = np.exp(-x * x / 2)
    return x * size, w / w.sum()


def uniform(size, points=80):
    x, w = np.polynomial.legendre.leggauss(points)
    return x * size, w / 2


def put(to, name, u, expected, **options):
    group = to.create_group(name)
    group["controls"] = u
    for key, value in options.items():
        (group if key == "file" else group.attrs)[key] = value
    for key, value in expected.items():
        group.attrs["expected_" + key] = value
    print(name, expected)


def losses(system, gate, u, duration, values, amplitude=1.0):
    return 1 - system.fidelities(system.propagators(u, duration, values, amplitude), gate)[1]


def qubit():
    return System({"detuning": Z}, {"gamma_phi": Z / np.sqrt(2), "gamma_down": DOWN, "gamma_up": UP}, [X, Y], [0, 1])


def values_of(phi, down, up, detuning):
    return {"gamma_phi": phi, "gamma_down": down, "gamma_up": up, "detuning": detuning}


def fitted(file):
    """A pulse that fits five nodes of a wide law: what they say of it is no mean."""
    system, gate, limit, size = qubit(), X.full(), 10.0, 3.0
    nodes, weights = np.polynomial.hermite_e.hermegauss(5)
    weights /= weights.sum()
    few = lambda u, at, w: float(losses(system, gate, u, 1.0, values_of(1e-3, 1e-3, 0, at)) @ w)
    best = None
    for _ in range(4):
        found = minimize(lambda v: few(v.reshape(-1, 2), nodes * size, weights), rng.normal(0, limit / 4, 40), method="L-BFGS-B",
                         bounds=[(-limit, limit)] * 40, options={"maxiter": 60, "maxfun": 10**5})
        best = found if best is None or found.fun < best.fun else best
    u = best.x.reshape(-1, 2)
    put(file, "fitted", u, {"loss": few(u, *normal(size)), "nominal": few(u, np.zeros(1), np.ones(1))},
        system="qubit", gate="x", set="gamma_phi=0.001 gamma_down=0.001", spread="detuning=3", limit="10", members=5)


def one_qubit(file):
    system = qubit()
    u = rng.uniform(-6, 6, (16, 2))
    amplitude, w_amplitude = normal(0.05, 161)
    detuning, w_detuning = normal(0.7, 161)
    all_of = losses(system, qt.gates.hadamard_transform().full(), u, 1.0,
                    values_of(0.085, 0.045, 0, detuning[:, None]), 1 + amplitude[None, :]).reshape(161, 161)
    put(file, "normal", u, {"loss": w_detuning @ all_of @ w_amplitude}, system="qubit", gate="h",
        spread="detuning=0.7 amplitude=0.05", limit="6")
    detuning, w_detuning = uniform(1.0)
    amplitude, w_amplitude = uniform(0.1)
    all_of = losses(system, X.full(), u, 1.0, values_of(0.085, 0.045, 0, detuning[:, None]), 1 + amplitude[None, :]).reshape(80, 80)
    put(file, "uniform", u, {"loss": w_detuning @ all_of @ w_amplitude}, system="qubit", gate="x", law="uniform",
        spread="detuning=1 amplitude=0.1", limit="6")
    at = np.linspace(-1, 1, 20001)
    all_of = losses(system, X.full(), u, 1.0, values_of(0.085, 0.045, 0, at))
    put(file, "worst", u, {"loss": all_of.max()}, system="qubit", gate="x", law="uniform", ensemble="worst", spread="detuning=1",
        limit="6", bound=0.04)
    put(file, "tail", u, {"loss": np.sort(all_of)[-2000:].mean()}, system="qubit", gate="x", law="uniform", ensemble="cvar",
        tail=0.1, spread="detuning=1", limit="6", bound=0.02)


def rates(file):
    """Relaxation that runs up; rates that are not known; what no pulse loses less than."""
    system, u = qubit(), rng.uniform(-3, 3, (10, 2))
    put(file, "up", u, {"loss": losses(system, X.full(), u, 1.0, values_of(0.085, 0, 0.2, 0.0))[0]}, system="qubit", gate="x",
        jump="up", set="gamma_down=0.2")
    down, w = uniform(0.04)
    put(file, "rates", u,
        {"loss": losses(system, X.full(), u, 1.0, values_of(0.085, 0, 0.05 + down, 0.0)) @ w,
         "limit": losses(system, np.eye(2), 0 * u, 1.0, values_of(0.085, 0, 0.05 + down, 0.0)) @ w}, system="qubit", gate="x",
        jump="up", set="gamma_down=0.05", law="uniform", spread="gamma_down=0.04")
    phi, w = normal(0.03, 4001)
    phi = np.maximum(0.085 + phi, 0)  # a rate is none below 0
    put(file, "dephasing", u, {"loss": losses(system, X.full(), u, 1.0, values_of(phi, 0.045, 0, 0.0)) @ w,
                               "limit": losses(system, np.eye(2), 0 * u, 1.0, values_of(phi, 0.045, 0, 0.0)) @ w},
        system="qubit", gate="x", spread="gamma_phi=0.03", bound=1e-5)


def two_qubits(file):
    on = lambda op, q: qt.tensor(op, ONE) if q == 0 else qt.tensor(ONE, op)
    jumps = {}
    for q in (0, 1):
        jumps |= {f"gphi{q + 1}": on(Z, q) / np.sqrt(2), f"gdown{q + 1}": on(DOWN, q)}
    system = System({"J": qt.tensor(Z, Z), "dz1": on(Z, 0)}, jumps, [on(op, q) for q in (0, 1) for op in (X, Y)] + [on(Z, 0), on(Z, 1)],
                    range(4))
    u, duration = rng.uniform(-3, 3, (8, 6)), np.pi / 8
    coupling, w_coupling = normal(0.4, 61, 8)
    offset, w_offset = normal(0.5, 61, 8)
    values = {"gphi1": 0.05, "gdown1": 0.03, "gphi2": 0.05, "gdown2": 0.03, "J": 2 + coupling[:, None], "dz1": offset[None, :]}
    all_of = losses(system, np.diag([1, 1, 1, -1.0]), u, duration, values).reshape(61, 61)
    put(file, "pair", u, {"loss": w_coupling @ all_of @ w_offset}, system="two-qubits", gate="cz", spread="J=0.4 dz1=0.5")


def transmon(file):
    d = 4
    a = qt.destroy(d)
    n = a.dag() * a
    system = System({"detuning": n, "anharmonicity": n * (n - 1) / 2}, {"gamma_phi": np.sqrt(2) * n, "gamma_down": a},
                    [(a + a.dag()) / 2, 1j * (a.dag() - a) / 2], [0, 1])
    u, duration, size = rng.uniform(-0.4, 0.4, (12, 2)), 12.0, 0.02
    values = lambda at: {"detuning": at, "anharmonicity": -2 * np.pi * 0.3, "gamma_phi": 1 / 30000, "gamma_down": 1 / 20000}
    at, w = normal(size)
    entanglement, average, leakage = system.fidelities(system.propagators(u, duration, values(0.0), 1.0), X.full())
    put(file, "transmon", u, {"loss": losses(system, X.full(), u, duration, values(at)) @ w, "nominal": 1 - average[0],
                              "entanglement": entanglement[0], "leakage": leakage[0]},
        system="transmon", levels="4", gate="x", spread=f"detuning={size}")


MODEL = """name: pair
time-unit: ns
levels: [3, 3]
duration: 20 ns
hamiltonian:
  - {name: J, operator: a1 * ad2 + ad1 * a2, value: 5 MHz}
  - {name: A, operator: n1 * (n1 - 1) / 2 + n2 * (n2 - 1) / 2, value: -300 MHz}
decay:
  - {qubit: 2, T1: 2 us}
controls:
  - {name: e, operator: a1, limit: 50 MHz}
  - {name: f, operator: sqrt(0.5) * (a2 + ad2), limit: [0 MHz, 50 MHz]}
  - {name: z, operator: n1, limit: 20 MHz}
targets:
  - {gate: cz}
"""


def composite(file):
    """Two transmons of three levels; a control of no Hermitian operator, e a1 + its adjoint with e = x - i y."""
    a, one = qt.destroy(3), qt.qeye(3)
    a1, a2 = qt.tensor(a, one), qt.tensor(one, a)
    n1, n2 = a1.dag() * a1, a2.dag() * a2
    x, y = a1 + a1.dag(), 1j * (a1.dag() - a1)
    system = System({"J": a1 * a2.dag() + a1.dag() * a2, "A": n1 * (n1 - 1) / 2 + n2 * (n2 - 1) / 2}, {"gdown2": a2},
                    [x, y, np.sqrt(0.5) * (a2 + a2.dag()), n1], [0, 1, 3, 4])
    e = 0.21 * np.exp(2j * np.pi * rng.uniform(size=6))
    assert ((e[0].real - 1j * e[0].imag) * a1 + (e[0].real + 1j * e[0].imag) * a1.dag() - e[0].real * x - e[0].imag * y).norm() < 1e-12
    u = np.column_stack([e.real, e.imag, rng.uniform(0, 0.31, 6), rng.uniform(-0.12, 0.12, 6)])
    values = {"J": 2 * np.pi * 5e-3, "A": -2 * np.pi * 0.3, "gdown2": 1 / 2000}
    entanglement, average, leakage = system.fidelities(system.propagators(u, 20.0, values, 1.0), np.diag([1, 1, 1, -1.0]))
    put(file, "composite", u, {"loss": 1 - average[0], "entanglement": entanglement[0], "leakage": leakage[0]}, model=MODEL)


def skew(file):
    """The slope and the curvature of the loss by a delay of one control: exact where a sample's edge moves, from differences that
    are extrapolated (Richardson) on either side."""
    system, u, n = qubit(), rng.uniform(-3, 3, (10, 2)), 10

    def late(tau, k):
        cuts = np.unique(np.clip(np.concatenate([np.arange(n + 1) / n, np.arange(n + 1) / n + tau]), 0, 1))
        total = np.eye(4)
        for begin, end in zip(cuts[:-1], cuts[1:]):
            at = [int(np.floor(((begin + end) / 2 - (tau if c == k else 0)) * n)) for c in range(2)]
            row = [[u[at[c], c] if 0 <= at[c] < n else 0.0 for c in range(2)]]
            total = system.propagators(row, end - begin, values_of(0.085, 0.045, 0, 0.0), 1.0)[0] @ total
        return 1 - system.fidelities(total[None], X.full())[1][0]

    def side(k, h):
        d = lambda h: (late(h, k) - late(0, k)) / h
        first = lambda h: 2 * d(h / 2) - d(h)
        return (4 * first(h / 2) - first(h)) / 3

    put(file, "skew", u, {"x": (side(0, 1e-3) + side(0, -1e-3)) / 2, "y": (side(1, 1e-3) + side(1, -1e-3)) / 2}, system="qubit",
        gate="x")


sample = rng.normal(size=(3, 9, 9)) + 1j * rng.normal(size=(3, 9, 9))
assert np.allclose(exponentials(sample), expm(sample), rtol=1e-12, atol=1e-11)
def stored(program, u, userblock=0):
    """The bytes of an HDF5 file as a program leaves a matrix: by columns, but for h5py."""
    members = {"h5py": "ri", "julia": "ri", "jld2": ("re", "im"), "matlab": ("real", "imag")}[program]
    at = io.BytesIO()
    with h5py.File(at, "w", userblock_size=userblock) as f:
        f["u"] = np.array([[(v.real, v.imag) for v in row] for row in (u if program == "h5py" else u.T)],
                          np.dtype([(members[0], "f8"), (members[1], "f8")]))
        if program == "matlab":
            f["u"].attrs["MATLAB_class"] = np.bytes_("double")
    words = b"MATLAB 7.3 MAT-file" if program == "matlab" else b"HDF5-based Julia Data Format, version 0.1.1 (Julia 1.11.1)"
    return (words.ljust(userblock, b"\0") + at.getvalue()[userblock:]) if userblock else at.getvalue()


def as_npy(u):
    at = io.BytesIO()
    np.save(at, u)
    return at.getvalue()


def matrices(file):
    """Gates by matrices of other programs: neither symmetric nor real, so that one read by the wrong order is another gate."""
    system, u = qubit(), rng.uniform(-3, 3, (4, 2))
    gate = expm(-1j * (0.3 * X + 0.8 * Y - 0.4 * Z).full())
    real = expm(-1j * 0.6 * Y.full()).real
    turn, single = np.array([[0, -1], [1, 0]]), np.array([[0, -1], [1j, 0]])  # without rounding
    kinds = {"c": as_npy(gate), "fortran": as_npy(np.asfortranarray(gate)), "big": as_npy(gate.astype(">c16")),
             "single": as_npy(np.asfortranarray(single.astype(">c8"))), "real": as_npy(np.asfortranarray(real.astype(">f8"))),
             "whole": as_npy(np.asfortranarray(turn.astype(">i2"))), "h5py": stored("h5py", gate), "jld2": stored("jld2", gate, 512),
             "matlab": stored("matlab", gate, 512)}
    for name, content in kinds.items():
        meant = {"real": real, "whole": turn, "single": single}.get(name, gate)
        loss = losses(system, meant, u, 1.0, values_of(0.085, 0.045, 0, 0.0))[0]
        ending = "npy" if content[:6] == b"\x93NUMPY" else "h5:u"
        put(file, "matrix_" + name, u, {"loss": loss}, system="qubit", gate=f"{name}.{ending}",
            file=np.frombuffer(content, np.uint8))


with h5py.File(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/control_law.h5", "w") as file:
    for part in (fitted, one_qubit, rates, two_qubits, transmon, composite, skew, matrices):
        part(file)
