qubit[2] q;
rx(y) q[0];