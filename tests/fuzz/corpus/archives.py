# SPDX-License-Identifier: MIT
"""Archives of Python's zipfile, then changed in their bytes."""
import io, zipfile


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
