# SPDX-License-Identifier: MIT
"""IDX files, PNG and JPEG images."""
import gzip, os, struct, zlib
import numpy as np

from corpus.frame import TESTS, put


def idx(array, kind=8):
    a = np.asarray(array, dtype=np.uint8)
    return bytes([0, 0, kind, a.ndim]) + struct.pack(f">{a.ndim}I", *a.shape) + a.tobytes()


def packed(data):
    return gzip.compress(data, mtime=0)


def make_idx():
    grey, rgb, labels = idx(np.arange(12).reshape(2, 2, 3)), idx(np.arange(24).reshape(2, 2, 2, 3)), idx([3, 0,
                                                                                                          1])
    for name, data in {"grey": grey, "rgb": rgb, "labels": labels}.items():
        put("idx", name, data)
        put("idx", name + ".gz", packed(data))
    put("idx", "two-members.gz", packed(grey[:20]) + packed(grey[20:]))
    put("idx", "bad-empty", b"")
    put("idx", "bad-magic", b"\0\0")
    put("idx", "bad-cut", grey[:-1])
    put("idx", "bad-longer", grey + b"\0")
    put("idx", "bad-cut.gz", packed(grey)[:-1])
    put("idx", "bad-crc.gz", packed(grey)[:-6] + b"\0\0" + packed(grey)[-4:])
    put("idx", "bad-longer.gz", packed(grey + b"\0"))
    put("idx", "bad-shorter.gz", packed(grey[:-1]))
    put("idx", "bad-bomb.gz", packed(b"\0\0\x08\3" + struct.pack(">3I", 0xFFFFFFFF, 255, 255)))
    put("idx", "bad-overflow", b"\0\0\x08\4" + b"\xff" * 16)
    put("idx", "bad-type", idx([1], kind=0x0D))
    put("idx", "bad-rank-5", idx(np.zeros((1, 1, 1, 1, 1))))
    put("idx", "bad-no-images", b"\0\0\x08\3" + struct.pack(">3I", 0, 1, 1))
    put("idx", "bad-two-channels", idx(np.zeros((1, 1, 1, 2))))
    put("idx", "bad-wide", b"\0\0\x08\3" + struct.pack(">3I", 1, 0x7FFFFFFF, 0x7FFFFFFF))
    put("idx", "bad-first-byte.gz", packed(b"\1" + idx([[[1]]])[1:]))
    put("idx", "bad-second-byte.gz", packed(b"\0\1" + idx([[[1]]])[2:]))
    put("idx", "bad-large.gz", packed(idx(np.zeros((1, 2000, 1000)))))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, before=b"", interlace=0):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))
    return b"\x89PNG\r\n\x1a\n" + head + before + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def make_png():
    grey = png(3, 2, 8, 0, b"\0\1\2\3\1\4\5\6")
    put("png", "grey", grey)
    put("png", "grey-1-bit", png(9, 2, 1, 0, b"\0\xaa\x80\2\x55\x00"))
    put("png", "grey-16-bit", png(1, 1, 16, 0, b"\0\x12\x34"))
    put("png", "grey-alpha", png(1, 1, 8, 4, b"\0\x12\x34"))
    put("png", "rgb", png(2, 1, 8, 2, b"\4\1\2\3\4\5\6"))
    put("png", "rgba", png(1, 1, 8, 6, b"\0\1\2\3\4"))
    put("png", "palette", png(4, 1, 2, 3, b"\0\x1b", chunk(b"PLTE", bytes(range(12)))))
    put("png", "palette-transparent",
        png(1, 1, 8, 3, b"\0\0", chunk(b"PLTE", b"\1\2\3") + chunk(b"tRNS", b"\0")))
    put("png", "interlaced", png(2, 2, 8, 0, b"\0\1" + b"\0\2" + b"\0\3\4", interlace=1))
    put("png", "text", png(1, 1, 8, 0, b"\0\1", chunk(b"tEXt", b"Title\0x") + chunk(b"gAMA", b"\0\0\xb1\x8f")))
    put("png", "tall", png(1, 20000, 8, 0, b"\0\1" * 20000))
    put("png", "bad-empty", b"")
    put("png", "bad-signature", grey[:8])
    put("png", "bad-cut", grey[:-20])
    put("png", "bad-no-end", grey[:-12])
    put("png", "bad-crc", grey[:45] + b"\0" + grey[46:])
    put("png", "bad-few-rows", png(3, 3, 8, 0, b"\0\1\2\3\1\4\5\6"))
    put("png", "bad-huge", png(100000, 100000, 8, 0, b"\0"))
    put("png", "bad-long", png(65535, 65535, 8, 0, b"\0"))
    put("png", "bad-no-size", png(0, 1, 8, 0, b"\0"))
    put("png", "bad-no-palette", png(1, 1, 8, 3, b"\0\0"))
    put("png", "bad-depth", png(1, 1, 3, 0, b"\0\0"))
    put("png", "bad-filter", png(1, 1, 8, 0, b"\7\0"))
    put("png", "bad-chunk-length", grey[:33] + b"\xff\xff\xff\xff" + grey[37:])
    put("png", "text-that-grows",
        png(1, 1, 8, 0, b"\0\1", chunk(b"zTXt", b"x\0\0" + zlib.compress(b"a" * 10000000))))
    put("png", "bad-text-length", grey[:33] + b"\x55\0\x9b\x0ezTXtx\0\0" + zlib.compress(b"a" * 1000))
    for name_, data in {"bad-no-height": png(1, 0, 8, 0, b""), "bad-width-beyond": png(65536, 1, 8, 0, b""),
                        "bad-height-beyond": png(1, 65536, 8, 0, b"")}.items():
        put("png", name_, data)


def segment(marker, data):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


def behind_start(jpeg, *segments):
    return jpeg[:2] + b"".join(segments) + jpeg[2:]


def with_frame(jpeg, **changes):
    """Its frame header (SOF0 or SOF2) with other numbers."""
    at = max(jpeg.find(b"\xff\xc0"), jpeg.find(b"\xff\xc2"))
    marker, n, precision, height, width, components = struct.unpack(">HHBHHB", jpeg[at:at + 10])
    f = {"marker": marker, "precision": precision, "height": height, "width": width, "components": components, **changes}
    return jpeg[:at] + struct.pack(">HHBHHB", f["marker"], n, f["precision"], f["height"], f["width"],
                                   f["components"]) + jpeg[at + 10:]


def in_scans(grey, times):
    """A colour file of one block, each component in a scan of its own, again and again: few bytes, much work. Tables are
    those of a grey file; a scan says that the block is 0 (its codes for no difference, 00, and for the end, 1010)."""
    tables = grey[2:grey.find(b"\xff\xc0")], grey[grey.find(b"\xff\xc4"):grey.find(b"\xff\xda")]
    frame = segment(0xC0, struct.pack(">BHHB", 8, 8, 8, 3) + b"".join(bytes([i, 0x11, 0]) for i in (1, 2, 3)))
    scans = b"".join(segment(0xDA, bytes([1, i, 0, 0, 63, 0])) + b"\x2b" for i in (1, 2, 3))
    return b"\xff\xd8" + tables[0] + frame + tables[1] + scans * times + b"\xff\xd9"


def make_jpeg():
    """Files that Pillow wrote (tests/golden/jpeg.h5), and what becomes of them."""
    import h5py
    with h5py.File(os.path.join(TESTS, "golden", "jpeg.h5")) as f:
        made = {name: f[name]["file"][()].tobytes() for name in f}
    grey, colour, progressive = made["grey 8 x 8"], made["4:2:0 21 x 46"], made["progressive"]
    exif = made["turned left"]
    for name in ("4:4:4 16 x 16", "4:2:2 21 x 46", "progressive grey", "restarts", "stored as RGB", "turned left big"):
        put("jpeg", name.lower().replace(" ", "-").replace(":", ""), made[name])
    put("jpeg", "grey", grey)
    put("jpeg", "420", colour)
    put("jpeg", "progressive", progressive)
    put("jpeg", "turned", exif)
    put("jpeg", "bytes-behind", grey + b"\0" * 100)
    put("jpeg", "bytes-between", colour.replace(b"\xff\xda", b"\0\0\0\xff\xda"))
    put("jpeg", "comments", behind_start(grey, *[segment(0xFE, b"x" * 9)] * 50))
    put("jpeg", "exif-that-lies", exif.replace(b"Exif\0\0MM\0*\0\0\0\x08", b"Exif\0\0MM\0*\xff\xff\xff\xf0"))
    put("jpeg", "exif-of-no-order", exif.replace(b"Exif\0\0MM", b"Exif\0\0XX").replace(b"Exif\0\0II", b"Exif\0\0XX"))
    put("jpeg", "exif-cut", behind_start(grey, segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01\x12")))
    put("jpeg", "bad-empty", b"")
    put("jpeg", "bad-start", grey[:2])
    put("jpeg", "bad-no-frame", grey[:3] + b"\xd9")
    put("jpeg", "bad-cut", colour[:-20])
    put("jpeg", "bad-no-end", colour[:-2])
    put("jpeg", "bad-cut-progressive", progressive[:len(progressive) // 2])
    put("jpeg", "bad-huge", with_frame(grey, height=65500, width=65500))
    put("jpeg", "bad-wide", with_frame(grey, width=65535))
    put("jpeg", "bad-no-height", with_frame(grey, height=0))
    put("jpeg", "bad-higher", with_frame(colour, height=200))
    put("jpeg", "bad-12-bit", with_frame(grey, precision=12))
    put("jpeg", "bad-lossless", with_frame(grey, marker=0xFFC3))
    put("jpeg", "bad-components", with_frame(grey, components=9))
    put("jpeg", "segment-of-no-length", behind_start(grey, b"\xff\xe0\0\0"))
    put("jpeg", "bad-segment-beyond", behind_start(grey, b"\xff\xe0\xff\xff"))
    put("jpeg", "turned-behind-xmp", behind_start(exif, segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>")))
    put("jpeg", "many-blocks", behind_start(grey, segment(0xE1, b"") * 20000))
    put("jpeg", "limits-of-0", colour.replace(b"\0?\0", b"\0\0\0"))
    put("jpeg", "jfif-2", grey.replace(b"JFIF\0\1", b"JFIF\0\2"))
    put("jpeg", "adobe-9", behind_start(colour[:2] + colour[20:], segment(0xEE, b"Adobe\0d\0\0\0\0\x09")))
    put("jpeg", "exif-long", behind_start(grey, segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6" + b"\0" * 3000)))
    put("jpeg", "scans", in_scans(grey, 33))
    put("jpeg", "bad-scans", in_scans(grey, 34))
    put("jpeg", "bad-progression", progressive[:-2] + progressive[progressive.rfind(b"\xff\xda"):])
    put("jpeg", "bad-cmyk", behind_start(b"\xff\xd8", segment(0xC0, bytes([8, 0, 8, 0, 8, 4]) + b"".join(
        bytes([i, 0x11, 0]) for i in range(1, 5)))) + segment(0xDA, b"\4\1\0\2\0\3\0\4\0\0?\0") + b"\0\xff\xd9")
