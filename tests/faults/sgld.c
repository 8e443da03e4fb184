/* SPDX-License-Identifier: MIT
   sgld sample under failing allocations, writes, fsyncs and renames, and on a GPU whose calls fail,
   where sgld head is, too; what it samples with fails in sampling.c. */
#include "whole/whole.h"

#define SMALL                                                                                         \
    " --test-mode -B 0,1 --warmup 1 --no-tune -e 2 --train-size 9 --test-size 9 --width 3 -j 1 -b 4 " \
    "--sampler sghmc --no-provenance"

const char *const fault_inputs[] = {
    "extract-features -q data/digits/test-images-idx3-ubyte --limit 6 --resize 2 --tap layer1 -o f.h5",
    "qtrain -q f.h5 --epochs 1 --reduction 4 --no-controls -o head.h5",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "sgld sample", .command = "sgld sample -q" SMALL " -o out.h5", .slower = 2 },
    { .name = "sgld sample on a GPU",
      .command = "sgld sample -q" SMALL " --device cuda -o out.h5",
      .gpu = "64000000",
      .slower = 2 },
    { .name = "sgld sample of layers on a GPU",
      .command = "sgld sample -q" SMALL " --model fcn2 --device cuda -o out.h5",
      .gpu = "64000000",
      .slower = 4 },
    { .name = "sgld head on a GPU",
      .command = "sgld head -q ../in/f.h5 --head ../in/head.h5 --rungs 2 --warmup 0 --draws 4 --keep 2 "
                 "--chains 1 --sampler sgld -j 1 --no-provenance --parameters circuit --device cuda -o "
                 "out.h5",
      .gpu = "64000000",
      .slower = 4 },
    { 0 },
};
