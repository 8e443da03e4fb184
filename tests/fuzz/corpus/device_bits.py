# SPDX-License-Identifier: MIT
"""Bits of devices: text, .npy, and what may be taken for packed or encoded ones."""
import base64, bz2, gzip, lzma, pickle

import numpy as np

from corpus.arrays import ORDER, header, literal, npy
from corpus.frame import put


def make_bits():
    good = {"rows": "0110\n1001\n", "no-end": "0110\n1001", "labels": "0110 1\n1001 2\n0000 1\n", "one": "1",
            "long": ("01" * 65 + "\n") * 3, "odd": "011\n", "crlf": "0110\r\n1001\r\n", "mark": b"\xef\xbb\xbf0110\n1001\n1111\n0000\n",
            "mark-crlf": b"\xef\xbb\xbf01 1\r\n10 2\r\n",
            "texts.npy": npy(np.array(["0110", "1001"])), "bytes.npy": npy(np.array([b"0110", b"1001"])),
            "numbers.npy": npy(np.array([[0, 1, 1], [1, 0, 0]], np.uint8)),
            "bools.npy": npy(np.array([[True, False]]))}
    bad = {"empty": "", "line": "\n", "empty-row": "01\n\n01\n", "short": "0110\n100\n",
           "long": "0110\n10011\n", "letter": "0110\n1a01\n", "two": "0120\n", "nul": b"01\0\n",
           "label-0": "01 0\n", "label-leading": "01 01\n",
           "label-gap": "01 1\n10 3\n", "label-some": "01 1\n10\n", "label-later": "01\n10 1\n",
           "label-large": "01 99999999999\n", "label-word": "01 a\n", "two-blanks": "01  1\n",
           "blank-end": "01 \n", "escape": "01\x1b[2J\n", "utf8": "01\u00e9\n",
           "ragged.npy": npy(np.array(["0110", "100"])), "letter.npy": npy(np.array(["01a0"])),
           "two.npy": npy(np.array([[0, 2]], np.uint8)), "rank-1.npy": npy(np.zeros(3, np.uint8)),
           "rank-2.npy": npy(np.array([["01"]])), "cut.npy": npy(np.array(["0110"]))[:-1],
           "fortran.npy": npy(np.asfortranarray(np.zeros((2, 2), np.uint8))),
           "float.npy": npy(np.zeros((2, 2))), "objects.npy": npy(np.array([None], object), allow_pickle=True),
           "none.npy": npy(np.zeros((0, 4), np.uint8)),
           "width-word.npy": header("{'descr': '<U4x', 'fortran_order': False, 'shape': (1,), }",
                                    "0110".encode("utf-32-le")),
                                    "width-signed.npy": header("{'descr': '<U+4', 'fortran_order': False, 'shape': (1,), }", "0110".encode("utf-32-le")),
           "width-wraps.npy": header("{'descr': '<U-18446744073709551612', 'fortran_order': False, 'shape': (1,)}", "0110".encode("utf-32-le")),
           "width-claimed.npy": header("{'descr': '<U16777216', 'fortran_order': False, 'shape': (0,), }")}
    for name, data in good.items():
        put("bits", name, data)
    for name, data in bad.items():
        put("bits", "bad-" + name, data)
    four = "0110".encode("utf-32-le")
    for name_, data in {"bad-letter-in-eight": "0101010101010101\n0101a10101010101\n", "bad-label-of-30": "01 " + "x" * 30 + "\n",
                        "bad-row-of-blanks": "01\n  \n", "bad-cr-within": "0101\n01\r01\n", "bad-magic-cut.npy": b"\x93NUM",
                        "bad-magic-other.npy": b"\x93NUMPZ" + b"0" * 20, "bad-no-bits.npy": npy(np.zeros((2, 0), np.uint8)),
                        "bad-euro.npy": npy(np.array(["01\u20ac0"])), "bad-no-width.npy": literal("'descr': '<U', " + ORDER + "1,)", four),
                        "bad-width-0.npy": literal("'descr': '<U04', " + ORDER + "1,)", four),
                        "bad-rows-beyond.npy": literal("'descr': '<U4', " + ORDER + "%d,)" % 2**60)}.items():
        put("bits", name_, data)


def make_encoded():
    """The first byte is the length of a row."""
    raw = bytes(range(8, 200, 3))
    symbols = np.arange(6, 70, dtype=np.uint8) % 8
    made = {"hex": raw.hex(), "hex-groups": " ".join("%02X" % b for b in raw), "hex-unequal": "\n".join("%x" % b for b in raw),
            "hex-half": raw.hex()[:-1], "hex-prefixes": ",".join("0x%02x" % b for b in raw), "base64": base64.b64encode(raw),
            "base64-lines": base64.encodebytes(raw), "base64-no-padding": base64.b64encode(raw).rstrip(b"="),
            "base64-cut": base64.b64encode(raw)[:-3], "base64-padding-within": base64.b64encode(raw) * 2,
            "base64-unequal": b"Zm9vYm\nFyZm9v\n", "symbols": symbols.tobytes(), "bits": (symbols % 2).tobytes(),
            "signs": (symbols % 2 * 255).astype(np.uint8).tobytes(), "numbers": symbols.astype("<i8").tobytes(),
            "prefixes": "0b0110\n0b1001\n0b1111\n", "decimal": "12\n255\n7\n0\n201\n33\n",
            "gzip": gzip.compress(raw, mtime=0), "bzip2": bz2.compress(raw), "xz": lzma.compress(raw),
            "pickle": pickle.dumps(symbols.tolist(), 4),
            "utf-16": "0110\n1001\n".encode("utf-16-le"), "utf-16-mark": "\ufeff0110\n1001\n".encode("utf-16-le"),
            "pointer": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 46830571\n",
            "page": "<!DOCTYPE html>\n<html></html>\n", "head": "q0q1q2q3\n0110\n1001\n", "text": "a log of what the device did\n" * 3}
    for name, data in made.items():
        put("bits", "bad-" + name, data)
