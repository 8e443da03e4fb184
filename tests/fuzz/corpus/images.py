# SPDX-License-Identifier: MIT
"""IDX files and PNG images."""
import gzip, struct, zlib
import numpy as np

from corpus.frame import put


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
