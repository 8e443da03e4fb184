# SPDX-License-Identifier: MIT
"""EDF and BDF files, most with one trap: the like of those that readers stumble over."""
import math
import struct

from corpus.frame import put

FIELDS = [("label", 16), ("transducer", 80), ("unit", 8), ("low", 8), ("high", 8), ("dlow", 8), ("dhigh", 8), ("filter", 80), ("samples", 8), ("", 32)]


def field(text, size):
    return (text if isinstance(text, bytes) else text.encode())[:size].ljust(size)


def signal(label="C3", samples=8, unit="uV", low="-500", high="500", dlow="-32768", dhigh="32767"):
    return dict(label=label, samples=str(samples), unit=unit, low=low, high=high, dlow=dlow, dhigh=dhigh)


def notes(lists, samples=12, label="EDF Annotations"):
    return dict(signal(label, samples, "", "-1", "1"), lists=lists)


def times(n, step=1, first=0):
    return [b"+%g\x14\x14\0" % (first + step * i) for i in range(n)]


def edf(channels, n=3, width=2, version=None, reserved=None, records=None, seconds="1", header=None,
        date="12.08.09", recording="Startdate 12-AUG-2009 X X X"):
    version = version or (b"\xffBIOSEMI" if width == 3 else "0")
    reserved = ("BDF+C" if width == 3 else "EDF+C") if reserved is None else reserved
    out = field(version, 8) + field("X X X X", 80) + field(recording, 80) + field(date, 8) + field("16.15.00", 8)
    out += field(header or str(256 * (len(channels) + 1)), 8) + field(reserved, 44) + field(records or str(n), 8)
    out += field(seconds, 8) + field(str(len(channels)), 4)
    for name, size in FIELDS:
        out += b"".join(field(c.get(name, ""), size) for c in channels)
    for r in range(n):
        for c in channels:
            size = int(c["samples"]) if c["samples"].isdigit() else 0
            if "lists" in c:
                out += c["lists"][r].ljust(width * size, b"\0")[:width * size]
                continue
            for k in range(size):
                value = round(3000 * math.sin(0.7 * (r * size + k)))
                out += struct.pack("<i", value)[:width]
    return out


def make_recordings():
    c3, a = signal(), notes([b"+0\x14\x14\0+0\x154.2\x14T0\x14\0", b"+1\x14\x14\0", b"+2\x14\x14\0+2.1\x14T1\x14\0"])
    c4 = signal("C4..")
    bdf = signal("A1", 8, "uV", "-262144", "262143", "-8388608", "8388607")
    plain = edf([c3, a])
    gap = [b"+0\x14\x14\0", b"+1\x14\x14\0", b"+22\x14\x14\0"]
    files = {
        "plain": plain, "two": edf([c3, c4, a]), "edf": edf([c3, c4], reserved=""),
        "bdf": edf([bdf, notes(times(3), label="BDF Annotations")], width=3), "bdf-24bit": edf([bdf], width=3, reserved="24BIT"),
        "gap": edf([c3, notes(gap)], reserved="EDF+D"), "no-gap": edf([c3, a], reserved="EDF+D"), "gap-in-c": edf([c3, notes(gap)]),
        "duplicate": edf([c3, c3, signal("EEG C3-Ref"), a]), "rates": edf([c3, signal("Temp", 1, "degC"), a]),
        "half-second": edf([c3, notes(times(3, 0.5))], seconds="0.5"), "inverted": edf([signal(low="500", high="-500"), a]),
        "unit": edf([signal(unit=".V"), signal("C4", unit=b"\xb5V"), a]), "minus-one": edf([c3, a], records="-1"), "more-bytes": plain + b"\0" * 9,
        "latin1": edf([c3, notes([b"+0\x14\x14\0", b"+1\x14\x14\0+1\x14links \xfcber\x14\0", b"+2\x14\x14\0"])]),
        "utf8": edf([c3, notes([b"+0\x14\x14\0", b"+1\x14\x14\0+1\x14\xe4\xb8\xad\x14\0", b"+2\x14\x14\0"])]),
        "two-lists": edf([c3, a, notes([b"+0\x14\x14\0+1\x150\x14A\x14B\x14\0", b"", b"+2.9\x14end\x14\0"])]),
        "malformed": edf([c3, notes([b"+0\x14\x14\0x\x14no\x14\0", b"+1\x14\x14\0+1", b"+2\x14\x14\0+1\x15-2\x14no\x14\0"])]),
        "subsecond": edf([c3, notes(times(3, 1, 0.39453))]), "no-times": edf([c3, notes([b"", b"", b""])]), "full-list": edf([c3, notes([b"+0\x14\x14\0+0.123456789\x14abcd\x14"] * 1 + times(2, 1, 1))]),
        "anonymous": edf([c3, a], date="01.01.85", recording="Startdate X X X X"), "no-date": edf([c3, a], date="00.00.00"),
        "only-notes": edf([notes(times(3))], seconds="0"), "no-records": edf([c3, notes([])], n=0), "not-plus": edf([c3, a], reserved=""), "plus-without": edf([c3]),
        "controls": edf([signal("C\x013"), notes([b"+0\x14\x14\0", b"+1\x14\x14\0+1\x14a\nb\x1bc\x14\0", b"+2\x14\x14\0"])]),
        "bad-comma": edf([signal(low="-500,0"), a]), "bad-equal": edf([signal(high="-500"), a]), "bad-truncated": plain[:-5],
        "bad-header": plain[:600], "bad-main": plain[:200], "bad-empty": b"", "bad-version": b"1" + plain[1:], "bad-gdf": b"GDF 2.20" + plain[8:],
        "bad-records": edf([c3, a], records="2"), "bad-more-records": edf([c3, a], records="99999999"), "bad-digital": edf([signal(dlow="0", dhigh="0"), a]),
        "bad-bits": edf([signal(dhigh="40000"), a]), "bad-samples": edf([signal(samples="x"), a]), "bad-zero": edf([signal(samples="0"), a]),
        "bad-seconds": edf([c3, a], seconds="0"), "bad-overlap": edf([c3, notes(times(3, 0.2))]), "bad-d-without": edf([c3], reserved="EDF+D"),
        "bad-d-time": edf([c3, notes([b"+0\x14\x14\0", b"", b"+2\x14\x14\0"])], reserved="EDF+D"), "bad-plus": edf([c3, a], reserved="EDF+X"),
        "bad-header-bytes": edf([c3, a], header="512"), "bad-nan": edf([signal(low="nan"), a]), "bad-range": edf([signal(low="-1e308", high="1e308"), a]),
        "bad-pointer": b"version https://git-lfs.github.com/spec/v1\n",
    }
    for name, data in files.items():
        put("edf", name, data)
