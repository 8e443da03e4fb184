/* SPDX-License-Identifier: MIT
   extract-features under failing allocations and writes: each source of images, both formats of weights,
   resizing, a part. */
#include "whole/whole.h"

#define DIGITS "../in/digits-images-idx3-ubyte"

const char *const fault_inputs[] = {
    "cp data/digits/test-images-idx3-ubyte digits-images-idx3-ubyte",
    "cp data/digits/test-labels-idx1-ubyte digits-labels-idx1-ubyte",
    "gzip -c digits-images-idx3-ubyte >gz-images-idx3-ubyte.gz; gzip -c digits-labels-idx1-ubyte "
    ">gz-labels-idx1-ubyte.gz",
    "extract-features -q digits-images-idx3-ubyte --limit 300 --resize 28 -o f.h5",
    "extract-features -q gz-images-idx3-ubyte.gz --limit 129 --resize 14 --dtype f16 -o most.h5",
    "qtrain -q f.h5 --epochs 1 -o h.h5 >/dev/null",
    "figures -q h.h5 --format png -o pictures && mkdir pictures/a pictures/b && mv pictures/curves.png "
    "pictures/a && "
    "mv pictures/circuit.png pictures/b",
    "for i in 1 2 3 4; do echo 0110110110; echo 1101100101; done >b.txt; "
    "sed 's/$/ 1/; p; s/1$/2/' b.txt >bits.txt",
    "awk 'BEGIN { for (i = 0; i < 400; i++) printf \"%02x\", (x = (x * 75 + 74) % 65537) / 256 % 256 }' "
    ">b.hex",
    "extract-features --qrng b.txt -q -o bits.h5",
    "{ head -1 data/wine/wine.csv; sed -n '2~9p' data/wine/wine.csv; } >wine.csv; "
    "extract-features wine.csv --label cultivar -q -o wine.h5",
    "printf \"\\223NUMPY\\1\\0\\74\\0{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }\\n"
    "0000aaaa11112222bbbb3333ccccdddd\" >x.npy; printf \"\\223NUMPY\\1\\0\\74\\0{'descr': '|S1', "
    "'fortran_order': False, 'shape': (4,), }  \\nABBA\" >y.npy",
    "printf \"\\223NUMPY\\1\\0\\77\\0{'descr': '|S10', 'fortran_order': False, 'shape': (1,), }    "
    "\\n0110110110\" >b.npy",
    0,
};

const struct fault_job fault_jobs[] = {
    { .name = "extract-features from IDX",
      .command = "extract-features -q " DIGITS " --limit 2 --threads 2 --no-provenance -o out.h5",
      .slower = 4,
      .keeps = ".ketline-partial",
      .old = "cp ../in/f.h5 out.h5" },
    { .name = "extract-features from IDX in gzip, a part, of which one image is there, its record",
      .command = "extract-features -q ../in/gz-images-idx3-ubyte.gz --limit 130 --shard 1/2 --resize 14 "
                 "--dtype f16 "
                 "--store store -o out.h5",
      .keeps = ".ketline-partial",
      .old = "cp ../in/most.h5 out.h5; mkdir store",
      .may_lack = "./store/",
      .varies = true,
      .several = true,
      .slower = 8 },
    { .name = "extract-features from PNG",
      .command = "extract-features -q ../in/pictures --resize 9 --skip-bad --no-provenance -o out.h5",
      .keeps = ".ketline-partial",
      .old = "cp ../in/f.h5 out.h5",
      .slower = 8 },
    { .name = "extract-features --qrng from text",
      .command = "extract-features --qrng ../in/bits.txt --symbol-bits 2 --reference --no-provenance -q "
                 "-o out.h5",
      .old = "cp ../in/bits.h5 out.h5" },
    { .name = "extract-features --qrng from our own file and from NumPy",
      .command = "extract-features --qrng ../in/bits.h5 ../in/b.npy -q --store store -o out.h5",
      .old = "cp ../in/bits.h5 out.h5; mkdir store",
      .may_lack = "./store/",
      .varies = true,
      .slower = 4 },
    { .name = "extract-features --qrng from text of bytes",
      .command = "extract-features --qrng ../in/b.hex --encoding hex --bits 13 "
                 "--only-statistics --no-provenance -q -o out.h5",
      .old = "cp ../in/bits.h5 out.h5",
      .slower = 4 },
    { .name = "extract-features of a table",
      .command = "extract-features -q ../in/wine.csv --label cultivar --ignore hue --split train "
                 "--no-provenance "
                 "-o out.h5",
      .old = "cp ../in/wine.h5 out.h5" },
    { .name = "extract-features of a table like another one",
      .command =
          "extract-features -q ../in/wine.csv --label cultivar --like ../in/wine.h5 --store store -o "
          "out.h5",
      .old = "cp ../in/wine.h5 out.h5; mkdir store",
      .may_lack = "./store/",
      .varies = true,
      .slower = 4 },
    { .name = "extract-features of arrays",
      .command =
          "extract-features -q ../in/x.npy --label ../in/y.npy --scale none --no-provenance -o out.h5",
      .old = "cp ../in/wine.h5 out.h5" },
    { .name = "extract-features with a .pth",
      .command = "extract-features -q " DIGITS
                 " --limit 1 --tap layer1 -w ../in/shared/weights/resnet18_gray28-10ad2fe8.pth "
                 "--no-provenance -o out.h5",
      .keeps = ".ketline-partial",
      .old = "cp ../in/f.h5 out.h5",
      .need = "../in/shared/weights/resnet18_gray28-10ad2fe8.pth",
      .slower = 8 },
    { .name = "extract-features on a GPU",
      .command = "extract-features -q " DIGITS " --limit 3 --resize 2 --tap layer1 --device cuda "
                 "--no-provenance -o out.h5",
      .keeps = ".ketline-partial",
      .old = "cp ../in/f.h5 out.h5",
      .gpu = "64000000",
      .slower = 2 },
    { .name = "extract-features on a GPU, in half precision",
      .command = "extract-features -q " DIGITS " --limit 2 --resize 2 --tap layer1 --device cuda "
                 "--precision fp16 --dtype f16 --threads 1 --no-provenance -o out.h5",
      .keeps = ".ketline-partial",
      .gpu = "64000000",
      .slower = 2 },
    { .name = "extract-features on a GPU, in full precision",
      .command = "extract-features -q " DIGITS " --limit 2 --resize 2 --tap layer1 --device cuda "
                 "--precision fp32 --threads 1 --no-provenance -o out.h5",
      .keeps = ".ketline-partial",
      .gpu = "64000000",
      .slower = 2 },
    { 0 },
};
