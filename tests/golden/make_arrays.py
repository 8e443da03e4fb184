#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/arrays/: one array in every way in which NumPy, h5py, MATLAB and Julia keep it. Entry
(i, j, k) of (2, 3, 4) is 100 i + 10 j + k; complex ones have its negative as imaginary part. MATLAB and
Julia keep what h5py sees transposed, with their marks."""
import os

import h5py
import numpy as np

os.makedirs("tests/golden/arrays", exist_ok=True)
os.chdir("tests/golden/arrays")
i, j, k = np.ogrid[:2, :3, :4]
a = (100 * i + 10 * j + k).astype("f8")
texts = np.array([["left", "rechts é"], ["日本", ""]])

for name, value in {
    "c": a, "fortran": np.asfortranarray(a), "big": a.astype(">f8"), "big_fortran": np.asfortranarray(a.astype(">f4")),
    "half": a.astype("<f2"), "u1": a.astype("u1"), "i2": a.astype("<i2"), "big_u2": a.astype(">u2"), "u4": a.astype("<u4"),
    "big_i8": a.astype(">i8"), "u8": a.astype("<u8"), "complex": a - 1j * a, "big_complex": np.asfortranarray((a - 1j * a).astype(">c8")),
    "bool": a > 50, "texts": texts, "texts_big": texts.astype(">U9"), "texts_fortran": np.asfortranarray(texts),
    "bytes": np.char.encode(texts, "utf-8"),
    "long": np.array(["x" * 64]), "rank5": a.reshape(2, 3, 2, 2, 1), "wide": a.astype("g"), "times": np.array(["2026-01-01"], "M8[s]"),
}.items():
    np.save(name + ".npy", value)
np.save("objects.npy", a.astype(object))
open("twice.npy", "wb").write(2 * open("c.npy", "rb").read())
np.savez("one.npz", a)
np.savez_compressed("two.npz", x=a, y=np.asfortranarray(-a))


def pairs(value, real, imaginary):
    out = np.zeros(value.shape, [(real, "f8"), (imaginary, "f8")])
    out[real], out[imaginary] = value, -value
    return out


with h5py.File("other.h5", "w") as f:
    f["a"] = a
with h5py.File("arrays.h5", "w", userblock_size=1024) as f:
    f["a"] = a
    f["group/big"] = a.astype(">f4")
    f["complex"] = a - 1j * a
    f["bool"] = a > 50
    f.create_dataset("lzf", data=a, compression="lzf")
    f.create_dataset("lzf_shuffled", data=np.tile(a, (50, 1, 1)), compression="lzf", shuffle=True, fletcher32=True, chunks=(7, 3, 4))
    f.create_dataset("lzf_noise", data=np.random.default_rng(0).integers(0, 256, 4096).astype("u1"), compression="lzf")
    f.create_dataset("gzip", data=a, compression="gzip", shuffle=True)
    f.create_dataset("scaled", data=a.astype("i4"), chunks=(2, 3, 4), scaleoffset=8)
    f["texts"] = texts.astype(object)
    f["bytes"] = np.char.encode(texts, "utf-8")
    f["soft"] = h5py.SoftLink("/a")
    f["group/relative"] = h5py.SoftLink("big")
    f["through"] = h5py.SoftLink("/group/relative")
    f["linked"] = h5py.SoftLink("/group")
    f["circle"] = h5py.SoftLink("/circle")
    f["nowhere"] = h5py.SoftLink("/absent")
    f["external"] = h5py.ExternalLink("other.h5", "/a")
    f["to_external"] = h5py.SoftLink("/external")
    f["matlab"] = a.T
    f["matlab"].attrs["MATLAB_class"] = np.bytes_("double")
    f["matlab_complex"] = pairs(a.T, "real", "imag")
    f["matlab_complex"].attrs["MATLAB_class"] = np.bytes_("double")
    f["julia_complex"] = pairs(a.T, "re", "im")
    f["record"] = pairs(a, "x", "y")
    virtual = h5py.VirtualLayout(a.shape, "f8")
    virtual[:] = h5py.VirtualSource("other.h5", "a", a.shape)
    f.create_virtual_dataset("virtual", virtual)
    np.save("lzf_noise.npy", f["lzf_noise"][:])
b = bytearray(open("arrays.h5", "rb").read())
b[:19], b[124:128] = b"MATLAB 7.3 MAT-file", b"\0\2IM"
open("arrays.h5", "wb").write(b)
pictures = np.arange(6 * 4 * 3, dtype="u1").reshape(6, 4, 3)
with h5py.File("pictures.h5", "w", userblock_size=512) as f:
    names = np.array(["dog", "cat", "emu", "cat", "dog", "éland"])
    for group, labels in {"text": names.astype(object), "bytes": np.char.encode(names, "utf-8")[:, None], "column": np.array([[1], [0], [2], [0], [1], [3]], "i8"),
                          "bool": names == "dog", "float": np.array([1, 0, 2, 0, 1, 3], "f4"), "hot": np.eye(4)[[1, 0, 2, 0, 1, 3]], "empty": np.array(["a", "", "a", "b", "b", "a"]).astype(object)}.items():
        f[f"{group}/images"] = pictures
        f[f"{group}/labels"] = labels
    f["alias"] = h5py.SoftLink("/text/images")
    f.create_dataset("lzf/images", data=pictures, compression="lzf")
    f["lzf/labels"] = h5py.SoftLink("/column/labels")
open("old.mat", "wb").write(b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(128) + bytes(64))
