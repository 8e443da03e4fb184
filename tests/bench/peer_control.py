#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The problems of control.c in Python, on one thread: JAX with exact propagators written by hand, and scipy's L-BFGS-B on it;
dynamiqs, qutip-qtrl and filter_functions where they are installed. Values are compared with those of build/bench/control --values.

JAX is given in two forms, since they differ by a factor: `jax` differentiates a series in a scan over the segments by itself (the
faster of Taylor's on matrices and of Cayley and Hamilton's coefficients, found outside the scan); `jax-adjoint` is ketline's own
algorithm: coefficients and their derivatives of all segments at once, in the scans only 3-vectors, the adjoint written by hand.
Tried and slower: Taylor on components, coefficients within the scan, unrolled scans (minutes to compile, no faster),
jax.scipy.linalg.expm (50 times slower), asynchronous dispatch, chunks of tasks."""
import math
import os
import subprocess
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from scipy.optimize import minimize
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_cpu_enable_async_dispatch", False)

QUICK = "--quick" in sys.argv
SEGMENTS, CZ_SEGMENTS, FREQUENCIES = 60, 30, 500
OURS = os.path.join(os.environ.get("BUILD", "build"), "bench", "control")


def ours():
    if not os.path.exists(OURS):
        print(f"{OURS} is not built: values are not compared")
        return {}
    lines = subprocess.run([OURS, "--values"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[1]: float(line.split()[2]) for line in lines if line.startswith("value ")}


EXPECTED = ours()


def compare(name, who, value, bound=1e-9):
    if name not in EXPECTED:
        return
    off = abs(float(value) - EXPECTED[name])
    print(f"{name}, {who}: {float(value):.15g}, off by {off:.1e}")
    assert off <= bound * max(1, abs(EXPECTED[name])), (name, who, float(value), EXPECTED[name])


def weighted(v):
    v = np.asarray(v, dtype=float).ravel()
    return np.sum(v * np.sin(1.0 + np.arange(len(v)) % 1013))


def seconds(call, budget=2.0):
    call()
    start = time.perf_counter()
    call()
    calls = max(1, int(5e-3 / (time.perf_counter() - start)))
    best, begun = None, time.perf_counter()
    while best is None or time.perf_counter() - begun < (budget / 8 if QUICK else budget):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        each = (time.perf_counter() - start) / calls
        best = each if best is None else min(best, each)
    return best


def amplitude(t, s, k):
    return 1.6 * np.sin(1.0 + 0.7 * (t % 16) + 0.3 * s + 1.9 * k)


# ---- one qubit: parameters [3][n], controls [segments][2][n] ----
DT = 1 / SEGMENTS


def tasks(n, real):
    t, s, k = np.arange(n), np.arange(SEGMENTS), np.arange(2)
    theta = np.stack([0.02 + 0.13 * t / n, 0.08 - 0.07 * t / n, 0 * t + 0.1])
    return jnp.array(theta, real), jnp.array(amplitude(t[None, None], s[:, None, None], k[None, :, None]), real)


def generator(theta, u):
    g, down, h = theta
    across, zero = g + down / 2, 0 * g
    return jnp.array([[zero, zero, zero, zero], [zero, -across, -2 * h, 2 * u[1]], [zero, 2 * h, -across, -2 * u[0]],
                      [down, -2 * u[1], 2 * u[0], -down]])


def taylor(order):
    def loss(theta, u):
        def segment(r, x):
            a = generator(theta, x) * DT
            v = total = r
            for k in range(1, order + 1):
                v = a @ v / k
                total = total + v
            return total, None
        return 0.5 * (1 + jax.lax.scan(segment, jnp.array([1, 0, 0, 1], u.dtype), u)[0][3])
    return jax.vmap(jax.value_and_grad(loss, argnums=1), in_axes=(1, 2), out_axes=(0, 2))


def invariants(theta):
    g, down, h = theta
    d1, d3, bz, wz = -DT * (g + down / 2), -DT * down, DT * down, 2 * DT * h
    return d1, d3, bz, wz, 2 * d1 + d3, d1 * d1 + 2 * d1 * d3 + wz * wz, d1 * d1 * d3 + d3 * wz * wz


def coefficients(theta, u, order):
    d1, _, _, _, t, s, e = invariants(theta)
    x, y = 2 * DT * u[:, 0], 2 * DT * u[:, 1]
    q = x * x + y * y
    s, e = s + q, e + d1 * q
    a, b, c = jnp.full_like(q, 1 / math.factorial(order)), jnp.zeros_like(q), jnp.zeros_like(q)
    for k in range(order - 2, -1, -1):
        a, b, c = 1 / math.factorial(k + 1) + c * e, a - c * s, b + c * t
    return x, y, a, b, c


def turn(theta, x, y, v, sign):
    d1, d3, _, z = invariants(theta)[:4]
    x, y, z = sign * x, sign * y, sign * z
    return d1 * v[0] - z * v[1] + y * v[2], z * v[0] + d1 * v[1] - x * v[2], -y * v[0] + x * v[1] + d3 * v[2]


def forward(theta, r, c):
    x, y, a, b, c = c
    v = turn(theta, x, y, r, 1)
    v = v[0], v[1], v[2] + invariants(theta)[2]
    p = turn(theta, x, y, v, 1)
    h = turn(theta, x, y, p, 1)
    return tuple(r[i] + a * v[i] + b * p[i] + c * h[i] for i in range(3))


def backward(theta, l, c):
    x, y, a, b, c = c
    p = turn(theta, x, y, tuple(c * i for i in l), -1)
    p = turn(theta, x, y, tuple(b * i + j for i, j in zip(l, p)), -1)
    p = turn(theta, x, y, tuple(a * i + j for i, j in zip(l, p)), -1)
    return tuple(i + j for i, j in zip(l, p))


def cayley(order):
    def total(theta, u):
        zero = jnp.zeros_like(theta[0])
        r = jax.lax.scan(lambda r, c: (forward(theta, r, c), None), (zero, zero, zero + 1), coefficients(theta, u, order))[0]
        loss = 0.5 * (1 + r[2])
        return jnp.sum(loss), loss

    def call(theta, u):
        (_, loss), gradient = jax.value_and_grad(total, argnums=1, has_aux=True)(theta, u)
        return loss, gradient
    return call


def adjoint(order):
    def call(theta, u):
        zero = jnp.zeros_like(theta[0])
        c, back = jax.vjp(lambda u: coefficients(theta, u, order), u)
        end, states = jax.lax.scan(lambda r, c: (forward(theta, r, c), r), (zero, zero, zero + 1), c)
        _, adjoints = jax.lax.scan(lambda l, c: (backward(theta, l, c), l), (zero, zero, zero + 0.5), c, reverse=True)
        _, step_back = jax.vjp(lambda c: forward(theta, states, c), c)
        return 0.5 * (1 + end[2]), back(step_back(adjoints)[0])[0]
    return call


def one_qubit():
    for n, real, order in ((16, np.float64, 8), (16, np.float32, 5), (1024, np.float64, 8), (1024, np.float32, 5)):
        name = f"control-gradient{n}" + ("" if real == np.float64 else "-float")
        theta, u = tasks(n, real)
        for who, make in (("jax", taylor), ("jax", cayley), ("jax-adjoint", adjoint)):
            call = jax.jit(make(order))
            loss, gradient = call(theta, u)
            if real == np.float64:
                compare(name, who, weighted(loss))
                compare(name + "-slopes", who, weighted(gradient))
            best = seconds(lambda: call(theta, u)[1].block_until_ready()) / (n if n > 16 else 1)
            print(f"{name}, {make.__name__} of order {order}: {1e6 * best:.3g} us")
            print(f"bench {name}/{who} {best:.6g} s", flush=True)


# ---- meta-iterations of FOMAML in float: copies of the weights for each task, one gradient of them all ----
def meta_iteration(segments, hidden, scale, order, n, steps=5, lr=0.01, meta_lr=1e-3):
    t = np.arange(n)
    theta = jnp.array(np.stack([0.02 + 0.13 * t / n, 0.08 - 0.07 * t / n, 0 * t + 0.1]), np.float32)
    features = jnp.array(np.sin(3 * t[:, None] + np.arange(3)), np.float32)
    factor = SEGMENTS / segments  # adjoint's segments last DT

    @jax.custom_vjp
    def losses(u):
        return adjoint(order)(theta * factor, u * factor)[0]

    def keep(u):
        loss, gradient = adjoint(order)(theta * factor, u * factor)
        return loss, factor * gradient
    losses.defvjp(keep, lambda gradient, cotangent: (gradient * cotangent,))

    def total(w):
        x = features[:, :, None]
        for i, (matrix, bias) in enumerate(w):
            x = matrix @ x + bias[:, :, None]
            x = jnp.tanh(x) if i + 1 < len(w) else scale * x
        return jnp.sum(losses(x[:, :, 0].T.reshape(segments, 2, n)))

    @jax.jit
    def call(w, m, v, step):
        each = jax.tree.map(lambda a: jnp.broadcast_to(a, (n, *a.shape)), w)

        def inner(p, _):
            return jax.tree.map(lambda a, g: a - lr * g, p, jax.grad(total)(p)), None
        each = jax.lax.scan(inner, each, None, length=steps)[0]
        loss, g = jax.value_and_grad(total)(each)
        g = jax.tree.map(lambda a: jnp.mean(a, 0), g)
        norm = jnp.sqrt(sum(jnp.sum(a * a) for a in jax.tree.leaves(g)))
        g = jax.tree.map(lambda a: a * jnp.minimum(1, 1 / norm), g)
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
        w = jax.tree.map(lambda a, b, c: a - meta_lr * (b / (1 - 0.9**step)) / (jnp.sqrt(c / (1 - 0.999**step)) + 1e-8), w, m, v)
        return w, m, v, step + 1, loss / n
    sizes, rng = [3, *hidden, 2 * segments], np.random.default_rng(0)
    w = [(jnp.array(0.5 * np.linalg.qr(rng.standard_normal((max(a, b), max(a, b))))[0][:b, :a], np.float32), jnp.zeros(b, np.float32))
         for a, b in zip(sizes, sizes[1:])]
    w[-1] = (w[-1][0], w[-1][1].at[::2].set(1 / scale))
    zero = jax.tree.map(jnp.zeros_like, w)
    state = [w, zero, zero, jnp.float32(1)]
    first = float(call(*state)[4])

    def once():
        state[:] = call(*state)[:4]
        state[3].block_until_ready()
    best = seconds(once)
    last = float(call(*state)[4])
    print(f"a network for {segments} segments: loss {first:.4f}, after {int(state[3])} iterations {last:.4f}")
    assert last < first
    return best


def meta():
    for name, best in (("psd", meta_iteration(60, (128, 128, 128), 1, 5, 32)), ("guide", meta_iteration(20, (128, 128, 128), 2, 8, 16))):
        print(f"bench control-meta-{name}/jax {best:.6g} s", flush=True)


# ---- gates: a map of controls to the segments' transfer matrices [segments][dim][dim]; <weights, R> is wanted ----
def gate(maps, start, weights, finish):
    """Values and gradients by a scan of products each way; the maps' own derivatives of all segments at once."""
    def call(u):
        segments, back = jax.vjp(maps, u)
        end, states = jax.lax.scan(lambda r, e: (e @ r, r), start, segments)
        _, adjoints = jax.lax.scan(lambda l, e: (e.T @ l, l), weights, segments, reverse=True)
        value, slope = jax.value_and_grad(finish)(jnp.sum(weights * end))
        return value, back(slope * jnp.einsum("sij,skj->sik", adjoints, states))[0]
    return call


def series_of(a, order):
    """exp of matrices [s][d][d] by Paterson and Stockmeyer's way: blocks of three powers."""
    one, c = jnp.eye(a.shape[-1], dtype=a.dtype), [1 / math.factorial(k) for k in range(order + 1)]
    square = a @ a
    cube = square @ a
    total = 0
    for j in range(order // 3, -1, -1):
        block = c[3 * j] * one
        if 3 * j + 1 <= order:
            block = block + c[3 * j + 1] * a
        if 3 * j + 2 <= order:
            block = block + c[3 * j + 2] * square
        total = block + (cube @ total if j < order // 3 else 0)
    return total


def in_scan(constant, controls, dt, order, start, weights, finish):
    """Taylor's series on the columns, within the scan, differentiated by JAX."""
    def loss(u):
        def segment(r, x):
            a = (constant + jnp.tensordot(x, controls, 1)) * dt
            v = total = r
            for k in range(1, order + 1):
                v = a @ v / k
                total = total + v
            return total, None
        return finish(jnp.sum(weights * jax.lax.scan(segment, start, u)[0]))
    return jax.value_and_grad(loss)


def strings(n):
    """Pauli strings of n qubits, the first the most significant."""
    pauli = [np.eye(2), np.array([[0, 1], [1, 0]]), np.array([[0, -1j], [1j, 0]]), np.diag([1, -1])]
    words = [np.eye(1)]
    for _ in range(n):
        words = [np.kron(w, p) for w in words for p in pauli]
    return np.array(words)


def transfer(apply, n):
    p = strings(n)
    return np.einsum("aij,bji->ab", p, np.array([apply(q) for q in p])).real / 2**n


def hamiltonian(h, n):
    return transfer(lambda q: -1j * (h @ q - q @ h), n)


def jump(l, n):
    return transfer(lambda q: l @ q @ l.conj().T - (l.conj().T @ l @ q + q @ l.conj().T @ l) / 2, n)


LOWER = np.array([[0, 1], [0, 0]])


def cz_system(dephasing, relaxation, up):
    p = strings(2)
    constant, controls = 2 * hamiltonian(p[15], 2), [hamiltonian(p[i], 2) for i in (4, 8, 1, 2, 12, 3)]
    for q in range(2):
        place = (lambda m: np.kron(m, np.eye(2))) if q == 0 else (lambda m: np.kron(np.eye(2), m))
        constant = constant + jump(math.sqrt(dephasing / 2) * place(np.diag([1, -1])), 2)
        constant = constant + jump(math.sqrt(relaxation) * place(LOWER.T if up else LOWER), 2)
    target = np.diag([1, 1, 1, -1])
    return jnp.array(constant), jnp.array(np.array(controls)), jnp.array(transfer(lambda q: target @ q @ target.conj().T, 2) / 16)


def x_system(dephasing, relaxation):
    p = strings(1)
    constant = 0.1 * hamiltonian(p[3], 1) + jump(math.sqrt(dephasing / 2) * p[3], 1) + jump(math.sqrt(relaxation) * LOWER, 1)
    controls = np.array([hamiltonian(p[1], 1), hamiltonian(p[2], 1)])
    return jnp.array(constant), jnp.array(controls), jnp.array(np.diag([1, 1, -1, -1]) / 4)


def gates(constant, controls, target, dt, order, finish):
    """Both forms; one as large as the other of both systems is compiled in seconds."""
    d = target.shape[0]
    maps = lambda u: series_of((constant + jnp.einsum("sk,kij->sij", u, controls)) * dt, order)
    return (("jax", jax.jit(in_scan(constant, controls, dt, order, jnp.eye(d), target, finish))),
            ("jax-adjoint", jax.jit(gate(maps, jnp.eye(d), target, finish))))


def controls_of(t, segments, n):
    return amplitude(t, np.arange(segments)[:, None], np.arange(n)[None, :])


def cz_gradient():
    u = jnp.array(controls_of(3, CZ_SEGMENTS, 6))
    for who, call in gates(*cz_system(0.05, 0.03, False), math.pi / 8 / CZ_SEGMENTS, 10, lambda f: 1 - f):
        loss, gradient = call(u)
        compare("control-cz-gradient", who, loss)
        compare("control-cz-gradient-slopes", who, weighted(gradient))
        print(f"bench control-cz-gradient/{who} {seconds(lambda: call(u)[1].block_until_ready()):.6g} s", flush=True)


# ---- optimisation from starts 0.03 of the limit, to a loss ----
class Reached(Exception):
    pass


def optimise(call, shape, limit, goal, seed):
    start = 0.03 * limit * np.random.default_rng(seed).standard_normal(shape[0] * shape[1])
    least, evaluations = 9.0, 0

    def loss(x):
        nonlocal least, evaluations
        value, gradient = call(x.reshape(shape))
        value, evaluations = float(value), evaluations + 1
        least = min(least, value)
        if value <= goal:
            raise Reached
        return value, np.asarray(gradient).ravel()
    begun = time.perf_counter()
    try:
        minimize(loss, np.clip(start, -limit, limit), jac=True, method="L-BFGS-B", bounds=[(-limit, limit)] * len(start),
                 options={"maxiter": 2000, "maxfun": 4000, "ftol": 1e-16, "gtol": 1e-12})
    except Reached:
        pass
    return time.perf_counter() - begun, least <= goal, evaluations


def searches():
    open_x, open_cz = 0.041421034 + 1e-6, 0.002586577109612187 + 1e-6
    jobs = (("closed", x_system(0, 0), (SEGMENTS, 2), 1 / SEGMENTS, 8, math.pi, 1e-6, 2, 32),
            ("closed-limit-10", x_system(0, 0), (SEGMENTS, 2), 1 / SEGMENTS, 12, 10, 1e-6, 2, 32),
            ("open-lbfgs", x_system(0.085, 0.045), (SEGMENTS, 2), 1 / SEGMENTS, 8, math.pi, open_x, 2, 12),
            ("cz", cz_system(0.0055, 0.00275, True), (CZ_SEGMENTS, 6), math.pi / 8 / CZ_SEGMENTS, 10, math.pi, open_cz, 4, 12))
    for name, system, shape, dt, order, limit, goal, d, starts in jobs:
        starts = 4 if QUICK else starts
        for who, call in gates(*system, dt, order, lambda f, d=d: 1 - (d * f + 1) / (d + 1)):
            compare(f"control-{name}", who, call(jnp.array(controls_of(0, *shape)))[0])
            rounds = [[optimise(call, shape, limit, goal, seed) for seed in range(starts)] for _ in range(1 if QUICK else 4)]
            best = sum(min(r[i][0] for r in rounds) for i in range(starts)) / starts
            reached = sum(one[1] for one in rounds[0])
            print(f"{name}, {who}: {reached} of {starts}, {sum(one[2] for one in rounds[0]) / starts:.1f} evaluations each")
            print(f"bench control-{name}/{who} {best:.6g} s")
            print(f"bench control-{name}-share/{who} {100 * reached / starts:.6g} %", flush=True)


# ---- packages ----
def by_dynamiqs():
    import dynamiqs as dq
    dq.set_precision("double")
    dq.set_progress_meter(False)
    theta, u = tasks(16, np.float64)
    times = jnp.linspace(0, 1, SEGMENTS + 1)

    def loss(u):
        def one(theta, u):
            g, down, h = theta
            jumps = [jnp.sqrt(g / 2) * dq.sigmaz(), jnp.sqrt(down) * dq.asqarray(jnp.array(LOWER, complex))]
            energy = h * dq.sigmaz() + dq.pwc(times, u[:, 0], dq.sigmax()) + dq.pwc(times, u[:, 1], dq.sigmay())
            rho = dq.mesolve(energy, jumps, dq.basis(2, 0), jnp.array([0.0, 1.0]), method=dq.method.Expm()).states[-1].to_jax()
            return 1 - rho.reshape(2, 2)[1, 1].real
        losses = jax.vmap(one, in_axes=(1, 2))(theta, u)
        return jnp.sum(losses), losses
    call = jax.jit(jax.value_and_grad(loss, has_aux=True))
    (_, losses), gradient = call(u)
    compare("control-gradient16", "dynamiqs", weighted(losses))
    compare("control-gradient16-slopes", "dynamiqs", weighted(gradient))
    print(f"bench control-gradient16/dynamiqs {seconds(lambda: call(u)[1].block_until_ready()):.6g} s", flush=True)


def by_qutip():
    """Its trace difference from the target's superoperator is another function of the same propagators: one call is timed."""
    import warnings
    warnings.simplefilter("ignore")
    import qutip as qt
    import qutip_qtrl.pulseoptim as pulses
    theta, u = (np.asarray(v) for v in tasks(16, np.float64))
    lower, total = qt.Qobj(LOWER), 0

    def optimizer(drift, controls, target, duration, u):
        o = pulses.create_pulse_optimizer(drift, controls, qt.to_super(qt.qeye(target.dims[0])), qt.to_super(target), num_tslots=len(u),
                                          evo_time=duration, dyn_type="GEN_MAT", fid_type="TRACEDIFF", init_pulse_type="ZERO")
        o.dynamics.initialize_controls(u)
        return o

    def once(o, u):
        def call():
            o.dynamics.update_ctrl_amps(u * (1 + 1e-9 * np.random.rand()))
            o.dynamics.fid_computer.get_fid_err()
            return o.dynamics.fid_computer.get_fid_err_gradient()
        return call
    for t in range(1 if QUICK else 16):
        g, down, h = theta[:, t]
        drift = qt.liouvillian(h * qt.sigmaz(), [math.sqrt(g / 2) * qt.sigmaz(), math.sqrt(down) * lower])
        o = optimizer(drift, [qt.liouvillian(qt.sigmax()), qt.liouvillian(qt.sigmay())], qt.sigmax(), 1, u[:, :, t])
        total += seconds(once(o, u[:, :, t]), 0.3)
    print(f"bench control-gradient16/qutip-qtrl {total * (16 if QUICK else 1):.6g} s" + (" scaled" if QUICK else ""))
    z, one = qt.sigmaz(), qt.qeye(2)
    jumps = [f * m for m in (qt.tensor(z, one), qt.tensor(one, z)) for f in (math.sqrt(0.025),)]
    jumps += [math.sqrt(0.03) * m for m in (qt.tensor(lower, one), qt.tensor(one, lower))]
    x, y = qt.sigmax(), qt.sigmay()
    controls = [qt.liouvillian(m) for p in (x, y, z) for m in (qt.tensor(p, one), qt.tensor(one, p))]
    target, v = qt.Qobj(np.diag([1, 1, 1, -1]), dims=[[2, 2], [2, 2]]), controls_of(3, CZ_SEGMENTS, 6)
    o = optimizer(qt.liouvillian(2 * qt.tensor(z, z), jumps), controls, target, math.pi / 8, v)
    print(f"bench control-cz-gradient/qutip-qtrl {seconds(once(o, v)):.6g} s", flush=True)


def by_filter_functions():
    import filter_functions as ff
    from filter_functions import gradient as slopes
    x, y, z = (np.array(m, complex) for m in ([[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]))
    omega = 0.1 * 3000**(np.arange(FREQUENCIES) / (FREQUENCIES - 1))
    u = controls_of(0, SEGMENTS, 2)
    dt, ones = np.full(SEGMENTS, DT), np.ones(SEGMENTS)

    def pulse():  # anew each time: it keeps what it has computed
        return ff.PulseSequence([[x, u[:, 0], "x"], [y, u[:, 1], "y"], [z, 0.1 * ones, "h"]], [[z / 2, ones, "n"]], dt)
    infidelity = ff.infidelity(pulse(), 1 / omega, omega).sum()
    derivative = slopes.infidelity_derivative(pulse(), 1 / omega, omega, control_identifiers=["x", "y"])
    compare("control-filter", "filter_functions", 2 * infidelity)
    compare("control-filter-slopes", "filter_functions", weighted(2 * derivative))
    best = seconds(lambda: slopes.infidelity_derivative(pulse(), 1 / omega, omega, control_identifiers=["x", "y"]), 4)
    print(f"bench control-filter/filter_functions {best:.6g} s", flush=True)


def main():
    one_qubit()
    cz_gradient()
    meta()
    searches()
    for package in (by_dynamiqs, by_qutip, by_filter_functions):
        try:
            package()
        except Exception as error:  # a package that is absent or does not fit the others is named, not fatal
            print(f"{package.__name__[3:]} does not run here: {type(error).__name__}: {error}")


main()
