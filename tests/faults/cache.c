/* SPDX-License-Identifier: MIT
   Every command of cache under failing allocations and writes. */
#include "whole/whole.h"

#define EXTRACT "extract-features -q data/digits/test-images-idx3-ubyte --resize 28 --limit 192 "

const char *const fault_inputs[] = {
    EXTRACT "--shard 0/3 --no-provenance -o 0.h5; " EXTRACT
            "--shard 1/3 --no-provenance -o 1.h5; " EXTRACT "--shard 2/3 --no-provenance -o 2.h5",
    EXTRACT "-o f.h5 && " EXTRACT "--store store -o g.h5 && rm g.h5",
    "extract-features -q data/digits/test-images-idx3-ubyte --limit 10 -o ten.h5",
    "qtrain -q f.h5 --epochs 1 -o h.h5 >/dev/null && qtrain -q f.h5 --epochs 2 -o h2.h5 >/dev/null",
    "qeval -q h.h5 f.h5 -o r.h5",
    "tournament -q --synthetic 4 --rows 20 --bits 12 --only-bits -o bits.h5 && tournament -q bits.h5 -o "
    "t.h5",
    "qtrain -q f.h5 --epochs 100000 --checkpoint-every 1 --reduction 8 -o s.h5 >/dev/null 2>&1 & p=$!; "
    "until [ -e .s.h5.checkpoint ]; do kill -0 $p || exit 1; done; kill -TERM $p; wait $p 2>/dev/null; "
    "mv .s.h5.checkpoint stopped",
    "head -c 5000 h.h5 >bad.h5; touch .out.h5.1.ketline-tmp",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "cache merge",
      .command = "cache merge ../in/2.h5 ../in/0.h5 ../in/1.h5 -o out.h5",
      .old = "cp ../in/ten.h5 out.h5",
      .varies = true },
    { .name = "cache list", .command = "cache list ../in --json", .tells = true },
    { .name = "cache show", .command = "cache show ../in/h.h5" },
    { .name = "cache show, of pairs", .command = "cache show ../in/t.h5" },
    { .name = "cache show --json, of pairs", .command = "cache show --json ../in/t.h5" },
    { .name = "cache log", .command = "cache log ../in/r.h5" },
    { .name = "cache verify",
      .command = "cache verify ../in/h.h5 ../in/0.h5 ../in/r.h5",
      .tells = true },
    { .name = "cache gc",
      .command = "cache gc . --older-than 7 --apply",
      .old = "mkdir a; cp -p ../in/0.h5 a; cp -p ../in/1.h5 ../in/2.h5 .; cp ../in/stopped "
             ".s.h5.checkpoint; touch -d '9 days ago' .out.h5.1.ketline-tmp .s.h5.checkpoint",
      .before = "touch -c -d '30 days ago' a/0.h5 1.h5", /* to compare a file is to use it */
      .several = true,
      .tells = true,
      .removes = true },
    { .name = "cache gc --json",
      .command = "cache gc . --older-than 7 --json",
      .old = "touch -d '9 days ago' .out.h5.1.ketline-tmp" },
    { .name = "cache fsck", .command = "cache fsck ../in/store", .tells = true },
    { .name = "cache fsck --repair",
      .command = "cache fsck . --repair",
      .old = "cp -r ../in/store/. .", /* whole: not to be put aside because it cannot be read */
      .tells = true },
    { .name = "cache pull", .command = "cache pull ../in/store --store s", .several = true },
    { 0 },
};
