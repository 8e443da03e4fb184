/* SPDX-License-Identifier: MIT
   qeval under failing allocations and writes: two heads judged and compared, with everything said. */
#include "whole/whole.h"

const char *const fault_inputs[] = {
    "extract-features -q data/digits/test-images-idx3-ubyte --resize 28 --limit 40 --no-provenance -o "
    "f.h5",
    "qtrain -q f.h5 --epochs 1 --reduction 8 --replicas 2 -o a.h5 >/dev/null",
    "qtrain -q f.h5 --epochs 1 --reduction 8 --replicas 2 --seed 1 -o b.h5 >/dev/null",
    "qeval -q b.h5 f.h5 -o older.h5 >/dev/null",
    "qeval -q --predict b.h5 f.h5 -o predicted.h5",
    "awk 'BEGIN { for (i = 0; i < 60; i++) { s = \"\"; for (j = 0; j < 8; j++) s = s (i * (i % 3 + j) % "
    "7 < 3); print s, i % "
    "3 + 1 } }' >bits.txt",
    "qtrain -q --qrng bits.txt --epochs 2 --seeds 2 --null 2 -o devices.h5",
    "qtrain -q --qrng bits.txt --epochs 2 --seeds 2 --reference -o reference.h5",
    "qeval -q --qrng reference.h5 bits.txt -o older-devices.h5",
    "qeval -q --qrng devices.h5 bits.txt -o older-reference.h5",
    "echo '{\"schema\":1,\"claims\":[{\"claim\":\"a\",\"file\":\"older.h5\",\"attribute\":\"log_loss\","
    "\"low\":0,\"high\":9}]}' >claims.json",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "qeval",
      .command =
          "qeval ../in/a.h5 ../in/f.h5 --compare ../in/b.h5 --threads 2 -v --no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qeval, a table",
      .command = "qeval ../in/a.h5 ../in/b.h5 ../in/f.h5 --json --threads 2" },
    { .name = "qeval --predict",
      .command =
          "qeval --predict ../in/a.h5 ../in/f.h5 --csv p.csv --threads 2 --no-provenance -o out.h5",
      .old = "cp ../in/predicted.h5 out.h5",
      .several = true },
    { .name = "qeval with its record and a store",
      .command = "qeval -q ../in/a.h5 ../in/f.h5 --split val --store store --note words -o out.h5",
      .old = "cp ../in/older.h5 out.h5; mkdir store",
      .may_lack = "./store/",
      .varies = true,
      .several = true },
    { .name = "qeval under noise with shots",
      .command = "qeval ../in/a.h5 ../in/f.h5 --noise depolarizing=0.01,readout-1=0.02 --shots 20 "
                 "--no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qeval by trajectories",
      .command = "qeval ../in/a.h5 ../in/f.h5 --noise depolarizing=0.01,amplitude-damping=0.02 "
                 "--trajectories 3 --no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qeval, mitigated",
      .command = "qeval ../in/a.h5 ../in/f.h5 --noise depolarizing=0.01,readout-1=0.02 --shots 20 "
                 "--mitigate-readout --zne 1,3 --no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qeval --qrng",
      .command = "qeval -q --qrng ../in/devices.h5 ../in/bits.txt --no-provenance -o out.h5",
      .old = "cp ../in/older-devices.h5 out.h5" },
    { .name = "qeval --qrng of the reference, with its record",
      .command = "qeval --qrng ../in/reference.h5 ../in/bits.txt -o out.h5",
      .old = "cp ../in/older-reference.h5 out.h5",
      .varies = true },
    { .name = "qeval --verify", .command = "qeval --verify ../in/claims.json --json" },
    { .name = "qeval on a GPU",
      .command = "qeval -q ../in/a.h5 ../in/f.h5 --compare ../in/b.h5 --threads 1 --no-provenance "
                 "--device cuda -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .gpu = "64000000",
      .slower = 2 },
    { 0 },
};
