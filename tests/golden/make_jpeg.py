#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/jpeg.h5: JPEG files of all kinds, and the pixels that Pillow reads from them, for
tests/golden/jpeg.c and the corpus of tests/fuzz/jpeg.c. Needs numpy, h5py, Pillow."""
import io
import os
import h5py
import numpy as np
from PIL import Image

WAYS = {"none": 0, "upright": 1, "mirrored": 2, "left": 6, "right": 8, "beyond": 9}


def picture(height, width, channels):
    """Slopes, edges and noise: all that smoothing and rounding could go wrong on."""
    y, x = np.mgrid[0:height, 0:width]
    noise = np.random.RandomState(height * width).randint(0, 40, (height, width, 3))
    waves = np.stack([127 + 120 * np.sin(x / 5), 255 * ((x // 7 + y // 4) % 2), 200 * y / height], axis=2)
    pixels = np.clip(waves + noise, 0, 255).astype(np.uint8)
    return Image.fromarray(pixels if channels == 3 else pixels[:, :, 0])


def exif(way, big):
    if not way:
        return b""
    data = Image.Exif()
    data.endian = ">" if big else "<"
    data[0x010F] = "a camera with a name of some length"
    data[0x0112] = way
    return data.tobytes()


def cases():
    for h, w in (1, 1), (8, 8), (13, 17), (16, 31), (70, 100):
        yield f"grey {h} x {w}", picture(h, w, 1), {}
    for name, sampling in ("4:4:4", 0), ("4:2:2", 1), ("4:2:0", 2):
        for h, w in (1, 1), (16, 16), (33, 17), (21, 46), (70, 100):
            yield f"{name} {h} x {w}", picture(h, w, 3), {"subsampling": sampling}
    yield "progressive", picture(40, 25, 3), {"progressive": True, "subsampling": 2}
    yield "progressive grey", picture(40, 25, 1), {"progressive": True}
    yield "restarts", picture(40, 50, 3), {"restart_marker_blocks": 2, "subsampling": 2}
    yield "stored as RGB", picture(19, 23, 3), {"keep_rgb": True}
    yield "optimised, coarse", picture(50, 70, 3), {"optimize": True, "quality": 5}
    for way, value in WAYS.items():
        for big in False, True:
            yield f"turned {way}{' big' if big else ''}", picture(9, 12, 3), {"exif": exif(value, big)}


with h5py.File(os.path.join(os.path.dirname(os.path.abspath(__file__)), "jpeg.h5"), "w", libver=("earliest", "v108")) as f:
    for name, image, how in cases():
        out = io.BytesIO()
        image.save(out, "JPEG", **{"quality": 90, **how})
        read = np.asarray(Image.open(io.BytesIO(out.getvalue())))
        g = f.create_group(name)
        g.attrs["height"], g.attrs["width"] = np.float64(read.shape[0]), np.float64(read.shape[1])
        g.attrs["channels"] = np.float64(1 if read.ndim == 2 else 3)
        g.attrs["turned"] = np.float64(Image.open(io.BytesIO(out.getvalue())).getexif().get(0x0112, 1) in range(2, 9))
        g["file"] = np.frombuffer(out.getvalue(), np.uint8)
        g["pixels"] = read.ravel()
