/* SPDX-License-Identifier: MIT
   qtrain under failing allocations and writes: training with every option that takes memory, its
   histories, going on from a checkpoint, and the check of the gradients. */
#include "whole/whole.h"

#define SMALL " --qubits 2 --layers 1 --reduction 8 --classifier 4 --batch-size 16"

const char *const fault_inputs[] = {
    "extract-features -q data/digits/test-images-idx3-ubyte --resize 28 --limit 40 --no-provenance -o "
    "f.h5",
    "qtrain -q f.h5 --epochs 3000 --checkpoint-every 1 --no-provenance --threads 1 --no-controls" SMALL
    " -o out.h5 >/dev/null 2>&1 & p=$!; until [ -e .out.h5.checkpoint ]; do kill -0 $p || exit 1; done; "
    "kill -TERM $p; wait $p 2>/dev/null; mv .out.h5.checkpoint checkpoint",
    "qtrain -q f.h5 --epochs 1" SMALL " -o older.h5 >/dev/null",
    "qtrain -q f.h5 --epochs 200 --checkpoint-every 10 --no-provenance --threads 1" SMALL
    " -o out.h5 >/dev/null 2>&1 & p=$!; until h5ls .out.h5.checkpoint/controls/twin >/dev/null 2>&1; do "
    "kill -0 $p || exit 1; done; kill -TERM $p; wait $p 2>/dev/null; mv .out.h5.checkpoint controls",
    "awk 'BEGIN { for (i = 0; i < 60; i++) { s = \"\"; for (j = 0; j < 8; j++) s = s (i * (i % 3 + j) % "
    "7 < 3); print s, i % "
    "3 + 1 } }' >bits.txt",
    "qtrain -q --qrng bits.txt --model ones -o devices.h5",
    "printf 'batch: 16\\nnum_epochs: 2\\nn_qubits: 2\\nn_layers: 1\\n' >run.yaml",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "qtrain",
      .command =
          "qtrain -q ../in/f.h5 --replicas 2 --threads 2 --optimizer adamw --clip 1 --schedule plateau "
          "--patience 1 --config ../in/run.yaml --no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qtrain with histories and its record",
      .command = "qtrain -q ../in/f.h5 --epochs 2 --checkpoint-every 1 --history h.jsonl --mlflow ml "
                 "--no-controls --diff-method "
                 "parameter-shift --shots 20" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5; echo '{\"replica\":0}' >h.jsonl",
      .varies = true,
      .keeps = ".checkpoint",
      .several = true },
    { .name = "qtrain resumed",
      .command = "qtrain -q ../in/f.h5 --epochs 3000 --no-provenance --threads 1 --no-controls" SMALL
                 " -o out.h5",
      .old = "cp ../in/checkpoint .out.h5.checkpoint",
      .several = true,
      .slower = 4 },
    { .name = "qtrain resumed in a control",
      .command =
          "qtrain -q ../in/f.h5 --epochs 200 --no-provenance --threads 1" SMALL " -o out.h5",
      .old = "cp ../in/controls .out.h5.checkpoint",
      .several = true,
      .slower = 4 },
    { .name = "qtrain under noise",
      .command = "qtrain -q ../in/f.h5 --epochs 2 --noise amplitude-damping=0.01 --no-provenance" SMALL
                 " -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qtrain by trajectories, with learnable scales",
      .command = "qtrain -q ../in/f.h5 --epochs 2 --noise depolarizing=0.01,amplitude-damping=0.01 "
                 "--trajectories 2 --learn-scale --no-provenance" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qtrain growing by mirrored blocks",
      .command = "qtrain -q ../in/f.h5 --epochs 3 --qubits 2 --layers 8 --mirror 2 --init identity "
                 "--grow 1 --reduction 8 --classifier 4 --batch-size 16 --no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qtrain by natural gradients",
      .command =
          "qtrain -q ../in/f.h5 --epochs 2 --optimizer qng --ansatz strongly-entangling --no-controls "
          "--no-provenance" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qtrain by rotosolve",
      .command = "qtrain -q ../in/f.h5 --epochs 1 --optimizer rotosolve --no-controls "
                 "--no-provenance" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qtrain by simultaneous perturbation",
      .command = "qtrain -q ../in/f.h5 --epochs 1 --optimizer spsa --no-controls "
                 "--no-provenance" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qtrain --qrng",
      .command = "qtrain -q --qrng ../in/bits.txt --epochs 2 --seeds 2 --null 1 --threads 2 "
                 "--no-provenance -o out.h5",
      .old = "cp ../in/devices.h5 out.h5",
      .keeps = ".ketline-partial",
      .several = true },
    { .name = "qtrain --qrng on pairs, with its record",
      .command = "qtrain -q --qrng ../in/bits.txt --features pairs --protocol folds --folds 2 --seeds 1 "
                 "--epochs 2 "
                 "--threads 1 -o out.h5",
      .old = "cp ../in/devices.h5 out.h5",
      .keeps = ".ketline-partial",
      .varies = true,
      .several = true },
    { .name = "qtrain tried for a moment",
      .command = "qtrain -q ../in/f.h5 --epochs 1 --threads 1" SMALL " --dry-run -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .talks = true },
    { .name = "qtrain checks its gradients", .command = "qtrain -q ../in/f.h5 --check-gradients" SMALL },
    { .name = "qtrain on a GPU",
      .command = "qtrain -q ../in/f.h5 --epochs 1 --replicas 2 --clip 1 --no-provenance --threads 1 "
                 "--no-controls --device cuda" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .gpu = "64000000",
      .slower = 2 },
    { .name = "qtrain on a GPU that streams features",
      .command = "qtrain -q ../in/f.h5 --epochs 1 --no-provenance --threads 1 --no-controls --device "
                 "cuda" SMALL " -o out.h5",
      .gpu = "600000",
      .slower = 2 },
    { .name = "qtrain --qrng on a GPU",
      .command = "qtrain -q --qrng ../in/bits.txt --epochs 1 --seeds 2 --hidden 4 --threads 2 "
                 "--no-provenance --device cuda -o out.h5",
      .keeps = ".ketline-partial",
      .several = true,
      .gpu = "64000000",
      .slower = 2 },
    { 0 },
};
