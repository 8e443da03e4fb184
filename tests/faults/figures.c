/* SPDX-License-Identifier: MIT
   figures under failing allocations and writes of ours; those within cairo are cairo's. */
#include "whole/whole.h"

const char *const fault_inputs[] = {
    "extract-features -q data/digits/test-images-idx3-ubyte --resize 28 --limit 40 -o "
    "f.h5",
    "qtrain -q f.h5 --epochs 2 --reduction 8 -o h.h5 >/dev/null",
    "qeval -q h.h5 f.h5 -o r.h5",
    "tournament -q --synthetic 4 --rows 20 --bits 12 --only-bits -o b.h5; tournament -q b.h5 "
    "--null 20 -o t.h5; "
    "tournament -q --synthetic 4 --rows 20 --bits 12 --trials 0 --null 20 -o s.h5",
    "tournament -q --synthetic 3 --variant validate --rows 20 --trials 0 --null 20 -o v.h5",
    "for i in 1 2 3; do echo 01101100 1; echo 11010100 2; done >bits.txt",
    "extract-features --qrng bits.txt -q -o bits.h5",
    "qtrain --qrng -q b.h5 --seeds 2 --epochs 2 --null 1 -o c.h5; qeval --qrng -q c.h5 b.h5 -o cr.h5",
    "qseq generate people -q --people 1 --channels 8 --trials 4 -o people && qseq windows -q people/*R04.edf "
    "--rate 10 -o w.h5 && qseq bench -q w.h5 -m means -b 2 --seconds 0.01 -j 2 -o bench.h5",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "figures, all as SVG",
      .command = "figures -q ../in/h.h5 ../in/r.h5 ../in/f.h5 --images "
                 "../in/data/digits/test-images-idx3-ubyte "
                 "--format svg -o out",
      .old = "mkdir out; echo '<svg old>' >out/pca.svg; echo other >out/other.svg",
      .several = true },
    { .name = "figures of devices",
      .command = "figures -q ../in/t.h5 ../in/s.h5 --format svg -o out",
      .several = true },
    { .name = "figures of device classifiers",
      .command = "figures -q ../in/c.h5 ../in/cr.h5 --format svg -o out",
      .several = true,
      .slower = 3 },
    { .name = "figure of validation beside a report",
      .command = "figures -q ../in/v.h5 ../in/cr.h5 --figure validation -o out.svg",
      .slower = 3 },
    { .name = "figure of a training's scaling",
      .command = "figures -q ../in/bench.h5 --figure scaling -o out.svg",
      .slower = 3 },
    { .name = "figures, one PNG",
      .command = "figures -q ../in/r.h5 --figure confusion -o out.png",
      .old = "printf '\\211PNG\\r\\n\\032\\nold' >out.png",
      .slower = 3 },
    { .name = "figure, one PDF for a paper",
      .command = "figures -q ../in/r.h5 --figure confusion --width 86mm -o out.pdf",
      .old = "printf '%%PDF-old' >out.pdf",
      .slower = 3 },
    { .name = "figures of device bits",
      .command = "figures -q ../in/bits.h5 --format svg -o out",
      .old = "mkdir out; echo '<svg old>' >out/frequency.svg",
      .several = true,
      .slower = 3 },
    { .name = "figures, a page",
      .command = "figures -q ../in/h.h5 ../in/r.h5 --report out.html",
      .old = "echo '<!DOCTYPE html>old' >out.html",
      .slower = 3 },
    { 0 },
};
