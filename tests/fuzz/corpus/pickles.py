# SPDX-License-Identifier: MIT
""".pth: pickles, alone and in archives."""
import os, pickle, struct, zipfile

from corpus.archives import archive, archive_tricks, changed
from corpus.frame import put


class Call:
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def whole(x):
    return b"J" + struct.pack("<i", x) if -2**31 <= x < 2**31 else b"\x8a\x08" + struct.pack("<q", x)


def storage(key="0", elements=8, kind="FloatStorage"):
    return b"(" + text("storage") + b"ctorch\n" + kind.encode() + b"\n" + text(key) + text("cpu") + whole(elements) + b"tQ"


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


def make_pth_rest():
    """What the counters of branches had not met."""
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
