#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the digits of scikit-learn as IDX files beside this script: the same bytes as those that are kept here.

Grey 0..16 becomes 0..255 (rounded). Test images: sort by (label, position), take every fifth, 360 of 1,797; so each class gives
its fifth, and the files keep scikit-learn's order."""
import pathlib
import struct

import numpy as np
from sklearn.datasets import load_digits

here = pathlib.Path(__file__).resolve().parent
digits = load_digits()
images = np.floor(digits.images * 255 / 16 + 0.5).astype(np.uint8)
labels = digits.target.astype(np.uint8)
test = np.sort(np.argsort(labels, kind="stable")[::5])
train = np.setdiff1d(np.arange(len(labels)), test)
for name, rows in (("train", train), ("test", test)):
    n, height, width = images[rows].shape
    (here / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, n, height, width) + images[rows].tobytes())
    (here / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, n) + labels[rows].tobytes())
