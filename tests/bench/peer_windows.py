#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The work of windows.c by MNE-Python: three recordings read, resampled to 80 Hz, cut into 45 windows; the values are compared with
those of build/bench/windows --values. Wall time, as many threads as its libraries take."""
import os
import subprocess
import sys
import time

try:
    import mne
    import numpy as np
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)
mne.set_log_level("ERROR")
QUICK = "--quick" in sys.argv
OURS = os.path.join(os.environ.get("BUILD", "build"), "bench", "windows")
FILES = [os.path.join(os.environ.get("KETLINE_SHARED", "../shared"), "data", "eeg", f"S001R{r:02d}.edf") for r in (4, 8, 12)]
if not os.path.exists(FILES[0]):
    print("no recordings (KETLINE_SHARED)")
    sys.exit(77)


def windows(band=None):
    cut = []
    for name in FILES:
        raw = mne.io.read_raw_edf(name, preload=True)
        if band:
            raw.filter(*band)
        raw.resample(80)
        events, _ = mne.events_from_annotations(raw, event_id={"T1": 0, "T2": 1})
        events[:, 2] += 2
        cut.append(mne.Epochs(raw, events, {"T1": 2, "T2": 3}, 1.0, 4.1, baseline=None, preload=True).get_data())
    return np.concatenate(cut)


x = windows() * 1e6
value = float(np.sum(x.ravel().astype(np.float32) * np.sin(1.0 + np.arange(x.size) % 1013)))
if os.path.exists(OURS):
    lines = subprocess.run([OURS, "--values"], capture_output=True, text=True, check=True).stdout.split()
    ours = float(lines[lines.index("windows") + 1])
    print(f"windows: {value:.12g}, ours {ours:.12g}")
    assert abs(value - ours) <= 1e-6 * abs(value) + 1e-2, (value, ours)
for work, band in (("windows", None), ("windows-band", (8, 30))):
    best = None
    for _ in range(3 if QUICK else 10):
        start = time.perf_counter()
        windows(band)
        took = time.perf_counter() - start
        best = took if best is None else min(best, took)
    print(f"bench {work}/mne {best:.6g} s")
