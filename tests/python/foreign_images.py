#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What docs/files.md says of HDF5 files that others wrote: taken, or refused in one line that says what is expected.
Status 77: h5py is absent."""
import json
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
                           "lzf": {"x": (x, {"compression": "lzf"}), "y": y},
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
    write("offset.h5", images=(x, {"chunks": True, "scaleoffset": 0}))
    refused("offset.h5", "a filter that is not read, number 6 (scaleoffset), expected gzip or lzf")
    write("pair.h5", images=np.stack([x, x], axis=3))
    refused("pair.h5", "2 channels, expected 1, 3 or 4")
    write("link.h5", images=h5py.ExternalLink("plain.h5", "images"))
    refused("link.h5", "no uint8 dataset")
    open("cut.h5", "wb").write(open("plain.h5", "rb").read()[:3000])
    refused("cut.h5", "damaged or not an HDF5 file")

    # Labels of any shape and type that leave no doubt; those that cannot be meant are not left out in silence.
    for name, labels in {"column": y[:, None], "row": y[None], "patch-camelyon": y.astype("u1").reshape(-1, 1, 1, 1),
                         "whole": y.astype("f4"), "big-endian": y.astype(">u2"), "unsigned": y.astype("u8"),
                         "one-hot": np.eye(3, dtype="f4")[y], "one-hot-bool": np.eye(3, dtype=bool)[y],
                         "gzip": (y, {"compression": "gzip"})}.items():
        write(f"{name}.h5", images=x, labels=labels)
        assert (taken(f"{name}.h5", True) == wanted).all(), name
    write("bool.h5", images=x, labels=y == 1)
    assert extract("bool.h5").returncode == 0
    with h5py.File("f.h5") as file:
        assert (file["labels"][:] == (y == 1)).all()
    write("texts.h5", images=x, labels=np.array([b"cat", b"dog", b"cow"])[y])
    assert extract("texts.h5").returncode == 0
    with h5py.File("f.h5") as file:
        assert (file["labels"][:] == np.array([0, 2, 1])[y]).all() and list(file["class_names"].asstr()[:]) == ["cat", "cow", "dog"]
    two = np.eye(3, dtype="i4")[y]
    two[7] = 1
    for name, labels in {"short": y[:5], "long": np.concatenate([y, y]), "fractions": y / 2, "nan": np.where(y == 2, np.nan, y),
                         "two-hot": two, "no-hot": np.zeros((20, 3), "i4"),
                         "square": np.ones((20, 20, 1)), "complex": y + 0j}.items():
        write(f"{name}.h5", images=x, labels=labels)
        refused(f"{name}.h5", "dataset labels: expected one whole number or text for each image")
        taken(f"{name}.h5", False, "--labels", "none")
    write("below.h5", images=x, labels=y - 1)
    refused("below.h5", "label -1 of image 0, expected 0 to 65535")
    write("above.h5", images=x, labels=y + 2**32)
    refused("above.h5", "label 2147483647 of image 0, expected 0 to 65535")

    # Labels of the images that were named, of several; by name from here and from another file.
    with h5py.File("many.h5", "w") as file:
        file["labels"] = (y + 1) % 3
        for at, shift in {"x_train": 1, "x_test": 0, "a/images": 0, "b/images": 2, "cats_x": 0, "cats_y": None}.items():
            if shift is not None:
                file[at] = x
        for at, shift in {"y_train": 1, "y_test": 0, "a/labels": 0, "b/labels": 2, "cats_y": 0, "other": 0}.items():
            file[at] = (y + shift) % 3
    for at in "x_test", "a/images", "cats_x":
        assert (taken(f"many.h5:{at}", True) == wanted).all(), at
    taken("many.h5:x_train", True, "--labels", "other")
    taken("many.h5:x_train", True, "--labels", "/a/labels")
    write("alone.h5", x=x)
    write("labels.h5", y=y.reshape(-1, 1, 1, 1), z=y[1:])
    taken("alone.h5", True, "--labels", "labels.h5:y")
    taken("alone.h5:x", True, "--labels", "labels.h5:/y")
    done = extract("alone.h5", "--labels", "labels.h5:z")
    assert done.returncode == 65 and "labels.h5: dataset z: expected one whole number or text" in done.stderr, done
    done = extract("alone.h5", "--labels", "labels.h5")
    assert done.returncode == 2 and "--labels DATASET or --labels FILE.h5:DATASET" in done.stderr, done
    done = extract("alone.h5", "--labels", "labels.h5:w")
    assert done.returncode == 65 and "labels.h5: dataset w: absent" in done.stderr, done

    # What was read, and what was not, is said: in the summary, with --json, by cache show, in notes.
    def say(*arguments):
        done = subprocess.run(["extract-features", *arguments, "--resize", "28", "--force", "-o", "f.h5"], capture_output=True, text=True)
        assert done.returncode == 0, done
        return done

    write("pair.h5", x_train=x, y_train=y, x_test=x, y_test=y)
    done = say("pair.h5:x_test")
    assert done.stdout.endswith("; images x_test, labels y_test\n"), done
    assert "pair.h5:x_test: not used: x_train (shaped as images), y_train (named as labels)\n" in done.stderr, done
    shown = subprocess.run(["cache", "show", "f.h5"], capture_output=True, text=True).stdout
    assert "\nimages     pair.h5:x_test: dataset x_test, labels y_test\n" in shown, shown
    for arguments, datasets in ((["alone.h5"], ("x", "none")), (["alone.h5", "--labels", "labels.h5:y"], ("x", "labels.h5:y")),
                                (["pair.h5", "pair.h5:x_test"], ("x_train, x_test", "y_train, y_test")),
                                (["pair.h5", "pair.h5"], ("x_train", "y_train"))):
        told = json.loads(say(*arguments, "--json").stdout)
        assert (told["images_dataset"], told["labels_dataset"]) == datasets, told
    say("pair.h5", "--no-provenance")
    assert "\nimages " not in subprocess.run(["cache", "show", "f.h5"], capture_output=True, text=True).stdout
    assert "alone.h5: no labels; --labels DATASET or FILE.h5:DATASET names them" in say("alone.h5").stderr
    assert "no labels" not in say("alone.h5", "--labels", "none").stderr
    with h5py.File("saved.h5", "w") as file:
        file["images"], file["labels"] = x, y[None] + 1.0
        file["images"].attrs["MATLAB_class"] = np.bytes_("uint8")
    done = say("saved.h5")
    assert "images of (h, w, n) are read with rows and columns exchanged" in done.stderr, done
    assert "labels from 1 to 3: class 0 has no image" in done.stderr, done

    # Floats, 16 bits, channels first, the first axis last: never taken for pixels of 8 bits.
    for name, images in {"unit": (x / 255).astype("f4"), "255": x.astype("f4"), "u2": x.astype("u2") * 257, "i1": x.astype("i1")}.items():
        write(f"{name}.h5", images=images, labels=y)
        refused(f"{name}.h5", "dataset images: expected uint8")
    write("first.h5", images=np.repeat(x[:, None], 3, 1), labels=y)
    refused("first.h5", "28 channels, expected 1, 3 or 4; of (n, channels, h, w) make (n, h, w, channels)")
    write("last.h5", images=x.transpose(1, 2, 0), labels=y)
    refused("last.h5", "dataset labels: expected one whole number or text for each image")

    # The key of what was right before labels were paired is what it was; another dataset's labels change it.
    keys = {}
    for at, *options in ("many.h5:x_train",), ("many.h5:x_train", "--labels", "labels"), ("many.h5:x_train", "--labels", "none"):
        keys[at, *options] = extract(at, *options, "--key").stdout
    assert len(set(keys.values())) == 3, keys
    for path in "plain.h5", "only.h5":
        taken(path, True)
        with h5py.File("f.h5") as file:
            assert "labels" not in json.loads(file.attrs["key_parts"])["parts"], path

    # Names of the classes, in texts or numbers, are no labels and are not read: it is said.
    for i, classes in enumerate((np.array([b"non-cat", b"cat"]), np.arange(6))):
        with h5py.File(f"cats{i}.h5", "w") as file:
            file["train_set_x"], file["train_set_y"], file["list_classes"] = x, y, classes
        assert "classes are called by their numbers, not as in list_classes" in say(f"cats{i}.h5").stderr
        assert "named as labels" not in say(f"cats{i}.h5").stderr

    # A head of one dataset's images has not seen the other's, though they are in one file; of its own it has.
    with h5py.File("both.h5", "w") as file:
        file["x_train"], file["y_train"], file["x_test"], file["y_test"] = x, y, x[::-1], y[::-1]
    files = {}
    for i, at in enumerate(("x_train", "/x_train", "x_test")):
        files[at] = f"both{i}.h5"
        extract("both.h5:" + at, "--mean", "0.5,0.5,0.5")
        os.rename("f.h5", files[at])
    extract("both.h5:x_train")
    assert train("f.h5").returncode == 0
    for at, seen in ("x_train", True), ("/x_train", True), ("x_test", False):
        done = subprocess.run(["qeval", "h.h5", files[at], "-f", "-o", "r.h5"], capture_output=True, text=True)
        assert done.returncode == 0 and ("of the same images" in done.stderr) == seen, done

    # Features of others, and a file of ours that another program wrote into.
    write("features.h5", features=np.zeros((20, 512), "f4"), labels=y.astype("i4"))
    refused("features.h5", "was not written by ketline", train)
    taken("plain.h5", True)
    with h5py.File("f.h5", "r+") as file:
        file.attrs["note"] = 1
    refused("f.h5", "cut or changed afterwards", train)
