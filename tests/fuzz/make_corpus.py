#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the corpora of tests/fuzz, but for OpenQASM's and what fuzzing itself has found (named found-* and
bad-found-*): small files in tests/fuzz/NAME/. Those named bad-* must be refused. Archives and pickles are
made by Python's own pickle and zipfile, arrays by NumPy, HDF5 by h5py: not by ketline.

    python3 tests/fuzz/make_corpus.py          # the same bytes each time
"""
import gzip, io, json, os, pickle, struct, tempfile, zipfile, zlib
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def put(target, name, data):
    folder = os.path.join(HERE, target)
    os.makedirs(folder, exist_ok=True)
    if isinstance(data, str):
        data = data.encode()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


# ---- IDX ----
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


# ---- PNG ----
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


# ---- safetensors ----
def safetensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(dtype="F32", shape=(2,), begin=0, end=8):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def make_safetensors():
    two = np.array([1, -2], np.float32).tobytes()
    put("safetensors", "one", safetensors({"w": tensor()}, two))
    put("safetensors", "types", safetensors(
        {"a": tensor("F16", (1, 2), 0, 4), "b": tensor("BF16", (2,), 4, 8), "c": tensor("F64", (1,), 8, 16),
         "d": tensor("I32", (1,), 16, 20), "e": tensor("I64", (), 20, 28)}, bytes(range(28))))
    put("safetensors", "config", safetensors({"__metadata__": {"config": "{}"}, "w": tensor()}, two))
    put("safetensors", "no-elements", safetensors({"w": tensor(shape=(0, 3), end=0)}))
    put("safetensors", "nan", safetensors({"w": tensor()}, b"\xff" * 8))
    put("safetensors", "spaces",
        safetensors(b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}    ', two))
    bad = {
        "empty": b"", "cut": safetensors({"w": tensor()}, two)[:-1],
        "longer": safetensors({"w": tensor()}, two + b"\0"),
        "huge-header": safetensors(b"{}", length=2**63),
        "long-header": safetensors(b"{}", length=100 * 1000 * 1000 + 1),
        "hole": safetensors({"w": tensor(begin=8, end=16)}, two * 2),
        "overlap": safetensors({"a": tensor(), "b": tensor(begin=4, end=12)}, two + two[:4]),
        "same-place": safetensors({"a": tensor(), "b": tensor()}, two),
        "twice": safetensors(b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
                             b'"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', two),
        "backwards": safetensors({"w": tensor(begin=8, end=0)}, two),
        "beyond": safetensors({"w": tensor(end=16)}, two),
        "overflow": safetensors({"w": tensor(shape=(2**32, 2**32))}, two),
        "overflow-bytes": safetensors({"w": tensor(shape=(2**62 + 2,))}, two),
        "negative": safetensors({"w": tensor(shape=(-2, -1))}, two),
        "fraction": safetensors({"w": tensor(shape=(2.0,))}, two),
        "rank-5": safetensors({"w": tensor(shape=(1, 1, 1, 1, 2))}, two),
        "dtype": safetensors({"w": tensor("F8_E4M3")}, two),
        "member": safetensors({"w": dict(tensor(), more=1)}, two), "list": safetensors(b"[]"),
        "number": safetensors({"w": 1}),
        "not-utf8": safetensors(b'{"\xff":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', two),
        "nul-name": safetensors(b'{"a\\u0000b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', two),
        "long-name": safetensors({"w" * 200: tensor()}, two), "deep": safetensors(b"[" * 3000),
        "line-in-name": safetensors({"a\nb": tensor("x")}, two),
    }
    for name, data in bad.items():
        put("safetensors", "bad-" + name, data)


# ---- archives: zipfile writes them, then bytes are changed ----
def archive(members, method=zipfile.ZIP_STORED, comment=b""):
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", method) as z:
        for name, data in members:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            z.writestr(info, data)
        z.comment = comment
    return to.getvalue()


def flags(data, bits, local=True, central=True):
    """The flag bits of every member, in the local header, in the central directory, or in both."""
    data, at = bytearray(data), 0
    for magic, offset, wanted in ((b"PK\3\4", 6, local), (b"PK\1\2", 8, central)):
        at = data.find(magic)
        while at >= 0 and wanted:
            data[at + offset] |= bits
            at = data.find(magic, at + 4)
    return bytes(data)


def changed(data, magic, offset, bytes_, nth=0):
    at = data.find(magic)
    for _ in range(nth):
        at = data.find(magic, at + 4)
    return data[:at + offset] + bytes_ + data[at + offset + len(bytes_):]


def archive_tricks(members, ending=""):
    """What scanners and lenient readers were fooled with; the same for .pth and .npz."""
    sound = archive(members)
    name = members[0][0].encode()
    first = sound.find(b"PK\3\4", 4)  # the second member's local header
    return {
        "encrypted-flag": flags(sound, 0x01), "encrypted-flag-local": flags(sound, 0x01, central=False),
        "encrypted-flag-central": flags(sound, 0x01, local=False), "patch-flag": flags(sound, 0x20),
        "strong-encryption-flag": flags(sound, 0x40), "comment": archive(members, comment=b"x"),
        "before": b"PK" + sound, "after": sound + b"\0", "twice-the-archive": sound + sound,
        "duplicate": archive(members + members[:1]),
        "other-name-local": changed(sound, b"PK\3\4", 30, name[::-1]),
        "other-name-central": changed(sound, b"PK\1\2", 46, name[::-1]),
        "other-size-local": changed(sound, b"PK\3\4", 22, b"\1\0\0\0"),
        "other-size-central": changed(sound, b"PK\1\2", 24, b"\1\0\0\0"),
        "size-of-all-bits": changed(changed(sound, b"PK\1\2", 20, b"\xff" * 8), b"PK\3\4", 18, b"\xff" * 8),
        "crc": changed(sound, b"PK\1\2", 16, b"\1\2\3\4"),
        "method-local": changed(sound, b"PK\3\4", 8, b"\x08"),
        "method-central": changed(sound, b"PK\1\2", 10, b"\x08"),
        "method-99": changed(changed(sound, b"PK\1\2", 10, b"\x63"), b"PK\3\4", 8, b"\x63"),
        "overlap": changed(sound, b"PK\1\2", 42, b"\0\0\0\0", nth=1),
        "offset-beyond": changed(sound, b"PK\1\2", 42, b"\xff\xff\xff\x7f"),
        "count": changed(sound, b"PK\5\6", 8, b"\1\0\1\0"),
        "no-members": changed(sound, b"PK\5\6", 8, b"\0\0\0\0"),
        "disk": changed(sound, b"PK\5\6", 4, b"\1\0"),
        "directory-beyond": changed(sound, b"PK\5\6", 16, b"\xff\xff\xff\x7f"),
        "cut": sound[:-1], "end-alone": sound[-22:], "gap": sound[:first] + b"\0" * 8 + sound[first:],
        "parent": archive(members + [("../x" + ending, b"x")]),
        "root": archive(members + [("/etc/x" + ending, b"x")]),
        "backslash": archive(members + [("a\\x" + ending, b"x")]), "folder": archive(members + [("a/b/", b"")]),
        "line-in-name": archive(members + [("a\nb" + ending, b"x")]),
    }


# ---- pickles ----
class Call:
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def storage(key="0", elements=8, kind="FloatStorage"):
    return b"(" + text("storage") + b"ctorch\n" + kind.encode() + b"\n" + text(key) + text("cpu") + whole(elements) + b"tQ"


def whole(x):
    return b"J" + struct.pack("<i", x) if -2**31 <= x < 2**31 else b"\x8a\x08" + struct.pack("<q", x)


def rebuilt(store, offset=0, size=(2, 4), stride=(4, 1), hooks=b"ccollections\nOrderedDict\n)R"):
    sizes = [b"(" + b"".join(map(whole, t)) + b"t" for t in (size, stride)]
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + store + whole(offset) + sizes[0] + sizes[1] + b"\x89" + hooks + b"tR"


def state(*items, end=b"."):
    return b"\x80\2ccollections\nOrderedDict\nq\0)Rq\1(" + b"".join(text(k) + v for k, v in items) + b"u" + end


def make_pth():
    w = rebuilt(storage())
    put("pth", "one", state(("w", w)))
    put("pth", "transposed", state(("w", rebuilt(storage(), 0, (4, 2), (1, 4)))))
    put("pth", "scalar", state(("w", rebuilt(storage("1", 1), 0, (), ()))))
    put("pth", "no-elements", state(("w", rebuilt(storage("2", 0), 0, (0, 3), (3, 1)))))
    put("pth", "types", state(("a", rebuilt(storage("0", 4, "DoubleStorage"), 1, (2,), (1,))),
                              ("b", rebuilt(storage("0", 16, "HalfStorage"), 0, (2, 2), (2, 1))),
                              ("c", rebuilt(storage("0", 4, "LongStorage"), 0, (4,), (1,)))))
    put("pth", "metadata", state(("w", w), end=b"}" + text("_metadata") + b"}sb."))
    put("pth", "parameter",
        state(("w", b"ctorch._utils\n_rebuild_parameter\n" + w + b"\x88ccollections\nOrderedDict\n)R\x87R")))
    put("pth", "memo", state(("w", rebuilt(storage() + b"q\2")), ("v", rebuilt(b"h\2"))))
    members = [("a/data.pkl", state(("w", w))), ("a/byteorder", b"little"), ("a/data/0", bytes(range(32))),
               ("a/version", b"3\n")]
    put("pth", "archive", archive(members))
    for name, data in archive_tricks(members).items():
        put("pth", "bad-zip-" + name, data)
    put("pth", "bad-zip-deflated", archive(members, zipfile.ZIP_DEFLATED))
    put("pth", "bad-zip-big-endian", archive([members[0], ("a/byteorder", b"big")] + members[2:]))
    put("pth", "bad-zip-code", archive(members + [("a/code/x.py", b"import os")]))
    put("pth", "bad-zip-two-folders", archive(members + [("b/data/1", b"x")]))
    put("pth", "bad-zip-no-pickle", archive(members[1:]))
    pickles = {
        # calls, by every opcode that can make one
        "os-system": pickle.dumps({"w": Call(os.system, "id")}, 2),
        "eval": pickle.dumps({"w": Call(eval, "1")}, 2),
        "getattr": pickle.dumps({"w": Call(getattr, {}, "clear")}, 2),
        "stack-global": pickle.dumps(Call(os.system, "id"), 4),
        "protocol-0": pickle.dumps(Call(os.system, "id"), 0), "protocol-5": pickle.dumps({}, 5),
        "inst": b"\x80\2(S'id'\nios\nsystem\n.", "obj": b"\x80\2(cos\nsystem\nS'id'\no.",
        "newobj": b"\x80\2ccollections\nOrderedDict\n)\x81.",
        "newobj-ex": b"\x80\2ccollections\nOrderedDict\n)}\x92.", "extension-registry": b"\x80\2\x82\1.",
        "build-slots": b"\x80\2N}b.",
        "runpy": b"\x80\2crunpy\n_run_code\n)R.", "pip": b"\x80\2cpip\nmain\n)R.",
        "torch-load": b"\x80\2ctorch\nload\n)R.",
        "load-from-bytes": b"\x80\2ctorch.storage\n_load_from_bytes\n)R.",
        "numpy-reconstruct": b"\x80\2cnumpy.core.multiarray\n_reconstruct\n)R.",
        "rebuild-sparse": b"\x80\2ctorch._utils\n_rebuild_sparse_tensor\n)R.",
        "dotted-name": b"\x80\2ccollections\nOrderedDict.clear\n)R.",
        "module-with-blank": b"\x80\2ccollections \nOrderedDict\n)R.",
        "global-escape": b"\x80\2cos\x1b[2J\nsystem\n)R.",
        # CVE-2026-24747: items set on what is no dictionary; storages longer than their data
        "cve-2026-24747-setitem": state(("w", storage() + b"K\0K\1s")),
        "cve-2026-24747-setitems-tuple": b"\x80\2)(K\0K\1u.",
        "cve-2026-24747-storage-longer": state(("w", rebuilt(storage(elements=1000000), 0, (2,), (1,)))),
        "storage-shorter": state(("w", rebuilt(storage(elements=2), 0, (2,), (1,)))),
        "storage-negative": state(("w", rebuilt(storage(elements=-1), 0, (0,), (1,)))),
        "storage-of-other-type": state(("w", rebuilt(storage(kind="DoubleStorage"), 0, (8,), (1,)))),
        "storage-absent": state(("w", rebuilt(storage("9"), 0, (2,), (1,)))),
        "storage-key": state(("w", rebuilt(storage("../0")))),
        # extents
        "reaches-beyond": state(("w", rebuilt(storage(), 1))),
        "offset-negative": state(("w", rebuilt(storage(), -1))),
        "stride-negative": state(("w", rebuilt(storage(), 7, (8,), (-1,)))),
        "stride-zero-bomb": state(("w", rebuilt(storage(), 0, (2**40,), (0,)))),
        "stride-overflow": state(("w", rebuilt(storage(), 0, (3, 3), (2**62, 2**62)))),
        "size-overflow": state(("w", rebuilt(storage(), 0, (2**62, 2**62, 0), (1, 1, 1)))),
        "rank-5": state(("w", rebuilt(storage(), 0, (1,) * 5, (1,) * 5))),
        "ranks-differ": state(("w", rebuilt(storage(), 0, (2,), (1, 1)))),
        "hooks": state(("w",
                        rebuilt(storage(), hooks=b"ccollections\nOrderedDict\n)R(" + text("a") + b"K\1u"))),
        # shapes of the stack
        "mark-as-key": b"\x80\2}(K\1s.", "dictionary-in-itself": b"\x80\2}q\0(" + text("w") + b"h\0u.",
        "mark-in-tuple": b"\x80\2(((t.",
        "memo-large": b"\x80\2}r\xff\xff\xff\x7f.", "memo-absent": b"\x80\2h\5.", 
        "string-long": b"\x80\2X\xff\xff\xff\xff.", "long1-255": b"\x80\2\x8a\xff.",
        "name-nul": state(("w\0", w)), "name-long": state(("w" * 128, w)),
        "name-twice": state(("w", w), ("w", w)), "key-number": b"\x80\2}(K\1" + w + b"u.",
        "nothing": b"\x80\2.", "two-left": b"\x80\2}}.", "after-stop": state(("w", w)) + b"x",
        "cut": state(("w", w))[:-1],
    }
    for name, data in pickles.items():
        put("pth", "bad-" + name, data)
    often = rebuilt(storage(elements=1024) + b"q\2"), rebuilt(b"h\2")
    shared = state(*[("w%d" % i, often[i > 0]) for i in range(30)])
    put("pth", "bad-shared-too-often", archive([("a/data.pkl", shared), ("a/data/0", b"\0" * 4096)]))


# ---- .npy and .npz ----
def npy(array, version=(1, 0), **options):
    to = io.BytesIO()
    np.lib.format.write_array(to, np.asarray(array), version, **options)
    return to.getvalue()


def header(text_, data=b"", version=1):
    text_ = text_.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + (struct.pack("<H",
                                                             len(text_)) if version == 1 else struct.pack("<I",
                                                                                                          len(text_))) + text_ + data


def make_npz():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    put("npz", "f4.npy", npy(a))
    put("npz", "f8-fortran.npy", npy(np.asfortranarray(a.astype("<f8"))))
    put("npz", "f2-version-2.npy", npy(a.astype("<f2"), (2, 0)))
    put("npz", "i8-scalar.npy", npy(np.int64(7)))
    put("npz", "i4-empty.npy", npy(np.zeros((0, 3), "<i4")))
    put("npz", "config.npy", npy(np.array("{\"a\": \u00e9\u20ac\U0001f600}")))
    put("npz", "strings.npy", npy(np.array([b"a", b"bc"])))
    put("npz", "nan.npy", npy(np.array([np.nan, np.inf], "<f4")))
    members = [("w.npy", npy(a)), ("b.npy", npy(np.zeros(2, "<f8")))]
    put("npz", "two.npz", archive(members))
    put("npz", "two-deflated.npz", archive(members, zipfile.ZIP_DEFLATED))
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w") as z:  # as numpy.savez does: sizes of 64 bits in the local header
        for name, data in members:
            with z.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                member.write(data)
    put("npz", "two-zip64.npz", to.getvalue())
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
        "objects": npy(np.array([None], object), allow_pickle=True), "big-endian": npy(a.astype(">f4")),
        "bool": npy(a > 1), "complex": npy(a.astype("<c8")),
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


# ---- texts ----
def make_json():
    good = {"null": "[null]", "numbers": "[0,-1,1e3,0.1,1.7976931348623157e308,5e-324,9007199254740993]",
            "text": '["a\\u00e9\\ud83d\\ude00\\n"]',
            "object": '{"b":{"c":[]},"a":1}', "blanks": " \n[ 1 , 2 ]\t",
            "key-parts": '{"kind":"features","options":{"lr":0.001},"inputs":[["images","00"]]}',
            "deep": "[" * 500 + "]" * 500, "utf8": '{"\u00e9\u20ac":"\U0001f600"}'}
    bad = {"empty": "", "word": "null", "twice": '{"a":1,"a":2}', "deep": "[" * 5000, "cut": '{"a":',
           "after": "1 2", "comment": "{/*x*/}", "comma": "[1,]", "nan": "[NaN]",
           "nul-in-name": '{"a\\u0000":1}', "nul": b'"a\0b"', "half-pair": '"\\ud800"', "not-utf8": b'"\xff"',
           "overlong": b'"\xc0\x80"', "large": "1e999",
           "integer": "99999999999999999999", "single-quotes": "{'a':1}", "control": b'"a\x01"',
           "line": '"a\nb"', "plus": "+1", "leading-zero": "01"}
    for name, data in good.items():
        put("json", name, data)
    for name, data in bad.items():
        put("json", "bad-" + name, data)


def make_config():
    good = {"empty": "", "comment": "# nothing\n", "document": "---\n", "braces": "{}\n",
            "flow": "{lr: 0.5, grey: false}", "json": '{"lr": 0.5, "qubits": 3}',
            "all": "n_qubits: 6\nlr: 0.75\noptimizer: \"sgd\"\ngrey: true\nreduction: '64,32'\nany_number: -9\nnote: 'two words: and a colon'\n",
            "crlf": "lr: 0.5\r\nqubits: 3\r\n", "utf16": "lr: 0.5\n".encode("utf-16"),
            "bom": b"\xef\xbb\xbflr: 0.5\n", "folded": "note: >\n  a\n  b\n",
            "escape": 'note: "a\\x1bb\\u20ac"\n',
            "tagged": "lr: !!float 0.5\n"}
    bad = {"unknown": "lrr: 1\n", "range": "qubits: 21\n", "word": "lr: fast\n", "nan": "lr: .nan\n",
           "nan-word": "lr: nan\n", "twice": "lr: 1\nlr: 2\n", "alias-twice": "lr: 1\nlearning_rate: 2\n",
           "choice": "optimizer: lion\n", "list": "optimizer: [adam]\n",
           "mapping": "optimizer:\n  name: adam\n", "anchor": "lr: &x 1\n", "anchor-on-name": "&x lr: 1\n",
           "alias": "lr: *x\n",
           "merge": "<<: {lr: 1}\n", "two-documents": "lr: 1\n---\nlr: 2\n", "scalar": "lr\n",
           "sequence": "- lr\n", "tab": "\tlr: 1\n", "open-quote": "lr: \"1\n",
           "nul-in-value": 'note: "a\\0b"\n',
           "nul-in-name": '"lr\\0x": 1\n', "line-in-name": '"a\\nb": 1\n', "not-utf8": b"note: \xff\n",
           "help": "help: true\n", "config": "config: other.yaml\n", "deep": "[" * 4000,
           "deep-mapping": "{a: " * 1000,
           "laughs": "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "flag": "grey: yes\n", "empty-value": "lr:\n",
           "integer": "qubits: 3.5\n", "large": "any-number: 99999999999999999999\n",
           "directive": "%YAML 9.9\n---\nlr: 1\n"}
    for name, data in good.items():
        put("config", name, data)
    for name, data in bad.items():
        put("config", "bad-" + name, data)


def make_grid():
    good = {"one": "lr=0.1", "two": "lr=1e-3,3e-3 n_qubits=1,2", "bar": "reduction=128,32|64",
            "parentheses": "reduction=a(1,2),b", "choice": "optimizer=adam,sgd", "empty-values": "lr=,1,,2,",
            "most": "qubits=" + ",".join(map(str, range(1, 21))), "lines": "lr=1\nqubits=2\t"}
    bad = {"empty": "", "blank": "  ", "no-equals": "lr", "unknown": "lrr=1", "twice": "lr=1 lr=2",
           "alias-twice": "lr=1 learning_rate=2", "value-twice": "lr=1,1", "no-values": "lr=",
           "range": "qubits=0",
           "word": "lr=fast", "choice": "optimizer=lion",
           "many-values": "lr=" + ",".join("0.%03d" % i for i in range(65)),
           "many-points": "qubits=" + ",".join(map(str,
                                                   range(1,
                                                         21))) + " lr=" + ",".join("0.%02d" % i for i in range(60)) + " optimizer=adam,adamw,sgd reduction=1|2",
           "refused": "grey=true", "not-in-key": "any-number=1", "control": "lr=\x1b[2J",
           "delete": "qubits=1\x7f", "open": "reduction=(a,b lr=(1"}
    for name, data in good.items():
        put("grid", name, data)
    for name, data in bad.items():
        put("grid", "bad-" + name, data)


def make_noise():
    good = {"none": "none", "list": "depolarizing=0.01,readout=0.02",
            "times": "t1=5e-5,t2=7e-5,gate-time=3.5e-8,gate-time-2=3e-7,excited=0.01",
            "pairs": "bit-flip=0.1,bit-flip-2=0.2,phase-flip=0",
            "all": '{"all":{"depolarizing":0.01}}',
            "qubits": '{"name":"x","note":"y","all":{"readout":0.1},"qubits":[{"t1":1e-4,"gate-time":1e-8},{"readout-0":0.2}]}', "utf8": '{"name":"\u00e9' + "\u20ac" * 30 + '","qubits":[{}]}',
            "sorted": "readout-1=0.1,readout-0=0.2,amplitude-damping=1,phase-damping=0"}
    bad = {"word": "x", "unknown": "depolarising=0.1", "above": "readout=1.1", "below": "readout=-0.1",
           "nan": "readout=nan", "infinite": "t1=inf,gate-time=1", "twice": "readout=0,readout=0",
           "no-number": "readout=", "after": "readout=0.1x",
           "comma": "readout=0.1,", "t1-alone": "t1=1e-4", "time-alone": "gate-time=1e-8",
           "t2-above": "t1=1,t2=3,gate-time=1", "excited": "excited=0.1", "long-name": "a" * 60 + "=1",
           "hex": "readout=0x", "control": "readout\x1b[2J=1", "line": "a\nb=1",
           "empty-object": "{}", "no-object": "[]", "member": '{"al":{}}',
           "text-as-number": '{"all":{"readout":"0.1"}}', "qubits-number": '{"qubits":3}',
           "no-qubits": '{"qubits":[]}', "many-qubits": '{"qubits":[' + ",".join(["{}"] * 40) + "]}",
           "name-number": '{"name":1,"all":{}}', "name-control": '{"name":"a\\u001b","all":{}}',
           "line-in-name": '{"all":{"a\\nb":1}}', "line-in-member": '{"a\\nb":1}',
           "cut": '{"all":{"readout":0.1}', "nul": b'{"all":{"readout":0.1}}\0',
           "large": '{"all":{"t1":1e400}}'}
    for name, data in good.items():
        put("noise", name, data)
    for name, data in bad.items():
        put("noise", "bad-" + name, data)


def make_observables():
    good = {"z": "z", "x-y": "x,y", "zz": "zz", "probs": "probs", "strings": "ZZII,0.5*XIYI-ZIII",
            "sum": "-ZIII+ZIII-XXXX", "probs-wires": "probs(0,2)", "probs-all": "probs(3,2,1,0)",
            "blanks": " Z Z II , x ", "fidelity": "fidelity(0+1-)",
            "fidelity-ghz": "fidelity(ghz),fidelity(w),fidelity(rl01)", "weights": "1e-3*ZIII+.5*XIII+2*YIII",
            "probs-in-order": "probs(0,1,2,3)"}
    bad = {"empty": "", "comma": "z,", "letter": "ZZIA", "lower": "zzii", "short": "ZZ", "long": "ZZIII",
           "zero": "ZIII-ZIII", "weight": "1e999*ZIII", "weight-alone": "0.5", "star": "*ZIII",
           "signs": "--ZIII", "probs-beside": "probs,z", "wire-4": "probs(4)",
           "wire-twice": "probs(0,0)", "wire-negative": "probs(-1)", "wire-none": "probs()",
           "wire-large": "probs(99999999999999999999)", "open": "probs(0", "close": "probs(0))",
           "after": "probs(0)x", "fidelity-short": "fidelity(0)", "fidelity-letter": "fidelity(0+1a)",
           "fidelity-open": "fidelity(0+1-", "fidelity-none": "fidelity()", "control": "\x1b[2J",
           "line": "Z\nZ", "nan": "nan*ZIII", "hex": "0x*ZIII", "probs-word": "probsx"}
    for name, data in good.items():
        put("observables", name, "\3" + data)
    for name, data in bad.items():
        put("observables", "bad-" + name, "\3" + data)
    put("observables", "bad-zz-alone", "\0zz")
    put("observables", "one-qubit", "\5z")


def make_bits():
    good = {"rows": "0110\n1001\n", "no-end": "0110\n1001", "labels": "0110 1\n1001 2\n0000 1\n", "one": "1",
            "long": ("01" * 65 + "\n") * 3, "odd": "011\n",
            "texts.npy": npy(np.array(["0110", "1001"])), "bytes.npy": npy(np.array([b"0110", b"1001"])),
            "numbers.npy": npy(np.array([[0, 1, 1], [1, 0, 0]], np.uint8)),
            "bools.npy": npy(np.array([[True, False]]))}
    bad = {"empty": "", "line": "\n", "empty-row": "01\n\n01\n", "short": "0110\n100\n",
           "long": "0110\n10011\n", "letter": "0110\n1a01\n", "two": "0120\n", "nul": b"01\0\n",
           "crlf": "0110\r\n1001\r\n", "label-0": "01 0\n", "label-leading": "01 01\n",
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


# ---- the store ----
def make_envelope():
    def head(eof, version=2, sizes=8, base=0, signature=b"\x89HDF\r\n\x1a\n"):
        return signature + bytes([version, sizes, sizes, 0]) + struct.pack("<QQQQI", base, 2**64 - 1, eof, 48,
                                                                           0)

    def tail(eof, extents=(), magic=b"KETLSEAL", version=1, n=None, said_eof=None, said_size=None):
        n = len(extents) if n is None else n
        size = eof + 16 * len(extents) + 48 if said_size is None else said_size
        foot = magic + struct.pack("<IIQQ", version, n, eof if said_eof is None else said_eof,
                                   size) + b"\0" * 16
        return b"".join(struct.pack("<QQ", *e) for e in extents) + foot

    large = 65536
    good = {"none": head(48) + tail(48), "version-3": head(200, 3) + tail(200),
            "one": head(70000) + tail(70000, [(48, large)]),
            "two": head(200000) + tail(200000, [(48, large), (100000, 100000)])}
    bad = {"signature": head(48, signature=b"\x89PNG\r\n\x1a\n") + tail(48),
           "superblock-0": head(48, 0) + tail(48), "sizes": head(48, sizes=4) + tail(48),
           "base": head(48, base=512) + tail(48),
           "magic": head(48) + tail(48, magic=b"KETLSEAM"), "version": head(48) + tail(48, version=2),
           "eof": head(48) + tail(48, said_eof=49), "size": head(48) + tail(48, said_size=97),
           "longer": head(48) + tail(48) + b"\0",
           "count": head(48) + tail(48, n=1), "count-huge": head(48) + tail(48, n=2**32 - 1),
           "small-extent": head(70000) + tail(70000, [(48, large - 1)]),
           "in-superblock": head(70000) + tail(70000, [(47, large)]),
           "beyond": head(70000) + tail(70000, [(48, 70000)]),
           "overflow": head(70000) + tail(70000, [(2**64 - 8, large)]),
           "length-overflow": head(70000) + tail(70000, [(48, 2**64 - 40)]),
           "order": head(200000) + tail(200000, [(100000, large), (48, large)]),
           "overlap": head(200000) + tail(200000, [(48, large), (1000, large)]), "empty": b"",
           "cut": (head(48) + tail(48))[:-1], "head-alone": head(48)}
    for name, data in good.items():
        put("envelope", name, data)
    for name, data in bad.items():
        put("envelope", "bad-" + name, data)


def make_profile():
    """Programs for profile.c, by the places of the words in its lists."""
    objects = ["/", "features", "labels", "digests/features", "digests", "class_names", "new"]
    names = ["kind", "key", "content", "schema", "key_parts", "created_by", "row_sum", "backbone", "features",
             "new", "digests/new", "provenance", "group", "digests/features"]
    types = ["i64", "i64be", "f64", "f32", "u8", "i32", "text", "variable", "enumeration", "compound",
             "reference", "opaque"]
    spaces = ["scalar", "null", "six", "one", "some", "none", "blocks"]
    layouts = ["early", "late", "compact", "chunked", "external"]
    o, n, t, s = objects.index, names.index, types.index, spaces.index

    def attribute(where, what, kind="text", shape="scalar"):
        return [0, o(where), n(what), t(kind), s(shape)]

    def dataset(what, kind="u8", shape="some", layout="early", deflate=0):
        return [1, n(what), t(kind), s(shape),
                layouts.index(layout)] + ([deflate] if layout == "chunked" else [])

    def link(what, where, kind):
        return [2, n(what), o(where), ["hard", "soft", "external", "ring", "group"].index(kind)]

    def remove(what):
        return [3, n(what)]

    def without(where, what):
        return [4, n(what), o(where)]

    def move(what, where):
        return [5, n(what), n(where)]

    good = {"nothing": [], "group": link("group", "/", "group"),
            "attribute-of-digests": attribute("digests/features", "new"), "key-again": attribute("/", "key"),
            "digests-of-nothing": dataset("digests/new", shape="blocks"),
            "hard-link": link("new", "features", "hard"), "ring": link("group", "/", "ring"),
            "there-and-back": move("features", "new") + move("new", "features")}
    bad = {"number": attribute("features", "new", "f64"), "text": attribute("features", "new"),
           "attribute-of-group": attribute("digests", "new"), "content": attribute("/", "content"),
           "kind-number": attribute("/", "kind", "i64"), "schema-text": attribute("/", "schema"),
           "schema-many": attribute("/", "schema", "i64", "some"), "no-key": without("/", "key"),
           "no-kind": without("/", "kind"),
           "row-sum": attribute("digests/features", "row_sum"),
           "no-row-sum": without("digests/features", "row_sum"),
           "row-sum-number": attribute("digests/features", "row_sum", "i64"),
           "attribute-big-endian": attribute("/", "new", "i64be"),
           "attribute-list": attribute("/", "new", "f64", "some"),
           "attribute-null": attribute("/", "new", "f64", "null"),
           "attribute-none": attribute("/", "new", "i64", "none"),
           "dataset": dataset("new"), "dataset-six": dataset("new", shape="six"),
           "dataset-null": dataset("new", shape="null"), "late": dataset("new", layout="late"),
           "compact": dataset("new", layout="compact"),
           "chunked": dataset("new", layout="chunked"), "deflated": dataset("new", layout="chunked", deflate=1),
           "external-storage": dataset("new", layout="external"),
           "digests-replaced": dataset("digests/features", shape="blocks"),
           "digests-other-shape": dataset("digests/features"), "provenance-list": dataset("provenance"),
           "large-dataset-replaced": dataset("features"), "no-dataset": remove("features"),
           "no-digests": remove("digests/features"), "renamed": move("features", "new"),
           "digests-and-data": move("features", "new") + move("digests/features", "digests/new")}
    bad.update({"attribute-" + k: attribute("/", "new", k) for k in ("f32", "u8", "i32", "variable",
                                                                     "enumeration", "compound", "reference",
                                                                     "opaque")})
    bad.update({"dataset-" + k: dataset("new", k) for k in ("i64be", "text", "variable", "enumeration",
                                                            "compound", "reference", "opaque")})
    good.update({"soft-link": link("new", "features", "soft"),
                 "external-link": link("new", "features", "external")})
    for name, data in good.items():
        put("profile", name, bytes(data))
    for name, data in bad.items():
        put("profile", "bad-" + name, bytes(data))


def make_foreign():
    import h5py

    def h5(write, latest=True):
        """Without the times at which objects were made."""
        fcpl, fapl = h5py.h5p.create(h5py.h5p.FILE_CREATE), h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        fcpl.set_obj_track_times(False)
        if latest:
            fapl.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.h5")
            with h5py.File(h5py.h5f.create(path.encode(), fcpl=fcpl, fapl=fapl)) as file:
                write(file)
            with open(path, "rb") as file:
                return file.read()

    x = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    good = {"images": h5(lambda f: f.create_dataset("images", data=x)),
            "labels": h5(lambda f: (f.create_dataset("x", data=x),
                                    f.create_dataset("y", data=np.array([1, 0])))),
            "gzip": h5(lambda f: f.create_dataset("any", data=x, chunks=(1, 3, 4), compression="gzip",
                                                  shuffle=True, fletcher32=True)),
            "rgb": h5(lambda f: f.create_dataset("data", data=x.reshape(1, 2, 3, 4)[..., :3])),
            "old-format": h5(lambda f: f.create_dataset("images", data=x), latest=False)}
    first = good["images"]
    bad = {"empty": b"", "signature": first[:8], "cut": first[:len(first) // 2],
           "float": h5(lambda f: f.create_dataset("images", data=x.astype("f4"))),
           "rank-2": h5(lambda f: f.create_dataset("images", data=x[0])),
           "two": h5(lambda f: (f.create_dataset("a", data=x), f.create_dataset("b", data=x))),
           "soft-link": h5(lambda f: f.__setitem__("images", h5py.SoftLink("/a"))),
           "external-link": h5(lambda f: f.__setitem__("images", h5py.ExternalLink("/etc/passwd", "/"))),
           "lzf": h5(lambda f: f.create_dataset("images", data=x, chunks=(1, 3, 4), compression="lzf")),
                     "labels-few": h5(lambda f: (f.create_dataset("x", data=x),
                                                 f.create_dataset("y", data=np.array([1])))),
           "huge": h5(lambda f: f.create_dataset("images", (2**40, 1000, 1000), np.uint8, chunks=(1, 10, 10))), "nothing": h5(lambda f: None)}
    for name, data in good.items():
        put("foreign", name, data)
    for name, data in bad.items():
        put("foreign", "bad-" + name, data)


def make_partial():
    edits = {"nothing": [], "last-byte": [(65535, 255)], "first": [(0, 1)],
             "some": [(i, 128) for i in range(0, 65536, 4099)], "end": [(65000 + i, 1) for i in range(40)],
             "rows": [(10000, 1), (30000, 2)]}
    for name, data in edits.items():
        put("partial", name, b"".join(struct.pack(">HB", *e) for e in data))
    for cut in (0, 1, 40000, 60000, 65534):
        put("partial", "cut-%d" % cut, struct.pack(">H", cut))


# ---- what the counters of branches had not met ----
def make_rest():
    def literal(text_, data=b""):
        return header("{" + text_ + "}", data)

    order, zero = "'fortran_order': False, 'shape': (", struct.pack("<f", 0)
    npz = {"bad-cut-in-word.npy": header("{'fortran_order': T"), "bad-cut-before-text.npy": header("{"),
           "bad-cut-in-text.npy": header("{'des"), "bad-escape-in-text.npy": literal("'a\\n': 1"),
           "bad-control-in-text.npy": literal("'a\n': 1"), "bad-cut-in-shape.npy": header("{'shape': (12"),
           "bad-letter-in-shape.npy": literal("'shape': (1a)"), "bad-blank-in-shape.npy": literal("'shape': (1 2)"),
           "bad-size-one-more.npy": literal("'descr': '<f4', " + order + "18446744073709551616,)"),
           "bad-cut-behind-size.npy": header("{'shape': (1,2"), "bad-no-colon.npy": literal("'descr' '<f4'"),
           "bad-key-bare.npy": literal("descr: '<f4'"), "bad-shape-twice.npy": literal("'shape': (), 'shape': ()"),
           "bad-order-twice.npy": literal("'fortran_order': True, 'fortran_order': True"),
           "bad-key-unknown.npy": literal("'more': 1"), "bad-short.npy": b"\x93NUMPY\1\0\0",
           "bad-magic.npy": b"\x93NUMPZ" + npy(np.zeros(1))[6:], "bad-minor.npy": b"\x93NUMPY\1\1" + npy(np.zeros(1))[8:],
           "bad-version-2-cut.npy": b"\x93NUMPY\2\0\0\0\0", "config-padded.npy": npy(np.array("ab", "<U4")),
           "config-no-characters.npy": literal("'descr': '<U2', " + order + ")", struct.pack("<II", 0xD800, 0x110000)),
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

    two = archive([("a/data.pkl", b"."), ("a/version", b"3\n")])
    second, directory = two.find(b"PK\3\4", 4), two.find(b"PK\1\2")
    at = struct.pack("<I", second)
    put("pth", "bad-zip-member-in-directory",
        two[:second] + changed(two[directory:], b"PK\5\6", 16, at))
    put("pth", "bad-zip-count-3", changed(two, b"PK\5\6", 8, b"\3\0\3\0"))
    put("pth", "bad-zip-gap-before-directory",
        two[:directory] + b"\0" * 8 + changed(two[directory:], b"PK\5\6", 16, struct.pack("<I", directory + 8)))
    put("pth", "bad-zip-no-folder", archive([("data.pkl", b".")]))
    put("pth", "bad-zip-long-folder", archive([("a" * 250 + "/data.pkl", b".")]))
    put("pth", "bad-zip-storage-name", archive([("a/data.pkl", b"."), ("a/data/0x", b".")]))
    put("pth", "bad-zip-other-endian", archive([("a/data.pkl", b"."), ("a/byteorder", b"litTle")]))

    def identity(*parts):
        return state(("w", rebuilt(b"(" + b"".join(parts) + b"tQ")))

    name = b"ctorch\nFloatStorage\n"
    pickles = {"id-not-storage": identity(text("storagf"), name, text("0"), text("cpu"), whole(8)),
               "id-word-number": identity(whole(1), name, text("0"), text("cpu"), whole(8)),
               "id-type-text": identity(text("storage"), text("x"), text("0"), text("cpu"), whole(8)),
               "id-type-other": identity(text("storage"), b"ccollections\nOrderedDict\n", text("0"), text("cpu"), whole(8)),
               "id-key-number": identity(text("storage"), name, whole(0), text("cpu"), whole(8)),
               "id-device-number": identity(text("storage"), name, text("0"), whole(0), whole(8)),
               "id-elements-text": identity(text("storage"), name, text("0"), text("cpu"), text("8")),
               "id-long-key": identity(text("storage"), name, text("0" * 21), text("cpu"), whole(8)),
               "storage-odd-bytes": state(("w", rebuilt(storage("1", 0, "DoubleStorage"), 0, (0,), (1,)))),
               "size-no-tuple": state(("w", b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage() + whole(0) * 3 + b"\x89NtR")),
               "stride-product-overflow": state(("w", rebuilt(storage(), 0, (5,), (2**62,)))),
               "elements-overflow": state(("w", rebuilt(storage(), 0, (2**33, 2**33), (0, 0)))),
               "parameter-few": state(("w", b"ctorch._utils\n_rebuild_parameter\n" + rebuilt(storage()) + b"\x85R")),
               "parameter-number": state(("w", b"ctorch._utils\n_rebuild_parameter\nK\1\x88N\x87R")), "long1-cut": b"\x80\2\x8a\4ab"}
    for name_, data in pickles.items():
        put("pth", "bad-" + name_, data)

    put("safetensors", "bad-offset-negative", safetensors({"w": tensor(begin=-1)}, b"\0" * 8))
    put("safetensors", "bad-offset-text", safetensors({"w": tensor(end="8")}, b"\0" * 8))
    put("safetensors", "backwards-named", safetensors({"b": tensor(begin=8, end=16), "a": tensor()}, b"\0" * 16))
    put("safetensors", "empty-between", safetensors({"b": tensor(begin=0, end=8), "a": tensor(shape=(0,), end=0)}, zero * 2))
    for name_, data in {"bad-no-height": png(1, 0, 8, 0, b""), "bad-width-beyond": png(65536, 1, 8, 0, b""),
                        "bad-height-beyond": png(1, 65536, 8, 0, b"")}.items():
        put("png", name_, data)
    put("idx", "bad-first-byte.gz", packed(b"\1" + idx([[[1]]])[1:]))
    put("idx", "bad-second-byte.gz", packed(b"\0\1" + idx([[[1]]])[2:]))
    put("idx", "bad-large.gz", packed(idx(np.zeros((1, 2000, 1000)))))

    for name_, data in {"bad-time-negative": "gate-time=-1,t1=1", "bad-delete-in-name": '{"name":"a\x7f","all":{}}',
                        "bad-all-beside-list": '{"all":{"readout":2},"qubits":[{}]}', "all-beside-list": '{"all":{},"qubits":[{},{}]}',
                        "bad-second-qubit": '{"qubits":[{},{"readout":2},{}]}', "bad-qubit-number": '{"qubits":[1]}'}.items():
        put("noise", name_, data)
    for name_, data in {"bad-point": "\3.", "bad-lengths": "\3ZZ+Z", "seventeen-digits": "\3" + "0.1*ZIII+0.2*ZIII",
                        "bad-end-of-sum": "\3ZIII+1", "tab": "\3\tz", "probs-two-in-order": "\3probs(0,1)",
                        "bad-probs-and-more": "\3probs(0,1,2,3),q", "probs-of-all-and-z": "\3probs(0,1,2,3),z",
                        "bad-three-letters": "\2fidelity(abc)", "one-letter": "\0Z", "bad-w-and-more": "\0fidelity(x)"}.items():
        put("observables", name_, data)
    for name_, data in {"bad-anchored-mapping": "&x {lr: 1}", "bad-anchored-list": "&x [1]", "bad-alias-alone": "*x",
                        "bad-value-anchored-list": "lr: &x [1]", "bad-second-mapping": "{lr: 1}\n{lr: 2}\n"}.items():
        put("config", name_, data)
    four = "0110".encode("utf-32-le")
    for name_, data in {"bad-letter-in-eight": "0101010101010101\n0101a10101010101\n", "bad-label-of-30": "01 " + "x" * 30 + "\n",
                        "bad-row-of-blanks": "01\n  \n", "bad-cr-within": "0101\n01\r01\n", "bad-magic-cut.npy": b"\x93NUM",
                        "bad-magic-other.npy": b"\x93NUMPZ" + b"0" * 20, "bad-no-bits.npy": npy(np.zeros((2, 0), np.uint8)),
                        "bad-euro.npy": npy(np.array(["01\u20ac0"])), "bad-no-width.npy": literal("'descr': '<U', " + order + "1,)", four),
                        "bad-width-0.npy": literal("'descr': '<U04', " + order + "1,)", four),
                        "bad-rows-beyond.npy": literal("'descr': '<U4', " + order + "%d,)" % 2**60)}.items():
        put("bits", name_, data)


if __name__ == "__main__":
    for make in (make_idx, make_png, make_safetensors, make_pth, make_npz, make_json, make_config, make_grid,
                 make_noise, make_observables, make_bits,
                 make_envelope, make_profile, make_partial, make_foreign,
                 make_rest):
        make()
