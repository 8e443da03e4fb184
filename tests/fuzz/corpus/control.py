# SPDX-License-Identifier: MIT
"""Samples of pulses as other programs would write them."""
import io
import json

import numpy

from corpus.frame import put

OUTPUT = {"frequency": 0.0, "full_scale": 2.0}


def conventions(written, n=3, bits=0, scale=1.0, frequency=0.0, **changes):
    outputs = [dict(OUTPUT, control=c, part=p, scale=scale, frequency=frequency) for c, p in (("x", "I"), ("y", "Q"))]
    all_ = {"format": "ketline waveforms 1", "written_as": written, "pulse": "0" * 64, "system": "qubit", "gate": "x",
            "time_unit": "1", "unit_seconds": 0.0, "rate": 2.0, "samples": n, "bits": bits, "sign": 1, "mixed": False,
            "outputs": outputs}
    all_.update(changes)
    return all_


def csv(rows=("0,1,2", "0.5,-1,0", "1,0.25,-2"), header="time,x,y", end="\n", **changes):
    return "# ketline: %s\n%s\n%s%s" % (json.dumps(conventions("csv", **changes)), header, "\n".join(rows), end)


def document(lists=((1, -1, 0.25), (2, 0, -2)), **changes):
    return json.dumps({"ketline": conventions("json", **changes), "samples": lists})


def npy(array=numpy.zeros((3, 2)), words=None, after=b"", **changes):
    file = io.BytesIO()
    numpy.save(file, array)
    if words is None:
        words = json.dumps(conventions("npy", **changes)).encode()
    numpy.save(file, numpy.array(words, dtype="S"))
    return file.getvalue() + after


WAVE = "1.0 + 0.5im, -1.0 - 2e-1im, 0.0 + 0im"


def qasm(cal="port p; frame f = newframe(p, 0.0, 0.0); waveform w = {%s};", wave=WAVE, play="play(f, w);",
         head='OPENQASM 3.0;\ndefcalgrammar "openpulse";', end="", **changes):
    return "// ketline: %s\n%s\ncal { // one\n%s\n}\ndefcal x $0 { %s }\n%s" % (
        json.dumps(conventions("openqasm3", **changes)), head, cal % wave if "%s" in cal else cal, play, end)


def qua(change=None, **changes):
    config = {"controllers": {"con1": {"analog_outputs": {"1": {"offset": 0.0}, "2": {"offset": 0.0}}}},
              "elements": {"q": {"mixInputs": {"I": ["con1", 1], "Q": ["con1", 2]}, "intermediate_frequency": 2.5e7,
                                 "operations": {"play": "p"}}},
              "pulses": {"p": {"operation": "control", "length": 30, "waveforms": {"I": "a", "Q": "b"}}},
              "waveforms": {"a": {"type": "arbitrary", "samples": [0.1, 0, -0.5], "sampling_rate": 1e8},
                            "b": {"type": "arbitrary", "samples": [0, 0, 0.5], "sampling_rate": 1e8}}}
    if change:
        change(config)
    given = dict(frequency=0.5, unit_seconds=2e-8)
    given.update(changes)
    return json.dumps({"ketline": conventions("qua", **given), "config": config})


def set_in(*path):
    *names, last, value = path

    def change(config):
        for name in names:
            config = config[name]
        if value is None:
            del config[last]
        else:
            config[last] = value
    return change


def make_control_export():
    outputs = conventions("csv")["outputs"]
    lone = [dict(o, part="") for o in outputs]
    good = {"csv": csv(), "csv-bits": csv(("0,1,-2", "0.5,0,3", "1,-127,127"), bits=8, scale=0.5),
            "csv-mixed": csv(mixed=True, frequency=0.75), "csv-minus": csv(sign=-1), "json": document(),
            "csv-swapped": csv(header="time,y,x", outputs=outputs[::-1]), "json-bits": document(((1, 2, 3), (0, 0, 0)), bits=4),
            "npy": npy(), "npy-bits": npy(numpy.array([[1, 2], [3, -4], [0, 7]], dtype="<i4"), bits=4), "qasm": qasm(),
            "qasm-bits": qasm(bits=8), "qasm-frequency": qasm("port p;\nport unused;\nframe f = newframe(p, 2.5e7, 0.0);"
                                                             "waveform w = {%s};", frequency=0.5, unit_seconds=2e-8), "qua": qua()}
    bad = {"empty": "", "word": "x", "csv-cut": csv(end=""), "csv-short": csv(("0,1,2", "0.5,-1,0")),
           "csv-long": csv(("0,1,2", "0.5,-1,0", "1,0,0", "1.5,0,0")), "csv-time": csv(("0,1,2", "0.6,-1,0", "1,0.25,-2")),
           "csv-nan": csv(("0,nan,2", "0.5,-1,0", "1,0.25,-2")), "csv-inf": csv(("0,-inf,2", "0.5,-1,0", "1,0.25,-2")),
           "csv-words": csv(("0,a,2", "0.5,-1,0", "1,0.25,-2")), "csv-columns": csv(("0,1", "0.5,-1", "1,0.25")),
           "csv-header": csv(header="time,x,z"), "csv-no-header": "# ketline: " + json.dumps(conventions("csv")),
           "csv-code": csv(("0,1,2", "0.5,-1,0", "1,0.25,-2"), bits=8), "csv-beyond": csv(("0,128,2", "0.5,-1,0", "1,2,-2"), bits=8),
           "csv-zero-byte": csv().replace("-1", "\0"), "json-cut": document()[:-1], "json-list": document(((1, 2, 3),)),
           "json-short": document(((1, 2), (3, 4))), "json-text": document((("1", "2", "3"), (1, 2, 3))),
           "json-null": document(((None, 1, 2), (1, 2, 3))), "json-none": json.dumps({"ketline": conventions("json")}),
           "format": document(format="ketline waveforms 2"), "written": document(written_as="csv"),
           "pulse": document(pulse="0" * 63 + "x"), "gate": document(gate="x" * 64), "gate-control": document(gate="\x1b"),
           "unit": document(time_unit="ns"), "seconds": document(unit_seconds=-1.0), "rate": document(rate=0.0),
           "rate-text": document(rate="2"), "samples": document(samples=0), "samples-many": document(samples=1 << 40),
           "bits": document(bits=1), "bits-many": document(bits=60), "sign": document(sign=0), "outputs": document(outputs=outputs[:1]),
           "outputs-none": document(outputs={}), "outputs-same": document(outputs=outputs[:1] * 2), "part": document(outputs=lone),
           "control": document(outputs=[dict(o, control="z") for o in outputs]),
           "scale": document(scale=-1.0), "scale-zero": document(scale=0.0), "frequency": document(frequency=1.0),
           "frequency-two": document(outputs=[outputs[0], dict(outputs[1], frequency=0.5)]),
           "npy-alone": npy()[:192], "npy-cut": npy()[:-1], "npy-after": npy(after=b"x"), "npy-float32": npy(numpy.zeros((3, 2), "<f4")),
           "npy-fortran": npy(numpy.asfortranarray(numpy.ones((3, 2)))), "npy-shape": npy(numpy.zeros((2, 2))),
           "npy-rank": npy(numpy.zeros(6)), "npy-nan": npy(numpy.full((3, 2), numpy.nan)), "npy-words": npy(words=b"{"),
           "npy-whole": npy(numpy.zeros((3, 2), "<i4")), "npy-long": npy(numpy.zeros((3, 2)))[:150],
           "qasm-version": qasm(head='OPENQASM 2.0;\ndefcalgrammar "openpulse";'), "qasm-play": qasm(play="play(f, v);"),
           "qasm-none": qasm(play=""), "qasm-twice": qasm(play="play(f, w); play(f, w);"), "qasm-short": qasm(wave="1.0 + 0im"),
           "qasm-long": qasm(wave=WAVE + ", 0.0 + 0im"), "qasm-real": qasm(wave="1.0, 2.0, 3.0"), "qasm-hex": qasm(wave=WAVE.replace("1.0", "0x1", 1)),
           "qasm-frequency": qasm(frequency=0.5), "qasm-port": qasm("frame f = newframe(p, 0.0, 0.0); waveform w = {%s};"),
           "qasm-phase": qasm("port p; frame f = newframe(p, 0.0, 1.0); waveform w = {%s};"), "qasm-end": qasm(end="x"),
           "qasm-open": qasm("port p; frame f = newframe(p, 0.0, 0.0); waveform w = {1.0"), "qasm-name": qasm("port 1;"),
           "qasm-same": qasm("port p; port p;"), "qasm-other": qasm("delay[3] p;"), "qasm-ports": qasm("port p;" * 40),
           "qua-port": qua(set_in("elements", "q", "mixInputs", "I", ["con1", 7])),
           "qua-swapped": qua(set_in("elements", "q", "mixInputs", {"I": ["con1", 2], "Q": ["con1", 1]})),
           "qua-none": qua(set_in("elements", {})), "qua-pulse": qua(set_in("pulses", {})),
           "qua-length": qua(set_in("pulses", "p", "length", 16)), "qua-wave": qua(set_in("waveforms", "b", None)),
           "qua-rate": qua(set_in("waveforms", "a", "sampling_rate", 1e9)),
           "qua-frequency": qua(set_in("elements", "q", "intermediate_frequency", 1e6)),
           "qua-short": qua(set_in("waveforms", "a", "samples", [1])), "qua-unit": qua(unit_seconds=0.0),
           "qua-config": qua(set_in("elements", 3))}
    for name, data in good.items():
        put("control_export", name, data)
    for name, data in bad.items():
        put("control_export", "bad-" + name, data)
