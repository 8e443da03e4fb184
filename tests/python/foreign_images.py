#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What docs/files.md says of HDF5 files that others wrote: taken, or refused in one line that says what is expected.
Status 77: h5py is absent."""
import os
import subprocess
import sys
import tempfile
try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

x = np.random.default_rng(0).integers(0, 255, (20, 28, 28)).astype("u1")
y = np.arange(20) % 3


def write(name, **datasets):
    with h5py.File(name, "w") as file:
        for key, value in datasets.items():
            if isinstance(value, h5py.ExternalLink):
                file[key] = value
            else:
                data, options = value if isinstance(value, tuple) else (value, {})
                file.create_dataset(key, data=data, **options)


def extract(path, *options):
    return subprocess.run(["extract-features", "-q", path, "--resize", "28", "--force", "-o", "f.h5", *options],
                          capture_output=True, text=True)


def taken(path, labels, *options):
    done = extract(path, *options)
    assert done.returncode == 0, (path, done)
    with h5py.File("f.h5") as file:
        found = file["labels"][:]
        assert (found == (y if labels else -1)).all(), (path, found)
        return file["features"][:]


def refused(path, words, tool=extract):
    done = tool(path)
    assert done.returncode == 65 and done.stderr.count("\n") == 1 and words in done.stderr, (path, done)


def train(path):
    return subprocess.run(["qtrain", path, "-o", "h.h5"], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write("plain.h5", images=x, labels=y)
    wanted = taken("plain.h5", True)
    for name, datasets in {"gzip": {"x": (x, {"chunks": True, "compression": "gzip", "shuffle": True, "fletcher32": True}),
                                    "y": y.astype("u1")},
                           "only": {"pictures": x, "label": y.astype("i8")},
                           "grey": {"data": x[..., None], "y_train": y}}.items():
        write(f"{name}.h5", **datasets)
        assert (taken(f"{name}.h5", True) == wanted).all(), name
    write("two.h5", a=x, b=x[::-1])
    refused("two.h5", "name one as FILE:DATASET")
    assert (taken("two.h5:a", False) == wanted).all()
    assert (taken("two.h5:/b", False) == wanted[::-1]).all()
    refused("two.h5:c", "absent")

    write("floats.h5", images=x / 255.0)
    refused("floats.h5", "expected uint8 of shape (n, h, w) or (n, h, w, c)")
    write("lzf.h5", images=(x, {"compression": "lzf"}))
    refused("lzf.h5", "a filter other than gzip, shuffle, fletcher32")
    write("pair.h5", images=np.stack([x, x], axis=3))
    refused("pair.h5", "2 channels, expected 1, 3 or 4")
    write("link.h5", images=h5py.ExternalLink("plain.h5", "images"))
    refused("link.h5", "no uint8 dataset")
    open("cut.h5", "wb").write(open("plain.h5", "rb").read()[:3000])
    refused("cut.h5", "damaged or not an HDF5 file")

    # Labels that cannot be meant are not left out in silence.
    for name, labels in {"short": y[:5], "fractions": y / 2, "one-hot": np.eye(3, dtype="i4")[y]}.items():
        write(f"{name}.h5", images=x, labels=labels)
        refused(f"{name}.h5", "dataset labels: expected one whole number for each image")
        taken(f"{name}.h5", False, "--labels", "none")
    write("below.h5", images=x, labels=y - 1)
    refused("below.h5", "label -1 of image 0, expected 0 to 65535")

    # Features of others, and a file of ours that another program wrote into.
    write("features.h5", features=np.zeros((20, 512), "f4"), labels=y.astype("i4"))
    refused("features.h5", "was not written by ketline", train)
    taken("plain.h5", True)
    with h5py.File("f.h5", "r+") as file:
        file.attrs["note"] = 1
    refused("f.h5", "cut or changed afterwards", train)
