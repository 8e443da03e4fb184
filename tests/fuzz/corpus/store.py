# SPDX-License-Identifier: MIT
"""Files of the store, partial files, and HDF5 of others."""
import os, struct, tempfile
import numpy as np

from corpus.frame import put


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
           "eof-beyond": head(5000) + tail(5000, said_size=96),
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
            "lzf": h5(lambda f: f.create_dataset("images", data=x, chunks=(1, 3, 4), compression="lzf")),
            "labels-lzf": h5(lambda f: (f.create_dataset("x", data=x),
                                        f.create_dataset("y", data=np.array([1, 0]), chunks=(1,), compression="lzf"))),
            "old-format": h5(lambda f: f.create_dataset("images", data=x), latest=False)}
    first = good["images"]
    bad = {"empty": b"", "signature": first[:8], "cut": first[:len(first) // 2],
           "float": h5(lambda f: f.create_dataset("images", data=x.astype("f4"))),
           "rank-2": h5(lambda f: f.create_dataset("images", data=x[0])),
           "two": h5(lambda f: (f.create_dataset("a", data=x), f.create_dataset("b", data=x))),
           "soft-link": h5(lambda f: f.__setitem__("images", h5py.SoftLink("/a"))),
           "external-link": h5(lambda f: f.__setitem__("images", h5py.ExternalLink("/etc/passwd", "/"))),
           "lzf": h5(lambda f: f.create_dataset("images", (1, 3, 4), np.uint8, chunks=(1, 3, 4), compression="lzf")
                     .id.write_direct_chunk((0, 0, 0), b"\xff" * 5)),
           "labels-few": h5(lambda f: (f.create_dataset("x", data=x), f.create_dataset("y", data=np.array([1])))),
           "huge": h5(lambda f: f.create_dataset("images", (2**40, 1000, 1000), np.uint8, chunks=(1, 10, 10))), "nothing": h5(lambda f: None)}
    def layout(set_layout, kind=np.uint8, shape=(2, 3, 4)):
        """A dataset that h5py has no words for."""
        def write(f):
            dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            set_layout(dcpl)
            h5py.h5d.create(f.id, b"images", h5py.h5t.py_create(np.dtype(kind)), h5py.h5s.create_simple(shape), dcpl)
        return h5(write)

    good["compact"] = layout(lambda p: p.set_layout(h5py.h5d.COMPACT))
    good["no-pixels"] = h5(lambda f: f.create_dataset("images", (3, 0, 4), np.uint8))
    good["in-a-group"] = h5(lambda f: (f.create_dataset("data/x", data=x), f.create_dataset("only", data=x),
                                       f.create_dataset("n" * 300, data=x), f.create_dataset("five", (1,) * 5, np.uint8)))
    good["four-channels"] = h5(lambda f: f.create_dataset("images", data=np.arange(96, dtype=np.uint8).reshape(2, 3, 4, 4)))
    good["only-rank-4"] = h5(lambda f: f.create_dataset("any", data=x.reshape(2, 3, 4, 1)))
    good["large-images"] = h5(lambda f: f.create_dataset("images", (2, 2049, 2048), np.uint8, chunks=(1, 2049, 2048),
                                                         compression="gzip", data=np.zeros((2, 2049, 2048), np.uint8)))
    bad["external-storage"] = layout(lambda p: p.set_external(b"/etc/passwd", 0, 24))
    parts = h5py.VirtualLayout((2, 3, 4), np.uint8)
    parts[0] = h5py.VirtualSource("other.h5", "x", (3, 4))
    bad["virtual"] = h5(lambda f: f.create_virtual_dataset("images", parts))
    bad["int16"] = h5(lambda f: f.create_dataset("images", data=x.astype("i2")))
    bad["int8"] = h5(lambda f: f.create_dataset("images", data=x.astype("i1")))
    bad["rank-5"] = h5(lambda f: f.create_dataset("images", data=x.reshape(1, 1, 2, 3, 4)))
    bad["wide"] = h5(lambda f: f.create_dataset("images", (1, 2, 65536), np.uint8, chunks=(1, 1, 64)))
    bad["long"] = h5(lambda f: f.create_dataset("images", (2**20, 100, 100), np.uint8, chunks=(1, 10, 10)))
    bad["overflow"] = h5(lambda f: f.create_dataset("images", (2**62, 65535, 65535), np.uint8, chunks=(1, 10, 10)))
    bad["scaled"] = h5(lambda f: f.create_dataset("images", data=x, chunks=(1, 3, 4), scaleoffset=4))
    def with_labels(labels, name="y"):
        return h5(lambda f: (f.create_dataset("x", data=x), f.create_dataset(name, data=labels)))

    bad["labels-float"] = with_labels(np.array([1.5, 0]))
    bad["labels-nan"] = with_labels(np.array([np.nan, 0]))
    bad["labels-two-hot"] = with_labels(np.array([[1, 1], [1, 0]]))
    bad["labels-no-hot"] = with_labels(np.array([[0, 0], [1, 0]]))
    bad["labels-several"] = h5(lambda f: (f.create_dataset("x", data=x), f.create_dataset("y", data=np.array([1, 0])),
                                          f.create_dataset("labels", data=np.array([1, 0]))))
    bad["only-mask"] = h5(lambda f: f.create_dataset("mask", data=x))
    good["labels-text"] = with_labels(np.array([b"a", b"b"]))
    good["labels-whole"] = with_labels(np.array([1.0, 0]))
    good["labels-one-hot"] = with_labels(np.array([[0, 1], [1, 0]]))
    good["labels-bool"] = with_labels(np.array([True, False]))
    good["labels-column"] = with_labels(np.array([[1], [0]]))
    good["labels-in-pairs"] = h5(lambda f: (f.create_dataset("x_train", data=x), f.create_dataset("y_test", data=np.array([1, 1])),
                                            f.create_dataset("x_test", data=x), f.create_dataset("y_train", data=np.array([1, 0]))))
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
