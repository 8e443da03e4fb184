#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/streams.h5: what NumPy's RandomState and scikit-learn's StratifiedShuffleSplit draw, for
tests/golden/streams.c. Needs numpy, scikit-learn, h5py."""
import os
import h5py
import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

with h5py.File(os.path.join(os.path.dirname(os.path.abspath(__file__)), "streams.h5"), "w", libver=("earliest", "v108")) as f:
    for seed in 0, 42, 4294967295:
        g = f.create_group(f"seed_{seed}")
        g.attrs["seed"] = np.float64(seed)
        g["words"] = np.random.RandomState(seed).randint(0, 2**32, 2000, dtype=np.uint64)[-16:]
        g["units"] = np.random.RandomState(seed).random_sample(700)[-16:]
        for n in 1, 2, 300:
            g[f"permutation_{n}"] = np.random.RandomState(seed).permutation(n).astype(np.int16)
        labels = np.arange(120) * 7 % 3
        split = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
        train, test = next(split.split(np.zeros((120, 1)), labels))
        g["stratified"] = np.concatenate((train, test)).astype(np.int16)
