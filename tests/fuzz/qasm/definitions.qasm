OPENQASM 3.0;
include "stdgates.inc";
input float[64] _θ_0_;
input float[64] x;
const int n = 2**1;
gate rzz(p0) a, b { cx a, b; rz(p0) b; cx a, b; }
gate layer(t) a, b { ry(2*t) a; rzz(t - 1) a, b; }
gate ccx_ a, b { h b; cx a, b; h b; }
gate two(t) a, b { rzz(t) a, b; rzz((t - 1)*(t - 2)) b, a; }
qubit[n + 1] q;
bit[3] c;
h q;
for int i in [0:n - 1] { two(x - i) q[i], q[i + 1]; }
ctrl @ ry(_θ_0_) q[0], q[2]; negctrl(2) @ x q[0], q[1], q[2]; inv @ two(x + 1) q[0], q[1]; pow(-2) @ s q[{0, -1}];
cu(x, _θ_0_, 1, 2) q[0], q[1]; cswap q[0], q[1], q[2]; ctrl @ gphase(π/3) q[1];
let a = q[0:1] ++ q[2]; y a;
barrier q;
c = measure q;
