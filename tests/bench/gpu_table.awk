# SPDX-License-Identifier: MIT
# The tables of `make bench-gpu`: awk -f tests/bench/rows.awk -f this; ketline's names end with /ketline, as everywhere in rows.awk.
function limit(title, work, most, aim,   ours) {
    ours = work "/ketline"
    if (!(ours in value)) return
    printf "| %s | %s%s |\n", title, show(ours), missed(value[ours], most, aim, " s")
}
function only(title, work) {
    if ((work "/ketline") in value) printf "| %s | %s |\n", title, show(work "/ketline")
}
# Against the best peer, if torch.compile made one: an eager one alone is no measure of what is to be had.
function compiled(title, work, least, aim,   n) {
    for (n in value)
        if (index(n, work "/torchvision-") == 1) { row(title, work, best(work), least, aim); return }
    row(title, work, "torchvision", "", "")
    if ((work "/ketline") in value) note = "\nNot judged: features at 224x224 against torchvision, of which no compiled form was measured."
}
END {
    print "| work | measured |\n|---|---|"
    limit("features of 60,000 images of 28x28, file to file, FP32", "gpu-features-60000-28x28-fp32-file-to-file", 3, 1)
    limit("features of 60,000 images of 28x28, file to file, TF32", "gpu-features-60000-28x28-tf32-file-to-file", 3, 1)
    limit("features of 60,000 images of 224x224, FP16, on the card alone", "gpu-features-60000-224x224-fp16", 5, 2.5)
    n = split("bf16 tf32 fp32", precisions, " ")
    for (k = 1; k <= n; k++) only("the same, " toupper(precisions[k]), "gpu-features-60000-224x224-" precisions[k])
    limit("50 epochs of the default head, 54,000 samples, batch 64", "gpu-head-50-epochs", 8, 2)
    limit("the same, 256 heads at once", "gpu-256-heads-50-epochs", 60, 20)
    print "\n| work | ketline | peer | ratio |\n|---|---|---|---|"
    row("`ry-ring`, 3 layers, forward + gradients, batch 65,536, 4 qubits", "gpu-ry-ring-4", "cpu-2-threads", 20, 100)
    row("the same, 10 qubits", "gpu-ry-ring-10", "cpu-2-threads", 20, 100)
    row("the same, 4 qubits", "gpu-ry-ring-4", "torch", "", "")
    row("the same, 10 qubits", "gpu-ry-ring-10", "torch", "", "")
    row("`strongly-entangling`, 4 qubits", "gpu-strongly-entangling-4", "cpu-2-threads", 20, 100)
    row("the same, 10 qubits", "gpu-strongly-entangling-10", "cpu-2-threads", 20, 100)
    for (k = 32; k <= 64; k += 32) {
        row((k == 32 ? "one-qubit gradient, 16,384 tasks x 60 segments" : "the same") ", float" k ", on the card alone", "gpu-16384-qubit-gradients-float" k, "cpu-2-threads", 20, 20)
        row("the same, with copies", "gpu-16384-qubit-gradients-float" k "-copies", "cpu-2-threads", "", "")
    }
    compiled("features at 224x224, FP16 (best peer)", "gpu-features-60000-224x224-fp16", 1.2, 1.2)
    row("50 epochs of the default head (best peer)", "gpu-head-50-epochs", best("gpu-head-50-epochs"), "", "")
    if (note) print note
    print "\n| commands of stages | measured |\n|---|---|"
    for (n = 6; n <= 10; n += 2) {
        only("`qseq train --fold all`, Hydra, " n " qubits, ten folds side by side: an epoch of 1,492 windows, batch 64, a fold", "gpu-hydra-" n "-epoch")
        only("the same, ten replicas of a fold, a replica", "gpu-hydra-" n "-replicas-epoch")
    }
    split("classical-mamba classical-hydra", nets, " ")
    for (n = 1; n <= 2; n++) {
        only("`qseq train --fold all -m " nets[n] "`, ten folds side by side: an epoch of 1,492 windows, batch 64, a fold", "gpu-" nets[n] "-epoch")
        only("the same, ten replicas of a fold, a replica", "gpu-" nets[n] "-replicas-epoch")
    }
    only("`sgld sample -p paper --data mnist`, 2 x 1000, nine betas: a step of all", "gpu-paper-mnist-step")
    only("`sgld sample`, SYNTH, 1,000 chains, MALA: an epoch of all", "gpu-synth-1000-chains-epoch")
    only("`qcontrol optimize`, 1,024 starts of the open X to the best known + 1e-6, start of the program included", "gpu-open-x-1024-starts")
}
