#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes spectra.h5: windows with what SciPy's welch says of their density and of the power of 8 to 13 Hz, and values at electrodes with
the map between them by MNE-Python's spherical splines.

    pip install mne scipy h5py; python3 tests/golden/make_spectra.py
"""
import os

import h5py
import mne
import numpy as np
import scipy
from mne.channels.interpolation import _make_interpolation_matrix
from scipy.signal import welch

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spectra.h5")
rng = np.random.RandomState(11)


def band(f, p, low, high):
    """Integral of a density that is straight between its bins."""
    at = np.r_[low, f[(f > low) & (f < high)], high]
    return np.trapezoid([np.interp(at, f, row) for row in p], at)


with h5py.File(OUT, "w") as file:
    for n, rate in ((249, 80.0), (480, 80.0), (97, 100.0), (1000, 160.0)):
        t = np.arange(n) / rate
        x = np.stack([a * np.sin(2 * np.pi * 10.5 * t + k) + rng.randn(n) * 5 + 3 * k for k, a in enumerate((10, 4, 0))]).astype("f4")
        f, p = welch(x.astype("f8"), rate, "hann", nperseg=n, detrend="constant")
        g = file.create_group("welch-%d" % n)
        g.attrs["rate"] = rate
        g["x"], g["density"], g["band"] = x, p, band(f, p, 8, 13)
    # Places on the disc, radii being angles from the vertex: 17 of the 10-20 system, and 60 at random.
    for name, n in (("few", 17), ("many", 60)):
        radius, angle = np.sqrt(rng.rand(n)) * 0.9, rng.rand(n) * 2 * np.pi
        disc = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        to = np.stack(np.meshgrid(np.linspace(-0.9, 0.9, 9), np.linspace(-0.9, 0.9, 9)), axis=-1).reshape(-1, 2)
        to = to[np.hypot(*to.T) <= 1]

        def sphere(d):
            r = np.hypot(*d.T)
            with np.errstate(invalid="ignore"):
                unit = np.where(r[:, None] > 0, d / np.maximum(r, 1e-300)[:, None], 0)
            return np.c_[unit * np.sin(r * np.pi / 2)[:, None], np.cos(r * np.pi / 2)]
        values = rng.randn(n) + 2
        weights = _make_interpolation_matrix(sphere(disc), sphere(to), alpha=1e-9)
        g = file.create_group("scalp-" + name)
        g["positions"], g["values"], g["places"], g["map"] = disc, values, to, weights @ values
    file.attrs["made by"] = "SciPy %s, MNE-Python %s" % (scipy.__version__, mne.__version__)
print(os.path.getsize(OUT), "bytes")
