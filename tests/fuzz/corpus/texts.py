# SPDX-License-Identifier: MIT
"""Texts: JSON, YAML, grids, noise, observables."""
import json

from corpus.frame import put


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
            "tagged": "lr: !!float 0.5\n", "flag": "grey: yes\n",
            "found-control-character": 'note: "a\\x93\\u2028\\ufeff\\uffff\\x85c"\n'}
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
           "laughs": "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "empty-value": "lr:\n",
           "integer": "qubits: 3.5\n", "large": "any-number: 99999999999999999999\n",
           "directive": "%YAML 9.9\n---\nlr: 1\n"}
    for name, data in good.items():
        put("config", name, data)
    for name, data in bad.items():
        put("config", "bad-" + name, data)
    for name_, data in {"bad-anchored-mapping": "&x {lr: 1}", "bad-anchored-list": "&x [1]", "bad-alias-alone": "*x",
                        "bad-value-anchored-list": "lr: &x [1]", "bad-second-mapping": "{lr: 1}\n{lr: 2}\n"}.items():
        put("config", name_, data)


def make_control_model():
    control = "controls:\n  - {name: x, operator: X, limit: 1 MHz}\n"
    head = "time-unit: us\nqubits: 1\n"
    level = "time-unit: ns\nlevels: 3\n"
    step = "controls:\n  - {operator: (a + a^+) / 2, limit: 1 rad/ns}\n"
    good = {"least": head + control, "unitless": "time-unit: 1\nqubits: 1\ncontrols:\n  - {operator: X, limit: 1}\n",
            "flow": "{time-unit: ps, qubits: 1, controls: [{operator: -Y, limit: 1e3 kHz}]}",
            "all": "name: all\ntime-unit: ns\nqubits: 2\nduration: 0.04 us\n"
                   "hamiltonian:\n  - {name: J, operator: ZZ, value: 2 MHz}\n  - {operator: '0.5 * (XX + YY)', value: -0.1 rad/ns}\n"
                   "jumps:\n  - {name: r, operator: sm1 * sp2, rate: 1 1/ms}\n  - {operator: '|00><11|', time: 3 s}\n"
                   "decay:\n  - {qubit: 1, T1: 20 us, T2: 30 us, frequency: 5 GHz, temperature: 20 mK, jump: up}\n"
                   "  - {qubit: 2, Tphi: 7 \u00b5s}\n"
                   "controls:\n  - {operator: X1, limit: 50 MHz}\n  - {operator: IY, limit: 314 rad/us}\n"
                   "targets:\n  - {gate: cz, fidelity: states}\n  - {state: r-, from: 01}\n  - {gate: 'h,rx(-3*pi/4)'}\n",
            "levels": level + "subspace: 2\nhamiltonian:\n  - {operator: n * (n - 1) / 2, value: -300 MHz}\n"
                      "decay:\n  - {T1: 9 us, T2: 5 us}\n" + step + "targets:\n  - {gate: x, fidelity: leakage}\n  - {state: 1}\n",
            "states-of-three": level + step + "targets:\n  - {state: 2, from: 0}\n",
            "anchor": "time-unit: us\nqubits: 1\ncontrols:\n  - &a {operator: X, limit: 1 MHz}\n  - *a\n",
            "powers": level + "controls:\n  - {operator: (a^2 + ad^2)' * 1e-3 * 2 / pi, limit: 1 THz}\n".replace("THz", "GHz"),
            "utf16": (head + control).encode("utf-16"), "crlf": (head + control).replace("\n", "\r\n")}
    bad = {"empty": "", "word": "qubit", "no-unit": "qubits: 1\n" + control, "no-controls": head,
           "unit": head.replace("us", "weeks") + control, "unknown-key": head + control + "tragets: []\n",
           "twice": head + head + control, "two-documents": head + control + "---\na: 1\n",
           "nan": head + control + "jumps:\n  - {operator: Z, rate: nan 1/us}\n",
           "negative": head + control + "jumps:\n  - {operator: Z, rate: -1 1/us}\n",
           "limit": head + "controls:\n  - {operator: X, limit: 0 Hz}\n",
           "infinite": head + "controls:\n  - {operator: X, limit: 1e308 GHz}\n",
           "not-hermitian": head + "controls:\n  - {operator: i * X, limit: 1 MHz}\n",
           "zero": head + "controls:\n  - {operator: X * X - I, limit: 1 MHz}\n",
           "overflow": head + "controls:\n  - {operator: 1e200 * 1e200 * X, limit: 1 MHz}\n",
           "nan-operator": head + "controls:\n  - {operator: (1e200 * 1e200 - 1e200 * 1e200) * X, limit: 1 MHz}\n",
           "deep-operator": head + "controls:\n  - {operator: '" + "(" * 3000 + "X', limit: 1 MHz}\n",
           "long-operator": head + "controls:\n  - {operator: '" + "X+" * 3000 + "X', limit: 1 MHz}\n",
           "t2": head + control + "decay:\n  - {T1: 1 us, T2: 2.1 us}\n",
           "file": head + "controls:\n  - {operator: gone.npy, limit: 1 MHz}\n",
           "hdf5": head + "controls:\n  - {operator: 'gone.h5:x', limit: 1 MHz}\n",
           "many": head + "controls:\n" + "  - {operator: X, limit: 1 MHz}\n" * 13,
           "too-many": head + "controls:\n" + "  - {operator: X, limit: 1 MHz}\n" * 70,
           "gate": head + control + "targets:\n  - {gate: cz}\n", "angle": head + control + "targets:\n  - {gate: rx(pi/0)}\n",
           "state": head + control + "targets:\n  - {state: 01}\n", "deep": "[" * 4000, "self": "&a {controls: *a}\n",
           "control-character": head + 'controls:\n  - {operator: "\\e[2J", limit: 1 MHz}\n', "nul": head + 'name: "a\\0b"\n',
           "not-utf8": b"name: \xff\n"}
    x = {"name": "x", "limit": 1.5, "matrix": [[2, 3, -2], [3, 2, 2.0]]}
    whole = {"name": "a", "time_unit": "ns", "levels": 2, "qubits": 1, "subspace": 2, "duration": 0, "controls": [x],
             "params": [{"name": "g", "rate": True, "value": 0.5, "matrix": [[3, 0, 1], [3, 3, -1]]}],
             "targets": [{"name": "z", "fidelity": 2, "gate": [[1, 0], [0, 0], [0, 0], [-1, 0]]},
                         {"name": "1", "state": [[0, 0], [1, 0]], "from": [[0.6, 0], [0, 0.8]]}]}
    good["json"] = json.dumps(whole)
    for name, change in {"first-row": {"controls": [dict(x, matrix=[[0, 1, 1]])]}, "order": {"controls": [dict(x, matrix=[[3, 2, 1], [2, 3, 1]])]},
                         "outside": {"controls": [dict(x, matrix=[[4, 0, 1]])]}, "limit": {"controls": [dict(x, limit=0)]},
                         "name-twice": {"controls": [x, x]}, "levels": {"levels": 3}, "unit": {"time_unit": "week"},
                         "not-unitary": {"targets": [{"name": "z", "fidelity": 2, "gate": [[1, 0]] * 4}]},
                         "norm": {"targets": [{"name": "1", "state": [[1, 0], [1, 0]], "from": [[1, 0], [0, 0]]}]},
                         "fidelity": {"targets": [{"name": "z", "fidelity": 9, "gate": [[1, 0], [0, 0], [0, 0], [1, 0]]}]},
                         "many-targets": {"targets": [whole["targets"][0]] * 9}}.items():
        bad["json-" + name] = json.dumps(dict(whole, **change))
    for name, data in good.items():
        put("control_model", name, data)
    for name, data in bad.items():
        put("control_model", "bad-" + name, data)


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


def ibm_properties(n):
    """Made up, in the form of qiskit's BackendProperties.to_dict."""
    def value(name, unit, x):
        return {"date": "2026-01-01T00:00:00Z", "name": name, "unit": unit, "value": x}

    def gate(name, wires, error, length):
        return {"gate": name, "qubits": wires, "parameters": [value("gate_error", "", error), value("gate_length", "ns", length)]}

    qubits = [[value("T1", "us", 100 + q), value("T2", "us", 90 + 200 * (q == 1)), value("frequency", "GHz", 5),
               value("prob_meas0_prep1", "", 0.03), value("prob_meas1_prep0", "", 0.01)] for q in range(n)]
    gates = [gate("sx", [q], 2e-4, 35.5) for q in range(n)] + [gate("rz", [0], 0, 0)]
    gates += [gate("cx", [q, q + 1], 0.008, 300) for q in range(n - 1)]
    return json.dumps({"backend_name": "made up", "qubits": qubits, "gates": gates, "general": []}, separators=(",", ":"))


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
           "no-qubits": '{"qubits":[]}',
           "name-number": '{"name":1,"all":{}}', "name-control": '{"name":"a\\u001b","all":{}}',
           "line-in-name": '{"all":{"a\\nb":1}}', "line-in-member": '{"a\\nb":1}',
           "cut": '{"all":{"readout":0.1}', "nul": b'{"all":{"readout":0.1}}\0',
           "large": '{"all":{"t1":1e400}}'}
    good |= {"many-qubits": '{"qubits":[' + ",".join(["{}"] * 40) + "]}", "units": "t1=120.1us,gate_time=35.5ns",
             "units-json": '{"all":{"t1":"120.1 \u00b5s","gate_time":{"value":35.5,"unit":"ns","date":"x"}}}',
             "ibm": ibm_properties(3), "ibm-no-pairs": ibm_properties(1)}
    bad |= {"unit": "t1=1min,gate-time=1", "unit-json": '{"all":{"t1":"1 dt"}}', "same-names": "bit_flip=0,bit-flip=0",
            "ibm-unit": ibm_properties(2).replace("us", "dt"), "ibm-cut": ibm_properties(2)[:500],
            "ibm-text": ibm_properties(2).replace("0.01", '"0.01"'), "ibm-wire": ibm_properties(2).replace("[1]", "[2]"),
            "ibm-configuration": '{"backend_name":"x","n_qubits":5,"basis_gates":["sx"]}'}
    for name, data in good.items():
        put("noise", name, data)
    for name, data in bad.items():
        put("noise", "bad-" + name, data)
    put("noise", "bad-found-name-not-utf8", b"t1=1,t2=3,gate\xd3\x8b\x96\x92e=1")
    for name_, data in {"bad-time-negative": "gate-time=-1,t1=1", "bad-delete-in-name": '{"name":"a\x7f","all":{}}',
                        "bad-all-beside-list": '{"all":{"readout":2},"qubits":[{}]}', "all-beside-list": '{"all":{},"qubits":[{},{}]}',
                        "bad-second-qubit": '{"qubits":[{},{"readout":2},{}]}', "bad-qubit-number": '{"qubits":[1]}'}.items():
        put("noise", name_, data)


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
    for name_, data in {"bad-point": "\3.", "bad-lengths": "\3ZZ+Z", "seventeen-digits": "\3" + "0.1*ZIII+0.2*ZIII",
                        "bad-end-of-sum": "\3ZIII+1", "tab": "\3\tz", "probs-two-in-order": "\3probs(0,1)",
                        "bad-probs-and-more": "\3probs(0,1,2,3),q", "probs-of-all-and-z": "\3probs(0,1,2,3),z",
                        "bad-three-letters": "\2fidelity(abc)", "one-letter": "\0Z", "bad-w-and-more": "\0fidelity(x)"}.items():
        put("observables", name_, data)
