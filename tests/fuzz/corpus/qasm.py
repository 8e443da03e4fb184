# SPDX-License-Identifier: MIT
"""OpenQASM 3: circuits that `circuit export` wrote, and files by hand."""
from corpus.frame import put

# Inputs x, inputs w, qubits, gates.
EXPORTED = {
    "ansatz-basic-entangler": (4, 4, 4,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(x_3) q[3]; rx(w_0) q[0]; rx(w_1) q[1]; rx(w_2) q[2]; rx(w_3) q[3]; cx q[0], q[1]; "
        "cx q[1], q[2]; cx q[2], q[3]; cx q[3], q[0];"),
    "ansatz-brick": (4, 12, 4,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(x_3) q[3]; rz(w_0) q[0]; ry(w_1) q[0]; rz(w_2) q[0]; rz(w_3) q[1]; ry(w_4) q[1]; "
        "rz(w_5) q[1]; rz(w_6) q[2]; ry(w_7) q[2]; rz(w_8) q[2]; rz(w_9) q[3]; ry(w_10) q[3]; rz(w_11) q[3]; cz q[0], q[1]; "
        "cz q[2], q[3];"),
    "ansatz-efficient-su2": (4, 16, 4,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(x_3) q[3]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; ry(w_3) q[3]; rz(w_4) q[0]; "
        "rz(w_5) q[1]; rz(w_6) q[2]; rz(w_7) q[3]; cx q[2], q[3]; cx q[1], q[2]; cx q[0], q[1]; ry(w_8) q[0]; ry(w_9) q[1]; "
        "ry(w_10) q[2]; ry(w_11) q[3]; rz(w_12) q[0]; rz(w_13) q[1]; rz(w_14) q[2]; rz(w_15) q[3];"),
    "ansatz-qcnn": (4, 18, 4,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(x_3) q[3]; rz(-1.5707963267948966) q[1]; cx q[1], q[0]; rz(w_0) q[0]; ry(w_1) q[1]; "
        "cx q[0], q[1]; ry(w_2) q[1]; cx q[1], q[0]; rz(1.5707963267948966) q[0]; rz(-1.5707963267948966) q[3]; cx q[3], q[2]; "
        "rz(w_3) q[2]; ry(w_4) q[3]; cx q[2], q[3]; ry(w_5) q[3]; cx q[3], q[2]; rz(1.5707963267948966) q[2]; "
        "rz(-1.5707963267948966) q[2]; cx q[2], q[1]; rz(w_6) q[1]; ry(w_7) q[2]; cx q[1], q[2]; ry(w_8) q[2]; cx q[2], q[1]; "
        "rz(1.5707963267948966) q[1]; rz(-1.5707963267948966) q[0]; cx q[0], q[3]; rz(w_9) q[3]; ry(w_10) q[0]; cx q[3], q[0]; "
        "ry(w_11) q[0]; cx q[0], q[3]; rz(1.5707963267948966) q[3]; rz(-1.5707963267948966) q[2]; cx q[2], q[0]; rz(w_12) q[0]; "
        "ry(w_13) q[2]; cx q[0], q[2]; ry(w_14) q[2]; rz(-1.5707963267948966) q[3]; cx q[3], q[1]; rz(w_15) q[1]; ry(w_16) q[3]; "
        "cx q[1], q[3]; ry(w_17) q[3];"),
    "ansatz-real-amplitudes": (4, 8, 4,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(x_3) q[3]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; ry(w_3) q[3]; cx q[2], q[3]; "
        "cx q[1], q[2]; cx q[0], q[1]; ry(w_4) q[0]; ry(w_5) q[1]; ry(w_6) q[2]; ry(w_7) q[3];"),
    "ansatz-ry-ring": (4, 4, 4,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(x_3) q[3]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; ry(w_3) q[3]; cx q[0], q[1]; "
        "cx q[1], q[2]; cx q[2], q[3]; cx q[3], q[0];"),
    "ansatz-simplified-two-design": (4, 10, 4,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(x_3) q[3]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; ry(w_3) q[3]; cz q[0], q[1]; "
        "ry(w_4) q[0]; ry(w_5) q[1]; cz q[2], q[3]; ry(w_6) q[2]; ry(w_7) q[3]; cz q[1], q[2]; ry(w_8) q[1]; ry(w_9) q[2];"),
    "ansatz-strongly-entangling": (4, 12, 4,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(x_3) q[3]; rz(w_0) q[0]; ry(w_1) q[0]; rz(w_2) q[0]; rz(w_3) q[1]; ry(w_4) q[1]; "
        "rz(w_5) q[1]; rz(w_6) q[2]; ry(w_7) q[2]; rz(w_8) q[2]; rz(w_9) q[3]; ry(w_10) q[3]; rz(w_11) q[3]; cx q[0], q[1]; "
        "cx q[1], q[2]; cx q[2], q[3]; cx q[3], q[0];"),
    "embedding-angle-x": (3, 3, 3,
        "rx(x_0) q[0]; rx(x_1) q[1]; rx(x_2) q[2]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; cx q[0], q[1]; cx q[1], q[2]; cx q[2], q[0];"),
    "embedding-angle-y": (3, 3, 3,
        "ry(x_0) q[0]; ry(x_1) q[1]; ry(x_2) q[2]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; cx q[0], q[1]; cx q[1], q[2]; cx q[2], q[0];"),
    "embedding-angle-z": (3, 3, 3,
        "h q[0]; h q[1]; h q[2]; rz(x_0) q[0]; rz(x_1) q[1]; rz(x_2) q[2]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; cx q[0], q[1]; "
        "cx q[1], q[2]; cx q[2], q[0];"),
    "embedding-basis": (3, 3, 3,
        "rx(3.1415926535897931 * x_0) q[0]; rx(3.1415926535897931 * x_1) q[1]; rx(3.1415926535897931 * x_2) q[2]; ry(w_0) q[0]; "
        "ry(w_1) q[1]; ry(w_2) q[2]; cx q[0], q[1]; cx q[1], q[2]; cx q[2], q[0];"),
    "embedding-iqp-2": (3, 3, 3,
        "h q[0]; rz(x_0) q[0]; h q[1]; rz(x_1) q[1]; h q[2]; rz(x_2) q[2]; cx q[0], q[1]; rz(x_0 * x_1) q[1]; cx q[0], q[1]; "
        "cx q[0], q[2]; rz(x_0 * x_2) q[2]; cx q[0], q[2]; cx q[1], q[2]; rz(x_1 * x_2) q[2]; cx q[1], q[2]; h q[0]; rz(x_0) q[0]; "
        "h q[1]; rz(x_1) q[1]; h q[2]; rz(x_2) q[2]; cx q[0], q[1]; rz(x_0 * x_1) q[1]; cx q[0], q[1]; cx q[0], q[2]; rz(x_0 * x_2) q[2]; "
        "cx q[0], q[2]; cx q[1], q[2]; rz(x_1 * x_2) q[2]; cx q[1], q[2]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; cx q[0], q[1]; "
        "cx q[1], q[2]; cx q[2], q[0];"),
    "embedding-iqp": (3, 3, 3,
        "h q[0]; rz(x_0) q[0]; h q[1]; rz(x_1) q[1]; h q[2]; rz(x_2) q[2]; cx q[0], q[1]; rz(x_0 * x_1) q[1]; cx q[0], q[1]; "
        "cx q[0], q[2]; rz(x_0 * x_2) q[2]; cx q[0], q[2]; cx q[1], q[2]; rz(x_1 * x_2) q[2]; cx q[1], q[2]; ry(w_0) q[0]; ry(w_1) q[1]; "
        "ry(w_2) q[2]; cx q[0], q[1]; cx q[1], q[2]; cx q[2], q[0];"),
    "embedding-zz": (3, 3, 3,
        "h q[0]; h q[1]; h q[2]; rz(2 * x_0) q[0]; rz(2 * x_1) q[1]; rz(2 * x_2) q[2]; cx q[0], q[1]; rz(19.739208802178716) q[1]; "
        "cx q[0], q[1]; cx q[0], q[1]; rz(-6.2831853071795862 * x_0) q[1]; cx q[0], q[1]; cx q[0], q[1]; "
        "rz(-6.2831853071795862 * x_1) q[1]; cx q[0], q[1]; cx q[0], q[1]; rz(2 * x_0 * x_1) q[1]; cx q[0], q[1]; cx q[0], q[2]; "
        "rz(19.739208802178716) q[2]; cx q[0], q[2]; cx q[0], q[2]; rz(-6.2831853071795862 * x_0) q[2]; cx q[0], q[2]; cx q[0], q[2]; "
        "rz(-6.2831853071795862 * x_2) q[2]; cx q[0], q[2]; cx q[0], q[2]; rz(2 * x_0 * x_2) q[2]; cx q[0], q[2]; cx q[1], q[2]; "
        "rz(19.739208802178716) q[2]; cx q[1], q[2]; cx q[1], q[2]; rz(-6.2831853071795862 * x_1) q[2]; cx q[1], q[2]; cx q[1], q[2]; "
        "rz(-6.2831853071795862 * x_2) q[2]; cx q[1], q[2]; cx q[1], q[2]; rz(2 * x_1 * x_2) q[2]; cx q[1], q[2]; h q[0]; h q[1]; h q[2]; "
        "rz(2 * x_0) q[0]; rz(2 * x_1) q[1]; rz(2 * x_2) q[2]; cx q[0], q[1]; rz(19.739208802178716) q[1]; cx q[0], q[1]; cx q[0], q[1]; "
        "rz(-6.2831853071795862 * x_0) q[1]; cx q[0], q[1]; cx q[0], q[1]; rz(-6.2831853071795862 * x_1) q[1]; cx q[0], q[1]; "
        "cx q[0], q[1]; rz(2 * x_0 * x_1) q[1]; cx q[0], q[1]; cx q[0], q[2]; rz(19.739208802178716) q[2]; cx q[0], q[2]; cx q[0], q[2]; "
        "rz(-6.2831853071795862 * x_0) q[2]; cx q[0], q[2]; cx q[0], q[2]; rz(-6.2831853071795862 * x_2) q[2]; cx q[0], q[2]; "
        "cx q[0], q[2]; rz(2 * x_0 * x_2) q[2]; cx q[0], q[2]; cx q[1], q[2]; rz(19.739208802178716) q[2]; cx q[1], q[2]; cx q[1], q[2]; "
        "rz(-6.2831853071795862 * x_1) q[2]; cx q[1], q[2]; cx q[1], q[2]; rz(-6.2831853071795862 * x_2) q[2]; cx q[1], q[2]; "
        "cx q[1], q[2]; rz(2 * x_1 * x_2) q[2]; cx q[1], q[2]; ry(w_0) q[0]; ry(w_1) q[1]; ry(w_2) q[2]; cx q[0], q[1]; cx q[1], q[2]; "
        "cx q[2], q[0];"),
}
GOOD = {
    "array-of-many": 'input array[float, 5000] w; qubit q; rx(w[4999]) q;',
    "comment-at-the-end": """\
OPENQASM 3.0;
qubit q;
rx(0.5) q;
// no line behind this one""",
    "definitions": ('OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float[64] _\u03b8_0_;\ninput float[64] x;\nconst int n = 2**1;\ngate rzz(p0) a, b { '
        'cx a, b; rz(p0) b; cx a, b; }\ngate layer(t) a, b { ry(2*t) a; rzz(t - 1) a, b; }\ngate ccx_ a, b { h b; cx a, b; h b; }\ng'
        'ate two(t) a, b { rzz(t) a, b; rzz((t - 1)*(t - 2)) b, a; }\nqubit[n + 1] q;\nbit[3] c;\nh q;\nfor int i in [0:n - 1] { two('
        'x - i) q[i], q[i + 1]; }\nctrl @ ry(_\u03b8_0_) q[0], q[2]; negctrl(2) @ x q[0], q[1], q[2]; inv @ two(x + 1) q[0], q[1]; pow('
        '-2) @ s q[{0, -1}];\ncu(x, _\u03b8_0_, 1, 2) q[0], q[1]; cswap q[0], q[1], q[2]; ctrl @ gphase(\u03c0/3) q[1];\nlet a = q[0:1] ++ q['
        '2]; y a;\nbarrier q;\nc = measure q;\n'),
    "measure": 'qubit q; measure q;',
    "name": 'qubit aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;',
    "names": """\
input angle[32] _x; input float input_1; input float theta; input array[angle, 3] phi;
qubit[1] a; qubit _b;
rx(_x*input_1 - 3*phi[2] + theta) a[0]; cx a[0], _b;
""",
    "no-gate": 'qubit q;',
    "one-gate": 'qubit q; x q;',
    "other-gates": """\
OPENQASM 3.0;
include "stdgates.inc";
input array[float[64], 2] x;
input float th;
qubit[2] a;
qubit b;
h a[0]; u(x[0], th, -pi/4) a[1]; cp(2*x[1]) a[0], b; // a comment
y b; s a[1]; swap a[0], b; t b; /* and
another */ sx a[0]; rzz(th - x[0]/2 + 1) a[1], b; z a[0]; id b;
cphase(th) a[0], a[1]; sdg b; h b; tdg b; ry(.3) b; U(0, tau, 1e-3) b; u3(1,2,3) b; u1(th) b; p(th) b; phase(th) b;
CX a[0], b; cz a[0], b; crx(-(th)) a[1], b; cry(-th + -1) a[0], a[1]; crz(x[0] * x[1] * 2) a[0], a[1]; barrier a;
""",
    "registers": ('qubit q0; qubit q1; qubit q2; qubit q3; qubit q4; qubit q5; qubit q6; qubit q7; qubit q8; qubit q9; qubit q10; qubit q11'
        '; qubit q12; qubit q13; qubit q14; qubit q15; qubit q16; '),
    "terms": ('input array[float, 4] x; input array[float, 4] w; qubit q;\nrx(x[0]+x[1]+x[2]+x[3]+w[0]+w[1]+w[2]+w[3]-x[0]*x[1]-x[1]*x[2'
        ']+1.0/3-pi+(2*(w[0]-(1+2)))) q;\n'),
    "version-2": """\
OPENQASM 2.0;
include "qelib1.inc";
qreg q[3];
creg c[3];
gate g(a, b) x, y { u3(a, b, a^2) x; cx x, y; barrier x; }
u2(0, pi/2) q[0];
g(1/2, sin(0.5)) q[0], q[1];
cu3(0.1, 0.2, 0.3) q[1], q[2];
rxx(0.4) q[0], q[2];
measure q -> c;
""",
    "with-next": """\
input float x; input float w; qubit[2] q;
@ketline.with_next
rzz(x + w) q[0], q[1];
@ketline.with_next
swap q[0], q[1];
u(x + 1, w, x) q[0];
id q[1];
""",
}
BAD = {
    "array": 'input array[float, 99999] x; qubit q;',
    "behind": 'bit c; qubit q; c = measure q; x q;',
    "bit": 'qubit q; x q; c = measure q;',
    "block": 'gate a q { x q; ',
    "bytes": b'qubit q; rx(\xff\xfe\x80) q;',
    "circle": 'gate a q { b q; } gate b q { a q; } qubit q; b q;',
    "comment": 'qubit q; /* x q;',
    "controls": 'qubit q; ctrl(20) @ ctrl @ x q, q;',
    "declared-twice": 'input float w; input float w;',
    "deep": 'qubit q; rx(((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))) q;',
    "division": 'input float w; qubit q; rx(1/w) q;',
    "empty": '',
    "end": 'qubit q; rx(1',
    "gate": 'qubit[2] q;\n  foo q[0];',
    "inverse": 'input float x; qubit q; rx(x / 4.9e-324) q;',
    "large": 'qubit q; rx(1e999) q;',
    "late": 'qubit q; x q; input float w;',
    "letters": 'qubit q; \x1b[31m q;',
    "loops": 'qubit q; for int i in [0:4095] for int j in [0:4095] ;',
    "many": ('gate a q {x q;x q;} gate b q {a q;a q;a q;a q;} gate c q {b q;b q;b q;b q;} gate d q {c q;c q;c q;c q;} gate e q {d q;d '
        'q;d q;d q;d q;d q;d q;d q;} gate f q {e q;e q;e q;e q;e q;e q;e q;e q;} gate g q {f q;f q;f q;f q;f q;f q;f q;f q;} gate'
        ' h q {g q;g q;g q;g q;g q;g q;g q;g q;} qubit q; h q; h q; h q; h q; h q; h q;h q; h q;'),
    "minus": 'qubit q; rx(----------------------------------------1) q;',
    "overflow": 'input float x; qubit q; rx(1e308*1e308*x) q;',
    "parameter": 'qubit[2] q;\nrx(y) q[0];',
    "power": 'input float x; qubit q; rx((((x+1)*(x+1)))**4) q;',
    "product": 'input float w; qubit q; rx(w*w) q;',
    "qubits": 'qubit[21] q;',
    "quotient": 'qubit q;\nrx(1/3) q;\n',
    "sum-overflow": 'qubit q; rx(1.5e308 + 1.5e308) q;',
    "terms": ('input array[float, 20] w; qubit q; rx(w[0]+w[1]+w[2]+w[3]+w[4]+w[5]+w[6]+w[7]+w[8]+w[9]+w[10]+w[11]+w[12]+w[13]+w[14]+w['
        '15]+w[16]) q;'),
    "twice": 'qubit[2] q; cx q[0], q[0];',
    "type": 'input int n; qubit q;',
    "version": 'OPENQASM 2.0;',
    "wire": 'qubit[2] q; x q[2];',
    "with-next": """\
qubit q;
@ketline.with_next
x q;
""",
}


def exported(n_x, n_w, qubits, gates):
    inputs = ["x_%d" % i for i in range(n_x)] + ["w_%d" % i for i in range(n_w)]
    return ('OPENQASM 3.0;\ninclude "stdgates.inc";\n' + "".join("input float[64] %s;\n" % name for name in inputs) +
            "qubit[%d] q;\n" % qubits + gates.replace("; ", ";\n") + "\n")


def make_qasm():
    for name, circuit in EXPORTED.items():
        put("qasm", name + ".qasm", exported(*circuit))
    for name, text in GOOD.items():
        put("qasm", name + ".qasm", text)
    for name, text in BAD.items():
        put("qasm", "bad-" + name + ".qasm", text)
