/* SPDX-License-Identifier: MIT
   qseq under failing allocations and writes: windows of recordings and of arrays, classifiers fitted, a
   net trained, both judged, their reports compared. */
#include "whole/whole.h"

#define FIT "qseq fit -q ../in/S001.h5 ../in/S002.h5 --split within"

const char *const fault_inputs[] = {
    "qseq generate people -q --people 2 --channels 8 --trials 4 --effect 0.9 -o people",
    "for p in 1 2; do qseq windows -q people/S00$p*.edf --rate 20 --no-provenance -o S00$p.h5 || exit "
    "1; "
    "done",
    "qseq windows -q people/S001R04.edf --rate 10 --no-provenance -o older.h5",
    "{ printf '\\223NUMPY\\1\\0v\\0'; printf '%-117s\\n' \"{'descr': '<f4', 'fortran_order': False, "
    "'shape': (3, "
    "4, 2), }\"; printf '%096d' 0; } >array.npy",
    "qseq fit -q S001.h5 S002.h5 --split within --filters 2 --no-provenance -o csp.h5",
    "qseq fit -q S001.h5 --split within --method mdm --no-provenance -o older-fit.h5",
    "qseq train -q S001.h5 S002.h5 --split within -m means --epochs 2 --replicas 2 --no-provenance -o "
    "m.h5",
    "qseq train -q S001.h5 --split within -m means --epochs 1 --no-provenance -o older-m.h5",
    "for m in csp m; do qseq eval -q $m.h5 S001.h5 S002.h5 --no-provenance -o $m.report.h5 || exit 1; "
    "done",
    "qseq eval -q older-m.h5 S001.h5 --no-provenance -o older-report.h5",
    "qseq predict -q older-m.h5 S001.h5 --no-provenance -o older-named.h5",
    "qseq compare -q csp.report.h5 m.report.h5 --metric log_loss --no-provenance -o older-compared.h5",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "qseq windows of recordings",
      .command = "qseq windows ../in/people/S001R04.edf ../in/people/S001R08.edf --rate 20 --band 2:8 "
                 "--threads 2 --no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .talks = true },
    { .name = "qseq windows of an array",
      .command = "qseq windows ../in/array.npy --channels C3,C4,Cz,Fz --unit uV --array-rate 20 "
                 "--no-provenance -o out.h5",
      .old = "cp ../in/older.h5 out.h5",
      .talks = true },
    { .name = "qseq fit, spatial patterns of aligned windows",
      .command = FIT " --filters 2 --align train --threads 2 --no-provenance -o out.h5",
      .old = "cp ../in/older-fit.h5 out.h5" },
    { .name = "qseq fit, tangent space, with its record",
      .command = FIT " --method tangent-lr --align subject --threads 1 -o out.h5",
      .old = "cp ../in/older-fit.h5 out.h5",
      .varies = true },
    { .name = "qseq fit, least distance",
      .command = FIT " --method mdm --estimator sample --threads 1 --no-provenance --json -o out.h5",
      .old = "cp ../in/older-fit.h5 out.h5",
      .several = true, /* words that fail come behind the file */
      .talks = true },
    { .name = "qseq fit, all folds",
      .command = "qseq fit -q ../in/S001.h5 ../in/S002.h5 --method mdm --split loro --val-fraction 0 "
                 "--fold all --threads 1 --no-provenance -o out.h5",
      .old = "cp ../in/older-report.h5 out.h5; mkdir out.h5.folds",
      .several = true,
      .slower = 2 },
    { .name = "qseq sweep, all folds",
      .command =
          "qseq sweep ../in/S001.h5 ../in/S002.h5 --split loro --val-fraction 0.3 -m means "
          "--epochs 1 --grid lr=1e-2,3e-2 --fold all --threads 1 --no-provenance --json -o out.h5",
      .old = "cp ../in/older-report.h5 out.h5; mkdir out.h5.folds",
      .several = true,
      .talks = true,
      .slower = 4 },
    { .name = "qseq train",
      .command =
          "qseq train -q ../in/S001.h5 ../in/S002.h5 --split within -m hydra --qubits 2 --epochs 2 "
          "--replicas 2 --standardise subject --threads 2 --no-provenance -o out.h5",
      .old = "cp ../in/older-m.h5 out.h5" },
    { .name = "qseq train on a GPU",
      .command = "qseq train -q ../in/S001.h5 --split within -m hydra --qubits 2 --layers 1 --epochs 1 "
                 "--batch-size 4 --threads 1 --no-provenance --device cuda -o out.h5",
      .old = "cp ../in/older-m.h5 out.h5",
      .gpu = "64000000" },
    { .name = "qseq train of a state-space net on a GPU",
      .command = "qseq train -q ../in/S001.h5 --split within -m classical-hydra --width 8 --state 3 "
                 "--epochs 1 --batch-size 8 --threads 1 --no-provenance --device cuda -o out.h5",
      .old = "cp ../in/older-m.h5 out.h5",
      .gpu = "64000000" },
    { .name = "qseq bench on a GPU",
      .command = "qseq bench ../in/S001.h5 -m twin --qubits 2 --layers 1 -b 8 --seconds 0.01 "
                 "--threads 1 --device cuda --json",
      .talks = true,
      .timed = true,
      .gpu = "64000000",
      .slower = 2 },
    { .name = "qseq eval of a net",
      .command =
          "qseq eval ../in/m.h5 ../in/S001.h5 ../in/S002.h5 --threads 2 --no-provenance -o out.h5",
      .old = "cp ../in/older-report.h5 out.h5" },
    { .name = "qseq eval of a fit, with its record",
      .command = "qseq eval ../in/csp.h5 ../in/S001.h5 ../in/S002.h5 --threads 1 -o out.h5",
      .old = "cp ../in/older-report.h5 out.h5",
      .varies = true },
    { .name = "qseq predict",
      .command =
          "qseq predict ../in/m.h5 ../in/S001.h5 --csv p.csv --threads 1 --no-provenance -o out.h5",
      .old = "cp ../in/older-named.h5 out.h5",
      .several = true },
    { .name = "qseq compare", .command = "qseq compare ../in/csp.report.h5 ../in/m.report.h5" },
    { .name = "qseq compare with its file",
      .command = "qseq compare ../in/csp.report.h5 ../in/m.report.h5 --no-provenance -o out.h5",
      .old = "cp ../in/older-compared.h5 out.h5" },
    { .name = "qseq compare as an object",
      .command = "qseq compare ../in/csp.report.h5 ../in/m.report.h5 --json" },
    { .name = "qseq compare as a table",
      .command = "qseq compare ../in/csp.report.h5 ../in/m.report.h5 --csv -" },
    { 0 },
};
