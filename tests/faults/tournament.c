/* SPDX-License-Identifier: MIT
   tournament under failing allocations and writes. */
#include "whole/whole.h"

const char *const fault_inputs[] = {
    "awk 'BEGIN { for (d = 1; d <= 3; d++) for (r = 0; r < 20; r++) { s = \"\"; for (j = 0; j < 12; "
    "j++) "
    "s = s ((r * 7 + j * j * 5 + d * j * r) % (d + 4) < 3); print s \" \" d } }' >bits.txt",
    "echo 'draws a matrix' >seed",
    "tournament -q bits.txt --seed 1 --null 20 -o older.h5 >/dev/null",
    "tournament -q --synthetic 3 --rows 10 --bits 8 --null 2 --trials 0 -o older-synthetic.h5 "
    ">/dev/null",
    "tournament --nist -q bits.txt --permutations 0 -o older-nist.h5 >/dev/null",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "tournament",
      .command = "tournament ../in/bits.txt --symbol-bits 2 --null 30 --resamples 20 --threads 2 -v "
                 "--no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .talks = true },
    { .name = "tournament with its record and a store",
      .command =
          "tournament -q ../in/bits.txt --reference --null 30 --resamples 20 --store store --note "
          "words -o out.h5",
      .old = "cp ../in/older.h5 out.h5; mkdir store",
      .may_lack = "./store/",
      .varies = true,
      .several = true },
    { .name = "tournament of synthetic devices",
      .command = "tournament --synthetic 4 --rows 60 --bits 10 --null 20 --trials 2 --threads 2 "
                 "--no-provenance -o out.h5",
      .old = "cp ../in/older-synthetic.h5 out.h5",
      .talks = true },
    { .name = "tournament of the study's devices",
      .command = "tournament --synthetic 3 --variant validate --rows 20 --bits 10 --null 0 --trials 0 "
                 "--threads 2 --no-provenance -o out.h5",
      .talks = true }, /* the time that it took */
    { .name = "tournament, the bits of the study's devices",
      .command = "tournament --synthetic 3 --variant validate --rows 20 --only-bits --no-provenance -o "
                 "out.h5",
      .talks = true }, /* the time that it took */
    { .name = "the standards",
      .command = "tournament --nist ../in/bits.txt --symbol-bits 2 --permutations 20 --threads 2 -v "
                 "--no-provenance -o out.h5",
      .old = "cp ../in/older-nist.h5 out.h5",
      .talks = true,
      .slower = 4 },
    { .name = "Toeplitz extraction",
      .command = "tournament -f --extract toeplitz ../in/bits.txt --min-entropy 0.9 --security 10 "
                 "--block-bits 64 --hash-seed ../in/seed -q -o out.bin",
      .old = "echo old >out.bin" },
    { .name = "von Neumann extraction",
      .command = "tournament -f --extract von-neumann ../in/bits.txt -q -o out.bin",
      .old = "echo old >out.bin" },
    { 0 },
};
