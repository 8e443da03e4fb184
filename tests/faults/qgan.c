/* SPDX-License-Identifier: MIT
   qgan under failing allocations, writes, fsyncs and renames: both protocols, both generators. */
#include "whole/whole.h"

#define BITS                                                                                      \
    "awk 'BEGIN { for (d = 1; d <= 2; d++) for (r = 0; r < 12; r++) { s = \"\"; "                 \
    "for (j = 0; j < 64; j++) s = s ((r * 7 + j * j * 5 + d * j * r) % (d + 4) < 3); print s, d " \
    "} }' >bits.txt"

const char *const fault_inputs[] = {
    BITS,
    "qgan -q bits.txt -m 3 --epochs 2 --no-provenance -o older.h5",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "qgan",
      .command =
          "qgan -q ../in/bits.txt -m 2 --epochs 3 --resamples 10 -j 1 --no-provenance -o out.h5" },
    { .name = "qgan on two threads, over an older file, with its record",
      .command = "qgan -q ../in/bits.txt -m 2 --epochs 2 --loss kl --resamples 10 -j 2 -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .varies = true },
    { .name = "qgan, a circuit by kernel distance",
      .command =
          "qgan -q ../in/bits.txt -g quantum -l mmd -m 3 --epochs 2 --repetitions 1 --resamples 10 -j 1 "
          "--no-provenance -o out.h5" },
    { .name = "qgan, a circuit by shots",
      .command =
          "qgan -q ../in/bits.txt -g quantum -m 2 --epochs 2 --repetitions 1 --shots 10 --resamples 10 "
          "-j 1 --no-provenance -o out.h5" },
    { .name = "qgan --reference",
      .command = "qgan -q ../in/bits.txt --reference --epochs 1 -j 1 --no-provenance -o out.h5",
      .slower = 4 },
    { .name = "qgan --reference, a circuit",
      .command = "qgan -q ../in/bits.txt --reference -g quantum --epochs 1 --repetitions 1 -j 1 "
                 "--no-provenance -o out.h5" },
    { .name = "qgan --reference on a GPU",
      .command = "qgan -q ../in/bits.txt --reference --epochs 1 -j 1 --no-provenance --device cuda -o "
                 "out.h5",
      .gpu = "128000000",
      .slower = 4 },
    { .name = "qgan --reference, a circuit, on a GPU",
      .command = "qgan -q ../in/bits.txt --reference -g quantum --epochs 1 --repetitions 1 -j 1 "
                 "--no-provenance --device cuda -o out.h5",
      .gpu = "64000000",
      .slower = 2 },
    { 0 },
};
