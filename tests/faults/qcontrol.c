/* SPDX-License-Identifier: MIT
   qcontrol optimize, and train for a model, under failing allocations, writes, fsyncs and renames, and
   on a GPU; there train of a qubit, too. */
#include "whole/whole.h"

const char *const fault_inputs[] = {
    "qcontrol optimize -q --segments 2 --starts 1 --iterations 2 --no-provenance -o older.h5",
    "printf 'x,y\\n1,0\\n1,0\\n' >start.csv",
    "printf 'name: m\\ntime-unit: 1\\nlevels: 2\\nduration: 1\\nhamiltonian:\\n  - {name: d, operator: "
    "n, value: 0}\\n"
    "controls:\\n  - {name: x, operator: a + ad, limit: 3}\\n' >model.yaml",
    0,
};

#define SMALL "qcontrol optimize -q --segments 2 --starts 2 --iterations 2 -j 1 --no-provenance "
const struct fault_job fault_jobs[] = {
    { .name = "qcontrol optimize, an ensemble, from a stored pulse",
      .command = SMALL "--spread detuning=0.1 --members 2 --start ../in/older.h5 -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .slower = 4 },
    { .name = "qcontrol optimize, a race of the starts, one of a table",
      .command =
          "qcontrol optimize -q --segments 2 --starts 2 --iterations 22 --finalists 1 -m adam -j 1 "
          "--no-provenance --start ../in/start.csv -o out.h5",
      .slower = 4 },
    { .name = "qcontrol train for a model",
      .command = "qcontrol train -q --model ../in/model.yaml --range d=-1:1 --start zero -k 1 -b 2 "
                 "--hidden-dim 4 "
                 "--n-segments 1 -i 1 --val-tasks 2 -j 1 --no-provenance -o out.h5",
      .slower = 4 },
    { .name = "qcontrol optimize on a GPU",
      .command = SMALL "--device cuda -o out.h5",
      .gpu = "4000000",
      .slower = 2 },
    { .name = "qcontrol train on a GPU",
      .command = "qcontrol train -q --method maml -k 1 -b 2 --hidden-dim 4 --n-segments 1 -i 1 "
                 "--val-tasks 2 -j 1 --no-provenance --device cuda -o out.h5",
      .gpu = "4000000",
      .slower = 2 },
    { 0 },
};
