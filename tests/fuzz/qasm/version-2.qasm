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
