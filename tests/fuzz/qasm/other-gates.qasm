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
