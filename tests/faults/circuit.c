/* SPDX-License-Identifier: MIT
   circuit plateau under failing allocations, writes, fsyncs and renames. */
#include "whole/whole.h"

const char *const fault_inputs[] = { 0 };

const struct fault_job fault_jobs[] = {
    { .name = "circuit plateau",
      .command = "circuit plateau --qubits 1-3 --layers 1,2 --draws 40 --resamples 20 -j 1 "
                 "--no-provenance -q -o out.h5" },
    { .name = "circuit plateau, all parameters, over an older file",
      .command = "circuit plateau --qubits 2,3 --layers 1,2 --draws 40 --resamples 20 --parameter all "
                 "-q --progress none -o out.h5",
      .old = "circuit plateau --qubits 2 --layers 1 -q -o out.h5",
      .varies = true,
      .slower = 2 },
    { 0 },
};
