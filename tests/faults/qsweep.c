/* SPDX-License-Identifier: MIT
   qsweep under failing allocations and writes: a thread a head, threads that share one, halving, a part
   of the points with folds and a test, what is there already, a whole sweep that is. Heads that are
   finished stay. */
#include "whole/whole.h"

#define SMALL " --qubits 2 --layers 1 --classifier 4 --batch-size 16"

const char *const fault_inputs[] = {
    "extract-features -q data/digits/test-images-idx3-ubyte --resize 28 --limit 40 --no-provenance -o "
    "f.h5",
    "extract-features -q data/digits/test-images-idx3-ubyte --resize 28 --limit 30 --no-provenance -o "
    "t.h5",
    "qsweep -q f.h5 --grid lr=1e-2,3e-2 --reduction 4 --epochs 1 --no-provenance" SMALL " -o older.h5",
    "circuit qasm --qubits 2 --layers 1 >c.qasm",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "qsweep",
      .command =
          "qsweep ../in/f.h5 --grid lr=1e-3,1e-2,3e-2 --reduction 4 --epochs 2 --replicas 2 --threads 2 "
          "--no-provenance" SMALL " -q -o out.h5",
      .old = "cp ../in/older.h5 out.h5; cp -r ../in/older-heads out-heads",
      .several = true },
    { .name = "qsweep of two points, shared by threads, with its record",
      .command =
          "qsweep -q ../in/f.h5 --grid lr=1e-3,1e-2 --reduction 4 --epochs 2 --replicas 2 --threads 3 "
          "--circuit-file ../in/c.qasm -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .varies = true,
      .several = true },
    { .name = "qsweep halving",
      .command =
          "qsweep -q ../in/f.h5 --grid lr=1e-3,1e-2,3e-2,1e-1 --reduction 4 --epochs 4 --replicas 2 "
          "--threads 3 --halving --no-provenance" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .several = true },
    { .name = "qsweep of a shard, with folds and a test",
      .command = "qsweep -q ../in/f.h5 --grid lr=1e-3,1e-2,3e-2 --reduction 4 --epochs 1 --shard 0/2 "
                 "--folds 2 --test ../in/t.h5 --no-provenance" SMALL " -o out.h5",
      .several = true },
    { .name = "qsweep that is up to date, or is made again where that cannot be read",
      .command = "qsweep ../in/f.h5 --grid lr=1e-2,3e-2 --reduction 4 --epochs 1 --json "
                 "--no-provenance" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5; cp -r ../in/older-heads out-heads",
      .several = true,
      .talks = true },
    { .name = "qsweep tried for a moment",
      .command = "qsweep -q ../in/f.h5 --grid lr=1e-3,1e-2,3e-2 --reduction 4 --epochs 2 --threads 2 "
                 "--halving --dry-run" SMALL " -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .several = true,
      .talks = true },
    { .name = "qsweep on a GPU",
      .command = "qsweep -q ../in/f.h5 --grid lr=1e-3,1e-2 --reduction 4 --epochs 1 --threads 2 "
                 "--no-provenance --device cuda" SMALL " -o out.h5",
      .several = true,
      .gpu = "64000000",
      .slower = 2 },
    { 0 },
};
