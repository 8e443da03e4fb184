qubit q;
rx(1/3) q;
