#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the corpora of tests/fuzz: small files in FOLDER/TARGET/. Those named bad-* must be refused; found-* is what fuzzing itself
has found. Archives and pickles are made by Python's own pickle and zipfile, arrays by NumPy, HDF5 by h5py: not by ketline.

    python3 tests/fuzz/make_corpus.py FOLDER   # make does it: build/corpus
"""
from corpus import arrays, control, device_bits, images, ladders, pickles, qasm, recordings, safetensors, store, tables, texts

if __name__ == "__main__":
    for maker in (arrays, control, device_bits, images, ladders, pickles, qasm, recordings, safetensors, store, tables, texts):
        for name in dir(maker):
            if name.startswith("make_"):
                getattr(maker, name)()
