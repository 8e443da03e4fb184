/* SPDX-License-Identifier: MIT
   qconvert under failing allocations and writes: heads out in each format, and in from each of three.
 */
#include "whole/whole.h"

const char *const fault_inputs[] = {
    "extract-features -q data/digits/test-images-idx3-ubyte --resize 28 --limit 40 --no-provenance -o "
    "f.h5",
    "qtrain -q f.h5 --epochs 1 --reduction 8 --replicas 2 -o h.h5 >/dev/null",
    "qtrain -q f.h5 --epochs 1 --reduction 8 --seed 1 -o older.h5 >/dev/null",
    "qconvert -q h.h5 --all-replicas -o h.npz; qconvert -q older.h5 -o older.npz; qconvert -q h.h5 -o "
    "h.safetensors; qconvert -q older.h5 -o older.safetensors",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "qconvert to npz",
      .command = "qconvert -q ../in/h.h5 --all-replicas -o out.npz",
      .old = "cp ../in/older.npz out.npz" },
    { .name = "qconvert to safetensors",
      .command = "qconvert ../in/h.h5 --replica 1 -o out.safetensors",
      .old = "cp ../in/older.safetensors out.safetensors" },
    { .name = "qconvert to a program",
      .command = "qconvert ../in/h.h5 --force -o out.py",
      .old = "echo old >out.py" },
    { .name = "qconvert from npz",
      .command =
          "qconvert -q ../in/h.npz --features ../in/f.h5 --embedding angle-x --no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5" },
    { .name = "qconvert from safetensors, with its record",
      .command = "qconvert -q ../in/h.safetensors --features ../in/f.h5 --map reduce.0=reduce.0 --store "
                 "store -o out.h5",
      .old = "cp ../in/older.h5 out.h5; mkdir store",
      .may_lack = "./store/",
      .varies = true,
      .several = true },
    { 0 },
};
