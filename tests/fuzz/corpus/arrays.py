# SPDX-License-Identifier: MIT
""".npy and .npz."""
import io, struct, zipfile
import numpy as np

from corpus.archives import archive, archive_tricks, changed, flags
from corpus.frame import put

# The end of a header: a tuple is open.
ORDER = "'fortran_order': False, 'shape': ("


def npy(array, version=(1, 0), **options):
    to = io.BytesIO()
    np.lib.format.write_array(to, np.asarray(array), version, **options)
    return to.getvalue()


def header(text_, data=b"", version=1):
    text_ = text_.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + (struct.pack("<H",
                                                             len(text_)) if version == 1 else struct.pack("<I",
                                                                                                          len(text_))) + text_ + data


def literal(text, data=b""):
    return header("{" + text + "}", data)


def long_sizes(members):
    """As numpy.savez does: sizes of 64 bits, behind the name in the local header. Python before 3.11.4 leaves those of 32 bits
    as well."""
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w") as z:
        for name, data in members:
            with z.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                member.write(data)
    made, at = bytearray(to.getvalue()), -1
    while (at := made.find(b"PK\3\4", at + 1)) >= 0:
        made[at + 4] = 45
        made[at + 18 : at + 26] = b"\xff" * 8
    while (at := made.find(b"PK\1\2", at + 1)) >= 0:
        made[at + 4] = made[at + 6] = 45
    return bytes(made)


def make_npz():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    put("npz", "f4.npy", npy(a))
    put("npz", "big-endian.npy", npy(a.astype(">f4")))
    put("npz", "bool.npy", npy(a > 1))
    put("npz", "f8-fortran.npy", npy(np.asfortranarray(a.astype("<f8"))))
    put("npz", "f2-version-2.npy", npy(a.astype("<f2"), (2, 0)))
    put("npz", "i8-scalar.npy", npy(np.int64(7)))
    put("npz", "i4-empty.npy", npy(np.zeros((0, 3), "<i4")))
    put("npz", "config.npy", npy(np.array("{\"a\": \u00e9\u20ac\U0001f600}")))
    put("npz", "strings.npy", npy(np.array([b"a", b"bc"])))
    names = npy(np.array(["a", "\u6cb9\u00d6"]))  # class_names, and as they cannot be
    put("npz", "names.npy", names[:-4] + b"\xff\xff\xff\xff")
    put("npz", "bad-names-too-short.npy", names[:-4])
    put("npz", "bad-names-too-wide.npy", names.replace(b"<U2", b"<U9"))
    put("npz", "nan.npy", npy(np.array([np.nan, np.inf], "<f4")))
    members = [("w.npy", npy(a)), ("b.npy", npy(np.zeros(2, "<f8")))]
    put("npz", "two.npz", archive(members))
    put("npz", "two-deflated.npz", archive(members, zipfile.ZIP_DEFLATED))
    put("npz", "two-zip64.npz", long_sizes(members))
    put("npz", "bad-zip64-and-later.npz", flags(long_sizes(members), 0x08))
    for name, data in archive_tricks(members, ".npy").items():
        put("npz", "bad-" + name + ".npz", data)
    deflated = archive(members, zipfile.ZIP_DEFLATED)
    put("npz", "bad-bomb.npz",
        changed(archive([("w.npy", b"\0" * 1000000)], zipfile.ZIP_DEFLATED), b"PK\1\2", 24, b"\0\0\0\x7f"))
    put("npz", "bad-inflates-to-less.npz",
        changed(changed(deflated, b"PK\1\2", 24, b"\xff\0\0\0"), b"PK\3\4", 22, b"\xff\0\0\0"))
    put("npz", "bad-deflated-damaged.npz", changed(deflated, b"PK\3\4", 40, b"\xff\xff\xff"))
    put("npz", "bad-not-an-array.npz", archive(members + [("x.txt", b"x")]))
    put("npz", "bad-pickle-in-it.npz", archive([("w.npy", npy(np.array([None], object), allow_pickle=True))]))
    bad = {
        "objects": npy(np.array([None], object), allow_pickle=True), "complex": npy(a.astype("<c8")),
        "record": npy(np.zeros(2, "<f4,<i4")), "rank-5": npy(np.zeros((1,) * 5, "<f4")), "cut": npy(a)[:-1],
        "longer": npy(a) + b"\0", "version-4": b"\x93NUMPY\4\0\0\0",
        "header-cut": npy(a)[:40], "header-long": b"\x93NUMPY\2\0\xff\xff\xff\xff",
        "call": header("{'descr': __import__('os').system('id'), }"),
        "size-overflow": header("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
        "size-many-digits": header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
        "size-negative": header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
        "twice": header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}"),
        "absent": header("{'descr': '<f4', 'shape': ()}", b"\0" * 4),
        "after-it": header("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", b"\0" * 4), "empty": b"",
    }
    for name, data in bad.items():
        put("npz", "bad-" + name + ".npy", data)


def make_npz_rest():
    """What the counters of branches had not met."""
    npz = {"bad-cut-in-word.npy": header("{'fortran_order': T"), "bad-cut-before-text.npy": header("{"),
           "bad-cut-in-text.npy": header("{'des"), "bad-escape-in-text.npy": literal("'a\\n': 1"),
           "bad-control-in-text.npy": literal("'a\n': 1"), "bad-cut-in-shape.npy": header("{'shape': (12"),
           "bad-letter-in-shape.npy": literal("'shape': (1a)"), "bad-blank-in-shape.npy": literal("'shape': (1 2)"),
           "bad-size-one-more.npy": literal("'descr': '<f4', " + ORDER + "18446744073709551616,)"),
           "bad-size-beside-0.npy": literal("'descr': '<f4', " + ORDER + "0,9512562859044512562)"),
           "bad-cut-behind-size.npy": header("{'shape': (1,2"), "bad-no-colon.npy": literal("'descr' '<f4'"),
           "bad-key-bare.npy": literal("descr: '<f4'"), "bad-shape-twice.npy": literal("'shape': (), 'shape': ()"),
           "bad-order-twice.npy": literal("'fortran_order': True, 'fortran_order': True"),
           "bad-key-unknown.npy": literal("'more': 1"), "bad-short.npy": b"\x93NUMPY\1\0\0",
           "bad-magic.npy": b"\x93NUMPZ" + npy(np.zeros(1))[6:], "bad-minor.npy": b"\x93NUMPY\1\1" + npy(np.zeros(1))[8:],
           "bad-version-2-cut.npy": b"\x93NUMPY\2\0\0\0\0", "config-padded.npy": npy(np.array("ab", "<U4")),
           "config-no-characters.npy": literal("'descr': '<U2', " + ORDER + ")", struct.pack("<II", 0xD800, 0x110000)),
           "bad-header-of-70000.npz": archive([("w.npy", b"\x93NUMPY\2\0" + struct.pack("<I", 70000) + b" " * 70000)],
                                              zipfile.ZIP_DEFLATED),
           "bad-name-alone.npz": archive([(".npy", npy(np.zeros(1, "<f4")))]),
           "bad-name-long.npz": archive([("w" * 600 + ".npy", npy(np.zeros(1, "<f4")))]),
           "bad-packed-of-all-bits.npz": changed(archive([("w.npy", npy(np.zeros(1, "<f4")))], zipfile.ZIP_DEFLATED),
                                                 b"PK\1\2", 20, b"\xff" * 4),
           "bad-locator-alone.npz": b"PK\6\7" + b"\0" * 16 + archive([])[-22:],
           "bad-65535-members.npz": changed(archive([]), b"PK\5\6", 8, b"\xff" * 4)}
    for name, data in npz.items():
        put("npz", name, data)
