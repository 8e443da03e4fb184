#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes recordings.h5: small files of BrainVision (written by pybv), BDF with BioSemi's Status and EDF with a hypnogram (written here
from the standards' tables), and what MNE-Python reads from them: signals in microvolts, events, annotations.

    pip install mne pybv h5py; python3 tests/golden/make_recordings.py
"""
import os
import tempfile

import h5py
import mne
import numpy as np
import pybv

mne.set_log_level("error")
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recordings.h5")
RATE, N = 250, 500
rng = np.random.RandomState(7)
names = ["Fc5.", "C3", "HEOG", "ECG"]
x = np.round(rng.randn(4, N) * 200) / 10 * 1e-6  # multiples of 0.1 uV


def edf(path, signals, n, width, lists=(), start="01.02.24"):
    """signals: (label, unit, low, high, transducer, integers); records of a second; lists: of annotations, one a record."""
    def f(text, size): return text.encode("latin-1")[:size].ljust(size)
    full = 1 << (8 * width - 1)
    rows = [(l, t, u, str(a), str(b), str(-full), str(full - 1), "", str(len(v) // n)) for l, u, a, b, t, v in signals]
    if lists:
        rows.append(("BDF Annotations" if width == 3 else "EDF Annotations", "", "", "-1", "1", str(-full), str(full - 1), "", "200"))
    head = (b"\xffBIOSEMI" if width == 3 else f("0", 8)) + f("X X X X", 80) + f("Startdate 01-FEB-2024 X X X", 80) + f(start, 8) + f("10.20.30", 8)
    head += f(str(256 * (len(rows) + 1)), 8) + f(("BDF+C" if width == 3 else "EDF+C") if lists else ("24BIT" if width == 3 else ""), 44)
    head += f(str(n), 8) + f("1", 8) + f(str(len(rows)), 4)
    for k, size in enumerate((16, 80, 8, 8, 8, 8, 8, 80, 8)):
        head += b"".join(f(r[k], size) for r in rows)
    head += b" " * 32 * len(rows)
    for r in range(n):
        for _, _, _, _, _, v in signals:
            part = np.asarray(v).reshape(n, -1)[r].astype("<i4").view(np.uint8).reshape(-1, 4)
            head += part[:, :width].tobytes()
        if lists:
            head += lists[r].ljust(200 * width, b"\0")
    open(path, "wb").write(head)


def put(file, group, folder, opened, raw, texts):
    g = file.create_group(group)
    for name in sorted(os.listdir(folder)):
        g.create_dataset("files/" + name, data=np.fromfile(os.path.join(folder, name), np.uint8))
    g.attrs["open"], g.attrs["rate"] = opened, raw.info["sfreq"]
    g.attrs["channels"] = "\n".join(raw.ch_names)
    g.create_dataset("signals", data=raw.get_data() * 1e6)
    g.attrs["texts"] = "\n".join(t for _, _, t in texts)
    g.create_dataset("onset", data=[float(o) for o, _, _ in texts])
    g.create_dataset("duration", data=[float(d) for _, d, _ in texts])


def annotations(raw):
    return [(a["onset"], a["duration"], a["description"]) for a in raw.annotations]


with h5py.File(OUT, "w") as file:
    events = np.array([[20, 1, 1], [130, 2, 40], [260, 1, 1], [400, 255, 1]])
    for kind, orientation in (("int16", "MULTIPLEXED"), ("float32", "MULTIPLEXED"), ("int16", "VECTORIZED"), ("float32", "VECTORIZED")):
        with tempfile.TemporaryDirectory() as folder:
            pybv.write_brainvision(data=x, sfreq=RATE, ch_names=names, fname_base="a", folder_out=folder, events=events,
                                   resolution=0.1, unit="µV", fmt="binary_" + kind, meas_date="20240102030405678901")
            if orientation == "VECTORIZED":
                head = os.path.join(folder, "a.vhdr")
                text = open(head, encoding="utf-8").read().replace("MULTIPLEXED", "VECTORIZED", 1)
                open(head, "w", encoding="utf-8").write(text.replace("DataOrientation=MULTIPLEXED", "DataOrientation=VECTORIZED"))
                data = np.fromfile(os.path.join(folder, "a.eeg"), "<i2" if kind == "int16" else "<f4")
                data.reshape(N, 4).T.copy().tofile(os.path.join(folder, "a.eeg"))
            raw = mne.io.read_raw_brainvision(os.path.join(folder, "a.vhdr"), preload=True)
            # A marker of one sample says no duration; a new segment is no event.
            texts = [(o, d if d > 1.5 / RATE else 0, t) for o, d, t in annotations(raw) if not t.startswith("New Segment")]
            put(file, "brainvision-%s-%s" % (kind, orientation.lower()), folder, "a.vhdr", raw, texts)
    with tempfile.TemporaryDirectory() as folder:
        rate, n = 256, 4
        status = np.full(rate * n, 0x100000)
        for at, length, value in ((100, 30, 1), (300, 30, 2), (330, 20, 3), (600, 200, 65535), (900, 1, 4), (901, 10, 2)):
            status[at:at + length] += value
        status[700:] |= 1 << 17
        signed = np.where(status >= 1 << 23, status - (1 << 24), status)
        path = os.path.join(folder, "s.bdf")
        edf(path, [("A%d" % (k + 1), "uV", -262144, 262143, "Active Electrode", np.round(rng.randn(rate * n) * 600)) for k in range(3)]
            + [("Status", "Boolean", -8388608, 8388607, "Triggers and Status", signed)], n, 3)
        raw = mne.io.read_raw_bdf(path, preload=True)
        found = mne.find_events(raw, stim_channel="Status", mask=0xffff, mask_type="and", shortest_event=1, initial_event=False)
        raw.pick(["A1", "A2", "A3"])
        put(file, "bdf-status", folder, "s.bdf", raw, [(s / rate, 0, "%d" % v) for s, _, v in found])
    with tempfile.TemporaryDirectory() as folder:
        rate, n = 100, 12
        stages = [(0, 3, "Sleep stage W"), (3, 6, "Sleep stage 1"), (9, 3, "Sleep stage R")]
        edf(os.path.join(folder, "SC4001E0-PSG.edf"), [("EEG Fpz-Cz", "uV", -192, 192, "", np.round(rng.randn(rate * n) * 3000)),
            ("EEG Pz-Oz", "uV", -197, 196, "", np.round(rng.randn(rate * n) * 3000))], n, 2)
        lists = [b"+0\x14\x14\0" + b"".join(b"+%d\x15%d\x14%s\x14\0" % (o, d, t.encode()) for o, d, t in stages)]
        edf(os.path.join(folder, "SC4001EC-Hypnogram.edf"), [], 1, 2, lists)
        raw = mne.io.read_raw_edf(os.path.join(folder, "SC4001E0-PSG.edf"), preload=True)
        raw.set_annotations(mne.read_annotations(os.path.join(folder, "SC4001EC-Hypnogram.edf")))
        put(file, "hypnogram", folder, "SC4001E0-PSG.edf", raw, annotations(raw))
        file["hypnogram"].attrs["events"] = "SC4001EC-Hypnogram.edf"
        e, ids = mne.events_from_annotations(raw, chunk_duration=1.5, event_id={"Sleep stage W": 0, "Sleep stage 1": 1, "Sleep stage R": 2})
        file["hypnogram"].create_dataset("chunks", data=np.stack([e[:, 0] / rate, e[:, 2]]))
    file.attrs["made by"] = "MNE-Python %s, pybv %s" % (mne.__version__, pybv.__version__)
print(os.path.getsize(OUT), "bytes")
