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
        "fault-comma": edf([signal(low="-500,0"), a]), "fault-equal": edf([signal(high="-500"), a]), "bad-truncated": plain[:-5],
        "bad-header": plain[:600], "bad-main": plain[:200], "bad-empty": b"", "bad-version": b"1" + plain[1:], "bad-gdf": b"GDF 2.20" + plain[8:],
        "bad-records": edf([c3, a], records="2"), "bad-more-records": edf([c3, a], records="99999999"), "fault-digital": edf([signal(dlow="0", dhigh="0"), a]),
        "fault-bits": edf([signal(dhigh="40000"), a]), "bad-samples": edf([signal(samples="x"), a]), "fault-zero": edf([signal(samples="0"), a]),
        "fault-seconds": edf([c3, a], seconds="0"), "bad-overlap": edf([c3, notes(times(3, 0.2))]), "bad-d-without": edf([c3], reserved="EDF+D"),
        "bad-d-time": edf([c3, notes([b"+0\x14\x14\0", b"", b"+2\x14\x14\0"])], reserved="EDF+D"), "bad-plus": edf([c3, a], reserved="EDF+X"),
        "bad-header-bytes": edf([c3, a], header="512"), "fault-nan": edf([signal(low="nan"), a]), "fault-range": edf([signal(low="-1e308", high="1e308"), a]),
        "bad-pointer": b"version https://git-lfs.github.com/spec/v1\n",
    }
    status = signal("Status", 8, "Boolean", "-8388608", "8388607", "-8388608", "8388607")
    files["bdf-status"] = edf([bdf, status], width=3, reserved="24BIT")
    files["types"] = edf([signal("EEG Fpz-Cz"), signal("EOG left"), signal("ECG", unit="mV"), signal("EMG submental"), signal("Status"),
        signal("SpO2", 1, "%"), signal("-", low="0", high="0", dlow="0", dhigh="0"), a])
    for name, data in files.items():
        put("edf", name, data)
    put("edf", "fault-found-overflow", b'0       X X X X' + b' ' * 73 + b'Startdate 12-AUG-2009 X X X' + b' ' * 53 + b'12.08.0916.15.00768     EDF+C'
        + b' ' * 39 + b'3       1       2   C3              EDF Annotations' + b' ' * 161
        + b'tV              -0e308  -1      1e308   1       -327             2767   32767' + b' ' * 151
        + b'\xf6           8       12' + b' ' * 34 + b'\xff' * 117 + b' ' * 33
        + b'\x00\x00\x8d\x07\x8c\x0b\x1e\n\xed\x03\xe4\xfb\xc9\xf5}\xf4+2.1\x14T1\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00')
    put("edf", "found-blank-text", b'0       X X X X' + b' ' * 73 + b'Startdate 12-AUG-2009 X X X' + b' ' * 53 + b'00.00.0016.15.00768     EDF+C'
        + b' ' * 39 + b'3       1       2   C3              EDF Annotations' + b' ' * 161
        + b'uV              -500    -1      500     1       -32768  -32768  32767   32767' + b' ' * 20 + b's' + b' ' * 142
        + b'8       12' + b' ' * 70
        + b'\x00\x00\x8d\x07\x8c\x0b\x1e\n\xed\x03\xe4\xfb\xc9\xf5}\xf4+0\x14\x14\x00+0\x154.2\x14T0\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x9a\xf82\x00\xb3\x07\x95\x0b\x04\n\xbd\x03\xb5\xfb\xb1\xf5+1\x14\x14'
        + b'\x00' * 20
        + b'\x86\xf4\xc2\xf8e\x00\xd9\x07\x9c\x0b\xe9\t\x8d\x03\x86\xfb+2\x14\x14     \x14T1\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00')


# ---- BrainVision: header, markers and samples of one file, 0x1c between them ----
HEADER = """Brain Vision Data Exchange Header File Version 1.0
; a comment

[Common Infos]
Codepage=UTF-8
DataFile=a.eeg
MarkerFile=a.vmrk
DataFormat=BINARY
DataOrientation=MULTIPLEXED
NumberOfChannels=3
SamplingInterval=2000

[Binary Infos]
BinaryFormat=INT_16

[Channel Infos]
Ch1=Fc5.,,0.1,µV
Ch2=HEOG,Cz,0.5,µV
Ch3=a\\1b,,,mV

[Comment]
free = text
"""
MARKERS = """Brain Vision Data Exchange Marker File, Version 1.0

[Common Infos]
DataFile=a.eeg

[Marker Infos]
Mk1=New Segment,,1,1,0,20131113161403794232
Mk2=Stimulus,S  1,3,1,0
Mk3=Comment,eyes\\1 open,5,4,0
"""


def vision(header=HEADER, markers=MARKERS, samples=None, n=12, form="<h"):
    samples = samples if samples is not None else b"".join(struct.pack(form, k if form[1] == "h" else k / 4) for k in range(3 * n))
    return b"\x1c".join([x if isinstance(x, bytes) else x.encode() for x in (header, markers, samples)])


def make_visions():
    def h(old, new):
        assert old in HEADER, old
        return HEADER.replace(old, new)

    def m(old, new):
        assert old in MARKERS, old
        return MARKERS.replace(old, new)
    floats = h("INT_16", "IEEE_FLOAT_32")
    second = "Mk4=New Segment,,7,1,0,%s\n"
    files = {
        "plain": vision(), "vectorized": vision(h("MULTIPLEXED", "VECTORIZED")), "float": vision(floats, form="<f"),
        "float-vectorized": vision(floats.replace("MULTIPLEXED", "VECTORIZED"), form="<f"), "int32": vision(h("INT_16", "INT_32"), samples=bytes(range(144))),
        "big-endian": vision(h("INT_16", "INT_16\nUseBigEndianOrder=YES"), form=">h"), "big-floats": vision(floats.replace("IEEE_FLOAT_32", "IEEE_FLOAT_32\nUseBigEndianOrder=YES"), form=">f"),
        "points": vision(h("DataFormat", "DataPoints=12\nDataFormat")), "offset": vision(h("INT_16", "INT_16\nDataOffset=6")), "no-markers": vision(h("MarkerFile=a.vmrk\n", "")),
        "own-names": vision(h("a.eeg", "$b.eeg").replace("a.vmrk", "$b.vmrk")), "latin1": vision(HEADER.encode("latin-1")), "crlf": vision(HEADER.replace("\n", "\r\n"), MARKERS.replace("\n", "\r\n")),
        "bom": vision("\ufeff" + HEADER, "\ufeff" + MARKERS), "v2": vision(h("Version 1.0", "Version 2.0")), "no-samples": vision(n=0), "rate": vision(h("2000", "3906.25")),
        "gap": vision(markers=MARKERS + second % "20131113161410000000"), "no-gap": vision(markers=MARKERS + second % "20131113161403806232"),
        "backwards": vision(markers=MARKERS + second % "20131113161300000000"), "no-date": vision(markers=MARKERS + second % ""), "other-data": vision(markers=m("a.eeg", "b.eeg")),
        "malformed": vision(markers=MARKERS + "Mk5=Stimulus\nMk6=Stimulus,S  2,x,1,0\nMk7=,,3,1,0\nMkx=Stimulus,S,3,1,0\nMk8=Stimulus,S,-3,1,0\nMk9=Stimulus,S,3,-1,0\n"),
        "outside": vision(markers=MARKERS + "Mk5=Stimulus,S  2,100,1,0\nMk6=Stimulus,S  3,0,1,0\n"), "commas": vision(markers=MARKERS + "Mk5=Comment,eyes, open, 1,2,6,1,0\nMk6=Comment,a,b\nMk7=Comment,a\\1,b,7,1,0,20131113161403794232\n"), "blank": vision(markers=MARKERS + "Mk5= , ,4,1,0\n"),
        "twice": vision(h("HEOG", "Fc5.")), "long-label": vision(h("Fc5.", "x" + 60 * "µ")), "long-latin1": vision(HEADER.replace("HEOG", 40 * "ÿ").encode("latin-1")), "fault-comma": vision(h("0.5", "0\\15")), "fault-zero": vision(h("0.5", "0")), "fault-nan": vision(floats, samples=struct.pack("<36f", *([1.0] * 7 + [math.nan] * 29))),
        "bad-empty": b"", "bad-version": vision(h("Version 1.0", "Version 3.0")), "bad-first": vision(h("Brain Vision", "Brain")), "bad-markers": vision(markers=m("Marker File", "Header File")),
        "bad-ascii": vision(h("BINARY", "ASCII")), "bad-orientation": vision(h("MULTIPLEXED", "SIDEWAYS")), "bad-no-orientation": vision(h("DataOrientation=MULTIPLEXED\n", "")),
        "bad-type": vision(h("DataFormat", "DataType=FREQUENCYDOMAIN\nDataFormat")), "bad-form": vision(h("INT_16", "UINT_16")), "bad-no-form": vision(h("BinaryFormat=INT_16\n", "")),
        "bad-channels": vision(h("NumberOfChannels=3", "NumberOfChannels=x")), "bad-none": vision(h("NumberOfChannels=3", "NumberOfChannels=0")), "bad-more-channels": vision(h("NumberOfChannels=3", "NumberOfChannels=4")),
        "bad-fewer-channels": vision(h("NumberOfChannels=3", "NumberOfChannels=2")), "bad-channel-twice": vision(h("Ch2=", "Ch1=")), "bad-key-twice": vision(h("DataFormat", "DataFile=b.eeg\nDataFormat")),
        "bad-interval": vision(h("2000", "2000,5")), "bad-interval-0": vision(h("2000", "0")), "bad-length": vision(samples=bytes(71)), "bad-points": vision(h("DataFormat", "DataPoints=13\nDataFormat")),
        "bad-offset": vision(h("INT_16", "INT_16\nDataOffset=600")), "bad-between": vision(h("INT_16", "INT_16\nChannelOffset=2")), "bad-no-data": vision(h("DataFile=a.eeg\n", "")),
        "bad-renamed": vision(h("a.eeg", "before.eeg")), "bad-no-vmrk": vision(h("a.vmrk", "before.vmrk")), "bad-no-infos": vision(h("[Channel Infos]", "[Other]")), "bad-nul": vision(h("; a", "\0 a")),
        "bad-order": vision(h("INT_16", "INT_16\nUseBigEndianOrder=MAYBE")),
    }
    for name, data in files.items():
        put("vision", name, data)


# ---- BIDS' tables beside a recording: events and channels, 0x1c between them ----
def make_tables():
    events = "onset\tduration\ttrial_type\tvalue\n0.25\t1\tleft\t1\n1.5\tn/a\tright\t2\n2\t0\tn/a\t3\n"
    channels = "name\ttype\tunits\tstatus\nC3\tEEG\tuV\tgood\nC4\tEOG\tuV\tbad\n"
    files = {
        "plain": (events, channels), "events": (events, ""), "channels": ("", channels), "crlf": (events.replace("\n", "\r\n"), channels.replace("\n", "\r\n")),
        "bom": ("\ufeff" + events, "\ufeff" + channels), "values": (events.replace("trial_type\t", "other\t"), channels), "quoted": (events.replace("left", '"left, hand"'), channels),
        "order": ("trial_type\tonset\nb\t2\na\t1\n", "status\tname\nbad\tC3\n"), "negative": (events + "-3\t1\tearly\t4\n", channels), "late": (events + "1e6\t1\tlate\t4\n", channels),
        "blank": (events + "\n\n3\t0\tn/a\tn/a\n", channels + "\nCz\tMISC\tuV\tgood\n"), "latin1": (events.replace("left", "\xfcber").encode("latin-1"), channels), "none": ("onset\tduration\ttrial_type\n", channels),
        "bad-commas": (events.replace("\t", ","), channels), "bad-onset": (events.replace("0.25", "0,25"), channels), "bad-no-onset": (events.replace("0.25", "n/a"), channels), "bad-nan": (events.replace("0.25", "nan"), channels),
        "bad-duration": (events.replace("0.25\t1", "0.25\t-1"), channels), "bad-cells": (events + "3\t1\tleft\n", channels), "bad-more-cells": (events + "3\t1\tleft\t1\t1\n", channels),
        "bad-huge": (events.replace("0.25", "1e300"), channels), "bad-nul": (events.replace("left", "le\0ft"), channels), "bad-no-type": ("onset\tduration\n1\t1\n", channels), "bad-blank": ("\n \n", channels),
        "bad-no-name": (events, channels.replace("name", "label")), "bad-channel-cells": (events, channels + "Cz\n"), "bad-many": (events, "\t".join("c%d" % k for k in range(300)) + "\n"),
    }
    for name, data in files.items():
        put("bids", name, b"\x1c".join(x if isinstance(x, bytes) else x.encode() for x in data))
