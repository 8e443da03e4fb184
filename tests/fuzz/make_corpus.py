#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the corpora of tests/fuzz, but for OpenQASM's and what fuzzing itself has found (named found-* and
bad-found-*): small files in tests/fuzz/NAME/. Those named bad-* must be refused. Archives and pickles are
made by Python's own pickle and zipfile, arrays by NumPy, HDF5 by h5py: not by ketline.

    python3 tests/fuzz/make_corpus.py          # the same bytes each time, but for some HDF5 files and pickles
"""
from corpus import arrays, control, device_bits, images, ladders, pickles, recordings, safetensors, store, tables, texts

if __name__ == "__main__":
    for maker in (arrays, control, device_bits, images, ladders, pickles, recordings, safetensors, store, tables, texts):
        for name in dir(maker):
            if name.startswith("make_"):
                getattr(maker, name)()
