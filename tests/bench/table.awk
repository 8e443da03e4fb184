# SPDX-License-Identifier: MIT
# The tables of `make bench`: awk -f tests/bench/rows.awk -f this.
# The fastest loop over draws of the plateau scan.
function loop(   p, i, n, found) {
    n = split("lightning-shift lightning-adjoint backprop", p, " ")
    for (i = 1; i <= n; i++)
        if (("plateau/" p[i]) in value && (found == "" || value["plateau/" p[i]] < value["plateau/" found])) found = p[i]
    return found
}
# Against JAX that differentiates by itself, of which something is asked, and against our algorithm written in it by hand.
function both(work, title, least, aim,   n, who, i) {
    n = split("jax jax-adjoint", who, " ")
    for (i = 1; i <= n; i++) row(title share(work, who[i]), work, who[i], i == 1 ? least : "", i == 1 ? aim : "")
}
function share(work, peer,   ours, theirs) {
    ours = work "-share/ketline"; theirs = work "-share/" peer
    if (!(ours in value) || !(theirs in value)) return ""
    return sprintf(" (%s%.3g %% of starts reach it, the peer's %.3g %%)", way[work], value[ours], value[theirs])
}
# An optimisation by the better of two methods: the lines of one count for `work`.
function better_of(work, a, b,   n, chosen, name) {
    if (!((work "-" a "/ketline") in value) || !((work "-" b "/ketline") in value)) return
    chosen = value[work "-" a "/ketline"] < value[work "-" b "/ketline"] ? a : b
    way[work] = chosen ", "
    for (n in value) found[n] = 1
    for (n in found) {
        name = n
        if (index(n, work "-" chosen) == 1 && n ~ /\/ketline$/) sub(work "-" chosen, work, name)
        else if (index(n, work "-" a) == 1 && n !~ /\/ketline$/) sub(work "-" a, work, name)
        else continue
        value[name] = value[n]; unit[name] = unit[n]; scaled[name] = scaled[n]
    }
}
END {
    better_of("control-open", "lbfgs", "newton")
    print "| work | ketline | peer | ratio |\n|---|---|---|---|"
    e = "one epoch of the default head, 54,000 x 512, batch 64, Adam"
    row(e, "epoch", "pennylane-broadcast", 50, 100)
    row("the same", "epoch", "lightning", 700, 1500)
    row("the same", "epoch", "torch", 12, 25)
    row("`ry-ring`, forward + gradients, batch 64, 4 qubits", "circuit4", best("circuit4"), 500, 1500)
    row("the same, 10 qubits", "circuit10", best("circuit10"), 50, 150)
    row("`strongly-entangling`, 3 layers, the same, 4 qubits", "entangling4", best("entangling4"), 200, 800)
    row("the same, 10 qubits", "entangling10", best("entangling10"), 30, 100)
    row("gradients of a step, 4 such layers, one sample, 16 qubits", "gradient16", "lightning", 8, 20)
    row("the same, 20 qubits", "gradient20", "lightning", 15, 50)
    row("the same against one bra, 16 qubits", "gradient16", "qulacs", 1, 1)
    row("the same, 20 qubits", "gradient20", "qulacs", 1, 1)
    row("one epoch of 6,000 samples, depolarising channels", "noisy-epoch", "pennylane-mixed", 50, 300)
    row("the same on 10 qubits, by 8 trajectories a step", "noisy10-epoch", "lightning", "", "")
    row("one epoch of 6,000 samples on 100 shots, parameter-shift", "shots100-epoch", best("shots100-epoch"), "", "")
    row("the same on 1,000 shots", "shots1000-epoch", best("shots1000-epoch"), "", "")
    row("features of 28x28 images, IDX to published file", "features28", best("features28"), 1.8, 3)
    row("features at 224x224", "features224", best("features224"), 1.2, 1.8)
    row("device classifier, an epoch of 600 steps of 8 rows, one thread", "classifier-epoch", "torch", 50, 150)
    row("20 runs of it to the end", "classifier-runs", "torch", "", "")
    row("GAN of a pair of devices, 100 epochs", "gan-pair", "torch", 5, 10)
    row("the same, 435 pairs", "gan-435", "torch", 10, 50)
    row("quantum GAN, 12 qubits, 50 epochs, exact gradient", "quantum-gan", best("quantum-gan"), 5, 20)
    row("OAS covariances of 1,492 windows of 64 x 249", "sequence-covariances", "pyriemann", 9, 27)
    row("8 spatial patterns and a discriminant on them", "sequence-csp-lda", "pyriemann", "", "")
    row("their tangent vectors at a point", "sequence-tangent", "pyriemann", 9, 27)
    row("their Riemannian mean", "sequence-riemann-mean", "pyriemann", "", "")
    row("logistic regression on the tangent vectors", "sequence-logistic", "pyriemann", "", "")
    row("plateau scan, 2-12 qubits, 1-64 layers, 200 draws: a loop over draws", "plateau", loop(), 100, 1000)
    row("the same, a broadcast batch a cell", "plateau", "broadcast", 1, 100)
    row("features and composites of three devices", "tournament-composites", "numpy-loop", 500, 2000)
    row("10,000 label permutations of the pair test (chi-squared of symbols)", "pair-permutations", "numpy", 50, 300)
    row("the same of all eight scores of the tournament", "all-permutations", "numpy", "", "")
    row("thirty devices made, compared and tested", "thirty-devices", "numpy-loop", "", "")
    both("control-gradient16", "gradient of one qubit, 16 tasks, 60 segments, float64", 35, 49)
    both("control-gradient1024", "the same, 1,024 tasks, a task", 20, 30)
    both("control-gradient1024-float", "the same in float32", 40, 64)
    both("control-cz-gradient", "gradient of CZ, 30 segments, 6 controls, open, float64", 20, 28)
    both("control-closed", "one-qubit X, closed, a start to 1e-6", 200, 384)
    both("control-closed-limit-10", "the same, limit 10", "", "")
    both("control-open", "one-qubit X, open, a start to the best known + 1e-6", 200, 422)
    both("control-cz", "CZ, open, a start to the best known + 1e-6", 15, 30)
    row("meta-iteration, 32 tasks, 5 steps, 49,016 weights", "control-meta-psd", "jax", 15, 21)
    row("the same, 16 tasks, 20 segments, 38,696 weights", "control-meta-guide", "jax", 15, 21)
    row("filter function with gradient, 60 segments, 500 frequencies", "control-filter", "filter_functions", 100, 113)
    row("gradient of one qubit, 16 tasks", "control-gradient16", "dynamiqs", "", "")
    row("the same", "control-gradient16", "qutip-qtrl", "", "")
    row("gradient of CZ", "control-cz-gradient", "qutip-qtrl", "", "")
    row("a million normals, one thread", "sampling-normals", "torch", 2.5, 2.7)
    row("the same", "sampling-normals", "jax-threefry2x32", "", "")
    row("the same", "sampling-normals", "numpy-sfc64", "", "")
    row("Langevin step of 1,787,001 weights with its noise", "sampling-step", "torch", "", "")
    row("classic SYNTH 4-500-1, an epoch of 5 steps with test pass", "sampling-synth", "blackjax", 4, 5.2)
    row("the same", "sampling-synth", "torch", 30, 46)
    row("one subject, three recordings of 64 channels to windows at 80 Hz", "windows", "mne", 2, 4.3)
    row("the same after a band-pass", "windows-band", "mne", "", "")
    for (i = 6; i <= 10; i += 2) {
        row("Quantum Hydra, " i " qubits, a training epoch of 1,492 windows of 64 x 249, one thread", "sequence-hydra-" i, "torch", 15, 50)
        row("Hydra Hybrid, the same", "sequence-hydra-hybrid-" i, "torch", 15, 50)
    }
    row("EEGNet, the same", "sequence-eegnet", best("sequence-eegnet"), 4.8, 16)
    row("ShallowFBCSPNet, the same", "sequence-shallow", best("sequence-shallow"), "", "")
    row("classical Mamba, the same", "classical-mamba-epoch", "pytorch", 12, 21)
    print "\n| ketline against itself | measured |\n|---|---|"
    itself("an epoch against its matrix products alone, on one thread", "epoch/ketline", "epoch/products", "", 1.3)
    itself("the same, the epoch on one thread too", "epoch-1-thread/ketline", "epoch/products", "", 1.3)
    itself("16 replicas against one", "epoch16/ketline", "epoch/ketline", 8, 4)
    itself("16 replicas against one that has one thread", "epoch16/ketline", "epoch-1-thread/ketline", 8, 4)
    itself("an epoch under noise against one without, 6,000 samples", "noisy-epoch/ketline", "noiseless-epoch-6000/ketline", "", 1.5)
    a = "singly24/ketline"; b = "sweep24/ketline"
    if (a in value && b in value) {
        v = value[a] / value[b]
        printf "| 24 heads, an epoch each: one after another against a sweep (more is better) | %.2fx%s |\n", v, missed(v, 3, 6, "x", 1)
    }
    if ("uptodate/ketline" in value) {
        v = 1e3 * value["uptodate/ketline"]
        printf "| a stage that is up to date | %.3g ms%s |\n", v, missed(v, 50, 10, " ms")
    }
}
